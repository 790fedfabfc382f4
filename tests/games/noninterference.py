"""Non-interference: one public history played twice with different secrets of one driver, seen by everybody else.

Two worlds begin with the same race: the same rows, clock, names and secret. In each the hidden driver gets another
hand (and the draw pile gets what the hand gave up), then the same decisions are made at the same moments. At fixed
points every observer looks for every other viewer, and both worlds must look the same, byte for byte.

Whoever adds a way to look at a race adds an observer to OBSERVERS.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeAlias
from unittest import mock

import msgspec
import time_machine
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from games.engine import codec
from games.engine.contract import Decision as Question
from games.engine.contract import Transition
from games.models import Decision, Entry, OutboxEvent, Race, Seat, Snapshot
from games.rulesets.roadkill.actions import Stop
from games.rulesets.roadkill.bot import Driver
from games.rulesets.roadkill.components import named
from games.rulesets.roadkill.game import RULESET
from games.runtime.replay import BEFOREHAND
from games.selectors.decisions import decisions_of
from games.selectors.log import log_of
from games.selectors.races import race_list_mine, race_list_open, race_present, race_summary
from games.selectors.records import replay_step
from games.services.sweep import sweep
from games.services.turns import action_submit
from games.services.undo import act_undo
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from notifications.services.reminders import reminders_make
from roadkill_site.accounts.models import User
from roadkill_site.operation.overview import overview

Viewer: TypeAlias = Seat | None
Observer: TypeAlias = Callable[[Race, Viewer], Any]
"""What a viewer who is not the hidden driver gets to see of a race at this moment."""

Meanwhile: TypeAlias = Callable[[int, str], None]
"""Does something in the race of this id, at the moment of this name."""

HIDDEN: Final = 1
"""The car of the driver whose hand differs."""


# --- Observers --------------------------------------------------------------------------


def presentation(race: Race, viewer: Viewer) -> Any:
    return race_present(race=race, viewer=viewer, log_last=None)


def log(race: Race, viewer: Viewer) -> Any:
    return log_of(race=race, viewer=viewer)


def lists(race: Race, viewer: Viewer) -> Any:
    person = viewer.player if viewer is not None else None
    mine = [] if person is None else [race_list_mine(user=person), decisions_of(user=person)]
    return [race_summary(race=race, user=person), race_list_open(user=person), *mine]


def replay(race: Race, viewer: Viewer) -> Any:
    return replay_step(race=race, entry=race.seq, viewer=viewer)


def outbox(race: Race, viewer: Viewer) -> Any:
    """Every row, to whomever: how many, to whom, when, what about. Stricter than a viewer could be."""
    rows = OutboxEvent.objects.filter(race=race).order_by("pk")
    return list(rows.values_list("kind", "seat__number", "decision_id", "seq", "created_at", "pk"))


def pages(race: Race, viewer: Viewer) -> Any:
    parts = ("", f"replay/{race.seq}", "orders/", "log.atom", "undo", "rewind/")
    of_race = [f"/races/{race.public_id}/{part}" for part in parts]
    return fetched(viewer, ["/", "/races/", *of_race])


def api(race: Race, viewer: Viewer) -> Any:
    own = ["me/decisions", "me/races"] if viewer is not None else []
    public = ["races", f"races/{race.public_id}"]
    parts = ("seats", "log", f"replay/{race.seq}", "record", "orders", "plan", "rewind")
    of_race = [f"races/{race.public_id}/{part}" for part in parts]
    return fetched(viewer, [f"/api/v1/{path}" for path in (*public, *of_race, *own)])


def mails(race: Race, viewer: Viewer) -> Any:
    """The mails that have reached this viewer; those of a spectator are all but the hidden driver's."""
    outbox_dispatch()
    notices_deliver([*notices_due(now=timezone.now()), *reminders_make(now=timezone.now())])
    hidden = Seat.objects.select_related("player").get(race=race, number=HIDDEN).player
    assert hidden is not None
    found = [one for one in mail.outbox if hidden.email not in one.to]
    if viewer is not None and viewer.player is not None:
        found = [one for one in found if viewer.player.email in one.to]
    # A reply key is random, and was made for one mail: it tells nothing, and no two are alike.
    texts = [(one.to, one.message().as_string()) for one in map(_with_fixed_boundary, found)]
    return [(to, _REPLY_KEY.sub("reply+key@", text)) for to, text in texts]


