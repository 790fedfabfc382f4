"""What a scenario expects of RoadKill, read from its TOML, and held against the views of a state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from games.engine.contract import JSON, Ruleset
from games.engine.happenings import TOLD_KEYS, Told, read_told, untold
from games.engine.scenarios import Difference, Moment, ScenarioFault
from games.rulesets.roadkill.components import ComponentSet
from games.rulesets.roadkill.scenario.notation import (
    EXIT_BOX,
    CarWords,
    HandWords,
    Road,
    Standing,
    card_key,
    card_short,
    hand_text,
    pile_words,
    read_car,
    read_course,
    read_names,
    read_place,
    read_seats,
    read_table,
    read_weather,
    seat_name,
    seat_number,
    write_course,
    write_road,
)
from games.rulesets.roadkill.scenario.position import car_keys, driver_words
from games.rulesets.roadkill.sheet import BEGINNER

THEN_KEYS = (
    "course",
    "order",
    "leader",
    "turn",
    "light",
    "deck",
    "pile",
    "discards",
    "weather",
    "table",
    "landmarks",
    "red_lines",
    "numbers",
    "event_draws",
    "played",
    *TOLD_KEYS,
    "shows",
    "hides",
    "outcome",
    "ending",
    "pawn",
)

_VIEWER = re.compile(r"(?:Dr|As)?\d+")


def _fault(text: str) -> NoReturn:
    raise ScenarioFault(text)


class Expectation(msgspec.Struct, frozen=True):
    """What is expected; what is None is not looked at."""

    cars: dict[int, CarWords]
    drivers: dict[str, CarWords] = {}
    pawn: str | None = None
    course: tuple[Road, ...] | None = None
    order: tuple[int, ...] | None = None
    leader: int | None = None
    turn: tuple[str, str] | None = None
    light: str | None = None
    weather: tuple[str, int] | None = None
    pile: HandWords | None = None
    discards: HandWords | None = None
    table: dict[str, list[int]] | None = None
    counts: dict[str, int] = {}
    told: Told = Told()
    shows: dict[str, tuple[str, ...]] = {}
    hides: dict[str, tuple[str, ...]] = {}
    outcome: tuple[tuple[str, ...], ...] | None = None
    ending: str | None = None


COUNTS = ("deck", "landmarks", "red_lines", "numbers", "event_draws", "played")


def read_expectation(box: ComponentSet, then: Mapping[str, JSON]) -> Expectation:
    """Read ``then``, ``now`` or ``expect``; raises ScenarioFault."""
    words = car_keys(then, THEN_KEYS, "an expectation")
    readers: dict[str, Callable[[Any], object]] = {
        "course": read_course,
        "order": lambda value: read_seats("order", value),
        "leader": lambda value: _single("leader", value),
        "turn": _read_turn,
        "light": _read_light,
        "weather": read_weather,
        "pile": lambda value: pile_words(box, value),
        "discards": lambda value: pile_words(box, value),
        "table": lambda value: read_table(box, value),
        "shows": lambda value: _read_sights(box, "shows", value),
        "hides": lambda value: _read_sights(box, "hides", value),
        "outcome": _read_outcome,
        "ending": lambda value: _text("ending", value),
        "pawn": _read_pawn,
    }
    read = {key: readers[key](value) for key, value in then.items() if key in readers}
    counts = {key: _count(key, then[key]) for key in COUNTS if key in then}
    cars = {seat: read_car(box, key, then[key]) for seat, key in words.items()}
    drivers = driver_words(box, then)
    return Expectation(cars=cars, drivers=drivers, counts=counts, told=read_told(then), **read)  # type: ignore[arg-type]


def _read_pawn(value: object) -> str:
    names = read_names("pawn", value)
    if len(names) != 1:
        _fault(f"pawn is the driver who has it, like «Dr1», not {value!r}")
    return names[0]


def _single(what: str, value: object) -> int:
    seats = read_seats(what, value)
    if len(seats) != 1:
        _fault(f"{what} is the number of one car, not {value!r}")
    return seats[0]


def _count(what: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        _fault(f"{what} is a number, not {value!r}")
    return value


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        _fault(f"{what} is a text, not {value!r}")
    return value


def _read_turn(value: object) -> tuple[str, str]:
    place = read_place(value) if isinstance(value, str) else None
    if place is None or place[0] == "acts":
        _fault(f"turn is «Turn 2» or «Event 2», not {value!r}")
    return place


def _read_light(value: object) -> str:
    if value not in ("day", "night"):
        _fault(f"light is «day» or «night», not {value!r}")
    return str(value)


def _read_outcome(value: object) -> tuple[tuple[str, ...], ...]:
    """``1, 2, 3``; () for none. Seats that share a place stand together: ``1, 2=3``, ``Dr2=As2, Dr1=As1``."""
    text = str(value) if isinstance(value, int) else _text("outcome", value)
    if text.casefold() == "none":
        return ()
    return tuple(read_names("outcome", part.replace("=", ",").strip()) for part in text.split(","))


def _read_sights(box: ComponentSet, what: str, value: object) -> dict[str, tuple[str, ...]]:
    """Cards by viewer: a car's number, ``Dr1``, or ``public`` for somebody who only watches."""
    if not isinstance(value, dict):
        _fault(f'{what} is a table of viewers, like {{ 1 = ["Tool Kit"], public = ["Swerve"] }}, not {value!r}')
    sights = {}
    for viewer, cards in value.items():
        if viewer != "public" and not _VIEWER.fullmatch(viewer):
            _fault(f"{what}: a viewer is the number of a car or «public», not «{viewer}»")
        if not isinstance(cards, list):
            _fault(f"{what}: the cards for {viewer} are a list")
        sights[viewer] = tuple(card_key(box, str(card)) for card in cards)
    return sights


