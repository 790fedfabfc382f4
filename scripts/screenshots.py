"""Pictures of every page in two widths and both colours, of races that are played for it; what looks wrong is listed.

    .venv/bin/python scripts/screenshots.py             all pages into var/screens
    .venv/bin/python scripts/screenshots.py --readme    the pictures of the README into docs/screens

It makes its own database in a folder of its own, plays some races with bots, and serves the pages on a free port. It
needs the program `chromium`. Exit status 1 if a page scrolls sideways, has type under 14 px, a control under 44 px, or
drawn words that touch.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
import time_machine

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.browser import Browser  # noqa: E402

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SHOWN = datetime(2026, 12, 1, 14, 40, tzinfo=UTC)
WIDTHS = (390, 1280)
TRIES = 12
Until = Callable[[Any, Any, Any], bool]
"""From the decision's row, the question and the view of whoever is asked, whether to stop there."""
README = (
    ("race", 1280, False, 1300),
    ("race", 390, True, 1300),
    ("answer", 390, False, 1300),
    ("replay", 1280, True, 1300),
)
"""Page, width, dark, height."""
DRIVERS = (
    "Wren",
    "Marta",
    "Olu",
    "Yuki",
    "Dov",
    "Priya",
    "Johannes-Maria von der Wetterau",
    "<b>Ada</b> & Co",
    "Fen",
    "Gus",
)

FAULTS = (Path(__file__).with_name("page_faults.js")).read_text("utf-8")


def main() -> int:
    """Play, serve, photograph."""
    parser = argparse.ArgumentParser(description="Pictures of every page.")
    parser.add_argument("--out", type=Path, default=ROOT / "var" / "screens")
    parser.add_argument("--readme", action="store_true", help="only the pictures of the README, into docs/screens")
    parser.add_argument("--only", default="", help="names of pages, with commas between them")
    given = parser.parse_args()
    out: Path = ROOT / "docs" / "screens" if given.readme else given.out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="roadkill-screens-", ignore_cleanup_errors=True) as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "roadkill_site.settings", "VAR_DIR": folder, "PORT": "8000"}
        # The example of RFC 8291: web push is on in the pictures, and nothing is sent.
        os.environ["PUSH_PRIVATE_KEY"] = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        for name in ("DATABASE_URL", "REDIS_URL", "EMAIL_HOST", "SITE_URL"):
            os.environ.pop(name, None)
        django.setup()
        with time_machine.travel(START, tick=False) as clock:
            demo = Demo(clock)
            demo.make()
            clock.move_to(SHOWN, tick=True)
            with served() as base:
                return photograph(demo, base, out, given.only, readme=given.readme)


def photograph(demo: Demo, base: str, out: Path, only: str, *, readme: bool) -> int:
    """Open and keep each page; return 1 if any looks wrong."""
    pages = demo.pages()
    wanted = [name for name in only.split(",") if name] or list(pages)
    shots = README if readme else [(n, w, d, 844) for n in wanted for w in WIDTHS for d in (False, True)]
    faulty = 0
    with Browser() as browser:
        for name, width, dark, height in shots:
            address, is_signed_in = pages[name]
            browser.look(width=width, dark=dark, height=height)
            browser.cookie(base, "sessionid", demo.session if is_signed_in else "none")
            browser.reports.clear()
            browser.open(base + address)
            faults = browser.evaluate(f"{FAULTS.strip()}({width})")
            reports = [report for report in browser.reports if "status of 4" not in report]
            for fault in [*faults, *reports]:
                sys.stdout.write(f"{name} at {width}: {fault}\n")
            faulty += bool(faults or reports)
            browser.photograph(out / f"{name}-{width}-{'dark' if dark else 'light'}.png", whole=not readme)
    sys.stdout.write(f"{len(shots)} pictures in {out}; {faulty} with faults.\n")
    return 1 if faulty else 0