def operation(race: Race, viewer: Viewer) -> Any:
    """The operator's page and all that operator_status says, now and had nothing been done for days since.

    Who runs the server may drive too, so it is the same for everybody; it is looked at once.
    """
    if viewer is not None:
        return None
    operator = User.objects.filter(is_staff=True).first()
    operator = operator or User.objects.create_superuser("operator@example.org", display_name="Operator")
    later = overview(now=timezone.now() + timedelta(days=4))
    return [_fetched_by(operator, ["/operator/"]), overview(now=timezone.now()).plain(), later.plain()]


def outbox_of_others(race: Race, viewer: Viewer) -> Any:
    """The rows for everybody but the hidden driver, who alone is not asked what an order of theirs has answered."""
    rows = OutboxEvent.objects.filter(race=race).exclude(seat__number=HIDDEN).order_by("pk")
    return list(rows.values_list("kind", "seat__number", "decision_id", "seq", "created_at"))


def mails_by_their_order(race: Race, viewer: Viewer) -> Any:
    """The mails with their marks numbered: each is keyed by a row of the outbox, so that nobody can count the rows."""
    marks: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return found["before"] + marks.setdefault(found["mark"], f"mark {len(marks) + 1}") + "@"

    return [(to, _MARK.sub(numbered, text)) for to, text in mails(race, viewer)]


OBSERVERS: dict[str, Observer] = {
    "presentation": presentation,
    "log": log,
    "lists": lists,
    "replay": replay,
    "outbox": outbox,
    "pages": pages,
    "api": api,
    "mails": mails,
    "operation": operation,
}
WHERE_ONE_IS_NOT_ASKED: dict[str, Observer] = {
    **OBSERVERS,
    "outbox": outbox_of_others,
    "mails": mails_by_their_order,
}
"""Observers for worlds in one of which the hidden driver is not asked what was answered beforehand."""

_HEADERS: Final = ("Content-Type", "Content-Length", "ETag", "Last-Modified", "Cache-Control", "Vary", "Location")
# A Message-ID, and the address by which its mails are stopped, which names and signs it.
_MARK: Final = re.compile(r"(?P<before><|stop\+)(?P<mark>[0-9a-f]{40})(?:[-.=_][a-z2-7]+)?@")
_REPLY_KEY: Final = re.compile(r"reply\+[a-z2-7]{24}@")
# Made anew for every form that is shown, and without meaning.
_NONCE: Final = re.compile(rb'(name="(?:csrfmiddlewaretoken|key)" value=")[^"]*"')


def fetched(viewer: Viewer, paths: list[str]) -> list[Any]:
    return _fetched_by(None if viewer is None else viewer.player, paths)


def _fetched_by(person: User | None, paths: list[str]) -> list[Any]:
    client = Client(raise_request_exception=True)
    if person is not None:
        client.force_login(person)
    seen: list[Any] = []
    for path in paths:
        answer = client.get(path)
        headers = [(name, answer.headers.get(name)) for name in _HEADERS]
        seen.append((path, answer.status_code, headers, _NONCE.sub(rb'\1"', answer.content)))
    return seen


def _with_fixed_boundary(message: Any) -> Any:
    """A message whose parts are divided by the same line each time."""
    made = message.message()
    made.set_boundary("boundary")
    return type("Fixed", (), {"to": message.to, "message": staticmethod(lambda: made)})


# --- Worlds -----------------------------------------------------------------------------


@dataclass
class World:
    """What was seen in a world, and its public history: what makes two worlds comparable."""

    sights: list[tuple[str, str, int | None, Any]] = field(default_factory=list)
    history: list[Any] = field(default_factory=list)
    had_a_choice: bool = False
    """Whether the hidden driver could have answered in a window."""
    beforehand: Counter[str] = field(default_factory=Counter)
    """How many acts of the hidden driver were given beforehand, by origin."""
    taken_back: list[bool] = field(default_factory=list)
    """Each time that another driver has stopped: whether that could be taken back, and was."""


@contextmanager
def thrown_away() -> Iterator[None]:
    """What is written inside is gone afterwards, row numbers included."""
    counted = _counters()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    _count_again(counted)


