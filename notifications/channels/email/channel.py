"""The mail channel: one connection for a batch, and what a mail server's refusal means."""

import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend

from games.selectors.notices import NoticeFacts
from notifications.channels.base import DeliveryFailed, Parcel, PermanentFailure, TransientFailure
from notifications.channels.email.message import mail_compose

_KINDS: Final = frozenset(
    [
        "invited",
        "started",
        "turn",
        "question",
        "purchase",
        "purchase_lapsed",
        "campaign_started",
        "campaign_paused",
        "campaign_resumed",
        "campaign_closed",
        "campaign_over",
        "campaign_left",
        "campaign_lost",
        "reminder",
        "daily",
        "lapsed",
        "finished",
        "cancelled",
        "seat_gone",
        "seat_offered",
        "seat_claimed",
        "seat_taken",
        "seat_lost",
        "declined",
        "host_new",
        "host_lost",
        "fault",
        "rewind_ask",
        "rewound",
    ]
)
# Replies that speak of the mailbox itself; any other refusal may be our own fault, or pass (RFC 5321, 4.2.3;
# RFC 3463, 3.2).
_NO_SUCH_MAILBOX: Final = frozenset({550, 551, 553})
_ENHANCED: Final = re.compile(r"^([245])\.(\d{1,3})\.(\d{1,3})\b")


class EmailChannel:
    """Mail to the address of the seat's player, or of whoever was invited to it."""

    key = "email"
    has_endpoints = False
    is_on = True

    def kinds(self) -> frozenset[str]:
        """Every kind there is a folder of templates for."""
        return _KINDS

    def address(self, facts: NoticeFacts) -> str:
        """The mail address."""
        return facts.mail_address

    @contextmanager
    def open(self) -> Iterator["MailLine"]:
        """One connection for the whole batch."""
        line = MailLine(get_connection())
        try:
            yield line
        finally:
            line.close()


class MailLine:
    """A connection to the mail server: opened with the first mail and, after a failure, with the next."""

    def __init__(self, connection: BaseEmailBackend) -> None:
        """Send through `connection`, a mail backend of Django's."""
        self._connection = connection
        self._is_open = False

    def send(self, parcel: Parcel) -> None:
        """Hand the letter to the mail server as one mail; raises TransientFailure or PermanentFailure."""
        mail = mail_compose(letter=parcel.letter, message_id=parcel.message_id, address=parcel.address)
        try:
            if not self._is_open:
                # An open connection is kept by the backend between messages; one that it opens itself it
                # closes after each.
                self._connection.open()
                self._is_open = True
            taken = self._connection.send_messages([mail])
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise failure_of(error) from error
        if not taken:
            raise TransientFailure("The mail server took nothing.")

    def close(self) -> None:
        """End the connection; closing a broken one is no failure, since what it took it has taken."""
        if self._is_open:
            self._is_open = False
            self._connection.close()


def failure_of(error: Exception) -> DeliveryFailed:
    """What a mail server's refusal, or its absence, means for the address."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        return _refusal(code, said)
    if isinstance(error, smtplib.SMTPSenderRefused):
        return TransientFailure(_line(error.smtp_code, error.smtp_error))
    if isinstance(error, smtplib.SMTPDataError):
        return _refusal(error.smtp_code, error.smtp_error, code_alone_tells=False)
    if isinstance(error, smtplib.SMTPResponseException):
        return TransientFailure(_line(error.smtp_code, error.smtp_error))
    return TransientFailure(f"{type(error).__name__}: {error}"[:500])


def _refusal(code: int, said: bytes | str, *, code_alone_tells: bool = True) -> DeliveryFailed:
    words = _line(code, said)
    enhanced = _ENHANCED.match(words.partition(" ")[2])
    if enhanced is not None:
        kind, subject, detail = enhanced.groups()
        # x.1.x: no such mailbox or domain; x.2.1: the mailbox is closed. x.2.2 is a full one, x.7.x a
        # distrust of us.
        is_gone = kind == "5" and (subject == "1" or (subject, detail) == ("2", "1"))
    else:
        is_gone = code_alone_tells and code in _NO_SUCH_MAILBOX
    return PermanentFailure(words) if is_gone else TransientFailure(words)


def _line(code: int, said: bytes | str) -> str:
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(words.split())}"[:500]
