"""`manage.py inbound_release NUMBER…`: let held mails be acted on, as if they came from their players' addresses."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from notifications.services.replies.nudging import worker_nudge
from notifications.services.replies.taking import mail_confirm


class Command(BaseCommand):
    """The worker acts on them at once, or within a minute."""

    help = "Let held mails be acted on, as if their players had sent them from their own addresses."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the numbers that inbound_list shows."""
        parser.add_argument("mails", nargs="+", type=int, help="numbers of mails, as inbound_list shows them")

    def handle(self, *args: Any, mails: list[int], **options: Any) -> None:
        """Do so with each; a mail that is not held is told, and the others are done all the same."""
        wrong = []
        for number in mails:
            if mail_confirm(mail_id=number, now=timezone.now()):
                worker_nudge(number)
                self.stdout.write(f"Mail {number} is taken up.")
            else:
                wrong.append(number)
        if wrong:
            raise CommandError(f"Not held, or its bytes are gone: {', '.join(map(str, wrong))}.")
