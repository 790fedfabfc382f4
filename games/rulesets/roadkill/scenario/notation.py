"""The notation of positions: course, cars, hands and numbers as people write them on paper, read and written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NoReturn

import msgspec

from games.engine.scenarios import ScenarioFault
from games.rulesets.roadkill.components import COLUMNS, ComponentSet

MARKERS = {"N": "narrow", "W": "wide", "C": "camouflage"}
WEATHERS = ("fog", "rain", "blizzard")
NOBODY = ("", "-", "\u2013", "\u2014")
EXIT_BOX = 4

_COLUMN_WORDS = {column.casefold(): column for column in COLUMNS} | {
    "4": "R",
    "5": "attack",
    "6": "wrench",
    "10": "0",
}
_ROAD = re.compile(
    r"S(?P<number>\d+)(?P<side>/SR)?\s*(?:\((?P<about>[^)]*)\))?\s*:(?P<cars>.*)", re.IGNORECASE | re.DOTALL
)
_CAR = re.compile(r"(?P<car>\d+)(?P<motion>[ms])(?P<markers>(?:\([NWC](?:,\s*[NWC])*\))*)")
_SIGN = re.compile(r"Sign\s*(?P<by>\d*)", re.IGNORECASE)
_COUNTED = re.compile(r"(?P<count>\d+)\s+(?P<card>\S.*)")
_PLACE = re.compile(r"(?P<phase>Turn|Event|Acts)\s+(?P<seat>(?:Dr|As)?\d+)", re.IGNORECASE)
_NAME = re.compile(r"(?P<part>Dr|As|)(?P<number>\d+)", re.IGNORECASE)
_WEATHER = re.compile(rf"(?P<kind>{'|'.join(WEATHERS)}) on S(?P<section>\d+)", re.IGNORECASE)
_TABLE_CARD = re.compile(r"(?P<card>.+?)\s*\((?P<left>\d+)\)")
_DASHES = str.maketrans({"\u2212": "-", "\u2013": "-"})
_HAND = re.compile(r"hand\s*\((?P<count>\d+)\)", re.IGNORECASE)
_CARDS = re.compile(r"\[(?P<cards>[^\]]*)\]")
_CAR_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("fuel", re.compile(r"F(\d+)\b")),
    ("damage", re.compile(r"D(\d+)\b")),
    ("log", re.compile(r"L([+-]?\d+|X)(?!\w)")),
    ("repairs", re.compile(r"Repairs \+?(\d)\b", re.IGNORECASE)),
    ("no_repairs", re.compile(r"no Repairs\b", re.IGNORECASE)),
    ("no_problem", re.compile(r"(?:no problems?|P none|P -)(?!\w)", re.IGNORECASE)),
    ("just_entered", re.compile(r"just entered\b", re.IGNORECASE)),
    ("not_at_stop", re.compile(r"not at (?:the |a )?Rest Stop\b", re.IGNORECASE)),
    ("at_stop", re.compile(r"at (?:the |a )?Rest Stop\b", re.IGNORECASE)),
    ("no_sabotage", re.compile(r"no Sabotage\b", re.IGNORECASE)),
    ("sabotage", re.compile(r"Sabotage\b", re.IGNORECASE)),
    ("no_wreck", re.compile(r"no wreck\b", re.IGNORECASE)),
    ("wreck", re.compile(r"wreck\b", re.IGNORECASE)),
    ("withdrawn", re.compile(r"withdrawn\b", re.IGNORECASE)),
    ("assistant", re.compile(r"Assistant(?: Driver)?\b", re.IGNORECASE)),
    ("driver", re.compile(r"Driver\b", re.IGNORECASE)),
    ("limit", re.compile(r"limit (\d)\b", re.IGNORECASE)),
    ("no_upgrades", re.compile(r"no upgrades?\b", re.IGNORECASE)),
    ("upgrades", re.compile(r"upgrades?\b", re.IGNORECASE)),
    ("reserve_unused", re.compile(r"Reserve unused\b", re.IGNORECASE)),
    ("reserve_used", re.compile(r"Reserve used\b", re.IGNORECASE)),
    ("hand", _HAND),
    ("lacks", re.compile(r"no \[([^\]]*)\]", re.IGNORECASE)),
    ("cards", _CARDS),
    ("problems", re.compile(r"P\b")),
)
_FIXED_WORDS: dict[str, tuple[str, object]] = {
    "no_repairs": ("repairs", 0),
    "no_problem": ("problems", []),
    "not_at_stop": ("at_stop", False),
    "at_stop": ("at_stop", True),
    "no_sabotage": ("sabotage", False),
    "sabotage": ("sabotage", True),
    "just_entered": ("just_entered", True),
    "no_wreck": ("wreck", False),
    "wreck": ("wreck", True),
    "withdrawn": ("withdrawn", True),
    "assistant": ("role", "assistant"),
    "driver": ("role", "driver"),
    "no_upgrades": ("upgrades", []),
    "reserve_unused": ("reserve_used", False),
    "reserve_used": ("reserve_used", True),
}
_UPGRADE = re.compile(r"[\s,;]*([A-Z])(?![\w+-])")
_BETWEEN = re.compile(r"[\s,;]*")


class Standing(msgspec.Struct, frozen=True):
    """A car on the course: its number, whether it moves, and its markers ("narrow", "wide", "camouflage")."""

    car: int
    moving: bool
    markers: frozenset[str] = frozenset()


class Road(msgspec.Struct, frozen=True):
    """A Section, or a Side Road of it, as the notation has it. ``signs``: who placed a Changed Road Sign, 0 unsaid."""

    number: int
    value: int = 1
    side: bool = False
    rest_stop: bool = False
    canyon: bool = False
    signs: tuple[int, ...] = ()
    removed: bool = False
    cars: tuple[Standing, ...] = ()


class HandWords(msgspec.Struct, frozen=True):
    """Cards by their keys. ``count``: how many in all, None if unsaid. ``more``: cards of no use beside those named."""

    count: int | None = None
    named: tuple[str, ...] = ()
    more: int = 0
    lacks: tuple[str, ...] = ()


class CarWords(msgspec.Struct, frozen=True):
    """What is said of a car, or of one of the two who drive it; None for what is not.

    ``problems`` are keys, ``upgrades`` letters. Of a driver of a team only ``PARTNERS`` is said.
    """

    fuel: int | None = None
    damage: int | None = None
    log: int | None = None
    problems: frozenset[str] | None = None
    repairs: int | None = None
    at_stop: bool | None = None
    sabotage: bool | None = None
    just_entered: bool | None = None
    wreck: bool | None = None
    withdrawn: bool | None = None
    limit: int | None = None
    upgrades: frozenset[str] | None = None
    reserve_used: bool | None = None
    role: str | None = None
    hand: HandWords | None = None


PARTNERS = ("hand", "role", "withdrawn")
"""What is said of a driver of a team; all else is the car's."""


