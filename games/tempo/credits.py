"""Outage credit: what the server's silence is worth to those who were asked.

A gap between two heartbeats is an outage if it is longer than a threshold. Its length is owed to every decision whose
deadline fell in it or within the credit window after it, but only from the decision's opening on. The credit is counted
time on the decision's own grid. An earlier credit may move a deadline into the window of a later gap, never out of one
that has been credited: a gap is credited to a decision once, whatever becomes of its deadline.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from games.tempo.absences import Interval
from games.tempo.calendars import Calendar, postponed, utc

GAP_THRESHOLD_S: Final = 300
"""A heartbeat comes each minute; a restart may swallow a few."""
CREDIT_WINDOW_S: Final = 12 * 3600
"""For so long after an outage a deadline still suffers from it."""
_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True)
class Credit:
    """What a decision is owed for one gap: ``seconds`` of counted time, and the deadline (UTC) and rule with them.

    ``key`` names the gap and the decision, the same whenever it is computed: it is granted once.
    """

    key: str
    gap: Interval
    seconds: int
    due_at: datetime
    rule: str


def gaps(beats: Iterable[datetime], *, threshold_s: int = GAP_THRESHOLD_S) -> tuple[Interval, ...]:
    """The outages between heartbeats: from the last sign of life to the next, if that is more than the threshold.

    They are aware and come in any order. What is before the first beat and after the last is nobody's to judge.
    Raises CalendarRefused: beats.
    """
    threshold = timedelta(seconds=threshold_s)
    return tuple(
        Interval(a, b) for a, b in pairwise(sorted({utc("beats", beat) for beat in beats})) if b - a > threshold
    )


def credits_owed(
    *,
    decision: str,
    opened_at: datetime,
    due_at: datetime,
    outages: Sequence[Interval],
    calendar: Calendar,
    pause_cap_minutes: int,
    granted: Collection[str] = (),
    window_s: int = CREDIT_WINDOW_S,
) -> tuple[Credit, ...]:
    """What a decision is still owed, in the order in which it happened; the last one's deadline is the decision's.

    ``decision`` names it over all races. ``due_at`` is its present deadline, with all that is in ``granted`` (keys) in
    it. Raises CalendarRefused: opened_at, due_at, pause_cap_minutes.
    """
    window = timedelta(seconds=window_s)
    owed: list[Credit] = []
    opened, due = utc("opened_at", opened_at), utc("due_at", due_at)
    for gap in sorted(outages, key=lambda gap: gap.start):
        key = credit_key(decision, gap)
        lost = gap.end - max(gap.start, opened)
        if key in granted or lost <= timedelta() or not gap.start <= due <= gap.end + window:
            continue
        seconds = -(-lost // _SECOND)
        later = postponed(
            opened_at=opened,
            due_at=due,
            seconds=seconds,
            calendar=calendar,
            pause_cap_minutes=pause_cap_minutes,
        )
        due = later.due_at
        owed.append(Credit(key, gap, seconds, due, later.rule))
    return tuple(owed)


def credit_key(decision: str, gap: Interval) -> str:
    """The name of what a decision is owed for a gap. Its start is enough: no two outages begin with the same beat."""
    return f"credit/{decision}/{gap.start.isoformat()}"
