"""Upgrades in words: orders as people write them, the log, the table; and how a bot drafts."""

from typing import Any

import pytest

from games.engine.chance import Stream
from games.engine.contract import Act, Decision
from games.engine.errors import Malformed, RuleViolation
from games.engine.play import check, decision_of, play, start
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.bot import make_bot
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.scenario.bench import BENCH
from games.rulesets.roadkill.state import State

LETTERS = "ABCDEFGHIJZ"


def drafting(kind: str = "reverse_draft", seats: int = 3) -> State:
    state: State = start(RULESET, seats, {"upgrades": kind}, Stream(b"words" * 7)).state
    return state


def picked(state: State, *answers: Any) -> State:
    """The state after these picks, each by the seat that is asked."""
    for answer in answers:
        state = play(RULESET, state, (Act(RULESET.waiting(state)[0], answer),), Stream(b"x")).state
    return state


def position(**given: Any) -> State:
    state: State = BENCH.start(given, outcomes=(), words="").state
    return state


@pytest.mark.parametrize("letter", LETTERS)
def test_every_pick_is_said_with_its_name_and_read_again(letter: str) -> None:
    view = RULESET.view(drafting(), 3)
    said = RULESET.say(view, a.Draft(letter))
    assert said.startswith(f"draft {letter}, ")
    assert len(said) > len("draft A, ")
    assert RULESET.read(view, said) == a.Draft(letter)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("draft I", a.Draft("I")),
        ("i", a.Draft("I")),
        ("Rotor", a.Draft("I")),
        ("please draft the Rotor.", a.Draft("I")),
        ("I pick the Rotor", a.Draft("I")),
        ("choose upgrade i", a.Draft("I")),
        ("draft I, the Rotor", a.Draft("I")),
        ("I'll draft the Quick-Stop Brakes", a.Draft("J")),
        ("draft nothing", a.Decline()),
        ("draft none", a.Decline()),
        ("nothing", a.Decline()),
        ("pass", a.Decline()),
        ("no", a.Decline()),
        ("decline", a.Decline()),
    ],
)
def test_a_pick_in_a_players_own_words(words: str, meant: Any) -> None:
    assert RULESET.read(RULESET.view(drafting(), 3), words) == meant


@pytest.mark.parametrize("words", ["draft K", "draft the Rocket", "draft", "draft A and B"])
def test_what_is_no_upgrade_is_told_which_there_are(words: str) -> None:
    with pytest.raises(Malformed, match=r"A \(Computer Guidance System\)|is no order of this game"):
        RULESET.read(RULESET.view(drafting(), 3), words)


@pytest.mark.parametrize(
    "words",
    ["use the Supercharger", "Supercharger", "play my supercharger!", "supercharge", "switch on the supercharger"],
)
def test_the_supercharger_is_no_card(words: str) -> None:
    view = RULESET.view(position(course="S1: 2m 1m", turn="Turn 1", c1="upgrades H"), 1)
    assert RULESET.read({**view, "asking": "act"}, words) == a.Supercharge()
    assert RULESET.read(view, RULESET.say(view, a.Supercharge())) == a.Supercharge()
    asked = Decision(key="act", seat=1, rule="5.2", menu=(), default=None)
    assert RULESET.rule_of(asked, a.Supercharge()) == "10.3"


def test_r10_2__a_question_of_a_reverse_draft_says_what_is_left_to_spend() -> None:
    state = picked(drafting(), a.Draft("A"), a.Draft("Z"), a.Draft("F"))
    decision = decision_of(RULESET, state, 1)
    assert decision is not None
    assert RULESET.ask(RULESET.view(state, 1), decision) == (
        "Cars are fitted out before the race, and you have 2 points. Which upgrade do you draft?"
    )
    assert [RULESET.say(RULESET.view(state, 1), one)[:7] for one in decision.menu] == [
        *(f"draft {letter}" for letter in "BCDGIJ"),
        "draft n",
    ]
    assert decision.default == a.Decline()


def test_r10_1__a_draft_is_seen_by_everybody_and_over_before_the_first_turn() -> None:
    state = picked(drafting("draft"), a.Draft("A"))
    for viewer in (None, 1, 3):
        view = RULESET.view(state, viewer)
        assert view["phase"] == "draft"
        assert view["draft"]["order"] == [2, 1]
        assert view["draft"]["points"] == 0
        assert [one["letter"] for one in view["draft"]["free"]] == list(LETTERS[1:])
        assert all(one["text"] and one["price"] for one in view["draft"]["free"])
    table = RULESET.board_words(RULESET.view(state, None))["table"]
    assert table.startswith("B Homing Beacon: ")
    assert "point" not in table
    state = picked(state, a.Decline(), a.Draft("B"))
    view = RULESET.view(state, None)
    assert (view["draft"], view["active"]) == (None, 1)
    assert RULESET.board_words(view)["cars"]["3"]["upgrades"] == ["A Computer Guidance System"]


def test_r10_3__what_lies_in_a_car_is_said_on_its_line_and_panel() -> None:
    state = position(course="S1: 2m 1m", turn="Turn 1", c1="F3 upgrades C, G Reserve used", c2="F0 upgrades Z")
    words = RULESET.board_words(RULESET.view(state, 1))
    assert words["cars"]["1"]["upgrades"] == ["C Auto Pilot Radar", "G Reserve Tank (used)"]
    assert {"label": "Upgrades", "text": "C Auto Pilot Radar, G Reserve Tank (used)"} in words["figures"]
    lines = {car["seat"]: car["words"] for section in words["sections"] for car in section["cars"]}
    assert "upgrades C, G" in lines[1]
    assert "upgrades Z" in lines[2]
    assert "out of gas" not in lines[2]


def test_r10_3__a_refusal_names_the_letter_and_the_upgrade() -> None:
    state = position(course="S1: 2s 1s", turn="Turn 1", c1="[Theft]", c2="upgrades D")
    state = RULESET.advance(state, Stream(b"x")).state
    with pytest.raises(RuleViolation) as refused:
        check(RULESET, state, 1, a.Play("theft", target=2))
    assert (refused.value.rule, refused.value.text) == (
        "10.3",
        "Theft is of no use against D, the Burglar Alarm, of car 2",
    )


@pytest.mark.parametrize("seats", [2, 6, 10])
def test_r10_2__bots_draft_what_they_can_pay_and_leave_no_good_pick(seats: int) -> None:
    state = drafting(seats=seats)
    bot = make_bot("driver", 1)
    while RULESET.view(state, None)["draft"]:
        (decision,) = RULESET.pending(state)
        answer = bot.choose(RULESET.view(state, decision.seat), decision)
        assert isinstance(answer, a.Draft) or seats > 2
        state = picked(state, answer)
    upgrades = BENCH.ruleset.carried(state)  # type: ignore[attr-defined]
    owned = [letter for letters in upgrades.values() for letter in letters]
    assert len(owned) == len(set(owned)) == min(11, len(owned))
    assert len(owned) >= min(2 * seats, 9)
    view = RULESET.view(state, None)
    assert all(sum(one["price"] for one in car["upgrades"]) <= 5 for car in view["cars"])
