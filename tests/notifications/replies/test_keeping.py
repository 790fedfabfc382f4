"""A mail is kept before anything else and acted on once, whatever dies in between; strangers' mails are held."""

import re
from collections import Counter
from datetime import timedelta
from email import policy
from typing import Any

import pytest
from django.core import mail as sent_by_django
from django.db import IntegrityError, transaction
from django.test import Client, override_settings
from django.utils import timezone

from games.models import Race
from notifications.inbound.kinds import Kind
from notifications.inbound.message import MESSAGE_MOST
from notifications.reply_models import InboundMail, ReplyKey, Way
from notifications.services.replies import keeping, taking
from notifications.services.replies.answering import answers_due, answers_send
from notifications.services.replies.keeping import MailTooLarge, mail_keep
from notifications.services.replies.taking import CLAIM_AGE, TRIES_MOST, mail_retry, mail_take, mails_due, mails_forget
from tests.notifications.inbound.sample_mails import samples
from tests.notifications.replies.conftest import Post, reply_to, text_of


def test_the_key_stands_in_no_row_but_in_the_mail_itself(post: Post) -> None:
    _, asking = post.asked()
    key = re.search(r"reply\+([a-z2-7]{24})@", str(asking["Reply-To"]))
    assert key is not None
    row = ReplyKey.objects.get(message_id=str(asking["Message-ID"]))
    assert len(row.key_hash) == 64
    assert key[1] not in {str(getattr(row, field.attname)) for field in ReplyKey._meta.concrete_fields}
    with override_settings(SECRET_KEY="another key " * 5, SECRET_KEY_FALLBACKS=[]):
        assert post.send(reply_to(asking, "1", In_Reply_To="", References="")).reason == "it bears no reply key of ours"
    assert post.acts() == []


def test_a_former_secret_still_finds_the_key(post: Post, settings: Any) -> None:
    _, asking = post.asked()
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the new one, which is as long as it has to be " * 2
    assert post.send(reply_to(asking, "1", In_Reply_To="", References="")).state == "done"


def test_a_program_that_answers_the_sender_is_known_by_what_it_answers(post: Post) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, "1", To="turns@localhost"))
    assert row.state == "done", row.reason


def test_with_replies_off_mails_say_so_and_bear_no_address(post: Post, settings: Any) -> None:
    settings.REPLIES = False
    post.deliver()
    seat = post.running.asked
    assert seat.player is not None
    mail = post.mails(seat.player.email)[-1]
    assert "Replies to this mail are not read" in text_of(mail)
    assert mail["Reply-To"] is None
    assert mail["X-Envelope-From"] == settings.MAIL_FROM
    assert not ReplyKey.objects.exists()


def test_the_same_mail_by_two_ways_is_one_mail(post: Post) -> None:
    _, asking = post.asked()
    reply = reply_to(asking, "1")
    first = post.send(reply)
    again = post.keep(b"Received: by another server\r\n" + reply.as_bytes(policy=policy.SMTP))
    assert again.pk == first.pk
    post.work()
    assert len(post.acts()) == 1
    assert InboundMail.objects.count() == 1
    unnamed = reply_to(asking, "hand")
    del unnamed["Message-ID"]
    assert post.keep(unnamed).pk == post.keep(unnamed).pk


