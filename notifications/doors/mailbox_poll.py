"""A mailbox of ours that is polled by IMAP (RFC 3501): mails stay where they are, and are marked as seen once kept.

How far a folder was read is remembered by UID within its UIDVALIDITY; if the server counts anew, everything is looked
at again, and what came before is known by its Message-ID or its bytes.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from imaplib import IMAP4
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.db import transaction
from django.utils import timezone
from imap_tools import (
    AND,
    BaseMailBox,
    ImapToolsError,
    MailBox,
    MailBoxUnencrypted,
    MailMessageFlags,
    U,
)

from notifications.inbound.message import MESSAGE_MOST
from notifications.reply_models import PolledFolder, Way
from notifications.services.replies.keeping import mail_keep

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS: Final = 30
BATCH_MOST: Final = 200
"""Mails of one poll; the next goes on behind them."""
_PORTS: Final = {"imap": 143, "imaps": 993}


class PollFailed(Exception):
    """The mailbox could not be read; the text says why, without the password."""


def mailbox_poll(url: str) -> int:
    """Keep what has come into the mailbox since the last poll; returns how many mails. Raises PollFailed."""
    parts = urlsplit(url)
    folder = unquote(parts.path.strip("/")) or "INBOX"
    place = f"{unquote(parts.username or '')}@{parts.hostname}/{folder}"
    try:
        with _open(url, folder) as mailbox:
            return _poll(mailbox, folder, place)
    except (OSError, IMAP4.error, ImapToolsError) as failed:
        raise PollFailed(f"{place}: {type(failed).__name__}: {failed}".replace(parts.password or "\0", "…")) from failed


@contextmanager
def _open(url: str, folder: str) -> Iterator[BaseMailBox]:
    parts = urlsplit(url)
    kind = MailBox if parts.scheme == "imaps" else MailBoxUnencrypted
    port = parts.port or _PORTS[parts.scheme]
    box = kind(parts.hostname or "", port, timeout=TIMEOUT_SECONDS)
    try:
        yield box.login(unquote(parts.username or ""), unquote(parts.password or ""), initial_folder=folder)
    finally:
        # Whatever happened; a connection that broke is beyond a polite end.
        box.client.shutdown()


def _poll(mailbox: BaseMailBox, folder: str, place: str) -> int:
    uidvalidity = int(mailbox.folder.status(folder, ["UIDVALIDITY"])["UIDVALIDITY"])
    read_to = _read_to(place, uidvalidity)
    # A folder that was never polled may hold years of mail; what its owner has looked at is not taken up.
    wanted = AND(uid=U(str(read_to + 1), "*")) if read_to else AND(seen=False)
    uids = sorted(int(uid) for uid in mailbox.uids(wanted) if int(uid) > read_to)[:BATCH_MOST]
    count = 0
    for uid in uids:
        raw = _bytes_of(mailbox, uid)
        if raw is None:
            logger.warning("Mail %s of %s is too large or gone; it is left alone", uid, place)
        else:
            kept = mail_keep(raw=raw, came_by=Way.IMAP, envelope_sender=None, envelope_recipients=[])
            count += kept.is_new
            mailbox.flag([str(uid)], [MailMessageFlags.SEEN], value=True)
        _note(place, uidvalidity, uid)
    _note(place, uidvalidity, max([read_to, *uids]))
    return count


def _bytes_of(mailbox: BaseMailBox, uid: int) -> bytes | None:
    """The mail as it lies there, not marked as seen by reading it; None if it is too large or gone."""
    told = _fetched(mailbox, uid, "(RFC822.SIZE)")
    sizes = [part for part in told if isinstance(part, bytes) and b"RFC822.SIZE" in part]
    if not sizes or int(sizes[0].rpartition(b"RFC822.SIZE ")[2].split(b")")[0].split()[0]) > MESSAGE_MOST:
        return None
    parts = [part for part in _fetched(mailbox, uid, "(BODY.PEEK[])") if isinstance(part, tuple)]
    return bytes(parts[0][1]) if parts else None


def _fetched(mailbox: BaseMailBox, uid: int, what: str) -> list[Any]:
    result, told = mailbox.client.uid("FETCH", str(uid), what)
    if result != "OK":
        raise OSError(f"the server answered {result} to FETCH")
    return list(told)


def _read_to(place: str, uidvalidity: int) -> int:
    row = PolledFolder.objects.filter(place=place, uidvalidity=uidvalidity).first()
    return 0 if row is None else row.last_uid


@transaction.atomic
def _note(place: str, uidvalidity: int, uid: int) -> None:
    PolledFolder.objects.update_or_create(
        place=place, defaults={"uidvalidity": uidvalidity, "last_uid": uid, "polled_at": timezone.now()}
    )
