"""A mail from its raw bytes: its headers and the two texts that may hold orders, whatever the bytes are.

The standard library's parser is quadratic in some headers and recursive in nested parts, and its structured headers
raise half a dozen unrelated exceptions on malformed ones. So the bytes are measured before they are parsed, only the
headers that steer MIME are ever parsed by it, and everything else is decoded here from the raw header.
"""

import codecs
import enum
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import policy
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.parser import BytesParser
from typing import Any, Final

MESSAGE_MOST: Final = 1024 * 1024
"""Bytes of one mail."""
BODY_MOST: Final = 64 * 1024
"""Letters of the plain text that are looked at; what is beyond them is cut off and said to be."""
HTML_MOST: Final = 256 * 1024
"""Letters of HTML that are looked at: a quoted mail of ours has up to 100 kB, and a word processor doubles it."""
LINES_MOST: Final = 400
"""Lines of a body that are looked at."""
PARTS_MOST: Final = 40
"""MIME parts of one mail, containers included."""
HEADERS_MOST: Final = 400
"""Header lines of one mail; a mail that went through twenty servers and three filters has about a hundred."""
HEADER_MOST: Final = 4096
"""Letters of one header that are looked at."""

_RAW_LINES_MOST: Final = 40_000
_HEADER_LINES_MOST: Final = 2000
_SAME_HEADERS_MOST: Final = 12
_CONTAINERS_MOST: Final = 12
# Of the headers that the parser itself reads: bytes of one, of all, and marks that make it go back and forth.
_STEERING_HEADER_MOST: Final = 1500
_STEERING_MOST: Final = 16 * 1024
_MARKS_MOST: Final = 40
_MARKS: Final = re.compile(rb"[;\"(),<>@\[\]\\]")
_HEADERS_END: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_STEERING: Final = re.compile(rb"^content-[a-z-]{1,40}[ \t]*:", re.IGNORECASE | re.MULTILINE)
_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")
# What the standard library's header parser raises on malformed bytes, besides its own errors.
PARSER_ERRORS: Final = (
    MessageError,
    RecursionError,
    LookupError,
    AttributeError,
    TypeError,
    ValueError,
    AssertionError,
)
# Codecs of Python that are no charsets of mails; the first takes quadratic time.
_NO_CHARSETS: Final = frozenset({"punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"})
# Mail programs name the narrow charset and use letters of the wide one.
_WIDER: Final = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "iso2022_jp": "iso2022_jp_ext",
}


class Trouble(enum.Enum):
    """Why a mail cannot be read."""

    TOO_LARGE = "too-large"
    TOO_MANY_LINES = "too-many-lines"
    TOO_MANY_HEADERS = "too-many-headers"
    TOO_MANY_PARTS = "too-many-parts"
    HEADER_TOO_LONG = "header-too-long"
    BROKEN = "broken"
    ENCRYPTED = "encrypted"


@dataclass(frozen=True)
class Unreadable:
    """A mail of which nothing is read. ``words``: one sentence for its sender; ``detail``: for the operator's log."""

    trouble: Trouble
    words: str
    detail: str = ""


@dataclass(frozen=True)
class Text:
    """One text part, decoded. ``is_cut`` says that it was longer than what is looked at."""

    text: str
    is_flowed: bool = False
    delsp: bool = False
    is_cut: bool = False


@dataclass(frozen=True)
class Message:
    """A mail that could be parsed.

    ``headers``: names in lower case and undecoded values in one line, from the top, each at most HEADER_MOST letters.
    ``types``: the content types of all parts in order, lower case, and ``entities`` the parts. ``plain`` and ``html``:
    the first text of its kind that is not blank, not attached and not inside an enclosed mail. ``digest``: SHA-256 of
    the raw bytes, in hex.
    """

    raw: bytes
    digest: str
    size: int
    headers: tuple[tuple[str, str], ...]
    types: tuple[str, ...]
    entities: tuple[Any, ...]
    plain: Text | None
    html: Text | None

    def all(self, name: str) -> tuple[str, ...]:
        """The decoded values of the first headers of that name (in lower case), from the top."""
        return tuple(map(header_decode, self.undecoded(name)))

    def undecoded(self, name: str) -> tuple[str, ...]:
        """The same before encoded words are decoded, as addresses must be read (RFC 2047, 6.2)."""
        return tuple(value for key, value in self.headers if key == name)[:_SAME_HEADERS_MOST]

    def first(self, name: str) -> str:
        """The topmost header of that name (in lower case), decoded; "" if there is none."""
        return header_decode(next(iter(self.undecoded(name)), ""))


def message_read(raw: bytes) -> Message | Unreadable:
    """The mail, or why it cannot be read; raises nothing, whatever the bytes are."""
    unfit = _measured(raw)
    if unfit is not None:
        return unfit
    try:
        root = BytesParser(policy=policy.default).parsebytes(raw)
        parts = list(_parts(root))
    except PARSER_ERRORS as error:
        return Unreadable(
            Trouble.BROKEN, "Your mail could not be taken apart: send it as plain text.", repr(error)[:200]
        )
    if len(parts) > PARTS_MOST:
        return _too_many_parts()
    if len(root) > HEADERS_MOST:
        return _too_many_headers()
    types = tuple(_type(part.entity) for part in parts)
    if "multipart/encrypted" in types or (types[0] == "application/pkcs7-mime"):
        return Unreadable(Trouble.ENCRYPTED, "Your mail is encrypted, and there is no key here: send it as plain text.")
    own = [part for part in parts if not part.is_enclosed]
    return Message(
        raw=raw,
        digest=hashlib.sha256(raw).hexdigest(),
        size=len(raw),
        headers=tuple((name.lower()[:100], _one_line(str(value))) for name, value in root.raw_items()),
        types=types,
        entities=tuple(part.entity for part in parts),
        plain=_text(own, "text/plain", BODY_MOST),
        html=_text(own, "text/html", HTML_MOST),
    )


