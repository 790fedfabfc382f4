"""`manage.py rule`: what is known of a rule, read by a player or a programmer."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from games.engine.rulebook import Rulebook
from games.runtime import rulebooks


def _printed(*words: str) -> str:
    """Return what the command prints for these words."""
    out = io.StringIO()
    call_command("rule", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def tests_of_roadkill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a small folder of tests in the place of ours."""
    folder = tmp_path / "tests" / "rulesets" / "roadkill"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "test_r06.py").write_text(
        "def test_r6_41__a_move_card_passes():\n    pass\n\n\nclass TestMore:\n"
        "    async def test_ruling_6_41a__places_are_exchanged(self):\n        pass\n\n\n"
        "def test_r6_4__another_rule():\n    pass\n\n\ndef test_ruling_theft__sees_the_hand():\n    pass\n",
        "utf-8",
    )
    (folder / "scenarios" / "passing.toml").write_text(
        '[[scenario]]\nid = "A031"\nrules = ["6.41"]\n\n[[scenario.variant]]\nrules = ["R6.41"]\n\n'
        '[[scenario]]\nid = "A2"\nrules = ["6.4"]\n',
        "utf-8",
    )
    monkeypatch.setattr(rulebooks.sheet_of, "__kwdefaults__", {"tests": tmp_path / "tests"})
    monkeypatch.setattr(rulebooks.witnesses_of_ruling, "__kwdefaults__", {"tests": tmp_path / "tests"})
    return folder


def test_a_rule_is_printed_with_its_rulings_and_what_names_it(
    tests_of_roadkill: Path,
) -> None:
    printed = _printed("roadkill", "6.41")
    assert printed.startswith("6.41  Passing with a Move card\n")
    assert "status  coded" in printed
    assert "R6.41a (Moving): A Move card is announced with its first use" in printed
    assert "tests/rulesets/roadkill/test_r06.py:1  test_r6_41__a_move_card_passes" in printed
    assert "tests/rulesets/roadkill/test_r06.py:6  test_ruling_6_41a__places_are_exchanged" in printed
    # R6.41 in a scenario stands for R6.41a and R6.41b: once below each, once for the rule itself.
    assert printed.count("scenarios/passing.toml  A031") == 3
    assert "test_r6_4__" not in printed
    assert "A2" not in printed


def test_a_rule_carried_by_data_points_to_its_file_and_one_of_the_table_says_so() -> None:
    assert "place   games/rulesets/roadkill/components/classic/events.toml" in _printed("roadkill", "8")
    assert "no code: it concerns people round a table" in _printed("roadkill", "6")


def test_a_rule_to_come_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """RoadKill has none left; a ruleset that is being written has."""
    book = Rulebook.parse(
        'not_yet = 1\n\n["13.1"]\ntitle = "Night racing"\npart = "13"\nstatus = "not-yet"\n', name="rulebook.toml"
    )
    monkeypatch.setattr(rulebooks, "book_of", lambda key: book)
    printed = _printed("roadkill", "13.1")
    assert printed.startswith("13.1  Night racing\n")
    assert "status  not-yet" in printed
    assert "no code: it is still to come" in printed


def test_a_coded_rule_prints_the_line_of_its_function() -> None:
    function = rulebooks.functions_of("roadkill")["4.1"]
    line = function.__code__.co_firstlineno
    printed = _printed("roadkill", "4.1")
    assert f"place   games/rulesets/roadkill/rules/r04_cards.py:{line}\n" in printed
    assert (function.__doc__ or "").split("\n")[0] in printed


def test_a_ruling_is_printed_with_the_rules_it_serves(tests_of_roadkill: Path) -> None:
    printed = _printed("roadkill", "r-theft")
    assert printed.startswith("R-theft  a ruling (Cards)\n")
    assert "The thief sees the hand" in printed
    assert "Serves 4.5" in printed
    assert "test_ruling_theft__sees_the_hand" in printed


def test_without_a_number_the_whole_book_is_listed() -> None:
    assert len(_printed("roadkill").splitlines()) == len(rulebooks.book_of("roadkill").rules)


def test_an_unknown_number_or_ruleset_gets_a_sentence() -> None:
    with pytest.raises(
        CommandError, match=r"^The book has no rule 6\.45\. The nearest are 6\.41, 6\.42, 6\.43, 6\.44\.$"
    ):
        _printed("roadkill", "6.45")
    with pytest.raises(CommandError, match=r'^There is no ruleset "roadkil"; there are roadkill'):
        _printed("roadkil", "6.41")


def test_a_scenario_file_that_cannot_be_read_is_named(tests_of_roadkill: Path) -> None:
    (tests_of_roadkill / "scenarios" / "passing.toml").write_text("[[scenario]\n", "utf-8")
    with pytest.raises(CommandError, match=r"^tests/rulesets/roadkill/scenarios/passing\.toml: "):
        _printed("roadkill", "6.41")


def test_an_installed_product_without_tests_prints_all_the_same(tmp_path: Path) -> None:
    sheet = rulebooks.sheet_of("roadkill", "6.41", tests=tmp_path / "none")
    assert sheet.witnesses == ()
    assert sheet.title == "Passing with a Move card"


def test_a_row_of_thunder_road_is_found_without_its_letter() -> None:
    printed = _printed("thunder_road", "17")
    assert printed == _printed("thunder_road", "T17")
    assert printed.startswith("T17  Slams\n")
    assert "place   games/rulesets/thunder_road/rules/t17_slams.py:" in printed
    assert "RT17 (Driving (T14 to T21)): Both dice are rolled." in printed
    assert "scenarios/cases.toml  C06" in printed
