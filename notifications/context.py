"""What every page may show about the reader's mail."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from notifications.channels.email.channel import EmailChannel
from notifications.models import ClosedAddress
from notifications.selectors import address_closed
from roadkill_site.accounts.models import User


def mail_trouble(request: HttpRequest) -> dict[str, object]:
    """`mail_trouble`: the closed address of the signed-in player, else None; looked up only if the page asks.

    Pages show it by `{% include "notifications/_trouble.html" %}`.
    """

    def trouble() -> ClosedAddress | None:
        user = getattr(request, "user", None)
        if not isinstance(user, User):
            return None
        return address_closed(channel=EmailChannel.key, address=user.email)

    return {"mail_trouble": SimpleLazyObject(trouble)}
