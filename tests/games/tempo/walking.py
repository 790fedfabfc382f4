"""Calendars by walking: the same deadlines, found minute by minute from what a zone's clock shows and nothing else."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import settings
from hypothesis import strategies as st

from games.tempo.calendars import Calendar

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
SETTINGS = settings(max_examples=100, deadline=None, derandomize=True, database=None, print_blob=False)
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # Half an hour.
    "America/Santiago",  # At midnight, both ways.
    "Asia/Beirut",  # The same.
    "Antarctica/Troll",  # Two hours.
    "Africa/Casablanca",  # Twice in a few weeks.
    "Europe/Dublin",  # Summer is the standard there.
    "Asia/Kathmandu",  # Never, and a quarter of an hour off.
    "UTC",
)


@cache
def changes(zone: str, year: int = 2026) -> tuple[datetime, ...]:
    """The instants (UTC) at which a zone's clock changed in a year."""
    hours = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(minutes=30) * half for half in range(2 * 24 * 365)]
    return tuple(
        after
        for before, after in pairwise(hours)
        if before.astimezone(ZoneInfo(zone)).utcoffset() != after.astimezone(ZoneInfo(zone)).utcoffset()
    )


@st.composite
def starts(draw: st.DrawFn, zone: str) -> datetime:
    """An instant, mostly within a few days of a change."""
    near = draw(st.sampled_from([*changes(zone), datetime(2026, 6, 1, tzinfo=UTC)]))
    return near + draw(
        st.one_of(
            st.integers(-3 * 86_400, 3 * 86_400).map(lambda seconds: timedelta(seconds=seconds)),
            st.integers(-180, 180).map(lambda minutes: timedelta(minutes=minutes)),
        )
    )


def lengths(most: int = 5 * 24 * 60) -> st.SearchStrategy[int]:
    """Minutes, often whole days and what is next to them."""
    days = st.integers(0, most // 1440)
    return st.one_of(
        st.integers(0, most),
        st.builds(lambda number, more: max(0, number * 1440 + more), days, st.sampled_from([-61, -60, -1, 0, 1, 60])),
    )


@st.composite
def calendars(draw: st.DrawFn, zone: str | None = None) -> Calendar:
    """Any calendar: quiet hours of any length, also within an hour that a change takes or doubles."""
    where = draw(st.sampled_from(ZONES)) if zone is None else zone
    minutes = st.one_of(st.integers(0, 1439), st.sampled_from([0, 30, 60, 90, 120, 135, 150, 165, 180, 1380, 1410]))
    ends = draw(st.none() | st.tuples(minutes, minutes).filter(lambda both: both[0] != both[1]))
    quiet = None if ends is None else (time(*divmod(ends[0], 60)), time(*divmod(ends[1], 60)))
    days_off = draw(st.one_of(st.just(frozenset()), st.just({5, 6}), st.frozensets(st.integers(0, 6), max_size=6)))
    holidays: list[tuple[date, date]] = []
    if draw(st.booleans()):
        first = draw(st.sampled_from([*changes(where), datetime(2026, 6, 1, tzinfo=UTC)])).date()
        first += draw(st.integers(-3, 4)) * DAY
        holidays.append((first, first + draw(st.integers(0, 9)) * DAY))
    return Calendar(where, quiet, frozenset(days_off), tuple(holidays))


caps = st.one_of(st.just(0), st.integers(0, 3 * 1440), st.just(7 * 1440))


def is_paused(wall: datetime, calendar: Calendar) -> bool:
    """Whether the minute that begins with this reading does not count."""
    if any(first <= wall.date() <= last for first, last in calendar.holidays) or wall.weekday() in calendar.days_off:
        return True
    if calendar.quiet is None:
        return False
    begin, end = calendar.quiet
    return begin <= wall.time() < end if begin < end else wall.time() >= begin or wall.time() < end


def minutes_on(start: datetime, zone: str) -> Iterator[tuple[datetime, datetime]]:
    """Instants from ``start`` on, a minute apart, each with the furthest that the clock has shown by then."""
    where = ZoneInfo(zone)
    furthest = datetime.min  # noqa: DTZ901  a reading, not an instant
    at = start - 200 * MINUTE
    while True:
        furthest = max(furthest, at.astimezone(where).replace(tzinfo=None, fold=0))
        if at >= start:
            yield at, furthest
        at += MINUTE


def walked(start: datetime, minutes: int, calendar: Calendar, cap: int) -> datetime:
    """The deadline: ``start`` and quiet hours are whole minutes."""
    unpaused = _walked(start, minutes + cap, Calendar(calendar.zone), None)
    return min(unpaused, _walked(start, minutes, calendar, unpaused))


def _walked(start: datetime, minutes: int, calendar: Calendar, limit: datetime | None) -> datetime:
    days, rest = divmod(minutes, 1440)
    mark = _days_walked(start, days, calendar, limit)
    if not rest:
        return mark
    for at, reading in minutes_on(mark, calendar.zone):
        if not rest or (limit is not None and at > limit):
            return min(at, _days_walked(start, days + 1, calendar, limit))
        rest -= not is_paused(reading, calendar)
    raise AssertionError


def _days_walked(start: datetime, days: int, calendar: Calendar, limit: datetime | None) -> datetime:
    if not days:
        return start
    wall = start.astimezone(ZoneInfo(calendar.zone))
    reading = wall.replace(tzinfo=None, fold=0)
    if wall.fold:
        # The reading at which this passage ends.
        at = start
        while at.astimezone(ZoneInfo(calendar.zone)).fold:
            at += MINUTE
        reading = at.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None)
    left = days * 1440
    while left:
        left -= not is_paused(reading, calendar)
        reading += MINUTE
        if limit is not None and reading > limit.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None) + DAY:
            return limit
    # The first instant by which the clock has shown it: after a gap, and the first of two.
    guess = reading.replace(tzinfo=UTC) - 15 * 60 * MINUTE
    return next(at for at, shown in minutes_on(max(start, guess), calendar.zone) if shown >= reading)
