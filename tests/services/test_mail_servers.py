"""Mail through a real Postfix and a real Dovecot, out and in: what was sent arrives, and a reply is acted on once."""

import subprocess
import time
from collections.abc import Callable
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection

from games.models import Entry, Race
from games.services.races import race_create, race_join
from notifications.doors.mailbox_poll import PollFailed, mailbox_poll
from notifications.models import ClosedAddress, Notice, Pause
from notifications.reply_models import InboundMail, PolledFolder
from roadkill_site.accounts.models import User
from roadkill_site.celery import app
from tests.certificates import certificate_make
from tests.services.conftest import StartProcess, wait_until
from tests.services.locks import held, is_waited_for
from tests.services.mail_servers import PASSWORD, PLAYERS_DOMAIN, REPLY_DOMAIN, Dovecot, Postfix
from tests.services.servers import LOOPBACK, PrivatePostgresql
from tests.services.test_mail_race import ANSWER, text_of
from tests.services.test_mail_reply_race import bare

pytestmark = pytest.mark.django_db(transaction=True)

POLL: Final = "notifications.tasks.poll_mailbox"
SWEEP: Final = "notifications.tasks.take_mails_due"
Poll = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture
def elsewhere(postfix: Postfix, dovecot: Dovecot) -> dict[str, str]:
    """Mail leaves by Postfix; the worker polls Dovecot when it is told to."""
    return {"REPLIES": "yes", "EMAIL_PORT": str(postfix.port), "INBOUND_IMAP_URL": dovecot.url()}


@pytest.fixture
def worker(start_process: StartProcess) -> "subprocess.Popen[bytes]":
    return start_process(
        "celery", "-A", "roadkill_site.worker", "worker", "--pool", "solo", "--hostname", "one@localhost"
    )  # fmt: skip


@pytest.fixture
def poll(start_process: StartProcess) -> Poll:
    """Start `manage.py inbound_poll`, which looks into the mailbox once."""

    def start() -> "subprocess.Popen[bytes]":
        return start_process("manage", "inbound_poll")

    return start


def ended(process: "subprocess.Popen[bytes]") -> int:
    """Its exit code, once it has ended."""
    return process.wait(60)


def race_of(*names: str) -> Race:
    """A race of these two people that has begun."""
    people = [User.objects.create_user(f"{name}@{PLAYERS_DOMAIN}", display_name=name.title()) for name in names]
    race = race_create(by=people[0], name="Dust Devil 300", seats=2, options={"sections": 3}, is_public=True)
    race_join(race_id=race.pk, by=people[1])
    race.refresh_from_db()
    return race


def asked(dovecot: Dovecot, *names: str) -> tuple[str, EmailMessage]:
    """Whose mailbox holds a question, and the mail that asks it."""
    found: list[tuple[str, EmailMessage]] = []

    def look() -> bool:
        for name in names:
            found.extend((name, mail) for mail in dovecot.mails(name) if mail["Reply-To"] and "/act/" in text_of(mail))
        return bool(found)

    wait_until(look)
    return found[-1]


def reply_to(asking: EmailMessage, words: str = "") -> EmailMessage:
    """A reply as a mail program writes it; without words, the number of the first answer that is ready."""
    ready = [number for number, _, is_form, _ in ANSWER.findall(text_of(asking)) if not is_form]
    reply = bare(words or ready[0], asking)
    reply["From"] = str(asking["To"])
    reply["To"] = str(asking["Reply-To"])
    reply["Subject"] = f"Re: {asking['Subject']}"
    reply["Date"] = formatdate()
    reply["Message-ID"] = make_msgid(domain=PLAYERS_DOMAIN)
    reply["In-Reply-To"] = str(asking["Message-ID"])
    return reply


def submit(postfix: Postfix, reply: EmailMessage) -> None:
    postfix.submit(reply, sender=str(reply["From"]), to=[str(reply["To"])])


def answer_to(dovecot: Dovecot, name: str, reply: EmailMessage) -> EmailMessage:
    """The transcript in the player's mailbox; there is one."""

    def found() -> list[EmailMessage]:
        return [mail for mail in dovecot.mails(name) if mail["In-Reply-To"] == reply["Message-ID"]]

    wait_until(found)
    (answer,) = found()
    return answer


