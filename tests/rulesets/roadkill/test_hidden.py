"""Hidden cards do not show in what happens: the same acts in two worlds that a viewer cannot tell apart look the same.

tests/conformance looks at states; here it is the way from one state to the next: its events, its draws, who is asked.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from games.engine import codec
from games.engine.chance import Draw, Recorded
from games.engine.contract import Event
from games.engine.play import play
from games.rulesets.roadkill import components
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.state import State
from tests.conformance.subject import Step, Trail, trail
from tests.rulesets.roadkill.hidden import Viewer, resampled
from tests.rulesets.roadkill.subject import SUBJECT

TO_A_HAND = "card"
"""The label of a draw whose card only its new owner sees."""


@pytest.fixture(scope="module")
def races() -> list[Trail]:
    return [trail(SUBJECT, number) for number in range(60)]


class Watched(Recorded):
    """Recorded draws, and which card each of them was."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        super().__init__(draws)
        self.cards: list[int] = []

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        result = super().pick(size, label, among)
        self.cards.append(among[result] if among else -1)
        return result


class Mirrored:
    """Chance in the other world: a card that was shown comes again, in place of one that was not comes another."""

    def __init__(self, first: Watched, *, unseen: set[int]) -> None:
        self.taken: list[Draw] = []
        self._first = list(zip(first.draws, first.cards, strict=True))
        self._unseen = unseen
        self._shown = set(first.cards) - unseen

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        (had_label, had_size, result), card = self._first[len(self.taken)]
        assert (label, size) == (had_label, had_size), "what is drawn for and among how many is public"
        if card in self._unseen:
            result = next(n for n in reversed(range(size)) if among[n] not in self._shown)
        elif among:
            result = list(among).index(card)
        assert isinstance(result, int)
        self.taken.append((label, size, result))
        return result

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        raise AssertionError("RoadKill shuffles nothing in a race")


def places(state: State) -> dict[int, Any]:
    """Where each card of a hand or the pile is; all other places are public."""
    found: dict[int, Any] = dict.fromkeys(state.pile, "pile")
    for car in state.cars:
        found.update(dict.fromkeys(car.hand, car.seat))
    return found


def moved(step: Step, *, but: set[int]) -> frozenset[int]:
    """Cards that are elsewhere afterwards, but for these."""
    before, after = places(step.state), places(step.after)
    return frozenset(card for card in before if before[card] != after.get(card)) - but


def named(step: Step) -> set[int]:
    """Cards in hands of the kinds that the acts, or acts and answers on their way, speak of: they must be there."""
    text = codec.dump([codec.to_json(act) for act in step.acts] + [codec.to_json(step.state.stack)]).decode()
    keys = components.named(step.state.components).card_keys
    return {card for car in step.state.cars for card in car.hand if f'"{keys[card]}"' in text}


def robbed(step: Step, viewer: Viewer) -> set[int]:
    """The hand that the viewer gets to see as a thief; how many cards are taken from one, everybody sees (R-theft)."""
    looks = [e for e in step.events if e.kind == "inspects" and e.public["seat"] == viewer]
    victims = [e.public["target"] for e in (*looks, *(e for e in step.events if e.kind == "takes"))]
    return {card for seat in victims for card in step.state.cars[seat - 1].hand}


def seen(events: Sequence[Event], viewer: Viewer) -> list[dict[str, Any]]:
    return [event.seen_by(viewer) for event in events]


def unseen_draws(step: Step, first: Watched, viewer: Viewer) -> set[int]:
    """Cards that came into a hand and are still in one, unless the viewer itself drew."""
    if any(event.kind == "draws" and event.public["seat"] == viewer for event in step.events):
        return set()
    kept = {card for car in step.after.cars for card in car.hand}
    return {card for (label, _, _), card in zip(first.draws, first.cards, strict=True) if label == TO_A_HAND} & kept


def test_what_happens_looks_the_same_in_worlds_that_look_the_same(races: list[Trail]) -> None:
    rng = Random("mirrors")
    compared = differed = hidden_draws = 0
    for race in races:
        for step in race.steps[::11]:
            first = Watched(step.draws)
            play(RULESET, step.state, step.acts, first)
            for viewer in (None, *range(1, race.seats + 1)):
                unseen = unseen_draws(step, first, viewer)
                fixed = moved(step, but=unseen) | (set(first.cards) - unseen) | named(step) | robbed(step, viewer)
                other = resampled(step.state, viewer, rng, fixed=fixed, sealed=False)
                played = play(RULESET, other, step.acts, Mirrored(first, unseen=unseen))
                assert seen(played.events, viewer) == seen(step.events, viewer)
                assert RULESET.view(played.state, viewer) == RULESET.view(step.after, viewer)
                assert RULESET.waiting(played.state) == RULESET.waiting(step.after)
                compared += 1
                differed += places(played.state) != places(step.after)
                hidden_draws += bool(unseen) and played.draws != step.draws
    assert compared > 1000
    assert differed > 0.8 * compared, "the worlds must be different ones"
    assert hidden_draws > 100, "and other cards must have been drawn in them"


@pytest.mark.parametrize(
    ("kind", "private"),
    [
        ("dealt", {"cards"}),
        ("draws", {"cards"}),
        ("inspects", {"cards"}),
        ("takes", {"cards"}),
        ("offers_trade", {"give", "want", "words"}),
        ("trade", set()),
    ],
)
def test_who_is_no_party_to_it_learns_only_how_many(races: list[Trail], kind: str, private: set[str]) -> None:
    met = 0
    for race in races:
        for event in (*race.first.events, *(event for step in race.steps for event in step.events)):
            if event.kind == kind:
                met += 1
                public = event.seen_by(None)
                assert not private & set(public)
                assert all(isinstance(value, int | str) for value in public.values())
                parties = {event.public["seat"], event.public.get("target", event.public["seat"])}
                assert set(event.private) <= parties
    assert met > 5


def test_a_wish_is_nobodys_business(races: list[Trail]) -> None:
    """Saying that one wants to be asked leaves no trace in what others see."""
    wished = 0
    for race in races:
        for step in race.steps:
            if len(step.acts) == 1 and type(step.acts[0].action).__name__ == "Wish":
                wished += 1
                assert step.events == ()
                for viewer in set(range(1, race.seats + 1)) - {step.acts[0].seat}:
                    assert RULESET.view(step.after, viewer) == RULESET.view(step.state, viewer)
    assert wished > 50
