"""Chapter 8, what happens at once: the leader's Event draw, whom it strikes, and what each Event does."""

from collections.abc import Callable
from typing import Any

import msgspec

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill.actions import Accept, Card, Risk
from games.rulesets.roadkill.rules.r04_cards import (
    discard,
    draw_to_hand,
    event_letter,
    kind_of,
    lacks,
    position_number,
    room,
    short,
    take_from_hand,
    wrong_motion,
)
from games.rulesets.roadkill.rules.r06_movement import askers_clockwise
from games.rulesets.roadkill.rules.r06_passing import shift_of, swap
from games.rulesets.roadkill.rules.r06_stops import back, mend, repairable, stop
from games.rulesets.roadkill.rules.r07_damage import add_problem, flat_tire, spinout, worn_brakes
from games.rulesets.roadkill.rules.r08_roads import clear_skies, road_event, weather_turns
from games.rulesets.roadkill.rules.r12_teams import draws_events
from games.rulesets.roadkill.state import (
    BEACON,
    BLIZZARD,
    COOLANT_LEAK,
    FOG,
    NARROW,
    RAIN,
    ROTOR,
    TANK,
    UPGRADES,
    WIDE,
    Asked,
    Attacking,
    Car,
    Check,
    EventCard,
    Fates,
    Position,
    Table,
    Trouble,
    has,
    leader,
    race_order,
)

DODGES = {
    "loose_gravel": ("swerve",),
    "oil_slick": ("swerve", "great_reflexes"),
    "pothole": ("swerve", "firm_shoulders"),
    "lost": ("road_map",),
    "snipers": ("swerve",),
}
"""What dodges what by being played; a Spinout is dodged by throwing away any Driving card."""
VOIDED_BY = {"lost": BEACON, "drawbridge_up": ROTOR}
"""The upgrade that voids an Event for its car (10.3 B and I)."""
SIPHONED = 4
"""Fuel boxes found in an Abandoned Car."""


@rule("8.1")
def event_due(position: Position) -> bool:
    """The leader draws an Event at the start of his turn, once every player has ended one turn (R5.1)."""
    turn = position.turn
    if turn.number < turns_before_events(position) or leader(position) != turn.seat:
        return False
    return not position.teams or draws_events(position)


def turns_before_events(position: Position) -> int:
    """How many turns the first round has: one of each player (R5.1)."""
    return len(position.cars) * (2 if position.teams else 1)


def draw_event(table: Table) -> None:
    """5.1: draw the Event; who asked to be asked may Fate it before anything else is drawn (R9.3)."""
    kind = table.set.events[event_letter(table)]
    table.tell("event", "5.1", event=kind.key, letter=kind.letter)
    frame = EventCard(kind.key)
    askers = askers_clockwise(table)
    if askers:
        table.push(
            msgspec.structs.replace(frame, stage=1),
            Asked("fate", tuple(askers), card="event", letter=kind.key),
        )
    else:
        table.push(msgspec.structs.replace(frame, stage=3))


def moving_in_order(position: Position) -> list[int]:
    """Moving cars in race order, those on Side Roads too (R8.2)."""
    return [seat for seat in race_order(position) if position.cars[seat - 1].moving]


@rule("8.2")
def position_struck(table: Table) -> tuple[list[int], int]:
    """The moving cars in order and which of them is "#": by a draw in the column of their number.

    None needed for one; (.., -1) for none.
    """
    moving = moving_in_order(table)
    if len(moving) < 2:
        return moving, len(moving) - 1
    return moving, position_number(table, len(moving)) - 1


@rule("8.8")
def offer_queue(table: Table) -> tuple[int, ...]:
    """A first-choice Event goes to "#".

    Then to the next moving car behind and so on, wrapping to the foremost, each once.
    """
    moving, place = position_struck(table)
    return tuple(moving[place:] + moving[:place]) if moving else ()


