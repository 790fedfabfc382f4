"""The address at which a provider posts mail that came in: one provider's, as INBOUND_WEBHOOK says."""

from anymail.signals import inbound
from anymail.urls import urlpatterns as every
from django.conf import settings
from django.urls import URLPattern, URLResolver

from notifications.doors.webhook import mail_posted

inbound.connect(mail_posted, dispatch_uid="notifications.doors.webhook")

urlpatterns: list[URLPattern | URLResolver] = [
    pattern
    for pattern in every
    if settings.INBOUND_WEBHOOK in str(pattern.pattern) and str(pattern.name).endswith("_inbound_webhook")
]
