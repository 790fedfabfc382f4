"""The words of orders, both ways: what pages, mails and scenarios show is what a player may write."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from games.engine.contract import JSON
from games.engine.errors import Malformed
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import components

LONGEST = 200
"""Letters of one order."""


# Saying


def say(view: JSON, action: Any) -> str:
    """Put an order into words, from which read() gives the same action back."""
    return SAY[type(action)](view, action)


def _name(view: JSON, key: str) -> str:
    command = components.named(view["components"]).commands.get(key)
    return command.name if command is not None else key


def _path(path: str) -> str:
    return f": {path}" if path else ""


def _move(view: JSON, act: a.Move) -> str:
    command = ""
    if act.command:
        on = f" on {act.on}" if act.on else ""
        command = f", {_name(view, act.command)} {act.command_die}{on}"
    second = f", then {act.second} with {act.second_die}{_path(act.second_path)}" if act.second else ""
    return f"{act.vehicle} with {act.die}{command}{_path(act.path)}{second}"


def _coast(view: JSON, act: a.Coast) -> str:
    second = f", then {act.second} with {act.second_die}{_path(act.second_path)}" if act.second else ""
    return f"coast {act.vehicle} with {act.die}{_path(act.path)}{second}"


def _command(view: JSON, act: a.Command) -> str:
    return f"use {_name(view, act.command)} with {act.die}" + (f" on {act.on}" if act.on else "")


def _shoot(view: JSON, act: a.Shoot) -> str:
    return f"shoot {act.target}" + (f" at {_name(view, act.spot)}" if act.spot else "")


SAY: dict[type, Callable[[JSON, Any], str]] = {
    a.Command: _command,
    a.Move: _move,
    a.Coast: _coast,
    a.Stand: lambda view, act: "stand",
    a.Concede: lambda view, act: "concede",
    a.Drive: lambda view, act: f"drive {act.path}",
    a.No: lambda view, act: "no bonus",
    a.Hold: lambda view, act: "hold fire",
    a.Shoot: _shoot,
    a.Keep: lambda view, act: "keep",
    a.Again: lambda view, act: "roll again",
    a.Front: lambda view, act: f"go {act.direction}",
    a.Minor: lambda view, act: f"cover {_name(view, act.spot)}",
    a.Bike: lambda view, act: f"move {act.vehicle}",
}


# Reading

VEHICLE = r"(?:[A-Fa-f]\.)?[A-Za-z]+\d?"
LETTERS = r"(?:\d[FLR]*|[FLR]+)"
WAY = rf"(?:[:,]? ?(?P<path>{LETTERS}))?"
ON = r"(?:wreck )?[\w.]+(?:[-/]\d+)?(?: (?![FLR]+\b)[A-Za-z]+)*"


def clean(text: str) -> str:
    """Compatibility characters, blanks, quotation marks around the whole and closing marks are made plain."""
    text = unicodedata.normalize("NFKC", text[: LONGEST + 1])
    text = " ".join(text.split()).strip("\"'\u201c\u201d\u201e ")
    return text.rstrip(".!; ")


def read(view: JSON, text: str) -> Any:
    """The action that words mean; raises Malformed."""
    if len(text) > LONGEST:
        raise Malformed(f"An order has at most {LONGEST} letters.")
    words = clean(text)
    for pattern, make in PATTERNS:
        match = pattern.fullmatch(words)
        if match:
            return make(view, match)
    if view.get("asking") in ("drive", "bonus") and re.fullmatch(LETTERS, words, re.IGNORECASE) and words:
        return a.Drive(words.upper())
    said = f"\u00ab{words[:80]}\u00bb" if words else "Nothing"
    raise Malformed(f"{said} is no order here. {HELP.get(view.get('asking', ''), HELP['turn'])}")


HELP = {
    "turn": "Write vehicle, die and way, as in «M 5: FFFLF», with a command «M 5, Drift 4: FFFLF»; or «coast S», "
    "«use Repair with 6 on M/1», «stand», «concede» (T1, T2).",
    "drive": "Write the way in letters F, L and R, one a count, as in «FFL»; where a vehicle enters, its lane "
    "first, as in «3FF» (T14, T15).",
    "bonus": "Write the way in letters F, L and R to take the Road Bonus, or «no bonus» (T20).",
    "missile": "Write «shoot B.M» with the target's name, or «hold fire» (T40).",
    "shoot": "Write «shoot B.M» with the target's name, or «hold fire» (T36).",
    "reroll": "Write «roll again» or «keep» (T17).",
    "front": "Write «go F», «go L» or «go R» (T25).",
    "minor": "Write «cover» and a command of your Big Rig (T28).",
    "bike": "Write «move B2» with the motorcycle that is moved (T33).",
}
"""What may be written, by question."""


def _own(view: JSON, word: str) -> str:
    """A vehicle of the viewer by its key, in any case, with or without the seat's letter."""
    keys = {piece["key"] for piece in view["pieces"] if piece["seat"] == view["viewer"]} | {"front", "middle", "rear"}
    keys |= {f"B{number}" for number in range(1, 6)}
    known = {key.casefold(): key for key in keys}
    return known.get(word.rpartition(".")[2].casefold(), word)


def _command_key(view: JSON, words: str) -> str:
    """A command of the viewer's crew by its name or key."""
    box = components.named(view["components"])
    crew = next((seat["crew"] for seat in view["seats"] if seat["seat"] == view["viewer"]), "cars")
    for key, command in box.commands.items():
        if command.crew == crew and words.casefold() in (
            key.casefold(),
            key.replace("_", " "),
            command.name.casefold(),
        ):
            return key
    there = ", ".join(command.name for command in box.commands.values() if command.crew == crew)
    raise Malformed(f"\u00ab{words[:40]}\u00bb is no command of yours; there are {there}.")