def event(table: Table, frame: EventCard, heard: Any) -> None:
    """An Event on its way: Fate (1, 2).

    Then its beginning (3), then its question's answer (4) and Fate on a card used to dodge (5).
    """
    stage = frame.stage
    if stage == 1:
        for seat, answer in heard:
            if isinstance(answer, Card):
                card = take_from_hand(table, seat, answer.card)
                discard(table, card)
                table.tell("fate", "9.3", seat=seat, on="event", card=table.key(card))
                table.push(msgspec.structs.replace(frame, stage=2), Fates(table.key(card), seat, 1))
                return
    if stage == 2 and heard:
        table.tell("event_negated", "9.3", event=frame.key)
        return
    if stage <= 3:
        BEGIN[frame.key](table, frame)
    elif frame.key in OFFERS:
        _offered(table, frame, heard[0][1])
    elif frame.key in EVILS:
        EVILS[frame.key](table, frame.seat, heard[0][1])
    else:
        _dodged(table, frame, heard)


# Events that may be dodged


def _ask_dodge(table: Table, frame: EventCard, seat: int) -> None:
    car = table.car(seat)
    on = msgspec.structs.replace(frame, stage=4, seat=seat)
    if car.hand and can_dodge(table, car, frame.key):
        table.push(on, Asked("dodge", (seat,), seat=seat, letter=frame.key))
    else:
        STRIKES[frame.key](table, seat)


def can_dodge(position: Position, car: Car, key: str) -> bool:
    """By public facts: whether any card would help this car, by its motion and its brakes (R8.2b)."""
    if DODGES.get(key) != ("swerve",):
        return True
    return car.moving and worn_brakes(position, car, "swerve") is None


def _dodged(table: Table, frame: EventCard, heard: Any) -> None:
    seat = frame.seat
    if frame.stage == 4 and isinstance(heard[0][1], Card):
        key = heard[0][1].card
        card = take_from_hand(table, seat, key)
        discard(table, card)
        if frame.key == "spinout":
            table.tell("dodges", "8", seat=seat, event=frame.key, card=key)
            return
        table.tell("dodges", "8", seat=seat, event=frame.key, card=key)
        table.push(msgspec.structs.replace(frame, stage=5, card=card), Fates(key, seat))
        return
    if frame.stage == 5 and not heard:
        if frame.key == "snipers":
            table.push(Attacking(0, seat, "machine_gun", shift_of(table, frame.card, "machine_gun")))
        return
    STRIKES[frame.key](table, seat)


def cannot_dodge(position: Position, seat: int, key: str, act: Card) -> Refusal | None:
    """Which card dodges which Event, by motion and brakes (7.1); a Road Map whatever the motion (8.L)."""
    car = position.cars[seat - 1]
    if lacks(position, seat, (act.card,)):
        return Refusal("8", f"You do not hold {short(position, act.card)}")
    kind = kind_of(position, act.card)
    assert kind is not None
    if key == "spinout":
        if kind.symbol != "driving":
            return Refusal("8", f"{kind.short} is no Driving card: only a Driving card averts the Spinout")
        return worn_brakes(position, car, act.card)
    if act.card not in DODGES[key]:
        return Refusal("8", f"{kind.short} does not help against this Event")
    return worn_brakes(position, car, act.card) or (None if key == "lost" else wrong_motion(kind, car))


def _spinout_event(table: Table, seat: int) -> None:
    spinout(table, seat, "8")


def _gravel(table: Table, seat: int) -> None:
    table.push(Check(seat, 0))


def _pothole(table: Table, seat: int) -> None:
    flat_tire(table, seat)


def _lost(table: Table, seat: int) -> None:
    back(table, seat, 2, "8")


def _snipers(table: Table, seat: int) -> None:
    table.push(Attacking(0, seat, "machine_gun"))


STRIKES: dict[str, Callable[[Table, int], None]] = {
    "spinout": _spinout_event,
    "loose_gravel": _gravel,
    "oil_slick": _spinout_event,
    "pothole": _pothole,
    "lost": _lost,
    "snipers": _snipers,
}


def _strike_position(table: Table, frame: EventCard) -> None:
    moving, place = position_struck(table)
    if place < 0:
        _nothing(table, frame)
        return
    table.tell("event_strikes", "8.2", event=frame.key, seat=moving[place])
    if not _is_voided(table, frame, moving[place]):
        _ask_dodge(table, frame, moving[place])


