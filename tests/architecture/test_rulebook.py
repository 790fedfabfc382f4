"""Book and rules agree: every number has its place, every ruling its test, `not-yet` only shrinks."""

from __future__ import annotations

import pytest

from games.engine.rulebook import Rulebook
from games.runtime import rulebooks

MOST_NOT_YET = {"roadkill": 0, "thunder_road": 0}
"""The most that may be `not-yet`. Lower it with every issue; never raise it."""

KEYS = rulebooks.keys()


@pytest.fixture(params=KEYS)
def key(request: pytest.FixtureRequest) -> str:
    """Each ruleset that has a rulebook."""
    return str(request.param)


@pytest.fixture
def book(key: str) -> Rulebook:
    """Return the index of its book."""
    return rulebooks.book_of(key)


@pytest.fixture
def witnesses(key: str) -> tuple[rulebooks.Witness, ...]:
    """Return its tests and scenarios that name a rule or ruling."""
    return tuple(rulebooks.witnesses_of(key))


def test_every_ruleset_is_looked_at() -> None:
    assert "roadkill" in KEYS
    assert set(MOST_NOT_YET) == set(KEYS)


def test_every_coded_number_has_its_function(key: str, book: Rulebook) -> None:
    functions = rulebooks.functions_of(key)
    assert [number for number in book.with_status("coded") if number not in functions] == []


def test_every_function_has_its_coded_number(key: str, book: Rulebook) -> None:
    coded = book.with_status("coded")
    assert [number for number in rulebooks.functions_of(key) if number not in coded] == []


def test_every_function_says_its_rule_in_our_words(key: str) -> None:
    silent = [
        number for number, function in rulebooks.functions_of(key).items() if len((function.__doc__ or "").split()) < 4
    ]
    assert silent == []


def test_every_coded_number_is_named_by_a_test_or_scenario(
    book: Rulebook, witnesses: tuple[rulebooks.Witness, ...]
) -> None:
    named = {name for witness in witnesses for name in witness.names}
    assert [number for number in book.with_status("coded") if number not in named] == []


def test_every_ruling_serves_a_rule_and_every_rule_names_rulings_that_there_are(key: str, book: Rulebook) -> None:
    rulings = rulebooks.rulings_of(key)
    assert [ruling for ruling in rulings if not book.served_by(ruling)] == []
    assert [
        (rule.number, ruling) for rule in book.rules.values() for ruling in rule.rulings if ruling not in rulings
    ] == []


def test_every_ruling_is_named_by_a_test_or_scenario_unless_all_it_serves_is_not_yet(
    key: str, book: Rulebook, witnesses: tuple[rulebooks.Witness, ...]
) -> None:
    not_yet = set(book.with_status("not-yet"))
    unnamed = [
        ruling
        for ruling in rulebooks.rulings_of(key)
        if not not_yet.issuperset(book.served_by(ruling))
        and not any(rulebooks.named_by(witness, ruling) for witness in witnesses)
    ]
    assert unnamed == []


def test_tests_and_scenarios_name_only_rules_and_rulings_that_there_are(
    key: str, book: Rulebook, witnesses: tuple[rulebooks.Witness, ...]
) -> None:
    known = {*book.rules, *rulebooks.rulings_of(key)}
    known |= {ruling[:-1] for ruling in rulebooks.rulings_of(key) if ruling[-1].isalpha() and ruling[-2].isdigit()}
    unknown = {
        (witness.place, witness.name, name) for witness in witnesses for name in witness.names if name not in known
    }
    assert unknown == set()


def test_data_and_component_numbers_point_to_a_file(key: str, book: Rulebook) -> None:
    folder = rulebooks.TESTS.parent / "games" / "rulesets" / key
    pointing = [rule for rule in book.rules.values() if rule.where]
    assert pointing or key == "thunder_road", "only its rows are a book; what its box holds is none of them"
    assert [rule.number for rule in pointing if not (folder / rule.where).is_file()] == []


def test_not_yet_is_counted_and_only_shrinks(key: str, book: Rulebook) -> None:
    assert len(book.with_status("not-yet")) == book.not_yet
    assert book.not_yet <= MOST_NOT_YET[key]


def test_the_85_rows_of_thunder_road_are_all_there_in_order_and_coded() -> None:
    book = rulebooks.book_of("thunder_road")
    assert list(book.rules) == [f"T{row}" for row in range(1, 86)]
    assert {rule.status for rule in book.rules.values()} == {"coded"}


ELSEWHERE = {
    # Steps of entering a space stand with it (R-enter), bonus and coasts with the dice.
    **dict.fromkeys(("T8", "T50", "T75", "T76"), "t14_driving"),
    **dict.fromkeys(("T20", "T21", "T32", "T73"), "t01_turns"),
    # What ends a move, burns or wrecks is of damage, on which driving and hazards build.
    **dict.fromkeys(("T19", "T49", "T62", "T63"), "t64_damage"),
    # The same row once more.
    "T46": "t26_rig_and_bikes",
    "T77": "t22_edges",
    "T78": "t22_edges",
    "T80": "t34_shooting",
}
"""Rows that stand in another file than the one whose number is theirs, or the last one before it."""


def test_a_row_of_thunder_road_is_in_the_file_of_its_number() -> None:
    functions = rulebooks.functions_of("thunder_road")
    files = {number: function.__module__.rpartition(".")[2] for number, function in functions.items()}
    begins = sorted({int(file[1:3]) for file in files.values()})
    of_number = {number: max(one for one in begins if one <= int(number[1:])) for number in files}
    assert {number: file for number, file in files.items() if int(file[1:3]) != of_number[number]} == ELSEWHERE


def test_chapters_3_to_12_of_roadkill_are_all_there() -> None:
    book = rulebooks.book_of("roadkill")
    chapters = {str(chapter) for chapter in range(3, 13)}
    assert {rule.part for rule in book.rules.values()} >= chapters
    assert [rule.number for rule in book.rules.values() if rule.part in chapters and rule.status == "not-yet"] == []
    assert all(number.split(".")[0] == rule.part for number, rule in book.rules.items())
