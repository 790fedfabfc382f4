"""The bench of scenarios says in a sentence what it cannot use."""

import pytest
from msgspec.structs import replace

from games.engine.scenarios import ScenarioFault, Unforeseen
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.scenario.bench import BENCH
from games.rulesets.thunder_road.scenario.chance import FixedDraws
from games.rulesets.thunder_road.scenario.position import build
from games.rulesets.thunder_road.scenario.soundness import unsound
from games.rulesets.thunder_road.state import Piece


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"Z": "S 3-5"}, "«Z» is not known in given"),
        ({"A": 3}, "A is a text"),
        ({"A": "Q 3-5"}, "says nothing; name a vehicle"),
        ({"A": "S 3-5 burning"}, "«burning» says nothing of a vehicle"),
        ({"A": "S 3-5, S 3-6"}, "S is named twice"),
        ({"A": "S 3-5 off"}, "names too many places"),
        ({"A": "S 3-5 4-5"}, "S stands on one space"),
        ({"A": "S 7-5"}, "says nothing of a vehicle"),
        ({"A": "B1 3-5"}, "A drives cars and has no vehicle B1"),
        ({"A": "S 3-5", "B": "S 3-5"}, "2 pieces stand on 3-5"),
        ({"A": "S 3-45"}, "3-45 is not on the table, which has rows 1 to 30"),
        ({"A": "S 3-5 damage scratch"}, "«scratch» is no damage"),
        ({"A": "S 3-5 damage ongoing:limping"}, "say carnage = true"),
        ({"D": "S 3-5"}, "there is no seat D here; there are A, B, C"),
        ({"seats": 7}, "for each of up to 6 seats"),
        ({"crews": ["boats"]}, "crews names one of"),
        ({"tiles": ["9Z"]}, "there is no tile «9Z»"),
        ({"terrain": "3-5=lava"}, "«lava» is no ground"),
        ({"terrain": "3-55=mud"}, "row 55 is not on the table"),
        ({"tokens": "3-5=mine"}, "«mine» does not lie on the road"),
        ({"fd": "3-5, 3-5"}, "3-5 is named twice"),
        ({"turn": "X"}, "there is no seat X here"),
        ({"round": "two"}, "round is a number"),
        ({"pool": [1, 99]}, "pool is a list of the numbers of tiles"),
        ({"A": "dice 1 9"}, "A has a die of 9; dice show 1 to 6"),
        ({"A": "dice 1 2 3 4 5"}, "A has 5 dice; Cars roll 4"),
        ({"A": "steering 3"}, "steering is of the Big Rig"),
        ({"A": "out"}, "A is out, and S is operable"),
        ({"A": "only, S 3-5 damage plain+plain"}, "A has no operable vehicle, so it is out"),
        ({"A": "only, out, S 3-5 damage plain+plain"}, "A is out of the race and has no turn"),
        ({"A": "S 3-5 damage plain+plain+plain"}, "A.S has 3 damage tokens"),
        ({"A": "S 3-5 minor"}, "A.S: minor is of a motorcycle"),
        ({"A": "S 3-5 covered missile"}, "A.S: covered is of the Big Rig"),
        ({"A": "S 3-5 fire damage plain+plain"}, "A.S cannot burn"),
        ({"A": "S 3-5 moved front"}, "A.S: what has moved is one of S"),
        ({"A": "S 3-5 coasts 3"}, "A.S has coasted 3 times; 2 is the most"),
        ({"crews": ["rig"], "A": "rig 3-8 damage plain"}, "A.rig takes minor damage"),
        ({"crews": ["rig"], "A": "rig 3-8 covered missile+cow_catcher+front_repair"}, "front has more"),
        ({"crews": ["rig"], "A": "rig 3-8 covered missile+missile"}, "a command is covered twice"),
        ({"wrecks": "3-5, 3-6, 3-7, 3-8, 3-9"}, "the box holds 4 wrecks"),
        ({"finish": 25}, "the finish lies behind a tile, row 10, 20, 30, and not behind row 25"),
        ({"A": "S 3-5", "fd": "3-5"}, "3-5: a token under A.S would be turned up"),
        ({"A": "S 3-5", "B": "chopper 3-5"}, "3-5: A.S would not have survived a chopper"),
        ({"A": "chopper 3-5", "B": "chopper 3-5"}, "two choppers stand on 3-5"),
        ({"B": "chopper 3-35"}, "3-35 is not on the table"),
        ({"fd": "3-35"}, "3-35 is not on the table"),
        ({"list": ["9Z"]}, "there is no tile «9Z»"),
        ({"tiles": []}, "there is at least one"),
        ({"sides": "C"}, "sides is A, B or mixed"),
        ({"carnage": "no"}, "carnage is true or false"),
        ({"first": "Z"}, "there is no seat Z here"),
        ({"fd": "3-5", "tokens": "3-5=mud"}, "3-5 stands in tokens and in fd"),
    ],
)
def test_what_cannot_be_set_up_is_said(given: dict[str, object], reason: str) -> None:
    with pytest.raises(ScenarioFault) as refused:
        build(given)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("slam", "«slam» is no draw; write its label"),
        ("luck=bad", "«luck» is no draw; there are"),
        ("slam=left", "slam=left: it comes up as top, bottom"),
    ],
)
def test_what_is_no_draw_is_said(words: str, reason: str) -> None:
    with pytest.raises(ScenarioFault) as refused:
        BENCH.outcomes(words)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        ({"cards": 3}, "«cards» is not known in an expectation"),
        ({"turn": "1"}, "turn is the letter of a seat"),
        ({"outcome": 1}, "outcome is a text"),
        ({"left": -1}, "left is a number"),
    ],
)
def test_what_cannot_be_expected_is_said(then: dict[str, object], reason: str) -> None:
    with pytest.raises(ScenarioFault) as refused:
        BENCH.expectation(then)
    assert reason in str(refused.value)


def test_a_draw_that_was_not_named_or_cannot_come_up_is_unforeseen() -> None:
    draws = FixedDraws(components.named("classic"))
    with pytest.raises(Unforeseen, match="next has nothing left"):
        draws.pick(6, "slam")
    draws.foresee(["hazard=mine"])
    with pytest.raises(Unforeseen, match="next has hazard=mine first"):
        draws.pick(6, "slam")
    with pytest.raises(Unforeseen, match="not among what is left"):
        draws.pick(2, "hazard", [0, 1])


def test_what_is_never_true_is_seen() -> None:
    state = build({"tokens": "3-5=oil", "A": "S 3-5 damage plain"})
    assert unsound(state, state) == ""
    assert "hazard tokens" in unsound(state, replace(state, tokens=()))
    assert "damage tokens" in unsound(state, replace(state, damage_bag=(0,) * len(state.damage_bag)))
    twice = replace(state, pieces=(*state.pieces, Piece(0, "wreck", "wreck", 1, at=(3, 5))))
    asked = BENCH.ruleset.advance(twice, FixedDraws(components.named("classic"))).state
    assert "more than one piece stands on 3-5" in unsound(state, asked)
