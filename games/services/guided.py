"""A guided first race: on the Beginner's Track against bots, begun at once, with a word on each question."""

from typing import Final

from django.db import transaction

from games.models import Race, Seat
from games.models.people import Person
from games.services.errors import NotYourSeat
from games.services.races import race_create, race_start
from games.services.seats import seat_add_bot

NAME: Final = "First race"
BOTS: Final = 3


@transaction.atomic
def guided_race(*, by: Person) -> Race:
    """Begin a guided race for this driver; one that is still going is given again.

    Three bots drive along and answer at once. Raises FieldRefused, as race_create does.
    """
    going = Seat.objects.filter(player_id=by.pk, guided=True, state="joined", race__status="running")
    seat = going.select_related("race").order_by("-pk").first()
    if seat is not None:
        return seat.race
    race = race_create(
        by=by,
        name=NAME,
        seats=BOTS + 1,
        options={"track": "beginner"},
        tempo="daily",
        # Nobody is there from whom a wait would hide anything, and a newcomer must not be made to wait.
        policy="open",
        starts_when_full=False,
    )
    for _ in range(BOTS):
        seat_add_bot(race_id=race.pk, by=by, bot="driver", delay_minutes=0)
    Seat.objects.filter(race=race, player_id=by.pk).update(guided=True)
    return race_start(race_id=race.pk, by=by)


@transaction.atomic
def seat_guide(*, race_id: int, by: Person, guided: bool) -> None:
    """Say a word on each question of one's own seat, or no more. Raises NotYourSeat."""
    if not Seat.objects.filter(race_id=race_id, player_id=by.pk, state="joined").update(guided=guided):
        raise NotYourSeat("You have no seat in this race.")
