"""How many mails a second leave one worker: races are started, their notices delivered in batches to a mail server.

    .venv/bin/python scripts/bench_mail.py                 200 mails, as workers send them
    .venv/bin/python scripts/bench_mail.py --batch 1       a connection for each mail, to compare with

It makes its own SQLite database in a folder of its own; the mail server is aiosmtpd on loopback, in a process of its
own, which counts connections and mails. Exit status 1 if a mail was lost, or if more connections were opened than
there were batches.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import socket
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

MAILS = 200
DRIVERS_A_RACE = 4
PATIENCE = 30.0


def main() -> int:
    """Serve, start races, deliver, tell."""
    parser = argparse.ArgumentParser(description="How many mails a second leave one worker.")
    parser.add_argument("--mails", type=int, default=MAILS)
    parser.add_argument("--batch", type=int, default=0, help="notices to a connection; as many as workers take")
    given = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    if not ours.poll(PATIENCE):
        raise SystemExit("The mail server did not start.")
    port = ours.recv()
    try:
        with tempfile.TemporaryDirectory(prefix="roadkill-mails-", ignore_cleanup_errors=True) as folder:
            os.environ |= {
                "DJANGO_SETTINGS_MODULE": "roadkill_site.settings",
                "VAR_DIR": folder,
                "EMAIL_HOST": "127.0.0.1",
                "EMAIL_PORT": str(port),
            }
            for name in ("DATABASE_URL", "REDIS_URL", "SITE_URL"):
                os.environ.pop(name, None)
            django.setup()
            return measure(ours, most=given.mails, batch=given.batch)
    finally:
        server.terminate()
        server.join()


def serve(pipe: Connection) -> None:
    """Take mails; whenever asked, tell how many connections and mails there were."""
    from aiosmtpd.controller import Controller  # noqa: PLC0415

    class Counter:
        """What has come so far."""

        connections = 0
        mails = 0
        size = 0

        async def handle_EHLO(  # noqa: N802  (aiosmtpd's name)
            self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]
        ) -> list[str]:
            """Count a connection."""
            self.connections += 1
            session.host_name = hostname
            return responses

        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
            """Count a mail."""
            self.mails += 1
            self.size += len(envelope.content)
            return "250 OK"

    counter = Counter()
    # The controller connects to itself to see that it serves, and cannot do so by port 0.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(counter, hostname="127.0.0.1", port=port)
    controller.start()
    pipe.send(port)
    while pipe.recv():
        pipe.send((counter.connections, counter.mails, counter.size))


def measure(pipe: Connection, *, most: int, batch: int) -> int:
    """Start races and deliver what they have to tell."""
    from django.contrib.auth import get_user_model  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from games.services import races  # noqa: PLC0415
    from notifications.services.delivery import notices_deliver  # noqa: PLC0415
    from notifications.services.dispatch import outbox_dispatch  # noqa: PLC0415
    from notifications.tasks import BATCH  # noqa: PLC0415

    call_command("migrate", interactive=False, verbosity=0)
    users = get_user_model().objects
    people = [
        users.create_user(f"driver{n}@example.org", display_name=f"Driver {n}", time_zone="Europe/Lisbon")
        for n in range(DRIVERS_A_RACE)
    ]
    for n in range(-(-most // DRIVERS_A_RACE)):
        race = races.race_create(by=people[0], name=f"Race {n}", seats=DRIVERS_A_RACE, is_public=True)
        for person in people[1:]:
            races.race_join(race_id=race.pk, by=person)
    began, busy_before = time.perf_counter(), time.process_time()
    notice_ids = outbox_dispatch(most=10 * most)
    dispatched = time.perf_counter()
    share = batch or BATCH
    batches = [notice_ids[first : first + share] for first in range(0, len(notice_ids), share)]
    ended: dict[str, int] = {}
    for one in batches:
        for state, count in notices_deliver(one).items():
            ended[state] = ended.get(state, 0) + count
    took = time.perf_counter() - dispatched
    busy = time.process_time() - busy_before
    pipe.send("told?")
    connections, mails, size = pipe.recv()
    sys.stdout.write(
        f"{len(notice_ids)} notices dispatched in {dispatched - began:.2f} s; ended: {ended}\n"
        f"{mails} mails of {size / max(mails, 1) / 1000:.1f} kB over {connections} connections in {took:.2f} s: "
        f"{mails / took:.0f} mails/s, "
        f"{1000 * busy / max(mails, 1):.0f} ms of processor each\n"
    )
    return 0 if mails == ended.get("sent") and connections <= len(batches) else 1


if __name__ == "__main__":
    sys.exit(main())
