"""T22 to T25: off the board, the finish, and the advance of the road."""

from typing import Any

from msgspec.structs import replace

from games.engine.rulebook import rule
from games.rulesets.thunder_road import track
from games.rulesets.thunder_road.actions import Front
from games.rulesets.thunder_road.course import SPOTS, edge, face_down, is_fatal
from games.rulesets.thunder_road.hexes import FRONT_ARC, ROWS, Space, step
from games.rulesets.thunder_road.rules.t64_damage import is_job
from games.rulesets.thunder_road.rules.t71_out import (
    eliminate,
    end,
    foremost,
    in_race,
    look_who_is_out,
    set_finish,
    standings,
)
from games.rulesets.thunder_road.state import (
    FACE_DOWN,
    NOWHERE,
    OFF_ROAD_COVER,
    Advancing,
    Entering,
    Laid,
    Position,
    Table,
    Token,
    driver_of,
    name_of,
)

LETTERS = {"FL": "L", "F": "F", "FR": "R"}
DIRECTION = {letter: direction for direction, letter in LETTERS.items()}


def leaves_table(table: Table, frame: Entering) -> bool:
    """E1: off an edge. True if the piece does not enter the space, or not yet."""
    where = edge(table, frame.space)
    if not where:
        return False
    if where == "front":
        _leaves_front(table, frame)
    else:
        _falls_off(table, frame.piece)
    return True


@rule("T22")
@rule("T78")
def _falls_off(table: Table, n: int) -> None:
    """Over a side or the back of the road a vehicle is eliminated, and a wreck removed."""
    eliminate(table, [n], "T22")


@rule("T24")
def _leaves_front(table: Table, frame: Entering) -> None:
    """Over the finish an operable vehicle has won; without a finish the road advances, but for a wreck (T25)."""
    piece = table.pieces[frame.piece]
    if piece.kind == "wreck":
        eliminate(table, [frame.piece], "T25")
    elif not table.finish:
        table.push(Advancing(frame.piece, frame))
    elif piece.operable:
        table.tell("crosses", "T24", piece=name_of(table, frame.piece), seat=piece.seat)
        end(table, (piece.seat,), "finish", "T24")
    else:
        eliminate(table, [frame.piece], "T24")


def advancing(table: Table, frame: Advancing, heard: Any) -> None:
    """T25: the rear tile goes, a new one is laid, and the piece that left the front enters it."""
    if frame.stage == 0:
        _advance(table, frame)
        if table.winners or table.pieces[frame.piece].gone:
            return
    entering = frame.entering
    if isinstance(heard, Front):
        _go(table, entering, DIRECTION[heard.direction])
        return
    choices = fronts(table, frame.piece)
    if entering.flying:
        table.push(entering)
    elif len(choices) == 1:
        _go(table, entering, choices[0])
    elif driver_of(table, table.pieces[frame.piece].seat).out:
        _go(table, entering, usual_front(table, frame.piece))
    else:
        table.push(replace(frame, stage=1))
        table.ask("front", table.pieces[frame.piece].seat, frame.piece)


def _go(table: Table, entering: Entering, direction: str) -> None:
    piece = table.pieces[entering.piece]
    if piece.kind == "rig" and direction != "F":
        table.driver(piece.seat, steering=driver_of(table, piece.seat).steering - 1)
    space = step(piece.at, direction)
    table.push(replace(entering, direction=direction, space=space))


def fronts(position: Position, n: int) -> list[str]:
    """The directions from a piece's space that lead onto the tile in front of the one it stands on."""
    piece = position.pieces[n]
    edge_row = (piece.at[1] - 1) // ROWS * ROWS + ROWS
    ways = [one for one in FRONT_ARC if step(piece.at, one)[1] > edge_row and not edge(position, step(piece.at, one))]
    if piece.kind == "rig" and not driver_of(position, piece.seat).steering:
        return ["F"]
    return ways


def usual_front(position: Position, n: int) -> str:
    """The default: the first of F, FL, FR that is not impassable, else F."""
    ways = fronts(position, n)
    order = [one for one in ("F", "FL", "FR") if one in ways]
    at = position.pieces[n].at
    return next((one for one in order if not is_fatal(position, step(at, one), one)), order[0])


