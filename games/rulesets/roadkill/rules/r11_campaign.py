"""Chapter 11, what a race is worth to a campaign."""

from games.rulesets.roadkill.state import Position, race_order


def final_order(position: Position) -> list[int]:
    """All seats in the order in which they finish: the winner, then everybody in race order (6.2)."""
    order = race_order(position)
    return [position.winner, *(seat for seat in order if seat != position.winner)] if position.winner else order


def places(position: Position) -> tuple[tuple[int, ...], ...]:
    """The seats that share each place, the winner's first: one a car, in a race of teams both partners (12)."""
    count = len(position.cars)
    return tuple((car, car + count) if position.teams else (car,) for car in final_order(position))


def victory_points(position: Position) -> dict[int, int]:
    """11.1: by seat, one point for each Section entered, less one for each car that finishes ahead.

    Side Roads are no Sections, and of a wreck its present car counts: a wreck that waits has entered none (R11.1).
    While a race goes on, it is what would be earned if it ended now.
    """
    return {seat: position.cars[seat - 1].section - ahead for ahead, seat in enumerate(final_order(position))}
