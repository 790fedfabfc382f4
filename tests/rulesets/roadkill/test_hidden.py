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
from games.rulesets.roadkill.state import State, car_of, drivers_of, hand_of, seat_of
from tests.conformance.subject import Step, Trail, trail
from tests.rulesets.roadkill.hidden import Viewer, resampled
from tests.rulesets.roadkill.subject import SUBJECT, TEAMS

TO_A_HAND = "card"
"""The label of a draw whose card only its new owner sees."""


@pytest.fixture(scope="module", params=[SUBJECT, TEAMS], ids=["one driver a car", "teams"])
def races(request: pytest.FixtureRequest) -> list[Trail]:
    return [trail(request.param, number) for number in range(60)]


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
    for seat, hand in held(state).items():
        found.update(dict.fromkeys(hand, seat))
    return found


def held(state: State) -> dict[int, bytes]:
    """Every hand by the seat that holds it."""
    return {seat_of(state, who): hand_of(state, who) for car in state.cars for who in drivers_of(state, car.seat)}


def who_did(event: Event) -> int:
    """The seat that an event is about; in a race of teams its ``seat`` is the car."""
    who: int = event.public["player"] if "player" in event.public else event.public["seat"]
    return who


def moved(step: Step, *, but: set[int]) -> frozenset[int]:
    """Cards that are elsewhere afterwards, but for these."""
    before, after = places(step.state), places(step.after)
    return frozenset(card for card in before if before[card] != after.get(card)) - but


def named(step: Step) -> set[int]:
    """Cards in hands of the kinds that the acts, or acts and answers on their way, speak of: they must be there."""
    text = codec.dump([codec.to_json(act) for act in step.acts] + [codec.to_json(step.state.stack)]).decode()
    keys = components.named(step.state.components).card_keys
    return {card for hand in held(step.state).values() for card in hand if f'"{keys[card]}"' in text}


def robbed(step: Step, viewer: Viewer) -> set[int]:
    """The hand that the viewer gets to see as a thief, or as a partner who changes drivers (12.5).

    How many cards are taken from a hand, everybody sees (R-theft).
    """
    looks = [e for e in step.events if e.kind == "inspects" and who_did(e) == viewer]
    victims = [e.public["target"] for e in (*looks, *(e for e in step.events if e.kind == "takes"))]
    if any(event.kind == "changes_drivers" and who_did(event) == viewer for event in step.events):
        victims.append(step.state.turn.seat + len(step.state.cars))
    return {card for who in victims for card in hand_of(step.state, who)}


def seen(events: Sequence[Event], viewer: Viewer) -> list[dict[str, Any]]:
    return [event.seen_by(viewer) for event in events]


def unseen_draws(step: Step, first: Watched, viewer: Viewer) -> set[int]:
    """Cards that came into a hand and are still in one, unless the viewer itself drew."""
    if any(event.kind == "draws" and who_did(event) == viewer for event in step.events):
        return set()
    kept = {card for hand in held(step.after).values() for card in hand}
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
                others = set(event.private) - {who_did(event)}
                assert len(others) <= 1
                assert {car_of(race.begin, seat) for seat in others} <= {event.public.get("target")}
    assert met > 5


@pytest.mark.parametrize("kind", ["hands_over", "keeps"])
def test_of_cards_that_change_partners_others_learn_only_how_many(kind: str) -> None:
    met = 0
    for number in range(30):
        race = trail(TEAMS, number)
        for event in (event for step in race.steps for event in step.events if event.kind == kind):
            met += 1
            public = event.seen_by(None)
            assert not {"cards", "kept", "returned"} & set(public)
            assert all(isinstance(value, int | str) for value in public.values())
            assert {car_of(race.begin, seat) for seat in event.private} == {event.public["seat"]}
            partner = next(seat for seat in event.private if seat != who_did(event))
            assert "kept" not in event.private[partner], "what the other keeps is his own business"
    assert met > 20


def test_a_partner_sees_the_others_hand_only_while_he_chooses_from_both() -> None:
    chose = 0
    for number in range(30):
        race = trail(TEAMS, number)
        for step in race.steps[::5]:
            for seat in range(1, race.seats + 1):
                view = RULESET.view(step.state, seat)
                both = view["teams"]["partner_hand"]
                assert not both or view["asking"] == "keep"
                chose += bool(both)
            assert RULESET.view(step.state, None)["teams"]["partner_hand"] == []
    assert chose > 10


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
