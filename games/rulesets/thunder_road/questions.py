"""The sentence of each question, and what stands beside an answer: its rule, a word to beginners, words for values."""

from collections.abc import Callable
from typing import Any

from games.engine.contract import JSON, Decision
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import board, components, preview
from games.rulesets.thunder_road.hexes import read, step, written
from games.rulesets.thunder_road.rules.t01_turns import RULES as COMMAND_RULES
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION
from games.rulesets.thunder_road.rules.t45_hazards import SHOWN
from games.rulesets.thunder_road.state import letter_of
from games.rulesets.thunder_road.words import SIZES, WAYS, called, capital, count, dice, listed, named, pips, token
from games.rulesets.thunder_road.words import vehicle as kind_of


def ask(view: JSON, decision: Decision) -> str:
    """The question in one sentence, with what its driver needs to know: vehicles, counts, dice."""
    return capital(ASK[decision.key](view, decision))


def _own(view: JSON) -> JSON:
    return view["seats"][view["viewer"] - 1]


def _turn(view: JSON, decision: Decision) -> str:
    own = _own(view)
    held = f"{'die' if len(own['dice']) == 1 else 'dice'} {dice(own['dice'])}"
    begun = f"round {view['round']}, road die {view['road']}: you have the {held}"
    command = "your command is used" if own["commanded"] else "your command is open"
    free = [piece for piece in view["pieces"] if piece["seat"] == view["viewer"] and _may_move(piece)]
    if not free:
        return f"{begun}, all your vehicles have moved and {command}; do you coast, use a command, or stand?"
    places = []
    waiting = [piece["key"] for piece in free if not piece["at"] and piece["kind"] != "rig"]
    for piece in free:
        left = [part for part in ("front", "middle", "rear") if part not in piece["moved"]]
        sections = f", {listed(left)} to move" if piece["kind"] == "rig" else ""
        if piece["key"] not in waiting:
            places.append(f"{piece['key']} ({board.where(piece)}{sections})")
    if waiting:
        places.append(f"{listed(waiting)} (not on the road yet)")
    one = "has" if len(free) == 1 else "have"
    return f"{begun}, {listed(places)} {one} not moved, and {command}; which vehicle gets which die?"


def _may_move(piece: JSON) -> bool:
    if piece["inoperable"]:
        return False
    return len(piece["moved"]) < 3 if piece["kind"] == "rig" else not piece["moved"]


def _at(piece: JSON) -> str:
    return f" on {piece['at']}" if piece is not None and piece["at"] else ""


def _drive(view: JSON, decision: Decision) -> str:
    name, left = decision.about["piece"], decision.about["left"]
    piece = named(view, name)
    enters = ", from the lane in which it enters" if piece is not None and not piece["at"] else ""
    return f"{called(view, name)}{_at(piece)} has {count(left, 'count')} to drive; by which way{enters}?"


def _bonus(view: JSON, decision: Decision) -> str:
    name = decision.about["piece"]
    who, more = f"{called(view, name)}{_at(named(view, name))}", count(decision.about["road"], "count")
    return f"{who} has earned the Road Bonus of {more}, to be driven in full; does it take it?"


def chance(view: JSON, name: str) -> str:
    """The odds of a hit: "medium, hit by 3 faces of 6"."""
    piece = named(view, name)
    size = 1 if piece is None else piece["size"]
    faces = components.named(view["components"]).dice["shoot"]
    hits = sum(size in SHOWN[face] for face in faces)
    return f"{SIZES[size]}, hit by {count(hits, 'face')} of {len(faces)}"


def _shoot(view: JSON, decision: Decision) -> str:
    by = called(view, decision.about["piece"]) if "piece" in decision.about else "your chopper"
    names = dict.fromkeys(one.target for one in decision.menu if isinstance(one, a.Shoot))
    targets = listed([f"{name} ({chance(view, name)})" for name in names])
    what = "launch its missile" if decision.key == "missile" else "shoot"
    return f"{by} may {what} at {targets}; does it, and at what?"


def _reroll(view: JSON, decision: Decision) -> str:
    about = decision.about
    moved = named(view, about["moved"])
    at = about["moved"].removeprefix("wreck ") if moved is None else moved["at"]
    space = read(at)
    to = "" if space is None else f", to {board.Ground(view).beyond(step(space, about['direction']))}"
    lost = ", where it is lost" if about["loses"] else ""
    return (
        f"{called(view, about['mover'])} has slammed {called(view, about['other'])}: the dice knock {about['moved']} "
        f"{WAYS[about['direction']]}{to}{lost}; do you have both rolled once more?"
    )


def _front(view: JSON, decision: Decision) -> str:
    name = decision.about["piece"]
    piece = named(view, name)
    space = None if piece is None else read(piece["at"])
    ground = board.Ground(view)
    ways = [f"{one.direction} {ground.beyond(step(space, DIRECTION[one.direction]))}" for one in decision.menu if space]
    return f"{called(view, name)} comes onto the new tile; by which way, {' or '.join(ways)}?"


