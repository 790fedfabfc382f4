"""A bar on a terminal for what takes long; nothing in a pipe."""

import sys
from collections.abc import Iterator, Sequence
from typing import TextIO, TypeVar

T = TypeVar("T")
WIDTH = 30


def with_bar(items: Sequence[T], what: str, stream: TextIO = sys.stderr) -> Iterator[T]:
    """The items, while a bar on ``stream`` shows how far they are; ``what`` names them in the plural."""
    is_shown = stream.isatty() and len(items) > 1
    for done, item in enumerate(items):
        if is_shown:
            filled = WIDTH * done // len(items)
            stream.write(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{len(items)} {what}")
            stream.flush()
        yield item
    if is_shown:
        stream.write("\r" + " " * (WIDTH + len(what) + 30) + "\r")
        stream.flush()
