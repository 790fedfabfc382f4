"""What a viewer of RoadKill cannot know, replaced by something else that it might as well be."""

from random import Random
from typing import Any

import msgspec

from games.engine.chance import Recorded
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.rules.r12_teams import note_wish, partner_of
from games.rulesets.roadkill.state import (
    Announced,
    Asked,
    Looting,
    State,
    Table,
    Trading,
    drivers_of,
    hand_of,
    who_is,
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
    known = known_hands(state, viewer)
    drivers = [who for car in state.cars for who in drivers_of(state, car.seat)]
    loose = [card for who in drivers if who not in known for card in hand_of(state, who) if card not in fixed]
    loose += [card for card in state.pile if card not in fixed]
    rng.shuffle(loose)
    table = Table(state, Recorded(()))
    me = who_is(state, viewer) if viewer is not None else 0
    for who in drivers:
        if who not in known:
            table.set_hand(who, bytes(card if card in fixed else loose.pop() for card in hand_of(state, who)))
        if sealed and who != me:
            note_wish(table, who, wishes=rng.random() < 0.5)
    table.pile = bytes(card if card in fixed else loose.pop() for card in state.pile)
    assert not loose
    other = table.state()
    return _resealed(other, me, rng) if sealed else other


def known_hands(state: State, viewer: Viewer) -> set[int]:
    """Whose hands the viewer sees, by their numbers in the rules.

    His own, his victim's while he robs it (R-theft), his partner's while he chooses from both (12.5).
    """
    if viewer is None:
        return set()
    me = who_is(state, viewer)
    robbed = {frame.victim for frame in state.stack if isinstance(frame, Looting) and frame.seat == me}
    if _is_asked(state, "loot"):
        return {me, *robbed}
    return {me, partner_of(state, me)} if _is_asked(state, "keep") and state.turn.seat == me else {me}


def _is_asked(state: State, kind: str) -> bool:
    top = state.stack[-1] if state.stack else None
    return isinstance(top, Asked) and top.kind == kind


def _resealed(state: State, viewer: int, rng: Random) -> State:
    """Sealed answers of others, and a trade between others, made different ones."""
    return msgspec.structs.replace(state, stack=tuple(_reframed(state, frame, viewer, rng) for frame in state.stack))


def _reframed(state: State, frame: Any, viewer: int, rng: Random) -> Any:
    """``viewer``: his number in the rules, 0 for somebody who only watches."""
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
    hand = hand_of(state, seat)
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
