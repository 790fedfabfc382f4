"""Invitations: signed texts that let their bearer take the seat kept for a mail address."""

from django.conf import settings
from django.urls import reverse

from games.models import Seat
from games.selectors.invitations import invitation_seat_id, invitation_sign
from games.services.errors import InvitationRefused


def invitation_token(seat: Seat) -> str:
    """The signed text for an invited seat; it is void when the seat is taken or the invitation taken back."""
    return invitation_sign(seat)


def invitation_address(seat: Seat) -> str:
    """The whole address that stands in the mail: the race's page with its token."""
    page = reverse("games:race", args=[seat.race.public_id])
    return f"{settings.SITE_URL}{page}?invitation={invitation_token(seat)}"


def invitation_seat(token: str) -> Seat:
    """The seat, with its race, that an invitation is for; raises InvitationRefused."""
    seat_id = invitation_seat_id(token)
    if seat_id is None:
        raise InvitationRefused(
            "This invitation is not whole, was made out anew, or was not made here. "
            "Open it again from the mail, or copy the whole address."
        )
    seat = Seat.objects.select_related("race", "race__host").filter(pk=seat_id).first()
    if seat is None or seat.state != "invited":
        raise InvitationRefused("This invitation has been taken back, or somebody sits there already.")
    return seat
