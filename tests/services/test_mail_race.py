"""Six people on six mail addresses play a race to its end by nothing but the links in their mails."""

import re
import time
from collections import Counter
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any, Final

import pytest
from django.conf import settings

from games.models import Decision, Entry, Race, Seat
from games.selectors.log import log_of
from games.selectors.records import record_bytes
from games.services.races import race_create, race_invite
from notifications.models import Notice
from roadkill_site.accounts.models import User
from tests.services.browser import Browser
from tests.services.conftest import MailServer, wait_until

NAMES: Final = ("Wren", "Olu", "Marta", "Dov", "Priya", "Yuki")
# Short, so that the test is: the race ends when a car enters Section 3 of the 8 that a race may have.
SECTIONS: Final = 3
SECONDS: Final = 300.0
# Where replies are off a mail says "1. start with Move 2", where they are on "1 = start with Move 2".
ANSWER: Final = re.compile(
    r"^ *(\d+)(?:\.| =) (.+?)(?: \([\w.-]+\))?(: (?:write it out, or )?fill in on the page)?\n +(http\S+/act/\S+)$",
    re.MULTILINE,
)
# What a driver who wants to win presses, best first; whoever finds nothing here presses the first answer.
WANTED: Final = ("exit", "lay", "enter", "return", "go on", "start", "pass", "take all", "no card", "decline")
DISCARDED: Final = 3


class Driver:
    """Somebody with a mail reader and a browser, signed in nowhere, who opens no page but those that mails link to."""

    def __init__(self, address: str, mails: MailServer) -> None:
        self.address = address
        self._mails = mails
        self._read = 0
        self.pressed = 0
        self.late = 0
        self.discarded = 0

    def read_mail(self) -> bool:
        """Answer the questions of the mails that have come since; False if there were none."""
        fresh = self._mails.to(self.address)[self._read :]
        self._read += len(fresh)
        asked = [mail for mail in fresh if "/act/" in text_of(mail)]
        if asked:
            self._answer(text_of(asked[-1]))
        return bool(asked)

    def _answer(self, text: str) -> None:
        browser = Browser()
        page = browser.open(self._link(text))
        assert not browser.session.cookies.get("sessionid"), "a link signs nobody in"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        forms = [form for form in browser.forms if "position" in form.values]
        if not forms:
            # The question was answered or closed meanwhile; a newer mail asks anew.
            self.late += 1
            return
        discards = {name: values[:DISCARDED] for name, values in forms[0].boxes.items() if "discard" in name}
        answer = browser.send(forms[0], **discards)
        if answer.status_code == 409:
            self.late += 1
            return
        assert answer.status_code == 200, answer.text
        assert not browser.session.cookies.get("sessionid")
        self.pressed += 1
        self.discarded += sum(len(values) for values in discards.values())

    def _link(self, text: str) -> str:
        """What this driver presses: what takes the car forward, else the form that ends the turn, else anything."""
        answers = ANSWER.findall(text)
        assert answers, text
        ready = [(words, link) for _, words, is_form, link in answers if not is_form]
        for wanted in WANTED:
            for words, link in ready:
                if words.startswith(wanted):
                    return str(link)
        # Without it a hand of cards that cannot be used would be held for ever.
        ends = [link for _, words, is_form, link in answers if is_form and words.casefold().startswith("end")]
        return str(ends[0] if ends else ready[0][1])


