"""TOML files of component sets that know their lines: every complaint names file and line."""

from __future__ import annotations

import re
import tomllib
from typing import Any, NoReturn

Path = tuple[str | int, ...]
"""Where a value stands in a TOML file: table names, the number of a table in a list, a key."""

PROVENANCES = ("printed", "inferred", "designed")
"""Where a figure comes from, if a set has no finer words for it."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*(\]\]?)\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=(.*)$"""
)
_NAME = re.compile(r""""[^"]*"|'[^']*'|[A-Za-z0-9_-]+""")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')
_AT_LINE = re.compile(r"\(at line (\d+)")
WORDS = re.compile(r"\S(?:.*\S)?", re.DOTALL)
"""A text that is not empty, without blanks around it."""


class MalformedSet(Exception):
    """A component set cannot be used.

    Names the file, the line (None when no line is to blame) and the reason.
    """

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.reason}"


def decoded(file: str, content: bytes) -> str:
    """Return the text of a UTF-8 file; a byte that is not UTF-8 is refused with its line."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise MalformedSet(file, line, "this is not UTF-8 text; save the file as UTF-8") from error


class TomlTable:
    """One TOML file. A look-up that fails names the line of the value, or of the table it is missing from.

    ``sources``: the words for where a figure may come from.
    """

    def __init__(self, file: str, text: str, sources: tuple[str, ...] = PROVENANCES) -> None:
        self.file = file
        self._sources = sources
        self._text = text
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = _AT_LINE.search(str(error))
            line = int(found.group(1)) if found else text.count("\n") + 1
            raise MalformedSet(file, line, f"this is not TOML: {error}") from error
        self._lines: dict[Path, int] | None = None

    def line(self, path: Path) -> int:
        """Return the line of a path, or of the nearest table around it that has one."""
        if self._lines is None:
            self._lines = _lines_of_paths(self._text)
        for end in range(len(path), 0, -1):
            if path[:end] in self._lines:
                return self._lines[path[:end]]
        return 1

    def refuse(self, path: Path, reason: str) -> NoReturn:
        """Raise MalformedSet with the line of `path`."""
        raise MalformedSet(self.file, self.line(path), reason)

    def get(self, path: Path) -> Any:
        """Return the value at `path`; refuse when it is missing."""
        value: Any = self.data
        for depth, step in enumerate(path):
            inside = isinstance(value, dict) if isinstance(step, str) else isinstance(value, list)
            if not inside:
                self.refuse(path[:depth], f"{_spelled(path[:depth])} should be a table")
            try:
                value = value[step]
            except (KeyError, IndexError):
                self.refuse(path, f"{_spelled(path)} is missing")
        return value

    def has(self, path: Path) -> bool:
        """Tell whether a key stands in the table that `path` names before it."""
        return path[-1] in self.get(path[:-1])

    def keys(self, path: Path) -> tuple[str, ...]:
        """Return the keys of the table at `path` in the order of the file."""
        value = self.get(path) if path else self.data
        if not isinstance(value, dict):
            self.refuse(path, f"{_spelled(path)} should be a table")
        return tuple(value)

    def only(self, path: Path, allowed: tuple[str, ...]) -> None:
        """Refuse a table with a key that nobody reads: it is a slip of the pen more often than not."""
        for key in self.keys(path):
            if key not in allowed:
                self.refuse((*path, key), f'"{key}" is not known here; known are {", ".join(allowed)}')

    def words(self, path: Path) -> str:
        """Return a text that is not empty."""
        value = self.get(path)
        if not isinstance(value, str) or not WORDS.fullmatch(value):
            self.refuse(path, f"{_spelled(path)} should be a text, without blanks around it, and is {value!r}")
        return value

    def whole(self, path: Path, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self.get(path)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.refuse(path, f"{_spelled(path)} should be a whole number from {low} to {high} and is {value!r}")
        return value

    def yes_or_no(self, path: Path) -> bool:
        """Return true or false."""
        value = self.get(path)
        if not isinstance(value, bool):
            self.refuse(path, f"{_spelled(path)} should be true or false and is {value!r}")
        return value

    def one_of(self, path: Path, allowed: tuple[str, ...]) -> str:
        """Return one of the allowed words."""
        value = self.get(path)
        if value not in allowed:
            self.refuse(path, f"{_spelled(path)} should be one of {', '.join(allowed)} and is {value!r}")
        return str(value)

    def list_of(self, path: Path) -> tuple[Any, ...]:
        """Return the members of a list."""
        value = self.get(path)
        if not isinstance(value, list):
            self.refuse(path, f"{_spelled(path)} should be a list and is {value!r}")
        return tuple(value)

    def provenance(self, path: Path) -> str:
        """Return where a figure comes from."""
        return self.one_of(path, self._sources)

    def provenances(self, path: Path, figures: tuple[str, ...]) -> dict[str, str]:
        """Return where each of several figures of one table comes from; none may be left out."""
        self.only(path, figures)
        return {figure: self.provenance((*path, figure)) for figure in figures}


def _spelled(path: Path) -> str:
    """Spell a path for a reader: tables joined by dots, lists counted from one."""
    words: list[str] = []
    for step in path:
        if isinstance(step, int):
            words[-1] = f"{words[-1]} number {step + 1}"
        else:
            words.append(step)
    return ".".join(words) or "the file"


def _lines_of_paths(text: str) -> dict[Path, int]:
    """Find the line of every table header and key of a TOML text that the parser has already accepted.

    The parser tells no lines for what it accepts. What stands inside inline tables and lists
    has no line here.
    """
    lines: dict[Path, int] = {}
    lists: dict[Path, int] = {}
    table: Path = ()
    depth = 0
    closing_quotes = ""
    for number, line in enumerate(text.splitlines(), 1):
        if closing_quotes:
            if closing_quotes in line:
                closing_quotes = ""
            continue
        if depth > 0:
            depth += _open_brackets(line)
            continue
        header = _HEADER.match(line)
        if header:
            table = _resolved(_names(header.group(2)), lists, begins_list_item=header.group(1) == "[[")
            lines.setdefault(table, number)
            if header.group(1) == "[[":
                lines.setdefault(table[:-1], number)
            continue
        key = _KEY.match(line)
        if key:
            lines.setdefault(table + _names(key.group(1)), number)
            value = key.group(2)
            for quotes in ('"""', "'''"):
                if value.count(quotes) % 2:
                    closing_quotes = quotes
            if not closing_quotes:
                depth = _open_brackets(value)
    return lines


def _resolved(names: Path, lists: dict[Path, int], *, begins_list_item: bool) -> Path:
    """Turn the names of a header into a path, with the number of the present item of each list of tables."""
    path: Path = ()
    for position, name in enumerate(names):
        path = (*path, name)
        last = position == len(names) - 1
        if last and begins_list_item:
            lists[path] = lists.get(path, -1) + 1
        if path in lists:
            path = (*path, lists[path])
    return path


def _names(dotted: str) -> Path:
    """Split a dotted name, quotes taken off."""
    return tuple(name.strip("\"'") for name in _NAME.findall(dotted))


def _open_brackets(line: str) -> int:
    """Return how many brackets a line opens more than it closes, strings and comments left out."""
    bare = _STRING.sub("", line).split("#", 1)[0]
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
