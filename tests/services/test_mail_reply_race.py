"""Six people with six mail programs play a race to its end by nothing but replies to their mails."""

import base64
import itertools
import json
import re
import signal
import smtplib
import socket
import time
import zlib
from collections import Counter
from collections.abc import Callable
from email import policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from html import escape
from typing import Any, Final

import pytest
from django.conf import settings

from games.models import Decision, Entry, Race, RaceMessage, StandingOrder
from games.selectors.log import log_of
from games.selectors.records import record_bytes
from games.services.races import race_create, race_join
from notifications.models import ClosedAddress, Notice
from notifications.reply_models import InboundMail
from roadkill_site.accounts.models import User
from tests.services.conftest import MailServer, wait_until
from tests.services.servers import free_port
from tests.services.test_mail_race import ANSWER, DISCARDED, WANTED, text_of

# Short, so that the test is: the race ends when a car enters Section 3 of the 8 that a race may have.
SECTIONS: Final = 3
SECONDS: Final = 420.0
HELD: Final = re.compile(r"^- (\d+) x (.+)$", re.MULTILINE)
REPLIES: Final = {"REPLIES": "yes", "REPLY_ANSWERS_AN_HOUR": "1000"}


# How five programs, and one more, write a reply. Each gets the words and the mail, and gives a mail without addresses.


def gmail(words: str, asking: EmailMessage) -> EmailMessage:
    """Above, in both parts; the quoted mail in a div of its own."""
    reply = EmailMessage(policy=policy.SMTP)
    said = f"On Tue, 1 Dec 2026 at 10:11, Roadkill <turns@{settings.REPLY_DOMAIN}> wrote:"
    reply.set_content(f"{words}\n\n{said}\n\n{_quoted(asking)}\n")
    body = asking.get_body(preferencelist=("html",))
    assert body is not None
    lines = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.splitlines())
    quoted = f'<div class="gmail_quote"><div>{escape(said)}</div><blockquote>{body.get_content()}</blockquote></div>'
    reply.add_alternative(f'<div dir="ltr">{lines}</div><br>{quoted}', subtype="html")
    return reply


def outlook(words: str, asking: EmailMessage) -> EmailMessage:
    """Above; below it the mail without a mark, under a block of headers, in German."""
    reply = EmailMessage(policy=policy.SMTP)
    block = (
        f"Von: Roadkill <turns@{settings.REPLY_DOMAIN}>\nGesendet: Dienstag, 1. Dezember 2026 10:11\n"
        f"An: {asking['To']}\nBetreff: {asking['Subject']}\n"
    )
    reply.set_content(
        f"{words}\n\n________________________________\n{block}\n{text_of(asking)}", cte="quoted-printable"
    )
    return reply


def apple(words: str, asking: EmailMessage) -> EmailMessage:
    """A telephone: its footer stands between the words and the quoted mail."""
    reply = EmailMessage(policy=policy.SMTP)
    said = f"> On 1 Dec 2026, at 10:11, Roadkill <turns@{settings.REPLY_DOMAIN}> wrote:\n>"
    reply.set_content(f"{words}\n\nSent from my iPhone\n\n{said}\n{_quoted(asking)}\n", cte="base64")
    return reply


def thunderbird(words: str, asking: EmailMessage) -> EmailMessage:
    """Below the quoted mail, with a signature."""
    reply = EmailMessage(policy=policy.SMTP)
    reply.set_content(f"Am 01.12.26 um 10:11 schrieb Roadkill:\n{_quoted(asking)}\n\n{words}\n\n-- \nMarta\n1\nend\n")
    return reply


def gmx(words: str, asking: EmailMessage) -> EmailMessage:
    """Nothing but HTML, with the quoted mail in a block that has a name."""
    reply = EmailMessage(policy=policy.SMTP)
    lines = "".join(f"<div>{escape(line)}</div>" for line in words.splitlines())
    quoted = "<br>".join(escape(line) for line in text_of(asking).splitlines())
    reply.set_content(
        f'<html><body><div style="font-family: Verdana">{lines}<div><br>--<br>Gesendet mit der GMX Mail App</div>'
        f'<div name="quote"><div>Gesendet: Dienstag, 1. Dezember 2026 um 10:11<br>Von: "Roadkill" &lt;turns@'
        f"{settings.REPLY_DOMAIN}&gt;</div>{quoted}</div></div></body></html>",
        subtype="html",
    )
    return reply


