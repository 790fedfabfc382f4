"""What is done with a mail that was kept: read, sorted out, acted on once.

The act and the note that it was done are one transaction. Dies the process in between, neither has happened, and the
sweep takes the mail up again; a try that is under way keeps others off by moving ``due_at`` on.
"""

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from notifications.inbound.kinds import Kind
from notifications.inbound.message import Message, message_read
from notifications.inbound.reading import Envelope, Reading, mail_read
from notifications.inbound.senders import Dmarc, address_fold
from notifications.reply_models import AnswerState, InboundMail, InboundState, ReplyKey
from notifications.services.replies import reports
from notifications.services.replies.bounces import bounce_note
from notifications.services.replies.doing import orders_do
from notifications.services.replies.identity import ours, traces
from notifications.services.replies.keys import reply_key_find
from notifications.services.replies.limits import reason_to_withhold, too_many, too_many_held
from notifications.services.replies.reports import Report
from notifications.services.replies.stops import stop_note
from roadkill_site.accounts.models import User

logger = logging.getLogger(__name__)

TRIES_MOST: Final = 5
CLAIM_AGE: Final = timedelta(minutes=2)
"""So long a try that has begun keeps others off; a try takes seconds."""
_ANSWERED_MOST: Final = 10
NOT_LET_THROUGH: Final = "the operator did not let it through"


def mails_due(*, now: datetime, most: int = 200) -> list[int]:
    """Row numbers of mails that were kept and not acted on yet, the oldest first."""
    rows = InboundMail.objects.filter(state=InboundState.STORED, due_at__lte=now)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:most])


def mails_take(mail_ids: Sequence[int]) -> list[int]:
    """Take these up; returns those that want to be answered. A mail that fails stops none of the others."""
    return [mail_id for mail_id in mail_ids if mail_take(mail_id)]


def mail_take(mail_id: int) -> bool:
    """Act on one mail if nobody does so already; True if it is to be answered now."""
    now = timezone.now()
    waiting = InboundMail.objects.filter(pk=mail_id, state=InboundState.STORED, due_at__lte=now)
    if not waiting.update(attempts=F("attempts") + 1, due_at=now + CLAIM_AGE):
        return False
    try:
        with transaction.atomic():
            mail = InboundMail.objects.select_for_update().get(pk=mail_id)
            if mail.state != InboundState.STORED:
                return False
            _take(mail, now)
            mail.save()
    except Exception as error:
        # Whatever it is must not be lost, and must not stop the mails behind it.
        logger.exception("Mail %s could not be taken", mail_id)
        _note_failure(mail_id, error)
        return False
    return mail.answer_state == AnswerState.PENDING


def _note_failure(mail_id: int, error: Exception) -> None:
    mail = InboundMail.objects.get(pk=mail_id)
    mail.reason = f"{type(error).__name__}: {error}"[:300]
    mail.state = InboundState.FAILED if mail.attempts >= TRIES_MOST else InboundState.STORED
    mail.due_at = timezone.now() + CLAIM_AGE * mail.attempts
    mail.save(update_fields=["reason", "state", "due_at"])


def _take(mail: InboundMail, now: datetime) -> None:
    if mail.raw is None:
        _settle(mail, InboundState.FAILED, "its bytes were deleted before it was acted on")
        return
    raw = bytes(mail.raw)
    reading = mail_read(
        raw,
        envelope=Envelope(mail.envelope_sender, tuple(mail.envelope_recipients)),
        ours=ours(),
        traces=traces(),
        authserv_id=settings.INBOUND_AUTHSERV_ID,
    )
    kind, sign = reading.classified.kind, reading.classified.sign
    mail.kind, mail.sender = kind.value, reports.shown(reading.sender.address, 320)
    mail.acted_at = now
    if kind in (Kind.BOUNCE, Kind.BOUNCE_DELAYED):
        assert reading.classified.bounce is not None
        said = bounce_note(reading.classified.bounce, at=now)
        _settle(mail, InboundState.DONE if said.is_closed else InboundState.IGNORED, f"{sign}: {said.words}")
    elif reading.stop and kind not in _NEVER_A_WISH:
        _take_stop(mail, reading.stop)
    elif kind in (Kind.REPLY, Kind.BLANK, Kind.UNREADABLE):
        _take_reply(mail, reading, raw, now)
    else:
        _settle(mail, InboundState.IGNORED, f"{kind.value}: {sign}")


