"""Chapter 6, moving on: starting, Sections, Road Log, Exit draws, leading."""

from typing import Any

import msgspec

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import AutoExit, Card, Exit, Start
from games.rulesets.roadkill.rules.bt_track import cannot_fail
from games.rulesets.roadkill.rules.r04_cards import (
    discard,
    kind_of,
    lacks,
    position_number,
    short,
    take_from_hand,
)
from games.rulesets.roadkill.rules.r06_stops import enter_side_road, leave_side_road, stop_if_dry
from games.rulesets.roadkill.rules.r07_damage import (
    can_pay_exit,
    exit_cost,
    pay_exit,
    problem_penalty_on_exit,
)
from games.rulesets.roadkill.rules.r08_roads import weather_on_exit
from games.rulesets.roadkill.rules.r09_cards import landmarks_count
from games.rulesets.roadkill.rules.r12_teams import give_pawn, wishing_partners
from games.rulesets.roadkill.state import (
    BEACON,
    CRUISE_CONTROL,
    ENGINE_WEAR,
    EXIT,
    FLAT_TIRE,
    NONE,
    Announced,
    Asked,
    Car,
    Entered,
    Fates,
    Leaving,
    MoveCard,
    Position,
    RedLines,
    Removing,
    Section,
    Starting,
    Table,
    Trouble,
    cars_in_play,
    has,
    is_dry,
    leader,
    race_order,
    trailers,
)

STARTERS_BARRED = ("swerve", "firm_shoulders", "red_move_1")
FINISHES = {False: "exit_draw", True: "automatic_exit"}


@rule("BT6.1")
@rule("6.1")
def cannot_start(position: Position, act: Start) -> Refusal | None:
    """A stopped car starts with a Driving card that a stopped car may play.

    Not Swerve, Firm Shoulders or a red Move (R6.1).
    """
    seat = position.turn.seat
    car = position.cars[seat - 1]
    kind = kind_of(position, act.card)
    if kind is None or kind.symbol != "driving" or act.card in STARTERS_BARRED:
        return Refusal(
            "6.1",
            f"{short(position, act.card)} does not start a car: it takes a Driving card that a stopped car can play",
        )
    if car.moving:
        return Refusal("6.1", "Your car is moving already")
    if car.problems & FLAT_TIRE:
        return Refusal("7.1", "With a Flat Tire the car does not move until it is repaired")
    if lacks(position, seat, (act.card,)):
        return Refusal("6.1", f"You do not hold {kind.short}")
    return None


def starting(table: Table, frame: Starting, heard: Any) -> None:
    """6.1: flip to the moving side; Camouflage, Rest Stop and Repairs markers go, Sabotage strikes (R6.1)."""
    seat = frame.seat
    car = table.car(seat)
    if not car.present or car.moving or car.problems & FLAT_TIRE:
        table.tell("start_fails", "6.1", seat=seat)
        return
    table.change(seat, moving=True, camouflage=False, at_stop=False, repairs=0, sabotage=False)
    table.tell("starts", "6.1", seat=seat)
    if table.turn.fresh is False:
        table.note(fresh=True)
    if is_dry(car):
        table.note(thirsty=True)
    if car.sabotage:
        table.tell("sabotaged", "C6b", seat=seat)
        table.push(Trouble(seat))


@rule("BT6.2")
@rule("6.2")
def finish(table: Table, seat: int, *, automatic: bool) -> None:
    """The first car to enter the last Section wins; all others finish where they are (R6.2).

    On the Beginner's Track it must leave the last Section and cross the Finish Line (RBT6.2).
    """
    table.winner = seat
    table.ending = FINISHES[automatic]
    table.stack.clear()
    table.tell("finish", "6.2", seat=seat, order=race_order(table))


def leads_lead_section(position: Position, car: Car) -> bool:
    """Whether this car would lay a Road card rather than enter a laid Section (R6.3); never on a map (RBT6.2)."""
    return not position.track and car.side < 0 and car.section == len(position.course) - 1


@rule("6.21")
def lay_section(table: Table, seat: int, card: int) -> None:
    """The Move/Road card becomes the next Section, with its printed value (R6.21)."""
    box = table.set
    kind = box.kinds[box.card_kind[card]]
    table.course.append(Section(card=card, value=kind.value, rest=kind.rest_stop))
    table.tell(
        "lays",
        "6.21",
        seat=seat,
        card=kind.key,
        section=len(table.course) - 1,
        value=kind.value,
        rest=kind.rest_stop,
    )


