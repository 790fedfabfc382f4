"""T1 to T13, T20, T21, T32: a seat's dice and commands, and a vehicle's turn from fire to shot."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.thunder_road import components, hexes
from games.rulesets.thunder_road.actions import Coast, Command, Concede, Drive, Move, Shoot, Stand
from games.rulesets.thunder_road.bags import more
from games.rulesets.thunder_road.course import PAVED, Ground, face_down, is_empty, spaces, terrain
from games.rulesets.thunder_road.hexes import REAR_ARC, Space, step, written
from games.rulesets.thunder_road.rules.t14_driving import is_barred
from games.rulesets.thunder_road.rules.t22_edges import lay_token
from games.rulesets.thunder_road.rules.t26_rig_and_bikes import may_earn_bonus, meets_choppers
from games.rulesets.thunder_road.rules.t34_shooting import shoot, targets
from games.rulesets.thunder_road.rules.t64_damage import cards_on
from games.rulesets.thunder_road.rules.t71_out import eliminate
from games.rulesets.thunder_road.state import (
    NOWHERE,
    SECTIONS,
    AfterMove,
    Choosing,
    Driving,
    Job,
    NextJob,
    NextTurn,
    Position,
    Table,
    TakeTurn,
    driver_of,
    name_of,
    pieces_of,
)

ALONE = ("airstrike", "bikes_airstrike", "rig_airstrike", "repair", "bikes_repair", "front_repair", "middle_repair")
USEFUL_ALONE = frozenset((*ALONE, "rear_repair", "respawn", "dispenser"))
"""Commands that are of use by themselves (T3)."""
AIRSTRIKES = ("airstrike", "bikes_airstrike", "rig_airstrike")
REPAIRS = ("front_repair", "middle_repair", "rear_repair")


def command_of(position: Position, key: str) -> components.Command | None:
    """What the set says of a command; None if it has none of that name."""
    return components.named(position.components).commands.get(key)


def next_of(position: Position, seat: int) -> int:
    """The seat to the left."""
    return seat % len(position.drivers) + 1


# Which vehicles may have a die


def units(position: Position, seat: int) -> Iterator[tuple[int, str]]:
    """The seat's operable vehicles, of a Big Rig each section, with the name by which a die is put on them."""
    for n in pieces_of(position, seat):
        piece = position.pieces[n]
        if piece.operable:
            for name in SECTIONS if piece.kind == "rig" else (piece.key,):
                yield n, name


@rule("T1")
def unmoved(position: Position, seat: int) -> list[tuple[int, str]]:
    """Those that have had no die this round."""
    return [(n, name) for n, name in units(position, seat) if name not in position.pieces[n].moved]


@rule("T21")
@rule("T32")
def coasters(position: Position, seat: int) -> list[tuple[int, str]]:
    """Vehicles that may coast once more in this round; the Big Rig does not."""
    most = components.named(position.components).crews[driver_of(position, seat).crew].coasts
    return [
        (n, name)
        for n, name in units(position, seat)
        if position.pieces[n].coasts < most and not cards_on(position, n, "dry_tank")
    ]


@rule("T3")
def can_use_a_die(position: Position, seat: int) -> bool:
    """Whether a die is of any use to a seat: to move, to coast, or for a command by itself."""
    driver = driver_of(position, seat)
    if driver.out or not driver.dice:
        return False
    if unmoved(position, seat) or coasters(position, seat):
        return True
    return any(True for _ in commands_alone(position, seat))


def commands_alone(position: Position, seat: int) -> Iterator[tuple[str, int, str]]:
    """Commands that can be used by themselves, with each die and each thing that they may be about."""
    dice = dict.fromkeys(driver_of(position, seat).dice)
    for key in components.named(position.components).commands:
        open_dice = [die for die in dice if _bars_command(position, seat, key, die) is None]
        if open_dice and key in USEFUL_ALONE:
            about = subjects(position, seat, key)
            for die in open_dice:
                yield from ((key, die, on) for on in about)


