"""Tables of a set as CSV: every complaint names file and line, as those about TOML files do."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NoReturn

from games.engine.tables import PROVENANCES, WORDS, MalformedSet, TomlTable, decoded

__all__ = ["PROVENANCES", "CsvRow", "MalformedSet", "TomlTable", "csv_rows", "decoded"]


class CsvRow:
    """One row of a CSV file with typed look-ups."""

    def __init__(self, file: str, line: int, cells: dict[str, str]) -> None:
        self.file = file
        self.line = line
        self.cells = cells

    def refuse(self, reason: str) -> NoReturn:
        """Raise MalformedSet with the line of this row."""
        raise MalformedSet(self.file, self.line, reason)

    def words(self, column: str) -> str:
        """Return a cell that is not empty."""
        value = self.cells[column]
        if not WORDS.fullmatch(value):
            self.refuse(f"{column} should be a text, without blanks around it, and is {value!r}")
        return value

    def whole(self, column: str, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self.cells[column]
        if not (value.isascii() and value.isdigit() and len(value) <= 9 and low <= int(value) <= high):
            self.refuse(f"{column} should be a whole number from {low} to {high} and is {value!r}")
        return int(value)

    def one_of(self, column: str, allowed: tuple[str, ...]) -> str:
        """Return one of the allowed words."""
        value = self.cells[column]
        if value not in allowed:
            self.refuse(f"{column} should be one of {', '.join(allowed)} and is {value!r}")
        return value

    def yes_or_no(self, column: str) -> bool:
        """Return whether the cell says yes."""
        return self.one_of(column, ("yes", "no")) == "yes"


def csv_rows(file: str, text: str, header: tuple[str, ...]) -> Iterator[CsvRow]:
    """Yield the rows of a CSV file under exactly this header; empty lines are passed over.

    A row's line is the one it ends on (a quoted cell may run over several).
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    seen_header = False
    try:
        for cells in reader:
            line = reader.line_num
            if not any(cells):
                continue
            if not seen_header:
                if tuple(cells) != header:
                    raise MalformedSet(file, line, f"the header should be {','.join(header)} and is {','.join(cells)}")
                seen_header = True
                continue
            if len(cells) != len(header):
                raise MalformedSet(file, line, f"there should be {len(header)} cells and there are {len(cells)}")
            yield CsvRow(file, line, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise MalformedSet(file, reader.line_num, f"this is not CSV: {error}") from error
    if not seen_header:
        raise MalformedSet(file, None, "the file is empty")
