"""Saying something to all drivers of a race: public, capped, and no act of the game."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from games.models import RaceMessage
from games.services.errors import Malformed
from games.services.incoming import unseen_letter
from games.services.standing import seat_at_work

LONGEST: Final = 500
"""Letters of a message."""
A_DAY_MOST: Final = 40
"""Messages of one driver in one race within a day."""


@transaction.atomic
def message_say(*, race_id: int, seat_id: int, text: str, origin: str) -> RaceMessage:
    """Say something in a race under way; raises Malformed and what seat_at_work raises.

    The text is kept as written, on one line; whoever shows it escapes it.
    """
    race, _, seat = seat_at_work(race_id, seat_id)
    said = " ".join(text.split())
    if not said:
        raise Malformed("Say something: the message is empty.")
    if len(said) > LONGEST:
        raise Malformed(f"A message has at most {LONGEST} letters; this one has {len(said)}.")
    if unseen := unseen_letter(said):
        raise Malformed(f"A message may hold no characters that cannot be seen; this one has {unseen}.")
    now = timezone.now()
    lately = RaceMessage.objects.filter(seat=seat, said_at__gt=now - timedelta(days=1))
    if lately.count() >= A_DAY_MOST:
        raise Malformed(f"You have said {A_DAY_MOST} things today, which is the most; say more tomorrow.")
    assert seat.player is not None
    return RaceMessage.objects.create(
        race=race, seat=seat, player=seat.player, text=said, seq=race.seq, origin=origin, said_at=now
    )
