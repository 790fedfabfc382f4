"""Plans: the rest of one's own turn, queued. Their grammar and when one goes on; no game is known here.

    pass 2 with Move 2
    if passed: attack 3 with Ram
    if not passed: end
    end, draw 2

A line that begins with "if" belongs to the group of such lines around it; the first of a group whose condition holds
is done, and if none holds the plan stops. Any other line is done only if what came before got what it wanted.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from games.engine.contract import JSON, Seat
from games.engine.errors import Malformed

MOST_STEPS: Final = 30
"""Lines of a plan."""
LONGEST: Final = 700
"""Letters of a line."""


class Condition(msgspec.Struct, frozen=True, gc=False):
    """A public outcome that a plan may branch on: ``words`` follow "if", ``also`` are other ways to write them."""

    key: str
    words: str
    also: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True, gc=False):
    """One line of a plan: the words of an order and, for a branch, the condition's key ("" for none)."""

    words: str
    condition: str = ""
    is_not: bool = False


class Planning(Protocol):
    """What a ruleset says of plans. ``since``: the events since the plan's last order, as its owner sees them."""

    conditions: tuple[Condition, ...]

    def on_turn(self, view: JSON) -> JSON:
        """The view as if its owner were asked for an act of the turn, so that an order can be read beforehand."""
        ...

    def came_true(self, condition: str, *, seat: Seat, view: JSON, since: Sequence[Mapping[str, JSON]]) -> bool:
        """Whether this has come about."""
        ...

    def went_well(self, action: Any, *, seat: Seat, view: JSON, since: Sequence[Mapping[str, JSON]]) -> bool:
        """Whether this order got what it wanted."""
        ...


def say(step: Step, conditions: Sequence[Condition]) -> str:
    """The line as read() understands it."""
    if not step.condition:
        return step.words
    words = next(one.words for one in conditions if one.key == step.condition)
    return f"if {'not ' if step.is_not else ''}{words}: {step.words}"


def read(lines: Sequence[str], conditions: Sequence[Condition], *, is_under_way: bool = False) -> tuple[Step, ...]:
    """The steps that these lines mean; raises Malformed.

    ``is_under_way``: an act of the owner is still being answered, so that the first line may ask how it went.

    The orders themselves are read when their turn comes: what their words mean depends on what has happened by then.
    """
    written = [line for line in lines if line.strip()]
    if not written:
        raise Malformed("A plan needs at least one order.")
    if len(written) > MOST_STEPS:
        raise Malformed(f"A plan has at most {MOST_STEPS} lines.")
    steps = tuple(_step(line, conditions) for line in written)
    if steps[0].condition and not is_under_way:
        raise Malformed("A plan cannot begin with «if»: nothing has happened yet that it could ask about.")
    return steps


_IF: Final = re.compile(r"if (?:i (?:have |am )?|i've |i'm |it )?(not |never )?([^:]+):(.*)", re.DOTALL)


def _step(line: str, conditions: Sequence[Condition]) -> Step:
    words = " ".join(unicodedata.normalize("NFKC", line[: LONGEST + 1]).split())
    if len(words) > LONGEST:
        raise Malformed(f"A line of a plan has at most {LONGEST} letters.")
    if not re.match(r"if\b", words, re.IGNORECASE):
        return Step(words)
    match = _IF.fullmatch(words.casefold())
    if match is None:
        raise Malformed("A branch is written «if passed: end»: the condition, a colon, the order.")
    # The order keeps the letters in which it was written: a trade's promise is in it.
    order = words[len(words) - len(match[3]) :].strip() if len(words) == len(words.casefold()) else match[3].strip()
    if not order:
        raise Malformed(f"After «if {match[2].strip()}:» an order is missing.")
    name = match[2].strip()
    for one in conditions:
        if name in (one.words.casefold(), *(word.casefold() for word in one.also)):
            return Step(order, one.key, match[1] is not None)
    known = ", ".join(f"«{one.words}»" for one in conditions)
    raise Malformed(f"I know no condition «{name[:40]}». After «if» write one of: {known}.")
