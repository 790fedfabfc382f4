"""Reminders: the moments at which a driver is told again that a question waits."""

from datetime import datetime
from fractions import Fraction
from typing import Final

from games.tempo.calendars import Calendar, counted, deadline

PARTS: Final = (Fraction(1, 2), Fraction(9, 10))
"""Of a decision's counted time."""


def reminders(
    *, opened_at: datetime, due_at: datetime, calendar: Calendar, pause_cap_minutes: int
) -> tuple[datetime, ...]:
    """When half and nine tenths of the time from opening to deadline have counted (UTC), to the second, in order.

    They do not lie within a pause unless the cap on pauses is used up; at most they lie where one begins. A deadline
    that is put off has new ones. Raises CalendarRefused: start, end, pause_cap_minutes.
    """
    whole = counted(opened_at, due_at, calendar, pause_cap_minutes=pause_cap_minutes)
    return tuple(
        deadline(
            start=opened_at,
            minutes=0,
            seconds=int(whole * part),
            calendar=calendar,
            pause_cap_minutes=pause_cap_minutes,
        ).due_at
        for part in PARTS
    )
