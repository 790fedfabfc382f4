"""`manage.py play`: everything at once on this machine, with a demo race to play."""

import errno
import logging
import signal
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from games.runtime.rulesets import RULESETS
from games.services.demo import RACE_NAMES, demo_race
from games.services.demo_league import demo_league
from notifications.mailbox.views import is_on as mailbox_is_on
from roadkill_site.accounts.services import sign_in_link
from roadkill_site.celery import app
from roadkill_site.in_process import (
    Part,
    beat_part,
    stop_all,
    wait_while_running,
    web_listen,
    web_part,
    worker_part,
)

HOST: Final = "127.0.0.1"
BEAT_EVERY: Final = 2.0
"""Seconds between sweeps: whoever plays at a screen sees bots answer and windows close soon."""
# Lines of the broker and of each request would push the addresses off the screen.
_QUIET: Final = ("celery", "kombu", "django.server")


class Command(BaseCommand):
    """Migrates, seeds a demo race, and runs web server, worker and beat until Ctrl-C."""

    help = "Play on this machine: pages, worker and beat in one go, with a demo race. PORT says where."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until SIGINT or SIGTERM."""
        if not settings.DEVELOPMENT:
            raise CommandError("`play` is for development; a server runs gunicorn, a worker and a beat.")
        server = self._listen()
        asked_to_stop = threading.Event()
        self._listen_to_signals(asked_to_stop)
        self.stdout.write("Preparing the database …")
        call_command("migrate", interactive=False, verbosity=0)
        race, player = demo_race()
        others = [demo_race(ruleset=key)[0].public_id for key in RACE_NAMES if key != race.ruleset and key in RULESETS]
        league = demo_league(person=player)
        app.conf.broker_transport_options = {**app.conf.broker_transport_options, "polling_interval": 0.2}
        parts = [
            web_part(server, get_wsgi_application()),
            worker_part(app),
            beat_part(app, every=BEAT_EVERY),
        ]
        # Here, not earlier: the worker sets the log up once more when it is made.
        for name in _QUIET:
            logging.getLogger(name).setLevel(logging.ERROR)
        for part in parts:
            part.start()
        self._tell([race.public_id, *others], league.public_id, sign_in_link(player), player.email)
        self._run(parts, asked_to_stop)

    def _listen(self) -> Any:
        try:
            return web_listen(HOST, settings.PORT)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                sentence = (
                    f"Port {settings.PORT} is taken by another program. Choose another one: "
                    f"make play PORT={settings.PORT + 1 if settings.PORT < 65535 else 8000}"
                )
            else:
                sentence = f"Port {settings.PORT} cannot be used: {error.strerror}."
            raise CommandError(sentence) from error

    def _listen_to_signals(self, asked_to_stop: threading.Event) -> None:
        def stop(number: int, _frame: FrameType | None) -> None:
            # A second Ctrl-C ends the process at once.
            signal.signal(number, signal.SIG_DFL)
            asked_to_stop.set()

        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)

    def _tell(self, race_ids: Sequence[str], league_id: str, link: str, address: str) -> None:
        lines = [
            "",
            f"Roadkill is at    {settings.SITE_URL}/",
            f"Sign in by        {link}",
            "                  once; on a second device sign in as",
            f"                  {address}, the code is in the mailbox",
            *(
                f"{'Another game' if place else 'The demo race':<16}  "
                f"{settings.SITE_URL}{reverse('games:race', args=[race_id])}"
                for place, race_id in enumerate(race_ids)
            ),
            f"A league          {settings.SITE_URL}{reverse('games:league', args=[league_id])}",
        ]
        if mailbox_is_on():
            lines.append(f"All mail is at    {settings.SITE_URL}{reverse('mailbox:list')}")
        lines += ["", "Ctrl-C stops everything.", ""]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()

    def _run(self, parts: list[Part], asked_to_stop: threading.Event) -> None:
        ended = wait_while_running(parts, asked_to_stop)
        self.stdout.write("Stopping …")
        stuck = stop_all(parts)
        if ended is not None:
            raise CommandError(f"The {ended.name} ended by itself; the lines above say why.")
        if stuck:
            raise CommandError(f"Did not end in time: {', '.join(stuck)}.")
        self.stdout.write("Stopped.")