def _read_move(view: JSON, match: re.Match[str]) -> a.Move:
    command, die, on = match["command"], match["command_die"], match["on"]
    return a.Move(
        _own(view, match["vehicle"]),
        int(match["die"]),
        (match["path"] or "").upper(),
        command=_command_key(view, command) if command else "",
        command_die=int(die) if die else 0,
        on=_thing(view, on),
        second=_own(view, match["second"]) if match["second"] else "",
        second_die=int(match["second_die"] or 0),
        second_path=(match["second_path"] or "").upper(),
    )


def _thing(view: JSON, words: str | None) -> str:
    """What a command is about: a space, a token "M/1", a motorcycle, a command of the Big Rig."""
    if not words:
        return ""
    head, slash, place = words.partition("/")
    if slash:
        return f"{_own(view, head)}/{place}"
    if re.fullmatch(r"\d-\d+", words):
        return words
    commands = components.named(view["components"]).commands
    for key, command in commands.items():
        if command.crew == "rig" and words.casefold() in (key, command.name.casefold()):
            return key
    return _own(view, words)


def _read_coast(view: JSON, match: re.Match[str]) -> a.Coast:
    """Without a die: the lowest that its driver has, since all of them do the same."""
    own: list[int] = next((seat["dice"] for seat in view["seats"] if seat["seat"] == view["viewer"]), [])
    if not match["die"] and not own:
        raise Malformed("You have no die left to coast with (T21).")
    return a.Coast(
        _own(view, match["vehicle"]),
        int(match["die"] or min(own)),
        (match["path"] or "").upper(),
        second=_own(view, match["second"]) if match["second"] else "",
        second_die=int(match["second_die"] or 0),
        second_path=(match["second_path"] or "").upper(),
    )


def _read_command(view: JSON, match: re.Match[str]) -> a.Command:
    return a.Command(_command_key(view, match["command"]), int(match["die"]), _thing(view, match["on"]))


def _read_shot(view: JSON, match: re.Match[str]) -> a.Shoot:
    target = str(match["target"])
    words = target if target.casefold().startswith("wreck") else _target(view, target)
    return a.Shoot(words, _rig_spot(view, match["spot"]) if match["spot"] else "")


def _target(view: JSON, words: str) -> str:
    known: dict[str, str] = {piece["name"].casefold(): piece["name"] for piece in view["pieces"]}
    return known.get(words.casefold(), words)


def _rig_spot(view: JSON, words: str) -> str:
    for key, command in components.named(view["components"]).commands.items():
        if command.crew == "rig" and words.casefold() in (key, key.replace("_", " "), command.name.casefold()):
            return key
    raise Malformed(f"\u00ab{words[:40]}\u00bb is no command of a Big Rig.")


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


SECOND = rf"(?:(?:,? then |[,;] ?)(?P<second>B\d)(?: with)? (?P<second_die>\d)(?:[:,]? ?(?P<second_path>{LETTERS}))?)?"
COMMAND = rf"(?P<command>[A-Za-z_ ]+?)(?: with)? (?P<command_die>\d)(?: (?:on|at) (?P<on>{ON}))?"
PATTERNS: tuple[tuple[re.Pattern[str], Callable[[JSON, re.Match[str]], Any]], ...] = (
    (_pattern(r"stand(?: still)?"), lambda view, match: a.Stand()),
    (_pattern(r"concede|withdraw|resign"), lambda view, match: a.Concede()),
    (_pattern(r"(?:no|no bonus|without (?:a |the )?bonus)"), lambda view, match: a.No()),
    (_pattern(r"hold(?: fire)?|no (?:shot|missile)"), lambda view, match: a.Hold()),
    (_pattern(r"keep(?: it)?"), lambda view, match: a.Keep()),
    (_pattern(r"(?:roll )?again|re-?roll"), lambda view, match: a.Again()),
    (_pattern(r"go (?P<way>[FLR])"), lambda view, match: a.Front(match["way"].upper())),
    (_pattern(r"cover (?P<spot>.+)"), lambda view, match: a.Minor(_rig_spot(view, match["spot"]))),
    (_pattern(r"move (?P<bike>B\d)"), lambda view, match: a.Bike(match["bike"].upper())),
    (_pattern(rf"(?:drive|yes,?|bonus) (?P<path>{LETTERS})"), lambda view, match: a.Drive(match["path"].upper())),
    (
        _pattern(r"(?:shoot|fire|launch)(?: at)? (?P<target>wreck \d-\d+|[A-Fa-f]\.\w+)(?:,? (?:at|on) (?P<spot>.+))?"),
        _read_shot,
    ),
    (_pattern(rf"(?:use )?(?P<command>[A-Za-z_ ]+?)(?: with)? (?P<die>\d) (?:on|at) (?P<on>{ON})"), _read_command),
    (_pattern(r"use (?P<command>[\w ]+?)(?: with)? (?P<die>\d)(?P<on>)"), _read_command),
    (_pattern(rf"coast (?P<vehicle>{VEHICLE})(?:(?: with)? (?P<die>\d)(?=\D|$))?{WAY}{SECOND}"), _read_coast),
    (_pattern(rf"(?P<vehicle>{VEHICLE})(?: with)? (?P<die>\d)(?:, ?{COMMAND})?{WAY}{SECOND}"), _read_move),
)