def _is_voided(table: Table, frame: EventCard, seat: int) -> bool:
    """10.3: whether an upgrade of the car struck voids the Event."""
    upgrade = VOIDED_BY.get(frame.key, 0)
    if not upgrade or not has(table.car(seat), upgrade):
        return False
    key = UPGRADES[upgrade.bit_length() - 1]
    table.tell("upgrade_voids", "10.3", seat=seat, upgrade=key, event=frame.key)
    return True


def _strike_leader(table: Table, frame: EventCard) -> None:
    seat = leader(table)
    if table.car(seat).camouflage:
        table.tell("camouflage_protects", "9.1", seat=seat)
        return
    table.tell("event_strikes", "8", event=frame.key, seat=seat)
    _ask_dodge(table, frame, seat)


# Events with two evils


def _ask_evil(table: Table, frame: EventCard) -> None:
    moving, place = position_struck(table)
    if place < 0:
        _nothing(table, frame)
        return
    seat = moving[place]
    table.tell("event_strikes", "8.2", event=frame.key, seat=seat)
    if _is_voided(table, frame, seat):
        return
    if frame.key == "heat_wave" and table.car(seat).problems & COOLANT_LEAK:
        stop(table, seat)
        return
    table.push(
        msgspec.structs.replace(frame, stage=4, seat=seat),
        Asked("evil", (seat,), seat=seat, letter=frame.key),
    )


def _drawbridge(table: Table, seat: int, answer: Any) -> None:
    _stop_or_check(table, seat, answer, -2)


def _level_crossing(table: Table, seat: int, answer: Any) -> None:
    _stop_or_check(table, seat, answer, -1)


def _stop_or_check(table: Table, seat: int, answer: Any, shift: int) -> None:
    if isinstance(answer, Risk):
        table.tell("risks", "8", seat=seat)
        table.push(Check(seat, shift))
    else:
        spinout(table, seat, "8")


def _heat_wave(table: Table, seat: int, answer: Any) -> None:
    if isinstance(answer, Risk):
        add_problem(table, seat, "coolant_leak", "8")
    else:
        stop(table, seat)


EVILS: dict[str, Callable[[Table, int, Any], None]] = {
    "drawbridge_up": _drawbridge,
    "heat_wave": _heat_wave,
    "level_crossing": _level_crossing,
}


# First-choice Events


def _begin_offer(table: Table, frame: EventCard) -> None:
    queue = offer_queue(table)
    if frame.key == "shortcut":
        queue = tuple(seat for seat in queue if _can_shortcut(table, seat))
    if not queue:
        _nothing(table, frame)
        return
    _offer(table, frame, queue)


def _can_shortcut(table: Table, seat: int) -> bool:
    car = table.car(seat)
    return car.side < 0 and table.course[car.section].line[0] != seat


def _offer(table: Table, frame: EventCard, queue: tuple[int, ...]) -> None:
    if not queue:
        table.tell("all_decline", "8.8", event=frame.key)
        return
    seat = queue[0]
    table.push(
        msgspec.structs.replace(frame, stage=4, seat=seat, queue=queue[1:]),
        Asked("offer", (seat,), seat=seat, letter=frame.key),
    )


def _offered(table: Table, frame: EventCard, answer: Any) -> None:
    if not isinstance(answer, Accept):
        table.tell("declines", "8.8", seat=frame.seat, event=frame.key)
        _offer(table, frame, frame.queue)
        return
    table.tell("accepts", "8.8", seat=frame.seat, event=frame.key)
    OFFERS[frame.key](table, frame.seat, answer)


def _abandoned_car(table: Table, seat: int, answer: Accept) -> None:
    stop(table, seat)
    car = table.car(seat)
    fuel = min(TANK, car.fuel + SIPHONED)
    table.change(seat, fuel=fuel)
    table.tell("refuels", "8", seat=seat, fuel=fuel)


def _hiding_place(table: Table, seat: int, answer: Accept) -> None:
    stop(table, seat)
    table.change(seat, camouflage=True)
    table.tell("camouflaged", "8", seat=seat)


def _repair_truck(table: Table, seat: int, answer: Accept) -> None:
    stop(table, seat)
    jobs = repairable(table.car(seat))
    if jobs:
        mend(table, seat, answer.job or jobs[0], "8")


