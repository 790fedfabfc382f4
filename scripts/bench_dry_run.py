"""How long "Try it" takes on the page of orders: the last windows of a race of 300 entries, played over again.

    .venv/bin/python scripts/bench_dry_run.py              a race between bots and one who lets turns lapse
    .venv/bin/python scripts/bench_dry_run.py --entries 600

It makes its own database in a folder of its own. Exit status 1 if the best of five takes longer than a second.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
import time_machine

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TRIES = 5
MOST_SECONDS = 1.0
ORDERS = ("when attacked: Swerve, else pass", "when passed: Smoke Screen, else pass", "when a Damage Check comes: pass")


def main() -> int:
    """Play, try, tell."""
    parser = argparse.ArgumentParser(description="How long trying standing orders takes.")
    parser.add_argument("--entries", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="roadkill-bench-", ignore_cleanup_errors=True) as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "roadkill_site.settings", "VAR_DIR": folder}
        for name in ("DATABASE_URL", "REDIS_URL", "EMAIL_HOST", "REPLY_DOMAIN"):
            os.environ.pop(name, None)
        django.setup()
        race, seat = played(given.entries)
        took, windows = tried(race, seat)
    sys.stdout.write(f"{race.seq} entries, {windows} windows shown: best of {TRIES} {min(took):.3f} s\n")
    return 1 if min(took) > MOST_SECONDS else 0


def played(entries: int) -> tuple[Any, Any]:
    """A race under way that has so many entries, and the seat of its one person."""
    from django.contrib.auth import get_user_model  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from games.models import Seat  # noqa: PLC0415
    from games.services import races  # noqa: PLC0415
    from games.services.sweep import sweep  # noqa: PLC0415

    call_command("migrate", interactive=False, verbosity=0)
    person = get_user_model().objects.create_user("wren@example.org", display_name="Wren")
    with time_machine.travel(START, tick=False) as clock:
        race = None
        while race is None or race.seq < entries:
            # A race that ended too soon is played anew, on a longer course.
            race = races.race_create(by=person, name="Long", seats=6, options={"sections": 8}, starts_when_full=True)
            for _ in range(5):
                races.seat_add_bot(race_id=race.pk, by=person)
            race.refresh_from_db()
            while race.status == "running" and race.seq < entries:
                clock.move_to(max(race.wake_at, datetime.now(UTC) + timedelta(minutes=1)), tick=False)
                sweep()
                race.refresh_from_db()
    return race, Seat.objects.get(race=race, player=person)


def tried(race: Any, seat: Any) -> tuple[list[float], int]:
    """Seconds of each try, and how many windows it showed."""
    from games.selectors.beforehand import standing_tried  # noqa: PLC0415

    took, shown = [], 0
    for _ in range(TRIES):
        began = time.perf_counter()
        shown = len(standing_tried(race=race, seat=seat, texts=ORDERS)["windows"])
        took.append(time.perf_counter() - began)
    return took, shown


if __name__ == "__main__":
    sys.exit(main())