@rule("6.22")
def remove_passed_sections(table: Table) -> None:
    """A Section with nobody on it, on its Side Roads or behind is taken up: its Road card is discarded (R6.22).

    Its value stays. A printed map stays as it is.
    """
    if table.track:
        return
    course = table.course
    last = len(course) - 1
    first = 1
    while first < last and not course[first].laid:
        first += 1
    if first >= last or course[0].line or course[first].line:
        return
    rear = min([car.section for car in table.cars if car.present], default=last)
    for number in range(first, min(rear, last)):
        section = course[number]
        if section.laid:
            discard(table, section.card)
            table.section(number, card=-1, laid=False, rest=False, signs=())
            if table.weather and table.weather_at == number:
                table.weather = table.weather_at = 0
            table.tell("removed", "6.22", section=number)


def removing(table: Table, frame: Removing, heard: Any) -> None:
    """All windows are closed: look which Sections have been passed by all cars, and who leads."""
    remove_passed_sections(table)
    hand_over_pawn(table)


@rule("BT6.22")
@rule("6.23")
def enter(table: Table, seat: int, section: int) -> None:
    """Put the car at the end of a Section's line.

    Its Road Log goes to minus the value, its Narrow or Wide Road marker goes (8.7).
    """
    car = table.car(seat)
    line = table.course[car.section].line
    if seat in line:
        table.section(car.section, line=tuple(s for s in line if s != seat))
    table.section(section, line=(*table.course[section].line, seat))
    table.change(
        seat,
        section=section,
        log=-table.course[section].value,
        road=NONE,
        entered_on=table.turn.number,
        at_stop=False,
    )


def log_after_turn(table: Table) -> None:
    """6.23: a car that ends its turn moving advances its Road Log marker one box."""
    car = table.car(table.turn.seat)
    if car.moving and car.present and car.log < EXIT:
        table.change(car.seat, log=car.log + 1)
        table.tell("log", "6.23", seat=car.seat, log=car.log + 1)


@rule("BT6.21")
@rule("6.24")
def cannot_exit(position: Position, act: Exit) -> Refusal | None:
    """Moving, first in line (or on one's own Side Road), fuel for the way out, a Move card or value left (R6.24a)."""
    turn = position.turn
    seat = turn.seat
    car = position.cars[seat - 1]
    kind = kind_of(position, act.card)
    if kind is None or not kind.road:
        return Refusal("6.24", f"{short(position, act.card)} is no Move card: an exit takes a Move card")
    if not car.moving:
        return Refusal("4.3", f"{kind.short} can be played only by a moving car, and yours stands still")
    if car.side < 0 and position.course[car.section].line[0] != seat:
        return Refusal("6.24", "Only the first car in line may try to leave a Section")
    if act.left:
        if not any(move.left > 0 for move in table_moves(position, act.card)):
            return spent(position, act.card) or Refusal("6.41", f"No {kind.short} with value left lies on the table")
    elif lacks(position, seat, (act.card,)):
        return spent(position, act.card) or Refusal("6.24", f"You do not hold {kind.short}")
    if not can_pay_exit(position, car):
        return Refusal("7.2", f"Leaving here takes {exit_cost(position, car)} fuel, and you have {car.fuel}")
    return cannot_add(position, act)


def cannot_add(position: Position, act: Exit) -> Refusal | None:
    """Whether the Landmarks and Red Lines named with an attempt are in the hand and of use (R6.24b, 9.8)."""
    seat = position.turn.seat
    if act.landmarks < 0 or act.red_lines < 0 or act.landmarks + act.red_lines > len(position.cars[seat - 1].hand):
        return Refusal("6.24", "You do not hold so many Landmarks and Red Lines")
    if act.landmarks and position.night:
        return Refusal("9.8", "At night a Landmark adds nothing to an Exit draw")
    own = () if act.left else (act.card,)
    missing = lacks(position, seat, (*own, *("landmark",) * act.landmarks, *("red_line",) * act.red_lines))
    if missing:
        return Refusal("6.24", f"You do not hold enough cards: {short(position, missing)} is missing")
    return None


def table_moves(position: Position, key: str) -> list[MoveCard]:
    """This turn's Move cards of a kind that lie on the table."""
    keys = components.named(position.components).card_keys
    return [move for move in position.turn.moves if keys[move.card] == key]


