"""Stopping and taking up again the mails about one race, by a signed link: the seat is never touched."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from notifications.models import Pause

SALT: Final = "notifications.services.pauses"


class StopLinkRefused(Exception):
    """The link was not made here, or a part of it was lost on the way."""


@dataclass(frozen=True)
class StopLink:
    """Whose mails about which seat's race a link stops."""

    seat_id: int
    address: str


def stop_link(*, seat_id: int, address: str) -> str:
    """The whole address of the page that stops mails about this seat's race to this address."""
    token = signing.dumps([seat_id, address], salt=SALT, compress=True)
    return settings.SITE_URL + reverse("notifications:mail_stop", args=[token])


def stop_link_read(token: str) -> StopLink:
    """What the link names; raises StopLinkRefused. A link has no age: a mail may be found years later."""
    try:
        seat_id, address = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError) as broken:
        raise StopLinkRefused("This link is not whole, or was not made here.") from broken
    return StopLink(seat_id, address)


def is_paused(*, seat_id: int, address: str) -> bool:
    """Whether mails about this seat's race to this address are stopped."""
    return Pause.objects.filter(seat_id=seat_id, address__iexact=address).exists()


@transaction.atomic
def pause_set(*, seat_id: int, address: str) -> None:
    """Stop the mails; doing so twice changes nothing."""
    Pause.objects.bulk_create(
        [Pause(seat_id=seat_id, address=address.lower(), since=timezone.now())], ignore_conflicts=True
    )


@transaction.atomic
def pause_end(*, seat_id: int, address: str) -> None:
    """Take the mails up again, from the next notice on."""
    Pause.objects.filter(seat_id=seat_id, address__iexact=address).delete()
