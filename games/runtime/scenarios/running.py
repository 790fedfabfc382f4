"""Runs scenarios through the public driver: orders are read as from a mail, draws are fixed."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from games.engine.contract import Act, Decision, Event
from games.engine.errors import ActionRefused, Ambiguous, Malformed, NotYourDecision, RaceOver
from games.engine.play import Played, play, run_on
from games.engine.scenarios import Bench, Difference, Moment, ScenarioFault, Start, Unforeseen
from games.runtime.scenarios.benches import BENCHES
from games.runtime.scenarios.reading import (
    ANY,
    NOT_ASKED,
    OVER,
    UNREADABLE,
    MalformedScenario,
    Order,
    Scenario,
    Step,
)

LONGEST_WAIT = 2_000
"""Questions answered by default before a step is given up: a step that is never reached must not run for ever."""

_ASKED = re.compile(r"([A-Z][A-Za-z]{0,8}\d{0,2}|\d{1,2})(?:\s+([a-z_]+))?")


class Failure(msgspec.Struct, frozen=True):
    """Where a scenario came out otherwise: the line, what was being done, and what differed."""

    line: int
    step: str
    reason: str = ""
    differences: tuple[Difference, ...] = ()


class Result(msgspec.Struct, frozen=True):
    """How a scenario came out.

    ``story``: the race's log as the public saw it, with the scenario's orders between; ``events``: all that it tells.
    """

    scenario: Scenario
    failures: tuple[Failure, ...]
    story: tuple[str, ...]
    events: tuple[Event, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything came out as expected."""
        return not self.failures


class _Stuck(Exception):
    """The scenario cannot go on: the message says why."""


def run(scenario: Scenario) -> Result:
    """Run one scenario. Raises MalformedScenario if it cannot be used as written; whatever differs is in the result."""
    bench = BENCHES.get(scenario.ruleset)
    if bench is None:
        known = ", ".join(sorted(BENCHES))
        raise MalformedScenario(
            scenario.file,
            scenario.line,
            scenario.id,
            f"the ruleset «{scenario.ruleset}» is not known; there is {known}",
        )
    try:
        return _Run(scenario, bench).result()
    except ScenarioFault as fault:
        raise MalformedScenario(scenario.file, scenario.line, scenario.id, str(fault)) from fault


