"""The pure parts of leagues: draws, tables with their tie-breaks, who goes up and down, ratings, pace, charts."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues import draws, tables
from games.leagues.paces import Done, pace_of
from games.leagues.ratings import Skill, all_rated, rated
from games.leagues.tables import DEFAULT, TIE_BREAKS, Line, Meeting, moves, ranked
from games.web.charts import Series, chart

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


# --- Draws ------------------------------------------------------------------------------


@given(drivers=st.integers(2, 60), seats=st.integers(2, 10))
def test_races_of_a_round_take_everybody_and_are_as_even_as_can_be(drivers: int, seats: int) -> None:
    shape = draws.sizes(drivers, seats=seats)
    assert sum(shape) == drivers
    assert min(shape) >= 2
    assert max(shape) - min(shape) <= 1
    assert max(shape) <= max(seats, 3)


def test_one_driver_has_no_races() -> None:
    assert draws.sizes(1, seats=4) == ()
    assert draws.rounds([7], seats=4, races_each=3, seed="s") == []


@pytest.mark.parametrize(("drivers", "seats"), [(8, 4), (9, 4), (3, 2), (23, 6)])
def test_each_driver_is_in_one_race_of_each_round(drivers: int, seats: int) -> None:
    made = draws.rounds(range(1, drivers + 1), seats=seats, races_each=5, seed="s")
    assert len(made) == 5
    for groups in made:
        assert sorted(one for group in groups for one in group) == list(range(1, drivers + 1))


def test_the_same_seed_draws_the_same_in_any_order_and_another_one_otherwise() -> None:
    one = draws.rounds([4, 9, 2, 7, 1, 8], seats=3, races_each=3, seed="s")
    assert one == draws.rounds([1, 2, 4, 7, 8, 9], seats=3, races_each=3, seed="s")
    assert one != draws.rounds([1, 2, 4, 7, 8, 9], seats=3, races_each=3, seed="t")


def test_the_draw_is_this_one_for_good() -> None:
    """A season's seed is public so that anybody may repeat its draw, with later versions too."""
    assert draws.rounds(range(1, 7), seats=3, races_each=2, seed="dust") == [
        [(1, 3, 4), (2, 5, 6)],
        [(2, 3, 5), (1, 4, 6)],
    ]


def test_those_who_have_met_least_meet_next() -> None:
    made = draws.rounds(range(16), seats=4, races_each=5, seed="s")
    met = Counter(pair for groups in made for group in groups for pair in combinations(group, 2))
    # Sixteen in fours could all meet once; what is found is near it, where chance alone lets some meet four times.
    assert max(met.values()) <= 2
    assert len(met) >= 100


# --- Tables -----------------------------------------------------------------------------


def placed(*lines: Line, tie_breaks: tuple[str, ...] = DEFAULT) -> list[tuple[int, int, str]]:
    return [(line.entrant, line.place, line.decided_by) for line in ranked(lines, tie_breaks=tie_breaks, seed="s")]


@pytest.mark.parametrize(
    ("tie_break", "better", "worse"),
    [
        ("points", Line(2, points=5), Line(1, points=4)),
        ("wins", Line(2, places={1: 2}), Line(1, places={1: 1, 2: 5})),
        ("places", Line(2, places={1: 1, 2: 1, 4: 1}), Line(1, places={1: 1, 3: 2})),
        ("places", Line(2, places={3: 1}), Line(1, places={4: 1})),
        ("victory_points", Line(2, victory_points=-1), Line(1, victory_points=-2)),
        ("wrecks", Line(2, wrecks=0), Line(1, wrecks=1)),
        ("on_time", Line(2, turns=10, on_time=10), Line(1, turns=100, on_time=99)),
        ("fewer_races", Line(2, races=3), Line(1, races=4)),
        (
            "head_to_head",
            Line(2, meetings=[Meeting(1, 1, 3), Meeting(2, 4, 0)]),
            Line(1, meetings=[Meeting(1, 2, 2), Meeting(3, 1, 9)]),
        ),
    ],
)
def test_each_tie_break_decides_alone(tie_break: str, better: Line, worse: Line) -> None:
    assert placed(worse, better, tie_breaks=(tie_break,)) == [(2, 1, ""), (1, 2, tie_break)]