# --- Comparing --------------------------------------------------------------------------


def differences(ruleset: Ruleset[Any], box: ComponentSet, expected: Expectation, moment: Moment) -> list[Difference]:
    """Where the moment is otherwise than expected."""
    view = ruleset.view(moment.state, None)
    found = [
        *_course(expected, view),
        *_public(box, expected, view),
        *_piles(box, expected, view),
        *_tallies(expected, view, moment),
        *untold(ruleset, expected.told, moment),
        *_sights(ruleset, box, expected, moment),
        *_ends(ruleset, expected, moment),
    ]
    for seat, words in expected.cars.items():
        if seat > len(view["cars"]):
            _fault(f"c{seat}: there is no such car in this race")
        found += _car(ruleset, box, words, seat, moment)
    for name, words in expected.drivers.items():
        found += _driver(ruleset, box, words, name, moment)
    return found


def _seat(moment: Moment, name: str) -> int:
    return seat_number(name, len(moment.state.cars), teams=bool(moment.state.teams))


def _if_other(what: str, expected: object, actual: object) -> Iterator[Difference]:
    if expected != actual:
        yield Difference(what, str(expected), str(actual))


def roads_of(view: JSON) -> list[Road]:
    """The course of a view in terms of the notation, which leaves out what is printed on the Beginner's map."""
    printed = view["track"] == BEGINNER
    cars = {car["seat"]: car for car in view["cars"]}
    roads = []
    for section in view["course"]:
        roads.append(
            Road(
                section["number"],
                min(1, section["value"]) if printed else section["value"],
                rest_stop=section["rest_stop"] and not printed,
                signs=(0,) * section["signs"],
                removed=not section["laid"],
                cars=tuple(_standing(cars[seat]) for seat in section["cars"]),
            )
        )
        roads += [
            Road(
                section["number"],
                side["value"],
                side=True,
                canyon=side["canyon"],
                cars=(_standing(cars[side["car"]]),),
            )
            for side in section["side_roads"]
        ]
    return roads


def _standing(car: JSON) -> Standing:
    markers = {car["road"]} if car["road"] else set()
    if car["camouflage"]:
        markers.add("camouflage")
    return Standing(car["seat"], car["moving"], frozenset(markers))


