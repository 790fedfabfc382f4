"""Stopping mails by a mail to the address that one of them named (RFC 2369, 3.2): its race's, or with a daily mail all.

No seat is touched, and nobody is answered: whoever asks for silence gets it. The page of the mail's link, and those of
the player, say how it stands and take the mails up again.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from notifications.models import AttemptResult, Notice
from notifications.reply_models import InboundMail
from notifications.services.pauses import StopLink, mails_stop

MAIL = "email"


@dataclass(frozen=True)
class Stopped:
    """What was stopped; ``words`` are for the operator, ``seat_id`` is None if nothing or every race's mails were."""

    words: str
    is_done: bool = False
    seat_id: int | None = None


@transaction.atomic
def stop_note(reference: str) -> Stopped:
    """Stop what the mail of ours that ``reference`` names was an example of; doing so twice changes nothing."""
    message_id = f"<{reference}@{settings.REPLY_DOMAIN}>"
    notice = Notice.objects.filter(message_id=message_id, channel=MAIL).first()
    if notice is not None:
        tried = notice.attempts.filter(result__in=[AttemptResult.SENT, AttemptResult.PERMANENT]).order_by("pk").last()
        if tried is None or not tried.address:
            return Stopped("its mail was not sent")
        if notice.seat_id is None:
            mails_stop(StopLink(None, tried.address, notice.player_id), is_stopped=True)
            return Stopped("all mails to the player are stopped", is_done=True)
        return _stopped(notice.seat_id, tried.address)
    answer = InboundMail.objects.filter(answer_message_id=message_id).first()
    if answer is not None and answer.seat_id is not None:
        return _stopped(answer.seat_id, answer.answer_to)
    return Stopped("it names a mail that is not here any more")


def _stopped(seat_id: int, address: str) -> Stopped:
    mails_stop(StopLink(seat_id, address), is_stopped=True)
    return Stopped("mails about the race to that address are stopped", is_done=True, seat_id=seat_id)
