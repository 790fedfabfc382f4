"""From what a scenario gives to a State: every card of the box finds one place at most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET, UnsetType

from games.engine.scenarios import ScenarioFault
from games.rulesets.roadkill import components, flow
from games.rulesets.roadkill.components import ComponentSet
from games.rulesets.roadkill.components.shapes import MOST_SEATS
from games.rulesets.roadkill.rules.bt_track import prepared
from games.rulesets.roadkill.rules.r08_roads import is_night
from games.rulesets.roadkill.rules.r12_teams import seated
from games.rulesets.roadkill.scenario.notation import (
    PARTNERS,
    CarWords,
    HandWords,
    Outcome,
    Road,
    Standing,
    card_short,
    pile_words,
    read_car,
    read_course,
    read_names,
    read_place,
    read_table,
    read_weather,
    seat_name,
    seat_number,
)
from games.rulesets.roadkill.scenario.usefulness import Shelf, reserved
from games.rulesets.roadkill.sheet import BEGINNER, OPEN, TRACKS
from games.rulesets.roadkill.state import (
    COMPUTER,
    FLIPPED,
    NARROW,
    NONE,
    PROBLEM_BIT,
    RESERVE_TANK,
    TANK,
    UPGRADE_BIT,
    WEATHER_WORDS,
    WIDE,
    WRECKED_AT,
    Car,
    MoveCard,
    Partner,
    Phase,
    Section,
    State,
    Turn,
    leader,
    seat_of,
)

GIVEN_KEYS = (
    "new",
    "sections",
    "components",
    "track",
    "course",
    "turn",
    "round",
    "played",
    "table",
    "landmarks",
    "red_lines",
    "light",
    "deck",
    "pile",
    "discards",
    "weather",
    "asks",
    "teams",
    "pawn",
)
LONGEST_HAND = 7
CARDS_UNSAID = 3
"""Cards of no use in a hand that nothing is said of: everybody holds at least one card."""
LATER_ROUND = 6
"""The round of a position that does not say it: everybody has ended turns, cars entered their Sections long ago."""

_ROAD_KINDS = {(1, False): "move_1", (2, False): "move_2", (3, False): "move_3", (4, False): "move_4"} | {
    (value, True): f"rest_move_{value}" for value in (1, 2, 3)
}


def _fault(text: str) -> NoReturn:
    raise ScenarioFault(text)


def car_keys(table: Mapping[str, Any], others: Sequence[str], what: str) -> dict[int, str]:
    """The keys c1 … c10 of a table by car; a key that is neither that nor among the others is refused."""
    cars = {}
    for key in table:
        if key in others or _DRIVER_KEY.fullmatch(key):
            continue
        if key[:1] == "c" and key[1:].isdigit() and 1 <= int(key[1:]) <= MOST_SEATS:
            cars[int(key[1:])] = key
            continue
        _fault(f"«{key}» is not known in {what}; known are {', '.join(others)} and c1 to c{MOST_SEATS}")
    return cars


_DRIVER_KEY = re.compile(r"(?:Dr|As)\d+")


def driver_words(box: ComponentSet, table: Mapping[str, Any]) -> dict[str, CarWords]:
    """What a table says of the drivers of teams, by Dr1, As1 …; only what is a driver's own."""
    said = {key: read_car(box, key, value) for key, value in table.items() if _DRIVER_KEY.fullmatch(key)}
    for key, words in said.items():
        if any(getattr(words, name) is not None for name in CarWords.__struct_fields__ if name not in PARTNERS):
            _fault(
                f"{key}: of a driver only the hand, Driver or Assistant, and «withdrawn» are said; all else is of "
                f"c{key[2:]}"
            )
    return said


class _Supply:
    """The cards of the box that have not found a place yet."""

    def __init__(self, box: ComponentSet, shelf: Shelf, track: str | UnsetType) -> None:
        self.box = box
        self.shelf = shelf
        self.left = set(prepared(box, 0)[1] if track else range(len(box.card_keys)))

    def take(self, key: str, why: str) -> int:
        """A card of this kind; a fault if the box has no more of them."""
        card = next((card for card in self.shelf.of_kind(key) if card in self.left), None)
        if card is None:
            count = self.box.kinds[self.box.kind_index[key]].count
            _fault(f"{why}: the box holds only {count} {card_short(self.box, key)}")
        self.left.remove(card)
        return card

    def take_least_useful(self, count: int, why: str) -> list[int]:
        """Cards that the scenario can do without."""
        if count > len(self.left):
            _fault(f"{why}: the box has only {len(self.left)} cards left")
        taken = self.shelf.least_useful(self.left)[:count]
        self.left.difference_update(taken)
        return taken


