"""Cup: a game made up for campaigns, whose races end as the driver of car 1 calls, so that a test says what it needs.

Its campaign is not RoadKill's: other points, prices, orders and rule numbers; so the server knows neither.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from games.engine.campaigns import Ledger, PostingKind, Purchase, Upgrade, choice
from games.engine.chance import Chance
from games.engine.contract import JSON, Action, Decision, Event, Outcome, Seat, Transition, Viewer
from games.engine.errors import Malformed, Refusal
from games.engine.extras import Extras


class Call(Action, frozen=True, tag="call"):
    """How the race ended: the cars from the first place on, the points of each, and letters that were lost."""

    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    lost: tuple[str, ...] = ()


class Withdraw(Action, frozen=True, tag="withdraw"):
    """Aside: give up."""


class Cup(msgspec.Struct, frozen=True):
    """The state: what each car started with, how the deck lies, and the call, once it is made."""

    cars: int
    upgrades: dict[str, list[str]]
    deck: tuple[int, ...]
    call: Call | None = None


class CupCampaign:
    """Three points to begin with, ten to win; the first car buys first, after a race the winner does."""

    starting_points: int = 3
    goal: int = 10
    buying_rule: str = "7.2"
    rules: Mapping[PostingKind, str] = {
        "opening": "7.1",
        "earned": "7.3",
        "penalty": "7.4",
        "clamp": "7.5",
        "forced_return": "7.6",
        "lost": "7.7",
        "bought": "7.2",
        "returned": "7.8",
    }

    def catalogue(self, options: Mapping[str, JSON]) -> Mapping[str, Upgrade]:
        """Five, of price one to five."""
        return {letter: Upgrade(letter, f"Part {letter}", price) for price, letter in enumerate("PQRST", 1)}

    def first_order(self, cars: int) -> tuple[int, ...]:
        """From car 1 on."""
        return tuple(range(1, cars + 1))

    def order_after(self, outcome: Outcome) -> tuple[int, ...]:
        """From the winner on."""
        return tuple(car for group in outcome.places for car in group)

    def returned_for(self, price: int) -> int:
        """A third, rounded down."""
        return price // 3

    def winner(self, outcome: Outcome, balances: Mapping[int, int]) -> int | None:
        """The winner of a race with ten points or more."""
        return next((car for car in outcome.places[0] if balances[car] >= self.goal), None)

    def choose(self, level: str, ledger: Ledger, car: int, seed: int) -> Purchase:
        """As plain bots do."""
        return choice(level, ledger, car, seed)


class CupRuleset(Extras):
    """The rules of Cup."""

    key = "cup"
    title = "Cup"
    version = 1
    seats: tuple[int, int] = (2, 6)
    endings: tuple[str, ...] = ("called",)
    answers_conceal = False
    action_type: Any = Call | Withdraw
    state_type: type[Any] = Cup
    campaign = CupCampaign()

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """{"upgrades": {"1": ["P"]}, "components": "none"}."""
        options = {"upgrades": {}, "components": "none", **given}
        unknown = sorted(set(options) - {"upgrades", "components"})
        if unknown:
            raise Malformed(f"Cup has no option “{unknown[0]}”.")
        return options

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Cup]:
        """Shuffle something, so that a race draws."""
        state = Cup(seats, options["upgrades"], chance.shuffled(5, "deck"))
        return Transition(state, (Event("turn", "2.1", {"car": 1, "turn": 1}),))

    def waiting(self, state: Cup) -> Sequence[Seat]:
        """Car 1, until it has called."""
        return (1,) if state.call is None else ()

    def pending(self, state: Cup) -> tuple[Decision, ...]:
        """How did it end?"""
        plain = self._complete(state, Call())
        other = msgspec.structs.replace(plain, places=plain.places[::-1])
        return tuple(Decision("call", seat, "2.1", (plain, other), plain) for seat in self.waiting(state))

    def verify(self, state: Cup, seat: Seat, action: Any) -> Refusal | None:
        """Whether each car has its place and points."""
        call = self._complete(state, action)
        is_whole = sorted(call.places) == list(range(1, state.cars + 1)) and len(call.scores) == state.cars
        return None if is_whole else Refusal("2.2", "Each car has one place and its points.")

    def is_aside(self, action: Any) -> bool:
        """Who withdraws stays where he is."""
        return isinstance(action, Withdraw)

    def answer(self, state: Cup, seat: Seat, action: Any, chance: Chance) -> Transition[Cup]:
        """End the race."""
        if isinstance(action, Withdraw):
            return Transition(state, (Event("withdrew", "6.1", {"car": seat}),))
        chance.pick(6, "toss")
        call = self._complete(state, action)
        return Transition(
            msgspec.structs.replace(state, call=call), (Event("called", "2.1", {"first": call.places[0]}),)
        )

    def _complete(self, state: Cup, call: Call) -> Call:
        cars = tuple(range(1, state.cars + 1))
        return Call(call.places or cars, call.scores or tuple(state.cars - car for car in cars), call.lost)

    def advance(self, state: Cup, chance: Chance) -> Transition[Cup]:
        """Never."""
        raise AssertionError("nothing goes on by itself")

    def outcome(self, state: Cup) -> Outcome | None:
        """As called."""
        return None if state.call is None else Outcome(tuple((car,) for car in state.call.places), "called")

    def scores(self, state: Cup) -> dict[str, int]:
        """As called."""
        assert state.call is not None
        return {str(car): points for car, points in enumerate(state.call.scores, 1)}

    def carried(self, state: Cup) -> dict[str, list[str]]:
        """What each car started with, without what was lost."""
        lost = state.call.lost if state.call is not None else ()
        return {car: [one for one in letters if one not in lost] for car, letters in state.upgrades.items()}

    def view(self, state: Cup, viewer: Viewer) -> JSON:
        """All there is."""
        return {"turn": 1, "active": 1, "cars": [{"seat": car} for car in range(1, state.cars + 1)]}

    def say(self, view: JSON, action: Any) -> str:
        """The words of an answer."""
        return "withdraw" if isinstance(action, Withdraw) else f"call {' '.join(map(str, action.places))}"

    def read(self, view: JSON, text: str) -> Any:
        """The action that words mean."""
        raise Malformed("Cup is played by program.")

    def tell(self, seen: Mapping[str, JSON]) -> str:
        """The sentence of an event."""
        return {"turn": "Car 1 calls.", "withdrew": "A driver withdraws."}.get(
            seen["kind"], f"Car {seen.get('first')} came first."
        )

    def ask(self, view: JSON, decision: Decision) -> str:
        """The question."""
        return "How did the race end?"


class CupBot:
    """Calls an end drawn from its seed: points from below nothing to some, and perhaps something lost."""

    def __init__(self, level: str, seed: int) -> None:
        """The level makes no difference."""
        self._rng = Random(seed)

    def choose(self, view: JSON, decision: Decision) -> Call:
        """A call for all cars of the view."""
        cars = [car["seat"] for car in view["cars"]]
        places = tuple(self._rng.sample(cars, len(cars)))
        scores = tuple(self._rng.randint(-4, 7) for _ in cars)
        lost = tuple(letter for letter in "PQRST" if self._rng.random() < 0.15)
        return Call(places, scores, lost)


RULESET = CupRuleset()