def subjects(position: Position, seat: int, key: str) -> list[str]:
    """What a command may be about: spaces, damage tokens, motorcycles, commands; [""] for one about nothing."""
    own = pieces_of(position, seat)
    if key in AIRSTRIKES:
        ground = Ground(position)
        return [written(space) for space in spaces(position) if ground.is_empty(space)]
    if key == "repair":
        return [
            f"{position.pieces[n].key}/{place}"
            for n in own
            if position.pieces[n].at != NOWHERE
            for place in range(1, len(position.pieces[n].damage) + 1)
        ]
    if key == "bikes_repair":
        return [position.pieces[n].key for n in own if position.pieces[n].minors]
    if key == "respawn":
        return [piece.key for piece in position.pieces if piece.seat == seat and piece.kind == "bike" and piece.gone]
    if key in REPAIRS:
        section = key.removesuffix("_repair")
        commands = components.named(position.components).commands
        return [spot for n in own for spot in position.pieces[n].covered if commands[spot].section == section]
    if key == "dispenser":
        return [written(space) for space in dispensing(position, seat)]
    return [""]


@rule("T11")
def dispensing(position: Position, seat: int) -> list[Space]:
    """Spaces of the rear section's rear arc on which a hazard token may be laid; none if there is no token."""
    if sum(position.bag) + sum(position.hazards_out) <= face_down(position):
        return []
    rig = next((position.pieces[n] for n in pieces_of(position, seat) if position.pieces[n].kind == "rig"), None)
    if rig is None or rig.rear == NOWHERE:
        return []
    return [step(rig.rear, one) for one in REAR_ARC if is_empty(position, step(rig.rear, one))]


# What may be answered


@rule("T2")
def cannot_command(position: Position, seat: int, key: str, die: int, on: str, *, vehicle: int = -1) -> Refusal | None:
    """Why a seat may not use this command with this die; ``vehicle``: the piece that has the other die, -1 alone."""
    refusal = _bars_command(position, seat, key, die)
    if refusal is not None:
        return refusal
    name = components.named(position.components).commands[key].name
    if vehicle < 0 and key not in USEFUL_ALONE:
        return Refusal("T3", f"{name} is used with a move")
    if vehicle >= 0 and key in ("nitro", "drift") and cards_on(position, vehicle, "cut_wires"):
        return Refusal("T69", "Wires are cut: neither Nitro nor Drift for this car")
    if on not in subjects(position, seat, key):
        return Refusal(RULES.get(key, "T2"), f"{name} cannot be used on «{on or 'nothing'}» now")
    return None


def _bars_command(position: Position, seat: int, key: str, die: int) -> Refusal | None:
    """Why the command may not be used with this die at all, whatever it is to be used on."""
    driver, command = driver_of(position, seat), command_of(position, key)
    if command is None or command.crew != driver.crew:
        return Refusal("T2", f"Your crew has no command «{key}»")
    if driver.commanded:
        return Refusal("T2", "Your command of this round is used, or given up by a coast")
    if command.not_in_round_1 and position.round == 1:
        return Refusal("T34", f"{command.name} is not for the first round")
    if die not in command.values:
        values = f"{min(command.values)} to {max(command.values)}" if len(command.values) > 1 else command.values[0]
        return Refusal(RULES.get(key, "T2"), f"{command.name} needs a die of {values}")
    if command.section and any(key in position.pieces[n].covered for n in pieces_of(position, seat)):
        return Refusal("T65", f"{command.name} is covered by minor damage")
    return None


RULES = {
    "airstrike": "T6",
    "bikes_airstrike": "T6",
    "rig_airstrike": "T6",
    "nitro": "T7",
    "drift": "T8",
    "repair": "T9",
    "traction": "T10",
    "dispenser": "T11",
    "front_repair": "T12",
    "middle_repair": "T12",
    "rear_repair": "T12",
}
"""The row of each command that has one."""


