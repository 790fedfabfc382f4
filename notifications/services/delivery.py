"""Delivering notices: claim, look again, render, send, record.

A notice is claimed by one conditional update, so that of several workers one sends it. What it tells is
looked up after the claim: a question answered meanwhile is not sent. If a worker dies between the claim and
the record, nobody knows whether the message left; the claim goes stale and the notice is sent again under the
same Message-ID, which mailboxes show once.
"""

import logging
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from games.selectors.notices import NOTICE_ROWS
from games.services.absences import mail_arrived, mail_failed
from notifications.channels import CHANNELS
from notifications.channels.base import Line, PermanentFailure, TransientFailure
from notifications.models import Attempt, AttemptResult, Notice, NoticeState, Occasion
from notifications.selectors import address_closed, notices_of_player
from notifications.services.addresses import address_close
from notifications.services.daily import daily_sent
from notifications.services.endpoints import endpoint_close
from notifications.services.stories import story_told
from notifications.services.telling import Known, Later, Nothing, telling_of

logger = logging.getLogger(__name__)

CLAIM_AGE: Final = timedelta(minutes=10)
"""After this a claim counts as left behind by a crash.

A try takes at most some timeouts of the mail server.
"""
ATTEMPTS_MOST: Final = 16
BACKOFF_FIRST: Final = timedelta(minutes=1)
BACKOFF_MOST: Final = timedelta(hours=3)
"""Waits double from the first to the longest: sixteen tries spread over about a day."""


RETRIED: Final = frozenset({NoticeState.FAILED, NoticeState.BOUNCED})
"""States in which a notice has been given up and may be tried again by its reader's wish."""


class RetryRefused(Exception):
    """A notice that cannot be tried again; the text is a sentence."""


@dataclass(frozen=True)
class _Ended:
    """How a try ended."""

    state: NoticeState
    result: AttemptResult
    detail: str = ""
    # When to look again, if it is not for the wait between tries to say.
    until: datetime | None = None


class Lines:
    """The open lines of one batch, one a channel, opened when first needed and closed together."""

    def __init__(self, stack: ExitStack) -> None:
        """Lines that are closed when `stack` is."""
        self._stack = stack
        self._lines: dict[str, Line] = {}

    def to(self, channel: str) -> Line:
        """The batch's line of this channel."""
        if channel not in self._lines:
            line: AbstractContextManager[Line] = CHANNELS[channel].open()
            self._lines[channel] = self._stack.enter_context(line)
        return self._lines[channel]


def backoff_after(attempt: int, *, chance: random.Random | None = None) -> timedelta:
    """How long to wait after try number `attempt` (from 1) failed.

    Doubling, capped, then scattered by up to a fifth either way.
    """
    wait: timedelta = min(BACKOFF_MOST, BACKOFF_FIRST * (1 << min(attempt - 1, 20)))
    scatter = (chance or random.SystemRandom()).uniform(0.8, 1.2)
    return wait * scatter


def notices_due(*, now: datetime, most: int = 500) -> list[int]:
    """Row numbers of notices whose time has come, and of those whose claim has gone stale."""
    return list(Notice.objects.filter(_is_claimable(now)).order_by("due_at", "pk").values_list("pk", flat=True)[:most])


def notices_deliver(notice_ids: Sequence[int]) -> Counter[str]:
    """Try each notice once over shared lines; returns how many ended in which state ("taken".

    Another worker has it).

    A notice that fails in a way nobody foresaw is logged and tried again later; it never stops the batch.
    """
    ended: Counter[str] = Counter()
    known = Known(notice_ids)
    with ExitStack() as stack:
        lines = Lines(stack)
        for notice_id in notice_ids:
            ended[notice_deliver(notice_id, lines, known)] += 1
    return ended


def notice_deliver(notice_id: int, lines: Lines, known: Known) -> str:
    """Try one notice; returns the state it is in now, or "taken"."""
    claimed_at = timezone.now()
    if not _claim(notice_id, claimed_at):
        return "taken"
    notice = Notice.objects.select_related("player", *NOTICE_ROWS).get(pk=notice_id)
    address = ""
    try:
        if notice.attempt_count > ATTEMPTS_MOST:
            ended = _Ended(NoticeState.FAILED, AttemptResult.DROPPED, "tried too often")
        else:
            address, ended = _try(notice, lines, known)
    except Exception as error:
        # Whatever it is must not stop the others in the batch, and must not be lost: it stands in the log and
        # in the row.
        logger.exception("Notice %s could not be told", notice_id)
        ended = _Ended(NoticeState.PENDING, AttemptResult.ERROR, f"{type(error).__name__}: {error}")
    return _record(notice, claimed_at, address, ended)