@contextmanager
def served() -> Iterator[str]:
    """The pages on a free port; gives their address without a closing slash."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: PLC0415
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: PLC0415
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing of requests that went well."""

    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet, ipv6=False)
    server.set_app(StaticFilesHandler(get_wsgi_application()))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Demo:
    """Some races in all the states that pages show, played by bots on a clock that is moved by hand."""

    def __init__(self, clock: Any) -> None:
        self.clock = clock
        self.races: dict[str, Any] = {}
        self.people: list[Any] = []
        self.session = ""
        self.invitation = ""
        self.way = 0

    def make(self) -> None:
        """Migrate, make accounts, play the races."""
        from django.contrib.auth import get_user_model  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", interactive=False, verbosity=0)
        users = get_user_model().objects
        self.people = [
            users.create_user(f"driver{n}@example.org", display_name=name[:30], time_zone="Europe/Lisbon")
            for n, name in enumerate(DRIVERS)
        ]
        self.races["turn"] = self.played(
            "Dust Devil 300",
            6,
            lambda row, asked, view: row.key == "act" and is_lively(view, 3) and len(asked.menu) > 4,
        )
        self.races["window"] = self.played(
            "Coyote Cup", 5, lambda row, asked, view: row.key == "answer" and is_lively(view, 1) and len(asked.menu) > 2
        )
        self.races["many"] = self.played(
            "Night Owls <script>alert(1)</script>", 10, lambda row, asked, view: view["light"] == "night", own=False
        )
        self.races["finished"] = self.played("Gila Bend Grand", 4, None, sections=5)
        self.make_teams()
        self.make_thunder_road()
        self.races["lobby"] = self.open_race()
        self.order_beforehand(self.races["window"])
        self.is_told()
        self.session = self.signed_in(self.people[0])

    def make_teams(self) -> None:
        """Races of two drivers a car: before the start, and at the first driver's questions of 12.4 and 12.5."""
        from games.models import Seat  # noqa: PLC0415
        from games.services import races  # noqa: PLC0415

        self.races["team-lobby"] = self.open_race("Tandem Trophy", seats=8, options={"teams": True})
        other = Seat.objects.get(race=self.races["team-lobby"], player=self.people[1])
        races.seat_partner(race_id=self.races["team-lobby"].pk, by=self.people[0], partner=other.pk)
        for name, title, key in (("team", "Tandem Trail", "draw_or_pass"), ("team-keep", "Tandem Turns", "keep")):
            self.races[name] = self.played(title, 8, lambda row, asked, view, key=key: row.key == key, teams=True)

    def make_thunder_road(self) -> None:
        """Races of Thunder Road: at a turn, at a way to be driven, and one over."""
        from games.runtime.rulesets import RULESETS  # noqa: PLC0415

        if "thunder_road" not in RULESETS:
            return
        options = {"carnage": True, "crews": ["rig", "bikes"]}
        kinds: tuple[tuple[str, str, Until | None], ...] = (
            ("thunder-turn", "turn", lambda row, asked, view: row.key == "turn" and view["round"] > 2),
            ("thunder-drive", "drive", lambda row, asked, view: row.key == "drive" and view["left"] > 2),
            ("thunder-over", "over", None),
        )
        for name, title, until in kinds:
            self.races[name] = self.played(f"Salt Pan, {title}", 4, until, ruleset="thunder_road", options=options)

    def is_told(self) -> None:
        """The first driver's ways beside mail, and what was sent: a mail that came back, a webhook that is closed."""
        from django.utils import timezone  # noqa: PLC0415

        from notifications.models import Attempt, Notice  # noqa: PLC0415
        from notifications.services.delivery import notices_deliver  # noqa: PLC0415
        from notifications.services.dispatch import outbox_dispatch  # noqa: PLC0415
        from notifications.services.endpoints import endpoint_close, webhook_create  # noqa: PLC0415

        player = self.people[0]
        hook = webhook_create(player=player, label="The club's program", address="https://hooks.example.org/roadkill")
        self.way = hook.pk
        follows = self.races["turn"].public_id
        webhook_create(
            player=player, label="Club channel", address="https://chat.example.org/1", form="discord", follows=follows
        )
        outbox_dispatch(most=100_000)
        mails = Notice.objects.filter(endpoint=None, seat__player=player).order_by("-pk")
        notices_deliver(list(mails.values_list("pk", flat=True)[:60]))
        endpoint_close(endpoint_id=hook.pk, detail="410 Gone", at=timezone.now())
        failed = mails[1]
        Notice.objects.filter(pk=failed.pk).update(state="failed", sent_at=None, reason="tried too often")
        Attempt.objects.create(
            notice=failed,
            number=16,
            address=player.email,
            result="transient",
            detail="451 4.3.0 the mailbox is busy, try later",
            started_at=timezone.now(),
            ended_at=timezone.now(),
        )

    def order_beforehand(self, race: Any) -> None:
        """The first driver's standing orders and plan, in a race that waits for an answer out of turn."""
        from games.models import Seat  # noqa: PLC0415
        from games.services.plans import plan_save  # noqa: PLC0415
        from games.services.standing import standing_save  # noqa: PLC0415

        seat = Seat.objects.get(race=race, player=self.people[0])
        texts = (
            "when attacked: pass",
            "when passed by the leader: Machine Gun, else pass, until 2027-01-15",
            "when attacked by car 1 or 3 with Ram or Machine Gun: Swerve, Firm Shoulders, else ask me, this turn",
        )
        standing_save(race_id=race.pk, seat_id=seat.pk, texts=texts)
        lines = ("pass 2 with Move 2", "if passed: attack 3 with Ram", "if not passed: end", "end, draw 2")
        plan_save(race_id=race.pk, seat_id=seat.pk, lines=lines, idempotency_key="screens")

    def signed_in(self, user: Any) -> str:
        """A session of this player, as a browser's cookie holds it."""
        from django.conf import settings  # noqa: PLC0415
        from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: PLC0415
        from django.contrib.sessions.backends.db import SessionStore  # noqa: PLC0415

        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.set_expiry(timedelta(days=60))
        session.create()
        return str(session.session_key)

    def open_race(self, name: str = "Salt Flat Sprint", *, seats: int = 6, options: Any = None) -> Any:
        """A race that gathers its drivers."""
        from games.services import races  # noqa: PLC0415
        from games.services.invitations import invitation_token  # noqa: PLC0415

        race = races.race_create(
            by=self.people[0], name=name, seats=seats, is_public=True, starts_when_full=False, options=options
        )
        races.race_join(race_id=race.pk, by=self.people[1], words="")
        races.seat_add_bot(race_id=race.pk, by=self.people[0], bot="driver", delay_minutes=30)
        declined = races.race_invite(race_id=race.pk, by=self.people[0], email="enemy@example.org")
        races.race_decline(race_id=race.pk, by=None, invitation=invitation_token(declined))
        invited = races.race_invite(race_id=race.pk, by=self.people[0], email="friend@example.org")
        self.invitation = invitation_token(invited)
        return race

    def played(
        self,
        name: str,
        seats: int,
        until: Until | None,
        *,
        own: bool = True,
        sections: int = 8,
        teams: bool = False,
        ruleset: str = "roadkill",
        options: Any = None,
    ) -> Any:
        """A race that bots play until the first driver is asked what ``until`` wants; without it, to its end."""
        for _ in range(TRIES):
            agreed = {"sections": sections, "teams": teams} if options is None else options
            race = self.played_once(name, seats, until, own=own, ruleset=ruleset, options=agreed)
            if (race.status == "running") == (until is not None):
                return race
            race.name = f"{race.name} (again)"
            race.is_public = False
            race.save(update_fields=["name", "is_public"])
        raise SystemExit(f"{name}: in {TRIES} races nobody was asked what is to be shown.")

    def played_once(self, name: str, seats: int, until: Until | None, *, own: bool, ruleset: str, options: Any) -> Any:
        """One such race."""
        from games.models import Decision  # noqa: PLC0415
        from games.services import races  # noqa: PLC0415
        from games.services.sweep import SweepReport, race_attend  # noqa: PLC0415

        self.clock.move_to(START, tick=False)
        race = races.race_create(
            by=self.people[1],
            name=name,
            seats=seats,
            is_public=True,
            ruleset=ruleset,
            options=options,
            starts_when_full=False,
        )
        for person in [self.people[0], *self.people[2:seats]][: seats - 1]:
            races.race_join(race_id=race.pk, by=person)
        races.race_start(race_id=race.pk, by=self.people[1])
        for _ in range(4000):
            race.refresh_from_db()
            if race.status != "running":
                return race
            row = Decision.objects.filter(race=race, sealed_at=None).select_related("seat").order_by("pk").first()
            if row is None:
                self.clock.move_to(race.wake_at, tick=False)
                race_attend(race_id=race.pk, now=race.wake_at, report=SweepReport())
                continue
            self.clock.shift(timedelta(minutes=1))
            view, question, choice = self.choice(race, row)
            if (
                until is not None
                and (row.seat.player_id == self.people[0].pk or not own)
                and until(row, question, view)
            ):
                # Shown a little after it was asked, at the time of the pictures.
                self.put_off(race, SHOWN - row.opened_at - timedelta(hours=3))
                return race
            self.answer(race, row, choice)
        raise SystemExit(f"{name} came to no end that can be shown.")

    def choice(self, race: Any, row: Any) -> tuple[Any, Any, Any]:
        """What the seat sees, what it is asked, and what a bot would answer."""
        from games.engine import codec  # noqa: PLC0415
        from games.models import Snapshot  # noqa: PLC0415
        from games.runtime.position import position_of  # noqa: PLC0415
        from games.runtime.rulesets import bot_for  # noqa: PLC0415

        position = position_of(race, Snapshot.objects.get(race=race))
        question = next(d for d in position.pending() if d.seat == row.seat.number)
        view = position.ruleset.view(position.state, question.seat)
        bot = bot_for(race.ruleset, "driver", race.seq * 31 + question.seat)
        choice = codec.to_json(bot.choose(view, question))
        if row.seat.player_id == self.people[0].pk:
            # What bots seldom do: the first driver's team changes roles, and passes cards at the end of a turn.
            menu = [codec.to_json(answer) for answer in question.menu]
            if race.ruleset == "thunder_road" and question.key == "turn":
                # A vehicle and a die alone, so that the way is asked for.
                menu, choice = [], next((one for one in menu if one["do"] == "move"), choice)
            wanted = [
                one for one in menu if one["do"] == "change_drivers" or (choice["do"] == "end" and one.get("share"))
            ]
            choice = wanted[0] if wanted else choice
        return view, question, choice

    def answer(self, race: Any, row: Any, choice: Any) -> None:
        """Give the answer through the one door."""
        from games.services.turns import action_submit  # noqa: PLC0415

        action_submit(
            race_id=race.pk,
            seat_id=row.seat_id,
            action=choice,
            expected_seq=row.position,
            idempotency_key=f"screens:{row.pk}:{race.seq}",
            origin="player",
        )

    def put_off(self, race: Any, by: timedelta) -> None:
        """Move the open questions' times to the time of the pictures."""
        from games.models import Decision  # noqa: PLC0415

        race.wake_at = race.wake_at and race.wake_at + by
        race.save(update_fields=["wake_at"])
        for row in Decision.objects.filter(race=race):
            row.opened_at += by
            row.counts_from += by
            row.due_at += by
            row.hold_until = row.hold_until and row.hold_until + by
            row.save(update_fields=["opened_at", "counts_from", "due_at", "hold_until"])

    def pages_of_thunder_road(self) -> dict[str, tuple[str, bool]]:
        """The pages of the second game: races, ways that are put together, the box, the track list."""
        from games.models import Seat  # noqa: PLC0415
        from games.selectors.races import race_present  # noqa: PLC0415
        from games.services.links import link_token  # noqa: PLC0415

        found = {
            name: (f"/races/{self.races[name].public_id}/", True)
            for name in ("thunder-turn", "thunder-drive", "thunder-over")
        }
        for name in ("thunder-turn", "thunder-drive"):
            race = self.races[name]
            seat = Seat.objects.get(race=race, player=self.people[0])
            question = race_present(race=race, viewer=seat)["question"]
            number = question["forms"][0]["number"]
            found[f"{name}-form"] = (f"/races/{race.public_id}/form/{question['decision']}/{number}", True)
            found[f"{name}-answer"] = (f"/races/{race.public_id}/answer/{question['decision']}/1", True)
            token = link_token(seat_id=seat.pk, question=question, number=number)
            found[f"{name}-link"] = (f"/act/{token}", False)
        over = self.races["thunder-over"]
        return found | {
            "thunder-replay": (f"/races/{over.public_id}/replay/{over.seq // 2}", True),
            "thunder-orders": (f"/races/{self.races['thunder-turn'].public_id}/orders/", True),
            "thunder-new": ("/races/new?ruleset=thunder_road", True),
            "thunder-box": ("/boxes/thunder_road/classic/", False),
            "thunder-track": ("/tracks/thunder_road/?players=4&sides=mixed&box=classic&list=abcdefghij234567", False),
        }

    def pages(self) -> dict[str, tuple[str, bool]]:
        """Name -> address, and whether it is looked at signed in."""
        from games.models import Seat  # noqa: PLC0415
        from games.selectors.races import race_present  # noqa: PLC0415
        from games.services.links import link_token  # noqa: PLC0415

        found: dict[str, tuple[str, bool]] = {
            "welcome": ("/", False),
            "inbox": ("/", True),
            "races": ("/races/", True),
            "races-out": ("/races/", False),
            "new": ("/races/new", True),
            "lobby": (f"/races/{self.races['lobby'].public_id}/", True),
            "team-lobby": (f"/races/{self.races['team-lobby'].public_id}/", True),
            "team": (f"/races/{self.races['team'].public_id}/", True),
            "team-out": (f"/races/{self.races['team'].public_id}/", False),
            "team-keep": (f"/races/{self.races['team-keep'].public_id}/", True),
            "team-replay": (f"/races/{self.races['team'].public_id}/replay/{self.races['team'].seq - 4}", True),
            "team-seats": (f"/races/{self.races['team'].public_id}/seats/", True),
            "team-resign": (f"/races/{self.races['team'].public_id}/resign", True),
            "lobby-out": (f"/races/{self.races['lobby'].public_id}/", False),
            "race": (f"/races/{self.races['turn'].public_id}/", True),
            "window": (f"/races/{self.races['window'].public_id}/", True),
            "watching": (f"/races/{self.races['turn'].public_id}/", False),
            "many": (f"/races/{self.races['many'].public_id}/", True),
            "finished": (f"/races/{self.races['finished'].public_id}/", True),
            "replay": (
                f"/races/{self.races['finished'].public_id}/replay/{int(self.races['finished'].seq * 0.7)}",
                True,
            ),
            "replay-eyes": (f"/races/{self.races['finished'].public_id}/replay/20?eyes=2", True),
            "orders": (f"/races/{self.races['window'].public_id}/orders/", True),
            "order-new": (f"/races/{self.races['window'].public_id}/orders/new?when=attacked", True),
            "orders-over": (f"/races/{self.races['finished'].public_id}/orders/", True),
            "clocks": (f"/races/{self.races['turn'].public_id}/clocks/", True),
            "seats": (f"/races/{self.races['turn'].public_id}/seats/", True),
            "offers": ("/races/seats", True),
            "resign": (f"/races/{self.races['turn'].public_id}/resign", True),
            "wish": (f"/races/{self.races['turn'].public_id}/wish", True),
            "stale": (f"/races/{self.races['turn'].public_id}/answer/1/1", True),
            "rules": ("/rules/roadkill/", True),
            "sign-in": ("/account/sign-in/", False),
            "join": ("/account/join/", False),
            "profile": ("/account/", True),
            "wishes": ("/mail/", True),
            "way": (f"/mail/way/{self.way}", True),
            "sent": ("/mail/sent", True),
            "nowhere": ("/races/nowhere/", True),
            "nowhere-out": ("/races/nowhere/", False),
            "log": (f"/races/{self.races['finished'].public_id}/log", True),
            "resign-over": (f"/races/{self.races['finished'].public_id}/resign", True),
            "host": (f"/races/{self.races['lobby'].public_id}/host", True),
            "decline": (f"/races/{self.races['lobby'].public_id}/decline?invitation={self.invitation}", False),
            "lobby-invited": (f"/races/{self.races['lobby'].public_id}/?invitation={self.invitation}", False),
        }
        if "thunder-turn" in self.races:
            found |= self.pages_of_thunder_road()
        for name in ("turn", "window", "team", "team-keep"):
            race = self.races[name]
            seat = Seat.objects.get(race=race, player=self.people[0])
            question = race_present(race=race, viewer=seat)["question"]
            own = "answer" if name == "window" else f"{name}-answer"
            found[own] = (f"/races/{race.public_id}/answer/{question['decision']}/2", True)
            found[f"act-{name}"] = (f"/act/{link_token(seat_id=seat.pk, question=question, number=1)}", False)
            for form in question["forms"][:1]:
                found[f"form-{name}"] = (f"/races/{race.public_id}/form/{question['decision']}/{form['number']}", True)
                token = link_token(seat_id=seat.pk, question=question, number=form["number"])
                found[f"act-form-{name}"] = (f"/act/{token}", False)
            gone = {**question, "decision": 1, "position": max(0, question["position"] - 6)}
            found[f"act-closed-{name}"] = (f"/act/{link_token(seat_id=seat.pk, question=gone, number=1)}", False)
        return found


def is_lively(view: Any, sections: int) -> bool:
    """Whether so many Sections are laid and the viewer's car moves with others near and cards in hand."""
    own = next(car for car in view["cars"] if car["seat"] == view["viewer"])
    moving = sum(car["moving"] for car in view["cars"])
    return len(view["course"]) > sections and own["moving"] and moving >= 3 and own["hand_count"] >= 4


if __name__ == "__main__":
    sys.exit(main())
