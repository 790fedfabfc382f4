"""Bags: how many pieces of each kind are left, as a tuple; a piece is drawn when it is needed, so none lies ahead."""

from games.engine.chance import Chance

Bag = tuple[int, ...]


def drawn(bag: Bag, chance: Chance, label: str) -> int:
    """The kind of a piece drawn from a bag, whose pieces lie in the order of their kinds; at least one is in it."""
    pieces = [kind for kind, count in enumerate(bag) for _ in range(count)]
    return pieces[chance.pick(len(pieces), label, pieces)]


def fewer(bag: Bag, kind: int) -> Bag:
    """The bag with one piece of a kind less."""
    return (*bag[:kind], bag[kind] - 1, *bag[kind + 1 :])


def more(bag: Bag, kind: int) -> Bag:
    """The bag with one piece of a kind more."""
    return (*bag[:kind], bag[kind] + 1, *bag[kind + 1 :])
