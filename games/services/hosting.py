"""Hosting handed over by the host, or taken over from one who is away."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.models import Race, Seat
from games.models.people import Person
from games.selectors.hosting import heir_of, is_host_away
from games.services.desk import announce
from games.services.errors import HostNotAway, Malformed, NotHost, NotYourSeat, RaceNotOpen
from games.services.outbox import person_tell
from games.services.starting import race_for_change

SEEN_GRAIN: Final = timedelta(hours=1)
"""So often at most a look is noted: reading should seldom write."""


def host_seen(*, race: Race, by: Person, now: datetime) -> None:
    """Note that the host has been here; anybody else's look is not noted."""
    if race.host_id == by.pk and now - race.host_seen_at >= SEEN_GRAIN:
        Race.objects.filter(pk=race.pk, host_id=by.pk).update(host_seen_at=now)


@transaction.atomic
def race_host_pass(*, race_id: int, by: Person, seat_id: int) -> Race:
    """Make another driver the host; host only, until the race is over. The new host is told.

    Handing over twice is handing over once. Raises NotHost, NotYourSeat, Malformed (a bot), RaceNotOpen.
    """
    race = _going(race_for_change(race_id))
    seat = Seat.objects.filter(race=race, pk=seat_id, state="joined").select_related("player").first()
    if seat is not None and seat.player_id == race.host_id:
        return race
    if race.host_id != by.pk:
        raise NotHost("Only the race's host may hand it over.")
    if seat is None:
        raise NotYourSeat("There is no such driver in this race.")
    if seat.player_id is None:
        raise Malformed("A bot cannot host a race; name a driver.")
    _host_set(race, seat, by=by)
    return race


@transaction.atomic
def race_host_take(*, race_id: int, by: Person) -> Race:
    """Take over from a host who has been away for HOST_AWAY_DAYS days: the right of the driver who joined first.

    Both are told. Taking over twice is taking over once. Raises HostNotAway, NotHost, RaceNotOpen.
    """
    race = _going(race_for_change(race_id))
    if race.host_id == by.pk:
        return race
    if not is_host_away(race=race, now=timezone.now()):
        raise HostNotAway(f"A host can be relieved after {settings.HOST_AWAY_DAYS} days away; this one was here since.")
    heir = heir_of(race=race)
    if heir is None or heir.player_id != by.pk:
        name = "nobody is left here" if heir is None else f"here that is {heir.shown_name}"
        raise NotHost(f"From a host who is away the driver who joined first takes over; {name}.")
    _host_set(race, heir, by=by)
    return race


@transaction.atomic
def hosts_relieve(*, race_ids: list[int]) -> int:
    """An operator's way: make the driver who joined first the host of each of these races, away or not; how many."""
    count = 0
    for race_id in race_ids:
        race = race_for_change(race_id)
        heir = heir_of(race=race) if race.status in _GOING else None
        if heir is not None:
            _host_set(race, heir, by=None)
            count += 1
    return count


_GOING: Final = frozenset({"open", "running"})


def _going(race: Race) -> Race:
    if race.status not in _GOING:
        raise RaceNotOpen("The race is over." if race.status == "finished" else "The race was called off.")
    return race


def _host_set(race: Race, seat: Seat, *, by: Person | None) -> None:
    assert seat.player_id is not None
    now = timezone.now()
    former, race.host_id, race.host_seen_at = race.host_id, seat.player_id, now
    race.save(update_fields=["host", "host_seen_at"])
    for kind, player_id in (("host_new", seat.player_id), ("host_lost", former)):
        if by is None or player_id != by.pk:
            person_tell(kind=kind, race=race, seat=seat, player_id=player_id, now=now)
    announce(race.pk, bots=False)
