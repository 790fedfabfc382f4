"""RoadKill under the conformance suite: eventful starts, answers somebody might try, and what is said unasked."""

import dataclasses
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from games.engine.contract import Decision
from games.engine.record import Record, load
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.rules.r04_cards import hand_limit
from games.rulesets.roadkill.rules.r10_upgrades import draft_under_way
from games.rulesets.roadkill.state import PROBLEMS, TANK, Car, State, has_reserve
from games.rulesets.roadkill.words import JOBS
from tests.conformance.subject import Subject
from tests.rulesets.roadkill.hidden import resampled
from tests.rulesets.roadkill.invariants import check

RECORDS = Path(__file__).parents[2] / "records" / "roadkill"
ROUGH = {
    "attack": 6.0,
    "risk": 6.0,
    "card": 4.0,
    "trade": 6.0,
    "repair": 0.2,
    "end": 0.4,
    "stop": 0.1,
    "decline": 0.3,
}
"""Weights under which cars get hurt, hands change owners and offers are taken."""


def eventful(state: State, rng: Random) -> State:
    """Battered cars with little fuel and many wishes, a late deck, one car in a Box Canyon with a Road Map."""
    cars = tuple(
        _battered(car, rng, least=1 if draft_under_way(state) or has_reserve(car) else 0) for car in state.cars
    )
    lost = b"".join(old.hand[len(new.hand) :] for old, new in zip(state.cars, cars, strict=True))
    deck = rng.randint(1, 3)
    state = msgspec.structs.replace(state, cars=cars, discards=state.discards + lost, deck=deck, night=deck % 3 == 0)
    return _canyon(_with_partners(state, rng) if state.teams else state, rng)


def _with_partners(state: State, rng: Random) -> State:
    """The other partners' hands cut down to their cars' limits, and wishes of theirs."""
    assert state.teams
    limits = [hand_limit(car) for car in state.cars]
    both = list(zip(state.teams.partners, limits, strict=True))
    partners = tuple(
        msgspec.structs.replace(one, hand=one.hand[:limit], wishes=rng.random() < 0.3) for one, limit in both
    )
    lost = b"".join(one.hand[limit:] for one, limit in both)
    teams = msgspec.structs.replace(state.teams, partners=partners)
    return msgspec.structs.replace(state, teams=teams, discards=state.discards + lost)


def _battered(car: Car, rng: Random, *, least: int) -> Car:
    """``least``: boxes of fuel; an empty tank would have opened its Reserve Tank."""
    worn = msgspec.structs.replace(
        car,
        damage=rng.randint(3, 6),
        fuel=rng.randint(least, 4),
        problems=sum(1 << n for n in range(1, len(PROBLEMS)) if rng.random() < 0.4),
        wishes=rng.random() < 0.3,
        sabotage=rng.random() < 0.3,
    )
    return msgspec.structs.replace(worn, hand=car.hand[: hand_limit(worn)])


def _canyon(state: State, rng: Random) -> State:
    """The last car stands in a Box Canyon off Road 0; if a Road Map is in the pile, it holds it for another card.

    Where so many have been dealt cards that no Road card is left in the pile, it stands where it stood.
    """
    box = components.named(state.components)
    car = state.cars[-1]
    roads = [card for card in state.pile if box.kinds[box.card_kind[card]].road]
    if not roads:
        return state
    road = rng.choice(roads)
    pile, hand = bytes(card for card in state.pile if card != road), car.hand
    found = next((card for card in pile if box.card_keys[card] == "road_map"), -1)
    if found >= 0 and hand:
        pile = bytes(hand[0] if card == found else card for card in pile)
        hand = bytes((found, *hand[1:]))
    lost = msgspec.structs.replace(car, side=road, canyon=True, hand=hand)
    line = tuple(seat for seat in state.course[0].line if seat != car.seat)
    start = msgspec.structs.replace(state.course[0], line=line)
    return msgspec.structs.replace(state, cars=(*state.cars[:-1], lost), course=(start, *state.course[1:]), pile=pile)


