"""What each frame does, and who is asked what: refusals, defaults and offers of every question. No rule stands here."""

from collections.abc import Callable
from typing import Any, NamedTuple

from games.engine.contract import Clock, Decision, Field, Form, Kind
from games.engine.errors import Refusal
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import components, pilot
from games.rulesets.thunder_road.course import choppers_at, edge, is_fatal, terrain
from games.rulesets.thunder_road.hexes import step
from games.rulesets.thunder_road.rules import (
    t01_turns,
    t14_driving,
    t17_slams,
    t22_edges,
    t26_rig_and_bikes,
    t34_shooting,
    t43_rounds,
    t45_hazards,
    t64_damage,
)
from games.rulesets.thunder_road.state import (
    Advancing,
    AfterMove,
    Asked,
    Choosing,
    Damaging,
    Driving,
    Entering,
    Firing,
    Hopping,
    Minoring,
    NewRound,
    NextJob,
    NextTurn,
    Position,
    Ramping,
    Reeling,
    Shaking,
    Skidding,
    Slam,
    State,
    Table,
    TakeTurn,
    driver_of,
    name_of,
)

STEPS: dict[type, Callable[[Table, Any, Any], None]] = {
    NewRound: t43_rounds.new_round,
    NextTurn: t43_rounds.next_turn,
    TakeTurn: t01_turns.take_turn,
    NextJob: t01_turns.next_job,
    Driving: t14_driving.driving,
    AfterMove: t01_turns.after_move,
    Entering: t14_driving.entering,
    Slam: t17_slams.slam,
    Damaging: t64_damage.damaging,
    Skidding: t64_damage.skidding,
    Hopping: t64_damage.hopping,
    Reeling: t64_damage.reeling,
    Shaking: t45_hazards.shaking,
    Ramping: t45_hazards.ramping,
    Advancing: t22_edges.advancing,
    Firing: t34_shooting.firing,
    Choosing: t34_shooting.choosing,
    Minoring: t26_rig_and_bikes.minoring,
}
"""What each frame does when it is on top."""


def run(table: Table, heard: Any = None) -> None:
    """Go on until somebody owes an answer or the race is over; ``heard`` is the answer to the question just closed."""
    while table.stack and not table.winners and table.asked is None:
        frame = table.stack.pop()
        STEPS[type(frame)](table, frame, heard)
        heard = None
    if table.winners:
        table.stack.clear()
        table.asked = None


# Refusals


def _wrong(number: str) -> Refusal:
    return Refusal(number, "That does not answer what you are asked")


def _turn(position: Position, asked: Asked, act: Any) -> Refusal | None:
    return t01_turns.cannot_take_turn(position, asked.seat, act)


def _drive(position: Position, asked: Asked, act: Any) -> Refusal | None:
    return t01_turns.cannot_drive(position, act) if isinstance(act, a.Drive) else _wrong("T14")


def _bonus(position: Position, asked: Asked, act: Any) -> Refusal | None:
    if isinstance(act, a.No):
        return None
    return t01_turns.cannot_take_bonus(position, act) if isinstance(act, a.Drive) else _wrong("T20")


def _shot(position: Position, asked: Asked, act: Any) -> Refusal | None:
    if isinstance(act, a.Hold):
        return None
    if not isinstance(act, a.Shoot):
        return _wrong("T35")
    return None if act in _shots(position, asked) else Refusal("T35", f"{act.target} is no target now")


def _slam(position: Position, asked: Asked, act: Any) -> Refusal | None:
    return None if isinstance(act, a.Keep | a.Again) else _wrong("T17")


def _front(position: Position, asked: Asked, act: Any) -> Refusal | None:
    if not isinstance(act, a.Front):
        return _wrong("T25")
    letters = [t22_edges.LETTERS[one] for one in t22_edges.fronts(position, asked.piece)]
    return None if act.direction in letters else Refusal("T25", f"The way is one of {', '.join(letters)}")


def _minor(position: Position, asked: Asked, act: Any) -> Refusal | None:
    if not isinstance(act, a.Minor):
        return _wrong("T28")
    spots = t64_damage.free_spots(position, asked.piece)
    return None if act.spot in spots else Refusal("T28", "That command is covered already, or its section full")


def _bike(position: Position, asked: Asked, act: Any) -> Refusal | None:
    if not isinstance(act, a.Bike):
        return _wrong("T33")
    return None if act in _bikes(position, asked) else Refusal("T33", "That motorcycle is not in this slam")


# Defaults


def _no_move(position: Position, asked: Asked) -> Any:
    return pilot.autopilot(position, asked.seat)


