"""Who may see a league, and of which league a race or a campaign is: what pages of races ask of leagues."""

import secrets
from typing import Any

from django.db.models import Q

from games.models import Campaign, Fixture, League, LeagueDriver, Race
from games.models.people import Person


def may_see_league(*, league: League, user: Person | None, key: str = "") -> bool:
    """Public leagues are for all; others for their host, whoever has entered a season, and the key's bearer."""
    if league.is_public or (user is not None and league.host_id == user.pk):
        return True
    if key and secrets.compare_digest(key.encode(), league.entry_key.encode()):
        return True
    return user is not None and LeagueDriver.objects.filter(league=league, player_id=user.pk).exists()


def is_of_own_league(*, race: Race, user: Person) -> bool:
    """Whether a league that this person hosts or has entered made this race, or the campaign that it belongs to."""
    made = Fixture.objects.filter(_made(race))
    own = Q(season__league__host_id=user.pk) | Q(season__league__drivers__player_id=user.pk)
    return made.filter(own).exists()


def league_of_race(*, race: Race, user: Person | None) -> dict[str, Any] | None:
    """The league that made a race, or its campaign, if this person may see it: see _named; None otherwise."""
    return _named(Fixture.objects.filter(_made(race)), user)


def league_of_campaign(*, campaign: Campaign, user: Person | None) -> dict[str, Any] | None:
    """The league that made a campaign, if this person may see it: see _named; None otherwise."""
    return _named(Fixture.objects.filter(campaign=campaign), user)


def _made(race: Race) -> Q:
    return Q(race=race) | Q(campaign__races__race=race)


def _named(fixtures: Any, user: Person | None) -> dict[str, Any] | None:
    """{"id", "name", "season": number, "fixture": number, "division": rank, "is_annulled"}."""
    row = fixtures.select_related("season__league", "division").first()
    if row is None or not may_see_league(league=row.season.league, user=user):
        return None
    return {
        "id": row.season.league.public_id,
        "name": row.season.league.name,
        "season": row.season.number,
        "fixture": row.number,
        "division": row.division.rank,
        "is_annulled": row.status == "void",
    }
