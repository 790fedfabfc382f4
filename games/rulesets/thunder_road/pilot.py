"""The default that keeps a race moving, and what a step would do for all that can be seen: a search without a draw."""

from functools import cache
from typing import NamedTuple

from games.rulesets.thunder_road.actions import Move, Stand
from games.rulesets.thunder_road.course import (
    PAVED,
    choppers_at,
    edge,
    is_face_down,
    is_fatal,
    rear_row,
    standing,
    terrain,
)
from games.rulesets.thunder_road.hexes import Space, step
from games.rulesets.thunder_road.rules.t01_turns import counted, unmoved
from games.rulesets.thunder_road.rules.t14_driving import RIG_SUFFERS, is_barred
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION
from games.rulesets.thunder_road.state import NOWHERE, Driver, Piece, Position, driver_of, forward_order

FATAL, SLAM, TOKEN, NASTY, MUD, UNPAVED = 1000, 100, 30, 10, 3, 1
"""What a step costs the autopilot (rulings, «Autopilot»)."""
LANES_FIRST = "342516"
"""Lanes in which a vehicle enters, the best first."""
RIG_PAYS = 30


class Way(NamedTuple):
    """What a step would do.

    ``space``: where it leads; ``cost``: to the autopilot; ``why``: what is to be feared there, "" for nothing;
    ``stops``: nothing beyond is known.
    """

    space: Space
    cost: int = 0
    why: str = ""
    stops: bool = True


def look(position: Position, piece: Piece, at: Space, letter: str, *, last: bool) -> Way:
    """One step from a space, for a piece like this one; ``last``: its move ends with it. Draws nothing."""
    space = (int(letter), rear_row(position)) if letter.isdigit() else step(at, DIRECTION[letter])
    direction = DIRECTION.get(letter, "F")
    where = edge(position, space)
    if where == "front":
        return Way(space)
    if where:
        return Way(space, FATAL, "off the road")
    hidden = is_face_down(position, space)
    rig = piece.kind == "rig"
    if not rig and is_fatal(position, space, direction):
        return Way(space, FATAL, "impassable")
    others = [n for n in standing(position, space) if position.pieces[n] is not piece]
    if others and not (piece.kind == "bike" and not last):
        return Way(space, SLAM, "slam")
    if last and not rig and choppers_at(position, space):
        return Way(space, FATAL, "a chopper")
    if hidden:
        return Way(space, TOKEN, "a face-down token")
    return _by_terrain(space, terrain(position, space), rig=rig)


def _by_terrain(space: Space, there: str, *, rig: bool) -> Way:
    dirty = 0 if there in PAVED else UNPAVED
    if rig and there in RIG_SUFFERS:
        return Way(space, RIG_PAYS, there, stops=False)
    if there in NASTY_THINGS:
        return Way(space, NASTY + dirty, there, stops=there in ("oil", "ramp"))
    if there == "mud":
        return Way(space, MUD + dirty, there, stops=False)
    return Way(space, dirty, stops=False)


NASTY_THINGS = ("oil", "goo", "fire", "glass", "ramp")


def best_path(position: Position, n: int, count: int) -> str:
    """The path of least cost for so many counts; of equal ones F before L before R, lanes 3 4 2 5 1 6."""
    piece = position.pieces[n]
    steering = driver_of(position, piece.seat).steering if piece.kind == "rig" else count

    @cache
    def search(at: Space, left: int, turns: int) -> tuple[int, str]:
        if left <= 0:
            return 0, ""
        found: list[tuple[int, str]] = []
        for letter in LANES_FIRST if at == NOWHERE else "FLR":
            if piece.kind == "rig" and letter in "LR" and not turns:
                continue
            if at == piece.at and is_barred(position, n, letter) is not None:
                continue
            way = look(position, piece, at, letter, last=left == 1)
            cost = 2 if way.why == "mud" and left > 1 else 1
            if way.stops:
                found.append((way.cost, letter))
                continue
            beyond, path = search(way.space, left - cost, turns - (letter in "LR"))
            found.append((way.cost + beyond, letter + path))
        return min(found, key=lambda one: one[0])

    return search(piece.at, count, steering)[1]


def rearmost(position: Position, units: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Vehicles from the rear: those not yet on the road, then by forwardness, lane and size."""
    return sorted(units, key=lambda unit: forward_order(position.pieces[unit[0]]))


def autopilot(position: Position, seat: int) -> Move | Stand:
    """The turn of somebody who says nothing: the lowest die on the rearmost vehicle, no command."""
    driver: Driver = driver_of(position, seat)
    free = unmoved(position, seat)
    if not free:
        return Stand()
    order = rearmost(position, free)
    if driver.crew == "rig":
        order = free
    (n, name), *others = order
    die, *dice = driver.dice
    first = best_path(position, n, counted(position, n, die))
    if driver.crew != "bikes" or not others or not dice:
        return Move(name, die, first)
    return Move(name, die, first, second=others[0][1], second_die=dice[0])
