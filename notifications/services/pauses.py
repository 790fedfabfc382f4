"""Stopping and taking up again the mails about one race, or all of them, by a signed link: no seat is ever touched."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from games.selectors.races import seat_ids_of
from notifications.models import Pause
from notifications.selectors import wishes_of
from notifications.services.wishes import mail_stop_all
from roadkill_site.accounts.models import User

SALT: Final = "notifications.services.pauses"


class StopLinkRefused(Exception):
    """The link was not made here, or a part of it was lost on the way."""


@dataclass(frozen=True)
class StopLink:
    """Whose mails about which seat's race a link stops; without a seat, all mails to that player."""

    seat_id: int | None
    address: str
    player_id: int | None = None


def stop_link(*, seat_id: int, address: str) -> str:
    """The whole address of the page that stops mails about this seat's race to this address."""
    token = signing.dumps([seat_id, address], salt=SALT, compress=True)
    return settings.SITE_URL + reverse("notifications:mail_stop", args=[token])


def stop_all_link(*, player_id: int, address: str) -> str:
    """The whole address of the page that stops all mails about races to this player."""
    token = signing.dumps([None, address, player_id], salt=SALT, compress=True)
    return settings.SITE_URL + reverse("notifications:mail_stop", args=[token])


def stop_link_read(token: str) -> StopLink:
    """What the link names; raises StopLinkRefused. A link has no age: a mail may be found years later."""
    try:
        seat_id, address, *player_ids = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError) as broken:
        raise StopLinkRefused("This link is not whole, or was not made here.") from broken
    return StopLink(seat_id, address, next(iter(player_ids), None))


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


def mails_stop(link: StopLink, *, is_stopped: bool) -> None:
    """Stop what the link names, or take it up again."""
    if link.seat_id is not None:
        (pause_set if is_stopped else pause_end)(seat_id=link.seat_id, address=link.address)
    elif link.player_id is not None:
        mail_stop_all(player_id=link.player_id, is_stopped=is_stopped)


def are_mails_stopped(link: StopLink) -> bool:
    """Whether what the link names is stopped."""
    if link.seat_id is not None:
        return is_paused(seat_id=link.seat_id, address=link.address)
    return link.player_id is not None and wishes_of(link.player_id).is_mail_stopped


@transaction.atomic
def pauses_of_player_set(*, player: User, races_off: Collection[str]) -> None:
    """Mail this player about all own races but these (by id)."""
    for public_id, seat_id in seat_ids_of(user=player).items():
        (pause_set if public_id in races_off else pause_end)(seat_id=seat_id, address=player.email)
