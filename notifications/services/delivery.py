"""Delivering notices: claim, look again, render, send, record.

A notice is claimed by one conditional update, so that of several workers one sends it. What it tells is
looked up after the claim: a question answered meanwhile is not sent. If a worker dies between the claim and
the record, nobody knows whether the message left; the claim goes stale and the notice is sent again under the
same Message-ID, which mailboxes show once.
"""

import logging
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from games.selectors.notices import NoticeFacts, notice_facts
from games.services.invitations import invitation_address
from games.services.links import link_address
from notifications.channels import CHANNELS
from notifications.channels.base import Line, PermanentFailure, TransientFailure
from notifications.letters import Letter, letter_compose
from notifications.models import REMINDERS, Attempt, AttemptResult, Notice, NoticeState
from notifications.selectors import address_closed, wishes_of
from notifications.services.addresses import address_close
from notifications.services.pauses import is_paused, stop_link

logger = logging.getLogger(__name__)

CLAIM_AGE: Final = timedelta(minutes=10)
"""After this a claim counts as left behind by a crash.

A try takes at most some timeouts of the mail server.
"""
ATTEMPTS_MOST: Final = 16
BACKOFF_FIRST: Final = timedelta(minutes=1)
BACKOFF_MOST: Final = timedelta(hours=3)
"""Waits double from the first to the longest: sixteen tries spread over about a day."""


@dataclass(frozen=True)
class _Ended:
    """How a try ended."""

    state: NoticeState
    result: AttemptResult
    detail: str = ""


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
    with ExitStack() as stack:
        lines = Lines(stack)
        for notice_id in notice_ids:
            ended[notice_deliver(notice_id, lines)] += 1
    return ended


def notice_deliver(notice_id: int, lines: Lines) -> str:
    """Try one notice; returns the state it is in now, or "taken"."""
    claimed_at = timezone.now()
    if not _claim(notice_id, claimed_at):
        return "taken"
    notice = Notice.objects.select_related("outbox_event").get(pk=notice_id)
    address = ""
    try:
        if notice.attempt_count > ATTEMPTS_MOST:
            ended = _Ended(NoticeState.FAILED, AttemptResult.DROPPED, "tried too often")
        else:
            facts = notice_facts(event_id=notice.outbox_event_id, seat_id=notice.seat_id)
            address = CHANNELS[notice.channel].address(facts) if facts else ""
            ended = _try(notice, facts, address, lines)
    except Exception as error:
        # Whatever it is must not stop the others in the batch, and must not be lost: it stands in the log and
        # in the row.
        logger.exception("Notice %s could not be told", notice_id)
        ended = _Ended(NoticeState.PENDING, AttemptResult.ERROR, f"{type(error).__name__}: {error}")
    return _record(notice, claimed_at, address, ended)


def _is_claimable(now: datetime) -> Q:
    return Q(state=NoticeState.PENDING, due_at__lte=now) | Q(state=NoticeState.SENDING, claimed_at__lte=now - CLAIM_AGE)


def _claim(notice_id: int, now: datetime) -> bool:
    claimable = Notice.objects.filter(_is_claimable(now), pk=notice_id)
    return claimable.update(state=NoticeState.SENDING, claimed_at=now, attempt_count=F("attempt_count") + 1) == 1


def _try(notice: Notice, facts: NoticeFacts | None, address: str, lines: Lines) -> _Ended:
    reason = _reason_to_drop(notice, facts, address)
    if reason or facts is None:
        return _Ended(NoticeState.DROPPED, AttemptResult.DROPPED, reason)
    letter = _letter(facts, address, is_reminder=notice.occasion in REMINDERS)
    try:
        lines.to(notice.channel).send(letter=letter, message_id=notice.message_id, address=address)
    except PermanentFailure as failure:
        return _Ended(NoticeState.BOUNCED, AttemptResult.PERMANENT, str(failure))
    except TransientFailure as failure:
        return _Ended(NoticeState.PENDING, AttemptResult.TRANSIENT, str(failure))
    return _Ended(NoticeState.SENT, AttemptResult.SENT)


