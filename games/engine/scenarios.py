"""What a ruleset offers so that scenarios (given, when, then) can be set up, played with fixed draws, and checked."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from games.engine.chance import Draw
from games.engine.contract import JSON, Decision, Event, Ruleset


class ScenarioFault(Exception):
    """A scenario cannot be used as it is written.

    The message is one sentence; whoever read the file adds where it stands.
    """


class Unforeseen(Exception):
    """A draw came up that the scenario did not fix. The message says which one was needed."""


class Difference(msgspec.Struct, frozen=True):
    """One thing that came out otherwise than expected."""

    what: str
    expected: str
    actual: str


class Moment(msgspec.Struct, frozen=True):
    """What an expectation is held against.

    ``events`` are all since the scenario began, ``decisions`` the open ones, ``tally`` counts draws so far by label.
    """

    state: Any
    events: tuple[Event, ...]
    decisions: tuple[Decision, ...]
    tally: Mapping[str, int]


class FixedChance(Protocol):
    """A chance source whose outcomes a scenario names ahead."""

    taken: list[Draw]
    tally: dict[str, int]

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """As Chance.pick; raises Unforeseen for an outcome that matters and was not named."""
        ...

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """As Chance.shuffled."""
        ...

    def foresee(self, outcomes: Sequence[str]) -> None:
        """Name the next outcomes, in order, after those already named."""
        ...

    @property
    def left(self) -> tuple[str, ...]:
        """The outcomes named and not yet used."""
        ...


class Start(msgspec.Struct, frozen=True):
    """Where a scenario begins: the state (automatic steps may still be due) and what happened to reach it."""

    state: Any
    chance: FixedChance
    events: tuple[Event, ...] = ()


class Bench(Protocol):
    """A ruleset's work-bench for scenarios.

    What it reads are plain TOML values; whatever it cannot use raises ScenarioFault.
    """

    ruleset: Ruleset[Any]
    turns: Collection[str]
    """Questions that begin a turn: a step that waits for another question waits no longer than until one is asked."""
    passed_over: Collection[str]
    """Questions on one's own turn that are answered by default when an order fits none of their answers."""

    def outcomes(self, words: str) -> tuple[str, ...]:
        """The outcomes that ``next`` names, each in one spelling."""
        ...

    def start(self, given: Mapping[str, JSON], *, outcomes: Sequence[str], words: str) -> Start:
        """The position that ``given`` describes.

        ``outcomes``: all that the scenario will fix, so that they can still come up. ``words``: all its orders and
        expectations, so that what the position leaves open is filled with things they do not speak of.
        """
        ...

    def expectation(self, then: Mapping[str, JSON]) -> Any:
        """What ``then`` expects, read and ready for differences()."""
        ...

    def differences(self, expectation: Any, moment: Moment) -> list[Difference]:
        """Where the moment is otherwise than expected; [] if nowhere."""
        ...

    def unsound(self, begun: Any, state: Any) -> str:
        """What must never be true of a state that came of ``begun`` and is, in a sentence; "" if it is sound."""
        ...

    def fits(self, decision: Decision, action: Any) -> bool:
        """Whether an action of this kind can be an answer to this kind of question, allowed or not."""
        ...

    def seat(self, state: Any, name: str) -> int:
        """The seat that an order or a question names, by its number or as the ruleset calls it ("Dr2")."""
        ...

    def seat_name(self, state: Any, seat: int) -> str:
        """A seat as scenarios write it: what seat() reads back."""
        ...

    def moment(self, words: str) -> str | None:
        """A step that says how far to play on ("Turn 3"), in one spelling; None if the words are no such step."""
        ...

    def is_at(self, state: Any, moment: str) -> bool:
        """Whether the state is at the moment that such a step names."""
        ...