def _course(expected: Expectation, view: JSON) -> Iterator[Difference]:
    """Every Section that is named must be as it is named, and every car must stand in one that is."""
    if expected.course is None:
        return
    actual = roads_of(view)
    wanted = [_plain(road) for road in expected.course]
    for road in actual:
        if road.cars and _key(road) not in [_key(other) for other in wanted]:
            yield from _course_difference(wanted, actual)
            return
    for road in wanted:
        present = next((other for other in actual if _key(other) == _key(road)), None)
        if not _is_as_wanted(road, present):
            yield from _course_difference(wanted, actual)
            return


def _key(road: Road) -> tuple[int, int]:
    """A Section, or a Side Road by its car."""
    return road.number, road.cars[0].car if road.side and road.cars else 0


def _plain(road: Road) -> Road:
    """Without what a view does not say: who placed a sign, the Rest Stop that every Side Road has."""
    return msgspec.structs.replace(road, signs=(0,) * len(road.signs), rest_stop=road.rest_stop and not road.side)


def _is_as_wanted(wanted: Road, actual: Road | None) -> bool:
    if wanted.removed and not wanted.cars:
        return actual is None or (actual.removed and not actual.cars)
    return actual == wanted


def _course_difference(wanted: Sequence[Road], actual: Sequence[Road]) -> Iterator[Difference]:
    """Both courses in the notation; of the actual one, what has cars or is spoken of."""
    keys = [_key(road) for road in wanted]
    shown = [road for road in actual if road.cars or _key(road) in keys]
    lost = [
        write_road(road) for road in wanted if _key(road) not in [_key(other) for other in actual] and not road.removed
    ]
    actual_text = write_course(shown) + (f"   (there is no {', no '.join(lost)})" if lost else "")
    yield Difference("course", write_course(wanted), actual_text)


def _public(box: ComponentSet, expected: Expectation, view: JSON) -> Iterator[Difference]:
    if expected.order is not None:
        yield from _if_other("order", _seat_list(expected.order), _seat_list(view["order"]))
    if expected.leader is not None:
        yield from _if_other("leader", expected.leader, view["leader"])
    if expected.light is not None:
        yield from _if_other("light", expected.light, view["light"])
    if expected.turn is not None:
        phase = "Event" if view["phase"] == "event" else "Turn"
        seat = seat_number(expected.turn[1], len(view["cars"]), teams=bool(view["teams"]))
        wanted = f"{expected.turn[0].capitalize()} {seat_name(seat, len(view['cars']), teams=bool(view['teams']))}"
        yield from _if_other("turn", wanted, f"{phase} {_player_name(view)}")
    if expected.pawn is not None:
        if not view["teams"]:
            _fault("pawn: there are no teams in this race; say who leads")
        cars = len(view["cars"])
        wanted = seat_name(seat_number(expected.pawn, cars, teams=True), cars, teams=True)
        yield from _if_other("pawn", wanted, seat_name(view["teams"]["pawn"], cars, teams=True))
    if expected.weather is not None:
        actual = view["weather"]
        shown = _weather_text(actual["kind"], actual["section"]) if actual else "none"
        yield from _if_other("weather", _weather_text(*expected.weather), shown)
    if expected.table is not None:
        yield from _if_other("table", _table_text(box, expected.table), _table_text(box, _table_of(view)))


def _player_name(view: JSON) -> str:
    """Whose turn it is, as scenarios write it."""
    teams = view["teams"]
    return seat_name(teams["player"] if teams else view["active"], len(view["cars"]), teams=bool(teams))


def _seat_list(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats))


def _weather_text(kind: str, section: int) -> str:
    return f"{kind.capitalize()} on S{section}" if kind else "none"


def _table_of(view: JSON) -> dict[str, list[int]]:
    table: dict[str, list[int]] = {}
    for card in view["table"]:
        if card["left"]:
            table.setdefault(card["key"], []).append(card["left"])
    return table