def cannot_take_turn(position: Position, seat: int, act: Any) -> Refusal | None:
    """Why this is no turn for the seat now."""
    if isinstance(act, Concede):
        return None
    if isinstance(act, Stand):
        if unmoved(position, seat):
            return Refusal("T1", "You have a vehicle that has not moved in this round: put a die on it")
        return None
    if isinstance(act, Command):
        return _cannot_command_alone(position, seat, act)
    if isinstance(act, Move | Coast):
        return _cannot_go(position, seat, act)
    return Refusal("T1", "Put a die on a vehicle or a command, coast, or stand")


def _cannot_command_alone(position: Position, seat: int, act: Command) -> Refusal | None:
    if act.die not in driver_of(position, seat).dice:
        return Refusal("T3", f"You have no die that shows {act.die}")
    if unmoved(position, seat):
        return Refusal("T3", "First all your vehicles move: use the command with a move")
    return cannot_command(position, seat, act.command, act.die, act.on)


def _cannot_go(position: Position, seat: int, act: Move | Coast) -> Refusal | None:
    if (refusal := _said_in_part(act)) is not None:
        return refusal
    driver = driver_of(position, seat)
    number = "T21" if isinstance(act, Coast) else "T1"
    free = unmoved(position, seat) if isinstance(act, Move) else coasters(position, seat)
    if isinstance(act, Coast) and unmoved(position, seat):
        return Refusal("T3", "First all your vehicles move: put a die on one that has had none in this round")
    dice = [act.die, *([act.second_die] if act.second else [])]
    if isinstance(act, Move) and act.command:
        dice.append(act.command_die)
        if act.second:
            return Refusal("T4", "Two dice a turn: two motorcycles, or one and the command")
    if (missing := _missing(driver.dice, dice)) is not None:
        return Refusal(number, f"You have no die that shows {missing}")
    named = [act.vehicle, *([act.second] if act.second else [])]
    if act.second and (driver.crew != "bikes" or act.second == act.vehicle):
        return Refusal("T4", "Two vehicles in one turn are for two motorcycles")
    pieces = []
    for name, path in zip(named, (act.path, act.second_path), strict=False):
        n = next((n for n, unit in free if unit == name), -1)
        if n < 0:
            return _not_free(position, seat, name, number)
        pieces.append(n)
        if path and (refusal := _path_unlike_one(path)):
            return refusal
    if isinstance(act, Move) and act.command:
        refusal = cannot_command(position, seat, act.command, act.command_die, act.on, vehicle=pieces[0])
        if refusal is not None:
            return refusal
    return _path_too_long(position, act, pieces)


def _said_in_part(act: Move | Coast) -> Refusal | None:
    """What belongs to a command or a second motorcycle that is not named."""
    if isinstance(act, Move) and not act.command and (act.command_die or act.on):
        return Refusal("T2", "Name the command that the second die is for")
    if not act.second and (act.second_die or act.second_path):
        return Refusal("T4", "Name the other motorcycle that the second die is for")
    return None


def _missing(held: tuple[int, ...], wanted: list[int]) -> int | None:
    left = list(held)
    for die in wanted:
        if die not in left:
            return die
        left.remove(die)
    return None


def _not_free(position: Position, seat: int, name: str, number: str) -> Refusal:
    named = [unit for _, unit in units(position, seat)]
    if name not in named:
        return Refusal(number, f"You have no operable vehicle «{name}»; there is {', '.join(named) or 'none'}")
    if number == "T21":
        return Refusal("T21", f"{name} cannot coast any more in this round")
    return Refusal("T1", f"{name} has moved in this round")


def _path_unlike_one(path: str) -> Refusal | None:
    if set(path[1:]) - set("FLR") or (path[:1] not in "FLR" and not path[0].isdigit()):
        return Refusal("T14", "A path is written in letters F, L and R, a lane's number first where a vehicle enters")
    return None