class Outcome(msgspec.Struct, frozen=True):
    """One fixed draw. ``column`` is a column of the number line, "card" (drawn into a hand) or "lose" (lost at random).

    ``value`` is a number as text, an Event letter, or the key of a kind of card.
    """

    column: str
    value: str

    def __str__(self) -> str:
        return f"{column_name(self.column)}={self.value}"


def _fault(text: str) -> NoReturn:
    raise ScenarioFault(text)


def column_name(column: str) -> str:
    """A column as scenarios spell it: Check, 2, 3, R, Attack, Wrench, 7, 8, 9, 0, Event, Card, Lose."""
    return column if column == "R" or column.isdigit() else column.capitalize()


def card_key(box: ComponentSet, words: str) -> str:
    """The key of a kind of card named by key, short or long name, in any case, in singular or plural."""
    wanted = " ".join(words.split()).casefold().replace("rest stop move ", "rs move ").removeprefix("black ")
    for name in (wanted, wanted.removesuffix("s")):
        for kind in box.kinds:
            if name in (kind.key, kind.short.casefold(), kind.name.casefold()):
                return kind.key
        if name == "red move 1":
            return "red_move_1"
    _fault(f"«{words}» is no card; cards are named as in orders: Move 2, RS Move 1, red 1, Machine Gun …")


