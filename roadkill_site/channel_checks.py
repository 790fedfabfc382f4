"""System checks of the settings of channels: apart, since accounts, which know no notices, import the others."""

from typing import Any

from django.conf import settings
from django.core import checks

from notifications.channels.push.sealing import KeyRefused, private_key
from roadkill_site.checks import LOOPBACK, SETTINGS_TAG


@checks.register(SETTINGS_TAG)
def channel_settings_fit_together(**_options: Any) -> list[checks.CheckMessage]:
    """Of webhooks and web push."""
    found: list[checks.CheckMessage] = []
    if settings.PUSH_PRIVATE_KEY:
        try:
            private_key(settings.PUSH_PRIVATE_KEY)
        except KeyRefused:
            found.append(
                checks.Error(
                    "Setting PUSH_PRIVATE_KEY: it is no key; `manage.py push_key` makes one.",
                    id="roadkill.E008",
                )
            )
        if not settings.PUSH_CONTACT.startswith(("mailto:", "https://")):
            found.append(
                checks.Error(
                    "Setting PUSH_CONTACT: push services want mailto: and an address, or an address with https://.",
                    id="roadkill.E009",
                )
            )
        if not settings.SITE_IS_HTTPS and settings.SITE_HOST not in LOOPBACK:
            found.append(
                checks.Warning("Setting SITE_URL: browsers offer web push on https:// only.", id="roadkill.W002")
            )
    if settings.PRODUCTION and settings.WEBHOOK_PRIVATE_ADDRESSES:
        found.append(
            checks.Warning(
                "Setting WEBHOOK_PRIVATE_ADDRESSES: any player can have this server post to your own network.",
                id="roadkill.W003",
            )
        )
    return found
