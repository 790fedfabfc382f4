"""What is true in a race of RoadKill: cars, course, piles, the turn, and what the race is busy with.

A ``State`` is frozen. Rule functions work on a ``Table``, a loose copy with the chance source and the events at hand;
when the next question is reached it is set down as a State again. A refusal is raised before that, so it can
half-change nothing.

Piles and hands are ``bytes``: one card id (0 to 127 in the set ``classic``) a byte, order without meaning. A pile is
not kept in an order: each card is drawn from it by chance when it is drawn, so nothing can be read ahead.
"""

from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from games.engine.chance import Chance
from games.engine.contract import Event
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import AnyAction, End, Trade
from games.rulesets.roadkill.sheet import on_the_sheet

EXIT = 4
"""Road Log: the Automatic Exit box; boxes run from -4 to +3 (R6.23)."""
LOWEST_LOG = -4
TANK = 8
WRECKED_AT = 7
NONE, NARROW, WIDE = 0, 1, 2
CLEAR, FOG, RAIN, BLIZZARD = 0, 1, 2, 3
WEATHER_WORDS = ("", "fog", "rain", "blizzard")
ROAD_WORDS = ("", "narrow", "wide")

PROBLEMS = (
    "flat_tire",
    "coolant_leak",
    "fuel_leak",
    "broken_shocks",
    "brakes_worn",
    "engine_wear",
    "headlights_out",
)
"""Mechanical Problems by the number drawn on the wrench column; 0, the Flat Tire, is never drawn (R7.3b)."""
FLAT_TIRE, COOLANT_LEAK, FUEL_LEAK, BROKEN_SHOCKS, BRAKES_WORN, ENGINE_WEAR, HEADLIGHTS_OUT = (1 << n for n in range(7))
PROBLEM_BIT = {key: 1 << n for n, key in enumerate(PROBLEMS)}

UPGRADES = components.UPGRADE_KEYS
"""Car upgrades by their bit in Car.fitted (10.3). Their letters are the component set's."""
(
    COMPUTER,
    BEACON,
    RADAR,
    ALARM,
    POWER_RAM,
    CRUISE_CONTROL,
    RESERVE_TANK,
    SUPERCHARGER,
    ROTOR,
    QUICK_STOP,
    FUEL_CELL,
) = UPGRADE_BITS = tuple(1 << n for n in range(11))
UPGRADE_BIT = {key: 1 << n for n, key in enumerate(UPGRADES)}
FLIPPED = 1 << len(UPGRADES)
"""In Car.fitted: the Reserve Tank has been used and not been filled again."""
RESERVE = 4
"""Fuel boxes at which a Reserve Tank sets the gauge: Half."""


class Car(msgspec.Struct, frozen=True, gc=False):
    """One seat's car and hand.

    ``section``: where it is, also for a car on a Side Road. ``side``: the card id of the Side Road it stands on, -1 for
    none. ``problems``: one bit a Mechanical Problem. ``entered_on``: number of the turn in which it entered the present
    Section or Side Road. ``at_stop``: has the Rest Stop marker. ``wishes``: asked to be asked where any player may play
    a card; a secret. ``fitted``: one bit an upgrade, and FLIPPED; UNSET without any, so that it is left out of the
    state's JSON and a race without upgrades keeps its digests.
    """

    seat: int
    hand: bytes = b""
    section: int = 0
    side: int = -1
    canyon: bool = False
    moving: bool = False
    fuel: int = TANK
    damage: int = 0
    log: int = 0
    problems: int = 0
    road: int = NONE
    camouflage: bool = False
    repairs: int = 0
    at_stop: bool = False
    sabotage: bool = False
    wreck: bool = False
    leaving: bool = False
    withdrawn: bool = False
    entered_on: int = -1
    wishes: bool = False
    fitted: int | UnsetType = UNSET

    @property
    def present(self) -> bool:
        """On the course: neither a wreck that waits nor withdrawn."""
        return not (self.wreck or self.withdrawn)


def has(car: Car, upgrade: int) -> bool:
    """Whether the car has this upgrade (10.3), or this bit of its marker."""
    fitted = car.fitted
    return fitted is not UNSET and bool(fitted & upgrade)


