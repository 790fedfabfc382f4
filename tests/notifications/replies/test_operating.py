"""What an operator sees and may do, and the mailbox of a development server."""

import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import checks
from django.core import mail as sent_by_django
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from games.models import Snapshot
from notifications.mailbox.store import mail_list, mail_store
from notifications.reply_models import InboundMail
from notifications.services.replies.answering import confirm_link
from notifications.services.replies.taking import mails_take
from roadkill_site.accounts.models import User
from roadkill_site.checks import settings_fit_together
from tests.notifications.replies.conftest import Post, reply_to


def told(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_the_list_says_where_mails_stand_and_not_what_they_say(post: Post) -> None:
    seat, asking = post.asked()
    row = post.send(reply_to(asking, "1", sender="m@evil.example"))
    done = post.send(reply_to(asking, "end"))
    said = told("inbound_list")
    assert f"{row.pk:>7}" in said
    for part in ("held", "m@evil.example", f"{seat.race.public_id}/{seat.number}"):
        assert part in said
    assert "end" not in re.sub(r"sender|pending", "", said).split()
    key = str(asking["Reply-To"]).partition("@")[0]
    assert key not in said
    assert f"{done.pk:>7}" not in told("inbound_list", "--state", "held")


def test_an_operator_lets_a_held_mail_through_and_takes_a_failed_one_up(post: Post) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, "1", sender="m@evil.example"))
    assert "taken up" in told("inbound_release", str(row.pk))
    post.work()
    row.refresh_from_db()
    assert row.state == "done", row.reason
    with pytest.raises(CommandError, match=f"Not held, or its bytes are gone: {row.pk}"):
        call_command("inbound_release", str(row.pk))
    with pytest.raises(CommandError, match="Neither failed, nor refused"):
        call_command("inbound_retry", str(row.pk))


def test_a_held_mail_is_refused_and_its_players_link_leads_nowhere(post: Post, client: Client) -> None:
    seat, asking = post.asked()
    row = post.send(reply_to(asking, "1", sender="m@evil.example"))
    link = confirm_link(row.pk)
    assert f"Mail {row.pk} is refused" in told("inbound_refuse", str(row.pk))
    post.work()
    row.refresh_from_db()
    assert (row.state, row.reason) == ("refused", "the operator did not let it through")
    assert "has been dealt with" in client.post(link).content.decode()
    post.work()
    assert post.acts() == []
    with pytest.raises(CommandError, match=f"Not held: {row.pk}"):
        call_command("inbound_refuse", str(row.pk))
    # Refused by mistake, it is held again.
    assert "taken up" in told("inbound_retry", str(row.pk))
    post.work()
    row.refresh_from_db()
    assert row.state == "held"
    assert "taken up" in told("inbound_release", str(row.pk))
    post.work()
    assert post.acts() == [(seat.number, "mail", "start")]


def test_a_player_is_not_asked_any_more_whether_a_refused_mail_was_theirs(post: Post) -> None:
    _, asking = post.asked()
    row = post.keep(reply_to(asking, "1", sender="m@evil.example"))
    mails_take([row.pk])
    assert InboundMail.objects.get(pk=row.pk).answer_state == "pending"
    sent = len(sent_by_django.outbox)
    call_command("inbound_refuse", str(row.pk), stdout=StringIO())
    post.work()
    row.refresh_from_db()
    assert (row.answer_state, len(sent_by_django.outbox)) == ("withheld", sent)


def test_a_mail_refused_while_its_race_was_held_up_is_acted_on_when_it_is_taken_up_again(post: Post) -> None:
    seat, asking = post.asked()
    snapshot = Snapshot.objects.get(race=seat.race)
    whole = bytes(snapshot.state)
    Snapshot.objects.filter(pk=snapshot.pk).update(state=b"?")
    row = post.send(reply_to(asking, "1"))
    assert (row.state, post.acts()) == ("refused", [])
    Snapshot.objects.filter(pk=snapshot.pk).update(state=whole)
    told("inbound_retry", str(row.pk))
    post.work()
    row.refresh_from_db()
    assert (row.state, row.answer_state) == ("done", "sent"), row.report
    assert post.acts() == [(seat.number, "mail", "start")]
    answers = [mail for mail in post.mails(row.answer_to) if str(mail["Message-ID"]) == row.answer_message_id]
    assert "your mail, done" in str(answers[-1]["Subject"])


