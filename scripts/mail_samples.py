"""One mail of each kind that the site sends, from races that are played for it: as text, as HTML, with its headers.

    .venv/bin/python scripts/mail_samples.py               into var/mails
    .venv/bin/python scripts/mail_samples.py --pictures    and each mail's HTML as a picture, on a phone and on a desk

It makes its own database and mailbox in a folder of its own; every mail goes through the outbox, or through the
sign-in pages, to the mailbox. Pictures need the program `chromium`. Exit status 1 if a kind is missing.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

import django
import time_machine

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.browser import Browser  # noqa: E402

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
WIDTHS = (390, 900)
MOST_OF_A_KIND = 2
SITE = "https://race.example.org"
ACCOUNT_KINDS = 5
"""Kinds of mail that the sign-in pages send; those of races are counted by the channel itself."""
DRIVERS = (
    ("wren@example.org", "Wren", "Europe/Lisbon"),
    ("olu@example.org", "Olu", "Asia/Tokyo"),
    ("marta@example.org", "Johannes-Maria von der Wetter", "America/New_York"),
    ("dov@example.org", "<b>Ada</b> & Co", "Asia/Kolkata"),
)


def main() -> int:
    """Play, deliver, write."""
    parser = argparse.ArgumentParser(description="One mail of each kind that the site sends.")
    parser.add_argument("--out", type=Path, default=ROOT / "var" / "mails")
    parser.add_argument("--pictures", action="store_true", help="photograph each mail's HTML")
    given = parser.parse_args()
    out: Path = given.out
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("[0-9][0-9]-*"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="roadkill-mails-", ignore_cleanup_errors=True) as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "roadkill_site.settings", "VAR_DIR": folder, "SITE_URL": SITE}
        for name in ("DATABASE_URL", "REDIS_URL", "EMAIL_HOST", "REPLY_DOMAIN"):
            os.environ.pop(name, None)
        django.setup()
        with time_machine.travel(START, tick=False) as clock:
            samples = Samples(clock)
            samples.make()
    names = write(samples.kept, out)
    if given.pictures:
        photograph(names, out)
    missing = sorted(samples.missing())
    sys.stdout.write(f"{len(names)} mails in {out}.\n")
    for kind in missing:
        sys.stdout.write(f"No mail of kind {kind} came.\n")
    return 1 if missing else 0


def write(kept: list[tuple[str, Any]], out: Path) -> list[str]:
    """Each mail as NAME.txt (headers that matter, then the text) and NAME.html; returns the names."""
    names = []
    for number, (kind, mail) in enumerate(kept):
        name = f"{number:02}-{re.sub('[^a-z0-9]+', '-', kind.lower()).strip('-')}"
        headers = "\n".join(f"{header}: {value}" for header, value in mail.headers)
        (out / f"{name}.txt").write_text(f"{headers}\n\n{mail.part('plain')}", "utf-8")
        html = mail.part("html")
        if html is not None:
            (out / f"{name}.html").write_text(html, "utf-8")
        names.append(name)
    return names


def photograph(names: list[str], out: Path) -> None:
    """A picture of each mail's HTML in each width, light and dark."""
    with Browser() as browser:
        for name in names:
            if not (out / f"{name}.html").exists():
                continue
            for width in WIDTHS:
                for dark in (False, True):
                    browser.look(width=width, dark=dark, script=True)
                    browser.open((out / f"{name}.html").as_uri())
                    wide = browser.evaluate("document.documentElement.scrollWidth")
                    if wide > width:
                        sys.stdout.write(f"{name} at {width}: {wide} px wide\n")
                    browser.photograph(out / f"{name}-{width}-{'dark' if dark else 'light'}.png")


