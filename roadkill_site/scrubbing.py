"""Log lines without the secrets that addresses hold: links to act, stop links, invitations, sign-in links, tokens."""

import logging
import re
from typing import Final

# An address may stand inside another one (next=…) and is encoded there, once for each address around it.
_SLASH: Final = "(?:/|%(?:25)*2F)"
_SECRETS: Final = re.compile(
    rf"(?P<before>{_SLASH}(?:act|mail{_SLASH}stop|mail{_SLASH}confirm|mail{_SLASH}calendar|sign-in-link){_SLASH}"
    r"|(?:[?&]|%(?:25)*(?:3F|26))invitation(?:=|%(?:25)*3D)|\bBearer |\brk_"
    r"|\breply(?:\+|=2b|=|-|%(?:25)*2B)(?=[a-z2-7]{24}\b))[A-Za-z0-9_.:~%=-]+",
    re.IGNORECASE,
)


def scrubbed(text: str) -> str:
    """The text with each secret replaced by "[secret]"."""
    return _SECRETS.sub(lambda found: found["before"] + "[secret]", text)


class ScrubbingFormatter(logging.Formatter):
    """Formats a line and its stack trace, then takes the secrets out of both."""

    def format(self, record: logging.LogRecord) -> str:
        """The line as it is written."""
        return scrubbed(super().format(record))
