"""`manage.py standings_check`: are results, ratings and final places what the races' records make of them?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.management.progress import with_bar
from games.services.standings_check import differences_of, leagues_to_check


class Command(BaseCommand):
    """Makes everything of a league that comes of its races anew, and names what differs from what is stored."""

    help = "Recompute results, tables and ratings of leagues from their races. Exit status 1 if anything differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which leagues."""
        parser.add_argument("leagues", nargs="*", metavar="LEAGUE", help="only these leagues, by their ids")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check one league after another."""
        leagues = leagues_to_check(public_ids=options["leagues"])
        missing = set(options["leagues"]) - {league.public_id for league in leagues}
        if missing:
            raise CommandError(f"There is no league {', '.join(sorted(missing))}.")
        found = 0
        for league in with_bar(leagues, "leagues"):
            for difference in differences_of(league=league):
                found += 1
                self.stdout.write(f"league {league.public_id}: {difference}")
        if found:
            raise CommandError(f"Differences found: {found}. Leagues checked: {len(leagues)}.")
        self.stdout.write(
            self.style.SUCCESS(f"Leagues checked: {len(leagues)}. Each stands as its races have made it.")
        )
