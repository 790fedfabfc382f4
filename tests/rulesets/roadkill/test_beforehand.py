"""What standing orders and plans may say in RoadKill, held against races: every moment, answer and want."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from games.engine import codec, standing
from games.engine.contract import Act, Decision
from games.engine.standing import StandingOrder
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.game import RULESET
from games.runtime.simulation import BotPlayer, Course

RACES = 30
OPENING = 500
"""Answers of a race that are looked at: all moments come up early, and races go on for long."""


class Moment:
    """An open question, what was answered, and, for an act of one's turn, what came of it.

    ``since``: the events until the next question that is no answer to it, ``after``: the view then.
    """

    def __init__(self, state: Any, decision: Decision, action: Any) -> None:
        self.state = state
        self.decision = decision
        self.action = action
        self.since: list[dict[str, Any]] = []
        self.after: Any = None
        self.view = RULESET.view(state, decision.seat)
        self.happening = RULESET.standing.happening(self.view, decision)


@cache
def moments() -> tuple[Moment, ...]:
    return tuple(moment for number in range(RACES) for moment in _race(number, 2 + number % 5, {"sections": 8}))


@cache
def moments_of_teams() -> tuple[Moment, ...]:
    return tuple(moment for number in range(4) for moment in _race(number, 8, {"sections": 8, "teams": True}))


def _race(number: int, seats: int, options: dict[str, Any]) -> Iterator[Moment]:
    course = Course(RULESET, seats=seats, options=options, secret=f"moments/{number}".encode())
    level = "random" if number % 3 else "driver"
    players = {seat: BotPlayer(RULESET, level, f"moments/{number}/{seat}") for seat in range(1, seats + 1)}
    course.give([Act(seat, a.Wish(fate=True)) for seat in players])
    waiting: tuple[Moment, int] | None = None
    for _ in range(OPENING):
        decisions = RULESET.pending(course.state)
        if waiting is not None and not any(one.sealed for one in decisions):
            # What came of an act of one's turn is known once nobody answers it any more.
            moment, known = waiting
            moment.since = [event.seen_by(moment.decision.seat) for event in course.events[known:]]
            moment.after = RULESET.view(course.state, moment.decision.seat)
            yield moment
            waiting = None
        if not decisions:
            return
        before, known = course.state, len(course.events)
        acts = [Act(one.seat, players[one.seat].answer(before, one)) for one in decisions]
        course.give(acts)
        for decision, act in zip(decisions, acts, strict=True):
            if decision.sealed:
                yield Moment(before, decision, act.action)
            else:
                waiting = Moment(before, decision, act.action), known


def test_every_sealed_question_is_a_moment_and_no_other() -> None:
    for moment in moments():
        assert (moment.happening is not None) == moment.decision.sealed, moment.decision.key


def test_every_moment_that_may_be_named_comes_up_in_races() -> None:
    seen = Counter(moment.happening.occasion for moment in moments() if moment.happening is not None)
    view = moments()[0].view
    assert {one.key for one in RULESET.standing.occasions(view)} - set(seen) <= {"trade_offered"}


def test_what_a_moment_comes_with_can_be_named_in_its_orders() -> None:
    for moment in moments():
        if moment.happening is None:
            continue
        occasion = next(o for o in RULESET.standing.occasions(moment.view) if o.key == moment.happening.occasion)
        if occasion.having:
            assert set(moment.happening.having) <= set(occasion.having), moment.happening
            assert moment.happening.having
        assert occasion.by_car or not moment.happening.by or moment.happening.occasion not in ("passed", "attacked")
        assert moment.happening.by != moment.decision.seat


def test_every_answer_that_was_legal_could_have_been_ordered() -> None:
    for moment in moments():
        if moment.happening is None:
            continue
        occasion = next(o for o in RULESET.standing.occasions(moment.view) if o.key == moment.happening.occasion)
        can = {codec.dump(act) for act in (*occasion.answers, moment.decision.default)}
        for action in moment.decision.menu:
            if isinstance(action, a.Accept) and (moment.decision.key == "trade" or action.job):
                # A trade is for its owner to judge, and what a repair truck repairs: they are declined beforehand
                # and no more.
                continue
            if isinstance(action, a.Card) and len(moment.happening.having) > 1 and action.on:
                # Which of several cards Fate strikes is said by «with …».
                assert RULESET.standing.fit(a.Card(action.card), moment.happening, (action.on,)) == action
                continue
            bare = a.Card(action.card) if isinstance(action, a.Card) else action
            assert codec.dump(bare) in can, (moment.decision.key, action)
            assert RULESET.verify(moment.state, moment.decision.seat, bare) is None


def test_what_an_order_answers_is_always_legal() -> None:
    fired = 0
    for moment in moments():
        if moment.happening is None:
            continue
        occasion = next(o for o in RULESET.standing.occasions(moment.view) if o.key == moment.happening.occasion)
        order = StandingOrder(occasion.key, tuple(codec.to_json(act) for act in occasion.answers), "pass")

        def fit(action: Any, happening: Any = moment.happening) -> Any:
            return RULESET.standing.fit(action, happening, ())

        answer = standing.answer(RULESET, moment.state, moment.decision, order, fit)
        assert RULESET.verify(moment.state, moment.decision.seat, answer) is None
        fired += answer != moment.decision.default
    assert fired > 50


def test_every_order_is_said_and_read_again() -> None:
    view = moments()[0].view

    class Words:
        def say(self, action: Any) -> str:
            return RULESET.say(view, codec.action_from_json(RULESET.action_type, dict(action)))

        def read(self, text: str) -> Any:
            return codec.to_json(RULESET.read(view, text))

    occasions = RULESET.standing.occasions(view)
    for occasion in occasions:
        for having in [(), *((key,) for key in occasion.having)]:
            plays = tuple(codec.to_json(act) for act in occasion.answers[:8])
            order = StandingOrder(occasion.key, plays, "pass", having=having, leader=occasion.by_car)
            assert standing.read(standing.say(order, occasions, Words()), occasions, Words(), seats=2) == order
        for name in occasion.also:
            assert standing.read(f"when {name}: pass", occasions, Words(), seats=2).occasion == occasion.key


WANTS = (a.Start, a.Exit, a.AutoExit, a.Pass, a.GoOn, a.Stop, a.Repair)


def test_acts_that_need_no_window_went_well_or_not_as_the_table_shows() -> None:
    """Where an act was settled in its own entry, what the plan is told fits the car afterwards."""
    well, ill = Counter[str](), Counter[str]()
    for moment in moments():
        if not isinstance(moment.action, WANTS) or moment.decision.sealed:
            continue
        went = RULESET.planning.went_well(
            moment.action, seat=moment.decision.seat, view=moment.view, since=moment.since
        )
        kinds = {event["kind"] for event in moment.since}
        name = type(moment.action).__name__
        (well if went else ill)[name] += 1
        if isinstance(moment.action, a.Stop):
            assert went == ("stops" in kinds)
        if went and isinstance(moment.action, a.Exit | a.AutoExit):
            assert kinds & {"lays", "enters", "returns_to_road"}
            assert "exit_fails" not in kinds
        if isinstance(moment.action, a.Start) and "start_fails" in kinds:
            assert not went
    assert set(well) >= {"Start", "Exit", "Stop", "Pass"}
    assert ill["Exit"] > 0


def test_r12_1__in_a_team_orders_and_plans_speak_of_the_car_that_is_driven() -> None:
    asked, halted = Counter[int](), 0
    for moment in moments_of_teams():
        seat, view = moment.decision.seat, moment.view
        asked[seat] += 1
        assert moment.happening is None or moment.happening.by != view["viewer"]
        if moment.decision.sealed:
            continue
        own = moment.after["cars"][view["viewer"] - 1]
        told = {
            condition: RULESET.planning.came_true(condition, seat=seat, view=moment.after, since=moment.since)
            for condition in ("moving", "stopped", "leading", "started")
        }
        assert (told["moving"], told["stopped"]) == (own["moving"], not own["moving"])
        assert told["leading"] == (moment.after["leader"] == view["viewer"])
        starts = {event["seat"] for event in moment.since if event["kind"] == "starts"}
        assert told["started"] == (view["viewer"] in starts)
        if isinstance(moment.action, a.Stop):
            halted += RULESET.planning.went_well(moment.action, seat=seat, view=view, since=moment.since)
    assert set(asked) == set(range(1, 9))
    assert halted > 0


@pytest.mark.parametrize("condition", [one.key for one in RULESET.planning.conditions])
def test_every_condition_comes_true_and_fails(condition: str) -> None:
    told = {
        RULESET.planning.came_true(condition, seat=moment.decision.seat, view=moment.after, since=moment.since)
        for moment in moments()
        if not moment.decision.sealed
    }
    assert told == {True, False}


def test_fate_ordered_without_a_name_strikes_what_the_order_is_about() -> None:
    happening = standing.Happening("any_card", by=2, having=("move_4", "landmark"))
    assert RULESET.standing.fit(a.Card("fate"), happening, ("landmark",)) == a.Card("fate", "landmark")
    assert RULESET.standing.fit(a.Card("fate"), happening, ()) == a.Card("fate", "move_4")
    assert RULESET.standing.fit(a.Card("swerve"), happening, ()) == a.Card("swerve")


def test_only_what_any_driver_may_answer_needs_a_wish() -> None:
    view = moments()[0].view
    wished = {one.key for one in RULESET.standing.occasions(view) if RULESET.standing.wish(one.key) is not None}
    assert wished == {"any_card", "section_laid"}