def test_a_mail_that_waits_for_its_next_try_is_taken_up_at_once(post: Post) -> None:
    _, asking = post.asked()
    row = post.keep(reply_to(asking, "1"))
    InboundMail.objects.filter(pk=row.pk).update(attempts=4, due_at=timezone.now() + timedelta(hours=1))
    post.work()
    assert InboundMail.objects.get(pk=row.pk).state == "stored"
    told("inbound_retry", str(row.pk))
    post.work()
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("done", 1)


def test_the_operators_pages_show_neither_lines_nor_addresses_that_act(post: Post, client: Client) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, "say a secret plan", sender="m@evil.example"))
    client.force_login(User.objects.create_superuser("op@example.org", display_name="Op"))
    listed = client.get("/admin/notifications/inboundmail/")
    shown = client.get(f"/admin/notifications/inboundmail/{row.pk}/change/")
    for page in (listed, shown):
        assert page.status_code == 200
        assert "m@evil.example" in page.content.decode()
        assert "secret plan" not in page.content.decode()
        assert "reply+" not in page.content.decode()
    client.post("/admin/notifications/inboundmail/", {"action": "release", "_selected_action": [row.pk]}, follow=True)
    post.work()
    row.refresh_from_db()
    assert row.state == "done", row.reason


@pytest.mark.parametrize(
    ("changed", "id_"),
    [
        ({"EMAIL_HOST": "mail.example.org", "REPLY_DOMAIN": "127.0.0.1"}, "roadkill.E010"),
        ({"INBOUND_WEBHOOK": "mailgun"}, "roadkill.E011"),
        ({"INBOUND_WEBHOOK": "postmark"}, "roadkill.E012"),
        ({"REPLIES": False, "INBOUND_IMAP_URL": "imaps://a:b@example.org"}, "roadkill.E013"),
        ({"INBOUND_IMAP_URL": "imap://a:b@example.org"}, "roadkill.E014"),
        ({"INBOUND_TLS_CERTIFICATE": "/srv/tls/fullchain.pem"}, "roadkill.E015"),
        ({"INBOUND_TLS_KEY": "/srv/tls/privkey.pem"}, "roadkill.E015"),
    ],
)
def test_settings_of_replies_that_do_not_fit_are_named(settings: Any, changed: dict[str, Any], id_: str) -> None:
    assert id_ not in {message.id for message in settings_fit_together()}
    for name, value in changed.items():
        setattr(settings, name, value)
    found = [message for message in settings_fit_together() if message.id == id_]
    assert len(found) == 1
    assert isinstance(found[0], checks.Error)


# The development mailbox


@pytest.fixture
def mailbox(settings: Any, tmp_path: Path) -> Path:
    """The mailbox of a development server, into which all mail goes."""
    settings.MAILBOX_DIR = tmp_path / "mailbox"
    settings.EMAIL_BACKEND = "notifications.mailbox.backend.MailboxBackend"
    return tmp_path / "mailbox"


def test_a_mail_is_answered_on_its_page_and_the_answer_comes_into_the_mailbox(
    post: Post, mailbox: Path, client: Client
) -> None:
    post.deliver()
    seat = post.running.asked
    mail = next(one for one in mail_list(mailbox, most=10) if "/act/" in (one.part("plain") or ""))
    page = client.get(f"/mailbox/{mail.key}/").content.decode()
    assert f'action="/mailbox/{mail.key}/reply"' in page
    assert client.post(f"/mailbox/{mail.key}/reply", {"text": "  "}).status_code == 302
    assert not InboundMail.objects.exists()
    sent = client.post(f"/mailbox/{mail.key}/reply", {"text": "1\r\nsay hello"}, follow=True)
    assert "Your reply is on its way" in sent.content.decode()
    post.work()
    row = InboundMail.objects.get()
    assert (row.came_by, row.state, row.answer_state) == ("page", "done", "sent"), row.report
    assert post.acts()[-1] == (seat.number, "mail", "start")
    assert "your mail, done" in mail_list(mailbox, most=1)[0].subject


def test_a_mail_without_a_reply_address_has_no_box(mailbox: Path, client: Client, settings: Any) -> None:
    key = mail_store(
        mailbox, b"From: a@b.example\r\nTo: c@d.example\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\n\r\nHi"
    )
    assert "/reply" not in client.get(f"/mailbox/{key}/").content.decode()
    assert client.post(f"/mailbox/{key}/reply", {"text": "1"}).status_code == 404
