"""All together: the drivers share a lead before pursuers that nobody plays, and win or lose as one.

It needs opponents that move by themselves, a common result, and teams.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from games.engine.chance import Chance, d6
from games.engine.contract import JSON, Action, Decision, Event, Outcome, Transition, Viewer
from tests.engine.toys.plain import PlainWords

BORDER = 24
PURSUERS = ("sheriff", "deputy")


class Push(Action, frozen=True, tag="push"):
    """Two miles more, and the engine suffers."""


class Spare(Action, frozen=True, tag="spare"):
    """One mile, and the engine cools."""


class Chased(msgspec.Struct, frozen=True):
    """``miles`` of the convoy and of each pursuer; ``heat`` by seat; ``asked``: who has still to drive this round."""

    heat: tuple[int, ...]
    asked: tuple[int, ...]
    miles: int = 4
    pursuers: tuple[int, ...] = (0, 0)


class Chase(PlainWords):
    """The rules."""

    key = "chase"
    title = "Over the border"
    seats: tuple[int, int] = (2, 4)
    endings: tuple[str, ...] = ("border", "caught")
    answers_conceal = False
    action_type: Any = Push | Spare
    state_type: type[Any] = Chased

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Chased]:
        """A small lead."""
        return Transition(Chased((0,) * seats, tuple(range(1, seats + 1))), ())

    def waiting(self, state: Chased) -> Sequence[int]:
        """The drivers in turn; then the pursuers, who are nobody's seat."""
        return () if self.outcome(state) is not None else state.asked[:1]

    def pending(self, state: Chased) -> tuple[Decision, ...]:
        """Push while the engine is cool enough."""
        return tuple(
            Decision("pace", seat, "2", (Spare(), Push()) if state.heat[seat - 1] < 3 else (Spare(),), Spare())
            for seat in self.waiting(state)
        )

    def answer(self, state: Chased, seat: int, action: Any, chance: Chance) -> Transition[Chased]:
        """The slowest pace of the round is not looked at: every push helps the convoy."""
        pushes = isinstance(action, Push)
        heat = list(state.heat)
        heat[seat - 1] = heat[seat - 1] + 1 if pushes else max(0, heat[seat - 1] - 1)
        miles = state.miles + (2 if pushes else 1)
        after = Chased(tuple(heat), state.asked[1:], miles, state.pursuers)
        return Transition(after, (Event("drives", "2", {"seat": seat, "miles": miles}),))

    def advance(self, state: Chased, chance: Chance) -> Transition[Chased]:
        """When all have driven, one pursuer after the other throws a die."""
        events = []
        pursuers = list(state.pursuers)
        for place, name in enumerate(PURSUERS):
            pursuers[place] += d6(chance, name)
            events.append(Event("pursues", "3", {"pursuer": name, "miles": pursuers[place]}))
        everybody = tuple(range(1, len(state.heat) + 1))
        return Transition(Chased(state.heat, everybody, state.miles, tuple(pursuers)), tuple(events))

    def outcome(self, state: Chased) -> Outcome | None:
        """All win or all lose."""
        everybody = tuple(range(1, len(state.heat) + 1))
        if max(state.pursuers) >= state.miles:
            return Outcome((everybody,), "caught", teams=(everybody,), shared=False)
        if state.miles >= BORDER:
            return Outcome((everybody,), "border", teams=(everybody,), shared=True)
        return None

    def view(self, state: Chased, viewer: Viewer) -> JSON:
        """Nothing is hidden among friends."""
        return {"miles": state.miles, "heat": list(state.heat), "pursuers": list(state.pursuers)}


def resampled(state: Chased, viewer: Viewer, rng: Random) -> Chased:
    """Nothing is hidden."""
    return state


def check(state: Chased) -> None:
    """Engines are not overheated."""
    assert all(0 <= heat <= 3 for heat in state.heat)


RULESET = Chase()
