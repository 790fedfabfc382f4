"""What the conformance suite must be told of a ruleset beyond the contract, and the random races it looks at."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

import msgspec

from games.engine import codec
from games.engine.bots import random_fill
from games.engine.chance import Draw, Stream, commitment, stream_key
from games.engine.contract import JSON, Act, Decision, Event, Field, Form, Ruleset, Viewer
from games.engine.play import Played, play, start
from games.engine.record import Entry, EntryAct, Record

ASIDE = 0.02
"""How often somebody says something that nobody asked."""
FILLS = 12
"""How often a linked form is filled in before something else is chosen."""


@dataclass(frozen=True)
class Subject:
    """A ruleset under test.

    ``seats`` and ``options`` are gone through race by race. ``temper`` weighs the kinds of answers in every second
    race, so that rare things come up. ``aside`` is something said without a question, None in a game where nothing
    is. ``prepared`` makes the start of every fourth race an eventful one. ``resampled`` draws anew what a viewer
    cannot know; ``check`` raises AssertionError for a state that cannot be; ``universe`` are answers somebody might
    try, and ``plain`` is the offered way to say the same as one of them. ``fixed`` are recorded races whose offers
    are counted; of those named in ``golden`` a transcript is kept, in which ``glance`` puts a view into a line.
    ``way``: which way to play the ruleset this is, "" for the usual one; ``lacks``: kinds of answers that it has not.
    """

    ruleset: Ruleset[Any]
    seats: tuple[int, ...]
    options: tuple[Mapping[str, JSON], ...]
    most_answers: int
    resampled: Callable[[Any, Viewer, Random], Any]
    check: Callable[[Any], None]
    universe: Callable[[Any], Iterable[Any]]
    aside: Callable[[Random], Any]
    fixed: Callable[[], Mapping[str, Record]]
    golden: tuple[str, ...]
    glance: Callable[[JSON], str]
    temper: Mapping[str, float] = field(default_factory=dict)
    prepared: Callable[[Any, Random], Any] = lambda state, rng: state
    plain: Callable[[Decision, Any], Any] = lambda decision, action: action
    races: int = 200
    way: str = ""
    lacks: frozenset[type] = frozenset()

    @property
    def name(self) -> str:
        """What its transcripts are called."""
        return f"{self.ruleset.key}-{self.way}" if self.way else str(self.ruleset.key)


@dataclass(frozen=True)
class Step:
    """One entry of a race: the state and its open decisions, the acts, and what came of them."""

    state: Any
    decisions: tuple[Decision, ...]
    acts: tuple[Act, ...]
    events: tuple[Event, ...]
    draws: tuple[Draw, ...]
    after: Any


@dataclass(frozen=True)
class Trail:
    """A race gone through at random. ``is_prepared``: its start was made eventful, so no record begins with it."""

    subject: Subject
    number: int
    seats: int
    options: Mapping[str, JSON]
    secret: bytes
    first: Played
    is_prepared: bool
    begin: Any
    steps: tuple[Step, ...]

    @property
    def end(self) -> Any:
        """The last state."""
        return self.steps[-1].after

    @property
    def answers(self) -> int:
        """Acts given, asides among them."""
        return sum(len(step.acts) for step in self.steps)

    @cached_property
    def record(self) -> Record:
        """The race as a record; only of one that was not prepared."""
        assert not self.is_prepared
        ruleset = self.subject.ruleset
        entries = [Entry(0, (), self.first.draws, codec.digest(self.begin))]
        for number, step in enumerate(self.steps, 1):
            acts = tuple(EntryAct(act.seat, codec.to_json(act.action)) for act in step.acts)
            entries.append(Entry(number, acts, step.draws, codec.digest(step.after)))
        return Record(
            ruleset=ruleset.key,
            version=ruleset.version,
            seats=self.seats,
            options=dict(self.options),
            commitment=commitment(self.secret),
            entries=tuple(entries),
            secret=self.secret.hex(),
            outcome=ruleset.outcome(self.end),
        )


def trail(subject: Subject, number: int) -> Trail:
    """The race of this number, always the same."""
    ruleset = subject.ruleset
    rng = Random(f"{ruleset.key}/{number}")
    seats = subject.seats[number % len(subject.seats)]
    options = ruleset.options(subject.options[number % len(subject.options)])
    secret = f"conformance/{ruleset.key}/{number}".encode()
    stream = Stream(stream_key(secret, ()))
    first = start(ruleset, seats, options, stream)
    is_prepared = number % 4 == 3
    begin = state = subject.prepared(first.state, rng) if is_prepared else first.state
    temper = subject.temper if number % 2 else {}
    steps: list[Step] = []
    answers = 0
    while decisions := ruleset.pending(state):
        stream.taken = []
        acts: tuple[Act, ...] = ()
        if rng.random() < ASIDE:
            said = Act(rng.randint(1, seats), subject.aside(rng))
            acts = (said,) if said.action is not None else ()
        acts = acts or _answers(ruleset, state, decisions, rng, temper)
        played = play(ruleset, state, acts, stream)
        steps.append(Step(state, decisions, acts, played.events, played.draws, played.state))
        state = played.state
        answers += len(acts)
        assert answers <= subject.most_answers, f"race {number} of {ruleset.key} does not end"
    return Trail(subject, number, seats, options, secret, first, is_prepared, begin, tuple(steps))


def _answers(
    ruleset: Ruleset[Any], state: Any, decisions: tuple[Decision, ...], rng: Random, temper: Mapping[str, float]
) -> tuple[Act, ...]:
    """The answers to all open questions, or to some of them."""
    asked = decisions if rng.random() < 0.5 else decisions[: rng.randint(1, len(decisions))]
    return tuple(Act(one.seat, any_answer(ruleset, state, one, rng, temper)) for one in asked)


def any_answer(ruleset: Ruleset[Any], state: Any, decision: Decision, rng: Random, temper: Mapping[str, float]) -> Any:
    """An allowed answer, by the weights of its kind; forms count as one entry each."""
    offers = [*decision.menu, *decision.forms]
    weights = [temper.get(_kind(one), 1.0) for one in offers]
    for _ in range(FILLS):
        chosen = rng.choices(offers, weights)[0]
        if isinstance(chosen, Form):
            chosen = random_fill(chosen, rng)
            if ruleset.verify(state, decision.seat, chosen) is not None:
                continue
        return chosen
    return decision.default


def _kind(offer: Any) -> str:
    action = offer.action if isinstance(offer, Form) else offer
    return str(type(action).__struct_config__.tag)


def is_offered(decision: Decision, action: Any) -> bool:
    """Whether the menu has this answer, or a form can be filled in so."""
    return action in decision.menu or any(is_fill(form, action) for form in decision.forms)


def is_fill(form: Form, action: Any) -> bool:
    """Whether a form can be filled in to give this action (a linked form's fill may still be refused)."""
    if type(action) is not type(form.action):
        return False
    fields = {one.name: one for one in form.fields}
    for name in action.__struct_fields__:
        value = getattr(action, name)
        if value == getattr(form.action, name):
            continue
        if name not in fields or not _fits(fields[name], value):
            return False
    return True


def _fits(one: Field, value: Any) -> bool:
    if one.kind == "one":
        return value in one.values
    if one.kind == "number":
        return bool(one.least <= value <= one.most)
    if one.kind == "text":
        return len(value) <= one.most
    left = list(one.values)
    for part in value:
        if part not in left:
            return False
        left.remove(part)
    return one.least <= len(value) <= one.most


WORDS = ("", "x", "no such thing", "\x00", "é" * 600)
NUMBERS = (-2, -1, 0, 1, 2, 3, 7, 11, 1_000_000)


def wild(ruleset: Ruleset[Any], decisions: tuple[Decision, ...], rng: Random) -> Any:
    """An answer of the right shape and any content: parts of offered ones, and things that nobody offers."""
    kind = rng.choice(ruleset.action_type.__args__)
    words = [*WORDS, *_words_in(decisions)]
    types = {one.name: one.type for one in msgspec.structs.fields(kind)}
    return kind(**{name: _any(types[name], words, rng) for name in types})


def _words_in(decisions: tuple[Decision, ...]) -> list[str]:
    offers = [one for decision in decisions for one in (*decision.menu, *(form.action for form in decision.forms))]
    values = [value for one in offers for value in msgspec.structs.asdict(one).values()]
    values += [
        value for decision in decisions for form in decision.forms for one in form.fields for value in one.values
    ]
    return [value for value in values if isinstance(value, str)]


def _any(kind: Any, words: list[str], rng: Random) -> Any:
    if kind is bool:
        return rng.random() < 0.5
    if kind is int:
        return rng.choice(NUMBERS)
    if kind is str:
        return rng.choice(words)
    part = kind.__args__[0]
    return tuple(_any(part, words, rng) for _ in range(rng.choice((0, 0, 1, 1, 2, 3, 9))))
