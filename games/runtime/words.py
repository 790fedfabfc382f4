"""Words around what the ruleset says: names for car numbers, times, sentences about policies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from games.engine.contract import JSON


@dataclass(frozen=True)
class Names:
    """Who is called how: ``cars`` by the car's number, both names where two drive it; ``drivers`` by the seat's.

    ``parts``: what the two are called ("Assistant Driver"); none where each car has one driver.
    """

    cars: Mapping[str, str]
    drivers: Mapping[str, str]
    parts: frozenset[str] = frozenset()

    @property
    def are_shared(self) -> bool:
        """Whether two drive one car."""
        return len(self.cars) < len(self.drivers)

    @classmethod
    def of(cls, presented: Mapping[str, JSON]) -> "Names":
        """Those of a presentation."""
        parts = frozenset(seat["part"] for seat in presented.get("seats", ()) if seat["part"])
        return cls(presented["names"], presented["drivers"], parts)


_CAR = re.compile(r"«[^»]*»|\b([Cc])ar (\d{1,2})\b")
"""A car by its number; what a player has said stands between quotation marks and is left as it is."""


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text with each "car 2" as "Wren (car 2)".

    ``names``: the car's number -> name.
    """

    def name(found: re.Match[str]) -> str:
        known = names.get(found[2] or "")
        return found[0] if known is None else f"{known} (car {found[2]})"

    return _CAR.sub(name, text)


def with_driver(text: str, names: Names, *, car: int, driver: str) -> str:
    """As with_names() where two drive a car, of what one of them has done, by name.

    "The Assistant Driver of car 3" is "Wren (car 3, Assistant Driver)", and that car "Wren (car 3)".
    """
    own = {**names.cars, str(car): driver}
    found = re.compile(rf"\b[Tt]he ({'|'.join(sorted(map(re.escape, names.parts)))}) of car {car}\b")
    pieces = found.split(text)
    out = [with_names(pieces[0], own)]
    for part, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        out += [f"{driver} (car {car}, {part})", with_names(rest, own)]
    return "".join(out)


def capital(text: str) -> str:
    """The text with its first letter as a capital; the others stay."""
    return text[:1].upper() + text[1:]


def stamp(at: datetime) -> str:
    """A moment as ISO 8601 in UTC to the second, "2026-11-30T09:00:00Z"."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def optional_stamp(at: datetime | None) -> str | None:
    """As stamp(), or None."""
    return None if at is None else stamp(at)


def cards_of(action: Mapping[str, JSON]) -> list[str]:
    """The keys of the cards that an answer uses, in the order in which it names them."""
    found: list[str] = []
    for name in ("card", "cards", "give", "discard"):
        value = action.get(name, ())
        keys = value if isinstance(value, list | tuple) else (value,)
        found.extend(key for key in keys if isinstance(key, str) and key)
    return found
