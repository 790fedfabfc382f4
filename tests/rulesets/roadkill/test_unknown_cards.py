"""A card that does not exist is named as such, whatever was asked and whatever else is wrong."""

from functools import lru_cache
from typing import Any

import pytest

from games.engine.contract import Decision
from games.engine.errors import Malformed
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.state import State
from tests.conformance.subject import trail
from tests.rulesets.roadkill.subject import SUBJECT

ACTS: tuple[Any, ...] = (
    a.Start,
    a.Exit,
    lambda key: a.Pass(key, 2),
    lambda key: a.Attack(key, 2),
    a.Play,
    a.Forage,
    a.Card,
    lambda key: a.End(discard=(key,)),
    lambda key: a.Trade(2, give=(key,)),
    lambda key: a.Trade(2, want=("swerve", key)),
    lambda key: a.Accept(give=(key,)),
    lambda key: a.Discard((key,)),
)


@lru_cache(maxsize=1)
def asked() -> dict[str, tuple[State, Decision]]:
    """A state for each kind of question that random races come to."""
    found: dict[str, tuple[State, Decision]] = {}
    for number in range(8):
        for step in trail(SUBJECT, number).steps:
            for decision in step.decisions:
                found.setdefault(decision.key, (step.state, decision))
    return found


def test_random_races_come_to_these_questions() -> None:
    assert set(asked()) >= {"act", "auto_pass", "answer", "fate", "reflexes", "avert", "evil", "offer"}


@pytest.mark.parametrize("make", ACTS)
@pytest.mark.parametrize(("key", "told"), [("nosuch", "There is no card «nosuch»"), ("\x00", "That names no card")])
def test_a_card_that_does_not_exist_is_refused_in_a_plain_sentence(make: Any, key: str, told: str) -> None:
    for kind, (state, decision) in asked().items():
        refusal = RULESET.verify(state, decision.seat, make(key))
        assert refusal is not None, kind
        assert refusal.text == f"{told}: write a card as your hand shows it, such as «move_1» for Move 1", kind
        assert refusal.rule == "4"


def test_what_a_card_is_left_out_of_names_none() -> None:
    assert a.cards_named(a.Loot()) == a.cards_named(a.AutoExit()) == ()
    assert a.cards_named(a.Card("fate", "event")) == ("fate",)
    assert a.cards_named(a.Card("fate", "nosuch")) == ("fate", "nosuch")


@pytest.mark.parametrize("words", ["lay nosuch", "end, discard nosuch", "end, discard Swerve and 2 nosuch"])
def test_words_that_name_no_card_say_how_one_is_written(words: str) -> None:
    state, decision = asked()["act"]
    with pytest.raises(Malformed, match=r"^There is no card «nosuch»: write a card as .* such as «Move 1»\.$"):
        RULESET.read(RULESET.view(state, decision.seat), words)


def test_too_few_of_a_kind_are_counted() -> None:
    state, decision = asked()["act"]
    for cards, told in ((("box_canyon",) * 6, "You do not hold 6 Box Canyons"), (("swerve",) * 9, "9 Swerves")):
        refusal = RULESET.verify(state, decision.seat, a.End(discard=cards))
        assert refusal is not None
        assert told in refusal.text
