"""`manage.py inbound_refuse NUMBER…`: settle held mails without acting on them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from notifications.services.replies.taking import mail_refuse


class Command(BaseCommand):
    """The link by which a player could let it through leads nowhere then."""

    help = "Settle held mails without acting on them. inbound_retry has one held again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the numbers that inbound_list shows."""
        parser.add_argument("mails", nargs="+", type=int, help="numbers of mails, as inbound_list shows them")

    def handle(self, *args: Any, mails: list[int], **options: Any) -> None:
        """Do so with each; a mail that is not held is told, and the others are done all the same."""
        wrong = []
        for number in mails:
            if mail_refuse(mail_id=number, now=timezone.now()):
                self.stdout.write(f"Mail {number} is refused; nothing was done.")
            else:
                wrong.append(number)
        if wrong:
            raise CommandError(f"Not held: {', '.join(map(str, wrong))}.")
