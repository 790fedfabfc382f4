"""The default that keeps a race moving, and what a step would do for all that can be seen: a search without a draw."""

from functools import cache
from typing import NamedTuple

from games.rulesets.thunder_road.actions import Move, Stand
from games.rulesets.thunder_road.course import (
    PAVED,
    Ground,
    rear_row,
    stops_dead,
)
from games.rulesets.thunder_road.hexes import Space, step
from games.rulesets.thunder_road.rules.t01_turns import counted, unmoved
from games.rulesets.thunder_road.rules.t14_driving import is_barred
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION
from games.rulesets.thunder_road.rules.t26_rig_and_bikes import RIG_SUFFERS
from games.rulesets.thunder_road.state import FACE_DOWN, NOWHERE, Driver, Position, driver_of, forward_order

FATAL, SLAM, TOKEN, NASTY, MUD, UNPAVED = 1000, 100, 30, 10, 3, 1
"""What a step costs the autopilot (rulings, «Autopilot»)."""
LANES_FIRST = "342516"
"""Lanes in which a vehicle enters, the best first."""
RIG_PAYS = 30
MOST = 1_000_000
"""More than any path costs."""


class Way(NamedTuple):
    """What a step would do.

    ``space``: where it leads; ``cost``: to the autopilot; ``why``: what is to be feared there, "" for nothing;
    ``stops``: nothing beyond is known.
    """

    space: Space
    cost: int = 0
    why: str = ""
    stops: bool = True


def look(position: Position, ground: Ground, n: int, at: Space, letter: str, *, last: bool) -> Way:
    """One step of a piece from a space; ``last``: its move ends with it. Draws nothing."""
    kind = position.pieces[n].kind
    space = (int(letter), rear_row(position)) if letter.isdigit() else step(at, DIRECTION[letter])
    where = ground.edge(space)
    if where == "front":
        return Way(space)
    if where:
        return Way(space, FATAL, "off the road")
    there = ground.terrain(space)
    rig = kind == "rig"
    if not rig and stops_dead(there, DIRECTION.get(letter, "F")):
        return Way(space, FATAL, "impassable")
    if (last or kind != "bike") and any(m != n for m in ground.pieces.get(space, ())):
        return Way(space, SLAM, "slam")
    if last and not rig and space in ground.choppers:
        return Way(space, FATAL, "a chopper")
    if ground.tokens.get(space) == FACE_DOWN:
        return Way(space, TOKEN, "a face-down token")
    return _by_terrain(space, there, rig=rig)


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
    ground = Ground(position)

    @cache
    def search(at: Space, left: int, turns: int) -> tuple[int, str]:
        if left <= 0:
            return 0, ""
        least, way_on = MOST, ""
        for letter in LANES_FIRST if at == NOWHERE else "FLR":
            if piece.kind == "rig" and letter in "LR" and not turns:
                continue
            if at == piece.at and is_barred(position, n, letter) is not None:
                continue
            way = look(position, ground, n, at, letter, last=left == 1)
            cost = 2 if way.why == "mud" and left > 1 else 1
            beyond, path = (0, "") if way.stops else search(way.space, left - cost, turns - (letter in "LR"))
            if way.cost + beyond < least:
                least, way_on = way.cost + beyond, letter + path
                if not least:
                    break
        return least, way_on

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
