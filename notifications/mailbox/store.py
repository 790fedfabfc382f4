"""Mails kept as files, one a mail, newest last by name; for development only."""

import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import Path
from typing import Final

KEPT_MOST: Final = 2000
"""Mails kept; older ones go when a new one comes."""
_NAME: Final = re.compile(r"^[0-9]{20}-[0-9a-f]{8}$")


@dataclass(frozen=True)
class StoredMail:
    """One kept mail: its key in addresses, and the message as it was handed over."""

    key: str
    message: EmailMessage

    @property
    def subject(self) -> str:
        """The subject, decoded."""
        return str(self.message["Subject"] or "(no subject)")

    @property
    def recipient(self) -> str:
        """The address that it went to."""
        return parseaddr(str(self.message["To"] or ""))[1]

    @property
    def reply_address(self) -> str:
        """Where an answer to it goes, "" if nobody reads one."""
        return parseaddr(str(self.message["Reply-To"] or ""))[1]

    @property
    def sender(self) -> str:
        """Who it came from, as readers show it."""
        return str(self.message["From"] or "")

    @property
    def sent_at(self) -> datetime:
        """Its Date header."""
        return parsedate_to_datetime(str(self.message["Date"]))

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Every header, decoded, in the order in which it stands."""
        return [(name, str(value)) for name, value in self.message.items()]

    def part(self, subtype: str) -> str | None:
        """The text of its text/`subtype` part, or None if it has none."""
        body = self.message.get_body(preferencelist=(subtype,))
        if body is None:
            return None
        content = body.get_content()
        assert isinstance(content, str)
        return content


def mail_store(folder: Path, raw: bytes) -> str:
    """Keep a message, given as it would go over the wire; returns its key."""
    folder.mkdir(parents=True, exist_ok=True)
    key = f"{datetime.now(UTC):%Y%m%d%H%M%S%f}-{secrets.token_hex(4)}"
    unfinished = folder / f"{key}.part"
    unfinished.write_bytes(raw)
    unfinished.rename(folder / f"{key}.eml")  # a reader sees whole mails only
    for old in _keys(folder)[KEPT_MOST:]:
        (folder / f"{old}.eml").unlink(missing_ok=True)
    return key


def mail_list(folder: Path, *, most: int, before: str = "") -> list[StoredMail]:
    """The newest mails, newest first; with `before`, those older than that key."""
    keys = [key for key in _keys(folder) if not before or key < before]
    return [mail for key in keys[:most] if (mail := mail_get(folder, key)) is not None]


def mail_get(folder: Path, key: str) -> StoredMail | None:
    """The mail with this key, or None; a key that was not made here names no file."""
    if not _NAME.match(key):
        return None
    try:
        raw = (folder / f"{key}.eml").read_bytes()
    except FileNotFoundError:
        return None
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return StoredMail(key, message)


def mail_drop_all(folder: Path) -> int:
    """Delete every kept mail; returns how many there were."""
    keys = _keys(folder)
    for key in keys:
        (folder / f"{key}.eml").unlink(missing_ok=True)
    return len(keys)


def _keys(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted((path.stem for path in folder.glob("*.eml") if _NAME.match(path.stem)), reverse=True)
