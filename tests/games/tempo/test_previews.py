"""What the lobby shows of a tempo: a seat's next deadlines in its own time."""

from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.tempo.calendars import Calendar, deadline
from games.tempo.previews import NUMBER, Mark, marks, next_deadlines
from games.tempo.tempos import TEMPOS
from tests.games.tempo.walking import SETTINGS, calendars, caps, lengths, starts

NIGHT = (time(22), time(6))


def test_ten_deadlines_keep_their_local_hour_over_a_clock_change() -> None:
    daily = TEMPOS["daily"]
    start = datetime(2026, 3, 24, 17, tzinfo=UTC)
    found = next_deadlines(
        start=start, minutes=daily.turn, calendar=Calendar("Europe/Berlin"), pause_cap_minutes=daily.pause_cap
    )
    assert len(found) == NUMBER == 10
    assert {f"{one.due_at:%H:%M}" for one in found} == {"18:00"}
    assert [f"{one.due_at:%d %z}" for one in found[3:6]] == ["28 +0100", "29 +0200", "30 +0200"]
    assert [one.asked_at for one in found[1:]] == [one.due_at for one in found[:-1]]


def test_a_seat_with_free_weekends_is_due_on_working_days() -> None:
    calendar = Calendar("America/New_York", NIGHT, frozenset({5, 6}))
    daily = TEMPOS["daily"]
    found = next_deadlines(
        start=datetime(2026, 6, 5, 22, tzinfo=UTC),
        minutes=daily.turn,
        calendar=calendar,
        pause_cap_minutes=daily.pause_cap,
    )
    assert [f"{one.due_at:%a %H:%M}" for one in found[:3]] == ["Tue 10:00", "Wed 18:00", "Fri 10:00"]
    # Friday night, Saturday, Sunday and Monday's small hours; another night.
    assert found[0].paused_s == (2 + 48 + 6 + 8) * 3600
    assert all(one.marks == () for one in found)
    assert "not counted: quiet hours (22:00 to 06:00), days off (Saturday, Sunday)" in found[0].rule


def test_a_deadline_in_the_night_is_marked_where_nights_count() -> None:
    found = next_deadlines(
        start=datetime(2026, 6, 1, 12, tzinfo=UTC), minutes=8 * 60, calendar=Calendar("UTC"), pause_cap_minutes=0
    )
    assert [(one.due_at.hour, one.marks) for one in found[:3]] == [(20, ()), (4, ("night",)), (12, ())]


@pytest.mark.parametrize(
    ("calendar", "at", "expected"),
    [
        (Calendar("UTC"), "2026-06-01 22:00", ()),
        (Calendar("UTC"), "2026-06-01 22:01", ("night",)),
        (Calendar("UTC"), "2026-06-02 06:00", ("night",)),
        (Calendar("UTC", (time(1), time(9))), "2026-06-01 23:00", ()),
        (Calendar("UTC", (time(1), time(9))), "2026-06-02 08:00", ("night",)),
        (Calendar("UTC", days_off=frozenset({1})), "2026-06-02 03:00", ("night", "day off")),
        (Calendar("UTC", holidays=((date(2026, 6, 2), date(2026, 6, 2)),)), "2026-06-02 12:00", ("holiday",)),
    ],
)
def test_what_a_deadline_falls_into(calendar: Calendar, at: str, expected: tuple[Mark, ...]) -> None:
    assert marks(datetime.fromisoformat(at).replace(tzinfo=UTC), calendar) == expected


@SETTINGS
@given(st.data(), calendars(), lengths(2880), caps)
def test_the_previews_are_the_deadlines_themselves(
    data: st.DataObject, calendar: Calendar, minutes: int, cap: int
) -> None:
    start = data.draw(starts(calendar.zone))
    found = next_deadlines(start=start, minutes=minutes, calendar=calendar, pause_cap_minutes=cap, number=3)
    # In UTC: while an hour occurs a second time no local time equals one of another zone (PEP 495).
    assert found[0].asked_at.astimezone(UTC) == start
    for one in found:
        made = deadline(start=one.asked_at, minutes=minutes, calendar=calendar, pause_cap_minutes=cap)
        assert (one.due_at.astimezone(UTC), one.rule) == (made.due_at, made.rule)
        assert one.due_at.tzinfo is calendar.tz
        assert 0 <= one.paused_s <= cap * 60
