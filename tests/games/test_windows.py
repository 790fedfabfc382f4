"""Windows: what is sealed, what is seen, and when they close by each policy.

The clock stands still unless a test moves it.
"""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
import time_machine

from games.models import Decision, Entry, FollowUp, OutboxEvent, Seat
from games.services.errors import Malformed, NotYourDecision, RuleViolation
from games.services.sweep import sweep
from games.services.windows import window_close_due
from games.tempo.holds import hold_seconds
from tests.games.conftest import NOON, Game, MakeGame
from tests.games.toy_ruleset import RULESET

GUARDED = {1: (3, 4), 2: (0, 0, 2), 3: (5, 9)}
"""Car 2 holds guards, car 3 a snuffer."""
BARE = {1: (3, 4), 2: (2, 2, 2), 3: (5, 1)}
"""Nobody holds anything that answers."""
REACTION = timedelta(hours=24)
Clock = time_machine.Traveller


def struck(toy_game: MakeGame, hands: dict[int, tuple[int, ...]], **settings: Any) -> Game:
    """A race in which car 1 has just struck car 2 with match 3."""
    game = toy_game(hands=hands, **settings)
    game.act(1, "strike 2 with 3")
    return game


def hold_of(game: Game, number: int) -> timedelta:
    """The hold time of a car in turn 0."""
    seconds = hold_seconds(secret=bytes(game.race.secret), seat=number, turn=0, reaction_seconds=24 * 3600)
    return timedelta(seconds=seconds)


def kinds(game: Game, number: int | None = None) -> list[str]:
    """The kinds of the log's lines."""
    return [line["kind"] for line in game.present(number)["log"]]


def test_an_announcement_opens_a_window_for_whoever_is_struck(toy_game: MakeGame, clock: Clock) -> None:
    game = struck(toy_game, GUARDED)
    row = Decision.objects.get(race_id=game.pk)
    assert row.seat.number == 2
    assert (row.window, row.position, row.due_at) == (1, 1, NOON + REACTION)
    assert game.present(3)["question"] is None
    assert game.present(None)["waiting"] == {"kind": "window", "closes_by": "2026-06-02T12:00:00Z"}


def test_a_sealed_answer_is_seen_by_its_owner_alone(toy_game: MakeGame, clock: Clock) -> None:
    game = struck(toy_game, GUARDED)
    before = {number: game.present(number) for number in (1, 3, None)}
    clock.shift(60)
    receipt = game.act(2, "guard")
    assert receipt["status"] == "sealed"
    assert receipt["entry"] is None
    assert receipt["closes_by"] == "2026-06-02T12:00:00Z"
    assert {number: game.present(number) for number in (1, 3, None)} == before
    assert game.question(2)["sealed"]["words"] == "guard"


def test_a_sealed_answer_of_a_driver_who_had_gone_shows_nothing(toy_game: MakeGame, clock: Clock) -> None:
    game = struck(toy_game, GUARDED)
    Seat.objects.filter(race_id=game.pk, number=2).update(lapses=2, lapsed_turn=0, offered_at=NOON)
    before = game.present(None)
    assert before["seats"][1]["gone"]
    game.act(2, "guard")
    assert game.present(None) == before


def test_a_sealed_answer_may_be_replaced_until_the_window_closes(toy_game: MakeGame, clock: Clock) -> None:
    game = struck(toy_game, GUARDED, policy="strict")
    game.act(2, "guard")
    game.act(2, "nothing")
    clock.shift(REACTION)
    sweep()
    assert [act["action"]["do"] for act in Entry.objects.get(race_id=game.pk, seq=2).acts] == ["nothing"]
    with pytest.raises(NotYourDecision):
        game.act(3, "rest")


def test_a_refused_replacement_leaves_the_sealed_answer(toy_game: MakeGame, clock: Clock) -> None:
    game = struck(toy_game, GUARDED)
    game.act(2, "guard")
    with pytest.raises(RuleViolation):
        game.act(2, "firm")
    assert game.question(2)["sealed"]["words"] == "guard"


def test_all_answers_of_a_window_stand_in_one_entry_in_the_order_of_the_rules(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=GUARDED, policy="open")
    game.act(3, "ask me about snuffing")
    game.act(1, "strike 2 with 3")
    game.act(3, "snuff")
    assert game.race.seq == 1
    game.act(2, "guard")
    entry = Entry.objects.get(race_id=game.pk, seq=2)
    assert [(act["seat"], act["action"]["do"]) for act in entry.acts] == [(2, "guard"), (3, "snuff")]
    assert kinds(game)[-2:] == ["answers", "answers"]


