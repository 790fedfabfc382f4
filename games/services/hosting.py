"""Hosting of races and leagues: handed over by the host, or taken over from one who is away."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.models import Campaign, League, LeagueDriver, Race, Seat
from games.models.people import Person
from games.selectors.hosting import heir_of, is_host_away, league_heir_of, league_heirs, races_of_league
from games.services.campaign_desk import campaign_lock
from games.services.desk import announce
from games.services.errors import HostNotAway, Malformed, NotHost, NotYourSeat, RaceNotOpen
from games.services.leagues import league_for_change
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


# --- Leagues ----------------------------------------------------------------------------


def league_host_seen(*, league: League, by: Person, now: datetime) -> None:
    """Note that the league's host has been here; anybody else's look is not noted."""
    if league.host_id == by.pk and now - league.host_seen_at >= SEEN_GRAIN:
        League.objects.filter(pk=league.pk, host_id=by.pk).update(host_seen_at=now)


@transaction.atomic
def league_host_take(*, league_id: int, by: Person) -> League:
    """Take a league over from a host who has been away: see games.selectors.hosting.league_heirs for whose right it is.

    Its races under way that the former host hosts come with it, and their drivers' mails say so to the former host.
    Taking over twice is taking over once. Raises HostNotAway, NotHost, LeagueUnknown.
    """
    league = league_for_change(league_id)
    if league.host_id == by.pk:
        return league
    heirs = league_heirs(league=league, now=timezone.now())
    if not heirs:
        if league_heir_of(league=league) is None:
            raise NotHost("A league is taken over by somebody who takes part in its season; nobody else does.")
        raise HostNotAway(f"A host can be relieved after {settings.HOST_AWAY_DAYS} days away; this one was here since.")
    heir = next((one for one in heirs if one.player_id == by.pk), None)
    if heir is None:
        raise NotHost(
            "From a host who is away whoever came to the league first takes over, and after twice as many days anybody "
            f"who takes part; now that is {heirs[0].shown_name}."
        )
    _league_host_set(league, heir, by=by)
    return league


@transaction.atomic
def league_hosts_relieve(*, league_ids: list[int]) -> int:
    """An operator's way: make whoever came to it first the host of each of these leagues, away or not; how many."""
    count = 0
    for league_id in league_ids:
        league = league_for_change(league_id)
        heir = league_heir_of(league=league)
        if heir is not None:
            _league_host_set(league, heir, by=None)
            count += 1
    return count


def _league_host_set(league: League, heir: LeagueDriver, *, by: Person | None) -> None:
    assert heir.player_id is not None
    now = timezone.now()
    former, league.host_id = league.host_id, heir.player_id
    league.host_seen_at = league.taken_over_at = now
    league.taken_from_id = former
    league.save(update_fields=["host", "host_seen_at", "taken_over_at", "taken_from"])
    # A campaign makes its next race as the one before: whoever goes on with it must find the new host there.
    going = Campaign.objects.filter(league_fixture__season__league=league, status__in=["running", "paused"])
    for campaign_id in going.order_by("pk").values_list("pk", flat=True):
        campaign_lock(campaign_id)
    races = Race.objects.filter(races_of_league(league=league), host_id=former, status__in=_GOING).order_by("pk")
    for race_id in list(races.values_list("pk", flat=True)):
        race = race_for_change(race_id)
        seats = list(Seat.objects.filter(race=race, state="joined").order_by("joined_order"))
        seat = next((one for one in seats if one.player_id == heir.player_id), seats[0] if seats else None)
        race.host_id, race.host_seen_at = heir.player_id, now
        race.save(update_fields=["host", "host_seen_at"])
        for kind, player_id in (("host_new", heir.player_id), ("host_lost", former)):
            if seat is not None and (by is None or player_id != by.pk):
                person_tell(kind=kind, race=race, seat=seat, player_id=player_id, now=now)
        announce(race.pk, bots=False)