def card_short(box: ComponentSet, key: str) -> str:
    """The short name of a kind."""
    return box.kinds[box.kind_index[key]].short


def card_list(box: ComponentSet, words: str) -> tuple[tuple[str, ...], int]:
    """The keys in a list like ``Move 3, 2 Landmark, +2``, and how many cards of no use come on top."""
    keys: list[str] = []
    more = 0
    for part in words.split(","):
        item = part.strip()
        if item.startswith("+") and item[1:].isdigit():
            more += int(item[1:])
        elif counted := _COUNTED.fullmatch(item):
            keys += [card_key(box, counted["card"])] * int(counted["count"])
        elif item:
            keys.append(card_key(box, item))
    return tuple(keys), more


def pile_words(box: ComponentSet, value: object) -> HandWords:
    """A pile: a number of cards, or ``(40) [Move 3, Swerve]``, or ``[Move 3]`` alone."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return HandWords(count=value)
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(?:\((\d+)\))?\s*(?:\[([^\]]*)\])?\s*", value)
        if found and value.strip():
            named, more = card_list(box, found[2] or "")
            count = int(found[1]) if found[1] else None
            return HandWords(count, named, more)
    _fault(f"a pile is a number of cards or a text like «(40) [Move 3, Swerve]», not {value!r}")


def read_course(value: object) -> tuple[Road, ...]:
    """The course, from one text with «;» between Sections or from a list of texts."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        _fault(f"course is a text or a list of texts like «S2(3,RS): 4m 1s», not {value!r}")
    roads = [_read_road(part.strip()) for text in texts for part in re.split(r"[;\n]", text) if part.strip(" .")]
    if not roads:
        _fault("course names no Section; the least is «S0: 1s 2s»")
    seen = Counter(standing.car for road in roads for standing in road.cars)
    twice = [car for car, count in seen.items() if count > 1]
    if twice:
        _fault(f"car {twice[0]} stands on the course twice")
    lines = Counter(road.number for road in roads if not road.side)
    again = [number for number, count in lines.items() if count > 1]
    if again:
        _fault(f"S{again[0]} stands in the course twice")
    return tuple(roads)


def _read_road(text: str) -> Road:
    found = _ROAD.fullmatch(text)
    if found is None:
        _fault(f"«{text}» is no Section; write it like «S2(3,RS): 4m 1s» or «S2/SR(1): 5s»")
    number, side = int(found["number"]), bool(found["side"])
    value = 0 if number == 0 and not side else 1
    rest_stop = canyon = removed = False
    signs: list[int] = []
    for part in (found["about"] or "").split(","):
        item = part.strip()
        if item.isdigit():
            value = int(item)
        elif item.casefold() == "rs":
            rest_stop = True
        elif item.casefold() == "box canyon":
            canyon = True
        elif item.casefold() == "removed":
            removed = True
        elif sign := _SIGN.fullmatch(item):
            signs.append(int(sign["by"] or 0))
        elif item:
            _fault(f"«{item}» in «{text}» is unknown; in brackets stand a value, RS, Box Canyon, Sign 3 or removed")
    if number == 0 and not side and (value or rest_stop):
        _fault("S0 is Road 0: it has value 0 and no Rest Stop (R3)")
    if not 0 <= value <= 4:
        _fault(f"«{text}»: a Section has a value from 1 to 4")
    cars = found["cars"].strip()
    if cars.casefold() == "removed":
        removed, cars = True, ""
    return Road(number, value, side, rest_stop, canyon, tuple(signs), removed=removed, cars=_read_cars(text, cars))