def _reason_to_drop(notice: Notice, facts: NoticeFacts | None, address: str) -> str:
    if facts is None:
        return "nobody sits there any more"
    if not facts.is_current:
        return "answered or over meanwhile"
    if notice.occasion in REMINDERS:
        reason = _reason_not_to_remind(notice, facts)
        if reason:
            return reason
    if facts.told_with is not None and _is_told_by(facts.told_with, notice):
        return "told together with the question"
    if not address:
        return "no address"
    if address_closed(channel=notice.channel, address=address):
        return "the address refused our mail before"
    if is_paused(seat_id=notice.seat_id, address=address):
        return "mails about this race are stopped"
    return ""


def _reason_not_to_remind(notice: Notice, facts: NoticeFacts) -> str:
    question, player_id = facts.presented["question"], facts.seat.player_id
    if question is None or datetime.fromisoformat(question["due_at"]) != notice.deadline:
        return "the deadline was put off"
    if player_id is not None and not wishes_of(player_id).reminders:
        return "reminders are switched off"
    return ""


def _is_told_by(event_id: int, notice: Notice) -> bool:
    """Whether this channel has told this row to the same seat, or is about to."""
    told = Notice.objects.filter(outbox_event_id=event_id, seat_id=notice.seat_id, channel=notice.channel)
    return told.filter(state__in=[NoticeState.PENDING, NoticeState.SENDING, NoticeState.SENT]).exists()


def _letter(facts: NoticeFacts, address: str, *, is_reminder: bool) -> Letter:
    race = facts.presented["race"]
    return letter_compose(
        kind="reminder" if is_reminder else facts.kind,
        presented=facts.presented,
        name=facts.name,
        zone_name=facts.time_zone,
        now=timezone.now(),
        race_address=invitation_address(facts.seat) if facts.kind == "invited" else facts.race_address,
        stop_address=stop_link(seat_id=facts.seat.pk, address=address),
        answer_addresses=_answer_addresses(facts),
        story=facts.story,
        is_story_cut=facts.is_story_cut,
        has_acted=facts.has_acted,
        news=() if is_reminder else facts.news,
        facts={
            "host": race["host"],
            "tempo": facts.tempo,
            "policy": race["policy_text"],
            "commitment": race["commitment"],
            "car": str(facts.seat.number or ""),
            "address": facts.seat.invited_email if facts.kind == "declined" else "",
            "replay_address": facts.replay_address,
            "record_address": facts.record_address,
            "about": facts.about,
            # What a reminder asks again: "turn" or "question".
            "asked": facts.kind,
            # A seat in a race under way has a car; whoever is offered it, or was, has not driven it.
            "offered_car": str(facts.seat.number or "") if facts.seat.player_id is None and not facts.is_named else "",
        },
    )


def _answer_addresses(facts: NoticeFacts) -> Mapping[int, str]:
    question = facts.presented["question"]
    if question is None:
        return {}
    numbers = [answer["number"] for answer in (*question["answers"], *question["forms"])]
    return {number: link_address(seat_id=facts.seat.pk, question=question, number=number) for number in numbers}


@transaction.atomic
def _record(notice: Notice, claimed_at: datetime, address: str, ended: _Ended) -> str:
    now = timezone.now()
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
    if state == NoticeState.BOUNCED:
        address_close(channel=notice.channel, address=address, detail=ended.detail, at=now)
    # Only the claim that is still ours may say how it ended: after a stale one, another worker's does.
    Notice.objects.filter(pk=notice.pk, state=NoticeState.SENDING, claimed_at=claimed_at).update(
        state=state,
        claimed_at=None,
        sent_at=now if state == NoticeState.SENT else None,
        due_at=now + backoff_after(notice.attempt_count) if state == NoticeState.PENDING else notice.due_at,
        reason=ended.detail[:200] if state != NoticeState.SENT else "",
    )
    return str(state)
