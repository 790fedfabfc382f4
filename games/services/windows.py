"""Reaction windows: when sealed answers are handed over together."""

from datetime import datetime

from games.models import Race
from games.services.sweep import SweepReport, race_attend


def window_close_due(*, now: datetime) -> int:
    """Close every window whose time has come; returns how many. The sweep does this too."""
    report = SweepReport()
    due = Race.objects.filter(status="running", wake_at__lte=now, decisions__window__isnull=False).distinct()
    for race_id in list(due.values_list("pk", flat=True)):
        race_attend(race_id=race_id, now=now, report=report)
    return report.closed
