"""Names of cards, jobs, Events and columns in sentences and orders; the same everywhere."""

from collections.abc import Iterable

from games.rulesets.roadkill import components

JOBS = {
    "damage": "Damage",
    "sabotage": "Sabotage",
    "flat_tire": "Flat Tire",
    "coolant_leak": "Coolant Leak",
    "fuel_leak": "Fuel Leak",
    "broken_shocks": "Broken Shocks",
    "brakes_worn": "Brakes Worn",
    "engine_wear": "Engine Wear",
    "headlights_out": "Headlights Out",
}
A_RESULT = {
    "crash": "a Crash",
    "flat_tire": "a Flat Tire",
    "mechanical_problem": "a Mechanical Problem",
    "ditched": "Ditched",
    "spinout": "a Spinout",
}
"""A result of the Damage Table as something that happens to a car; 7.3 names one of them by a participle."""
COLUMN_NAMES = {"check": "Check", "R": "R", "attack": "Attack", "wrench": "Wrench", "event": "Event"}
SET = "classic"
"""Whose names are used where no component set is named; the names of kinds are the same in all sets that know them."""


def card(key: str, set_name: str = SET) -> str:
    """The short name of a card: "move_2" is "Move 2"."""
    box = components.named(set_name)
    index = box.kind_index.get(key)
    return key if index is None else box.kinds[index].short


def cards(keys: Iterable[str], set_name: str = SET) -> str:
    """Several cards, equal ones counted: "Swerve and 2 Landmarks"; "nothing" for none."""
    counts: dict[str, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    parts = [
        card(key, set_name) if count == 1 else f"{count} {plural(card(key, set_name))}" for key, count in counts.items()
    ]
    return listed(parts) or "nothing"


def plural(name: str) -> str:
    """The plural of a name: "Landmarks"; names that end in s stay."""
    return name if name.endswith("s") else f"{name}s"


def listed(parts: list[str]) -> str:
    """Parts joined: "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def event(key: str, set_name: str = SET) -> str:
    """The name of an Event by its key."""
    box = components.named(set_name)
    return next((kind.name for kind in box.events.values() if kind.key == key), key.replace("_", " ").title())


def upgrade(key: str, set_name: str = SET) -> str:
    """The name of a car upgrade by its key."""
    box = components.named(set_name)
    return next((kind.name for kind in box.upgrades.values() if kind.key == key), key.replace("_", " ").title())


def count(number: int, noun: str, many: str = "") -> str:
    """A number and its noun: "1 card", "3 cards", "2 boxes"."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or plural(noun)}"


def section(number: int) -> str:
    """What a Section is called: "Section 3"; the start line is "Road 0"."""
    return f"Section {number}" if number else "Road 0"


def own(job: str) -> str:
    """What is to be repaired, with its owner: "its Fuel Leak", "one Damage"."""
    return "one Damage" if job == "damage" else f"its {JOBS[job]}"


LONGEST_SHOWN = 40
"""Letters of an unknown name that a sentence repeats."""


def no_card_called(name: str, *, example: str) -> str:
    """That there is no card of this name, without letters that cannot be shown, and how one is written."""
    shown = "".join(letter for letter in name[:LONGEST_SHOWN] if letter.isprintable()).strip()
    there = f"There is no card «{shown}»" if shown else "That names no card"
    return f"{there}: write a card as your hand shows it, such as {example}"
