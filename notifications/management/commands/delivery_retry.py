"""`manage.py delivery_retry WAY…`: try again where notices did not get through."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from notifications.services.operation import WayUnknown, way_retry, ways_retry


class Command(BaseCommand):
    """Opens what was closed; the worker sends within a minute."""

    help = (
        "Open a way that was closed, and try again what did not get through there within seven days. What is over by "
        "then is not sent."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Which ways."""
        parser.add_argument("ways", nargs="*", metavar="WAY", help="as operator_status lists them: player-3-email")
        parser.add_argument("--all", action="store_true", help="every way by which something fails")

    def handle(self, *args: Any, ways: list[str], **options: Any) -> None:
        """Do so with each; one by which nothing fails is told, and the others are done all the same."""
        if bool(ways) == options["all"]:
            raise CommandError("Name the ways, or say --all.")
        now = timezone.now()
        if options["all"]:
            count = ways_retry(now=now)
            self.stdout.write(f"{count} way{' is' if count == 1 else 's are'} open and tried again within a minute.")
        wrong = []
        for way in ways:
            try:
                way_retry(key=way, now=now)
            except WayUnknown as unknown:
                wrong.append(str(unknown))
            else:
                self.stdout.write(f"{way} is open and tried again within a minute.")
        if wrong:
            raise CommandError("\n".join(wrong))