def test_every_tie_break_that_a_season_may_name_can_be_applied() -> None:
    assert len(placed(Line(1), Line(2), tie_breaks=tuple(TIE_BREAKS))) == 2


def test_tie_breaks_are_applied_in_the_order_in_which_they_are_stated() -> None:
    first, second = Line(1, points=5, wrecks=3), Line(2, points=4, wrecks=0)
    assert placed(first, second, tie_breaks=("points", "wrecks"))[0][0] == 1
    assert placed(first, second, tie_breaks=("wrecks", "points"))[0][0] == 2


def test_head_to_head_looks_only_at_those_who_are_still_level() -> None:
    # The third has beaten both, but wins have set it apart before.
    one = Line(1, points=6, meetings=[Meeting(1, 1, 3), Meeting(9, 3, 1)])
    two = Line(2, points=6, meetings=[Meeting(1, 2, 2), Meeting(8, 1, 5)])
    three = Line(3, points=6, places={1: 1}, meetings=[Meeting(8, 2, 3), Meeting(9, 1, 5)])
    assert [entrant for entrant, _, _ in placed(one, two, three)] == [3, 1, 2]


def test_whom_nothing_tells_apart_share_a_place_and_the_next_is_counted_after_them() -> None:
    lines = [Line(1, points=3), Line(2, points=3), Line(3, points=1)]
    assert placed(*lines, tie_breaks=("points",)) == [(1, 1, ""), (2, 1, ""), (3, 3, "points")]


def test_the_lot_decides_at_last_and_the_same_way_each_time() -> None:
    lines = [Line(entrant) for entrant in range(1, 9)]
    one = [entrant for entrant, _, _ in placed(*lines)]
    assert one == [entrant for entrant, _, _ in placed(*reversed(lines))]
    assert one != [line.entrant for line in ranked(lines, tie_breaks=DEFAULT, seed="another")]


def test_who_is_out_stands_behind_all_others() -> None:
    assert placed(Line(1, points=9, is_out=True), Line(2, points=1)) == [(2, 1, ""), (1, 2, "")]


# --- Up and down ------------------------------------------------------------------------


def division(*entrants: int, out: tuple[int, ...] = ()) -> list[Line]:
    return [Line(entrant, is_out=entrant in out) for entrant in entrants]


def test_as_many_go_up_as_go_down() -> None:
    begins = moves([division(1, 2, 3, 4), division(5, 6, 7, 8), division(9, 10, 11, 12)], moving=1)
    assert begins == {1: 0, 2: 0, 3: 0, 4: 1, 5: 0, 6: 1, 7: 1, 8: 2, 9: 1, 10: 2, 11: 2, 12: 2}


def test_nobody_goes_both_up_and_down_where_a_division_is_small() -> None:
    begins = moves([division(1, 2, 3, 4), division(5, 6), division(7, 8, 9, 10)], moving=3)
    assert Counter(begins.values()) == {0: 4, 1: 2, 2: 4}
    assert (begins[4], begins[5], begins[6], begins[7]) == (1, 0, 2, 1)


def test_who_is_out_begins_nowhere_and_moves_nobody() -> None:
    begins = moves([division(1, 2, 3, out=(3,)), division(4, 5, 6, out=(4,))], moving=1)
    assert begins == {1: 0, 2: 1, 5: 0, 6: 1}


# --- Ratings ----------------------------------------------------------------------------


def test_a_winner_rises_a_loser_falls_and_both_are_known_better() -> None:
    after = rated({1: 1, 2: 2, 3: 3}, {})
    assert after[1].mu > Skill().mu > after[3].mu
    assert after[1].mu > after[2].mu > after[3].mu
    assert all(skill.sigma < Skill().sigma for skill in after.values())


