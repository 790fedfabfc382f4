"""What is read about notices: a player's closed address, what was sent to a player, and what a player wants."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q, QuerySet

from games.selectors.notices import QUESTION_KINDS, questions_open
from notifications.models import ClosedAddress, Endpoint, Notice, NoticeState, Occasion, Pause, Wishes
from roadkill_site.accounts.models import User


def address_closed(*, channel: str, address: str) -> ClosedAddress | None:
    """Why nothing is sent to this address, or None if it is open."""
    return ClosedAddress.objects.filter(channel=channel, address__iexact=address).first()


def notices_of_player(*, player_id: int, most: int | None = 100) -> QuerySet[Notice]:
    """The newest notices to this player, by seat or by name, with their tries: the player's own delivery log."""
    by_name = Q(outbox_event__player_id=player_id)
    return (
        Notice.objects.filter(
            by_name | Q(outbox_event__player=None, seat__player_id=player_id) | Q(player_id=player_id)
        )
        .select_related("outbox_event", "seat__race", "endpoint__race")
        .prefetch_related("attempts")
        .order_by("-created_at", "-pk")[:most]
    )


def notices_overtaken(notices: Iterable[Notice]) -> set[int]:
    """Those of these notices that wait to tell of a question which is no question any more.

    Delivery drops them when their time has come; what their reader is shown of them need not wait for that.
    """
    waiting = {
        notice.pk: notice.outbox_event.decision_id
        for notice in notices
        if notice.state == NoticeState.PENDING
        and notice.outbox_event is not None
        and notice.outbox_event.kind in QUESTION_KINDS
    }
    still = questions_open(waiting.values()) if waiting else set()
    return {pk for pk, decision in waiting.items() if decision not in still}


def wishes_of(player_id: int) -> Wishes:
    """What this player wants to be told; the defaults, unsaved, if nothing was ever said."""
    return Wishes.objects.filter(player_id=player_id).first() or Wishes(player_id=player_id)


def players_without_reminders(player_ids: Iterable[int]) -> set[int]:
    """Those of these players who want none."""
    wishes = Wishes.objects.filter(player_id__in=set(player_ids), reminders=False)
    return set(wishes.values_list("player_id", flat=True))


def daily_told_at(*, player_id: int) -> datetime | None:
    """When this player's last daily mail left, or None if there was none."""
    told = Notice.objects.filter(player_id=player_id, occasion=Occasion.DAILY, sent_at__isnull=False)
    return told.order_by("-sent_at").values_list("sent_at", flat=True).first()


def endpoint_list(*, player_id: int) -> QuerySet[Endpoint]:
    """The webhooks and browsers of this player, the oldest first."""
    rows = Endpoint.objects.filter(player_id=player_id).select_related("race")
    return rows.prefetch_related("races_off").order_by("pk")


def endpoints_closed(*, player_id: int) -> list[Endpoint]:
    """Those of them at which nothing is sent any more because sending failed for good."""
    return list(Endpoint.objects.filter(player_id=player_id, closed_at__isnull=False).order_by("pk"))


def mail_pauses_of(*, player: User) -> set[str]:
    """The ids of the races of which this player is mailed nothing."""
    rows = Pause.objects.filter(seat__player=player, address__iexact=player.email)
    return set(rows.values_list("seat__race__public_id", flat=True))


def closed_addresses() -> set[tuple[str, str]]:
    """Channel and address, in lower case, of all to which nothing is sent; they are few."""
    return {(channel, address.lower()) for channel, address in ClosedAddress.objects.values_list("channel", "address")}


def paused_addresses(seat_ids: Iterable[int]) -> set[tuple[int, str]]:
    """Seat and address, in lower case, for which mails about these seats' races are stopped."""
    rows = Pause.objects.filter(seat_id__in=set(seat_ids)).values_list("seat_id", "address")
    return {(seat_id, address.lower()) for seat_id, address in rows}
