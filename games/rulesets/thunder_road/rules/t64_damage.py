"""T64 to T70: damage to cars, motorcycles and the Big Rig, and what the tokens do."""

from typing import Any

from msgspec.structs import replace

from games.engine.rulebook import rule
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.bags import drawn, fewer, more
from games.rulesets.thunder_road.course import edge
from games.rulesets.thunder_road.hexes import step
from games.rulesets.thunder_road.rules.t71_out import break_down, eliminate, rig_is_worn_out
from games.rulesets.thunder_road.state import (
    MOST_RELOCATIONS,
    NOWHERE,
    SECTIONS,
    Damaging,
    Entering,
    Hopping,
    Hurt,
    Minoring,
    Piece,
    Position,
    Reeling,
    Skidding,
    Table,
    name_of,
)

MOST_A_SECTION = 2
"""Minor damage that a section takes at most (section 5)."""


def is_job(position: Position, n: int) -> bool:
    """Whether a piece is the vehicle that moves in this turn."""
    return bool(position.turn.jobs) and position.turn.jobs[0].piece == n


@rule("T19")
@rule("T62")
def stop_move(table: Table, n: int) -> None:
    """A vehicle's own move ends when it takes damage or starts a slam; that of the Big Rig is not ended by damage."""
    if is_job(table, n):
        table.note(ended=True, path="", left=0)


@rule("T64")
def damaging(table: Table, frame: Damaging, heard: Any) -> None:
    """Damage to a piece: a token for a car, minor damage for the others (T65); a wreck is removed (T63)."""
    n, piece = frame.piece, table.pieces[frame.piece]
    if frame.stage == 1:
        _assign(table, frame)
        return
    if piece.gone:
        return
    if piece.kind == "wreck":
        _wreck_damaged(table, n)
    elif piece.kind == "rig":
        _rig_damaged(table, frame)
    elif piece.inoperable:
        eliminate(table, [n], "T64" if piece.kind == "car" else "T65")
    elif piece.kind == "bike":
        end_reeling(table, n)
        stop_move(table, n)
        table.change(n, minors=1)
        table.tell("minor_damage", "T65", piece=name_of(table, n), seat=piece.seat, spot="")
        break_down(table, n)
    else:
        _car_damaged(table, frame, piece)


@rule("T63")
def _wreck_damaged(table: Table, n: int) -> None:
    """A wreck that takes damage is removed, and no token is drawn."""
    eliminate(table, [n], "T63")


def _car_damaged(table: Table, frame: Damaging, piece: Piece) -> None:
    n = frame.piece
    end_reeling(table, n)
    stop_move(table, n)
    if len(piece.damage) + piece.resolving >= 2:
        eliminate(table, [n], "T64")
        return
    kind = _draw(table)
    table.change(n, resolving=piece.resolving + 1)
    table.tell("damaged", "T64", piece=name_of(table, n), seat=piece.seat, token=table.set.damage[kind].key)
    table.push(replace(frame, stage=1, kind=kind))
    EFFECTS[table.set.damage[kind].key.split("_")[0]](table, n, table.set.damage[kind].key)


def _draw(table: Table) -> int:
    """A damage token from the bag; from an empty one a plain token, from outside."""
    total = sum(table.damage_bag)
    if not total:
        return 0
    kind = drawn(table.damage_bag, table.chance, "damage")
    table.damage_bag = fewer(table.damage_bag, kind)
    return kind


def _assign(table: Table, frame: Damaging) -> None:
    """The token is put on the car, or back into the bag if the car is gone."""
    n, piece = frame.piece, table.pieces[frame.piece]
    if piece.gone:
        table.damage_bag = more(table.damage_bag, frame.kind)
        return
    card = _ongoing(table, n) if table.set.damage[frame.kind].key == "ongoing" else -1
    piece = table.change(n, resolving=piece.resolving - 1, damage=(*piece.damage, Hurt(frame.kind, card)))
    if piece.inoperable:
        break_down(table, n)


@rule("T69")
def _ongoing(table: Table, n: int) -> int:
    """A card that holds until its token is repaired; none if all are out."""
    if not sum(table.ongoing_bag):
        return -1
    card = drawn(table.ongoing_bag, table.chance, "ongoing")
    table.ongoing_bag = fewer(table.ongoing_bag, card)
    table.tell("ongoing", "T69", piece=name_of(table, n), seat=table.pieces[n].seat, card=table.set.ongoing[card].key)
    return card


def cards_on(position: Position, n: int, key: str) -> int:
    """How many ongoing cards of a kind a vehicle has."""
    held = [hurt.card for hurt in position.pieces[n].damage if hurt.card >= 0]
    if not held:
        return 0
    kinds = components.named(position.components).ongoing
    return sum(kinds[card].key == key for card in held)


# What the tokens do


def _plain(table: Table, n: int, key: str) -> None:
    return None


def _skid(table: Table, n: int, key: str) -> None:
    table.push(Skidding(n, key.removeprefix("skid_")))


