"""Chapter 7: mechanical problems, fuel, Damage, the Damage Table, repairs, wrecks."""

from typing import Any

import msgspec

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill.actions import Card, Repair
from games.rulesets.roadkill.rules.r04_cards import (
    count_as_played,
    discard,
    kind_of,
    lacks,
    lose_excess,
    number,
    short,
    take_from_hand,
    wrong_motion,
)
from games.rulesets.roadkill.rules.r06_stops import (
    back,
    mend,
    repairable,
    side_value,
    spend_fuel,
    stop,
    stop_if_dry,
)
from games.rulesets.roadkill.rules.r10_upgrades import lose_upgrade
from games.rulesets.roadkill.state import (
    BRAKES_WORN,
    BROKEN_SHOCKS,
    FLAT_TIRE,
    FUEL_CELL,
    FUEL_LEAK,
    HEADLIGHTS_OUT,
    PROBLEM_BIT,
    PROBLEMS,
    WRECKED_AT,
    Asked,
    Car,
    Check,
    Damages,
    Fates,
    Position,
    RedLines,
    Result,
    Table,
    Trouble,
    drivers_of,
    hand_of,
    has,
    has_reserve,
)

ALL_DRAWN = sum(PROBLEM_BIT[key] for key in PROBLEMS[1:])
RESULT_WORDS = {1: "crash", 2: "flat_tire", 3: "mechanical_problem", 4: "ditched", 5: "spinout"}
MOVING_ONLY = (1, 4, 5)
UNHURT = 6
"""From this number on a Damage Check does nothing."""


@rule("7.1")
def problem_penalty_on_exit(car: Car, *, night: bool) -> int:
    """What Broken Shocks and, at night, Headlights Out add to an Exit draw (never positive).

    The other problems bite where they belong: Flat Tire at starting, Coolant Leak in the Draw Phase, Fuel Leak at 7.2,
    Brakes Worn at every Swerve, Engine Wear at Move values.
    """
    penalty = -1 if car.problems & BROKEN_SHOCKS else 0
    return penalty - 3 if night and car.problems & HEADLIGHTS_OUT else penalty


def worn_brakes(position: Position, car: Car, key: str) -> Refusal | None:
    """7.1: with Brakes Worn no Swerve is played, nor discarded to avoid an Event or Damage."""
    if key == "swerve" and car.problems & BRAKES_WORN:
        return Refusal("7.1", "With Brakes Worn you can neither play nor discard a Swerve")
    return None


@rule("7.2")
def exit_cost(position: Position, car: Car) -> int:
    """Fuel boxes to leave the present Section or Side Road: its value, one more with a Fuel Leak.

    None with a Nuclear Fuel Cell (10.3 Z), nor on the Beginner's Track (RBT3).
    """
    if position.track or (car.fitted and has(car, FUEL_CELL)):
        return 0
    value = side_or_section_value(position, car)
    return value + 1 if car.problems & FUEL_LEAK else value


def can_pay_exit(position: Position, car: Car) -> bool:
    """Whether the tank holds the way out; with an unused Reserve Tank it always does (10.3 G)."""
    return car.fuel >= exit_cost(position, car) or has_reserve(car)


def pay_exit(table: Table, seat: int) -> None:
    """7.2: the fuel for the way out; none on the Beginner's Track (RBT3)."""
    if table.track:
        return
    car = table.car(seat)
    leak = 1 if car.problems & FUEL_LEAK else 0
    spend_fuel(table, seat, side_or_section_value(table, car), leak)


def side_or_section_value(position: Position, car: Car) -> int:
    """The value of what the car stands on."""
    return side_value(position, car.side) if car.side >= 0 else position.course[car.section].value


def flat_tire(table: Table, seat: int) -> None:
    """Damage Table 2: the car stops and does not move until the tire is mended; a second one does nothing (R7.3b)."""
    car = table.car(seat)
    if not car.present:
        return
    if not car.problems & FLAT_TIRE:
        table.change(seat, problems=car.problems | FLAT_TIRE)
        table.tell("problem", "7.3", seat=seat, problem="flat_tire")
    stop(table, seat)


def trouble(table: Table, frame: Trouble, heard: Any) -> None:
    """A draw on the wrench column.

    A problem the car already has costs an upgrade (10.4). Without one it is drawn again, with all six nothing happens
    (R7.3b).
    """
    seat = frame.seat
    car = table.car(seat)
    if not car.present or (car.problems & ALL_DRAWN == ALL_DRAWN and not car.fitted):
        return
    while True:
        bit = 1 << number(table, "wrench")
        if not car.problems & bit:
            break
        if lose_upgrade(table, seat):
            return
    add_problem(table, seat, PROBLEMS[bit.bit_length() - 1], "7.3")


