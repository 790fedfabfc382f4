"""The page of a race's clocks, and the same by program."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import time_machine
from rest_framework.test import APIClient

from games.models import Race
from games.services.races import race_create, race_join, race_start
from roadkill_site.accounts.models import User
from tests.games.api.test_openapi import document, fits
from tests.games.web.conftest import Browser
from tests.games.web.markup import faults_of

__all__ = ["document"]
Open: TypeAlias = Callable[[User | None], Browser]


@pytest.fixture
def running(alice: User, bob: User) -> Race:
    """A race of Alice and Bob under way; Alice is its host."""
    race = race_create(
        by=alice, name="Clocks", seats=2, options={"sections": 3}, is_public=True, starts_when_full=False
    )
    race_join(race_id=race.pk, by=bob)
    return race_start(race_id=race.pk, by=alice)


def at(race: Race, rest: str = "") -> str:
    return f"/races/{race.public_id}/clocks/{rest}"


def test_the_host_stops_the_clocks_and_lets_them_go_on(browser: Open, running: Race, alice: User, bob: User) -> None:
    host, guest = browser(alice), browser(bob)
    html = host.html(at(running))
    assert faults_of(html) == []
    assert "Stop all clocks" in html
    assert "Stop all clocks" not in guest.html(at(running))
    assert host.post(at(running, "pause"), {}).status_code == 303
    html = host.html(at(running))
    assert "The host has stopped all clocks" in html
    assert "Let the clocks go on" in html
    assert "The host has stopped all clocks." in guest.html(f"/races/{running.public_id}/")
    assert guest.post(at(running, "resume"), {}).status_code == 403
    assert host.post(at(running, "resume"), {}).status_code == 303
    assert Race.objects.get().paused_at is None


def test_a_driver_asks_for_more_time_and_another_agrees(browser: Open, running: Race, alice: User, bob: User) -> None:
    driver = browser(bob)
    assert "Ask for more time" in driver.html(at(running))
    assert driver.post(at(running, "more"), {"hours": "2.5", "key": "k1"}).status_code == 303
    host = browser(alice)
    html = host.html(at(running))
    assert faults_of(html) == []
    assert "Bob asks for 2 h 30 min more" in html
    assert "Still to agree: Alice." in html
    number = Race.objects.get().extension_asks.get().pk
    assert host.post(at(running, f"agree/{number}"), {}).status_code == 303
    assert "Put off already by 2 h 30 min." in driver.html(at(running))


def test_more_than_the_cap_is_refused_at_the_field(browser: Open, running: Race, alice: User) -> None:
    host = browser(alice)
    host.get(at(running))
    answer = host.post(at(running, "more"), {"hours": "73", "key": "k1"})
    assert answer.status_code == 400
    assert "may be put off by 72 h in all" in answer.content.decode()


def test_clocks_by_program(running: Race, alice: User, bob: User, document: dict[str, Any]) -> None:
    host, driver = APIClient(), APIClient()
    host.force_authenticate(alice)
    driver.force_authenticate(bob)
    path = f"/api/v1/races/{running.public_id}/clock"
    answer = host.post(f"{path}/extend", {"minutes": 60, "key": "a"}, format="json")
    assert answer.json()["extended_minutes"] == 60
    fits(document, "/races/{public_id}/clock/extend", "post", 200, answer.json())
    asked = driver.post(f"{path}/asks", {"minutes": 30, "key": "b"}, format="json").json()
    (ask,) = asked["asks"]
    assert (ask["name"], ask["may_agree"]) == ("Bob", False)
    agreed = host.post(f"{path}/asks/{ask['id']}/agree").json()
    assert (agreed["asks"], agreed["extended_minutes"]) == ([], 90)
    assert driver.post(f"{path}/extend", {"minutes": 60, "key": "c"}, format="json").status_code == 403
    assert driver.post(f"{path}/pause").status_code == 403
    assert host.post(f"{path}/pause").json()["paused_at"] is not None
    assert APIClient().get(path).json()["paused_at"] is not None
    assert host.post(f"{path}/resume").json()["paused_at"] is None


def test_the_lobby_shows_each_driver_their_own_ten_deadlines(browser: Open, alice: User, bob: User) -> None:
    race = race_create(by=alice, name="Ahead", seats=3, options={"sections": 3}, is_public=True, pause_cap_hours=0)
    race_join(race_id=race.pk, by=bob)
    User.objects.filter(pk=alice.pk).update(time_zone="Asia/Kathmandu", days_off=[0, 2, 4])
    with time_machine.travel("2026-06-01T18:00:00+00:00", tick=False):
        html = browser(User.objects.get(pk=alice.pk)).html(f"/races/{race.public_id}/")
        assert faults_of(html) == []
        assert "Asia/Kathmandu" in html
        # 72 h on from Monday 23:45, ten times: nights, and days off on some of them.
        assert "Thu 4 Jun 2026, 23:45" in html
        assert html.count("<b>night</b>") == 10
        assert html.count("<b>day off</b>") == 4
        for other in (browser(bob).html(f"/races/{race.public_id}/"), browser(None).html(f"/races/{race.public_id}/")):
            assert "Kathmandu" not in other
        program = APIClient()
        program.force_authenticate(User.objects.get(pk=alice.pk))
        ahead = program.get(f"/api/v1/races/{race.public_id}/clock/ahead").json()
        assert len(ahead) == 10
        assert (ahead[0]["due_at"], ahead[0]["marks"]) == ("2026-06-04T23:45:00+05:45", ["night"])
        assert APIClient().get(f"/api/v1/races/{race.public_id}/clock/ahead").json() == []
