"""From a player's own lines to what they ask for: one order a line, the first block only, all or nothing.

Reading is strict, since a quoted or signed line that is taken for an order plays a card: after the first order, the
first line that is none ends the reading. Where orders follow that line without a blank one between, something in the
middle was not understood, and nothing is done. A line that could mean two things is asked about, never guessed.

This module knows no game: the words of answers and orders are put to ``recognise``, which the caller gives. Conditions
("if passed: …") and standing orders ("always …") are lines like any other to it.
"""

import datetime as dt
import enum
import re
import unicodedata
import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from notifications.inbound.absence import Unclear, until_read

COMMANDS_MOST: Final = 20
"""Orders of one mail; of more, none is done."""
SAY_MOST: Final = 500
"""Letters of one line of table talk."""
ORDER_MOST: Final = 700
"""Letters of any other line that is looked at."""


class Word(enum.Enum):
    """An order to the server that is one word."""

    PASS = "pass"  # noqa: S105
    HAND = "hand"
    STATUS = "status"
    LOG = "log"
    HELP = "help"
    BACK = "back"
    UNDO = "undo"


@dataclass(frozen=True)
class Recognised:
    """Words of the game, as the caller took them. ``order`` is the caller's own; ``words`` says it back."""

    order: Any
    words: str


@dataclass(frozen=True)
class Asked:
    """An order of one word."""

    word: Word


@dataclass(frozen=True)
class Number:
    """An answer by its number. ``also``: the words of the game that stood beside it; they must mean the same answer."""

    number: int
    also: Recognised | None = None


@dataclass(frozen=True)
class Rules:
    """A rule to be shown, by its number; "" asks for the list."""

    number: str


@dataclass(frozen=True)
class Say:
    """Table talk, as written."""

    text: str


@dataclass(frozen=True)
class Away:
    """An absence. ``until`` is the day of return; it ends at ``ends_at``, when that day begins in the player's zone."""

    until: dt.date
    ends_at: dt.datetime


Command = Asked | Number | Rules | Say | Away | Recognised
Recogniser = Callable[[str], Recognised | Unclear | None]
"""Takes a tidy line (as tidy() makes it, case kept); gives words of the game, unclear ones, or None for none."""


class Outcome(enum.Enum):
    """What became of a line."""

    READ = "read"
    IGNORED = "ignored"
    UNCLEAR = "unclear"
    END = "end"


@dataclass(frozen=True)
class Line:
    """One line of a player's own and what became of it. ``why``: a sentence, "" for one that was read."""

    text: str
    outcome: Outcome
    command: Command | None = None
    why: str = ""


@dataclass(frozen=True)
class Orders:
    """What a mail asks for.

    ``commands`` are to be done in this order, all or none; they are () whenever ``questions`` has any. ``questions``:
    sentences for the player. ``lines``: every line that is not blank, for the transcript.
    """

    commands: tuple[Command, ...]
    lines: tuple[Line, ...]
    questions: tuple[str, ...] = ()


def orders_read(
    lines: Sequence[str], *, recognise: Recogniser, today: dt.date, zone: zoneinfo.ZoneInfo, is_cut_short: bool = False
) -> Orders:
    """The orders of a player's own lines, blank ones "". ``today`` is the date in ``zone``, the player's.

    ``is_cut_short`` says that the mail was longer than what was looked at: orders that reach its end may go on.
    """
    reader = _Reader(recognise, today, zone)
    out: list[Line] = []
    stopped_at: int | None = None
    is_same_block = True
    for text in lines:
        if not text:
            is_same_block = is_same_block and stopped_at is None
            continue
        line = reader.line(text)
        if stopped_at is not None:
            orders_follow = is_same_block and line.outcome in (Outcome.READ, Outcome.UNCLEAR)
            if orders_follow and out[stopped_at].outcome is Outcome.IGNORED:
                out[stopped_at] = _unclear_middle(out[stopped_at])
            out.append(Line(text, Outcome.IGNORED, why=_BELOW))
            continue
        is_past_orders = any(earlier.outcome is not Outcome.IGNORED for earlier in out)
        out.append(line)
        if line.outcome is Outcome.END:
            stopped_at, is_same_block = len(out) - 1, False
        elif line.outcome is Outcome.IGNORED and is_past_orders:
            stopped_at = len(out) - 1
    return _result(out, is_cut_short=is_cut_short and stopped_at is None)


_BELOW: Final = "It stands below the end of your orders."
_NO_ORDER: Final = "It is no order."


def _unclear_middle(line: Line) -> Line:
    why = f"“{_shown(line.text)}” was not understood, and orders follow it: nothing was done."
    return Line(line.text, Outcome.UNCLEAR, why=why)


def _result(lines: list[Line], *, is_cut_short: bool) -> Orders:
    commands = tuple(line.command for line in lines if line.outcome is Outcome.READ and line.command is not None)
    questions = [line.why for line in lines if line.outcome is Outcome.UNCLEAR]
    if len(commands) > COMMANDS_MOST:
        questions.append(f"You gave {len(commands)} orders; one mail takes {COMMANDS_MOST}: nothing was done.")
    if commands and is_cut_short:
        questions.append("Your mail is too long to be read to its end: send the orders alone. Nothing was done.")
    return Orders(() if questions else commands, tuple(lines), tuple(questions))


# One line


