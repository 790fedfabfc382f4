"""What a mail server's refusal means for an address."""

import smtplib

import pytest

from notifications.channels.base import PermanentFailure, TransientFailure
from notifications.channels.email.channel import failure_of

ADDRESS = "wren@example.org"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (550, b"5.1.1 no such user"),
        (550, b"no such user here"),
        (553, b"mailbox name not allowed"),
        (550, b"5.2.1 mailbox disabled"),
        (554, b"5.1.2 bad destination system"),
    ],
)
def test_a_mailbox_that_is_not_there_closes_the_address(code: int, said: bytes) -> None:
    assert isinstance(failure_of(smtplib.SMTPRecipientsRefused({ADDRESS: (code, said)})), PermanentFailure)


@pytest.mark.parametrize(
    "error",
    [
        smtplib.SMTPRecipientsRefused({ADDRESS: (450, b"4.2.0 greylisted")}),
        smtplib.SMTPRecipientsRefused({ADDRESS: (552, b"5.2.2 mailbox full")}),
        smtplib.SMTPRecipientsRefused({ADDRESS: (550, b"5.7.1 your address is on a list")}),
        smtplib.SMTPRecipientsRefused({ADDRESS: (554, b"relay access denied")}),
        smtplib.SMTPSenderRefused(550, b"5.1.8 bad sender", "turns@race.example.org"),
        smtplib.SMTPDataError(550, b"we do not like this text"),
        smtplib.SMTPDataError(451, b"4.3.0 try later"),
        smtplib.SMTPAuthenticationError(535, b"5.7.8 wrong password"),
        smtplib.SMTPServerDisconnected("Connection unexpectedly closed"),
        smtplib.SMTPConnectError(421, b"too many connections"),
        ConnectionRefusedError(111, "Connection refused"),
        TimeoutError("timed out"),
    ],
)
def test_everything_else_is_tried_again_and_leaves_the_address_open(error: Exception) -> None:
    failure = failure_of(error)
    assert isinstance(failure, TransientFailure)
    assert str(failure)


def test_a_missing_mailbox_may_be_said_after_the_data_too() -> None:
    assert isinstance(failure_of(smtplib.SMTPDataError(550, b"5.1.1 unknown user")), PermanentFailure)


def test_what_was_said_stands_in_one_line() -> None:
    failure = failure_of(smtplib.SMTPRecipientsRefused({ADDRESS: (550, b"5.1.1 no such\r\nuser \xff")}))
    assert str(failure) == "550 5.1.1 no such user �"
