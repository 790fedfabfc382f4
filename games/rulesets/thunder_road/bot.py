"""A driver without a person: dice, ways, shots and commands by expected loss and gain, from what its seat sees."""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import permutations
from typing import Any, Final, NamedTuple

from games.engine.bots import Bot, RandomBot
from games.engine.contract import JSON, Decision
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.hexes import REAR_ARC, step
from games.rulesets.thunder_road.outlook import WIN, Outlook, Route, least_worn
from games.rulesets.thunder_road.preview import count_of, piece_named, position_of
from games.rulesets.thunder_road.rules.t01_turns import AIRSTRIKES, cannot_command, commands_alone, unmoved
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION
from games.rulesets.thunder_road.rules.t34_shooting import may_shoot
from games.rulesets.thunder_road.state import NOWHERE, driver_of, letter_of, name_of

LEVELS: Final = ("driver", "random")
COMMAND_AT_LEAST: Final = 4.0
"""What a command must be worth to be used: a die may be wanted for another in a later turn of the round."""
COAST_AT_LEAST: Final = 0.5
MOST_PLACED: Final = 4
"""Vehicles among which dice are dealt out at once; more are driven by the order in which they stand."""
REPAIRED: Final = {"whole": 20.0, "running": 70.0}
"""What it is worth that a token comes off a running car, and off one that runs again by it."""


class Idea(NamedTuple):
    """Something to do with dice, and what it is worth."""

    worth: float
    act: Any


class Sight:
    """A view with what it is worth."""

    def __init__(self, view: JSON) -> None:
        self.view = view
        self.seat: int = view["viewer"]
        self.position = position_of(view)
        self.outlook = Outlook(self.position, self.seat)
        self._routes: dict[tuple[int, int, bool], Route] = {}

    @cached_property
    def alone(self) -> list[tuple[str, int, str]]:
        """Commands that may be used by themselves, but the airstrikes: (command, die, what on)."""
        return [one for one in commands_alone(self.position, self.seat) if one[0] not in AIRSTRIKES]

    def route(self, n: int, count: int, *, drift: bool = False) -> Route:
        """The best way of a piece for so many counts."""
        key = (n, count, drift)
        if key not in self._routes:
            self._routes[key] = self.outlook.route(n, count, drift=drift)
        return self._routes[key]


# A turn


def _turn(sight: Sight, decision: Decision) -> Any:
    free = unmoved(sight.position, sight.seat)
    return _move(sight, free) if free else _without_move(sight, decision)


def _move(sight: Sight, free: list[tuple[int, str]]) -> Any:
    """Deal the dice out among the vehicles that have not moved, and begin with the one that gains most by its turn."""
    dice = driver_of(sight.position, sight.seat).dice
    plan = _dealt(sight, free, dice)
    spare = list(dice)
    for _, _, die in plan:
        spare.remove(die)
    ideas = [idea for n, name, die in plan for idea in _with_command(sight, n, name, die, spare)]
    return max(ideas, key=lambda idea: idea.worth).act


Dealt = list[tuple[int, str, int]]


def _dealt(sight: Sight, free: list[tuple[int, str]], dice: tuple[int, ...]) -> Dealt:
    """The best way to deal dice out: (piece, name, die). Sections of a Big Rig take the dice as they come."""
    if sight.position.pieces[free[0][0]].kind == "rig":
        first = max(dict.fromkeys(dice), key=lambda die: _worth(sight, free[0][0], die))
        return [(*free[0], first)]
    units = sorted(free, key=lambda unit: sight.position.pieces[unit[0]].at[1])[:MOST_PLACED]
    best: Dealt = []
    most = -1e12
    for chosen in dict.fromkeys(permutations(dice, min(len(units), len(dice)))):
        pairs = list(zip(units, chosen, strict=False))
        worth = sum(_worth(sight, n, die) for (n, _), die in pairs)
        if worth > most:
            most, best = worth, [(n, name, die) for (n, name), die in pairs]
    return best


def _worth(sight: Sight, n: int, die: int) -> float:
    return sight.route(n, count_of(sight.position, n, die)).worth


