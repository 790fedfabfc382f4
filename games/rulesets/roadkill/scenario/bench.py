"""RoadKill's work-bench for scenarios: the parts of this package put together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from games.engine.contract import JSON, Decision, Ruleset
from games.engine.errors import ActionRefused
from games.engine.play import start
from games.engine.scenarios import Difference, Moment, ScenarioFault, Start
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.scenario.chance import FixedDraws
from games.rulesets.roadkill.scenario.expectation import Expectation, differences, read_expectation
from games.rulesets.roadkill.scenario.notation import read_outcomes, read_place, seat_name, seat_number
from games.rulesets.roadkill.scenario.position import build
from games.rulesets.roadkill.scenario.soundness import unsound
from games.rulesets.roadkill.scenario.usefulness import Shelf, kinds_spoken_of

_BOX = "classic"
_ANSWERS = (a.Card, a.NoCard)
_ACTS = (
    a.Start,
    a.Exit,
    a.Pass,
    a.Attack,
    a.Shortcut,
    a.Play,
    a.Stop,
    a.Forage,
    a.Repair,
    a.Trade,
    a.Supercharge,
    a.ChangeDrivers,
    a.End,
)
_FITTING: dict[str, tuple[type[Any], ...]] = {
    "act": (*_ACTS, a.Card, a.AutoExit),
    "auto_pass": (a.GoOn, a.Stop, a.Attack, a.Pass),
    "auto_exit": (a.AutoExit, a.Decline),
    "evil": (a.Stop, a.Risk),
    "offer": (a.Accept, a.Decline),
    "loot": (a.Loot,),
    "excess": (a.Discard,),
    "trade": (a.Accept, a.Decline),
    "draft": (a.Draft, a.Decline),
    "draw_or_pass": (a.DrawCards, a.PassCard, a.NoMore),
    "keep": (a.Keep,),
}
"""Questions and the kinds of answer they take; all others take a card or none."""
_ONLY = {"reflexes": ("great_reflexes",), "canyon": ("box_canyon",), "fate": ("fate",), "wrong_road": ("road_map",)}
"""Questions that one kind of card answers: an order for another card waits for the next question."""
_NEW_KEYS = ("new", "sections", "components", "upgrades", "track", "teams")


class RoadkillBench:
    """What engine.scenarios.Bench asks for."""

    ruleset: Ruleset[Any] = RULESET
    turns: Collection[str] = ("act",)
    passed_over: Collection[str] = ("auto_pass", "auto_exit")

    def __init__(self) -> None:
        self._box = components.named(_BOX)

    def outcomes(self, words: str) -> tuple[str, ...]:
        """``Attack=4, Check=7`` as separate outcomes."""
        return tuple(str(outcome) for outcome in read_outcomes(self._box, words))

    def start(self, given: Mapping[str, JSON], *, outcomes: Sequence[str], words: str) -> Start:
        """A new race (``new = 4``) or a position."""
        later = [outcome for text in outcomes for outcome in read_outcomes(self._box, text)]
        spoken = kinds_spoken_of(self._box, words)
        if "new" in given:
            return self._new(given, FixedDraws(self._box, Shelf(self._box, spoken, later), later))
        state, shelf = build(given, outcomes=later, spoken=spoken)
        return Start(state, FixedDraws(components.named(state.components), shelf, later))

    def _new(self, given: Mapping[str, JSON], chance: FixedDraws) -> Start:
        for key in given:
            if key not in _NEW_KEYS:
                raise ScenarioFault(f"«{key}» does not go with new; a new race knows {', '.join(_NEW_KEYS)}")
        if not isinstance(given["new"], int) or isinstance(given["new"], bool):
            raise ScenarioFault(f"new is the number of players, not {given['new']!r}")
        options = {key: given[key] for key in _NEW_KEYS[1:] if key in given}
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
        return differences(self.ruleset, self._box, expectation, moment)

    def unsound(self, begun: Any, state: Any) -> str:
        """A card lost or doubled, a hand over its limit, a car in two places."""
        return unsound(begun, state)

    def fits(self, decision: Decision, action: Any) -> bool:
        """Whether this kind of action can answer this kind of question."""
        if not isinstance(action, _FITTING.get(decision.key, _ANSWERS)):
            return False
        if isinstance(action, a.Card):
            return decision.key not in _ONLY or action.card in _ONLY[decision.key]
        if isinstance(action, a.Pass) and decision.key == "auto_pass":
            return not self._box.kinds[self._box.kind_index[action.card]].road
        return True

    def moment(self, words: str) -> str | None:
        """``Turn 3``: car 3's Action Phase."""
        place = read_place(words)
        if place is not None and place[0] == "acts":
            raise ScenarioFault(f"«{words}» is where a scenario may begin; as a step say «Turn {place[1]}»")
        if place is not None and place[0] == "event":
            raise ScenarioFault(
                f"«{words}» cannot be a step: the Event is drawn as soon as the turn before has ended; fix it with "
                'next = "Event=…" beside the step that ends that turn, or go to the Turn'
            )
        return f"Turn {place[1]}" if place else None

    def is_at(self, state: Any, moment: str) -> bool:
        """Whether this car is active, in a race of teams this one of its drivers, and its Event Phase is over."""
        view = self.ruleset.view(state, None)
        try:
            seat = self.seat(state, moment.removeprefix("Turn "))
        except ScenarioFault as fault:
            raise ScenarioFault(f"«{moment}»: {fault}") from fault
        player = view["teams"]["player"] if view["teams"] else view["active"]
        return bool(view["phase"] not in ("draft", "event") and player == seat)

    def seat(self, state: Any, name: str) -> int:
        """``2``, or in a race of teams ``Dr2`` and ``As2``."""
        return seat_number(name, len(state.cars), teams=bool(state.teams))

    def seat_name(self, state: Any, seat: int) -> str:
        """The same the other way."""
        return seat_name(seat, len(state.cars), teams=bool(state.teams))


BENCH = RoadkillBench()
