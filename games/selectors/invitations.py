"""Invitations: their signature, and for whom a seat is kept."""

from typing import Final

from django.core import signing

from games.models import Race, Seat
from games.models.people import Person

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


def seat_kept_for(*, race: Race, user: Person | None, invitation: str = "") -> Seat | None:
    """The seat of this race that is kept, or was until it was declined, for whoever bears a token or has the address.

    The one of the token goes first, then one that still waits.
    """
    kept = Seat.objects.filter(race=race, state__in=["invited", "declined"])
    seat_id = invitation_seat_id(invitation) if invitation else None
    borne = None if seat_id is None else kept.filter(pk=seat_id).first()
    if borne is not None or user is None:
        return borne
    return kept.filter(invited_email=user.email.lower()).order_by("-state", "-pk").first()