# A mail program that stops a list says so by itself, with or without words (RFC 2369): what else marks an automatic
# mail does not count there.
_NEVER_A_WISH: Final = (Kind.LOOP, Kind.RECEIPT, Kind.COMPLAINT)


def _take_stop(mail: InboundMail, reference: str) -> None:
    stopped = stop_note(reference)
    mail.seat_id = stopped.seat_id
    _settle(mail, InboundState.DONE if stopped.is_done else InboundState.IGNORED, stopped.words)


def _settle(mail: InboundMail, state: InboundState, reason: str = "") -> None:
    mail.state, mail.reason = state, reports.shown(reason, 300)


def _take_reply(mail: InboundMail, reading: Reading, raw: bytes, now: datetime) -> None:
    key = reply_key_find(candidates=reading.keys, answered=_answered_ids(raw))
    if key is None:
        _settle(mail, InboundState.IGNORED, "it bears no reply key of ours")
        return
    mail.key, mail.seat = key, key.seat
    mail.own_digest = _own_digest(key, reading.own.lines)
    if key.seat.player_id != key.player_id or key.seat.state == "left":
        _settle(mail, InboundState.IGNORED, "the seat has another driver than the one whose mail is answered")
        return
    stranger = "" if mail.confirmed_at else _why_strange(reading, key.player)
    if stranger:
        _hold(mail, reading, stranger, now)
        return
    crowd = too_many(mail, now)
    if crowd:
        _settle(mail, InboundState.IGNORED, crowd)
        return
    report = _report(mail, reading, key, now)
    mail.report = report.plain()
    _settle(
        mail,
        InboundState.DONE if report.outcome == reports.DONE else InboundState.REFUSED,
        # What it says is the player's and stays between the player and the server: an operator may play too.
        "" if report.outcome == reports.DONE else report.outcome,
    )
    # To the account's own address: whatever the From header says, and whatever else was verified.
    _answer(mail, key.player.email, now)


def _report(mail: InboundMail, reading: Reading, key: ReplyKey, now: datetime) -> Report:
    if reading.unreadable is not None:
        return Report(reports.UNREADABLE, reading.unreadable.words)
    if reading.classified.kind is not Kind.REPLY:
        return Report(
            reports.NOTHING,
            "There was nothing in your mail above the mail that it answers. Write a number of the list, or your order"
            " in words, on its first line.",
        )
    return orders_do(key=key, own=reading.own, mail_key=f"mail-{mail.pk}", now=now)


def _why_strange(reading: Reading, player: User) -> str:
    """Why it is not sure that the player wrote it, or ""."""
    if not reading.sender.address:
        return reading.sender.trouble or "no sender"
    if reading.authentication.dmarc is Dmarc.FAIL:
        return "our mail server says that the sender is forged"
    if reading.sender.address not in addresses_of(player):
        return "it comes from another address than the player's"
    return ""


def addresses_of(player: User) -> set[str]:
    """The addresses from which this player may write: the account's own, and others that were verified."""
    verified = EmailAddress.objects.filter(user=player, verified=True).values_list("email", flat=True)
    return {address_fold(address) for address in (player.email, *verified)}


def _hold(mail: InboundMail, reading: Reading, why: str, now: datetime) -> None:
    _settle(mail, InboundState.HELD, why)
    mail.acted_at = None
    if reading.classified.kind is not Kind.REPLY:
        _settle(mail, InboundState.IGNORED, f"{why}, and it says nothing")
        return
    assert mail.seat_id is not None
    if too_many_held(mail.seat_id, now):
        mail.answer_state, mail.answer_detail = AnswerState.WITHHELD, "enough strangers' mails were asked about today"
        return
    said = "A mail was sent to your reply address, and it does not come from your address."
    mail.report = Report(reports.HELD, said, reports.lines_of(reading.own.lines, "held")).plain()
    assert mail.key is not None
    _answer(mail, mail.key.player.email, now)


