"""A mail read whole, in the one order in which its parts are safe: caps, kind, key, sender, then the own lines."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from notifications.inbound.address import Candidate, keys_find, stop_address_find
from notifications.inbound.body import Own, Traces, own_lines
from notifications.inbound.kinds import Classified, Kind, Ours, classify
from notifications.inbound.message import Message, Trouble, Unreadable, message_read
from notifications.inbound.senders import Authentication, Dmarc, Sender, authentication_of, sender_of


@dataclass(frozen=True)
class Envelope:
    """What SMTP said beside the mail. ``sender`` is "" for the null sender, None where the way in does not tell it."""

    sender: str | None = None
    recipients: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What a mail is and says. ``own`` has lines for a reply only; ``unreadable`` says why there are none.

    ``stop``: which mail of ours its sender wants no more like, if it was sent to that mail's stop address; else "".
    """

    classified: Classified
    sender: Sender
    authentication: Authentication
    keys: tuple[Candidate, ...]
    own: Own
    message_id: str = ""
    subject: str = ""
    digest: str = ""
    unreadable: Unreadable | None = None
    stop: str = ""


def mail_read(raw: bytes, *, envelope: Envelope, ours: Ours, traces: Traces, authserv_id: str = "") -> Reading:
    """The mail, whatever its bytes are; raises nothing. ``authserv_id`` names our checking server, "" for none."""
    message = message_read(raw)
    stop = stop_address_find(
        message if isinstance(message, Message) else None,
        envelope_recipients=envelope.recipients,
        stop_secrets=ours.return_secrets,
        domain=ours.domain,
    )
    if isinstance(message, Unreadable):
        return Reading(
            Classified(Kind.UNREADABLE, message.trouble.value),
            Sender("", trouble="not read"),
            Authentication(Dmarc.NONE),
            (),
            Own(()),
            unreadable=message,
            stop=stop or "",
        )
    classified = classify(message, ours=ours, envelope_sender=envelope.sender, envelope_recipients=envelope.recipients)
    sender = sender_of(message)
    own, unreadable = Own(()), None
    if classified.kind is Kind.REPLY:
        own = own_lines(message, traces)
        unreadable = _unreadable(message, own)
        if unreadable is not None:
            classified, own = Classified(Kind.UNREADABLE, unreadable.trouble.value), Own(())
        elif not own.lines:
            classified = Classified(Kind.BLANK, "no line of the sender's own")
        elif is_emoji_only(own.lines):
            classified, own = Classified(Kind.REACTION, "nothing but pictures"), Own(())
    return Reading(
        classified=classified,
        sender=sender,
        authentication=authentication_of(message, authserv_id=authserv_id, sender=sender),
        keys=keys_find(message, envelope_recipients=envelope.recipients, domain=ours.domain),
        own=own,
        message_id=message.first("message-id"),
        subject=message.first("subject"),
        digest=message.digest,
        unreadable=unreadable,
        stop=stop or "",
    )


def is_emoji_only(lines: Sequence[str]) -> bool:
    """Whether there is nothing but pictures and marks: a picture, and no letter and no digit of any script."""
    letters = [letter for line in lines for letter in line]
    return not any(map(str.isalnum, letters)) and any(unicodedata.category(letter) == "So" for letter in letters)


def _unreadable(message: Message, own: Own) -> Unreadable | None:
    """Why a reply without lines has none, where that is not because nothing was written."""
    if own.is_encrypted:
        return Unreadable(Trouble.ENCRYPTED, "Your mail is encrypted, and there is no key here: send it as plain text.")
    has_text = message.plain is not None or message.html is not None
    if not has_text and any(kind.startswith("application/") and "tnef" in kind for kind in message.types):
        return Unreadable(
            Trouble.BROKEN, "Your mail came as a “winmail.dat” attachment, which cannot be read: send it as plain text."
        )
    return None
