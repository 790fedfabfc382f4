"""Chapter 6, standing still: stopping, resting, out of gas, Rest Stops, Side Roads, foraging."""

from msgspec import UNSET

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import End, Forage
from games.rulesets.roadkill.rules.bt_track import no_such_thing
from games.rulesets.roadkill.rules.r04_cards import discard, kind_of, lacks, short
from games.rulesets.roadkill.state import (
    FLAT_TIRE,
    FLIPPED,
    FUEL_CELL,
    LOWEST_LOG,
    NONE,
    PROBLEM_BIT,
    PROBLEMS,
    QUICK_STOP,
    RESERVE,
    TANK,
    Car,
    Position,
    Table,
    has,
    has_reserve,
    is_dry,
)


@rule("BT6.6")
@rule("6.6")
def stop(table: Table, seat: int, *, by_will: bool = False) -> None:
    """Turn a car to its stopped side.

    In its own Action Phase that ends its acts; after a stop by will Camouflage may follow (R6.6). With Quick-Stop
    Brakes it goes on as a stopped car, and only value left on Move cards is lost (10.3 J).
    """
    car = table.car(seat)
    if not car.moving:
        return
    at_stop = is_at_rest_stop(table, car)
    table.change(seat, moving=False, at_stop=at_stop)
    turn = table.turn
    if turn.acting and seat == turn.seat:
        if has(car, QUICK_STOP):
            _go_on_standing(table, by_will=by_will)
        else:
            table.note(over=True, free_stop=by_will)
    table.tell("stops", "6.6", seat=seat, by_will=by_will, at_stop=at_stop)


def _go_on_standing(table: Table, *, by_will: bool) -> None:
    """10.3 J: the acts go on. Only a car that has stopped by will, or has not moved at all, may still hide (R6.6)."""
    lost = table.turn.moves
    discard(table, *(move.card for move in lost))
    spent = (*table.turn.spent, *((table.key(move.card), "6.6") for move in lost))
    table.note(moves=(), spent=spent, began_stopped=False, free_stop=by_will)


@rule("BT6.7")
@rule("6.7")
def is_at_rest_stop(position: Position, car: Car) -> bool:
    """A car that stops in the very turn in which it entered a Section with a Rest Stop.

    Or a Side Road, is at the Rest Stop (R6.7).
    """
    if car.entered_on != position.turn.number:
        return False
    section = position.course[car.section]
    return car.side >= 0 or (section.rest and section.laid)


def back(table: Table, seat: int, boxes: int, rule_number: str) -> None:
    """Move the Road Log marker back, never below -4 (6.23); from Exit one box back is +3 (R6.23)."""
    car = table.car(seat)
    log = max(LOWEST_LOG, car.log - boxes)
    if log != car.log:
        table.change(seat, log=log)
    table.tell("log_back", rule_number, seat=seat, boxes=boxes, log=log)


def spend_fuel(table: Table, seat: int, boxes: int, leak: int = 0) -> None:
    """Take fuel, down to Empty at the least; from a Nuclear Fuel Cell none (10.3 Z).

    ``leak``: what a Fuel Leak takes on top. A payment that reaches Empty goes on from an unused Reserve Tank, out of
    which nothing leaks yet (10.3 G).
    """
    car = table.car(seat)
    if has(car, FUEL_CELL):
        return
    left = car.fuel - boxes - leak
    if left <= 0 and has_reserve(car):
        open_reserve(table, seat, RESERVE - max(0, boxes - car.fuel))
        return
    table.change(seat, fuel=max(0, left))


def open_reserve(table: Table, seat: int, fuel: int = RESERVE) -> None:
    """10.3 G: the tank has run empty for the first time: the gauge goes on from Half, and the marker is flipped."""
    fitted = table.car(seat).fitted
    assert fitted is not UNSET
    table.change(seat, fuel=fuel, fitted=fitted | FLIPPED)
    table.tell("reserve_opens", "10.3", seat=seat, fuel=fuel)


def needs_fuel(car: Car) -> bool:
    """Whether a Rest Stop could fill anything: the tank, or a Reserve Tank that has been used (10.3 G)."""
    return car.fuel < TANK or bool(car.fitted and has(car, FLIPPED))


@rule("BT6.62")
@rule("6.62")
def is_resting(position: Position, end: End) -> bool:
    """A car that began its Action Phase stopped and did nothing in it rests, unless it uses the Rest Stop (R6.62).

    On the Beginner's Track it rests and uses the Rest Stop (RBT6.7).
    """
    turn = position.turn
    if not turn.began_stopped or turn.acted or turn.played:
        return False
    return bool(position.track) or not uses_rest_stop(position, end)


def has_benefit(position: Position) -> bool:
    """Whether the active car began this turn at the Rest Stop and is still there."""
    turn = position.turn
    if not turn.benefit:
        return False
    car = position.cars[turn.seat - 1]
    return car.at_stop and not car.moving and car.present


def uses_rest_stop(position: Position, end: End) -> bool:
    """Whether the Rest Stop's benefit is taken: not when it is declined, nor when it would change nothing (R5)."""
    if not has_benefit(position) or (end.rest and not position.track):
        return False
    car = position.cars[position.turn.seat - 1]
    return bool(needs_fuel(car) or repairable(car))


