"""A race as a state machine that Hypothesis drives: any answer, any aside, at any time; failures shrink."""

from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from games.engine import codec
from games.engine.chance import Draw, Recorded, Stream
from games.engine.contract import Act, Decision, Field, Form
from games.engine.errors import RaceOver
from games.engine.play import play, start
from games.runtime.rulesets import drivers
from tests.conformance.subject import Subject

SETTINGS = settings(
    max_examples=50, stateful_step_count=50, deadline=None, derandomize=True, database=None, print_blob=False
)
"""The same races in every run: a failure here is a change, not luck."""


class RaceMachine(RuleBasedStateMachine):
    """One race. Subclasses name the subject; what is always true is checked after every move."""

    subject: ClassVar[Subject]
    moves: ClassVar[list[str]] = []
    """What was done in the latest race, in words."""

    @initialize(seed=st.integers(0, 2**32), seats=st.integers(0, 8), eventful=st.booleans())
    def deal(self, seed: int, seats: int, eventful: bool) -> None:
        """A new race, with an eventful start or a plain one."""
        type(self).moves = []
        self.ruleset = self.subject.ruleset
        options = self.ruleset.options(self.subject.options[0])
        numbers = drivers(self.ruleset, options)
        self.seats = numbers[min(seats, len(numbers) - 1)]
        self.stream = Stream(seed.to_bytes(8, "big"))
        self.rng = Random(seed)
        self.state = start(self.ruleset, self.seats, options, self.stream).state
        if eventful:
            self.state = self.subject.prepared(self.state, self.rng)
        self.begin = self.state
        self.entries: list[tuple[list[Act], tuple[Draw, ...]]] = []

    def give(self, *acts: Act) -> None:
        """Play acts and remember them."""
        self.stream.taken = []
        played = play(self.ruleset, self.state, acts, self.stream)
        self.entries.append((list(acts), played.draws))
        for act in acts:
            view = self.ruleset.view(self.state, act.seat)
            type(self).moves.append(f"seat {act.seat}: {self.ruleset.say(view, act.action)}")
        self.state = played.state

    def is_running(self) -> bool:
        """Whether anybody is asked anything."""
        return bool(self.ruleset.waiting(self.state))

    @precondition(is_running)
    @rule(data=st.data())
    def one_answers(self, data: st.DataObject) -> None:
        """One of those who are asked gives any answer."""
        decision = data.draw(st.sampled_from(self.ruleset.pending(self.state)), label="question")
        action = data.draw(answers(decision), label="answer")
        if self.ruleset.verify(self.state, decision.seat, action) is None:
            self.give(Act(decision.seat, action))

    @precondition(is_running)
    @rule(data=st.data())
    def all_answer(self, data: st.DataObject) -> None:
        """All who are asked answer together, from their menus."""
        decisions = self.ruleset.pending(self.state)
        self.give(*(Act(one.seat, data.draw(st.sampled_from(one.menu), label="answer")) for one in decisions))

    @precondition(is_running)
    @rule()
    def all_lapse(self) -> None:
        """Nobody answers in time."""
        self.give(*(Act(one.seat, one.default) for one in self.ruleset.pending(self.state)))

    @precondition(is_running)
    @rule(seat=st.integers(0, 9), seed=st.integers(0, 999))
    def somebody_says_something(self, seat: int, seed: int) -> None:
        """A wish, or a withdrawal, that nobody asked for."""
        self.give(Act(seat % self.seats + 1, self.subject.aside(Random(seed))))

    @precondition(lambda self: not self.is_running())
    @rule(seat=st.integers(1, 10))
    def nobody_acts_after_the_end(self, seat: int) -> None:
        """Whoever answers then is told that the race is over."""
        last = self.entries[-1][0][-1]
        if not self.ruleset.is_aside(last.action):
            with pytest.raises(RaceOver):
                play(self.ruleset, self.state, [Act(seat, last.action)], self.stream)

    @invariant()
    def nothing_impossible_is_true(self) -> None:
        """The ruleset's own invariants, and the engine's."""
        self.subject.check(self.state)
        assert bool(self.ruleset.waiting(self.state)) != (self.ruleset.outcome(self.state) is not None)

    @invariant()
    def the_state_comes_back_from_its_json(self) -> None:
        """What is stored is what was."""
        assert codec.load(self.ruleset.state_type, codec.dump(self.state)) == self.state

    @invariant()
    def nobody_sees_what_is_hidden(self) -> None:
        """For one viewer a move: views do not change with what they must not show."""
        viewer = len(self.entries) % (self.seats + 1) or None
        other = self.subject.resampled(self.state, viewer, self.rng)
        assert self.ruleset.view(other, viewer) == self.ruleset.view(self.state, viewer)

    def teardown(self) -> None:
        """The whole race comes back from its draws."""
        if not hasattr(self, "entries"):
            return
        state = self.begin
        for acts, draws in self.entries:
            chance = Recorded(draws)
            state = play(self.ruleset, state, acts, chance).state
            assert chance.left == 0
        assert state == self.state


def answers(decision: Decision) -> st.SearchStrategy[Any]:
    """Any offered answer; shrinks towards the first of the menu, and forms towards empty ones."""
    return st.one_of(st.sampled_from(decision.menu), *(fills(form) for form in decision.forms))


def fills(form: Form) -> st.SearchStrategy[Any]:
    """Any fill of a form."""
    parts = {field.name: values(field) for field in form.fields}
    return st.builds(lambda **given: type(form.action)(**{**_parts(form.action), **given}), **parts)


def _parts(action: Any) -> dict[str, Any]:
    return {name: getattr(action, name) for name in action.__struct_fields__}


def values(field: Field) -> st.SearchStrategy[Any]:
    """Any value of a field."""
    if field.kind == "one":
        return st.sampled_from(field.values)
    if field.kind == "number":
        return st.integers(field.least, field.most)
    if field.kind == "text":
        return st.text(max_size=min(field.most, 20))
    places = st.lists(
        st.integers(0, len(field.values) - 1),
        unique=True,
        min_size=field.least,
        max_size=min(field.most, len(field.values)),
    )
    return (
        places.map(lambda chosen: tuple(field.values[place] for place in sorted(chosen)))
        if field.values
        else st.just(())
    )


def machine_of(name: str, subject: Subject) -> type[RaceMachine]:
    """The machine of a ruleset."""
    return type(name, (RaceMachine,), {"subject": subject})
