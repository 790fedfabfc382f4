"""What a tempo means for one seat: its next deadlines in its local time, for the lobby."""

from dataclasses import dataclass
from datetime import datetime, time
from typing import Final, Literal

from games.tempo.calendars import Calendar, deadline, paused

NUMBER: Final = 10
NIGHT: Final = (time(22), time(6))
"""What is marked as night for somebody without quiet hours: local, from and until."""

Mark = Literal["night", "day off", "holiday"]


@dataclass(frozen=True)
class Preview:
    """One deadline. ``asked_at`` and ``due_at`` are aware and local, to be shown; to compare them, take them to UTC.

    ``paused_s``: the seconds between them that did not count.

    ``marks``: what the deadline falls into. It can fall into quiet hours, a day off or a holiday only where the cap on
    pauses is used up or the race knows none.
    """

    asked_at: datetime
    due_at: datetime
    paused_s: int
    marks: tuple[Mark, ...]
    rule: str


def next_deadlines(
    *, start: datetime, minutes: int, calendar: Calendar, pause_cap_minutes: int, number: int = NUMBER
) -> tuple[Preview, ...]:
    """The deadlines of a seat that is asked at ``start``, and again whenever the last time is used up.

    ``minutes`` are those of a turn or of a reaction. Raises CalendarRefused: start, minutes, pause_cap_minutes.
    """
    found: list[Preview] = []
    asked_at = start
    for _ in range(number):
        due = deadline(start=asked_at, minutes=minutes, calendar=calendar, pause_cap_minutes=pause_cap_minutes)
        found.append(
            Preview(
                asked_at.astimezone(calendar.tz),
                due.due_at.astimezone(calendar.tz),
                paused(asked_at, due.due_at, calendar, pause_cap_minutes=pause_cap_minutes),
                marks(due.due_at, calendar),
                due.rule,
            )
        )
        asked_at = due.due_at
    return tuple(found)


def marks(at: datetime, calendar: Calendar) -> tuple[Mark, ...]:
    """What an instant falls into for this player, the night before the day. Raises CalendarRefused: at."""
    night = Calendar(calendar.zone, quiet=calendar.quiet or NIGHT)
    whole_days = Calendar(calendar.zone, days_off=calendar.days_off, holidays=calendar.holidays)
    found: list[Mark] = ["night"] if night.pause_at(at) else []
    day = whole_days.pause_at(at)
    if day == "day off" or day == "holiday":  # noqa: PLR1714  mypy narrows only this form
        found.append(day)
    return tuple(found)
