"""What a change of a player's calendar does to the questions that are open."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from games.models import Seat
from games.runtime.errors import RaceFaulty
from games.services.desk import Desk, race_lock
from games.services.faults import fault_mark


def calendar_changed_receive(*, user_id: int, **_signal: Any) -> None:
    """A receiver of the accounts' signal."""
    player_clocks_set(player_id=user_id, now=timezone.now())


@transaction.atomic
def player_clocks_set(*, player_id: int, now: datetime) -> None:
    """Make the deadlines anew that are made from this player's hours, in all races whose clocks run.

    A holiday puts them off. One that is taken back brings them nearer again, but leaves the time of a reaction, so that
    nobody lapses by it at once.
    """
    seats = Seat.objects.filter(player_id=player_id, state="joined", number__isnull=False, race__status="running")
    for race_id, number in seats.order_by("race_id").values_list("race_id", "number"):
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
