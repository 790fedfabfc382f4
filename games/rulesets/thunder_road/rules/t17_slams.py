"""T17 and T18: slams."""

from typing import Any

from msgspec.structs import replace

from games.engine.rulebook import rule
from games.rulesets.thunder_road.actions import Again, Bike
from games.rulesets.thunder_road.hexes import written
from games.rulesets.thunder_road.rules.t26_rig_and_bikes import are_bikes, goes_on_after_slam, slams_bike, slams_rig
from games.rulesets.thunder_road.rules.t64_damage import cards_on, end_reeling, is_job, stop_move
from games.rulesets.thunder_road.state import SMALL, Piece, Position, Skidding, Slam, Table, driver_of, name_of

ROLLED, NAMED = 1, 2


def slam(table: Table, frame: Slam, heard: Any) -> None:
    """T17: two dice say who is moved and where; the larger one's owner may have both rolled again.

    A Big Rig is never moved (T30), of a motorcycle and another vehicle the motorcycle is (T33): one die, no question.
    """
    if frame.stage == 0:
        _begin(table, frame)
    elif isinstance(heard, Bike):
        named = next(n for n in (frame.mover, frame.other) if table.pieces[n].key == heard.vehicle)
        _move(table, frame, named, frame.direction)
    elif isinstance(heard, Again):
        table.tell("again", "T17", seat=may_have_rolled_again(table, frame))
        moved, direction = _roll(table, frame)
        _move(table, frame, moved, direction)
    else:
        _move(table, frame, frame.moved, frame.direction)


def _begin(table: Table, frame: Slam) -> None:
    where = written(table.pieces[frame.mover].at)
    table.tell("slams", "T17", piece=name_of(table, frame.mover), target=name_of(table, frame.other), space=where)
    end_reeling(table, frame.mover, frame.other)
    if not goes_on_after_slam(table, frame.mover):
        stop_move(table, frame.mover)
    moved = slams_rig(table, frame)
    if moved < 0:
        moved = slams_bike(table, frame)
    if moved >= 0:
        _move(table, frame, moved, table.roll("direction"))
    elif are_bikes(table, frame):
        table.push(replace(frame, stage=NAMED, direction=table.roll("direction")))
        table.ask("bike", table.pieces[frame.mover].seat, frame.mover)
    else:
        moved, direction = _roll(table, frame)
        asked = may_have_rolled_again(table, frame)
        if asked:
            table.push(replace(frame, stage=ROLLED, moved=moved, direction=direction))
            table.ask("reroll", asked, frame.mover)
        else:
            _move(table, frame, moved, direction)


def _roll(table: Table, frame: Slam) -> tuple[int, str]:
    which, direction = table.roll("slam"), table.roll("direction")
    return (frame.mover if which == "top" else frame.other), direction


@rule("T17")
def may_have_rolled_again(position: Position, frame: Slam) -> int:
    """Both dice are rolled; the owner of the larger of the two may have them rolled once more, and that stands.

    The seat, 0 if nobody may: of equal sizes, or if the larger is abandoned. Ongoing cards make a difference.
    """
    sizes = [size_in_slam(position, n) for n in (frame.mover, frame.other)]
    sizes[0] += cards_on(position, frame.mover, "wild_temper")
    if sizes[0] == sizes[1]:
        return 0
    larger = (frame.mover, frame.other)[sizes[1] > sizes[0]]
    seat = position.pieces[larger].seat
    if not seat or driver_of(position, seat).out:
        return 0
    own = [n for n in (frame.mover, frame.other) if position.pieces[n].seat == seat]
    return 0 if any(cards_on(position, n, "shaky_axle") for n in own) else seat


def size_in_slam(position: Position, n: int) -> int:
    """A vehicle's size, one less with a card that makes it light."""
    piece: Piece = position.pieces[n]
    return max(SMALL, piece.size - cards_on(position, n, "featherweight"))


@rule("T18")
def _move(table: Table, frame: Slam, n: int, direction: str) -> None:
    """The one named is moved one space; meeting another there is a new slam."""
    table.tell(
        "slam_moves",
        "T18",
        piece=name_of(table, n),
        seat=table.pieces[n].seat,
        direction=direction,
        top=n == frame.mover,
    )
    if is_job(table, frame.mover) or is_job(table, frame.other):
        table.note(path="")
    table.push(Skidding(n, direction))