def header_decode(raw: str) -> str:
    """A raw header in one line with its encoded words decoded (RFC 2047), at most HEADER_MOST letters of it."""
    value = _one_line(raw)
    if "=?" not in value:
        return value
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return " ".join("".join(_piece(piece, charset) for piece, charset in pieces).split())


def _one_line(raw: str) -> str:
    # The parser keeps bytes beyond ASCII as surrogates; most mean UTF-8, and the rest must still be letters.
    value = raw[:HEADER_MOST].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return " ".join(value.replace("\0", "").split())


def bytes_decode(data: bytes, charset: str) -> str:
    """The letters of bytes in that charset; in UTF-8, else cp1252, if it is unknown or does not fit."""
    try:
        name = codecs.lookup(charset or "utf-8").name
        if name.replace("_", "-") not in _NO_CHARSETS:
            return data.decode(_WIDER.get(name, name))
    except (LookupError, ValueError):
        # Unknown, no charset at all ("hex"), or other bytes than it allows: guessed below.
        pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _piece(piece: bytes | str, charset: str | None) -> str:
    return piece if isinstance(piece, str) else bytes_decode(piece, charset or "")


def _measured(raw: bytes) -> Unreadable | None:
    """Why the bytes are not given to the parser, None if they may be; linear in their number."""
    if len(raw) > MESSAGE_MOST:
        return Unreadable(
            Trouble.TOO_LARGE, "Your mail is longer than 1 MB: send the orders alone.", f"{len(raw)} bytes"
        )
    if raw.count(b"\n") > _RAW_LINES_MOST or raw.count(b"\r") > _RAW_LINES_MOST:
        return Unreadable(Trouble.TOO_MANY_LINES, "Your mail has too many lines: send the orders alone.")
    end = _HEADERS_END.search(raw)
    if raw.count(b"\n", 0, end.start() if end else len(raw)) > _HEADER_LINES_MOST:
        return _too_many_headers()
    total = containers = 0
    for match in _STEERING.finditer(raw):
        length = _header_length(raw, match.start())
        header = raw[match.start() : match.start() + length].lower()
        if length > _STEERING_HEADER_MOST or len(_MARKS.findall(header)) > _MARKS_MOST:
            return Unreadable(Trouble.HEADER_TOO_LONG, "Your mail could not be taken apart: send it as plain text.")
        total += length
        containers += b"multipart" in header or b"message" in header
    if total > _STEERING_MOST or containers > _CONTAINERS_MOST:
        return _too_many_parts()
    return None


def _header_length(raw: bytes, start: int) -> int:
    """Bytes of the header that starts there with all its continuation lines, or some number above the cap."""
    at = start
    while at - start <= _STEERING_HEADER_MOST:
        line = _LINE.match(raw, at)
        if line is None or line.end() == at:
            break
        at = line.end()
        if raw[at : at + 1] not in (b" ", b"\t"):
            break
    return at - start


def _too_many_headers() -> Unreadable:
    return Unreadable(Trouble.TOO_MANY_HEADERS, "Your mail has too many header lines: write a new one.")


def _too_many_parts() -> Unreadable:
    return Unreadable(Trouble.TOO_MANY_PARTS, f"Your mail has more than {PARTS_MOST} parts: send the orders alone.")


@dataclass(frozen=True)
class _Part:
    """One part; ``is_enclosed`` says that it belongs to a mail inside this one, such as a returned or forwarded one."""

    entity: Any
    is_enclosed: bool


def _parts(entity: Any, *, is_enclosed: bool = False) -> Iterator[_Part]:
    yield _Part(entity, is_enclosed)
    if entity.is_multipart():
        is_enclosed = is_enclosed or entity.get_content_maintype() == "message"
        for part in entity.get_payload():
            yield from _parts(part, is_enclosed=is_enclosed)


def _type(entity: Any) -> str:
    try:
        return str(entity.get_content_type()).lower()
    except PARSER_ERRORS:
        return "application/octet-stream"  # RFC 2045, 5.2: what cannot be understood is plain bytes


def _text(parts: list[_Part], wanted: str, most: int) -> Text | None:
    for part in parts:
        if _type(part.entity) == wanted and not _is_attached(part.entity):
            text = text_decode(part.entity, most)
            if text.text.strip():
                return text
    return None


def _is_attached(entity: Any) -> bool:
    try:
        return entity.get_content_disposition() == "attachment" or entity.get_filename() is not None
    except PARSER_ERRORS:
        return True


def text_decode(entity: Any, most: int) -> Text:
    """A part's text in its charset, at most so many letters of it; "" for a part that is no text."""
    try:
        payload = entity.get_payload(decode=True)
        charset = str(entity.get_content_charset() or "")
        is_flowed = str(entity.get_param("format", "")).casefold() == "flowed"
        delsp = str(entity.get_param("delsp", "")).casefold() == "yes"
    except PARSER_ERRORS:
        # Without its parameters it is what RFC 2046 4.1.2 takes a part without any for.
        payload, charset, is_flowed, delsp = entity.get_payload(), "", False, False
    if isinstance(payload, str):
        payload = payload.encode("utf-8", "surrogateescape")
    if not isinstance(payload, bytes):
        return Text("")
    text = bytes_decode(payload, charset)
    return Text(text[:most], is_flowed, delsp, is_cut=len(text) > most)
