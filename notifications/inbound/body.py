"""A player's own lines of a reply: what stands above the quoted mail of ours, or below it if nothing stands above.

No list of attributions in fifty languages decides where the quoted part begins. We know what we sent: our reply domain,
our display name and a marker line stand in it whatever the mail program and its language are, and the first line that
holds one of them is where the player's text ends. Unmarked text below that line is never read.

Every pass is linear in the text; there are tests that hold it to that.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from notifications.inbound.markup import html_text
from notifications.inbound.message import LINES_MOST, Message, Text

TAGS_MOST: Final = 12_000
"""Tags of an HTML part that are looked at; a long mail of ours, quoted by a word processor, has half as many."""
LINE_MOST: Final = 2000
"""Letters of a line that are kept; no order is as long."""


@dataclass(frozen=True)
class Traces:
    """What a quoted mail of ours shows. ``domains`` and ``markers`` are found in any case and spacing.

    ``names`` are display names and must be distinctive, since a line of the player's own that holds one ends the
    reading; they are found in the case in which they were sent, as whole words.
    """

    domains: tuple[str, ...]
    names: tuple[str, ...]
    markers: tuple[str, ...]


@dataclass(frozen=True)
class Own:
    """A player's own lines, cleaned; blank ones are "", none at either end.

    ``cut``: the line that ended the reading because it shows a trace of ours, "" if there was none. ``is_below``: the
    lines stood below the quoted mail. ``is_cut_short``: the mail was longer than what is looked at. ``is_encrypted``:
    there is an encrypted block, which nobody here can read.
    """

    lines: tuple[str, ...]
    cut: str = ""
    is_below: bool = False
    is_cut_short: bool = False
    is_encrypted: bool = False


def own_lines(message: Message, traces: Traces) -> Own:
    """The player's own lines of the plain text or, if that is missing or blank, of the HTML."""
    for part, text_of in ((message.plain, _plain_text), (message.html, _html_text)):
        if part is not None:
            lines, is_cut_short = clean_lines(text_of(part))
            if any(lines):
                return own_of_lines(lines, traces, is_cut_short=is_cut_short)
    return Own(())


def _plain_text(plain: Text) -> Text:
    return plain


def _html_text(html: Text) -> Text:
    pieces = html.text.split("<", TAGS_MOST)
    is_longer = len(pieces) > TAGS_MOST
    return Text(html_text("<".join(pieces[:TAGS_MOST])), is_cut=html.is_cut or is_longer)


# Cleaning


_INVISIBLE: Final = dict.fromkeys(
    [
        0x00AD,  # soft hyphen
        0x034F,
        0x061C,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        0x180E,
        *range(0x200B, 0x2010),  # zero width, left-to-right and right-to-left marks
        *range(0x202A, 0x202F),  # embeddings
        *range(0x2060, 0x2070),  # word joiner, isolates
        0x3164,
        0xFEFF,  # byte order mark
        0xFFA0,
        *range(0xFFF9, 0xFFFC),
    ]
)
_BREAKS: Final = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_CONTROLS: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def clean_lines(text: Text) -> tuple[list[str], bool]:
    """The lines without carriage returns, invisible letters and armour, unflowed; and whether any were cut off."""
    letters = _CONTROLS.sub(" ", _BREAKS.sub("\n", text.text)).translate(_INVISIBLE)
    lines = letters.split("\n", LINES_MOST)
    is_cut_short = text.is_cut or len(lines) > LINES_MOST
    lines = lines[:LINES_MOST]
    if text.is_flowed:
        lines = _unflowed(lines, delsp=text.delsp)
    # NBSP and its kin are blanks, but a line that ends in one is not flowed: so they are made plain only now.
    return _unarmoured([" ".join(line[:LINE_MOST].split()) for line in lines]), is_cut_short


def _unflowed(lines: list[str], *, delsp: bool) -> list[str]:
    """Lines that end in a blank joined with the next of the same quote depth (RFC 3676, 4)."""
    out: list[str] = []
    paragraph: list[str] = []
    open_depth = 0

    def close() -> None:
        if paragraph:
            prefix = ">" * open_depth + " " if open_depth else ""
            out.append(prefix + "".join(paragraph))
            paragraph.clear()

    for line in lines:
        rest = line.lstrip(">")
        depth = len(line) - len(rest)
        rest = rest.removeprefix(" ")
        is_signature = rest == "-- "
        if paragraph and (depth != open_depth or is_signature):
            close()
        open_depth = depth
        is_flowed = rest.endswith(" ") and not is_signature
        paragraph.append(rest[:-1] if is_flowed and delsp else rest)
        if not is_flowed:
            close()
    close()
    return out


