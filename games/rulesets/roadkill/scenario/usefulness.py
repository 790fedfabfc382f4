"""Which cards a scenario can do without: they fill hands and piles where nothing is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from games.rulesets.roadkill.components import ComponentSet
from games.rulesets.roadkill.scenario.notation import Outcome

OF_NO_USE = (
    "smoke_screen",
    "tire_spikes",
    "sideswipe",
    "hand_grenade",
    "hubcap_blades",
    "ram",
    "machine_gun",
    "assault_rifle",
    "shortcut",
    "camouflage",
    "sabotage",
    "theft",
    "changed_road_sign",
    "firm_shoulders",
    "swerve",
    "great_reflexes",
    "red_move_1",
    "landmark",
    "red_line",
    "move_1",
    "fate",
    "move_2",
    "spare_tire",
    "spare_parts",
    "tool_kit",
    "siphon_gas",
    "rest_move_1",
    "rest_move_2",
    "move_3",
    "road_map",
    "no_doze_pills",
    "box_canyon",
    "rest_move_3",
    "move_4",
)
"""Kinds from the least useful on. An Attack card does nothing until somebody says so: it starts no car, lays no road,
averts nothing, and Theft's "all Supply cards" does not take it."""


def kinds_spoken_of(box: ComponentSet, words: str) -> frozenset[str]:
    """The keys of the kinds of card that a text names, by short or long name or key."""
    text = words.casefold()
    spoken = set()
    for kind in box.kinds:
        for name in {kind.key, kind.short.casefold(), kind.name.casefold()}:
            if re.search(rf"(?<![a-z]){re.escape(name)}(?![0-9])", text):
                spoken.add(kind.key)
    return frozenset(spoken)


def fits_outcome(box: ComponentSet, card: int, outcome: Outcome) -> bool:
    """Whether drawing this card brings this outcome."""
    if outcome.column in ("card", "lose"):
        return box.card_keys[card] == outcome.value
    if outcome.column == "event":
        return box.letters[card] == outcome.value
    return box.numbers[outcome.column][card] == int(outcome.value)


class Shelf:
    """The cards of a box in the order in which a scenario can do without them.

    Last come kinds that the scenario speaks of; among equals, cards whose number lines it needs, or quiet ones.
    """

    def __init__(self, box: ComponentSet, spoken: frozenset[str], outcomes: Sequence[Outcome]) -> None:
        self.box = box
        numbers = [outcome for outcome in outcomes if outcome.column not in ("card", "lose")]
        self.quiet = quiet_letter(box)
        order = {key: place for place, key in enumerate(OF_NO_USE)}
        self._rank = [
            (
                key in spoken,
                order[key],
                sum(fits_outcome(box, card, outcome) for outcome in numbers) + (box.letters[card] == self.quiet),
                card,
            )
            for card, key in enumerate(box.card_keys)
        ]

    def least_useful(self, cards: Iterable[int]) -> list[int]:
        """The cards from the least useful on."""
        return sorted(cards, key=self._rank.__getitem__)

    def of_kind(self, key: str) -> list[int]:
        """The cards of a kind, those with the least wanted number lines first."""
        return self.least_useful(self.box.cards_of(key))


def quiet_letter(box: ComponentSet) -> str:
    """The letter of the Event at which nothing happens, "" if the box has none."""
    return next((event.letter for event in box.events.values() if event.key == "quiet_road"), "")


def reserved(box: ComponentSet, shelf: Shelf, cards: Sequence[int], outcomes: Iterable[Outcome]) -> dict[int, Outcome]:
    """A different card of these for each outcome still to come that needs one from the pile, as far as they go."""
    kept: dict[int, Outcome] = {}
    supply = shelf.least_useful(cards)
    for outcome in outcomes:
        if outcome.column == "lose":
            continue
        fitting = [card for card in supply if card not in kept and fits_outcome(box, card, outcome)]
        if fitting:
            kept[fitting[0]] = outcome
    return kept
