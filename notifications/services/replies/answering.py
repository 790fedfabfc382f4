"""Answering a mail: one transcript, rendered late, sent once; a try that fails is made again.

Claimed by a conditional update like a notice; after a crash between sending and recording it is sent again under the
same Message-ID, which mailboxes show once.
"""

import dataclasses
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from games.selectors.campaigns import with_purchase
from games.selectors.log import log_of
from games.selectors.notices import Story, campaign_shown_of, race_without_state, story_since_own_act
from games.selectors.races import race_present
from games.services.errors import RaceFaulty
from games.services.links import link_address
from notifications.channels.base import Parcel, PermanentFailure, TransientFailure
from notifications.channels.email.channel import EmailChannel
from notifications.letters import Letter, letter_compose
from notifications.reply_models import AnswerState, InboundMail
from notifications.selectors import address_closed
from notifications.services.addresses import address_close
from notifications.services.delivery import backoff_after
from notifications.services.pauses import stop_link
from notifications.services.replies import reports
from notifications.services.replies.keys import question_told, reply_key_make

logger = logging.getLogger(__name__)

TRIES_MOST: Final = 8
CLAIM_AGE: Final = timedelta(minutes=10)
LOG_LINES: Final = 40
CONFIRM_SALT: Final = "notifications.services.replies.confirm"
# What stands in a header of ours: a Message-ID is written by whoever sent the mail.
_HEADER_ID: Final = re.compile(r"<[!-;=?-~]{1,248}>")


def answers_due(*, most: int = 200) -> list[int]:
    """Row numbers of mails whose answer is to be sent now, or was claimed and never recorded."""
    rows = InboundMail.objects.filter(_claimable()).order_by("pk")
    return list(rows.values_list("pk", flat=True)[:most])


def answers_send(mail_ids: Sequence[int]) -> None:
    """Send these answers over one connection; one that fails stops none of the others."""
    with EmailChannel().open() as line:
        for mail_id in mail_ids:
            now = timezone.now()
            rows = InboundMail.objects.filter(_claimable(), pk=mail_id)
            if not rows.update(
                answer_state=AnswerState.SENDING,
                answer_due_at=now + CLAIM_AGE,
                answer_attempts=F("answer_attempts") + 1,
            ):
                continue
            mail = InboundMail.objects.select_related("key__player", "seat__race").get(pk=mail_id)
            try:
                _send(mail, line)
            except Exception as error:
                # Whatever it is must not stop the others, and must not be lost.
                logger.exception("The answer to mail %s could not be sent", mail_id)
                _try_later(mail, f"{type(error).__name__}: {error}")


def _claimable() -> Q:
    return Q(answer_state__in=[AnswerState.PENDING, AnswerState.SENDING], answer_due_at__lte=timezone.now())


def _send(mail: InboundMail, line: Any) -> None:
    if mail.key is None or mail.seat is None:
        _record(mail, AnswerState.WITHHELD, "its seat is gone")
        return
    if address_closed(channel=EmailChannel.key, address=mail.answer_to):
        _record(mail, AnswerState.WITHHELD, "the address refused our mail before")
        return
    try:
        line.send(Parcel(answer_letter(mail), mail.answer_message_id, mail.answer_to))
    except PermanentFailure as failure:
        address_close(channel=EmailChannel.key, address=mail.answer_to, detail=str(failure), at=timezone.now())
        _record(mail, AnswerState.FAILED, str(failure))
    except TransientFailure as failure:
        _try_later(mail, str(failure))
    else:
        _record(mail, AnswerState.SENT, "")


def _record(mail: InboundMail, state: AnswerState, detail: str) -> None:
    InboundMail.objects.filter(pk=mail.pk, answer_state=AnswerState.SENDING).update(
        answer_state=state,
        answer_detail=detail[:500],
        answer_due_at=None,
        answered_at=timezone.now() if state == AnswerState.SENT else None,
    )


