"""Invitations: signed texts that let their bearer take the seat kept for a mail address."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.urls import reverse

from games.models import OutboxEvent, Seat
from games.models.people import Person
from games.selectors.invitations import invitation_seat_id, invitation_sign
from games.services.errors import FieldRefused, InvitationRefused

DAY: Final = timedelta(hours=24)
MOST_A_DAY: Final = 100
"""Invitations of one host: eleven full races."""
MOST_TO_ONE: Final = 3
"""Invitations of one host to one address in a day: a mail of ours must not be a way to pester anybody."""


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
    if seat is not None and seat.state == "declined":
        raise InvitationRefused("This invitation was declined; ask the host for another.")
    if seat is None or seat.state != "invited":
        raise InvitationRefused("This invitation has been taken back, or somebody sits there already.")
    return seat


def invitation_refuse_too_many(*, by: Person, address: str, now: datetime) -> None:
    """Raise FieldRefused if this host has mailed as many invitations as a host may in a day."""
    mailed = OutboxEvent.objects.filter(kind="invited", race__host_id=by.pk, created_at__gt=now - DAY)
    if mailed.filter(seat__invited_email=address).count() >= MOST_TO_ONE:
        raise FieldRefused("email", f"You have mailed {MOST_TO_ONE} invitations to this address in the last day.")
    if mailed.count() >= MOST_A_DAY:
        raise FieldRefused("email", f"You have mailed {MOST_A_DAY} invitations in the last day, which is the most.")