def bare(words: str, asking: EmailMessage) -> EmailMessage:
    """A program that quotes nothing."""
    reply = EmailMessage(policy=policy.SMTP)
    reply.set_content(f"{words}\n")
    return reply


def _quoted(asking: EmailMessage) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text_of(asking).splitlines())


PROGRAMS: Final = {"Wren": gmail, "Olu": outlook, "Marta": thunderbird, "Dov": apple, "Priya": gmx, "Yuki": bare}
Write = Callable[[str, EmailMessage], EmailMessage]


class Driver:
    """Somebody with a mail program and nothing else, who reads mails as text and answers the latest question."""

    def __init__(self, name: str, write: Write, mails: MailServer, port: int) -> None:
        self.address = f"{name.lower()}@example.org"
        self.name = name
        self._write, self._mails, self._port = write, mails, port
        self._read = 0
        self._answered: set[int] = set()
        self._hand: list[str] = []
        # The reply that is under way: its Message-ID, and the question that it answers.
        self._waits: tuple[str, int] | None = None
        self._is_lost = False
        self._latest: EmailMessage | None = None
        self.sent = 0
        self.outcomes: Counter[str] = Counter()
        self.first_asked: EmailMessage | None = None

    def look(self) -> bool:
        """Read what has come, and answer what is asked if nothing is under way; whether anything was done."""
        fresh = self._mails.to(self.address)[self._read :]
        self._read += len(fresh)
        for mail in fresh:
            self._take(mail)
        if self._waits is not None or self._latest is None:
            return bool(fresh)
        asking, self._latest = self._latest, None
        if decision_of(asking) in self._answered:
            return bool(fresh)
        self.reply(self.words_for(asking), asking)
        return True

    def _take(self, mail: EmailMessage) -> None:
        text = text_of(mail)
        if "YOUR HAND AND PANEL" in text:
            hand = text.split("YOUR HAND AND PANEL")[1]
            self._hand = [
                re.sub(r"^(\w+)/\w+ (\d)$", r"\1 \2", name)
                for count, name in HELD.findall(hand)
                for _ in range(int(count))
            ]
        if self._waits is not None and str(mail["In-Reply-To"]) == self._waits[0]:
            outcome = str(mail["Subject"]).partition("your mail, ")[2]
            self.outcomes[outcome] += 1
            _, decision = self._waits
            self._waits = None
            if outcome == "done":
                self._answered.add(decision)
            elif not outcome.startswith("the race had moved on"):
                # What was wrong with it stands in the answer; this driver then writes what is always right.
                self._is_lost = True
        if mail["Reply-To"] and "/act/" in text and decision_of(mail) not in self._answered:
            self._latest = mail
            self.first_asked = self.first_asked or mail

    def words_for(self, asking: EmailMessage) -> str:
        """What takes the car forward, else what ends the turn; the ways to say so take turns."""
        answers = ANSWER.findall(text_of(asking))
        assert answers, text_of(asking)
        if self._is_lost:
            self._is_lost = False
            ends = [number for number, words, is_form, _ in answers if not is_form and words.startswith("end")]
            return str(ends[0] if ends else answers[0][0])
        ready = [(number, words) for number, words, is_form, _ in answers if not is_form]
        number, words = next(
            ((number, words) for wanted in WANTED for number, words in ready if words.startswith(wanted)), ("", "")
        )
        if not number:
            ends = [words for _, words, is_form, _ in answers if is_form and words.casefold().startswith("end")]
            if not ends:
                return str(ready[0][0])
            if self._hand:
                return f"end, discard {', '.join(self._hand[:DISCARDED])}"
            return str(next((number for number, words in ready if words.startswith("end")), ready[0][0]))
        ways = [number, words, f"{number}. {words}", f"#{number}", words.upper()]
        said = ways[self.sent % len(ways)]
        if "several orders" in text_of(asking).lower() and self.sent % 3 == 1 and not words.startswith("end"):
            said = f"{words}\nif not moving: end\nif moving: end"
        if self.sent == 2:
            said = f"when robbed: ask me\n{said}"
        if self.sent == 4:
            said = f"say Greetings from {self.name}\n{said}"
        return said

    def reply(self, words: str, asking: EmailMessage, *, sender: str = "") -> None:
        """Write a reply as this driver's program does, and send it; now and then twice, as some servers do."""
        reply = self._write(words, asking)
        reply["From"] = sender or f"{self.name} <{self.address}>"
        reply["To"] = str(asking["Reply-To"])
        reply["Subject"] = f"Re: {asking['Subject']}"
        reply["Date"] = formatdate()
        reply["Message-ID"] = make_msgid(domain="player.example")
        reply["In-Reply-To"] = str(asking["Message-ID"])
        reply["References"] = f"{asking['References']}"
        for _ in range(2 if self.sent % 5 == 0 else 1):
            hand_over(self._port, reply.as_bytes(policy=policy.SMTP), str(asking["Reply-To"]), self.address)
        if not sender:
            self._waits = (str(reply["Message-ID"]), decision_of(asking))
            self.sent += 1