def _path_too_long(position: Position, act: Move | Coast, pieces: list[int]) -> Refusal | None:
    """A path may be given whole or in part; what is more than the count is refused."""
    for n, path, die in zip(pieces, (act.path, act.second_path), (act.die, act.second_die), strict=False):
        count = 1 if isinstance(act, Coast) else counted(position, n, die)
        if isinstance(act, Move) and act.command == "nitro":
            count += act.command_die
        if isinstance(act, Move) and act.command == "traction":
            count += position.road
        if len(path) > count + (MOST_BY_FIRE if position.pieces[n].fire else 0):
            return Refusal("T14", too_long(path, count))
        if path and (refusal := is_barred(position, n, path[0])):
            return refusal
    return None


MOST_BY_FIRE = 2
"""Counts that a fire may add (T13); nobody knows how many when the path is said."""


def too_long(path: str, count: int) -> str:
    """What is said to a path of more steps than there are counts."""
    return f"That path has {len(path)} steps, and there {'is' if count == 1 else 'are'} {count} to drive"


def cannot_drive(position: Position, act: Drive) -> Refusal | None:
    """Why these are not the next steps."""
    turn = position.turn
    if not act.path:
        return Refusal("T14", "Say at least one step")
    if refusal := _path_unlike_one(act.path):
        return refusal
    if len(act.path) > turn.left:
        return Refusal("T14", too_long(act.path, turn.left))
    return is_barred(position, turn.jobs[0].piece, act.path[0])


def cannot_take_bonus(position: Position, act: Drive) -> Refusal | None:
    """Why these are not the first steps of a Road Bonus."""
    if refusal := _path_unlike_one(act.path or "?"):
        return refusal
    if len(act.path) > position.road:
        return Refusal("T20", f"The road die shows {position.road}")
    return is_barred(position, position.turn.jobs[0].piece, act.path[0])


# A turn


def take_turn(table: Table, frame: TakeTurn, heard: Any) -> None:
    """The seat says what it does; what follows is put in order, the command first (T5)."""
    seat = table.turn.seat
    if heard is None:
        table.push(frame)
        table.ask("turn", seat)
        return
    table.push(NextTurn(next_of(table, seat)))
    if isinstance(heard, Concede):
        table.tell("concedes", "T79", seat=seat)
        eliminate(table, pieces_of(table, seat), "T79")
    elif isinstance(heard, Stand):
        table.driver(seat, dice=())
        table.tell("stands", "T3", seat=seat)
    elif isinstance(heard, Command):
        _use(table, seat, heard.die)
        command(table, seat, heard.command, heard.die, heard.on)
    else:
        _begin_jobs(table, seat, heard)


def _use(table: Table, seat: int, *dice: int) -> None:
    left = list(driver_of(table, seat).dice)
    for die in dice:
        left.remove(die)
    table.driver(seat, dice=tuple(left))


def _begin_jobs(table: Table, seat: int, act: Move | Coast) -> None:
    dice = [act.die, *([act.second_die] if act.second else [])]
    _use(table, seat, *dice)
    names = [act.vehicle, *([act.second] if act.second else [])]
    jobs = []
    for name, die, path in zip(names, dice, (act.path, act.second_path), strict=False):
        n = next(n for n, unit in units(table, seat) if unit == name)
        jobs.append(Job(n, name, die, path))
        table.tell("moves", "T1", seat=seat, vehicle=name, die=die, coasts=isinstance(act, Coast))
    if isinstance(act, Coast) and not driver_of(table, seat).commanded:
        table.driver(seat, commanded=True)
        table.tell("gives_up_command", "T3", seat=seat)
    table.note(jobs=(Job(-1, "", 0, ""), *jobs), coasting=isinstance(act, Coast))
    table.push(NextJob())
    if isinstance(act, Move) and act.command:
        _use(table, seat, act.command_die)
        command(table, seat, act.command, act.command_die, act.on)


