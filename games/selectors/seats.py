"""Seats: who sits where."""

from games.models import Race, Seat
from games.models.people import Person


def seat_of(*, race: Race, user: Person | None) -> Seat | None:
    """The seat that this person holds in the race, or None."""
    raise NotImplementedError


def seat_get(*, seat_id: int) -> Seat | None:
    """A seat with its race and player."""
    raise NotImplementedError


def seats_of(*, race: Race) -> list[Seat]:
    """All seats but those that were left, with their players: by number once drawn, before that in the order of joining."""
    raise NotImplementedError
