"""What a line of a player's own words means in a race, as far as that can be told from what its seat may see."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from games.engine import codec
from games.engine.campaigns import Ledger, purchase_json
from games.engine.errors import ActionRefused, Ambiguous
from games.models import Race
from games.runtime.beforehand import plan_read, standing_read, standing_words
from games.runtime.errors import RaceFaulty
from games.runtime.position import faults_told, ruleset_of
from games.selectors.campaigns import campaign_of_race, is_purchase, ledger_now


class Sort(enum.Enum):
    """What kind of order a line is."""

    ACT = "act"
    ASIDE = "aside"
    FOLLOW = "follow"
    PLAN = "plan"
    STANDING = "standing"


@dataclass(frozen=True)
class Meant:
    """A line that was understood. ``words``: the canonical ones; ``written``: the line itself.

    ``action``: of an ACT or ASIDE, as JSON. ``trigger`` and ``value``: of a FOLLOW, as in question["follow"].
    """

    sort: Sort
    words: str
    written: str
    action: Mapping[str, Any] = field(default_factory=dict)
    trigger: str = ""
    value: str = ""


@dataclass(frozen=True)
class Unclear:
    """A line that is an order, but not one that can be followed; ``why`` is a sentence."""

    why: str


_STANDING: Final = re.compile(r"(?:when|always when|whenever)\b[^:]+:", re.IGNORECASE)
_BRANCH: Final = re.compile(r"if\b[^:]+:", re.IGNORECASE)


class Listener:
    """Hears one seat's lines, on one presentation of its race (games.selectors.races.race_present)."""

    def __init__(self, race: Race, presented: Mapping[str, Any], *, buys: bool = False) -> None:
        """``buys``: whether lines may answer a purchase though none is asked, as those to a mail that asked one."""
        self._race = race
        self._ledger = _ledger(race) if buys or is_purchase(presented["question"]) else None
        self._view = presented["view"]
        self._question = presented["question"]
        self._seats = len(presented["names"])
        self.misheard: dict[str, str] = {}
        """Lines that were none of the game's, each with the ruleset's sentence about it."""

    def hear(self, line: str) -> Meant | Unclear | None:
        """What the line means; None if it is no order of the game. Raises RaceFaulty."""
        bought = None if self._ledger is None else self._purchase(self._ledger, line)
        if bought is not None or self._view is None:
            return bought
        try:
            if _STANDING.match(line):
                return self._standing(line)
            if _BRANCH.match(line):
                return self._follow(line) or self._branch(line)
            return self._act(line)
        except Ambiguous as unclear:
            return Unclear(str(unclear))
        except RaceFaulty:
            raise
        except ActionRefused as refused:
            if _STANDING.match(line) or _BRANCH.match(line):
                return Unclear(str(refused))
            self.misheard[line] = str(refused)
            return None

    def _purchase(self, ledger: Ledger, line: str) -> Meant | None:
        try:
            answer = ledger.read(line)
        except ActionRefused as refused:
            self.misheard[line] = refused.text
            return None
        return Meant(Sort.ACT, ledger.say(answer), line, action=purchase_json(answer))

    def _standing(self, line: str) -> Meant:
        order = standing_read(self._race, self._view, line, seats=self._seats)
        return Meant(Sort.STANDING, standing_words(self._race, self._view, order), line)

    def _follow(self, line: str) -> Meant | None:
        """An answer to what may follow in this turn: "If it comes to a Damage Check: Great Reflexes"."""
        head, _, tail = (part.strip().casefold() for part in line.partition(":"))
        for part in (self._question or {}).get("follow", ()):
            if part["label"].casefold() != head:
                continue
            for answer in part["answers"]:
                if tail in (answer["words"].casefold(), str(answer["value"]).casefold()):
                    words = f"{part['label']}: {answer['words']}"
                    return Meant(Sort.FOLLOW, words, line, trigger=part["trigger"], value=answer["value"])
        return None

    def _branch(self, line: str) -> Meant:
        plan_read(self._race, self._view, [line], is_under_way=True)
        return Meant(Sort.PLAN, line, line)

    def _act(self, line: str) -> Meant:
        ruleset = ruleset_of(self._race)
        with faults_told(self._race):
            action = ruleset.read(self._view, line)
            words = ruleset.say(self._view, action)
            sort = Sort.ASIDE if ruleset.is_aside(action) else Sort.ACT
            plain: dict[str, Any] = codec.to_json(action)
        return Meant(sort, words, line, action=plain)


def _ledger(race: Race) -> Ledger | None:
    campaign = campaign_of_race(race=race)
    return None if campaign is None else ledger_now(campaign)
