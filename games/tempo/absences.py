"""Absences: how often a player was away, told from the decisions that lapsed.

- Only real choices count: nobody is away who was asked for nothing.
- A lapse does not count if more than half of the time from its opening to its deadline lies in intervals that are not
  the player's fault (the server was down; our mail to the player failed). Intervals that overlap are one. A lapse of no
  length does not count if it lies in one.
- Of the rest, lapses that overlap in time are one absence, over all of a player's races: the number is that of the
  most lapses of which no two overlap. So a month's silence in a daily race is many absences, even if one long question
  of another race spans them all, and a further lapse never makes the number smaller. Where one ends as another begins
  they do not overlap.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True)
class Interval:
    """Aware instants, kept in UTC; ``start`` no later than ``end``. Raises ValueError."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        # Local times of one zone are compared by their readings, which run backwards in autumn.
        for field in ("start", "end"):
            at: datetime = getattr(self, field)
            if at.tzinfo is None:
                raise ValueError(f"An interval needs times with a zone; its {field} is {at}.")
            object.__setattr__(self, field, at.astimezone(UTC))
        if self.end < self.start:
            raise ValueError(f"An interval ends at its start or later; {self.end} is before {self.start}.")


@dataclass(frozen=True)
class Lapse:
    """A decision that was answered with its default: from its opening to its deadline."""

    asked: Interval
    is_real: bool


def absences(lapses: Iterable[Lapse], *, excluded: Iterable[Interval] = ()) -> int:
    """The number of a player's absences in all of their races."""
    out = joined(excluded)
    number = 0
    free_from: datetime | None = None
    # Taking what ends first leaves room for the most others.
    for asked in sorted((one.asked for one in lapses if one.is_real), key=lambda asked: (asked.end, asked.start)):
        if is_excluded(asked, out) or (free_from is not None and asked.start < free_from):
            continue
        number += 1
        free_from = asked.end
    return number


def joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """The same time as intervals that neither overlap nor touch, in order."""
    found: list[Interval] = []
    for one in sorted(intervals, key=lambda one: one.start):
        if found and one.start <= found[-1].end:
            found[-1] = Interval(found[-1].start, max(found[-1].end, one.end))
        else:
            found.append(one)
    return tuple(found)


def is_excluded(asked: Interval, excluded: Iterable[Interval]) -> bool:
    """Whether more than half of this time lies in the excluded intervals, of which no two overlap."""
    if asked.start == asked.end:
        return any(one.start <= asked.start <= one.end for one in excluded)
    covered = sum(
        (max(timedelta(), min(one.end, asked.end) - max(one.start, asked.start)) for one in excluded), timedelta()
    )
    return 2 * covered > asked.end - asked.start
