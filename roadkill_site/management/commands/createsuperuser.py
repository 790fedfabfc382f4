"""`manage.py createsuperuser MAIL --name NAME`: an operator's account.

It takes the place of Django's own command, which wants a password.
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from roadkill_site.accounts.services import operator_make


class Command(BaseCommand):
    """Makes an operator's account, or an operator of somebody who plays already."""

    help = "Make an operator: somebody who sees /admin/. Operators sign in by a mailed code, as everybody does."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the mail address, and the name for a new account."""
        parser.add_argument("mail", help="the operator's mail address")
        parser.add_argument("--name", default="", help="the name that players see; needed for a new account")

    def handle(self, *args: Any, mail: str, name: str, **options: Any) -> None:
        """Make the operator, or say in a sentence why that is not possible."""
        try:
            user = operator_make(email=mail, display_name=name)
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from refused
        self.stdout.write(f"{user.display_name} ({user.email}) is an operator and signs in by a mailed code.")