def acts_by_mail(race: Race) -> int:
    entries = Entry.objects.filter(race=race)
    return sum(act["origin"] == "mail" for entry in entries for act in entry.acts)


def is_taken(reply: EmailMessage) -> bool:
    return InboundMail.objects.filter(message_id=str(reply["Message-ID"]), state="done").exists()


def listen(start_process: StartProcess, postfix: Postfix, *more: str) -> "subprocess.Popen[bytes]":
    return start_process("manage", "inbound_smtpd", "--port", str(postfix.replies_port), *more)


# Postfix and LMTP


def test_a_question_goes_out_by_postfix_and_its_reply_comes_back_by_lmtp(
    worker: Any, start_process: StartProcess, postfix: Postfix, dovecot: Dovecot, tmp_path: Path
) -> None:
    # Its own folder: what lies in this one is logs.
    tls = tmp_path / "tls"
    tls.mkdir()
    certificate_make(tls / "certificate.pem", tls / "key.pem", LOOPBACK)
    listen(start_process, postfix, "--certificate", str(tls / "certificate.pem"), "--key", str(tls / "key.pem"))
    race = race_of("wren", "olu")
    name, asking = asked(dovecot, "wren", "olu")
    assert asking["Return-Path"].startswith("<bounce+"), "what comes back to it names this mail"
    assert asking["Return-Path"].endswith(f"@{REPLY_DOMAIN}>")
    reply = reply_to(asking)
    submit(postfix, reply)
    answer = answer_to(dovecot, name, reply)
    assert str(answer["Subject"]).endswith("your mail, done"), text_of(answer)
    assert answer["Auto-Submitted"] == "auto-replied"
    assert acts_by_mail(race) == 1
    row = InboundMail.objects.get()
    assert (row.came_by, row.state, row.envelope_sender) == ("lmtp", "done", str(reply["From"]))
    assert row.envelope_recipients == [str(reply["To"])]
    stopping = reply_to(answer, "stop")
    del stopping["To"]
    stopping["To"] = str(answer["List-Unsubscribe"]).partition("<mailto:")[2].partition("?")[0]
    submit(postfix, stopping)
    wait_until(lambda: Pause.objects.filter(address=str(reply["From"])).exists())
    assert f"TLS connection established to {LOOPBACK}[{LOOPBACK}]:{postfix.replies_port}" in postfix.log()


def test_what_postfix_could_not_hand_over_it_keeps_and_brings_later(
    worker: Any, start_process: StartProcess, postfix: Postfix, dovecot: Dovecot, postgresql: PrivatePostgresql
) -> None:
    race = race_of("wren", "olu")
    name, asking = asked(dovecot, "wren", "olu")

    # Our listener is down.
    first = reply_to(asking)
    submit(postfix, first)
    wait_until(lambda: "Connection refused" in postfix.queue())
    listen(start_process, postfix)
    wait_until(lambda: postfix.queue() == "")
    wait_until(lambda: is_taken(first))
    answer_to(dovecot, name, first)

    # The database is away.
    second = reply_to(asking, "hand")
    connection.close()
    postgresql.stop(how="immediate")
    submit(postfix, second)
    wait_until(lambda: "451 4.3.0 Not kept" in postfix.queue())
    postgresql.start()
    wait_until(lambda: postfix.queue() == "")
    wait_until(lambda: InboundMail.objects.filter(message_id=str(second["Message-ID"])).exists())
    app.send_task(SWEEP)
    answer_to(dovecot, name, second)
    assert acts_by_mail(race) == 1


def report_in(dovecot: Dovecot, name: str) -> str:
    """The delivery report in this mailbox, once it has come."""

    def found() -> list[EmailMessage]:
        return [mail for mail in dovecot.mails(name) if mail.get_content_type() == "multipart/report"]

    wait_until(found)
    (report,) = found()
    return report.as_string()


