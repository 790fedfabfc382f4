"""Pages and operations of seats that need a driver."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from games.models import Race, Seat
from games.services.races import race_create, race_join, race_start
from roadkill_site.accounts.models import User
from tests.games.api.test_openapi import document, fits
from tests.games.conftest import person
from tests.games.web.conftest import Browser
from tests.games.web.markup import faults_of

__all__ = ["document"]
Open: TypeAlias = Callable[[User | None], Browser]


@pytest.fixture
def offered(alice: User, bob: User) -> Race:
    """A race of Alice, its host, and Bob, who was away: his seat is offered."""
    race = race_create(by=alice, name="Away", seats=2, options={"sections": 3}, is_public=True, starts_when_full=False)
    race_join(race_id=race.pk, by=bob)
    race_start(race_id=race.pk, by=alice)
    Seat.objects.filter(race=race, player=bob).update(offered_at=timezone.now() - timedelta(hours=1))
    return Race.objects.get(pk=race.pk)


@pytest.fixture
def dora(db: None) -> User:
    return person("Dora")


def test_a_stranger_asks_and_the_host_lets_them_drive(
    browser: Open, offered: Race, alice: User, bob: User, dora: User
) -> None:
    seat = Seat.objects.get(race=offered, player=bob)
    stranger, host = browser(dora), browser(alice)
    html = stranger.html("/races/seats")
    assert faults_of(html) == []
    assert "Ask the host for it" in html
    assert stranger.post(f"/races/{offered.public_id}/seats/{seat.pk}/claim", {}).status_code == 303
    assert "You have asked for it; the host chooses." in stranger.html("/races/seats")
    assert "is offered" in host.html(f"/races/{offered.public_id}/")
    html = host.html(f"/races/{offered.public_id}/seats/")
    assert faults_of(html) == []
    assert "Let Dora drive" in html
    claim = seat.claims.get()
    assert stranger.post(f"/races/{offered.public_id}/seats/claims/{claim.pk}", {}).status_code == 403
    assert host.post(f"/races/{offered.public_id}/seats/claims/{claim.pk}", {}).status_code == 303
    seat.refresh_from_db()
    assert seat.player == dora
    former = browser(bob)
    assert "Take my seat back" in former.html(f"/races/{offered.public_id}/seats/")
    assert former.post(f"/races/{offered.public_id}/seats/back", {}).status_code == 303
    seat.refresh_from_db()
    assert seat.player == bob


def test_the_pages_are_for_signed_in_players(browser: Open, offered: Race) -> None:
    for address in ("/races/seats", f"/races/{offered.public_id}/seats/"):
        assert browser(None).get(address).status_code == 302


def test_an_absent_driver_of_a_private_race_still_sees_it(
    browser: Open, offered: Race, alice: User, bob: User, dora: User
) -> None:
    Seat.objects.filter(race=offered, player=bob).update(player=dora, absent_player=bob, offered_at=None)
    Race.objects.update(is_public=False)
    assert "Take my seat back" in browser(bob).html(f"/races/{offered.public_id}/seats/")


def test_offers_by_program(offered: Race, alice: User, bob: User, dora: User, document: dict[str, Any]) -> None:
    host, stranger, former = APIClient(), APIClient(), APIClient()
    for client, user in ((host, alice), (stranger, dora), (former, bob)):
        client.force_authenticate(user)
    (offer,) = stranger.get("/api/v1/seats/offered").json()
    fits(document, "/seats/offered", "get", 200, [offer])
    path = f"/api/v1/races/{offered.public_id}/seats"
    assert stranger.post(f"{path}/{offer['id']}/claim").status_code == 200
    assert stranger.get(f"{path}/claims").json() == []
    (claim,) = host.get(f"{path}/claims").json()
    assert stranger.post(f"{path}/claims/{claim['id']}/accept").status_code == 403
    assert host.post(f"{path}/claims/{claim['id']}/accept").status_code == 200
    assert former.post(f"{path}/back").status_code == 200
    assert stranger.post(f"{path}/back").status_code == 403
