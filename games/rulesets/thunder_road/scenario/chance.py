"""A chance source whose draws a scenario names ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from games.engine.chance import Draw
from games.engine.scenarios import Unforeseen
from games.rulesets.thunder_road.components import ComponentSet
from games.rulesets.thunder_road.scenario.notation import LETTERS, Outcome, read_outcomes

HARMLESS = ("move", "road")
"""Dice of a new round, which show their first face unless a scenario says otherwise."""


class FixedDraws:
    """Dice, tokens, cards and tiles as they are named, in their order; what is needed and not named is Unforeseen."""

    def __init__(self, box: ComponentSet) -> None:
        self.taken: list[Draw] = []
        self.tally: dict[str, int] = Counter()
        self._box = box
        self._named: list[Outcome] = []

    def foresee(self, outcomes: Sequence[str]) -> None:
        """Name the next outcomes."""
        for words in outcomes:
            self._named += read_outcomes(self._box, words)

    @property
    def left(self) -> tuple[str, ...]:
        """What was named and not drawn."""
        return tuple(str(outcome) for outcome in self._named)

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """The place of what was named; Unforeseen if something else was, or if it cannot come up any more."""
        self.tally[label] += 1
        result = self._pick(label, among)
        self.taken.append((label, size, result))
        return result

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """Nothing is shuffled in this game."""
        raise Unforeseen(f"a shuffle «{label}» of {size} was needed, and this game has none")

    def _pick(self, label: str, among: Sequence[int]) -> int:
        head = self._named[0] if self._named else None
        if head is None or head.label != label:
            if label in HARMLESS:
                return 0
            held = f"next has {head} first" if head is not None else "next has nothing left"
            raise Unforeseen(f"a draw «{label}» was made here, but {held}")
        self._named.pop(0)
        if label in self._box.dice:
            return self._box.dice[label].index(head.value)
        if label == "side":
            return "AB".index(head.value)
        wanted = self._number(head)
        if wanted not in among:
            raise Unforeseen(f"{head} was wanted, but it is not among what is left")
        return among.index(wanted)

    def _number(self, outcome: Outcome) -> int:
        if outcome.label == "tile":
            return int(outcome.value)
        if outcome.label == "tie":
            return LETTERS.index(outcome.value) + 1
        kinds = {"hazard": self._box.hazards, "damage": self._box.damage, "ongoing": self._box.ongoing}[outcome.label]
        return next(place for place, kind in enumerate(kinds) if kind.key == outcome.value)
