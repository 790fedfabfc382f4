"""One act by reply, one mail: what is asked next stands in the answer, and in no mail beside it; never in none."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from notifications.models import Notice, NoticeState, Occasion
from notifications.reply_models import AnswerState, InboundMail
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.reminders import reminders_make
from notifications.services.replies.answering import answers_due, answers_send
from notifications.services.replies.taking import mails_due, mails_take
from tests.notifications.replies.conftest import Post, reply_to, text_of


@pytest.fixture
def clock() -> Any:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def mails_of(post: Post, address: str) -> int:
    return len(post.mails(address))


def settled(post: Post, clock: time_machine.Traveller) -> None:
    """Send whatever still waits, for some minutes."""
    for _ in range(3):
        post.deliver()
        clock.shift(timedelta(minutes=1))


@pytest.mark.parametrize("first", ["answer", "notice"])
def test_an_act_by_reply_brings_one_mail_with_all_that_a_question_needs(
    post: Post, clock: time_machine.Traveller, first: str
) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    before = mails_of(post, seat.player.email)
    row = post.keep(reply_to(asking, "1"))
    mails_take(mails_due(now=timezone.now()))
    if first == "notice":
        post.deliver()
        assert mails_of(post, seat.player.email) == before
    answers_send(answers_due())
    settled(post, clock)
    assert post.running.asked.pk == seat.pk, "the driver goes on"
    assert mails_of(post, seat.player.email) == before + 1
    row.refresh_from_db()
    answer = post.answer_to(row)
    text = text_of(answer)
    for part in ("WHAT IS ASKED OF YOU NOW", "THE COURSE, LEADER FIRST", "YOUR HAND AND PANEL"):
        assert part in text
    notice = Notice.objects.filter(seat=seat, channel="email").latest("pk")
    assert (notice.state, notice.reason) == (NoticeState.DROPPED, "asked in the answer to your mail")
    assert post.send(reply_to(answer, "1")).state == "done", "and the answer can be answered"


def test_an_answer_that_does_not_get_out_loses_no_question(post: Post, clock: time_machine.Traveller) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    post.keep(reply_to(asking, "1"))
    mails_take(mails_due(now=timezone.now()))
    before = mails_of(post, seat.player.email)
    post.deliver()
    assert mails_of(post, seat.player.email) == before
    clock.shift(timedelta(minutes=11))
    post.deliver()
    assert mails_of(post, seat.player.email) == before + 1
    assert "YOUR HAND AND PANEL" in text_of(post.asking(seat))


@pytest.mark.parametrize("state", [AnswerState.FAILED, AnswerState.WITHHELD])
def test_a_question_is_mailed_at_once_where_there_is_no_answer(
    post: Post, clock: time_machine.Traveller, state: AnswerState
) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    post.keep(reply_to(asking, "1"))
    mails_take(mails_due(now=timezone.now()))
    InboundMail.objects.update(answer_state=state)
    before = mails_of(post, seat.player.email)
    post.deliver()
    assert mails_of(post, seat.player.email) == before + 1


def test_a_question_told_in_an_answer_is_reminded_of(post: Post, clock: time_machine.Traveller) -> None:
    seat, asking = post.asked()
    row = post.send(reply_to(asking, "1"))
    settled(post, clock)
    assert row.state == "done"
    clock.shift(timedelta(hours=40))
    made = reminders_make(now=timezone.now())
    assert [Notice.objects.get(pk=one).seat_id for one in made] == [seat.pk]
    assert Notice.objects.get(pk=made[0]).occasion in {Occasion.HALF, Occasion.LAST}
    notices_deliver(notices_due(now=timezone.now()))
    reminder = Notice.objects.get(pk=made[0])
    assert (reminder.state, reminder.reason) == (NoticeState.SENT, "")


def test_another_answer_does_not_repeat_hand_and_course(post: Post, clock: time_machine.Traveller) -> None:
    seat, _ = post.asked()
    row = post.send(reply_to(post.asking(seat), "rules 6.41"))
    text = text_of(post.answer_to(row))
    assert "WHAT IS ASKED OF YOU NOW" in text
    assert "YOUR HAND AND PANEL" not in text
