"""T71 to T85: inoperable vehicles, eliminations, and how a race ends."""

from collections.abc import Sequence

from games.engine.rulebook import rule
from games.rulesets.thunder_road.bags import more
from games.rulesets.thunder_road.course import forward_of, front_row
from games.rulesets.thunder_road.state import NOWHERE, Piece, Position, Table, name_of, pieces_of

ENDINGS = ("finish", "last_driver", "nobody_left", "distance")
"""How a race can end: over the finish line, everybody else out, all out in one moment, after the last round."""


def in_race(position: Position) -> list[int]:
    """The seats that are still in the race."""
    return [driver.seat for driver in position.drivers if not driver.out]


def foremost(position: Position, seat: int) -> int:
    """The forwardness of a seat's foremost operable vehicle; -1 without one."""
    return max(
        (forward_of(position.pieces[n]) for n in pieces_of(position, seat) if position.pieces[n].operable), default=-1
    )


@rule("T79")
def eliminate(table: Table, pieces: Sequence[int], number: str, *, late: bool = False) -> None:
    """Take pieces out of the race, all in one moment; wrecks are removed. ``late``: who is out is looked at later."""
    before = standings(table)
    for n in pieces:
        piece = table.pieces[n]
        if piece.gone:
            continue
        give_back(table, n)
        table.tell("eliminated" if piece.seat else "wreck_removed", number, piece=name_of(table, n), seat=piece.seat)
        table.change(n, gone=True, fire=False, at=NOWHERE, middle=NOWHERE, rear=NOWHERE)
    if not late:
        look_who_is_out(table, before)


def standings(position: Position) -> dict[int, int]:
    """How far each seat in the race has come."""
    return {seat: foremost(position, seat) for seat in in_race(position)}


def give_back(table: Table, n: int) -> None:
    """T9: damage tokens of a car go back into the bag, ongoing cards to theirs."""
    for hurt in table.pieces[n].damage:
        table.damage_bag = more(table.damage_bag, hurt.kind)
        if hurt.card >= 0:
            table.ongoing_bag = more(table.ongoing_bag, hurt.card)
    table.change(n, damage=())


@rule("T71")
@rule("T72")
def break_down(table: Table, n: int) -> None:
    """A vehicle that has become inoperable turns its back, loses its fire token and stays where it is."""
    before = standings(table)
    before[table.pieces[n].seat] = max(before.get(table.pieces[n].seat, -1), forward_of(table.pieces[n]))
    table.change(n, fire=False)
    table.tell("inoperable", "T72", piece=name_of(table, n), seat=table.pieces[n].seat)
    look_who_is_out(table, before)


@rule("T74")
@rule("T81")
def look_who_is_out(table: Table, before: dict[int, int]) -> None:
    """A seat without an operable vehicle is out; its chopper leaves (T82), and the race may end (T83, T84)."""
    if table.winners:
        return
    out = [seat for seat in in_race(table) if foremost(table, seat) < 0]
    if not out:
        return
    for seat in out:
        table.driver(seat, out=True, dice=())
        chopper_leaves(table, seat)
        table.tell("out", "T74", seat=seat)
    left = in_race(table)
    if not left:
        best = max(before.get(seat, -1) for seat in out)
        winners = tuple(seat for seat in out if before.get(seat, -1) == best)
        rest = tuple(seat for seat in out if seat not in winners)
        table.places = (rest, *table.places) if rest else table.places
        end(table, winners, "nobody_left", "T83")
        return
    table.places = (tuple(out), *table.places)
    if len(left) == 1:
        end(table, (left[0],), "last_driver", "T83" if len(table.drivers) == 2 else "T84")
    else:
        set_finish(table, "T84")


@rule("T82")
def chopper_leaves(table: Table, seat: int) -> None:
    """The chopper of a seat that is out leaves the road and is not used again."""
    table.driver(seat, chopper=NOWHERE)


@rule("T84")
def set_finish(table: Table, number: str) -> None:
    """The finish line is set against the present front tile; only once."""
    if not table.finish:
        table.finish = front_row(table)
        table.tell("finish_set", number, row=table.finish)


RIG_OUT_AT = 6


@rule("T85")
def rig_is_worn_out(piece: Piece) -> bool:
    """Six minor damages end a Big Rig; beside them only that its front section is on a tile that goes (T25)."""
    return len(piece.covered) >= RIG_OUT_AT


@rule("T83")
def end(table: Table, winners: tuple[int, ...], ending: str, number: str) -> None:
    """The race is over at once; nothing more is drawn. Who is still in it is placed by how far each has come."""
    came = {seat: foremost(table, seat) for seat in in_race(table) if seat not in winners}
    level = [tuple(seat for seat in came if came[seat] == y) for y in sorted(set(came.values()), reverse=True)]
    table.places = (winners, *level, *table.places)
    table.winners, table.ending = winners, ending
    table.stack.clear()
    table.asked = None
    table.tell("wins", number, seats=list(winners), ending=ending)