class TestOpen:
    def test_whoever_has_no_choice_is_passed_and_not_told(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands=BARE, policy="open")
        OutboxEvent.objects.all().delete()
        game.act(1, "strike 2 with 4")
        entry = Entry.objects.get(race_id=game.pk, seq=2)
        assert entry.acts == [{"seat": 2, "action": {"do": "nothing"}, "origin": "rule"}]
        assert not OutboxEvent.objects.filter(kind="question", seat__number=2, seq=1).exists()

    def test_it_closes_with_the_last_answer(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, GUARDED, policy="open")
        assert game.act(2, "guard")["status"] == "applied"
        assert game.present(None)["waiting"]["kind"] == "turn"

    def test_a_missing_answer_lapses_at_the_deadline(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, GUARDED, policy="open")
        clock.shift(REACTION - timedelta(seconds=1))
        assert sweep().closed == 0
        clock.shift(1)
        report = sweep()
        assert (report.closed, report.lapsed) == (1, 1)
        assert Entry.objects.get(race_id=game.pk, seq=2).acts[0]["origin"] == "deadline"


class TestPaced:
    def test_an_early_answer_waits_for_the_hold_time(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, GUARDED)
        hold = hold_of(game, 2)
        clock.shift(1)
        game.act(2, "guard")
        clock.move_to(NOON + hold - timedelta(seconds=1))
        assert sweep().closed == 0
        clock.move_to(NOON + hold)
        assert window_close_due(now=NOON + hold) == 1
        assert kinds(game)[-1] == "answers"
        assert Entry.objects.get(race_id=game.pk, seq=2).created_at == NOON + hold

    def test_a_late_answer_closes_it_at_once(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, GUARDED)
        clock.shift(hold_of(game, 2) + timedelta(minutes=1))
        assert sweep().closed == 0
        assert game.act(2, "guard")["status"] == "applied"

    def test_whoever_has_no_choice_waits_the_hold_time_too(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, BARE)
        assert game.question(2)["sealed"] == {
            "words": "nothing",
            "action": {"do": "nothing"},
            "origin": "rule",
            "at": "2026-06-01T12:00:00Z",
        }
        clock.move_to(NOON + hold_of(game, 2) - timedelta(seconds=1))
        assert sweep().closed == 0
        clock.shift(1)
        assert sweep().closed == 1
        assert Entry.objects.get(race_id=game.pk, seq=2).acts[0]["origin"] == "rule"

    @pytest.mark.parametrize("hands", [GUARDED, BARE], ids=["guarded", "bare"])
    def test_a_slow_bot_takes_its_time_whatever_it_holds(
        self, toy_game: MakeGame, clock: Clock, hands: dict[int, tuple[int, ...]]
    ) -> None:
        """A window that stood for a bot's whole delay only when it had a choice would show the bot's hand."""
        game = toy_game(hands=hands)
        delay = hold_of(game, 2) + timedelta(hours=1)
        Seat.objects.filter(race_id=game.pk, number=2).update(
            player=None, bot="driver", name="Axle", bot_delay_s=round(delay.total_seconds())
        )
        game.act(1, "strike 2 with 3")
        clock.move_to(NOON + delay - timedelta(seconds=1))
        assert sweep().closed == 0
        assert game.present(None)["waiting"]["kind"] == "window"
        clock.shift(1)
        sweep()
        assert Entry.objects.get(race_id=game.pk, seq=2).created_at == NOON + delay

    def test_the_question_is_told_whether_there_is_a_choice_or_not(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, BARE)
        assert OutboxEvent.objects.filter(kind="question", race_id=game.pk, seat__number=2).count() == 1

    def test_a_missing_answer_lapses_at_the_deadline_and_not_at_the_hold_time(
        self, toy_game: MakeGame, clock: Clock
    ) -> None:
        game = struck(toy_game, GUARDED)
        clock.move_to(NOON + REACTION - timedelta(seconds=1))
        assert sweep().closed == 0
        clock.shift(1)
        assert sweep().lapsed == 1
        assert Entry.objects.get(race_id=game.pk, seq=2).acts[0]["origin"] == "deadline"

    def test_a_wish_without_a_card_is_asked_like_one_with_it(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands=BARE)
        game.act(3, "ask me about snuffing")
        game.act(1, "strike 2 with 3")
        question = game.question(3)
        assert [answer["words"] for answer in question["answers"]] == ["nothing"]
        assert question["sealed"] is None

    def test_who_is_only_asked_by_wish_has_no_hold_time(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (3,), 2: (), 3: (9,)})
        game.act(3, "ask me about snuffing")
        game.act(1, "strike 2 with 3")
        clock.shift(1)
        assert game.act(3, "nothing")["status"] == "applied"

    def test_a_card_that_nobody_can_answer_goes_through_at_once(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (3,), 2: (), 3: (9,)})
        game.act(1, "strike 2 with 3")
        assert game.present(None)["waiting"]["kind"] == "turn"

    def test_the_length_is_the_same_for_each_window_of_a_turn(self, toy_game: MakeGame, clock: Clock) -> None:
        # Match 6 always hits, so a second window asks whether car 2 stands firm.
        game = toy_game(hands={1: (6,), 2: (0, 2), 3: (5,)})
        game.act(1, "strike 2 with 6")
        game.act(2, "nothing")
        hold = hold_of(game, 2)
        clock.move_to(NOON + hold)
        sweep()
        row = Decision.objects.get(race_id=game.pk)
        assert (row.key, row.hold_until) == ("flinch", NOON + 2 * hold)

    def test_its_latest_end_says_nothing_about_hold_times(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, GUARDED)
        before = game.present(None)["waiting"]
        game.act(2, "guard")
        clock.move_to(NOON + hold_of(game, 2) - timedelta(seconds=1))
        assert game.present(None)["waiting"] == before


