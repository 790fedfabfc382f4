"""Leagues for tests: people who enter, seasons of toy races that are run to their ends."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.utils import timezone

from games.models import Decision, Entrant, Fixture, League, LeagueDriver, Race, Season
from games.services.league_sweep import leagues_sweep
from games.services.leagues import league_create, season_create, season_enter
from games.services.seasons import season_start
from games.services.turns import action_submit
from roadkill_site.accounts.models import User
from tests.games.circuits import Circuit
from tests.games.conftest import Game, person

NAMES = ("Alice", "Bob", "Charlie", "Dora", "Emil", "Frida", "Gustav", "Hanna", "Igor", "Jana", "Kurt", "Lena")


def some_people(number: int) -> list[User]:
    return [User.objects.filter(display_name=name).first() or person(name) for name in NAMES[:number]]


def toy_league(host: User, **more: Any) -> League:
    return league_create(by=host, name="Sunday cup", ruleset="toy", **{"is_public": True, **more})


def toy_season(league: League, drivers: Sequence[User], *, is_started: bool = True, **more: Any) -> Season:
    given = {"seats": 3, "races_each": 2, "every_days": 7, "starts_at": timezone.now(), **more}
    season = season_create(league_id=league.pk, by=league.host, options={"rounds": 1}, **given)
    for driver in drivers:
        season_enter(season_id=season.pk, by=driver, key=league.entry_key)
    return season_start(season_id=season.pk, by=league.host) if is_started else season


def run_out(race: Race, *, shared: bool = False) -> None:
    """Whoever is asked does the least, until the race is over: the highest car wins, or with ``shared`` all do."""
    game = Game(race)
    if not shared:
        game.edit(_by_number)
    for _ in range(500):
        if game.race.status == "finished":
            return
        row = Decision.objects.filter(race_id=game.pk, sealed_at=None).select_related("seat").order_by("pk").first()
        assert row is not None
        assert row.seat.number is not None
        words = game.question(row.seat.number)["answers"][-1]["words"]
        key = f"out-{race.pk}-{row.pk}"
        action_submit(race_id=race.pk, seat_id=row.seat_id, words=words, expected_seq=row.position, idempotency_key=key)
    raise AssertionError("the race does not end")


def _by_number(state: Any) -> Any:
    drivers = tuple(msgspec.structs.replace(one, points=5 * number) for number, one in enumerate(state.drivers))
    return msgspec.structs.replace(state, drivers=drivers)


def run_due(now: datetime | None = None) -> list[Race]:
    """Make the races that are due, run them out and count their results."""
    leagues_sweep(now=now)
    races = [one.race for one in Fixture.objects.filter(status="running").select_related("race") if one.race]
    for race in races:
        run_out(race)
    leagues_sweep(now=now)
    return races


def driver_of(league: League, user: User) -> LeagueDriver:
    return LeagueDriver.objects.get(league=league, player=user)


def entrant_of(season: Season, user: User) -> Entrant:
    return Entrant.objects.get(season=season, driver__player=user)


def cup_season(host: User, drivers: Sequence[User], *, is_started: bool = True, **more: Any) -> Season:
    """A season of campaigns of Cup, which must be at hand (tests.games.circuits.cup_at_hand)."""
    league = league_create(by=host, name="Cup league", ruleset="cup", is_public=more.pop("is_public", True))
    given = {"seats": 3, "races_each": 1, "every_days": 30, "starts_at": timezone.now(), "makes": "campaigns", **more}
    season = season_create(league_id=league.pk, by=host, **given)
    for driver in drivers:
        season_enter(season_id=season.pk, by=driver, key=league.entry_key)
    return season_start(season_id=season.pk, by=host) if is_started else season


def circuit_of(fixture: Fixture) -> Circuit:
    """The campaign of a fixture, its drivers called by their cars."""
    fixture.refresh_from_db()
    assert fixture.campaign is not None
    return Circuit(fixture.campaign)