def spent(position: Position, key: str) -> Refusal | None:
    """Why a Move card played earlier in this turn is of no more use, if it was."""
    for had, number in reversed(position.turn.spent):
        if had == key:
            return Refusal(number, f"{short(position, key)} was used up earlier in this turn")
    return None


def note_spent(table: Table, card: int, rule_number: str) -> None:
    """Remember what used a Move card up."""
    table.note(spent=(*table.turn.spent, (table.key(card), rule_number)))


def move_value(position: Position, card: int) -> int:
    """R6.41b: printed value, doubled once by Red Lines played before, one less for Engine Wear.

    Then one more with the Supercharger (10.3 H).
    """
    box = components.named(position.components)
    value = box.kinds[box.card_kind[card]].value
    if position.turn.red_lines:
        value *= 2
    if position.cars[position.turn.seat - 1].problems & ENGINE_WEAR:
        value -= 1
    if position.turn.boosted:
        value += 1
    return value


def exit_modifier(position: Position, seat: int) -> int:
    """All that is added to an Exit draw.

    Road Log, Landmarks by day, Red Lines, weather of the Section's line, problems, the Supercharger (10.3 H).
    """
    car = position.cars[seat - 1]
    modifier = car.log + len(position.turn.red_lines) + landmarks_count(position)
    modifier += problem_penalty_on_exit(car, night=position.night)
    if car.side < 0:
        modifier += weather_on_exit(position, car)
    return modifier + 1 if position.turn.boosted else modifier


def exit_draws(position: Position, frame: Announced) -> int:
    """How many Exit draws the announced Move card gives: one, with Cruise Control one for each value left (10.3 F).

    Red Lines announced with it have not been played before it and double nothing (R6.41b, R10.3a).
    """
    if not has(position.cars[position.turn.seat - 1], CRUISE_CONTROL):
        return 1
    left = next((move.left for move in position.turn.moves if move.card == frame.main), None)
    return max(1, move_value(position, frame.main)) if left is None else left


def resolve_exit(table: Table, frame: Announced, heard: Any) -> None:
    """6.24: Red Line checks first (R-red), then the draw in the column of the number of cars.

    More than the Trailers succeeds.
    """
    seat = table.turn.seat
    act = frame.act
    assert isinstance(act, Exit)
    keys = table.set.card_keys
    reds = bytes(card for card in frame.cards if keys[card] == "red_line")
    marks = bytes(card for card in frame.cards if keys[card] == "landmark")
    if heard is None and reds:
        table.push(frame, RedLines(seat, len(reds)))
        return
    if reds and not heard:
        _call_off(table, frame, reds)
        return
    if reds and not can_pay_exit(table, table.car(seat)):
        _call_off_dry(table, frame, reds)
        return
    draws = exit_draws(table, frame)
    table.note(landmarks=table.turn.landmarks + marks, red_lines=table.turn.red_lines + reds)
    if act.left:
        table.note(moves=tuple(move for move in table.turn.moves if move.card != frame.main))
    car = table.car(seat)
    modifier = exit_modifier(table, seat)
    behind = trailers(table, seat)
    lays = leads_lead_section(table, car)
    if table.track and cannot_fail(table, modifier, behind):
        table.tell("exit_certain", "RBT6.2", seat=seat, modifier=modifier, trailers=behind)
        table.push(Leaving(seat, frame.main))
        return
    for _ in range(draws):
        drawn = position_number(table, cars_in_play(table))
        result = {"drawn": drawn, "modifier": modifier, "total": drawn + modifier, "trailers": behind}
        if drawn + modifier > behind:
            table.tell("exit", "6.24", seat=seat, **result)
            table.push(Leaving(seat, frame.main))
            return
        table.tell("exit_fails", "6.24", seat=seat, **result)
    discard(table, frame.main)
    note_spent(table, frame.main, "6.21" if lays else "6.22")


def _call_off(table: Table, frame: Announced, reds: bytes) -> None:
    """R-red: stopped or wrecked by the check: Red Lines are spent, what was announced with them returns to the hand."""
    discard(table, *reds)
    back = bytes(card for card in frame.cards if card not in reds)
    if back and table.car(table.turn.seat).present:
        _take_back(table, back, "7.3")
    else:
        discard(table, *back)


