"""The Campaign Circuit (chapter 11): races in series, in which points buy upgrades."""

from collections.abc import Mapping
from typing import Final

from games.engine.campaigns import Ledger, PostingKind, Purchase, Upgrade, choice
from games.engine.contract import JSON, Outcome
from games.engine.rulebook import rule
from games.rulesets.roadkill import components

STARTING_POINTS: Final = 2
GOAL: Final = 20
NOBODY_LEFT: Final = "nobody_left"


@rule("11.1")
def circuit_winner(outcome: Outcome, balances: Mapping[int, int]) -> int | None:
    """The circuit ends with a race whose winner has 20 points or more, that race's own counted and before purchases.

    Whoever has as many without winning the race has won nothing yet. A race that all have given up has no winner.
    """
    if outcome.reason == NOBODY_LEFT:
        return None
    return next((car for car in outcome.places[0] if balances[car] >= GOAL), None)


@rule("11.2")
def purchase_order(outcome: Outcome) -> tuple[int, ...]:
    """After a race the car that came last buys first, and the winner last."""
    return tuple(car for group in reversed(outcome.places) for car in reversed(group))


@rule("11.3")
def first_purchase_order(cars: int) -> tuple[int, ...]:
    """Before the first race the highest car number buys first; cars and starting places never change afterwards."""
    return tuple(range(cars, 0, -1))


def half(price: int) -> int:
    """What a returned upgrade gives (11.2): half its price, rounded down."""
    return price // 2


class Circuit:
    """The Campaign Circuit as the engine asks for it; see games.engine.campaigns.Campaign."""

    starting_points: int = STARTING_POINTS
    goal: int = GOAL
    buying_rule: str = "11.2"
    rules: Mapping[PostingKind, str] = {
        "opening": "11.3",
        "earned": "11.1",
        "penalty": "11.1",
        "clamp": "11.2",
        "forced_return": "11.2",
        "lost": "10.4",
        "bought": "11.2",
        "returned": "11.2",
    }

    def catalogue(self, options: Mapping[str, JSON]) -> Mapping[str, Upgrade]:
        """The upgrades of the race's component set."""
        found = components.named(options["components"]).upgrades
        return {
            letter: Upgrade(letter, found[letter].name, found[letter].price, found[letter].effect)
            for letter in sorted(found)
        }

    def first_order(self, cars: int) -> tuple[int, ...]:
        """By 11.3."""
        return first_purchase_order(cars)

    def order_after(self, outcome: Outcome) -> tuple[int, ...]:
        """By 11.2."""
        return purchase_order(outcome)

    def returned_for(self, price: int) -> int:
        """By 11.2."""
        return half(price)

    def winner(self, outcome: Outcome, balances: Mapping[int, int]) -> int | None:
        """By 11.1."""
        return circuit_winner(outcome, balances)

    def choose(self, level: str, ledger: Ledger, car: int, seed: int) -> Purchase:
        """A driver spends what it has at first and keeps more of it the nearer the end is: points win, not upgrades."""
        return choice(level, ledger, car, seed, reserve=max(0, 2 * (ledger.balances[car] - GOAL // 2)))
