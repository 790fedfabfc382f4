"""Browsers and RoadKill races for the tests of the pages."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import serializers
from django.test import Client

from games.models import Decision, Entry, FollowUp, OutboxEvent, Race, Receipt, Seat, Snapshot
from games.services.races import race_create, race_invite, race_join, race_start
from roadkill_site.accounts.models import User
from tests.games.conftest import Game

ROWS = (Race, Seat, Entry, Snapshot, Decision, Receipt, FollowUp, OutboxEvent)


class Browser:
    """A player's browser, or a stranger's: one test client that checks CSRF like a real server."""

    def __init__(self, user: User | None) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.user = user
        if user is not None:
            self.client.force_login(user)

    def get(self, address: str) -> Any:
        """Open a page."""
        return self.client.get(address)

    def html(self, address: str, *, status: int = 200) -> str:
        """The source of a page that must have this status."""
        response = self.client.get(address)
        assert response.status_code == status, (address, response.status_code, response.content[:400])
        return str(response.content.decode())

    def post(self, address: str, fields: dict[str, Any], *, token: str | None = None) -> Any:
        """Send a form; the CSRF token is the one of a page that was opened before."""
        if token is None and "csrftoken" in self.client.cookies:
            token = self.client.cookies["csrftoken"].value
        return self.client.post(address, {**fields, **({"csrfmiddlewaretoken": token} if token else {})})

    def press(self, address: str, **filled: Any) -> Any:
        """Open the page at this address and send its form to the same address, filled in."""
        return self.post(address, {**hidden_fields(self.html(address)), **filled})


def hidden_fields(html: str) -> dict[str, str]:
    """What the first form that acts on a page sends by itself."""
    found = re.findall(r'<input type="hidden" name="(position|key|action)" value="([^"]*)">', html)
    unescaped = {name: value.replace("&quot;", '"').replace("&#x27;", "'") for name, value in found}
    assert set(unescaped) == {"position", "key", "action"}
    json.loads(unescaped["action"])
    return unescaped


def all_rows() -> str:
    """Every row that a race is made of, to see whether anything has changed."""
    return "\n".join(serializers.serialize("json", kind.objects.order_by("pk")) for kind in ROWS)


@pytest.fixture
def browser() -> Callable[[User | None], Browser]:
    """Makes the browser of a player, or of a stranger for None."""
    return Browser


@pytest.fixture
def road_game(alice: User, bob: User, charlie: User) -> Callable[..., Game]:
    """Makes running RoadKill races of Alice, Bob and Charlie; settings are those of race_create."""

    def make(*, players: int = 3, **settings: Any) -> Game:
        people = [alice, bob, charlie][:players]
        race = race_create(
            by=people[0],
            name="Dust Devil 300",
            seats=len(people),
            starts_when_full=False,
            **{"is_public": True, "options": {"sections": 3}, **settings},
        )
        for one in people[1:]:
            if not race.is_public:
                race_invite(race_id=race.pk, by=people[0], email=one.email)
            race_join(race_id=race.pk, by=one)
        race_start(race_id=race.pk, by=people[0])
        return Game(race)

    return make


def asked_of(game: Game) -> tuple[int, dict[str, Any]]:
    """The car that is asked, and its question, when exactly one is."""
    row = Decision.objects.get(race_id=game.pk)
    number = row.seat.number
    assert number is not None
    return number, game.question(number)
