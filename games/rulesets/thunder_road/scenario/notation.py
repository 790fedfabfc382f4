"""The words of scenario files: seats with their vehicles, spaces with what lies there, draws. Reads; knows no rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import msgspec

from games.engine.contract import JSON
from games.engine.scenarios import ScenarioFault
from games.rulesets.thunder_road.components import ComponentSet
from games.rulesets.thunder_road.course import TERRAIN
from games.rulesets.thunder_road.hexes import Space, read
from games.rulesets.thunder_road.state import FACE_DOWN, OFF_ROAD_COVER, SECTIONS

LETTERS = "ABCDEF"
VEHICLES = ("S", "M", "L", "B1", "B2", "B3", "B4", "B5", "rig")
SYMBOL = {ground: sign for sign, ground in reversed(TERRAIN.items())}
"""By ground, a symbol that is nothing else than that."""
HIDDEN = "?"
"""A token face down, as scenarios write it."""


def fault(text: str) -> NoReturn:
    """Refuse what stands in a scenario."""
    raise ScenarioFault(text)


class Vehicle(msgspec.Struct, frozen=True):
    """What is said of a vehicle; None where nothing is.

    ``spaces``: where it stands, of a Big Rig up to three sections. ``place``: "off" (not yet on the road) or "gone".
    ``damage``: tokens by their keys, "ongoing:limping" with the card. ``tokens``: how many. ``covered``: commands.
    """

    spaces: tuple[Space, ...] = ()
    place: str = ""
    fire: bool | None = None
    moved: tuple[str, ...] | None = None
    coasts: int | None = None
    damage: tuple[str, ...] | None = None
    tokens: int | None = None
    minor: bool | None = None
    covered: tuple[str, ...] | None = None
    operable: bool | None = None


class SeatWords(msgspec.Struct, frozen=True):
    """What is said of a seat. ``only``: vehicles that are not named are eliminated. ``chopper``: () for none."""

    vehicles: dict[str, Vehicle]
    only: bool = False
    dice: tuple[int, ...] | None = None
    steering: int | None = None
    chopper: Space | tuple[()] | None = None
    commanded: bool | None = None
    out: bool | None = None


def read_seat(name: str, value: object) -> SeatWords:
    """``M 3-5 fire damage plain, S off, dice 3 4, chopper 2-7, commanded``; raises ScenarioFault."""
    if not isinstance(value, str):
        fault(f"{name} is a text like «M 3-5, dice 3 4», not {value!r}")
    vehicles: dict[str, Vehicle] = {}
    facts: dict[str, Any] = {}
    for part in re.split(r"[,;]", value):
        words = part.split()
        if not words:
            fault(f"{name}: «{value}» has an empty part")
        if words[0] in VEHICLES:
            if words[0] in vehicles:
                fault(f"{name}: {words[0]} is named twice")
            vehicles[words[0]] = _vehicle(f"{name}: {part.strip()}", words[1:])
        else:
            facts.update(_fact(name, part.strip(), words))
    return SeatWords(vehicles, **facts)


def _fact(name: str, part: str, words: list[str]) -> dict[str, Any]:
    plain: dict[str, dict[str, Any]] = {
        "only": {"only": True},
        "no chopper": {"chopper": ()},
        "commanded": {"commanded": True},
        "not commanded": {"commanded": False},
        "out": {"out": True},
        "in": {"out": False},
        "dice none": {"dice": ()},
    }
    if part in plain:
        return plain[part]
    if words[0] == "dice":
        return {"dice": tuple(sorted(_number(part, word) for word in words[1:]))}
    if words[0] == "steering" and len(words) == 2:
        return {"steering": _number(part, words[1])}
    if words[0] == "chopper" and len(words) == 2:
        return {"chopper": read_space(part, words[1])}
    fault(
        f"{name}: «{part}» says nothing; name a vehicle ({', '.join(VEHICLES)}), dice, steering, chopper, commanded, "
        "out or only"
    )


def _vehicle(what: str, words: list[str]) -> Vehicle:
    facts: dict[str, Any] = {}
    spaces: list[Space] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if read(word) is not None:
            spaces.append(read_space(what, word))
        elif word in ("off", "gone"):
            facts["place"] = word
        elif word == "no" and left and left[0] in ("fire", "minor"):
            facts[left.pop(0)] = False
        elif word in ("fire", "minor"):
            facts[word] = True
        elif word in ("operable", "inoperable"):
            facts["operable"] = word == "operable"
        elif word == "unmoved":
            facts["moved"] = ()
        elif word == "moved":
            facts["moved"] = tuple(left.pop(0).split("+")) if left and set(left[0].split("+")) <= {*SECTIONS} else None
            facts["moved"] = ("",) if facts["moved"] is None else facts["moved"]
        elif word in _VALUES and left:
            facts[word] = _VALUES[word](what, left.pop(0))
        else:
            fault(f"«{what}»: «{word}» says nothing of a vehicle")
    if bool(spaces) + ("place" in facts) > 1 or len(spaces) > len(SECTIONS):
        fault(f"«{what}» names too many places")
    return Vehicle(tuple(spaces), **facts)


def _list(what: str, word: str) -> tuple[str, ...]:
    return () if word == "none" else tuple(word.split("+"))


def _number(what: str, word: str) -> int:
    if not re.fullmatch(r"\d{1,2}", word):
        fault(f"«{what}»: «{word}» is no number")
    return int(word)


_VALUES: dict[str, Callable[[str, str], Any]] = {
    "coasts": _number,
    "tokens": _number,
    "damage": _list,
    "covered": _list,
}


def read_space(what: str, word: str) -> Space:
    """``3-14``: lane and row; raises ScenarioFault."""
    found = read(word)
    if found is None:
        fault(f"«{what}»: «{word}» is no space; write lane and row, like 3-14")
    return found


def read_spaces(what: str, value: object) -> dict[Space, str]:
    """``3-6=mud, 2-5=ramp``, or just ``3-6, 2-5``; "" where nothing is said. Raises ScenarioFault."""
    if not isinstance(value, str):
        fault(f"{what} is a text like «3-6=mud, 2-5», not {value!r}")
    spaces: dict[Space, str] = {}
    for part in value.split(","):
        word, _, kind = part.strip().partition("=")
        if not word:
            continue
        space = read_space(what, word)
        if space in spaces:
            fault(f"{what}: {word} is named twice")
        spaces[space] = kind
    return spaces


def read_tokens(box: ComponentSet, what: str, value: object) -> dict[Space, str]:
    """``3-6=oil, 3-7=?``: kinds by space, FACE_DOWN for what is not known, OFF_ROAD_COVER for «cover»."""
    known = {kind.key for kind in box.hazards if kind.stays} | {OFF_ROAD_COVER}
    tokens = {}
    for space, kind in read_spaces(what, value).items():
        if kind not in (HIDDEN, *known):
            fault(f"{what}: «{kind}» does not lie on the road; there are {HIDDEN}, {', '.join(sorted(known))}")
        tokens[space] = FACE_DOWN if kind == HIDDEN else kind
    return tokens


def seat_number(name: str, seats: int) -> int:
    """The seat of a letter; raises ScenarioFault."""
    if name not in LETTERS[:seats]:
        fault(f"there is no seat {name} here; there are {', '.join(LETTERS[:seats])}")
    return LETTERS.index(name) + 1


class Outcome(msgspec.Struct, frozen=True):
    """A draw by its label and the words of what comes up."""

    label: str
    value: str

    def __str__(self) -> str:
        return f"{self.label}={self.value}"


def read_outcomes(box: ComponentSet, words: str) -> list[Outcome]:
    """``slam=bottom direction=FR, move=6+5+4+3``; raises ScenarioFault."""
    outcomes: list[Outcome] = []
    for part in re.split(r"[\s,]+", words.strip()):
        label, equals, value = part.partition("=")
        if not equals:
            fault(f"«{part}» is no draw; write its label and what comes up, like slam=bottom")
        outcomes += [_outcome(box, label, one) for one in (value.split("+") if label == "move" else [value])]
    return outcomes


def _outcome(box: ComponentSet, label: str, value: str) -> Outcome:
    known: Mapping[str, tuple[str, ...]] = {
        **box.dice,
        "hazard": tuple(kind.key for kind in box.hazards),
        "damage": tuple(kind.key for kind in box.damage),
        "ongoing": tuple(kind.key for kind in box.ongoing),
        "tile": tuple(str(number) for number in box.tile_numbers(carnage=True)),
        "side": ("A", "B"),
        "tie": tuple(LETTERS),
    }
    if label not in known:
        fault(f"«{label}» is no draw; there are {', '.join(known)}")
    if value not in known[label]:
        fault(f"{label}={value}: it comes up as {', '.join(dict.fromkeys(known[label]))}")
    return Outcome(label, value)


def number(what: str, value: JSON, *, least: int = 0) -> int:
    """A number from TOML; raises ScenarioFault."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        fault(f"{what} is a number from {least}, not {value!r}")
    return value
