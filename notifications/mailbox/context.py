"""What every page may show of the development mailbox."""

from django.http import HttpRequest

from notifications.mailbox.views import is_on


def mailbox(_request: HttpRequest) -> dict[str, bool]:
    """`mailbox_on`: whether this server keeps its mails in a mailbox of its own, to which pages then link."""
    return {"mailbox_on": is_on()}
