"""The order in which road tiles are laid: for a race, tile by tile, and as a whole list for people at a table.

All draws are "tile", among the numbers left in rising order, and then "side", unless one side is agreed for all.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeAlias

from games.engine.chance import Chance
from games.rulesets.thunder_road.components import ComponentSet

Pool: TypeAlias = tuple[int, ...]
"""Numbers of the tiles that can still be drawn, rising."""

TABLE: Final = 3
"""Tiles that lie on the table."""
LAST_OF_TWO: Final = 5
"""The tile, in the order of laying, that bears the finish in a race of two (T23)."""
FIRST: Final = 1
"""The number of the tile that starts every race."""
SIDES: Final = ("mixed", "A", "B")
"""Which sides of tiles are laid: either, by a draw, or one of them throughout."""


def side_drawn(chance: Chance, *, sides: str) -> str:
    """The side of a tile: A or B."""
    return "AB"[chance.pick(2, "side")] if sides == "mixed" else sides


def begun(box: ComponentSet, chance: Chance, *, carnage: bool, sides: str) -> tuple[str, Pool]:
    """The side of tile 1 that a race starts on, and the pool of the others."""
    pool = without(box.tile_numbers(carnage=carnage), (FIRST,))
    return f"{FIRST}{side_drawn(chance, sides=sides)}", pool


def drawn(
    box: ComponentSet, pool: Pool, chance: Chance, *, kept: Iterable[str], carnage: bool, sides: str
) -> tuple[str, Pool]:
    """The next tile, and the pool that is left.

    ``kept``: the tiles that stay out if the pool has to be made anew, such as those on the table; all others become
    the pool then, tile 1 too, and their sides are drawn anew.
    """
    if not pool:
        pool = without(box.tile_numbers(carnage=carnage), [box.tiles[key].number for key in kept])
    number = pool[chance.pick(len(pool), "tile", pool)]
    return f"{number}{side_drawn(chance, sides=sides)}", without(pool, (number,))


def without(numbers: Iterable[int], taken: Collection[int]) -> Pool:
    """The numbers that are not taken."""
    return tuple(number for number in numbers if number not in taken)


def listed(box: ComponentSet, chance: Chance, *, players: int, carnage: bool, sides: str) -> tuple[str, ...]:
    """A whole list, tile 1 first: five tiles for two players, else all that are in play, once each."""
    key, pool = begun(box, chance, carnage=carnage, sides=sides)
    order = [key]
    most = LAST_OF_TWO if players == 2 else len(pool) + 1
    while len(order) < most:
        key, pool = drawn(box, pool, chance, kept=order[-TABLE:], carnage=carnage, sides=sides)
        order.append(key)
    return tuple(order)


def lengthened(
    box: ComponentSet, order: Sequence[str], chance: Chance, *, carnage: bool, sides: str
) -> tuple[str, ...]:
    """A list that has come to its end, and on: all tiles but the last three are shuffled and follow."""
    kept = order[-TABLE:]
    longer, pool = list(order), without(box.tile_numbers(carnage=carnage), [box.tiles[key].number for key in kept])
    while pool:
        key, pool = drawn(box, pool, chance, kept=kept, carnage=carnage, sides=sides)
        longer.append(key)
    return tuple(longer)
