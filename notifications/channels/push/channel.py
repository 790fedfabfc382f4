"""The web push channel: "it is your turn in this race", and no more."""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings

from games.selectors.notices import NoticeFacts
from notifications.channels.base import Parcel, PermanentFailure
from notifications.channels.outward import post
from notifications.channels.push.sealing import KeyRefused, decoded, encoded, private_key, proof, public_part, seal
from notifications.channels.webhook.channel import answer_judge
from notifications.channels.wording import subject_of
from notifications.letters import Letter
from notifications.words import ENDPOINT_KINDS

KEPT_SECONDS: Final = 24 * 60 * 60
"""How long a push service keeps a message for a browser that is away."""
_GONE: Final = frozenset({404, 410})


class PushChannel:
    """A notification by the player's browser, if the operator has set a key for it."""

    key = "push"
    has_endpoints = True

    @property
    def is_on(self) -> bool:
        """Whether the operator has set a key."""
        return bool(settings.PUSH_PRIVATE_KEY)

    def kinds(self) -> frozenset[str]:
        """What is told to a player; an invitation is for an address."""
        return ENDPOINT_KINDS

    def address(self, facts: NoticeFacts) -> str:
        """None of the account's own: browsers have theirs."""
        del facts
        return ""

    @contextmanager
    def open(self) -> Iterator["PushLine"]:
        """Each message has a connection of its own."""
        yield PushLine()


class PushLine:
    """The way out to push services."""

    def send(self, parcel: Parcel) -> None:
        """Post the sealed message to the browser's push service; raises TransientFailure or PermanentFailure."""
        endpoint = parcel.endpoint
        assert endpoint is not None
        key = private_key(settings.PUSH_PRIVATE_KEY)
        try:
            body = seal(
                message_of(parcel.letter), browser_key=decoded(endpoint.browser_key), auth=decoded(endpoint.secret)
            )
        except KeyRefused as refused:
            raise PermanentFailure(f"The browser's key cannot be used: {refused}") from refused
        headers = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(KEPT_SECONDS),
            "Urgency": "normal",
            # A later message about a race takes the place of one that was not yet seen (RFC 8030, 5.4).
            "Topic": encoded(hashlib.sha256(parcel.letter.thread.encode()).digest())[:32],
            "Authorization": proof(
                address=endpoint.address, contact=settings.PUSH_CONTACT, key=key, now=int(time.time())
            ),
        }
        answer_judge(post(endpoint.address, body=body, headers=headers), gone=_GONE)


def message_of(letter: Letter) -> bytes:
    """Race and what is wanted, and where to look; nothing hidden, for it may stand on a locked screen."""
    title, _, wanted = subject_of(letter).partition(": ")
    told = {"title": title, "body": wanted[:1].upper() + wanted[1:], "address": letter.race_address}
    return json.dumps(told, ensure_ascii=False).encode()


def push_public_key() -> str:
    """Our public key, as a browser wants it; "" if there is none."""
    return encoded(public_part(private_key(settings.PUSH_PRIVATE_KEY))) if settings.PUSH_PRIVATE_KEY else ""
