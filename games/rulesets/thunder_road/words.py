"""Names of things as people read them: crews, vehicles, dice, spaces, tokens."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from games.engine.contract import JSON
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.components.shapes import GROUND_NAMES

SIZES: Final = {1: "small", 2: "medium", 3: "large"}
WAYS: Final = {
    "F": "straight ahead",
    "FL": "ahead to the left",
    "FR": "ahead to the right",
    "B": "straight back",
    "BL": "back to the left",
    "BR": "back to the right",
}
"""Directions of the road."""
HAZARDS: Final = {
    "road": "road",
    "mud": "mud",
    "oil": "oil",
    "mine": "a mine",
    "wreck": "a wreck",
    "glass": "desert glass",
    "ramp": "a ramp",
    "fire": "fire",
    "pit": "a pit trap",
    "quake": "a quake",
    "worm": "a sand worm",
}
"""Hazard tokens as they are turned up."""
LYING: Final = {**GROUND_NAMES, "pit": "a pit, impassable", "cover": "off-road, covered", "rock": "impassable"}
"""What a space is, by the token that lies face up there or by what is printed."""
CREWS: Final = {"cars": "cars", "rig": "Big Rig", "bikes": "motorcycles"}
MOST_DAMAGE: Final = {"car": 2, "bike": 1, "rig": 6}
MOST_PIPS: Final = 6
LETTERS: Final = "ABCDEF"
"""What seats are called."""


def crew(seat: int) -> str:
    """A seat in words that may stand within a sentence: "crew B"."""
    return f"crew {LETTERS[seat - 1]}"


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 die", "3 dice"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Parts as a list in a sentence: "a, b and c"; "" for none."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def capital(text: str) -> str:
    """The text with a capital in front; the other letters stay."""
    return text[:1].upper() + text[1:]


def dice(values: Iterable[int]) -> str:
    """Dice as they lie there: "2, 3 and 5"; "none"."""
    return listed([str(value) for value in values]) or "none"


def pips(command: components.Command) -> str:
    """What a die on a command may show: "any die", "6", "1 to 3"."""
    least, most = min(command.values), max(command.values)
    if least == 1 and most == MOST_PIPS:
        return "any die"
    return str(most) if least == most else f"{least} to {most}"


def token(box: components.ComponentSet, key: str) -> str:
    """A damage token by its name: "Skid ahead"."""
    return next((kind.name for kind in box.damage if kind.key == key), key.replace("_", " "))


def card(box: components.ComponentSet, key: str) -> components.Kind | None:
    """An ongoing card."""
    return next((kind for kind in box.ongoing if kind.key == key), None)


def vehicle(piece: Mapping[str, Any]) -> str:
    """What a vehicle is: "small car", "motorcycle", "Big Rig"."""
    return {"car": f"{SIZES[piece['size']]} car", "bike": "motorcycle", "rig": "Big Rig"}[piece["kind"]]


def named(view: JSON, name: str) -> Mapping[str, Any] | None:
    """The piece of this name that is still in the race, "B.M"; None if there is none."""
    found: Mapping[str, Any] | None = next((piece for piece in view["pieces"] if piece["name"] == name), None)
    return found


def called(view: JSON, name: str) -> str:
    """A piece as its question names it: "your medium car B.M", "the large car A.L", "the wreck on 3-7"."""
    if name.startswith("wreck "):
        return f"the wreck on {name.removeprefix('wreck ')}"
    piece = named(view, name)
    if piece is None:
        return name
    own = "your" if piece["seat"] == view["viewer"] else "the"
    return f"{own} {vehicle(piece)} {name}"
