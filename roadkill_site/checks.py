"""System checks of settings that must fit together; what one variable alone must be is refused in `env`."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.http.request import validate_host

from roadkill_site.inbound_webhooks import WEBHOOK_KEYS

SETTINGS_TAG = "roadkill_settings"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@checks.register(SETTINGS_TAG)
def settings_fit_together(**_options: Any) -> list[checks.CheckMessage]:
    """Every error names the variable and says what to set it to; with any error the site does not start."""
    return [*_production_is_guarded(), *_addresses_fit(), *_mail_fits(), *_database_fits()]


def _production_is_guarded() -> list[checks.CheckMessage]:
    if not settings.PRODUCTION:
        return []
    found: list[checks.CheckMessage] = []
    if settings.DEBUG:
        found.append(
            checks.Error("Setting DEBUG: its pages show secrets; leave it off in production.", id="roadkill.E001")
        )
    for name, key in [("SECRET_KEY", settings.SECRET_KEY), *_former_keys()]:
        if len(key) < 50 or len(set(key)) < 5:
            found.append(checks.Error(f"Setting {name}: a key needs 50 random letters or more.", id="roadkill.E002"))
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            checks.Error(
                "Setting ALLOWED_HOSTS: * lets anybody put a host of their own into our links; name the hosts.",
                id="roadkill.E003",
            )
        )
    if not settings.SITE_IS_HTTPS and settings.SITE_HOST not in LOOPBACK:
        found.append(
            checks.Error(
                "Setting SITE_URL: links act and sessions sign in, so the site must be reached by https://.",
                id="roadkill.E004",
            )
        )
    return found


def _former_keys() -> list[tuple[str, str]]:
    return [("SECRET_KEY_FALLBACKS", key) for key in settings.SECRET_KEY_FALLBACKS]


def _addresses_fit() -> list[checks.CheckMessage]:
    host = f"[{settings.SITE_HOST}]" if ":" in settings.SITE_HOST else settings.SITE_HOST
    if validate_host(host, settings.ALLOWED_HOSTS):
        return []
    return [
        checks.Error(
            f"Setting ALLOWED_HOSTS: it must let in {host}, the host of SITE_URL, or no link of ours works.",
            id="roadkill.E005",
        )
    ]


def _mail_fits() -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = _replies_fit()
    if settings.EMAIL_HOST_PASSWORD and not settings.EMAIL_HOST_USER:
        found.append(
            checks.Error("Setting EMAIL_HOST_USER: there is a password but no user for it.", id="roadkill.E006")
        )
    if settings.EMAIL_HOST_PASSWORD and settings.EMAIL_SECURITY == "none" and settings.EMAIL_HOST not in LOOPBACK:
        found.append(
            checks.Error(
                "Setting EMAIL_SECURITY: a password must not travel in the clear; set it to starttls or tls.",
                id="roadkill.E007",
            )
        )
    return found


def _replies_fit() -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    domain = settings.REPLY_DOMAIN
    if settings.REPLIES and settings.EMAIL_HOST and (domain in LOOPBACK or domain.replace(".", "").isdigit()):
        found.append(
            checks.Error(
                f"Setting REPLY_DOMAIN: no mail program sends to {domain}; name a domain whose mail comes here.",
                id="roadkill.E010",
            )
        )
    provider = settings.INBOUND_WEBHOOK
    if provider and WEBHOOK_KEYS[provider] and not settings.INBOUND_WEBHOOK_KEY:
        found.append(
            checks.Error(
                f"Setting INBOUND_WEBHOOK_KEY: {provider} signs what it posts; name its key.",
                id="roadkill.E011",
            )
        )
    if provider and not WEBHOOK_KEYS[provider] and ":" not in settings.INBOUND_WEBHOOK_SECRET:
        found.append(
            checks.Error(
                "Setting INBOUND_WEBHOOK_SECRET: name USER:PASSWORD and put them into the address that the provider"
                " posts to, or anybody could post mail.",
                id="roadkill.E012",
            )
        )
    if not settings.REPLIES and (provider or settings.INBOUND_IMAP_URL):
        found.append(
            checks.Error(
                "Setting REPLIES: mail is to be brought in, but replies are off; set it to yes.", id="roadkill.E013"
            )
        )
    if bool(settings.INBOUND_TLS_CERTIFICATE) != bool(settings.INBOUND_TLS_KEY):
        missing = "INBOUND_TLS_KEY" if settings.INBOUND_TLS_CERTIFICATE else "INBOUND_TLS_CERTIFICATE"
        found.append(
            checks.Error(
                f"Setting {missing}: a certificate and its key belong together; name both files, or neither.",
                id="roadkill.E015",
            )
        )
    imap = urlsplit(settings.INBOUND_IMAP_URL or "")
    if imap.scheme == "imap" and imap.hostname not in LOOPBACK:
        found.append(
            checks.Error(
                "Setting INBOUND_IMAP_URL: a password must not travel in the clear; use imaps://.", id="roadkill.E014"
            )
        )
    return found


def _database_fits() -> list[checks.CheckMessage]:
    if not settings.PRODUCTION or "sqlite3" not in settings.DATABASES["default"]["ENGINE"]:
        return []
    return [
        checks.Warning(
            "Setting DATABASE_URL: on SQLite only one process writes at a time; PostgreSQL serves many players.",
            id="roadkill.W001",
        )
    ]