def _minor(view: JSON, decision: Decision) -> str:
    piece = named(view, decision.about["piece"])
    taken = 0 if piece is None else len(piece["covered"])
    return f"your Big Rig takes minor damage, its {ORDINALS[taken]} of six; which command does it cover?"


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def _bike(view: JSON, decision: Decision) -> str:
    return f"{decision.about['mover']} and {decision.about['other']} have met; which of the two motorcycles is moved?"


ASK: dict[str, Callable[[JSON, Decision], str]] = {
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

# Beside an answer

NOW = {
    "drive": "Every count is one step ahead: F straight, L or R to a side (T14). All of them are driven, even into "
    "what you see; the way may be said in part, and you are asked again.",
    "bonus": "You kept to the road, so the road die may be driven besides (T20). All of it is driven, over anything.",
    "missile": "The missile is launched before the ordinary shot (T40). To hold it costs nothing.",
    "shoot": "One shot at the end of a move, at anything in the three spaces ahead (T35, T36). Larger targets are hit "
    "more easily (T37); your own vehicles are targets, too.",
    "reroll": "The larger one's owner may have both dice of a slam rolled once more, and the second roll stands (T17).",
    "front": "The road has gone on. Whoever has left it at the front chooses where the new tile is entered (T25).",
    "minor": "A command that is covered cannot be used; two a section at most, and the sixth is the end (T28, T85).",
    "bike": "Of two motorcycles that meet, the one that you name is moved (T33).",
}


def what_now(view: JSON, decision: Decision) -> str:
    """A word on this question for a driver who is new to the game."""
    if decision.key != "turn":
        return NOW[decision.key]
    if any(isinstance(one, a.Move) for one in decision.menu):
        return (
            "Put a die on a vehicle that has not moved in this round; it drives as many counts as the die shows (T1, "
            "T14). Once a round another die may go on a command, before that vehicle moves (T2)."
        )
    return (
        "All your vehicles have moved. A die may go on a command that is of use by itself, or let a vehicle coast for "
        "one count (T3, T21); to stand sets the others aside."
    )


def rule_of(decision: Decision, action: Any) -> str:
    """The row that an answer is given by; "" where the question's own row says it."""
    match action:
        case a.Command():
            return COMMAND_RULES.get(action.command, "T2")
        case a.Move(command=command) if command:
            return COMMAND_RULES.get(command, "T2")
        case a.Move(second=second) if second:
            return "T4"
        case a.Coast():
            return "T32" if action.vehicle.startswith("B") else "T21"
        case a.Stand():
            return "T3"
        case a.Concede():
            return "T79"
        case a.Shoot(spot=spot) if spot:
            return "T41"
    return ""


def value_words(view: JSON, field: str, value: JSON) -> str:
    """A form's value as a person reads it; nothing is "none"."""
    if value in ("", 0):
        return "none"
    box = components.named(view["components"])
    if field in ("command", "spot") and value in box.commands:
        return (
            f"{box.commands[value].name}: {pips(box.commands[value])}"
            if field == "command"
            else box.commands[value].name
        )
    if field in ("vehicle", "second") and view["viewer"]:
        return _vehicle_words(view, str(value))
    if field == "on":
        return subject_words(view, str(value))
    return str(value)


def _vehicle_words(view: JSON, key: str) -> str:
    piece = named(view, f"{letter_of(view['viewer'])}.{key}")
    if piece is None:
        return f"{key} section of the Big Rig"
    return f"{key}, {kind_of(piece)} {board.where(piece)}"


def subject_words(view: JSON, words: str) -> str:
    """What a command is about: a space, a vehicle's damage token, a command, a motorcycle."""
    box = components.named(view["components"])
    space = read(words)
    if space is not None:
        return f"{written(space)}, {board.Ground(view).terrain(space)}"
    key, slash, place = words.partition("/")
    if slash and view["viewer"]:
        piece = named(view, f"{letter_of(view['viewer'])}.{key}")
        if piece is not None and place.isdigit() and int(place) <= len(piece["damage"]):
            return f"{key}, damage {place}: {token(box, piece['damage'][int(place) - 1]['token'])}"
    return box.commands[words].name if words in box.commands else words


def suggestions(view: JSON, action: JSON) -> list[JSON]:
    """What the command that is named may be used on."""
    return [{**one, "words": subject_words(view, one["value"])} for one in preview.subjects_of(view, action)]


REASONS = {
    "finish": "The race was won by crossing the finish.",
    "last_driver": "Everybody else is out of the race.",
    "nobody_left": "All who were left went out in one moment; whoever was foremost before it has won.",
    "distance": "The last round is over; whoever was foremost has won.",
}
"""How a race can end, in a sentence."""
