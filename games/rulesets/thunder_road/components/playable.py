"""Whether a tile can be driven: nobody is forced into a rock, and nobody is forced to gamble.

Tiles meet in any order. A tile's first row holds neither rock nor ramp, so what is true of each tile by itself is true
over every seam too.
"""

from __future__ import annotations

from collections.abc import Iterable

from games.rulesets.thunder_road.components.shapes import HAZARD_SPOTS, SYMBOLS
from games.rulesets.thunder_road.hexes import FRONT_ARC, LANES, ROWS, Space, step

ROCK = "#"
RAMP = "^"
GLASS = "g"
LAST_RAMP = 6
"""The row up to which a ramp may stand: the longest flight, of four spaces, ends on the tile."""
LONGEST_FLIGHT = 4
_BACK = {"FL": "BR", "F": "B", "FR": "BL"}


class Unplayable(Exception):
    """A tile cannot be driven. Names row and lane on the tile and the reason; lane 0 when a whole row is meant."""

    def __init__(self, lane: int, row: int, reason: str) -> None:
        super().__init__(lane, row, reason)
        self.lane = lane
        self.row = row
        self.reason = reason

    def __str__(self) -> str:
        where = f"row {self.row}, lane {self.lane}" if self.lane else f"row {self.row}"
        return f"{where}: {self.reason}"


def check(rows: tuple[str, ...]) -> None:
    """Refuse a tile that cannot be driven, by raising Unplayable. ``rows``: as Tile.rows, the first at the back."""
    _check_shape(rows)
    _check_seam(rows)
    _check_dead_ends(rows)
    _check_ramps(rows)
    _check_glass(rows)
    _check_quiet_lines(rows)


def symbol(rows: tuple[str, ...], space: Space) -> str:
    """What is printed on a space: rock beside the road, plain road behind the tile and in front of it."""
    lane, row = space
    if not 1 <= lane <= LANES:
        return ROCK
    return rows[row - 1][lane - 1] if 1 <= row <= ROWS else "."


def safe_steps(rows: tuple[str, ...], space: Space) -> tuple[str, ...]:
    """The directions of the front steps from a space that are not fatal, as printed (T50, T56)."""
    return tuple(one for one in FRONT_ARC if not _is_fatal(rows, step(space, one), one))


def funnels(rows: tuple[str, ...]) -> tuple[Space, ...]:
    """The spaces from which one front step only is not fatal."""
    return tuple(space for space in _spaces(rows) if len(safe_steps(rows, space)) == 1)


def pockets(rows: tuple[str, ...]) -> tuple[Space, ...]:
    """The spaces that nobody drives to: one has to be pushed there, or slide."""
    entered = {step(space, one) for space in _spaces(rows) for one in safe_steps(rows, space)}
    return tuple(space for space in _spaces(rows) if space[1] > 1 and space not in entered and not _behind(rows, space))


def _behind(rows: tuple[str, ...], space: Space) -> bool:
    """Whether a space is entered from a tile behind."""
    return any(step(space, _BACK[one])[1] < 1 and 1 <= step(space, _BACK[one])[0] <= LANES for one in FRONT_ARC)


def _is_fatal(rows: tuple[str, ...], space: Space, direction: str) -> bool:
    there = symbol(rows, space)
    return there == ROCK or (there == RAMP and direction != "F")


def _spaces(rows: tuple[str, ...]) -> Iterable[Space]:
    """Every space that a vehicle can stand on, from the back, lane by lane."""
    for row in range(1, ROWS + 1):
        for lane in range(1, LANES + 1):
            if symbol(rows, (lane, row)) != ROCK:
                yield lane, row


def _check_shape(rows: tuple[str, ...]) -> None:
    if len(rows) != ROWS:
        raise Unplayable(0, min(len(rows), ROWS) + 1, f"a tile has {ROWS} rows, and here are {len(rows)}")
    for row, symbols in enumerate(rows, 1):
        for lane, one in enumerate(symbols, 1):
            if lane <= LANES and one not in SYMBOLS:
                raise Unplayable(lane, row, f"“{one}” is no symbol of a space; symbols are {' '.join(SYMBOLS)}")
        if len(symbols) != LANES:
            raise Unplayable(0, row, f"a row has {LANES} spaces, and here are {len(symbols)}")


def _check_seam(rows: tuple[str, ...]) -> None:
    for lane, one in enumerate(rows[0], 1):
        if one in (ROCK, RAMP):
            raise Unplayable(lane, 1, f"the row at the back holds no “{one}”, so that tiles fit in any order")


def _check_dead_ends(rows: tuple[str, ...]) -> None:
    for lane, row in _spaces(rows):
        if not safe_steps(rows, (lane, row)):
            reason = "a dead end: each step ahead leads into rock, onto a ramp from the side, or off the road"
            raise Unplayable(lane, row, reason)


def _check_ramps(rows: tuple[str, ...]) -> None:
    for lane, row in _spaces(rows):
        if symbol(rows, (lane, row)) != RAMP:
            continue
        if row > LAST_RAMP:
            raise Unplayable(lane, row, f"a ramp stands in row {LAST_RAMP} at most, so that flights end on the tile")
        if symbol(rows, (lane, row - 1)) == ROCK:
            raise Unplayable(lane, row, "nobody can drive onto this ramp: there is rock straight behind it")
        for ahead in range(row + 1, row + LONGEST_FLIGHT + 1):
            if symbol(rows, (lane, ahead)) == ROCK:
                raise Unplayable(lane, row, f"a flight from this ramp may end in the rock of row {ahead}")


def _check_glass(rows: tuple[str, ...]) -> None:
    for lane, row in _spaces(rows):
        if symbol(rows, (lane, row)) != GLASS:
            continue
        for direction in FRONT_ARC:
            if symbol(rows, step((lane, row), _BACK[direction])) == ROCK:
                continue  # Nobody comes from there.
            if _is_fatal(rows, step((lane, row), direction), direction):
                raise Unplayable(lane, row, f"glass throws who enters it by {direction} into rock or off the road")


def _check_quiet_lines(rows: tuple[str, ...]) -> None:
    """From each lane of the back row there is a way to the front without any hazard spot or fatal step."""
    leads: set[Space] = set()
    # From the front backwards, even lanes first: they stand half a space further ahead.
    for lane, row in sorted(_spaces(rows), key=lambda space: (-space[1], space[0] % 2)):
        if symbol(rows, (lane, row)) in HAZARD_SPOTS:
            continue
        ahead = [step((lane, row), direction) for direction in safe_steps(rows, (lane, row))]
        if any(one[1] > ROWS or one in leads for one in ahead):
            leads.add((lane, row))
    for lane in range(1, LANES + 1):
        if (lane, 1) not in leads:
            raise Unplayable(lane, 1, "from here no way leads to the front without a hazard spot or rock")
