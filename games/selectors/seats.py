"""Seats: who sits where."""

from games.models import Race, Seat
from games.models.people import Person
from games.runtime.present import seats_read


def seat_of(*, race: Race, user: Person | None) -> Seat | None:
    """The seat that this person holds in the race (resigned or removed drivers keep theirs to look from), or None."""
    if user is None or user.pk is None:
        return None
    return (
        Seat.objects.filter(race=race, player_id=user.pk)
        .exclude(state="left")
        .select_related("player", "race", "race__host")
        .first()
    )


def seat_get(*, seat_id: int) -> Seat | None:
    """A seat with its race and player."""
    return Seat.objects.select_related("player", "race", "race__host").filter(pk=seat_id).first()


def seats_of(*, race: Race) -> list[Seat]:
    """All seats but those that were left, with their players: by number, before the start in the order of joining."""
    return seats_read(race)
