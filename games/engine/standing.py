"""Standing orders: answers to reactions given beforehand. Their grammar and how one is chosen; no game is known here.

when attacked by car 3 with Heavy MG or Ram: Swerve, Firm Shoulders, else pass, until 2026-12-24
when attacked: pass
when a Damage Check comes: ask me
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, Protocol

import msgspec

from games.engine import codec
from games.engine.contract import JSON, Decision, Ruleset, Seat
from games.engine.errors import Ambiguous, Malformed

MOST_ORDERS: Final = 40
"""Standing orders that one seat may have."""
MOST_PLAYS: Final = 8
"""Answers that one standing order may list."""
LONGEST: Final = 400
"""Letters of one standing order as text."""
THIS_TURN: Final = "this turn"

Otherwise = Literal["ask", "pass"]


class Occasion(msgspec.Struct, frozen=True, gc=False):
    """A moment that a standing order may name.

    ``key``: stable. ``words`` follow "when": "attacked". ``also``: other ways to write them. ``answers``: what may be
    ordered beforehand. ``having``: what the moment may come with, key -> words ("heavy_mg": "Heavy MG"). ``by_car``:
    whether another car brings it about, and an order may be for some cars only.
    """

    key: str
    words: str
    answers: tuple[Any, ...]
    also: tuple[str, ...] = ()
    having: dict[str, str] = {}
    by_car: bool = False


class Happening(msgspec.Struct, frozen=True, gc=False):
    """What an open question is to standing orders, from public facts alone.

    ``by``: the seat that brought it about, 0 for none. ``having``: the keys it came with. ``by_leader``: whether that
    seat leads the race.
    """

    occasion: str
    by: Seat = 0
    by_leader: bool = False
    having: tuple[str, ...] = ()


class StandingOrder(msgspec.Struct, frozen=True, gc=False):
    """One standing order.

    ``plays``: actions as JSON; the first that is legal is given. ``otherwise``: what is done if none is (or none is
    named): ask the owner, or give the question's default. ``by``: only if one of these seats brought it about.
    ``leader``: only if the leader did. ``having``: only if it came with one of these. ``until``: "" for good, "this
    turn", or a date "2026-12-24" (the owner's, inclusive); the caller leaves out what has run out.
    """

    occasion: str
    plays: tuple[dict[str, JSON], ...] = ()
    otherwise: Otherwise = "ask"
    by: tuple[Seat, ...] = ()
    leader: bool = False
    having: tuple[str, ...] = ()
    until: str = ""

    def fits(self, happening: Happening) -> bool:
        """Whether this order is for that moment."""
        return (
            self.occasion == happening.occasion
            and (not self.by or happening.by in self.by)
            and (not self.leader or happening.by_leader)
            and (not self.having or any(key in happening.having for key in self.having))
        )

    def is_of_same_moment(self, other: "StandingOrder") -> bool:
        """Whether both name the same moment, so that the later one replaces the earlier."""
        return (self.occasion, set(self.by), self.leader, set(self.having)) == (
            other.occasion,
            set(other.by),
            other.leader,
            set(other.having),
        )


class Words(Protocol):
    """How a ruleset's actions are written, both ways."""

    def say(self, action: Mapping[str, JSON]) -> str:
        """The words of an action given as JSON."""
        ...

    def read(self, text: str) -> dict[str, JSON]:
        """The action as JSON that words mean; raises Malformed or Ambiguous."""
        ...


class Standing(Protocol):
    """What a ruleset says of standing orders."""

    def occasions(self, view: JSON) -> tuple[Occasion, ...]:
        """Every moment that may be named in this race, in the order in which they are shown."""
        ...

    def happening(self, view: JSON, decision: Decision) -> Happening | None:
        """What an open question is to standing orders; None if none can be for it."""
        ...

    def fit(self, action: Any, happening: Happening, order_having: Sequence[str]) -> Any:
        """An ordered action made to fit this moment, where its words leave something open."""
        ...

    def wish(self, occasion: str) -> Any | None:
        """The aside by which a seat asks to be asked at such a moment; None where public facts alone say who is."""
        ...