def _try_later(mail: InboundMail, detail: str) -> None:
    if mail.answer_attempts >= TRIES_MOST:
        _record(mail, AnswerState.FAILED, detail)
        return
    InboundMail.objects.filter(pk=mail.pk, answer_state=AnswerState.SENDING).update(
        answer_state=AnswerState.PENDING,
        answer_detail=detail[:500],
        answer_due_at=timezone.now() + backoff_after(mail.answer_attempts),
    )


def answer_letter(mail: InboundMail) -> Letter:
    """The letter that answers this mail: its report, what was asked for, and what is asked of the player now."""
    key, seat, report = mail.key, mail.seat, mail.report
    assert key is not None
    assert seat is not None
    assert report is not None
    race, player = seat.race, key.player
    is_held = report["outcome"] == reports.HELD
    try:
        presented = with_purchase(race_present(race=race, viewer=seat, log_last=0), race=race, seat=seat)
    except RaceFaulty:
        presented = race_without_state(race)
    question = asked = None if is_held else presented["question"]
    # A sealed answer may still be changed, by the numbers of the mail that asked; it is not asked for again.
    if question is not None and question["sealed"] is not None and report["outcome"] == reports.DONE:
        question = None
    presented = {**presented, "question": question}
    shows = report["shows"]
    # No other mail asks it: what a mail that asks holds stands in this one.
    is_first = question is not None and not question_told(
        seat_id=seat.pk, question=question, but=mail.answer_message_id
    )
    if "log" in shows:
        story = Story(tuple(log_of(race=race, viewer=seat, last=LOG_LINES)), is_cut=True)
    else:
        story = story_since_own_act(race=race, viewer=seat, presented=presented) if is_first else Story()
    letter = letter_compose(
        kind="answer",
        presented=presented,
        name=player.display_name,
        zone_name=player.time_zone,
        now=timezone.now(),
        race_address=settings.SITE_URL + reverse("games:race", args=[race.public_id]),
        campaign=campaign_shown_of(race) if race.status == "open" else None,
        stop_address=stop_link(seat_id=seat.pk, address=mail.answer_to),
        answer_addresses=_addresses(seat.pk, question),
        story=story.lines,
        is_story_cut=story.is_cut,
        has_acted=story.has_acted,
        facts={
            "answered": mail.message_id if _HEADER_ID.fullmatch(mail.message_id) else "",
            "heading": reports.HEADINGS[report["outcome"]],
            "rules_address": settings.SITE_URL + reverse("games:rules", args=[race.ruleset]),
            "confirm_address": confirm_link(mail.pk) if is_held else "",
            "stranger": mail.sender if is_held else "",
        },
        reply_address=""
        if is_held
        else reply_key_make(seat_id=seat.pk, player_id=player.pk, question=asked, message_id=mail.answer_message_id),
    )
    return dataclasses.replace(
        letter,
        course=letter.course if is_first or "status" in shows else (),
        away=letter.away if is_first or "status" in shows else (),
        hand=letter.hand if is_first or "hand" in shows else (),
        figures=letter.figures if is_first or "hand" in shows else (),
        result=letter.result if "status" in shows else (),
        transcript={**report, "is_help": "help" in shows, "is_log": "log" in shows},
    )


def _addresses(seat_id: int, question: Mapping[str, Any] | None) -> dict[int, str]:
    if question is None:
        return {}
    numbers = [one["number"] for one in (*question["answers"], *question["forms"])]
    return {number: link_address(seat_id=seat_id, question=dict(question), number=number) for number in numbers}


# Mails of strangers


def confirm_link(mail_id: int) -> str:
    """The address of the page on which a player says that a held mail is theirs."""
    return settings.SITE_URL + reverse("notifications:mail_confirm", args=[signing.dumps(mail_id, salt=CONFIRM_SALT)])


def confirm_read(token: str) -> InboundMail | None:
    """The mail that such a link names, or None if it was not made here."""
    try:
        mail_id = signing.loads(token, salt=CONFIRM_SALT)
    except signing.BadSignature:
        return None
    return InboundMail.objects.select_related("seat__race", "key__player").filter(pk=mail_id).first()
