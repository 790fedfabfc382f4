"""A standing order as a form that needs no syntax: the moment's parts as fields, and what was filled in as words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.engine.standing import MOST_PLAYS, THIS_TURN
from games.services.errors import Malformed
from games.web.answer_forms import Filled, Option

LEADER: Final = "leader"
SHOWN_FIRST: Final = 3
"""So many lists of answers stand open; the others are folded away until one is used."""
FEW: Final = 8
"""Up to so many cards to tick stand open."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One list of answers to choose from: the first, the second and so on."""

    place: int
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class OrderForm:
    """The form for one moment, with what was filled in."""

    key: str
    words: str
    cars: tuple[Option, ...]
    having: tuple[Option, ...]
    slots: tuple[Slot, ...]
    otherwise: str
    until: str
    until_date: str

    @property
    def first_slots(self) -> tuple[Slot, ...]:
        """The lists that stand open."""
        return self.slots[:SHOWN_FIRST]

    @property
    def more_slots(self) -> tuple[Slot, ...]:
        """The lists that are folded away."""
        return self.slots[SHOWN_FIRST:]

    @property
    def is_more_used(self) -> bool:
        """Whether one of those that are folded away is filled in."""
        return any(option.is_taken for slot in self.more_slots for option in slot.options)

    @property
    def is_having_folded(self) -> bool:
        """Whether there are too many cards to tick, and none of them is ticked."""
        return len(self.having) > FEW and not any(option.is_taken for option in self.having)


def order_form(
    occasion: Mapping[str, Any], others: Sequence[tuple[int, str]], filled: Filled | None = None
) -> OrderForm:
    """The form for a moment (games.selectors.beforehand: occasions).

    ``others``: number and name of the other cars' drivers. ``filled``: keep what was filled in.
    """

    def taken(name: str) -> list[str]:
        return [] if filled is None else [str(value) for value in filled.getlist(name)]

    def single(name: str, usual: str = "") -> str:
        return usual if filled is None else str(filled.get(name) or usual)

    cars: tuple[Option, ...] = ()
    if occasion["by_car"]:
        ticked = taken("car")
        cars = tuple(
            Option(value, words, value in ticked)
            for value, words in (
                *((str(number), f"car {number}, {name}") for number, name in others),
                (LEADER, "whoever leads the race"),
            )
        )
    plays = taken("play")
    count = min(len(occasion["answers"]), MOST_PLAYS)
    return OrderForm(
        key=occasion["key"],
        words=occasion["words"],
        cars=cars,
        having=tuple(Option(words, words, words in taken("having")) for words in occasion["having"]),
        slots=tuple(
            Slot(
                place + 1,
                tuple(
                    Option(words, words, place < len(plays) and plays[place] == words) for words in occasion["answers"]
                ),
            )
            for place in range(count)
        ),
        otherwise=single("otherwise", "ask"),
        until=single("until"),
        until_date=single("until_date").strip(),
    )


def order_text(occasion: Mapping[str, Any], filled: Filled) -> str:
    """The words of the order that was filled in, for games.engine.standing.read; raises Malformed with a sentence."""
    text = f"when {occasion['words']}"
    if occasion["by_car"]:
        text += _by([str(value) for value in filled.getlist("car")])
    having = [str(value) for value in filled.getlist("having")]
    _refuse_others(having, occasion["having"])
    if having:
        text += f" with {' or '.join(having)}"
    plays = [str(value) for value in filled.getlist("play") if value]
    _refuse_others(plays, occasion["answers"])
    otherwise = "pass" if filled.get("otherwise") == "pass" else "ask me"
    parts = [*dict.fromkeys(plays), f"else {otherwise}" if plays else otherwise]
    until = _until(str(filled.get("until") or ""), str(filled.get("until_date") or "").strip())
    return f"{text}: {', '.join([*parts, until] if until else parts)}"


def _by(cars: Sequence[str]) -> str:
    if not cars:
        return ""
    if LEADER not in cars:
        return f" by car {' or '.join(cars)}"
    if len(cars) > 1:
        raise Malformed("Tick cars, or whoever leads the race, but not both: make two orders of it.")
    return " by the leader"


def _until(until: str, day: str) -> str:
    if until == "turn":
        if day:
            raise Malformed("The order is for this turn only, so leave the day empty, or choose “until the end of”.")
        return THIS_TURN
    if day:
        return f"until {day}"
    if until == "date":
        raise Malformed("Until the end of which day? Fill it in as 2026-12-24.")
    return ""


def _refuse_others(given: Sequence[str], known: Sequence[str]) -> None:
    """A page that is older than the server may offer what there is no more."""
    other = next((words for words in given if words not in known), None)
    if other is not None:
        raise Malformed(f"“{other[:40]}” is not to choose here. Open the form again.")