def _read_cars(text: str, cars: str) -> tuple[Standing, ...]:
    if cars in NOBODY:
        return ()
    standings = []
    for word in cars.replace(",", " ").split():
        found = _CAR.fullmatch(word)
        if found is None:
            _fault(f"«{word}» in «{text}» is no car; write 4m (moving), 4s (stopped), 4m(N) with a marker N, W or C")
        markers = frozenset(MARKERS[letter] for letter in re.findall(r"[NWC]", found["markers"]))
        standings.append(Standing(int(found["car"]), found["motion"] == "m", markers))
    return tuple(standings)


def write_course(roads: Iterable[Road]) -> str:
    """The course in its notation, foremost Section first, Road 0 last."""
    ordered = sorted(roads, key=lambda road: (-road.number, road.side, road.cars[0].car if road.cars else 0))
    return "; ".join(write_road(road) for road in ordered)


def write_road(road: Road) -> str:
    """A Section or Side Road in its notation."""
    about = [str(road.value)] if road.value != 1 or road.side else []
    if road.rest_stop and not road.side:
        about.append("RS")
    if road.canyon:
        about.append("Box Canyon")
    about += [f"Sign {by}" if by else "Sign" for by in road.signs]
    if road.number == 0 and not road.side:
        about = about[1:]
    if road.removed and road.cars:
        about.append("removed")
    name = f"S{road.number}{'/SR' if road.side else ''}{'(' + ','.join(about) + ')' if about else ''}"
    if road.removed and not road.cars:
        return f"{name}: removed"
    return f"{name}: {' '.join(write_standing(standing) for standing in road.cars) or '-'}"


def write_standing(standing: Standing) -> str:
    """A car on the course in its notation."""
    letters = [letter for letter, marker in MARKERS.items() if marker in standing.markers]
    return f"{standing.car}{'m' if standing.moving else 's'}{''.join(f'({letter})' for letter in letters)}"


def read_car(box: ComponentSet, name: str, value: object) -> CarWords:
    """What is said of a car, like ``F7 D1 L-2, P Flat Tire, hand(3) [Swerve, +2], at Rest Stop``."""
    if not isinstance(value, str):
        _fault(f"{name} is a text like «F7 D1 L-2 P Flat Tire hand(3) [Swerve]», not {value!r}")
    return _CarReader(box, name, value.translate(_DASHES)).read()


