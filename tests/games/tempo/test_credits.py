"""Outage credit: what a gap is, who is owed it, and that it is granted once."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.tempo.absences import Interval
from games.tempo.calendars import Calendar, CalendarRefused
from games.tempo.credits import CREDIT_WINDOW_S, Credit, credits_owed, gaps
from tests.games.tempo.walking import SETTINGS, calendars, caps, starts

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
PLAIN = Calendar("UTC")


def hours(start: float, end: float) -> Interval:
    return Interval(NOON + start * HOUR, NOON + end * HOUR)


def owed(
    opened: float,
    due: float,
    *outages: Interval,
    calendar: Calendar = PLAIN,
    granted: tuple[str, ...] = (),
) -> tuple[Credit, ...]:
    return credits_owed(
        decision="7",
        opened_at=NOON + opened * HOUR,
        due_at=NOON + due * HOUR,
        outages=outages,
        calendar=calendar,
        pause_cap_minutes=7 * 1440,
        granted=granted,
    )


def test_a_gap_is_a_silence_longer_than_the_threshold() -> None:
    beats = [NOON + minute * MINUTE for minute in (0, 1, 2, 7, 8, 14, 15)]
    assert gaps(beats) == (Interval(NOON + 8 * MINUTE, NOON + 14 * MINUTE),)
    assert gaps(beats, threshold_s=299) == (
        Interval(NOON + 2 * MINUTE, NOON + 7 * MINUTE),
        Interval(NOON + 8 * MINUTE, NOON + 14 * MINUTE),
    )


def test_beats_may_come_in_any_order_and_twice() -> None:
    beats = [NOON + minute * MINUTE for minute in (0, 20, 21)]
    assert gaps([*reversed(beats), *beats]) == gaps(beats) == (Interval(NOON, NOON + 20 * MINUTE),)


def test_local_times_are_taken_for_what_they_are() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    beats = [datetime(2026, 10, 25, 2, 50, tzinfo=berlin), datetime(2026, 10, 25, 2, 10, tzinfo=berlin, fold=1)]
    (gap,) = gaps(beats)
    assert gap.end - gap.start == 20 * MINUTE
    found = credits_owed(
        decision="7",
        opened_at=datetime(2026, 10, 25, 2, 55, tzinfo=berlin),
        due_at=datetime(2026, 10, 25, 2, 5, tzinfo=berlin, fold=1),
        outages=[gap],
        calendar=PLAIN,
        pause_cap_minutes=0,
    )
    assert [(one.seconds, one.due_at) for one in found] == [(900, datetime(2026, 10, 25, 1, 20, tzinfo=UTC))]


def test_times_without_a_zone_are_refused() -> None:
    naive = NOON.replace(tzinfo=None)
    with pytest.raises(CalendarRefused, match="without a zone"):
        gaps([NOON, naive])
    with pytest.raises(CalendarRefused) as refused:
        credits_owed(decision="7", opened_at=NOON, due_at=naive, outages=[], calendar=PLAIN, pause_cap_minutes=0)
    assert refused.value.field == "due_at"


def test_without_two_beats_there_is_no_gap() -> None:
    assert gaps([]) == gaps([NOON]) == ()


@pytest.mark.parametrize(
    ("opened", "due", "credited"),
    [
        (-10, -1, 0),  # Over before it.
        (-10, 0, 4),
        (-10, 3, 4),
        (-10, 4, 4),
        (-10, 16, 4),  # The window's last instant,
        (-10, 16.1, 0),  # and past it.
        (1, 3, 3),  # Opened while it lasted: only from then on.
        (4, 10, 0),  # Opened when it was over.
        (5, 10, 0),
    ],
)
def test_who_is_owed_an_outage(opened: float, due: float, credited: float) -> None:
    found = owed(opened, due, hours(0, 4))
    assert sum(one.seconds for one in found) == credited * 3600
    assert [one.due_at for one in found] == [NOON + (due + credited) * HOUR] * bool(credited)


def test_a_broken_second_is_credited_whole() -> None:
    (one,) = owed(-10, 1, Interval(NOON, NOON + HOUR + timedelta(milliseconds=1)))
    assert one.seconds == 3601


def test_the_window_is_half_a_day() -> None:
    assert CREDIT_WINDOW_S == 12 * 3600


def test_a_credit_lands_on_the_grid() -> None:
    calendar = Calendar("Europe/Berlin", (time(22), time(6)))
    # Due at 21:00 local, four hours more: one before the night and three after it.
    found = owed(-10, 7, hours(0, 4), calendar=calendar)
    assert found[0].due_at == datetime.fromisoformat("2026-06-02 09:00+02:00")
    assert "not counted: quiet hours (22:00 to 06:00)" in found[0].rule


def test_a_credit_may_bring_a_deadline_into_a_later_outage() -> None:
    first, second = hours(0, 4), hours(5, 7)
    assert [one.seconds for one in owed(-10, 2, second)] == []
    found = owed(-10, 2, second, first)
    assert [one.gap for one in found] == [first, second]
    assert found[-1].due_at == NOON + 8 * HOUR


def test_what_was_granted_is_not_owed_again() -> None:
    first, second = hours(0, 4), hours(5, 7)
    both = owed(-10, 2, first, second)
    assert owed(-10, 6, first, second, granted=(both[0].key,)) == both[1:]
    assert owed(-10, 8, first, second, granted=tuple(one.key for one in both)) == ()


def test_the_key_names_the_gap_and_the_decision() -> None:
    keys = {one.key for one in owed(-10, 2, hours(0, 4), hours(5, 7))}
    assert keys == {"credit/7/2026-06-01T12:00:00+00:00", "credit/7/2026-06-01T17:00:00+00:00"}


@SETTINGS
@given(st.data(), calendars(), caps)
def test_granted_at_once_or_one_by_one_it_is_the_same_and_never_less_time(
    data: st.DataObject, calendar: Calendar, cap: int
) -> None:
    opened = data.draw(starts(calendar.zone))
    due = opened + data.draw(st.integers(1, 300_000)) * timedelta(seconds=1)
    steps = data.draw(st.lists(st.sampled_from([1, 1, 1, 7, 90, 600]), min_size=2, max_size=12))
    beats = [opened - HOUR]
    for step in steps:
        beats.append(beats[-1] + step * 10 * MINUTE)
    outages = gaps(beats, threshold_s=601)

    def ask(until: int, at: datetime, granted: tuple[str, ...]) -> tuple[Credit, ...]:
        return credits_owed(
            decision="x",
            opened_at=opened,
            due_at=at,
            outages=outages[:until],
            calendar=calendar,
            pause_cap_minutes=cap,
            granted=granted,
        )

    at_once = ask(len(outages), due, ())
    one_by_one: list[Credit] = []
    for until in range(len(outages) + 1):
        last = one_by_one[-1].due_at if one_by_one else due
        one_by_one += ask(until, last, tuple(one.key for one in one_by_one))
    assert tuple(one_by_one) == at_once
    assert [due, *(one.due_at for one in at_once)] == sorted({due, *(one.due_at for one in at_once)})