@rule("BT7.1")
def add_problem(table: Table, seat: int, key: str, rule_number: str) -> None:
    """Place a Mechanical Problem's marker; a Fuel Leak costs a box at once (7.1).

    On the Beginner's Track Fuel Leak and Headlights Out do nothing, and can be repaired all the same.
    """
    car = table.car(seat)
    table.change(seat, problems=car.problems | PROBLEM_BIT[key])
    table.tell("problem", rule_number, seat=seat, problem=key)
    if key == "fuel_leak" and not table.track:
        spend_fuel(table, seat, 1)
        stop_if_dry(table, seat)


@rule("BT7.2")
@rule("7.3")
def damages(table: Table, frame: Damages, heard: Any) -> None:
    """Each Damage point lowers the hand limit.

    Costs the excess cards at random, and is followed by a Damage Check at -1 (R7.3a).
    """
    seat = frame.seat
    if frame.points <= 0 or not table.car(seat).present:
        return
    if take_damage(table, seat):
        return
    if frame.points > 1:
        table.push(Damages(seat, frame.points - 1))
    table.push(Check(seat, -1))


def take_damage(table: Table, seat: int) -> bool:
    """One Damage point without its check; True if it wrecked the car."""
    car = table.change(seat, damage=table.car(seat).damage + 1)
    table.tell("damage", "7.3", seat=seat, damage=car.damage)
    if car.damage >= WRECKED_AT:
        wreck(table, seat)
        return True
    lose_excess(table, seat, "7.3")
    return False


def check(table: Table, frame: Check, heard: Any) -> None:
    """A Damage Check: Great Reflexes may cancel it before the draw (R-reflexes).

    Then the check column and the Damage Table.
    """
    seat = frame.seat
    car = table.car(seat)
    if not car.present:
        return
    if frame.stage == 0 and car.hand:
        table.push(Check(seat, frame.shift, stage=1), Asked("reflexes", (seat,), seat=seat))
        return
    if frame.stage == 1 and isinstance(heard[0][1], Card):
        card = take_from_hand(table, seat, heard[0][1].card)
        count_as_played(table, seat, 1)
        discard(table, card)
        table.tell("reflexes", "7.3", seat=seat, card=table.key(card))
        table.push(Check(seat, frame.shift, stage=2), Fates(table.key(card), seat))
        return
    if frame.stage == 2 and not heard:
        table.tell("check_cancelled", "7.3", seat=seat)
        return
    drawn = number(table, "check")
    result = drawn + frame.shift
    table.tell("check", "7.3", seat=seat, result=result, drawn=drawn, modifier=frame.shift, moving=car.moving)
    if result < UNHURT:
        table.push(Result(seat, max(1, result)))


def result(table: Table, frame: Result, heard: Any) -> None:
    """A Damage Table result: Crash, Ditched and Spinout strike only a moving car and may be averted (7.3, R7.3c)."""
    seat = frame.seat
    car = table.car(seat)
    if not car.present:
        return
    if frame.number in MOVING_ONLY:
        if not car.moving:
            return
        if frame.stage == 0 and car.hand:
            table.push(
                Result(seat, frame.number, stage=1),
                Asked("avert", (seat,), seat=seat, letter=RESULT_WORDS[frame.number]),
            )
            return
        if frame.stage == 1 and isinstance(heard[0][1], Card):
            _avert(table, frame, heard[0][1].card)
            return
        if frame.stage == 2 and not heard:
            table.tell("averted", "7.3", seat=seat, result=RESULT_WORDS[frame.number])
            return
    _strike(table, seat, frame.number)


def _avert(table: Table, frame: Result, key: str) -> None:
    seat = frame.seat
    card = take_from_hand(table, seat, key)
    count_as_played(table, seat, 1)
    discard(table, card)
    kind = kind_of(table, key)
    assert kind is not None
    if frame.number == 5 and kind.symbol == "driving":
        table.tell("averted", "7.3", seat=seat, result="spinout", card=key)
        return
    table.tell("averts", "7.3", seat=seat, card=key, result=RESULT_WORDS[frame.number])
    table.push(msgspec.structs.replace(frame, stage=2, card=card), Fates(key, seat))


def _strike(table: Table, seat: int, number_drawn: int) -> None:
    table.tell("strikes", "7.3", seat=seat, result=RESULT_WORDS[number_drawn])
    if number_drawn == 1:
        stop(table, seat)
        if not take_damage(table, seat):
            table.push(Trouble(seat))
    elif number_drawn == 2:
        flat_tire(table, seat)
    elif number_drawn == 3:
        table.push(Trouble(seat))
    elif number_drawn == 4:
        stop(table, seat)
        take_damage(table, seat)
    else:
        spinout(table, seat, "7.3")


def spinout(table: Table, seat: int, rule_number: str) -> None:
    """Stop, and the Road Log one box back."""
    stop(table, seat)
    back(table, seat, 1, rule_number)


