"""From the outbox to notices: what happened, told to whom by which channel."""

import logging

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from games.selectors.notices import outbox_unprocessed
from games.services.outbox import outbox_processed
from notifications.channels import CHANNELS
from notifications.models import Notice, NoticeState

logger = logging.getLogger(__name__)


def message_id_of(*, event_id: int, seat_id: int, channel: str, reminder: str = "") -> str:
    """The Message-ID of the notice of this event to this seat by this channel: always the same.

    It is keyed, since row numbers would tell a reader how many notices others got in between. ``reminder``: which one,
    if it is not the first notice of it.
    """
    facts = f"{event_id}:{seat_id}:{channel}{reminder and ':' + reminder}"
    mark = salted_hmac(__name__, facts, algorithm="sha256").hexdigest()[:40]
    return f"<{mark}@{settings.REPLY_DOMAIN}>"


@transaction.atomic
def outbox_dispatch(*, most: int = 500) -> list[int]:
    """Make the notices of at most `most` unprocessed rows of the outbox.

    Returns the row numbers of those to be sent now; a row of the outbox may say that its notices wait.

    Safe to run twice, and side by side: a notice is unique on event, seat and channel.
    """
    now = timezone.now()
    events = outbox_unprocessed(most=most)
    notices = []
    for event in events:
        carriers = [channel.key for channel in CHANNELS.values() if event.kind in channel.kinds()]
        if not carriers:
            logger.warning("No channel carries notices of kind %s (outbox row %s)", event.kind, event.pk)
        notices += [
            Notice(
                outbox_event_id=event.pk,
                seat_id=event.seat_id,
                channel=channel,
                message_id=message_id_of(event_id=event.pk, seat_id=event.seat_id, channel=channel),
                due_at=now if event.not_before is None else max(now, event.not_before),
            )
            for channel in carriers
        ]
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    event_ids = [event.pk for event in events]
    outbox_processed(event_ids=event_ids, at=now)
    fresh = Notice.objects.filter(outbox_event_id__in=event_ids, state=NoticeState.PENDING, due_at__lte=now)
    return list(fresh.order_by("pk").values_list("pk", flat=True))
