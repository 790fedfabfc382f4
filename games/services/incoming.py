"""What comes from outside, before it reaches the rules: texts that can be seen, stored and printed on one line.

An act is written by its player into the record, other players' pages and their mails. A letter that no encoding takes
would stop the race for everybody; a line break or a turned direction would let one player write in the server's name.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from games.engine.errors import Malformed

UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode's general categories of what prints nothing: controls, formats, surrogates, private use, unassigned."""
LONGEST_TEXT: Final = 1000
DEEPEST: Final = 8
"""Lists and objects inside each other; the deepest act of a game that is here has three."""


def unseen_letter(text: str) -> str:
    """The first character of a text that prints nothing, as "U+200B", or ""; blanks and line ends are no such."""
    for letter in text:
        if unicodedata.category(letter) in UNSEEN and not letter.isspace():
            return f"U+{ord(letter):04X}"
    return ""


def words_incoming(words: str) -> str:
    """The words of an act, blanks single, lines kept; raises Malformed for what no act can hold."""
    if len(words) > LONGEST_TEXT:
        raise Malformed(f"These are more than {LONGEST_TEXT} letters; an act is one line.")
    _refuse_unseen(words)
    return "\n".join(" ".join(line.split()) for line in words.splitlines())


def action_incoming(action: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an act with each text on one line, blanks single; raises Malformed for what no act can hold."""
    return {_text(name): _value(inner, 1) for name, inner in action.items()}


def _value(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, list | dict):
        return value
    if depth == DEEPEST:
        raise Malformed(f"No act has more than {DEEPEST} lists and objects inside each other.")
    if isinstance(value, list):
        return [_value(inner, depth + 1) for inner in value]
    return {_text(name): _value(inner, depth + 1) for name, inner in value.items()}


def _text(text: str) -> str:
    line = " ".join(text.split())
    if len(line) > LONGEST_TEXT:
        raise Malformed(f"A text in an act has {LONGEST_TEXT} letters at most; this one has {len(line)}.")
    _refuse_unseen(line)
    return line


def _refuse_unseen(text: str) -> None:
    if unseen := unseen_letter(text):
        raise Malformed(f"An act may hold no characters that cannot be seen; this one has {unseen}.")