def build(given: Mapping[str, Any], *, outcomes: Sequence[Outcome], spoken: frozenset[str]) -> tuple[State, Shelf]:
    """The State that ``given`` describes, and the order in which its cards are dispensable. Raises ScenarioFault."""
    words = car_keys(given, GIVEN_KEYS, "given")
    box = _box(given)
    shelf = Shelf(box, spoken, outcomes)
    track = _track(given)
    supply = _Supply(box, shelf, track)
    if "course" not in given or "turn" not in given:
        _fault('given needs a course and a turn, like course = "S1: 2m 1s; S0: 3s" and turn = "Turn 1" (or new = 4)')
    roads = read_course(given["course"])
    said = {seat: read_car(box, key, given[key]) for seat, key in words.items()}
    seats = _seats(roads, said)
    sections = _printed(box, roads) if track else _sections(roads, supply)
    length = _whole(given, "sections", 8, 3, 8)
    if len(sections) - 1 > length:
        _fault(f"the course reaches S{len(sections) - 1}, but the race ends with Section {length}")
    team = _team(given, driver_words(box, given), said, len(seats))
    turn, phase = _turn(given, seats, said, team)
    turn = _begun(given, turn, supply)
    hands = _hands(seats, said, team, supply)
    asking = {seat_number(name, len(seats), teams=bool(team)) for name in read_names("asks", given.get("asks", ""))}
    _owned_once(said)
    standing = [_car(box, seat, said.get(seat, CarWords()), hands[seat], asks=seat in asking) for seat in seats]
    entered = {seat for seat, words in said.items() if words.just_entered}
    placed = _on_course(standing, roads, supply)
    cars = tuple(msgspec.structs.replace(car, entered_on=turn.number) if car.seat in entered else car for car in placed)
    deck, night = _light(given, track)
    weather, weather_at = _weather(given, sections)
    pile, discards = _piles(given, supply, outcomes)
    state = State(
        components=box.name,
        length=length,
        cars=cars,
        course=sections,
        pile=pile,
        discards=discards,
        deck=deck,
        night=night,
        weather=weather,
        weather_at=weather_at,
        turn=_as_it_stands(turn, phase, cars[turn.seat - 1], teams=bool(team)),
        stack=(Phase(phase),),
        track=track,
    )
    state = msgspec.structs.replace(state, pawn=leader(state))
    return _with_teams(state, given, team, hands, asking) if team else state, shelf


def _team(
    given: Mapping[str, Any], drivers: Mapping[str, CarWords], said: Mapping[int, CarWords], cars: int
) -> dict[int, CarWords]:
    """In a race of teams what is said of each driver, by seat; {} in another."""
    for car, words in said.items():
        if words.role is not None:
            _fault(f"c{car}: Driver and Assistant are said of Dr{car} and As{car}")
    teams = given.get("teams", False)
    if not isinstance(teams, bool):
        _fault(f"teams is true or false, not {teams!r}")
    if not teams:
        if drivers or "pawn" in given:
            _fault(f"«{next(iter(drivers), 'pawn')}» goes with teams = true")
        return {}
    if given.get("track", OPEN) != OPEN:
        _fault("there are no teams on the Beginner's Track")
    for car, words in said.items():
        if words.hand is not None:
            _fault(f"c{car}: in a race of teams each of its drivers has a hand; write Dr{car} and As{car}")
    team = {seat_number(key, cars, teams=True): words for key, words in drivers.items()}
    for car in range(1, cars + 1):
        both = team.get(car, CarWords()), team.get(car + cars, CarWords())
        if both[0].role is not None and both[0].role == both[1].role:
            _fault(f"Dr{car} and As{car} cannot both be the {both[0].role.title()}")
        if both[0].withdrawn and both[1].withdrawn:
            _fault(f"if both drivers have withdrawn, so has the car: write c{car} = «withdrawn»")
    return {seat: team.get(seat, CarWords()) for seat in range(1, 2 * cars + 1)}


