"""The mail backend of a development server: nothing leaves the machine, every mail goes into the mailbox."""

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from notifications.mailbox.store import mail_store


class MailboxBackend(BaseEmailBackend):
    """Keeps each message as a file in settings.MAILBOX_DIR, as it would go over the wire."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Keep the messages; returns how many."""
        count = 0
        for message in email_messages:
            if message.recipients():
                mail_store(Path(settings.MAILBOX_DIR), message.message().as_bytes())
                count += 1
        return count
