"""What a scenario expects of Thunder Road, read from its TOML, and held against a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from games.engine.contract import JSON, Ruleset
from games.engine.happenings import TOLD_KEYS, Told, read_told, untold
from games.engine.scenarios import Difference, Moment
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.components import ComponentSet
from games.rulesets.thunder_road.hexes import Space, written
from games.rulesets.thunder_road.scenario.notation import (
    HIDDEN,
    LETTERS,
    SeatWords,
    Vehicle,
    fault,
    number,
    read_seat,
    read_spaces,
    read_tokens,
    seat_number,
)
from games.rulesets.thunder_road.state import FACE_DOWN, NOWHERE, Driver, Piece, State

NUMBERS = ("round", "road", "finish", "left", "tiles", "hazards", "damage", "draws", "relocations")
"""Numbers of a position.

``left``: counts still to drive; ``tiles``: laid so far; ``hazards``, ``damage``: left in the bags; ``draws``: made
since the scenario began.
"""
THEN_KEYS = (*LETTERS, *NUMBERS, "turn", "first", "tokens", "wrecks", "outcome", "ending", *TOLD_KEYS)


class Expectation(msgspec.Struct, frozen=True):
    """What is expected; what is None is not looked at."""

    seats: dict[str, SeatWords]
    numbers: dict[str, int]
    told: Told
    turn: str | None = None
    first: str | None = None
    tokens: dict[Space, str] | None = None
    wrecks: frozenset[Space] | None = None
    outcome: tuple[tuple[str, ...], ...] | None = None
    ending: str | None = None


def read_expectation(box: ComponentSet, then: Mapping[str, JSON]) -> Expectation:
    """Read ``then``, ``now`` or ``expect``; raises ScenarioFault."""
    for key in then:
        if key not in THEN_KEYS:
            fault(f"«{key}» is not known in an expectation; known are {', '.join(THEN_KEYS)}")
    return Expectation(
        seats={name: read_seat(name, then[name]) for name in LETTERS if name in then},
        numbers={key: number(key, then[key]) for key in NUMBERS if key in then},
        told=read_told(then),
        turn=_letter("turn", then),
        first=_letter("first", then),
        tokens=read_tokens(box, "tokens", then["tokens"]) if "tokens" in then else None,
        wrecks=frozenset(read_spaces("wrecks", then["wrecks"])) if "wrecks" in then else None,
        outcome=_outcome(then["outcome"]) if "outcome" in then else None,
        ending=str(then["ending"]) if "ending" in then else None,
    )


def _letter(what: str, then: Mapping[str, JSON]) -> str | None:
    if what in then and then[what] not in tuple(LETTERS):
        fault(f"{what} is the letter of a seat, not {then[what]!r}")
    return then.get(what)


def _outcome(value: object) -> tuple[tuple[str, ...], ...]:
    """``A, B=C``: who shares a place stands together; ``none`` while the race goes on."""
    if not isinstance(value, str):
        fault(f"outcome is a text like «A, B=C» or «none», not {value!r}")
    if value == "none":
        return ()
    return tuple(tuple(part.strip().split("=")) for part in value.split(","))


def differences(ruleset: Ruleset[Any], expected: Expectation, moment: Moment) -> list[Difference]:
    """Where the moment is otherwise than expected."""
    state: State = moment.state
    found = [*untold(ruleset, expected.told, moment), *_race(expected, state)]
    actual = numbers_of(state, moment)
    for key, wanted in expected.numbers.items():
        found += _if_other(key, wanted, actual[key])
    for name, words in expected.seats.items():
        seat = seat_number(name, len(state.drivers))
        found += _seat(name, words, state.drivers[seat - 1])
        found += _vehicles(name, words, state, seat)
    return found


def numbers_of(state: State, moment: Moment) -> dict[str, int]:
    """What each of NUMBERS is now."""
    return {
        "round": state.round,
        "road": state.road,
        "finish": state.finish,
        "left": state.turn.left,
        "tiles": state.laid,
        "hazards": sum(state.bag),
        "damage": sum(state.damage_bag),
        "draws": sum(moment.tally.values()),
        "relocations": state.turn.relocations,
    }


def _if_other(what: str, expected: object, actual: object) -> Iterator[Difference]:
    if expected != actual:
        yield Difference(what, str(expected), str(actual))


def _race(expected: Expectation, state: State) -> Iterator[Difference]:
    if expected.turn is not None:
        yield from _if_other("turn", expected.turn, LETTERS[state.turn.seat - 1])
    if expected.first is not None:
        yield from _if_other("first", expected.first, LETTERS[state.first - 1])
    if expected.tokens is not None:
        there = {token.at: token.kind for token in state.tokens}
        yield from _if_other("tokens", _tokens(expected.tokens), _tokens(there))
    if expected.wrecks is not None:
        there = {piece.at: "" for piece in state.pieces if piece.kind == "wreck" and not piece.gone}
        yield from _if_other("wrecks", _tokens(dict.fromkeys(expected.wrecks, "")), _tokens(there))
    if expected.outcome is not None:
        places = [{LETTERS[seat - 1] for seat in group} for group in state.places] if state.winners else []
        yield from _if_other("outcome", [sorted(group) for group in expected.outcome], [sorted(one) for one in places])
    if expected.ending is not None:
        yield from _if_other("ending", expected.ending, state.ending)


def _tokens(tokens: Mapping[Space, str]) -> str:
    said = [
        written(space) + (f"={kind or HIDDEN}" if kind or kind == FACE_DOWN else "")
        for space, kind in sorted(tokens.items())
    ]
    return ", ".join(said) or "none"


def _seat(name: str, words: SeatWords, driver: Driver) -> Iterator[Difference]:
    if words.dice is not None:
        yield from _if_other(f"{name} dice", words.dice, driver.dice)
    if words.steering is not None:
        yield from _if_other(f"{name} steering", words.steering, driver.steering)
    if words.chopper is not None:
        yield from _if_other(f"{name} chopper", words.chopper or NOWHERE, driver.chopper)
    if words.commanded is not None:
        yield from _if_other(f"{name} commanded", words.commanded, driver.commanded)
    if words.out is not None:
        yield from _if_other(f"{name} out", words.out, driver.out)


def _vehicles(name: str, words: SeatWords, state: State, seat: int) -> Iterator[Difference]:
    for key, vehicle in words.vehicles.items():
        piece = next((one for one in state.pieces if one.seat == seat and one.key == key), None)
        if piece is None:
            fault(f"{name} has no vehicle {key}")
        yield from _vehicle(f"{name}.{key}", vehicle, piece, components.named(state.components))
    if words.only:
        for piece in state.pieces:
            if piece.seat == seat and piece.key not in words.vehicles:
                yield from _if_other(f"{name}.{piece.key}", "gone", "gone" if piece.gone else "in the race")


def _vehicle(name: str, words: Vehicle, piece: Piece, box: ComponentSet) -> Iterator[Difference]:
    where = "gone" if piece.gone else ", ".join(written(space) for space in piece.spaces) or "off"
    if words.place:
        yield from _if_other(name, words.place, where)
    elif words.spaces:
        shown = piece.spaces[: len(words.spaces)]
        yield from _if_other(name, _spaces(words.spaces), _spaces(shown) if shown else where)
    held = tuple(
        box.damage[hurt.kind].key + (f":{box.ongoing[hurt.card].key}" if hurt.card >= 0 else "")
        for hurt in piece.damage
    )
    facts = (
        ("fire", words.fire, piece.fire),
        ("minor damage", words.minor, piece.minors > 0),
        ("coasts", words.coasts, piece.coasts),
        ("tokens", words.tokens, len(piece.damage)),
        ("damage", words.damage, held),
        ("covered", words.covered and frozenset(words.covered), words.covered and frozenset(piece.covered)),
        ("operable", words.operable, piece.operable),
        ("moved", _moved(words.moved, piece), frozenset(piece.moved)),
    )
    for what, wanted, actual in facts:
        if wanted is not None:
            yield from _if_other(f"{name} {what}", wanted, actual)
    if words.covered == ():
        yield from _if_other(f"{name} covered", (), piece.covered)


def _moved(words: tuple[str, ...] | None, piece: Piece) -> frozenset[str] | None:
    return None if words is None else frozenset(one or piece.key for one in words)


def _spaces(spaces: tuple[Space, ...]) -> str:
    return ", ".join(written(space) for space in spaces)