def _with_teams(
    state: State, given: Mapping[str, Any], team: Mapping[int, CarWords], hands: Mapping[int, bytes], asking: set[int]
) -> State:
    """The hands and wishes where the turn has them (12.31), roles, the pawn: the Driver's of the lead car (R12.6)."""
    count = len(state.cars)
    player = _player(given, count)
    drivers = tuple(
        car + count if team[car].role == "assistant" or team[car + count].role == "driver" else car
        for car in range(1, count + 1)
    )
    alone = tuple(
        car + count if team[car].withdrawn else car if team[car + count].withdrawn else 0 for car in range(1, count + 1)
    )
    if alone[state.turn.seat - 1] not in (0, player):
        _fault(f"turn is {seat_name(player, count, teams=True)}'s, who has withdrawn")
    names = read_names("pawn", given.get("pawn", seat_name(drivers[state.pawn - 1], count, teams=True)))
    if len(names) != 1:
        _fault(f"pawn is the driver who has it, like «Dr1», not {given['pawn']!r}")
    pawn = seat_number(names[0], count, teams=True)
    if (pawn - 1) % count + 1 != state.pawn:
        _fault(f"pawn: car {state.pawn} leads, so one of its drivers has the pawn")
    teams = msgspec.structs.replace(seated(count), player=player, drivers=drivers, pawn=pawn, alone=alone)
    state = msgspec.structs.replace(state, teams=teams)
    at_hand = [(seat_of(state, car), seat_of(state, car + count)) for car in range(1, count + 1)]
    cars = tuple(
        msgspec.structs.replace(car, hand=hands[here], wishes=here in asking)
        for car, (here, _) in zip(state.cars, at_hand, strict=True)
    )
    partners = tuple(Partner(hands[there], there in asking, bool(team[there].withdrawn)) for _, there in at_hand)
    return msgspec.structs.replace(state, cars=cars, teams=msgspec.structs.replace(teams, partners=partners))


def _player(given: Mapping[str, Any], cars: int) -> int:
    place = read_place(given["turn"])
    assert place is not None
    return seat_number(place[1], cars, teams=True)


def _owned_once(said: Mapping[int, CarWords]) -> None:
    """No upgrade is there twice (10.1)."""
    owners: dict[str, int] = {}
    for seat, words in said.items():
        for letter in sorted(words.upgrades or ()):
            if letter in owners:
                _fault(f"c{owners[letter]} and c{seat} both have the upgrade {letter}, which is there once (10.1)")
            owners[letter] = seat


def _box(given: Mapping[str, Any]) -> ComponentSet:
    name = given.get("components", "classic")
    try:
        return components.named(str(name))
    except components.UnknownSet as error:
        raise ScenarioFault(str(error)) from error


def _track(given: Mapping[str, Any]) -> str | UnsetType:
    """The Beginner's Track, or UNSET for the open road; what it has not (RBT3) is not given on it."""
    track = given.get("track", OPEN)
    if track not in TRACKS:
        _fault(f"track is one of {', '.join(TRACKS)}, not {track!r}")
    if track == OPEN:
        return UNSET
    for key in ("sections", "weather"):
        if key in given:
            _fault(f"«{key}» does not go with the Beginner's Track (RBT3)")
    return BEGINNER


def _printed(box: ComponentSet, roads: Sequence[Road]) -> tuple[Section, ...]:
    """The printed map with the cars where the course has them."""
    sections, _ = prepared(box, 0)
    course = list(sections)
    for road in roads:
        if road.side or road.removed or road.value > 1 or road.rest_stop or road.number >= len(course):
            _fault(f"S{road.number}: on the Beginner's Track the course is the printed one; write only cars and signs")
        if any(standing.markers & {"narrow", "wide"} for standing in road.cars):
            _fault(f"S{road.number}: there is no Narrow or Wide Road on the Beginner's Track (RBT3)")
        course[road.number] = msgspec.structs.replace(
            course[road.number], line=tuple(standing.car for standing in road.cars), signs=road.signs
        )
    return tuple(course)


def _whole(given: Mapping[str, Any], key: str, default: int, low: int, high: int) -> int:
    value = given.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        _fault(f"{key} is a whole number from {low} to {high}, not {value!r}")
    return value


