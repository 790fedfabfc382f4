"""Webhooks and browsers of players: making and changing them, closing what fails, and what each is told."""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction

from games.selectors.log import START
from games.selectors.races import race_id_followed, race_ids_of
from notifications.channels import CHANNELS
from notifications.channels.outward import AddressRefused, address_check
from notifications.channels.push.sealing import KeyRefused, decoded, public_key
from notifications.channels.webhook.bodies import BODIES
from notifications.models import Endpoint, Notice, Occasion
from notifications.services.marks import message_id_by_name
from notifications.words import ENDPOINT_KINDS
from roadkill_site.accounts.models import User

MOST: Final = 20
"""Endpoints of one player."""
LABEL_MOST: Final = 60
WEBHOOK: Final = "webhook"
PUSH: Final = "push"


class EndpointRefused(Exception):
    """An endpoint that cannot be; ``field`` is what was given, the text a sentence."""

    def __init__(self, field: str, text: str) -> None:
        """Refuse what was given for `field`."""
        super().__init__(text)
        self.field = field


class EndpointUnknown(Exception):
    """The player has no such endpoint."""


@transaction.atomic
def webhook_create(*, player: User, label: str, address: str, form: str = "generic", follows: str = "") -> Endpoint:
    """A webhook; ``secret`` of what is returned signs its messages. Raises EndpointRefused.

    ``follows``: the id of a race whose public log is told there, for a channel that others read too; the race must be
    public, or the player its host. Without it the player's own notices are.
    """
    if not CHANNELS[WEBHOOK].is_on:
        raise EndpointRefused("address", "Webhooks are switched off on this site.")
    if form not in BODIES:
        raise EndpointRefused("form", f"There is no such form; there are {', '.join(BODIES)}.")
    _check_address(address)
    race_id, told = None, START
    if follows:
        found = race_id_followed(public_id=follows, user=player)
        if found is None:
            raise EndpointRefused("follows", "There is no such race, or it is private and you are not its host.")
        race_id, told = found
    row = Endpoint(
        player=player,
        channel=WEBHOOK,
        form=form,
        label=_label(label),
        address=address,
        secret=f"whs_{secrets.token_urlsafe(32)}",
        is_shared=race_id is not None,
        race_id=race_id,
        told_seq=told.entry,
        told_notes=told.notes or 0,
    )
    return _add(row)


@transaction.atomic
def browser_subscribe(*, player: User, label: str, address: str, browser_key: str, auth: str) -> Endpoint:
    """A browser, by what its own subscription says; the same browser again is the same endpoint, opened anew.

    ``browser_key`` and ``auth``: base64url. Raises EndpointRefused.
    """
    if not CHANNELS[PUSH].is_on:
        raise EndpointRefused("address", "Web push is switched off on this site.")
    _check_address(address)
    try:
        public_key(decoded(browser_key))
        if len(decoded(auth)) != 16:
            raise EndpointRefused("auth", "The browser's secret has 16 bytes.")
    except KeyRefused as refused:
        raise EndpointRefused("browser_key", str(refused)) from refused
    facts: dict[str, Any] = {"secret": auth, "browser_key": browser_key, "closed_at": None, "closed_detail": ""}
    known = Endpoint.objects.filter(player=player, address=address, channel=PUSH)
    if known.update(**facts):
        return known.get()
    return _add(Endpoint(player=player, channel=PUSH, label=_label(label), address=address, **facts))


@transaction.atomic
def endpoint_change(
    *,
    player: User,
    endpoint_id: int,
    label: str | None = None,
    kinds_off: Collection[str] | None = None,
    races_off: Collection[str] | None = None,
) -> Endpoint:
    """Change what is given. ``races_off``: ids of own races. Raises EndpointUnknown, EndpointRefused."""
    row = _own(player, endpoint_id)
    if label is not None:
        row.label = _label(label)
    if kinds_off is not None:
        row.kinds_off = kinds_checked(kinds_off)
    row.save(update_fields=["label", "kinds_off"])
    if races_off is not None:
        own = race_ids_of(user=player)
        unknown = sorted(set(races_off) - set(own))
        if unknown:
            raise EndpointRefused("races_off", f"You are in no race {unknown[0][:20]}.")
        row.races_off.set([own[public_id] for public_id in races_off])
    return row


