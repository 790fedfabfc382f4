"""Hosting: whether a race's host is away, and who would take over."""

from datetime import datetime, timedelta

from django.conf import settings

from games.models import Race, Seat


def is_host_away(*, race: Race, now: datetime) -> bool:
    """Whether the host has neither looked at the race nor acted in it for settings.HOST_AWAY_DAYS days."""
    return now - race.host_seen_at >= timedelta(days=settings.HOST_AWAY_DAYS)


def heir_of(*, race: Race) -> Seat | None:
    """The seat of who takes over from a host who is away: the driver who joined first of those still there."""
    drivers = Seat.objects.filter(race=race, state="joined", player__isnull=False, offered_at__isnull=True)
    return drivers.exclude(player_id=race.host_id).select_related("player").order_by("joined_order").first()
