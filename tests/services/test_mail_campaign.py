"""The first round of a campaign bought by mail alone: some reply, some press links, and the race begins with it all."""

import itertools
import re
import time
from email import policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, Final

import pytest
from django.conf import settings

from games.models import Campaign, CampaignRace, Posting, Purchase, Race
from games.runtime.campaigns import ledger_faults
from games.services.campaigns import campaign_create, campaign_join, campaign_start
from notifications.reply_models import InboundMail
from roadkill_site.accounts.models import User
from tests.services.browser import Browser
from tests.services.conftest import MailServer, wait_until
from tests.services.servers import free_port
from tests.services.test_mail_race import ANSWER, text_of
from tests.services.test_mail_reply_race import PROGRAMS, REPLIES, hand_over, listens

SECONDS: Final = 120.0
# By car, in the order in which they are asked: the highest number buys first (11.3).
ANSWERS: Final[dict[int, tuple[str, str]]] = {
    4: ("number", "Buy B,"),
    3: ("link", "Buy I,"),
    2: ("words", "Buy C,"),
    1: ("link", "Buy nothing"),
}


class Driver:
    """Somebody with a mail program, and a browser that opens nothing but the links of mails."""

    def __init__(self, user: User, mails: MailServer, port: int) -> None:
        self.user, self._mails, self._port = user, mails, port

    @property
    def asking(self) -> EmailMessage | None:
        """The mail that asks for a purchase, once it has come."""
        found = [mail for mail in self._mails.to(self.user.email) if "you may buy an upgrade" in str(mail["Subject"])]
        return found[-1] if found else None

    def answer(self, way: str, words: str) -> None:
        """Answer the mail by a number or words in a reply, or by the button behind its link."""
        asking = self.asking
        assert asking is not None
        number, said, link = next(
            (number, said, link) for number, said, _, link in ANSWER.findall(text_of(asking)) if said.startswith(words)
        )
        if way == "link":
            self._press(link)
        else:
            self.reply(number if way == "number" else said, asking)

    def _press(self, link: str) -> None:
        browser = Browser()
        browser.open(link)
        answer = browser.send(browser.form(field="position"))
        assert answer.status_code == 200, answer.text
        assert "Your answer is given." in answer.text
        assert not browser.session.cookies.get("sessionid"), "a link signs nobody in"

    def reply(self, words: str, asking: EmailMessage, *, sender: str = "") -> None:
        """Write a reply as this driver's program does, and send it twice, as some servers do."""
        reply = PROGRAMS[self.user.display_name](words, asking)
        reply["From"] = sender or f"{self.user.display_name} <{self.user.email}>"
        reply["To"] = str(asking["Reply-To"])
        reply["Subject"] = f"Re: {asking['Subject']}"
        reply["Date"] = formatdate()
        reply["Message-ID"] = make_msgid(domain="player.example")
        reply["In-Reply-To"] = str(asking["Message-ID"])
        for _ in range(2):
            hand_over(self._port, reply.as_bytes(policy=policy.SMTP), str(asking["Reply-To"]), self.user.email)


@pytest.mark.django_db(transaction=True)
def test_all_buy_by_mail_and_the_race_begins_with_what_was_bought(
    web: str, mail_server: MailServer, start_process: Any, tmp_path: Any
) -> None:
    port = free_port()
    app = ("celery", "-A")
    start_process(*app, "roadkill_site.worker", "worker", "--pool", "solo", "--loglevel", "INFO", **REPLIES)
    start_process(
        *app, "tests.services.quick_beat", "beat", "--schedule", str(tmp_path / "b"), "--pidfile", "", **REPLIES
    )
    start_process("manage", "inbound_smtpd", "--port", str(port), **REPLIES)
    wait_until(lambda: listens(port))
    people = [User.objects.create_user(f"{name.lower()}@example.org", display_name=name) for name in list(PROGRAMS)[:4]]
    campaign = campaign_create(
        by=people[0], name="Salt Circuit", seats=4, tempo="daily", is_public=True, starts_when_full=False
    )
    for user in people[1:]:
        campaign_join(campaign_id=campaign.pk, by=user)
    campaign_start(campaign_id=campaign.pk, by=people[0])
    cars = {
        driver.car: Driver(User.objects.get(pk=driver.player_id or 0), mail_server, port)
        for driver in campaign.drivers.all()
    }

    for car, (way, words) in ANSWERS.items():
        wait_until(lambda car=car: cars[car].asking is not None)  # type: ignore[misc]
        _meddle(cars, car)
        cars[car].answer(way, words)
        wait_until(lambda car=car: _is_over(car))  # type: ignore[misc]

    race = CampaignRace.objects.get(campaign=campaign).race
    wait_until(lambda: Race.objects.get(pk=race.pk).status == "running")
    race.refresh_from_db()
    assert race.options["upgrades"] == {"2": ["C"], "3": ["I"], "4": ["B"]}
    origins = {row.driver.car: row.acts[-1]["origin"] for row in Purchase.objects.select_related("driver")}
    assert origins == {4: "mail", 3: "link", 2: "mail", 1: "link"}
    bought = Posting.objects.filter(kind="bought").order_by("number").values_list("driver__car", "upgrade")
    assert list(bought) == [(4, "B"), (3, "I"), (2, "C")]
    assert ledger_faults(Campaign.objects.get(pk=campaign.pk)) == []
    _nothing_was_lost_or_doubled(cars, mail_server)


def _meddle(cars: dict[int, Driver], car: int) -> None:
    """Somebody else answers the asked driver's mail, and a driver who has bought answers his own once more."""
    asking = cars[car].asking
    assert asking is not None
    cars[car].reply("1", asking, sender="Mallory <mallory@evil.example>")
    before = car + 1
    if before in cars:
        earlier = cars[before].asking
        assert earlier is not None
        cars[before].reply("buy D", earlier)
    wait_until(lambda: not InboundMail.objects.filter(state="stored").exists())


def _is_over(car: int) -> bool:
    return Purchase.objects.filter(driver__car=car, answered_at__isnull=False).exists()


def _nothing_was_lost_or_doubled(cars: dict[int, Driver], mails: MailServer) -> None:
    """Every mail was settled and answered once, and each driver was asked once and told when the race began."""
    wait_until(lambda: not InboundMail.objects.filter(answer_state__in=["pending", "sending"]).exists())
    states = sorted(InboundMail.objects.values_list("state", "reason"))
    assert [state for state in states if state[0] == "done"] == [("done", "")] * 2
    assert [state for state in states if state[0] == "refused"] == [("refused", "stale")] * 3
    assert len([state for state in states if state[0] == "held"]) == len(cars)
    began = time.monotonic()
    for car, driver in cars.items():
        subjects: list[str] = []
        for _ in itertools.count():
            subjects = [str(mail["Subject"]) for mail in mails.to(driver.user.email)]
            if any("started" in one or "your turn" in one for one in subjects):
                break
            assert time.monotonic() - began < SECONDS, subjects
            time.sleep(0.1)
        assert len([one for one in subjects if "you may buy" in one]) == 1, f"car {car}: {subjects}"
    ids = [str(mail["Message-ID"]) for mail in mails.mails]
    assert len(ids) == len(set(ids))
    links = re.findall(rf"{re.escape(settings.SITE_URL)}/act/\S+", text_of(cars[4].asking or EmailMessage()))
    assert "That purchase is over" in Browser().open(links[0]).text
