"""Mails of ours that come back: the address of one that failed for good is closed, and its notice says so.

A report counts only if it names a mail of ours by its signed return path or by its Message-ID; and what is closed is
the address that we sent that mail to, whatever the report says.
"""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from notifications.inbound.kinds import Bounce
from notifications.models import Attempt, AttemptResult, Notice, NoticeState
from notifications.reply_models import AnswerState, InboundMail
from notifications.services.addresses import address_close

MAIL = "email"


@dataclass(frozen=True)
class Noted:
    """What came of a report; ``words`` are for the operator."""

    words: str
    is_closed: bool = False


@transaction.atomic
def bounce_note(bounce: Bounce, *, at: datetime) -> Noted:
    """Close the address of a mail that failed for good; a delay, a full mailbox and a distrust of us close nothing."""
    message_id = f"<{bounce.reference}@{settings.REPLY_DOMAIN}>" if bounce.reference else bounce.message_id.lower()
    if not message_id:
        return Noted("it names no mail of ours")
    if not bounce.is_about_mailbox:
        return Noted("a failure that may pass, or that is not the mailbox's" if bounce.is_hard else "it may yet arrive")
    said = " ".join(f"{bounce.status} {bounce.diagnostic}".split())[:500]
    notice = Notice.objects.filter(message_id=message_id, channel=MAIL).first()
    if notice is not None:
        tried = notice.attempts.filter(result=AttemptResult.SENT).order_by("-pk").first()
        if tried is None or not tried.address:
            return Noted("its mail was not sent")
        Attempt.objects.create(
            notice=notice,
            number=notice.attempt_count,
            address=tried.address,
            result=AttemptResult.PERMANENT,
            detail=said,
            started_at=tried.started_at,
            ended_at=at,
        )
        Notice.objects.filter(pk=notice.pk).update(state=NoticeState.BOUNCED, sent_at=None, reason=said[:200])
        address_close(channel=MAIL, address=tried.address, detail=said, at=at)
        return Noted("the address is closed", is_closed=True)
    answer = InboundMail.objects.filter(answer_message_id=message_id, answer_state=AnswerState.SENT).first()
    if answer is not None:
        address_close(channel=MAIL, address=answer.answer_to, detail=said, at=at)
        return Noted("the address is closed", is_closed=True)
    return Noted("it names a mail that we do not know")
