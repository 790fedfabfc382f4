"""Push your luck: a die thrown again and again beside a shuffled deck of cards.

It needs dice and cards in one game, a pile with an order that nobody may see, and an automatic step after an answer.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from games.engine.chance import Chance, d6
from games.engine.contract import JSON, Action, Decision, Event, Field, Form, Outcome, Transition, Viewer
from games.engine.errors import Refusal
from tests.engine.toys.plain import PlainWords

DECK = tuple(range(1, 13))
GOAL = 30
MOST_STAKE = 3


class Throw(Action, frozen=True, tag="throw"):
    """Throw the die, with a stake on top."""

    stake: int = 0


class Bank(Action, frozen=True, tag="bank"):
    """Keep what was thrown and draw a card."""


class Table(msgspec.Struct, frozen=True):
    """``deck`` is in its order; ``hands`` and ``deck`` are secret. ``bust``: the throw was a 1, the turn passes."""

    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    seat: int = 1
    heap: int = 0
    bust: bool = False


class Dice(PlainWords):
    """The rules."""

    key = "dice"
    title = "Push your luck"
    seats: tuple[int, int] = (2, 3)
    endings: tuple[str, ...] = ("goal", "deck")
    action_type: Any = Throw | Bank
    state_type: type[Any] = Table

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Table]:
        """Shuffle the cards, one for each."""
        deck = tuple(DECK[place] for place in chance.shuffled(len(DECK), "deck"))
        hands = tuple((card,) for card in deck[:seats])
        dealt = tuple(Event("dealt", "1", {"seat": n}, {n: {"card": hand[0]}}) for n, hand in enumerate(hands, 1))
        return Transition(Table(deck[seats:], hands, (0,) * seats), dealt)

    def waiting(self, state: Table) -> Sequence[int]:
        """Whoever's turn it is; nobody after a 1."""
        return () if state.bust or self.outcome(state) is not None else (state.seat,)

    def pending(self, state: Table) -> tuple[Decision, ...]:
        """Throw or bank; a throw may carry a stake."""
        form = Form(Throw(), (Field("stake", "Stake", "number", (), 0, MOST_STAKE),), "Throw with a stake")
        menu = (Bank(), Throw())
        return tuple(Decision("luck", seat, "2", menu, menu[0], (form,)) for seat in self.waiting(state))

    def verify(self, state: Table, seat: int, action: Any) -> Refusal | None:
        """A stake has a bound."""
        if isinstance(action, Throw) and not 0 <= action.stake <= MOST_STAKE:
            return Refusal("2", f"A stake is 0 to {MOST_STAKE}")
        return None

    def answer(self, state: Table, seat: int, action: Any, chance: Chance) -> Transition[Table]:
        """A 1 loses the heap; banking draws the top card, whose number counts secretly until the end."""
        if isinstance(action, Throw):
            face = d6(chance, "die")
            told = (Event("thrown", "2", {"seat": seat, "face": face}),)
            if face == 1:
                return Transition(msgspec.structs.replace(state, heap=0, bust=True), told)
            return Transition(msgspec.structs.replace(state, heap=state.heap + face + action.stake), told)
        card, deck = state.deck[0], state.deck[1:]
        place = seat - 1
        hands = (*state.hands[:place], (*state.hands[place], card), *state.hands[place + 1 :])
        points = (*state.points[:place], state.points[place] + state.heap, *state.points[place + 1 :])
        told = (Event("banked", "3", {"seat": seat, "heap": state.heap}, {seat: {"card": card}}),)
        return Transition(Table(deck, hands, points, self._next(state)), told)

    def advance(self, state: Table, chance: Chance) -> Transition[Table]:
        """After a 1 the turn passes by itself."""
        after = msgspec.structs.replace(state, seat=self._next(state), bust=False)
        return Transition(after, (Event("bust", "2", {"seat": state.seat}),))

    def outcome(self, state: Table) -> Outcome | None:
        """First to the goal, or most points and cards when the deck is gone."""
        ends = "goal" if max(state.points) >= GOAL else "" if state.deck else "deck"
        if not ends:
            return None
        worth = {n: points + sum(state.hands[n - 1]) / 100 for n, points in enumerate(state.points, 1)}
        return Outcome(tuple((n,) for n in sorted(worth, key=lambda n: (-worth[n], n))), ends)

    def view(self, state: Table, viewer: Viewer) -> JSON:
        """Points and heap; one's own cards."""
        return {
            "points": list(state.points),
            "heap": state.heap,
            "seat": state.seat,
            "deck": len(state.deck),
            "hand": [] if viewer is None else list(state.hands[viewer - 1]),
        }

    def _next(self, state: Table) -> int:
        return state.seat % len(state.points) + 1


def resampled(state: Table, viewer: Viewer, rng: Random) -> Table:
    """Other hands and the deck in another order."""
    loose = [card for seat, hand in enumerate(state.hands, 1) if seat != viewer for card in hand]
    loose += state.deck
    rng.shuffle(loose)
    hands = tuple(
        hand if seat == viewer else tuple(loose.pop() for _ in hand) for seat, hand in enumerate(state.hands, 1)
    )
    return msgspec.structs.replace(state, hands=hands, deck=tuple(loose))


def check(state: Table) -> None:
    """Every card is in one place, and a point is worth something."""
    held = [*state.deck, *(card for hand in state.hands for card in hand)]
    assert sorted(held) == list(DECK)
    assert min(state.points) >= 0
    assert state.heap >= 0


RULESET = Dice()
