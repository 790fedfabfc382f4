"""Which providers may post mail here, and what django-anymail wants to be told of each."""

from typing import Any, Final

WEBHOOK_KEYS: Final = {
    "mailersend": "MAILERSEND_INBOUND_SECRET",
    "mailgun": "MAILGUN_WEBHOOK_SIGNING_KEY",
    "mandrill": "MANDRILL_WEBHOOK_KEY",
    "postal": "POSTAL_WEBHOOK_KEY",
    "postmark": "",
    "sendgrid": "",
    "sparkpost": "",
}
"""Providers that can post a mail as it came, each with django-anymail's name for the key that signs its requests.

"" for one that signs nothing: its requests are known by user and password alone.
"""


def anymail_settings(provider: str, secret: str, key: str) -> dict[str, Any]:
    """Django's ANYMAIL setting for mail that comes in from this provider."""
    settings: dict[str, Any] = {}
    if secret:
        settings["WEBHOOK_SECRET"] = secret
    if provider and WEBHOOK_KEYS[provider]:
        settings[WEBHOOK_KEYS[provider]] = key
    return settings
