"""When it is a certain hour where a player is."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from games.tempo.zones import instant_of


def daily_next(*, hour: int, zone_name: str, after: datetime) -> datetime:
    """The next time (UTC) after this one at which it is that hour where the player is."""
    zone = ZoneInfo(zone_name)
    day = after.astimezone(zone).date() - timedelta(days=1)
    while True:
        moment = instant_of(datetime.combine(day, time(hour)), zone)
        if moment > after:
            return moment
        day += timedelta(days=1)
