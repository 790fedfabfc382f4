"""Refusals carry a word for programs, a rule and a sentence; a broken record says where."""

import pytest

from games.engine import errors
from games.engine.errors import (
    ActionRefused,
    Ambiguous,
    Malformed,
    NotYourDecision,
    RaceOver,
    RecordBroken,
    Refusal,
    RuleViolation,
)

CODES = {
    ActionRefused: "refused",
    Malformed: "malformed",
    Ambiguous: "ambiguous",
    RuleViolation: "illegal",
    NotYourDecision: "not_yours",
    RaceOver: "over",
}


def test_every_refusal_has_a_code_of_its_own_that_programs_may_rely_on() -> None:
    found = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ActionRefused)}
    assert {kind: kind.code for kind in found} == CODES
    assert len(set(CODES.values())) == len(CODES)


@pytest.mark.parametrize("kind", CODES)
def test_a_refusal_ends_in_the_rule_it_is_by(kind: type[ActionRefused]) -> None:
    refused = kind("You do not hold a Swerve", rule="5.2")
    assert (refused.text, refused.rule, str(refused)) == (
        "You do not hold a Swerve",
        "5.2",
        "You do not hold a Swerve (5.2)",
    )


def test_where_no_rule_is_meant_none_is_named() -> None:
    assert str(RaceOver("The race is over.")) == "The race is over."


def test_a_rules_refusal_becomes_an_exception_with_its_number_and_words() -> None:
    violation = RuleViolation.of(Refusal("6.41", "Nobody is ahead of you"))
    assert (violation.rule, violation.text) == ("6.41", "Nobody is ahead of you")


def test_a_broken_record_says_at_which_entry() -> None:
    assert (str(RecordBroken("it differs", entry=0)), RecordBroken("it differs", entry=0).entry) == (
        "entry 0: it differs",
        0,
    )
    assert (str(RecordBroken("it differs")), RecordBroken("it differs").entry) == ("it differs", -1)


def test_a_broken_record_is_no_players_fault() -> None:
    """What catches refusals of players must not catch it."""
    assert not issubclass(RecordBroken, ActionRefused)