_ARMOUR_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_ARMOUR_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_ARMOUR_ENCRYPTED: Final = "-----BEGIN PGP MESSAGE-----"


def _unarmoured(lines: list[str]) -> list[str]:
    """Without the armour of a signed text (RFC 9580, 7): its headers, its dashes and its signature."""
    if _ARMOUR_SIGNED not in lines:
        return lines
    start = lines.index(_ARMOUR_SIGNED)
    out = lines[:start]
    rest = iter(lines[start + 1 :])
    for line in rest:
        if not line:
            break
    for line in rest:
        if line == _ARMOUR_SIGNATURE:
            break
        out.append(line.removeprefix("- "))
    return out


# Cutting


def is_marked(line: str) -> bool:
    """Whether the mail program marked the line as quoted."""
    return line.startswith((">", "|", "\N{FULLWIDTH GREATER-THAN SIGN}"))


class _Finder:
    """Finds the traces; a mail program may have wrapped one over two lines."""

    def __init__(self, traces: Traces) -> None:
        self._patterns = [re.compile(p, flags) for p, flags in _patterns(traces)]
        self._markers = [_compact(marker) for marker in traces.markers if marker.strip()]

    def first(self, lines: Sequence[str]) -> int | None:
        """The index of the first line that shows a trace, or with which one begins."""
        texts = [line.lstrip("> |") for line in lines]
        shown = [self.is_in(text) for text in texts]
        for at, text in enumerate(texts):
            if shown[at]:
                return at
            if at + 1 < len(texts) and not shown[at + 1] and text and texts[at + 1]:
                after = texts[at + 1]
                if self.is_in(f"{text} {after}") or self.is_in(text + after):
                    return at
        return None

    def is_in(self, text: str) -> bool:
        """Whether the text shows a trace."""
        return any(pattern.search(text) for pattern in self._patterns) or self.has_marker(text)

    def has_marker(self, text: str) -> bool:
        """Whether the text shows a marker, which stands nowhere but in our mails."""
        compact = _compact(text)
        return any(marker in compact for marker in self._markers)


def _patterns(traces: Traces) -> list[tuple[str, re.RegexFlag]]:
    # Letters of other scripts may follow a name without a blank, as in Korean: boundaries are those of ASCII words.
    out = []
    for words, flags in ((traces.domains, re.IGNORECASE), (traces.names, re.RegexFlag(0))):
        choices = "|".join(re.escape(" ".join(word.split())) for word in words if word.strip())
        if choices:
            out.append((rf"(?<![A-Za-z0-9_-])(?:{choices})(?![A-Za-z0-9-])", flags))
    return out


def _compact(text: str) -> str:
    return "".join(text.split()).casefold()


def own_of_lines(lines: list[str], traces: Traces, *, is_cut_short: bool = False) -> Own:
    """The player's own of lines that are clean."""
    finder = _Finder(traces)
    is_encrypted = _ARMOUR_ENCRYPTED in lines
    quoted = next((at for at, line in enumerate(lines) if is_marked(line)), len(lines))
    found = finder.first(lines)
    cut = lines[found] if found is not None else ""
    start = quoted if found is None else found
    # Quoted lines above the first trace are dropped; where there is no trace at all the quoted part ends the text.
    above = _unsigned([line for line in lines[: _walked_back(lines, start)] if not is_marked(line)])
    if any(above):
        return Own(_trimmed(above), cut, is_cut_short=is_cut_short, is_encrypted=is_encrypted)
    below = [] if is_cut_short else _unsigned(_below(lines, finder, start))
    return Own(_trimmed(below), cut, any(below), is_cut_short, is_encrypted)


