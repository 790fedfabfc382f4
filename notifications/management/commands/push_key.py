"""Makes a key for web push."""

from typing import Any

from django.core.management.base import BaseCommand

from notifications.channels.push.sealing import private_key_make


class Command(BaseCommand):
    """Prints a new key; nothing is changed."""

    help = "Print a new key for web push, as a line for the environment. A new key ends all browsers' subscriptions."
    requires_system_checks: list[str] = []  # noqa: RUF012  (Django's own form; with a broken key this must still run)

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it and print it."""
        del args, options
        self.stdout.write(f"PUSH_PRIVATE_KEY={private_key_make()}")
