"""The registry: which rulesets and bots there are, each loaded when it is first asked for."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any, Generic, TypeAlias, TypeVar

from games.engine.bots import Bot, RandomBot
from games.engine.contract import JSON, Decision, Follow, Ruleset
from games.engine.extras import Extras
from games.engine.plans import Planning
from games.engine.standing import Standing

T = TypeVar("T")
MakeBot: TypeAlias = Callable[[str, int], Bot]
"""From a level and a seed, a player for one answer."""


class Registry(MutableMapping[str, T], Generic[T]):
    """Things by key; each may be given as "module:name" and is then imported at first use."""

    def __init__(self, places: dict[str, str | T]) -> None:
        self._places: dict[str, str | T] = dict(places)

    def __getitem__(self, key: str) -> T:
        place = self._places[key]
        if isinstance(place, str):
            module, _, name = place.partition(":")
            place = self._places[key] = getattr(import_module(module), name)
        return place

    def __setitem__(self, key: str, value: T) -> None:
        self._places[key] = value

    def __delitem__(self, key: str) -> None:
        del self._places[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


RULESETS: Registry[Ruleset[Any]] = Registry({"roadkill": "games.rulesets.roadkill.game:RULESET"})
BOTS: Registry[MakeBot] = Registry(
    {
        "roadkill": "games.rulesets.roadkill.bot:make_bot",
        "thunder_road": "games.rulesets.thunder_road.bot:make_bot",
    }
)
"""By ruleset. A ruleset without bots of its own has the one that answers at random."""
BOT_TITLES = {"driver": "Driver", "random": "Sunday driver"}
"""The kinds of bots that may take a seat."""


def bot_for(ruleset: str, level: str, seed: int) -> Bot:
    """A player for one answer. ``level`` is one of BOT_TITLES."""
    return BOTS[ruleset](level, seed) if ruleset in BOTS else RandomBot(seed)


# What a ruleset may say beyond the contract (games.engine.extras), and what stands if it does not.

PLAIN = Extras()
"""What is said of a ruleset that says nothing of the kind."""


def extras_of(ruleset: Ruleset[Any]) -> Extras:
    """The ruleset's own words beyond the contract, or plain ones."""
    return ruleset if isinstance(ruleset, Extras) else PLAIN


def component_hash(ruleset: Ruleset[Any], options: JSON) -> str:
    """The hash of the components that a race with these options is played with; "" for a ruleset that has none."""
    return extras_of(ruleset).component_hash(options)


def drivers(ruleset: Ruleset[Any], options: JSON) -> Sequence[int]:
    """The numbers of drivers that a race with these options takes, in rising order."""
    named = extras_of(ruleset).drivers(options)
    return range(ruleset.seats[0], ruleset.seats[1] + 1) if named is None else named


def refuse_drivers(ruleset: Ruleset[Any], options: JSON, number: int) -> str:
    """Why a race with these options cannot be driven by so many, in a sentence; "" if it can."""
    taken = drivers(ruleset, options)
    if number in taken:
        return ""
    step = taken[1] - taken[0] if len(taken) > 1 else 1
    if step > 1:
        return f"{ruleset.title} with these options is for {taken[0]}, {taken[1]} and so on up to {taken[-1]} drivers."
    return f"{ruleset.title} is for {taken[0]} to {taken[-1]} drivers."


def car_of(ruleset: Ruleset[Any], options: JSON, *, drivers: int, seat: int) -> int:
    """The number of a seat's car in a race of so many drivers."""
    return extras_of(ruleset).car_of(options, drivers, seat)


def seat_sign(key: str, car: int) -> str:
    """What stands on the sign of a car's drivers in a race of this ruleset, installed or not: "3"."""
    return (extras_of(RULESETS[key]) if key in RULESETS else PLAIN).seat_sign(car)


def seat_words(key: str, car: int | None, part: str = "") -> str:
    """What a seat drives: "car 3", or where two drive it "car 3, Assistant Driver"; "" before the draw.

    ``key``: of a ruleset, installed or not.
    """
    if car is None:
        return ""
    words = (extras_of(RULESETS[key]) if key in RULESETS else PLAIN).seat_words(car)
    return f"{words}, {part}" if part else words


def conceals(key: str) -> bool:
    """Whether answers of this ruleset may hide something; of one that is not installed nobody knows, so yes."""
    return RULESETS[key].answers_conceal if key in RULESETS else True


def shares_cars(ruleset: Ruleset[Any], options: JSON) -> bool:
    """Whether several seats drive one car in a race with these options."""
    most = drivers(ruleset, options)[-1]
    return car_of(ruleset, options, drivers=most, seat=most) != most


def parts(ruleset: Ruleset[Any], state: Any) -> Mapping[int, str]:
    """What each seat is to a car that it shares, in words; {} where each has its own."""
    return extras_of(ruleset).parts(state)


def may_be_asked(ruleset: Ruleset[Any], view: JSON) -> tuple[int, ...] | None:
    """The seats that might be asked out of turn, for all that the public view tells; None: all of them."""
    return extras_of(ruleset).may_be_asked(view)


def follows(ruleset: Ruleset[Any], view: JSON, decision: Decision) -> tuple[Follow, ...]:
    """What may come of this question within the turn, with the answers that can be given beforehand."""
    return extras_of(ruleset).follows(view, decision)


def keeps_secrets(ruleset: Ruleset[Any], before: Any, after: Any) -> bool:
    """Whether an act between these states showed nobody anything that was hidden, so that it may be taken back."""
    return extras_of(ruleset).keeps_secrets(before, after)


def what_now(ruleset: Ruleset[Any], view: JSON, decision: Decision) -> str:
    """A word on this question for a driver who is new to the game; "" for a ruleset that has none."""
    return extras_of(ruleset).what_now(view, decision)


def rule_of(ruleset: Ruleset[Any], decision: Decision, action: Any) -> str:
    """The rule that allows this answer; the question's own rule if the ruleset does not tell them apart."""
    return extras_of(ruleset).rule_of(decision, action) or decision.rule


def value_words(ruleset: Ruleset[Any], view: JSON, field: str, value: JSON) -> str:
    """A form's value as a person reads it."""
    return extras_of(ruleset).value_words(view, field, value)


def path(ruleset: Ruleset[Any], view: JSON, action: JSON, field: str) -> JSON:
    """A path of an answer as it is put together; None for none."""
    return extras_of(ruleset).path(view, action, field)


def suggestions(ruleset: Ruleset[Any], view: JSON, action: JSON, field: str) -> Sequence[JSON]:
    """What a text part of an answer may say as the rest of it stands: [{"value", "words"}]; () for anything."""
    return extras_of(ruleset).suggestions(view, action, field)


def risks(ruleset: Ruleset[Any], view: JSON, action: JSON) -> tuple[str, ...]:
    """What an answer may cost, a sentence each; a page asks once more before it is given."""
    return extras_of(ruleset).risks(view, action)


def reason_words(ruleset: Ruleset[Any], reason: str) -> str:
    """How a race ended, as a person reads it."""
    return extras_of(ruleset).reason_words(reason)


def board_words(ruleset: Ruleset[Any], view: JSON) -> JSON:
    """The table in words; None before the start and for a ruleset that tells none."""
    return None if view is None else extras_of(ruleset).board_words(view)


def standing_of(ruleset: Ruleset[Any]) -> Standing | None:
    """What the ruleset says of standing orders; None for one that has none."""
    return extras_of(ruleset).standing


def planning_of(ruleset: Ruleset[Any]) -> Planning | None:
    """What the ruleset says of plans; None for one that has none."""
    return extras_of(ruleset).planning