def test_what_the_listener_refuses_for_good_goes_back_to_who_sent_it(
    start_process: StartProcess, postfix: Postfix, dovecot: Dovecot
) -> None:
    listen(start_process, postfix)
    mail = EmailMessage()
    mail["From"] = f"marta@{PLAYERS_DOMAIN}"
    mail.set_content("Is anybody there?")
    postfix.submit(mail, sender=str(mail["From"]), to=[f"sales@{REPLY_DOMAIN}"])
    told = report_in(dovecot, "marta")
    assert "Action: failed" in told
    assert "550 5.1.1 There is no such mailbox" in told

    mail["To"] = f"reply+{'a' * 24}@{REPLY_DOMAIN}"
    mail.set_payload(("z" * 70 + "\r\n") * 16_000)
    postfix.submit(mail, sender=f"dov@{PLAYERS_DOMAIN}", to=[str(mail["To"])])
    assert "size" in report_in(dovecot, "dov")
    assert not InboundMail.objects.exists()


def test_a_players_mailbox_that_is_gone_comes_back_as_a_report_and_closes_the_address(
    worker: Any, start_process: StartProcess, postfix: Postfix, dovecot: Dovecot
) -> None:
    listen(start_process, postfix)
    # There is no such user in Dovecot.
    race_of("gone", "olu")
    address = f"gone@{PLAYERS_DOMAIN}"
    wait_until(lambda: ClosedAddress.objects.filter(address=address).exists())
    bounced = Notice.objects.filter(state="bounced")
    assert {attempt.address for notice in bounced for attempt in notice.attempts.all()} == {address}
    assert set(InboundMail.objects.values_list("kind", "envelope_sender")) == {("bounce", "")}
    assert not InboundMail.objects.exclude(answer_state="none").exists(), "a report is never answered"


# Dovecot and IMAP


def test_a_reply_in_a_mailbox_is_polled_acted_on_once_and_answered(
    worker: Any, postfix: Postfix, dovecot: Dovecot
) -> None:
    race = race_of("wren", "olu")
    name, asking = asked(dovecot, "wren", "olu")
    app.send_task(POLL)
    wait_until(PolledFolder.objects.exists)
    reply = reply_to(asking)
    for _ in range(2):
        dovecot.deliver(reply, sender=str(reply["From"]), to=str(reply["To"]))
    # Its owner looks at it before we do; and what it answers is told by the envelope alone, which Dovecot notes.
    other = reply_to(asking, "hand")
    del other["To"], other["In-Reply-To"]
    dovecot.deliver(other, sender=str(other["From"]), to=str(asking["Reply-To"]))
    with dovecot.opened() as mailbox:
        mailbox.flag(mailbox.uids()[-1:], "\\Seen", value=True)
    app.send_task(POLL)
    answer_to(dovecot, name, reply)
    answer_to(dovecot, name, other)
    app.send_task(POLL)
    app.send_task(SWEEP)
    wait_until(lambda: PolledFolder.objects.get().last_uid == 3)
    assert acts_by_mail(race) == 1
    assert list(InboundMail.objects.values_list("came_by", "state")) == [("imap", "done")] * 2
    assert dovecot.seen() == [1, 2, 3], "mails stay where they are, marked as read"


@pytest.mark.parametrize("table", ["notifications_inboundmail", "notifications_polledfolder"])
def test_a_poller_killed_in_the_middle_loses_nothing_and_keeps_nothing_twice(
    dovecot: Dovecot, poll: Poll, table: str
) -> None:
    mailbox_poll(dovecot.url())
    for number in range(5):
        dovecot.put(some_mail(number))
    with held(table):
        doomed = poll()
        wait_until(lambda: is_waited_for(table))
        doomed.kill()
        doomed.wait()
    # Before the first was kept, or after it was kept and marked and before that was remembered.
    is_kept = table == "notifications_polledfolder"
    assert InboundMail.objects.count() == is_kept
    assert dovecot.seen() == [1] * is_kept
    mailbox_poll(dovecot.url())
    mailbox_poll(dovecot.url())
    assert sorted(InboundMail.objects.values_list("message_id", flat=True)) == [f"<{n}@player>" for n in range(5)]
    assert dovecot.seen() == [1, 2, 3, 4, 5]


def some_mail(number: int) -> bytes:
    """A mail with this number in its name."""
    return f"From: a@{PLAYERS_DOMAIN}\r\nMessage-ID: <{number}@player>\r\n\r\n{number}\r\n".encode()


