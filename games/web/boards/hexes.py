"""Places of hexes in a drawing: lanes are columns, rows go upwards, and even lanes stand half a space further ahead.

All functions are pure. Hexes stand on a side; the unit is a tenth of a hex's radius.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

RADIUS: Final = 100
PITCH: Final = 150
"""From lane to lane."""
HEIGHT: Final = 173
"""From row to row: the square root of 3 in radii."""


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
    half = HEIGHT // 2
    y = HEIGHT * (rows - row + 1) - (half if lane % 2 == 0 else 0)
    return x, y


def drawing(spaces: Iterable[Mapping[str, Any]], *, lanes: int, rows: int) -> Drawing:
    """A stretch of road: {"lane", "row", "ground", "is_spot"} of each space, rows counted from its back edge."""
    hexes = tuple(
        Hex(*middle(one["lane"], one["row"], rows=rows), ground=one["ground"], is_spot=one["is_spot"]) for one in spaces
    )
    width = PITCH * (lanes - 1) + 2 * RADIUS
    return Drawing(width=width, height=HEIGHT * rows + HEIGHT // 2, hexes=hexes)
