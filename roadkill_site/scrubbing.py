"""Log lines without the secrets that addresses hold: links to act, stop links, invitations, sign-in links, tokens."""

import logging
import re
from typing import Final

_SECRETS: Final = re.compile(
    r"(?P<before>/act/|/mail/stop/|/sign-in-link/|[?&]invitation=|\bBearer |\brk_)[A-Za-z0-9_.:~%=-]+"
)


def scrubbed(text: str) -> str:
    """The text with each secret replaced by "[secret]"."""
    return _SECRETS.sub(lambda found: found["before"] + "[secret]", text)


class ScrubbingFormatter(logging.Formatter):
    """Formats a line and its stack trace, then takes the secrets out of both."""

    def format(self, record: logging.LogRecord) -> str:
        """The line as it is written."""
        return scrubbed(super().format(record))
