"""`manage.py verify_race FILE…`: prove finished races from their records alone, without a database."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.engine import record
from games.engine.contract import Outcome
from games.engine.errors import RecordBroken
from games.management.progress import with_bar
from games.runtime.rulesets import RULESETS, car_of


class Command(BaseCommand):
    """Accepts or rejects each record."""

    help = (
        "Prove that races were played by the rules and that every draw comes from the secret whose hash was published "
        "at the start. Exit status 0 if all are good, 1 if one is rejected. Needs no database."
    )
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which records."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a record, as race_export writes it")
        parser.add_argument("--quiet", action="store_true", help="say only what is rejected")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify every file; one that is rejected does not stop the others."""
        rejected = 0
        for file in with_bar(options["files"], "records"):
            try:
                played = record.load(file.read_bytes())
                outcome = record.verify(RULESETS, played)
            except OSError as error:
                rejected += 1
                self.stdout.write(f"{file}: rejected: it cannot be read: {error.strerror}")
            except RecordBroken as error:
                rejected += 1
                self.stdout.write(f"{file}: rejected: {error}")
            else:
                if not options["quiet"]:
                    self.stdout.write(f"{file}: good: {_told(played, outcome)}")
        if rejected:
            sys.exit(1)


def _told(played: record.Record, outcome: Outcome) -> str:
    ruleset = RULESETS[played.ruleset]
    cars = {
        seat: f"car {car_of(ruleset, played.options, drivers=played.seats, seat=seat)}"
        for seat in range(1, played.seats + 1)
    }
    groups = ", ".join(" and ".join(dict.fromkeys(cars[seat] for seat in group)) for group in outcome.places)
    names = ", ".join(f"{cars[seat]} {name}" for seat, name in enumerate(played.names, 1))
    claimed = f" (not proved, as the record claims: {names})" if names else ""
    return f"{len(played.entries)} entries, {outcome.reason}: {groups}{claimed}"
