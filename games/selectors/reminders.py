"""Which questions wait for people, and when their drivers are to be told again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from games.models import Decision, OutboxEvent, Purchase
from games.selectors.calendars import calendar_of, holidays_of
from games.tempo.reminders import reminders


@dataclass(frozen=True)
class Waiting:
    """An open question that its driver has not answered.

    ``event_id``: the row of the outbox that asked it. ``half_at``, ``last_at``: when half and nine tenths of its time
    have counted (UTC). It is its driver's alone: the moments tell of free days.
    """

    decision_id: int
    event_id: int
    race_id: int
    seat_id: int
    player_id: int
    opened_at: datetime
    due_at: datetime
    half_at: datetime
    last_at: datetime


def questions_waiting(*, now: datetime) -> list[Waiting]:
    """Open questions of running races to people, whose deadline has not passed; in three statements, however many.

    A race whose clocks are stopped reminds nobody.
    """
    rows = list(
        Decision.objects.filter(
            sealed_at=None, due_at__gt=now, race__status="running", race__fault="", seat__state="joined", seat__bot=""
        )
        .filter(race__paused_at=None)
        .exclude(seat__player=None)
        .select_related("seat__player", "race")
        .order_by("pk")
    )
    events = _events_of([row.pk for row in rows])
    holidays = holidays_of({row.seat.player_id for row in rows if row.seat.player_id is not None})
    return [_waiting(row, events[row.pk], holidays) for row in rows if row.pk in events]


def purchases_waiting(*, now: datetime) -> list[Waiting]:
    """Open purchases of people in campaigns that go on, whose deadline has not passed; in three statements."""
    rows = list(
        Purchase.objects.filter(answered_at=None, due_at__gt=now, round__campaign__status="running")
        .exclude(driver__player=None)
        .select_related("driver__player", "round__race__race")
        .order_by("pk")
    )
    events: dict[int, OutboxEvent] = {}
    for event in OutboxEvent.objects.filter(kind="purchase", decision_id__in=[row.pk for row in rows]).order_by("pk"):
        events[event.decision_id] = event
    holidays = holidays_of({row.driver.player_id for row in rows if row.driver.player_id is not None})
    return [_purchase_waiting(row, events[row.pk], holidays) for row in rows if row.pk in events]


def _purchase_waiting(
    row: Purchase, event: OutboxEvent, holidays: Mapping[int, Sequence[tuple[date, date]]]
) -> Waiting:
    player, race = row.driver.player, row.round.race.race
    assert player is not None
    own = holidays.get(player.pk, ()) if race.holidays_allowed else ()
    half_at, last_at = reminders(
        opened_at=row.counts_from,
        due_at=row.due_at,
        calendar=calendar_of(player, holidays=own),
        pause_cap_minutes=race.pause_cap_minutes,
    )
    return Waiting(
        decision_id=row.pk,
        event_id=event.pk,
        race_id=race.pk,
        seat_id=event.seat_id,
        player_id=player.pk,
        opened_at=row.opened_at,
        due_at=row.due_at,
        half_at=half_at,
        last_at=last_at,
    )


def _events_of(decision_ids: list[int]) -> dict[int, int]:
    """The latest row of the outbox that asked each: a question is asked anew of whoever takes a seat over."""
    asked: dict[int, int] = defaultdict(int)
    rows = OutboxEvent.objects.filter(kind__in=["turn", "question"], decision_id__in=decision_ids, player=None)
    for event_id, decision_id in rows.values_list("pk", "decision_id"):
        asked[decision_id] = max(asked[decision_id], event_id)
    return dict(asked)


def _waiting(row: Decision, event_id: int, holidays: Mapping[int, Sequence[tuple[date, date]]]) -> Waiting:
    player, race = row.seat.player, row.race
    assert player is not None
    own = holidays.get(player.pk, ()) if race.holidays_allowed else ()
    half_at, last_at = reminders(
        opened_at=row.counts_from,
        due_at=row.due_at,
        calendar=calendar_of(player, holidays=own),
        pause_cap_minutes=max(0, race.pause_cap_minutes - row.paused_s // 60),
    )
    return Waiting(
        decision_id=row.pk,
        event_id=event_id,
        race_id=row.race_id,
        seat_id=row.seat_id,
        player_id=player.pk,
        opened_at=row.opened_at,
        due_at=row.due_at,
        half_at=half_at,
        last_at=last_at,
    )


@dataclass(frozen=True)
class Deadline:
    """Until when one question to a player has to be answered. ``clock``: turn, reaction or purchase.

    ``decision_id``: of a purchase its id below 0, so that no question has the same.
    """

    decision_id: int
    race_id: str
    race_name: str
    clock: str
    due_at: datetime


def deadlines_of(*, player_id: int) -> list[Deadline]:
    """The deadlines of this player's unanswered questions and purchases, soonest first; no race's state is read."""
    rows = Decision.objects.filter(
        sealed_at=None, seat__player_id=player_id, seat__state="joined", race__status="running"
    ).order_by("due_at", "pk")
    asked = [Deadline(*facts) for facts in rows.values_list("pk", "race__public_id", "race__name", "clock", "due_at")]
    purchases = Purchase.objects.filter(
        answered_at=None, driver__player_id=player_id, round__campaign__status="running"
    ).values_list("pk", "round__race__race__public_id", "round__race__race__name", "due_at")
    asked += [Deadline(-pk, race_id, name, "purchase", due_at) for pk, race_id, name, due_at in purchases]
    return sorted(asked, key=lambda one: (one.due_at, one.decision_id))