@rule("T25")
@rule("T77")
def _advance(table: Table, frame: Advancing) -> None:
    """The rear tile goes with all that is on it, and a new one is laid in front; who loses the last vehicle so is out.

    Whoever left the front enters the new tile by a space of its front arc, which its owner picks; a flight goes on.
    """
    before = standings(table)
    if is_job(table, frame.piece):
        table.note(path="")
    _take_rear(table, but=frame.piece)
    if sum(foremost(table, seat) >= 0 for seat in in_race(table)) > 1:
        lay_tile(table)
    # Else the race is over, and nothing more is drawn; who is out only now has the finish on the new tile.
    look_who_is_out(table, before)


def _take_rear(table: Table, *, but: int) -> None:
    """The rear tile with all that is on it; who has not entered by now never will."""
    last = table.tiles[0].number * ROWS
    lost = [
        n
        for n, piece in enumerate(table.pieces)
        if not piece.gone and n != but and (piece.at == NOWHERE or piece.at[1] <= last)
    ]
    table.tiles = table.tiles[1:]
    table.tell("tile_removed", "T25", rows=last)
    for n, piece in enumerate(table.pieces):
        if piece.kind == "rig" and not piece.gone:
            table.change(n, middle=_kept(piece.middle, last), rear=_kept(piece.rear, last))
    for driver in table.drivers:
        if driver.chopper != NOWHERE and driver.chopper[1] <= last:
            table.driver(driver.seat, chopper=NOWHERE)
    for token in table.tokens:
        if token.at[1] <= last and token.kind not in (FACE_DOWN, OFF_ROAD_COVER):
            throw_out(table, token.kind)
    table.tokens = tuple(token for token in table.tokens if token.at[1] > last)
    eliminate(table, lost, "T77", late=True)


def _kept(space: Space, last: int) -> Space:
    return space if space[1] > last else NOWHERE


def throw_out(table: Table, key: str) -> None:
    """A revealed hazard token leaves the board for the discard."""
    kind = next(place for place, one in enumerate(table.set.hazards) if one.key == key)
    table.hazards_out = (*table.hazards_out[:kind], table.hazards_out[kind] + 1, *table.hazards_out[kind + 1 :])


def lay_tile(table: Table) -> None:
    """The next tile: from the host's list, else drawn with its side from the pool; hazard tokens come with it."""
    key = _next_key(table)
    table.laid += 1
    table.tiles = (*table.tiles, Laid(table.laid, key))
    table.tell("tile_laid", "T25", tile=key, name=table.set.tiles[key].name, rows=table.laid * ROWS)
    first = (table.laid - 1) * ROWS
    for row, symbols in enumerate(table.set.tiles[key].rows, 1):
        for lane, sign in enumerate(symbols, 1):
            if sign in SPOTS and len(table.drivers) >= SPOTS[sign]:
                lay_token(table, (lane, first + row))
    _finish_of_two(table)


@rule("T23")
def _finish_of_two(table: Table) -> None:
    """With two seats the fifth tile that is laid bears the finish from the start."""
    if len(table.drivers) == 2 and table.laid == track.LAST_OF_TWO:
        set_finish(table, "T23")


def _next_key(table: Table) -> str:
    """From the host's list while it lasts, then drawn (section 9)."""
    if table.listed:
        key, table.listed = table.listed[0], table.listed[1:]
        table.pool = track.without(table.pool, (table.set.tiles[key].number,))
        return key
    key, table.pool = track.drawn(
        table.set,
        table.pool,
        table.chance,
        kept=[tile.key for tile in table.tiles],
        carnage=table.carnage,
        sides=table.sides,
    )
    return key


def lay_token(table: Table, space: Space) -> bool:
    """A hazard token face down, from the pile; the discard goes into the bag first if the pile is empty."""
    if sum(table.bag) <= face_down(table):
        table.bag = tuple(a + b for a, b in zip(table.bag, table.hazards_out, strict=True))
        table.hazards_out = (0,) * len(table.hazards_out)
    if sum(table.bag) <= face_down(table):
        return False
    table.tokens = (*table.tokens, Token(space, FACE_DOWN))
    return True
