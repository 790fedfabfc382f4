"""A race that goes back to an earlier entry: its host asks, and everybody who drives must agree.

Nothing is deleted: going back is an entry of its own. What was sealed meanwhile is dropped with the questions, and the
request never tells whether anything was.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from games.models import OutboxEvent, Race, RewindAsk, Seat, StandingOrder
from games.models.people import Person
from games.runtime.errors import RaceFaulty
from games.selectors.rewinds import why_not_back
from games.services.agreements import one_line
from games.services.desk import Desk, announce
from games.services.errors import (
    FieldRefused,
    KeyMissing,
    NotYourDecision,
    NotYourSeat,
    NoWayBack,
    RaceNotRunning,
    RaceOver,
)
from games.services.extensions import voters
from games.services.faults import fault_mark
from games.services.incoming import unseen_letter
from games.services.notes import race_note
from games.services.starting import race_for_change

REASON_LENGTH: Final = 200


def rewind_ask(*, race_id: int, by: Person, to_seq: int, key: str, reason: str = "") -> RewindAsk:
    """Ask everybody who drives to let the race go back to the state after entry ``to_seq``; host only.

    A host who drives agrees by asking, bots agree to everything. One request waits at a time; the same key again is the
    same request. ``reason``: at most 200 characters for the others to read. All drivers are told.

    Raises NotHost, FieldRefused (to, reason), KeyMissing, NoWayBack (another request waits, or a driver has changed
    since then), RaceOver, RaceNotRunning, RaceFaulty.
    """
    return _watched(race_id, lambda now: _ask(race_id, by, to_seq=to_seq, key=key, reason=reason, now=now))


@transaction.atomic
def _ask(race_id: int, by: Person, *, to_seq: int, key: str, reason: str, now: datetime) -> RewindAsk:
    race = race_for_change(race_id, by=by)
    if not 1 <= len(key) <= 100 or unseen_letter(key):
        raise KeyMissing("A request needs a key of 1 to 100 characters that can be seen, made anew for each form.")
    same = RewindAsk.objects.filter(race=race, key=key).first()
    if same is not None:
        return same
    _running(race)
    if not 0 <= to_seq < race.seq:
        raise FieldRefused("to", f"Name an entry from 0 to {race.seq - 1}: the race is at entry {race.seq}.")
    said = one_line("reason", reason, "A reason", REASON_LENGTH) if reason.strip() else ""
    if RewindAsk.objects.filter(race=race, done_at=None, void="").exists():
        raise NoWayBack("A request to go back waits already: take it back first, or let it be agreed to.")
    _refuse_changed(race, to_seq)
    own = Seat.objects.filter(race=race, player_id=by.pk, state="joined").values_list("pk", flat=True)
    ask = RewindAsk.objects.create(
        race=race, host_id=by.pk, to_seq=to_seq, reason=said, key=key, agreed=list(own), asked_at=now
    )
    race_note(race, key=f"rewind/{ask.pk}", text=f"The host asks everybody to go back to entry {to_seq}.", now=now)
    if not _go_if_all_agree(race, ask, now):
        _tell(race, ask, "rewind_ask", now, but=ask.agreed)
    return ask


def rewind_agree(*, race_id: int, by: Person, ask_id: int) -> RewindAsk:
    """Agree to going back; when all who drive have, the race goes back at once. Agreeing twice is agreeing once.

    Raises NotYourSeat, NotYourDecision (no such request, or it is void), NoWayBack (a driver has changed since),
    RaceOver, RaceNotRunning, RaceFaulty.
    """
    return _watched(race_id, lambda now: _agree(race_id, by, ask_id, now))


@transaction.atomic
def _agree(race_id: int, by: Person, ask_id: int, now: datetime) -> RewindAsk:
    race = race_for_change(race_id)
    ask = _asked(race, ask_id)
    if ask.done_at is not None:
        return ask
    _running(race)
    seat = _driver(race, by)
    _refuse_void(ask)
    _refuse_changed(race, ask.to_seq)
    if seat.pk not in ask.agreed:
        ask.agreed = [*ask.agreed, seat.pk]
        ask.save(update_fields=["agreed"])
    _go_if_all_agree(race, ask, now)
    return ask


@transaction.atomic
def rewind_think_again(*, race_id: int, by: Person, ask_id: int) -> RewindAsk:
    """Withdraw one's consent while the request waits; twice is once. Raises NotYourSeat, NotYourDecision, RaceOver."""
    race = _running(race_for_change(race_id))
    seat = _driver(race, by)
    ask = _asked(race, ask_id)
    if ask.done_at is not None:
        raise NotYourDecision("The race has gone back already: all had agreed.")
    _refuse_void(ask)
    if seat.pk in ask.agreed:
        ask.agreed = [one for one in ask.agreed if one != seat.pk]
        ask.save(update_fields=["agreed"])
    return ask


