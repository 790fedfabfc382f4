"""What a player reads: every kind of event comes up and is told in a whole sentence; cars are named as cars."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.engine.contract import Event
from games.engine.record import Step, load, replay
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import log, rules
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.log import SENTENCES
from games.runtime.scenarios import running
from games.runtime.scenarios.reading import read_files
from games.runtime.words import with_names
from tests.rulesets.roadkill.test_words_read import view

HERE = Path(__file__).parent
NAMES = {
    str(seat): name
    for seat, name in enumerate(
        ("Choke", "Axle", "Wren", "Dusty", "Rust", "Olu", "Pim", "Quill", "Tess", "Uma"), start=1
    )
}


def happened() -> Iterator[Event]:
    """All that the recorded races tell, then all that the scenarios do."""
    for file in sorted((HERE.parents[1] / "records" / "roadkill").glob("*.json")):
        steps: list[Step] = []
        replay(RULESET, load(file.read_bytes()), steps.append)
        for step in steps:
            yield from step.events
    for scenario in read_files([HERE / "scenarios"]):
        yield from running.run(scenario).events


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return list(happened())


def kinds_told() -> set[str]:
    """The kinds that the rules tell, by their source."""
    told: set[str] = set()
    folder = Path(rules.__file__).parent
    for file in (*folder.glob("*.py"), folder.parent / "flow.py", folder.parent / "game.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "tell":
                kind = node.args[0]
                found = [kind] if isinstance(kind, ast.Constant) else [*ast.walk(kind)]
                told.update(str(one.value) for one in found if isinstance(one, ast.Constant) and len(node.args) > 1)
    return told


def test_every_kind_that_the_rules_tell_has_a_sentence_and_no_sentence_is_told_by_none() -> None:
    assert kinds_told() == set(SENTENCES)


def test_every_kind_of_event_occurs(events: list[Event]) -> None:
    assert set(SENTENCES) - {event.kind for event in events} == set()


ODD = re.compile(
    r"_"  # a key instead of a name
    r"|\b1 (?:cards|cars|boxes|Trailers)\b"
    r"|\ba (?:any|[aeiou]\w+)\b|\bthe Ditched\b"
    r"|\bSection 0\b"
    r"|car \d+'s"
    r"|\b(?:pass|passes|past|attack|attacks|answers|refuses|by) \d(?! card| car)"
    r"|None|True|False|[{}]|  |\.\."
)


def told_to(event: Event) -> Iterator[str]:
    for viewer in (None, *event.private):
        sentence = RULESET.tell(event.seen_by(viewer))
        if sentence:
            yield sentence


def test_no_sentence_has_a_key_a_bare_number_or_a_wrong_plural(events: list[Event]) -> None:
    odd = {
        sentence
        for event in events
        for sentence in told_to(event)
        # A promise is the player's own words.
        if ODD.search(sentence.split("«")[0])
    }
    assert odd == set()


def test_a_driver_is_named_alike_wherever_a_sentence_names_the_car(events: list[Event]) -> None:
    many = 0
    for event in events:
        for sentence in told_to(event):
            named = with_names(sentence, NAMES)
            cars = re.findall(r"\b[Cc]ar (\d+)", sentence)
            assert re.findall(r"(\w+) \(car (\d+)\)", named) == [(NAMES[car], car) for car in cars if car in NAMES]
            many += len(cars) > 1
    assert many > 100


def test_the_winner_is_named_as_the_others_are() -> None:
    seen = {"kind": "finish", "rule": "6.2", "seat": 1, "order": [1, 2, 3]}
    assert with_names(log.tell(seen), NAMES) == (
        "Choke (car 1) has won. In order: Choke (car 1), Axle (car 2) and Wren (car 3). (6.2)"
    )


def test_what_a_player_has_said_is_not_rewritten() -> None:
    offer = {
        "seat": 1,
        "target": 2,
        "gives": 1,
        "asks": 0,
        "give": ["swerve"],
        "want": [],
        "words": "no shots at car 3",
    }
    told = with_names(log.tell({"kind": "offers_trade", "rule": "9.7", **offer}), NAMES)
    assert told == "Choke (car 1) offers Axle (car 2) a trade: Swerve for nothing. «no shots at car 3» (9.7)"


@pytest.mark.parametrize(
    ("drawn", "modifier", "moving", "outcome"),
    [
        (9, 0, True, "9, nothing happens"),
        (6, 0, True, "6, nothing happens"),
        (7, -1, True, "7 - 1 = 6, nothing happens"),
        (5, 0, True, "5, a Spinout"),
        (5, 0, False, "5, a Spinout, which does nothing to a stopped car"),
        (6, -2, True, "6 - 2 = 4, Ditched"),
        (2, 0, False, "2, a Flat Tire"),
        (1, -2, True, "1 - 2 = -1, a Crash"),
    ],
)
def test_a_damage_check_tells_what_comes_of_it(drawn: int, modifier: int, moving: bool, outcome: str) -> None:
    seen: dict[str, Any] = {"kind": "check", "rule": "7.3", "seat": 2, "moving": moving}
    seen |= {"drawn": drawn, "modifier": modifier, "result": drawn + modifier}
    assert log.tell(seen) == f"Damage Check of car 2: {outcome}. (7.3)"


def test_a_repair_tells_its_sum() -> None:
    seen: dict[str, Any] = {"rule": "7.4", "seat": 2, "job": "flat_tire", "drawn": 3, "modifier": 1, "repairs": 2}
    assert log.tell({"kind": "repaired", **seen}) == "Car 2 repairs Flat Tire with 3 + 1 = 4 (4 is needed). (7.4)"
    failed = log.tell({"kind": "repair_fails", **seen, "drawn": 2})
    assert failed == "The repair fails with 2 + 1 = 3 (4 is needed); car 2 has Repairs +2. (7.4)"
    at_stop = {name: seen[name] for name in ("rule", "seat", "job")}
    assert log.tell({"kind": "repaired", **at_stop}) == "Car 2 repairs Flat Tire. (7.4)"


ANSWERS: tuple[tuple[Any, str], ...] = (
    (a.End(), "end my turn and draw all I may"),
    (a.End(draw=4), "end my turn and draw at most 4"),
    (a.End(draw=0), "end my turn and draw nothing"),
    (a.End(rest=True), "end my turn, rest, and draw all I may"),
    (a.End(discard=("swerve", "fate")), "end my turn, discard Swerve and Fate, and draw all I may"),
    (a.Pass("move_1", 2), "pass car 2 with Move 1"),
    (a.Pass("machine_gun", 2), "pass car 2 with Machine Gun without attacking it"),
    (a.Attack("machine_gun", 2), "attack car 2 with Machine Gun"),
    (a.Play("theft", target=4), "play Theft on car 4"),
    (a.Trade(2, ("swerve",), (), 2), "trade with car 2: give Swerve for 2 cards of their choice"),
    (a.Stop(), "stop my car"),
    (a.Exit("move_1"), "enter Section 3 with Move 1"),
)


@pytest.mark.parametrize(("action", "words"), ANSWERS)
def test_an_answer_says_what_it_does_and_to_which_car(action: Any, words: str) -> None:
    behind = {**view("none", "[Move 1]")}
    behind["course"] = [{**behind["course"][0], "number": 5, "cars": []}, *behind["course"]]
    assert RULESET.say(behind, action) == words
    assert RULESET.read({**behind, "asking": "act"}, words) == action


def test_at_the_rest_stop_the_end_of_a_turn_says_what_becomes_of_it() -> None:
    driving = view("none", "[Move 1]")
    at_stop = {**driving, "cars": [{**driving["cars"][0], "at_rest_stop": True}, *driving["cars"][1:]]}
    for action, words in (
        (a.End(), "end my turn at the Rest Stop and draw all I may"),
        (a.End(job="flat_tire"), "end my turn, use the Rest Stop to repair Flat Tire, and draw all I may"),
        (a.End(rest=True), "end my turn, rest instead of using the Rest Stop, and draw all I may"),
    ):
        assert RULESET.say(at_stop, action) == words
        assert RULESET.read({**at_stop, "asking": "act"}, words) == action


def test_to_discard_on_ones_turn_is_said_back_as_ending_it() -> None:
    here = {**view("none", "[Swerve]"), "asking": "act"}
    assert RULESET.say(here, RULESET.read(here, "discard Swerve")) == (
        "end my turn, discard Swerve, and draw all I may"
    )