@transaction.atomic
def notice_retry(*, player_id: int, notice_id: int, now: datetime) -> None:
    """Have a notice to this player tried again that was given up, or waits for its next try. Raises RetryRefused.

    The same notice under the same Message-ID; what it tells is looked up anew, and dropped if it is over.
    """
    own = notices_of_player(player_id=player_id, most=None).filter(pk=notice_id).first()
    if own is None:
        raise RetryRefused("You have no such notice.")
    closed = own.endpoint is not None and own.endpoint.closed_at is not None
    if closed or (own.endpoint is None and own.state == NoticeState.BOUNCED and _is_address_closed(own)):
        raise RetryRefused("Say first that the address works again; nothing is sent there before.")
    again = Notice.objects.filter(pk=notice_id, state__in=[*RETRIED, NoticeState.PENDING])
    if not again.update(state=NoticeState.PENDING, due_at=now, attempt_count=0, reason=""):
        raise RetryRefused("It was sent, or there is nothing to send any more.")


def _is_address_closed(notice: Notice) -> bool:
    last = notice.attempts.order_by("-pk").first()
    return last is not None and address_closed(channel=notice.channel, address=last.address) is not None


def _is_claimable(now: datetime) -> Q:
    return Q(state=NoticeState.PENDING, due_at__lte=now) | Q(state=NoticeState.SENDING, claimed_at__lte=now - CLAIM_AGE)


def _claim(notice_id: int, now: datetime) -> bool:
    claimable = Notice.objects.filter(_is_claimable(now), pk=notice_id)
    return claimable.update(state=NoticeState.SENDING, claimed_at=now, attempt_count=F("attempt_count") + 1) == 1


def _try(notice: Notice, lines: Lines, known: Known) -> tuple[str, _Ended]:
    """Where it was sent to, or was to be, and how that ended."""
    told = telling_of(notice, known)
    if isinstance(told, Nothing):
        return told.address, _Ended(NoticeState.DROPPED, AttemptResult.DROPPED, told.reason)
    if isinstance(told, Later):
        return "", _Ended(NoticeState.PENDING, AttemptResult.DROPPED, told.reason, until=told.until)
    try:
        lines.to(notice.channel).send(told)
    except PermanentFailure as failure:
        known.close(notice.channel, told.address)
        return told.address, _Ended(NoticeState.BOUNCED, AttemptResult.PERMANENT, str(failure))
    except TransientFailure as failure:
        return told.address, _Ended(NoticeState.PENDING, AttemptResult.TRANSIENT, str(failure))
    if told.endpoint is not None and told.place is not None:
        story_told(endpoint_id=told.endpoint.pk, place=told.place)
    return told.address, _Ended(NoticeState.SENT, AttemptResult.SENT)


_OUR_FAILURES: Final = frozenset({AttemptResult.TRANSIENT, AttemptResult.PERMANENT, AttemptResult.ERROR})


def _tell_whether_mail_arrives(notice: Notice, ended: _Ended, now: datetime) -> None:
    """Let games know, where nobody is held to be away whom our mail did not reach."""
    assert notice.seat_id is not None
    if ended.result == AttemptResult.SENT:
        mail_arrived(seat_id=notice.seat_id, at=now)
    elif ended.result in _OUR_FAILURES:
        mail_failed(seat_id=notice.seat_id, since=notice.created_at)


@transaction.atomic
def _record(notice: Notice, claimed_at: datetime, address: str, ended: _Ended) -> str:
    now = timezone.now()
    # Only the claim that is still ours may say how it ended: after a stale one, another worker's does.
    own = Notice.objects.filter(pk=notice.pk, state=NoticeState.SENDING, claimed_at=claimed_at)
    if ended.until is not None:
        # To wait is no try.
        count = notice.attempt_count - 1
        own.update(
            state=NoticeState.PENDING, claimed_at=None, due_at=ended.until, attempt_count=count, reason=ended.detail
        )
        return "waits"
    state = ended.state
    if state == NoticeState.PENDING and notice.attempt_count >= ATTEMPTS_MOST:
        state = NoticeState.FAILED
    Attempt.objects.create(
        notice=notice,
        number=notice.attempt_count,
        address=address,
        result=ended.result,
        detail=ended.detail[:500],
        started_at=claimed_at,
        ended_at=now,
    )
    if notice.channel == "email" and notice.seat_id is not None:
        _tell_whether_mail_arrives(notice, ended, now)
    if notice.endpoint_id is not None and state in {NoticeState.BOUNCED, NoticeState.FAILED}:
        endpoint_close(endpoint_id=notice.endpoint_id, detail=ended.detail, at=now)
    elif state == NoticeState.BOUNCED:
        address_close(channel=notice.channel, address=address, detail=ended.detail, at=now)
    own.update(
        state=state,
        claimed_at=None,
        sent_at=now if state == NoticeState.SENT else None,
        due_at=now + backoff_after(notice.attempt_count) if state == NoticeState.PENDING else notice.due_at,
        reason=ended.detail[:200] if state != NoticeState.SENT else "",
    )
    if state == NoticeState.SENT and notice.occasion == Occasion.DAILY and notice.player_id is not None:
        daily_sent(player_id=notice.player_id, before=claimed_at, at=now)
    return str(state)
