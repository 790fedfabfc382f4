"""What the answer to a mail says: how it went, and of each line what became of it. Kept with the mail as plain JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

DONE: Final = "done"
REFUSED: Final = "refused"
ASKED: Final = "asked"
STALE: Final = "stale"
NOTHING: Final = "nothing"
UNREADABLE: Final = "unreadable"
HELD: Final = "held"

HEADINGS: Final[Mapping[str, str]] = {
    DONE: "done",
    REFUSED: "refused, nothing was done",
    ASKED: "not clear, nothing was done",
    STALE: "the race had moved on, nothing was done",
    NOTHING: "no order was found",
    UNREADABLE: "it could not be read",
    HELD: "was this you?",
}
LINES_MOST: Final = 40
LINE_MOST: Final = 200


@dataclass
class ReportLine:
    """One line of the mail.

    ``became``: done, kept, noted, refused, not done, held, ignored, unclear or end. ``why``: a sentence, or "".
    """

    text: str
    became: str = "ignored"
    why: str = ""


@dataclass
class Report:
    """The whole answer. ``shows``: which of hand, status, log and help were asked for; ``rules``: rules, told."""

    outcome: str
    sentence: str
    lines: list[ReportLine] = field(default_factory=list)
    shows: list[str] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """As it is kept."""
        return {
            "outcome": self.outcome,
            "sentence": self.sentence,
            "lines": [
                {"text": shown(line.text), "became": line.became, "why": shown(line.why, 2 * LINE_MOST)}
                for line in self.lines[:LINES_MOST]
            ],
            "lines_left_out": max(0, len(self.lines) - LINES_MOST),
            "shows": self.shows,
            "rules": self.rules,
        }


def shown(text: str, most: int = LINE_MOST) -> str:
    """A text as it may be said back: letters that print, on one line, cut where it is too long."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def lines_of(texts: Sequence[str], became: str) -> list[ReportLine]:
    """Lines that all became the same."""
    return [ReportLine(text, became) for text in texts if text]