class _Run:
    """One scenario on its way."""

    def __init__(self, scenario: Scenario, bench: Bench) -> None:
        self.scenario = scenario
        self.bench = bench
        self.ruleset = bench.ruleset
        self.steps = [(step, self._expectations(step)) for step in scenario.when]
        self.then = bench.expectation(scenario.then)
        outcomes = [word for words in scenario.outcomes for word in bench.outcomes(words)]
        start: Start = bench.start(scenario.given, outcomes=outcomes, words=scenario.words)
        self.begun = self.state = start.state
        self.chance = start.chance
        self.named: set[int] = set()  # whose questions the step before has named as open
        self.begun_turn = -1  # the last turn in which something has been done
        self.events: list[Event] = []
        self.story: list[str] = []
        self.failures: list[Failure] = []
        self._keep(start.state, start.events)

    def _expectations(self, step: Step) -> tuple[Any, Any]:
        """The checks of a step, read before anything runs, so that a fault in them shows whatever happens before."""
        return tuple(self.bench.expectation(each) if each else None for each in (step.now, step.expect))  # type: ignore[return-value]

    def result(self) -> Result:
        """Run all steps, then hold what came of it against ``then``."""
        step: Step | None = None
        try:
            for step, (now, expect) in self.steps:
                self._step(step, now, expect)
            step = None
            self._settle()
            if self.scenario.asked is not None:
                self._check_asked(self.scenario.line, "at the end", self._read_asked(self.scenario.asked))
            self._compare(self.then, self.scenario.line, "at the end")
            if self.chance.left:
                self._fail(f"not all draws of next were needed: {', '.join(self.chance.left)} left over")
        except (_Stuck, Unforeseen) as stuck:
            self._fail(str(stuck), step)
        return Result(self.scenario, tuple(self.failures), tuple(self.story), tuple(self.events))

    def _fail(self, reason: str, step: Step | None = None) -> None:
        line = step.line if step else self.scenario.line
        self.failures.append(Failure(line, f"at {step}" if step else "at the end", reason))

    # --- Steps --------------------------------------------------------------------------

    def _step(self, step: Step, now: Any, expect: Any) -> None:
        self.chance.foresee([word for words in step.next for word in self.bench.outcomes(words)])
        if step.next and not (step.go or step.until or step.order or step.asked or now or expect):
            return
        self._run_on()
        if step.go is not None:
            self._go(step.go)
        if step.until is not None:
            self._until(self._read_asked(step.until))
        if step.order is not None:
            self._order(step.order, step.refused)
            self.named.clear()
        if step.asked is not None:
            self._check_asked(step.line, f"after {step}", self._read_asked(step.asked))
        if now is not None:
            self._compare(now, step.line, f"at {step}")
        if expect is not None:
            self._settle()
            self._compare(expect, step.line, f"after {step}")

    def _go(self, words: str) -> None:
        """Answer by default until the moment named comes, or comes again if something was done in it already."""
        moment = self.bench.moment(words)
        if moment is None:
            raise ScenarioFault(f"«{words}» is neither an order («1: end») nor a moment («Turn 2»)")
        for _ in range(LONGEST_WAIT):
            decision = self._first_open(f"{moment} never came")
            if self.bench.is_at(self.state, moment) and self.begun_turn != self._turn():
                self.story.append(f"[{moment}]")
                return
            self._default(decision)
        raise _Stuck(f"{moment} did not come within {LONGEST_WAIT} answers")

    def _until(self, wanted: list[tuple[int, str]]) -> None:
        """Answer by default until exactly these questions are open."""
        for _ in range(LONGEST_WAIT):
            if self._is_asked(wanted):
                self.named = {seat for seat, _ in wanted}
                return
            decision = self._first_open(f"{self._asked_words(wanted)} was never asked")
            if decision.key in self.bench.turns:
                break
            self._default(decision)
        raise _Stuck(f"{self._asked_words(wanted)} was never asked; now open: {self._open_words()}")

    def _order(self, order: Order, refused: str | None) -> None:
        """Read and give an order; questions before it that it cannot be an answer to are answered by default."""
        try:
            seat = self.bench.seat(self.state, order.seat)
        except ScenarioFault as fault:
            raise ScenarioFault(f"«{order}»: {fault}") from fault
        for _ in range(LONGEST_WAIT):
            action = self._read(seat, order, refused)
            if action is None:
                return
            passed_over = self._before(seat, action, refused)
            if passed_over is None:
                self._give(seat, order, action, refused)
                return
            self._default(passed_over)
        raise _Stuck(f"nothing was asked of car {order.seat} within {LONGEST_WAIT} answers")

    def _read(self, seat: int, order: Order, refused: str | None) -> Any:
        """The action that the words mean; None if they were to be unreadable and are."""
        try:
            return self.ruleset.read(self.ruleset.view(self.state, seat), order.words)
        except (Malformed, Ambiguous) as error:
            if refused == UNREADABLE:
                return None
            raise _Stuck(f"the words of the order cannot be read: {error}") from error

    def _before(self, seat: int, action: Any, refused: str | None) -> Decision | None:
        """A question to answer by default before this order: another seat's, or one that the order does not fit."""
        if self.ruleset.is_aside(action) or self.ruleset.outcome(self.state) is not None:
            return None
        decisions = self.ruleset.pending(self.state)
        own = next((decision for decision in decisions if decision.seat == seat), None)
        if own is not None and refused is not None and seat in self.named:
            return None
        if own is None:
            return next((decision for decision in decisions if decision.clock == "reaction"), None)
        if self.bench.fits(own, action):
            return None
        if own.clock == "reaction":
            return own
        return own if refused is None and own.key in self.bench.passed_over else None

    def _give(self, seat: int, order: Order, action: Any, refused: str | None) -> None:
        """Give the order through the driver; accepted or refused, it must be as the scenario has it."""
        view = self.ruleset.view(self.state, seat)
        turn = self._turn()
        own = any(decision.seat == seat and decision.clock == "turn" for decision in self.ruleset.pending(self.state))
        try:
            played = play(self.ruleset, self.state, [Act(seat, action)], self.chance)
        except ActionRefused as error:
            self.story.append(f"> {order}   refused: {error}")
            self._check_refusal(error, refused)
            return
        self.story.append(f"> {order}")
        if refused is not None:
            self._take(played)
            raise _Stuck(f"it should have been refused ({refused}) and was accepted")
        if own:
            self.begun_turn = turn
        self._take(played)
        self._check_words(view, order, action)

    def _check_refusal(self, error: ActionRefused, refused: str | None) -> None:
        if isinstance(error, NotYourDecision):
            cited, shown = NOT_ASKED, f"nothing is asked of this car; open: {self._open_words()}"
        elif isinstance(error, RaceOver):
            cited, shown = OVER, "the race is over"
        else:
            cited, shown = error.rule, f"refused: {error}"
        if refused is None:
            raise _Stuck(f"it should have been accepted; {shown}")
        # "C6" stands for C6a to C6c, as "R6.24" for R6.24a and R6.24b in a scenario's rules.
        if refused not in (cited, ANY) and not (cited[-1:].islower() and cited[:-1] == refused):
            raise _Stuck(f"it should have been refused ({refused}); {shown}")

    def _check_words(self, view: Any, order: Order, action: Any) -> None:
        """What the ruleset calls an order must mean that order: mails and pages show those words."""
        said = self.ruleset.say(view, action)
        again = self.ruleset.read(view, said)
        if again != action:
            raise _Stuck(f"the order is shown as «{said}», but that is read as {again!r} instead of {action!r}")

    # --- Questions ----------------------------------------------------------------------

    def _settle(self) -> None:
        """Answer by default whatever is asked beside the turn itself."""
        self._run_on()
        for _ in range(LONGEST_WAIT):
            open_now = [decision for decision in self.ruleset.pending(self.state) if decision.clock == "reaction"]
            if not open_now:
                return
            self._default(open_now[0])
        raise _Stuck(f"questions went on for {LONGEST_WAIT} answers")

    def _first_open(self, otherwise: str) -> Decision:
        self._run_on()
        decisions = self.ruleset.pending(self.state)
        if not decisions:
            raise _Stuck(f"{otherwise}: the race is over")
        return decisions[0]

    def _default(self, decision: Decision) -> None:
        if decision.clock == "turn":
            self.begun_turn = self._turn()
        self._take(play(self.ruleset, self.state, [Act(decision.seat, decision.default)], self.chance))

    def _run_on(self) -> None:
        if not self.ruleset.waiting(self.state) and self.ruleset.outcome(self.state) is None:
            self._take(run_on(self.ruleset, self.state, self.chance))

    def _take(self, played: Played) -> None:
        self._keep(played.state, played.events)
        wrong = self.bench.unsound(self.begun, self.state)
        if wrong:
            raise _Stuck(f"whatever was expected, the race is unsound now: {wrong}")

    def _keep(self, state: Any, events: tuple[Event, ...]) -> None:
        self.state = state
        self.events.extend(events)
        self.story.extend(told for event in events if (told := self.ruleset.tell(event.seen_by(None))))

    def _is_asked(self, wanted: list[tuple[int, str]]) -> bool:
        """Whether exactly these questions are open; one named without its key may be any; none: no reaction is due."""
        decisions = self.ruleset.pending(self.state)
        if not wanted:
            return all(decision.clock == "turn" for decision in decisions)
        if sorted(decision.seat for decision in decisions) != sorted(seat for seat, _ in wanted):
            return False
        keys = {decision.seat: decision.key for decision in decisions}
        return all(key in ("", keys[seat]) for seat, key in wanted)

    def _check_asked(self, line: int, step: str, wanted: list[tuple[int, str]]) -> None:
        self.named = {seat for seat, _ in wanted}
        if not self._is_asked(wanted):
            difference = Difference("asked", self._asked_words(wanted), self._open_words())
            self.failures.append(Failure(line, step, differences=(difference,)))

    def _open_words(self) -> str:
        return self._asked_words([(decision.seat, decision.key) for decision in self.ruleset.pending(self.state)])

    def _asked_words(self, asked: list[tuple[int, str]]) -> str:
        names = [f"{self.bench.seat_name(self.state, seat)} {key}".rstrip() for seat, key in asked]
        return ", ".join(names) or "nobody"

    def _read_asked(self, words: str) -> list[tuple[int, str]]:
        """``2 answer, 3 fate`` as [(2, "answer"), (3, "fate")]; ``nobody`` as []."""
        if words.casefold() == "nobody":
            return []
        asked = []
        for part in words.split(","):
            found = _ASKED.fullmatch(part.strip())
            if found is None:
                raise ScenarioFault(f"«{words}» does not say who is asked; write «2 answer, 3 fate», «2» or «nobody»")
            asked.append((self.bench.seat(self.state, found[1]), found[2] or ""))
        return asked

    def _compare(self, expectation: Any, line: int, step: str) -> None:
        decisions = self.ruleset.pending(self.state)
        moment = Moment(self.state, tuple(self.events), decisions, self.chance.tally)
        differences = self.bench.differences(expectation, moment)
        if differences:
            self.failures.append(Failure(line, step, differences=tuple(differences)))

    def _turn(self) -> int:
        """The number of the turn in progress."""
        return int(self.ruleset.view(self.state, None)["turn"])
