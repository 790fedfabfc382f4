"""Rules by their number: the functions that carry them, the index of the book, the rulings on its gaps."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

__all__ = [
    "STATUSES",
    "MalformedRulebook",
    "Rule",
    "Rulebook",
    "Ruling",
    "UnknownRule",
    "paraphrase",
    "place",
    "rule",
    "rules_of",
    "rulings_in",
]

STATUSES = ("coded", "data", "component", "table-talk", "not-yet")
"""How the product carries a number of the book: by a function, by a row of data, by the cards and markers
themselves, not at all because it concerns people round a table, or not yet."""

_Function = TypeVar("_Function", bound=Callable[..., Any])

_RULESETS = "games.rulesets."
_NUMBER = re.compile(r"(?:BT|T)?\d+(?:\.\d+)?")
_RULING_ID = re.compile(r"R(?:BT|T)?\d+(?:\.\d+)?[a-z]?|R-[a-z]+(?:-[a-z]+)*|C\d+[a-z]?")
_RULING_LINE = re.compile(r"- \*\*(?P<id>[^*]+)\*\*(?P<text>.*)")

_functions: dict[str, dict[str, Callable[..., Any]]] = {}


class MalformedRulebook(Exception):
    """A rulebook index or a page of rulings does not say what it must."""


class UnknownRule(LookupError):
    """The book has no rule of this number."""

    def __init__(self, number: str, nearest: tuple[str, ...]) -> None:
        super().__init__(number, nearest)
        self.number = number
        self.nearest = nearest

    def __str__(self) -> str:
        near = f" The nearest are {', '.join(self.nearest)}." if self.nearest else ""
        return f"The book has no rule {self.number}.{near}"


def rule(number: str) -> Callable[[_Function], _Function]:
    """Register a function as the one that carries a rule of its ruleset's book.

    The ruleset is the package the function's module lies in: `games.rulesets.<key>`. The function comes back
    as it was, for rules are called in their thousands. A number that has a function is refused, at import.
    """

    def registered(function: _Function) -> _Function:
        module = function.__module__
        if not module.startswith(_RULESETS):
            raise MalformedRulebook(f"{module}.{function.__qualname__} carries rule {number} and lies in no ruleset")
        functions = _functions.setdefault(module.removeprefix(_RULESETS).partition(".")[0], {})
        if number in functions:
            raise MalformedRulebook(
                f"rule {number} has two functions: {place(functions[number])} and {place(function)}"
            )
        functions[number] = function
        return function

    return registered


def rules_of(ruleset_key: str) -> Mapping[str, Callable[..., Any]]:
    """Return the functions registered so far for a ruleset, by rule number."""
    return MappingProxyType(_functions.get(ruleset_key, {}))


def place(function: Callable[..., Any]) -> str:
    """Return where a function stands, as `file:line`, the file from the folder of its first package on."""
    whole = inspect.unwrap(function)
    file = Path(inspect.getfile(whole))
    packages = whole.__module__.count(".") + (file.name == "__init__.py")
    return f"{Path(*file.parts[-packages - 1 :]).as_posix()}:{whole.__code__.co_firstlineno}"


def paraphrase(function: Callable[..., Any]) -> str:
    """Return our wording of the rule: the docstring of its function."""
    return inspect.getdoc(function) or ""


class Rule(msgspec.Struct, frozen=True):
    """One number of the book."""

    number: str
    title: str
    part: str
    """The chapter of the text, `BT` in front for the Beginner's Track sheet; or in words what it is about."""
    status: str
    rulings: tuple[str, ...]
    """Ids of the rulings that serve it."""
    where: str
    """The file, from the folder of the ruleset on, that carries what is `data` or `component`; else empty."""
    words: str = ""
    """What it says, for players, where its function does not say it to them; else empty."""


class Rulebook(msgspec.Struct, frozen=True):
    """Every number of a book, in the order of the book."""

    rules: dict[str, Rule]
    not_yet: int
    """How many numbers may be `not-yet`: the count at the top of the file."""

    @classmethod
    def load(cls, path: Path) -> Rulebook:
        """Read a `rulebook.toml`; raise MalformedRulebook with the number and the reason."""
        return cls.parse(path.read_text("utf-8"), name=path.name)

    @classmethod
    def parse(cls, text: str, *, name: str = "rulebook.toml") -> Rulebook:
        """Read the text of a rulebook index."""
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise MalformedRulebook(f"{name}: {error}") from error
        not_yet = table.pop("not_yet", None)
        if not isinstance(not_yet, int) or isinstance(not_yet, bool) or not_yet < 0:
            raise MalformedRulebook(f"{name}: not_yet should be the number of rules still to come and is {not_yet!r}")
        return cls(rules={number: _rule(name, number, fields) for number, fields in table.items()}, not_yet=not_yet)

    def rule(self, number: str) -> Rule:
        """Return a rule; raise UnknownRule, which names the nearest numbers.

        In a book whose numbers all bear the same letters, as in T17, the letters may be left out.
        """
        sheets = {_parted(known)[0] for known in self.rules}
        lettered = sheets.pop() + number if len(sheets) == 1 else number
        found = self.rules.get(number) or self.rules.get(lettered)
        if found is None:
            raise UnknownRule(number, self.nearest(number) or self.nearest(lettered))
        return found

    def nearest(self, number: str, *, most: int = 4) -> tuple[str, ...]:
        """Return the numbers of the book most like this one, in the order of the book."""
        sheet, asked = _parted(number)
        alike = [
            (-shared, abs(_size(digits) - _size(asked)), known)
            for known in self.rules
            for known_sheet, digits in [_parted(known)]
            if known_sheet == sheet and (shared := _shared_beginning(digits, asked))
        ]
        near = {known for _, _, known in sorted(alike)[:most]}
        return tuple(known for known in self.rules if known in near)

    def with_status(self, status: str) -> tuple[str, ...]:
        """Return the numbers of one status."""
        return tuple(number for number, each in self.rules.items() if each.status == status)

    def served_by(self, ruling: str) -> tuple[str, ...]:
        """Return the numbers that a ruling serves."""
        return tuple(number for number, each in self.rules.items() if ruling in each.rulings)