def has_reserve(car: Car) -> bool:
    """Whether the car has a Reserve Tank that has not been used (10.3 G)."""
    fitted = car.fitted
    return fitted is not UNSET and fitted & (RESERVE_TANK | FLIPPED) == RESERVE_TANK


def is_dry(car: Car) -> bool:
    """Whether the car is out of gas; with a Nuclear Fuel Cell it never is (10.3 Z)."""
    return car.fuel == 0 and not has(car, FUEL_CELL)


def upgrades_of(car: Car) -> list[str]:
    """The keys of the car's upgrades, in the order of UPGRADES."""
    fitted = car.fitted
    return [] if fitted is UNSET else [key for key in UPGRADES if fitted & UPGRADE_BIT[key]]


class Section(msgspec.Struct, frozen=True, gc=False):
    """A Section of the course.

    ``card``: the Road card that lies there, -1 on Road 0 and once removed. ``line``: seats, first in front.

    ``signs``: seats that placed a Changed Road Sign here.
    """

    card: int = -1
    value: int = 0
    rest: bool = False
    laid: bool = True
    line: tuple[int, ...] = ()
    signs: tuple[int, ...] = ()


class MoveCard(msgspec.Struct, frozen=True, gc=False):
    """A Move card on the table in this turn.

    ``left``: passes it still has; ``full``: the value fixed when it was played (R6.41b).
    """

    card: int
    left: int
    full: int


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The turn in progress.

    ``number`` counts from 0. ``played``: cards that count against the draw (R5.4). ``acting``: the Action Phase has
    begun. ``over``: no more acts (6.6). ``free_stop``: the stop in this Action Phase was by will, so Camouflage may
    follow (R6.6). ``acted``: anything that spoils a rest (6.62). ``attempted``: a repair attempt was made (7.4).
    ``benefit``: began at the Rest Stop (6.7). ``thirsty``: started with an empty tank and must forage (6.63).
    ``units``: (target, passes towards a doubled requirement) (8.5). ``answered``: (Move or Attack card, seat) pairs
    that had their red card (5.2). ``ending``: what the End act asked for, () until it comes. ``spent``: Move cards used
    up, each with the rule that says so. ``reacted``: a 6.51 card was played. ``offers``: trades offered (R-offers).
    ``boosted``: the Supercharger has been declared (10.3 H), else UNSET. ``fresh``, of a team's car (12.5): False while
    it has not moved since its turn began, True right after it has got going, UNSET from the next act on.
    """

    number: int
    seat: int
    acting: bool = False
    began_stopped: bool = False
    played: int = 0
    over: bool = False
    free_stop: bool = False
    acted: bool = False
    attempted: bool = False
    benefit: bool = False
    thirsty: bool = False
    moves: tuple[MoveCard, ...] = ()
    landmarks: bytes = b""
    red_lines: bytes = b""
    units: tuple[tuple[int, int], ...] = ()
    answered: tuple[tuple[int, int], ...] = ()
    ending: tuple[End, ...] = ()
    spent: tuple[tuple[str, str], ...] = ()
    reacted: bool = False
    offers: int = 0
    boosted: bool | UnsetType = UNSET
    fresh: bool | UnsetType = UNSET


class Partner(msgspec.Struct, frozen=True, gc=False):
    """The partner of a team who does not play its car in this turn: hand, wish, and whether this driver gives up."""

    hand: bytes = b""
    wishes: bool = False
    leaving: bool = False


class Teams(msgspec.Struct, frozen=True, gc=False):
    """Chapter 12: two players a car, in a race of n cars the seats c and c + n of car c, clockwise round the table.

    ``player``: the seat whose turn it is. ``partners``: by car, the partner who does not play it in this turn; the one
    who does (12.31) has his hand in Car. ``drivers``: by car, the seat that is its Driver; the other is its Assistant
    Driver. ``pawn``: the seat that has the pawn (12.6). ``alone``: by car, the seat that plays it alone since its
    partner gave up, 0 if both play (R-withdraw).

    In all that the rules see, a number up to n is a car and whoever plays it in this turn, one above n the other
    partner of car number - n (see seat_of, who_is).
    """

    player: int
    partners: tuple[Partner, ...]
    drivers: tuple[int, ...]
    pawn: int
    alone: tuple[int, ...]


class Frame(msgspec.Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    """Base of what the race is busy with. Frames stack; the top one goes on first."""


class Phase(Frame, frozen=True, gc=False):
    """A step of the sequence of play, by its place in flow.SEQUENCE."""

    step: int


class Acts(Frame, frozen=True, gc=False):
    """5.2: the active car acts until it ends."""


class AutoPasses(Frame, frozen=True, gc=False):
    """6.61: the chain of automatic passes. ``asked``: the owner has been asked for the present target."""


class ExitOffer(Frame, frozen=True, gc=False):
    """6.25: the active player has been offered the Automatic Exit."""


class Asked(Frame, frozen=True, gc=False):
    """Seats owe an answer to one question; ``given`` are the answers so far, sealed here until none is missing.

    ``kind`` names the question. What else it is about: ``seat`` (whose car), ``card`` (a card's key), ``letter`` (an
    Event's key).
    """

    kind: str
    seats: tuple[int, ...]
    given: tuple[tuple[int, AnyAction], ...] = ()
    seat: int = 0
    card: str = ""
    letter: str = ""


class Fates(Frame, frozen=True, gc=False):
    """9.3: Fate against what was just played.

    ``count``: Fates played so far, each against the one before; ``owner`` played the last.
    """

    on: str
    owner: int
    count: int = 0


class Announced(Frame, frozen=True, gc=False):
    """An act of the active car on its way: announced, answered, then resolved (5.2).

    ``act`` is the action given. ``cards``: those that left the hand with it, the main card first; ``main`` is the Move
    card it is played with, which may lie on the table already. ``target``: the car passed or attacked, 0 for none.
    ``red``, ``react``: card ids of the answer and of the Active car's reaction, -1 for none. ``red_by``: who answered.
    ``sealed``: the answer or reaction while Fate is settled. ``fated``: the key of the card that Fate struck. ``void``:
    (attack, pass, counterattack) were made void.
    """

    act: AnyAction
    stage: int = 0
    cards: bytes = b""
    main: int = -1
    target: int = 0
    units: int = 1
    sealed: str = ""
    fated: str = ""
    red: int = -1
    react: int = -1
    target_was_moving: bool = False


class Attacking(Frame, frozen=True, gc=False):
    """6.42, 6.5: one attack's draw and table.

    ``by``: attacker, 0 for snipers; ``shift``: what Swerve and Firm Shoulders take off.
    """

    by: int
    target: int
    key: str
    shift: int = 0


class Exchange(Frame, frozen=True, gc=False):
    """6.41: the places are exchanged, if the pass stands."""

    by: int
    target: int
    units: int = 1
    auto: bool = False
    target_was_moving: bool = False
    attack: bool = False


class Damages(Frame, frozen=True, gc=False):
    """7.3: so many points of Damage, each followed by a check."""

    seat: int
    points: int


class Check(Frame, frozen=True, gc=False):
    """7.3: a Damage Check with its modifier; ``asked``: Great Reflexes was offered."""

    seat: int
    shift: int
    stage: int = 0


class Result(Frame, frozen=True, gc=False):
    """7.3: a Damage Table result that may be averted before it strikes."""

    seat: int
    number: int
    stage: int = 0
    card: int = -1


class Trouble(Frame, frozen=True, gc=False):
    """7.3: a draw on the wrench column."""

    seat: int


class RedLines(Frame, frozen=True, gc=False):
    """R-red: the checks of announced Red Lines, before the act that they came with goes on."""

    seat: int
    left: int


class Starting(Frame, frozen=True, gc=False):
    """6.1: the car gets going if it still can."""

    seat: int


class Leaving(Frame, frozen=True, gc=False):
    """6.21 to 6.25: the way out is free; the car pays and goes, past a Changed Road Sign if there is one.

    ``card``: the Move or Road card, -1 without one.
    """

    seat: int
    card: int
    automatic: bool = False
    stage: int = 0
    sign: int = 0


class Entered(Frame, frozen=True, gc=False):
    """R6.2, R-box: after a Section was laid: Box Canyon may answer; then the finish, or an empty tank, is looked at."""

    seat: int
    laid: bool
    left: int
    automatic: bool = False
    stage: int = 0
    card: int = -1
    by: int = 0


class EventCard(Frame, frozen=True, gc=False):
    """8: a drawn Event on its way.

    ``queue``: cars still to be offered a first-choice Event; ``seat``: the car it is about.
    """

    key: str
    stage: int = 0
    seat: int = 0
    queue: tuple[int, ...] = ()
    card: int = -1


class Looting(Frame, frozen=True, gc=False):
    """R-theft: the thief has seen the victim's hand."""

    seat: int
    victim: int
    stage: int = 0


class Trading(Frame, frozen=True, gc=False):
    """9.7: an offer that waits for the other's word."""

    offer: Trade
    seat: int


class Drafting(Frame, frozen=True, gc=False):
    """10.1, 10.2: upgrades are picked before play begins.

    ``order``: the seats still to pick, the next one first; ``points``: what each may spend in all, 0 if they are free.
    """

    order: tuple[int, ...]
    points: int = 0


class Sharing(Frame, frozen=True, gc=False):
    """12.4: a team's player draws and passes cards one by one. ``left``: draws and passes that he has left."""

    left: int


class Keeping(Frame, frozen=True, gc=False):
    """12.5: the drivers of the active car have changed; its player chooses what to keep of both hands."""


class Removing(Frame, frozen=True, gc=False):
    """R6.22: all windows are closed; Sections passed by all cars are taken up."""


AnyFrame: TypeAlias = (
    Phase
    | Acts
    | AutoPasses
    | ExitOffer
    | Asked
    | Fates
    | Announced
    | Attacking
    | Exchange
    | Damages
    | Check
    | Result
    | Trouble
    | RedLines
    | Starting
    | Leaving
    | Entered
    | EventCard
    | Looting
    | Trading
    | Drafting
    | Sharing
    | Keeping
    | Removing
)


class State(msgspec.Struct, frozen=True, gc=False):
    """Everything true in a race. Server only.

    ``cars`` by seat (seat n at n - 1). ``course``: Road 0, then the Sections in order. ``deck`` counts decks from 1;
    ``night`` as 8.3. ``weather_at``: the Section the weather lies on. ``pawn``: who was last told to lead. ``stack``:
    frames, the top one last. ``winner``: 0 until the race is over, then ``ending`` says how. ``track``: "beginner" on
    the Beginner's Track, else UNSET, so that it is left out of the JSON and other races keep their digests; ``teams``
    likewise: UNSET where each car has one driver.
    """

    components: str
    length: int
    cars: tuple[Car, ...]
    course: tuple[Section, ...]
    pile: bytes
    discards: bytes
    deck: int
    night: bool
    weather: int
    weather_at: int
    turn: Turn
    stack: tuple[AnyFrame, ...]
    pawn: int = 1
    winner: int = 0
    ending: str = ""
    track: str | UnsetType = UNSET
    teams: Teams | UnsetType = UNSET


class Table:
    """The race while rules work on it; read and set freely, then set down as a State."""

    __slots__ = (
        "cars",
        "chance",
        "components",
        "course",
        "deck",
        "discards",
        "ending",
        "events",
        "length",
        "night",
        "pawn",
        "pile",
        "set",
        "stack",
        "teams",
        "track",
        "turn",
        "weather",
        "weather_at",
        "winner",
    )

    def __init__(self, state: State, chance: Chance) -> None:
        self.components = state.components
        self.set = components.named(state.components)
        self.length = state.length
        self.cars = list(state.cars)
        self.course = list(state.course)
        self.pile = state.pile
        self.discards = state.discards
        self.deck = state.deck
        self.night = state.night
        self.weather = state.weather
        self.weather_at = state.weather_at
        self.turn = state.turn
        self.stack: list[Any] = list(state.stack)
        self.pawn = state.pawn
        self.winner = state.winner
        self.ending = state.ending
        self.track = state.track
        self.teams = state.teams
        self.chance = chance
        self.events: list[Event] = []

    def state(self) -> State:
        """The race set down."""
        return State(
            self.components,
            self.length,
            tuple(self.cars),
            tuple(self.course),
            self.pile,
            self.discards,
            self.deck,
            self.night,
            self.weather,
            self.weather_at,
            self.turn,
            tuple(self.stack),
            self.pawn,
            self.winner,
            self.ending,
            self.track,
            self.teams,
        )

    def car(self, seat: int) -> Car:
        """The car of this seat."""
        return self.cars[seat - 1]

    def change(self, seat: int, **fields: Any) -> Car:
        """Set fields of a car; returns the new one."""
        car = replace(self.cars[seat - 1], **fields)
        self.cars[seat - 1] = car
        return car

    def note(self, **fields: Any) -> None:
        """Set fields of the turn."""
        self.turn = replace(self.turn, **fields)

    def section(self, number: int, **fields: Any) -> None:
        """Set fields of a Section."""
        self.course[number] = replace(self.course[number], **fields)

    def push(self, *frames: Any) -> None:
        """Put frames on the stack; the last one named goes on first."""
        self.stack.extend(frames)

    def tell(self, kind: str, rule: str, private: dict[int, dict[str, Any]] | None = None, /, **public: Any) -> None:
        """Note something that happened; on the Beginner's Track under the number of its sheet.

        In a race of teams ``seat`` and ``target`` are cars, and ``player`` and ``role`` say which partner ``seat`` was.
        """
        number = on_the_sheet(rule) if self.track else rule
        if self.teams:
            private = {seat_of(self, who): part for who, part in (private or {}).items()}
            if "seat" in public:
                player = seat_of(self, public["seat"])
                public |= {"seat": car_of(self, public["seat"]), "player": player, "role": role_of(self, player)}
        self.events.append(Event(kind, number, public, private or {}))

    def set_hand(self, who: int, hand: bytes) -> None:
        """Give this driver these cards in place of the present ones."""
        if who <= len(self.cars):
            self.change(who, hand=hand)
        else:
            self.change_partner(who, hand=hand)

    def change_partner(self, who: int, **fields: Any) -> None:
        """Set fields of the partner who does not play a car in this turn."""
        teams, place = teams_of(self), who - len(self.cars) - 1
        partners = list(teams.partners)
        partners[place] = replace(partners[place], **fields)
        self.teams = replace(teams, partners=tuple(partners))

    def key(self, card: int) -> str:
        """The key of a card's kind."""
        return self.set.card_keys[card]


Position: TypeAlias = State | Table
"""For rules that only look."""


def hand_of(position: Position, who: int) -> bytes:
    """The hand of a driver: whoever plays car ``who`` in this turn, or above the cars' numbers the other partner."""
    cars = position.cars
    return cars[who - 1].hand if who <= len(cars) else teams_of(position).partners[who - len(cars) - 1].hand


def teams_of(position: Position) -> Teams:
    """The teams of a race that has them; AssertionError in another."""
    assert position.teams is not UNSET
    return position.teams


def car_of(position: Position, who: int) -> int:
    """The car of a seat, or of a number in the rules."""
    return (who - 1) % len(position.cars) + 1


def seat_of(position: Position, who: int) -> int:
    """The seat behind a number in the rules.

    Up to the number of cars it is who plays that car in this turn: of its two partners the first clockwise from the
    active player (12.31, R12); above it, the other one. Without teams every number is the seat itself.
    """
    teams, count = position.teams, len(position.cars)
    if teams is UNSET:
        return who
    alone = teams.alone[car_of(position, who) - 1]
    if alone:
        return alone if who <= count else (alone - 1 + count) % (2 * count) + 1
    away = (who - teams.player) % count + (count if who > count else 0)
    return (teams.player - 1 + away) % (2 * count) + 1


def who_is(position: Position, seat: int) -> int:
    """The number by which the rules know a seat in this turn; the reverse of seat_of()."""
    if position.teams is UNSET:
        return seat
    car = car_of(position, seat)
    return car if seat_of(position, car) == seat else car + len(position.cars)


def role_of(position: Position, seat: int) -> str:
    """What a seat of a team is to its car (12.1): "driver" or "assistant"."""
    return "driver" if teams_of(position).drivers[car_of(position, seat) - 1] == seat else "assistant"


def drivers_of(position: Position, car: int) -> tuple[int, ...]:
    """The numbers of all who drive this car, the Driver first."""
    if position.teams is UNSET:
        return (car,)
    both = (car, car + len(position.cars))
    return both if role_of(position, seat_of(position, car)) == "driver" else both[::-1]


@lru_cache
def _kind_table(set_name: str) -> bytes:
    return components.named(set_name).card_kind.ljust(256, b"\xff")


def kinds_of(position: Position, cards: bytes) -> bytes:
    """The kind of each card, by its index in the set; quick, for hands are looked through for every answer."""
    return cards.translate(_kind_table(position.components))


def find_card(position: Position, hand: bytes, key: str) -> int:
    """The first card of this kind in a hand, -1 if there is none."""
    kind = components.named(position.components).kind_index.get(key)
    place = -1 if kind is None else kinds_of(position, hand).find(kind)
    return hand[place] if place >= 0 else -1


def without(cards: bytes, card: int) -> bytes:
    """The cards less this one; ValueError if it is not among them."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]


def race_order(position: Position) -> list[int]:
    """R6.3: all seats in race order: later Section first, place in line, then Side Roads by Road Log and number.

    Wrecks, then withdrawn.
    """
    order: list[int] = []
    sides: dict[int, list[Car]] = {}
    gone: list[int] = []
    quitters: list[int] = []
    for car in position.cars:
        if car.withdrawn:
            quitters.append(car.seat)
        elif car.wreck:
            gone.append(car.seat)
        elif car.side >= 0:
            sides.setdefault(car.section, []).append(car)
    for number in range(len(position.course) - 1, -1, -1):
        order.extend(position.course[number].line)
        if number in sides:
            order.extend(car.seat for car in sorted(sides[number], key=lambda car: (-car.log, car.seat)))
    return order + gone + quitters


def leader(position: Position) -> int:
    """6.3: the seat that leads the race and has the pawn: the first of race_order(), without the rest of it."""
    course = position.course
    for number in range(len(course) - 1, -1, -1):
        line = course[number].line
        if line:
            return line[0]
        sides = [car for car in position.cars if car.side >= 0 and car.section == number and car.present]
        if sides:
            return min(sides, key=lambda car: (-car.log, car.seat)).seat
    return race_order(position)[0]


def ahead_of(position: Position, seat: int) -> int:
    """The seat directly ahead in the same line, 0 if there is none or the car is on a Side Road."""
    car = position.cars[seat - 1]
    if car.side >= 0 or not car.present:
        return 0
    line = position.course[car.section].line
    place = line.index(seat)
    return line[place - 1] if place else 0


def behind(position: Position, seat: int) -> int:
    """The seat directly behind in the same line, 0 if there is none or the car is on a Side Road."""
    car = position.cars[seat - 1]
    if car.side >= 0 or not car.present:
        return 0
    line = position.course[car.section].line
    place = line.index(seat)
    return line[place + 1] if place + 1 < len(line) else 0


def trailers(position: Position, seat: int) -> int:
    """R6.24a: cars on earlier Sections and their Side Roads.

    Not those on one's own Section's Side Roads, not wrecks.
    """
    section = position.cars[seat - 1].section
    return sum(1 for car in position.cars if car.present and car.section < section)


def cars_in_play(position: Position) -> int:
    """R6.24a: the players' cars, wrecks that will start anew included, withdrawn ones not."""
    return sum(1 for car in position.cars if not car.withdrawn)


def clockwise(position: Position, first: int) -> list[int]:
    """All seats in turn order from this one on."""
    count = len(position.cars)
    return [(first - 1 + step) % count + 1 for step in range(count)]