def decision_of(asking: EmailMessage) -> int:
    """Which question a mail asks: it stands, signed, in its links."""
    found = re.search(r"/act/\.?([\w-]+)", text_of(asking))
    assert found is not None
    packed = found[1] + "=" * (-len(found[1]) % 4)
    data = base64.urlsafe_b64decode(packed)
    if found[0].startswith("/act/."):
        data = zlib.decompress(data)
    return int(json.loads(data)[2])


def hand_over(port: int, raw: bytes, to: str, sender: str) -> None:
    """Give a mail to the listener, as a mail server in front of it does."""
    with smtplib.LMTP("127.0.0.1", port) as client:
        assert client.sendmail(sender, [to], raw) == {}


@pytest.mark.django_db(transaction=True)
def test_six_people_play_a_race_to_its_end_by_replies(
    mail_server: MailServer, start_process: Any, tmp_path: Any
) -> None:
    port = free_port()
    worker = ("celery", "-A", "roadkill_site.worker", "worker", "--pool", "solo", "--loglevel", "INFO", "--hostname")
    first_worker = start_process(*worker, "one@localhost", **REPLIES)
    start_process("manage", "inbound_smtpd", "--port", str(port), **REPLIES)
    wait_until(lambda: listens(port))
    people = [User.objects.create_user(f"{name.lower()}@example.org", display_name=name) for name in PROGRAMS]
    race = race_create(
        by=people[0], name="Dust Devil 300", seats=6, options={"sections": SECTIONS}, policy="open", tempo="daily",
        is_public=True,
    )  # fmt: skip
    for user in people[1:]:
        race_join(race_id=race.pk, by=user)
    drivers = [Driver(name, write, mail_server, port) for name, write in PROGRAMS.items()]

    # The first reply is kept, and the worker killed before it acts on it: nothing is lost.
    wait_until(lambda: any(mail["Reply-To"] and "/act/" in text_of(mail) for mail in mail_server.mails))
    wait_until(lambda: not Notice.objects.filter(state__in=["pending", "sending"]).exists())
    first_worker.send_signal(signal.SIGKILL)
    first_worker.wait()
    assert sum(driver.look() for driver in drivers) >= 1
    assert InboundMail.objects.get().state == "stored", "two copies, one mail, and nobody to act on it"
    start_process(*worker, "two@localhost", **REPLIES)
    start_process(
        "celery", "-A", "tests.services.quick_beat", "beat", "--schedule", str(tmp_path / "beat"), "--pidfile", "",
        **REPLIES,
    )  # fmt: skip

    began = time.monotonic()
    mischief = itertools.cycle((_forge, _go_back, _throw))
    for round_ in itertools.count():
        if Race.objects.get(pk=race.pk).status != "running":
            break
        assert time.monotonic() - began < SECONDS, _how_it_stands(race, drivers)
        if not sum(driver.look() for driver in drivers):
            time.sleep(0.05)
        if round_ % 40 == 20:
            next(mischief)(drivers[round_ % len(drivers)], port)
    race.refresh_from_db()
    assert (race.status, race.fault) == ("finished", ""), _how_it_stands(race, drivers)
    for driver in drivers:
        wait_until(lambda driver=driver: _is_told_the_end(driver, mail_server))  # type: ignore[misc]
    wait_until(lambda: not InboundMail.objects.filter(state="stored").exists())
    wait_until(lambda: not InboundMail.objects.filter(answer_state__in=["pending", "sending"]).exists())
    _nothing_was_lost_or_doubled(race, drivers, mail_server)


