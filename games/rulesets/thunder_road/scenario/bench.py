"""Thunder Road's work-bench for scenarios: the parts of this package put together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from games.engine.contract import JSON, Decision, Ruleset
from games.engine.errors import ActionRefused
from games.engine.play import start
from games.engine.scenarios import Difference, Moment, ScenarioFault, Start
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.game import OPTIONS, RULESET
from games.rulesets.thunder_road.scenario.chance import FixedDraws
from games.rulesets.thunder_road.scenario.expectation import Expectation, differences, read_expectation
from games.rulesets.thunder_road.scenario.notation import LETTERS, read_outcomes, seat_number
from games.rulesets.thunder_road.scenario.position import build
from games.rulesets.thunder_road.scenario.soundness import unsound

_FITTING: dict[str, tuple[type[Any], ...]] = {
    "turn": (a.Move, a.Coast, a.Command, a.Stand, a.Concede),
    "drive": (a.Drive,),
    "bonus": (a.Drive, a.No),
    "missile": (a.Shoot, a.Hold),
    "shoot": (a.Shoot, a.Hold),
    "reroll": (a.Keep, a.Again),
    "front": (a.Front,),
    "minor": (a.Minor,),
    "bike": (a.Bike,),
}
"""Questions and the kinds of answer they take."""


class ThunderRoadBench:
    """What engine.scenarios.Bench asks for."""

    ruleset: Ruleset[Any] = RULESET
    turns: Collection[str] = ("turn",)
    passed_over: Collection[str] = ("bonus", "missile", "shoot")

    def __init__(self) -> None:
        self._box = components.named("classic")

    def outcomes(self, words: str) -> tuple[str, ...]:
        """``slam=bottom direction=FR`` as separate outcomes."""
        return tuple(str(outcome) for outcome in read_outcomes(self._box, words))

    def start(self, given: Mapping[str, JSON], *, outcomes: Sequence[str], words: str) -> Start:
        """A new race (``new = 4``) or a position."""
        chance = FixedDraws(self._box)
        if "new" not in given:
            return Start(build(given), chance)
        for key in given:
            if key not in ("new", *OPTIONS):
                raise ScenarioFault(f"«{key}» does not go with new; a new race knows {', '.join(OPTIONS)}")
        if not isinstance(given["new"], int) or isinstance(given["new"], bool):
            raise ScenarioFault(f"new is the number of players, not {given['new']!r}")
        chance.foresee(outcomes)
        options = {key: value for key, value in given.items() if key != "new"}
        try:
            played = start(self.ruleset, given["new"], options, chance)
        except ActionRefused as error:
            raise ScenarioFault(f"no such race can begin: {error}") from error
        return Start(played.state, chance, played.events)

    def expectation(self, then: Mapping[str, JSON]) -> Expectation:
        """What is expected, read."""
        return read_expectation(self._box, then)

    def differences(self, expectation: Expectation, moment: Moment) -> list[Difference]:
        """Where the moment is otherwise."""
        return differences(self.ruleset, expectation, moment)

    def unsound(self, begun: Any, state: Any) -> str:
        """A token lost, two pieces on one space."""
        return unsound(begun, state)

    def fits(self, decision: Decision, action: Any) -> bool:
        """Whether this kind of action can answer this kind of question."""
        return isinstance(action, _FITTING[decision.key])

    def moment(self, words: str) -> str | None:
        """``Turn B``: this seat is asked for its turn."""
        head, _, letter = words.partition(" ")
        return f"Turn {letter}" if head == "Turn" and letter in tuple(LETTERS) else None

    def is_at(self, state: Any, moment: str) -> bool:
        """Whether this seat is asked for its turn."""
        seat = self.seat(state, moment.removeprefix("Turn "))
        return state.asked is not None and state.asked.kind == "turn" and bool(state.asked.seat == seat)

    def seat(self, state: Any, name: str) -> int:
        """The seat of a letter."""
        return seat_number(name, len(state.drivers))

    def seat_name(self, state: Any, seat: int) -> str:
        """The same the other way."""
        return LETTERS[seat - 1]


BENCH = ThunderRoadBench()