def _table_text(box: ComponentSet, table: Mapping[str, list[int]]) -> str:
    cards = [f"{card_short(box, key)} ({left})" for key in sorted(table) for left in sorted(table[key])]
    return ", ".join(cards) or "none"


def _piles(box: ComponentSet, expected: Expectation, view: JSON) -> Iterator[Difference]:
    if expected.pile is not None:
        if expected.pile.named:
            _fault("of the draw pile only the number of cards can be expected: nobody knows what is in it")
        yield from _if_other("draw pile", expected.pile.count, view["pile"])
    if expected.discards is not None:
        held = [key for key, count in view["discards"].items() for _ in range(count)]
        if expected.discards.count is not None:
            yield from _if_other("discards", expected.discards.count, len(held))
        yield from _holds(box, "discards", expected.discards.named, held)


def _holds(box: ComponentSet, what: str, named: Sequence[str], held: Sequence[str]) -> Iterator[Difference]:
    missing = Counter(named) - Counter(held)
    if missing:
        wanted = ", ".join(card_short(box, key) for key in missing.elements())
        shown = hand_text(box, held)
        yield Difference(what, f"with {wanted} among them", shown if what != "discards" else shown.removeprefix("hand"))


def _tallies(expected: Expectation, view: JSON, moment: Moment) -> Iterator[Difference]:
    event_draws = moment.tally.get("number event", 0)
    numbers = sum(count for label, count in moment.tally.items() if label.startswith("number "))
    actual = {
        "deck": view["deck"],
        "landmarks": view["landmarks"],
        "red_lines": view["red_lines"],
        "numbers": numbers - event_draws,
        "event_draws": event_draws,
        "played": view["played"],
    }
    for key, count in expected.counts.items():
        yield from _if_other(key, count, actual[key])


def _sights(ruleset: Ruleset[Any], box: ComponentSet, expected: Expectation, moment: Moment) -> Iterator[Difference]:
    """Cards a viewer is shown, or not: in his view, his question, or what he was told since the scenario began."""
    for viewer, keys in expected.shows.items():
        seen = cards_seen(ruleset, box, None if viewer == "public" else _seat(moment, viewer), moment)
        for key in keys:
            if key not in seen:
                yield Difference(_viewer(viewer), f"sees {card_short(box, key)}", "does not")
    for viewer, keys in expected.hides.items():
        seen = cards_seen(ruleset, box, None if viewer == "public" else _seat(moment, viewer), moment)
        for key in keys:
            if key in seen:
                yield Difference(_viewer(viewer), f"does not see {card_short(box, key)}", "does")


def _viewer(viewer: str) -> str:
    if viewer == "public":
        return "what the public sees"
    return f"what {'car ' if viewer.isdigit() else ''}{viewer} sees"


def cards_seen(ruleset: Ruleset[Any], box: ComponentSet, viewer: int | None, moment: Moment) -> set[str]:
    """The kinds of card named in what this viewer may know; not in forms, which list every kind one can wish for."""
    known: list[Any] = [ruleset.view(moment.state, viewer), [event.seen_by(viewer) for event in moment.events]]
    known += [
        msgspec.to_builtins((decision.menu, decision.about)) for decision in moment.decisions if decision.seat == viewer
    ]
    return set(_strings(known)) & set(box.kind_index)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield str(key)
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


def _ends(ruleset: Ruleset[Any], expected: Expectation, moment: Moment) -> Iterator[Difference]:
    outcome = ruleset.outcome(moment.state)
    if expected.outcome is not None:
        cars, teams = len(moment.state.cars), bool(moment.state.teams)
        wanted = [[_seat(moment, name) for name in place] for place in expected.outcome]
        texts = [
            ", ".join("=".join(seat_name(seat, cars, teams=teams) for seat in place) for place in places) or "none"
            for places in (wanted, outcome.places if outcome else ())
        ]
        yield from _if_other("outcome", *texts)
    if expected.ending is not None:
        yield from _if_other("ending", expected.ending, outcome.reason if outcome else "none")


