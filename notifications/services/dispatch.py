"""From the outbox to notices: what happened, told to whom by which channel."""

import logging
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from games.selectors.notices import outbox_unprocessed
from games.services.outbox import outbox_processed
from notifications.channels import CHANNELS
from notifications.models import Endpoint, Notice, NoticeState, Occasion
from notifications.services.endpoints import endpoints_of, endpoints_wanting
from notifications.services.marks import message_id_of

logger = logging.getLogger(__name__)


@transaction.atomic
def outbox_dispatch(*, most: int = 500) -> list[int]:
    """Make the notices of at most `most` unprocessed rows of the outbox.

    Returns the row numbers of those to be sent now; a row of the outbox may say that its notices wait.

    Safe to run twice, and side by side: a notice is unique on event, seat and channel.
    """
    now = timezone.now()
    events = outbox_unprocessed(most=most)
    players = {event.pk: event.player_id or event.seat.player_id for event in events}
    endpoints = endpoints_of(player_id for player_id in players.values() if player_id is not None)
    notices = []
    for event in events:
        due_at = now if event.not_before is None else max(now, event.not_before)
        carriers = [
            channel.key for channel in CHANNELS.values() if not channel.has_endpoints and event.kind in channel.kinds()
        ]
        if not carriers:
            logger.warning("No channel carries notices of kind %s (outbox row %s)", event.kind, event.pk)
        notices += [notice_of(event.pk, event.seat_id, channel, due_at=due_at) for channel in carriers]
        own = endpoints[players[event.pk] or 0]
        notices += [
            notice_of(event.pk, event.seat_id, row.channel, due_at=due_at, endpoint=row)
            for row in endpoints_wanting(own, kind=event.kind, race_id=event.race_id)
        ]
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    event_ids = [event.pk for event in events]
    outbox_processed(event_ids=event_ids, at=now)
    fresh = Notice.objects.filter(outbox_event_id__in=event_ids, state=NoticeState.PENDING, due_at__lte=now)
    return list(fresh.order_by("pk").values_list("pk", flat=True))


def notice_of(
    event_id: int,
    seat_id: int,
    channel: str,
    *,
    due_at: datetime,
    endpoint: Endpoint | None = None,
    is_fallback: bool = False,
    occasion: Occasion = Occasion.NEWS,
    moment: datetime | None = None,
) -> Notice:
    """A notice, not saved: of this event, to this seat, by this channel, at this endpoint if the channel has them."""
    reminder = f"{occasion}:{int(moment.timestamp())}" if moment is not None else ""
    by = channel if endpoint is None else f"{channel}:{endpoint.pk}"
    return Notice(
        outbox_event_id=event_id,
        seat_id=seat_id,
        channel=channel,
        endpoint=endpoint,
        is_fallback=is_fallback,
        occasion=occasion,
        moment=moment,
        message_id=message_id_of(event_id=event_id, seat_id=seat_id, channel=by, reminder=reminder),
        due_at=due_at,
    )
