"""What an operator is shown of races and of the server's life.

An operator may play too. So of a window it is shown that it is overdue and not who was asked, of a question never what
it asks, and of the outbox no number of questions, which would tell how many were asked.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from games.models import Decision, Heartbeat, Outage, OutboxEvent, Race
from games.selectors.notices import QUESTION_KINDS
from games.tempo.calendars import length_text
from games.tempo.credits import CREDIT_WINDOW_S, GAP_THRESHOLD_S
from games.tempo.retries import retry_at

LATE: Final = timedelta(minutes=5)
"""The worker comes round each minute: what has been due for longer was not done by it."""
LISTED_MOST: Final = 100
GAPS_MOST: Final = 20
WINDOW: Final = "window"
CREDIT_WINDOW_H: Final = CREDIT_WINDOW_S // 3600
"""For so many hours after a gap deadlines are put off for it."""


@dataclass(frozen=True)
class Overdue:
    """What should have lapsed. ``clock``: turn, reaction, or window, of which ``seat`` is None; ``late_s``: seconds."""

    race: str
    name: str
    seat: int | None
    clock: str
    due_at: datetime
    late_s: int
    is_held_up: bool

    @property
    def late_text(self) -> str:
        """By how much, in words."""
        days = self.late_s // 86_400
        return length_text(self.late_s // 60 * 60) if days < 2 else f"{days} days"


@dataclass(frozen=True)
class FailedRace:
    """A race that cannot go on.

    ``count``: the server's own tries that failed; ``next_at``: as games.tempo.retries.retry_at.
    """

    race: str
    name: str
    fault: str
    since: datetime
    last_at: datetime
    count: int
    next_at: datetime | None
    is_due: bool


@dataclass(frozen=True)
class OutboxSight:
    """Rows of the outbox without those of questions.

    ``stuck_since``: when the oldest of them was written that nobody passes on, or of a question outside a window that
    is still open: everybody knows who is asked that.
    """

    waiting: int
    passed_on: int
    stuck_since: datetime | None


@dataclass(frozen=True)
class Beat:
    """A part of the server, and when it last said that it is up."""

    name: str
    at: datetime
    is_late: bool


@dataclass(frozen=True)
class Gap:
    """A time without a sign of life; ``length_s`` in seconds."""

    gap: int
    start: datetime
    end: datetime
    length_s: int
    credited_at: datetime | None

    @property
    def length_text(self) -> str:
        """How long it was, in words."""
        return length_text(self.length_s)


def decisions_overdue(*, now: datetime) -> tuple[list[Overdue], int]:
    """Questions and windows whose time ran out and that still stand, the oldest first: a hundred, and how many in all.

    Races whose clocks stand still owe nothing. A window is one, however many were asked.
    """
    rows = Decision.objects.filter(race__status="running", race__paused_at=None, due_at__lte=now - LATE)
    facts = ("race__public_id", "race__name", "race__fault")
    singles = rows.filter(window=None).order_by("due_at", "race_id").values(*facts, "seat__car", "clock", "due_at")
    windows = rows.exclude(window=None).order_by().values(*facts, "race_id").annotate(last=Max("due_at"))
    found = [_overdue(row, row["seat__car"], row["clock"], row["due_at"], now) for row in singles[:LISTED_MOST]]
    listed = windows.order_by("last", "race_id")[:LISTED_MOST]
    found += [_overdue(row, None, WINDOW, row["last"], now) for row in listed]
    counted = rows.aggregate(
        singles=Count("pk", filter=Q(window=None)), windows=Count("race", filter=Q(window__isnull=False), distinct=True)
    )
    return sorted(found, key=lambda one: one.due_at)[:LISTED_MOST], counted["singles"] + counted["windows"]


def _overdue(row: Any, seat: int | None, clock: str, due_at: datetime, now: datetime) -> Overdue:
    return Overdue(
        race=row["race__public_id"],
        name=row["race__name"],
        seat=seat,
        clock=clock,
        due_at=due_at,
        late_s=int((now - due_at).total_seconds()),
        is_held_up=bool(row["race__fault"]),
    )


def races_failed(*, now: datetime) -> tuple[list[FailedRace], int]:
    """Races that cannot go on by themselves, those longest held up first: a hundred, and how many in all."""
    told = OutboxEvent.objects.filter(kind="fault", race=OuterRef("pk"), seq=OuterRef("seq")).order_by("created_at")
    races = faulty_races().annotate(since=Coalesce(Subquery(told.values("created_at")[:1]), "fault_at"))
    rows = [_failed(race, now) for race in races.order_by("since", "pk")[:LISTED_MOST]]
    return rows, len(rows) if len(rows) < LISTED_MOST else races.count()


def faulty_races() -> QuerySet[Race]:
    """Races under way that cannot go on by themselves."""
    return Race.objects.filter(status="running").exclude(fault="").defer("secret", "outcome", "options")


def next_try_of(race: Race) -> datetime | None:
    """When a faulty race is tried again, as far as that may be told."""
    if not race.fault or race.fault_at is None:
        return None
    return retry_at(fault_at=race.fault_at, count=race.fault_count, wake_at=race.wake_at)


def _failed(race: Any, now: datetime) -> FailedRace:
    next_at = next_try_of(race)
    return FailedRace(
        race=race.public_id,
        name=race.name,
        fault=race.fault,
        since=race.since,
        last_at=race.fault_at,
        count=race.fault_count,
        next_at=next_at,
        is_due=race.wake_at is not None and race.wake_at <= now,
    )


def outbox_sight(*, now: datetime) -> OutboxSight:
    """How far the outbox has been passed on to whoever tells people; of what was passed on, the last seven days."""
    is_of_none = ~Q(kind__in=QUESTION_KINDS)
    is_public = is_of_none | Q(Exists(Decision.objects.filter(pk=OuterRef("decision_id"), window=None)))
    is_waiting = Q(processed_at=None)
    rows = OutboxEvent.objects.filter(is_waiting | Q(created_at__gt=now - timedelta(days=7)))
    seen = rows.aggregate(
        waiting=Count("pk", filter=is_waiting & is_of_none),
        passed_on=Count("pk", filter=~is_waiting & is_of_none),
        stuck_since=Min("created_at", filter=is_waiting & Q(created_at__lte=now - LATE) & is_public),
    )
    return OutboxSight(**seen)


def beats(*, now: datetime) -> list[Beat]:
    """The last sign of life of each part of the server; [] if there never was one."""
    late = now - timedelta(seconds=GAP_THRESHOLD_S)
    return [Beat(row.name, row.at, row.at < late) for row in Heartbeat.objects.order_by("name")]


def gaps_latest() -> list[Gap]:
    """The latest times without a sign of life, the last first."""
    return [_gap(row) for row in Outage.objects.order_by("-start")[:GAPS_MOST]]


def gap_get(*, gap: int) -> Gap | None:
    """One of them, or None."""
    row = Outage.objects.filter(pk=gap).first()
    return None if row is None else _gap(row)


def gaps_not_credited() -> int:
    """How many times without a sign of life have not been credited to deadlines."""
    return Outage.objects.filter(credited_at=None).count()


def _gap(row: Outage) -> Gap:
    return Gap(row.pk, row.start, row.end, int((row.end - row.start).total_seconds()), row.credited_at)
