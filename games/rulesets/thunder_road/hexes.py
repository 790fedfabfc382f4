"""The hexes of the course: lanes 1 to 6 from left to right, rows counted over the whole course from its back edge.

A space is (lane, row) and is written "3-14". Even lanes stand half a space further forward than odd ones. Directions
are the road's, never a vehicle's.
"""

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

Space: TypeAlias = tuple[int, int]

LANES: Final = 6
ROWS: Final = 10
"""Rows of a road tile: the n-th that is laid holds rows 10n - 9 to 10n."""
DIRECTIONS: Final = ("F", "FR", "BR", "B", "BL", "FL")
"""Clockwise from straight ahead."""
FRONT_ARC: Final = ("FL", "F", "FR")
REAR_ARC: Final = ("BL", "B", "BR")

_STEPS: Final = (
    {"F": (0, 1), "FR": (1, 1), "BR": (1, 0), "B": (0, -1), "BL": (-1, 0), "FL": (-1, 1)},
    {"F": (0, 1), "FR": (1, 0), "BR": (1, -1), "B": (0, -1), "BL": (-1, -1), "FL": (-1, 0)},
)
"""Lanes and rows of one step from an even lane, and from an odd one."""
_AROUND: Final = ("BR", "B", "BL", "FL", "F", "FR")
"""The sides of a ring, clockwise from its space straight ahead."""
_WRITTEN: Final = re.compile(r"([1-6])-([1-9][0-9]{0,3})", re.ASCII)


def step(space: Space, direction: str) -> Space:
    """The space next to this one; it may lie off the road."""
    lane, row = space
    lanes, rows = _STEPS[lane & 1][direction]
    return lane + lanes, row + rows


def neighbours(space: Space) -> tuple[Space, ...]:
    """The six spaces around this one, clockwise from straight ahead; some may lie off the road."""
    return tuple(step(space, direction) for direction in DIRECTIONS)


def arc(space: Space, directions: tuple[str, ...]) -> tuple[Space, ...]:
    """The spaces in these directions: FRONT_ARC or REAR_ARC."""
    return tuple(step(space, direction) for direction in directions)


def forwardness(space: Space) -> int:
    """How far ahead a space is: F adds 2, FL and FR add 1."""
    lane, row = space
    return 2 * row + (lane + 1) % 2


def line(space: Space, direction: str) -> Iterator[Space]:
    """The spaces straight on in a direction, the nearest first, without end."""
    while True:
        space = step(space, direction)
        yield space


def ring(space: Space, distance: int) -> Iterator[Space]:
    """The spaces so many steps away, clockwise from straight ahead; some may lie off the road."""
    at = space
    for _ in range(distance):
        at = step(at, "F")
    for direction in _AROUND:
        for _ in range(distance):
            yield at
            at = step(at, direction)


def written(space: Space) -> str:
    """A space as people write it: lane, row."""
    return f"{space[0]}-{space[1]}"


def read(words: str) -> Space | None:
    """The space that is written so, on the road or beyond its front; None if it is none."""
    found = _WRITTEN.fullmatch(words)
    return None if found is None else (int(found[1]), int(found[2]))
