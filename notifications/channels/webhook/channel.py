"""The webhook channel: a signed POST, and what the answer to it means."""

import hashlib
import hmac
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings

from games.selectors.notices import NoticeFacts
from notifications.channels.base import Parcel, PermanentFailure, TransientFailure
from notifications.channels.outward import Answer, post
from notifications.channels.webhook.bodies import body_of
from notifications.words import ENDPOINT_KINDS

SIGNATURE: Final = "Roadkill-Signature"
TIMESTAMP: Final = "Roadkill-Timestamp"
DELIVERY: Final = "Roadkill-Delivery"
# There is no such hook (any more); at an address of a program's own, 404 may be a slip that passes.
_GONE: Final = {"generic": frozenset({410}), "discord": frozenset({401, 404, 410}), "slack": frozenset({403, 404, 410})}


class WebhookChannel:
    """A POST of JSON to an address that a player gave: a program's own, a channel of Discord's or of Slack's."""

    key = "webhook"
    has_endpoints = True

    @property
    def is_on(self) -> bool:
        """Whether the operator lets it be used."""
        return bool(settings.WEBHOOKS)

    def kinds(self) -> frozenset[str]:
        """What is told to a player; an invitation is for an address."""
        return ENDPOINT_KINDS

    def address(self, facts: NoticeFacts) -> str:
        """None of the account's own: endpoints have theirs."""
        del facts
        return ""

    @contextmanager
    def open(self) -> Iterator["WebhookLine"]:
        """Each message has a connection of its own."""
        yield WebhookLine()


class WebhookLine:
    """The way out to webhooks."""

    def send(self, parcel: Parcel) -> None:
        """Post the letter; raises TransientFailure or PermanentFailure."""
        endpoint = parcel.endpoint
        assert endpoint is not None
        name = parcel.message_id.strip("<>").partition("@")[0]
        body = body_of(endpoint.form, parcel.letter, name=name)
        moment = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            DELIVERY: name,
            TIMESTAMP: moment,
            SIGNATURE: f"v1={signature_of(secret=endpoint.secret, timestamp=moment, body=body)}",
        }
        answer_judge(post(endpoint.address, body=body, headers=headers), gone=_GONE[endpoint.form])


def signature_of(*, secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256, in hexadecimal, over the time stamp, a dot and the body (RFC 2104)."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def answer_judge(answer: Answer, *, gone: frozenset[int]) -> None:
    """Pass what was taken; raises PermanentFailure or TransientFailure for the rest."""
    if 200 <= answer.status < 300:
        return
    words = f"{answer.status} {answer.said}".strip()
    if 300 <= answer.status < 400:
        words = f"{answer.status}: it leads elsewhere, and redirects are not followed"
    raise PermanentFailure(words) if answer.status in gone else TransientFailure(words)
