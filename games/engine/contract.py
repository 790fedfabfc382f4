"""What a ruleset must offer and what passes through the door: decisions, choices, actions, events, outcomes."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from games.engine.chance import Chance
from games.engine.errors import Refusal

JSON: TypeAlias = Any
Seat: TypeAlias = int
"""A player's place in a race, 1 to n. RoadKill's seat n drives car n."""
Viewer: TypeAlias = int | None
"""A seat, or None for a spectator, who sees what is public."""

Clock = Literal["turn", "reaction"]
Kind = Literal["turn", "reaction", "choice", "trade", "draft"]


class Action(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="do", omit_defaults=True):
    """Base of every answer. Each ruleset has one subclass an act, tagged by ``do``; fields are JSON values."""


class Act(msgspec.Struct, frozen=True, gc=False):
    """An action and the seat that gives it."""

    seat: Seat
    action: Any


class Field(msgspec.Struct, frozen=True, gc=False):
    """One part of a form.

    ``kind``: "one" of ``values``, "some" of ``values`` (as many as ``least`` to ``most``; a value listed twice may be
    taken twice), "number" from ``least`` to ``most``, "text" of at most ``most`` letters, "path": a text of ``least``
    to ``most`` letters, one a step, that may be put together step by step (games.engine.extras.Extras.path). ``name``
    is the action's field. ``empty``: what stands if a number is left out, as words that follow "left empty, ".
    """

    name: str
    label: str
    kind: Literal["one", "some", "number", "text", "path"]
    values: tuple[JSON, ...] = ()
    least: int = 0
    most: int = 0
    empty: str = ""


class Form(msgspec.Struct, frozen=True, gc=False):
    """An answer with parts: ``action`` holds what stands if a field is not filled in, ``fields`` what may be.

    ``linked``: a rule joins the fields, so that not every fill of them is allowed; without it every fill is.
    """

    action: Any
    fields: tuple[Field, ...]
    label: str
    linked: bool = False


class Decision(msgspec.Struct, frozen=True, gc=False):
    """One seat owes one answer.

    ``key`` names the question ("act", "answer", "fate", …); ``menu`` are ready answers, ``forms`` those with parts;
    ``default`` stands if the deadline passes. ``singled``: public facts single this seat out and it is not the active
    one, so under the paced policy it has a hold time. ``sealed``: the answer is one of a window and stays hidden until
    the window closes. ``trigger`` is the word a standing order may name. ``about`` are the public facts of the
    question, for its words.
    """

    key: str
    seat: Seat
    rule: str
    menu: tuple[Any, ...]
    default: Any
    forms: tuple[Form, ...] = ()
    kind: Kind = "turn"
    clock: Clock = "turn"
    singled: bool = False
    sealed: bool = False
    trigger: str = ""
    about: dict[str, JSON] = {}

    @property
    def is_real(self) -> bool:
        """Whether there is anything to choose."""
        return len(self.menu) > 1 or bool(self.forms)


class Event(msgspec.Struct, frozen=True, gc=False):
    """Something that happened. ``public`` is for everybody; ``private`` adds to it for one seat each."""

    kind: str
    rule: str
    public: dict[str, JSON]
    private: dict[Seat, dict[str, JSON]] = {}

    def seen_by(self, viewer: Viewer) -> dict[str, JSON]:
        """What this viewer may know of it, as plain JSON with ``kind`` and ``rule``."""
        out = {"kind": self.kind, "rule": self.rule, **self.public}
        if viewer is not None and viewer in self.private:
            out.update(self.private[viewer])
        return out


class Follow(msgspec.Struct, frozen=True, gc=False):
    """A question that may come of the present one within the same turn, and answers that may be given to it beforehand.

    ``trigger`` is the Decision.trigger of that question, ``label`` begins its line on the page ("If it comes to a
    Damage Check"). games.engine.extras.Extras.follows gives them; what is legal is checked when the question comes.
    """

    trigger: str
    label: str
    answers: tuple[Any, ...]


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How a race ended.

    ``places``: groups of seats from the first place on; a group of several shares the place. ``reason``: a word the
    ruleset lists in ``endings``. ``teams`` and ``shared`` are for rulesets with partners or a common result (None: no
    common result).
    """

    places: tuple[tuple[Seat, ...], ...]
    reason: str
    teams: tuple[tuple[Seat, ...], ...] = ()
    shared: bool | None = None


S = TypeVar("S")


class Transition(msgspec.Struct, Generic[S], frozen=True):
    """The state after a step and what happened in it."""

    state: S
    events: tuple[Event, ...]


class Ruleset(Protocol[S]):
    """What the engine asks of a game. All methods are pure but for the draws they take from ``chance``."""

    key: str
    title: str
    version: int
    seats: tuple[int, int]  # fewest and most
    endings: tuple[str, ...]  # every Outcome.reason there is
    answers_conceal: bool  # False: answers hide nothing, so no window waits for appearances
    action_type: Any  # the tagged union of its actions
    state_type: type[Any]

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """The options made complete; raises Malformed for what it does not know."""
        ...

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[S]:
        """A new race up to its first question or automatic step."""
        ...

    def waiting(self, state: S) -> Sequence[Seat]:
        """Seats that owe an answer, cheaply; () when an automatic step is next or the race is over."""
        ...

    def pending(self, state: S) -> tuple[Decision, ...]:
        """The open decisions, one a waiting seat, in clockwise order from the active one."""
        ...

    def verify(self, state: S, seat: Seat, action: Any) -> Refusal | None:
        """Why this waiting seat may not answer so; None if it may.

        The one source of what is legal: pending() offers by it.
        """
        ...

    def is_aside(self, action: Any) -> bool:
        """Whether this action needs no question (a wish, a withdrawal) and moves no position."""
        ...

    def answer(self, state: S, seat: Seat, action: Any, chance: Chance) -> Transition[S]:
        """Apply a verified answer. May run on to the next question."""
        ...

    def advance(self, state: S, chance: Chance) -> Transition[S]:
        """At least one automatic step."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """How it ended, or None."""
        ...

    def view(self, state: S, viewer: Viewer) -> JSON:
        """All that the viewer may know, built from nothing."""
        ...

    def say(self, view: JSON, action: Any) -> str:
        """The words of an answer, as on pages, in mails and in scenarios; read() understands them."""
        ...

    def read(self, view: JSON, text: str) -> Any:
        """The action that a player's words mean; raises Malformed or Ambiguous."""
        ...

    def tell(self, seen: Mapping[str, JSON]) -> str:
        """The sentence of an event as seen_by() gives it, ending in its rule number.

        "" for events that are not told.
        """
        ...

    def ask(self, view: JSON, decision: Decision) -> str:
        """The question in one sentence."""
        ...