def _usual_way(position: Position, asked: Asked) -> Any:
    return a.Drive(pilot.best_path(position, asked.piece, position.turn.left))


def _reroll_if_lost(position: Position, asked: Asked) -> Any:
    return a.Again() if would_be_lost(position, asked.seat) else a.Keep()


def would_be_lost(position: Position, seat: int) -> bool:
    """Whether the slam as it was rolled surely eliminates a vehicle of this seat (T16, T17, T22, T24, T50)."""
    frame = position.stack[-1]
    assert isinstance(frame, Slam)
    piece = position.pieces[frame.moved]
    if piece.seat != seat:
        return False
    space = step(piece.at, frame.direction)
    where = edge(position, space)
    if where:
        return where != "front" or (bool(position.finish) and not piece.operable)
    if is_fatal(position, space, frame.direction):
        return True
    return bool(choppers_at(position, space)) and terrain(position, space) not in t45_hazards.CARRIES_ON


def _usual_front(position: Position, asked: Asked) -> Any:
    return a.Front(t22_edges.LETTERS[t22_edges.usual_front(position, asked.piece)])


def _usual_spot(position: Position, asked: Asked) -> Any:
    return a.Minor(t64_damage.usual_spot(position, asked.piece))


def _entered(position: Position, asked: Asked) -> Any:
    return a.Bike(position.pieces[asked.piece].key)


# Offers

Offered = tuple[list[Any], list[Form]]


def _offer_turn(position: State, asked: Asked, default: Any) -> Offered:
    """Each vehicle with each die, commands alone and coasts once all have moved, to stand; a form with the rest."""
    seat = asked.seat
    driver = driver_of(position, seat)
    dice = tuple(dict.fromkeys(driver.dice))
    free = [name for _, name in t01_turns.unmoved(position, seat)]
    menu: list[Any] = [a.Move(name, die) for name in free for die in dice]
    forms: list[Form] = []
    if free:
        forms.append(move_form(position, seat, free, dice))
    else:
        alone = [a.Command(key, die, on) for key, die, on in t01_turns.commands_alone(position, seat)]
        menu += [act for act in alone if act.command not in t01_turns.AIRSTRIKES]
        forms += _airstrike_forms(alone, dice)
        coasting = [name for _, name in t01_turns.coasters(position, seat)]
        menu += [a.Coast(name, die) for name in coasting for die in dice]
        menu.append(a.Stand())
    return menu, forms


def move_form(position: State, seat: int, free: list[str], dice: tuple[int, ...]) -> Form:
    """A vehicle that may have a die, with one, a way, and a command if it is wanted."""
    commands = [
        one.key
        for one in components.named(position.components).commands.values()
        if one.crew == driver_of(position, seat).crew
    ]
    fields = [
        Field("vehicle", "Vehicle", "one", tuple(free)),
        Field("die", "With the die", "one", dice),
        Field("path", "Way: letters F, L and R", "path", (), 0, MOST_LETTERS),
        Field("command", "Command", "one", ("", *commands)),
        Field("command_die", "Its die", "one", (0, *dice)),
        Field("on", "On", "text", (), 0, MOST_LETTERS),
    ]
    if driver_of(position, seat).crew == "bikes":
        fields += [
            Field("second", "And motorcycle", "one", ("", *free)),
            Field("second_die", "With the die", "one", (0, *dice)),
            Field("second_path", "Its way", "path", (), 0, MOST_LETTERS),
        ]
    return Form(a.Move(free[0], dice[0]), tuple(fields), "move a vehicle, with a path or a command", linked=True)


MOST_LETTERS = 30


def _airstrike_forms(alone: list[a.Command], dice: tuple[int, ...]) -> list[Form]:
    strikes = [act for act in alone if act.command in t01_turns.AIRSTRIKES]
    if not strikes:
        return []
    places = tuple(dict.fromkeys(act.on for act in strikes))
    fields = (Field("die", "With the die", "one", dice), Field("on", "On the space", "one", places))
    return [Form(strikes[0], fields, "place the chopper")]


def _offer_drive(position: State, asked: Asked, default: Any) -> Offered:
    n = asked.piece
    steps = [letter for letter in _letters(position, n) if t14_driving.is_barred(position, n, letter) is None]
    paths = dict.fromkeys((default.path, *steps))
    form = Form(
        default,
        (Field("path", "Way: letters F, L and R", "path", (), 1, MOST_LETTERS),),
        "drive by a path",
        linked=True,
    )
    return [a.Drive(path) for path in paths], [form]


def _letters(position: State, n: int) -> str:
    return "123456" if position.pieces[n].at == (0, 0) else "FLR"