def kinds_checked(kinds: Collection[str]) -> list[str]:
    """These kinds in order, each once; raises EndpointRefused for one that is none."""
    unknown = sorted(set(kinds) - ENDPOINT_KINDS)
    if unknown:
        known = ", ".join(sorted(ENDPOINT_KINDS))
        raise EndpointRefused("kinds_off", f"There is no kind {unknown[0][:20]}; there are {known}.")
    return sorted(set(kinds))


@transaction.atomic
def endpoint_remove(*, player: User, endpoint_id: int) -> None:
    """Forget it, and what was told there. Raises EndpointUnknown."""
    _own(player, endpoint_id).delete()


@transaction.atomic
def endpoint_reopen(*, player: User, endpoint_id: int) -> Endpoint:
    """Send there again, from the next notice on. Raises EndpointUnknown."""
    row = _own(player, endpoint_id)
    row.closed_at, row.closed_detail = None, ""
    row.save(update_fields=["closed_at", "closed_detail"])
    return row


@transaction.atomic
def endpoint_try(*, player: User, endpoint_id: int, now: datetime) -> Notice:
    """Put a trial message on its way; one that waits already is the same. Raises EndpointUnknown, EndpointRefused."""
    row = _own(player, endpoint_id)
    if row.closed_at is not None:
        raise EndpointRefused("", "It is closed; say first that it works again.")
    waiting = Notice.objects.filter(endpoint=row, occasion=Occasion.TRIAL, state="pending").first()
    return waiting or Notice.objects.create(
        player=player,
        endpoint=row,
        channel=row.channel,
        occasion=Occasion.TRIAL,
        moment=now,
        due_at=now,
        message_id=message_id_by_name(occasion=Occasion.TRIAL, owner=str(row.pk), moment=now),
    )


def endpoint_close(*, endpoint_id: int, detail: str, at: datetime) -> None:
    """Send nothing more there; the first reason stands."""
    Endpoint.objects.filter(pk=endpoint_id, closed_at=None).update(closed_at=at, closed_detail=detail[:500])


def endpoints_of(player_ids: Iterable[int]) -> dict[int, list[Endpoint]]:
    """The open endpoints of these players for their own notices, in the order of the channels, then of age."""
    rows = Endpoint.objects.filter(player_id__in=set(player_ids), is_shared=False, closed_at=None)
    order = {channel: place for place, channel in enumerate(CHANNELS)}
    found: dict[int, list[Endpoint]] = defaultdict(list)
    for row in sorted(rows.prefetch_related("races_off"), key=lambda row: (order.get(row.channel, 99), row.pk)):
        if row.channel in CHANNELS and CHANNELS[row.channel].is_on:
            found[row.player_id].append(row)
    return found


def endpoints_wanting(endpoints: Sequence[Endpoint], *, kind: str, race_id: int) -> list[Endpoint]:
    """Those of these endpoints at which this kind of notice of this race is wanted."""
    return [
        row
        for row in endpoints
        if kind in CHANNELS[row.channel].kinds()
        and kind not in row.kinds_off
        and all(race.pk != race_id for race in row.races_off.all())
    ]


def _add(row: Endpoint) -> Endpoint:
    User.objects.select_for_update().get(pk=row.player_id)
    if Endpoint.objects.filter(player_id=row.player_id).count() >= MOST:
        raise EndpointRefused("", f"You have {MOST} of them, which is the most; remove one first.")
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as twice:
        raise EndpointRefused("address", "You have this address already.") from twice
    return row


def _check_address(address: str) -> None:
    try:
        address_check(address)
    except AddressRefused as refused:
        raise EndpointRefused("address", str(refused)) from refused


def _label(label: str) -> str:
    words = " ".join(label.split())
    if not words or len(words) > LABEL_MOST:
        raise EndpointRefused("label", f"Give it a name of at most {LABEL_MOST} letters.")
    return words


def _own(player: User, endpoint_id: int) -> Endpoint:
    row = Endpoint.objects.select_for_update().filter(pk=endpoint_id, player=player).first()
    if row is None:
        raise EndpointUnknown("You have no such webhook or browser.")
    return row
