"""One view a provider: django-anymail checks who posts; two take a mail as the bytes that it is."""

import json
from base64 import b64decode
from types import SimpleNamespace
from typing import Any, Final

from anymail.inbound import AnymailInboundMessage
from anymail.webhooks.mailersend import MailerSendInboundWebhookView
from anymail.webhooks.mailgun import MailgunInboundWebhookView
from anymail.webhooks.mandrill import MandrillCombinedWebhookView
from anymail.webhooks.postal import PostalInboundWebhookView
from anymail.webhooks.postmark import PostmarkInboundWebhookView
from anymail.webhooks.sendgrid import SendGridInboundWebhookView
from anymail.webhooks.sparkpost import SparkPostInboundWebhookView
from django.http import HttpRequest


class PostalView(PostalInboundWebhookView):  # type: ignore[misc]
    """Postal's: it posts any bytes in base64, and the library takes them for UTF-8."""

    def parse_events(self, request: HttpRequest) -> list[Any]:
        """The one event of a request."""
        posted = json.loads(request.body.decode("utf-8"))
        if posted.get("base64") is not True:
            return list(super().parse_events(request))
        rest = json.dumps({**posted, "message": "", "base64": False})
        (event,) = super().parse_events(SimpleNamespace(body=rest.encode()))
        return [_with_bytes(event, b64decode(posted["message"]))]


class SparkPostView(SparkPostInboundWebhookView):  # type: ignore[misc]
    """SparkPost's: base64 is what it posts of a mail that is no UTF-8, and the library takes that for UTF-8."""

    def esp_to_anymail_event(self, event_class: str, event: dict[str, Any], raw_event: dict[str, Any]) -> Any:
        """The event of one mail."""
        content = event.get("content", {})
        if not content.get("email_rfc822_is_base64"):
            return super().esp_to_anymail_event(event_class, event, raw_event)
        rest = {**event, "content": {"email_rfc822": "", "email_rfc822_is_base64": False}}
        return _with_bytes(
            super().esp_to_anymail_event(event_class, rest, raw_event), b64decode(content["email_rfc822"])
        )


def _with_bytes(event: Any, raw: bytes) -> Any:
    message = AnymailInboundMessage.parse_raw_mime_bytes(raw)
    message.envelope_sender = event.message.envelope_sender
    message.envelope_recipient = event.message.envelope_recipient
    event.message = message
    return event


VIEWS: Final = {
    "mailersend": MailerSendInboundWebhookView,
    "mailgun": MailgunInboundWebhookView,
    "mandrill": MandrillCombinedWebhookView,
    "postal": PostalView,
    "postmark": PostmarkInboundWebhookView,
    "sendgrid": SendGridInboundWebhookView,
    "sparkpost": SparkPostView,
}
