"""`manage.py replay_check`: do the rules as they are now replay every race under way to the state that it has?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.management.progress import with_bar
from games.selectors.records import races_to_check, replay_fault


class Command(BaseCommand):
    """Replays races from their first entry; to be run before a deploy takes traffic."""

    help = "Replay every running race from its record. Exit status 1 if one differs from what is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races."""
        parser.add_argument("--all", action="store_true", help="finished races too")
        parser.add_argument("races", nargs="*", metavar="RACE", help="only these races, by their ids")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check one race after another; each that differs is named with its first entry that does."""
        races = races_to_check(is_all=options["all"], public_ids=options["races"])
        differing = 0
        for race in with_bar(races, "races"):
            fault = replay_fault(race=race)
            if fault:
                differing += 1
                self.stdout.write(f"race {race.public_id}: {fault}")
        if differing:
            raise CommandError(f"{differing} of {len(races)} races do not replay.")
        self.stdout.write(self.style.SUCCESS(f"{len(races)} races replay."))
