"""`manage.py demo_race`: a race of one person and three bots to look at."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games.services import demo


class Command(BaseCommand):
    """Makes the account and the race, or finds them."""

    help = "Make a demo race: you and three bots, one of them slow. Run again, it names the race that is there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose race."""
        parser.add_argument(
            "--email", default=demo.EMAIL, metavar="MAIL", help=f"your account; {demo.EMAIL} by default"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it and say where it is."""
        race, person = demo.demo_race(email=options["email"])
        self.stdout.write(f"race {race.public_id} of {person.get_full_name()} ({person.email})")
