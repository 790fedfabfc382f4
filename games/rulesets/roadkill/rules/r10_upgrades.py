"""Chapter 10: car upgrades; how cars come by them, who may not play against them, and how they are lost.

What an upgrade does stands at the rule that it bends: Homing Beacon at 6.71, Rotor at 8.5 and so on (R10.3).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import UNSET

from games.engine.contract import JSON
from games.engine.errors import Malformed, Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import Draft, Supercharge
from games.rulesets.roadkill.rules.r04_cards import lose_excess
from games.rulesets.roadkill.rules.r06_stops import spend_fuel, stop_if_dry
from games.rulesets.roadkill.state import (
    FLIPPED,
    FUEL_CELL,
    RESERVE_TANK,
    SUPERCHARGER,
    UPGRADE_BIT,
    UPGRADES,
    Asked,
    Car,
    Drafting,
    Position,
    Table,
    has,
    has_reserve,
    upgrades_of,
)

NONE, DRAFT, REVERSE_DRAFT = "none", "draft", "reverse_draft"
POINTS = 5
"""What a driver may spend in a reverse draft (10.2)."""

Brought: TypeAlias = Mapping[str, list[str]]
"""Letters by car: {"1": ["A", "D"]}."""


def letters(box: components.ComponentSet) -> dict[str, str]:
    """The letter of each upgrade of a set by its key, in alphabetical order of the letters."""
    return _letters(box.name)


@lru_cache
def _letters(set_name: str) -> dict[str, str]:
    upgrades = components.named(set_name).upgrades
    return {upgrades[letter].key: letter for letter in sorted(upgrades)}


def upgrade_named(box: components.ComponentSet, letter: str) -> str:
    """An upgrade in a sentence: "D, the Burglar Alarm"."""
    return f"{letter}, the {box.upgrades[letter].name}"


# The option


def upgrades_option(box: components.ComponentSet, given: JSON) -> str | dict[str, list[str]]:
    """The option made plain: "none", "draft", "reverse_draft", or what cars bring along, in order.

    Raises Malformed.
    """
    if given in (NONE, {}):
        return NONE
    if not box.upgrades:
        raise Malformed(f"The component set «{box.name}» has no upgrades.", rule="10")
    if isinstance(given, str) and given in (DRAFT, REVERSE_DRAFT):
        return given
    if not isinstance(given, Mapping):
        raise Malformed(
            "Upgrades are «none», «draft», «reverse_draft», or the letters that each car brings along: "
            '{"1": ["A", "D"]}.',
            rule="10.1",
        )
    return _brought(box, given) or NONE


def _brought(box: components.ComponentSet, given: Mapping[Any, JSON]) -> dict[str, list[str]]:
    owners: dict[str, str] = {}
    for seat, named in given.items():
        if not (isinstance(seat, str) and seat.isascii() and seat.isdigit() and str(int(seat)) == seat and seat != "0"):
            raise Malformed(f"Upgrades are brought along by a car's number, such as «1», not «{seat}».", rule="10.3")
        if not isinstance(named, list | tuple):
            raise Malformed(f"What car {seat} brings along is a list of letters.", rule="10.3")
        for letter in named:
            if not isinstance(letter, str) or letter not in box.upgrades:
                raise Malformed(
                    f"There is no upgrade «{str(letter)[:20]}»; there are {', '.join(sorted(box.upgrades))}.",
                    rule="10.3",
                )
            if letter in owners:
                raise Malformed(
                    f"{upgrade_named(box, letter)}, is there once: car {owners[letter]} brings it along, "
                    f"so car {seat} cannot.",
                    rule="10.1",
                )
            owners[letter] = seat
    by_number = sorted({seat for seat, named in given.items() if named}, key=int)
    return {seat: sorted(given[seat]) for seat in by_number}


def equip(table: Table, upgrades: str | Brought) -> None:
    """Before play begins: what is brought along is fitted, a draft is begun. Raises Malformed for a car not there."""
    if upgrades == NONE:
        return
    seats = len(table.cars)
    if isinstance(upgrades, Mapping):
        for seat, named in upgrades.items():
            if int(seat) > seats:
                raise Malformed(f"There is no car {seat} in a race of {seats}, so it brings no upgrades.", rule="10.3")
            for letter in named:
                fit(table, int(seat), table.set.upgrades[letter].key)
            table.tell("brings", "10.3", seat=int(seat), upgrades=upgrades_of(table.car(int(seat))))
    elif upgrades == DRAFT:
        table.push(Drafting(draft_order(seats)))
    else:
        table.push(Drafting(reverse_draft_order(seats), POINTS))


def fit(table: Table, seat: int, key: str) -> None:
    """Give a car an upgrade."""
    fitted = table.car(seat).fitted
    table.change(seat, fitted=(0 if fitted is UNSET else fitted) | UPGRADE_BIT[key])


def carried(position: Position) -> dict[str, list[str]]:
    """The letters of each car that has upgrades: {"1": ["A"]}."""
    letter = letters(components.named(position.components))
    return {
        str(car.seat): sorted(letter[key] for key in upgrades_of(car))
        for car in position.cars
        if car.fitted is not UNSET
    }


# Drafting


def draft_order(seats: int) -> tuple[int, ...]:
    """10.1: in reverse order of car numbers."""
    return tuple(range(seats, 0, -1))


@rule("10.2")
def reverse_draft_order(seats: int) -> tuple[int, ...]:
    """Two picks each: first from the highest car number to the lowest, then back from the lowest to the highest."""
    return (*draft_order(seats), *range(1, seats + 1))


def free_letters(position: Position) -> list[str]:
    """The letters of the upgrades that no car has: the pool."""
    taken = 0
    for car in position.cars:
        taken |= 0 if car.fitted is UNSET else car.fitted
    return [
        letter for key, letter in letters(components.named(position.components)).items() if not taken & UPGRADE_BIT[key]
    ]


def points_left(position: Position, frame: Drafting, seat: int) -> int:
    """What a driver may still spend in a reverse draft; 0 in a plain one, where upgrades are free."""
    if not frame.points:
        return 0
    box = components.named(position.components)
    letter = letters(box)
    return frame.points - sum(box.upgrades[letter[key]].price for key in upgrades_of(position.cars[seat - 1]))


def draft_under_way(position: Position) -> Drafting | None:
    """The draft, while it goes on: it lies on the first phase of the first turn."""
    frame = position.stack[1] if len(position.stack) > 1 else None
    return frame if isinstance(frame, Drafting) else None


def draft_choices(position: Position, frame: Drafting, seat: int) -> list[str]:
    """The letters that this seat may pick now."""
    return [letter for letter in free_letters(position) if cannot_draft(position, frame, seat, Draft(letter)) is None]


@rule("10.1")
def cannot_draft(position: Position, frame: Drafting, seat: int, act: Draft) -> Refusal | None:
    """Each upgrade is there once and goes to who picks it first; in a reverse draft it costs points (10.2, R10.1)."""
    box = components.named(position.components)
    upgrade = box.upgrades.get(act.letter)
    if upgrade is None:
        return Refusal("10.1", f"There is no upgrade «{act.letter[:20]}»; free are {', '.join(free_letters(position))}")
    owner = next((car.seat for car in position.cars if has(car, UPGRADE_BIT[upgrade.key])), 0)
    if owner:
        whose = "your car has it already" if owner == seat else f"car {owner} has it"
        return Refusal("10.1", f"{upgrade_named(box, act.letter)}, is there once, and {whose}")
    left = points_left(position, frame, seat)
    if frame.points and upgrade.price > left:
        return Refusal("10.2", f"{upgrade_named(box, act.letter)}, costs {upgrade.price}, and you have {left} left")
    return None


def drafting(table: Table, frame: Drafting, heard: Any) -> None:
    """One seat after the other is asked for its pick; who can pick nothing is not asked (R10.1)."""
    order = frame.order
    if heard is not None:
        _take_pick(table, *heard[0])
        order = order[1:]
    while order:
        frame = Drafting(order, frame.points)
        if draft_choices(table, frame, order[0]):
            table.push(frame, Asked("draft", (order[0],), seat=order[0]))
            return
        table.tell("cannot_draft", "10.1", seat=order[0])
        order = order[1:]


def _take_pick(table: Table, seat: int, answer: Any) -> None:
    if not isinstance(answer, Draft):
        table.tell("drafts_nothing", "10.1", seat=seat)
        return
    key = table.set.upgrades[answer.letter].key
    fit(table, seat, key)
    table.tell("drafts", "10.1", seat=seat, upgrade=key)


# What they are worth


@rule("10.3")
def foiled(position: Position, owner: int, upgrade: int, deed: str) -> Refusal | None:
    """An upgrade foils what it is made against: that is refused, by its letter, while its car has it (R9.5, R10.3).

    ``deed``: what is of no use, as the subject of a sentence.
    """
    if not has(position.cars[owner - 1], upgrade):
        return None
    return Refusal("10.3", f"{deed} is of no use against {upgrade_called(position, upgrade)}, of car {owner}")


def upgrade_called(position: Position, upgrade: int) -> str:
    """An upgrade by its bit, in a sentence: "D, the Burglar Alarm"."""
    box = components.named(position.components)
    return upgrade_named(box, letters(box)[UPGRADES[upgrade.bit_length() - 1]])


def cannot_supercharge(position: Position, act: Supercharge) -> Refusal | None:
    """H: declared once a turn by a moving car, for a box of fuel that must not be its last (R10.3)."""
    car = position.cars[position.turn.seat - 1]
    if not has(car, SUPERCHARGER):
        return Refusal("10.3", "Your car has no Supercharger")
    name = upgrade_called(position, SUPERCHARGER)
    if position.turn.boosted:
        return Refusal("10.3", f"{name}, is in use for this turn already")
    if not car.moving:
        return Refusal("10.3", f"{name}, helps only a moving car, and yours stands still")
    if car.fuel <= 1 and not has_reserve(car) and not has(car, FUEL_CELL):
        return Refusal("10.3", f"{name}, takes a box of fuel, and that would be your last")
    return None


def supercharge(table: Table, act: Supercharge) -> None:
    """H: a box of fuel at once; then one more on every Move card played and every Exit draw of this turn."""
    seat = table.turn.seat
    table.note(boosted=True)
    spend_fuel(table, seat, 1)
    table.tell("supercharged", "10.3", seat=seat, fuel=table.car(seat).fuel)


# Losing them


@rule("10.4")
def lose_upgrade(table: Table, seat: int) -> bool:
    """A car that draws a Mechanical Problem it has already loses the upgrade with its lowest letter instead.

    False if it has none to lose. With it goes what it gave: a place in the hand (R4.5), the Supercharger's turn, fuel.
    """
    car = table.car(seat)
    owned = upgrades_of(car)
    if not owned:
        return False
    letter = letters(table.set)
    key = min(owned, key=letter.__getitem__)
    table.tell("upgrade_lost", "10.4", seat=seat, upgrade=key)
    remove_upgrade(table, car, key)
    return True


def remove_upgrade(table: Table, car: Car, key: str) -> None:
    """Take an upgrade off a car, with all that hangs on it."""
    assert car.fitted is not UNSET
    bit = UPGRADE_BIT[key]
    gone = bit | FLIPPED if bit == RESERVE_TANK else bit
    car = table.change(car.seat, fitted=car.fitted & ~gone or UNSET)
    if bit == SUPERCHARGER and car.seat == table.turn.seat:
        table.note(boosted=UNSET)
    lose_excess(table, car.seat, "10.4")
    stop_if_dry(table, car.seat)
