"""A player's calendar and the deadlines that follow from it.

**What counts.** Time in a quiet hour, on a day off or on a holiday does not count. Pauses put a deadline off by at most
the race's cap: it is never later than the deadline of the same time plus the cap on a calendar without pauses.

**The clock.** Of the time given, whole days (24 counted hours each) advance on the player's wall clock and the rest by
elapsed time. So 72 hours from Friday 18:00 are Monday 18:00 over a clock change too, and ten minutes are ten minutes.
Only on the day on which clocks go forward may the rest be short: it ends where the next whole day does. A wall clock's
reading that does not occur is the first instant after the gap; one that occurs twice is the first of the two. One that
has passed is never meant, since a start within the second passage of an hour counts its days from that hour's end.
Quiet hours begin and end by the same two rules: those that end within an hour that occurs twice end in its first
passage.

**In order.** A later start never gives an earlier deadline on the same calendar, and neither does more time.

A counted stretch holds its end and not its beginning: time that is used up when the quiet hours begin is due then, and
not when they end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from itertools import count
from typing import Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from games.tempo.zones import instant_of, wall_of

DAY_S: Final = 86_400
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""By the numbers of ``date.weekday``."""

Pause = Literal["quiet", "day off", "holiday"]
_Stretch = tuple[datetime, datetime]
_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


