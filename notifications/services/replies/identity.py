"""By what we know our own mails again: domain, senders, keys and the traces that quoted mails of ours show."""

from email.utils import parseaddr

from django.conf import settings

from notifications.inbound.body import Traces
from notifications.inbound.kinds import Ours
from notifications.inbound.marker import MARKER
from notifications.inbound.senders import address_fold


def hash_secrets() -> tuple[bytes, ...]:
    """The keys under which reply keys are hashed and return paths signed: the present one, then former ones."""
    return tuple(key.encode("utf-8") for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


def ours() -> Ours:
    """What our own mails carry."""
    return Ours(settings.REPLY_DOMAIN, (address_fold(parseaddr(settings.MAIL_FROM)[1]),), hash_secrets())


def traces() -> Traces:
    """What a quoted mail of ours shows.

    A display name of one word is none: a player may write it, and the line that holds it would end the reading.
    """
    name, address = parseaddr(settings.MAIL_FROM)
    domains = dict.fromkeys((settings.REPLY_DOMAIN, address.rpartition("@")[2], settings.SITE_HOST))
    return Traces(tuple(one for one in domains if one), (name,) if " " in name.strip() else (), (MARKER,))