def chosen(orders: Sequence[StandingOrder], happening: Happening | None) -> StandingOrder | None:
    """The order for this moment: the first in the list that fits."""
    if happening is None:
        return None
    return next((order for order in orders if order.fits(happening)), None)


def answer(
    ruleset: Ruleset[Any], state: Any, decision: Decision, order: StandingOrder, fit: Callable[[Any], Any]
) -> Any | None:
    """What the order answers here: the first of its plays that is legal, else the default; None: ask the owner.

    ``fit``: Standing.fit of this moment.
    """
    for plain in order.plays:
        action = fit(codec.action_from_json(ruleset.action_type, plain))
        if ruleset.verify(state, decision.seat, action) is None:
            return action
    return decision.default if order.otherwise == "pass" else None


# Words


def say(order: StandingOrder, occasions: Sequence[Occasion], words: Words) -> str:
    """The order in words that read() understands."""
    occasion = next(one for one in occasions if one.key == order.occasion)
    text = f"when {occasion.words}"
    if order.by:
        text += f" by car {' or '.join(map(str, order.by))}"
    if order.leader:
        text += " by the leader"
    if order.having:
        text += f" with {' or '.join(occasion.having.get(key, key) for key in order.having)}"
    parts = [words.say(plain) for plain in order.plays]
    if parts:
        parts.append("else ask me" if order.otherwise == "ask" else "else pass")
    else:
        parts.append("ask me" if order.otherwise == "ask" else "pass")
    if order.until:
        parts.append(order.until if order.until == THIS_TURN else f"until {order.until}")
    return f"{text}: {', '.join(parts)}"


def is_standing(text: str) -> bool:
    """Whether these words mean a standing order: they begin with "when" or "whenever"."""
    return _START.match(_plain(text)) is not None


def read(text: str, occasions: Sequence[Occasion], words: Words, *, seats: int) -> StandingOrder:
    """The standing order that words mean; raises Malformed or Ambiguous. ``seats``: how many cars there are."""
    if len(text) > LONGEST:
        raise Malformed(f"A standing order has at most {LONGEST} letters.")
    plain = _plain(text)
    start = _START.match(plain)
    head, colon, tail = plain[start.end() if start else 0 :].partition(":")
    if not start or not colon or not tail.strip():
        raise Malformed("A standing order is written «when attacked: Swerve, else pass».")
    occasion, rest = _occasion(head.strip(), occasions)
    by, leader, having = _limits(rest, occasion, seats)
    plays, otherwise, until = _answers(tail, occasion, words)
    return StandingOrder(occasion.key, plays, otherwise, by, leader, having, until)


_START: Final = re.compile(r"when(?:ever)? (?:i am |i'm |my car is )?")
_QUOTES: Final = str.maketrans({"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{LEFT SINGLE QUOTATION MARK}": "'"})


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text[: LONGEST + 1]).translate(_QUOTES)
    return " ".join(text.split()).casefold().rstrip(".!,; ")


def _occasion(head: str, occasions: Sequence[Occasion]) -> tuple[Occasion, str]:
    """The moment that the head begins with, by its longest name, and what follows it."""
    names = [(name.casefold(), one) for one in occasions for name in (one.words, *one.also)]
    fitting = [(name, one) for name, one in names if head == name or head.startswith(f"{name} ")]
    if not fitting:
        known = ", ".join(f"«{one.words}»" for one in occasions)
        raise Malformed(f"I know no moment «{head[:40]}». After «when» write one of: {known}.")
    name, occasion = max(fitting, key=lambda pair: len(pair[0]))
    return occasion, head[len(name) :].strip()


_BY_LEADER: Final = re.compile(r"by the leader\b ?")
_BY: Final = re.compile(r"by (?:car |cars )?(\d{1,2}(?:(?:, | or | and |, or |, and )(?:car )?\d{1,2})*)(?: |$)")
_WITH: Final = re.compile(r"with (.+)")


