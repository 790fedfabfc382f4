"""T14 to T16, T8, T50: a vehicle's own move, and entering a space, by driving or by force (E1 to E6)."""

from typing import Any

from msgspec.structs import replace

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.thunder_road.actions import Drive
from games.rulesets.thunder_road.course import (
    choppers_at,
    edge,
    is_face_down,
    is_fatal,
    nearest_free,
    rear_row,
    standing,
    terrain,
)
from games.rulesets.thunder_road.hexes import LANES, Space, step, written
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION, leaves_table
from games.rulesets.thunder_road.rules.t26_rig_and_bikes import cannot_steer, drive_over, passes_all, pull_up
from games.rulesets.thunder_road.rules.t45_hazards import CARRIES_ON, EFFECTS, is_road, leaves_road, reveal
from games.rulesets.thunder_road.rules.t64_damage import cards_on, is_job
from games.rulesets.thunder_road.rules.t71_out import eliminate
from games.rulesets.thunder_road.state import (
    MOST_RELOCATIONS,
    NOWHERE,
    Driving,
    Entering,
    Piece,
    Position,
    Slam,
    Table,
    driver_of,
    name_of,
)

LEAVING, ARRIVING, MEETING, UNCOVERING, SUFFERING, ENDING, STAYING = range(7)
"""Steps of an entry: E1, E2, E3, E4, E5, a slam at the end of a pass (T8, T31), E6."""


# The vehicle's own move


@rule("T14")
def driving(table: Table, frame: Driving, heard: Any) -> None:
    """Count by count as the path says; where it says no more, the driver is asked."""
    turn = table.turn
    job = turn.jobs[0]
    piece = table.pieces[job.piece]
    if turn.ended or not piece.operable:
        return
    if isinstance(heard, Drive):
        table.note(path=heard.path)
        turn = table.turn
    if not turn.left:
        table.note(complete=True, path="")
        return
    if not turn.path:
        table.push(Driving())
        table.ask("drive", piece.seat, job.piece)
        return
    letter, rest = turn.path[0], turn.path[1:]
    direction = DIRECTION.get(letter, "F")
    if is_barred(table, job.piece, letter) is not None:
        # What was said has become impossible in the meantime: the rest is asked for anew.
        table.note(path="")
        table.push(Driving())
        table.ask("drive", piece.seat, job.piece)
        return
    table.note(path=rest)
    space = next_space(table, piece, letter)
    table.push(Driving(), Entering(job.piece, direction, space, own=True))
    # Over the front of the road it steers when it is asked for the way (T25).
    if piece.kind == "rig" and letter in "LR" and edge(table, space) != "front":
        table.driver(piece.seat, steering=driver_of(table, piece.seat).steering - 1)


def next_space(position: Position, piece: Piece, letter: str) -> Space:
    """Where a step leads; a lane's number leads onto the road."""
    return entry_space(position, int(letter)) if letter.isdigit() else step(piece.at, DIRECTION[letter])


@rule("T15")
def entry_space(position: Position, lane: int) -> Space:
    """The first count of a vehicle leads into the first row of the rear tile, in any of the six lanes."""
    return lane, rear_row(position)


def is_barred(position: Position, n: int, letter: str) -> Refusal | None:
    """Why a vehicle may not take this step; fatal steps may be taken (T14, T50)."""
    piece = position.pieces[n]
    if (piece.at == NOWHERE) != letter.isdigit():
        if piece.at == NOWHERE:
            return Refusal("T15", "This vehicle is not on the road: begin with the lane in which it enters, 1 to 6")
        return Refusal("T14", "A lane begins a path only where the vehicle enters the road")
    if letter.isdigit():
        return None if 1 <= int(letter) <= LANES else Refusal("T15", "There are lanes 1 to 6")
    if refusal := cannot_steer(position, piece, letter):
        return refusal
    for key, barred in (("pulls_left", "R"), ("pulls_right", "L")):
        if letter == barred and cards_on(position, n, key) and has_other_way(position, piece, barred):
            return Refusal("T69", "The damaged car pulls to the other side")
    return None


def has_other_way(position: Position, piece: Piece, barred: str) -> bool:
    """Whether another step than this one is not fatal."""
    return any(not kills(position, piece, letter) for letter in "FLR" if letter != barred)


def kills(position: Position, piece: Piece, letter: str) -> bool:
    """Whether a step leads off the side or into something impassable, for all that can be seen (T14)."""
    space = next_space(position, piece, letter)
    where = edge(position, space)
    if where:
        return where == "side"
    return piece.kind != "rig" and is_fatal(position, space, DIRECTION.get(letter, "F"))


