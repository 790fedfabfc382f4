"""What a change of a player's calendar does to the questions that are open."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from games.models import Seat
from games.runtime.errors import RaceFaulty
from games.services.desk import Desk, race_lock
from games.services.faults import fault_mark


def calendar_changed_receive(*, user_id: int, **_signal: Any) -> None:
    """A receiver of the accounts' signal."""
    player_clocks_set(player_id=user_id, now=timezone.now())


def player_races_lock(*, player_id: int, race_id: int) -> None:
    """Lock this race and all races whose clocks this player's calendar moves, in the order in which all lock them.

    For whoever will change the calendar in a transaction that works on one of the races: that race must not be locked
    before others of a lower number. The player's own row is locked before.
    """
    for one in sorted({race_id, *_seats(player_id).values_list("race_id", flat=True)}):
        race_lock(one)


def _seats(player_id: int) -> QuerySet[Seat]:
    return Seat.objects.filter(player_id=player_id, state="joined", number__isnull=False, race__status="running")


@transaction.atomic
def player_clocks_set(*, player_id: int, now: datetime) -> None:
    """Make the deadlines anew that are made from this player's hours, in all races whose clocks run.

    A holiday puts them off. One that is taken back brings them nearer again, but leaves the time of a reaction, so that
    nobody lapses by it at once.
    """
    for race_id, number in _seats(player_id).order_by("race_id").values_list("race_id", "number"):
        assert number is not None
        try:
            with transaction.atomic():
                _race_clocks_set(race_id, number, now)
        except RaceFaulty as fault:
            fault_mark(race_id=race_id, error=fault, now=now, by_player=True)


def _race_clocks_set(race_id: int, number: int, now: datetime) -> None:
    race = race_lock(race_id)
    if race is None or race.status != "running" or race.paused_at is not None:
        return
    desk = Desk.of(race, now)
    least = now + timedelta(minutes=race.reaction_minutes)
    for asked, row in desk.rows.items():
        whose = desk.whose(asked)
        if number not in whose.seats:
            continue
        before = row.due_at
        desk.clocks.set_due(row, whose, number=asked)
        if row.due_at < before:
            row.due_at = max(row.due_at, min(before, least))
        desk.reclocked(asked)
    desk.write()
