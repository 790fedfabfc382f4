"""T45 to T61: hazard tokens as they are turned up, and what they do to who turned them up."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from games.engine.rulebook import rule
from games.rulesets.thunder_road.bags import drawn, fewer
from games.rulesets.thunder_road.course import PAVED, edge, forward_of, is_face_down, is_fatal, terrain
from games.rulesets.thunder_road.hexes import Space, step, written
from games.rulesets.thunder_road.rules.t22_edges import throw_out
from games.rulesets.thunder_road.rules.t64_damage import fly, ignite, is_job, stop_move
from games.rulesets.thunder_road.rules.t71_out import eliminate
from games.rulesets.thunder_road.state import (
    MOST_RELOCATIONS,
    NOWHERE,
    SMALL,
    Advancing,
    Damaging,
    Entering,
    Minoring,
    Piece,
    Ramping,
    Shaking,
    Skidding,
    Slam,
    Table,
    Token,
    name_of,
)

NO_SURPRISE = ("road", "fire", "glass")
"""Tokens that change neither position nor count, so that a path that was said goes on."""
SHOWN = {"SM": (1, 2), "M": (2,), "L": (3,), "SML": (1, 2, 3)}
"""Sizes that each face of the black die hits (T37)."""


@rule("T45")
def reveal(table: Table, frame: Entering) -> None:
    """A token is drawn for what lay face down; what stays lies face up from then on, the rest is put away."""
    n, space = frame.piece, frame.space
    kind = drawn(table.bag, table.chance, "hazard")
    table.bag = fewer(table.bag, kind)
    hazard = table.set.hazards[kind]
    table.tokens = tuple(token for token in table.tokens if token.at != space)
    piece = table.pieces[n]
    table.tell("reveals", "T45", piece=name_of(table, n), seat=piece.seat, space=written(space), token=hazard.key)
    if hazard.stays and not (piece.kind == "rig" and hazard.key in RIG_REMOVES):
        table.tokens = (*table.tokens, Token(space, hazard.key))
    else:
        throw_out(table, hazard.key)
    if is_job(table, n) and hazard.key not in NO_SURPRISE:
        table.note(path="")
    if piece.kind == "rig" and hazard.key in RIG_REMOVES:
        table.push(Minoring(n))
        if hazard.key != "quake":
            return
    act = REVEALED.get(hazard.key)
    if act is not None:
        act(table, frame)


RIG_REMOVES = ("mine", "oil", "glass", "fire", "ramp", "pit", "quake")
"""T28: tokens that do a Big Rig one minor damage and are removed."""


@rule("T51")
def _mine(table: Table, frame: Entering) -> None:
    """Damage (T64, T65); the mine has left the board."""
    table.push(Damaging(frame.piece))


@rule("T52")
def _mud(table: Table, frame: Entering) -> None:
    """Two counts to enter, one if it is the last; so one more is taken off, if any is left, for what is turned up.

    A forced move, and a step that costs no count, cost none here either.
    """
    if is_job(table, frame.piece) and frame.own and not frame.free and table.turn.left:
        table.note(left=table.turn.left - 1)


@rule("T61")
def _wreck(table: Table, frame: Entering) -> None:
    """A wreck comes into the space, at the bottom of a slam; with no marker left the token is off-road."""
    used = sum(piece.kind == "wreck" and not piece.gone for piece in table.pieces)
    if used >= table.set.wrecks:
        leaves_road(table, frame.piece)
        return
    table.pieces.append(Piece(0, "wreck", "wreck", SMALL, at=frame.space))
    table.push(Slam(frame.piece, len(table.pieces) - 1))


@rule("T54")
def _pit(table: Table, frame: Entering) -> None:
    """The black die: who is of a size that it shows is eliminated; the pit is rock from then on."""
    if table.pieces[frame.piece].size in SHOWN[table.roll("shoot")]:
        eliminate(table, [frame.piece], "T54")


@rule("T59")
def _worm(table: Table, frame: Entering) -> None:
    """Every vehicle that is farthest behind is eliminated in one moment; a Big Rig takes minor damage."""
    there = {
        m: forward_of(one) for m, one in enumerate(table.pieces) if one.seat and not one.gone and one.at != NOWHERE
    }
    last = [m for m, y in there.items() if y == min(there.values())]
    table.tell("worm", "T59", pieces=[name_of(table, m) for m in last])
    for m in last:
        if table.pieces[m].kind == "rig":
            table.push(Minoring(m))
    eliminate(table, [m for m in last if table.pieces[m].kind != "rig"], "T59")


@rule("T55")
def _quake(table: Table, frame: Entering) -> None:
    """All cars and motorcycles on the road shift together; Big Rigs take minor damage, wrecks and choppers stay."""
    direction = table.roll("direction")
    table.tell("quake", "T55", direction=direction)
    shifting = sorted(
        (m for m, one in enumerate(table.pieces) if one.kind in ("car", "bike") and one.spaces),
        key=lambda m: (-forward_of(table.pieces[m]), table.pieces[m].at[0]),
    )
    rigs = [m for m, one in enumerate(table.pieces) if one.kind == "rig" and one.spaces and m != frame.piece]
    table.push(Shaking(direction, pieces=tuple(shifting)))
    table.push(*(Minoring(m) for m in rigs))


def shaking(table: Table, frame: Shaking, heard: Any) -> None:
    """Pass one moves or loses them all in one moment; pass two settles where each has come to (T55)."""
    if frame.pieces:
        _shift(table, frame)
    elif frame.left:
        (n, at), *rest = frame.left
        if rest:
            table.push(replace(frame, left=tuple(rest)))
        piece = table.pieces[n]
        if not piece.gone and piece.at == at:
            table.push(Entering(n, frame.direction, at, stage=SETTLED))


SETTLED = 2
"""The stage of an entry at which the piece is in its new space (E3)."""


def _shift(table: Table, frame: Shaking) -> None:
    """Pass one: edges and rock, the foremost first; one that leaves the front of the road makes it advance."""
    lost: list[int] = []
    moved: list[tuple[int, Space]] = list(frame.left)
    moving = list(frame.pieces)
    while moving:
        n = moving.pop(0)
        piece = table.pieces[n]
        if piece.gone or table.turn.relocations >= MOST_RELOCATIONS:
            continue
        space = step(piece.at, frame.direction)
        where = edge(table, space)
        if where == "front" and not table.finish:
            # It is asked for the way, and enters as by a push of its own.
            table.push(replace(frame, pieces=tuple(moving), left=tuple(moved)))
            eliminate(table, lost, "T55")
            table.push(Advancing(n, Entering(n, frame.direction, space)))
            return
        if where == "front" and piece.operable:
            table.push(Entering(n, frame.direction, space))
            return
        if where or is_fatal(table, space, frame.direction):
            lost.append(n)
            continue
        table.note(relocations=table.turn.relocations + 1)
        table.change(n, at=space)
        moved.append((n, space))
        if not (is_face_down(table, space) or is_road(terrain(table, space))):
            leaves_road(table, n)
    if moved:
        table.push(replace(frame, pieces=(), left=tuple(moved)))
    eliminate(table, lost, "T55")


REVEALED: dict[str, Callable[[Table, Entering], None]] = {
    "mine": _mine,
    "mud": _mud,
    "wreck": _wreck,
    "pit": _pit,
    "worm": _worm,
    "quake": _quake,
}
"""What tokens do beside being terrain: road, oil, glass, ramp and fire are terrain from then on."""


# Terrain, printed or of a token that lies face up


@rule("T57")
def is_road(there: str) -> bool:
    """Road does nothing; it and oil are what a move may be on and still earn the Road Bonus (T20)."""
    return there in PAVED


@rule("T48")
def leaves_road(table: Table, n: int) -> None:
    """Off-road does nothing; but it is no road, so a move over it earns no Road Bonus."""
    if is_job(table, n):
        table.note(paved=False)


@rule("T53")
def _oil(table: Table, frame: Entering) -> None:
    """One space in a direction that is rolled, free; a driver goes on from there."""
    if is_job(table, frame.piece):
        table.note(path="")
    table.push(Skidding(frame.piece, table.roll("direction")))


@rule("T47")
def _glass(table: Table, frame: Entering) -> None:
    """One step further in the direction of entry, free, as part of the move that it interrupts."""
    if frame.own:
        space = step(frame.space, frame.direction)
        table.push(Entering(frame.piece, frame.direction, space, own=True, free=True))
    else:
        table.push(Skidding(frame.piece, frame.direction))


@rule("T60")
def _goo(table: Table, frame: Entering) -> None:
    """An own move ends; the driver may shoot."""
    if frame.own:
        stop_move(table, frame.piece)
        piece = table.pieces[frame.piece]
        table.tell("stuck", "T60", piece=name_of(table, frame.piece), seat=piece.seat, space=written(frame.space))


@rule("T58")
def _salt(table: Table, frame: Entering) -> None:
    """Whoever enters salt by an own move has earned the Road Bonus for it, whatever the rest was."""
    if is_job(table, frame.piece) and frame.own:
        table.note(salt=True)


def _flames(table: Table, frame: Entering) -> None:
    ignite(table, frame.piece)


def _ramp(table: Table, frame: Entering) -> None:
    table.push(Ramping(frame.piece, frame.own))


EFFECTS = {"oil": _oil, "glass": _glass, "goo": _goo, "salt": _salt, "fire": _flames, "ramp": _ramp}
"""What terrain does; road, off-road, and mud, whose price is paid on arrival, do nothing here."""
CARRIES_ON = ("oil", "glass", "ramp")
"""Terrain from which whoever enters it comes on to another space."""


@rule("T56")
def ramping(table: Table, frame: Ramping, heard: Any) -> None:
    """So many spaces straight on, over everything; only the last is entered, and the move ends."""
    count = int(table.roll("stunt"))
    stop_move(table, frame.piece)
    table.tell("flies", "T56", piece=name_of(table, frame.piece), seat=table.pieces[frame.piece].seat, spaces=count)
    fly(table, frame.piece, count, "F", own=frame.own)