def cannot_avert(position: Position, seat: int, outcome: str, act: Card) -> Refusal | None:
    """What averts what: a Driving card thrown away a Spinout.

    Firm Shoulders a Ditched, Great Reflexes any of the three.
    """
    if lacks(position, seat, (act.card,)):
        return Refusal("7.3", f"You do not hold {short(position, act.card)}")
    kind = kind_of(position, act.card)
    assert kind is not None
    if outcome == "spinout" and kind.symbol == "driving":
        return worn_brakes(position, position.cars[seat - 1], act.card)
    if act.card == "great_reflexes" or (outcome == "ditched" and act.card == "firm_shoulders"):
        return wrong_motion(kind, position.cars[seat - 1])
    return Refusal("7.3", f"{kind.short} does not avert a {outcome.capitalize()}")


def cannot_cancel_check(position: Position, seat: int, act: Card) -> Refusal | None:
    """Only Great Reflexes cancels a Damage Check before its draw (R-reflexes)."""
    if act.card != "great_reflexes":
        return Refusal("7.3", f"{short(position, act.card)} does not cancel a Damage Check; Great Reflexes does")
    if lacks(position, seat, (act.card,)):
        return Refusal("7.3", "You do not hold Great Reflexes")
    return None


def red_lines(table: Table, frame: RedLines, heard: Any) -> bool | None:
    """R-red: a Damage Check for each Red Line before its benefit.

    Passes on whether the car may still do what it announced.
    """
    if frame.left:
        table.push(RedLines(frame.seat, frame.left - 1), Check(frame.seat, 0))
        return None
    return table.car(frame.seat).moving


@rule("BT7.3")
@rule("7.4")
def no_repair_attempt(position: Position, act: Repair) -> Refusal | None:
    """A roadside repair is the only act of a stopped car's Action Phase, and none is made at a Rest Stop (6.7)."""
    car = position.cars[position.turn.seat - 1]
    if car.moving:
        return Refusal("7.4", "Only a stopped car can attempt a repair")
    if position.turn.acted or position.turn.played or not position.turn.began_stopped:
        return Refusal("7.4", "A repair attempt must be the only act of your Action Phase")
    if car.at_stop:
        return Refusal("6.7", "At a Rest Stop no repair is attempted by a draw: end your turn and use the Rest Stop")
    if act.job not in repairable(car):
        return Refusal("9.5", "There is no such thing to repair on your car")
    return None


def attempt_repair(table: Table, act: Repair) -> None:
    """Draw on the R column: 4 or more succeeds.

    The Repairs marker or a Flat Tire's +1 helps, the two do not add up (R7.4).
    """
    seat = table.turn.seat
    car = table.car(seat)
    table.note(acted=True, attempted=True)
    table.tell("attempts_repair", "7.4", seat=seat, job=act.job)
    help_ = max(car.repairs, 1 if car.problems & FLAT_TIRE else 0)
    drawn = number(table, "R")
    total = drawn + help_
    if total >= 4:
        mend(table, seat, act.job, "7.4", drawn=drawn, modifier=help_)
        return
    repairs = min(2, car.repairs + 1)
    table.change(seat, repairs=repairs)
    table.tell("repair_fails", "7.4", seat=seat, job=act.job, drawn=drawn, modifier=help_, repairs=repairs)


@rule("BT7.4")
@rule("7.5")
def wreck(table: Table, seat: int) -> None:
    """At seven Damage points the car is out at once: hand, markers and Side Road go.

    A new one starts at the player's next turn.
    """
    car = table.car(seat)
    table.tell("wreck", "7.5", seat=seat)
    leave_course(table, car)
    table.cars[seat - 1] = Car(seat=seat, wreck=True, damage=WRECKED_AT, leaving=car.leaving, wishes=car.wishes)
    if seat == table.turn.seat:
        table.note(over=True, free_stop=False)


def leave_course(table: Table, car: Car) -> None:
    """Take a car off its Section or Side Road; its hand and Side Road card are discarded."""
    line = table.course[car.section].line
    if car.seat in line:
        table.section(car.section, line=tuple(seat for seat in line if seat != car.seat))
    discard(table, car.side, *(card for who in drivers_of(table, car.seat) for card in hand_of(table, who)))
    if table.teams:
        table.set_hand(car.seat + len(table.cars), b"")


def start_anew(table: Table, seat: int) -> None:
    """7.5, R7.5: a new car, stopped and last on Road 0, with nothing in hand."""
    old = table.car(seat)
    table.cars[seat - 1] = Car(seat=seat, leaving=old.leaving, wishes=old.wishes)
    table.section(0, line=(*table.course[0].line, seat))
    table.tell("new_car", "7.5", seat=seat)