class _CarReader:
    """Reads a car's description from left to right."""

    def __init__(self, box: ComponentSet, name: str, text: str) -> None:
        self.box = box
        self.name = name
        self.text = text.rstrip(" .")
        self.place = 0
        self.said: dict[str, object] = {}
        self.hand: dict[str, object] = {}

    def read(self) -> CarWords:
        """All of it."""
        self._skip()
        while self.place < len(self.text):
            self._word()
            self._skip()
        if self.hand:
            self.said["hand"] = _checked_hand(self.name, msgspec.convert(self.hand, HandWords))
        return msgspec.convert(self.said, CarWords)

    def _skip(self) -> None:
        found = _BETWEEN.match(self.text, self.place)
        self.place = found.end() if found else self.place

    def _word(self) -> None:
        """The word at the present place."""
        for word, pattern in _CAR_WORDS:
            found = pattern.match(self.text, self.place)
            if found is None:
                continue
            self.place = found.end()
            if word == "upgrades":
                self._say("upgrades", self._letters(), found[0])
            elif word in ("hand", "cards", "lacks"):
                self._hand_word(word, found[1])
            elif word == "problems":
                self._say("problems", self._problems(), found[0])
            else:
                self._say(*_meaning(word, found[1] if found.groups() else ""), found[0])
            return
        _fault(
            f"{self.name}: I do not understand «{self.text[self.place :]}»; a car is told by F7, D1, L-2 (LX), "
            "P Flat Tire, Repairs +1, at Rest Stop, Sabotage, upgrades A, D, wreck, hand(3) and [cards]"
        )

    def _say(self, key: str, meaning: object, words: str) -> None:
        if key in self.said:
            _fault(f"{self.name} says the same twice: «{words}»")
        self.said[key] = meaning

    def _problems(self) -> list[str]:
        """Problem names after P, separated by commas, as far as they go."""
        names = {problem.name.casefold(): problem.key for problem in self.box.panel.problems}
        keys: list[str] = []
        while True:
            before = self.place
            self._skip()
            rest = self.text[self.place :].casefold()
            found = next((words for words in names if rest.startswith(words)), None)
            if found is None:
                self.place = before
                break
            keys.append(names[found])
            self.place += len(found)
        if not keys:
            known = ", ".join(problem.name for problem in self.box.panel.problems)
            _fault(f"{self.name}: after P comes a Mechanical Problem ({known})")
        return keys

    def _letters(self) -> list[str]:
        """Letters of upgrades, separated by commas, as far as they go."""
        letters: list[str] = []
        while found := _UPGRADE.match(self.text, self.place):
            if found[1] not in self.box.upgrades:
                break
            letters.append(found[1])
            self.place = found.end()
        if not letters:
            _fault(f"{self.name}: after upgrades come their letters ({', '.join(sorted(self.box.upgrades))})")
        return letters

    def _hand_word(self, word: str, text: str) -> None:
        """``hand(3)``, ``[cards]`` or ``no [cards]``."""
        if word == "hand":
            if "count" in self.hand:
                _fault(f"{self.name} has two numbers of cards")
            self.hand["count"] = int(text)
            return
        named, more = card_list(self.box, text)
        if word == "lacks":
            self.hand["lacks"] = named
            return
        if "named" in self.hand:
            _fault(f"{self.name} has two lists of cards")
        self.hand["named"], self.hand["more"] = named, more


def _meaning(word: str, text: str) -> tuple[str, object]:
    """The field that a word fills, and its value."""
    if word in _FIXED_WORDS:
        return _FIXED_WORDS[word]
    return word, EXIT_BOX if text == "X" else int(text)


def _checked_hand(name: str, hand: HandWords) -> HandWords:
    told = len(hand.named) + hand.more
    if hand.count is not None and (told > hand.count or (hand.more and told != hand.count)):
        _fault(f"{name} has hand({hand.count}), but its list makes {told} cards")
    return hand


def read_weather(value: object) -> tuple[str, int]:
    """``Rain on S3`` as ("rain", 3); ``none`` as ("", 0)."""
    if isinstance(value, str):
        if value.casefold() == "none":
            return "", 0
        found = _WEATHER.fullmatch(value.strip())
        if found:
            return found["kind"].casefold(), int(found["section"])
    _fault(f"weather is «Fog on S2», «Rain on S2», «Blizzard on S2» or «none», not {value!r}")


def read_place(words: str) -> tuple[str, str] | None:
    """``Turn 3`` as ("turn", "3"), ``Event Dr1`` as ("event", "Dr1"), ``Acts 1`` as ("acts", "1"); None for others."""
    found = _PLACE.fullmatch(words.strip())
    return (found["phase"].casefold(), found["seat"]) if found else None


def seat_number(name: str, cars: int, *, teams: bool) -> int:
    """The seat that a name means: «2», or in a race of teams «Dr2» and «As2», who begin as Driver and Assistant."""
    found = _NAME.fullmatch(name.strip())
    if found is None:
        _fault(f"«{name}» is no driver; write the number of a seat{', or Dr2 or As2' if teams else ''}")
    part, number = found["part"].casefold(), int(found["number"])
    if part and not teams:
        _fault(f"«{name}»: there are no teams in this race; say teams = true in given")
    if not 1 <= number <= (2 * cars if teams and not part else cars):
        _fault(f"there is no {'driver ' + name if teams else 'car ' + name}")
    return number + cars if part == "as" else number