def _seats(roads: Sequence[Road], said: Mapping[int, CarWords]) -> range:
    """Cars are numbered from 1 without a gap; one that is not on the course must be a wreck or withdrawn."""
    on_course = {standing.car for road in roads for standing in road.cars}
    for seat in sorted(set(said) - on_course):
        if not (said[seat].wreck or said[seat].withdrawn):
            _fault(f"c{seat} is described, but car {seat} is not on the course; say «wreck» if it waits to start anew")
    for seat in sorted(on_course & set(said)):
        if said[seat].wreck or said[seat].withdrawn:
            _fault(f"c{seat} is a wreck or withdrawn, so it is not on the course")
    every = on_course | set(said)
    if every != set(range(1, len(every) + 1)):
        _fault(f"cars are numbered from 1 without a gap, and here are {', '.join(map(str, sorted(every)))}")
    if not 2 <= len(every) <= MOST_SEATS:
        _fault(f"a race has 2 to {MOST_SEATS} cars, and here are {len(every)}")
    return range(1, len(every) + 1)


def _sections(roads: Sequence[Road], supply: _Supply) -> tuple[Section, ...]:
    """Road 0 and the Sections up to the foremost; those not named behind all cars have been removed (R6.22)."""
    named = {road.number: road for road in roads if not road.side}
    for road in roads:
        if road.side and road.number not in named and road.number != 0:
            named[road.number] = Road(road.number)
    lowest = min((road.number for road in roads if road.cars), default=0)
    sections = []
    for number in range(max(named) + 1):
        road = named.get(number, Road(number, 0 if number == 0 else 1, removed=number < lowest))
        if number not in named and number >= lowest and number:
            _fault(f"the course has a gap: S{number} is missing; an empty Section is «S{number}: -»")
        sections.append(_section(road, supply))
    return tuple(sections)


def _section(road: Road, supply: _Supply) -> Section:
    if road.number == 0:
        return Section(line=tuple(standing.car for standing in road.cars))
    line = tuple(standing.car for standing in road.cars)
    if road.removed:
        return Section(value=road.value, laid=False, line=line)
    if 0 in road.signs:
        _fault(f"S{road.number} has a Changed Road Sign; say which car placed it, like «Sign 3»")
    card = _road_card(road, supply)
    return Section(card, road.value, road.rest_stop, laid=True, line=line, signs=road.signs)


def _road_card(road: Road, supply: _Supply) -> int:
    """A Road card of this value from the box; value 1 may also be a red one. A Side Road may be any of them."""
    name = f"S{road.number}{'/SR' if road.side else ''}"
    key = _ROAD_KINDS.get((road.value, road.rest_stop))
    if key is None:
        _fault(f"{name}: there is no Road card of value {road.value}{' with a Rest Stop' if road.rest_stop else ''}")
    if key == "move_1" and not any(card in supply.left for card in supply.shelf.of_kind(key)):
        key = "red_move_1"
    return supply.take(key, f"{name} needs its Road card")


def _turn(
    given: Mapping[str, Any], seats: range, said: Mapping[int, CarWords], team: Mapping[int, CarWords]
) -> tuple[Turn, int]:
    """Whose turn it is, and the phase of it (its place in flow.SEQUENCE)."""
    place = read_place(given["turn"]) if isinstance(given["turn"], str) else None
    if place is None:
        _fault(
            f"turn is «Turn 1» (as its Action Phase begins), «Event 1» (its Event Phase) or «Acts 1» (automatic passes "
            f"and exit are over), not {given['turn']!r}"
        )
    phase, name = place
    try:
        player = seat_number(name, len(seats), teams=bool(team))
    except ScenarioFault:
        _fault(f"turn is {'' if team else 'car '}{name}'s, and there is no such {'driver' if team else 'car'}")
    seat = (player - 1) % len(seats) + 1
    if said.get(seat, CarWords()).withdrawn:
        _fault(f"turn is car {seat}'s, which has withdrawn")
    names = [name for name, _ in flow.SEQUENCE]
    anew = bool(said.get(seat, CarWords()).wreck)
    if anew and phase != "event":
        _fault(f"car {seat} is a wreck and starts anew as its turn begins: write «Event {name}»")
    number = (_whole(given, "round", LATER_ROUND, 1, 99) - 1) * (len(team) or len(seats)) + player - 1
    steps = {"event": "begin" if anew else "event", "turn": "passes", "acts": "acts"}
    return Turn(number, seat), names.index(steps[phase])


