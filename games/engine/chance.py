"""Every random outcome: taken from a committed stream, recorded with label and size, or read back from a record."""

import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from games.engine.errors import RecordBroken

Draw: TypeAlias = tuple[str, int, int | tuple[int, ...]]
"""Label, size, result: 0 ≤ result < size, or a permutation of range(size)."""

WORD = 1 << 64
_words_of = struct.Struct(">4Q").unpack


class Chance(Protocol):
    """Where outcomes come from. ``taken`` are the draws so far, in order."""

    taken: list[Draw]

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """A number from 0 to size - 1.

        ``among`` may name the things drawn from; a source that is fixed by hand looks there.
        """
        ...

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """A permutation of range(size), as one draw."""
        ...


def d6(chance: Chance, label: str) -> int:
    """A die's face, 1 to 6."""
    return chance.pick(6, label) + 1


class Stream:
    """The live source: HMAC-SHA256 over a counter, four 64-bit words a block, rejection for exact fairness (RFC 2104).

    ``key``: see stream_key(). ``at``: words used so far in the race; store it to go on later.
    """

    __slots__ = ("_number", "_words", "at", "key", "taken")

    def __init__(self, key: bytes, at: int = 0) -> None:
        self.key = key
        self.at = at
        self.taken: list[Draw] = []
        self._number = -1
        self._words: tuple[int, ...] = ()

    def _below(self, size: int) -> int:
        fair = WORD - WORD % size
        while True:
            number = self.at >> 2
            if number != self._number:
                self._words = _words_of(hmac.digest(self.key, number.to_bytes(8, "big"), "sha256"))
                self._number = number
            word = self._words[self.at & 3]
            self.at += 1
            if word < fair:
                return word % size

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """A fair number from 0 to size - 1; size at least 1 and at most WORD, else ValueError."""
        if not 1 <= size <= WORD:
            raise ValueError(f"nothing can be drawn from {size} for {label}")
        result = self._below(size)
        self.taken.append((label, size, result))
        return result

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """Fisher-Yates over range(size), recorded as one draw."""
        items = list(range(size))
        for i in range(size - 1, 0, -1):
            j = self._below(i + 1)
            items[i], items[j] = items[j], items[i]
        result = tuple(items)
        self.taken.append((label, size, result))
        return result


class Recorded:
    """Reads draws back; raises RecordBroken at the first label or size that differs, or when none is left."""

    __slots__ = ("_next", "draws", "taken")

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.draws = draws
        self.taken: list[Draw] = []
        self._next = 0

    def _take(self, size: int, label: str) -> int | tuple[int, ...]:
        if self._next >= len(self.draws):
            raise RecordBroken(f"a draw «{label}» of {size} is needed, but the record has no more")
        had_label, had_size, result = self.draws[self._next]
        if (had_label, had_size) != (label, size):
            raise RecordBroken(
                f"draw {self._next} is «{had_label}» of {had_size} in the record, but «{label}» of {size} is needed"
            )
        self._next += 1
        self.taken.append((label, size, result))
        return result

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """The recorded number; it must be in range."""
        result = self._take(size, label)
        if not isinstance(result, int) or not 0 <= result < size:
            raise RecordBroken(f"draw {self._next - 1} «{label}» holds {result!r}, not a number below {size}")
        return result

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """The recorded permutation; it must be one."""
        result = self._take(size, label)
        if isinstance(result, int) or len(result) != size or sorted(result) != list(range(size)):
            raise RecordBroken(f"draw {self._next - 1} «{label}» is no permutation of {size}")
        return tuple(result)

    @property
    def left(self) -> int:
        """How many recorded draws were not used."""
        return len(self.draws) - self._next


def commitment(secret: bytes) -> str:
    """SHA-256 of the race's secret in hexadecimal, published when the race starts."""
    return hashlib.sha256(secret).hexdigest()


def stream_key(secret: bytes, words: Sequence[str]) -> bytes:
    """The stream's key: the secret mixed with what each seat added before the start, in seat order."""
    text = "\x1f".join(words).encode()
    return hmac.digest(secret, b"roadkill/1\x00" + text, "sha256")