# Entering


def entering(table: Table, frame: Entering, heard: Any) -> None:
    """ENTER, step by step; each may put something on top that is finished first."""
    if table.pieces[frame.piece].gone:
        return
    for stage in range(frame.stage, STAYING + 1):
        if STEPS[stage](table, replace(frame, stage=stage)):
            return


def _leave(table: Table, frame: Entering) -> bool:
    """E1. What comes back from the front of the road begins here anew."""
    return leaves_table(table, frame)


@rule("T50")
@rule("T75")
def _arrive(table: Table, frame: Entering) -> bool:
    """E2: what is impassable eliminates; else the piece is there, and an own move has paid for it."""
    n, piece = frame.piece, table.pieces[frame.piece]
    there = terrain(table, frame.space)
    if is_fatal(table, frame.space, frame.direction) and not is_face_down(table, frame.space) and piece.kind != "rig":
        eliminate(table, [n], "T50")
        return True
    ends = True
    if frame.own and not frame.flying:
        if not frame.free:
            cost = 2 if there == "mud" and table.turn.left > 1 else 1
            table.note(left=table.turn.left - cost)
        ends = not table.turn.left and there not in CARRIES_ON
    if not frame.own:
        table.note(relocations=table.turn.relocations + 1)
    name = name_of(table, n)
    if piece.kind == "rig":
        pull_up(table, n, frame.space)
    else:
        table.change(n, at=frame.space)
    table.tell(
        "enters",
        "T14" if frame.own else "T18",
        piece=name,
        seat=piece.seat,
        space=written(frame.space),
        left=table.turn.left if frame.own else None,
    )
    table.push(replace(frame, stage=MEETING, ends=ends))
    return True


@rule("T8")
def _meet(table: Table, frame: Entering) -> bool:
    """E3: somebody there is passed, by a motorcycle or a drift, unless the move ends here; else slammed (T17)."""
    n, piece = frame.piece, table.pieces[frame.piece]
    others = standing(table, frame.space, but=n)
    if not others:
        return False
    passes = passes_all(piece, frame) or (frame.own and not frame.ends and table.turn.drift)
    if frame.own and table.turn.drift:
        table.note(drift=False)
    if passes:
        return False
    if table.turn.relocations >= MOST_RELOCATIONS:
        table.change(n, at=nearest_free(table, frame.space))
        return True
    table.push(replace(frame, stage=SUFFERING), Slam(n, others[0]))
    return True


def _uncover(table: Table, frame: Entering) -> bool:
    """E4: a face-down token is turned up."""
    if not is_face_down(table, frame.space):
        return False
    table.push(replace(frame, stage=SUFFERING, revealed=True))
    reveal(table, frame)
    return True


def _suffer(table: Table, frame: Entering) -> bool:
    """E5: the terrain, for a piece that is still there."""
    n, piece = frame.piece, table.pieces[frame.piece]
    if piece.at != frame.space:
        return True
    there = terrain(table, frame.space)
    if not is_road(there):
        leaves_road(table, n)
    table.push(replace(frame, stage=ENDING))
    if piece.kind == "rig":
        drive_over(table, n, there, frame.space)
    elif there in EFFECTS:
        EFFECTS[there](table, frame)
    return True


def _end_of_pass(table: Table, frame: Entering) -> bool:
    """Who has passed somebody and must stay there after all slams them (T8, T31)."""
    n = frame.piece
    stays = frame.own and not frame.ends and _is_over(table, n) and table.pieces[n].at == frame.space
    others = standing(table, frame.space, but=n) if stays else []
    if not others:
        return False
    table.push(replace(frame, stage=STAYING), Slam(n, others[0]))
    return True


def _is_over(table: Table, n: int) -> bool:
    """Whether a vehicle's own move has ended, or come to its last count, for whatever reason."""
    return is_job(table, n) and (table.turn.ended or not table.turn.left)


@rule("T16")
@rule("T76")
def _stay(table: Table, frame: Entering) -> bool:
    """E6: a move that ends on a chopper, even one's own, eliminates; the chopper stays. The Big Rig: T27."""
    n, piece = frame.piece, table.pieces[frame.piece]
    ends = frame.ends or _is_over(table, n)
    if ends and piece.kind != "rig" and piece.at == frame.space and choppers_at(table, frame.space):
        eliminate(table, [n], "T16")
    return True


STEPS = (_leave, _arrive, _meet, _uncover, _suffer, _end_of_pass, _stay)
"""By stage; each says whether the frame is done with, or lies below what goes on."""