def _here(sight: Sight, n: int) -> float:
    """What a vehicle's place is worth as it stands, so that turns of different vehicles can be compared."""
    at = sight.position.pieces[n].at
    return 0.0 if at == NOWHERE else sight.outlook.stay(n, at)


def _with_command(sight: Sight, n: int, name: str, die: int, spare: list[int]) -> Iterator[Idea]:
    """A vehicle's turn by itself, and with each command that a spare die is good for."""
    count = count_of(sight.position, n, die)
    plain = sight.route(n, count)
    gain = plain.worth - _here(sight, n)
    yield Idea(gain, a.Move(name, die, plain.path))
    if plain.worth > WIN / 2:
        return
    for other in dict.fromkeys(spare):
        for key, on, worth in _at_once(sight, other):
            if worth > COMMAND_AT_LEAST:
                # Where a chopper stands the way may be another, so it is asked for behind it.
                path = "" if key in AIRSTRIKES else plain.path
                yield Idea(gain + worth, a.Move(name, die, path, command=key, command_die=other, on=on))
        if _may(sight, "nitro", other, n):
            more = sight.route(n, count + other)
            if more.worth - plain.worth > COMMAND_AT_LEAST:
                yield Idea(
                    more.worth - _here(sight, n), a.Move(name, die, more.path, command="nitro", command_die=other)
                )
        if _may(sight, "drift", other, n):
            past = sight.route(n, count, drift=True)
            if past.worth - plain.worth > COMMAND_AT_LEAST:
                yield Idea(
                    past.worth - _here(sight, n), a.Move(name, die, past.path, command="drift", command_die=other)
                )


def _may(sight: Sight, key: str, die: int, n: int) -> bool:
    return cannot_command(sight.position, sight.seat, key, die, "", vehicle=n) is None


def _at_once(sight: Sight, die: int) -> Iterator[tuple[str, str, float]]:
    """Commands that act at once with this die: (command, what on, worth)."""
    position = sight.position
    commands = components.named(position.components).commands
    for key, other, on in sight.alone:
        if other != die:
            continue
        if key == "repair":
            yield key, on, _repair(sight, on)
        elif key == "bikes_repair":
            yield key, on, REPAIRED["running"] * 0.6
        elif key == "respawn":
            yield key, on, REPAIRED["running"] * 0.5
        elif commands[key].section and key.endswith("_repair"):
            yield key, on, REPAIRED["whole"]
    if may_shoot(position):
        yield from _airstrikes(sight, die)


def _repair(sight: Sight, on: str) -> float:
    key, _, _ = on.partition("/")
    piece = next(one for one in sight.position.pieces if one.seat == sight.seat and one.key == key and not one.gone)
    return REPAIRED["running"] if piece.inoperable else REPAIRED["whole"]


def _airstrikes(sight: Sight, die: int) -> Iterator[tuple[str, str, float]]:
    """The chopper behind the vehicle that it is best to shoot at."""
    position, outlook = sight.position, sight.outlook
    crew = driver_of(position, sight.seat).crew
    key = next(one for one in AIRSTRIKES if components.named(position.components).commands[one].crew == crew)
    targets = sorted((m for m, _ in enumerate(position.pieces) if _is_enemy(sight, m)), key=lambda m: -outlook.shot(m))
    for m in targets[:2]:
        for direction in REAR_ARC:
            space = step(position.pieces[m].at, direction)
            on = f"{space[0]}-{space[1]}"
            if outlook.ground.edge(space) or not outlook.ground.is_empty(space):
                continue
            if cannot_command(position, sight.seat, key, die, on) is None:
                yield key, on, outlook.shot(m)
                break


def _is_enemy(sight: Sight, m: int) -> bool:
    piece = sight.position.pieces[m]
    return piece.operable and piece.seat != sight.seat and piece.at != NOWHERE