def _rule(name: str, number: str, fields: object) -> Rule:
    """Read one number of the index."""
    if not _NUMBER.fullmatch(number):
        raise MalformedRulebook(f'{name}: "{number}" is no rule number')
    if not isinstance(fields, dict):
        raise MalformedRulebook(f"{name}: {number} should be a table")
    unknown = sorted(set(fields) - {"title", "words", "part", "status", "rulings", "where"})
    if unknown:
        raise MalformedRulebook(f"{name}: {number} has {', '.join(unknown)}, which nobody reads")
    for key in ("title", "part", "status"):
        if not isinstance(fields.get(key), str) or not fields[key].strip():
            raise MalformedRulebook(f"{name}: {number} should have a {key}")
    if fields["status"] not in STATUSES:
        raise MalformedRulebook(f"{name}: {number} is {fields['status']!r}; a status is one of {', '.join(STATUSES)}")
    where = fields.get("where", "")
    if not isinstance(where, str) or bool(where) != (fields["status"] in {"data", "component"}):
        raise MalformedRulebook(f"{name}: {number} should say where if it is data or component, and only then")
    words = fields.get("words", "")
    if not isinstance(words, str) or ("words" in fields and not words.strip()):
        raise MalformedRulebook(f"{name}: {number} should have words or leave them out")
    rulings = fields.get("rulings", [])
    if not isinstance(rulings, list) or not all(
        isinstance(ruling, str) and _RULING_ID.fullmatch(ruling) for ruling in rulings
    ):
        raise MalformedRulebook(f"{name}: rulings of {number} should be a list of ids such as R6.42 and R-theft")
    return Rule(
        number=number,
        title=fields["title"],
        part=fields["part"],
        status=fields["status"],
        rulings=tuple(rulings),
        where=where,
        words=words,
    )


def _parted(number: str) -> tuple[str, str]:
    """Part a number into the letters in front of it (`BT`, `T` or none) and its digits."""
    letters = re.match(r"BT|T|", number.upper())
    return (letters[0] if letters else "", re.sub(r"\D", "", number))


def _size(digits: str) -> float:
    """Return digits as a fraction, so that 6.44 is nearer to 6.43 than to 6.7."""
    return float(f"0.{digits or 0}")


def _shared_beginning(first: str, second: str) -> int:
    """Return how many characters two words share from their beginning on."""
    return next(
        (place for place, (one, other) in enumerate(zip(first, second, strict=False)) if one != other),
        min(len(first), len(second)),
    )


class Ruling(msgspec.Struct, frozen=True):
    """One ruling of a ruleset's page: our written reading of an unclear rule."""

    id: str
    section: str
    """The heading it stands under."""
    text: str


def rulings_in(text: str) -> dict[str, Ruling]:
    """Read a page of rulings: bullets that open with an id in bold, under headings; return them by id.

    A bullet reads `- **R6.42** text` and runs on in indented lines. Two rulings of one id, an id that is none
    and a ruling without words are refused.
    """
    rulings: dict[str, Ruling] = {}
    section = ""
    lines = text.splitlines()
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("#"):
            section = line.lstrip("#").strip()
            continue
        bullet = _RULING_LINE.fullmatch(line)
        if not bullet:
            continue
        words = [bullet["text"].strip()]
        while position < len(lines) and lines[position].startswith("  "):
            words.append(lines[position].strip())
            position += 1
        ruling = Ruling(id=bullet["id"], section=section, text=" ".join(words).strip())
        if not _RULING_ID.fullmatch(ruling.id):
            raise MalformedRulebook(f'"{ruling.id}" is no id of a ruling')
        if ruling.id in rulings:
            raise MalformedRulebook(f"there are two rulings {ruling.id}")
        if not ruling.text:
            raise MalformedRulebook(f"ruling {ruling.id} says nothing")
        rulings[ruling.id] = ruling
    return rulings
