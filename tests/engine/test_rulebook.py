"""Rules by their number: the decorator, the index of the book and the page of rulings."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from games.engine import rulebook
from games.engine.rulebook import (
    MalformedRulebook,
    Rulebook,
    UnknownRule,
    paraphrase,
    place,
    rule,
    rules_of,
    rulings_in,
)

INDEX = """
not_yet = 1

["3"]
title = "Setting out"
part = "3"
status = "table-talk"

["6.4"]
title = "Passing"
part = "6"
status = "coded"

["6.41"]
title = "Passing with a card"
part = "6"
status = "coded"
rulings = ["R6.41a", "R-theft"]

["6.5"]
title = "Attacks"
part = "6"
status = "data"
where = "attacks.toml"

["BT6.4"]
title = "Passing on the track"
part = "BT6"
status = "not-yet"
"""

RULINGS = """# Rulings
Words before the first bullet, with **bold** ones.

## Moving
- **R6.41a** One line
  and another.
- **R6.42** Short.

- a bullet of another kind

## Cards
- **R-theft** The thief sees the hand.
"""


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a registry of its own."""
    monkeypatch.setattr(rulebook, "_functions", {})


def _module(name: str, source: str) -> ModuleType:
    """Run source as a module of that name, as an import would."""
    module = ModuleType(name)
    file = f"/anywhere/{name.replace('.', '/')}.py"
    exec(compile(source, file, "exec"), module.__dict__)
    return module


ONE = '''from games.engine.rulebook import rule

@rule("6.41")
def passes(value):
    """A Move card passes as many cars
    as its value.
    """
    return value
'''


def test_a_rule_function_is_registered_for_its_ruleset_and_comes_back_unchanged() -> None:
    marker = rule("1")

    def function() -> None:
        pass

    function.__module__ = "games.rulesets.example.rules.r01"
    assert marker(function) is function
    assert dict(rules_of("example")) == {"1": function}
    assert dict(rules_of("another")) == {}


def test_the_same_number_of_two_rulesets_are_two_rules() -> None:
    first = _module("games.rulesets.one.rules.r06", ONE)
    second = _module("games.rulesets.two.rules.r06", ONE)
    assert rules_of("one")["6.41"] is first.passes
    assert rules_of("two")["6.41"] is second.passes


def test_a_second_function_of_a_number_is_refused_at_import_and_both_places_are_named() -> None:
    _module("games.rulesets.one.rules.r06", ONE)
    with pytest.raises(MalformedRulebook) as refused:
        _module("games.rulesets.one.rules.r07", ONE)
    assert str(refused.value) == (
        "rule 6.41 has two functions: games/rulesets/one/rules/r06.py:3 and games/rulesets/one/rules/r07.py:3"
    )
    assert len(rules_of("one")) == 1


def test_a_rule_outside_every_ruleset_is_refused() -> None:
    with pytest.raises(MalformedRulebook, match="lies in no ruleset"):
        _module("games.engine.play", ONE)


def test_place_and_wording_of_a_rule() -> None:
    function = _module("games.rulesets.one.rules.r06", ONE).passes
    assert place(function) == "games/rulesets/one/rules/r06.py:3"
    assert paraphrase(function) == "A Move card passes as many cars\nas its value."


def test_the_registry_cannot_be_written_from_outside() -> None:
    _module("games.rulesets.one.rules.r06", ONE)
    functions: Any = rules_of("one")
    with pytest.raises(TypeError):
        functions["6.42"] = print


def test_an_index_is_read_in_the_order_of_the_book() -> None:
    book = Rulebook.parse(INDEX)
    assert list(book.rules) == ["3", "6.4", "6.41", "6.5", "BT6.4"]
    assert book.not_yet == 1
    assert book.with_status("coded") == ("6.4", "6.41")
    assert book.served_by("R-theft") == ("6.41",)
    assert book.rule("6.5").where == "attacks.toml"


def test_where_all_numbers_bear_the_same_letters_they_may_be_left_out() -> None:
    row = '["T{0}"]\ntitle = "Row"\npart = "Rows"\nstatus = "coded"\n'
    book = Rulebook.parse("not_yet = 0\n" + "".join(row.replace("{0}", number) for number in ("1", "17", "18")))
    assert book.rule("17") is book.rule("T17")
    with pytest.raises(UnknownRule) as refused:
        book.rule("19")
    assert refused.value.nearest == ("T1", "T17", "T18")
    with pytest.raises(UnknownRule):
        Rulebook.parse(INDEX).rule("T3")


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("6.42", ("6.4", "6.41", "6.5")),
        ("641", ("6.4", "6.41", "6.5")),
        ("BT6.5", ("BT6.4",)),
        ("9", ()),
        ("swerve", ()),
    ],
)
def test_an_unknown_number_is_refused_with_the_nearest(asked: str, near: tuple[str, ...]) -> None:
    with pytest.raises(UnknownRule) as refused:
        Rulebook.parse(INDEX).rule(asked)
    assert refused.value.nearest == near
    assert str(refused.value).startswith(f"The book has no rule {asked}.")
    assert all(number in str(refused.value) for number in near)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("not_yet = 1", "", "not_yet should be the number"),
        ("not_yet = 1", "not_yet = -1", "not_yet should be the number"),
        ("not_yet = 1", "not_yet = true", "not_yet should be the number"),
        ('["6.41"]', '["6.4"]', "rulebook.toml: "),
        ('["6.41"]', '["6.4.1"]', '"6.4.1" is no rule number'),
        ('["3"]\n', 'oddity = 1\n["3"]\n', '"oddity" is no rule number'),
        ('["3"]\n', '"7" = 1\n["3"]\n', "7 should be a table"),
        ('title = "Passing"', "", "6.4 should have a title"),
        ('title = "Passing"', 'title = " "', "6.4 should have a title"),
        ('title = "Passing"', 'title = "Passing"\nwords = " "', "6.4 should have words or leave them out"),
        ('status = "table-talk"', 'status = "done"', "3 is 'done'; a status is one of"),
        ('rulings = ["R6.41a", "R-theft"]', 'ruling = ["R6.41a"]', "6.41 has ruling, which nobody reads"),
        ('rulings = ["R6.41a", "R-theft"]', 'rulings = ["6.41a"]', "rulings of 6.41 should be a list of ids"),
        ('where = "attacks.toml"', "", "6.5 should say where"),
        ('title = "Passing"', 'title = "Passing"\nwhere = "x"', "6.4 should say where"),
    ],
)
def test_a_malformed_index_is_refused_with_the_number_and_the_reason(before: str, after: str, reason: str) -> None:
    assert before in INDEX
    with pytest.raises(MalformedRulebook) as refused:
        Rulebook.parse(INDEX.replace(before, after, 1))
    assert reason in str(refused.value)


def test_rulings_are_read_with_their_heading_and_their_running_lines() -> None:
    rulings = rulings_in(RULINGS)
    assert list(rulings) == ["R6.41a", "R6.42", "R-theft"]
    assert rulings["R6.41a"].text == "One line and another."
    assert (rulings["R6.42"].section, rulings["R-theft"].section) == ("Moving", "Cards")


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("**R6.42**", "**R6.41a**", "there are two rulings R6.41a"),
        ("**R6.42**", "**R6,42**", '"R6,42" is no id of a ruling'),
        ("**R6.42** Short.", "**R6.42**", "ruling R6.42 says nothing"),
    ],
)
def test_a_malformed_page_of_rulings_is_refused(before: str, after: str, reason: str) -> None:
    with pytest.raises(MalformedRulebook, match=reason.replace("(", r"\(")):
        rulings_in(RULINGS.replace(before, after))
