"""Races played to their end at once by page forms, by programs, by links in mails and by replies to mails."""

import itertools
import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings

from games.models import Decision, Entry, Race, Seat
from games.selectors.log import log_of
from games.selectors.records import record_bytes
from games.services.races import race_create, race_join
from notifications.models import Notice
from notifications.reply_models import InboundMail
from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import api_token_create
from tests.services import test_mail_race, test_mail_reply_race
from tests.services.browser import Browser, Link
from tests.services.conftest import MailServer, Player, StartProcess, StartWorker, wait_until
from tests.services.players import replays, wait_until_mailed
from tests.services.servers import free_port
from tests.services.test_mail_race import DISCARDED, WANTED, text_of
from tests.services.test_mail_reply_race import PROGRAMS, REPLIES, listens

RACE: Final = "Dust Devil 300"
NAMES: Final = (*PROGRAMS, "Fen", "Gus")
SECONDS: Final = 240.0
# Between two looks of somebody who waits; well within what the API lets a player read in a minute.
LOOK: Final = 0.4
# A Fuel Leak can be drawn on the Beginner's Track too, though it has no effect there (BT7.1).
GAUGE: Final = re.compile(r"\bFuel\b(?! Leak)")
PLACE: Final = re.compile(r"^\d+\. (.+?)(?: \(you\))?$", re.MULTILINE)
CODE: Final = re.compile(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}\b")


class Driver(ABC):
    """Somebody who answers whatever is asked of a seat, in one way only."""

    # What the record says of an answer given in this way; what is no choice the server answers by itself.
    origins: frozenset[str]

    def __init__(self, user: User, race: Race) -> None:
        self.user, self.race = user, race
        self._next_look = 0.0

    def look(self) -> bool:
        """Answer what is asked; False if nothing was done, or it is too early to look again."""
        if time.monotonic() < self._next_look:
            return False
        done = self.play()
        self._next_look = time.monotonic() + (0 if done else LOOK)
        return done

    @abstractmethod
    def play(self) -> bool:
        """Answer what is asked; whether anything was done."""

    @property
    @abstractmethod
    def given(self) -> int:
        """How many answers were taken."""


class AtThePage(Driver):
    """Signed in by a mailed code; opens the race, follows an answer's link, fills in what there is and confirms."""

    origins = frozenset({"player"})

    def __init__(self, user: User, race: Race, mails: MailServer) -> None:
        super().__init__(user, race)
        self._address = f"{settings.SITE_URL}/races/{race.public_id}/"
        self._browser = Browser()
        self._given = 0
        self._browser.open(f"{settings.SITE_URL}/account/sign-in/")
        self._browser.send(self._browser.form(field="email"), email=user.email)
        wait_until(lambda: self._code(mails))
        self._browser.send(self._browser.form(field="code"), code=self._code(mails))

    def _code(self, mails: MailServer) -> str:
        found = [CODE.search(text_of(mail)) for mail in mails.to(self.user.email)]
        return next((one[0] for one in reversed(found) if one), "")

    def play(self) -> bool:
        page = self._browser.open(self._address)
        assert self.race.options.get("track") != "beginner" or not GAUGE.search(page.text)
        answers = self._browser.links(css="ans")
        # One that is sealed could be changed until the window closes; this driver does not.
        if not answers or any("picked" in link.classes for link in answers):
            return False
        self._browser.open(self._wanted(answers).address)
        form = next((form for form in self._browser.forms if "position" in form.values), None)
        if form is None:
            return False
        discards = {name: values[:DISCARDED] for name, values in form.boxes.items() if "discard" in name}
        answer = self._browser.send(form, **discards)
        assert answer.status_code in {200, 409}, answer.text
        self._given += answer.status_code == 200
        return True

    def _wanted(self, answers: list[Link]) -> Link:
        said = {re.sub(r"^\d+ ", "", link.words).casefold(): link for link in answers}
        wanted = [link for want in WANTED for words, link in said.items() if words.startswith(want) and _is_ready(link)]
        ends = [link for words, link in said.items() if words.startswith("end") and not _is_ready(link)]
        return [*wanted, *ends, *answers][0]

    @property
    def given(self) -> int:
        return self._given


def _is_ready(link: Link) -> bool:
    return "/answer/" in link.address