@rule("T4")
@rule("T5")
def next_job(table: Table, frame: NextJob, heard: Any) -> None:
    """The next vehicle's die: fire, then the move, then what comes after it; a vehicle that is lost has no turn."""
    jobs = table.turn.jobs[1:]
    drift = table.turn.command == "drift"
    table.note(jobs=jobs, left=0, path="", ended=False, complete=False, paved=True, salt=False, drift=drift)
    if not jobs:
        return
    job = jobs[0]
    piece = table.pieces[job.piece]
    table.push(NextJob())
    if not piece.operable:
        return
    if table.turn.coasting:
        table.change(job.piece, coasts=piece.coasts + 1)
    else:
        table.change(job.piece, moved=(*piece.moved, job.section))
    count = 1 if table.turn.coasting else counted(table, job.piece, job.die)
    extra = fire_check(table, job.piece)
    if extra is None:
        return
    count += extra + _by_command(table)
    table.note(left=count, path=job.path, paved=_starts_paved(table, job.piece))
    table.push(AfterMove(), Driving())


def _starts_paved(table: Table, n: int) -> bool:
    at = table.pieces[n].at
    return at == NOWHERE or terrain(table, at) in PAVED


def counted(position: Position, n: int, die: int) -> int:
    """What a movement die counts on a vehicle with its ongoing cards (T69)."""
    if die > 4 and cards_on(position, n, "slow_gears"):
        die = 4
    slower, faster = cards_on(position, n, "limping"), cards_on(position, n, "stuck_pedal")
    return max(1, die - slower + faster)


@rule("T7")
@rule("T10")
def _by_command(table: Table) -> int:
    """Nitro adds its die, Traction Drive the road die; all of it must be driven."""
    if table.turn.command == "traction":
        return table.road
    return table.turn.boost if table.turn.command == "nitro" else 0


@rule("T13")
def fire_check(table: Table, n: int) -> int | None:
    """A burning vehicle rolls before it moves: one or two counts more, the fire out, or the vehicle lost (None)."""
    if not table.pieces[n].fire:
        return 0
    face = table.roll("fire")
    if face == "skull":
        eliminate(table, [n], "T13")
        return None
    if face == "smoke":
        table.change(n, fire=False)
        table.tell("fire_out", "T13", piece=name_of(table, n), seat=table.pieces[n].seat)
        return 0
    return int(face)


def after_move(table: Table, frame: AfterMove, heard: Any) -> None:
    """The Road Bonus, then a Big Rig's chopper contact, its missile, and the shot."""
    job = table.turn.jobs[0]
    if not table.pieces[job.piece].operable:
        return
    for stage in range(frame.stage, len(AFTER)):
        if AFTER[stage](table, replace(frame, stage=stage + 1), heard):
            return
        heard = None


@rule("T20")
def _bonus(table: Table, after: AfterMove, heard: Any) -> bool:
    """Once a turn a move that was all on the road, or over salt, may go on by the road die; no coast, and no rig.

    A motorcycle that does without leaves it to the other one of the turn.
    """
    turn = table.turn
    n = turn.jobs[0].piece
    earned = turn.complete and not turn.ended and (turn.paved or turn.salt) and not turn.coasting and not turn.bonused
    if not earned or not may_earn_bonus(table.pieces[n]) or cards_on(table, n, "bald_tyres"):
        return False
    table.push(after)
    table.ask("bonus", turn.seat, n)
    return True


def _bonus_answered(table: Table, after: AfterMove, heard: Any) -> bool:
    if not isinstance(heard, Drive):
        return False
    table.note(left=table.road, path=heard.path, complete=False, bonused=True)
    table.tell("bonus", "T20", seat=table.turn.seat, counts=table.road)
    table.push(after, Driving())
    return True


def _missile(table: Table, after: AfterMove, heard: Any) -> bool:
    n = table.turn.jobs[0].piece
    if table.turn.command != "missile" or not targets(table, table.turn.seat, n, missile=True):
        return False
    table.push(after)
    table.ask("missile", table.turn.seat, n)
    return True


