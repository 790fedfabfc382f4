"""A map: cars on squares with walls between some of them; who first stands on the flag has won.

It needs a place that is more than a number, answers that depend on the map, and a form whose fields hang together.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

import msgspec

from games.engine.chance import Chance
from games.engine.contract import JSON, Action, Decision, Event, Field, Form, Outcome, Transition, Viewer
from games.engine.errors import Refusal
from tests.engine.toys.plain import PlainWords

WIDTH, HEIGHT = 5, 4
MOST_TURNS = 60
Square: TypeAlias = tuple[int, int]
WALLS = frozenset({((1, 0), (2, 0)), ((1, 1), (2, 1)), ((3, 2), (3, 3))})
"""Between these squares nobody passes."""
FLAG: Square = (4, 3)
STARTS: tuple[Square, ...] = ((0, 0), (0, 3), (2, 1))


class Drive(Action, frozen=True, tag="drive"):
    """To a neighbouring square."""

    x: int
    y: int


class Wait(Action, frozen=True, tag="wait"):
    """Stay."""


class Map(msgspec.Struct, frozen=True):
    """Where the cars are, by seat."""

    cars: tuple[Square, ...]
    turn: int = 0


class Grid(PlainWords):
    """The rules."""

    key = "grid"
    title = "To the flag"
    seats: tuple[int, int] = (2, 3)
    endings: tuple[str, ...] = ("flag", "dusk")
    answers_conceal = False
    action_type: Any = Drive | Wait
    state_type: type[Any] = Map

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Map]:
        """The starting squares are drawn."""
        return Transition(Map(tuple(STARTS[place] for place in chance.shuffled(len(STARTS), "squares")[:seats])), ())

    def active(self, state: Map) -> int:
        """Whose turn it is."""
        return state.turn % len(state.cars) + 1

    def waiting(self, state: Map) -> Sequence[int]:
        """One after the other."""
        return () if self.outcome(state) is not None else (self.active(state),)

    def pending(self, state: Map) -> tuple[Decision, ...]:
        """Wait, or any free neighbouring square: as a form of two numbers that a rule joins."""
        fields = (
            Field("x", "Column", "number", (), 0, WIDTH - 1),
            Field("y", "Row", "number", (), 0, HEIGHT - 1),
        )
        return tuple(
            Decision(
                "drive",
                seat,
                "2",
                (Wait(), *self._drives(state, seat)),
                Wait(),
                (Form(Drive(*state.cars[seat - 1]), fields, "Drive to a square", linked=True),),
            )
            for seat in self.waiting(state)
        )

    def _drives(self, state: Map, seat: int) -> list[Drive]:
        x, y = state.cars[seat - 1]
        around = [Drive(x, y - 1), Drive(x + 1, y), Drive(x, y + 1), Drive(x - 1, y)]
        return [drive for drive in around if self.verify(state, seat, drive) is None]

    def verify(self, state: Map, seat: int, action: Any) -> Refusal | None:
        """One step, on the map, through no wall, onto nobody."""
        if isinstance(action, Wait):
            return None
        here, there = state.cars[seat - 1], (action.x, action.y)
        if not (0 <= action.x < WIDTH and 0 <= action.y < HEIGHT):
            return Refusal("2.1", "That is off the map")
        if abs(here[0] - there[0]) + abs(here[1] - there[1]) != 1:
            return Refusal("2.2", "A car drives one square")
        if {(here, there), (there, here)} & WALLS:
            return Refusal("2.3", "A wall is between them")
        if there in state.cars:
            return Refusal("2.4", "Another car stands there")
        return None

    def answer(self, state: Map, seat: int, action: Any, chance: Chance) -> Transition[Map]:
        """Drive there."""
        cars = list(state.cars)
        if isinstance(action, Drive):
            cars[seat - 1] = (action.x, action.y)
        return Transition(
            Map(tuple(cars), state.turn + 1), (Event("drives", "2", {"seat": seat, "to": list(cars[seat - 1])}),)
        )

    def advance(self, state: Map, chance: Chance) -> Transition[Map]:
        """Nothing happens by itself."""
        raise AssertionError("no automatic step is ever due")

    def outcome(self, state: Map) -> Outcome | None:
        """The flag, or at dusk all share the place."""
        seats = range(1, len(state.cars) + 1)
        if FLAG in state.cars:
            first = state.cars.index(FLAG) + 1
            return Outcome(((first,), tuple(seat for seat in seats if seat != first)), "flag")
        return Outcome((tuple(seats),), "dusk") if state.turn >= MOST_TURNS else None

    def view(self, state: Map, viewer: Viewer) -> JSON:
        """Everybody sees the map."""
        return {"cars": [list(square) for square in state.cars], "turn": state.turn}


def resampled(state: Map, viewer: Viewer, rng: Random) -> Map:
    """Nothing is hidden."""
    return state


def check(state: Map) -> None:
    """On the map, one to a square."""
    assert len(set(state.cars)) == len(state.cars)
    assert all(0 <= x < WIDTH and 0 <= y < HEIGHT for x, y in state.cars)


RULESET = Grid()
