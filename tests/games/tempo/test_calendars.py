"""Calendars: deadlines by the local clock, what counts and what does not, and that time never runs backwards."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from games.tempo.calendars import (
    Calendar,
    CalendarRefused,
    counted,
    deadline,
    length_text,
    paused,
    postponed,
)
from tests.games.tempo.walking import SETTINGS, calendars, caps, changes, lengths, starts, walked

H = 60
NIGHT = (time(22), time(6))
WEEKEND = frozenset({5, 6})
WEEK = 7 * 24 * H


def due(calendar: Calendar, start: str, minutes: int, cap: int = WEEK) -> datetime:
    """The deadline of a time that begins at a local time, or at one with an offset."""
    at = datetime.fromisoformat(start)
    begin = at if at.tzinfo else at.replace(tzinfo=ZoneInfo(calendar.zone))
    return deadline(start=begin, minutes=minutes, calendar=calendar, pause_cap_minutes=cap).due_at


# --- clock changes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "start", "expected"),
    [
        ("Europe/Berlin", "2026-03-27 18:00", "2026-03-30 18:00+02:00"),
        ("Europe/Berlin", "2026-10-23 18:00", "2026-10-26 18:00+01:00"),
        ("America/New_York", "2026-03-06 18:00", "2026-03-09 18:00-04:00"),
        ("America/New_York", "2026-10-30 18:00", "2026-11-02 18:00-05:00"),
        ("Australia/Lord_Howe", "2026-10-02 18:00", "2026-10-05 18:00+11:00"),
        ("Australia/Lord_Howe", "2026-04-03 18:00", "2026-04-06 18:00+10:30"),
        ("America/Santiago", "2026-09-04 18:00", "2026-09-07 18:00-03:00"),
        ("America/Santiago", "2026-04-03 18:00", "2026-04-06 18:00-04:00"),
        ("Asia/Beirut", "2026-03-27 18:00", "2026-03-30 18:00+03:00"),
        ("Asia/Beirut", "2026-10-23 18:00", "2026-10-26 18:00+02:00"),
    ],
)
def test_three_days_from_friday_evening_are_monday_evening(zone: str, start: str, expected: str) -> None:
    assert due(Calendar(zone), start, 72 * H) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("zone", "start", "expected"),
    [
        ("Europe/Berlin", "2026-03-28 02:30", "2026-03-29 03:00+02:00"),
        ("America/New_York", "2026-03-07 02:30", "2026-03-08 03:00-04:00"),
        ("Australia/Lord_Howe", "2026-10-03 02:15", "2026-10-04 02:30+11:00"),
        ("America/Santiago", "2026-09-05 00:30", "2026-09-06 01:00-03:00"),
        ("Asia/Beirut", "2026-03-28 00:30", "2026-03-29 01:00+03:00"),
    ],
)
def test_an_hour_that_does_not_exist_is_the_first_instant_after_it(zone: str, start: str, expected: str) -> None:
    assert due(Calendar(zone), start, 24 * H) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("zone", "start", "expected"),
    [
        ("Europe/Berlin", "2026-10-24 02:30", "2026-10-25 02:30+02:00"),
        ("America/New_York", "2026-10-31 01:30", "2026-11-01 01:30-04:00"),
        ("Australia/Lord_Howe", "2026-04-04 01:45", "2026-04-05 01:45+11:00"),
        ("America/Santiago", "2026-04-03 23:30", "2026-04-04 23:30-03:00"),
        ("Asia/Beirut", "2026-10-23 23:30", "2026-10-24 23:30+03:00"),
    ],
)
def test_an_hour_that_occurs_twice_is_its_first_passage(zone: str, start: str, expected: str) -> None:
    assert due(Calendar(zone), start, 24 * H) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("start", "minutes", "expected"),
    [
        ("2026-10-25 02:30+01:00", 24 * H, "2026-10-26 03:00+01:00"),
        ("2026-10-25 02:59+02:00", 24 * H, "2026-10-26 02:59+01:00"),
        ("2026-10-25 02:30+01:00", 30, "2026-10-25 03:00+01:00"),
        ("2026-10-25 02:30+01:00", 0, "2026-10-25 02:30+01:00"),
    ],
)
def test_a_start_in_the_second_passage_counts_its_days_from_the_end(start: str, minutes: int, expected: str) -> None:
    assert due(Calendar("Europe/Berlin"), start, minutes) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("start", "minutes", "expected"),
    [
        ("2026-03-29 01:55+01:00", 10, "2026-03-29 03:05+02:00"),
        ("2026-10-25 02:55+02:00", 10, "2026-10-25 02:05+01:00"),
        ("2026-03-28 18:00+01:00", 22 * H, "2026-03-29 17:00+02:00"),
        ("2026-03-28 18:00+01:00", 23 * H + 30, "2026-03-29 18:00+02:00"),  # No later than a whole day.
        ("2026-03-28 18:00+01:00", 24 * H, "2026-03-29 18:00+02:00"),
        ("2026-10-24 18:00+02:00", 23 * H, "2026-10-25 16:00+01:00"),
        ("2026-10-24 18:00+02:00", 24 * H, "2026-10-25 18:00+01:00"),
        ("2026-10-24 18:00+02:00", 25 * H, "2026-10-25 19:00+01:00"),
    ],
)
def test_what_is_less_than_a_day_is_elapsed_time(start: str, minutes: int, expected: str) -> None:
    assert due(Calendar("Europe/Berlin"), start, minutes) == datetime.fromisoformat(expected)
    # Pauses that lie elsewhere change nothing.
    assert due(Calendar("Europe/Berlin", None, frozenset({2})), start, minutes) == datetime.fromisoformat(expected)


# --- pauses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calendar", "start", "hours", "expected"),
    [
        # Nights over both changes: eight hours are two before the night and six after it.
        (Calendar("Europe/Berlin", NIGHT), "2026-03-28 20:00", 8, "2026-03-29 12:00+02:00"),
        (Calendar("Europe/Berlin", NIGHT), "2026-10-24 20:00", 8, "2026-10-25 12:00+01:00"),
        (Calendar("Europe/Berlin", NIGHT), "2026-03-28 20:00", 24, "2026-03-30 12:00+02:00"),
        (Calendar("America/New_York", NIGHT), "2026-10-31 20:00", 8, "2026-11-01 12:00-05:00"),
        (Calendar("Australia/Lord_Howe", NIGHT), "2026-10-03 20:00", 8, "2026-10-04 12:00+11:00"),
        # Asked in the night.
        (Calendar("Europe/Berlin", NIGHT), "2026-06-02 01:00", 1, "2026-06-02 07:00+02:00"),
        (Calendar("Europe/Berlin", NIGHT), "2026-06-01 23:00", 1, "2026-06-02 07:00+02:00"),
        # Quiet hours by day.
        (Calendar("Europe/Berlin", (time(9), time(17))), "2026-06-02 08:00", 2, "2026-06-02 18:00+02:00"),
        # Quiet hours that end in the hour that does not exist, and in the one that occurs twice.
        (Calendar("Europe/Berlin", (time(22), time(2, 30))), "2026-03-28 21:00", 2, "2026-03-29 04:00+02:00"),
        (Calendar("Europe/Berlin", (time(22), time(2, 30))), "2026-10-24 21:00", 2, "2026-10-25 02:30+01:00"),
        # Time that is used up when a pause begins is due then.
        (Calendar("Europe/Berlin", NIGHT), "2026-06-02 20:00", 2, "2026-06-02 22:00+02:00"),
        # Weekends and holidays over a change.
        (Calendar("Europe/Berlin", None, WEEKEND), "2026-03-27 18:00", 72, "2026-04-01 18:00+02:00"),
        (Calendar("Europe/Berlin", None, WEEKEND), "2026-10-23 18:00", 72, "2026-10-28 18:00+01:00"),
        (Calendar("America/New_York", None, WEEKEND), "2026-03-06 18:00", 8, "2026-03-09 02:00-04:00"),
        (
            Calendar("Europe/Berlin", None, frozenset(), ((date(2026, 3, 28), date(2026, 3, 30)),)),
            "2026-03-27 18:00",
            24,
            "2026-03-31 18:00+02:00",
        ),
        (
            Calendar("Australia/Lord_Howe", NIGHT, WEEKEND, ((date(2026, 4, 6), date(2026, 4, 6)),)),
            "2026-04-03 21:00",
            8,
            "2026-04-07 13:00+10:30",
        ),
        # Days that begin or end with a change at midnight: 23 hours of Sunday, 25 of Saturday.
        (Calendar("America/Santiago", None, frozenset({6})), "2026-09-05 23:00", 2, "2026-09-07 01:00-03:00"),
        (Calendar("America/Santiago", None, frozenset({5})), "2026-04-03 23:00", 2, "2026-04-05 01:00-04:00"),
        (Calendar("Asia/Beirut", None, frozenset({6})), "2026-03-28 12:00", 13, "2026-03-30 01:00+03:00"),
        (Calendar("Asia/Beirut", None, frozenset({5})), "2026-10-23 12:00", 13, "2026-10-25 01:00+02:00"),
        (Calendar("Asia/Beirut", None, frozenset({5})), "2026-10-24 23:30+02:00", 1, "2026-10-25 01:00+02:00"),
    ],
)
def test_pauses_do_not_count(calendar: Calendar, start: str, hours: int, expected: str) -> None:
    assert due(calendar, start, hours * H) == datetime.fromisoformat(expected)


def test_pauses_count_once_they_have_reached_the_cap() -> None:
    away = Calendar("Europe/Berlin", holidays=((date(2026, 6, 2), date(2026, 6, 30)),))
    assert due(away, "2026-06-01 12:00", 24 * H, cap=48 * H) == datetime.fromisoformat("2026-06-04 12:00+02:00")
    assert due(away, "2026-06-01 12:00", 24 * H, cap=0) == datetime.fromisoformat("2026-06-02 12:00+02:00")
    assert due(away, "2026-06-01 12:00", 12 * H, cap=0) == due(away, "2026-06-01 12:00", 12 * H, cap=48 * H)


def test_the_cap_holds_for_all_pauses_of_a_decision_together() -> None:
    # Friday 20:00: 2 h; 56 h of weekend with its nights; Monday 06:00 to 22:00: 16 h; 8 h; the rest on Tuesday.
    calendar = Calendar("Europe/Berlin", NIGHT, WEEKEND)
    expected = {64: "2026-06-09 08:00+02:00", 60: "2026-06-09 04:00+02:00", 56: "2026-06-09 00:00+02:00"}
    for cap, at in expected.items():
        assert due(calendar, "2026-06-05 20:00", 20 * H, cap=cap * H) == datetime.fromisoformat(at)


def test_a_cap_holds_over_a_clock_change_by_the_local_clock() -> None:
    away = Calendar("Europe/Berlin", holidays=((date(2026, 3, 1), date(2026, 4, 30)),))
    assert due(away, "2026-03-27 18:00", 24 * H, cap=48 * H) == datetime.fromisoformat("2026-03-30 18:00+02:00")


# --- what counted -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calendar", "start", "end", "hours"),
    [
        (Calendar("Europe/Berlin"), "2026-03-27 18:00+01:00", "2026-03-30 18:00+02:00", 72),
        (Calendar("Europe/Berlin"), "2026-03-29 01:30+01:00", "2026-03-29 03:30+02:00", 1),
        (Calendar("Europe/Berlin"), "2026-10-25 02:30+02:00", "2026-10-25 02:30+01:00", 1),
        (Calendar("Europe/Berlin", NIGHT), "2026-06-01 20:00+02:00", "2026-06-02 07:00+02:00", 3),
        (Calendar("Europe/Berlin", NIGHT), "2026-06-01 23:00+02:00", "2026-06-02 05:00+02:00", 0),
        (Calendar("Europe/Berlin", None, WEEKEND), "2026-10-23 18:00+02:00", "2026-10-26 18:00+01:00", 24),
        (Calendar("Europe/Berlin"), "2026-06-01 20:00+02:00", "2026-06-01 19:00+02:00", 0),
    ],
)
def test_what_counted_between_two_instants(calendar: Calendar, start: str, end: str, hours: int) -> None:
    between = (datetime.fromisoformat(start), datetime.fromisoformat(end))
    assert counted(*between, calendar, pause_cap_minutes=WEEK) == hours * 3600


def test_a_day_is_not_over_in_the_second_passage_of_the_hour_before_its_end() -> None:
    start, second, over = (
        datetime.fromisoformat(at)
        for at in ("2026-10-24 03:00+02:00", "2026-10-25 02:30+01:00", "2026-10-25 03:00+01:00")
    )
    assert counted(start, second, Calendar("Europe/Berlin"), pause_cap_minutes=0) == 86_399
    assert counted(start, over, Calendar("Europe/Berlin"), pause_cap_minutes=0) == 86_400


def test_what_was_paused_is_what_is_missing_up_to_the_cap() -> None:
    calendar = Calendar("UTC", NIGHT)
    between = (datetime(2026, 6, 1, 20, tzinfo=UTC), datetime(2026, 6, 3, 7, tzinfo=UTC))
    assert paused(*between, calendar, pause_cap_minutes=WEEK) == 16 * 3600
    assert paused(*between, calendar, pause_cap_minutes=10 * H) == 10 * 3600
    assert counted(*between, calendar, pause_cap_minutes=10 * H) == 25 * 3600


def test_a_turn_that_is_asked_for_again_ends_as_if_it_had_not_been_interrupted() -> None:
    calendar = Calendar("Europe/Berlin", NIGHT, WEEKEND)
    start, again = (datetime(2026, 6, 5, hour, tzinfo=UTC) for hour in (10, 15))
    left = 72 * 3600 - counted(start, again, calendar, pause_cap_minutes=WEEK)
    later = deadline(start=again, minutes=0, seconds=left, calendar=calendar, pause_cap_minutes=WEEK)
    whole = deadline(start=start, minutes=72 * H, calendar=calendar, pause_cap_minutes=WEEK)
    assert later.due_at == whole.due_at


def test_more_time_lands_on_the_same_grid() -> None:
    calendar = Calendar("Europe/Berlin", NIGHT)
    opened = datetime.fromisoformat("2026-03-27 18:00+01:00")
    first = deadline(start=opened, minutes=48 * H, calendar=calendar, pause_cap_minutes=WEEK)
    later = postponed(
        opened_at=opened, due_at=first.due_at, seconds=24 * 3600, calendar=calendar, pause_cap_minutes=WEEK
    )
    whole = deadline(start=opened, minutes=72 * H, calendar=calendar, pause_cap_minutes=WEEK)
    assert later == whole


def test_the_calendar_says_why_time_does_not_count() -> None:
    calendar = Calendar("Europe/Berlin", NIGHT, WEEKEND, ((date(2026, 6, 9), date(2026, 6, 9)),))
    for local, why in {
        "2026-06-08 22:00+02:00": None,  # The counted stretch holds its end,
        "2026-06-08 22:01+02:00": "quiet",
        "2026-06-10 06:00+02:00": "quiet",  # and not its beginning.
        "2026-06-10 06:01+02:00": None,
        "2026-06-09 12:00+02:00": "holiday",
        "2026-06-07 12:00+02:00": "day off",
        "2026-06-07 00:00+02:00": "day off",
        "2026-06-08 00:00+02:00": "day off",
    }.items():
        assert calendar.pause_at(datetime.fromisoformat(local)) == why


# --- words ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calendar", "minutes", "cap", "rule"),
    [
        (Calendar("Europe/Berlin"), 72 * H, WEEK, "72 h"),
        (Calendar("Europe/Berlin", NIGHT), 4 * H, WEEK, "4 h"),
        (Calendar("Europe/Berlin", NIGHT), 5 * H, 0, "5 h"),
        # Due as the day off begins, which it does not touch.
        (Calendar("Europe/Berlin", None, WEEKEND), 6 * H, WEEK, "6 h"),
        (
            Calendar("Europe/Berlin", NIGHT, frozenset({6})),
            24 * H,
            WEEK,
            "24 h; not counted: quiet hours (22:00 to 06:00), days off (Sunday)",
        ),
        (
            Calendar("Europe/Berlin", holidays=((date(2026, 6, 6), date(2026, 6, 30)),)),
            25 * H,
            48 * H,
            "25 h; not counted: holidays; of the pauses 48 h, the most in this race",
        ),
    ],
)
def test_a_deadline_says_how_it_was_made(calendar: Calendar, minutes: int, cap: int, rule: str) -> None:
    start = datetime(2026, 6, 5, 16, tzinfo=UTC)
    length, _, rest = rule.partition(";")
    said = deadline(start=start, minutes=minutes, calendar=calendar, pause_cap_minutes=cap).rule
    assert said == f"{length} from Fri 5 Jun 2026, 18:00 (Europe/Berlin)" + (f";{rest}" if rest else "") + "."


def test_lengths_are_said_in_whole_units() -> None:
    assert [length_text(s) for s in (0, 59, 60, 3600, 5400, 90_061)] == [
        "0 min", "59 s", "1 min", "1 h", "1 h 30 min", "25 h 1 min 1 s",
    ]  # fmt: skip


# --- refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("zone", {"zone": "Europe/Entenhausen"}),
        ("zone", {"zone": "Europe"}),
        ("zone", {"zone": "../etc/passwd"}),
        ("zone", {"zone": ""}),
        ("quiet", {"zone": "UTC", "quiet": (time(7), time(7))}),
        ("quiet", {"zone": "UTC", "quiet": (time(7, tzinfo=UTC), time(8))}),
        ("quiet", {"zone": "UTC", "quiet": (time(7, 0, 0, 1), time(8))}),
        ("days_off", {"zone": "UTC", "days_off": frozenset(range(7))}),
        ("days_off", {"zone": "UTC", "days_off": frozenset({7})}),
        ("holidays", {"zone": "UTC", "holidays": ((date(2026, 6, 2), date(2026, 6, 1)),)}),
    ],
)
def test_a_calendar_that_cannot_be_is_refused_in_a_sentence(field: str, given: dict[str, object]) -> None:
    with pytest.raises(CalendarRefused) as refused:
        Calendar(**given)  # type: ignore[arg-type]
    assert refused.value.field == field
    assert str(refused.value).endswith(".")


def test_every_day_off_is_refused_with_what_to_do() -> None:
    with pytest.raises(CalendarRefused, match="Leave at least one"):
        Calendar("Europe/Berlin", days_off=frozenset(range(7)))


def test_times_that_cannot_be_are_refused() -> None:
    calendar, now = Calendar("UTC"), datetime(2026, 6, 1, tzinfo=UTC)
    naive = now.replace(tzinfo=None)
    asks: dict[str, Callable[[], object]] = {
        "start": lambda: deadline(start=naive, minutes=1, calendar=calendar, pause_cap_minutes=0),
        "minutes": lambda: deadline(start=now, minutes=-1, calendar=calendar, pause_cap_minutes=0),
        "pause_cap_minutes": lambda: deadline(start=now, minutes=1, calendar=calendar, pause_cap_minutes=-1),
        "end": lambda: counted(now, naive, calendar, pause_cap_minutes=0),
        "at": lambda: calendar.pause_at(naive),
    }
    for field, ask in asks.items():
        with pytest.raises(CalendarRefused) as refused:
            ask()
        assert refused.value.field == field
    with pytest.raises(CalendarRefused, match="never brought forward"):
        postponed(opened_at=now, due_at=now, seconds=-1, calendar=calendar, pause_cap_minutes=0)


# --- what always holds ------------------------------------------------------------------


def at(start: datetime, seconds: int, calendar: Calendar, cap: int) -> datetime:
    return deadline(start=start, minutes=0, seconds=seconds, calendar=calendar, pause_cap_minutes=cap).due_at


@SETTINGS
@given(st.data(), calendars(), lengths(), caps)
def test_a_later_start_never_gives_an_earlier_deadline(
    data: st.DataObject, calendar: Calendar, minutes: int, cap: int
) -> None:
    start = data.draw(starts(calendar.zone))
    later = start + data.draw(st.one_of(st.integers(0, 7200), st.integers(0, 400_000))) * timedelta(seconds=1)
    assert start <= at(start, minutes * 60, calendar, cap) <= at(later, minutes * 60, calendar, cap)


@SETTINGS
@given(st.data(), calendars(), lengths(), lengths(), caps)
def test_more_time_never_gives_an_earlier_deadline(
    data: st.DataObject, calendar: Calendar, minutes: int, more: int, cap: int
) -> None:
    start = data.draw(starts(calendar.zone))
    assert at(start, minutes * 60, calendar, cap) <= at(start, (minutes + more) * 60, calendar, cap)


@SETTINGS
@given(st.data(), calendars(), lengths(), caps)
def test_pauses_put_a_deadline_off_by_no_more_than_the_cap(
    data: st.DataObject, calendar: Calendar, minutes: int, cap: int
) -> None:
    start = data.draw(starts(calendar.zone))
    plain = calendar.without_pauses()
    assert at(start, minutes * 60, plain, 0) <= at(start, minutes * 60, calendar, cap)
    assert at(start, minutes * 60, calendar, cap) <= at(start, (minutes + cap) * 60, plain, 0)


@SETTINGS
@given(st.data(), calendars(), lengths(), caps, st.integers(0, 999_999))
def test_a_deadline_is_the_deadline_of_what_counted_until_it(
    data: st.DataObject, calendar: Calendar, minutes: int, cap: int, microseconds: int
) -> None:
    start = data.draw(starts(calendar.zone)) + timedelta(microseconds=microseconds)
    until = at(start, minutes * 60 + data.draw(st.integers(0, 59)), calendar, cap)
    assert at(start, counted(start, until, calendar, pause_cap_minutes=cap), calendar, cap) == until


@SETTINGS
@given(st.data(), calendars(), st.integers(0, 10 * 86_400_000), caps)
def test_what_counted_is_the_most_time_that_is_over(
    data: st.DataObject, calendar: Calendar, milliseconds: int, cap: int
) -> None:
    start = data.draw(starts(calendar.zone))
    end = start + timedelta(milliseconds=milliseconds)
    seconds = counted(start, end, calendar, pause_cap_minutes=cap)
    assert at(start, seconds, calendar, cap) <= end < at(start, seconds + 1, calendar, cap)


@SETTINGS
@given(st.data(), st.integers(1, 400_000), st.integers(1, 400_000), caps)
def test_more_time_puts_a_deadline_off_even_if_the_calendar_has_changed(
    data: st.DataObject, elapsed: int, seconds: int, cap: int
) -> None:
    calendar = data.draw(calendars())
    opened = data.draw(starts(calendar.zone))
    until = opened + timedelta(seconds=elapsed)
    later = postponed(opened_at=opened, due_at=until, seconds=seconds, calendar=calendar, pause_cap_minutes=cap)
    assert later.due_at > until


@settings(SETTINGS, max_examples=60)
@given(st.data(), calendars(), lengths(2 * 24 * H + 120), st.integers(0, 24 * H))
def test_a_deadline_is_where_walking_minute_by_minute_leads(
    data: st.DataObject, calendar: Calendar, minutes: int, cap: int
) -> None:
    start = data.draw(starts(calendar.zone)).replace(second=0)
    assert at(start, minutes * 60, calendar, cap) == walked(start, minutes, calendar, cap)


@SETTINGS
@given(st.data(), calendars(), lengths())
def test_no_deadline_lies_within_a_pause_that_is_shorter_than_the_cap(
    data: st.DataObject, calendar: Calendar, minutes: int
) -> None:
    start = data.draw(starts(calendar.zone))
    cap = 60 * 24 * H
    until = at(start, (minutes + 1) * 60, calendar, cap)
    assume(until < at(start, (minutes + 1 + cap) * 60, calendar.without_pauses(), 0))
    # Counted time that falls into an hour that does not exist ends where that hour would have been.
    assume(until not in changes(calendar.zone))
    assert calendar.pause_at(until) is None
