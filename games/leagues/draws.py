"""Who races whom: rounds in which everybody races once, drawn from a seed, the same again whenever it is asked."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from random import Random
from typing import Final, TypeAlias

Group: TypeAlias = tuple[int, ...]
TRIES_A_ROUND: Final = 4000
"""Exchanges of two drivers that are tried in a round, so that the largest league is drawn in seconds."""


def sizes(drivers: int, *, seats: int) -> tuple[int, ...]:
    """The sizes of one round's races: none larger than ``seats``, as even as can be, larger ones first.

    Two drivers at least, or there is no round. With three drivers and races of two, one race of three is the only way
    in which everybody races: so a race may have one seat more than wanted there, and nowhere else.
    """
    if drivers < 2:
        return ()
    races = -(-drivers // seats)
    # Nobody races alone.
    races = min(races, drivers // 2)
    small, larger = divmod(drivers, races)
    return (small + 1,) * larger + (small,) * (races - larger)


def rounds(drivers: Sequence[int], *, seats: int, races_each: int, seed: str) -> list[list[Group]]:
    """The races of each round; each driver is in exactly one race of a round, so all race equally often.

    Whoever has met least often is put together: of many exchanges those are kept after which the squares of the numbers
    of meetings add up to less. ``seed`` is text; the same drivers in any order and the same seed give the same rounds.
    """
    rng = Random(int.from_bytes(sha256(seed.encode()).digest(), "big"))  # noqa: S311  (a draw that anybody may repeat)
    met: dict[tuple[int, int], int] = dict.fromkeys(combinations(sorted(drivers), 2), 0)
    shape = sizes(len(drivers), seats=seats)
    made: list[list[Group]] = []
    if not shape:
        return made
    for _ in range(races_each):
        order = sorted(drivers)
        rng.shuffle(order)
        groups = _improved(_cut(order, shape), met, rng)
        for group in groups:
            for pair in combinations(sorted(group), 2):
                met[pair] += 1
        made.append([tuple(sorted(group)) for group in groups])
    return made


def _cut(order: Sequence[int], shape: Sequence[int]) -> list[list[int]]:
    groups, at = [], 0
    for size in shape:
        groups.append(list(order[at : at + size]))
        at += size
    return groups


def _improved(groups: list[list[int]], met: dict[tuple[int, int], int], rng: Random) -> list[list[int]]:
    """The groups after exchanges of two drivers, each kept if they have then met each other less."""
    if len(groups) < 2:
        return groups
    for _ in range(TRIES_A_ROUND):
        one, other = rng.sample(range(len(groups)), 2)
        here, there = rng.randrange(len(groups[one])), rng.randrange(len(groups[other]))
        a, b = groups[one][here], groups[other][there]
        before = _meetings(a, groups[one], met, but=a) + _meetings(b, groups[other], met, but=b)
        after = _meetings(b, groups[one], met, but=a) + _meetings(a, groups[other], met, but=b)
        if after < before:
            groups[one][here], groups[other][there] = b, a
    return groups


def _meetings(driver: int, group: Sequence[int], met: dict[tuple[int, int], int], *, but: int) -> int:
    """How much worse it makes the round that this driver meets the group: by 2n + 1 for a pair that has met n times."""
    return sum(2 * met[min(driver, one), max(driver, one)] + 1 for one in group if one not in {but, driver})
