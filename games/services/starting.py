"""How a race starts: its rows locked, its car numbers drawn, its first question asked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db import transaction

from games.engine.errors import ActionRefused
from games.models import CampaignRace, Race, Seat
from games.models.people import Person
from games.models.seat import PAST
from games.runtime.play import begin, seating_of
from games.runtime.position import faults_told, pairs_of, race_key, ruleset_of
from games.runtime.rulesets import car_of, component_hash, refuse_drivers
from games.services.desk import Desk, race_lock
from games.services.errors import NotHost, RaceFaulty, RaceNotOpen, RaceUnknown
from games.signals import campaign_due

OPEN: Final = "open"


def race_for_change(race_id: int, *, by: Person | None = None) -> Race:
    """The race, locked; with ``by`` only for its host. Raises RaceUnknown, NotHost."""
    race = race_lock(race_id)
    if race is None:
        raise RaceUnknown("There is no such race.")
    if by is not None and race.host_id != by.pk:
        raise NotHost("Only the race's host may do this.")
    return race


def open_race_for_change(race_id: int, *, by: Person | None = None) -> Race:
    """As race_for_change, for a race that has not started; raises RaceNotOpen."""
    race = race_for_change(race_id, by=by)
    if race.status != OPEN:
        raise RaceNotOpen("The race was called off." if race.status == "abandoned" else "The race has started already.")
    refuse_drawn(race)
    return race


def refuse_drawn(race: Race) -> None:
    """Raise RaceNotOpen if the cars of an open race are drawn: it waits for its campaign, and nothing else changes."""
    if race.status == OPEN and Seat.objects.filter(race=race, number__isnull=False).exists():
        raise RaceNotOpen("The cars are drawn: the race begins by itself once the upgrades are bought.")


def seats_present(race: Race) -> list[Seat]:
    """The seats that are taken or kept for somebody, in the order of joining."""
    return list(Seat.objects.filter(race=race).exclude(PAST).order_by("joined_order"))


def start_if_full(race: Race, now: datetime) -> None:
    """Start a locked, open race if all its seats are taken and its host wants that."""
    if not race.starts_when_full:
        return
    seats = seats_present(race)
    if len(seats) == race.seats_wanted and all(seat.state == "joined" for seat in seats):
        start(race, seats, now)


def start(race: Race, seats: list[Seat], now: datetime) -> None:
    """Start a locked, open race with those of these seats that are taken; invitations still open lapse.

    The first race of a campaign has its cars drawn and then waits for the purchases. Raises RaceNotOpen if the rules
    take fewer or more drivers.
    """
    joined = [seat for seat in seats if seat.state == "joined"]
    for seat in seats:
        if seat.state != "joined":
            seat.state = "left"
            seat.save(update_fields=["state"])
    Seat.objects.filter(race=race, state="declined").update(state="left")
    ruleset = ruleset_of(race)
    if refusal := refuse_drivers(ruleset, race.options, len(joined)):
        raise RaceNotOpen(f"{refusal.removesuffix('.')}; {len(joined)} of the seats are taken.")
    if CampaignRace.objects.filter(race=race).exists():
        _draw(race, joined)
        return
    set_off(race, joined, now)


def number_seats(race: Race, seats: Sequence[Seat], numbers: Sequence[int]) -> None:
    """Give each of these seats, which are all of the race, its number and its car's; saves nothing."""
    ruleset = ruleset_of(race)
    for seat, number in zip(seats, numbers, strict=True):
        seat.number = number
        seat.car = car_of(ruleset, race.options, drivers=len(seats), seat=number)


def _draw(race: Race, joined: list[Seat]) -> None:
    """Give each driver a car, as the race's record will show that it was drawn; then its campaign goes on."""
    key = race_key(race, joined)
    number_seats(race, joined, seating_of(seats=len(joined), key=key))
    Seat.objects.bulk_update(joined, ["number", "car"])
    race.seats_wanted = len(joined)
    race.save(update_fields=["seats_wanted"])
    transaction.on_commit(lambda: campaign_due.send(sender=Race, race_id=race.pk))


def set_off(race: Race, joined: list[Seat], now: datetime, *, given: tuple[int, ...] | None = None) -> None:
    """Set a locked, open race up with these seats, in the order of joining, and ask its first question.

    ``given``: the car of each; None: they are drawn. Raises RaceNotOpen, RaceFaulty.
    """
    ruleset = ruleset_of(race)
    with faults_told(race):
        race.component_hash = component_hash(ruleset, race.options)
    try:
        key, pairs = race_key(race, joined), pairs_of(race, joined)
        started = begin(race, ruleset, seats=len(joined), key=key, given=given, pairs=pairs)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        raise RaceNotOpen(f"The race cannot start like this: {refused.text}") from refused
    number_seats(race, joined, started.seating)
    for seat in joined:
        seat.bank_s = None if race.bank is None else race.bank["balance_s"]
    Seat.objects.bulk_update(joined, ["number", "car", "bank_s"])
    race.status = "running"
    race.rules_version = ruleset.version
    race.started_at = now
    race.wake_at = None
    race.save(update_fields=["status", "rules_version", "component_hash", "started_at"])
    desk = Desk.of_start(race, joined, started, now)
    desk.tell_all("started")
    desk.settle()
    desk.write()
