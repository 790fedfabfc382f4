"""`manage.py inbound_poll`: look into the mailbox for replies once."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from notifications.doors.mailbox_poll import PollFailed, mailbox_poll


class Command(BaseCommand):
    """Keeps what has come; the worker acts on it."""

    help = "Bring in once what has come into the mailbox of INBOUND_IMAP_URL; the worker does so every minute."

    def handle(self, *args: Any, **options: Any) -> None:
        """Poll, or say in a sentence why that is not possible."""
        if not settings.REPLIES or not settings.INBOUND_IMAP_URL:
            raise CommandError("Settings REPLIES and INBOUND_IMAP_URL: there is no mailbox to look into.")
        try:
            count = mailbox_poll(settings.INBOUND_IMAP_URL)
        except PollFailed as failed:
            raise CommandError(str(failed)) from failed
        self.stdout.write(f"{count} mail{'' if count == 1 else 's'} kept.")
