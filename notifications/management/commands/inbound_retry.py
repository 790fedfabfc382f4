"""`manage.py inbound_retry NUMBER…`: take up again mails that failed, were refused, or wait."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from notifications.services.replies.nudging import worker_nudge
from notifications.services.replies.taking import mail_retry


class Command(BaseCommand):
    """The worker acts on them at once, or within a minute."""

    help = (
        "Take up again mails that failed, were refused, or wait; what was acted on stays so. "
        "Of a mail that was refused nothing was done; its player is answered anew."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the numbers that inbound_list shows."""
        parser.add_argument("mails", nargs="+", type=int, help="numbers of mails, as inbound_list shows them")

    def handle(self, *args: Any, mails: list[int], **options: Any) -> None:
        """Do so with each; a mail that cannot be taken up is told, and the others are done all the same."""
        wrong = []
        for number in mails:
            if mail_retry(mail_id=number, now=timezone.now()):
                worker_nudge(number)
                self.stdout.write(f"Mail {number} is taken up.")
            else:
                wrong.append(number)
        if wrong:
            raise CommandError(
                f"Neither failed, nor refused, nor waiting, or its bytes are gone: {', '.join(map(str, wrong))}."
            )