def repairable(car: Car) -> list[str]:
    """What a repair may mend: Flat Tire, Damage, problems from the lowest, Sabotage; the usual order of R5."""
    jobs = ["flat_tire"] if car.problems & FLAT_TIRE else []
    if car.damage:
        jobs.append("damage")
    if car.problems:
        jobs.extend([key for key in PROBLEMS[1:] if car.problems & PROBLEM_BIT[key]])
    if car.sabotage:
        jobs.append("sabotage")
    return jobs


def mend(table: Table, seat: int, job: str, rule_number: str, **drawn: int) -> None:
    """Mend one thing; any completed repair removes the Repairs marker (R7.4). ``drawn``: the draw, for the log."""
    car = table.car(seat)
    if job == "damage":
        table.change(seat, damage=car.damage - 1, repairs=0)
    elif job == "sabotage":
        table.change(seat, sabotage=False, repairs=0)
    else:
        table.change(seat, problems=car.problems & ~PROBLEM_BIT[job], repairs=0)
    table.tell("repaired", rule_number, seat=seat, job=job, **drawn)


def use_rest_stop(table: Table, end: End) -> None:
    """6.7: fill the tank, with it a used Reserve Tank (10.3 G), and mend one thing, the owner's choice."""
    seat = table.turn.seat
    car = table.change(seat, fuel=TANK)
    if car.fitted is not UNSET and car.fitted & FLIPPED:
        car = table.change(seat, fitted=car.fitted & ~FLIPPED)
    if not table.track:
        table.tell("refuels", "6.7", seat=seat, fuel=TANK)
    jobs = repairable(car)
    if jobs:
        mend(table, seat, end.job or jobs[0], "6.7")


def no_rest_stop_job(position: Position, end: End) -> Refusal | None:
    """Why the Rest Stop cannot do what End asks of it."""
    seat = position.turn.seat
    if end.rest and not is_resting(position, End(rest=True)):
        return Refusal("6.62", "Only a car that began its Action Phase stopped and did nothing in it can rest")
    if not end.job and not end.at_stop:
        return None
    if end.rest and not position.track:
        return Refusal("6.62", "A car that uses the Rest Stop does not rest: choose one")
    if not has_benefit(position):
        return Refusal("6.7", "The Rest Stop serves only a car that was at it when its turn began and still is")
    if end.job and end.job not in repairable(position.cars[seat - 1]):
        return Refusal("6.7", "There is no such thing to repair on your car")
    return None


@rule("6.63")
def out_of_gas(position: Position, act: object) -> Refusal | None:
    """With an empty tank a car may only rest.

    Discard, use a Rest Stop, siphon gas, or start and then forage (R6.63).
    """
    car = position.cars[position.turn.seat - 1]
    if not is_dry(car):
        return None
    return Refusal("6.63", "Your tank is empty: you may rest, discard, siphon gas, or start and then forage")


def stop_if_dry(table: Table, seat: int) -> None:
    """7.2: a car that runs out of fuel stops."""
    car = table.car(seat)
    if is_dry(car) and car.moving and car.present:
        table.tell("out_of_gas", "7.2", seat=seat)
        stop(table, seat)


@rule("6.71")
def enter_side_road(table: Table, seat: int, card: int, *, canyon: bool = False) -> None:
    """Put the car on a Side Road of its Section, off the line.

    Road Log at minus its value, a Rest Stop there, a new Section for 8.7.
    """
    car = table.car(seat)
    section = table.course[car.section]
    if seat in section.line:
        table.section(car.section, line=tuple(s for s in section.line if s != seat))
    value = side_value(table, card)
    table.change(seat, side=card, canyon=canyon, log=-value, road=NONE, entered_on=table.turn.number, at_stop=False)


def side_value(position: Position, card: int) -> int:
    """The value of a Side Road by its card."""
    box = components.named(position.components)
    return box.kinds[box.card_kind[card]].value


def leave_side_road(table: Table, seat: int) -> None:
    """6.71: back on the main course the Side Road's card is discarded."""
    discard(table, table.car(seat).side)
    table.change(seat, side=-1, canyon=False)


@rule("6.72")
def no_foraging(position: Position, act: Forage) -> Refusal | None:
    """A moving car in need of fuel or repairs may lay a Road card as its own Side Road.

    Not from a Side Road (R6.72).
    """
    if position.track:
        return no_such_thing("foraging: there are no Side Roads and no fuel")
    seat = position.turn.seat
    car = position.cars[seat - 1]
    if lacks(position, seat, (act.card,)):
        return Refusal("6.72", f"You do not hold {short(position, act.card)}")
    kind = kind_of(position, act.card)
    if kind is None or not kind.road:
        return Refusal(
            "6.72", f"{short(position, act.card)} is no Road card: a Side Road is laid with a Move/Road card"
        )
    if not car.moving:
        return Refusal("4.3", f"{kind.short} can be played only by a moving car, and yours stands still")
    if car.side >= 0:
        return Refusal("6.72", "You are on a Side Road already")
    if not needs_fuel(car) and not car.damage and not car.problems:
        return Refusal("6.72", "Your car needs neither fuel nor repairs")
    return None
