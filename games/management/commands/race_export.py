"""`manage.py race_export RACE`: the record of a race as JSON."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.engine import record
from games.engine.errors import ActionRefused
from games.selectors.races import race_for_operator
from games.selectors.records import record_for_operator, record_of


class Command(BaseCommand):
    """Writes a record to a file or to standard output."""

    help = "Export a race's record: its acts, its draws and, once it is over, its secret. verify_race checks it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which race, and where to."""
        parser.add_argument("race", help="the race's id, as in its address: k7f3q2")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write to this file instead of the terminal")
        parser.add_argument(
            "--running",
            action="store_true",
            help="also a race that is not over; its record holds every hand, so it is for the operator's eyes only",
        )
        parser.add_argument("--scrub", action="store_true", help="leave out the drivers' names")

    def handle(self, *args: Any, **options: Any) -> None:
        """Export; a race that runs is refused unless asked for."""
        try:
            race = race_for_operator(public_id=options["race"])
            made = record_for_operator(race=race) if options["running"] else record_of(race=race)
        except ActionRefused as refused:
            raise CommandError(str(refused)) from refused
        data = record.dump(record.scrubbed(made) if options["scrub"] else made)
        if options["output"] is None:
            self.stdout.write(data.decode())
        else:
            options["output"].write_bytes(data + b"\n")
            self.stderr.write(f"{len(made.entries)} entries written to {options['output']}")
