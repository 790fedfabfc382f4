"""Absences: which lapses count, and which are one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.tempo.absences import Interval, Lapse, absences, joined
from tests.games.tempo.walking import SETTINGS

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def hours(start: float, end: float) -> Interval:
    return Interval(NOON + start * HOUR, NOON + end * HOUR)


def lapse(start: float, end: float, *, is_real: bool = True) -> Lapse:
    return Lapse(hours(start, end), is_real)


@pytest.mark.parametrize(
    ("lapses", "number"),
    [
        ([], 0),
        ([lapse(0, 24)], 1),
        ([lapse(0, 24), lapse(0, 24)], 1),
        ([lapse(0, 24), lapse(23, 30)], 1),
        ([lapse(0, 24), lapse(24, 48)], 2),
        ([lapse(0, 72), lapse(5, 6), lapse(20, 30)], 2),
        # One long question does not hide that three others were missed in turn.
        ([lapse(0, 72), lapse(0, 24), lapse(24, 48), lapse(48, 72)], 3),
        # A chain: the first and the last do not overlap.
        ([lapse(0, 10), lapse(8, 20), lapse(18, 30)], 2),
        ([lapse(0, 24, is_real=False)], 0),
        ([lapse(0, 24), lapse(30, 40, is_real=False), lapse(50, 60)], 2),
    ],
)
def test_lapses_that_overlap_are_one_absence(lapses: list[Lapse], number: int) -> None:
    assert absences(lapses) == number


@pytest.mark.parametrize(
    ("excluded", "number"),
    [
        ([], 1),
        ([hours(-5, 30)], 0),
        ([hours(0, 24)], 0),
        ([hours(0, 13)], 0),
        ([hours(0, 12)], 1),  # Half is not more than half.
        ([hours(0, 7), hours(10, 16)], 0),
        ([hours(0, 8), hours(2, 10)], 1),  # What overlaps is not added up.
        ([hours(20, 60)], 1),
        ([hours(30, 60)], 1),
    ],
)
def test_a_lapse_that_mostly_lies_in_an_outage_does_not_count(excluded: list[Interval], number: int) -> None:
    assert absences([lapse(0, 24)], excluded=excluded) == number


def test_an_excluded_lapse_does_not_take_others_with_it() -> None:
    assert absences([lapse(0, 10), lapse(5, 40)], excluded=[hours(0, 10)]) == 1
    assert absences([lapse(0, 10), lapse(5, 40), lapse(41, 50)], excluded=[hours(0, 10)]) == 2


def test_a_lapse_of_no_length_counts_unless_it_lies_in_an_outage() -> None:
    assert absences([lapse(5, 5)]) == 1
    assert absences([lapse(5, 5)], excluded=[hours(4, 6)]) == 0


def test_intervals_are_joined_where_they_touch() -> None:
    assert joined([hours(5, 6), hours(0, 2), hours(2, 3), hours(1, 2)]) == (hours(0, 3), hours(5, 6))


def test_an_interval_does_not_end_before_it_begins() -> None:
    with pytest.raises(ValueError, match="ends at its start or later"):
        hours(2, 1)


def test_an_interval_over_the_hour_that_occurs_twice_is_as_long_as_it_lasted() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    one = Interval(datetime(2026, 10, 25, 2, 45, tzinfo=berlin), datetime(2026, 10, 25, 2, 15, tzinfo=berlin, fold=1))
    assert one.end - one.start == timedelta(minutes=30)
    assert joined([one, Interval(one.end, one.end + HOUR)]) == (Interval(one.start, one.end + HOUR),)


def test_an_interval_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="its end is 2026-06-01 12:00:00"):
        Interval(NOON, NOON.replace(tzinfo=None))


spans = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda one: hours(one[0], one[0] + one[1]))
few = st.lists(st.builds(Lapse, spans, st.booleans()), max_size=7)


def most_apart(lapses: Sequence[Lapse]) -> int:
    """The largest number of real lapses of which no two overlap, found by trying all."""
    real = [one.asked for one in lapses if one.is_real]
    return max(
        number
        for number in range(len(real) + 1)
        for some in combinations(real, number)
        if all(a.end <= b.start or b.end <= a.start for a, b in combinations(some, 2))
    )


@SETTINGS
@given(few)
def test_the_number_is_that_of_the_most_lapses_apart(lapses: list[Lapse]) -> None:
    assert absences(lapses) == most_apart(lapses)


@SETTINGS
@given(few, st.lists(spans, max_size=3), st.data())
def test_a_further_lapse_never_makes_it_fewer_and_a_further_outage_never_more(
    lapses: list[Lapse], excluded: list[Interval], data: st.DataObject
) -> None:
    number = absences(lapses, excluded=excluded)
    assert absences([*lapses, data.draw(st.builds(Lapse, spans, st.booleans()))], excluded=excluded) >= number
    assert absences(lapses, excluded=[*excluded, data.draw(spans)]) <= number
    assert absences(data.draw(st.permutations(lapses)), excluded=data.draw(st.permutations(excluded))) == number
