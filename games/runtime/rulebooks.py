"""The rulebooks of the rulesets at hand: their index, rulings, functions, and the tests that name a rule."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from games import rulesets
from games.engine.rulebook import (
    MalformedRulebook,
    Rule,
    Rulebook,
    Ruling,
    paraphrase,
    place,
    rules_of,
    rulings_in,
)

__all__ = [
    "TESTS",
    "RuleSheet",
    "UnknownRuleset",
    "Witness",
    "book_of",
    "functions_of",
    "keys",
    "named_by",
    "rulings_of",
    "sheet_of",
    "witnesses_of",
    "witnesses_of_ruling",
    "words_of",
]

TESTS = Path(__file__).parents[2] / "tests"
"""Where a source tree has its tests; an installed product has none."""

_FOLDER = Path(rulesets.__file__).parent
_TEST = re.compile(r"^\s*(?:async\s+)?def (test_\w+)")
_TEST_OF_RULE = re.compile(r"test_(?:r(?=\d|bt)|(?=t))((?:bt|t)?\d+(?:_\d+)?)__\w+")
_TEST_OF_RULING = re.compile(r"test_ruling_(\w+?)__\w+")


class UnknownRuleset(LookupError):
    """No ruleset of this key is here."""


class Witness(msgspec.Struct, frozen=True):
    """A test or scenario, and the numbers and rulings it says it is about."""

    place: str
    """`file:line` of a test, the file of a scenario."""
    name: str
    names: frozenset[str]
    """Rule numbers, and ids of rulings, as `spelled` spells them."""


class RuleSheet(msgspec.Struct, frozen=True):
    """All that is known of one rule."""

    number: str
    title: str
    part: str
    status: str
    place: str
    """`file:line` of the function, the file of the data, or empty."""
    paraphrase: str
    rulings: tuple[Ruling, ...]
    witnesses: tuple[Witness, ...]
    witnesses_of_rulings: dict[str, tuple[Witness, ...]]


def keys() -> tuple[str, ...]:
    """Return the keys of the rulesets that have a rulebook."""
    return tuple(sorted(found.parent.name for found in _FOLDER.glob("*/rulebook.toml")))


def _folder_of(key: str) -> Path:
    """Return the folder of a ruleset; refuse a key that is none with the keys there are."""
    if key not in keys():
        raise UnknownRuleset(f'There is no ruleset "{key}"; there are {", ".join(keys())}.')
    return _FOLDER / key


@functools.cache
def book_of(key: str) -> Rulebook:
    """Return the index of a ruleset's book."""
    return Rulebook.load(_folder_of(key) / "rulebook.toml")


@functools.cache
def rulings_of(key: str) -> dict[str, Ruling]:
    """Return a ruleset's rulings by id."""
    return rulings_in((_folder_of(key) / "RULINGS.md").read_text("utf-8"))


@functools.cache
def functions_of(key: str) -> Mapping[str, Callable[..., Any]]:
    """Return the functions that carry a ruleset's rules, by number, having imported all its modules."""
    package = importlib.import_module(f"{rulesets.__name__}.{_folder_of(key).name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return rules_of(key)


def words_of(key: str, rule: Rule) -> str:
    """What a rule says to players, in our own words: the book's index, else the first paragraph of its function."""
    if rule.words:
        return rule.words
    function = functions_of(key).get(rule.number)
    return " ".join(paraphrase(function).split("\n\n")[0].split()) if function else ""


def sheet_of(key: str, number: str, *, tests: Path = TESTS) -> RuleSheet:
    """Return all that is known of a rule; raise UnknownRule, which names the nearest numbers.

    `number` may be spelled in small letters, as in bt6.22.
    """
    rule = book_of(key).rule(number.strip().upper())
    function = functions_of(key).get(rule.number)
    folder = _folder_of(key).relative_to(_FOLDER.parents[1]).as_posix()
    where = place(function) if function else f"{folder}/{rule.where}" if rule.where else ""
    every = tuple(witnesses_of(key, tests=tests))
    return RuleSheet(
        number=rule.number,
        title=rule.title,
        part=rule.part,
        status=rule.status,
        place=where,
        paraphrase=rule.words or (paraphrase(function) if function else ""),
        rulings=tuple(rulings_of(key)[ruling] for ruling in rule.rulings),
        witnesses=tuple(each for each in every if rule.number in each.names),
        witnesses_of_rulings={
            ruling: tuple(each for each in every if named_by(each, ruling)) for ruling in rule.rulings
        },
    )


def witnesses_of_ruling(key: str, ruling: str, *, tests: Path = TESTS) -> tuple[Witness, ...]:
    """Return the tests and scenarios that name a ruling."""
    return tuple(each for each in witnesses_of(key, tests=tests) if named_by(each, ruling))


def named_by(witness: Witness, ruling: str) -> bool:
    """Tell whether a test or scenario names a ruling; R6.24 names R6.24a and R6.24b with it."""
    whole = ruling[:-1] if ruling[-2:-1].isdigit() and ruling[-1].isalpha() else ruling
    return not witness.names.isdisjoint({ruling, whole})


def witnesses_of(key: str, *, tests: Path = TESTS) -> Iterator[Witness]:
    """Yield the tests and scenarios of a ruleset that name a rule or a ruling; none without tests.

    A test names a rule as `test_r6_41__…` or `test_t17__…`, a ruling as `test_ruling_6_41a__…` or
    `test_ruling_theft__…`; a scenario, or a variant of it, lists both in `rules`.
    """
    folder = tests / "rulesets" / key
    for file in sorted(folder.rglob("test_*.py")):
        spot = file.relative_to(tests.parent).as_posix()
        for line, text in enumerate(file.read_text("utf-8").splitlines(), 1):
            test = _TEST.match(text)
            if test and (names := _names_in(test[1])):
                yield Witness(place=f"{spot}:{line}", name=test[1], names=names)
    for file in sorted((folder / "scenarios").rglob("*.toml")):
        spot = file.relative_to(tests.parent).as_posix()
        try:
            scenarios = tomllib.loads(file.read_text("utf-8")).get("scenario", [])
        except tomllib.TOMLDecodeError as error:
            raise MalformedRulebook(f"{spot}: {error}") from error
        for scenario in scenarios:
            parts = (scenario, *scenario.get("variant", []))
            named = frozenset(str(rule) for part in parts for rule in part.get("rules", []))
            yield Witness(place=spot, name=str(scenario.get("id", "")), names=named)


def _names_in(test: str) -> frozenset[str]:
    """Return the rule number or the ruling that the name of a test function names."""
    if of_rule := _TEST_OF_RULE.fullmatch(test):
        return frozenset({of_rule[1].upper().replace("_", ".")})
    if of_ruling := _TEST_OF_RULING.fullmatch(test):
        word = of_ruling[1]
        if word.isalpha():
            return frozenset({f"R-{word}"})
        dotted = word.replace("_", ".")
        if word.startswith("c"):
            return frozenset({f"C{dotted[1:]}"})
        sheet = next(letters for letters in ("bt", "t", "") if word.startswith(letters))
        return frozenset({f"R{sheet.upper()}{dotted.removeprefix(sheet)}"})
    return frozenset()
