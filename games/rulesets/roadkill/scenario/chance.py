"""A chance source whose number draws a scenario names ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from games.engine.chance import Draw
from games.engine.scenarios import Unforeseen
from games.rulesets.roadkill.components import ComponentSet
from games.rulesets.roadkill.scenario.notation import Outcome, column_name, read_outcomes
from games.rulesets.roadkill.scenario.usefulness import Shelf, fits_outcome, reserved

NUMBER = "number "
WITHOUT_CARD = " without a card"


class FixedDraws:
    """Finds in the pile a card that shows what was named.

    Not named and yet harmless: an Event draw is the quiet Event; a card drawn into a hand, or lost from one, is the
    least useful that no later named draw needs; a shuffle changes nothing. ``later``: what the scenario will name
    further on.
    """

    def __init__(self, box: ComponentSet, shelf: Shelf, later: Sequence[Outcome] = ()) -> None:
        self.taken: list[Draw] = []
        self.tally: dict[str, int] = Counter()
        self._box = box
        self._shelf = shelf
        self._named: list[Outcome] = []
        self._later = list(later)

    def foresee(self, outcomes: Sequence[str]) -> None:
        """Name the next outcomes; they no longer count as coming later."""
        for words in outcomes:
            for outcome in read_outcomes(self._box, words):
                self._named.append(outcome)
                if outcome in self._later:
                    self._later.remove(outcome)

    @property
    def left(self) -> tuple[str, ...]:
        """What was named and not drawn."""
        return tuple(str(outcome) for outcome in self._named)

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        """The place of a fitting card; Unforeseen if a number is needed that was not named, or if no card shows it."""
        result = self._pick(size, label, among)
        self.taken.append((label, size, result))
        return result

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        """Everything where it was."""
        result = tuple(range(size))
        self.taken.append((label, size, result))
        return result

    def _pick(self, size: int, label: str, among: Sequence[int]) -> int:
        self.tally[label.removesuffix(WITHOUT_CARD)] += 1
        if label in ("card", "lose"):
            return self._pick_card(label, among)
        if not label.startswith(NUMBER):
            raise Unforeseen(f"a draw «{label}» of {size} was needed, which scenarios cannot fix")
        column = label.removeprefix(NUMBER).removesuffix(WITHOUT_CARD)
        outcome = self._next(column)
        if not among:
            return self._place_without_card(outcome)
        return self._place(among, outcome)

    def _next(self, column: str) -> Outcome:
        head = self._named[0] if self._named else None
        if head is not None and head.column == column:
            return self._named.pop(0)
        if column == "event" and self._shelf.quiet:
            return Outcome("event", self._shelf.quiet)
        held = f"next has {head} first" if head is not None else "next has nothing left"
        raise Unforeseen(f"a number from the column {column_name(column)} was drawn here, but {held}")

    def _place(self, among: Sequence[int], outcome: Outcome) -> int:
        needed = reserved(self._box, self._shelf, among, (outcome, *self._named, *self._later))
        fitting = [card for card, kept in needed.items() if kept is outcome]
        if not fitting:
            self._nowhere(outcome, among)
        return among.index(fitting[0])

    def _place_without_card(self, outcome: Outcome) -> int:
        if outcome.column == "event":
            return self._box.letters.index(outcome.value)
        return int(outcome.value) - 1

    def _pick_card(self, label: str, among: Sequence[int]) -> int:
        head = self._named[0] if self._named else None
        if head is not None and head.column == label:
            self._named.pop(0)
            fitting = [place for place, card in enumerate(among) if fits_outcome(self._box, card, head)]
            if not fitting:
                self._nowhere(head, among)
            return fitting[0]
        spare = self._shelf.least_useful(among)
        if label == "card":
            needed = reserved(self._box, self._shelf, among, (*self._named, *self._later))
            spare = [card for card in spare if card not in needed] or spare
        return among.index(spare[0])

    def _nowhere(self, outcome: Outcome, among: Sequence[int]) -> NoReturn:
        where = "the hand holds" if outcome.column == "lose" else "the draw pile holds"
        raise Unforeseen(
            f"{outcome} was wanted, but of {len(among)} cards that {where} none shows it"
            + ("; name another Event with next" if outcome.column == "event" else "")
        )
