"""The address at which a provider posts mail that came in: one provider's, as INBOUND_WEBHOOK says."""

from typing import Final

from anymail.signals import inbound
from django.conf import settings
from django.urls import URLPattern, URLResolver, path

from notifications.doors.webhook import mail_posted
from notifications.doors.webhook_views import VIEWS

inbound.connect(mail_posted, dispatch_uid="notifications.doors.webhook")

# Mailgun posts a mail as it came, and not taken apart, to an address that ends so.
_ENDINGS: Final = {"mailgun": "inbound_mime"}

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{provider}/{_ENDINGS.get(provider, 'inbound')}/", view.as_view(), name="mail_in")
    for provider, view in VIEWS.items()
    if provider == settings.INBOUND_WEBHOOK
]
