"""Invitations: signed texts that let their bearer take the seat kept for a mail address."""

from games.models import Seat


def invitation_token(seat: Seat) -> str:
    """The signed text for an invited seat; it is void when the seat is taken or the invitation taken back."""
    raise NotImplementedError


def invitation_address(seat: Seat) -> str:
    """The whole address that stands in the mail: the race's page with ?invitation=…"""
    raise NotImplementedError


def invitation_seat(token: str) -> Seat:
    """The seat that an invitation is for; raises InvitationRefused."""
    raise NotImplementedError
