"""The table of a race in a letter: sections with cars, a hand of cards, and figures, the same for every game.

The words are the ruleset's (games.engine.extras.Extras.board_words); only the drivers' names are added here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Car:
    """One car on the course. ``damage`` and ``damage_most`` in points; ``words`` say all of it.

    ``cards``: how many are held, "3", or by the two who drive it, "3+5".
    """

    place: int
    number: int
    name: str
    is_you: bool
    notes: tuple[str, ...]
    motion: str
    damage: int
    damage_most: int
    cards: str
    words: str


@dataclass(frozen=True)
class Section:
    """One part of the course and the cars on it, foremost first."""

    heading: str
    cars: tuple[Car, ...]


@dataclass(frozen=True)
class Card:
    """One kind of card in the hand, and how many of it."""

    name: str
    count: int
    text: str


@dataclass(frozen=True)
class Figure:
    """One figure of the viewer's panel, in words."""

    label: str
    text: str


def course_of(presented: Mapping[str, Any]) -> tuple[Section, ...]:
    """The course from its front to the start line, but Sections that have been taken up and on which nobody is.

    Empty before the start, and for a game that is not told in words.
    """
    board = presented["board"]
    return () if board is None else tuple(_sections(board, presented["names"], presented["car"]))


def _sections(board: Mapping[str, Any], names: Mapping[str, str], you: int | None) -> Iterator[Section]:
    for section in board["sections"]:
        if section["cars"] or section["is_laid"] or section["number"] == 0:
            heading = ", ".join((section["name"], *section["facts"], *section["markers"]))
            yield Section(heading, tuple(_car(car, names, you) for car in section["cars"]))


def _car(car: Mapping[str, Any], names: Mapping[str, str], you: int | None) -> Car:
    return Car(
        place=car["place"],
        number=car["seat"],
        name=name_of(car["seat"], names),
        is_you=car["seat"] == you,
        notes=tuple(car["notes"]),
        motion=car["motion"],
        damage=car["damage"],
        damage_most=car["damage_most"],
        cards=car.get("hands", str(car["cards"])),
        words=car["words"],
    )


def name_of(seat: int, names: Mapping[str, str]) -> str:
    """The name of a seat's driver, or the car's number if nobody has it."""
    return names.get(str(seat), f"car {seat}")


def away_of(presented: Mapping[str, Any]) -> tuple[str, ...]:
    """Who is out of the race: "car 4, Dov"."""
    board = presented["board"]
    seats = () if board is None else board["away"]
    return tuple(f"car {seat}, {name_of(seat, presented['names'])}" for seat in seats)


def hand_of(presented: Mapping[str, Any]) -> tuple[Card, ...]:
    """The viewer's hand; empty as for course_of."""
    board = presented["board"]
    return () if board is None else tuple(Card(card["name"], card["count"], card["text"]) for card in board["hand"])


def figures_of(presented: Mapping[str, Any]) -> tuple[Figure, ...]:
    """The viewer's panel; empty as for course_of, and for a spectator."""
    board = presented["board"]
    return () if board is None else tuple(Figure(figure["label"], figure["text"]) for figure in board["figures"])
