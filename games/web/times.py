"""Times as a player reads them: what is left, and when in the player's own zone.

No page has a ticking clock: all of it is computed when the page is made.
"""

from datetime import datetime, timedelta
from math import ceil
from typing import Final

from django.utils import timezone
from django.utils.dateparse import parse_datetime

SOON: Final = timedelta(hours=12)


def moment(value: str | datetime | None) -> datetime | None:
    """A time of the presentation JSON ("2026-12-03T20:00:00Z") as an aware datetime, or None."""
    if not value:
        return None
    found = value if isinstance(value, datetime) else parse_datetime(value)
    if found is None or timezone.is_aware(found):
        return found
    return timezone.make_aware(found, timezone.get_default_timezone())


def left_text(left: timedelta) -> str:
    """What is left, to the nearest of the smallest unit shown: "2 d 5 h", "14 h", "3 h 20", "45 min", "now".

    A moment after five minutes were given there are five left, not four; a half goes down.
    """
    minutes = _nearest(left, timedelta(minutes=1))
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 12:
        return f"{hours} h {rest:02d}" if rest else f"{hours} h"
    hours = _nearest(left, timedelta(hours=1))
    if hours < 24:
        return f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def left_words(left: timedelta) -> str:
    """The same for a ticket's stub: whole days from two days on."""
    if _nearest(left, timedelta(hours=1)) < 48:
        return left_text(left)
    return f"{_nearest(left, timedelta(days=1))} days"


def _nearest(left: timedelta, unit: timedelta) -> int:
    """How many of this unit, to the nearest; a half goes down."""
    return ceil(left / unit - 0.5)


def is_soon(due: datetime, now: datetime) -> bool:
    """Whether it is due within twelve hours."""
    return due - now <= SOON


def day_text(at: datetime, now: datetime) -> str:
    """The day in the current zone: "today", "tomorrow", "Thu 3 Dec", with the year if it is another one."""
    local, today = timezone.localtime(at), timezone.localtime(now)
    days = (local.date() - today.date()).days
    if days == 0:
        return "today"
    if days == 1:
        return "tomorrow"
    text = f"{local:%a} {local.day} {local:%b}"
    return text if local.year == today.year else f"{text} {local.year}"


def clock_text(at: datetime) -> str:
    """The time of day in the current zone."""
    return f"{timezone.localtime(at):%H:%M}"


def zone_text() -> str:
    """The current zone as people call it: "Lisbon" for Europe/Lisbon."""
    return timezone.get_current_timezone_name().rsplit("/", 1)[-1].replace("_", " ")


def date_text(at: datetime) -> str:
    """Date, time and zone: "Tue 1 Dec 2026, 14:40 Lisbon"."""
    local = timezone.localtime(at)
    return f"{local:%a} {local.day} {local:%b %Y}, {local:%H:%M} {zone_text()}"


def when_text(at: datetime, now: datetime, *, inside: bool = False) -> str:
    """Day, time and zone: "Thu 3 Dec, 20:00 Lisbon"; ``inside`` a sentence "today" has no capital."""
    day = day_text(at, now)
    if not inside:
        day = f"{day[0].upper()}{day[1:]}"
    return f"{day}, {clock_text(at)} {zone_text()}"
