"""The preview of a path says what driving it does, for all that can be seen; it draws nothing."""

from random import Random
from typing import Any

import pytest

from games.engine import codec, play
from games.engine.bots import random_answer
from games.engine.chance import Stream, stream_key
from games.engine.contract import Act
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import preview
from games.rulesets.thunder_road.game import RULESET
from games.rulesets.thunder_road.hexes import written
from games.rulesets.thunder_road.rules.t01_turns import subjects
from games.rulesets.thunder_road.rules.t14_driving import is_barred
from games.rulesets.thunder_road.state import NOWHERE, State

SEEDS = range(4)


def questions(seed: int, most: int = 400) -> list[State]:
    """States of a race with every crew and carnage, one for each question."""
    stream, rng = Stream(stream_key(b"preview", [str(seed)])), Random(seed)
    options = RULESET.options({"carnage": True, "crews": ["rig", "bikes", "cars"]})
    state: State = play.start(RULESET, 3, options, stream).state
    found: list[State] = []
    while RULESET.outcome(state) is None and len(found) < most:
        found.append(state)
        (decision,) = RULESET.pending(state)
        action = decision.default
        if rng.random() < 0.4:
            allowed = _allowed(state, decision.seat)
            action = random_answer(decision, rng, allowed)
        state = play.play(RULESET, state, [Act(decision.seat, action)], stream).state
    return found


def _allowed(state: State, seat: int) -> Any:
    return lambda action: RULESET.verify(state, seat, action) is None


def driven(state: State, action: Any) -> State:
    """The race after an answer, by one of the ways that chance may go."""
    assert state.asked is not None
    stream = Stream(stream_key(b"after", ["1"]))
    after: State = play.play(RULESET, state, [Act(state.asked.seat, action)], stream).state
    return after


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_without_a_warning_leads_where_it_says_and_a_fatal_one_costs_the_vehicle(seed: int) -> None:
    seen = {"safe": 0, "fatal": 0, "gamble": 0}
    for state in questions(seed):
        if state.asked is None or state.asked.kind != "drive":
            continue
        view = RULESET.view(state, state.asked.seat)
        n = state.asked.piece
        told = RULESET.path(view, {"do": "drive", "path": ""}, "path")
        assert told["count"] == state.turn.left
        for step in told["next"]:
            after = driven(state, a.Drive(step["step"]))
            piece = after.pieces[n]
            look = "fatal" if step["fatal"] else "gamble" if step["gamble"] else "safe"
            seen[look] += 1
            if step["fatal"]:
                assert piece.gone, step
            elif not step["gamble"] and step["space"]:
                assert not piece.gone
                assert written(piece.at) == step["space"], step
    assert seen["safe"] > 20
    assert seen["fatal"] + seen["gamble"] > 5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_steps_that_may_follow_are_those_that_the_rules_allow(seed: int) -> None:
    for state in questions(seed):
        if state.asked is None or state.asked.kind != "drive":
            continue
        n = state.asked.piece
        told = RULESET.path(RULESET.view(state, state.asked.seat), {"do": "drive", "path": ""}, "path")
        letters = "123456" if state.pieces[n].at == NOWHERE else "LFR"
        assert [one["step"] for one in told["next"]] == [x for x in letters if is_barred(state, n, x) is None]


def test_a_race_set_up_from_a_view_offers_commands_the_same_things() -> None:
    checked = 0
    for state in questions(1):
        if state.asked is None or state.asked.kind != "turn":
            continue
        seat = state.asked.seat
        view = RULESET.view(state, seat)
        for command in ("airstrike", "rig_airstrike", "repair", "bikes_repair", "respawn", "front_repair"):
            told = [one["value"] for one in RULESET.suggestions(view, {"do": "move", "command": command}, "on")]
            assert told == [one for one in subjects(state, seat, command) if one]
            checked += bool(told)
    assert checked > 20


def test_mud_costs_two_counts_unless_it_is_the_last() -> None:
    for state in (one for seed in SEEDS for one in questions(seed)):
        view = RULESET.view(state, state.asked.seat) if state.asked else None
        if view is None or view["asking"] != "drive":
            continue
        piece = view["waiting"]["about"]["piece"]
        for step in preview.composed(view, piece, 3, "")["next"]:
            if step["words"].startswith("mud"):
                assert preview.composed(view, piece, 3, step["step"])["left"] == 1
                assert preview.composed(view, piece, 1, step["step"])["left"] == 0
                return
    pytest.fail("no mud lay ahead of anybody")


def test_risks_name_the_step_and_what_is_feared() -> None:
    for state in questions(3):
        view = RULESET.view(state, state.asked.seat) if state.asked else None
        if view is None or view["asking"] != "drive":
            continue
        told = RULESET.path(view, {"do": "drive", "path": ""}, "path")
        for step in told["next"]:
            risks = RULESET.risks(view, codec.to_json(a.Drive(step["step"])))
            if step["fatal"] or step["gamble"]:
                (risk,) = risks
                assert risk.startswith(f"{told['piece']}, step 1, {step['step']}")
                assert step["words"] in risk
            else:
                assert risks == ()


def test_a_path_is_previewed_with_the_die_that_it_is_driven_with() -> None:
    state = questions(0, most=1)[0]
    view = RULESET.view(state, state.asked.seat if state.asked else None)
    key = next(piece["key"] for piece in view["pieces"] if piece["seat"] == view["viewer"])
    vehicle = "front" if key == "rig" else key
    move = {"do": "move", "vehicle": vehicle, "die": 3, "path": "3F"}
    told = RULESET.path(view, move, "path")
    assert (told["count"], told["left"], [one["space"] for one in told["taken"]]) == (3, 1, ["3-1", "3-2"])
    nitro = {**move, "command": "nitro", "command_die": 2}
    assert RULESET.path(view, nitro, "path")["count"] == 5
    assert RULESET.path(view, {**move, "vehicle": ""}, "path") is None