def _limits(rest: str, occasion: Occasion, seats: int) -> tuple[tuple[Seat, ...], bool, tuple[str, ...]]:
    by: tuple[Seat, ...] = ()
    leader = False
    having: tuple[str, ...] = ()
    if occasion.by_car:
        if match := _BY_LEADER.match(rest):
            leader, rest = True, rest[match.end() :]
        elif match := _BY.match(rest):
            by = tuple(dict.fromkeys(int(number) for number in re.findall(r"\d+", match[1])))
            rest = rest[match.end() :]
            wrong = next((car for car in by if not 1 <= car <= seats), None)
            if wrong is not None:
                raise Malformed(f"There is no car {wrong}.")
    if occasion.having and (match := _WITH.fullmatch(rest)):
        having = tuple(dict.fromkeys(_having(name, occasion) for name in re.split(r", or |, | or ", match[1])))
        rest = ""
    if rest.strip():
        limits = [words for words, has in (("«by car 3»", occasion.by_car), ("«with …»", bool(occasion.having))) if has]
        may = f"; it may be followed by {' and '.join(limits)}" if limits else ""
        raise Malformed(f"I do not understand «{rest.strip()[:40]}» after «when {occasion.words}»{may}.")
    return by, leader, having


def _having(name: str, occasion: Occasion) -> str:
    name = name.strip()
    for key, words in occasion.having.items():
        if name in (words.casefold(), key):
            return key
    raise Malformed(f"«{name[:40]}» is nothing that «when {occasion.words} with …» could name.")


_UNTIL: Final = re.compile(r"until (\d{4}-\d{2}-\d{2})")
_ASK: Final = frozenset(("ask", "ask me"))
_PASS: Final = frozenset(("pass", "do nothing", "no card"))


def _answers(tail: str, occasion: Occasion, words: Words) -> tuple[tuple[dict[str, JSON], ...], Otherwise, str]:
    may = {words.say(plain): plain for plain in map(codec.to_json, occasion.answers)}
    known = {said.casefold(): plain for said, plain in may.items()}
    plays: list[dict[str, JSON]] = []
    otherwise: Otherwise | None = None
    until = ""
    for written in re.split(r", |; | then ", tail.strip()):
        part = written.strip().removeprefix("or ").removeprefix("play ").strip()
        if match := _UNTIL.fullmatch(part):
            until = match[1]
        elif part in (THIS_TURN, "for this turn", "until the end of this turn"):
            until = THIS_TURN
        elif otherwise is not None:
            raise Malformed(f"Nothing may follow «pass» or «ask me» but «until 2026-12-24» or «{THIS_TURN}».")
        elif part.removeprefix("else ").removeprefix("otherwise ") in _ASK:
            otherwise = "ask"
        elif part.removeprefix("else ").removeprefix("otherwise ") in _PASS:
            otherwise = "pass"
        elif part in known:
            plays.append(known[part])
        else:
            plays.append(_read_answer(part, occasion, may, words))
    if len(plays) > MOST_PLAYS:
        raise Malformed(f"A standing order names at most {MOST_PLAYS} answers.")
    if not plays and otherwise is None:
        raise Malformed("Say what to do: an answer, «pass» or «ask me».")
    return tuple(plays), otherwise or "ask", until


def _read_answer(part: str, occasion: Occasion, may: Mapping[str, dict[str, JSON]], words: Words) -> dict[str, JSON]:
    """The answer that other words than the canonical mean."""
    try:
        meant = words.read(part)
    except Malformed:
        meant = None
    if meant is not None and meant in may.values():
        return meant
    near = [said for said in may if part and part in said.casefold()]
    if len(near) > 1:
        raise Ambiguous(f"«{part[:40]}» could mean {' or '.join(f'«{said}»' for said in near)}.")
    listed = "".join(f"«{said}», " for said in may)
    raise Malformed(f"«{part[:40]}» is no answer when {occasion.words}; there are {listed}«pass» and «ask me».")