def _counters() -> list[tuple[str, int | None]]:
    """How far row numbers have been given out where a transaction that is rolled back does not give them back."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(sequencename), last_value FROM pg_sequences"
        )
        return [(str(name), last) for name, last in cursor.fetchall()]


def _count_again(counted: list[tuple[str, int | None]]) -> None:
    with connection.cursor() as cursor:
        for name, last in counted:
            cursor.execute("SELECT setval(%s::regclass, %s, %s)", [name, 1 if last is None else last, last is not None])


@contextmanager
def dealt(
    hands: Mapping[int, list[str]], *, like: Mapping[int, list[str]], wishes: bool = False, turned: int = 0
) -> Iterator[None]:
    """RoadKill is set up with these hands, by cards' keys.

    The pile is what ``like`` leaves, with the cards that the hidden hand holds instead exchanged in their places, and
    turned round by so many places. ``wishes``: the hidden driver wishes to be asked about Fate.
    """
    real = RULESET.setup

    def setup(seats: int, options: Mapping[str, Any], chance: Any) -> Transition[Any]:
        made = real(seats, options, chance)
        state = _dealt(made.state, hands, like, wishes=wishes)
        pile = state.pile[turned:] + state.pile[:turned]
        return Transition(msgspec.structs.replace(state, pile=pile), made.events)

    with mock.patch.object(RULESET, "setup", setup):
        yield


def _dealt(state: Any, hands: Mapping[int, list[str]], like: Mapping[int, list[str]], *, wishes: bool) -> Any:
    ids = _ids(like)
    pile = [card for card in range(len(named("classic").card_keys)) if not any(card in hand for hand in ids.values())]
    others = {card for number, hand in ids.items() if number != HIDDEN for card in hand}
    wanted = _ids({HIDDEN: hands[HIDDEN]}, avoid=others)[HIDDEN]
    given_up = [card for card in ids[HIDDEN] if card not in wanted]
    taken = [card for card in wanted if card not in ids[HIDDEN]]
    for old, new in zip(taken, given_up, strict=True):
        pile[pile.index(old)] = new
    ids[HIDDEN] = wanted
    cars = tuple(
        msgspec.structs.replace(car, hand=bytes(ids[car.seat]), wishes=wishes and car.seat == HIDDEN)
        for car in state.cars
    )
    return msgspec.structs.replace(state, cars=cars, pile=bytes(pile))


def _ids(hands: Mapping[int, list[str]], avoid: set[int] | None = None) -> dict[int, list[int]]:
    keys = named("classic").card_keys
    used = set(avoid or ())
    ids: dict[int, list[int]] = {}
    for number, hand in hands.items():
        ids[number] = []
        for key in hand:
            card = next(card for card, one in enumerate(keys) if one == key and card not in used)
            used.add(card)
            ids[number].append(card)
    return ids


def play(
    race_id: int,
    clock: time_machine.Traveller,
    *,
    steps: int,
    observers: Mapping[str, Observer] = OBSERVERS,
    turn_words: str = "",
    takes_back: bool = False,
    meanwhile: Meanwhile | None = None,
    is_silent: bool = False,
) -> World:
    """Let the drivers play and everybody else look.

    The hidden driver gives the default to every question, an answer a minute after it was asked; the others play by
    the heuristic bot, which knows their own views alone. ``turn_words``: what the hidden driver says in each own turn
    instead, in the very moment of being asked, as fast as a plan. ``takes_back``: whenever another driver may stop,
    that one does, all look, it is taken back if that is offered, all look again, and only then it plays.
    ``meanwhile``: what people do besides while something is asked, and while the answers of a window lie sealed; all
    look after it. ``is_silent``: the hidden driver answers in no window, so that its deadline gives the default.
    """
    world = World()
    for _ in range(steps):
        if Race.objects.get(pk=race_id).status != "running":
            break
        _answer_own_turn(race_id, turn_words)
        clock.shift(timedelta(minutes=1))
        is_window = _window_is_open(race_id)
        look(world, race_id, "asked", observers)
        if meanwhile is not None:
            meanwhile(race_id, "asked")
            look(world, race_id, "asked, and something done", observers)
        if takes_back:
            _stop_and_take_back(world, race_id, observers)
        answer_all(world, race_id, is_window=is_window, is_silent=is_silent)
        if is_window and _window_is_open(race_id):
            look(world, race_id, "sealed", observers)
            if meanwhile is not None:
                meanwhile(race_id, "sealed")
                look(world, race_id, "sealed, and something done", observers)
            wake_at = Race.objects.get(pk=race_id).wake_at
            assert wake_at is not None
            clock.move_to(wake_at - timedelta(seconds=1))
            sweep()
            look(world, race_id, "almost closed", observers)
            clock.move_to(wake_at)
            sweep()
    _answer_own_turn(race_id, turn_words)
    look(world, race_id, "at the end", observers)
    world.history = _history(race_id)
    for entry in Entry.objects.filter(race_id=race_id):
        world.beforehand.update(
            act["origin"] for act in entry.acts if act["seat"] == HIDDEN and act["origin"] in BEFOREHAND
        )
    return world


def _answer_own_turn(race_id: int, words: str) -> None:
    """Say the hidden driver's words as often as it is that driver's turn at this moment."""
    while words:
        row = Decision.objects.filter(race_id=race_id, seat__number=HIDDEN, clock="turn", window=None).first()
        if row is None or row.key != "act":
            return
        action_submit(
            race_id=race_id,
            seat_id=row.seat_id,
            words=words,
            expected_seq=row.position,
            idempotency_key=f"turn:{row.pk}",
        )


def _stop_and_take_back(world: World, race_id: int, observers: Mapping[str, Observer]) -> None:
    """Let another driver who may stop do so and take it back, looked at after each."""
    row = Decision.objects.filter(race_id=race_id, key="act", window=None).select_related("seat").first()
    if row is None or row.seat.number == HIDDEN:
        return
    question, _ = _asked(race_id, row)
    if not any(isinstance(one, Stop) for one in question.menu):
        return
    action_submit(
        race_id=race_id,
        seat_id=row.seat_id,
        action={"do": "stop"},
        expected_seq=row.position,
        idempotency_key=f"stop:{row.pk}",
    )
    look(world, race_id, "stopped", observers)
    race = Race.objects.get(pk=race_id)
    is_offered = race_present(race=race, viewer=row.seat, log_last=0)["undo"] is not None
    world.taken_back.append(is_offered)
    if is_offered:
        act_undo(race_id=race_id, seat_id=row.seat_id, expected_seq=race.seq, idempotency_key=f"undo:{row.pk}")
    look(world, race_id, "taken back", observers)


def answer_all(world: World, race_id: int, *, is_window: bool, is_silent: bool) -> None:
    """Answer every question of the open window, or the one question of a turn."""
    rows = Decision.objects.filter(race_id=race_id, sealed_at=None).select_related("seat").order_by("seat__number")
    for row in list(rows):
        question, view = _asked(race_id, row)
        if row.seat.number == HIDDEN:
            world.had_a_choice |= is_window and question.is_real
            choice = question.default
            if is_window and is_silent:
                continue
        else:
            choice = Driver().choose(view, question)
        action_submit(
            race_id=race_id,
            seat_id=row.seat_id,
            action=codec.to_json(choice),
            expected_seq=row.position,
            idempotency_key=f"world:{row.pk}",
        )


def _asked(race_id: int, row: Decision) -> tuple[Question, Any]:
    state = codec.load(RULESET.state_type, bytes(Snapshot.objects.get(race_id=race_id).state))
    question = next(d for d in RULESET.pending(state) if d.seat == row.seat.number)
    return question, RULESET.view(state, question.seat)


def _window_is_open(race_id: int) -> bool:
    return Decision.objects.filter(race_id=race_id, window__isnull=False).exists()


def look(world: World, race_id: int, moment: str, observers: Mapping[str, Observer]) -> None:
    race = Race.objects.select_related("host").get(pk=race_id)
    others = [seat for seat in Seat.objects.filter(race=race).select_related("player") if seat.number != HIDDEN]
    for name, observer in observers.items():
        for viewer in (*others, None):
            seen = observer(race, viewer)
            number = None if viewer is None else viewer.number
            world.sights.append((f"{moment}, position {race.seq}", name, number, seen))


def _history(race_id: int) -> list[Any]:
    """What must be the same for two worlds to have one public history.

    The acts in order, the numbers drawn, and the cards that rules take from a hand at random and lay open.
    """
    history: list[Any] = []
    for entry in Entry.objects.filter(race_id=race_id, seq__gt=0).order_by("seq"):
        history += [(act["seat"], act["action"]) for act in entry.acts]
        history += [one["public"] for one in entry.events if one["kind"] in {"number", "loses_card"}]
    return history


def differences(one: World, other: World) -> list[str]:
    """Where the two worlds looked different, in words; empty if nobody could tell them apart."""
    found = [
        f"{moment}: {observer} of {'a spectator' if viewer is None else f'car {viewer}'}: {_first_difference(a, b)}"
        for (moment, observer, viewer, a), (_, _, _, b) in zip(one.sights, other.sights, strict=False)
        if a != b
    ]
    if [sight[:3] for sight in one.sights] != [sight[:3] for sight in other.sights]:
        found.append("the worlds were looked at from different places, since they took different courses")
    return found


def _first_difference(one: Any, other: Any) -> str:
    left, right = repr(one), repr(other)
    place = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    start = max(0, place - 60)
    return f"…{left[start : place + 60]}… against …{right[start : place + 60]}…"
