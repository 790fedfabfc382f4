"""What every page may show about how the reader is told things."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from notifications.channels.email.channel import EmailChannel
from notifications.models import ClosedAddress, Endpoint
from notifications.selectors import address_closed, endpoints_closed
from roadkill_site.accounts.models import User


@dataclass(frozen=True)
class Trouble:
    """What does not work: the mail address, if it is closed, and closed webhooks and browsers."""

    mail: ClosedAddress | None
    endpoints: list[Endpoint]


def mail_trouble(request: HttpRequest) -> dict[str, object]:
    """`trouble`: what does not work for the signed-in player, else None; looked up only if the page asks.

    Pages show it by `{% include "notifications/_trouble.html" %}`.
    """

    def trouble() -> Trouble | None:
        user = getattr(request, "user", None)
        if not isinstance(user, User):
            return None
        mail = address_closed(channel=EmailChannel.key, address=user.email)
        return Trouble(mail, endpoints_closed(player_id=user.pk))

    return {"trouble": SimpleLazyObject(trouble)}
