"""What a board is in a letter: sections with cars, a hand of cards, and figures; the same for every game."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Car:
    """One car on the course. ``damage`` and ``damage_most`` in points, ``cards`` held."""

    place: int
    number: int
    name: str
    is_you: bool
    notes: tuple[str, ...]
    motion: str
    damage: int
    damage_most: int
    cards: int


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