@transaction.atomic
def rewind_drop(*, race_id: int, by: Person, ask_id: int) -> RewindAsk:
    """Take the request back; host only. Twice is once. Raises NotHost, NotYourDecision."""
    race = race_for_change(race_id, by=by)
    ask = _asked(race, ask_id)
    if ask.done_at is not None:
        raise NotYourDecision("The race has gone back already: all had agreed.")
    if not ask.void:
        ask.void = "The host has taken the request back."
        ask.save(update_fields=["void"])
        text = f"The host asks no more to go back to entry {ask.to_seq}."
        race_note(race, key=f"rewind/{ask.pk}/dropped", text=text, now=timezone.now())
    return ask


def _refuse_changed(race: Race, to_seq: int) -> None:
    why = why_not_back(list(Seat.objects.filter(race=race, number__isnull=False)), to_seq)
    if why:
        raise NoWayBack(why)


def _go_if_all_agree(race: Race, ask: RewindAsk, now: datetime) -> bool:
    """Go back if everybody who drives has agreed; whether the race did."""
    if set(voters(race)) - set(ask.agreed):
        return False
    desk = Desk.of(race, now)
    driving = [number for number, seat in sorted(desk.seats.items()) if seat.state == "joined"]
    desk.go_back(to=ask.to_seq, by=driving)
    ask.done_at, ask.done_seq = now, desk.position.seq
    ask.save(update_fields=["done_at", "done_seq"])
    _forget(desk, ask.to_seq)
    _tell(race, ask, "rewound", now, seq=desk.position.seq)
    desk.settle()
    desk.write()
    return True


def _forget(desk: Desk, to_seq: int) -> None:
    """Drop what was meant for turns that are to come again."""
    turn = desk.turn
    for seat in desk.seats.values():
        desk.beforehand.forget_turn(seat, f"The race went back to entry {to_seq}.")
        if seat.lapsed_turn is not None and seat.lapsed_turn >= turn:
            # The same turn may lapse again.
            seat.lapsed_turn = None
            desk.touch(seat)
    StandingOrder.objects.filter(seat__race_id=desk.race.pk, turn__gt=turn).delete()


def _tell(
    race: Race, ask: RewindAsk, kind: str, now: datetime, *, but: Collection[int] = (), seq: int | None = None
) -> None:
    seats = Seat.objects.filter(pk__in=set(voters(race)) - set(but)).order_by("pk")
    OutboxEvent.objects.bulk_create(
        [
            OutboxEvent(
                kind=kind,
                race=race,
                seat=seat,
                decision_id=ask.pk,
                seq=race.seq if seq is None else seq,
                created_at=now,
            )
            for seat in seats
        ],
        ignore_conflicts=True,
    )
    announce(race.pk, bots=False)


def _watched(race_id: int, change: Callable[[datetime], RewindAsk]) -> RewindAsk:
    """Do it at this moment; a race that turns out to be broken is marked."""
    now = timezone.now()
    try:
        return change(now)
    except RaceFaulty as fault:
        fault_mark(race_id=race_id, error=fault, now=now, by_player=True)
        raise


def _asked(race: Race, ask_id: int) -> RewindAsk:
    ask = RewindAsk.objects.filter(race=race, pk=ask_id).first()
    if ask is None:
        raise NotYourDecision("There is no such request in this race.")
    return ask


def _refuse_void(ask: RewindAsk) -> None:
    if ask.void:
        raise NotYourDecision(ask.void)


def _driver(race: Race, by: Person) -> Seat:
    seat = Seat.objects.filter(race=race, player_id=by.pk, state="joined").first()
    if seat is None:
        raise NotYourSeat("Only the drivers of this race agree to going back.")
    return seat


def _running(race: Race) -> Race:
    if race.status == "finished":
        raise RaceOver("The race is over: it does not go back any more.")
    if race.status != "running":
        raise RaceNotRunning("The race has not started, or was called off.")
    return race