def seat_name(seat: int, cars: int, *, teams: bool) -> str:
    """A seat as scenarios write it."""
    if not teams:
        return str(seat)
    return f"Dr{seat}" if seat <= cars else f"As{seat - cars}"


def read_names(what: str, value: object) -> tuple[str, ...]:
    """Drivers: ``2, 3`` or ``Dr1, As2``, a list or a single one; "nobody" and "none" for none."""
    values = value if isinstance(value, list) else [value]
    names: list[str] = []
    for each in values:
        if isinstance(each, bool) or not isinstance(each, int | str):
            _fault(f"{what} is a list of drivers like «2, 1, 3» or «Dr1, As2», not {value!r}")
        parts = [part.strip() for part in str(each).split(",")]
        names.extend(part for part in parts if part.casefold() not in ("nobody", "none", ""))
    if any(_NAME.fullmatch(name) is None for name in names):
        _fault(f"{what} is a list of drivers like «2, 1, 3» or «Dr1, As2», not {value!r}")
    return tuple(names)


def read_seats(what: str, value: object) -> tuple[int, ...]:
    """Car numbers: ``2, 1, 3`` or ``[2, 1, 3]`` or a single number; "nobody" and "none" for none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, list) and all(isinstance(each, int) and not isinstance(each, bool) for each in value):
        return tuple(value)
    if isinstance(value, str):
        if value.casefold() in ("nobody", "none", ""):
            return ()
        parts = [part.strip() for part in value.split(",")]
        if all(part.isdigit() for part in parts):
            return tuple(int(part) for part in parts)
    _fault(f"{what} is a list of car numbers like «2, 1, 3», not {value!r}")


def read_table(box: ComponentSet, value: object) -> dict[str, list[int]]:
    """``Move 3 (2), Move 1 (1)``: Move cards on the table and the value they have left; ``none``."""
    if not isinstance(value, str):
        _fault(f"table is «none» or a list like «Move 3 (2)», not {value!r}")
    table: dict[str, list[int]] = {}
    for part in [] if value.casefold() == "none" else value.split(","):
        found = _TABLE_CARD.fullmatch(part.strip())
        if found is None:
            _fault(f"table is «none» or a list like «Move 3 (2)», card and value left, not «{part.strip()}»")
        table.setdefault(card_key(box, found["card"]), []).append(int(found["left"]))
    return table


def read_outcomes(box: ComponentSet, words: str) -> tuple[Outcome, ...]:
    """``Attack=4, Check=7`` as fixed draws; Card= and Lose= name a kind of card, Event= a letter."""
    return tuple(_read_outcome(box, part.strip()) for part in words.split(",") if part.strip())


def _read_outcome(box: ComponentSet, text: str) -> Outcome:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        _fault(f"«{text}» fixes no draw; write a column and a value like Check=7, Event=M or Card=Move 1")
    if name.casefold() in ("card", "lose"):
        return Outcome(name.casefold(), card_key(box, value))
    column = _COLUMN_WORDS.get(name.casefold())
    if column is None:
        known = ", ".join(column_name(each) for each in (*COLUMNS, "card", "lose"))
        _fault(f"«{name}» in «{text}» is no column; there are {known}")
    if column == "event":
        if value not in box.events:
            _fault(f"«{text}»: the Event column bears the letters {''.join(box.events)}")
        return Outcome(column, value)
    if not value.isdigit() or int(value) not in box.numbers[column]:
        values = box.numbers[column]
        _fault(f"«{text}»: this column bears the numbers {min(values)} to {max(values)}")
    return Outcome(column, str(int(value)))


def hand_text(box: ComponentSet, keys: Sequence[str]) -> str:
    """Cards as ``hand(3) [Move 1, 2 Swerve]``."""
    counts = Counter(keys)
    names = [f"{count} {card_short(box, key)}" if count > 1 else card_short(box, key) for key, count in counts.items()]
    return f"hand({len(keys)}) [{', '.join(names)}]"
