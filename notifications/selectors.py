"""What is read about notices: a player's closed address, and what was sent to a player."""

from django.db.models import Q, QuerySet

from notifications.models import ClosedAddress, Notice


def address_closed(*, channel: str, address: str) -> ClosedAddress | None:
    """Why nothing is sent to this address, or None if it is open."""
    return ClosedAddress.objects.filter(channel=channel, address__iexact=address).first()


def notices_of_player(*, player_id: int, most: int = 100) -> QuerySet[Notice]:
    """The newest notices to this player, by seat or by name, with their tries: the player's own delivery log."""
    by_name = Q(outbox_event__player_id=player_id)
    return (
        Notice.objects.filter(by_name | Q(outbox_event__player=None, seat__player_id=player_id))
        .select_related("outbox_event", "seat__race")
        .prefetch_related("attempts")
        .order_by("-created_at", "-pk")[:most]
    )
