"""Times as a player reads them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from games.web import times

NOW = datetime(2026, 12, 1, 14, 40, tzinfo=UTC)


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (timedelta(seconds=-90), "now"),
        (timedelta(seconds=29), "now"),
        (timedelta(seconds=59), "1 min"),
        (timedelta(minutes=4, seconds=58), "5 min"),
        (timedelta(minutes=59, seconds=40), "1 h"),
        (timedelta(hours=11, minutes=59, seconds=50), "12 h"),
        (timedelta(hours=23, minutes=59, seconds=55), "1 d"),
        (timedelta(days=2, hours=23, minutes=59), "3 d"),
        (timedelta(minutes=45), "45 min"),
        (timedelta(hours=3, minutes=20), "3 h 20"),
        (timedelta(hours=9), "9 h"),
        (timedelta(hours=3, minutes=5), "3 h 05"),
        (timedelta(hours=14, minutes=30), "14 h"),
        (timedelta(hours=53), "2 d 5 h"),
        (timedelta(days=3), "3 d"),
    ],
)
def test_what_is_left_is_said_as_exactly_as_is_useful(left: timedelta, text: str) -> None:
    assert times.left_text(left) == text


def test_a_ticket_says_whole_days_from_two_days_on() -> None:
    assert times.left_words(timedelta(days=2, hours=23)) == "3 days"
    assert times.left_words(timedelta(days=2, hours=5)) == "2 days"
    assert times.left_words(timedelta(hours=47, minutes=59, seconds=55)) == "2 days"
    assert times.left_words(timedelta(hours=47)) == "1 d 23 h"


def test_soon_is_within_twelve_hours() -> None:
    assert times.is_soon(NOW + timedelta(hours=12), NOW)
    assert not times.is_soon(NOW + timedelta(hours=12, seconds=1), NOW)


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Europe/Lisbon", "Today, 23:30 Lisbon"),
        ("Europe/Berlin", "Tomorrow, 00:30 Berlin"),
        ("America/Los_Angeles", "Today, 15:30 Los Angeles"),
        ("UTC", "Today, 23:30 UTC"),
    ],
)
def test_a_time_is_told_in_the_readers_zone_with_its_day_there(zone: str, text: str) -> None:
    with timezone.override(ZoneInfo(zone)):
        assert times.when_text(datetime(2026, 12, 1, 23, 30, tzinfo=UTC), NOW) == text


def test_another_year_is_named() -> None:
    with timezone.override(UTC):
        assert times.when_text(datetime(2027, 1, 4, 9, 5, tzinfo=UTC), NOW) == "Mon 4 Jan 2027, 09:05 UTC"
        assert times.date_text(NOW) == "Tue 1 Dec 2026, 14:40 UTC"


def test_a_moment_of_the_presentation_is_read_and_what_is_none_stays_none() -> None:
    assert times.moment("2026-12-03T20:00:00Z") == datetime(2026, 12, 3, 20, tzinfo=UTC)
    assert times.moment(NOW) is NOW
    assert times.moment("2026-12-03T20:00:00") == datetime(2026, 12, 3, 20, tzinfo=UTC)
    assert times.moment(None) is None
    assert times.moment("soon") is None
