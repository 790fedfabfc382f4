"""Nothing that a viewer cannot know shows in what it sees: what is hidden is drawn anew, and nothing may change."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from games.engine.contract import Decision, Ruleset, Viewer
from tests.conformance.subject import Step, Subject, Trail

PLANTED = "hand of seat 1"


def moments(subject: Subject, trails: list[Trail], every: int) -> Iterator[tuple[Step, Viewer, Any]]:
    """Every so-manieth state, for each viewer and the spectator, with another world that looks the same to it."""
    rng = Random("other worlds")
    steps = [(race, step) for race in trails for step in race.steps]
    for race, step in steps[::every]:
        for viewer in (None, *range(1, race.seats + 1)):
            yield step, viewer, subject.resampled(step.state, viewer, rng)


def leaks(ruleset: Ruleset[Any], subject: Subject, trails: list[Trail], every: int) -> list[str]:
    """What differs between worlds that a viewer cannot tell apart."""
    found = []
    for step, viewer, other in moments(subject, trails, every):
        here, there = ruleset.view(step.state, viewer), ruleset.view(other, viewer)
        if here != there:
            found += [f"{viewer} sees {key}" for key in here if here[key] != there[key]]
    return found


def test_another_world_is_another_world(subject: Subject, trails: list[Trail]) -> None:
    """Without this the tests below prove nothing."""
    changed = [other != step.state for step, _, other in moments(subject, trails, every=101)]
    assert len(changed) > 100
    assert sum(changed) > 0.9 * len(changed)


def test_another_world_can_be(subject: Subject, trails: list[Trail]) -> None:
    for _, _, other in moments(subject, trails, every=101):
        subject.check(other)


def test_no_view_shows_what_is_hidden(subject: Subject, trails: list[Trail]) -> None:
    assert leaks(subject.ruleset, subject, trails, every=19) == []


def test_a_leak_would_be_found(subject: Subject, trails: list[Trail]) -> None:
    class Leaky:
        def view(self, state: Any, viewer: Viewer) -> dict[str, Any]:
            return {**subject.ruleset.view(state, viewer), PLANTED: subject.ruleset.view(state, 1)["hand"]}

    found = leaks(Leaky(), subject, trails, every=199)  # type: ignore[arg-type]
    assert found
    assert {what.partition(" sees ")[2] for what in found} == {PLANTED}
    assert not any(what.startswith("1 ") for what in found), "seat 1 knows its own hand"


def test_who_is_asked_depends_on_nothing_hidden(subject: Subject, trails: list[Trail]) -> None:
    for step, _, other in moments(subject, trails, every=19):
        assert subject.ruleset.waiting(other) == subject.ruleset.waiting(step.state)


def public_part(decision: Decision) -> tuple[Any, ...]:
    """What the server's clocks and windows go by."""
    return (
        decision.seat,
        decision.key,
        decision.rule,
        decision.kind,
        decision.clock,
        decision.singled,
        decision.sealed,
        decision.trigger,
    )


def test_clocks_and_windows_go_by_nothing_hidden(subject: Subject, trails: list[Trail]) -> None:
    for step, _, other in moments(subject, trails, every=67):
        here = [public_part(one) for one in step.decisions]
        assert [public_part(one) for one in subject.ruleset.pending(other)] == here


def test_ones_own_question_shows_nothing_of_others(subject: Subject, trails: list[Trail]) -> None:
    asked = 0
    for step, viewer, other in moments(subject, trails, every=37):
        here = next((one for one in step.decisions if one.seat == viewer), None)
        if here is not None:
            asked += 1
            assert next(one for one in subject.ruleset.pending(other) if one.seat == viewer) == here
    assert asked > 50


def test_a_sealed_question_is_one_of_a_window_or_on_the_clock_of_reactions(trails: list[Trail]) -> None:
    for race in trails:
        for step in race.steps:
            for one in step.decisions:
                assert one.sealed or len(step.decisions) == 1


@pytest.mark.parametrize("stranger", [None, 0, 99])
def test_strangers_see_an_event_as_the_public_does(trails: list[Trail], stranger: Viewer) -> None:
    for race in trails[::5]:
        for step in race.steps:
            for event in step.events:
                assert event.seen_by(stranger) == {"kind": event.kind, "rule": event.rule, **event.public}
                assert set(event.private) <= set(range(1, race.seats + 1))