def test_a_shared_place_is_neither_won_nor_lost() -> None:
    after = rated({1: 1, 2: 1}, {})
    assert after[1] == after[2]


def test_an_upset_moves_more_than_what_was_expected() -> None:
    strong, weak = Skill(30, 4), Skill(20, 4)
    expected = rated({1: 1, 2: 2}, {1: strong, 2: weak})
    upset = rated({1: 2, 2: 1}, {1: strong, 2: weak})
    assert upset[2].mu - weak.mu > expected[1].mu - strong.mu


def test_a_race_of_one_rates_nobody_and_all_at_once_is_one_after_the_other() -> None:
    assert rated({1: 1}, {}) == {}
    races = [(1, {1: 1, 2: 2}), (2, {2: 1, 3: 2}), (3, {3: 1, 1: 2, 2: 3})]
    skills: dict[int, Skill] = {}
    for _, places in races:
        skills |= rated(places, skills)
    made = all_rated(races)
    assert {driver: made[3, driver] for driver in (1, 2, 3)} == skills


# --- Pace -------------------------------------------------------------------------------


def test_pace_is_the_leagues_at_first_and_more_and_more_the_races_own() -> None:
    done = [Done(cars=4, turns=40, seconds=40 * 3600)] * 5
    fresh = pace_of(cars=4, turn=0, started_at=NOON, now=NOON, done=done)
    assert fresh is not None
    assert fresh.likely == NOON + timedelta(hours=40)
    half = pace_of(cars=4, turn=20, started_at=NOON, now=NOON + timedelta(hours=40), done=done)
    assert half is not None
    # Twice as slow for half of it: one and a half hours a turn for the rest.
    assert half.turn_seconds == 5400
    assert half.likely == NOON + timedelta(hours=70)
    assert half.early <= half.likely <= half.late


def test_more_cars_take_more_turns_and_an_endless_race_is_always_about_to_end() -> None:
    done = [Done(cars=4, turns=40, seconds=40 * 3600)] * 3
    wide = pace_of(cars=8, turn=0, started_at=NOON, now=NOON, done=done)
    assert wide is not None
    assert wide.turns_left == 80
    late = pace_of(cars=4, turn=99, started_at=NOON, now=NOON + timedelta(hours=99), done=done)
    assert late is not None
    assert late.likely > NOON + timedelta(hours=99)


def test_with_fewer_than_three_races_nothing_is_said() -> None:
    done = [Done(cars=4, turns=40, seconds=3600), Done(cars=4, turns=0, seconds=10), Done(cars=4, turns=4, seconds=9)]
    assert pace_of(cars=4, turn=3, started_at=NOON, now=NOON, done=done) is None


# --- Charts -----------------------------------------------------------------------------


def test_a_chart_keeps_all_its_points_in_the_box_and_its_ticks_round() -> None:
    drawn = chart([Series("A", [(1, -3), (2, 47)], [(-9, 2), (30, 60)])], title="T", across="Race", up="Points")
    assert drawn is not None
    (line,) = drawn["lines"]
    pairs = [tuple(map(float, pair.split(","))) for pair in f"{line['points']} {line['band']}".split()]
    assert all(drawn["left"] <= x <= drawn["right"] and 0 <= y <= drawn["floor"] for x, y in pairs)
    assert [tick["text"] for tick in drawn["ticks_up"]] == ["\N{MINUS SIGN}20", "0", "20", "40", "60"]
    assert [tick["text"] for tick in drawn["ticks_across"]] == ["1", "2"]


def test_one_point_makes_no_chart() -> None:
    assert chart([Series("A", [(1, 3)])], title="T", across="Race", up="Points") is None
    assert chart([], title="T", across="Race", up="Points") is None


def test_tables_need_no_results() -> None:
    assert tables.ranked([], tie_breaks=DEFAULT, seed="s") == []
