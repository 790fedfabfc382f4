"""`manage.py race_import FILE --host MAIL`: put the record of a finished race into the database, for its replay."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from games.engine import record
from games.engine.errors import ActionRefused, RecordBroken
from games.services.records import race_import


class Command(BaseCommand):
    """Imports records, each proved on the way in."""

    help = "Import the record of a finished race. It is replayed and proved first; a broken one is refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which files, and whose they will be."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a record, as race_export writes it")
        parser.add_argument(
            "--host", required=True, metavar="MAIL", help="mail address of the account that will host it"
        )
        parser.add_argument("--name", default="", help="the race's name; by default the file's")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import one file after another; the first that is refused ends it."""
        host = get_user_model().objects.filter(email=options["host"].lower()).first()
        if host is None:
            raise CommandError(f"There is no account with the address {options['host']}.")
        for file in options["files"]:
            try:
                played = record.load(file.read_bytes())
                race = race_import(record=played, by=host, name=options["name"] or file.stem)
            except OSError as error:
                raise CommandError(f"{file}: it cannot be read: {error.strerror}.") from error
            except (RecordBroken, ActionRefused) as error:
                raise CommandError(f"{file}: {error}") from error
            self.stdout.write(f"{file} is race {race.public_id} now.")