def text_of(mail: EmailMessage) -> str:
    """The text part, which alone is enough to play."""
    body = mail.get_body(preferencelist=("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def join_by_invitation(user: User, mails: MailServer) -> None:
    """Open the invitation that was mailed, sign in by a mailed code, take the seat."""
    wait_until(lambda: mails.to(user.email))
    found = re.search(r"http\S+invitation=\S+", text_of(mails.to(user.email)[0]))
    assert found is not None
    browser = Browser()
    browser.open(found[0])
    browser.open(f"{settings.SITE_URL}/account/sign-in/")
    browser.send(browser.form(field="email"), email=user.email)
    wait_until(lambda: len(mails.to(user.email)) > 1)
    code = re.search(r"\b[0-9A-Z]{3,}-?[0-9A-Z]{3,}\b", text_of(mails.to(user.email)[1]))
    assert code is not None
    browser.send(browser.form(field="code"), code=code[0])
    browser.open(found[0])
    joined = browser.send(browser.form(field="invitation"))
    assert joined.status_code == 200, joined.text


@pytest.mark.django_db(transaction=True)
def test_six_people_play_a_race_to_its_end_by_links_in_mails(
    web: str,
    mail_server: MailServer,
    start_worker: Callable[[str], Any],
    start_beat: Callable[[], Any],
) -> None:
    start_worker("one@localhost")
    start_beat()
    people = [User.objects.create_user(f"{name.lower()}@example.org", display_name=name) for name in NAMES]
    host, *others = people
    race = race_create(
        by=host, name="Dust Devil 300", seats=len(people), options={"sections": SECTIONS}, policy="open", tempo="daily"
    )
    for user in others:
        race_invite(race_id=race.pk, by=host, email=user.email)
    for user in others:
        join_by_invitation(user, mail_server)
    race.refresh_from_db()
    assert race.status == "running", "it starts when the last seat is taken"

    drivers = [Driver(user.email, mail_server) for user in people]
    began = time.monotonic()
    while Race.objects.get(pk=race.pk).status == "running":
        assert time.monotonic() - began < SECONDS, _how_it_stands(race, drivers)
        if not sum(driver.read_mail() for driver in drivers):
            time.sleep(0.05)
    race.refresh_from_db()
    assert race.status == "finished"
    assert race.fault == ""

    for user in people:
        wait_until(lambda user=user: _subjects(mail_server, user)["Dust Devil 300: the race is over"] == 1)  # type: ignore[misc]
    _nothing_was_lost_or_doubled(race, drivers, mail_server)


def _subjects(mails: MailServer, user: User) -> Counter[str]:
    return Counter(str(mail["Subject"]) for mail in mails.to(user.email))


def _nothing_was_lost_or_doubled(race: Race, drivers: list[Driver], mails: MailServer) -> None:
    acts = [act for entry in Entry.objects.filter(race=race) for act in entry.acts]
    origins = Counter(act["origin"] for act in acts)
    # What is no choice the server does by itself; every choice came through a link.
    assert set(origins) <= {"link", "rule"}, origins
    assert origins["link"] == sum(driver.pressed for driver in drivers)
    assert all(driver.pressed > 0 for driver in drivers)
    assert any(driver.discarded for driver in drivers), "nobody has filled in a form"
    message_ids = Counter(str(mail["Message-ID"]) for mail in mails.mails)
    assert set(message_ids.values()) == {1}
    sent = set(Notice.objects.filter(state="sent").values_list("message_id", flat=True))
    assert sent <= set(message_ids)
    assert not Notice.objects.exclude(state__in=["sent", "dropped"]).exists()
    threads = {str(mail["In-Reply-To"]) for mail in mails.mails if mail["List-Id"]}
    assert len(threads) == 1
    assert Seat.objects.filter(race=race, state="joined").count() == len(drivers)
    assert record_bytes(race=race)


def _how_it_stands(race: Race, drivers: list[Driver]) -> str:
    race.refresh_from_db()
    pressed = {driver.address: (driver.pressed, driver.late) for driver in drivers}
    asked = list(Decision.objects.filter(race=race).values_list("seat__player__email", "key", "position", "sealed_at"))
    notices = Counter(Notice.objects.values_list("state", "reason"))
    log = [line["text"] for line in log_of(race=race, viewer=None, last=12)]
    return (
        f"The race is at entry {race.seq} after {SECONDS:.0f} s; fault: {race.fault!r}; pressed, late: {pressed}; "
        f"asked: {asked}; notices: {notices}; the log ends: {log}"
    )
