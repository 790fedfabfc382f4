"""Keeping a mail that came, before anything else is done with it: from then on it is not lost."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from notifications.inbound.message import MESSAGE_MOST
from notifications.reply_models import MESSAGE_ID_LENGTH, InboundMail, Way
from notifications.services.replies.nudging import worker_nudge

_MESSAGE_ID: Final = re.compile(rb"^message-id:[ \t]*(?:\r?\n[ \t]+)?(<[^<>\s]{1,248}>)", re.IGNORECASE | re.MULTILINE)
_HEADERS_END: Final = re.compile(rb"\r?\n\r?\n")
RECIPIENTS_MOST: Final = 20


class MailTooLarge(Exception):
    """The mail has more bytes than any reply; it is not kept."""


@dataclass(frozen=True)
class Kept:
    """The row of a mail; ``is_new`` is false for one that came before, by whatever way."""

    mail_id: int
    is_new: bool


def mail_keep(
    *,
    raw: bytes,
    came_by: Way,
    envelope_sender: str | None,
    envelope_recipients: Sequence[str],
) -> Kept:
    """Keep a mail as it came; when this returns, it is in the database. Raises MailTooLarge.

    Once each: a mail with the Message-ID or the bytes of one that came before is that one. The worker is told
    once it is committed; should that reach nobody, the sweep takes the row up.
    """
    if len(raw) > MESSAGE_MOST:
        raise MailTooLarge(f"The mail has {len(raw)} bytes; a reply has {MESSAGE_MOST} at most.")
    digest = hashlib.sha256(raw).hexdigest()
    message_id = message_id_of_raw(raw)
    now = timezone.now()
    before = _before(digest, message_id)
    if before is not None:
        return Kept(before, is_new=False)
    try:
        with transaction.atomic():
            row = InboundMail.objects.create(
                came_by=came_by,
                came_at=now,
                due_at=now,
                raw=raw,
                size=len(raw),
                digest=digest,
                message_id=message_id,
                envelope_sender=None if envelope_sender is None else _storable(envelope_sender),
                envelope_recipients=[_storable(one) for one in envelope_recipients[:RECIPIENTS_MOST]],
            )
            transaction.on_commit(lambda: worker_nudge(row.pk))
    except IntegrityError:
        # The same mail came by two ways at once.
        before = _before(digest, message_id)
        if before is None:
            raise
        return Kept(before, is_new=False)
    return Kept(row.pk, is_new=True)


def message_id_of_raw(raw: bytes) -> str:
    """The Message-ID in the headers, "" if there is none that could be one; the bytes need not be a mail."""
    headers = _HEADERS_END.split(raw[: 256 * 1024], maxsplit=1)[0]
    found = _MESSAGE_ID.search(headers)
    text = found[1].decode("ascii", "replace") if found else ""
    return text if text.isascii() and text.isprintable() and len(text) <= MESSAGE_ID_LENGTH else ""


def _before(digest: str, message_id: str) -> int | None:
    rows = InboundMail.objects.filter(digest=digest)
    if message_id:
        rows = rows | InboundMail.objects.filter(message_id=message_id)
    return rows.order_by("pk").values_list("pk", flat=True).first()


def _storable(text: str) -> str:
    """An envelope address as it can be stored: no database takes a NUL, or half of a pair of surrogates."""
    return "".join(letter for letter in text if letter.isprintable())[:320]
