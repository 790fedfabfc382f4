"""Races that cannot go on: marked for the operator, told to the host, tried again later."""

import logging
from datetime import datetime

from django.db import transaction

from games.models import OutboxEvent, Race, Seat
from games.runtime.errors import RaceFaulty
from games.services.desk import announce
from games.tempo.retries import retry_wait

logger = logging.getLogger(__name__)


@transaction.atomic
def fault_mark(*, race_id: int, error: RaceFaulty, now: datetime, by_player: bool = False) -> None:
    """Note on the race that it is faulty and when it is tried again (5 minutes, doubled each time, 6 hours at most).

    ``by_player``: it came up with a player's act. Then it is looked after when it would have been anyway: whoever finds
    an act on which a rule breaks must not be able to stop the others' clocks by sending it again and again.

    The host is told once for each position at which the race stopped.
    """
    race = Race.objects.select_for_update().get(pk=race_id)
    race.fault = error.detail[:2000]
    race.fault_at = now
    if not by_player or race.wake_at is None:
        race.wake_at = now + retry_wait(race.fault_count)
        race.fault_count = min(race.fault_count + 1, 1000)
    race.save(update_fields=["fault", "fault_at", "fault_count", "wake_at"])
    logger.error("race %s cannot go on and is tried again at %s: %s", race.public_id, race.wake_at, error.detail)
    seat = Seat.objects.filter(race=race, player_id=race.host_id).exclude(state="left").first()
    if seat is not None:
        told = OutboxEvent(kind="fault", race=race, seat=seat, seq=race.seq, created_at=now)
        OutboxEvent.objects.bulk_create([told], ignore_conflicts=True)
        announce(race.pk, bots=False)
