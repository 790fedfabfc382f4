"""The ways in: a listener, a mailbox that is polled, a provider that posts. Each keeps a mail, and keeps it once."""

import hashlib
import hmac
import importlib
import logging
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from email import policy
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.test import Client
from django.urls import clear_url_caches

from notifications.doors import listener
from notifications.doors.mailbox_poll import PollFailed, mailbox_poll
from notifications.inbound.message import MESSAGE_MOST
from notifications.reply_models import InboundMail, PolledFolder, Way
from roadkill_site import urls as site_urls
from roadkill_site.inbound_webhooks import anymail_settings
from tests.notifications.replies.conftest import Post, hand_over, listening, reply_to
from tests.notifications.replies.imap_server import Folder, imap_server

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
OURS = "reply+aaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1"


# LMTP and SMTP


@pytest.mark.django_db(transaction=True)
def test_a_reply_over_lmtp_plays_a_turn_and_is_answered(post: Post) -> None:
    seat, asking = post.asked()
    with listening() as port:
        assert hand_over(port, reply_to(asking, "1"), [str(asking["Reply-To"])]) == {}
        row = InboundMail.objects.get()
        assert (row.state, row.came_by) == ("stored", "lmtp"), "250 says that it is kept, and no more"
        post.work()
    row.refresh_from_db()
    assert (row.state, row.answer_state) == ("done", "sent")
    assert post.acts()[-1] == (seat.number, "mail", "start")


@pytest.mark.django_db(transaction=True)
def test_each_recipient_is_answered_in_lmtp_and_the_mail_kept_once(db: None) -> None:
    with listening() as port, socket.create_connection(("127.0.0.1", port), 10) as wire:
        told = wire.makefile("rb")
        told.readline()
        for line in ("LHLO mx", "MAIL FROM:<>", f"RCPT TO:<{OURS}>", f"RCPT TO:<{OURS.upper()}>", "DATA"):
            wire.sendall(f"{line}\r\n".encode())
            while told.readline()[3:4] == b"-":
                pass
        wire.sendall(b"Subject: x\r\n\r\nx\r\n.\r\n")
        assert [told.readline()[:3] for _ in range(2)] == [b"250", b"250"]
    row = InboundMail.objects.get()
    assert row.envelope_sender == "", "the null sender"
    assert row.envelope_recipients == [OURS, OURS.upper()]


@pytest.mark.django_db(transaction=True)
def test_a_listener_relays_nothing_and_has_no_other_mailboxes(post: Post) -> None:
    _, asking = post.asked()
    with listening(Way.SMTP) as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.ehlo()
        client.mail("wren@example.org")
        assert client.rcpt("victim@elsewhere.example")[0] == 550
        assert client.rcpt("postmaster@127.0.0.1")[0] == 550
        assert client.rcpt(OURS)[0] == 250
        assert client.data(reply_to(asking, "1").as_bytes(policy=policy.SMTP))[0] == 250
    assert InboundMail.objects.get().came_by == "smtp"


