"""What an operator does."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from games.models import Outage, Race
from games.services.outages import outage_credit, outage_note
from games.tempo.calendars import length_text


@transaction.atomic
def races_retry(*, race_ids: Sequence[int], now: datetime) -> int:
    """Let the next sweep try these faulty races, and not only when their time has come; returns how many."""
    return Race.objects.filter(pk__in=race_ids, status="running").exclude(fault="").update(wake_at=now)


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
