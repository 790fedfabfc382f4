"""Lanes, rows, directions and forwardness of the course."""

from itertools import islice

import pytest

from games.rulesets.thunder_road.hexes import (
    DIRECTIONS,
    FRONT_ARC,
    LANES,
    REAR_ARC,
    arc,
    forwardness,
    line,
    neighbours,
    read,
    ring,
    step,
    written,
)

BACK = {"F": "B", "FR": "BL", "BR": "FL", "B": "F", "BL": "FR", "FL": "BR"}


@pytest.mark.parametrize(
    ("space", "around"),
    [
        ("3-5", {"FL": "2-5", "F": "3-6", "FR": "4-5", "BR": "4-4", "B": "3-4", "BL": "2-4"}),
        ("4-5", {"FL": "3-6", "F": "4-6", "FR": "5-6", "BR": "5-5", "B": "4-4", "BL": "3-5"}),
    ],
)
def test_c01_the_six_spaces_around_an_odd_and_an_even_lane(space: str, around: dict[str, str]) -> None:
    at = read(space)
    assert at is not None
    assert {direction: written(step(at, direction)) for direction in DIRECTIONS} == around
    assert [written(one) for one in neighbours(at)] == [around[direction] for direction in DIRECTIONS]
    assert [written(one) for one in arc(at, FRONT_ARC)] == [around["FL"], around["F"], around["FR"]]
    assert [written(one) for one in arc(at, REAR_ARC)] == [around["BL"], around["B"], around["BR"]]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_step_and_its_opposite_lead_back(direction: str) -> None:
    for lane in range(1, LANES + 1):
        assert step(step((lane, 7), direction), BACK[direction]) == (lane, 7)


def test_ahead_adds_two_to_forwardness_and_a_lane_change_one() -> None:
    gains = {"F": 2, "FR": 1, "BR": -1, "B": -2, "BL": -1, "FL": 1}
    for lane in range(1, LANES + 1):
        for direction, gain in gains.items():
            assert forwardness(step((lane, 9), direction)) - forwardness((lane, 9)) == gain
    assert (forwardness((1, 1)), forwardness((2, 1))) == (2, 3)


def test_a_straight_line_zigzags_over_lanes() -> None:
    assert [written(one) for one in islice(line((1, 5), "FR"), 5)] == ["2-5", "3-6", "4-6", "5-7", "6-7"]
    assert [written(one) for one in islice(line((4, 5), "BL"), 3)] == ["3-5", "2-4", "1-4"]
    assert [written(one) for one in islice(line((4, 5), "F"), 2)] == ["4-6", "4-7"]


def test_rings_go_clockwise_from_straight_ahead() -> None:
    assert tuple(ring((3, 5), 1)) == neighbours((3, 5))
    second = list(ring((3, 5), 2))
    assert [written(one) for one in second[:4]] == ["3-7", "4-6", "5-6", "5-5"]
    assert len(second) == len(set(second)) == 12
    inside = {(3, 5), *neighbours((3, 5))}
    assert set(second) == {far for near in neighbours((3, 5)) for far in neighbours(near)} - inside


@pytest.mark.parametrize("words", ["0-5", "7-5", "3-0", "3-05", "3", "3-", "-5", "3-5 ", "3-\u0665", "3--5", "3-12345"])
def test_what_is_no_space_is_not_read_as_one(words: str) -> None:
    assert read(words) is None


def test_a_space_is_lane_and_row() -> None:
    assert read("3-14") == (3, 14)
    assert written((6, 120)) == "6-120"
