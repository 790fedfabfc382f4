"""How much mail is acted on and answered: two programs that answer each other's answers must come to rest.

Counted in the rows of the mails themselves, which every process shares and which survive a restart.
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from notifications.reply_models import AnswerState, InboundMail, InboundState

ACTED_AN_HOUR: Final = 240
"""Mails of one sender that are acted on within an hour."""
RACE_AN_HOUR: Final = 600
"""Answers to all drivers of one race within an hour."""
HELD_A_DAY: Final = 3
"""Mails of strangers about one seat, within a day, of which its player is told."""
SAME_FOR: Final = timedelta(days=1)
_TOLD: Final = (AnswerState.PENDING, AnswerState.SENDING, AnswerState.SENT)


def too_many(mail: InboundMail, now: datetime) -> str:
    """Why no more mail of this sender is acted on for now, or ""."""
    acted = InboundMail.objects.filter(sender=mail.sender, acted_at__gt=now - timedelta(hours=1))
    if acted.count() >= ACTED_AN_HOUR:
        return f"more than {ACTED_AN_HOUR} mails of this sender within an hour"
    return ""


def reason_to_withhold(mail: InboundMail, now: datetime) -> str:
    """Why this mail, about to be answered, is not, or "". It has been acted on all the same."""
    told = InboundMail.objects.filter(answer_state__in=_TOLD).exclude(pk=mail.pk)
    to_sender = told.filter(sender=mail.sender)
    if to_sender.filter(own_digest=mail.own_digest, came_at__gt=now - SAME_FOR).exists():
        return "the same mail was answered already"
    hour = now - timedelta(hours=1)
    if to_sender.filter(acted_at__gt=hour).count() >= settings.REPLY_ANSWERS_AN_HOUR:
        return f"more than {settings.REPLY_ANSWERS_AN_HOUR} answers to this sender within an hour"
    if mail.seat_id is not None and mail.seat is not None:
        in_race = told.filter(seat__race_id=mail.seat.race_id, acted_at__gt=hour)
        if in_race.count() >= RACE_AN_HOUR:
            return f"more than {RACE_AN_HOUR} answers in this race within an hour"
    return ""


def too_many_held(seat_id: int, now: datetime) -> bool:
    """Whether this seat's player has been asked about enough strangers' mails today."""
    told = InboundMail.objects.filter(seat_id=seat_id, state=InboundState.HELD, answer_state__in=_TOLD)
    return told.filter(came_at__gt=now - timedelta(days=1)).count() >= HELD_A_DAY
