"""How a driver's act comes to the desk: the lock, the key seen before, the seat that may act."""

from datetime import datetime
from typing import Any

from games.models import Seat
from games.services.desk import Desk, race_lock, seats_locked
from games.services.errors import KeyMissing, NotYourDecision, NotYourSeat, RaceNotRunning, RaceOver, RaceUnknown
from games.services.incoming import unseen_letter


class AnsweredBefore(Exception):
    """This key has been used; ``receipt`` is what it was answered then, to be answered again."""

    def __init__(self, receipt: dict[str, Any]) -> None:
        super().__init__()
        self.receipt = receipt


def key_check(key: str) -> None:
    """Raise KeyMissing for an idempotency key of another length than 1 to 100, or with what cannot be seen."""
    if not 1 <= len(key) <= 100 or unseen_letter(key):
        raise KeyMissing("An act needs a key of 1 to 100 characters that can be seen, made anew for each form.")


def desk_for(*, race_id: int, seat_id: int, key: str, origin: str, now: datetime) -> tuple[Desk, Seat, int]:
    """The race on the desk, locked, with the seat that acts and its number.

    Raises AnsweredBefore, RaceUnknown, RaceOver, RaceNotRunning, NotYourSeat, NotYourDecision (out of the race).
    """
    race = race_lock(race_id)
    if race is None:
        raise RaceUnknown("There is no such race.")
    seats = seats_locked(race, receipt_key=key)
    seat = next((one for one in seats if one.pk == seat_id), None)
    first: dict[str, Any] | None = getattr(seat, "first_answer", None)
    if first is not None:
        raise AnsweredBefore(first)
    if race.status == "finished":
        raise RaceOver("The race is over.")
    if race.status != "running":
        raise RaceNotRunning("The race has not started, or was called off.")
    if seat is None or seat.number is None:
        raise NotYourSeat("There is no such seat in this race.")
    if seat.state != "joined":
        raise NotYourDecision("This driver is out of the race.")
    desk = Desk.of(race, now, seats)
    desk.acting[seat.number] = origin
    return desk, seat, seat.number
