"""What a channel must offer, and the two ways in which it may fail."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from games.selectors.log import Place
from games.selectors.notices import NoticeFacts
from notifications.letters import Letter
from notifications.models import Endpoint


class DeliveryFailed(Exception):
    """A try failed; the text says what the other side said, in one line, without secrets."""


class TransientFailure(DeliveryFailed):
    """It may work later: the other side is away, busy or unsure, or our own sending is at fault."""


class PermanentFailure(DeliveryFailed):
    """This address will never take our messages."""


@dataclass(frozen=True)
class Parcel:
    """One letter on its way: what it says, its own name for ever, and where it goes.

    ``address``: for an endpoint its label, since the address itself is a secret. ``place``: of a story, the place
    in the race's log behind it.
    """

    letter: Letter
    message_id: str
    address: str
    endpoint: Endpoint | None = None
    place: Place | None = None


class Line(Protocol):
    """An open way to the other side, used for a batch of messages."""

    def send(self, parcel: Parcel) -> None:
        """Hand one parcel over.

        Returns once the other side has taken it; raises TransientFailure or PermanentFailure.
        """
        ...


class Channel(Protocol):
    """One way to reach players. A channel holds no state: what it must remember stands in rows."""

    key: str
    # Whether it reaches players at endpoints of their own making, any number of them, or at one address each.
    has_endpoints: bool

    @property
    def is_on(self) -> bool:
        """Whether this site has what it needs for it."""
        ...

    def kinds(self) -> frozenset[str]:
        """The kinds of notices it carries."""
        ...

    def address(self, facts: NoticeFacts) -> str:
        """Where the person of these facts is reached by this channel, or "" if nowhere."""
        ...

    def open(self) -> AbstractContextManager[Line]:
        """A line for a batch. It connects with its first message and closes at the end of the block."""
        ...
