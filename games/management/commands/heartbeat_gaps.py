"""`manage.py heartbeat_gaps`: the times in which the server gave no sign of life, and what they are worth."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from games.services.operation import outages_credit, outages_told


class Command(BaseCommand):
    """Shows the gaps, and credits them by hand."""

    help = (
        "Show when the server was away. --credit puts deadlines off for it, once each; --since and --until name a gap."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do, and for which gap."""
        parser.add_argument("--credit", action="store_true", help="put deadlines off; safe to do again")
        parser.add_argument("--since", help="beginning of a gap that no heartbeat tells of, as 2026-06-01T09:00Z")
        parser.add_argument("--until", help="its end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Show or credit."""
        since, until = (_moment(name, options[name]) for name in ("since", "until"))
        if (since is None) != (until is None):
            raise CommandError("A gap has a beginning and an end: give both --since and --until.")
        if options["credit"]:
            if since is not None and until is not None and not since < until <= timezone.now():
                raise CommandError("A gap ends after it begins, and not in the future.")
            count = outages_credit(since=since, until=until, now=timezone.now())
            self.stdout.write(f"The deadlines of {count} races are put off.")
        elif since is not None:
            raise CommandError("--since and --until go with --credit.")
        for line in outages_told():
            self.stdout.write(line)


def _moment(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError as wrong:
        raise CommandError(f"--{name} is a time such as 2026-06-01T09:00Z, not “{text}”.") from wrong
    if at.tzinfo is None:
        raise CommandError(f"--{name} needs a zone, such as the Z of 2026-06-01T09:00Z.")
    return at