@pytest.mark.django_db(transaction=True)
def test_a_mail_that_is_too_large_is_refused_at_the_door(db: None) -> None:
    with listening(Way.SMTP) as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.ehlo()
        assert client.esmtp_features["size"] == str(MESSAGE_MOST)
        client.mail("a@example.org")
        client.rcpt(OURS)
        assert client.data(b"Subject: x\r\n\r\n" + b"x" * 70 + b"\r\n" + b"y" * 900 + b"\r\n")[0] == 250
        client.mail("a@example.org")
        client.rcpt(OURS)
        assert client.data(b"Subject: x\r\n\r\n" + (b"z" * 70 + b"\r\n") * 16_000)[0] == 552
    assert InboundMail.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_mail_that_could_not_be_kept_is_not_taken(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    _, asking = post.asked()

    def fail(**_of: object) -> None:
        raise DatabaseError("the disk is full")

    with listening() as port:
        with monkeypatch.context() as patch:
            patch.setattr(listener, "mail_keep", fail)
            with pytest.raises(smtplib.SMTPDataError) as refused:
                hand_over(port, reply_to(asking, "1"), [str(asking["Reply-To"])])
            assert refused.value.smtp_code == 451, "try again later"
        assert hand_over(port, reply_to(asking, "1"), [str(asking["Reply-To"])]) == {}
    assert InboundMail.objects.count() == 1


def test_the_library_does_not_log_its_dialogues_which_name_addresses_that_act() -> None:
    assert not logging.getLogger("mail.log").isEnabledFor(logging.INFO)


@pytest.mark.django_db(transaction=True)
def test_a_listener_holds_so_many_connections_and_forgets_those_that_end(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "CONNECTIONS_MOST", 2)
    _, asking = post.asked()
    with listening() as port:
        for number in range(5):
            reply = reply_to(asking, f"say {number}")
            assert hand_over(port, reply, [str(asking["Reply-To"])]) == {}, "one after the other"
        wires = [_connected(port) for _ in range(3)]
        said = sorted(wire.recv(100)[:3] for wire in wires)
        for wire in wires:
            wire.close()
    assert said == [b"220", b"220", b"421"]
    assert InboundMail.objects.count() == 5


def test_a_port_that_is_taken_and_replies_that_are_off_are_told_in_a_sentence(settings: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Cannot listen on 127.0.0.1 port {port}"):
            call_command("inbound_smtpd", "--port", str(port), "--host", "127.0.0.1")
    settings.REPLIES = False
    with pytest.raises(CommandError, match="Setting REPLIES"):
        call_command("inbound_smtpd")


def test_the_listener_stops_in_order_when_it_is_told_to(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "manage.py", "inbound_smtpd", "--port", str(port)],
        env={"PATH": "/usr/bin:/bin", "VAR_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "by LMTP" in process.stdout.readline()
        with _connected(port) as wire:
            assert wire.recv(100).startswith(b"220")
            process.terminate()
            assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _connected(port: int) -> socket.socket:
    """A connection to a listener that may just be starting."""
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), 10)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError(f"nothing listens on port {port}")


# IMAP


@pytest.fixture
def folder() -> Iterator[Folder]:
    with imap_server() as one:
        yield one


def url_of(folder: Folder, password: str = "secret") -> str:
    return f"imap://box%40example.org:{password}@127.0.0.1:{folder.port}/INBOX"


def test_a_mailbox_is_read_once_and_marked_as_seen_only_after_keeping(post: Post, folder: Folder) -> None:
    _, asking = post.asked()
    first = folder.put(reply_to(asking, "1").as_bytes(policy=policy.SMTP))
    assert mailbox_poll(url_of(folder)) == 1
    assert folder.seen == {first}
    assert mailbox_poll(url_of(folder)) == 0
    row = InboundMail.objects.get()
    assert (row.came_by, row.envelope_sender) == ("imap", None)
    post.work()
    row.refresh_from_db()
    assert row.state == "done", row.reason
    second = folder.put(reply_to(asking, "hand").as_bytes(policy=policy.SMTP))
    folder.seen.add(second)  # somebody has looked at it meanwhile
    assert mailbox_poll(url_of(folder)) == 1
    assert set(folder.mails) == {first, second}, "mails stay where they are"


def test_a_mail_that_could_not_be_kept_stays_unseen_and_is_read_with_the_next_poll(
    post: Post, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, asking = post.asked()
    folder.put(reply_to(asking, "1").as_bytes(policy=policy.SMTP))

    def fail(**_of: object) -> None:
        raise DatabaseError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("notifications.doors.mailbox_poll.mail_keep", fail)
        with pytest.raises(DatabaseError):
            mailbox_poll(url_of(folder))
    assert folder.seen == set()
    assert mailbox_poll(url_of(folder)) == 1


def test_a_folder_that_counts_anew_gives_no_mail_twice(post: Post, folder: Folder) -> None:
    _, asking = post.asked()
    raw = reply_to(asking, "1").as_bytes(policy=policy.SMTP)
    folder.put(raw)
    mailbox_poll(url_of(folder))
    folder.uidvalidity, folder.mails, folder.seen = 8, {}, set()
    folder.put(raw)
    new = folder.put(reply_to(asking, "hand").as_bytes(policy=policy.SMTP))
    assert mailbox_poll(url_of(folder)) == 1
    assert InboundMail.objects.count() == 2
    place = PolledFolder.objects.get()
    assert (place.uidvalidity, place.last_uid) == (8, new)


def test_a_mail_that_is_too_large_is_left_alone_and_stops_no_other(post: Post, folder: Folder) -> None:
    _, asking = post.asked()
    large = folder.put(b"x" * (MESSAGE_MOST + 1))
    folder.put(reply_to(asking, "1").as_bytes(policy=policy.SMTP))
    assert mailbox_poll(url_of(folder)) == 1
    assert large not in folder.seen


def test_a_mail_that_is_larger_than_its_server_says_stops_no_other(post: Post, folder: Folder) -> None:
    _, asking = post.asked()
    folder.put(b"X-Size: small\r\n\r\n" + b"x" * (MESSAGE_MOST + 1))
    folder.put(reply_to(asking, "1").as_bytes(policy=policy.SMTP))
    folder.told_size = 100
    assert mailbox_poll(url_of(folder)) == 1
    assert folder.seen == {2}


def test_a_first_poll_takes_several_rounds_and_leaves_alone_what_was_looked_at(
    db: None, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notifications.doors.mailbox_poll.BATCH_MOST", 2)
    for number in range(1, 8):
        folder.put(f"Message-ID: <{number}@player>\r\n\r\nx\r\n".encode())
    folder.seen = {2, 4, 6, 7}
    assert mailbox_poll(url_of(folder)) == 2
    assert not PolledFolder.objects.exists(), "where it has come to is not behind what was looked at"
    assert [mailbox_poll(url_of(folder)) for _ in range(2)] == [1, 0]
    assert set(InboundMail.objects.values_list("message_id", flat=True)) == {"<1@player>", "<3@player>", "<5@player>"}
    assert PolledFolder.objects.get().last_uid == 7


def test_a_mailbox_that_cannot_be_read_is_told_without_its_password(
    folder: Folder, db: None, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PollFailed) as failed:
        mailbox_poll(url_of(folder, password="wrong-password"))
    assert "wrong-password" not in str(failed.value)
    settings.INBOUND_IMAP_URL = "imap://box:secret@127.0.0.1:1/INBOX"
    with pytest.raises(CommandError, match=r"box@127\.0\.0\.1/INBOX"):
        call_command("inbound_poll")
    settings.INBOUND_IMAP_URL = None
    with pytest.raises(CommandError, match="INBOUND_IMAP_URL"):
        call_command("inbound_poll")
    settings.INBOUND_IMAP_URL = url_of(folder)
    call_command("inbound_poll")
    assert "0 mails kept." in capsys.readouterr().out


# A provider's webhook


@pytest.fixture
def webhook(settings: Any, client: Client) -> Iterator[Client]:
    """The site with Mailgun's address open."""
    settings.INBOUND_WEBHOOK = "mailgun"
    settings.ANYMAIL = anymail_settings("mailgun", "", "the signing key")
    before = list(site_urls.urlpatterns)
    importlib.reload(site_urls)
    clear_url_caches()
    yield client
    settings.INBOUND_WEBHOOK = ""
    importlib.reload(site_urls)
    clear_url_caches()
    assert len(site_urls.urlpatterns) == len(before)


def posted(raw: str, key: str = "the signing key") -> dict[str, str]:
    stamp, token = "1796000000", "a" * 50
    signature = hmac.new(key.encode(), f"{stamp}{token}".encode(), hashlib.sha256).hexdigest()
    return {
        "timestamp": stamp, "token": token, "signature": signature, "recipient": OURS, "sender": "wren@example.org",
        "body-mime": raw,
    }  # fmt: skip


def test_what_a_provider_posts_is_kept_if_it_is_signed(post: Post, webhook: Client) -> None:
    _, asking = post.asked()
    raw = reply_to(asking, "1").as_bytes(policy=policy.SMTP).decode()
    address = "/mail/in/mailgun/inbound_mime/"
    assert webhook.post(address, posted(raw, key="another")).status_code == 400
    assert not InboundMail.objects.exists()
    for _ in range(2):
        assert webhook.post(address, posted(raw)).status_code == 200
    row = InboundMail.objects.get()
    assert (row.came_by, row.envelope_sender, row.envelope_recipients) == ("webhook", "wren@example.org", [OURS])
    post.work()
    row.refresh_from_db()
    assert row.state == "done", row.reason


def test_only_the_providers_own_address_is_open(webhook: Client) -> None:
    assert webhook.post("/mail/in/postmark/inbound/").status_code == 404
    assert webhook.post("/mail/in/mailgun/tracking/").status_code == 404


def test_without_a_provider_nothing_can_be_posted(client: Client) -> None:
    assert client.post("/mail/in/mailgun/inbound_mime/", posted("x")).status_code == 404
