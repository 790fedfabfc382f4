"""The worker's part in notices: ids in, one service call, safe to run twice.

None has an ETA: due rows and a sweep decide.
"""

from collections.abc import Sequence
from typing import Final

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from notifications.doors.mailbox_poll import mailbox_poll
from notifications.services.daily import daily_make
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from notifications.services.fallback import fallbacks_make
from notifications.services.reminders import reminders_make
from notifications.services.replies.answering import answers_due, answers_send
from notifications.services.replies.taking import mails_due, mails_forget, mails_take
from notifications.services.stories import stories_make

BATCH: Final = 25
"""Notices that share one connection; small enough that several workers share a large round."""


@shared_task
def dispatch_outbox() -> None:
    """Turn outbox rows into notices and hand these to the workers in batches."""
    _hand_on(outbox_dispatch())


@shared_task
def remind() -> None:
    """Make the reminders whose moment has come, and try the next channel where mail does not get through."""
    now = timezone.now()
    _hand_on([*reminders_make(now=now), *fallbacks_make(now=now)])


@shared_task
def stories() -> None:
    """Tell shared endpoints what is new in the public logs that they follow."""
    _hand_on(stories_make(now=timezone.now()))


@shared_task
def daily() -> None:
    """Make the daily mails whose hour has come, and hand them to the workers in batches."""
    _hand_on(daily_make(now=timezone.now()))


@shared_task
def deliver_notices(notice_ids: Sequence[int]) -> None:
    """Try these notices, over one connection."""
    notices_deliver(notice_ids)


@shared_task
def deliver_due() -> None:
    """Try what is due again, and what a lost nudge, a full broker or a crash has left behind."""
    notices_deliver(notices_due(now=timezone.now()))


@shared_task
def take_mails(mail_ids: Sequence[int]) -> None:
    """Act on these mails that came in, and answer them."""
    answers_send(mails_take(mail_ids))


@shared_task
def take_mails_due() -> None:
    """Act on the mails, and send the answers, that a lost nudge or a crash has left behind."""
    mails_take(mails_due(now=timezone.now()))
    answers_send(answers_due())


@shared_task
def poll_mailbox() -> None:
    """Bring in what has come into the mailbox that is polled, if one is."""
    if settings.REPLIES and settings.INBOUND_IMAP_URL:
        mailbox_poll(settings.INBOUND_IMAP_URL)


@shared_task
def forget_mails() -> None:
    """Delete the bytes of old mails."""
    mails_forget(now=timezone.now())


def _hand_on(notice_ids: Sequence[int]) -> None:
    for first in range(0, len(notice_ids), BATCH):
        deliver_notices.delay(notice_ids[first : first + BATCH])