def _car(ruleset: Ruleset[Any], box: ComponentSet, words: CarWords, seat: int, moment: Moment) -> Iterator[Difference]:
    view = ruleset.view(moment.state, seat)
    car = next(car for car in view["cars"] if car["seat"] == seat)
    name = f"c{seat}"
    figures = (
        # Not as it is seen: nobody sees it on the Beginner's Track, where it must not change either.
        ("F", words.fuel, moment.state.cars[seat - 1].fuel),
        ("D", words.damage, car["damage"]),
        ("Repairs +", words.repairs, car["repairs"]),
        ("at the Rest Stop:", words.at_stop, car["at_rest_stop"]),
        ("Sabotage:", words.sabotage, car["sabotage"]),
        ("wreck:", words.wreck, car["wreck"]),
        ("withdrawn:", words.withdrawn, car["withdrawn"]),
        ("hand limit:", words.limit, car["hand_limit"]),
    )
    for letter, wanted, actual in figures:
        if wanted is not None:
            yield from _if_other(f"{name} {letter}".rstrip(":"), _figure(wanted), _figure(actual))
    if words.upgrades is not None:
        letters = [upgrade["letter"] for upgrade in car["upgrades"]]
        yield from _if_other(f"{name} upgrades", _letters_text(words.upgrades), _letters_text(letters))
    if words.reserve_used is not None:
        used = any(upgrade["used"] for upgrade in car["upgrades"])
        yield from _if_other(f"{name} Reserve used", _figure(words.reserve_used), _figure(used))
    if words.log is not None:
        yield from _if_other(f"{name} L (Road Log)", _log_text(words.log), _log_text(car["log"]))
    if words.problems is not None:
        yield from _if_other(
            f"{name} P (problems)", _problem_text(box, words.problems), _problem_text(box, car["problems"])
        )
    if words.role is not None:
        _fault(f"{name}: Driver and Assistant are said of Dr{seat} and As{seat}")
    if words.hand is not None:
        if view["teams"]:
            _fault(f"{name}: in a race of teams each of its drivers has a hand; write Dr{seat} and As{seat}")
        held = [card["key"] for card in view["hand"] for _ in range(card["count"])]
        yield from _hand(box, name, words.hand, held)


def _driver(
    ruleset: Ruleset[Any], box: ComponentSet, words: CarWords, name: str, moment: Moment
) -> Iterator[Difference]:
    """One of the two who drive a car: hand, role, and whether he has withdrawn."""
    seat = _seat(moment, name)
    view = ruleset.view(moment.state, seat)
    player = view["teams"]["players"][seat - 1]
    if words.role is not None:
        yield from _if_other(f"{name} is", words.role.title(), player["role"].title())
    if words.withdrawn is not None:
        yield from _if_other(f"{name} withdrawn", _figure(words.withdrawn), _figure(player["is_gone"]))
    if words.hand is not None:
        held = [card["key"] for card in view["hand"] for _ in range(card["count"])]
        yield from _hand(box, name, words.hand, held)


def _figure(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _letters_text(letters: Iterable[str]) -> str:
    return ", ".join(sorted(letters)) or "none"


def _log_text(log: int) -> str:
    return "X" if log == EXIT_BOX else f"{log:+d}" if log else "0"


def _problem_text(box: ComponentSet, keys: Sequence[str] | frozenset[str]) -> str:
    names = [problem.name for problem in box.panel.problems if problem.key in keys]
    return ", ".join(names) or "none"


def _hand(box: ComponentSet, name: str, words: HandWords, held: Sequence[str]) -> Iterator[Difference]:
    count = words.count if words.count is not None else len(words.named) + words.more if words.more else None
    if count is not None:
        yield from _if_other(f"{name} cards in hand", count, len(held))
    yield from _holds(box, f"{name} hand", words.named, held)
    for key in words.lacks:
        if key in held:
            yield Difference(f"{name} hand", f"without {card_short(box, key)}", hand_text(box, held))
