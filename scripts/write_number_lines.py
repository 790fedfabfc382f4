"""Write the number lines of a RoadKill component set: even columns, each independent of all others.

    python scripts/write_number_lines.py games/rulesets/roadkill/components/classic

The counts of cards.csv and the letters of events.toml are obeyed exactly, the seed stands in set.toml, and
running it again writes the same file. Columns are drawn one after the other, and drawn again until the
chi-square of each with the card type and every column before it is unremarkable (p from 2 % to 98 %), both
by the chi-square distribution and by permutations: many cells expect less than one card, and there the
distribution alone is no good guide.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

COLUMN_SIZES = {"2": 2, "3": 3, "R": 4, "attack": 5, "wrench": 6, "7": 7, "8": 8, "9": 9, "0": 10}
LOWEST_CHANCE = 0.02
PERMUTATIONS = 400
MOST_ATTEMPTS = 10_000


def even_values(cards: int, sides: int) -> list[int]:
    """Return the values 1 to `sides` for so many cards, as evenly as can be, the odd ones spread out."""
    values: list[int] = []
    for value in range(1, sides + 1):
        upto = (2 * cards * value + sides) // (2 * sides)
        values += [value] * (upto - len(values))
    return values


def shuffled(values: Sequence[str], chance: random.Random) -> list[str]:
    """Return the values in random order, by `random()` alone: Python promises to keep its stream."""
    return [value for _, value in sorted(((chance.random(), value) for value in values), key=lambda pair: pair[0])]


def chi_square(first: Sequence[str], second: Sequence[str]) -> float:
    """Return Pearson's statistic of the table of two columns of equal length."""
    cells = Counter(zip(first, second, strict=True))
    rows, columns = Counter(first), Counter(second)
    # Sum of (observed - expected)^2 / expected over all cells = n * (sum of observed^2 / (row * column) - 1).
    return len(first) * (sum(seen * seen / (rows[row] * columns[column]) for (row, column), seen in cells.items()) - 1)


def chance_of_chi_square(statistic: float, freedom: int) -> float:
    """Return the chance of a statistic at least so large under independence.

    That is the regularised upper gamma function Q(freedom / 2, statistic / 2), by its series below the mean
    and by Lentz's continued fraction above it.
    """
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        divisor = a
        while abs(term) > abs(total) * 1e-15:
            divisor += 1
            term *= x / divisor
            total += term
        return 1 - total * scale
    tiny = 1e-300
    b = x + 1 - a
    c = 1 / tiny
    d = 1 / b
    fraction = d
    step = 1
    while True:
        factor = -step * (step - a)
        b += 2
        d = 1 / (factor * d + b or tiny)
        c = b + factor / c or tiny
        change = c * d
        fraction *= change
        if abs(change - 1) < 1e-15:
            return scale * fraction
        step += 1


def chance_of_pair(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the chance of a chi-square at least that of two columns, by the distribution."""
    freedom = (len(set(first)) - 1) * (len(set(second)) - 1)
    return chance_of_chi_square(chi_square(first, second), freedom)


def permuted_chance_of_pair(
    first: Sequence[str], second: Sequence[str], permutations: int, chance: random.Random
) -> float:
    """Return the share of permutations of one column whose chi-square with the other is as large or more."""
    present = chi_square(first, second)
    as_large = 1
    for _ in range(permutations):
        as_large += chi_square(shuffled(first, chance), second) >= present - 1e-9
    return as_large / (permutations + 1)


def unremarkable(probability: float) -> bool:
    """Tell whether a chance is neither suspiciously small nor suspiciously near to one."""
    return LOWEST_CHANCE <= probability <= 1 - LOWEST_CHANCE


def number_lines(
    kinds: Sequence[str], letters: Sequence[str], check_highest: int, seed: int, say: Callable[[str], object]
) -> dict[str, list[str]]:
    """Return the eleven columns for cards of these kinds.

    `letters` holds the Event letters, each as often as it is to stand on a card.
    """
    chance = random.Random(seed)  # noqa: S311 - dice faces are written, not secrets
    # The hardest columns first: they have the most cells and so the fewest arrangements that pass.
    wanted: dict[str, list[str]] = {
        "event": list(letters),
        "check": [str(value) for value in even_values(len(kinds), check_highest)],
    }
    for column, sides in sorted(COLUMN_SIZES.items(), key=lambda item: -item[1]):
        wanted[column] = [str(value) for value in even_values(len(kinds), sides)]
    settled: dict[str, list[str]] = {}
    for column, values in wanted.items():
        against = [list(kinds), *settled.values()]
        for attempt in range(1, MOST_ATTEMPTS + 1):
            candidate = shuffled(values, chance)
            if all(unremarkable(chance_of_pair(candidate, other)) for other in against) and all(
                unremarkable(permuted_chance_of_pair(candidate, other, PERMUTATIONS, chance)) for other in against
            ):
                settled[column] = candidate
                say(f"{column}: attempt {attempt}")
                break
        else:
            raise SystemExit(f"no arrangement of column {column} passed in {MOST_ATTEMPTS} attempts; try another seed")
    return {column: settled[column] for column in ("check", *COLUMN_SIZES, "event")}


def write(folder: Path, target: Path, say: Callable[[str], object]) -> None:
    """Write the number lines of the set in `folder` to the file `target`."""
    about = tomllib.loads((folder / "set.toml").read_text(encoding="utf-8"))["number_lines"]
    with (folder / "cards.csv").open(encoding="utf-8", newline="") as file:
        kinds = [row["key"] for row in csv.DictReader(file) for _ in range(int(row["count"]))]
    events = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))
    letters = [letter for letter, event in events.items() for _ in range(event["cards"])]
    if len(letters) != len(kinds):
        raise SystemExit(f"the letters of events.toml stand on {len(letters)} cards and cards.csv has {len(kinds)}")
    columns = number_lines(kinds, letters, about["check_highest"], about["seed"], say)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["card", "kind", *columns])
        writer.writerows(
            [card, kind, *line] for card, (kind, *line) in enumerate(zip(kinds, *columns.values(), strict=True))
        )


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(
        description="Write number_lines.csv of a component set from its cards.csv, events.toml and seed."
    )
    parser.add_argument(
        "folder", type=Path, help="folder of the set, such as games/rulesets/roadkill/components/classic"
    )
    parser.add_argument("--to", type=Path, help="write to this file instead of number_lines.csv in the folder")
    given = parser.parse_args()
    write(
        given.folder,
        given.to or given.folder / "number_lines.csv",
        lambda line: sys.stderr.write(f"{line}\n"),
    )


if __name__ == "__main__":
    main()