class CalendarRefused(ValueError):
    """The calendar or the time cannot be; ``field`` is what was given, the message a sentence."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class Calendar:
    """When a player's time counts. Everything but the zone is local.

    ``zone``: a name of the IANA database. ``quiet``: from, until, to the second; over midnight if until is the earlier.
    ``days_off``: numbers of ``date.weekday``, 0 for Monday. ``holidays``: first and last day of each, both included.
    A holiday or day off is the whole local day; the quiet hours that reach into the day after it stand.

    Raises CalendarRefused: zone, quiet, days_off, holidays.
    """

    zone: str
    quiet: tuple[time, time] | None = None
    days_off: frozenset[int] = frozenset()
    holidays: tuple[tuple[date, date], ...] = ()

    def __post_init__(self) -> None:
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as fault:
            text = f"{self.zone} is not a time zone; give one such as Europe/Berlin."
            raise CalendarRefused("zone", text) from fault
        if self.quiet is not None:
            begin, end = self.quiet
            if begin == end:
                text = "Quiet hours need a beginning and an end that differ: no time at all would count."
                raise CalendarRefused("quiet", text)
            if any(at.tzinfo is not None or at.microsecond for at in self.quiet):
                raise CalendarRefused("quiet", "Quiet hours are local times, to the second.")
        if not self.days_off <= frozenset(range(7)):
            raise CalendarRefused("days_off", "Days off are days of the week, from 0 (Monday) to 6 (Sunday).")
        if len(self.days_off) == 7:
            text = "Not every day can be a day off: no time at all would count. Leave at least one."
            raise CalendarRefused("days_off", text)
        for first, last in self.holidays:
            if last < first:
                text = f"A holiday ends on its first day or later; {last} is before {first}."
                raise CalendarRefused("holidays", text)

    @cached_property
    def tz(self) -> ZoneInfo:
        """The zone itself."""
        return ZoneInfo(self.zone)

    @cached_property
    def has_pauses(self) -> bool:
        """Whether there is any time that does not count."""
        return bool(self.quiet or self.days_off or self.holidays)

    @cached_property
    def hours(self) -> tuple[tuple[timedelta, timedelta], ...]:
        """The stretches of a working day outside quiet hours, from its midnight: [(6 h, 22 h)]."""
        if self.quiet is None:
            return ((timedelta(), _DAY),)
        begin, end = (timedelta(hours=at.hour, minutes=at.minute, seconds=at.second) for at in self.quiet)
        stretches = ((timedelta(), begin), (end, _DAY)) if begin < end else ((end, begin),)
        return tuple(stretch for stretch in stretches if stretch[0] < stretch[1])

    def without_pauses(self) -> "Calendar":
        """The same zone with all time counting."""
        return Calendar(self.zone)

    def day_pause(self, day: date) -> Pause | None:
        """Why a whole day does not count; None if it does."""
        if any(first <= day <= last for first, last in self.holidays):
            return "holiday"
        return "day off" if day.weekday() in self.days_off else None

    def pause_at(self, at: datetime) -> Pause | None:
        """Why the time that ends at this instant does not count; None if it does. Raises CalendarRefused: at."""
        moment = utc("at", at)
        day = _day_before(moment, self)
        if any(begin < moment <= end for begin, end in _instants(self, day, moment)):
            return None
        return self.day_pause((wall_of(moment, self.tz) - timedelta.resolution).date()) or "quiet"


@dataclass(frozen=True)
class Deadline:
    """``due_at`` is in UTC; ``rule`` says how it was made and names the player's own hours, so it is its owner's."""

    due_at: datetime
    rule: str


def deadline(
    *, start: datetime, minutes: int, calendar: Calendar, pause_cap_minutes: int, seconds: int = 0
) -> Deadline:
    """When a time is used up that begins at ``start``.

    ``minutes`` and ``seconds`` are added up. ``pause_cap_minutes``: by how much pauses may put this one deadline off;
    0 for a race that knows no pauses. Raises CalendarRefused: start, minutes, pause_cap_minutes.
    """
    begin = utc("start", start)
    length = minutes * 60 + seconds
    if length < 0:
        raise CalendarRefused("minutes", "The time for an answer cannot be less than none.")
    cap = _cap_seconds(pause_cap_minutes)
    plain = calendar.without_pauses()
    latest = _due(begin, length + cap, plain, None)
    due = min(_due(begin, length, calendar, latest), latest)
    is_capped = _due(begin, length, plain, None) < due == latest
    return Deadline(due, _rule(begin, due, length, calendar, cap, is_capped=is_capped))


def counted(start: datetime, end: datetime, calendar: Calendar, *, pause_cap_minutes: int) -> int:
    """Whole seconds that count from ``start`` to ``end``, 0 if that is before it: the most whose deadline is no later.

    So ``deadline(start, counted(start, x))`` is x for every x that is a deadline of a whole second at all. What is
    counted from a to b and from b to c may differ from a to c by a clock change that lies between.

    Raises CalendarRefused: start, end, pause_cap_minutes.
    """
    begin, finish = utc("start", start), utc("end", end)
    cap = _cap_seconds(pause_cap_minutes)
    if finish <= begin:
        return 0
    plain = _counted(begin, finish, calendar.without_pauses())
    if not cap or not calendar.has_pauses:
        return plain
    return max(_counted(begin, finish, calendar), plain - cap)


def paused(start: datetime, end: datetime, calendar: Calendar, *, pause_cap_minutes: int) -> int:
    """Whole seconds of pause from ``start`` to ``end``, at most the cap: what a question asked anew has used of it.

    Raises CalendarRefused: start, end, pause_cap_minutes.
    """
    plain = counted(start, end, calendar, pause_cap_minutes=0)
    return plain - counted(start, end, calendar, pause_cap_minutes=pause_cap_minutes)


def postponed(
    *, opened_at: datetime, due_at: datetime, seconds: int, calendar: Calendar, pause_cap_minutes: int
) -> Deadline:
    """The deadline of a decision that has these seconds more, on the same grid as the first.

    It is later than ``due_at`` if there is anything to add, even if the calendar has changed since that was made.
    Raises CalendarRefused: start, end, minutes, pause_cap_minutes.
    """
    if seconds < 0:
        raise CalendarRefused("minutes", "A deadline is only ever put off, never brought forward.")
    length = counted(opened_at, due_at, calendar, pause_cap_minutes=pause_cap_minutes) + seconds
    return deadline(start=opened_at, minutes=0, seconds=length, calendar=calendar, pause_cap_minutes=pause_cap_minutes)


def length_text(seconds: int) -> str:
    """A length in words: "72 h", "1 h 30 min", "20 s"."""
    hours, rest = divmod(seconds, 3600)
    parts = ((hours, "h"), (rest // 60, "min"), (rest % 60, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min"


# --- one clock --------------------------------------------------------------------------


def _due(begin: datetime, length: int, calendar: Calendar, limit: datetime | None) -> datetime:
    """The deadline without a cap. Past ``limit`` any instant past it may come back, so that the search ends."""
    days, rest = divmod(length, DAY_S)
    mark = _days_on(begin, days, calendar, limit) if days else begin
    if not rest:
        return mark
    if not calendar.has_pauses:
        return min(mark + timedelta(seconds=rest), _days_on(begin, days + 1, calendar, limit))
    stretches = _instants(calendar, _day_before(mark, calendar), limit)
    return min(_advance(mark, rest, stretches, limit), _days_on(begin, days + 1, calendar, limit))


def _days_on(begin: datetime, days: int, calendar: Calendar, limit: datetime | None) -> datetime:
    """Whole days on the wall clock."""
    zone = calendar.tz
    wall = wall_of(begin, zone)
    if not calendar.has_pauses:
        return instant_of(wall + days * _DAY, zone)
    wall_limit = None if limit is None else wall_of(limit, zone)
    stretches = _walls(calendar, wall.date(), wall_limit)
    return instant_of(_advance(wall, days * DAY_S, stretches, wall_limit), zone)


def _counted(begin: datetime, end: datetime, calendar: Calendar) -> int:
    """The most seconds whose deadline without a cap is no later than ``end``."""
    wall, wall_end = wall_of(begin, calendar.tz), wall_of(end, calendar.tz)
    days = _overlap(wall, wall_end, _walls(calendar, wall.date(), wall_end)) // _DAY
    # Of a reading that occurs twice the wall's end may be reached while the instant is not.
    if days and _days_on(begin, days, calendar, end) > end:
        days -= 1
    mark = _days_on(begin, days, calendar, end) if days else begin
    rest = _overlap(mark, end, _instants(calendar, _day_before(mark, calendar), end)) // _SECOND
    return days * DAY_S + min(rest, DAY_S - 1)


def _advance(start: datetime, length: int, stretches: Iterator[_Stretch], limit: datetime | None) -> datetime:
    """The first moment by which ``length`` seconds of these stretches have passed since ``start``."""
    left = timedelta(seconds=length)
    for begin, end in stretches:
        if end <= start:
            continue
        since = max(begin, start)
        if end - since >= left:
            return since + left
        left -= end - since
    assert limit is not None
    return limit


def _overlap(start: datetime, finish: datetime, stretches: Iterator[_Stretch]) -> timedelta:
    return sum((max(timedelta(), min(end, finish) - max(begin, start)) for begin, end in stretches), timedelta())


def _walls(calendar: Calendar, day: date, limit: datetime | None) -> Iterator[_Stretch]:
    """The stretches that count, on the wall clock, from this day on and until they begin after the limit."""
    for number in count():
        midnight = datetime.combine(day + number * _DAY, time())
        if limit is not None and midnight > limit:
            return
        if calendar.day_pause(midnight.date()) is None:
            yield from ((midnight + begin, midnight + end) for begin, end in calendar.hours)


def _instants(calendar: Calendar, day: date, limit: datetime | None) -> Iterator[_Stretch]:
    """The same stretches as instants."""
    zone = calendar.tz
    wall_limit = None if limit is None else wall_of(limit, zone)
    for begin, end in _walls(calendar, day, wall_limit):
        yield instant_of(begin, zone), instant_of(end, zone)


def _day_before(at: datetime, calendar: Calendar) -> date:
    """A day whose stretches begin before this instant, wherever a clock change has put midnight."""
    return wall_of(at, calendar.tz).date() - _DAY


# --- what was given ---------------------------------------------------------------------


def utc(field: str, at: datetime) -> datetime:
    """An instant in UTC, where times can be compared and subtracted; ``field`` names it. Raises CalendarRefused."""
    if at.tzinfo is None:
        raise CalendarRefused(field, f"“{field}” is a time without a zone: nobody can tell when that is.")
    return at.astimezone(UTC)


def _cap_seconds(minutes: int) -> int:
    if minutes < 0:
        raise CalendarRefused("pause_cap_minutes", "The cap on pauses cannot be less than none.")
    return minutes * 60


# --- words ------------------------------------------------------------------------------


def _rule(begin: datetime, due: datetime, length: int, calendar: Calendar, cap: int, *, is_capped: bool) -> str:
    local = begin.astimezone(calendar.tz)
    text = f"{length_text(length)} from {local:%a} {local.day} {local:%b %Y}, {local:%H:%M} ({calendar.zone})"
    pauses = _pauses(begin, due, calendar) if cap else {}
    if pauses:
        text += "; not counted: " + ", ".join(pauses.values())
    if is_capped:
        text += f"; of the pauses {length_text(cap)}, the most in this race"
    return text + "."


def _pauses(begin: datetime, due: datetime, calendar: Calendar) -> dict[Pause, str]:
    """The pauses that lie between two instants, in words."""
    first, last = wall_of(begin, calendar.tz), wall_of(due, calendar.tz)
    found: dict[Pause, str] = {}
    for number in range((last.date() - first.date()).days + 1):
        midnight = datetime.combine(first.date() + number * _DAY, time())
        why = calendar.day_pause(midnight.date())
        if why == "holiday" and midnight < last:
            found[why] = "holidays"
        elif why == "day off" and midnight < last:
            found[why] = "days off (" + ", ".join(WEEKDAYS[day] for day in sorted(calendar.days_off)) + ")"
        elif why is None and calendar.quiet is not None:
            since, until = max(first, midnight), min(last, midnight + _DAY)
            awake = _overlap(since, until, ((midnight + b, midnight + e) for b, e in calendar.hours))
            if awake < until - since:
                found["quiet"] = f"quiet hours ({calendar.quiet[0]:%H:%M} to {calendar.quiet[1]:%H:%M})"
    return {kind: found[kind] for kind in ("quiet", "day off", "holiday") if kind in found}
