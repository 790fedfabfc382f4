"""`manage.py race_retry RACE…`: try races that are held up, now."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from games.selectors.errors import RaceUnknown
from games.selectors.operation import faulty_races
from games.services.operation import NotFaulty, race_retry


class Command(BaseCommand):
    """Does at once what the sweep would do when their time has come."""

    help = (
        "Try races that are held up (operator_status lists them), now. What is overdue in them lapses. "
        "Exit status 1 if one still cannot go on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races."""
        parser.add_argument("races", nargs="*", metavar="RACE", help="ids of races, as in their addresses: k7f3q2")
        parser.add_argument("--all", action="store_true", help="all that are held up")

    def handle(self, *args: Any, **options: Any) -> None:
        """Try each; one that cannot go on, or is not held up, stops none of the others."""
        races = list(options["races"])
        if bool(races) == options["all"]:
            raise CommandError("Name the races, or say --all.")
        if options["all"]:
            races = list(faulty_races().order_by("pk").values_list("public_id", flat=True))
        wrong = []
        for public_id in races:
            try:
                fault = race_retry(public_id=public_id, now=timezone.now())
            except (RaceUnknown, NotFaulty) as refused:
                wrong.append(str(refused))
                continue
            if fault:
                wrong.append(f"Race {public_id} still cannot go on: {fault}")
            else:
                self.stdout.write(f"Race {public_id} goes on.")
        if not races:
            self.stdout.write("No race is held up.")
        if wrong:
            raise CommandError("\n".join(wrong))
