"""Who always takes the first answer there is drives badly, but neither stands still for it nor swaps for ever."""

from collections.abc import Iterator, Mapping
from random import Random

import pytest

from games.engine.bots import random_answer
from games.engine.contract import JSON, Act, Decision
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.game import RULESET
from games.runtime.simulation import Course

ASIDE = (a.Stop, a.Supercharge, a.ChangeDrivers)
"""What may be done in a turn, and is the first thing offered in none."""


def questions(options: Mapping[str, JSON], *, seats: int, seed: int, steps: int, firsts: float) -> Iterator[Decision]:
    """The questions of a race whose drivers take the first answer so often, and else any."""
    rng = Random(seed)
    course = Course(RULESET, seats=seats, options=options, secret=bytes([seed]))
    for _ in range(steps):
        asked = RULESET.pending(course.state)
        if not asked:
            return
        one = asked[0]
        yield one
        answer = one.menu[0] if rng.random() < firsts else random_answer(one, rng)
        course.give([Act(one.seat, answer)])


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        ({}, 5),
        ({"teams": True, "upgrades": "reverse_draft"}, 8),
        ({"upgrades": {"1": ["H"]}}, 2),
        ({"track": "beginner"}, 4),
    ],
    ids=["open road", "teams that draft", "supercharged", "beginners"],
)
def test_the_first_answer_of_a_turn_neither_stops_the_car_nor_spends_fuel_nor_changes_drivers(
    options: Mapping[str, JSON], seats: int
) -> None:
    seen = set()
    for seed in range(4):
        for asked in questions(options, seats=seats, seed=seed, steps=1500, firsts=0.5):
            seen |= {type(answer) for answer in asked.menu} & set(ASIDE)
            assert asked.key != "act" or not isinstance(asked.menu[0], ASIDE), asked.menu
    assert a.Stop in seen
    assert (a.ChangeDrivers in seen) == ("teams" in options)
    assert (a.Supercharge in seen) == ("upgrades" in options)


def test_the_first_answer_to_drawing_and_passing_ends_it() -> None:
    asked = [
        one
        for seed in range(4)
        for one in questions({"teams": True}, seats=4, seed=seed, steps=1500, firsts=0.3)
        if one.key == "draw_or_pass"
    ]
    assert any(isinstance(answer, a.PassCard) for one in asked for answer in one.menu)
    assert {one.menu[0] for one in asked} == {a.DrawCards(), a.NoMore()}


@pytest.mark.parametrize("seed", range(4))
def test_on_the_beginners_track_first_answers_alone_lead_to_the_finish(seed: int) -> None:
    asked = list(questions({"track": "beginner"}, seats=4, seed=seed, steps=3000, firsts=1))
    assert len(asked) < 3000
