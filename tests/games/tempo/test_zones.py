"""Local time both ways, at every kind of clock change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.tempo.zones import instant_of, wall_of
from tests.games.tempo.walking import SETTINGS, ZONES, changes, starts


@pytest.mark.parametrize(
    ("zone", "wall", "at"),
    [
        ("Europe/Berlin", "2026-03-29 01:59", "2026-03-29 01:59+01:00"),
        ("Europe/Berlin", "2026-03-29 02:00", "2026-03-29 03:00+02:00"),
        ("Europe/Berlin", "2026-03-29 02:59:59.5", "2026-03-29 03:00+02:00"),
        ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25 02:30+02:00"),
        ("Europe/Berlin", "2026-10-25 03:00", "2026-10-25 03:00+01:00"),
        ("America/New_York", "2026-03-08 02:30", "2026-03-08 03:00-04:00"),
        ("America/New_York", "2026-11-01 01:00", "2026-11-01 01:00-04:00"),
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-04 02:30+11:00"),
        ("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-05 01:45+11:00"),
        ("America/Santiago", "2026-09-06 00:00", "2026-09-06 01:00-03:00"),
        ("America/Santiago", "2026-04-04 23:30", "2026-04-04 23:30-03:00"),
        ("Asia/Beirut", "2026-03-29 00:59", "2026-03-29 01:00+03:00"),
        ("Asia/Beirut", "2026-10-25 00:00", "2026-10-25 00:00+02:00"),
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-31 00:00+14:00"),
    ],
)
def test_a_reading_is_an_instant_even_if_it_never_occurs_or_twice(zone: str, wall: str, at: str) -> None:
    assert instant_of(datetime.fromisoformat(wall), ZoneInfo(zone)) == datetime.fromisoformat(at)


@pytest.mark.parametrize(
    ("zone", "at", "wall"),
    [
        ("Europe/Berlin", "2026-10-25 02:00+02:00", "2026-10-25 02:00"),
        ("Europe/Berlin", "2026-10-25 02:00+01:00", "2026-10-25 03:00"),
        ("Europe/Berlin", "2026-10-25 02:59:59.9+01:00", "2026-10-25 03:00"),
        ("Europe/Berlin", "2026-10-25 03:01+01:00", "2026-10-25 03:01"),
        ("Australia/Lord_Howe", "2026-04-05 01:31+10:30", "2026-04-05 02:00"),
        ("America/Santiago", "2026-04-04 23:15-04:00", "2026-04-05 00:00"),
    ],
)
def test_an_hour_that_comes_again_stands_at_its_end(zone: str, at: str, wall: str) -> None:
    assert wall_of(datetime.fromisoformat(at), ZoneInfo(zone)) == datetime.fromisoformat(wall)


@SETTINGS
@given(st.data())
def test_neither_direction_runs_backwards(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(ZONES))
    zone = ZoneInfo(name)
    first = data.draw(starts(name))
    later = first + data.draw(st.integers(0, 7200).map(lambda s: timedelta(seconds=s)))
    assert wall_of(first, zone) <= wall_of(later, zone)
    wall = first.astimezone(zone).replace(tzinfo=None, fold=0)
    assert instant_of(wall, zone) <= instant_of(wall + (later - first), zone)


@SETTINGS
@given(st.data())
def test_an_instant_outside_a_second_passage_comes_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(ZONES))
    zone = ZoneInfo(name)
    at = data.draw(starts(name))
    back = instant_of(wall_of(at, zone), zone)
    assert back > at if at.astimezone(zone).fold else back == at


def test_the_zones_of_these_tests_do_change() -> None:
    assert {zone: len(changes(zone)) for zone in ZONES if zone not in {"UTC", "Asia/Kathmandu"}} == {
        zone: 2 for zone in ZONES if zone not in {"UTC", "Asia/Kathmandu"}
    }
    assert changes("Europe/Berlin")[0] == datetime(2026, 3, 29, 1, tzinfo=UTC)