class TestStrict:
    @pytest.mark.parametrize("hands", [GUARDED, BARE])
    def test_it_closes_at_its_deadline_and_never_before(
        self, toy_game: MakeGame, clock: Clock, hands: dict[int, tuple[int, ...]]
    ) -> None:
        game = struck(toy_game, hands, policy="strict")
        if hands is GUARDED:
            game.act(2, "guard")
        clock.move_to(NOON + REACTION - timedelta(seconds=1))
        assert sweep().closed == 0
        assert game.race.seq == 1
        clock.shift(1)
        assert sweep().closed == 1
        assert game.race.seq == 2

    def test_a_card_that_nobody_is_asked_about_goes_through_at_once(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (3,), 2: (), 3: (9,)}, policy="strict")
        game.act(1, "strike 2 with 3")
        assert game.present(None)["waiting"]["kind"] == "turn"


class TestFollowUps:
    """Match 6 always hits, so an unguarded strike with it always asks whether car 2 stands firm."""

    def hit(self, toy_game: MakeGame, clock: Clock, value: str | None, **settings: Any) -> Game:
        game = toy_game(hands={1: (6,), 2: (0, 2), 3: (5,)}, **settings)
        game.act(1, "strike 2 with 6")
        game.act(2, "nothing", follow_ups=None if value is None else {"flinch": value})
        return game

    def test_a_question_offers_what_may_follow(self, toy_game: MakeGame, clock: Clock) -> None:
        game = struck(toy_game, GUARDED)
        assert game.question(2)["follow"] == [
            {
                "trigger": "flinch",
                "label": "If you are hit",
                "answers": [
                    {"value": "ask", "words": "ask me"},
                    {"value": "nothing", "words": "nothing"},
                    {"value": "firm", "words": "firm"},
                ],
                "chosen": "ask",
            }
        ]

    def test_an_answer_given_beforehand_settles_the_exchange(self, toy_game: MakeGame, clock: Clock) -> None:
        game = self.hit(toy_game, clock, "firm", policy="open")
        entry = Entry.objects.get(race_id=game.pk, seq=3)
        assert entry.acts == [{"seat": 2, "action": {"do": "firm"}, "origin": "order"}]
        assert kinds(game)[-1] == "firm"

    def test_without_one_the_question_is_put(self, toy_game: MakeGame, clock: Clock) -> None:
        game = self.hit(toy_game, clock, None, policy="open")
        assert game.question(2)["key"] == "flinch"

    def test_ask_me_takes_an_earlier_choice_back(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (6,), 2: (0, 2), 3: (5,)}, policy="strict")
        game.act(1, "strike 2 with 6")
        game.act(2, "nothing", follow_ups={"flinch": "firm"})
        assert game.question(2)["follow"][0]["chosen"] == "firm"
        game.act(2, "nothing", follow_ups={"flinch": "ask"})
        assert game.question(2)["follow"][0]["chosen"] == "ask"
        assert not FollowUp.objects.exists()

    def test_the_hold_time_stands(self, toy_game: MakeGame, clock: Clock) -> None:
        game = self.hit(toy_game, clock, "firm")
        clock.move_to(NOON + hold_of(game, 2))
        sweep()
        assert game.question(2)["key"] == "flinch"
        assert game.question(2)["sealed"]["origin"] == "order"
        clock.move_to(NOON + 2 * hold_of(game, 2) - timedelta(seconds=1))
        assert sweep().closed == 0
        clock.shift(1)
        assert sweep().closed == 1

    def test_what_cannot_be_played_any_more_is_asked(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (6,), 2: (0, 2), 3: (5,)}, policy="strict")
        game.act(1, "strike 2 with 6")
        game.act(2, "nothing", follow_ups={"flinch": "firm"})
        game.edit(_without_guards)
        clock.shift(REACTION)
        sweep()
        assert game.question(2)["key"] == "flinch"
        assert game.question(2)["sealed"]["origin"] == "rule"

    def test_it_holds_for_its_turn_only(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (1, 6), 2: (0, 2), 3: (5,)}, policy="open")
        game.act(1, "strike 2 with 1")
        game.act(2, "guard", follow_ups={"flinch": "nothing"})
        game.act(2, "rest")
        game.act(3, "rest")
        game.edit(_with_guard)
        game.act(1, "strike 2 with 6")
        game.act(2, "nothing")
        assert game.question(2)["key"] == "flinch"
        assert game.question(2)["sealed"] is None

    def test_what_was_said_for_turns_gone_by_is_thrown_away(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (1, 2), 2: (0, 0, 2), 3: (5,)}, policy="open")
        game.act(1, "strike 2 with 1")
        game.act(2, "guard", follow_ups={"flinch": "nothing"})
        game.act(2, "rest")
        game.act(3, "rest")
        game.act(1, "strike 2 with 2")
        game.act(2, "guard", follow_ups={"flinch": "firm"})
        assert [(one.turn, one.action["do"]) for one in FollowUp.objects.all()] == [(3, "firm")]

    @pytest.mark.parametrize("given", [{"flinch": "dance"}, {"dance": "firm"}])
    def test_what_is_not_offered_is_refused_and_nothing_is_sealed(
        self, toy_game: MakeGame, clock: Clock, given: dict[str, str]
    ) -> None:
        game = struck(toy_game, GUARDED)
        with pytest.raises(Malformed):
            game.act(2, "nothing", follow_ups=given)
        assert game.question(2)["sealed"] is None