def aside(rng: Random) -> Any:
    """A wish, or now and then a withdrawal."""
    return a.Withdraw() if rng.random() < 0.03 else a.Wish(fate=rng.random() < 0.3)


def universe(state: State) -> Iterator[Any]:
    """Every answer with one card, target, job or number that anybody could think of, trades and discards left out."""
    keys = [kind.key for kind in components.named(state.components).kinds]
    cars = range(1, len(state.cars) + 1)
    yield from (a.Supercharge(), *(a.Draft(letter) for letter in "ABCDEFGHIJKZ"))
    yield from (a.Stop(), a.GoOn(), a.Decline(), a.Risk(), a.NoCard(), a.Accept(), a.AutoExit(), a.Loot(), a.Discard())
    yield from (a.End(job=job, rest=rest) for job, rest in product(("", *JOBS), (False, True)))
    yield from (a.End(job=job, rest=rest, share=True) for job, rest in product(("", *JOBS), (False, True)))
    yield from (a.ChangeDrivers(), a.NoMore(), a.Keep(), a.Keep(as_they_are=True))
    yield from (a.DrawCards(count) for count in range(-2, 9))
    yield from (a.Shortcut(count) for count in range(6))
    yield from (a.Repair(job) for job in JOBS)
    yield from (a.Accept(job) for job in JOBS)
    for key in keys:
        yield from (a.PassCard(key), a.Keep((key,)))
        yield from (a.Start(key), a.Forage(key), a.AutoExit(key), a.Loot(key), a.Card(key), a.Card("fate", key))
        yield from (a.Attack(key, car) for car in cars)
        yield from (a.Play(key), a.Play(key, count=2), a.Play(key, count=1))
        yield from (a.Play(key, target=car) for car in cars)
        yield from (a.Play(key, job=job) for job in JOBS)
        for left in (False, True):
            yield from (a.Pass(key, car, left, units) for car, units in product(cars, (1, 2)))
            yield from (a.Exit(key, left, marks, reds) for marks, reds in product(range(4), range(3)))
    yield a.Card("fate", "event")


def plain(decision: Decision, action: Any) -> Any:
    """The offered answer that another spelling of it means: what is left out is what there is only one of."""
    match action:
        case a.End(rest=True) if msgspec.structs.replace(action, job="") not in decision.menu:
            return msgspec.structs.replace(action, rest=False)
        case a.Play(card="tool_kit" | "spare_parts", job="") | a.Card(card="fate", on="") | a.Accept(job=""):
            return next((one for one in decision.menu if type(one) is type(action) and one != action), action)
    return action


def fixed() -> dict[str, Record]:
    """The recorded races on the open road, each car with one driver."""
    return {name: record for name, record in _records().items() if not {"track", "teams"} & set(record.options)}


def _fixed_on_the_map() -> dict[str, Record]:
    """The recorded races on the Beginner's Track."""
    return {name: record for name, record in _records().items() if "track" in record.options}


def _fixed_in_teams() -> dict[str, Record]:
    """The recorded races of two drivers a car."""
    return {name: record for name, record in _records().items() if "teams" in record.options}


def _records() -> dict[str, Record]:
    return {file.stem: load(file.read_bytes()) for file in sorted(RECORDS.glob("*.json"))}


def _worn(state: State, rng: Random) -> State:
    """On the Beginner's Track: battered cars with full tanks and many wishes, far along the map, a late deck."""
    cars = tuple(
        msgspec.structs.replace(_battered(car, rng, least=0), fuel=TANK, section=4 + car.seat % 2) for car in state.cars
    )
    lost = b"".join(old.hand[len(new.hand) :] for old, new in zip(state.cars, cars, strict=True))
    lines = {number: tuple(car.seat for car in cars if car.section == number) for number in (0, 4, 5)}
    course = tuple(msgspec.structs.replace(one, line=lines.get(number, ())) for number, one in enumerate(state.course))
    deck = rng.randint(1, 3)
    return msgspec.structs.replace(
        state, cars=cars, course=course, discards=state.discards + lost, deck=deck, pawn=lines[5][0]
    )


