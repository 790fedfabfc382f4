"""Drivers with mail programs: what they were sent, and replies as these programs write them."""

import asyncio
import smtplib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any

import pytest
from django.core import mail as sent_by_django
from django.utils import timezone

from games.models import Entry, Seat
from games.services.races import race_create, race_join
from notifications.doors.listener import Certificate, listen
from notifications.reply_models import InboundMail, Way
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from notifications.services.replies.answering import answers_due, answers_send
from notifications.services.replies.keeping import mail_keep
from notifications.services.replies.taking import mails_due, mails_take
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running


def text_of(message: EmailMessage) -> str:
    """The text part."""
    body = message.get_body(preferencelist=("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


@dataclass
class Post:
    """The post between a race and its drivers."""

    running: Running

    def deliver(self) -> None:
        """Send what is due."""
        outbox_dispatch()
        notices_deliver(notices_due(now=timezone.now()))

    def mails(self, address: str) -> list[EmailMessage]:
        """What was sent to this address, oldest first."""
        found = []
        for sent in sent_by_django.outbox:
            message = message_from_bytes(sent.message().as_bytes(), policy=policy.default)
            assert isinstance(message, EmailMessage)
            message["X-Envelope-From"] = sent.from_email
            if address in sent.recipients():
                found.append(message)
        return found

    def asked(self) -> tuple[Seat, EmailMessage]:
        """Whose turn it is, and the mail that asked, freshly sent."""
        self.deliver()
        seat = self.running.asked
        return seat, self.asking(seat)

    def asking(self, seat: Seat) -> EmailMessage:
        """The latest mail that asked this seat's driver something and may be answered."""
        assert seat.player is not None
        mails = [mail for mail in self.mails(seat.player.email) if mail["Reply-To"] and "/act/" in text_of(mail)]
        return mails[-1]

    def keep(
        self, reply: EmailMessage | bytes, *, to: str = "", sender: str | None = "someone@example.org"
    ) -> InboundMail:
        """Put a mail through the door, without the worker."""
        raw = reply if isinstance(reply, bytes) else reply.as_bytes(policy=policy.SMTP)
        kept = mail_keep(raw=raw, came_by=Way.LMTP, envelope_sender=sender, envelope_recipients=[to] if to else [])
        return InboundMail.objects.get(pk=kept.mail_id)

    def work(self) -> None:
        """What the worker does with what was kept."""
        mails_take(mails_due(now=timezone.now()))
        answers_send(answers_due())

    def send(self, reply: EmailMessage | bytes, **envelope: Any) -> InboundMail:
        """Through the door, acted on, and answered."""
        row = self.keep(reply, **envelope)
        self.work()
        row.refresh_from_db()
        return row

    def answer_to(self, row: InboundMail) -> EmailMessage:
        """The mail that answers this one."""
        found = [mail for mail in self.mails(row.answer_to) if str(mail["Message-ID"]) == row.answer_message_id]
        assert len(found) == 1, f"{len(found)} answers"
        return found[0]

    def acts(self) -> list[tuple[int, str, str]]:
        """Seat, origin and what it does, of every act in the record."""
        entries = Entry.objects.filter(race=self.running.race).order_by("seq")
        return [(act["seat"], act["origin"], act["action"]["do"]) for entry in entries for act in entry.acts]


def reply_to(asking: EmailMessage, text: str, *, sender: str = "", **headers: str) -> EmailMessage:
    """A reply as a plain mail program writes it: the words above, the mail below, each line marked."""
    reply = EmailMessage(policy=policy.SMTP)
    reply["From"] = sender or str(asking["To"])
    reply["To"] = str(asking["Reply-To"])
    reply["Subject"] = f"Re: {asking['Subject']}"
    reply["Date"] = formatdate()
    reply["Message-ID"] = make_msgid(domain="player.example")
    reply["In-Reply-To"] = str(asking["Message-ID"])
    reply["References"] = f"{asking['References']}"
    for name, value in headers.items():
        del reply[name.replace("_", "-")]
        reply[name.replace("_", "-")] = value
    quoted = "\n".join(f"> {line}" for line in text_of(asking).splitlines())
    reply.set_content(f"{text}\n\nOn 1 Dec 2026 at 10:00, {asking['From']} wrote:\n{quoted}\n")
    return reply


@pytest.fixture
def post(wren: User, olu: User) -> Post:
    """A race whose first driver holds a card to start with, so that there are orders to give."""
    for _ in range(60):
        race = race_create(by=wren, name="Dust Devil 300", seats=2, options={"sections": 3}, is_public=True)
        race_join(race_id=race.pk, by=olu)
        race.refresh_from_db()
        running = Running(race)
        if running.question(running.asked)["answers"][0]["words"].startswith("start with"):
            return Post(running)
        race.status = "abandoned"
        race.save(update_fields=["status"])
    raise AssertionError("no hand with a card to start with in sixty deals")


@contextmanager
def listening(way: Way = Way.LMTP, certificate: Certificate | None = None) -> Iterator[int]:
    """A listener in a thread of its own; its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    loop = asyncio.new_event_loop()
    stopped = asyncio.Event()

    def run() -> None:
        loop.run_until_complete(listen(way=way, host="127.0.0.1", port=port, stopped=stopped, certificate=certificate))
        loop.run_until_complete(loop.shutdown_default_executor())

    thread = threading.Thread(target=run)
    thread.start()
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join(30)
        assert not thread.is_alive(), "the listener does not stop"
        loop.close()


def hand_over(port: int, reply: EmailMessage, to: list[str], *, sender: str = "someone@example.org") -> Any:
    """Give a mail to a listener, as a mail server does; the recipients that it refused."""
    with smtplib.LMTP("127.0.0.1", port) as client:
        return client.sendmail(sender, to, reply.as_bytes(policy=policy.SMTP))


Later = Callable[[], None]
