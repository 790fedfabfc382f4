"""Nobody can tell from anything on the server what another driver holds (see tests.games.noninterference).

The planted leaks show that the comparison notices: each is a mistake that somebody could make.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import time_machine

from games.models import Decision, Race, Seat, StandingOrder
from games.rulesets.roadkill.components import named
from games.rulesets.roadkill.game import RULESET
from games.runtime import present
from games.selectors import beforehand
from games.services import desk
from games.services.plans import plan_save
from games.services.races import race_create, race_join, race_start
from games.services.standing import standing_save
from notifications.reply_models import ReplyKey
from roadkill_site.accounts.models import User
from tests.games import noninterference
from tests.games.conftest import NOON
from tests.games.noninterference import (
    HIDDEN,
    OBSERVERS,
    WHERE_ONE_IS_NOT_ASKED,
    World,
    dealt,
    differences,
    play,
    thrown_away,
)

ARMED = {
    1: ["swerve", "machine_gun", "great_reflexes", "fate", "smoke_screen"],
    2: ["move_2", "move_2", "machine_gun", "move_1", "ram"],
    3: ["move_1", "move_3", "move_2", "hubcap_blades", "landmark"],
}
"""Car 1 could answer nearly everything."""
BARE = {**ARMED, 1: ["move_1", "move_4", "landmark", "tool_kit", "road_map"]}
"""Car 1 can answer nothing."""
MakeStage = Callable[..., "Stage"]
_FOUND: dict[tuple[str, bool, str], Sequence[int]] = {}
"""What a test of this run has found for policy, wishes and what there is of upgrades."""
QUICK = {name: OBSERVERS[name] for name in ("presentation", "outbox")}


@pytest.fixture
def people(alice: User, bob: User, charlie: User) -> list[User]:
    """The three drivers, the host first."""
    return [alice, bob, charlie]


def _key(number: int) -> str:
    """The reply key of this number: 24 letters of base32."""
    return base64.b32encode(number.to_bytes(15, "big")).decode("ascii").lower()


@pytest.fixture
def stage(
    people: list[User],
    clock: time_machine.Traveller,
    mailoutbox: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> MakeStage:
    """Makes a RoadKill race about to begin; its secret is the same in every test, so that all play the same."""
    monkeypatch.setattr("games.services.races.secret_make", lambda: b"n" * 32)
    # Reply keys stand in the mails, which two worlds compare.
    monkeypatch.setattr("notifications.services.replies.keys.key_make", lambda: _key(ReplyKey.objects.count()))

    def make(policy: str, *, upgrades: str = "none", **more: Any) -> Stage:
        race = race_create(
            by=people[0],
            name="Three",
            seats=3,
            options={"sections": 4, "upgrades": upgrades},
            policy=policy,
            is_public=True,
            starts_when_full=False,
        )
        for person in people[1:]:
            race_join(race_id=race.pk, by=person)
        made = Stage(race, clock, mailoutbox, upgrades=upgrades, **more)
        made.find()
        return made

    return make


@dataclass
class Stage:
    """A race, and what is needed to play it twice from its start: with the driver of car 1 armed, and bare."""

    race: Race
    clock: time_machine.Traveller
    mailbox: list[Any]
    wishes: bool = False
    steps: int = 9
    turned: int = 0
    upgrades: str = "none"

    def find(self) -> None:
        """Turn the draw pile until no number is drawn just where the piles differ, since numbers are public."""
        key = (self.race.policy, self.wishes, self.upgrades)
        for turned in _FOUND.get(key, range(100)):
            self.turned = turned
            armed, bare = self.both({})
            if armed.history == bare.history and armed.had_a_choice:
                _FOUND[key] = (turned,)
                return
        raise AssertionError("no two worlds with one public history were found")

    def both(self, observers: Mapping[str, noninterference.Observer]) -> tuple[World, World]:
        """Play both worlds."""
        return self.one(ARMED, observers), self.one(BARE, observers)

    def one(
        self,
        hands: Mapping[int, list[str]],
        observers: Mapping[str, noninterference.Observer],
        *,
        orders: Sequence[str] = (),
        plan: Sequence[str] = (),
        turn_words: str = "",
        **more: Any,
    ) -> World:
        """Play one world, and leave no trace of it. ``orders``, ``plan``: kept by car 1 before anything happens."""
        self.clock.move_to(NOON)
        self.mailbox.clear()
        with thrown_away(), dealt(hands, like=ARMED, wishes=self.wishes, turned=self.turned):
            race_start(race_id=self.race.pk, by=self.race.host)
            hidden = Seat.objects.get(race=self.race, number=HIDDEN)
            if orders:
                standing_save(race_id=self.race.pk, seat_id=hidden.pk, texts=orders)
            if plan:
                plan_save(race_id=self.race.pk, seat_id=hidden.pk, lines=plan, idempotency_key="plan")
            return play(self.race.pk, self.clock, steps=self.steps, observers=observers, turn_words=turn_words, **more)


def assert_comparable(armed: World, bare: World) -> None:
    """The premise: one public history, in which car 1 had a choice in one world only."""
    assert armed.history == bare.history
    assert armed.had_a_choice
    assert not bare.had_a_choice
    assert len(armed.sights) == len(bare.sights) > 50


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_hand_that_could_answer_looks_like_one_that_could_not(stage: MakeStage, policy: str) -> None:
    armed, bare = stage(policy).both(OBSERVERS)
    assert_comparable(armed, bare)
    assert differences(armed, bare) == []


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_wish_with_fate_looks_like_a_bluff(stage: MakeStage, policy: str) -> None:
    armed, bare = stage(policy, wishes=True).both({**QUICK, "mails": OBSERVERS["mails"]})
    assert_comparable(armed, bare)
    assert differences(armed, bare) == []


def test_in_an_open_race_speed_tells_as_its_lobby_says(stage: MakeStage) -> None:
    made = stage("strict")
    Race.objects.filter(pk=made.race.pk).update(policy="open")
    armed, bare = made.both(QUICK)
    assert differences(armed, bare) != []


# --- Orders given beforehand ------------------------------------------------------------

PASSING = (
    "when passed: pass",
    "when attacked: pass",
    "when robbed: pass",
    "when counterattacked: pass",
    "when a Damage Check comes: pass",
    "when any card is played: pass",
)
"""An armed driver has decided to let everything go by."""
ARMED_IN_VAIN = (
    "when passed: Smoke Screen, Machine Gun, else pass",
    "when attacked: Swerve, Firm Shoulders, else pass",
    "when robbed: Assault Rifle, else pass",
    "when counterattacked: Swerve, else pass",
    "when a Damage Check comes: Great Reflexes, else pass",
)
"""A driver who holds nothing has ordered cards for when they come."""


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_driver_with_standing_orders_looks_like_one_without(stage: MakeStage, policy: str) -> None:
    made = stage(policy)
    worlds = [
        made.one(ARMED, WHERE_ONE_IS_NOT_ASKED),
        made.one(ARMED, WHERE_ONE_IS_NOT_ASKED, orders=PASSING),
        made.one(BARE, WHERE_ONE_IS_NOT_ASKED, orders=ARMED_IN_VAIN),
        made.one(BARE, WHERE_ONE_IS_NOT_ASKED),
    ]
    # The rules leave a bare hand no choice, so that there its orders have nothing to answer.
    assert [world.beforehand["standing"] > 0 for world in worlds] == [False, True, False, False]
    assert len(worlds[0].sights) > 50
    for other in worlds[1:]:
        assert other.history == worlds[0].history
        assert differences(worlds[0], other) == []


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_plan_looks_like_a_driver_who_answers_at_once(stage: MakeStage, policy: str) -> None:
    made = stage(policy)
    words = "end, draw 0"
    worlds = [
        made.one(ARMED, WHERE_ONE_IS_NOT_ASKED, turn_words=words),
        made.one(ARMED, WHERE_ONE_IS_NOT_ASKED, turn_words=words, plan=[words]),
        made.one(ARMED, WHERE_ONE_IS_NOT_ASKED, turn_words=words, plan=["attack 3 with Ram", words]),
    ]
    assert [world.beforehand["plan"] for world in worlds] == [0, 1, 0]
    assert len(worlds[0].sights) > 50
    for other in worlds[1:]:
        assert other.history == worlds[0].history
        assert differences(worlds[0], other) == []


# --- Acts taken back --------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_whether_an_act_may_be_taken_back_tells_nothing(stage: MakeStage, policy: str) -> None:
    made = stage(policy)
    armed, bare = (made.one(hands, OBSERVERS, takes_back=True) for hands in (ARMED, BARE))
    assert armed.history == bare.history
    assert len(armed.sights) > 50
    assert armed.taken_back == bare.taken_back
    assert any(armed.taken_back), "somebody has stopped and taken it back"
    assert differences(armed, bare) == []


def test_an_offer_that_looks_into_hands_is_noticed(stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stage("paced")
    armed, bare = (made.one(hands, QUICK, takes_back=True) for hands in (ARMED, BARE))
    assert differences(armed, bare) == []
    real = RULESET.keeps_secrets
    swerves = {card for card, key in enumerate(named("classic").card_keys) if key == "swerve"}

    def leaking(before: Any, after: Any) -> bool:
        return real(before, after) and bool(swerves & set(before.cars[HIDDEN - 1].hand))

    monkeypatch.setattr(RULESET, "keeps_secrets", leaking, raising=False)
    armed, bare = (made.one(hands, QUICK, takes_back=True) for hands in (ARMED, BARE))
    assert any(armed.taken_back)
    assert not any(bare.taken_back)
    assert differences(armed, bare) != []


def an_order_closes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    real = desk.Desk.seal

    def leaking(self: desk.Desk, seat: int, action: Any, origin: str) -> None:
        real(self, seat, action, origin)
        if origin == "standing":
            self.rows[seat].hold_until, self.rows[seat].due_at = None, self.now

    monkeypatch.setattr(desk.Desk, "seal", leaking)


def orders_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    real = present.seats_part

    def leaking(race: Race, seats: Any, viewer: Any) -> Any:
        return [
            {**part, "orders": StandingOrder.objects.filter(seat=part["id"]).count()}
            for part in real(race, seats, viewer)
        ]

    monkeypatch.setattr(present, "seats_part", leaking)


def the_page_of_orders_shows_everybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    real = beforehand.beforehand_of

    def leaking(*, race: Race, seat: Any) -> Any:
        return real(race=race, seat=Seat.objects.get(race=race, number=HIDDEN))

    monkeypatch.setattr("games.web.views.orders.beforehand_of", leaking)


@pytest.mark.parametrize("leak", [an_order_closes_at_once, orders_are_counted, the_page_of_orders_shows_everybodys])
def test_a_planted_leak_of_orders_is_noticed(
    stage: MakeStage, monkeypatch: pytest.MonkeyPatch, leak: Callable[[pytest.MonkeyPatch], None]
) -> None:
    made = stage("paced")
    seen = {**QUICK, "outbox": noninterference.outbox_of_others, "pages": OBSERVERS["pages"]}
    without = made.one(ARMED, seen)
    assert differences(without, made.one(ARMED, seen, orders=PASSING)) == []
    leak(monkeypatch)
    assert differences(without, made.one(ARMED, seen, orders=PASSING)) != []


# --- Planted leaks ----------------------------------------------------------------------


def waiting_names_the_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    real = present.waiting_part

    def leaking(ruleset: str, seats: Any) -> Any:
        waiting = real(ruleset, seats)
        rows = [row for row in map(present.decision_row, seats) if row is not None and row.sealed_at is None]
        return None if waiting is None else {**waiting, "missing": len(rows)}

    monkeypatch.setattr(present, "waiting_part", leaking)


def no_choice_closes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    real = desk.Desk._open

    def leaking(self: desk.Desk, question: Any, turn: int, *, is_window: bool) -> None:
        real(self, question, turn, is_window=is_window)
        row = self.rows[question.seat]
        if not question.is_real:
            row.hold_until, row.due_at = None, self.now

    monkeypatch.setattr(desk.Desk, "_open", leaking)


def only_real_questions_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = desk.Desk._tell_question

    def leaking(self: desk.Desk, row: Decision) -> None:
        if row.is_real:
            real(self, row)

    monkeypatch.setattr(desk.Desk, "_tell_question", leaking)


def the_position_moves_with_a_sealed_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    real = desk.Desk.seal

    def leaking(self: desk.Desk, seat: int, action: Any, origin: str) -> None:
        real(self, seat, action, origin)
        Race.objects.filter(pk=self.race.pk).update(name=f"Three {origin}")

    monkeypatch.setattr(desk.Desk, "seal", leaking)


def views_show_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    real = RULESET.view

    def leaking(state: Any, viewer: int | None) -> Any:
        view = real(state, viewer)
        view["cars"][HIDDEN - 1]["hand"] = sorted(state.cars[HIDDEN - 1].hand)
        return view

    monkeypatch.setattr(RULESET, "view", leaking, raising=False)


def decisions_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    real = present.seats_part

    def leaking(race: Race, seats: Any, viewer: Any) -> Any:
        sealed = Decision.objects.filter(race=race, sealed_origin="player").count()
        return [{**part, "sealed": sealed} for part in real(race, seats, viewer)]

    monkeypatch.setattr(present, "seats_part", leaking)


@pytest.mark.parametrize("policy", ["strict", "paced"])
@pytest.mark.parametrize(
    "leak",
    [
        waiting_names_the_asked,
        no_choice_closes_at_once,
        only_real_questions_are_told,
        the_position_moves_with_a_sealed_answer,
        views_show_hands,
        decisions_are_counted,
    ],
)
def test_a_planted_leak_is_noticed(
    stage: MakeStage, monkeypatch: pytest.MonkeyPatch, policy: str, leak: Callable[[pytest.MonkeyPatch], None]
) -> None:
    made = stage(policy)
    assert differences(*made.both(QUICK)) == []
    leak(monkeypatch)
    assert differences(*made.both(QUICK)) != []


def test_pages_the_api_and_mails_are_looked_at_too(stage: MakeStage) -> None:
    """An observer that always saw nothing would find no difference either."""
    made = stage("paced")
    world = made.one(ARMED, OBSERVERS)
    seen_by: dict[str, set[str]] = {}
    for _, name, _, seen in world.sights:
        seen_by.setdefault(name, set()).add(repr(seen))
    assert set(seen_by) == set(OBSERVERS)
    assert {name: len(seen) for name, seen in seen_by.items() if len(seen) < 5} == {}
    pages = next(seen for _, name, viewer, seen in world.sights if name == "pages" and viewer == 2)
    assert [status for path, status, _, _ in pages if not path.endswith("/undo")] == [200] * 7
    answers = next(seen for _, name, viewer, seen in world.sights if name == "api" and viewer == 2)
    assert [status for path, status, _, _ in answers if not path.endswith("/record")] == [200] * 10
