"""What a league for members shows to whom: to others nothing at any of its addresses, to members all of its races."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import URLPattern

from games.api.urls import urlpatterns as api_patterns
from games.models import Fixture, LeagueDriver, Race, Season, Seat
from games.selectors.league_access import league_of_campaign, league_of_race
from games.selectors.leagues import league_part
from games.services.league_sweep import leagues_sweep
from games.services.leagues import league_update
from games.urls import urlpatterns as page_patterns
from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import api_token_create
from tests.games.circuits import cup_at_hand
from tests.games.leagues import circuit_of, cup_season, run_out, some_people, toy_league, toy_season

pytestmark = pytest.mark.django_db
API = "/api/v1/"


@pytest.fixture(autouse=True)
def stands_still(clock: time_machine.Traveller) -> Iterator[time_machine.Traveller]:
    """Cup is a ruleset like any other, and no time passes by itself."""
    with cup_at_hand():
        yield clock


@pytest.fixture
def closed() -> Season:
    """A league for members: Alice hosts and does not drive, Bob, Charlie and Dora do; one race is over, one runs."""
    alice, bob, charlie, dora = some_people(4)
    season = toy_season(toy_league(alice, is_public=False), [bob, charlie, dora], races_each=2, every_days=0)
    leagues_sweep()
    race = season.fixtures.get(round=1).race
    assert race is not None
    run_out(race)
    leagues_sweep()
    return season


def stranger() -> User:
    """Emil is in no league."""
    return some_people(5)[4]


def addresses(patterns: list[Any], season: Season) -> list[str]:
    """Every address of a league, as the table of addresses has them, so that a new one is looked at too."""
    one, other = LeagueDriver.objects.order_by("pk")[:2]
    fixture, entrant = season.fixtures.order_by("pk")[0], season.entrants.order_by("pk")[0]
    fills = {
        "public_id": season.league.public_id, "driver_id": one.pk, "driver": one.pk, "one": one.pk, "other": other.pk,
        "number": 1, "entrant": entrant.pk, "fixture": fixture.pk, "do": "close",
    }  # fmt: skip
    found = []
    for pattern in patterns:
        route = str(pattern.pattern) if isinstance(pattern, URLPattern) else ""
        if route.startswith("leagues/<slug:public_id>"):
            found.append(re.sub(r"<\w+:(\w+)>", lambda name: str(fills[name[1]]), route))
    return found


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.mark.parametrize("is_known", [True, False])
def test_every_page_of_a_league_for_members_is_none_to_others(closed: Season, is_known: bool) -> None:
    user = stranger() if is_known else None
    client = client_of(user)
    looked = 0
    for address in addresses(page_patterns, closed):
        for answer in (client.get(f"/{address}"), client.post(f"/{address}", {"key": "guess"})):
            text = answer.content.decode()
            for hidden in ("Sunday cup", "Bob", "Charlie", closed.league.entry_key):
                assert hidden not in text, address
            # To sign in, a wrong way to ask, or none: in all cases as for a league that there is not.
            nowhere = address.replace(closed.league.public_id, "nosuch")
            method = client.post if answer.wsgi_request.method == "POST" else client.get
            assert answer.status_code == method(f"/{nowhere}").status_code, address
            if answer.status_code == 404:
                assert "it is for its members only" in text, address
            else:
                assert answer.status_code in {302, 405}, address
            looked += answer.status_code == 404
    assert looked >= (15 if is_known else 8)
    assert closed.league.public_id not in client.get("/leagues/").content.decode()


def test_every_operation_on_a_league_for_members_is_none_to_others(closed: Season) -> None:
    _, key = api_token_create(user=stranger(), label="test")
    client = Client(headers={"authorization": f"Bearer {key}"})
    body: dict[str, Any] = {"data": "{}", "content_type": "application/json"}
    looked = 0
    for address in addresses(api_patterns, closed):
        for who in (client, Client()):
            for answer in (who.get(API + address), who.post(API + address, **body), who.patch(API + address, **body)):
                assert b"Sunday cup" not in answer.content, address
                assert b"Bob" not in answer.content, address
                assert answer.status_code in {400, 401, 404, 405}, (address, answer.content)
                if answer.status_code == 404:
                    assert answer.json()["code"] == "unknown_league", address
                    assert "members only" in answer.json()["detail"]
                    looked += 1
    assert looked >= 30
    assert closed.league.public_id not in client.get(f"{API}leagues").content.decode()


def test_whoever_comes_by_the_link_needs_it_once_and_sees_no_race(closed: Season) -> None:
    client = client_of(None)
    base = f"/leagues/{closed.league.public_id}/"
    html = client.get(f"{base}?key={closed.league.entry_key}").content.decode()
    race = Race.objects.get(status="finished")
    assert race.public_id not in html
    for path in ("", "fixtures", "ratings", "table.csv", f"drivers/{LeagueDriver.objects.latest('pk').pk}"):
        assert client.get(base + path).status_code == 200, path
    assert client.get(f"/races/{race.public_id}/").status_code == 404
    feed = client.get(f"{base}results.atom")
    assert feed.status_code == 404
    assert "sign in nowhere" in feed.content.decode()
    league_update(league_id=closed.league_id, by=closed.league.host, new_key=True)
    assert client.get(base).status_code == 404


def test_members_watch_each_others_races_and_others_do_not(closed: Season) -> None:
    alice, _, _, dora = some_people(4)
    race = Race.objects.get(status="running")
    Seat.objects.filter(race=race, player=dora).update(player=None, bot="random", name="Robot")
    league_update(league_id=closed.league_id, by=alice, host=LeagueDriver.objects.get(player__display_name="Bob").pk)
    Race.objects.update(host=some_people(2)[1])
    for user, sees in ((dora, True), (some_people(3)[2], True), (alice, False), (stranger(), False), (None, False)):
        status = client_of(user).get(f"/races/{race.public_id}/").status_code
        assert status == (200 if sees else 404), user
        status = client_of(user).get(f"{API}races/{race.public_id}").status_code
        assert status == (200 if sees else 404), user
    assert league_part(league=closed.league, user=dora)["may_watch"]


def test_a_race_names_its_league_to_who_may_see_that(closed: Season) -> None:
    race = Race.objects.get(status="running")
    # Emil stands in for Dora: he drives, and is not of the league.
    Seat.objects.filter(race=race, player=some_people(4)[3]).update(player=stranger())
    link = f'href="/leagues/{closed.league.public_id}/?season=1&amp;division=1"'
    bob = some_people(2)[1]
    for user, sees in ((bob, True), (stranger(), False)):
        client = client_of(user)
        assert (link in client.get(f"/races/{race.public_id}/").content.decode()) == sees
        told = client.get(f"{API}races/{race.public_id}").json()["league"]
        assert told == (named(closed, 2) if sees else None)
    # Whoever looks as a spectator is told what spectators are.
    assert client_of(bob).get(f"{API}races/{race.public_id}?as=spectator").json()["league"] is None
    league_update(league_id=closed.league_id, by=closed.league.host, is_public=True)
    assert client_of(stranger()).get(f"{API}races/{race.public_id}").json()["league"] == named(closed, 2)
    assert league_of_race(race=race, user=None) == named(closed, 2)


def named(season: Season, fixture: int) -> dict[str, Any]:
    return {
        "id": season.league.public_id, "name": season.league.name, "season": 1, "fixture": fixture, "division": 1,
        "is_annulled": False,
    }  # fmt: skip


def test_a_campaign_and_its_races_name_their_league_to_who_may_see_that() -> None:
    alice, bob, charlie = some_people(3)
    season = cup_season(alice, [bob, charlie], is_public=False)
    leagues_sweep()
    going = circuit_of(season.fixtures.get())
    going.nobody_buys()
    campaign, race = going.row, going.last.race
    link = f'href="/leagues/{season.league.public_id}/?season=1&amp;division=1"'
    for user, sees in ((bob, True), (stranger(), False)):
        page = client_of(user).get(f"/campaigns/{campaign.public_id}/")
        assert page.status_code == (200 if sees else 404)
        assert (link in page.content.decode()) == sees
        assert (link in client_of(user).get(f"/races/{race.public_id}/").content.decode()) == sees
        assert (league_of_campaign(campaign=campaign, user=user) is None) != sees
    assert client_of(bob).get(f"{API}campaigns/{campaign.public_id}").json()["league"] == named(season, 1)
    assert client_of(bob).get(f"{API}races/{race.public_id}").json()["league"] == named(season, 1)


def test_a_race_of_no_league_names_none(alice: User) -> None:
    race = toy_season(toy_league(alice), some_people(3))
    del race
    leagues_sweep()
    one = Race.objects.get()
    assert league_of_race(race=one, user=None) is not None
    Fixture.objects.update(race=None, status="void")
    assert league_of_race(race=one, user=None) is None