def _without_move(sight: Sight, decision: Decision) -> Any:
    """All have moved: a command by itself, a coast, or the dice are set aside."""
    ideas = [Idea(COAST_AT_LEAST, a.Stand())]
    for die in dict.fromkeys(driver_of(sight.position, sight.seat).dice):
        ideas += [Idea(worth, a.Command(key, die, on)) for key, on, worth in _at_once(sight, die)]
    gives_up = 0.0 if driver_of(sight.position, sight.seat).commanded else COAST_AT_LEAST
    for act in decision.menu:
        if isinstance(act, a.Coast):
            n = piece_named(sight.position, f"{letter_of(sight.seat)}.{act.vehicle}")
            route = sight.route(n, 1)
            ideas.append(Idea(route.worth - _here(sight, n) - gives_up, a.Coast(act.vehicle, act.die, route.path)))
    return max(ideas, key=lambda idea: idea.worth).act


# Ways


def _drive(sight: Sight, decision: Decision) -> Any:
    n = piece_named(sight.position, decision.about["piece"])
    return a.Drive(sight.route(n, sight.view["left"], drift=sight.view["drift"]).path)


def _bonus(sight: Sight, decision: Decision) -> Any:
    n = piece_named(sight.position, decision.about["piece"])
    route = sight.route(n, sight.view["road"])
    stays = sight.outlook.stay(n, sight.position.pieces[n].at)
    return a.Drive(route.path) if route.worth > stays else a.No()


def _front(sight: Sight, decision: Decision) -> Any:
    """The way that leads on best; a fatal one only if there is no other."""
    n = piece_named(sight.position, decision.about["piece"])
    piece = sight.position.pieces[n]

    def worth(act: a.Front) -> float:
        direction = DIRECTION[act.direction]
        space = step(piece.at, direction)
        if sight.outlook.is_lost(space, direction, piece.kind):
            return -1e6
        others = [m for m in sight.outlook.ground.pieces.get(space, ()) if m != n]
        slam = sight.outlook.slam(n, others[0], space) if others else 0.0
        return slam + sight.outlook.stay(n, space)

    return max(decision.menu, key=worth)


# Shots and slams


def _shoot(sight: Sight, decision: Decision) -> Any:
    """The target whose damage is worth most; not at one's own, and not at what stands in nobody's way."""
    named = {name_of(sight.position, m): m for m, piece in enumerate(sight.position.pieces) if not piece.gone}
    best = Idea(0.0, a.Hold())
    for act in decision.menu:
        if isinstance(act, a.Shoot) and act.target in named:
            worth = sight.outlook.shot(named[act.target])
            if worth > best.worth:
                best = Idea(worth, act)
    return best.act


def _reroll(sight: Sight, decision: Decision) -> Any:
    """Again if the dice are likely to do better than they have."""
    about = decision.about
    named = {name_of(sight.position, m): m for m, piece in enumerate(sight.position.pieces) if not piece.gone}
    mover, other, moved = (named[about[name]] for name in ("mover", "other", "moved"))
    space = sight.position.pieces[mover].at
    shown = sight.outlook.pushed(moved, space, about["direction"])
    mean = sum(chance * worth for chance, worth in sight.outlook.outcomes(mover, other, space))
    return a.Again() if mean > shown + 0.5 else a.Keep()


def _minor(sight: Sight, decision: Decision) -> Any:
    n = piece_named(sight.position, decision.about["piece"])
    return a.Minor(least_worn(sight.position, n, [act.spot for act in decision.menu]))


def _bike(sight: Sight, decision: Decision) -> Any:
    return decision.default


ANSWERS: dict[str, Callable[[Sight, Decision], Any]] = {
    "turn": _turn,
    "drive": _drive,
    "bonus": _bonus,
    "missile": _shoot,
    "shoot": _shoot,
    "reroll": _reroll,
    "front": _front,
    "minor": _minor,
    "bike": _bike,
}
"""How each question is answered."""


class Driver:
    """Plays to win, from what its seat sees; the same view and question always get the same answer."""

    def choose(self, view: JSON, decision: Decision) -> Any:
        """The answer that looks best."""
        return ANSWERS[decision.key](Sight(view), decision)


def make_bot(level: str, seed: int) -> Bot:
    """A player of this level; ``seed`` is for the random one. Raises ValueError for a level that there is not."""
    if level == "random":
        return RandomBot(seed)
    if level == "driver":
        return Driver()
    raise ValueError(f"there is no bot «{level}» for Thunder Road; there are {' and '.join(LEVELS)}")
