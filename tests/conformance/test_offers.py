"""What a decision offers is what the rules let through: no more, no less, and with a reason for the rest."""

from collections.abc import Iterator
from random import Random

import pytest

from games.engine import codec
from games.engine.chance import Stream
from games.engine.contract import Act, Decision
from games.engine.errors import NotYourDecision, RaceOver, RuleViolation
from games.engine.play import check, play
from tests.conformance.subject import Step, Subject, Trail, is_offered, wild


def decisions_in(trails: list[Trail], every: int = 1) -> Iterator[tuple[Trail, Step, Decision]]:
    """Every so-manieth decision of all races."""
    found = ((race, step, one) for race in trails for step in race.steps for one in step.decisions)
    for number, one in enumerate(found):
        if number % every == 0:
            yield one


def stream() -> Stream:
    return Stream(b"what if")


def test_every_offered_action_is_allowed(subject: Subject, trails: list[Trail]) -> None:
    for race, step, decision in decisions_in(trails):
        for action in decision.menu:
            refusal = subject.ruleset.verify(step.state, decision.seat, action)
            assert refusal is None, f"race {race.number}: {action} is offered and refused: {refusal}"


def test_every_offered_action_can_be_played(subject: Subject, trails: list[Trail]) -> None:
    for _, step, decision in decisions_in(trails, every=13):
        for action in decision.menu:
            after = play(subject.ruleset, step.state, [Act(decision.seat, action)], stream()).state
            subject.check(after)


def test_the_default_is_among_the_offered(trails: list[Trail]) -> None:
    for _, _, decision in decisions_in(trails):
        assert decision.menu, "there is something to choose from without filling in a form"
        assert is_offered(decision, decision.default), f"{decision.key}: {decision.default}"


def test_nothing_is_offered_twice(trails: list[Trail]) -> None:
    for _, _, decision in decisions_in(trails):
        assert len(set(map(repr, decision.menu))) == len(decision.menu), decision


def test_a_menu_stays_short_enough_to_read(trails: list[Trail]) -> None:
    assert max(len(decision.menu) for _, _, decision in decisions_in(trails)) <= 200


def test_what_the_rules_let_through_is_offered_and_nothing_else(subject: Subject, trails: list[Trail]) -> None:
    """Of all answers that anybody could think of, verify() lets through those of the menu and fills of the forms."""
    allowed = refused = 0
    for race, step, decision in decisions_in(trails, every=67):
        for action in subject.universe(step.state):
            refusal = subject.ruleset.verify(step.state, decision.seat, action)
            where = f"race {race.number}, {decision.key} of seat {decision.seat}: {action}"
            if refusal is None:
                allowed += 1
                same = subject.plain(decision, action)
                assert is_offered(decision, same), f"{where} is allowed and not offered"
            else:
                refused += 1
                assert action not in decision.menu, f"{where} is offered and refused: {refusal}"
    assert allowed > 200
    assert refused > 2000


def test_a_refusal_names_a_rule_and_says_why_in_a_sentence(subject: Subject, trails: list[Trail]) -> None:
    for _, step, decision in decisions_in(trails, every=499):
        for action in subject.universe(step.state):
            refusal = subject.ruleset.verify(step.state, decision.seat, action)
            if refusal is not None:
                assert refusal.rule
                assert refusal.text[0].isupper()
                assert "None" not in refusal.text
                assert "_" not in refusal.text, f"a key where a name belongs: {refusal.text}"


def test_a_refused_act_changes_nothing(subject: Subject, trails: list[Trail]) -> None:
    """The state is the same object with the same content, and no draw was spent."""
    tried = 0
    for _, step, decision in decisions_in(trails, every=997):
        digest = codec.digest(step.state)
        for action in subject.universe(step.state):
            if subject.ruleset.verify(step.state, decision.seat, action) is None:
                continue
            chance = stream()
            with pytest.raises(RuleViolation) as caught:
                play(subject.ruleset, step.state, [Act(decision.seat, action)], chance)
            assert caught.value.rule
            assert (chance.at, chance.taken) == (0, [])
            tried += 1
        assert codec.digest(step.state) == digest
    assert tried > 500


def test_no_answer_of_the_right_shape_breaks_anything(subject: Subject, trails: list[Trail]) -> None:
    """Whatever its parts hold, an answer is allowed or refused, and an allowed one can be played, said and told."""
    ruleset = subject.ruleset
    rng = Random("wild")
    allowed = 0
    for _, step, decision in decisions_in(trails, every=3):
        for _ in range(3):
            action = wild(ruleset, step.decisions, rng)
            if ruleset.is_aside(action) or ruleset.verify(step.state, decision.seat, action) is not None:
                continue
            allowed += 1
            played = play(ruleset, step.state, [Act(decision.seat, action)], stream())
            subject.check(played.state)
            ruleset.say(ruleset.view(step.state, decision.seat), action)
    assert allowed > 100


def test_acts_given_together_all_count_or_none(subject: Subject, trails: list[Trail]) -> None:
    """An illegal act after a legal one takes the legal one back."""
    seen = 0
    for _, step, decision in decisions_in(trails, every=499):
        legal = Act(decision.seat, decision.menu[0])
        after = play(subject.ruleset, step.state, [legal], stream()).state
        waiting = subject.ruleset.waiting(after)
        stranger = next((seat for seat in range(1, 11) if seat not in waiting), 0)
        with pytest.raises((NotYourDecision, RaceOver)):
            play(subject.ruleset, step.state, [legal, Act(stranger, decision.menu[0])], stream())
        assert subject.ruleset.waiting(step.state)[0:1] == (step.decisions[0].seat,)
        seen += 1
    assert seen > 10


def test_who_is_not_asked_is_told_so(subject: Subject, trails: list[Trail]) -> None:
    for race, step, decision in decisions_in(trails, every=199):
        asked = {one.seat for one in step.decisions}
        for seat in set(range(race.seats + 2)) - asked:
            with pytest.raises(NotYourDecision):
                check(subject.ruleset, step.state, seat, decision.menu[0])


def test_after_the_end_nobody_acts(subject: Subject, trails: list[Trail]) -> None:
    for race in trails[::10]:
        last = race.steps[-1]
        with pytest.raises(RaceOver):
            check(subject.ruleset, race.end, 1, last.decisions[0].menu[0])


def test_forms_can_be_filled_in(subject: Subject, trails: list[Trail]) -> None:
    """Their fields can be met, and their action carries every field by its name."""
    for _, _, decision in decisions_in(trails, every=7):
        for form in decision.forms:
            assert form.label
            for one in form.fields:
                assert one.name in form.action.__struct_fields__
                assert one.label
                assert one.kind != "one" or one.values
                assert one.kind != "some" or one.least <= min(one.most, len(one.values))
                assert one.kind != "number" or one.least <= one.most
