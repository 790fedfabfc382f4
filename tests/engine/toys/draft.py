"""Pick and pass: everybody takes a card of the pack in front of him and hands the rest on, all at the same time.

It needs simultaneous questions whose menus are secret and differ, and secrets that wander from seat to seat.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from games.engine.chance import Chance
from games.engine.contract import JSON, Action, Decision, Event, Outcome, Transition, Viewer
from tests.engine.toys.plain import PlainWords

PACK = 3


class Pick(Action, frozen=True, tag="pick"):
    """Keep this card of the pack."""

    card: int


class Drafted(msgspec.Struct, frozen=True):
    """Packs and hands by seat, all secret. ``given``: sealed picks of the present round."""

    packs: tuple[tuple[int, ...], ...]
    hands: tuple[tuple[int, ...], ...]
    given: tuple[tuple[int, Pick], ...] = ()


class Draft(PlainWords):
    """The rules."""

    key = "draft"
    title = "Pick and pass"
    seats: tuple[int, int] = (2, 5)
    endings: tuple[str, ...] = ("drafted",)
    action_type: Any = Pick
    state_type: type[Any] = Drafted

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Drafted]:
        """A pack for each."""
        cards = chance.shuffled(seats * PACK, "packs")
        packs = tuple(tuple(sorted(cards[n * PACK : (n + 1) * PACK])) for n in range(seats))
        return Transition(Drafted(packs, ((),) * seats), ())

    def waiting(self, state: Drafted) -> Sequence[int]:
        """All who have not picked, as long as there is anything to pick."""
        done = dict(state.given)
        return tuple(seat for seat, pack in enumerate(state.packs, 1) if pack and seat not in done)

    def pending(self, state: Drafted) -> tuple[Decision, ...]:
        """Of each the cards of his pack."""
        return tuple(
            Decision("pick", seat, "2", menu, menu[0], kind="draft", clock="turn", sealed=True)
            for seat in self.waiting(state)
            for menu in (tuple(Pick(card) for card in state.packs[seat - 1]),)
        )

    def answer(self, state: Drafted, seat: int, action: Pick, chance: Chance) -> Transition[Drafted]:
        """Seal it."""
        after = msgspec.structs.replace(state, given=(*state.given, (seat, action)))
        return Transition(after, (Event("picks", "2", {"seat": seat}, {seat: {"card": action.card}}),))

    def advance(self, state: Drafted, chance: Chance) -> Transition[Drafted]:
        """All have picked: cards go to the hands and packs to the left."""
        picks = {seat: pick.card for seat, pick in state.given}
        hands = tuple((*hand, picks[seat]) for seat, hand in enumerate(state.hands, 1))
        rests = [tuple(card for card in pack if card != picks[seat]) for seat, pack in enumerate(state.packs, 1)]
        return Transition(Drafted((rests[-1], *rests[:-1]), hands), (Event("passes", "3", {"left": len(rests[0])}),))

    def outcome(self, state: Drafted) -> Outcome | None:
        """The dearest hand."""
        if any(state.packs):
            return None
        worth = {seat: sum(hand) for seat, hand in enumerate(state.hands, 1)}
        by_worth: dict[int, list[int]] = {}
        for seat, sum_ in worth.items():
            by_worth.setdefault(sum_, []).append(seat)
        return Outcome(tuple(tuple(by_worth[sum_]) for sum_ in sorted(by_worth, reverse=True)), "drafted")

    def view(self, state: Drafted, viewer: Viewer) -> JSON:
        """One's own pack and hand, and who has picked."""
        ready = sorted(seat for seat, _ in state.given)
        if viewer is None:
            return {"left": len(state.packs[0]), "ready": ready, "pack": [], "hand": [], "own": None}
        own = next((pick.card for seat, pick in state.given if seat == viewer), None)
        return {
            "left": len(state.packs[0]),
            "ready": ready,
            "pack": list(state.packs[viewer - 1]),
            "hand": list(state.hands[viewer - 1]),
            "own": own,
        }


def resampled(state: Drafted, viewer: Viewer, rng: Random) -> Drafted:
    """What others hold, in other hands and packs, with other picks of them.

    A seat remembers the packs it has seen; its view does not show them, so they need not stay.
    """
    others = [seat for seat in range(1, len(state.packs) + 1) if seat != viewer]
    loose = [card for seat in others for card in (*state.packs[seat - 1], *state.hands[seat - 1])]
    rng.shuffle(loose)
    packs, hands, picks = list(state.packs), list(state.hands), dict(state.given)
    for seat in others:
        packs[seat - 1] = tuple(sorted(loose.pop() for _ in packs[seat - 1]))
        hands[seat - 1] = tuple(loose.pop() for _ in hands[seat - 1])
        if seat in picks:
            picks[seat] = Pick(rng.choice(packs[seat - 1]))
    return Drafted(tuple(packs), tuple(hands), tuple(picks.items()))


def check(state: Drafted) -> None:
    """Every card is in one place; all packs are as large."""
    held = [card for cards in (*state.packs, *state.hands) for card in cards]
    assert sorted(held) == list(range(len(state.packs) * PACK))
    assert len({len(pack) for pack in state.packs}) == 1
    assert all(pick.card in state.packs[seat - 1] for seat, pick in state.given)


RULESET = Draft()
