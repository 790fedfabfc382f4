"""Words around what the ruleset says: names for car numbers, times, sentences about policies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from games.engine.contract import JSON


@dataclass(frozen=True)
class Names:
    """Who is called how: ``cars`` by the car's number, both names where two drive it; ``drivers`` by the seat's."""

    cars: Mapping[str, str]
    drivers: Mapping[str, str]

    @property
    def are_shared(self) -> bool:
        """Whether two drive one car."""
        return len(self.cars) < len(self.drivers)

    @classmethod
    def of(cls, presented: Mapping[str, JSON]) -> "Names":
        """Those of a presentation."""
        return cls(presented["names"], presented["drivers"])


_CAR = re.compile(r"«[^»]*»|\b([Cc])ar (\d{1,2})\b")
"""A car by its number; what a player has said stands between quotation marks and is left as it is."""


_DRIVER = re.compile(r"«[^»]*»|\b[Tt]he ((?:[A-Z][a-z]+ )+)of car (\d{1,2})\b")
"""One of the two who drive a car, as sentences name him: "the Assistant Driver of car 3"."""


def with_names(text: str, names: Mapping[str, str], driver: str = "") -> str:
    """The text with each "car 2" as "Wren (car 2)".

    ``names``: the car's number -> name. ``driver``: who of the two that drive a car has done it, if a sentence says
    what one of them did: "The Assistant Driver of car 3" is then "Wren (car 3, Assistant Driver)".
    """

    def name(found: re.Match[str]) -> str:
        known = names.get(found[2] or "")
        return found[0] if known is None else f"{known} (car {found[2]})"

    if not driver:
        return _CAR.sub(name, text)
    pieces, end = [], 0
    for found in _DRIVER.finditer(text):
        if found[1] is not None:
            pieces += [_CAR.sub(name, text[end : found.start()]), f"{driver} (car {found[2]}, {found[1].strip()})"]
            end = found.end()
    return "".join([*pieces, _CAR.sub(name, text[end:])])


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
