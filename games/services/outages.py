"""What the server's silence is worth to those who were asked."""

from datetime import datetime, timedelta

from django.db import transaction

from games.models import Heartbeat, Outage, Race
from games.runtime.errors import RaceFaulty
from games.services.desk import Desk, race_lock
from games.services.faults import fault_mark
from games.services.notes import race_note
from games.tempo.absences import Interval
from games.tempo.calendars import length_text
from games.tempo.credits import CREDIT_WINDOW_S, GAP_THRESHOLD_S, credits_owed


@transaction.atomic
def outage_note(*, start: datetime, end: datetime, now: datetime) -> Outage:
    """Note that the server was away; the same beginning again is the same outage."""
    outage, _ = Outage.objects.get_or_create(start=start, defaults={"end": end, "noted_at": now})
    return outage


def outage_look(*, name: str, now: datetime) -> None:
    """See whether the last sign of life is too long ago, and put deadlines off before anything lapses by it.

    Without any sign of life so far there is nothing to judge by.
    """
    last = Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()
    if last is not None and now - last > timedelta(seconds=GAP_THRESHOLD_S):
        outage_note(start=last, end=now, now=now)
        Heartbeat.objects.filter(name=name, at=last).update(at=now)
    for outage in Outage.objects.filter(credited_at=None).order_by("start"):
        outage_credit(outage=outage, now=now)


def outage_credit(*, outage: Outage, now: datetime) -> int:
    """Put off each deadline that fell in the outage or soon after it; returns how many races were put off.

    Safe to do again: a gap is credited to a question once. Races whose clocks stand still are owed nothing.
    """
    window = timedelta(seconds=CREDIT_WINDOW_S)
    owed = Race.objects.filter(
        status="running",
        paused_at=None,
        decisions__opened_at__lt=outage.end,
        decisions__due_at__gte=outage.start,
        decisions__due_at__lte=outage.end + window,
    )
    count = 0
    for race_id in list(owed.order_by("pk").distinct().values_list("pk", flat=True)):
        try:
            with transaction.atomic():
                count += _race_credit(race_id, outage, now)
        except RaceFaulty as fault:
            # Marked, told and tried again by the sweep; "heartbeat_gaps --credit" credits it once it goes on.
            fault_mark(race_id=race_id, error=fault, now=now)
    Outage.objects.filter(pk=outage.pk, credited_at=None).update(credited_at=now)
    return count


def _race_credit(race_id: int, outage: Outage, now: datetime) -> bool:
    race = race_lock(race_id)
    if race is None or race.status != "running" or race.paused_at is not None:
        return False
    desk = Desk.of(race, now)
    gap = Interval(outage.start, outage.end)
    most = 0
    for number, row in desk.rows.items():
        owed = credits_owed(
            decision=str(row.pk),
            opened_at=row.opened_at,
            due_at=row.due_at,
            outages=[gap],
            calendar=desk.clocks.calendar(number),
            pause_cap_minutes=race.pause_cap_minutes,
            granted=row.credits,
        )
        for credit in owed:
            row.credits = [*row.credits, credit.key]
            desk.clocks.put_off(row, desk.whose(number), number=number, seconds=credit.seconds)
            desk.reclocked(number)
            most = max(most, credit.seconds)
    if not most:
        return False
    text = (
        f"The server was away from {outage.start:%H:%M} to {outage.end:%H:%M} UTC on {outage.end:%-d %B %Y}: "
        f"the deadline is put off by {length_text(most)}."
    )
    race_note(race, key=f"outage/{outage.start.isoformat()}", text=text, now=now)
    desk.write()
    return True
