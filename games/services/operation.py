"""What an operator does."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from games.models import Outage, Race
from games.selectors.errors import RaceUnknown
from games.services.outages import outage_credit, outage_note
from games.services.sweep import SweepReport, race_attend
from games.tempo.calendars import length_text


class NotFaulty(Exception):
    """The race is not held up, so there is nothing to try again; the text is a sentence."""


@transaction.atomic
def races_retry(*, race_ids: Sequence[int] | None, now: datetime) -> int:
    """Let the next sweep try these faulty races, None: all, and not only when their time has come; returns how many."""
    races = Race.objects.filter(status="running").exclude(fault="")
    return (races if race_ids is None else races.filter(pk__in=race_ids)).update(wake_at=now)


def race_retry(*, public_id: str, now: datetime) -> str:
    """Try a faulty race at once; returns why it still cannot go on, "" if it can. Raises RaceUnknown, NotFaulty."""
    race = Race.objects.filter(public_id=public_id).first()
    if race is None:
        raise RaceUnknown(f"There is no race “{public_id}”.")
    if not races_retry(race_ids=[race.pk], now=now):
        raise NotFaulty(f"Race {public_id} is not held up.")
    report = SweepReport()
    race_attend(race_id=race.pk, now=now, report=report)
    return Race.objects.values_list("fault", flat=True).get(pk=race.pk)


def outage_credit_by_hand(*, gap: int, now: datetime) -> int | None:
    """Put deadlines off for a gap that is known, whether or not it was done before.

    Returns how many races were put off, None if there is no such gap. A deadline is put off for a gap once.
    """
    outage = Outage.objects.filter(pk=gap).first()
    return None if outage is None else outage_credit(outage=outage, now=now)


def outages_credit(*, since: datetime | None, until: datetime | None, now: datetime) -> int:
    """Put deadlines off for one gap, which is noted, or for all that are known; returns how many races were put off."""
    if since is not None and until is not None:
        return outage_credit(outage=outage_note(start=since, end=until, now=now), now=now)
    return sum(outage_credit(outage=outage, now=now) for outage in Outage.objects.order_by("start"))


def outages_told() -> list[str]:
    """The gaps that are known, a line each, the latest first."""
    lines = [
        f"{outage.start:%Y-%m-%d %H:%M} to {outage.end:%Y-%m-%d %H:%M} UTC, "
        f"{length_text(int((outage.end - outage.start).total_seconds()))}, "
        + ("not credited yet" if outage.credited_at is None else f"credited {outage.credited_at:%Y-%m-%d %H:%M}")
        for outage in Outage.objects.order_by("-start")
    ]
    return lines or ["The heartbeats tell of no gap."]