@rule("T70")
def _shrapnel(table: Table, n: int, key: str) -> None:
    """The first operable vehicle on a straight line, over anything to the table's end, takes damage."""
    direction = table.roll("direction")
    space = table.pieces[n].at
    while not edge(table, space := step(space, direction)):
        hit = [m for m, piece in enumerate(table.pieces) if space in piece.spaces and piece.operable and m != n]
        if hit:
            table.tell("shrapnel", "T70", piece=name_of(table, n), target=name_of(table, hit[0]), direction=direction)
            table.push(Damaging(hit[0]))
            return
    table.tell("shrapnel", "T70", piece=name_of(table, n), target="", direction=direction)


def _dazed(table: Table, n: int, key: str) -> None:
    table.push(Reeling(n, int(table.roll("stunt"))))


def _blast(table: Table, n: int, key: str) -> None:
    table.push(Hopping(n))


@rule("T68")
def _fire(table: Table, n: int, key: str) -> None:
    """The car is on fire, as from a burning space (T49)."""
    ignite(table, n)


def _ongoing_effect(table: Table, n: int, key: str) -> None:
    """The card is drawn when the token is assigned."""


EFFECTS = {
    "plain": _plain,
    "skid": _skid,
    "shrapnel": _shrapnel,
    "dazed": _dazed,
    "blast": _blast,
    "fire": _fire,
    "ongoing": _ongoing_effect,
}


@rule("T49")
def ignite(table: Table, n: int) -> None:
    """A fire token, one at most; none for inoperable vehicles and wrecks."""
    piece = table.pieces[n]
    if piece.operable and not piece.fire and piece.kind != "rig":
        table.change(n, fire=True)
        table.tell("on_fire", "T49", piece=name_of(table, n), seat=piece.seat)


@rule("T67")
def reeling(table: Table, frame: Reeling, heard: Any) -> None:
    """Dazed: step by step, each in a direction of its own; a slam, damage or loss ends it early."""
    piece = table.pieces[frame.piece]
    if piece.gone or frame.left <= 0:
        return
    table.push(replace(frame, left=frame.left - 1), Skidding(frame.piece, table.roll("direction")))


def end_reeling(table: Table, *pieces: int) -> None:
    """T67: whoever of these is dazed comes to himself."""
    for place, frame in enumerate(table.stack):
        if isinstance(frame, Reeling) and frame.piece in pieces:
            table.stack[place] = replace(frame, left=0)


@rule("T66")
def hopping(table: Table, frame: Hopping, heard: Any) -> None:
    """Blast off: so many spaces in a line; only the last one is entered."""
    piece = table.pieces[frame.piece]
    if piece.gone:
        return
    count, direction = int(table.roll("stunt")), table.roll("direction")
    fly(table, frame.piece, count, direction)


def fly(table: Table, n: int, count: int, direction: str, *, own: bool = False) -> None:
    """Enter the last of so many spaces in a line, over everything between."""
    if table.turn.relocations >= MOST_RELOCATIONS and not own:
        return
    space = table.pieces[n].at
    for _ in range(count):
        space = step(space, direction)
    table.push(Entering(n, direction, space, own=own, flying=True))


def skidding(table: Table, frame: Skidding, heard: Any) -> None:
    """A forced move of one space, for a piece that is still on the road."""
    piece = table.pieces[frame.piece]
    if piece.gone or piece.at == NOWHERE or table.turn.relocations >= MOST_RELOCATIONS:
        return
    table.push(Entering(frame.piece, frame.direction, step(piece.at, frame.direction)))


# The Big Rig


def free_spots(position: Position, n: int, section: str = "") -> list[str]:
    """The commands of a Big Rig that minor damage can still cover: two a section at most."""
    piece = position.pieces[n]
    commands = components.named(position.components).commands.values()
    out = []
    for part in SECTIONS:
        spots = [one.key for one in commands if one.crew == "rig" and one.section == part]
        taken = sum(spot in piece.covered for spot in spots)
        if taken < MOST_A_SECTION and section in ("", part):
            out += [spot for spot in spots if spot not in piece.covered]
    return out


def _rig_damaged(table: Table, frame: Damaging) -> None:
    if frame.spot:
        cover(table, frame.piece, frame.spot)
    else:
        table.push(Minoring(frame.piece))


@rule("T65")
def cover(table: Table, n: int, spot: str) -> None:
    """Minor damage covers a command; the sixth ends the Big Rig (T71, T85)."""
    piece = table.change(n, covered=(*table.pieces[n].covered, spot))
    table.tell("minor_damage", "T65", piece=name_of(table, n), seat=piece.seat, spot=spot)
    if rig_is_worn_out(piece):
        eliminate(table, [n], "T85")


def usual_spot(position: Position, n: int) -> str:
    """The default: of the least damaged section, counted from the front; Repair last."""
    piece = position.pieces[n]
    spots = free_spots(position, n)
    worn = {section: _taken(position, piece, section) for section in SECTIONS}
    sections = [section for section in SECTIONS if free_spots(position, n, section)]
    section = min(sections, key=lambda one: worn[one])
    there = [spot for spot in spots if spot in free_spots(position, n, section)]
    return next((spot for spot in there if "repair" not in spot), there[0])


def _taken(position: Position, piece: Piece, section: str) -> int:
    commands = components.named(position.components).commands
    return sum(commands[spot].section == section for spot in piece.covered)
