"""The signature of invitations."""

from typing import Final

from django.core import signing

from games.models import Seat

SALT: Final = "games.selectors.invitations"


def invitation_sign(seat: Seat) -> str:
    """The token that lets its bearer take this seat: its id and the address that it is kept for, signed."""
    return signing.dumps([seat.pk, seat.invited_email], salt=SALT)


def invitation_seat_id(token: str) -> int | None:
    """The id of the seat that a token is for.

    None unless it was signed here for the address that the seat is still kept for.
    """
    try:
        seat_id, email = signing.loads(token, salt=SALT)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    kept = Seat.objects.filter(pk=seat_id, invited_email=email)
    return seat_id if kept.exists() else None
