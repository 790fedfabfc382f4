"""Words around what the ruleset says: names for car numbers, times, sentences about policies."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from games.engine.contract import JSON

_CAR = re.compile(r"«[^»]*»|\b([Cc])ar (\d{1,2})\b")
"""A car by its number; what a player has said stands between quotation marks and is left as it is."""


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text with each "car 2" as "Wren (car 2)".

    ``names``: seat number -> name.
    """

    def name(found: re.Match[str]) -> str:
        known = names.get(found[2] or "")
        return found[0] if known is None else f"{known} (car {found[2]})"

    return _CAR.sub(name, text)


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