def _answer(mail: InboundMail, address: str, now: datetime) -> None:
    reason = reason_to_withhold(mail, now)
    if reason:
        mail.answer_state, mail.answer_detail = AnswerState.WITHHELD, reason
        return
    mail.answer_state, mail.answer_due_at, mail.answer_to = AnswerState.PENDING, now, address
    mail.answer_message_id = answer_message_id(mail.pk, mail.state)
    mail.answer_attempts = 0


def answer_message_id(mail_id: int, state: str) -> str:
    """The Message-ID of the answer to this mail, always the same, keyed like those of notices."""
    mark = salted_hmac(__name__, f"{mail_id}:{state}", algorithm="sha256").hexdigest()[:40]
    return f"<{mark}@{settings.REPLY_DOMAIN}>"


def _own_digest(key: ReplyKey, lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join([str(key.pk), *lines]).encode("utf-8", "replace")).hexdigest()


def _answered_ids(raw: bytes) -> list[str]:
    """Message-IDs of ours among those that the mail answers, the latest first."""
    message = message_read(raw)
    if not isinstance(message, Message):
        return []
    ending = f"@{settings.REPLY_DOMAIN}>".lower()
    found: dict[str, None] = {}
    for name in ("in-reply-to", "references"):
        for value in message.all(name):
            for word in reversed(value.split()):
                if word.lower().endswith(ending):
                    found.setdefault(word.lower())
    return list(found)[:_ANSWERED_MOST]


@transaction.atomic
def mail_confirm(*, mail_id: int, now: datetime) -> bool:
    """Let a held mail be acted on as if its player had sent it; False if it is not held (any more)."""
    held = InboundMail.objects.select_for_update().filter(pk=mail_id, state=InboundState.HELD, raw__isnull=False)
    return bool(
        held.update(
            state=InboundState.STORED,
            confirmed_at=now,
            due_at=now,
            attempts=0,
            answer_state=AnswerState.NONE,
            report=None,
        )
    )


@transaction.atomic
def mail_refuse(*, mail_id: int, now: datetime) -> bool:
    """Settle a held mail without acting on it; False if it is not held (any more). mail_retry has it held again."""
    held = InboundMail.objects.select_for_update().filter(pk=mail_id, state=InboundState.HELD)
    # A question to the player whether it was theirs that has not left yet stays here.
    held.filter(answer_state__in=[AnswerState.PENDING, AnswerState.SENDING]).update(
        answer_state=AnswerState.WITHHELD, answer_detail=NOT_LET_THROUGH, answer_due_at=None
    )
    return bool(held.update(state=InboundState.REFUSED, reason=NOT_LET_THROUGH, acted_at=now))


@transaction.atomic
def mail_retry(*, mail_id: int, now: datetime) -> bool:
    """Take up again a mail that failed, was refused, or waits; False if it is none of these.

    One that was done stays done. Of a mail that was refused nothing was done, and its player is answered anew.
    """
    kept = InboundMail.objects.select_for_update().filter(pk=mail_id, raw__isnull=False)
    waiting = Q(state=InboundState.STORED) | Q(state=InboundState.FAILED, acted_at=None)
    if kept.filter(waiting).update(state=InboundState.STORED, due_at=now, attempts=0):
        return True
    refused = kept.filter(state=InboundState.REFUSED)
    return bool(
        refused.update(
            state=InboundState.STORED,
            due_at=now,
            attempts=0,
            acted_at=None,
            report=None,
            answer_state=AnswerState.NONE,
            answer_detail="",
            answer_due_at=None,
        )
    )


@transaction.atomic
def mails_forget(*, now: datetime) -> int:
    """Delete the bytes of mails that were settled longer ago than they are kept; returns of how many.

    What became of them stays, and by its Message-ID a mail that comes again is known as one that came. The keys of
    races that have been over for as long go too.
    """
    before = now - timedelta(days=settings.INBOUND_KEEP_DAYS)
    ReplyKey.objects.filter(seat__race__finished_at__lt=before).delete()
    old = InboundMail.objects.filter(came_at__lt=before, raw__isnull=False).exclude(state=InboundState.STORED)
    return old.update(raw=None, envelope_recipients=[], envelope_sender=None)