def _fuel_text(car: Any) -> str:
    return "" if car["fuel"] is None else f" fuel {car['fuel']}"


def glance(view: Any) -> str:
    """What a driver looks at, in a line; of the course and all cars for the spectator."""
    if view["viewer"] is None:
        course = " ".join(f"{section['number']}:{section['value']}{section['cars']}" for section in view["course"])
        cars = " ".join(
            f"{car['seat']}({'moving' if car['moving'] else 'stopped'}"
            f"{_fuel_text(car)} damage {car['damage']} "
            f"log {car['log_text']} cards {car['hand_count']})"
            for car in view["cars"]
        )
        return f"= turn {view['turn']}, {view['phase']}, {view['light']}, pile {view['pile']}; {course}; {cars}"
    hand = ", ".join(f"{card['count']} {card['short']}" for card in view["hand"])
    wishes = ", wishes to be asked" if view["cars"][view["viewer"] - 1]["wishes"] else ""
    asked = f", asked {view['asking']}" if view["asking"] else ""
    teams = view["teams"]
    if not teams:
        return f"= seat {view['viewer']} holds {hand or 'nothing'}{wishes}{asked}"
    theirs = ", ".join(f"{card['count']} {card['short']}" for card in teams["partner_hand"])
    me = teams["players"][teams["you"] - 1]
    role = f"{me['role']} of car {me['car']}{' with the pawn' if teams['pawn'] == teams['you'] else ''}"
    sees = f", sees of the partner {theirs}" if theirs else ""
    return f"= seat {teams['you']}, {role}, holds {hand or 'nothing'}{sees}{wishes}{asked}"


OF_TEAMS = frozenset((a.DrawCards, a.PassCard, a.NoMore, a.ChangeDrivers, a.Keep))
"""Answers of chapter 12."""
SUBJECT = Subject(
    ruleset=RULESET,
    seats=(2, 3, 2, 3, 2, 4),
    options=(
        {"sections": 3, "upgrades": {"1": ["F", "G", "H"], "2": ["A", "C", "J"]}},
        {"sections": 3},
        {"sections": 3, "upgrades": "draft"},
        {"sections": 3},
        {"sections": 4, "upgrades": "reverse_draft"},
    ),
    most_answers=8_000,
    resampled=resampled,
    check=check,
    universe=universe,
    aside=aside,
    fixed=fixed,
    golden=("exit_draw-drivers", "last_driver-anybody"),
    glance=glance,
    temper=ROUGH,
    prepared=eventful,
    plain=plain,
    lacks=OF_TEAMS,
)
BEGINNERS_TRACK = dataclasses.replace(
    SUBJECT,
    options=({"track": "beginner"},),
    fixed=_fixed_on_the_map,
    golden=("beginner-exit_draw",),
    prepared=_worn,
    races=60,
    way="beginner",
    lacks=OF_TEAMS | {a.Forage, a.Trade, a.Accept, a.Risk, a.Supercharge, a.Draft},
)
"""The way to play that has a printed map."""
TEAMS = dataclasses.replace(
    SUBJECT,
    seats=(4, 6, 4, 8),
    options=(
        {"sections": 3, "teams": True},
        {"sections": 3, "teams": True, "upgrades": {"1": ["F", "G", "H"], "2": ["A", "C", "J"]}},
        {"sections": 3, "teams": True, "upgrades": "draft"},
    ),
    most_answers=12_000,
    fixed=_fixed_in_teams,
    golden=("teams-drivers",),
    temper={**ROUGH, "change_drivers": 8.0, "start": 3.0},
    races=60,
    way="teams",
    lacks=frozenset(),
)
"""The way to play with two drivers a car."""
