"""Chains of forced moves come to an end: a turn has 60 relocations (ruling R-relocations)."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from games.engine import play
from games.engine.contract import Act
from games.engine.scenarios import Moment
from games.rulesets.thunder_road.scenario.bench import BENCH
from games.rulesets.thunder_road.state import MOST_RELOCATIONS, State


def after(given: Mapping[str, object], order: str, relocations: int, outcomes: str) -> tuple[State, Moment]:
    """The position once A has said this, with so many relocations already made in this turn."""
    start = BENCH.start(given, outcomes=[outcomes] if outcomes else [], words="")
    if outcomes:
        start.chance.foresee([outcomes])
    asked = play.run_on(BENCH.ruleset, start.state, start.chance).state
    state = replace(asked, turn=replace(asked.turn, relocations=relocations))
    action = BENCH.ruleset.read(BENCH.ruleset.view(state, 1), order)
    played = play.play(BENCH.ruleset, state, [Act(1, action)], start.chance)
    assert start.chance.left == ()
    return played.state, Moment(played.state, played.events, (), start.chance.tally)


def differs(moment: Moment, **then: object) -> list[str]:
    return [str(one) for one in BENCH.differences(BENCH.expectation(then), moment)]


def test_ruling_relocations__the_last_one_is_made_and_then_nobody_is_moved_any_more() -> None:
    given = {"A": "M 3-5, dice 1", "B": "M 3-6", "C": "M 3-7"}
    _, moment = after(given, "M 1 F", MOST_RELOCATIONS - 1, "slam=bottom direction=F")
    # B is the 60th; it has come to C's space, and is put on the nearest free one, clockwise from straight ahead.
    assert differs(moment, A="M 3-6", B="M 3-8", C="M 3-7", relocations=60) == []


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"B": "M 3-6"}, "M 3-7"),
        ({"B": "M 3-6", "C": "M 3-7"}, "M 4-6"),
        ({"B": "M 3-6", "C": "chopper 3-7"}, "M 4-6"),
        ({"B": "M 3-6", "fd": "3-7"}, "M 4-6"),
        ({"B": "M 3-6", "terrain": "3-7=rock, 4-6=rock"}, "M 4-5"),
        ({"B": "M 3-6", "terrain": "3-7=rock, 4-6=rock, 4-5=rock", "C": "M 2-5, S 2-6"}, "M 3-5"),
    ],
)
def test_ruling_relocations__who_then_enters_an_occupied_space_is_put_on_the_nearest_free_one(
    given: dict[str, object], place: str
) -> None:
    state, moment = after({"A": "M 3-5, dice 1", **given}, "M 1 F", MOST_RELOCATIONS, "")
    assert differs(moment, A=place, B="M 3-6", draws=0) == []
    assert state.turn.relocations == MOST_RELOCATIONS


def test_ruling_relocations__a_skid_after_the_last_one_moves_nobody() -> None:
    given = {"fd": "3-6", "A": "M 3-5, dice 1"}
    _, moment = after(given, "M 1 F", MOST_RELOCATIONS, "hazard=mine damage=skid_F")
    assert differs(moment, A="M 3-6 damage skid_F") == []


def test_ruling_relocations__whom_oil_cannot_carry_on_any_more_ends_the_move_there() -> None:
    given = {"terrain": "3-6=oil", "A": "M 3-5, dice 1", "B": "chopper 3-6"}
    _, moment = after(given, "M 1 F", MOST_RELOCATIONS, "direction=F")
    assert differs(moment, A="M gone", B="chopper 3-6") == []
