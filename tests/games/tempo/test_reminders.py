"""Reminders: half and nine tenths of the time that counts."""

from datetime import UTC, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from games.tempo.calendars import Calendar, counted, deadline
from games.tempo.reminders import reminders
from tests.games.tempo.walking import SETTINGS, calendars, caps, starts

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_without_pauses_they_are_parts_of_the_elapsed_time() -> None:
    due = NOON + timedelta(hours=20)
    found = reminders(opened_at=NOON, due_at=due, calendar=Calendar("UTC"), pause_cap_minutes=0)
    assert found == (NOON + timedelta(hours=10), NOON + timedelta(hours=18))


def test_they_are_parts_of_the_time_that_counts() -> None:
    calendar = Calendar("Europe/Berlin", (time(22), time(6)))
    opened = datetime.fromisoformat("2026-03-28 18:00+01:00")
    due = deadline(start=opened, minutes=20 * 60, calendar=calendar, pause_cap_minutes=4320).due_at
    found = reminders(opened_at=opened, due_at=due, calendar=calendar, pause_cap_minutes=4320)
    # Four hours before the night of the change, six after it; then eight more.
    assert found == tuple(map(datetime.fromisoformat, ("2026-03-29 12:00+02:00", "2026-03-29 20:00+02:00")))


def test_a_deadline_that_is_put_off_has_later_ones() -> None:
    first, later = (
        reminders(opened_at=NOON, due_at=NOON + timedelta(hours=hours), calendar=Calendar("UTC"), pause_cap_minutes=0)
        for hours in (10, 20)
    )
    assert all(a < b for a, b in zip(first, later, strict=True))


@SETTINGS
@given(st.data(), calendars(), st.integers(1, 500_000), caps)
def test_they_come_in_order_within_the_decision(
    data: st.DataObject, calendar: Calendar, seconds: int, cap: int
) -> None:
    opened = data.draw(starts(calendar.zone))
    due = deadline(start=opened, minutes=0, seconds=seconds, calendar=calendar, pause_cap_minutes=cap).due_at
    half, most = reminders(opened_at=opened, due_at=due, calendar=calendar, pause_cap_minutes=cap)
    assert opened <= half <= most <= due
    whole = counted(opened, due, calendar, pause_cap_minutes=cap)
    assert counted(opened, half, calendar, pause_cap_minutes=cap) >= whole // 2
    assert counted(opened, most, calendar, pause_cap_minutes=cap) >= whole * 9 // 10