def _begun(given: Mapping[str, Any], turn: Turn, supply: _Supply) -> Turn:
    """What has been played in this turn already: cards counted, Move cards on the table, Landmarks and Red Lines."""
    played = _whole(given, "played", 0, 0, 99)
    moves = tuple(
        MoveCard(supply.take(key, "the table"), left, left)
        for key, lefts in read_table(supply.box, given.get("table", "none")).items()
        for left in lefts
    )
    marks = {
        key: bytes(supply.take(card, "the table") for _ in range(_whole(given, key, 0, 0, 9)))
        for key, card in (("landmarks", "landmark"), ("red_lines", "red_line"))
    }
    return msgspec.structs.replace(turn, played=played, acted=bool(played or moves), moves=moves, **marks)


def _as_it_stands(turn: Turn, phase: int, car: Car, *, teams: bool) -> Turn:
    """The turn with what its car's state says of it; «Acts» passes over the beginning of the Action Phase."""
    acting = flow.SEQUENCE[phase][0] == "acts"
    fresh = False if teams and not car.moving else UNSET
    return msgspec.structs.replace(
        turn, benefit=car.at_stop, acting=acting, began_stopped=acting and not car.moving, fresh=fresh
    )


def _hands(
    seats: range, said: Mapping[int, CarWords], team: Mapping[int, CarWords], supply: _Supply
) -> dict[int, bytes]:
    """Everybody's hand by seat: first the cards that are named, over all hands, then the rest."""
    hands: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    names = {seat: seat_name(seat, len(seats), teams=True) if team else f"c{seat}" for seat in team or seats}
    for seat, name in names.items():
        car = (seat - 1) % len(seats) + 1
        words = said.get(car, CarWords())
        limit = LONGEST_HAND - (words.damage or 0) + bool(_fitted(supply.box, car, words) & COMPUTER)
        hand = (team[seat] if team else words).hand or HandWords()
        hands[seat] = [supply.take(key, f"{name}'s hand") for key in hand.named]
        count = hand.count if hand.count is not None else len(hand.named) + hand.more
        if words.wreck or words.withdrawn or (team and team[seat].withdrawn):
            count = 0
        elif hand.count is None and not count:
            count = min(CARDS_UNSAID, limit)
        if count > limit:
            _fault(f"{name} would hold {count} cards; with {words.damage or 0} Damage its limit is {limit} (4.5)")
        missing[seat] = count - len(hands[seat])
    return {
        seat: bytes(hands[seat] + supply.take_least_useful(missing[seat], f"{name}'s hand"))
        for seat, name in names.items()
    }


def _car(box: ComponentSet, seat: int, words: CarWords, hand: bytes, *, asks: bool) -> Car:
    """A car that stands nowhere yet."""
    if words.limit is not None:
        _fault(f"c{seat}: limit follows from D; it can only be expected, not given")
    _in_range(seat, words)
    return Car(
        seat=seat,
        hand=hand,
        fuel=TANK if words.fuel is None else words.fuel,
        damage=words.damage or 0,
        log=words.log or 0,
        problems=sum(PROBLEM_BIT[key] for key in words.problems or ()),
        repairs=words.repairs or 0,
        at_stop=bool(words.at_stop),
        sabotage=bool(words.sabotage),
        wreck=bool(words.wreck),
        withdrawn=bool(words.withdrawn),
        leaving=bool(words.withdrawn),
        wishes=asks,
        fitted=_fitted(box, seat, words) or UNSET,
    )


def _fitted(box: ComponentSet, seat: int, words: CarWords) -> int:
    """A car's upgrades as bits."""
    fitted = sum(UPGRADE_BIT[box.upgrades[letter].key] for letter in words.upgrades or ())
    if words.reserve_used is not None and not fitted & RESERVE_TANK:
        _fault(f"c{seat} has no Reserve Tank that could be used; say «upgrades G, Reserve used»")
    if fitted & RESERVE_TANK and words.fuel == 0 and not words.reserve_used:
        _fault(f"c{seat}: an empty tank has opened the Reserve Tank; say «Reserve used»")
    return fitted | FLIPPED if words.reserve_used else fitted


