"""Races come back from their records: same draws, same states; and states from their JSON."""

import json
from random import Random

import pytest

from games.engine import codec
from games.engine.chance import Recorded
from games.engine.contract import Act
from games.engine.errors import RecordBroken
from games.engine.play import play
from games.engine.record import Recorder, dump, load, replay, verify
from tests.conformance.subject import Subject, Trail, any_answer


def test_a_race_played_again_from_its_draws_is_the_same_race(subject: Subject, trails: list[Trail]) -> None:
    for race in trails:
        state = race.begin
        for step in race.steps:
            assert state == step.state
            chance = Recorded(step.draws)
            played = play(subject.ruleset, state, step.acts, chance)
            assert chance.left == 0, "every recorded draw is needed"
            assert played.events == step.events
            assert played.draws == step.draws
            state = played.state
        assert state == race.end


def test_an_act_with_other_draws_is_noticed(subject: Subject, trails: list[Trail]) -> None:
    noticed = 0
    for race in trails[::10]:
        step = next(step for step in race.steps if step.draws)
        with pytest.raises(RecordBroken):
            play(subject.ruleset, step.state, step.acts, Recorded(step.draws[:-1]))
        label, size, result = step.draws[0]
        with pytest.raises(RecordBroken):
            play(subject.ruleset, step.state, step.acts, Recorded(((label, size + 1, result), *step.draws[1:])))
        noticed += 1
    assert noticed > len(trails) // 20


def test_a_record_proves_its_race(subject: Subject, trails: list[Trail]) -> None:
    proved = 0
    for race in trails[::6]:
        if race.is_prepared:
            continue
        record = load(dump(race.record))
        assert dump(record) == dump(race.record)
        assert replay(subject.ruleset, record) == race.end
        assert verify({subject.ruleset.key: subject.ruleset}, record) == subject.ruleset.outcome(race.end)
        proved += 1
    assert proved > len(trails) // 20


def test_a_race_that_went_back_proves_itself(subject: Subject) -> None:
    """Half way all go back to an earlier entry, twice, and the race is driven on to its end with fresh draws."""
    ruleset = subject.ruleset
    proved = 0
    for number in range(12):
        rng = Random(f"{ruleset.key}/back/{number}")
        seats = subject.seats[number % len(subject.seats)]
        race = Recorder(ruleset, seats, subject.options[number % len(subject.options)], secret=bytes([number]) * 32)
        turns_back = 2
        while decisions := ruleset.pending(race.state):
            race.act([Act(one.seat, any_answer(ruleset, race.state, one, rng, {})) for one in decisions])
            if turns_back and len(race.entries) > 8 and ruleset.outcome(race.state) is None and rng.random() < 0.2:
                to = rng.randrange(len(race.entries) - 1)
                race.go_back(to, tuple(range(1, seats + 1)))
                assert codec.digest(race.state) == race.entries[to].digest
                turns_back -= 1
        record = load(dump(race.record()))
        assert replay(ruleset, record) == race.state
        assert verify({ruleset.key: ruleset}, record) == ruleset.outcome(race.state)
        proved += not turns_back
    assert proved > 5


def test_a_state_goes_through_json_and_back(subject: Subject, trails: list[Trail]) -> None:
    for race in trails[::3]:
        for step in race.steps:
            data = codec.dump(step.after)
            assert codec.load(subject.ruleset.state_type, data) == step.after
            assert codec.dump(codec.load(subject.ruleset.state_type, data)) == data


def test_states_that_differ_have_digests_that_differ(trails: list[Trail]) -> None:
    for race in trails[::20]:
        states = {codec.dump(step.after) for step in race.steps}
        assert len({codec.digest(step.after) for step in race.steps}) == len(states)


def test_an_answer_goes_through_json_and_back(subject: Subject, trails: list[Trail]) -> None:
    for race in trails[::3]:
        for step in race.steps:
            for decision in step.decisions:
                for action in decision.menu:
                    data = codec.to_json(action)
                    assert codec.action_from_json(subject.ruleset.action_type, json.loads(json.dumps(data))) == action


def test_views_and_events_are_plain_json(subject: Subject, trails: list[Trail]) -> None:
    for race in trails[::10]:
        for step in race.steps[::5]:
            for viewer in (None, 1):
                view = subject.ruleset.view(step.after, viewer)
                assert json.loads(json.dumps(view)) == view
                for event in step.events:
                    seen = event.seen_by(viewer)
                    assert json.loads(json.dumps(seen)) == seen
