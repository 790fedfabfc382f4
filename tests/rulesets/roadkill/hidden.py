"""What a viewer of RoadKill cannot know, replaced by something else that it might as well be."""

from random import Random
from typing import Any

import msgspec

from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.state import (
    Announced,
    Asked,
    Looting,
    State,
    Trading,
)

Viewer = int | None
ON_RED = 2
"""Up to this stage an announced act waits for its answer, above it for the reaction on it (r05_turn: FATED)."""


def resampled(
    state: State, viewer: Viewer, rng: Random, *, fixed: frozenset[int] = frozenset(), sealed: bool = True
) -> State:
    """The state with all that the viewer cannot know drawn anew.

    Hands of others and the pile change cards with each other; with ``sealed``, wishes of others and what others have
    answered under seal change too. ``fixed`` cards stay where they are, as those must that a transition shows.
    """
    known = _known_hands(state, viewer)
    hands = {car.seat: car.hand for car in state.cars if car.seat not in known}
    loose = [card for hand in hands.values() for card in hand if card not in fixed]
    loose += [card for card in state.pile if card not in fixed]
    rng.shuffle(loose)
    cars = []
    for car in state.cars:
        if car.seat in known:
            cars.append(_rewished(car, viewer, rng) if sealed else car)
            continue
        hand = bytes(card if card in fixed else loose.pop() for card in car.hand)
        changed = msgspec.structs.replace(car, hand=hand)
        cars.append(_rewished(changed, viewer, rng) if sealed else changed)
    pile = bytes(card if card in fixed else loose.pop() for card in state.pile)
    assert not loose
    other = msgspec.structs.replace(state, cars=tuple(cars), pile=pile)
    return _resealed(other, viewer, rng) if sealed else other


def _known_hands(state: State, viewer: Viewer) -> set[int]:
    """Seats whose hands the viewer sees: its own, and its victim's while it robs it (R-theft)."""
    if viewer is None:
        return set()
    robbed = {frame.victim for frame in state.stack if isinstance(frame, Looting) and frame.seat == viewer}
    return {viewer, *robbed} if _is_looking(state) else {viewer}


def _is_looking(state: State) -> bool:
    top = state.stack[-1] if state.stack else None
    return isinstance(top, Asked) and top.kind == "loot"


def _rewished(car: Any, viewer: Viewer, rng: Random) -> Any:
    return car if car.seat == viewer else msgspec.structs.replace(car, wishes=rng.random() < 0.5)


def _resealed(state: State, viewer: Viewer, rng: Random) -> State:
    """Sealed answers of others, and a trade between others, made different ones."""
    return msgspec.structs.replace(state, stack=tuple(_reframed(state, frame, viewer, rng) for frame in state.stack))


def _reframed(state: State, frame: Any, viewer: Viewer, rng: Random) -> Any:
    if isinstance(frame, Asked):
        given = tuple((seat, act if seat == viewer else _other_answer(state, seat, rng)) for seat, act in frame.given)
        return msgspec.structs.replace(frame, given=given)
    if isinstance(frame, Announced) and frame.sealed:
        owner = frame.target if frame.stage <= ON_RED else state.turn.seat
        return frame if owner == viewer else msgspec.structs.replace(frame, sealed=_held(state, owner, rng))
    if isinstance(frame, Trading) and viewer not in (frame.seat, _offer(frame).target):
        return msgspec.structs.replace(frame, offer=_other_offer(state, frame, rng))
    return frame


def _offer(frame: Trading) -> a.Trade:
    assert isinstance(frame.offer, a.Trade)
    return frame.offer


def _held(state: State, seat: int, rng: Random) -> str:
    keys = components.named(state.components).card_keys
    hand = state.cars[seat - 1].hand
    return keys[rng.choice(hand)] if hand else ""


def _other_answer(state: State, seat: int, rng: Random) -> Any:
    key = _held(state, seat, rng)
    return a.Card(key) if key and rng.random() < 0.5 else a.NoCard()


def _other_offer(state: State, frame: Trading, rng: Random) -> a.Trade:
    """An offer of as many cards for as many, which is all that others learn of it (9.7)."""
    offer = _offer(frame)
    keys = components.named(state.components).card_keys
    give = tuple(keys[card] for card in state.cars[frame.seat - 1].hand[: len(offer.give)])
    want = tuple(rng.choice(keys) for _ in offer.want)
    return msgspec.structs.replace(offer, give=give, want=want, words="something else")
