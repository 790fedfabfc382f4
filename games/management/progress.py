"""A bar on a terminal for what takes long; nothing in a pipe."""

import sys
from collections.abc import Iterator, Sequence
from typing import TextIO, TypeVar

T = TypeVar("T")
WIDTH = 30


class Bar:
    """How much of ``total`` is done; ``what`` names the things in the plural. It is shown on a terminal alone."""

    def __init__(self, total: int, what: str, stream: TextIO) -> None:
        self.done = 0
        self._total = total
        self._what = what
        self._stream = stream if stream.isatty() and total > 1 else None

    def show(self) -> None:
        """Draw the bar."""
        if self._stream is not None:
            filled = WIDTH * self.done // self._total
            self._stream.write(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {self.done}/{self._total} {self._what}")
            self._stream.flush()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        self.show()

    def clear(self) -> None:
        """Take the bar away, for what is printed next."""
        if self._stream is not None:
            self._stream.write("\r" + " " * (WIDTH + len(self._what) + 30) + "\r")
            self._stream.flush()


def with_bar(items: Sequence[T], what: str, stream: TextIO = sys.stderr) -> Iterator[T]:
    """The items, while a bar on ``stream`` shows how far they are; ``what`` names them in the plural."""
    bar = Bar(len(items), what, stream)
    bar.show()
    for item in items:
        yield item
        bar.step()
    bar.clear()