def test_a_server_that_crashes_under_a_poll_is_told_and_the_next_poll_goes_on(dovecot: Dovecot, poll: Poll) -> None:
    mailbox_poll(dovecot.url())
    for number in range(3):
        dovecot.put(some_mail(number))
    with held("notifications_inboundmail"):
        broken = poll()
        wait_until(lambda: is_waited_for("notifications_inboundmail"))
        dovecot.stop()
    assert ended(broken) == 1
    with pytest.raises(PollFailed, match="ConnectionRefusedError"):
        mailbox_poll(dovecot.url())
    dovecot.start()
    mailbox_poll(dovecot.url())
    assert InboundMail.objects.count() == 3
    assert dovecot.seen() == [1, 2, 3]


def test_a_mailbox_that_counts_anew_loses_nothing_and_gives_nothing_twice(dovecot: Dovecot) -> None:
    dovecot.put(some_mail(0))
    dovecot.put(some_mail(1))
    mailbox_poll(dovecot.url())
    before = PolledFolder.objects.get()
    dovecot.put(some_mail(2))
    with dovecot.opened() as mailbox:
        mailbox.flag(mailbox.uids()[-1:], "\\Seen", value=True)
    dovecot.count_anew()
    mailbox_poll(dovecot.url())
    after = PolledFolder.objects.get()
    assert after.uidvalidity != before.uidvalidity
    assert sorted(InboundMail.objects.values_list("message_id", flat=True)) == [f"<{n}@player>" for n in range(3)]


def test_what_its_owner_had_looked_at_before_the_first_poll_is_left_alone(dovecot: Dovecot) -> None:
    for number in range(4):
        dovecot.put(some_mail(number))
    with dovecot.opened() as mailbox:
        mailbox.flag(["1", "3", "4"], "\\Seen", value=True)
    for _ in range(2):
        mailbox_poll(dovecot.url())
    assert InboundMail.objects.get().message_id == "<1@player>"
    dovecot.put(some_mail(4))
    mailbox_poll(dovecot.url())
    assert InboundMail.objects.count() == 2


def test_bytes_that_are_no_mail_are_kept_and_stop_no_other(worker: Any, dovecot: Dovecot) -> None:
    rubbish = [
        b"\x00\x01\xff" * 300,
        b"",
        b'From: \xff\xfe\r\nContent-Type: multipart/mixed; boundary="x\r\n\r\n--x\r\n--x--\r\n--x',
        b"Subject: bare feeds\nMessage-ID: <\xe9@x>\n\nbody\rwith\rreturns\n",
        b"X: " + b"y" * 200_000 + b"\r\n\r\nz",
        b"\r\n\r\n\r\n",
    ]
    for raw in rubbish:
        dovecot.put_file(raw)
        time.sleep(0.01)
    dovecot.put(some_mail(1))
    mailbox_poll(dovecot.url())
    assert InboundMail.objects.filter(message_id="<1@player>").exists()
    assert InboundMail.objects.count() >= len(rubbish)
    app.send_task(SWEEP)
    wait_until(lambda: not InboundMail.objects.filter(state="stored").exists())
    assert set(InboundMail.objects.values_list("state", "answer_state")) == {("ignored", "none")}


def test_a_folder_may_have_any_name(dovecot: Dovecot) -> None:
    folder = "Spiele & mehr.Übrige"
    dovecot.put(some_mail(1), folder=folder)
    dovecot.put(some_mail(2))
    assert mailbox_poll(dovecot.url(folder=folder)) == 1
    assert InboundMail.objects.get().message_id == "<1@player>"


def test_an_encrypted_mailbox_must_show_a_certificate_that_somebody_vouches_for(
    dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dovecot.put(some_mail(1))
    url = dovecot.url().replace("imap://", "imaps://").replace(str(dovecot.imap_port), str(dovecot.imaps_port))
    by_name = url.replace(LOOPBACK, "localhost")
    with pytest.raises(PollFailed, match="CERTIFICATE_VERIFY_FAILED") as failed:
        mailbox_poll(by_name)
    assert PASSWORD not in str(failed.value)
    monkeypatch.setenv("SSL_CERT_FILE", str(dovecot.certificate))
    with pytest.raises(PollFailed, match="IP address mismatch"):
        mailbox_poll(url)
    assert mailbox_poll(by_name) == 1
