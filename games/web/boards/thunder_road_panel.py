"""Thunder Road's crews as ready squares: dice, command, chopper and every vehicle of each driver."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.web.boards.thunder_road import MOST_DAMAGE, SECTIONS, SIZE_WORDS, View, letter

KINDS: Final = {"cars": "cars", "rig": "Big Rig", "bikes": "motorcycles"}
MOST_RIG: Final = 6


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a driver has: a text, or dice."""

    label: str
    text: str = ""
    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Vehicle:
    """One vehicle in words, with a box for each damage that it bears."""

    name: str
    words: str
    boxes: tuple[bool, ...]
    is_lost: bool = False

    @property
    def boxes_words(self) -> str:
        """The boxes in words."""
        return f"Damage {sum(self.boxes)} of {len(self.boxes)}"


@dataclass(frozen=True, slots=True)
class Crew:
    """One driver with all that is his."""

    seat: int
    letter: str
    name: str
    kind: str
    is_own: bool
    is_bot: bool
    is_active: bool
    is_out: bool
    facts: tuple[Fact, ...]
    vehicles: tuple[Vehicle, ...]


def crews(view: View, seats: Sequence[Mapping[str, Any]]) -> tuple[Crew, ...]:
    """Every crew, from whoever has the road die to the left; ``seats`` tells names and who is a bot."""
    sitting = {seat["seat"]: seat for seat in seats if seat["seat"]}
    told = list(view["seats"])
    first = next((n for n, driver in enumerate(told) if driver["seat"] == view["first"]), 0)
    return tuple(crew(view, driver, sitting.get(driver["seat"], {})) for driver in told[first:] + told[:first])


def crew(view: View, driver: Mapping[str, Any], seat: Mapping[str, Any]) -> Crew:
    """One crew."""
    number = driver["seat"]
    lost = [name for name in view["lost"] if name.startswith(f"{letter(number)}.")]
    vehicles = [vehicle(piece) for piece in view["pieces"] if piece["seat"] == number]
    vehicles += [Vehicle(name, "eliminated", (), is_lost=True) for name in lost]
    return Crew(
        seat=number,
        letter=letter(number),
        name=seat.get("name") or f"Crew {letter(number)}",
        kind=KINDS[driver["crew"]],
        is_own=number == view["viewer"],
        is_bot=seat.get("kind") == "bot",
        is_active=number == view["active"] and view["outcome"] is None,
        is_out=driver["is_out"],
        facts=tuple(facts(driver)),
        vehicles=tuple(vehicles),
    )


def facts(driver: Mapping[str, Any]) -> Iterable[Fact]:
    """Dice, command, chopper, and the steering of a Big Rig."""
    yield Fact("Dice left", dice=tuple(driver["dice"])) if driver["dice"] else Fact("Dice left", "none")
    yield Fact("Command", "used" if driver["commanded"] else "not used")
    if driver["crew"] == "rig":
        yield Fact("Steering", str(driver["steering"]))
    yield Fact("Chopper", f"on {driver['chopper']}" if driver["chopper"] else "not placed")


def vehicle(piece: Mapping[str, Any]) -> Vehicle:
    """One vehicle: where it is, and what is to be known of it."""
    told = [] if piece["kind"] == "bike" else [SIZE_WORDS[piece["size"]]]
    told.append(where(piece))
    if piece["moved"]:
        told.append("has moved" if piece["kind"] != "rig" else f"{', '.join(piece['moved'])} moved")
    if piece["coasts"]:
        told.append("coasted once" if piece["coasts"] == 1 else f"coasted {piece['coasts']} times")
    if piece["fire"]:
        told.append("on fire")
    if piece["inoperable"]:
        told.append("inoperable")
    told += damage_words(piece)
    return Vehicle(piece["name"], ", ".join(told), boxes(piece))


def where(piece: Mapping[str, Any]) -> str:
    """Where it stands; of a Big Rig, each section."""
    if piece["kind"] != "rig":
        return f"on {piece['at']}" if piece["at"] else "not yet on the road"
    found = [f"{name} on {space}" for name, space in zip(SECTIONS, piece["sections"], strict=True) if space is not None]
    return ", ".join(found) or "not yet on the road"


def damage_words(piece: Mapping[str, Any]) -> list[str]:
    """What it has taken: damage tokens with their cards, or covered commands."""
    told = []
    for one in piece["damage"]:
        card = f" with {one['card'].replace('_', ' ')}" if one["card"] else ""
        told.append(f"damage: {one['token'].replace('_', ' ')}{card}")
    if piece["covered"]:
        told.append(f"covered: {', '.join(key.replace('_', ' ') for key in piece['covered'])}")
    return told


def boxes(piece: Mapping[str, Any]) -> tuple[bool, ...]:
    """A box for each damage that it can bear."""
    if piece["kind"] == "rig":
        return tuple(n < len(piece["covered"]) for n in range(MOST_RIG))
    taken = len(piece["damage"]) if piece["kind"] == "car" else int(piece["minors"])
    return tuple(n < taken for n in range(MOST_DAMAGE[piece["kind"]]))
