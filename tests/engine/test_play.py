"""The driver: who may act, what a refusal leaves alone, windows of several seats, asides, and what goes in circles."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

from games.engine import codec
from games.engine import play as driver
from games.engine.chance import Draw, Recorded, Stream
from games.engine.contract import Act, Event, Transition
from games.engine.errors import Malformed, NotYourDecision, RaceOver, RecordBroken, RuleViolation
from games.engine.play import check, decision_of, outcome, play, run_on, start
from tests.engine.toys import dice, grid, signals
from tests.games import toy_ruleset as matches

UP, DOWN = signals.Sign(up=True), signals.Sign(up=False)


class Fixed:
    """Chance whose outcomes a test names ahead."""

    def __init__(self, *outcomes: int | tuple[int, ...]) -> None:
        self.outcomes = list(outcomes)
        self.taken: list[Draw] = []

    def pick(self, size: int, label: str, among: Sequence[int] = ()) -> int:
        result = self.outcomes.pop(0)
        assert isinstance(result, int)
        self.taken.append((label, size, result))
        return result

    def shuffled(self, size: int, label: str) -> tuple[int, ...]:
        result = self.outcomes.pop(0)
        assert isinstance(result, tuple)
        self.taken.append((label, size, result))
        return result


def on_the_grid() -> grid.Map:
    """Seat 1 at (0, 0), seat 2 at (0, 3), seat 3 at (2, 1)."""
    state = start(grid.RULESET, 3, {}, Fixed((0, 1, 2))).state
    assert isinstance(state, grid.Map)
    return state


def signalling() -> signals.Shown:
    state = start(signals.RULESET, 3, {}, Fixed()).state
    assert isinstance(state, signals.Shown)
    return state


def test_a_start_gives_the_draws_and_events_of_the_deal() -> None:
    order = tuple(range(12))
    played = start(dice.RULESET, 2, {}, Fixed(order))
    assert played.draws == (("deck", 12, order),)
    assert [event.kind for event in played.events] == ["dealt", "dealt"]
    assert played.state.hands == ((1,), (2,))


def test_options_that_a_game_does_not_have_start_nothing() -> None:
    with pytest.raises(Malformed, match="has no options"):
        start(dice.RULESET, 2, {"laps": 3}, Fixed())


@pytest.mark.parametrize("seats", [-1, 0, 1, 4, 10**9])
def test_a_number_of_seats_that_a_game_does_not_have_starts_nothing(seats: int) -> None:
    with pytest.raises(Malformed, match="Push your luck is for 2 to 3 drivers"):
        start(dice.RULESET, seats, {}, Fixed())


def test_who_is_not_asked_is_refused_and_draws_nothing() -> None:
    state, chance = on_the_grid(), Stream(b"x")
    for seat in (0, 2, 3, 4, -1):
        with pytest.raises(NotYourDecision, match="Nothing is asked of you now"):
            play(grid.RULESET, state, [Act(seat, grid.Wait())], chance)
    assert (chance.at, chance.taken) == (0, [])


@pytest.mark.parametrize(
    ("to", "rule"),
    [((-1, 0), "2.1"), ((0, -1), "2.1"), ((1, 1), "2.2"), ((0, 0), "2.2"), ((0, 2), "2.2")],
)
def test_what_a_rule_forbids_is_refused_with_its_number_and_changes_nothing(to: tuple[int, int], rule: str) -> None:
    state = on_the_grid()
    before = codec.digest(state)
    with pytest.raises(RuleViolation) as caught:
        play(grid.RULESET, state, [Act(1, grid.Drive(*to))], Fixed())
    assert caught.value.rule == rule
    assert str(caught.value).endswith(f"({rule})")
    assert codec.digest(state) == before
    assert grid.RULESET.waiting(state) == (1,)


def test_acts_together_count_all_or_none() -> None:
    """Two legal ones before an illegal one are taken back with it: the state the caller holds is as it was."""
    state = on_the_grid()
    acts = [Act(1, grid.Drive(1, 0)), Act(2, grid.Drive(1, 3)), Act(3, grid.Drive(1, 1))]
    with pytest.raises(RuleViolation) as caught:
        play(grid.RULESET, state, acts, Fixed())
    assert caught.value.rule == "2.3"
    assert state.cars == ((0, 0), (0, 3), (2, 1))
    assert play(grid.RULESET, state, acts[:2], Fixed()).state.cars == ((1, 0), (1, 3), (2, 1))


def test_a_later_act_is_judged_by_what_the_earlier_ones_made() -> None:
    """Where seat 1 stands after its act, seat 2 cannot drive, in the same entry."""
    state = grid.Map(((0, 0), (0, 2)))
    assert play(grid.RULESET, state, [Act(1, grid.Wait()), Act(2, grid.Drive(0, 1))], Fixed()).state.turn == 2
    with pytest.raises(RuleViolation, match="Another car stands there"):
        play(grid.RULESET, state, [Act(1, grid.Drive(0, 1)), Act(2, grid.Drive(0, 1))], Fixed())


def test_check_raises_what_play_would_and_plays_nothing() -> None:
    state = on_the_grid()
    check(grid.RULESET, state, 1, grid.Drive(1, 0))
    with pytest.raises(RuleViolation):
        check(grid.RULESET, state, 1, grid.Drive(2, 0))
    with pytest.raises(NotYourDecision):
        check(grid.RULESET, state, 2, grid.Wait())
    assert state == on_the_grid()


def test_after_the_end_nobody_acts_whoever_it_is() -> None:
    over = grid.Map((grid.FLAG, (0, 0)))
    for seat in (1, 2, 9):
        with pytest.raises(RaceOver, match="The race is over"):
            play(grid.RULESET, over, [Act(seat, grid.Wait())], Fixed())
    ended = outcome(grid.RULESET, over)
    assert ended is not None
    assert ended.places == ((1,), (2,))


def test_an_act_after_the_one_that_ended_the_race_is_refused_with_it() -> None:
    state = grid.Map(((4, 2), (0, 0)))
    with pytest.raises(RaceOver):
        play(grid.RULESET, state, [Act(1, grid.Drive(4, 3)), Act(2, grid.Wait())], Fixed())


def test_of_a_window_each_seat_answers_once() -> None:
    state = play(signals.RULESET, signalling(), [Act(2, UP)], Fixed()).state
    assert signals.RULESET.waiting(state) == (1, 3)
    with pytest.raises(NotYourDecision):
        play(signals.RULESET, state, [Act(2, DOWN)], Fixed())


def test_a_window_closes_with_its_last_answer_in_whatever_order_they_came() -> None:
    """One entry or three, any order: the same state and the same story."""
    ends = set()
    for order in permutations([Act(1, UP), Act(2, DOWN), Act(3, DOWN)]):
        together = play(signals.RULESET, signalling(), list(order), Fixed())
        state: Any = signalling()
        one_by_one: list[Event] = []
        for act in order:
            played = play(signals.RULESET, state, [act], Fixed())
            one_by_one.extend(played.events)
            state = played.state
        assert together.state == state
        assert together.events == tuple(one_by_one)
        assert together.events[-1].public == {"signs": {"1": True, "2": False, "3": False}, "odd": [1]}
        ends.add(codec.digest(state))
    assert len(ends) == 1


def test_while_a_window_is_open_its_answers_show_to_nobody_else() -> None:
    shown = [play(signals.RULESET, signalling(), [Act(2, sign)], Fixed()) for sign in (UP, DOWN)]
    for viewer in (None, 1, 3):
        views = [signals.RULESET.view(played.state, viewer) for played in shown]
        assert views[0] == views[1]
        seen = [[event.seen_by(viewer) for event in played.events] for played in shown]
        assert seen[0] == seen[1]
    assert [signals.RULESET.view(played.state, 2)["own"] for played in shown] == [True, False]


def test_an_aside_needs_no_question_and_closes_none() -> None:
    state = start(matches.RULESET, 3, matches.RULESET.options({}), Stream(b"x")).state
    asked = matches.RULESET.waiting(state)
    assert 3 not in asked
    played = play(matches.RULESET, state, [Act(3, matches.Wish(snuff=True))], Stream(b"x"))
    assert matches.RULESET.waiting(played.state) == asked
    assert played.state.drivers[2].wishes
    assert [event.public for event in played.events] == [{}], "nobody learns who wished what"


def test_an_aside_before_an_act_in_one_entry_holds_for_it() -> None:
    """A wish that travels in front of another's act is heard when the window of that act opens."""
    state = start(matches.RULESET, 3, matches.RULESET.options({}), Stream(b"x")).state
    strike = next(act for act in matches.RULESET.pending(state)[0].menu if act.target == 2)
    acts = [Act(3, matches.Wish(snuff=True)), Act(1, strike)]
    assert 3 in matches.RULESET.waiting(play(matches.RULESET, state, acts, Stream(b"x")).state)
    assert 3 not in matches.RULESET.waiting(play(matches.RULESET, state, acts[1:], Stream(b"x")).state)


