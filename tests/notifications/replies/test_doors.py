"""The ways in: a listener, and a mailbox that is polled. Each keeps a mail, and keeps it once."""

import logging
import smtplib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from email import policy
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, InterfaceError

from notifications.doors import listener
from notifications.doors.listener import Certificate
from notifications.doors.mailbox_poll import PollFailed, mailbox_poll
from notifications.inbound.message import MESSAGE_MOST
from notifications.reply_models import InboundMail, PolledFolder, Way
from tests.certificates import certificate_make
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
def test_an_answer_to_our_sender_is_taken_and_known_by_what_it_answers(post: Post, settings: Any) -> None:
    settings.MAIL_FROM = "Roadkill <turns@elsewhere.example>"
    seat, asking = post.asked()
    with listening() as port:
        reply = reply_to(asking, "1", To="Turns@Elsewhere.example")
        assert hand_over(port, reply, ["Turns@Elsewhere.example"]) == {}
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            hand_over(port, reply, ["sales@elsewhere.example"])
        post.work()
    assert InboundMail.objects.get().state == "done"
    assert post.acts()[-1] == (seat.number, "mail", "start")


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
@pytest.mark.parametrize(
    "fault", [DatabaseError("the disk is full"), InterfaceError("the connection is closed"), MemoryError()], ids=repr
)
def test_a_mail_that_could_not_be_kept_is_not_taken(
    post: Post, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    _, asking = post.asked()

    def fail(**_of: object) -> None:
        raise fault

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
def test_a_fault_of_ours_is_no_refusal_for_good(
    db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("something secret")

    monkeypatch.setattr(listener, "ours", fail)
    with listening(Way.SMTP) as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.ehlo()
        client.mail("a@example.org")
        code, said = client.rcpt(OURS)
    assert (code, b"secret" in said) == (451, False)
    assert "A dialogue failed" in caplog.text


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
    certificate_in(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "manage.py", "inbound_smtpd", "--port", str(port), "--smtp"],
        env={
            "PATH": "/usr/bin:/bin",
            "VAR_DIR": str(tmp_path),
            "INBOUND_TLS_CERTIFICATE": str(tmp_path / "certificate.pem"),
            "INBOUND_TLS_KEY": str(tmp_path / "key.pem"),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert f"by SMTP on 127.0.0.1 port {port}, encrypted" in process.stdout.readline()
        _connected(port).close()
        client = smtplib.SMTP("127.0.0.1", port)
        client.starttls(context=trusting(tmp_path))
        process.terminate()
        assert process.wait(30) == 0
        client.close()
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


# STARTTLS


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    return certificate_in(tmp_path)


def certificate_in(folder: Path) -> Certificate:
    certificate_make(folder / "certificate.pem", folder / "key.pem", "127.0.0.1")
    return Certificate(folder / "certificate.pem", folder / "key.pem")


def trusting(folder: Path) -> ssl.SSLContext:
    """What a sender that believes this certificate alone encrypts with."""
    return ssl.create_default_context(cafile=folder / "certificate.pem")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", [Way.SMTP, Way.LMTP])
def test_who_asks_for_encryption_gets_it_and_who_does_not_is_served_too(
    post: Post, certificate: Certificate, tmp_path: Path, way: Way
) -> None:
    _, asking = post.asked()
    address = str(asking["Reply-To"])
    client_of = smtplib.LMTP if way == Way.LMTP else smtplib.SMTP
    with listening(way, certificate) as port:
        with client_of("127.0.0.1", port) as client:
            client.ehlo()
            assert client.has_extn("starttls")
            client.starttls(context=trusting(tmp_path))
            assert client.sock is not None
            assert client.sock.version() >= "TLSv1.2"  # type: ignore[attr-defined]
            client.ehlo()
            assert not client.has_extn("starttls"), "it is offered once"
            for words in ("1", "hand"):
                assert client.sendmail("a@example.org", [address], reply_to(asking, words).as_bytes()) == {}
        with client_of("127.0.0.1", port) as client:
            assert client.sendmail("a@example.org", [address], reply_to(asking, "log").as_bytes()) == {}
    assert InboundMail.objects.count() == 3
    assert set(InboundMail.objects.values_list("came_by", flat=True)) == {way}


@pytest.mark.django_db(transaction=True)
def test_what_was_said_in_the_clear_is_forgotten_when_encryption_begins(
    db: None, certificate: Certificate, tmp_path: Path
) -> None:
    with listening(Way.SMTP, certificate) as port, socket.create_connection(("127.0.0.1", port), 10) as wire:
        told = wire.makefile("rb")
        assert told.readline().startswith(b"220")
        wire.sendall(b"EHLO mx\r\nMAIL FROM:<a@example.org>\r\n")
        while not told.readline().startswith(b"250 OK"):
            pass
        # RFC 3207, 5: what a stranger slips in behind the command must not count as said by the sender.
        wire.sendall(f"STARTTLS\r\nEHLO mallory\r\nMAIL FROM:<m@evil.example>\r\nRCPT TO:<{OURS}>\r\n".encode())
        assert told.readline().startswith(b"220")
        with trusting(tmp_path).wrap_socket(wire, server_hostname="127.0.0.1") as encrypted:
            told = encrypted.makefile("rb")
            for command in ("MAIL FROM:<a@example.org>", "DATA"):
                encrypted.sendall(f"{command}\r\n".encode())
                assert told.readline().startswith(b"503"), "nobody has greeted"
            encrypted.sendall(b"EHLO mx\r\nDATA\r\n")
            while (line := told.readline()).startswith(b"250"):
                pass
            assert line.startswith(b"503"), "there is no recipient"
    assert not InboundMail.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\n\r\n", b"", b"\x16\x03\x01\x00\x05hello"])
def test_a_handshake_that_fails_ends_its_dialogue_and_no_other(
    db: None, certificate: Certificate, tmp_path: Path, caplog: pytest.LogCaptureFixture, said: bytes
) -> None:
    with listening(Way.SMTP, certificate) as port:
        with socket.create_connection(("127.0.0.1", port), 10) as wire:
            told = wire.makefile("rb")
            told.readline()
            wire.sendall(b"EHLO scanner\r\nSTARTTLS\r\n")
            while not told.readline().startswith(b"220"):
                pass
            wire.sendall(said)
            if said:
                while told.read(1):
                    pass
        with smtplib.SMTP("127.0.0.1", port) as client:
            client.starttls(context=trusting(tmp_path))
            assert client.ehlo()[0] == 250
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.django_db(transaction=True)
def test_a_full_listener_lets_a_dialogue_that_it_holds_become_encrypted(
    db: None, certificate: Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(Way.SMTP, certificate) as port:
        monkeypatch.setattr(listener, "CONNECTIONS_MOST", 1)
        with _served(port) as client:
            client.starttls(context=trusting(tmp_path))
            assert client.ehlo()[0] == 250
            with _connected(port) as other:
                assert other.recv(100).startswith(b"421")
        with _served(port) as client:
            assert client.noop()[0] == 250, "the place is free again"


def _served(port: int) -> smtplib.SMTP:
    """A dialogue with a listener that may still hold one which has just ended."""
    for _ in range(100):
        try:
            return smtplib.SMTP("127.0.0.1", port)
        except smtplib.SMTPConnectError:
            time.sleep(0.1)
    raise AssertionError("it is full")


@pytest.mark.django_db(transaction=True)
def test_a_renewed_certificate_is_shown_and_one_that_is_broken_is_not(
    db: None, certificate: Certificate, tmp_path: Path
) -> None:
    def shown(port: int) -> bytes | None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            client.starttls(context=context)
            assert isinstance(client.sock, ssl.SSLSocket)
            return client.sock.getpeercert(binary_form=True)

    with listening(Way.SMTP, certificate) as port:
        first = shown(port)
        (tmp_path / "certificate.pem").write_text("half of a file")
        assert shown(port) == first
        certificate_in(tmp_path)
        second = shown(port)
        assert second not in (first, None)
        assert shown(port) == second


def test_a_certificate_that_cannot_be_used_is_told_in_a_sentence(tmp_path: Path) -> None:
    certificate_in(tmp_path)
    files = {"certificate": str(tmp_path / "certificate.pem"), "key": str(tmp_path / "key.pem")}
    with pytest.raises(CommandError, match="belong together"):
        call_command("inbound_smtpd", certificate=files["certificate"])
    with pytest.raises(CommandError, match=r"cannot be used: .*No such file"):
        call_command("inbound_smtpd", certificate=str(tmp_path / "none.pem"), key=files["key"])
    (tmp_path / "other").mkdir()
    certificate_in(tmp_path / "other")
    with pytest.raises(CommandError, match=r"cannot be used: .*(?i:key.values.mismatch)"):
        call_command("inbound_smtpd", certificate=files["certificate"], key=str(tmp_path / "other" / "key.pem"))


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
