"""T26 to T33: what is different with the Big Rig and with motorcycles."""

from typing import Any

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.thunder_road.actions import Minor
from games.rulesets.thunder_road.course import choppers_at, edge
from games.rulesets.thunder_road.hexes import Space, step
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION, throw_out
from games.rulesets.thunder_road.rules.t64_damage import cover, free_spots
from games.rulesets.thunder_road.state import (
    NOWHERE,
    OFF_ROAD_COVER,
    AfterMove,
    Entering,
    Minoring,
    Piece,
    Position,
    Slam,
    Table,
    Token,
    driver_of,
)

RIG_SUFFERS = ("oil", "glass", "goo", "fire", "ramp", "rock")
"""T28: terrain that does a Big Rig one minor damage and is covered."""


# The Big Rig


@rule("T26")
def cannot_steer(position: Position, piece: Piece, letter: str) -> Refusal | None:
    """The Big Rig drives straight on; a step to the left or right costs one of the round's steering, none goes off."""
    if piece.kind != "rig" or letter == "F":
        return None
    if not driver_of(position, piece.seat).steering:
        return Refusal("T26", "The Big Rig has no steering left in this round: it drives straight on")
    if edge(position, step(piece.at, DIRECTION[letter])) == "side":
        return Refusal("T26", "The Big Rig does not drive off the side")
    return None


def pull_up(table: Table, n: int, space: Space) -> None:
    """T26: the front enters a space, and the other sections follow in its track."""
    piece = table.pieces[n]
    table.change(n, at=space, middle=piece.at, rear=piece.middle)


@rule("T27")
def meets_choppers(table: Table, after: AfterMove, heard: Any) -> bool:
    """A Big Rig whose move ends with a section on a chopper: minor damage, and the chopper goes back to its owner."""
    n = table.turn.jobs[0].piece
    piece = table.pieces[n]
    if piece.kind != "rig":
        return False
    met = [seat for space in piece.spaces for seat in choppers_at(table, space)]
    if not met:
        return False
    table.push(after)
    for seat in met:
        table.driver(seat, chopper=NOWHERE)
        table.tell("chopper_returns", "T27", seat=seat)
        table.push(Minoring(n))
    return True


@rule("T28")
@rule("T46")
def drive_over(table: Table, n: int, there: str, space: Space) -> None:
    """What would stop, hurt, move or endanger the Big Rig does it minor damage, of its owner's choice, and is gone.

    A token that lies there is put away; what is printed is covered as off-road.
    """
    if there not in RIG_SUFFERS:
        return
    token = next((token for token in table.tokens if token.at == space), None)
    table.tokens = tuple(token for token in table.tokens if token.at != space)
    if token is not None:
        throw_out(table, token.kind)
    else:
        table.tokens = (*table.tokens, Token(space, OFF_ROAD_COVER))
    table.push(Minoring(n))


def minoring(table: Table, frame: Minoring, heard: Any) -> None:
    """T28: minor damage at a spot that the Big Rig's owner chooses."""
    piece = table.pieces[frame.piece]
    if piece.gone:
        return
    if isinstance(heard, Minor):
        cover(table, frame.piece, heard.spot)
        return
    spots = free_spots(table, frame.piece)
    if len(spots) == 1 or driver_of(table, piece.seat).out:
        cover(table, frame.piece, spots[0])
    else:
        table.push(frame)
        table.ask("minor", piece.seat, frame.piece)


@rule("T29")
def may_earn_bonus(piece: Piece) -> bool:
    """The Big Rig earns no Road Bonus, wherever it drives; it has Traction Drive (T10)."""
    return piece.kind != "rig"


@rule("T30")
def slams_rig(position: Position, frame: Slam) -> int:
    """In a slam with a Big Rig, whoever started it, the other is moved by one die, and nobody is asked.

    The piece that is moved; -1 without a Big Rig.
    """
    kinds = [position.pieces[n].kind for n in (frame.mover, frame.other)]
    return (frame.mover, frame.other)[1 - kinds.index("rig")] if "rig" in kinds else -1


def goes_on_after_slam(position: Position, n: int) -> bool:
    """T30: with its Cow Catcher a Big Rig is not stopped by the slams it starts."""
    return position.pieces[n].kind == "rig" and position.turn.command == "cow_catcher"


# Motorcycles


@rule("T31")
def passes_all(piece: Piece, frame: Entering) -> bool:
    """A motorcycle passes every occupied space of its own move; where the move ends it slams."""
    return piece.kind == "bike" and frame.own and not frame.ends


@rule("T33")
def slams_bike(position: Position, frame: Slam) -> int:
    """In a slam a motorcycle is moved, by one die, and nobody is asked; of two their owner says which one.

    The piece that is moved; -1 without motorcycles, or of two that have an owner. If that seat is out of the race it is
    the one that entered.
    """
    pair = [n for n in (frame.mover, frame.other) if position.pieces[n].kind == "bike"]
    if len(pair) == 2 and driver_of(position, position.pieces[frame.mover].seat).out:
        return frame.mover
    return pair[0] if len(pair) == 1 else -1


def are_bikes(position: Position, frame: Slam) -> bool:
    """Whether two motorcycles have met."""
    return all(position.pieces[n].kind == "bike" for n in (frame.mover, frame.other))