class ByProgram(Driver):
    """A bot's author's program: asks what is open, posts an answer; now by its number, now by its words or JSON."""

    origins = frozenset({"api"})

    def __init__(self, user: User, race: Race) -> None:
        super().__init__(user, race)
        self._player = Player(user, settings.SITE_URL, api_token_create(user=user, label="test")[1])
        self._given = 0

    def play(self) -> bool:
        if not any(not one["is_sealed"] for one in self._player.get("/me/decisions")["results"]):
            return False
        question = self._player.get(f"/races/{self.race.public_id}")["question"]
        if question is None or question["sealed"] is not None:
            return False
        head = {"decision": question["decision"], "position": question["position"], "key": f"program-{self._given}"}
        answer = self._player.act(self.race.public_id, {**head, **self._choice(question)})
        assert answer.status_code in {200, 409}, answer.text
        self._given += answer.status_code == 200
        return True

    def _choice(self, question: dict[str, Any]) -> dict[str, Any]:
        answers = question["answers"]
        wanted = [one for want in WANTED for one in answers if one["words"].casefold().startswith(want)]
        ends = [form for form in question["forms"] if form["label"].casefold().startswith("end")]
        if not wanted and ends:
            fields = {field["name"]: field for field in ends[0]["fields"]}
            discards = [value["value"] for value in fields["discard"]["values"]] if "discard" in fields else []
            return {"action": {**ends[0]["action"], **({"discard": discards[:DISCARDED]} if discards else {})}}
        chosen = [*wanted, *answers][0]
        part = ("number", "words", "action")[self._given % 3]
        return {part: chosen[part]}

    @property
    def given(self) -> int:
        return self._given


class ByLink(Driver):
    """Presses the links of mails, signed in nowhere."""

    origins = frozenset({"link"})

    def __init__(self, user: User, race: Race, mails: MailServer) -> None:
        super().__init__(user, race)
        self._reader = test_mail_race.Driver(user.email, mails)

    def play(self) -> bool:
        return self._reader.read_mail()

    @property
    def given(self) -> int:
        return self._reader.pressed


class ByReply(Driver):
    """Answers mails by mails: a number, an order in words, orders one a line, a standing order."""

    origins = frozenset({"mail", "plan", "standing"})

    def __init__(self, user: User, race: Race, mails: MailServer, port: int) -> None:
        super().__init__(user, race)
        name = user.display_name
        self._writer = test_mail_reply_race.Driver(name, PROGRAMS[name], mails, port)

    def play(self) -> bool:
        return self._writer.look()

    @property
    def given(self) -> int:
        return self._writer.outcomes["done"]


@pytest.fixture
def elsewhere() -> dict[str, str]:
    """Every process of the site takes replies."""
    return REPLIES


@pytest.fixture
def reply_port(web: str, start_process: StartProcess, start_worker: StartWorker, tmp_path: Path) -> int:
    """The whole site at work: where it takes replies."""
    port = free_port()
    start_worker("one@localhost")
    start_process("manage", "inbound_smtpd", "--port", str(port))
    start_process(
        "celery", "-A", "tests.services.quick_beat", "beat", "--schedule", str(tmp_path / "beat"), "--pidfile", ""
    )
    wait_until(lambda: listens(port))
    return port


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("options", "seats"),
    [
        pytest.param({"track": "beginner"}, 4, id="the Beginner's Track"),
        # Short, so that the test is: chapter 12 is the same on a longer road.
        pytest.param({"teams": True, "sections": 3}, 8, id="four teams of two"),
    ],
)
def test_a_race_is_played_to_its_end_by_page_program_link_and_reply(
    options: dict[str, Any], seats: int, reply_port: int, mail_server: MailServer
) -> None:
    people = [User.objects.create_user(f"{name.lower()}@example.org", display_name=name) for name in NAMES[:seats]]
    race = race_create(
        by=people[0], name=RACE, seats=seats, options=options, policy="open", tempo="daily", is_public=True
    )
    # Each way has as many drivers as the others; which of them share a car of a team is drawn.
    ways: list[Callable[[User], Driver]] = [
        lambda user: ByReply(user, race, mail_server, reply_port),
        lambda user: AtThePage(user, race, mail_server),
        lambda user: ByProgram(user, race),
        lambda user: ByLink(user, race, mail_server),
    ]
    drivers = [way(user) for user, way in zip(people, itertools.cycle(ways), strict=False)]
    for user in people[1:]:
        race_join(race_id=race.pk, by=user)

    began = time.monotonic()
    while Race.objects.get(pk=race.pk).status == "running":
        assert time.monotonic() - began < SECONDS, _how_it_stands(race, drivers)
        if not sum(driver.look() for driver in drivers):
            time.sleep(0.05)
    race.refresh_from_db()
    assert (race.status, race.fault) == ("finished", ""), _how_it_stands(race, drivers)
    wait_until_mailed(nudge=False)
    _everybody_has_driven(race, drivers)
    _everybody_is_told_the_same_end(race, drivers, mail_server)
    _nothing_was_lost_or_doubled(race, mail_server)
    if options.get("track") == "beginner":
        _it_was_the_printed_map(race, mail_server)