_TRAILING: Final = ".!\u2026\u3002\uff01 "
_PAIRS: Final = {
    '"': '"',
    "'": "'",
    "*": "*",
    "_": "_",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c",
    "\xab": "\xbb",
    "(": ")",
    "[": "]",
}
_BULLET: Final = re.compile(r"[-*\u2022\u2013\u25cf\u00b7+] (?=\S)")
# What a telephone puts behind a digit to make a picture of it.
_KEYCAPS: Final = dict.fromkeys((0xFE0E, 0xFE0F, 0x20E3))


def tidy(text: str) -> str:
    """The line in composed letters (NFKC), single blanks, without a bullet, marks around it, or closing marks."""
    text = " ".join(unicodedata.normalize("NFKC", text).translate(_KEYCAPS).split())
    bullet = _BULLET.match(text)
    text = text[bullet.end() :] if bullet else text
    for _ in range(3):
        text = text.rstrip(_TRAILING)
        if len(text) > 2 and _PAIRS.get(text[0]) == text[-1]:
            text = text[1:-1].strip()
    return text


def folded(text: str) -> str:
    """For comparing with words of ours: case folded, and the two letters i of Turkish telephones made one."""
    return text.casefold().replace("i\N{COMBINING DOT ABOVE}", "i").replace("\N{LATIN SMALL LETTER DOTLESS I}", "i")


_COUNTS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER: Final = re.compile(
    r"(?:#|no?[.\u00b0]? ?|nr[.]? ?|number |answer |option |choice )?"
    rf"\(?(?P<digits>\d{{1,3}}|{'|'.join(_COUNTS)})\)?[.:)]?"
)
_NUMBERED: Final = re.compile(r"\(?(?P<digits>\d{1,3})(?:[.:)]{1,2} ?| - | )(?P<rest>\S.{0,700})")
# Our own lists name the rule behind an answer, and a player may copy the line.
_CITED: Final = re.compile(r" ?\(\d{1,3}(?:\.\d{1,3}){0,3}\)$")
_SEVERAL: Final = re.compile(r"(?:\d{1,3} ?(?:,|;|/|&|\+|-| and | or |, or |, and ) ?){1,20}\d{1,3}")
_RULES: Final = re.compile(r"rules? ?:? ?(?P<number>\d{1,3}(?:\.\d{1,3}){0,3})?")
_SAY: Final = re.compile(r"(?P<say>\S{3})(?:[:,] ?| )(?P<text>\S.*)", re.DOTALL)
_AWAY: Final = re.compile(r"away(?: |$)")
_END_WORDS: Final = frozenset({"stop", "end of orders", "eof"})
_WORDS: Final = {word.value: word for word in Word}


class _Reader:
    """Reads one line at a time."""

    def __init__(self, recognise: Recogniser, today: dt.date, zone: zoneinfo.ZoneInfo) -> None:
        self._recognise = recognise
        self._today = today
        self._zone = zone

    def line(self, text: str) -> Line:
        """What became of a line that is not blank."""
        found = self._found(text)
        if isinstance(found, Unclear):
            return Line(text, Outcome.UNCLEAR, why=found.why)
        if found is None:
            return Line(text, Outcome.IGNORED, why=_NO_ORDER)
        if found is _END:
            return Line(text, Outcome.END, why="It ends the reading.")
        return Line(text, Outcome.READ, found)

    def _found(self, text: str) -> Any:
        said = _say(text)
        if said is not None:
            return said
        words = tidy(text[: ORDER_MOST + 1])
        if not words or len(text) > ORDER_MOST:
            return None
        plain = folded(words)
        if plain in _WORDS:
            return Asked(_WORDS[plain])
        # A game may have the word itself; then a player who writes it means the game.
        if plain in _END_WORDS:
            return self._recognise(words) or _END
        return self._number(words, plain) or self._rules(plain) or self._away(plain) or self._recognise(words)

    def _number(self, words: str, plain: str) -> Number | Unclear | None:
        match = _NUMBER.fullmatch(plain)
        if match:
            return Number(_value(match["digits"]))
        if _SEVERAL.fullmatch(plain):
            return Unclear(f"“{_shown(words)}” names several numbers: write one a line, or only the one you choose.")
        numbered = _NUMBERED.fullmatch(words)
        whole = self._recognise(words) if numbered else None
        if numbered is None or whole is not None:
            return None
        also = self._recognise(numbered["rest"]) or self._recognise(_CITED.sub("", numbered["rest"]))
        if isinstance(also, Unclear):
            return also
        return None if also is None else Number(_value(numbered["digits"]), also)

    def _rules(self, plain: str) -> Rules | None:
        match = _RULES.fullmatch(plain)
        return Rules(match["number"] or "") if match else None

    def _away(self, plain: str) -> Away | Unclear | None:
        if not _AWAY.match(plain):
            return None
        until = until_read(plain, self._today)
        if isinstance(until, Unclear):
            return until
        # The day begins with the first moment that its clock shows, also where midnight is skipped.
        midnight = dt.datetime.combine(until, dt.time(), self._zone)
        return Away(until, midnight.astimezone(dt.UTC).astimezone(self._zone))


_END: Final = object()


def _say(text: str) -> Say | Unclear | None:
    """Table talk keeps its letters as written; only what stands before it is ours."""
    match = _SAY.fullmatch(text.strip())
    if match is None or folded(match["say"]) != "say":
        return None
    said = match["text"].strip()
    if len(said) > SAY_MOST:
        return Unclear(f"A line of table talk has at most {SAY_MOST} letters; yours has {len(said)}.")
    return Say(said)


def _value(digits: str) -> int:
    return _COUNTS.index(digits) + 1 if digits in _COUNTS else int(digits)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}\u2026"
