"""When players' time counts, as the clocks of races want it."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime

from games.models import Race, Seat
from games.models.people import Person
from games.tempo.calendars import Calendar
from games.tempo.previews import Preview, next_deadlines
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


def deadlines_ahead(*, race: Race, user: Person, now: datetime) -> tuple[Preview, ...]:
    """What the race's tempo means for this person: ten turns in a row from now, each taken to its deadline.

    Only for whoever has a seat in a race that has not started; () for others, whose hours are nobody's business.
    """
    seat = Seat.objects.filter(race=race, player_id=user.pk, state="joined").select_related("player").first()
    if race.status != "open" or seat is None or seat.player is None:
        return ()
    holidays = holidays_of([seat.player.pk]).get(seat.player.pk, ()) if race.holidays_allowed else ()
    return next_deadlines(
        start=now,
        minutes=race.turn_minutes,
        calendar=calendar_of(seat.player, holidays=holidays),
        pause_cap_minutes=race.pause_cap_minutes,
    )