def _shortcut(table: Table, seat: int, answer: Accept) -> None:
    first = table.course[table.car(seat).section].line[0]
    swap(table, seat, first)
    table.tell("to_front", "8", seat=seat, section=table.car(seat).section)


OFFERS: dict[str, Callable[[Table, int, Accept], None]] = {
    "abandoned_car": _abandoned_car,
    "hiding_place": _hiding_place,
    "repair_truck": _repair_truck,
    "shortcut": _shortcut,
}


def cannot_accept(position: Position, seat: int, key: str, act: Accept) -> Refusal | None:
    """Only the Repair Truck's offer takes a job, and only one that there is.

    Stopping there with nothing to mend is allowed (8.8).
    """
    if act.give:
        return Refusal("8.8", "This offer asks for no cards")
    if not act.job:
        return None
    if key != "repair_truck":
        return Refusal("8.8", "This offer repairs nothing")
    if act.job not in repairable(position.cars[seat - 1]):
        return Refusal("8.8", "There is no such thing to repair on your car")
    return None


# Events that just happen


def _nothing(table: Table, frame: EventCard) -> None:
    table.tell("event_nothing", "8", event=frame.key)


def _hitchhiker(table: Table, frame: EventCard) -> None:
    spinout(table, leader(table), "8")


def _foremost(table: Table, frame: EventCard, value: int) -> None:
    """E and T: all cars in line on the foremost Section of a value with a car in line stop and go back one box."""
    for number in range(len(table.course) - 1, 0, -1):
        section = table.course[number]
        if section.value == value and section.line:
            for seat in section.line:
                spinout(table, seat, "8")
            return
    _nothing(table, frame)


def _flooded(table: Table, frame: EventCard) -> None:
    _foremost(table, frame, 2)


def _rock_slide(table: Table, frame: EventCard) -> None:
    _foremost(table, frame, 3)


def _cattle(table: Table, frame: EventCard) -> None:
    for seat in table.course[table.car(leader(table)).section].line:
        if table.car(seat).moving:
            back(table, seat, 1, "8")


def _fog(table: Table, frame: EventCard) -> None:
    weather_turns(table, FOG)


def _rain(table: Table, frame: EventCard) -> None:
    weather_turns(table, RAIN)


def _blizzard(table: Table, frame: EventCard) -> None:
    weather_turns(table, BLIZZARD)


def _breakdown(table: Table, frame: EventCard) -> None:
    moving, place = position_struck(table)
    if place < 0:
        _nothing(table, frame)
        return
    table.tell("event_strikes", "8.2", event=frame.key, seat=moving[place])
    table.push(Trouble(moving[place]))


def _road(table: Table, frame: EventCard) -> None:
    moving, place = position_struck(table)
    if place < 0:
        _nothing(table, frame)
        return
    road_event(table, moving[place], NARROW if frame.key == "narrow_road" else WIDE)


def _skies(table: Table, frame: EventCard) -> None:
    clear_skies(table)


def _second_wind(table: Table, frame: EventCard) -> None:
    moving, place = position_struck(table)
    if place < 0 or not room(table.car(moving[place])):
        _nothing(table, frame)
        return
    draw_to_hand(table, moving[place], 1, "8")


BEGIN: dict[str, Callable[[Table, EventCard], None]] = {
    "abandoned_car": _begin_offer,
    "blond_hitchhiker": _hitchhiker,
    "spinout": _strike_position,
    "drawbridge_up": _ask_evil,
    "flooded_road": _flooded,
    "fog": _fog,
    "loose_gravel": _strike_position,
    "heat_wave": _ask_evil,
    "blizzard": _blizzard,
    "hiding_place": _begin_offer,
    "cattle_crossing": _cattle,
    "lost": _strike_position,
    "breakdown": _breakdown,
    "narrow_road": _road,
    "oil_slick": _strike_position,
    "pothole": _strike_position,
    "quiet_road": _nothing,
    "repair_truck": _begin_offer,
    "shortcut": _begin_offer,
    "rock_slide": _rock_slide,
    "snipers": _strike_leader,
    "clear_skies": _skies,
    "wide_road": _road,
    "level_crossing": _ask_evil,
    "rain": _rain,
    "second_wind": _second_wind,
}