def _everybody_has_driven(race: Race, drivers: list[Driver]) -> None:
    """Each seat's acts came in its driver's way and no other, and each answer that was taken stands in the record."""
    acts = [act for entry in Entry.objects.filter(race=race) for act in entry.acts]
    numbers = dict(Seat.objects.filter(race=race).values_list("player__email", "number"))
    for driver in drivers:
        own = Counter(act["origin"] for act in acts if act["seat"] == numbers[driver.user.email])
        assert set(own) <= driver.origins | {"rule"}, (driver.user, own)
        chosen = sum(own[origin] for origin in driver.origins)
        assert 0 < driver.given <= chosen if isinstance(driver, ByReply) else 0 < driver.given == chosen, own


def _everybody_is_told_the_same_end(race: Race, drivers: list[Driver], mails: MailServer) -> None:
    """By mail, at the page and through the API: once, with the same places and the same reason."""
    shown = next(driver for driver in drivers if isinstance(driver, ByProgram))._player.get(f"/races/{race.public_id}")
    reason = shown["result"]["reason"]
    places = [[one["name"] for one in group] for group in shown["result"]["places"]]
    assert sorted(name for group in places for name in group) == sorted(driver.user.display_name for driver in drivers)
    page = Browser().open(f"{settings.SITE_URL}/races/{race.public_id}/").text
    assert reason in page
    for driver in drivers:
        told = [mail for mail in mails.to(driver.user.email) if str(mail["Subject"]) == f"{RACE}: the race is over"]
        assert len(told) == 1, driver.user
        text = text_of(told[0])
        assert reason in text
        assert [group.split(" and ") for group in PLACE.findall(text)] == places


def _nothing_was_lost_or_doubled(race: Race, mails: MailServer) -> None:
    assert set(Counter(str(mail["Message-ID"]) for mail in mails.mails).values()) == {1}
    assert not Notice.objects.exclude(state__in=["sent", "dropped"]).exists()
    assert not InboundMail.objects.exclude(state__in=["done", "refused"]).exists()
    replays(race)
    assert record_bytes(race=race)


def _it_was_the_printed_map(race: Race, mails: MailServer) -> None:
    """All eight Sections, no Fuel Gauge in any mail, no open road's rule in the log (BT1, BT3)."""
    log = log_of(race=race, viewer=None, last=100_000)
    entered = {line["text"] for line in log if "enters Section" in line["text"]}
    assert all(any(f"Section {number}" in text for text in entered) for number in range(1, 9)), entered
    assert any("crosses the Finish Line" in line["text"] for line in log)
    assert not [text_of(mail) for mail in mails.mails if GAUGE.search(text_of(mail))]


def _how_it_stands(race: Race, drivers: list[Driver]) -> str:
    race.refresh_from_db()
    given = {driver.user.display_name: driver.given for driver in drivers}
    asked = list(Decision.objects.filter(race=race).values_list("seat__player__email", "key", "position", "sealed_at"))
    mails = Counter(InboundMail.objects.values_list("state", "reason", "answer_state"))
    notices = Counter(Notice.objects.values_list("state", "reason"))
    log = [line["text"] for line in log_of(race=race, viewer=None, last=12)]
    return (
        f"The race is at entry {race.seq} after {SECONDS:.0f} s; fault: {race.fault!r}; given: {given}; "
        f"asked: {asked}; mails: {mails}; notices: {notices}; the log ends: {log}"
    )
