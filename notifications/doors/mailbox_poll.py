"""A mailbox of ours that is polled by IMAP (RFC 3501): mails stay where they are, and are marked as seen once kept.

How far a folder was read is remembered by UID within its UIDVALIDITY; if the server counts anew, what may have come
since the last poll is looked at again, and what came before is known by its Message-ID or its bytes.
"""

import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from imaplib import IMAP4
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.db import transaction
from django.utils import timezone
from imap_tools import (
    AND,
    OR,
    BaseMailBox,
    ImapToolsError,
    MailBox,
    MailBoxUnencrypted,
    MailMessageFlags,
    U,
)

from notifications.inbound.message import MESSAGE_MOST
from notifications.reply_models import PolledFolder, Way
from notifications.services.replies.keeping import MailTooLarge, mail_keep

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS: Final = 30
BATCH_MOST: Final = 200
"""New mails of one poll; the next goes on behind them."""
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
        words = f"{place}: {type(failed).__name__}: {failed}"
        for secret in (unquote(parts.password or ""), parts.password):
            words = words.replace(secret or "\0", "…")
        raise PollFailed(words) from failed


@contextmanager
def _open(url: str, folder: str) -> Iterator[BaseMailBox]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    box: BaseMailBox
    if parts.scheme == "imaps":
        # Without a context of ours the standard library would believe any certificate.
        box = MailBox(host, port, timeout=TIMEOUT_SECONDS, ssl_context=ssl.create_default_context())
    else:
        box = MailBoxUnencrypted(host, port, timeout=TIMEOUT_SECONDS)
    try:
        # LOGIN takes ASCII alone (RFC 3501, 9).
        login = box.login if (user + password).isascii() else box.login_utf8
        yield login(user, password, initial_folder=folder)
    finally:
        # Whatever happened; a connection that broke is beyond a polite end.
        box.client.shutdown()


def _poll(mailbox: BaseMailBox, folder: str, place: str) -> int:
    uidvalidity = int(mailbox.folder.status(folder, ["UIDVALIDITY"])["UIDVALIDITY"])
    before = PolledFolder.objects.filter(place=place).first()
    goes_on = before is not None and before.uidvalidity == uidvalidity
    read_to = before.last_uid if before is not None and goes_on else 0
    # Asked for before the others, so that whatever comes in between is behind it.
    end = 0 if goes_on else max(map(int, mailbox.uids("UID *")), default=0)
    count = 0
    uids = sorted(int(uid) for uid in mailbox.uids(_wanted(before, read_to, goes_on=goes_on)) if int(uid) > read_to)
    for uid in uids:
        if count >= BATCH_MOST:
            # A folder whose first poll has not come to its end is begun anew: what was kept is marked, or known.
            return count
        count += _kept(mailbox, uid, place)
        if goes_on:
            _note(place, uidvalidity, uid)
    _note(place, uidvalidity, max([read_to, end, *uids]))
    return count


def _wanted(before: PolledFolder | None, read_to: int, *, goes_on: bool) -> str:
    """What to look at: what is behind the last poll, by UID, or by date if the folder counts anew."""
    if goes_on:
        return str(AND(uid=U(str(read_to + 1), "*")))
    if before is None:
        # A folder that was never polled may hold years of mail; what its owner has looked at is not taken up.
        return str(AND(seen=False))
    # By the server's own days, whatever its zone is.
    return str(OR(AND(seen=False), AND(date_gte=(before.polled_at - timedelta(days=2)).date())))


def _kept(mailbox: BaseMailBox, uid: int, place: str) -> bool:
    """Keep the mail and mark it as seen; whether it is a new one."""
    raw = _bytes_of(mailbox, uid)
    try:
        kept = (
            None if raw is None else mail_keep(raw=raw, came_by=Way.IMAP, envelope_sender=None, envelope_recipients=[])
        )
    except MailTooLarge:
        # The server told another size.
        kept = None
    if kept is None:
        logger.warning("Mail %s of %s is too large or gone; it is left alone", uid, place)
        return False
    mailbox.flag([str(uid)], [MailMessageFlags.SEEN], value=True)
    return kept.is_new


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


@transaction.atomic
def _note(place: str, uidvalidity: int, uid: int) -> None:
    PolledFolder.objects.update_or_create(
        place=place, defaults={"uidvalidity": uidvalidity, "last_uid": uid, "polled_at": timezone.now()}
    )
