"""T34 to T42: shots of vehicles and choppers, missiles."""

from typing import Any

from games.engine.rulebook import rule
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.actions import Shoot
from games.rulesets.thunder_road.course import section_at, standing
from games.rulesets.thunder_road.hexes import DIRECTIONS, FRONT_ARC, REAR_ARC, Space, step
from games.rulesets.thunder_road.rules.t45_hazards import SHOWN
from games.rulesets.thunder_road.rules.t64_damage import cards_on, free_spots
from games.rulesets.thunder_road.state import (
    NOWHERE,
    Choosing,
    Damaging,
    Firing,
    Position,
    Table,
    driver_of,
    name_of,
)

CHOPPER = -1
"""Instead of a piece: the shooter is a chopper."""


@rule("T34")
def may_shoot(position: Position) -> bool:
    """Nobody shoots in round 1."""
    return position.round > 1


@rule("T35")
def targets(position: Position, seat: int, n: int, *, missile: bool = False) -> list[tuple[int, str]]:
    """What a vehicle, or with CHOPPER the seat's chopper, may shoot at: pieces, of a Big Rig each command (T41).

    Any vehicle, one's own and inoperable ones too, or wreck in the front arc; for a Big Rig see T40.
    """
    if not may_shoot(position) or (n != CHOPPER and cards_on(position, n, "jammed_gun")):
        return []
    out: list[tuple[int, str]] = []
    for space in _aim(position, seat, n, missile=missile):
        for m in standing(position, space, but=n):
            if position.pieces[m].kind != "rig":
                out.append((m, ""))
            else:
                out += [(m, spot) for spot in rig_spots(position, m, space) if (m, spot) not in out]
    return out


@rule("T41")
def rig_spots(position: Position, n: int, space: Space) -> list[str]:
    """Commands of a Big Rig that may be aimed at: of the section on a space, if that has not two minor damages."""
    return free_spots(position, n, section_at(position.pieces[n], space))


@rule("T40")
def _aim(position: Position, seat: int, n: int, *, missile: bool) -> list[Space]:
    """The front arc; of a Big Rig the rear arc of its rear section too; a missile: around two spaces straight ahead."""
    if n == CHOPPER:
        return [step(driver_of(position, seat).chopper, one) for one in FRONT_ARC]
    piece = position.pieces[n]
    if missile:
        ahead = step(step(piece.at, "F"), "F")
        return [ahead, *(step(ahead, one) for one in DIRECTIONS)]
    arc = [step(piece.at, one) for one in FRONT_ARC]
    if piece.kind == "rig" and piece.rear != NOWHERE:
        arc += [step(piece.rear, one) for one in REAR_ARC]
    return arc


def choosing(table: Table, frame: Choosing, heard: Any) -> None:
    """T6: a chopper that has just been placed may shoot."""
    if isinstance(heard, Shoot):
        shoot(table, CHOPPER, heard)
    elif heard is None and targets(table, frame.seat, CHOPPER):
        table.push(frame)
        table.ask("shoot", frame.seat, CHOPPER)


def shoot(table: Table, n: int, act: Shoot, *, missile: bool = False) -> None:
    """Begin a shot that was chosen."""
    target = next(m for m, piece in enumerate(table.pieces) if not piece.gone and name_of(table, m) == act.target)
    table.push(Firing(n, target, act.spot, missile))


@rule("T36")
@rule("T37")
def firing(table: Table, frame: Firing, heard: Any) -> None:
    """The black die hits if it shows the target's size; wrecks and motorcycles are small, the Big Rig is large."""
    target = table.pieces[frame.target]
    by = "chopper" if frame.piece == CHOPPER else name_of(table, frame.piece)
    table.tell("shoots", "T36", by=by, seat=table.turn.seat, target=name_of(table, frame.target), missile=frame.missile)
    hit = _hits(table, frame)
    if not hit and cards_on(table, frame.target, "big_silhouette"):
        hit = _hits(table, frame)
    if not hit and table.turn.command == "targeting" and not table.turn.rerolled and frame.piece != CHOPPER:
        table.note(rerolled=True)
        hit = _hits(table, frame)
    table.tell("hit" if hit else "missed", "T37", target=name_of(table, frame.target), seat=target.seat)
    if hit:
        HIT[target.kind](table, frame)


@rule("T38")
def _hit_car(table: Table, frame: Firing) -> None:
    """A car that is hit takes damage (T64); its owner decides what the effects ask."""
    table.push(Damaging(frame.target))


@rule("T39")
@rule("T80")
def _hit_wreck(table: Table, frame: Firing) -> None:
    """A wreck that is hit takes damage, so it is removed (T63)."""
    table.push(Damaging(frame.target))


def _hit_rig(table: Table, frame: Firing) -> None:
    """T41: a Big Rig that is hit takes minor damage on the command that was aimed at."""
    table.push(Damaging(frame.target, frame.spot))


@rule("T42")
def _hit_bike(table: Table, frame: Firing) -> None:
    """A motorcycle that is hit takes minor damage, so it is inoperable (T71)."""
    table.push(Damaging(frame.target))


HIT = {"car": _hit_car, "wreck": _hit_wreck, "rig": _hit_rig, "bike": _hit_bike}


def _hits(table: Table, frame: Firing) -> bool:
    """One roll; with a bent sight a hit counts only if a second roll hits as well."""
    rolls = 1 + (cards_on(table, frame.piece, "bent_sight") if frame.piece != CHOPPER else 0)
    return all(table.pieces[frame.target].size in SHOWN[table.roll("shoot")] for _ in range(rolls))


def spot_name(position: Position, spot: str) -> str:
    """A command of the Big Rig as people call it."""
    return components.named(position.components).commands[spot].name
