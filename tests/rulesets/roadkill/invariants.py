"""What is true of every state of RoadKill between two questions."""

from collections import Counter
from collections.abc import Iterator

from msgspec import UNSET

from games.rulesets.roadkill import components
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.rules.r04_cards import hand_limit
from games.rulesets.roadkill.rules.r12_teams import hands
from games.rulesets.roadkill.state import (
    EXIT,
    FLIPPED,
    LOWEST_LOG,
    RESERVE_TANK,
    SUPERCHARGER,
    TANK,
    UPGRADE_BITS,
    WRECKED_AT,
    Announced,
    Asked,
    Car,
    Entered,
    Leaving,
    State,
    car_of,
    drivers_of,
    hand_of,
    has,
    has_reserve,
    race_order,
    role_of,
    seat_of,
    who_is,
)


def cards_of(state: State) -> Iterator[int]:
    """Every card once, wherever it lies: piles, hands, course, Side Roads, the table, and acts on their way."""
    yield from state.pile
    yield from state.discards
    for hand in hands(state):
        yield from hand
    for car in state.cars:
        if car.side >= 0:
            yield car.side
    yield from (section.card for section in state.course if section.card >= 0)
    yield from (move.card for move in state.turn.moves)
    yield from state.turn.landmarks
    yield from state.turn.red_lines
    table = {move.card for move in state.turn.moves}
    for frame in state.stack:
        if isinstance(frame, Announced):
            yield from ({frame.main, *frame.cards} - table) - {-1}
            yield from (card for card in (frame.red, frame.react) if card >= 0)
        elif isinstance(frame, Leaving | Entered) and frame.card >= 0:
            yield frame.card


def check(state: State) -> None:
    """Raise AssertionError, with what is wrong, if something cannot be."""
    box = components.named(state.components)
    in_play = [card for card, key in enumerate(box.card_keys) if not (state.track and key in components.PUT_ASIDE)]
    found = Counter(cards_of(state))
    assert found == Counter(in_play), {
        box.card_keys[card]: found[card] for card in range(len(box.card_kind)) if found[card] != (card in in_play)
    }
    (_printed if state.track else _laid)(state)
    _course(state)
    for seat, car in enumerate(state.cars, 1):
        assert car.seat == seat
        _car(state, car)
    _turn(state)
    _upgrades(state)
    _teams(state)
    assert sorted(race_order(state)) == list(range(1, len(state.cars) + 1))
    assert state.night == (state.deck % 3 == 0 and not state.track)


def _course(state: State) -> None:
    lines = [seat for section in state.course for seat in section.line]
    on_sides = [car.seat for car in state.cars if car.present and car.side >= 0]
    present = [car.seat for car in state.cars if car.present]
    assert Counter(lines + on_sides) == Counter(present), "every car is at one place"
    for number, section in enumerate(state.course):
        for seat in section.line:
            assert state.cars[seat - 1].section == number, "a car stands where its Section says"
    assert bool(state.weather) == bool(state.weather_at) or state.weather_at == 0
    assert state.weather_at < len(state.course)


def _printed(state: State) -> None:
    """The Beginner's map lies there whole, and nothing that it does not know."""
    track = components.named(state.components).tracks["beginners"].sections
    assert [(one.value, one.rest, one.card, one.laid) for one in state.course[1:]] == [
        (one.value, one.rest_stop, -1, True) for one in track
    ]
    assert state.length == len(track)
    assert not state.weather
    for car in state.cars:
        assert (car.side, car.canyon, car.road) == (-1, False, 0)
        assert car.fuel == TANK, "nobody burns fuel"
        assert not car.fitted, "nobody has upgrades"


def _laid(state: State) -> None:
    assert len(state.course) <= state.length + 1
    is_entering = any(isinstance(frame, Entered) for frame in state.stack)
    assert (state.course[0].card, state.course[0].value) == (-1, 0), "Road 0 is no card"
    for number, section in enumerate(state.course[1:], 1):
        assert 1 <= section.value <= 4
        assert section.laid == (section.card >= 0), "a Section that is taken up has no card"
        assert section.laid or not (section.rest or section.signs), "nothing is left of a Section that is taken up"
        assert number < state.length or state.winner or is_entering, "nobody reaches the last Section without winning"


