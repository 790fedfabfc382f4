"""`manage.py sweep`: do what is due in every race and league, once; what the worker does each minute."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.services.league_sweep import leagues_sweep
from games.services.sweep import sweep


class Command(BaseCommand):
    """Runs one sweep and says what it did."""

    help = "Resolve lapsed questions, windows, bots and leagues that are due. Exit status 1 if a race is faulty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How to say it."""
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Sweep; faulty races are named with their reasons."""
        report = sweep()
        leagues = leagues_sweep()
        if options["json"]:
            self.stdout.write(json.dumps({**asdict(report), "leagues": asdict(leagues)}))
        else:
            self.stdout.write(
                f"{report.races} races were due: {report.lapsed} questions lapsed, {report.closed} windows closed, "
                f"{report.bot_answers} answers by bots."
            )
            self.stdout.write(
                f"In leagues {leagues.made} races began, {leagues.finished} were counted; {leagues.started} seasons "
                f"began, {leagues.closed} closed."
            )
            for trouble in leagues.troubles:
                self.stdout.write(f"Waits: {trouble}")
            if report.put_off:
                self.stdout.write(f"Left to the next sweep, for the database: {', '.join(report.put_off)}.")
        if report.faults:
            told = "\n".join(f"race {public_id}: {reason}" for public_id, reason in report.faults.items())
            raise CommandError(f"{told}\nThese races stand still and are tried again; see them in the admin pages.")