def _call_off_dry(table: Table, frame: Announced, reds: bytes) -> None:
    """R7.2a: the check brought a Fuel Leak, and what is left does not pay the way out: no attempt is made.

    The Red Lines are in effect; what was announced with them returns to the hand.
    """
    seat = table.turn.seat
    table.note(red_lines=table.turn.red_lines + reds)
    table.tell("exit_unpaid", "7.2", seat=seat, cost=exit_cost(table, table.car(seat)), fuel=table.car(seat).fuel)
    back = bytes(card for card in frame.cards if card not in reds)
    if back:
        _take_back(table, back, "7.2")


def _take_back(table: Table, cards: bytes, rule_number: str) -> None:
    """Announced cards return to the hand and do not count as played (R5.4)."""
    seat = table.turn.seat
    table.change(seat, hand=table.car(seat).hand + cards)
    table.note(played=table.turn.played - len(cards))
    table.tell("returns", rule_number, seat=seat, cards=[table.key(card) for card in cards])


def leaving(table: Table, frame: Leaving, heard: Any) -> None:
    """The way out is free: past a Changed Road Sign of another (C6), then pay and go.

    A Homing Beacon does not follow the sign, which stays where it is (10.3 B).
    """
    seat = frame.seat
    car = table.car(seat)
    section = table.course[car.section]
    if frame.stage == 0 and car.side < 0:
        sign = next((by for by in section.signs if by != seat), 0)
        if sign and has(car, BEACON):
            table.tell("ignores_sign", "10.3", seat=seat, section=car.section, upgrade="homing_beacon")
        elif sign:
            asked = Asked("wrong_road", (seat,), seat=seat)
            marked = msgspec.structs.replace(frame, stage=1, sign=sign)
            if car.hand:
                table.push(marked, asked)
            else:
                _wrong_road(table, marked)
            return
    if frame.stage == 1:
        if not isinstance(heard[0][1], Card):
            _wrong_road(table, frame)
            return
        card = take_from_hand(table, seat, heard[0][1].card)
        if table.turn.acting and seat == table.turn.seat:
            table.note(played=table.turn.played + 1)
        discard(table, card)
        table.tell("road_map", "C6a", seat=seat, card=table.key(card))
        table.push(msgspec.structs.replace(frame, stage=2), Fates(table.key(card), seat))
        return
    if frame.stage == 2:
        if heard:
            _wrong_road(table, frame)
            return
        _remove_sign(table, car.section, frame.sign)
    _go(table, frame)


def _remove_sign(table: Table, number: int, by: int) -> None:
    signs = list(table.course[number].signs)
    signs.remove(by)
    table.section(number, signs=tuple(signs))


def _wrong_road(table: Table, frame: Leaving) -> None:
    """C6: the Move card is gone, the car stays and pays nothing, its Road Log goes to minus the Section's value."""
    car = table.car(frame.seat)
    discard(table, frame.card)
    if frame.card >= 0:
        note_spent(table, frame.card, "6.22")
    _remove_sign(table, car.section, frame.sign)
    table.change(frame.seat, log=-table.course[car.section].value)
    table.tell("wrong_road", "C6a", seat=frame.seat, section=car.section)


def _go(table: Table, frame: Leaving) -> None:
    seat = frame.seat
    car = table.car(seat)
    left = car.section
    pay_exit(table, seat)
    if car.side >= 0:
        leave_side_road(table, seat)
        enter(table, seat, left)
        discard(table, frame.card)
        table.tell("returns_to_road", "6.71", seat=seat, section=left, fuel=table.car(seat).fuel)
        if frame.card >= 0:
            note_spent(table, frame.card, "6.22")
        table.push(Entered(seat, laid=False, left=left, automatic=frame.automatic))
        return
    if table.track and left == table.length:
        discard(table, frame.card)
        table.tell("crosses", "6.2", seat=seat)
        finish(table, seat, automatic=frame.automatic)
        return
    laid = leads_lead_section(table, car)
    if laid:
        lay_section(table, seat, frame.card)
    else:
        discard(table, frame.card)
    if frame.card >= 0:
        note_spent(table, frame.card, "6.21" if laid else "6.22")
    enter(table, seat, left + 1)
    fuel = {} if table.track else {"fuel": table.car(seat).fuel}
    table.tell("enters", "6.22", seat=seat, section=left + 1, **fuel)
    table.push(Entered(seat, laid=laid, left=left, automatic=frame.automatic))


