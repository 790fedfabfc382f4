"""The driver: start a race, take acts, run on to the next question. Nothing else applies an action to a state."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from games.engine.chance import Chance, Draw
from games.engine.contract import JSON, Act, Decision, Event, Outcome, Ruleset, Seat
from games.engine.errors import Malformed, NotYourDecision, RaceOver, RuleViolation

LONGEST_RUN = 100_000
"""Automatic steps between two questions; a ruleset that needs more is caught in a circle."""


class Played(msgspec.Struct, frozen=True):
    """What came of an entry: the new state, its events and its draws in order."""

    state: Any
    events: tuple[Event, ...]
    draws: tuple[Draw, ...]


def _run_on(ruleset: Ruleset[Any], state: Any, events: list[Event], chance: Chance) -> Any:
    for _ in range(LONGEST_RUN):
        if ruleset.waiting(state) or ruleset.outcome(state) is not None:
            return state
        step = ruleset.advance(state, chance)
        state = step.state
        events.extend(step.events)
    raise AssertionError(f"{ruleset.key} took {LONGEST_RUN} automatic steps without asking anybody")


def start(ruleset: Ruleset[Any], seats: int, options: Mapping[str, JSON], chance: Chance) -> Played:
    """A new race, run on to its first question.

    Raises Malformed for options or a number of seats the game does not have.
    """
    fewest, most = ruleset.seats
    if not fewest <= seats <= most:
        raise Malformed(f"{ruleset.title} is for {fewest} to {most} drivers.")
    step = ruleset.setup(seats, ruleset.options(options), chance)
    events = list(step.events)
    state = _run_on(ruleset, step.state, events, chance)
    return Played(state, tuple(events), tuple(chance.taken))


def run_on(ruleset: Ruleset[Any], state: Any, chance: Chance) -> Played:
    """Take the automatic steps that are due, up to the next question; for a state that was set up by hand."""
    events: list[Event] = []
    state = _run_on(ruleset, state, events, chance)
    return Played(state, tuple(events), tuple(chance.taken))


def check(ruleset: Ruleset[Any], state: Any, seat: Seat, action: Any) -> None:
    """Raise what play() would raise for this act, and change nothing."""
    if ruleset.is_aside(action):
        return
    if seat not in ruleset.waiting(state):
        if ruleset.outcome(state) is not None:
            raise RaceOver("The race is over.")
        raise NotYourDecision("Nothing is asked of you now.")
    refusal = ruleset.verify(state, seat, action)
    if refusal is not None:
        raise RuleViolation.of(refusal)


def play(ruleset: Ruleset[Any], state: Any, acts: Sequence[Act], chance: Chance) -> Played:
    """Apply acts in order, running on after each; all or nothing, since states are frozen.

    Raises RaceOver, NotYourDecision or RuleViolation (with the rule's number).
    """
    events: list[Event] = []
    for act in acts:
        check(ruleset, state, act.seat, act.action)
        step = ruleset.answer(state, act.seat, act.action, chance)
        events.extend(step.events)
        state = _run_on(ruleset, step.state, events, chance)
    return Played(state, tuple(events), tuple(chance.taken))


def decision_of(ruleset: Ruleset[Any], state: Any, seat: Seat) -> Decision | None:
    """What is asked of this seat, or None."""
    return next((d for d in ruleset.pending(state) if d.seat == seat), None)


def outcome(ruleset: Ruleset[Any], state: Any) -> Outcome | None:
    """How the race ended, or None."""
    return ruleset.outcome(state)
