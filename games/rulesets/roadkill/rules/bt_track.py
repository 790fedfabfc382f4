"""What only the Beginner's Track has: its printed course, the cards put aside, exits that cannot fail."""

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.state import Position, Section, cars_in_play


def printed_map(box: components.ComponentSet) -> components.Track | None:
    """The Beginner's map of a component set; None if its box has none."""
    return box.tracks.get(components.BEGINNERS)


@rule("BT3")
def prepared(box: components.ComponentSet, seats: int) -> tuple[tuple[Section, ...], bytes]:
    """The whole course lies there from the start, all cars before its Start line; Box Canyon and Siphon Gas go aside.

    The course, and the ids of the cards that are played with (RBT3).
    """
    track = box.tracks[components.BEGINNERS]
    start = Section(line=tuple(range(1, seats + 1)))
    course = (start, *(Section(value=one.value, rest=one.rest_stop) for one in track.sections))
    return course, bytes([card for card, key in enumerate(box.card_keys) if key not in components.PUT_ASIDE])


@rule("BT6.23")
def cannot_fail(position: Position, modifier: int, behind: int) -> bool:
    """The column is that of the number of cars; no card is drawn if the lowest number in it would do (RBT6.2)."""
    column = components.column_for(cars_in_play(position))
    lowest = min(components.named(position.components).numbers[column])
    return lowest + modifier > behind


def no_such_thing(what: str) -> Refusal:
    """RBT3: what the open road has and the Beginner's Track has not."""
    return Refusal("RBT3", f"On the Beginner's Track there is no {what}")
