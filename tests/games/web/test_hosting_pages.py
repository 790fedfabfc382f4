"""Handing over and taking over hosting, on the pages and by the API."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from games.models import Race, Seat
from games.services.races import race_create, race_join
from roadkill_site.accounts.models import User
from tests.games.api.conftest import program
from tests.games.web.conftest import Browser, all_rows
from tests.games.web.markup import faults_of

Open = Callable[[User | None], Browser]
__all__ = ["program"]


@pytest.fixture
def race(clock: time_machine.Traveller, alice: User, bob: User, charlie: User) -> Race:
    race = race_create(by=alice, name="Evening", seats=4)
    race.is_public = True
    race.save()
    for one in (bob, charlie):
        race_join(race_id=race.pk, by=one)
    return race


def address(race: Race, path: str = "") -> str:
    return f"/races/{race.public_id}/{path}"


def test_a_host_hands_over_by_a_button_and_twice_is_once(race: Race, browser: Open, alice: User, charlie: User) -> None:
    host = browser(alice)
    assert address(race, "host") in host.html(address(race))
    before = all_rows()
    html = host.html(address(race, "host"))
    assert faults_of(html) == []
    assert "Charlie" in html
    assert all_rows() == before
    assert host.post(address(race, "host"), {"seat": ""}).status_code == 400
    seat = Seat.objects.get(race=race, player=charlie).pk
    for _ in range(2):
        assert host.post(address(race, "host"), {"seat": seat}).status_code == 303
        assert "Charlie hosts this race now" in host.html(address(race))
    own = Seat.objects.get(race=race, player=alice).pk
    assert host.post(address(race, "host"), {"seat": own}).status_code == 403
    race.refresh_from_db()
    assert race.host == charlie
    assert faults_of(host.html(address(race, "host"))) == []


def test_the_first_driver_takes_over_when_the_host_has_been_away(
    race: Race, browser: Open, clock: time_machine.Traveller, bob: User, charlie: User
) -> None:
    driver = browser(bob)
    assert "Take over hosting" not in driver.html(address(race))
    assert driver.post(address(race, "host"), {"do": "take"}).status_code == 409
    clock.shift(timedelta(days=7))
    assert "Take over hosting" not in browser(charlie).html(address(race))
    assert "Take over hosting" in driver.html(address(race))
    html = driver.html(address(race, "host"))
    assert faults_of(html) == []
    assert "Host this race" in html
    for _ in range(2):
        assert driver.post(address(race, "host"), {"do": "take"}).status_code == 303
    race.refresh_from_db()
    assert race.host == bob


def test_a_hosts_look_at_the_page_keeps_the_race_the_hosts(
    race: Race, browser: Open, clock: time_machine.Traveller, alice: User, bob: User
) -> None:
    clock.shift(timedelta(days=6))
    browser(alice).html(address(race))
    clock.shift(timedelta(days=1))
    assert "Take over hosting" not in browser(bob).html(address(race))


def test_strangers_have_no_page_of_hosting(race: Race, browser: Open, db: None) -> None:
    other = User.objects.create_user("dora@example.org", display_name="Dora")
    assert browser(other).get(address(race, "host")).status_code == 404
    assert browser(None).get(address(race, "host")).status_code == 302


def test_the_api_hands_over_and_takes_over(
    race: Race, program: Any, clock: time_machine.Traveller, bob: User, charlie: User
) -> None:
    alice = race.host
    path = f"/api/v1/races/{race.public_id}/host"
    seat = Seat.objects.get(race=race, player=charlie).pk
    refused = program(bob).post(path, {"seat": seat}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_host")
    passed = program(alice).post(path, {"seat": seat}, format="json")
    assert (passed.status_code, passed.json()["race"]["host"]) == (200, "Charlie")
    refused = program(alice).post(path, {}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "host_not_away")
    clock.shift(timedelta(days=7))
    taken = program(alice).post(path, {}, format="json")
    assert (taken.status_code, taken.json()["race"]["host"]) == (200, "Alice")
