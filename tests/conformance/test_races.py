"""Random races: they end, nothing impossible is ever true in them, and everything there is comes up."""

from collections import Counter

from games.engine.contract import Form
from games.runtime.rulesets import RULESETS
from tests.conformance.conftest import SUBJECTS
from tests.conformance.subject import Subject, Trail, trail


def test_every_ruleset_of_the_product_is_looked_at() -> None:
    assert set(RULESETS) <= set(SUBJECTS)
    assert all(SUBJECTS[key].ruleset is RULESETS[key] for key in RULESETS)


def test_there_are_two_hundred_races(subject: Subject, trails: list[Trail]) -> None:
    assert len(trails) == (60 if subject.way else 200)


def test_every_race_ends_in_a_way_the_ruleset_lists(subject: Subject, trails: list[Trail]) -> None:
    for race in trails:
        outcome = subject.ruleset.outcome(race.end)
        assert outcome is not None
        assert outcome.reason in subject.ruleset.endings
        placed = Counter(seat for group in outcome.places for seat in group)
        assert placed == Counter(range(1, race.seats + 1)), f"race {race.number}: every seat has one place"
        assert subject.ruleset.pending(race.end) == ()


def test_nothing_impossible_is_true_in_any_state(subject: Subject, trails: list[Trail]) -> None:
    for race in trails:
        subject.check(race.begin)
        for number, step in enumerate(race.steps, 1):
            try:
                subject.check(step.after)
            except AssertionError as wrong:
                raise AssertionError(f"race {race.number}, entry {number}, after {step.acts}: {wrong}") from wrong


def test_before_the_end_somebody_is_asked_and_nobody_twice(subject: Subject, trails: list[Trail]) -> None:
    for race in trails:
        for step in race.steps:
            seats = [one.seat for one in step.decisions]
            assert seats == list(subject.ruleset.waiting(step.state))
            assert len(set(seats)) == len(seats)
            assert subject.ruleset.outcome(step.state) is None


def test_every_kind_of_answer_is_given(subject: Subject, trails: list[Trail]) -> None:
    """Without this the other tests might look at half a game."""
    kinds = set(subject.ruleset.action_type.__args__) - subject.lacks
    assert {type(act.action) for race in trails for step in race.steps for act in step.acts} == kinds


def test_every_kind_of_answer_is_offered_or_an_aside(subject: Subject, trails: list[Trail]) -> None:
    offered = {
        type(one.action if isinstance(one, Form) else one)
        for race in trails
        for step in race.steps
        for decision in step.decisions
        for one in (*decision.menu, *decision.forms)
    }
    asides = {
        type(act.action)
        for race in trails
        for step in race.steps
        for act in step.acts
        if subject.ruleset.is_aside(act.action)
    }
    assert offered | asides == set(subject.ruleset.action_type.__args__) - subject.lacks
    assert not offered & asides


def test_a_race_of_the_same_number_is_the_same_race(subject: Subject, trails: list[Trail]) -> None:
    for number in (0, 3):
        assert trail(subject, number).steps == trails[number].steps