class Samples:
    """Races and accounts that bring about every mail; ``kept``: kind and mail, at most MOST_OF_A_KIND of each."""

    def __init__(self, clock: Any) -> None:
        self.clock = clock
        self.kept: list[tuple[str, Any]] = []
        self.people: list[Any] = []
        self.seen: set[str] = set()

    def make(self) -> None:
        """Everything, in the order in which a newcomer would meet it."""
        from django.contrib.auth import get_user_model  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", interactive=False, verbosity=0)
        users = get_user_model().objects
        self.people = [users.create_user(email, display_name=name, time_zone=zone) for email, name, zone in DRIVERS]
        self.accounts()
        self.plays_to_the_end()
        self.meets_everything_else()

    def meets_everything_else(self) -> None:
        """What comes about in races without their being played to the end."""
        self.calls_off()
        self.loses_a_driver("Night Owls", is_host_next=False)
        self.loses_a_driver("Salt Lake Stages", is_host_next=True)
        self.changes_drivers()
        self.changes_hosts()
        self.goes_back()
        self.buys()
        self.wins()
        self.waits()
        self.is_answered()
        self.breaks()

    def missing(self) -> set[str]:
        """Kinds of which no mail came."""
        from notifications.channels.email.channel import EmailChannel  # noqa: PLC0415

        kinds = {kind if kind.startswith("account-") else kind.split()[0] for kind, _ in self.kept}
        accounts = {kind for kind in kinds if kind.startswith("account-")}
        missing = {*EmailChannel().kinds(), "answer"} - kinds
        if len(accounts) < ACCOUNT_KINDS:
            missing.add(f"account ({len(accounts)} of {ACCOUNT_KINDS})")
        return missing

    def gather(self, *, most: int = MOST_OF_A_KIND) -> None:
        """Tell what is in the outbox, and keep what came into the mailbox."""
        from django.conf import settings  # noqa: PLC0415
        from django.utils import timezone  # noqa: PLC0415

        from notifications.mailbox.store import mail_drop_all, mail_list  # noqa: PLC0415
        from notifications.services.delivery import notices_deliver, notices_due  # noqa: PLC0415
        from notifications.services.dispatch import outbox_dispatch  # noqa: PLC0415

        outbox_dispatch()
        notices_deliver(notices_due(now=timezone.now()))
        for mail in reversed(mail_list(settings.MAILBOX_DIR, most=1000)):
            kind = self.kind_of(mail)
            if sum(one == kind for one, _ in self.kept) < most:
                self.kept.append((kind, mail))
        mail_drop_all(settings.MAILBOX_DIR)

    def kind_of(self, mail: Any) -> str:
        """The notice's kind and what it asks; of an account's mail, its subject."""
        from games.models import Decision  # noqa: PLC0415
        from notifications.models import Notice  # noqa: PLC0415
        from notifications.reply_models import InboundMail  # noqa: PLC0415

        notice = Notice.objects.filter(message_id=mail.message["Message-ID"]).select_related("outbox_event").first()
        answered = InboundMail.objects.filter(answer_message_id=mail.message["Message-ID"]).first()
        if answered is not None:
            return f"answer {answered.report['outcome']}"
        if notice is None:
            return f"account-{mail.subject}"
        event = notice.outbox_event
        if event is None:
            return str(notice.occasion)
        if notice.occasion != "news":
            return f"reminder {event.kind}"
        row = Decision.objects.filter(pk=event.decision_id).first()
        if row is None or event.kind not in {"turn", "question"}:
            return str(event.kind)
        twins = Notice.objects.filter(seat=notice.seat, outbox_event__created_at=event.created_at, state="dropped")
        along = " and ".join(twins.order_by("pk").values_list("outbox_event__kind", flat=True))
        return f"{event.kind} {row.key} {row.kind}{along and f' with {along}'}"

    # --- accounts -----------------------------------------------------------------------

    def accounts(self) -> None:
        """Join, join again, sign in, ask for a stranger's code, change the address."""
        from django.test import Client  # noqa: PLC0415

        client = Client(headers={"host": "race.example.org"})

        def send(address: str, **fields: str) -> str:
            answer = client.post(address, fields, secure=True)
            if answer.status_code != HTTPStatus.FOUND:
                errors = re.findall(r"(?s)<[^>]*(?:error|alert)[^>]*>.*?</", answer.content.decode())
                raise SystemExit(f"{address} answered {answer.status_code}: {errors}")
            # As people are: the library sends so many mails a minute and no more.
            self.clock.shift(timedelta(minutes=6))
            self.gather()
            return str(answer["Location"])

        def code() -> str:
            text = self.kept[-1][1].part("plain")
            found = re.search(r"^    ([0-9A-Z-]+)$", text, re.MULTILINE)
            if found is None:
                raise SystemExit(f"No code stands in:\n{text}")
            return found[1]

        new = {"email": "yuki@example.org", "display_name": "Yuki", "time_zone": "Asia/Tokyo"}
        typing = send("/account/join/", **new)
        send(typing, code=code())
        send("/account/sign-out/")
        send("/account/join/", **{**new, "display_name": "Yuki II"})
        client.cookies.clear()
        send("/account/sign-in/", email="nobody@example.org")
        client.cookies.clear()
        typing = send("/account/sign-in/", email="yuki@example.org")
        send(typing, code=code())
        again = send("/account/mail-address/", email="yuki@example.net", action_add="")
        typing = send(again, recipient="yuki@example.org")
        typing = send(typing, code=code())
        send(typing, code=code())

    def person(self, email: str) -> Any:
        """Somebody who has made an account of this address."""
        from django.contrib.auth import get_user_model  # noqa: PLC0415

        return get_user_model().objects.create_user(email, display_name="Priya", time_zone="Asia/Kolkata")

    # --- races --------------------------------------------------------------------------

    def calls_off(self) -> None:
        """An invitation that is declined, and a race that is called off."""
        from games.services import races  # noqa: PLC0415

        race = races.race_create(by=self.people[0], name="Salt Flat Sprint", seats=4, is_public=True, tempo="live")
        races.race_join(race_id=race.pk, by=self.people[1])
        races.race_invite(race_id=race.pk, by=self.people[0], email="priya@example.org")
        self.gather()
        races.race_decline(race_id=race.pk, by=self.person("priya@example.org"))
        self.gather()
        races.race_cancel(race_id=race.pk, by=self.people[0])
        self.gather()

    def started(self, name: str, seats: int, **options: Any) -> Any:
        """A race that has just begun."""
        from games.services import races  # noqa: PLC0415

        race = races.race_create(by=self.people[0], name=name, seats=seats, is_public=True, **options)
        for person in self.people[1:seats]:
            races.race_join(race_id=race.pk, by=person)
        self.gather()
        race.refresh_from_db()
        return race

    def plays_to_the_end(self) -> None:
        """A race in which everybody answers, so that all that can be asked is."""
        from games.models import Decision  # noqa: PLC0415
        from games.services.sweep import SweepReport, race_attend  # noqa: PLC0415
        from scripts.screenshots import Demo  # noqa: PLC0415

        for name in ("Dust Devil 300", "Coyote Cup"):
            race = self.started(name, 4, options={"sections": 6})
            hands = Demo(self.clock)
            for _ in range(4000):
                race.refresh_from_db()
                if race.status != "running":
                    break
                row = Decision.objects.filter(race=race, sealed_at=None).select_related("seat").order_by("pk").first()
                if row is None:
                    self.clock.move_to(race.wake_at, tick=False)
                    race_attend(race_id=race.pk, now=race.wake_at, report=SweepReport())
                else:
                    self.clock.shift(timedelta(minutes=7))
                    hands.answer(race, row, hands.choice(race, row)[2])
                self.gather()

    def loses_a_driver(self, name: str, *, is_host_next: bool) -> None:
        """A race in which one of three does not answer, whose seat is offered, and then taken away."""
        from games.services import seats  # noqa: PLC0415

        race, gone = self.has_a_seat_to_offer(name, is_host_next=is_host_next)
        seats.seat_replace(race_id=race.pk, by=self.people[0], seat_id=gone.pk, email="gus@example.org")
        self.gather()
        seats.seat_remove(race_id=race.pk, by=self.people[0], seat_id=gone.pk)
        self.gather()

    def changes_drivers(self) -> None:
        """A race in which somebody asks the host for a seat whose driver is away, and gets it."""
        from games.models import SeatClaim  # noqa: PLC0415
        from games.services import substitutes  # noqa: PLC0415

        race, gone = self.has_a_seat_to_offer("Barstow Relay", is_host_next=False)
        substitutes.seat_claim(race_id=race.pk, by=self.people[3], seat_id=gone.pk)
        self.gather()
        claim = SeatClaim.objects.get(seat=gone)
        substitutes.seat_claim_accept(race_id=race.pk, by=self.people[0], claim_id=claim.pk)
        self.gather()

    def has_a_seat_to_offer(self, name: str, *, is_host_next: bool) -> tuple[Any, Any]:
        """A race in which one of three does not answer until the seat is offered, and that seat."""
        from games.models import Decision, Seat  # noqa: PLC0415
        from games.services.sweep import sweep  # noqa: PLC0415
        from games.services.turns import action_submit  # noqa: PLC0415

        race = self.started(name, 3)
        host = Seat.objects.get(race=race, player=self.people[0])
        gone = Seat.objects.get(race=race, number=(host.number + (1 if is_host_next else 0)) % 3 + 1)
        for _ in range(60):
            gone.refresh_from_db()
            if gone.offered_at is not None:
                break
            row = Decision.objects.filter(race=race, sealed_at=None).exclude(seat_id=gone.pk).first()
            if row is None:
                race.refresh_from_db()
                self.clock.move_to(max(race.wake_at, datetime.now(UTC) + timedelta(minutes=1)), tick=False)
                sweep()
            else:
                self.clock.shift(timedelta(minutes=7))
                race.refresh_from_db()
                action_submit(
                    race_id=race.pk,
                    seat_id=row.seat_id,
                    action={"do": "end"} if row.key == "act" else {"do": "pass"},
                    expected_seq=row.position,
                    idempotency_key=f"samples:{row.pk}:{race.seq}",
                    origin="player",
                )
            self.gather()
        return race, gone

    def waits(self) -> None:
        """A race that waits: two reminders, and a daily mail for who wants one."""
        from django.utils import timezone  # noqa: PLC0415

        from games.models import Decision  # noqa: PLC0415
        from notifications.services.daily import daily_make  # noqa: PLC0415
        from notifications.services.delivery import notices_deliver  # noqa: PLC0415
        from notifications.services.reminders import reminders_make  # noqa: PLC0415
        from notifications.services.wishes import wishes_set  # noqa: PLC0415

        race = self.started("Long Wait", 3)
        asked = Decision.objects.select_related("seat__player").get(race=race)
        for hours in (37, 29):
            self.clock.shift(timedelta(hours=hours))
            notices_deliver(reminders_make(now=timezone.now()))
            self.gather()
        wishes_set(player=asked.seat.player, now=timezone.now(), daily_hour=8)
        self.clock.shift(timedelta(days=1))
        notices_deliver(daily_make(now=timezone.now()))
        self.gather()
        wishes_set(player=asked.seat.player, now=timezone.now(), is_daily=False)

    def is_answered(self) -> None:
        """Replies by mail, and what they are answered: done, shown, refused, not clear, too late, a stranger's."""
        from django.conf import settings  # noqa: PLC0415
        from django.utils import timezone  # noqa: PLC0415

        from notifications.mailbox.reply import reply_write  # noqa: PLC0415
        from notifications.mailbox.store import mail_list  # noqa: PLC0415
        from notifications.reply_models import Way  # noqa: PLC0415
        from notifications.services.delivery import notices_deliver  # noqa: PLC0415
        from notifications.services.reminders import reminders_make  # noqa: PLC0415
        from notifications.services.replies.answering import answers_due, answers_send  # noqa: PLC0415
        from notifications.services.replies.keeping import mail_keep  # noqa: PLC0415
        from notifications.services.replies.taking import mails_due, mails_take  # noqa: PLC0415

        self.started("Post Road", 3)
        self.clock.shift(timedelta(hours=37))
        notices_deliver(reminders_make(now=timezone.now()))
        asking = next(one for one in mail_list(settings.MAILBOX_DIR, most=100) if one.subject.startswith("Post Road"))
        texts = (
            "hand\nlog\nrules 6.41\nhelp",
            "stop my car",
            "1, 2",
            "when attacked: Swerve, else pass\nsay See you at the finish\nend\nBest wishes",
            "1",
        )
        stranger = reply_write(asking, "2").replace(b"From: ", b"From: not-", 1)
        for raw in (*(reply_write(asking, text) for text in texts), stranger):
            mail_keep(raw=raw, came_by=Way.PAGE, envelope_sender=asking.recipient, envelope_recipients=[])
            mails_take(mails_due(now=timezone.now()))
            answers_send(answers_due())
        self.gather()

    def goes_back(self) -> None:
        """A race whose host asks the others to go back to its beginning, and they agree."""
        from games.models import Decision  # noqa: PLC0415
        from games.services import rewinds  # noqa: PLC0415
        from scripts.screenshots import Demo  # noqa: PLC0415

        race = self.started("Badwater Run", 3)
        hands = Demo(self.clock)
        hands.people = self.people
        row = Decision.objects.select_related("seat").get(race=race)
        hands.answer(race, row, hands.choice(race, row)[2])
        self.gather()
        ask = rewinds.rewind_ask(
            race_id=race.pk, by=self.people[0], to_seq=0, key="samples", reason="Wren's zone was wrong, sorry!"
        )
        self.gather()
        for person in self.people[1:3]:
            rewinds.rewind_agree(race_id=race.pk, by=person, ask_id=ask.pk)
        self.gather()

    def buys(self) -> None:
        """A campaign that is paused, and closed once a purchase has lapsed, and two drivers have gone."""
        from games.models import Purchase  # noqa: PLC0415
        from games.services import campaigns  # noqa: PLC0415
        from games.services.sweep import sweep  # noqa: PLC0415

        host = self.people[0]
        made = campaigns.campaign_create(by=host, name="Salt Circuit", seats=3, is_public=True, tempo="daily")
        for person in self.people[1:3]:
            campaigns.campaign_join(campaign_id=made.pk, by=person)
        self.gather()
        campaigns.campaign_pause(campaign_id=made.pk, by=host)
        self.gather()
        campaigns.campaign_resume(campaign_id=made.pk, by=host)
        self.gather()
        asked = Purchase.objects.select_related("driver__player").get(answered_at=None)
        self.clock.move_to(asked.due_at + timedelta(minutes=1), tick=False)
        sweep()
        self.gather()
        campaigns.campaign_drop_out(campaign_id=made.pk, by=self.people[1])
        self.gather()
        for _ in range(2):
            asked = Purchase.objects.select_related("driver").get(answered_at=None)
            self.clock.move_to(asked.due_at + timedelta(minutes=1), tick=False)
            sweep()
            if asked.driver.player_id == self.people[2].pk:
                campaigns.campaign_relieve(campaign_id=made.pk, by=host, car=asked.driver.car)
                break
        self.gather()
        campaigns.campaign_drive_on(campaign_id=made.pk, by=self.people[2], car=asked.driver.car)
        campaigns.campaign_close(campaign_id=made.pk, by=host)
        self.gather()

    def wins(self) -> None:
        """A campaign that is won with its first race, since its goal is near for once."""
        from unittest import mock  # noqa: PLC0415

        from games.models import Purchase, Seat  # noqa: PLC0415
        from games.services import campaigns, seats  # noqa: PLC0415

        made = campaigns.campaign_create(by=self.people[0], name="Short Circuit", seats=2, is_public=True)
        campaigns.campaign_join(campaign_id=made.pk, by=self.people[1])
        for _ in range(2):
            row = Purchase.objects.select_related("driver__player").get(answered_at=None, round__campaign=made)
            campaigns.purchase_answer(
                campaign_id=made.pk,
                by=row.driver.player,
                purchase_id=row.pk,
                position=0,
                action={"do": "nothing"},
                idempotency_key=f"samples:{row.pk}",
            )
        self.gather()
        race = Seat.objects.filter(race__campaign_race__campaign=made).first().race
        with mock.patch("games.rulesets.roadkill.campaign.GOAL", 1):
            seats.seat_resign(race_id=race.pk, by=self.people[1])
            campaigns.campaign_attend(campaign_id=made.pk)
        self.gather()

    def changes_hosts(self) -> None:
        """A race whose host is relieved by the operator."""
        from games.services.hosting import hosts_relieve  # noqa: PLC0415

        hosts_relieve(race_ids=[self.started("Salton Sea Loop", 2).pk])
        self.gather()

    def breaks(self) -> None:
        """A race whose record cannot be read."""
        from games.models import Snapshot  # noqa: PLC0415
        from games.services.sweep import sweep  # noqa: PLC0415

        race = self.started("Gila Bend Grand", 2)
        Snapshot.objects.filter(race=race).update(state=b"{")
        race.refresh_from_db()
        self.clock.move_to(race.wake_at + timedelta(seconds=1), tick=False)
        sweep()
        self.gather()


if __name__ == "__main__":
    sys.exit(main())
