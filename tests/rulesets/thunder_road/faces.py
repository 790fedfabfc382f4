"""Draws that a test fixes by hand."""

from collections.abc import Sequence

from games.engine.chance import Draw


class Faces:
    """A chance source that gives these numbers in turn."""

    def __init__(self, *numbers: int) -> None:
        self._left = list(numbers)
        self.taken: list[Draw] = []

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """The next number, which must be in range."""
        number = self._left.pop(0)
        assert 0 <= number < size, (label, size, number)
        self.taken.append((label, size, number))
        return number

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """Nothing is shuffled in this game."""
        raise AssertionError(label)
