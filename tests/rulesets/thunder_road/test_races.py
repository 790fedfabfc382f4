"""Races of Thunder Road to their end, by the autopilot and by anybody: nothing is lost, words are read back."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from games.engine import play
from games.engine.bots import random_answer
from games.engine.chance import Stream, stream_key
from games.engine.contract import Act, Decision
from games.rulesets.thunder_road.game import RULESET
from games.rulesets.thunder_road.scenario.soundness import unsound
from games.rulesets.thunder_road.state import State

Choose = Callable[[State, Decision, Random], Any]


def by_autopilot(state: State, decision: Decision, rng: Random) -> Any:
    """What stands if nobody answers."""
    return decision.default


def by_anybody(state: State, decision: Decision, rng: Random) -> Any:
    """Any legal answer."""
    return random_answer(decision, rng, lambda action: RULESET.verify(state, decision.seat, action) is None)


def raced(seats: int, options: dict[str, Any], seed: int, choose: Choose) -> State:
    """A race to its end; each state is looked at, each offer and default is legal, each order is read back."""
    stream, rng = Stream(stream_key(b"races", [str(seed)])), Random(seed)
    begun: State = play.start(RULESET, seats, options, stream).state
    state = begun
    while RULESET.outcome(state) is None:
        (decision,) = RULESET.pending(state)
        view = RULESET.view(state, decision.seat)
        for action in (*decision.menu, decision.default):
            assert RULESET.verify(state, decision.seat, action) is None, action
        action = choose(state, decision, rng)
        assert RULESET.read(view, RULESET.say(view, action)) == action
        assert RULESET.ask(view, decision)
        played = play.play(RULESET, state, [Act(decision.seat, action)], stream)
        assert all(isinstance(RULESET.tell(event.seen_by(None)), str) for event in played.events)
        state = played.state
        assert not unsound(begun, state)
    return state


@pytest.mark.parametrize("choose", [by_autopilot, by_anybody])
@pytest.mark.parametrize("carnage", [False, True])
@pytest.mark.parametrize("crews", [[], ["rig", "bikes", "cars"]])
@pytest.mark.parametrize("seed", range(3))
def test_a_race_ends_and_loses_nothing(choose: Choose, carnage: bool, crews: list[str], seed: int) -> None:
    seats = 3 if crews else 2 + seed
    state = raced(seats, {"carnage": carnage, "crews": crews}, seed, choose)
    outcome = RULESET.outcome(state)
    assert outcome is not None
    assert outcome.reason in RULESET.endings
    assert sorted(seat for group in outcome.places for seat in group) == list(range(1, seats + 1))