def _missile_answered(table: Table, after: AfterMove, heard: Any) -> bool:
    if not isinstance(heard, Shoot):
        return False
    table.push(after)
    shoot(table, table.turn.jobs[0].piece, heard, missile=True)
    return True


def _shot(table: Table, after: AfterMove, heard: Any) -> bool:
    n = table.turn.jobs[0].piece
    if table.pieces[n].at == NOWHERE or not targets(table, table.turn.seat, n):
        return False
    table.push(after)
    table.ask("shoot", table.turn.seat, n)
    return True


def _shot_answered(table: Table, after: AfterMove, heard: Any) -> bool:
    if isinstance(heard, Shoot):
        shoot(table, table.turn.jobs[0].piece, heard)
    return True


AFTER = (_bonus, _bonus_answered, meets_choppers, _missile, _missile_answered, _shot, _shot_answered)
"""Stages of what comes after a move; each says whether something must be waited for."""


# Commands


def command(table: Table, seat: int, key: str, die: int, on: str) -> None:
    """T5: a command acts at once and in full."""
    table.driver(seat, commanded=True)
    table.note(command=key, boost=die)
    table.tell("command", RULES.get(key, "T2"), seat=seat, command=key, die=die, on=on)
    act = COMMANDS.get(key)
    if act is not None:
        act(table, seat, on)


@rule("T6")
def _airstrike(table: Table, seat: int, on: str) -> None:
    """The chopper, from wherever it is, to an empty space; it may shoot at once."""
    table.driver(seat, chopper=(hexes.read(on) or NOWHERE))
    table.push(Choosing(seat))


@rule("T9")
@rule("T73")
def _repair(table: Table, seat: int, on: str) -> None:
    """A damage token back into the bag, its card to the others; fire stays; an inoperable car turns round."""
    key, _, place = on.partition("/")
    n = next(n for n in pieces_of(table, seat) if table.pieces[n].key == key)
    hurt = table.pieces[n].damage[int(place) - 1]
    table.damage_bag = more(table.damage_bag, hurt.kind)
    if hurt.card >= 0:
        table.ongoing_bag = more(table.ongoing_bag, hurt.card)
    left = tuple(one for other, one in enumerate(table.pieces[n].damage, 1) if other != int(place))
    table.change(n, damage=left)
    table.tell("repaired", "T9", piece=name_of(table, n), seat=seat)


def _bikes_repair(table: Table, seat: int, on: str) -> None:
    n = next(n for n in pieces_of(table, seat) if table.pieces[n].key == on)
    table.change(n, minors=0)
    table.tell("repaired", "T9", piece=name_of(table, n), seat=seat)


def _respawn(table: Table, seat: int, on: str) -> None:
    n = next(n for n, piece in enumerate(table.pieces) if piece.seat == seat and piece.key == on)
    table.change(n, gone=False, minors=0, fire=False, at=NOWHERE, moved=(), coasts=0)
    table.tell("respawns", "T2", piece=name_of(table, n), seat=seat)


@rule("T12")
def _rig_repair(table: Table, seat: int, on: str) -> None:
    """One minor damage off the section whose Repair was used."""
    n = next(n for n in pieces_of(table, seat) if table.pieces[n].kind == "rig")
    table.change(n, covered=tuple(spot for spot in table.pieces[n].covered if spot != on))
    table.tell("repaired", "T12", piece=name_of(table, n), seat=seat)


def _dispense(table: Table, seat: int, on: str) -> None:
    lay_token(table, (hexes.read(on) or NOWHERE))


COMMANDS = {
    **dict.fromkeys(AIRSTRIKES, _airstrike),
    **dict.fromkeys(REPAIRS, _rig_repair),
    "repair": _repair,
    "bikes_repair": _bikes_repair,
    "respawn": _respawn,
    "dispenser": _dispense,
}
"""What commands do at once; Nitro, Drift, Traction Drive, Cow Catcher, Missile and Targeting are looked at later."""