def _forge(driver: Driver, port: int) -> None:
    """Somebody who has seen a mail of the driver's answers it."""
    if driver.first_asked is not None:
        driver.reply("1", driver.first_asked, sender="Mallory <mallory@evil.example>")


def _go_back(driver: Driver, port: int) -> None:
    """The driver answers the first mail of all once more."""
    if driver.first_asked is not None:
        reply = bare("1", driver.first_asked)
        for name, value in (
            ("From", driver.address),
            ("To", driver.first_asked["Reply-To"]),
            ("Message-ID", make_msgid()),
        ):
            reply[name] = str(value)
        hand_over(port, reply.as_bytes(policy=policy.SMTP), str(driver.first_asked["Reply-To"]), driver.address)


def _throw(driver: Driver, port: int) -> None:
    """Rubbish, and what tries to look like an order of the driver's."""
    to = f"reply+{'a' * 24}@{settings.REPLY_DOMAIN}"
    hand_over(port, bytes(range(1, 9)) + b"\r\n\r\n" + b"\xff" * 900 + b"\r\n", to, "rubbish@evil.example")
    key = "" if driver.first_asked is None else str(driver.first_asked["Reply-To"])
    mail = (
        f"From: {driver.address}, m@evil.example\r\nTo: {key}\r\n"
        "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n1\r\n"
    )
    hand_over(port, mail.encode() + f"X: {time.monotonic()}\r\n".encode(), to, driver.address)


def _is_told_the_end(driver: Driver, mails: MailServer) -> bool:
    return any(str(mail["Subject"]) == "Dust Devil 300: the race is over" for mail in mails.to(driver.address))


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except ConnectionRefusedError:
        return False
    return True


def _nothing_was_lost_or_doubled(race: Race, drivers: list[Driver], mails: MailServer) -> None:
    acts = [act for entry in Entry.objects.filter(race=race) for act in entry.acts]
    origins = Counter(act["origin"] for act in acts)
    assert set(origins) <= {"mail", "plan", "rule", "standing"}, origins
    done = InboundMail.objects.filter(state="done")
    assert origins["mail"] + origins["plan"] >= done.count() > 0
    assert origins["mail"] == done.exclude(report__lines__contains=[{"text": "if moving: end"}]).count(), origins
    assert origins["plan"] > 0, "no plan was played"
    assert StandingOrder.objects.filter(seat__race=race).count() >= 2
    assert RaceMessage.objects.filter(race=race).count() >= 1
    assert all(driver.outcomes["done"] for driver in drivers), [driver.outcomes for driver in drivers]
    # Nobody but the players was ever written to, and each mail was answered once at most.
    assert not mails.to("evil.example")
    answers = Counter(str(mail["In-Reply-To"]) for mail in mails.mails if mail["Auto-Submitted"] == "auto-replied")
    # A mail that has no name of its own is answered within the race's thread.
    answers = Counter({name: count for name, count in answers.items() if not name.startswith("<race-")})
    assert set(answers.values()) == {1}
    assert not InboundMail.objects.filter(state__in=["stored", "failed"]).exists()
    assert InboundMail.objects.filter(state="held", sender="mallory@evil.example").exists()
    assert InboundMail.objects.filter(state="refused", reason="stale").exists()
    message_ids = Counter(str(mail["Message-ID"]) for mail in mails.mails)
    assert set(message_ids.values()) == {1}
    assert not Notice.objects.exclude(state__in=["sent", "dropped"]).exists()
    assert not ClosedAddress.objects.exists()
    assert record_bytes(race=race)


def _how_it_stands(race: Race, drivers: list[Driver]) -> str:
    race.refresh_from_db()
    asked = list(Decision.objects.filter(race=race).values_list("seat__player__email", "key", "position", "sealed_at"))
    mails = Counter(InboundMail.objects.values_list("state", "reason", "answer_state"))
    refused = [row.report for row in InboundMail.objects.filter(state="refused")[:4]]
    log = [line["text"] for line in log_of(race=race, viewer=None, last=12)]
    return (
        f"The race is at entry {race.seq}; fault: {race.fault!r}; outcomes: {[one.outcomes for one in drivers]}; "
        f"asked: {asked}; mails: {mails}; refused: {refused}; the log ends: {log}"
    )
