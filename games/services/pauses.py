"""All clocks of a race stopped by its host, and let go on."""

from django.db import transaction
from django.utils import timezone

from games.models import Race
from games.models.people import Person
from games.services.desk import Desk
from games.services.errors import RaceNotRunning
from games.services.notes import race_note
from games.services.starting import race_for_change


@transaction.atomic
def race_pause(*, race_id: int, by: Person) -> Race:
    """Stop all clocks of a race under way; host only. Pausing twice is pausing once.

    Whoever wants to may answer meanwhile; nothing lapses, no window closes by its time. Raises NotHost, RaceNotRunning.
    """
    race = _running(race_for_change(race_id, by=by))
    if race.paused_at is not None:
        return race
    now = timezone.now()
    desk = Desk.of(race, now)
    race.paused_at = now
    race.save(update_fields=["paused_at"])
    race_note(race, key=f"pause/{now.isoformat()}", text="The host has stopped all clocks.", now=now)
    desk.write()
    return race


@transaction.atomic
def race_resume(*, race_id: int, by: Person) -> Race:
    """Let the clocks go on, each with the time that it had; host only. Raises NotHost, RaceNotRunning."""
    race = _running(race_for_change(race_id, by=by))
    if race.paused_at is None:
        return race
    now, since = timezone.now(), race.paused_at
    desk = Desk.of(race, now)
    for number, row in desk.rows.items():
        whose = desk.whose(number)
        desk.clocks.stop(row, whose, at=now)
        row.counts_from = now
        stood = now - max(since, row.opened_at)
        row.hold_until = None if row.hold_until is None else row.hold_until + stood
        row.bot_at = None if row.bot_at is None else row.bot_at + stood
        desk.clocks.set_due(row, whose, number=number)
        desk.reclocked(number)
    race.paused_at = None
    race.save(update_fields=["paused_at"])
    race_note(race, key=f"resume/{now.isoformat()}", text="The host has let the clocks go on.", now=now)
    desk.write()
    return race


def _running(race: Race) -> Race:
    if race.status != "running":
        raise RaceNotRunning("The clocks of a race run while it is under way.")
    return race
