"""Signals: all drivers show a sign at once, sealed until the last one has; the odd one out has the point.

It needs decisions of several seats side by side, answers that stay hidden until the window closes, and an end that is
shared by several.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from games.engine.chance import Chance
from games.engine.contract import JSON, Action, Decision, Event, Outcome, Transition, Viewer
from tests.engine.toys.plain import PlainWords

ROUNDS = 5


class Sign(Action, frozen=True, tag="sign"):
    """Thumb up or down."""

    up: bool


class Shown(msgspec.Struct, frozen=True):
    """``given`` are the sealed answers of the present round, by seat."""

    points: tuple[int, ...]
    round: int = 0
    given: tuple[tuple[int, Sign], ...] = ()


class Signals(PlainWords):
    """The rules."""

    key = "signals"
    title = "Signals"
    seats: tuple[int, int] = (3, 5)
    endings: tuple[str, ...] = ("points",)
    action_type: Any = Sign
    state_type: type[Any] = Shown

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Shown]:
        """Nobody has a point."""
        return Transition(Shown((0,) * seats), (Event("round", "1", {"round": 0}),))

    def waiting(self, state: Shown) -> Sequence[int]:
        """Everybody who has not shown."""
        done = dict(state.given)
        return tuple(seat for seat in self._all(state) if seat not in done) if state.round < ROUNDS else ()

    def pending(self, state: Shown) -> tuple[Decision, ...]:
        """The same question for all, in one window."""
        menu = (Sign(True), Sign(False))
        return tuple(
            Decision("sign", seat, "2", menu, menu[1], kind="choice", clock="reaction", sealed=True, trigger="sign")
            for seat in self.waiting(state)
        )

    def answer(self, state: Shown, seat: int, action: Sign, chance: Chance) -> Transition[Shown]:
        """Seal it; that somebody has shown is all that is told."""
        given = (*state.given, (seat, action))
        return Transition(
            msgspec.structs.replace(state, given=given),
            (Event("ready", "2", {"seat": seat}, {seat: {"up": action.up}}),),
        )

    def advance(self, state: Shown, chance: Chance) -> Transition[Shown]:
        """The window is closed: everything is shown at once."""
        count = Counter(sign.up for _, sign in state.given)
        odd = {seat for seat, sign in state.given if count[sign.up] == 1}
        points = tuple(had + (seat in odd) for seat, had in zip(self._all(state), state.points, strict=True))
        signs = {str(seat): sign.up for seat, sign in sorted(state.given)}
        return Transition(Shown(points, state.round + 1), (Event("shown", "3", {"signs": signs, "odd": sorted(odd)}),))

    def outcome(self, state: Shown) -> Outcome | None:
        """Whoever has as many points shares the place."""
        if state.round < ROUNDS:
            return None
        by_points: dict[int, list[int]] = {}
        for seat, points in zip(self._all(state), state.points, strict=True):
            by_points.setdefault(points, []).append(seat)
        return Outcome(tuple(tuple(by_points[points]) for points in sorted(by_points, reverse=True)), "points")

    def view(self, state: Shown, viewer: Viewer) -> JSON:
        """Points, who has shown, and one's own sign."""
        own = next((sign.up for seat, sign in state.given if seat == viewer), None)
        ready = sorted(seat for seat, _ in state.given)
        return {"points": list(state.points), "round": state.round, "ready": ready, "own": own}

    def _all(self, state: Shown) -> range:
        return range(1, len(state.points) + 1)


def resampled(state: Shown, viewer: Viewer, rng: Random) -> Shown:
    """Others may have shown anything, in any order."""
    given = [(seat, sign if seat == viewer else Sign(rng.random() < 0.5)) for seat, sign in state.given]
    return msgspec.structs.replace(state, given=tuple(given))


def check(state: Shown) -> None:
    """At most one is odd among three or more, two among two; nobody shows twice."""
    seats = [seat for seat, _ in state.given]
    assert len(set(seats)) == len(seats)
    assert 0 <= max(state.points) <= state.round <= ROUNDS


RULESET = Signals()
