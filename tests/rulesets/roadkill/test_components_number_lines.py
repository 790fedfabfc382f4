"""The number lines of `classic`: even, independent of each other and of the card, written by the script."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from pathlib import Path

import pytest

from games.rulesets.roadkill import components
from scripts import write_number_lines as writer

CLASSIC = Path(components.__file__).parent / "classic"


def _columns() -> dict[str, list[str]]:
    """Return the eleven columns, and the card types as a twelfth."""
    classic = components.load(CLASSIC)
    columns = {column: [str(value) for value in values] for column, values in classic.numbers.items()}
    return {**columns, "event": list(classic.letters), "card type": list(classic.card_keys)}


PAIRS = list(itertools.combinations((*components.COLUMNS, "card type"), 2))


@pytest.mark.parametrize(("column", "sides"), [("check", 10), *writer.COLUMN_SIZES.items()])
def test_each_value_of_a_column_stands_as_evenly_as_can_be(column: str, sides: int) -> None:
    counts = Counter(components.load(CLASSIC).numbers[column])
    assert set(counts) == set(range(1, sides + 1))
    assert max(counts.values()) - min(counts.values()) <= 1


def test_a_damage_check_has_no_effect_as_often_as_it_was_designed_to() -> None:
    check = components.load(CLASSIC).numbers["check"]
    shares = [sum(value + modifier >= 6 for value in check) / 128 for modifier in (0, -1, -2)]
    assert shares == pytest.approx([0.5, 0.4, 0.3], abs=0.004)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_column_predicts_another_or_the_card_type(first: str, second: str) -> None:
    columns = _columns()
    chance = writer.chance_of_pair(columns[first], columns[second])
    assert 0.01 < chance < 0.99
    permuted = writer.permuted_chance_of_pair(columns[first], columns[second], 200, random.Random(7))
    assert 0.01 < permuted < 0.99


def test_a_column_that_predicts_another_would_be_found() -> None:
    columns = _columns()
    leaning = [value if int(value) > 3 else columns["wrench"][card] for card, value in enumerate(columns["0"])]
    assert writer.chance_of_pair(leaning, columns["wrench"]) < 0.01
    by_kind = sorted(columns["attack"])
    assert writer.chance_of_pair(by_kind, columns["card type"]) < 0.01
    assert writer.permuted_chance_of_pair(by_kind, columns["card type"], 200, random.Random(7)) < 0.01


@pytest.mark.parametrize(
    ("freedom", "share", "critical"),
    [
        (1, 0.01, 6.635), (1, 0.05, 3.841), (2, 0.01, 9.210), (5, 0.99, 0.554), (10, 0.01, 23.209),
        (30, 0.05, 43.773), (50, 0.01, 76.154), (50, 0.99, 29.707), (100, 0.01, 135.807), (100, 0.99, 70.065),
    ],
)  # fmt: skip
def test_the_chi_square_distribution_agrees_with_its_printed_tables(
    freedom: int, share: float, critical: float
) -> None:
    assert writer.chance_of_chi_square(critical, freedom) == pytest.approx(share, rel=2e-3)


def test_chi_square_of_a_table_worked_by_hand() -> None:
    # 10 and 20 in one row, 30 and 40 in the other: 100 * (10 * 40 - 20 * 30)^2 / (30 * 70 * 40 * 60).
    first = ["a"] * 30 + ["b"] * 70
    second = ["x"] * 10 + ["y"] * 20 + ["x"] * 30 + ["y"] * 40
    assert writer.chi_square(first, second) == pytest.approx(100 * 200**2 / (30 * 70 * 40 * 60))


def test_the_script_writes_the_very_file_again(tmp_path: Path) -> None:
    said: list[str] = []
    writer.write(CLASSIC, tmp_path / "again.csv", said.append)
    assert (tmp_path / "again.csv").read_bytes() == (CLASSIC / "number_lines.csv").read_bytes()
    assert len(said) == 11
