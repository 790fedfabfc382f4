"""A player's deadlines for calendar programs: read back by a library, over changes, in the player's own zone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import icalendar
import pytest
import time_machine
from django.test import Client
from pytest_django import Settings

from games.models import Decision
from notifications.services.calendars import calendar_address, calendar_renew
from roadkill_site.accounts.models import User
from roadkill_site.scrubbing import scrubbed
from tests.notifications.conftest import Running

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def asked(running: Running) -> User:
    player = running.asked.player
    assert isinstance(player, User)
    return player


@pytest.fixture
def read(settings: Settings) -> Callable[[User], list[Any]]:
    """The events of a player's calendar, as a program without a session reads them."""

    def events(player: User) -> list[Any]:
        answer = Client().get(calendar_address(player_id=player.pk).removeprefix(settings.SITE_URL))
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
        assert not answer.cookies
        return list(icalendar.Calendar.from_ical(answer.content).walk("VEVENT"))

    return events


def facts(event: Any) -> tuple[str, int, str, datetime]:
    return str(event["UID"]), int(event["SEQUENCE"]), str(event["STATUS"]), event["DTSTART"].dt


def test_each_open_question_is_an_entry_at_its_deadline_in_the_players_zone(
    running: Running, asked: User, read: Callable[[User], list[Any]]
) -> None:
    (event,) = read(asked)
    _, sequence, status, start = facts(event)
    assert (sequence, status) == (0, "CONFIRMED")
    assert start == Decision.objects.get().due_at
    assert str(start.tzinfo) == asked.time_zone
    assert str(event["SUMMARY"]) == "Answer by now: Dust Devil 300"
    assert str(event["URL"]).endswith(f"/races/{running.race.public_id}/")
    other = running.waiting.player
    assert isinstance(other, User)
    assert read(other) == []


def test_a_deadline_that_moves_is_an_update_of_the_same_entry_and_reading_alone_changes_nothing(
    asked: User, read: Callable[[User], list[Any]], clock: time_machine.Traveller
) -> None:
    first = facts(read(asked)[0])
    clock.shift(timedelta(hours=1))
    again = read(asked)[0]
    assert facts(again) == first
    assert again["DTSTAMP"].dt == NOW
    later = Decision.objects.get().due_at + timedelta(days=1)
    Decision.objects.update(due_at=later)
    uid, sequence, status, start = facts(read(asked)[0])
    assert (uid, sequence, status, start) == (first[0], 1, "CONFIRMED", later)


def test_what_was_answered_is_cancelled_for_a_while_and_then_gone(
    running: Running, asked: User, read: Callable[[User], list[Any]], clock: time_machine.Traveller
) -> None:
    uid = facts(read(asked)[0])[0]
    running.act(running.asked)
    (event,) = read(asked)
    assert facts(event)[:3] == (uid, 1, "CANCELLED")
    clock.shift(timedelta(days=13))
    assert facts(read(asked)[0])[:3] == (uid, 1, "CANCELLED")
    clock.shift(timedelta(days=2))
    assert uid not in {facts(event)[0] for event in read(asked)}


def test_the_zone_is_told_along(asked: User, settings: Settings) -> None:
    answer = Client().get(calendar_address(player_id=asked.pk).removeprefix(settings.SITE_URL))
    zones = icalendar.Calendar.from_ical(answer.content).walk("VTIMEZONE")
    assert [str(zone["TZID"]) for zone in zones] == [asked.time_zone]


def test_an_address_that_was_closed_or_made_up_shows_nothing(asked: User, settings: Settings) -> None:
    address = calendar_address(player_id=asked.pk).removeprefix(settings.SITE_URL)
    client = Client()
    assert client.get(address).status_code == 200
    calendar_renew(player_id=asked.pk)
    assert client.get(address).status_code == 404
    assert client.get(calendar_address(player_id=asked.pk).removeprefix(settings.SITE_URL)).status_code == 200
    assert client.get(address[:-8] + "x.ics").status_code == 404
    assert client.post(address).status_code == 405


def test_the_button_closes_the_address(client: Client, asked: User) -> None:
    client.force_login(asked)
    before = calendar_address(player_id=asked.pk)
    assert before in client.get("/mail/").content.decode()
    assert client.post("/mail/calendar").status_code == 302
    assert before not in client.get("/mail/").content.decode()


def test_its_address_is_written_into_no_log(asked: User) -> None:
    address = calendar_address(player_id=asked.pk)
    assert address.rpartition("/")[2].partition(".ics")[0] not in scrubbed(f'"GET {address} HTTP/1.1" 200')


def test_nothing_hidden_is_in_it(running: Running, asked: User, settings: Settings) -> None:
    answer = Client().get(calendar_address(player_id=asked.pk).removeprefix(settings.SITE_URL))
    question = running.question(running.asked)
    text = answer.content.decode().replace("\r\n ", "")
    assert question["text"] not in text
    assert all(one["words"] not in text for one in question["answers"])
