"""Who a mail says it is from, and what our own mail server found out about that.

The From header is only a claim. A server that stands before us checks it (DMARC, RFC 7489) and writes the result into
an Authentication-Results header (RFC 8601) under its own name, the authserv-id. Anybody may send such a header along,
so only the topmost one that bears the configured authserv-id counts; that server must remove those that arrive with
its own name (RFC 8601, 5).
"""

import enum
import re
import unicodedata
from dataclasses import dataclass
from email.utils import getaddresses
from typing import Final

from notifications.inbound.message import Message, header_decode

_ADDRESS: Final = re.compile(r"[^@\s<>()\",;:\\\[\]]{1,64}@[^@\s<>()\",;:\\\[\]]{1,255}")
_FROM_MOST: Final = 1000


@dataclass(frozen=True)
class Sender:
    """Who a mail says it is from. ``address`` is "" if that is not exactly one plain address; ``trouble`` says why."""

    address: str
    name: str = ""
    trouble: str = ""


class Dmarc(enum.Enum):
    """What our own mail server says of the sender's domain (DMARC)."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    NONE = "none"


@dataclass(frozen=True)
class Authentication:
    """The result that counts. ``header_from``: the domain it was found for; ``is_ours``: whether there was any."""

    dmarc: Dmarc
    header_from: str = ""
    is_ours: bool = False


def sender_of(message: Message) -> Sender:
    """The one address of the From header (RFC 5322 allows more; a player writes from one)."""
    values = message.undecoded("from")
    if len(values) != 1:
        return Sender("", trouble="no From header" if not values else "several From headers")
    value = values[0]
    if len(value) > _FROM_MOST:
        return Sender("", trouble="a From header that is too long")
    pairs = [(name, address) for name, address in getaddresses([value]) if name or address]
    if len(pairs) != 1:
        return Sender("", trouble="several addresses in From" if pairs else "no address in From")
    name, address = pairs[0]
    # A library that stumbles may read one of two addresses; then the other at-sign stands in what it left out.
    if not _ADDRESS.fullmatch(address) or value.replace(name, "", 1).count("@") != 1:
        return Sender("", header_decode(name), trouble="no plain address in From")
    return Sender(address_fold(address), header_decode(name))


def address_fold(address: str) -> str:
    """The form in which two spellings of one address are equal: letters composed, case and blanks at the ends gone."""
    return unicodedata.normalize("NFC", address.strip()).casefold()


def authentication_of(message: Message, *, authserv_id: str, sender: Sender) -> Authentication:
    """The DMARC result of the topmost Authentication-Results header of ours, NONE if there is none.

    A result found for another domain than that of ``sender`` is none. ``authserv_id`` "" means that no server of
    ours writes any: nothing counts.
    """
    for value in message.undecoded("authentication-results"):
        parts = _parts(value)
        words = parts[0].split()
        # RFC 8601, 2.2: the name may be followed by a version. Microsoft writes no name, only results: then the first
        # word is a result.
        if authserv_id and words and "=" not in words[0] and words[0].casefold() == authserv_id.casefold():
            return _dmarc(parts[1:], sender)
    return Authentication(Dmarc.NONE)


def _dmarc(told: list[str], sender: Sender) -> Authentication:
    results = []
    header_from = ""
    for result in told:
        method, equals, rest = result.strip().partition("=")
        if method.strip().casefold().partition("/")[0] != "dmarc" or not equals:
            continue
        words = rest.split()
        said = words[0].casefold() if words else ""
        domain = next((w.partition("=")[2] for w in words if w.casefold().startswith("header.from=")), "")
        header_from = domain.strip('"').rpartition("@")[2].casefold()
        is_about_sender = not header_from or header_from == sender.address.rpartition("@")[2]
        if said == "fail":
            results.append(Dmarc.FAIL)
        else:
            results.append(Dmarc.PASS if said == "pass" and is_about_sender else Dmarc.NONE)
    for dmarc in (Dmarc.FAIL, Dmarc.NONE, Dmarc.PASS):
        if dmarc in results:
            return Authentication(dmarc, header_from, is_ours=True)
    return Authentication(Dmarc.NONE, is_ours=True)


def _parts(value: str) -> list[str]:
    """The header at its semicolons, without comments; what is quoted or in a comment separates nothing."""
    parts = [""]
    letters: list[str] = []
    depth = 0
    is_quoted = is_escaped = False
    for letter in value:
        if is_escaped:
            is_escaped = False
        elif letter == "\\" and (is_quoted or depth):
            is_escaped = True
            continue
        elif letter == '"' and not depth:
            is_quoted = not is_quoted
        elif letter == "(" and not is_quoted:
            depth += 1
        elif letter == ")" and depth and not is_quoted:
            depth -= 1
            letter = " "  # noqa: PLW2901
        elif letter == ";" and not is_quoted and not depth:
            parts[-1] = "".join(letters)
            parts.append("")
            letters.clear()
            continue
        if not depth:
            # Inside quotation marks nothing may look like a result of its own.
            letters.append("_" if is_quoted and letter in " =" else letter)
    parts[-1] = "".join(letters)
    return parts
