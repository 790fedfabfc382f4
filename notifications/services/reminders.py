"""Reminders: a question that nobody has answered is told again at half and at nine tenths of its time.

They are made by a sweep over open questions, so that a deadline that moves takes its reminders along. A reminder is
a further notice of the row of the outbox that asked: nothing of it is written into the race, and nobody else can
tell whether there was one.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from games.selectors.reminders import Waiting, purchases_waiting, questions_waiting
from notifications.channels import CHANNELS
from notifications.models import REMINDERS, Endpoint, Notice, NoticeState, Occasion
from notifications.selectors import players_without_reminders
from notifications.services.dispatch import notice_of
from notifications.services.endpoints import endpoints_of, endpoints_wanting

KIND: Final = "reminder"
SHORTEST: Final = timedelta(hours=1)
"""A question that is open for less is asked once: mail is not faster than that."""
MOVED_LEAST: Final = 10
"""A deadline counts as put off if a reminder moves by more than this part of the time: an outage's credit is less."""


@transaction.atomic
def reminders_make(*, now: datetime) -> list[int]:
    """Make the reminders whose moment has come; returns the row numbers of the notices.

    Safe to run twice, and side by side: a reminder is unique on question, seat, channel, occasion and deadline. Of two
    moments that have both passed only the later is told, and none that passed before the question itself was told.
    """
    open_now = [*questions_waiting(now=now), *purchases_waiting(now=now)]
    waiting = [one for one in open_now if one.half_at <= now and one.due_at - one.opened_at >= SHORTEST]
    silent = players_without_reminders(one.player_id for one in waiting)
    waiting = [one for one in waiting if one.player_id not in silent]
    told = _told_of([one.event_id for one in waiting])
    endpoints = endpoints_of(one.player_id for one in waiting)
    single = [key for key, channel in CHANNELS.items() if not channel.has_endpoints and KIND in channel.kinds()]
    notices = []
    for one in waiting:
        occasion, moment = (Occasion.LAST, one.last_at) if one.last_at <= now else (Occasion.HALF, one.half_at)
        own = endpoints_wanting(endpoints[one.player_id], kind=KIND, race_id=one.race_id)
        ways: list[tuple[str, Endpoint | None]] = [
            *((key, None) for key in single),
            *((row.channel, row) for row in own),
        ]
        for channel, endpoint in ways:
            before = [each for each in told[one.event_id] if (each.channel, each.endpoint) == (channel, endpoint)]
            if _is_wanted(one, occasion, moment, before):
                notices.append(
                    notice_of(
                        one.event_id,
                        one.seat_id,
                        channel,
                        due_at=now,
                        endpoint=endpoint,
                        occasion=occasion,
                        moment=one.due_at,
                    )
                )
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    ids = [notice.message_id for notice in notices]
    return list(Notice.objects.filter(message_id__in=ids, state=NoticeState.PENDING).values_list("pk", flat=True))


def _told_of(event_ids: Sequence[int]) -> dict[int, list[Notice]]:
    told: dict[int, list[Notice]] = defaultdict(list)
    for notice in Notice.objects.filter(outbox_event_id__in=event_ids).select_related("endpoint"):
        assert notice.outbox_event_id is not None
        told[notice.outbox_event_id].append(notice)
    return told


def _is_wanted(one: Waiting, occasion: Occasion, moment: datetime, before: Sequence[Notice]) -> bool:
    if not before or any(each.state in {NoticeState.PENDING, NoticeState.SENDING} for each in before):
        return False
    if any(each.sent_at is not None and each.sent_at >= moment for each in before):
        return False
    latest = Occasion.LAST.value if occasion == Occasion.LAST else None
    for each in before:
        if each.occasion not in REMINDERS or (latest and each.occasion != latest):
            continue
        if each.moment == one.due_at or moment - each.created_at < (one.due_at - one.opened_at) / MOVED_LEAST:
            return False
    return True
