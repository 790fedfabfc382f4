"""The server tests' game of Matches under the conformance suite: proof that the suite knows no RoadKill."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import msgspec

from games.engine.record import Record
from tests.conformance.subject import Subject, trail
from tests.games import toy_ruleset as toy


def resampled(state: toy.Toy, viewer: int | None, rng: Random) -> toy.Toy:
    """Hands of others and the pile, their wishes and their sealed answers, drawn anew."""
    loose = [card for seat, one in enumerate(state.drivers, 1) if seat != viewer for card in one.hand]
    loose += state.pile
    rng.shuffle(loose)
    drivers = []
    for seat, one in enumerate(state.drivers, 1):
        if seat == viewer:
            drivers.append(one)
            continue
        hand = tuple(sorted(loose.pop() for _ in one.hand))
        drivers.append(msgspec.structs.replace(one, hand=hand, wishes=rng.random() < 0.5))
    given = tuple(
        (seat, act if seat == viewer else rng.choice((toy.Guard(), toy.Nothing()))) for seat, act in state.given
    )
    return msgspec.structs.replace(state, drivers=tuple(drivers), pile=tuple(loose), given=given)


def check(state: toy.Toy) -> None:
    """No card comes from nowhere, nobody has too many marks."""
    held = [card for one in state.drivers for card in one.hand] + list(state.pile)
    deck = list(toy.DECK)
    for card in held:
        assert card in deck, f"there are not so many {card}"
        deck.remove(card)
    assert all(0 <= one.marks <= toy.OUT_AT for one in state.drivers)


def universe(state: toy.Toy) -> Iterator[Any]:
    """Everything but words."""
    yield from (toy.Nothing(), toy.Guard(), toy.Snuff(), toy.Firm(), toy.Take())
    yield from (toy.Strike(card, target) for card, target in product(range(10), range(5)))
    for count in range(4):
        yield from (toy.Rest(cards) for cards in combinations_with_replacement((0, 1, 2, 6, 9), count))


def aside(rng: Random) -> Any:
    """A wish, or now and then a withdrawal."""
    return toy.Withdraw() if rng.random() < 0.15 else toy.Wish(snuff=rng.random() < 0.6)


def fixed() -> dict[str, Record]:
    """The first races of all."""
    return {f"race-{number}": trail(SUBJECT, number).record for number in range(3)}


def glance(view: Any) -> str:
    """Marks and points of all for the spectator, the own hand for a driver."""
    if view["viewer"] is None:
        return f"= turn {view['turn']}, " + ", ".join(
            f"{car['marks']} marks {car['points']} points" for car in view["cars"]
        )
    return f"= seat {view['viewer']} holds {view['hand']}"


SUBJECT = Subject(
    ruleset=toy.RULESET,
    seats=(2, 3, 4),
    options=({"rounds": 10}, {"rounds": 5}),
    most_answers=1_000,
    resampled=resampled,
    check=check,
    universe=universe,
    aside=aside,
    fixed=fixed,
    golden=("race-0",),
    glance=glance,
)