def _without_guards(state: Any) -> Any:
    drivers = list(state.drivers)
    drivers[1] = msgspec.structs.replace(drivers[1], hand=(2,))
    return msgspec.structs.replace(state, drivers=tuple(drivers))


def _with_guard(state: Any) -> Any:
    drivers = list(state.drivers)
    drivers[1] = msgspec.structs.replace(drivers[1], hand=(0, 2))
    return msgspec.structs.replace(state, drivers=tuple(drivers))


def test_a_wish_makes_no_entry_and_stands_in_the_next(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=GUARDED, policy="strict")
    before = game.present(1)
    receipt = game.act(3, "ask me about snuffing")
    assert (receipt["status"], receipt["entry"]) == ("noted", None)
    assert game.present(1) == before
    assert game.present(3)["view"]["cars"][2]["wishes"] is True
    game.act(1, "strike 2 with 3")
    assert [(act["seat"], act["action"]["do"]) for act in Entry.objects.get(race_id=game.pk, seq=1).acts] == [
        (3, "wish"),
        (1, "strike"),
    ]
    assert game.question(3)["key"] == "answer"
    assert game.seat(3).asides == []


def test_the_last_wish_counts(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=GUARDED)
    game.act(3, "ask me about snuffing")
    game.act(3, "do not ask me about snuffing")
    assert game.seat(3).asides == [{"do": "wish", "snuff": False}]


def test_answers_that_hide_nothing_close_a_window_at_once(
    toy_game: MakeGame, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RULESET, "answers_conceal", False, raising=False)
    game = struck(toy_game, GUARDED, policy="strict")
    assert game.act(2, "guard")["status"] == "applied"


def test_decision_ids_cannot_be_counted(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    ids = []
    for number in (1, 2, 3, 1, 2):
        ids.append(game.question(number)["decision"])
        game.act(number, "rest")
    steps = {later - earlier for earlier, later in pairwise(ids)}
    assert len(set(ids)) == 5
    assert all(abs(step) > 1000 for step in steps)
    assert all(0 < one < 2**53 for one in ids)


def test_a_question_outside_a_window_on_the_clock_of_reactions_takes_effect_at_once(
    toy_game: MakeGame, clock: Clock
) -> None:
    game = toy_game(hands={1: (1,), 2: (1,), 3: (1,)}, policy="strict")
    for number in (1, 2, 3, 1, 2):
        game.act(number, "rest")
    question = game.question(2)
    assert (question["key"], question["due_at"]) == ("gift", "2026-06-02T12:00:00Z")
    assert game.act(2, "take")["status"] == "applied"