def test_automatic_steps_are_run_up_to_the_next_question() -> None:
    """A 1 loses the turn without a word from anybody; its step's events follow the throw's."""
    state = start(dice.RULESET, 2, {}, Fixed(tuple(range(12)))).state
    played = play(dice.RULESET, state, [Act(1, dice.Throw())], Fixed(0))
    assert [event.kind for event in played.events] == ["thrown", "bust"]
    assert dice.RULESET.waiting(played.state) == (2,)


def test_a_state_set_up_by_hand_runs_on_to_its_question() -> None:
    state = start(dice.RULESET, 2, {}, Fixed(tuple(range(12)))).state
    bust = dice.Table(state.deck, state.hands, state.points, bust=True)
    assert dice.RULESET.waiting(bust) == ()
    played = run_on(dice.RULESET, bust, Fixed())
    assert (played.state.seat, [event.kind for event in played.events]) == (2, ["bust"])


def test_a_game_in_a_circle_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(dice.Dice):
        steps = 0

        def advance(self, state: dice.Table, chance: Any) -> Transition[dice.Table]:
            self.steps += 1
            return Transition(state, ())

    monkeypatch.setattr(driver, "LONGEST_RUN", 500)
    ruleset = Endless()
    state = start(ruleset, 2, {}, Fixed(tuple(range(12)))).state
    with pytest.raises(AssertionError, match="dice took 500 automatic steps without asking anybody"):
        play(ruleset, state, [Act(1, dice.Throw())], Fixed(0))
    assert ruleset.steps == 500


