"""The registry: which rulesets and bots there are, each loaded when it is first asked for."""

from collections.abc import Callable, Iterator, MutableMapping
from importlib import import_module
from typing import Any, Generic, TypeAlias, TypeVar

from games.engine.bots import Bot, RandomBot
from games.engine.contract import JSON, Decision, Follow, Ruleset
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
BOTS: Registry[MakeBot] = Registry({"roadkill": "games.rulesets.roadkill.bot:make_bot"})
"""By ruleset. A ruleset without bots of its own has the one that answers at random."""
BOT_TITLES = {"driver": "Driver", "random": "Sunday driver"}
"""The kinds of bots that may take a seat."""


def bot_for(ruleset: str, level: str, seed: int) -> Bot:
    """A player for one answer. ``level`` is one of BOT_TITLES."""
    return BOTS[ruleset](level, seed) if ruleset in BOTS else RandomBot(seed)


# What a ruleset may offer beyond the contract, and what stands if it does not.


def component_hash(ruleset: Ruleset[Any], options: JSON) -> str:
    """The hash of the components that a race with these options is played with; "" for a ruleset that has none."""
    made = getattr(ruleset, "component_hash", None)
    return "" if made is None else str(made(options))


def follows(ruleset: Ruleset[Any], view: JSON, decision: Decision) -> tuple[Follow, ...]:
    """What may come of this question within the turn, with the answers that can be given beforehand."""
    made = getattr(ruleset, "follows", None)
    return () if made is None else tuple(made(view, decision))


def rule_of(ruleset: Ruleset[Any], decision: Decision, action: Any) -> str:
    """The rule that allows this answer; the question's own rule if the ruleset does not tell them apart."""
    made = getattr(ruleset, "rule_of", None)
    return decision.rule if made is None else str(made(action) or decision.rule)


def value_words(ruleset: Ruleset[Any], view: JSON, field: str, value: JSON) -> str:
    """A form's value as a person reads it."""
    made = getattr(ruleset, "value_words", None)
    return str(value) if made is None else str(made(view, field, value))


def reason_words(ruleset: Ruleset[Any], reason: str) -> str:
    """How a race ended, as a person reads it."""
    made = getattr(ruleset, "reason_words", None)
    return reason.replace("_", " ") if made is None else str(made(reason))


def standing_of(ruleset: Ruleset[Any]) -> Standing | None:
    """What the ruleset says of standing orders; None for one that has none."""
    found: Standing | None = getattr(ruleset, "standing", None)
    return found


def planning_of(ruleset: Ruleset[Any]) -> Planning | None:
    """What the ruleset says of plans; None for one that has none."""
    found: Planning | None = getattr(ruleset, "planning", None)
    return found
