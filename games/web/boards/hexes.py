"""Places of hexes in a drawing: lanes are columns, rows go upwards, and even lanes stand half a space further ahead.

All functions are pure. Hexes stand on a side; the unit is a hundredth of a hex's radius.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

RADIUS: Final = 100
PITCH: Final = 150
"""From lane to lane."""
HEIGHT: Final = 173
"""From row to row: the square root of 3 in radii."""
HALF: Final = HEIGHT // 2
"""How much further ahead an even lane stands."""
STEPS: Final[Mapping[str, tuple[tuple[int, int], tuple[int, int]]]] = {
    "F": ((0, 1), (0, 1)),
    "L": ((-1, 1), (-1, 0)),
    "R": ((1, 1), (1, 0)),
    "FL": ((-1, 1), (-1, 0)),
    "FR": ((1, 1), (1, 0)),
    "B": ((0, -1), (0, -1)),
    "BL": ((-1, 0), (-1, -1)),
    "BR": ((1, 0), (1, -1)),
}
"""Lanes and rows of a step in a direction, from an even lane and from an odd one."""


@dataclass(frozen=True, slots=True)
class Hex:
    """One hex: its middle, and what is drawn there."""

    x: int
    y: int
    ground: str
    is_spot: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """Hexes in a box of this width and height."""

    width: int
    height: int
    hexes: tuple[Hex, ...]


def middle(lane: int, row: int, *, rows: int) -> tuple[int, int]:
    """The middle of a space in a drawing of so many rows."""
    x = RADIUS + PITCH * (lane - 1)
    y = HEIGHT * (rows - row + 1) - (HALF if lane % 2 == 0 else 0)
    return x, y


def step(lane: int, row: int, direction: str) -> tuple[int, int]:
    """The space next to this one in a direction of STEPS; it may lie off the road."""
    lanes, rows = STEPS[direction][lane & 1]
    return lane + lanes, row + rows


def border(row: int, *, lanes: int, rows: int) -> str:
    """The front edges of a row as the points of a line, from the left; row 0 gives the back edges of row 1."""
    points = []
    for lane in range(1, lanes + 1):
        x, y = middle(lane, row, rows=rows)
        points += [(x - RADIUS // 2, y - HALF), (x + RADIUS // 2, y - HALF)]
    return " ".join(f"{x},{y}" for x, y in points)


def drawing(spaces: Iterable[Mapping[str, Any]], *, lanes: int, rows: int) -> Drawing:
    """A stretch of road: {"lane", "row", "ground", "is_spot"} of each space, rows counted from its back edge."""
    hexes = tuple(
        Hex(*middle(one["lane"], one["row"], rows=rows), ground=one["ground"], is_spot=one["is_spot"]) for one in spaces
    )
    width = PITCH * (lanes - 1) + 2 * RADIUS
    return Drawing(width=width, height=HEIGHT * rows + HALF, hexes=hexes)
