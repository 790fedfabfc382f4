"""When mail does not get through and a deadline nears, the next channel is tried, whatever is switched off there.

A deadline nears when half of its time is gone: that is when a reminder would go out.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db import transaction

from games.selectors.reminders import questions_waiting
from notifications.channels.email.channel import EmailChannel
from notifications.models import Endpoint, Notice, NoticeState
from notifications.services.dispatch import notice_of
from notifications.services.endpoints import endpoints_of
from notifications.services.telling import ADDRESS_CLOSED

TRIES: Final = 2
"""After so many failed tries in a row a channel counts as not getting through."""
_LOST: Final = frozenset({NoticeState.BOUNCED, NoticeState.FAILED})


@transaction.atomic
def fallbacks_make(*, now: datetime) -> list[int]:
    """Make the notices by the next channel; returns their row numbers. Safe to run twice, and side by side."""
    near = [one for one in questions_waiting(now=now) if one.half_at <= now]
    told = _told_of([one.event_id for one in near])
    lost = [one for one in near if _is_mail_lost(told[one.event_id])]
    endpoints = endpoints_of(one.player_id for one in lost)
    notices = []
    for one in lost:
        endpoint = _next(endpoints[one.player_id], told[one.event_id])
        if endpoint is not None:
            by = endpoint.channel
            notices.append(notice_of(one.event_id, one.seat_id, by, due_at=now, endpoint=endpoint, is_fallback=True))
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    ids = [notice.message_id for notice in notices]
    return list(Notice.objects.filter(message_id__in=ids, state=NoticeState.PENDING).values_list("pk", flat=True))


def _told_of(event_ids: Sequence[int]) -> dict[int, list[Notice]]:
    told: dict[int, list[Notice]] = defaultdict(list)
    for notice in Notice.objects.filter(outbox_event_id__in=event_ids).order_by("pk"):
        assert notice.outbox_event_id is not None
        told[notice.outbox_event_id].append(notice)
    return told


def _is_lost(notice: Notice) -> bool:
    if notice.state in _LOST:
        return True
    if notice.state == NoticeState.DROPPED:
        return notice.reason == ADDRESS_CLOSED
    return notice.state == NoticeState.PENDING and notice.attempt_count >= TRIES


def _is_mail_lost(told: Sequence[Notice]) -> bool:
    """Whether the latest mail about it did not get through; a mail that nobody wanted was not lost."""
    mails = [notice for notice in told if notice.channel == EmailChannel.key]
    return bool(mails) and _is_lost(mails[-1])


def _next(endpoints: Sequence[Endpoint], told: Sequence[Notice]) -> Endpoint | None:
    """The first endpoint not yet tried; None if one has been told, is being told, or if there is none left."""
    for endpoint in endpoints:
        here = [notice for notice in told if notice.endpoint_id == endpoint.pk]
        if not here:
            return endpoint
        if not _is_lost(here[-1]) and here[-1].state != NoticeState.DROPPED:
            return None
    return None