def _offer_bonus(position: State, asked: Asked, default: Any) -> Offered:
    n = asked.piece
    steps = [letter for letter in _letters(position, n) if t14_driving.is_barred(position, n, letter) is None]
    paths = dict.fromkeys((pilot.best_path(position, n, position.road), *steps))
    form = Form(
        a.Drive(next(iter(paths))),
        (Field("path", "Way: letters F, L and R", "path", (), 1, MOST_LETTERS),),
        "by a path",
        linked=True,
    )
    return [a.No(), *(a.Drive(path) for path in paths)], [form]


def _shots(position: Position, asked: Asked) -> list[a.Shoot]:
    missile = asked.kind == "missile"
    found = t34_shooting.targets(position, asked.seat, asked.piece, missile=missile)
    return [a.Shoot(name_of(position, n), spot) for n, spot in found]


def _offer_shot(position: State, asked: Asked, default: Any) -> Offered:
    return [a.Hold(), *_shots(position, asked)], []


def _offer_slam(position: State, asked: Asked, default: Any) -> Offered:
    return [a.Keep(), a.Again()], []


def _offer_front(position: State, asked: Asked, default: Any) -> Offered:
    return [a.Front(t22_edges.LETTERS[one]) for one in t22_edges.fronts(position, asked.piece)], []


def _offer_minor(position: State, asked: Asked, default: Any) -> Offered:
    return [a.Minor(spot) for spot in t64_damage.free_spots(position, asked.piece)], []


def _bikes(position: Position, asked: Asked) -> list[a.Bike]:
    frame = position.stack[-1]
    assert isinstance(frame, Slam)
    return [a.Bike(position.pieces[n].key) for n in (frame.mover, frame.other)]


def _offer_bike(position: State, asked: Asked, default: Any) -> Offered:
    return list(_bikes(position, asked)), []


class Question(NamedTuple):
    """One kind of question."""

    rule: str
    clock: Clock
    kind: Kind
    refuse: Callable[[Position, Asked, Any], Refusal | None]
    default: Callable[[Position, Asked], Any]
    offer: Callable[[State, Asked, Any], Offered]


QUESTIONS: dict[str, Question] = {
    "turn": Question("T1", "turn", "turn", _turn, _no_move, _offer_turn),
    "drive": Question("T14", "turn", "turn", _drive, _usual_way, _offer_drive),
    "bonus": Question("T20", "turn", "choice", _bonus, lambda position, asked: a.No(), _offer_bonus),
    "missile": Question("T40", "turn", "choice", _shot, lambda position, asked: a.Hold(), _offer_shot),
    "shoot": Question("T36", "turn", "choice", _shot, lambda position, asked: a.Hold(), _offer_shot),
    "reroll": Question("T17", "reaction", "reaction", _slam, _reroll_if_lost, _offer_slam),
    "front": Question("T25", "reaction", "choice", _front, _usual_front, _offer_front),
    "minor": Question("T28", "reaction", "choice", _minor, _usual_spot, _offer_minor),
    "bike": Question("T33", "reaction", "choice", _bike, _entered, _offer_bike),
}
"""Every question the game can ask."""


def decision(state: State, asked: Asked) -> Decision:
    """The open question with all that it offers."""
    question = QUESTIONS[asked.kind]
    default = question.default(state, asked)
    menu, forms = question.offer(state, asked, default)
    is_active = asked.seat == state.turn.seat
    return Decision(
        key=asked.kind,
        seat=asked.seat,
        rule=question.rule,
        menu=tuple(menu),
        default=default,
        forms=tuple(forms),
        kind=question.kind,
        clock="turn" if is_active else question.clock,
        singled=not is_active,
        trigger=asked.kind,
        about=about(state, asked),
    )


def about(state: State, asked: Asked) -> dict[str, Any]:
    """The public facts of a question, for its words."""
    facts: dict[str, Any] = {"active": state.turn.seat}
    if asked.piece >= 0:
        facts["piece"] = name_of(state, asked.piece)
    if asked.kind == "drive":
        facts["left"] = state.turn.left
    if asked.kind == "bonus":
        facts["road"] = state.road
    frame = state.stack[-1] if state.stack else None
    if isinstance(frame, Slam):
        facts["mover"], facts["other"] = (name_of(state, n) for n in (frame.mover, frame.other))
        if asked.kind == "reroll":
            facts["moved"], facts["direction"] = name_of(state, frame.moved), frame.direction
            facts["loses"] = would_be_lost(state, asked.seat)
    return facts


def refusal(state: Position, act: Any) -> Refusal | None:
    """Why the seat that is asked may not answer so."""
    assert state.asked is not None
    return QUESTIONS[state.asked.kind].refuse(state, state.asked, act)