_DIVIDER: Final = re.compile(r"[-_=*~#\u2014\u2500]{3,80}|[-_=*]{2,40} ?[^-_=*]{1,60}[-_=*]{2,40}")
_KEYED: Final = re.compile(r"[*_]{0,2}([^:\uff1a\d]{1,40})[:\uff1a][*_]{0,2} ?\S")
_CLOCK: Final = re.compile(r"(?<!\d)\d{1,2}[:.h\u6642\u65f6\uc2dc]\s?\d{2}(?!\d)")
_DIGITS: Final = re.compile(r"\d{1,8}")
# With these begin lines of a player's own that have a colon, or a day and an hour, as headers and attributions have.
_ORDER_WORDS: Final = frozenset({"say", "if", "always", "rules", "away", "trade", "unless", "when"})
_HEADERS_MOST: Final = 8
_ATTRIBUTION_MOST: Final = 300


def _walked_back(lines: Sequence[str], start: int) -> int:
    """Where the quoted part begins whose first trace stands at ``start``: over its headers, dividers, attribution."""
    at = start
    for _ in range(3):
        before = at
        at = _over_headers(lines, at)
        at = _over_attribution(lines, at)
        while at and (not lines[at - 1] or _DIVIDER.fullmatch(lines[at - 1])):
            at -= 1
        if at == before:
            break
    return at


def _over_headers(lines: Sequence[str], at: int) -> int:
    """Over the lines "Sent: …", "Betreff: …" directly above; one of such a block always shows a time or an address."""
    first = at
    while first and at - first < _HEADERS_MOST and _is_header(lines[first - 1]):
        first -= 1
    block = lines[first:at]
    return first if any("@" in line or _CLOCK.search(line) for line in block) else at


def _is_header(line: str) -> bool:
    match = _KEYED.match(line)
    return match is not None and not _is_order_like(line)


def _over_attribution(lines: Sequence[str], at: int) -> int:
    """Over one attribution, such as "Am 4.12.2026 um 10:11 schrieb Rita:", which may be wrapped over two lines."""
    for count in (1, 2):
        if at >= count:
            text = " ".join(lines[at - count : at])
            if all(lines[at - count : at]) and _is_dated(text) and not _is_order_like(lines[at - count]):
                return at - count
    return at


def _is_dated(text: str) -> bool:
    """Whether it holds a time of day and a date, as attributions do in every language."""
    return (
        len(text) <= _ATTRIBUTION_MOST
        and _CLOCK.search(text) is not None
        and len(_DIGITS.findall(text)) >= _DIGITS_OF_DATE
    )


# Hour, minute, day, year.
_DIGITS_OF_DATE: Final = 4


def _is_order_like(line: str) -> bool:
    words = line.casefold().split(maxsplit=1)
    return bool(words) and words[0].strip(":,.*_") in _ORDER_WORDS


def _below(lines: Sequence[str], finder: _Finder, start: int) -> list[str]:
    """The unmarked lines below a quoted mail whose every line is marked; none if it cannot be told where it ends.

    A run of them must follow a blank line: what follows a marked line directly may be its wrapped end.
    """
    first = next((at for at in range(start, len(lines)) if is_marked(lines[at])), None)
    if first is None or not _is_attribution(lines[start:first], finder):
        return []
    rest = lines[first:]
    unmarked = ["" if is_marked(line) else line for line in rest]
    if finder.first(unmarked) is not None:
        return []
    out: list[str] = []
    is_after_blank = False
    for line in rest:
        if is_marked(line):
            is_after_blank = False
        elif not line:
            is_after_blank = True
            out.append("")
        elif is_after_blank:
            out.append(line)
    return out


def _is_attribution(lines: Sequence[str], finder: _Finder) -> bool:
    """Whether it may be the line that names us above a marked mail; a link or our marker is of the mail itself."""
    text = " ".join(line for line in lines if line)
    return len(text) <= _ATTRIBUTION_MOST and "://" not in text and not finder.has_marker(text)


# Signatures


_SIGNATURE: Final = re.compile(r"--|\u2014|_{4,200}")
_FOOTERS: Final = tuple(
    line.casefold()
    for line in (Path(__file__).parent / "footers.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)


def _unsigned(lines: Sequence[str]) -> list[str]:
    """The lines above a signature or a mail program's footer."""
    for at, line in enumerate(lines):
        if _SIGNATURE.fullmatch(line) or line.lstrip("*_<[( ").casefold().startswith(_FOOTERS):
            return list(lines[:at])
    return list(lines)


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Without blank lines at both ends, and with one where there were several."""
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    while out and not out[-1]:
        out.pop()
    return tuple(out)