def _car(state: State, car: Car) -> None:
    held = [len(hand_of(state, who)) for who in drivers_of(state, car.seat)]
    if car.withdrawn or car.wreck:
        assert not any(held)
        assert not car.moving
        assert car.side < 0
        return
    assert 0 <= car.fuel <= TANK
    assert 0 <= car.damage < WRECKED_AT
    assert LOWEST_LOG <= car.log <= EXIT
    assert 0 <= car.problems < 1 << 7
    assert 0 <= car.repairs <= 2
    assert car.side < 0 or car.road == 0 or car.entered_on < state.turn.number
    assert not car.canyon or car.side >= 0, "a Box Canyon is a Side Road"
    if car.moving:
        assert not car.camouflage, "camouflage ends with the start"
        assert not car.at_stop, "nobody drives at a Rest Stop"
        assert not car.problems & 1, "nobody drives with a Flat Tire"
    if not _is_choosing_excess(state, car):
        assert max(held) <= hand_limit(car), "nobody holds more than the limit"


def _is_choosing_excess(state: State, car: Car) -> bool:
    """R-theft: the thief holds more for a moment, until he has said what he throws away."""
    top = state.stack[-1] if state.stack else None
    return isinstance(top, Asked) and top.kind == "excess" and top.seats == (car.seat,)


def _upgrades(state: State) -> None:
    for bit in UPGRADE_BITS:
        assert sum(has(car, bit) for car in state.cars) <= 1, "an upgrade is there once"
    for car in state.cars:
        assert car.fitted is UNSET or 0 < car.fitted < 2 * FLIPPED, "a car without upgrades says nothing of them"
        assert not has(car, FLIPPED) or has(car, RESERVE_TANK)
        assert not car.wreck or car.fitted is UNSET, "a wreck has lost its upgrades"
        assert car.fuel or not has_reserve(car), "an empty tank has opened its reserve"
    assert state.turn.boosted is UNSET or has(state.cars[state.turn.seat - 1], SUPERCHARGER)


def _turn(state: State) -> None:
    turn = state.turn
    assert all(0 < move.left <= move.full for move in turn.moves), "a card without value left is put away"
    assert not state.cars[turn.seat - 1].withdrawn or state.winner
    assert bool(state.winner) == bool(state.ending)
    if state.winner:
        assert state.ending in RULESET.endings
        assert not RULESET.waiting(state)
        return
    top = state.stack[-1]
    assert isinstance(top, Asked), "between two questions somebody is asked"
    waiting = RULESET.waiting(state)
    assert waiting, "somebody still owes an answer"
    assert {car_of(state, seat) for seat in waiting} <= {car.seat for car in state.cars if not car.withdrawn}


def _teams(state: State) -> None:
    """Chapter 12: two seats a car, one Driver each; who is on turn drives the active car, who has the pawn the lead."""
    turn, count = state.turn, len(state.cars)
    if not state.teams:
        assert turn.fresh is UNSET, "only partners change"
        return
    teams = state.teams
    assert 1 <= teams.player <= 2 * count
    assert car_of(state, teams.player) == turn.seat == who_is(state, teams.player)
    assert len(teams.partners) == len(teams.drivers) == len(teams.alone) == count
    for car, (driver, alone, partner) in enumerate(zip(teams.drivers, teams.alone, teams.partners, strict=True), 1):
        assert driver in (car, car + count), "a car is driven by its own two seats"
        assert alone in (0, car, car + count)
        assert not alone or (not partner.hand and partner.leaving), "who has given up holds nothing"
        roles = Counter(role_of(state, seat) for seat in (car, car + count))
        assert roles == {"driver": 1, "assistant": 1}
    seats = [seat_of(state, who) for who in range(1, 2 * count + 1)]
    assert sorted(seats) == list(range(1, 2 * count + 1)), "everybody has one number"
    assert [who_is(state, seat) for seat in seats] == list(range(1, 2 * count + 1))
    if not state.winner:
        assert car_of(state, teams.pawn) == state.pawn
        assert teams.alone[state.pawn - 1] in (0, teams.pawn), "the pawn is not with somebody who has left"
        assert teams.alone[turn.seat - 1] in (0, teams.player), "nobody who has left is on turn"
        assert not set(RULESET.waiting(state)) & {
            seat for seat in range(1, 2 * count + 1) if teams.alone[car_of(state, seat) - 1] not in (0, seat)
        }, "nobody who has left is asked"
    top = state.stack[-1] if state.stack else None
    if isinstance(top, Asked):
        others = {who for who in top.seats if who > count}
        assert not others or top.kind in ("answer", "reaction", "fate", "canyon"), "12.31: what either partner may play"
        assert turn.seat + count not in others or top.kind != "act"
    if turn.fresh is False:
        assert not state.cars[turn.seat - 1].moving, "it has not moved since its turn began"