def test_a_mail_that_comes_twice_at_the_same_moment_is_one_mail(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    _, asking = post.asked()
    reply = reply_to(asking, "1").as_bytes(policy=policy.SMTP)
    first = mail_keep(raw=reply, came_by=Way.LMTP, envelope_sender="", envelope_recipients=[])
    real, blind = keeping._before, iter([None])
    # The other process's row is not seen before ours is written.
    monkeypatch.setattr(keeping, "_before", lambda *of: next(blind, real(*of)))
    second = mail_keep(raw=reply, came_by=Way.LMTP, envelope_sender="", envelope_recipients=[])
    assert (second.mail_id, second.is_new) == (first.mail_id, False)


def test_a_mail_that_is_too_large_is_not_kept(db: None) -> None:
    with pytest.raises(MailTooLarge):
        mail_keep(raw=b"x" * (MESSAGE_MOST + 1), came_by=Way.SMTP, envelope_sender="", envelope_recipients=[])
    assert not InboundMail.objects.exists()


class Killed(BaseException):
    """The process ends here."""


def test_a_process_that_dies_between_keeping_and_acting_loses_nothing(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, asking = post.asked()
    row = post.keep(reply_to(asking, "1"))
    real = taking._answer

    def die(*_of: object) -> None:
        raise Killed

    # After the act, before what became of the mail is written: the transaction ends with neither.
    monkeypatch.setattr(taking, "_answer", die)
    with pytest.raises(Killed):
        mail_take(row.pk)
    assert post.acts() == []
    monkeypatch.setattr(taking, "_answer", real)
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("stored", 1)
    assert row.pk not in mails_due(now=timezone.now()), "who may still be at work is not disturbed"
    InboundMail.objects.update(due_at=timezone.now() - CLAIM_AGE)
    post.work()
    row.refresh_from_db()
    assert (row.state, row.answer_state) == ("done", "sent")
    assert len(post.acts()) == 1


def test_a_mail_on_which_the_server_breaks_is_set_aside_and_can_be_taken_up(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, asking = post.asked()
    row = post.keep(reply_to(asking, "1"))

    def fail(*_of: object) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(taking, "_take_reply", fail)
        for _ in range(TRIES_MOST):
            InboundMail.objects.update(due_at=timezone.now() - timedelta(days=1))
            mail_take(row.pk)
    row.refresh_from_db()
    assert (row.state, row.reason) == ("failed", "RuntimeError: a fault of ours")
    assert not mails_due(now=timezone.now() + timedelta(days=1))
    assert mail_retry(mail_id=row.pk, now=timezone.now())
    post.work()
    row.refresh_from_db()
    assert row.state == "done"
    assert not mail_retry(mail_id=row.pk, now=timezone.now()), "what was done stays done"


def test_an_answer_that_the_mail_server_does_not_take_is_sent_later(
    post: Post, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    _, asking = post.asked()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    row = post.send(reply_to(asking, "1"))
    assert (row.state, row.answer_state, row.answer_attempts) == ("done", "pending", 1)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert answers_due() == []
    InboundMail.objects.update(answer_due_at=timezone.now())
    answers_send(answers_due())
    row.refresh_from_db()
    assert row.answer_state == "sent"
    assert post.answer_to(row)


# Strangers


def test_a_mail_from_another_address_is_held_until_the_player_says_it_is_theirs(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    row = post.send(reply_to(asking, "1", sender="Mallory <mallory@evil.example>"))
    assert (row.state, row.reason) == ("held", "it comes from another address than the player's")
    assert post.acts() == []
    assert not post.mails("mallory@evil.example"), "a stranger is not answered"
    told = post.answer_to(row)
    assert row.answer_to == seat.player.email
    assert "mallory@evil.example" in text_of(told)
    assert "| 1\n    held\n" in text_of(told)
    assert told["Reply-To"] is None
    link = re.search(r"http://\S+(/mail/confirm/\S+)", text_of(told))
    assert link is not None
    browser = Client()
    page = browser.get(link[1])
    assert b"mallory@evil.example" in page.content
    assert page["Referrer-Policy"] == "no-referrer"
    row.refresh_from_db()
    assert row.state == "held", "looking changes nothing"
    assert b"acted on now" in browser.post(link[1]).content
    post.work()
    row.refresh_from_db()
    assert row.state == "done", row.reason
    assert len(post.acts()) == 1
    assert b"has been dealt with" in browser.post(link[1]).content
    assert len(post.acts()) == 1
    assert browser.get("/mail/confirm/abc:def:ghi").status_code == 404


def test_a_sender_that_our_server_calls_forged_is_held(post: Post, settings: Any) -> None:
    settings.INBOUND_AUTHSERV_ID = "mx.example.org"
    _, asking = post.asked()
    forged = reply_to(asking, "1", Authentication_Results="mx.example.org; dmarc=fail header.from=example.org")
    assert post.send(forged).state == "held"
    foreign = reply_to(asking, "1", Authentication_Results="elsewhere.example; dmarc=fail header.from=example.org")
    assert post.send(foreign).state == "done", "what another server writes counts for nothing"


def test_a_mail_with_two_senders_or_none_is_held(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    both = reply_to(asking, "1", sender=f"{seat.player.email}, mallory@evil.example")
    assert post.send(both).state == "held"
    assert post.acts() == []


def test_strangers_do_not_fill_a_players_mailbox(post: Post) -> None:
    _, asking = post.asked()
    rows = [post.send(reply_to(asking, f"{number}", sender="m@evil.example")) for number in range(1, 6)]
    assert [row.answer_state for row in rows] == ["sent"] * 3 + ["withheld"] * 2


def test_a_key_that_was_made_up_reaches_nobody(post: Post) -> None:
    _, asking = post.asked()
    count = len(sent_by_django.outbox)
    made_up = reply_to(asking, "1", To="reply+aaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1", In_Reply_To="", References="")
    row = post.send(made_up)
    assert (row.state, row.answer_state) == ("ignored", "none")
    assert len(sent_by_django.outbox) == count


def test_the_sample_mails_of_other_servers_are_kept_and_move_nothing(post: Post) -> None:
    for sample in samples():
        row = post.send(sample.raw, to="reply+aaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1")
        assert (row.state, row.answer_state) == ("ignored", "none"), (sample.file, row.reason)
        assert row.reason
    assert post.acts() == []


def test_the_samples_orders_reach_a_race_whose_key_they_bear(post: Post) -> None:
    """The same mails, put into the name of a driver with a right key, are read and answered, never failed at."""
    _, asking = post.asked()
    states = Counter(
        post.send(sample.raw, to=str(asking["Reply-To"])).state for sample in samples() if sample.kind is Kind.REPLY
    )
    assert set(states) <= {"held", "ignored"}, "they come from other people"
    assert states["held"] > 0
    assert post.acts() == []


# What is no reply, and limits


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"X_Autoreply": "yes"},
        {"Precedence": "bulk"},
        {"List_Id": "<chess.lists.example>"},
        {"Subject": "Out of office: back on Monday"},
        {"From": "mailer-daemon@example.org"},
        {"Message_ID": "<abc@127.0.0.1>"},
    ],
)
def test_automatic_mail_is_logged_and_never_answered(post: Post, headers: dict[str, str]) -> None:
    _, asking = post.asked()
    count = len(sent_by_django.outbox)
    row = post.send(reply_to(asking, "1", **headers))
    assert (row.state, row.answer_state) == ("ignored", "none")
    assert row.reason
    assert post.acts() == []
    assert len(sent_by_django.outbox) == count


def test_the_null_sender_is_never_answered(post: Post) -> None:
    _, asking = post.asked()
    assert post.send(reply_to(asking, "1"), sender="").state == "ignored"


def test_an_identical_mail_is_answered_once(post: Post) -> None:
    _, asking = post.asked()
    first, second = post.send(reply_to(asking, "stop my car")), post.send(reply_to(asking, "stop my car"))
    assert (first.answer_state, second.answer_state) == ("sent", "withheld")
    assert second.state == "refused", "it was looked at all the same"
    assert post.send(reply_to(asking, "hand")).answer_state == "sent"


def test_more_answers_than_an_hour_holds_are_withheld_and_the_orders_done(post: Post, settings: Any) -> None:
    settings.REPLY_ANSWERS_AN_HOUR = 2
    _, asking = post.asked()
    rows = [post.send(reply_to(asking, text)) for text in ("hand", "log", "status", "1")]
    assert [row.answer_state for row in rows] == ["sent", "sent", "withheld", "withheld"]
    assert len(post.acts()) == 1


def test_a_blank_reply_is_told_what_to_write(post: Post) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, ""))
    assert (row.state, row.kind, row.answer_state) == ("refused", "blank", "sent")


def test_the_bytes_of_old_mails_go_and_the_mail_is_still_known(post: Post, settings: Any) -> None:
    _, asking = post.asked()
    reply = reply_to(asking, "1")
    row = post.send(reply)
    assert mails_forget(now=timezone.now() + timedelta(days=settings.INBOUND_KEEP_DAYS - 1)) == 0
    assert mails_forget(now=timezone.now() + timedelta(days=settings.INBOUND_KEEP_DAYS + 1)) == 1
    assert ReplyKey.objects.exists(), "the race goes on"
    Race.objects.update(finished_at=timezone.now())
    mails_forget(now=timezone.now() + timedelta(days=settings.INBOUND_KEEP_DAYS + 1))
    assert not ReplyKey.objects.exists()
    row.refresh_from_db()
    assert row.raw is None
    assert row.envelope_recipients == []
    assert post.keep(reply).pk == row.pk


def test_rows_cannot_hold_one_message_id_twice(db: None) -> None:
    for number in range(2):
        facts = {"came_by": "lmtp", "came_at": timezone.now(), "due_at": timezone.now(), "size": 1}
        made = InboundMail(**facts, digest=str(number), message_id="<a@b>")
        if number:
            with pytest.raises(IntegrityError), transaction.atomic():
                made.save()
        else:
            made.save()