def test_draws_come_in_the_order_of_the_acts() -> None:
    state = start(dice.RULESET, 2, {}, Fixed(tuple(range(12)))).state
    acts = [Act(1, dice.Throw()), Act(1, dice.Throw()), Act(1, dice.Bank()), Act(2, dice.Throw(stake=2))]
    played = play(dice.RULESET, state, acts, Fixed(2, 4, 5))
    assert played.draws == (("die", 6, 2), ("die", 6, 4), ("die", 6, 5))
    assert (played.state.points, played.state.heap) == ((8, 0), 8)


def test_a_replay_needs_the_very_draws() -> None:
    state = start(dice.RULESET, 2, {}, Fixed(tuple(range(12)))).state
    acts = [Act(1, dice.Throw()), Act(1, dice.Throw())]
    played = play(dice.RULESET, state, acts, Fixed(2, 4))
    assert play(dice.RULESET, state, acts, Recorded(played.draws)) == played
    with pytest.raises(RecordBroken, match="the record has no more"):
        play(dice.RULESET, state, acts, Recorded(played.draws[:1]))


def test_the_question_of_a_seat_is_found_or_there_is_none() -> None:
    state = signalling()
    found = decision_of(signals.RULESET, state, 3)
    assert found is not None
    assert (found.seat, found.key, found.is_real) == (3, "sign", True)
    assert decision_of(signals.RULESET, play(signals.RULESET, state, [Act(3, UP)], Fixed()).state, 3) is None