def entered(table: Table, frame: Entered, heard: Any) -> None:
    """R-box: who asked to be asked may answer a laid Section with Box Canyon, unless a Homing Beacon voids it (10.3 B).

    Then the finish or an empty tank is looked at.
    """
    seat = frame.seat
    if frame.stage == 0 and frame.laid and not has(table.car(seat), BEACON):
        askers = tuple(s for s in askers_clockwise(table) if s != seat)
        if askers:
            table.push(msgspec.structs.replace(frame, stage=1), Asked("canyon", askers, seat=seat))
            return
    if frame.stage == 1:
        for by, answer in heard:
            if isinstance(answer, Card):
                card = take_from_hand(table, by, answer.card)
                table.tell("box_canyon", "6.71", seat=by, target=seat, card=table.key(card))
                table.push(msgspec.structs.replace(frame, stage=2, card=card, by=by), Fates(table.key(card), by))
                return
    if frame.stage == 2:
        discard(table, frame.card)
        if not heard:
            box_canyon(table, seat, frame.left)
    car = table.car(seat)
    if not table.track and car.side < 0 and car.section == table.length:
        finish(table, seat, automatic=frame.automatic)
        return
    stop_if_dry(table, seat)


def box_canyon(table: Table, seat: int, left: int) -> None:
    """R-box: the Section just laid becomes a Side Road of the one left.

    Fuel paid stays paid, the number is free again.
    """
    section = table.course.pop()
    table.change(seat, section=left)
    enter_side_road(table, seat, section.card, canyon=True)
    table.tell("in_canyon", "6.71", seat=seat, section=left, value=section.value)


def askers_clockwise(position: Position) -> list[int]:
    """9.3: seats that asked to be asked and hold a card, clockwise from the active one."""
    count = len(position.cars)
    active = position.turn.seat
    seats = []
    for step in range(count):
        car = position.cars[(active - 1 + step) % count]
        if car.wishes and car.hand and car.present:
            seats.append(car.seat)
    return seats + wishing_partners(position) if position.teams else seats


@rule("BT6.24")
@rule("6.25")
def has_automatic_exit(position: Position) -> bool:
    """In the Exit box, moving, first in line, with fuel: the car may leave without a Move card or draw.

    Not from a Side Road.
    """
    turn = position.turn
    car = position.cars[turn.seat - 1]
    return (
        car.log >= EXIT
        and car.moving
        and car.side < 0
        and not turn.over
        and position.course[car.section].line[0] == turn.seat
        and not is_dry(car)
        and can_pay_exit(position, car)
    )


def no_automatic_exit(position: Position) -> Refusal:
    """Why the Automatic Exit is not offered: too little fuel if nothing else is missing."""
    car = position.cars[position.turn.seat - 1]
    cost = exit_cost(position, car)
    first = car.side < 0 and position.course[car.section].line[0] == car.seat
    if car.log >= EXIT and car.moving and first and not can_pay_exit(position, car):
        return Refusal("7.2", f"Leaving here takes {cost} fuel, and you have {car.fuel}")
    return Refusal("6.25", "The Automatic Exit is not open to you now: an exit takes a Move card")


def cannot_auto_exit(position: Position, act: AutoExit) -> Refusal | None:
    """6.25: the leader of the lead Section must lay a Road card; everybody else plays none."""
    seat = position.turn.seat
    car = position.cars[seat - 1]
    if leads_lead_section(position, car):
        kind = kind_of(position, act.card) if act.card else None
        if kind is None or not kind.road:
            return Refusal(
                "6.25", "The leader takes the Automatic Exit only with a Road card to lay as the new Section"
            )
        if lacks(position, seat, (act.card,)):
            return Refusal("6.25", f"You do not hold {kind.short}")
    elif act.card:
        return Refusal(
            "6.25",
            "An Automatic Exit takes no card"
            if position.track
            else "An Automatic Exit to a laid Section takes no card",
        )
    return None


@rule("BT6.3")
@rule("6.3")
def hand_over_pawn(table: Table) -> None:
    """The first in race order leads and has the pawn; tell when it has changed hands."""
    now = leader(table)
    if now != table.pawn:
        table.pawn = now
        if table.teams:
            give_pawn(table, now)
        table.tell("pawn", "6.3", seat=now)
