"""The day until which a player is away, as written: "away until 24.12.2026", "away until friday", "away for 5 days"."""

import datetime as dt
import re
from dataclasses import dataclass
from typing import Final

DAYS_MOST: Final = 366
"""Days ahead that an absence may reach; a longer one is likely a slip of the year."""


@dataclass(frozen=True)
class Unclear:
    """Words that are an order but could mean more than one thing, or nothing. ``why``: a sentence for their writer."""

    why: str


_PLEASE: Final = "Write the day as in “away until 2026-12-24”."
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAY_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNTIL: Final = re.compile(r"away,? (?:until|till|til|to)(?: and including)?:? (?P<when>\S.{0,60})")
_FOR: Final = re.compile(r"away,? for:? (?:the next )?(?P<count>\d{1,3}|an?|one|two|three|four) (?P<unit>day|week)s?")
_COUNTS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_ISO: Final = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})")
_DOTTED: Final = re.compile(r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})(?:\.|\. ?(?P<year>\d{2}|\d{4}))?")
_SLASHED: Final = re.compile(r"(?P<first>\d{1,2})[-/](?P<second>\d{1,2})(?:[-/](?P<year>\d{2}|\d{4}))?")
_WORDED: Final = (
    re.compile(r"(?P<name>[a-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?"),
    re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?(?P<name>[a-z]{3,9})\.?(?:,? (?P<year>\d{4}))?"),
)
# "friday 24 december": the name of the day is held against the date.
_NAMED: Final = re.compile(r"(?P<name>[a-z]{3,9})\.?,? (?P<rest>.*\d.*)")


def until_read(words: str, today: dt.date) -> dt.date | Unclear:
    """The day of return in an order that begins with "away"; ``words`` folded and tidy. Always after ``today``."""
    span = _FOR.fullmatch(words)
    if span:
        count = _COUNTS.get(span["count"]) or int(span["count"])
        return _fit(today + dt.timedelta(days=count * (7 if span["unit"] == "week" else 1)), today)
    match = _UNTIL.fullmatch(words)
    if match is None:
        return Unclear(f"Until when are you away? {_PLEASE}")
    found = _day(match["when"].removeprefix("the ").strip(), today)
    return found if isinstance(found, Unclear) else _fit(found, today)


def _fit(day: dt.date, today: dt.date) -> dt.date | Unclear:
    if day <= today:
        return Unclear(f"{_said(day)} is not after today: you would not be away at all. {_PLEASE}")
    if day > today + dt.timedelta(days=DAYS_MOST):
        return Unclear(f"{_said(day)} is more than a year ahead. {_PLEASE}")
    return day


def _day(when: str, today: dt.date) -> dt.date | Unclear:
    if when in ("tomorrow", "today"):
        return today + dt.timedelta(days=when == "tomorrow")
    weekday = _weekday(when.removeprefix("this "))
    if weekday is not None:
        return _next(weekday, today)
    if when.startswith("next ") and _weekday(when.removeprefix("next ")) is not None:
        first = _next(_named_weekday(when.removeprefix("next ")), today)
        second = first + dt.timedelta(days=7)
        return Unclear(f"“{when}” could be {_said(first)} or {_said(second)}: write {first} or {second}.")
    named = _NAMED.fullmatch(when)
    if named and _weekday(named["name"]) is not None:
        found = _date(named["rest"], today)
        if isinstance(found, dt.date) and found.weekday() != _weekday(named["name"]):
            return Unclear(f"{_said(found)} is no {_DAY_NAMES[_named_weekday(named['name'])].title()}. {_PLEASE}")
        return found
    return _date(when, today)


def _date(when: str, today: dt.date) -> dt.date | Unclear:
    match = _ISO.fullmatch(when)
    if match:
        return _made(int(match["year"]), int(match["month"]), int(match["day"]), when)
    match = _DOTTED.fullmatch(when)
    if match:
        return _dated(match["year"], int(match["month"]), int(match["day"]), when, today)
    match = _SLASHED.fullmatch(when)
    if match:
        return _slashed(match, when, today)
    for pattern in _WORDED:
        match = pattern.fullmatch(when)
        if match and _month(match["name"]):
            return _dated(match["year"], _month(match["name"]), int(match["day"]), when, today)
    return Unclear(f"“{when}” is no day that is understood here. {_PLEASE}")


def _slashed(match: re.Match[str], when: str, today: dt.date) -> dt.date | Unclear:
    """Day and month, or month and day: who writes so means one of them, and which depends on where they live."""
    first, second = int(match["first"]), int(match["second"])
    if first > 12 or first == second:
        return _dated(match["year"], second, first, when, today)
    if second > 12:
        return _dated(match["year"], first, second, when, today)
    one = _dated(match["year"], second, first, when, today)
    other = _dated(match["year"], first, second, when, today)
    if isinstance(one, Unclear) or isinstance(other, Unclear):
        return Unclear(f"“{when}” could be read in two ways. {_PLEASE}")
    return Unclear(f"“{when}” could be {_said(one)} or {_said(other)}: write {one} or {other}.")


def _dated(year: str | None, month: int, day: int, when: str, today: dt.date) -> dt.date | Unclear:
    """The date; without a year the first that is after today."""
    if year:
        return _made(int(year) + (2000 if len(year) == 2 else 0), month, day, when)
    for candidate in range(today.year, today.year + 9):
        made = _made(candidate, month, day, when)
        if isinstance(made, dt.date) and made > today:
            return made
    return _made(today.year, month, day, when)


def _made(year: int, month: int, day: int, when: str) -> dt.date | Unclear:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return Unclear(f"There is no day “{when}”. {_PLEASE}")


def _month(name: str) -> int:
    """Its number, 0 for a word that is no month."""
    short = "sep" if name == "sept" else name
    if short in _MONTHS:
        return _MONTHS.index(short) + 1
    return _MONTH_NAMES.index(name) + 1 if name in _MONTH_NAMES else 0


def _weekday(name: str) -> int | None:
    name = name.rstrip(".")
    for number, full in enumerate(_DAY_NAMES):
        if name == full or (name in (full[:3], full[:4], full[:5]) and len(name) < 6):
            return number
    return None


def _named_weekday(name: str) -> int:
    number = _weekday(name)
    assert number is not None
    return number


def _next(weekday: int, today: dt.date) -> dt.date:
    return today + dt.timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _said(day: dt.date) -> str:
    return f"{_DAY_NAMES[day.weekday()].title()} {day.day} {_MONTH_NAMES[day.month - 1].title()} {day.year}"