def _in_range(seat: int, words: CarWords) -> None:
    figures = (
        ("F", words.fuel, 0, 8),
        ("D", words.damage, 0, WRECKED_AT - 1),
        ("L", words.log, -4, 4),
        ("Repairs +", words.repairs, 0, 2),
    )
    for letter, value, low, high in figures:
        if value is not None and not low <= value <= high:
            _fault(f"c{seat}: {letter} goes from {low} to {high}, and here it is {value}")


def _on_course(cars: Sequence[Car], roads: Sequence[Road], supply: _Supply) -> tuple[Car, ...]:
    """The cars where the course has them."""
    places = {standing.car: (road, standing) for road in roads for standing in road.cars}
    return tuple(_placed(car, *places[car.seat], supply) if car.seat in places else car for car in cars)


def _placed(car: Car, road: Road, standing: Standing, supply: _Supply) -> Car:
    if {"narrow", "wide"} <= standing.markers:
        _fault(f"car {car.seat} cannot be on a Narrow and a Wide Road at once")
    marker = NARROW if "narrow" in standing.markers else WIDE if "wide" in standing.markers else NONE
    camouflage = "camouflage" in standing.markers
    if camouflage and standing.moving:
        _fault(f"car {car.seat} moves, so it cannot be camouflaged (9.1)")
    if car.at_stop and standing.moving:
        _fault(f"c{car.seat} is at the Rest Stop, so it stands still: {car.seat}s")
    if road.side and len(road.cars) != 1:
        _fault(f"a Side Road holds the one car that laid it (6.71): S{road.number}/SR")
    return msgspec.structs.replace(
        car,
        section=road.number,
        side=_road_card(road, supply) if road.side else -1,
        canyon=road.canyon,
        moving=standing.moving,
        road=marker,
        camouflage=camouflage,
    )


def _light(given: Mapping[str, Any], track: str | UnsetType) -> tuple[int, bool]:
    """Deck and light; each follows from the other if only one is said. On the Beginner's Track it is always day."""
    light = given.get("light")
    if light not in (None, "day", "night"):
        _fault(f"light is «day» or «night», not {light!r}")
    deck = _whole(given, "deck", 3 if light == "night" else 1, 1, 99)
    night = is_night(deck) and not track
    if light is not None and night != (light == "night"):
        _fault(f"deck {deck} is played by {'night' if night else 'day'} (8.3), not by {light}")
    return deck, night


def _weather(given: Mapping[str, Any], sections: Sequence[Section]) -> tuple[int, int]:
    kind, section = read_weather(given.get("weather", "none"))
    if kind and (section >= len(sections) or not sections[section].laid):
        _fault(f"weather lies on S{section}, which is not on the course")
    return WEATHER_WORDS.index(kind), section


def _piles(given: Mapping[str, Any], supply: _Supply, outcomes: Sequence[Outcome]) -> tuple[bytes, bytes]:
    """Draw pile and discards.

    What is said of neither goes on the draw pile. If the number of its cards is said, those come first that the
    scenario will draw; what it cannot hold of them is looked for in the discards, which will be the next deck. The
    rest stays in the box.
    """
    thrown = pile_words(supply.box, given.get("discards", 0))
    discards = [supply.take(key, "the discards") for key in thrown.named]
    to_come = list(outcomes)
    if "pile" in given:
        pile = _filled(pile_words(supply.box, given["pile"]), [], supply, to_come, "the draw pile")
        discards = _filled(thrown, discards, supply, to_come, "the discards")
    else:
        discards = _filled(thrown, discards, supply, [], "the discards")
        pile = sorted(supply.left)
    return bytes(pile), bytes(discards)


def _filled(words: HandWords, cards: list[int], supply: _Supply, to_come: list[Outcome], why: str) -> list[int]:
    """A pile as large as its words say: the cards named, then those for outcomes to come (struck off), then any."""
    cards = cards or [supply.take(key, why) for key in words.named]
    count = words.count if words.count is not None else len(cards) + words.more
    wanted = reserved(supply.box, supply.shelf, sorted(supply.left), to_come)
    for card in list(wanted)[: max(0, count - len(cards))]:
        supply.left.remove(card)
        cards.append(card)
        to_come.remove(wanted[card])
    return sorted(cards + supply.take_least_useful(count - len(cards), why))
