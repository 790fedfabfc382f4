"""When players' time counts, as the clocks of races want it."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from games.tempo.calendars import Calendar
from roadkill_site.accounts.models import Holiday, User

PLAIN = Calendar("UTC")
"""The calendar of a seat without a player: all time counts."""


def calendar_of(player: User, *, holidays: Iterable[tuple[date, date]] = ()) -> Calendar:
    """The calendar of a player with these holidays."""
    quiet = None
    if player.quiet_from is not None and player.quiet_until is not None:
        quiet = (player.quiet_from, player.quiet_until)
    return Calendar(player.time_zone, quiet=quiet, days_off=frozenset(player.days_off), holidays=tuple(holidays))


def holidays_of(player_ids: Iterable[int]) -> dict[int, list[tuple[date, date]]]:
    """The holidays of these players: player's id -> first and last days."""
    found: dict[int, list[tuple[date, date]]] = defaultdict(list)
    rows = Holiday.objects.filter(user_id__in=list(player_ids)).order_by("first")
    for player_id, first, last in rows.values_list("user_id", "first", "last"):
        found[player_id].append((first, last))
    return found
