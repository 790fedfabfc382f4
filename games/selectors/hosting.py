"""Hosting of races and leagues: whether a host is away, and who would take over."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Q

from games.models import Entrant, League, LeagueDriver, Race, Season, Seat


def is_host_away(*, race: Race, now: datetime) -> bool:
    """Whether the host has neither looked at the race nor acted in it for settings.HOST_AWAY_DAYS days."""
    return now - race.host_seen_at >= timedelta(days=settings.HOST_AWAY_DAYS)


def heir_of(*, race: Race) -> Seat | None:
    """The seat of who takes over from a host who is away: the driver who joined first of those still there."""
    drivers = Seat.objects.filter(race=race, state="joined", player__isnull=False, offered_at__isnull=True)
    return drivers.exclude(player_id=race.host_id).select_related("player").order_by("joined_order").first()


# --- Leagues ----------------------------------------------------------------------------


def races_of_league(*, league: League) -> Q:
    """Races that this league has made, and those of the campaigns that it has made."""
    return Q(league_fixture__season__league=league) | Q(campaign_race__campaign__league_fixture__season__league=league)


def league_heirs(*, league: League, now: datetime) -> list[LeagueDriver]:
    """Who may take a league over from its host: nobody while the host is there.

    After settings.HOST_AWAY_DAYS days without a look at the league or at a race of it that this person hosts, the first
    of those who stand by (see _standing_by); after twice as many, in case that one is away too, any of them.
    """
    days = timedelta(days=settings.HOST_AWAY_DAYS)
    if now - league.host_seen_at < days or (away := now - _host_last_seen(league)) < days:
        return []
    heirs = _standing_by(league)
    return heirs if away >= 2 * days else heirs[:1]


def league_heir_of(*, league: League) -> LeagueDriver | None:
    """Who takes over first, be the host away or not."""
    return next(iter(_standing_by(league)), None)


def _host_last_seen(league: League) -> datetime:
    going = Race.objects.filter(races_of_league(league=league), host_id=league.host_id, status__in=["open", "running"])
    in_race: datetime | None = going.aggregate(last=Max("host_seen_at"))["last"]
    return league.host_seen_at if in_race is None else max(league.host_seen_at, in_race)


def _standing_by(league: League) -> list[LeagueDriver]:
    """People of the latest season who are still in it, in the order in which they came to the league."""
    season = Season.objects.filter(league=league).exclude(status="cancelled").order_by("-number").first()
    entered = Entrant.objects.filter(season=season, state="entered").values("driver")
    drivers = LeagueDriver.objects.filter(pk__in=entered, player__isnull=False).exclude(player_id=league.host_id)
    return list(drivers.select_related("player").order_by("joined_at", "pk"))
