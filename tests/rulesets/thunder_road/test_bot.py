"""The driver without a person: it wins, it answers whatever it is asked legally, and it sees what is plain to see."""

from random import Random
from typing import Any

import msgspec
import pytest

from games.engine import play
from games.engine.bots import random_answer
from games.engine.chance import Stream, stream_key
from games.engine.contract import Act
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road.bot import Driver, make_bot
from games.rulesets.thunder_road.game import RULESET
from games.rulesets.thunder_road.state import State

BOT = Driver()


def raced(seats: int, seed: int, bots: tuple[int, ...], options: dict[str, Any] | None = None) -> State:
    """A race in which these seats are driven by the bot and the others by anybody; every answer is checked by play."""
    stream, rng = Stream(stream_key(b"bots", [str(seed)])), Random(seed)
    state: State = play.start(RULESET, seats, options or {}, stream).state
    while RULESET.outcome(state) is None:
        (decision,) = RULESET.pending(state)
        if decision.seat in bots:
            view = RULESET.view(state, decision.seat)
            action = BOT.choose(view, decision)
            assert RULESET.read(view, RULESET.say(view, action)) == action
        else:
            allowed = lambda action, state=state, seat=decision.seat: RULESET.verify(state, seat, action) is None  # noqa: E731
            action = random_answer(decision, rng, allowed)
        state = play.play(RULESET, state, [Act(decision.seat, action)], stream).state
    return state


def test_it_beats_anybody_four_times_in_five() -> None:
    won = 0
    for seed in range(20):
        seat = 1 + seed % 2
        state = raced(2, seed, (seat,))
        won += state.winners == (seat,)
    assert won >= 16


@pytest.mark.parametrize("seed", range(4))
def test_all_crews_drive_to_the_end_of_a_race(seed: int) -> None:
    state = raced(4, seed, (1, 2, 3, 4), {"carnage": True, "crews": ["cars", "rig", "bikes"]})
    assert state.ending in RULESET.endings


def first_turn(seed: int = 1) -> State:
    """The first question of the second round of a race of two in which everybody drove on as the bot does."""
    stream = Stream(stream_key(b"bots", [str(seed)]))
    state: State = play.start(RULESET, 2, {}, stream).state
    while state.round < 2:
        (decision,) = RULESET.pending(state)
        action = BOT.choose(RULESET.view(state, decision.seat), decision)
        state = play.play(RULESET, state, [Act(decision.seat, action)], stream).state
    return state


def placed(state: State, **spaces: tuple[int, int]) -> State:
    """The race with vehicles put elsewhere: A_S=(3, 12)."""
    pieces = list(state.pieces)
    for name, space in spaces.items():
        letter, _, key = name.partition("_")
        n = next(n for n, one in enumerate(pieces) if one.seat == "AB".index(letter) + 1 and one.key == key)
        pieces[n] = msgspec.structs.replace(pieces[n], at=space)
    return msgspec.structs.replace(state, pieces=tuple(pieces))


def asked(state: State) -> tuple[Any, Any]:
    """The view of whoever is asked, and the question."""
    (decision,) = RULESET.pending(state)
    return RULESET.view(state, decision.seat), decision


def test_with_the_finish_one_step_ahead_it_drives_over_it() -> None:
    state = first_turn()
    seat = state.turn.seat
    last = state.tiles[-1].number * 10
    near = placed(msgspec.structs.replace(state, finish=last), **{f"{'AB'[seat - 1]}_S": (3, last)})
    action = BOT.choose(*asked(near))
    after = play.play(RULESET, near, [Act(seat, action)], Stream(stream_key(b"over", []))).state
    assert after.winners == (seat,)
    assert after.ending == "finish"


def test_it_shoots_at_others_and_not_at_its_own() -> None:
    shots = held = 0
    for seed in range(6):
        stream = Stream(stream_key(b"shots", [str(seed)]))
        state: State = play.start(RULESET, 2, {}, stream).state
        while RULESET.outcome(state) is None:
            view, decision = asked(state)
            action = BOT.choose(view, decision)
            if decision.key == "shoot":
                own = f"{'AB'[decision.seat - 1]}."
                others = [one for one in decision.menu if isinstance(one, a.Shoot) and not one.target.startswith(own)]
                if isinstance(action, a.Shoot):
                    assert not action.target.startswith(own)
                    shots += 1
                else:
                    assert not others
                    held += 1
            state = play.play(RULESET, state, [Act(decision.seat, action)], stream).state
    assert shots > 5


def test_its_own_vehicle_off_the_road_is_rolled_again_and_another_is_not() -> None:
    again = kept = 0
    for seed in range(60):
        stream = Stream(stream_key(b"slams", [str(seed)]))
        state: State = play.start(RULESET, 3, {}, stream).state
        while RULESET.outcome(state) is None:
            view, decision = asked(state)
            action = BOT.choose(view, decision)
            if decision.key == "reroll":
                text = RULESET.ask(view, decision)
                own = decision.about["moved"].startswith("ABC"[decision.seat - 1])
                if "off the road" in text and own:
                    assert isinstance(action, a.Again), text
                    again += 1
                elif "off the road" in text and not decision.about["moved"].startswith("wreck"):
                    assert isinstance(action, a.Keep), text
                    kept += 1
            state = play.play(RULESET, state, [Act(decision.seat, action)], stream).state
        if again and kept:
            break
    assert again
    assert kept


def test_it_answers_alike_whenever_it_is_asked_alike() -> None:
    state = first_turn(2)
    assert BOT.choose(*asked(state)) == Driver().choose(*asked(state))


def test_there_are_two_kinds() -> None:
    assert isinstance(make_bot("driver", 1), Driver)
    with pytest.raises(ValueError, match="driver and random"):
        make_bot("genius", 1)
