"""Standing orders and plans on the server, in RoadKill: through services and selectors alone."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from games.engine import record
from games.models import Entry, OutboxEvent, Plan, Race, Seat
from games.models import StandingOrder as StandingRow
from games.runtime.beforehand import LAST_WINDOWS
from games.runtime.present import seats_read
from games.runtime.replay import record_of_rows
from games.selectors.beforehand import beforehand_of, standing_tried
from games.services.errors import Malformed
from games.services.plans import plan_cancel, plan_save
from games.services.records import race_import
from games.services.seats import seat_replace
from games.services.standing import OrderUnknown, standing_clear, standing_move, standing_remove, standing_save
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import Game
from tests.games.test_roadkill import Clock, MakeRoad, acts_of, passing, road

__all__ = ["road"]
RECORDS = Path(__file__).parents[1] / "records" / "roadkill"


def order(game: Game, number: int, *texts: str) -> None:
    standing_save(race_id=game.pk, seat_id=game.seat(number).pk, texts=texts)


def plan(game: Game, number: int, *lines: str, key: str = "plan-1") -> dict[str, Any]:
    return plan_save(race_id=game.pk, seat_id=game.seat(number).pk, lines=lines, idempotency_key=key)


def told(game: Game, number: int) -> dict[str, Any]:
    return beforehand_of(race=game.race, seat=game.seat(number))


def close(game: Game, clock: Clock) -> None:
    """Let the open window close by its hold time."""
    clock.shift(timedelta(days=1))
    sweep()


class TestStandingOrders:
    def test_the_first_card_that_is_held_is_played_and_the_hold_time_stands(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["red_move_1", "machine_gun"])
        order(game, 1, "when passed: Smoke Screen, red 1, else pass")
        game.act(2, "pass 1 with Move 2")
        row = game.seat(1).decision
        assert (row.sealed_origin, row.sealed_action) == ("standing", {"do": "card", "card": "red_move_1"})
        assert game.present(None)["waiting"]["kind"] == "window"
        close(game, clock)
        assert acts_of(game, game.race.seq)[0] == (1, "card", "standing")

    def test_without_such_a_card_the_owner_is_asked_or_it_is_passed(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed: Smoke Screen")
        game.act(2, "pass 1 with Move 2")
        assert game.seat(1).decision.sealed_at is None
        other = passing(road, ["machine_gun"])
        order(other, 1, "when passed: Smoke Screen, else pass")
        other.act(2, "pass 1 with Move 2")
        assert other.seat(1).decision.sealed_action == {"do": "no_card"}

    def test_no_mail_goes_out_for_a_question_that_an_order_answers(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed: pass")
        before = OutboxEvent.objects.filter(seat=game.seat(1)).count()
        game.act(2, "pass 1 with Move 2")
        assert OutboxEvent.objects.filter(seat=game.seat(1)).count() == before

    def test_an_order_for_one_car_or_card_is_for_no_other(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed by car 3: pass", "when attacked with Ram: pass")
        game.act(2, "pass 1 with Move 2")
        assert game.seat(1).decision.sealed_at is None

    def test_the_newest_counts_first_and_takes_the_place_of_one_for_the_same_moment(
        self, road: MakeRoad, clock: Clock
    ) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed: pass", "when attacked: Swerve")
        order(game, 1, "When I am passed by car 2: Machine Gun")
        order(game, 1, "when passed: ask me")
        assert [one["words"] for one in told(game, 1)["orders"]] == [
            "when passed: ask me",
            "when passed by car 2: Machine Gun, else ask me",
            "when attacked: Swerve, else ask me",
        ]

    def test_it_may_be_replaced_by_hand_until_the_window_closes(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["red_move_1", "machine_gun"])
        order(game, 1, "when passed: red 1")
        game.act(2, "pass 1 with Move 2")
        game.act(1, "Machine Gun")
        close(game, clock)
        assert acts_of(game, game.race.seq)[0] == (1, "card", "player")

    def test_it_runs_out_on_its_day_or_with_the_turn(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed: pass, until 2026-06-02")
        clock.shift(timedelta(days=1, hours=13))
        game.act(2, "pass 1 with Move 2")
        assert game.seat(1).decision.sealed_at is None
        with pytest.raises(Malformed, match="has gone by"):
            order(game, 1, "when passed: pass, until 2026-06-01")
        with pytest.raises(Malformed, match="no day"):
            order(game, 1, "when passed: pass, until 2026-06-31")
        order(game, 1, "when passed: pass, this turn")
        assert told(game, 1)["orders"][0]["this_turn"]

    def test_an_order_about_any_card_carries_the_wish_to_be_asked(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["move_1"])
        order(game, 3, "when any card is played by car 2 with Move 2: Fate, else pass")
        game.act(2, "pass 1 with Move 2")
        assert game.present(3)["view"]["cars"][2]["wishes"] is True
        assert game.seat(3).decision.sealed_action == {"do": "card", "card": "fate"}
        close(game, clock)
        close(game, clock)
        assert any(line["kind"] == "negated" for line in game.present(None)["log"])

    def test_orders_are_taken_back(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed: pass", "when attacked: pass")
        first = told(game, 1)["orders"][0]["id"]
        standing_remove(race_id=game.pk, seat_id=game.seat(1).pk, order_id=first)
        with pytest.raises(OrderUnknown):
            standing_remove(race_id=game.pk, seat_id=game.seat(1).pk, order_id=first)
        assert not standing_clear(race_id=game.pk, seat_id=game.seat(1).pk)
        assert told(game, 1)["orders"] == []

    def test_orders_change_places_and_the_first_counts(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        order(game, 1, "when passed: pass")
        order(game, 1, "when attacked: pass")
        order(game, 1, "when passed by car 2: Machine Gun, else pass")
        seat_id = game.seat(1).pk

        def listed() -> list[str]:
            return [one["words"] for one in told(game, 1)["orders"]]

        def move(words: str, place: int) -> None:
            (order_id,) = (one["id"] for one in told(game, 1)["orders"] if one["words"] == words)
            standing_move(race_id=game.pk, seat_id=seat_id, order_id=order_id, place=place)

        by_car, attacked, passed = listed()
        move(passed, 2)
        assert listed() == [by_car, passed, attacked]
        move(by_car, 99)
        assert listed() == [passed, attacked, by_car]
        for place in (0, -1):
            with pytest.raises(Malformed, match="first place"):
                move(passed, place)
        with pytest.raises(OrderUnknown):
            standing_move(race_id=game.pk, seat_id=seat_id, order_id=0, place=1)
        assert listed() == [passed, attacked, by_car]
        game.act(2, "pass 1 with Move 2")
        assert game.seat(1).decision.sealed_action == {"do": "no_card"}

    def test_who_takes_the_last_order_with_a_wish_back_is_told_that_the_wish_stays(
        self, road: MakeRoad, clock: Clock
    ) -> None:
        game = passing(road, ["move_1"])
        seat_id = game.seat(3).pk
        order(game, 3, "when passed: pass", "when any card is played: Fate, else pass")
        order(game, 3, "when any card is played by car 2: Fate, else pass")
        ids = [one["id"] for one in told(game, 3)["orders"]]
        remove = [standing_remove(race_id=game.pk, seat_id=seat_id, order_id=one) for one in ids]
        assert sorted(remove) == [False, False, True]
        order(game, 3, "when any card is played: Fate, else pass")
        assert standing_clear(race_id=game.pk, seat_id=seat_id)
        order(game, 3, "when passed: pass")
        assert not standing_clear(race_id=game.pk, seat_id=seat_id)
        game.act(2, "pass 1 with Move 2")
        assert game.present(3)["view"]["cars"][2]["wishes"] is True

    def test_one_that_cannot_be_read_keeps_none(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        with pytest.raises(Malformed, match="no moment"):
            order(game, 1, "when passed: pass", "when eaten: pass")
        assert not StandingRow.objects.exists()

    def test_a_dry_run_tells_what_would_have_been_done(self, alice: User, clock: Clock) -> None:
        played = record.load((RECORDS / "exit_draw-drivers.json").read_bytes())
        race = race_import(record=played, by=alice, name="Seen before")
        asked = 0
        for seat in Seat.objects.filter(race=race):
            tried = standing_tried(race=race, seat=seat, texts=["when passed: pass", "when attacked: pass"])
            assert tried["words"] == ["when passed: pass", "when attacked: pass"]
            assert len(tried["windows"]) <= LAST_WINDOWS
            assert [w["entry"] for w in tried["windows"]] == sorted(
                (w["entry"] for w in tried["windows"]), reverse=True
            )
            for window in tried["windows"]:
                touches = "passes you" in window["text"] or "attacks you" in window["text"]
                assert not touches or window["would"] == "no card"
                asked += touches
            assert all(w["would"] is None for w in standing_tried(race=race, seat=seat, texts=[])["windows"])
        assert asked

    def test_nobody_else_learns_that_it_was_an_order(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["red_move_1"])
        order(game, 1, "when passed: red 1")
        game.act(2, "pass 1 with Move 2")
        close(game, clock)
        assert [one["origin"] for one in told(game, 1)["fired"]] == ["standing"]
        assert told(game, 2)["fired"] == []
        rows = list(Entry.objects.filter(race_id=game.pk).order_by("seq"))
        origins = {
            act.origin for entry in record_of_rows(game.race, seats_read(game.race), rows).entries for act in entry.acts
        }
        assert "player" in origins
        assert "standing" not in origins


class TestPlans:
    def test_a_plan_is_done_at_once_as_far_as_it_goes(self, road: MakeRoad, clock: Clock) -> None:
        game = road({1: ["move_1", "move_2"], 2: ["move_1"], 3: []})
        assert plan(game, 1, "start with Move 1", "end, draw 0") == {
            "plan": Plan.objects.get().pk,
            "state": "done",
            "done": 2,
            "why": "",
            "position": 2,
        }
        assert [acts_of(game, seq)[0][2] for seq in (1, 2)] == ["plan", "plan"]

    def test_the_same_key_again_does_nothing_again(self, road: MakeRoad, clock: Clock) -> None:
        game = road({1: ["move_1", "move_2"], 2: ["move_1"], 3: []})
        first = plan(game, 1, "start with Move 1")
        assert plan(game, 1, "end") == first
        assert game.race.seq == 1

    def test_it_waits_for_windows_and_branches_on_what_came_of_them(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        told_plan = plan(
            game, 2, "pass 1 with Move 2", "if negated: pass 1 with Move 2", "if passed: end, draw 0", "stop"
        )
        assert (told_plan["state"], told_plan["done"]) == ("waiting", 1)
        assert game.present(2)["question"] is None
        close(game, clock)
        kept = Plan.objects.get()
        assert (kept.state, kept.why[:30]) == ("stopped", "Your turn was over before all "[:30])
        entries = Entry.objects.filter(race_id=game.pk).order_by("seq")
        assert ("end", "plan") in [(act["action"]["do"], act["origin"]) for entry in entries for act in entry.acts]

    def test_after_a_failure_it_plays_nothing_else(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["red_move_1"])
        order(game, 1, "when passed: red 1")
        plan(game, 2, "pass 1 with Move 2", "end, draw 0")
        close(game, clock)
        kept = Plan.objects.get()
        passed = any(e["kind"] == "passes" for entry in Entry.objects.filter(race_id=game.pk) for e in entry.events)
        assert (kept.state == "stopped") == (not passed)
        if not passed:
            assert "did not get what it wanted" in kept.why
            assert game.question(2)["key"] == "act"

    def test_an_order_that_is_not_legal_stops_it_and_the_owner_is_asked(self, road: MakeRoad, clock: Clock) -> None:
        game = road({1: ["move_1"], 2: ["move_1"], 3: []})
        told_plan = plan(game, 1, "start with Move 1", "attack 2 with Ram", "end")
        assert (told_plan["state"], told_plan["done"]) == ("stopped", 1)
        assert "attack 2 with Ram" in told_plan["why"]
        assert game.question(1)["key"] == "act"

    def test_a_plan_for_the_next_turn_waits_for_it(self, road: MakeRoad, clock: Clock) -> None:
        game = road({1: ["move_1"], 2: ["move_1", "move_1"], 3: []})
        assert plan(game, 2, "start with Move 1", "end, draw 0")["state"] == "waiting"
        game.act(1, "end, draw 0")
        assert Plan.objects.get().state == "done"
        assert game.present(None)["waiting"]["seat"] == 3

    def test_a_plan_made_while_ones_act_is_answered_may_ask_how_it_went(self, road: MakeRoad, clock: Clock) -> None:
        game = passing(road, ["machine_gun"])
        game.act(2, "pass 1 with Move 2")
        assert plan(game, 2, "if passed: end, draw 0", "if not passed: end, draw 0")["state"] == "waiting"
        close(game, clock)
        assert Plan.objects.get().state == "done"

    def test_a_plan_is_cancelled_or_replaced(self, road: MakeRoad, clock: Clock) -> None:
        game = road({1: ["move_1"], 2: ["move_1", "move_1"], 3: []})
        plan(game, 2, "start with Move 1")
        plan(game, 2, "end", key="plan-2")
        assert plan_cancel(race_id=game.pk, seat_id=game.seat(2).pk)
        assert not plan_cancel(race_id=game.pk, seat_id=game.seat(2).pk)
        assert sorted(Plan.objects.values_list("state", flat=True)) == ["cancelled", "cancelled"]

    @pytest.mark.parametrize(
        ("lines", "match"),
        [
            ([], "at least one order"),
            (["if passed: end"], "cannot begin with"),
            (["end", "if eaten: end"], "no condition"),
            (["end"] * 31, "at most 30"),
            (["end", "if passed end"], "a colon"),
            (["fly to the moon"], "«fly to the moon».*no order"),
            (["end", "if passed: pass 99 with Move 9"], "no card|no car"),
            (["ask me about Fate"], "no order for a plan"),
        ],
    )
    def test_what_cannot_be_read_is_refused(self, road: MakeRoad, clock: Clock, lines: list[str], match: str) -> None:
        game = road({1: ["move_1"], 2: [], 3: []})
        with pytest.raises(Malformed, match=match):
            plan(game, 1, *lines)

    def test_a_seat_that_leaves_has_no_plan_any_more(self, road: MakeRoad, clock: Clock) -> None:
        game = road({1: ["move_1"], 2: ["move_1"], 3: []})
        plan(game, 2, "start with Move 1")
        game.act(2, "withdraw")
        game.act(1, "end, draw 0")
        assert Plan.objects.get().state == "cancelled"
        assert Seat.objects.get(race_id=game.pk, number=2).state == "resigned"


def test_who_takes_a_seat_over_neither_sees_nor_does_what_was_ordered(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["red_move_1"])
    order(game, 1, "when passed: red 1")
    plan(game, 1, "end")
    Seat.objects.filter(race_id=game.pk, number=1).update(offered_at=timezone.now())
    # Whoever was dealt car 1, somebody else is the host who gives it away.
    Race.objects.filter(pk=game.pk).update(host_id=game.seat(2).player_id)
    seat_replace(race_id=game.pk, by=game.race.host, seat_id=game.seat(1).pk, bot="random")
    assert not StandingRow.objects.exists()
    assert not Plan.objects.exists()
