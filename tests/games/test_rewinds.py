"""A race that goes back by everybody's consent: who is asked, what comes of it, and where it cannot go."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from games.engine.record import verify
from games.models import Decision, Entry, FollowUp, Lapse, OutboxEvent, Plan, Race, RewindAsk, Seat, Snapshot
from games.models import StandingOrder as StandingRow
from games.runtime.rulesets import RULESETS
from games.selectors.log import log_of
from games.selectors.records import record_of, replay_fault, replay_step
from games.selectors.rewinds import rewind_of
from games.services.errors import (
    FieldRefused,
    KeyMissing,
    NotHost,
    NotYourDecision,
    NotYourSeat,
    NoWayBack,
    RaceNotRunning,
    RaceOver,
    StaleAnswer,
)
from games.services.plans import plan_save
from games.services.races import race_create, race_join, race_start, seat_add_bot
from games.services.rewinds import rewind_agree, rewind_ask, rewind_drop, rewind_think_again
from games.services.seats import seat_replace, seat_resign
from games.services.standing import standing_save
from games.services.sweep import sweep
from games.services.undo import act_undo
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, person
from tests.games.lanterns import RULESET as LANTERNS

Clock = time_machine.Traveller


@pytest.fixture(autouse=True)
def lanterns() -> Iterator[None]:
    """Lanterns is a ruleset like any other, for the length of a test."""
    RULESETS["lanterns"] = LANTERNS
    yield
    del RULESETS["lanterns"]


@pytest.fixture
def game(clock: Clock, alice: User, bob: User, charlie: User) -> Game:
    """Lanterns under way, hosted by Alice."""
    return started(alice, bob, charlie)


def started(*people: User, bots: int = 0) -> Game:
    race = race_create(
        by=people[0],
        name="Long Night",
        ruleset="lanterns",
        seats=len(people) + bots,
        tempo="daily",
        is_public=True,
        starts_when_full=False,
    )
    for one in people[1:]:
        race_join(race_id=race.pk, by=one)
    for _ in range(bots):
        seat_add_bot(race_id=race.pk, by=people[0], bot="random", delay_minutes=60)
    race_start(race_id=race.pk, by=people[0])
    return Game(race)


def ask(game: Game, to: int, **more: Any) -> RewindAsk:
    given = {"key": f"ask-{game.race.seq}", "by": game.race.host, **more}
    return rewind_ask(race_id=game.pk, to_seq=to, **given)


def agree(game: Game, wanted: RewindAsk, *people: User) -> RewindAsk:
    for one in people:
        wanted = rewind_agree(race_id=game.pk, by=one, ask_id=wanted.pk)
    return wanted


def everybody(game: Game) -> list[User]:
    return [seat.player for seat in Seat.objects.filter(race_id=game.pk).select_related("player") if seat.player]


def go_back(game: Game, to: int) -> RewindAsk:
    return agree(game, ask(game, to), *everybody(game))


def state(game: Game) -> bytes:
    return bytes(Snapshot.objects.get(race_id=game.pk).state)


def told(game: Game) -> list[str]:
    return [line["text"] for line in log_of(race=game.race, viewer=None)]


def waits(game: Game, user: User | None) -> dict[str, Any]:
    found = rewind_of(race=game.race, user=user)
    assert found is not None
    return found


# --- By consent -------------------------------------------------------------------------


def test_all_who_drive_must_agree_and_then_the_race_is_back(game: Game, alice: User, bob: User, charlie: User) -> None:
    game.act(1, "light 1")
    at_one = state(game)
    game.act(1, "peek")
    game.act(1, "end")
    wanted = ask(game, 1, reason="  Wrong   lantern, sorry! ")
    assert (wanted.agreed, wanted.done_at) == ([Seat.objects.get(race_id=game.pk, player=alice).pk], None)
    assert waits(game, bob) | {"asked_at": ""} == {
        "id": wanted.pk,
        "to": 1,
        "drops": 2,
        "reason": "Wrong lantern, sorry!",
        "asked_at": "",
        "agreed": ["Alice"],
        "missing": [seat.shown_name for seat in map(game.seat, (1, 2, 3)) if seat.player_id != alice.pk],
        "why_not": "",
        "may_agree": True,
        "may_think_again": False,
        "is_host": False,
    }
    agree(game, wanted, bob, bob)
    assert game.race.seq == 3
    wanted = agree(game, wanted, charlie)
    assert (wanted.done_seq, game.race.seq, state(game)) == (4, 4, at_one)
    entry = Entry.objects.get(race_id=game.pk, seq=4)
    assert (entry.acts, entry.draws, entry.back, entry.by) == ([], [], 1, [1, 2, 3])
    assert told(game)[-2:] == ["The host asks everybody to go back to entry 1.", "All agreed to go back to entry 1."]
    assert rewind_of(race=game.race, user=bob) is None
    assert game.question(1)["position"] == 4
    assert replay_fault(race=game.race) == ""
    assert agree(game, wanted, bob).done_seq == 4, "agreeing once more changes nothing"
    assert game.race.seq == 4


def test_the_race_goes_on_meanwhile_and_the_request_says_how_much_it_would_drop(game: Game, bob: User) -> None:
    game.act(1, "light 1")
    wanted = ask(game, 0)
    game.act(1, "light 2")
    game.act(1, "end")
    assert waits(game, bob)["drops"] == 3
    assert agree(game, wanted, *everybody(game)).done_seq == 4


def test_whoever_has_agreed_may_think_again_until_the_last_has(game: Game, alice: User, bob: User) -> None:
    game.act(1, "light 1")
    wanted = ask(game, 0)
    agree(game, wanted, bob)
    assert waits(game, bob)["may_think_again"]
    rewind_think_again(race_id=game.pk, by=bob, ask_id=wanted.pk)
    rewind_think_again(race_id=game.pk, by=bob, ask_id=wanted.pk)
    rewind_think_again(race_id=game.pk, by=alice, ask_id=wanted.pk)
    assert waits(game, bob)["agreed"] == []
    wanted = agree(game, wanted, *everybody(game))
    assert wanted.done_at is not None
    with pytest.raises(NotYourDecision, match="has gone back already"):
        rewind_think_again(race_id=game.pk, by=bob, ask_id=wanted.pk)


def test_bots_agree_to_everything(clock: Clock, alice: User) -> None:
    game = started(alice, bots=2)
    for _ in range(50):
        if Decision.objects.filter(race_id=game.pk, seat__player=alice, key="act").exists():
            break
        if Decision.objects.filter(race_id=game.pk, seat__player=alice, key="nod").exists():
            game.act(Seat.objects.get(race_id=game.pk, player=alice).number or 0, "nod")
        clock.shift(timedelta(hours=1))
        sweep()
    number = Seat.objects.get(race_id=game.pk, player=alice).number
    assert number is not None
    at = game.race.seq
    game.act(number, "light 1")
    wanted = ask(game, at)
    assert wanted.done_at is not None, "nobody else has to be asked"
    assert Entry.objects.get(race_id=game.pk, seq=game.race.seq).by == [1, 2, 3]
    assert not OutboxEvent.objects.filter(kind="rewind_ask").exists()
    assert replay_fault(race=game.race) == ""


def test_the_host_need_not_drive(game: Game, alice: User, bob: User) -> None:
    dora = person("Dora")
    Race.objects.filter(pk=game.pk).update(host=dora)
    game.act(1, "light 1")
    wanted = ask(game, 0)
    assert wanted.agreed == []
    with pytest.raises(NotYourSeat):
        agree(game, wanted, dora)
    assert agree(game, wanted, *everybody(game)).done_seq == 2


# --- What comes of it -------------------------------------------------------------------


def test_what_lies_sealed_is_dropped_and_nothing_tells_whether_anything_did(game: Game, bob: User) -> None:
    game.act(2, "ask me")
    game.act(3, "ask me")
    game.act(1, "light 1")
    game.act(1, "call")
    wanted = ask(game, 1)
    before = waits(game, bob)
    game.act(2, "end")
    assert waits(game, bob) == before
    assert Decision.objects.filter(sealed_at__isnull=False).count() == 1
    agree(game, wanted, *everybody(game))
    assert not Decision.objects.filter(window__isnull=False).exists()
    assert game.question(1)["key"] == "act"
    assert replay_fault(race=game.race) == ""


def test_a_window_that_the_race_comes_back_to_is_opened_anew(game: Game) -> None:
    game.act(2, "ask me")
    game.act(3, "ask me")
    game.act(1, "call")
    window = game.race.seq
    first = {row.pk for row in Decision.objects.filter(race_id=game.pk)}
    game.act(2, "show")
    game.act(3, "end")
    assert game.question(1)["key"] == "act"
    go_back(game, window)
    rows = Decision.objects.filter(race_id=game.pk)
    assert [(row.seat.number, row.window, row.sealed_at) for row in rows.order_by("seat__number")] == [
        (2, game.race.seq, None),
        (3, game.race.seq, None),
    ]
    assert not first & {row.pk for row in rows}
    with pytest.raises(StaleAnswer):
        game.act(2, "end", expected_seq=window)
    game.act(2, "end")
    game.act(3, "end")
    assert game.question(1)["key"] == "act"
    assert replay_fault(race=game.race) == ""


def test_what_was_drawn_is_drawn_afresh(game: Game) -> None:
    """The same draw from the same pile, again and again: it does not give the same card each time."""
    drawn = []
    for _ in range(8):
        game.act(1, "peek")
        (draw,) = Entry.objects.filter(race_id=game.pk).order_by("-seq")[0].draws
        drawn.append(draw[2])
        go_back(game, 0)
    assert len(set(drawn)) > 1
    assert replay_fault(race=game.race) == ""


def test_a_race_that_went_back_across_turns_proves_itself(game: Game) -> None:
    for _ in range(3):
        number = game.present(None)["waiting"]["seat"]
        game.act(number, "peek")
        game.act(number, "end")
    go_back(game, 1)
    assert game.present(None)["view"]["turn"] == 1
    step = replay_step(race=game.race, entry=7, viewer=None)
    game.act(1, "light 1")
    assert [turn["turn"] for turn in replay_step(race=game.race, entry=8, viewer=None)["turns"]] == [1, 2, 3, 1]
    assert step["view"]["turn"] == 1
    while game.race.status == "running":
        game.act(game.present(None)["waiting"]["seat"], "end")
    assert verify({"lanterns": LANTERNS}, record_of(race=game.race)).reason == "dawn"


def test_nothing_is_taken_back_behind_it(game: Game, alice: User) -> None:
    """Everybody has learned something since, so that only what is played from now on may be taken back."""
    game.act(1, "light 1")
    game.act(1, "light 2")
    go_back(game, 1)
    assert game.present(1)["undo"] is None
    with pytest.raises(NoWayBack):
        act_undo(race_id=game.pk, seat_id=game.seat(1).pk, expected_seq=game.race.seq, idempotency_key="k")
    game.act(1, "light 3")
    assert game.present(1)["undo"] == {"to": 3, "words": "light 3"}
    act_undo(race_id=game.pk, seat_id=game.seat(1).pk, expected_seq=game.race.seq, idempotency_key="l")
    assert game.present(1)["undo"] is None
    assert replay_fault(race=game.race) == ""


def test_it_may_go_back_to_what_it_had_left_behind(game: Game) -> None:
    """Nothing is deleted, so the branch that was left is still there to come back to."""
    game.act(1, "light 1")
    at = state(game)
    go_back(game, 0)
    game.act(1, "light 2")
    go_back(game, 1)
    assert state(game) == at
    assert replay_fault(race=game.race) == ""


def test_plans_and_orders_for_a_turn_are_dropped_and_standing_orders_stay(game: Game) -> None:
    game.act(1, "light 1")
    plan_save(race_id=game.pk, seat_id=game.seat(2).pk, lines=["light 1", "end"], idempotency_key="p")
    FollowUp.objects.create(seat=game.seat(3), turn=1, trigger="any", action={"do": "end"})
    keeps = {"rank": 0, "order": {"occasion": "x"}, "created_at": game.race.started_at}
    StandingRow.objects.create(seat=game.seat(1), **keeps)
    StandingRow.objects.create(seat=game.seat(2), turn=9, **keeps)
    go_back(game, 0)
    plan = Plan.objects.get()
    assert (plan.state, plan.why) == ("stopped", "The race went back to entry 0.")
    assert not FollowUp.objects.exists()
    assert [row.seat.number for row in StandingRow.objects.all()] == [1]
    assert Decision.objects.get(race_id=game.pk).seat.number == 1


def test_a_turn_that_lapsed_before_may_lapse_again(game: Game, clock: Clock) -> None:
    clock.move_to(Decision.objects.get(race_id=game.pk).due_at)
    assert sweep().lapsed == 1
    go_back(game, 0)
    assert game.seat(1).lapsed_turn is None
    clock.move_to(Decision.objects.get(race_id=game.pk).due_at)
    assert sweep().lapsed == 1
    assert game.seat(1).lapsed_turn == 1
    assert Lapse.objects.filter(seat=game.seat(1)).count() == 2


def test_whoever_is_asked_has_the_time_of_a_turn_of_its_own(game: Game, clock: Clock) -> None:
    whole = Decision.objects.get(race_id=game.pk).left_s
    clock.shift(timedelta(hours=5))
    game.act(1, "end")
    clock.shift(timedelta(hours=5))
    go_back(game, 0)
    row = Decision.objects.get(race_id=game.pk)
    assert (row.seat.number, row.left_s) == (1, whole)


def test_a_plan_made_in_a_window_belongs_to_the_act_that_is_answered_there(game: Game) -> None:
    """And not to a later one, on the branch that was left."""
    game.act(2, "ask me")
    game.act(1, "light 1")
    game.act(1, "call")
    window = game.race.seq
    game.act(2, "end")
    game.act(1, "light 3")
    go_back(game, window)
    assert Decision.objects.get(race_id=game.pk).window == game.race.seq
    plan_save(race_id=game.pk, seat_id=game.seat(1).pk, lines=["light 4"], idempotency_key="p")
    plan = Plan.objects.get()
    assert (plan.state, plan.last, plan.last_seq) == ("waiting", {"do": "call"}, window)
    game.act(2, "end")
    assert game.present(None)["view"]["lit"] == [1, 4]
    assert replay_fault(race=game.race) == ""


def test_drivers_are_told_of_the_request_and_of_what_came_of_it(game: Game, alice: User, bob: User) -> None:
    game.act(1, "light 1")
    OutboxEvent.objects.all().delete()
    wanted = ask(game, 0)
    asked = OutboxEvent.objects.filter(kind="rewind_ask")
    assert {row.seat.player_id for row in asked} == {one.pk for one in everybody(game)} - {alice.pk}
    assert {row.decision_id for row in asked} == {wanted.pk}
    agree(game, wanted, *everybody(game))
    gone = OutboxEvent.objects.filter(kind="rewound")
    assert {row.seat.player_id for row in gone} == {one.pk for one in everybody(game)}
    turn = OutboxEvent.objects.get(kind="turn")
    assert (turn.seat.number, turn.created_at) == (1, gone[0].created_at), "told in one mail with the question"


# --- Where it cannot go -----------------------------------------------------------------


def test_only_the_host_asks_and_for_an_entry_that_there_was(game: Game, bob: User) -> None:
    game.act(1, "light 1")
    with pytest.raises(NotHost):
        ask(game, 0, by=bob)
    for to in (-1, 1, 2):
        with pytest.raises(FieldRefused, match="Name an entry from 0 to 0: the race is at entry 1") as wrong:
            ask(game, to)
        assert wrong.value.field == "to"
    for key in ("", "x" * 101, "a\u200bb"):
        with pytest.raises(KeyMissing):
            ask(game, 0, key=key)
    for reason in ("x" * 201, "a\u200bb"):
        with pytest.raises(FieldRefused):
            ask(game, 0, reason=reason)
    assert not RewindAsk.objects.exists()


def test_one_request_waits_and_the_same_key_is_the_same_request(game: Game) -> None:
    game.act(1, "light 1")
    wanted = ask(game, 0, key="k")
    assert ask(game, 0, key="k").pk == wanted.pk
    with pytest.raises(NoWayBack, match="A request to go back waits already"):
        ask(game, 0, key="l")
    assert RewindAsk.objects.count() == 1
    assert OutboxEvent.objects.filter(kind="rewind_ask").count() == 2


def test_the_host_may_take_the_request_back(game: Game, alice: User, bob: User, charlie: User) -> None:
    game.act(1, "light 1")
    wanted = ask(game, 0)
    with pytest.raises(NotHost):
        rewind_drop(race_id=game.pk, by=bob, ask_id=wanted.pk)
    rewind_drop(race_id=game.pk, by=alice, ask_id=wanted.pk)
    rewind_drop(race_id=game.pk, by=alice, ask_id=wanted.pk)
    assert rewind_of(race=game.race, user=bob) is None
    for change in (rewind_agree, rewind_think_again):
        with pytest.raises(NotYourDecision, match="The host has taken the request back"):
            change(race_id=game.pk, by=bob, ask_id=wanted.pk)
    assert told(game)[-1] == "The host asks no more to go back to entry 0."
    again = ask(game, 0, key="again")
    agree(game, again, bob, charlie)
    with pytest.raises(NotYourDecision, match="has gone back already"):
        rewind_drop(race_id=game.pk, by=alice, ask_id=again.pk)


def test_nobody_agrees_for_others_or_to_nothing(game: Game) -> None:
    game.act(1, "light 1")
    wanted = ask(game, 0)
    with pytest.raises(NotYourSeat):
        agree(game, wanted, person("Dora"))
    with pytest.raises(NotYourDecision, match="There is no such request"):
        rewind_agree(race_id=game.pk, by=game.race.host, ask_id=wanted.pk + 1)


def test_not_behind_a_driver_who_gave_up(game: Game) -> None:
    game.act(1, "light 1")
    gone = game.seat(3).player
    assert gone is not None
    wanted = None
    if gone.pk != game.race.host_id:
        wanted = ask(game, 0)
    seat_resign(race_id=game.pk, by=gone)
    at = game.race.seq
    why = f"Car 3 was given up at entry {at}, and the race cannot go back behind that"
    if wanted is not None:
        assert waits(game, game.race.host)["why_not"].startswith(why)
        for one in everybody(game):
            if one.pk != gone.pk:
                with pytest.raises(NoWayBack, match=why):
                    agree(game, wanted, one)
        rewind_drop(race_id=game.pk, by=game.race.host, ask_id=wanted.pk)
    with pytest.raises(NoWayBack, match=why):
        ask(game, at - 1, key="k")
    game.act(1, "light 2")
    later = ask(game, at, key="l")
    done = agree(game, later, *(one for one in everybody(game) if one.pk != gone.pk))
    assert done.done_at is not None
    assert Entry.objects.get(race_id=game.pk, seq=game.race.seq).by == [1, 2]
    assert replay_fault(race=game.race) == ""


def test_not_behind_a_seat_that_changed_hands(game: Game) -> None:
    game.act(1, "light 1")
    game.act(1, "light 2")
    seat = game.seat(3) if game.seat(3).player_id != game.race.host_id else game.seat(2)
    Seat.objects.filter(pk=seat.pk).update(offered_at=game.race.started_at)
    seat_replace(race_id=game.pk, by=game.race.host, seat_id=seat.pk, bot="random")
    why = f"Car {seat.number} got another driver at entry 2, and the race cannot go back behind that: name entry 2"
    with pytest.raises(NoWayBack, match=why):
        ask(game, 1)
    game.act(1, "light 3")
    assert ask(game, 2, key="l").done_at is None


def test_not_without_anybody_else_to_agree(clock: Clock, alice: User, bob: User) -> None:
    game = started(alice, bob)
    game.act(1, "light 1")
    Seat.objects.filter(race_id=game.pk, player=bob).update(state="resigned")
    with pytest.raises(NoWayBack, match="Nobody else drives in this race"):
        ask(game, 0)


def test_not_before_the_start_nor_after_the_end(game: Game, alice: User) -> None:
    game.act(1, "light 1")
    wanted = ask(game, 0)
    while game.race.status == "running":
        game.act(game.present(None)["waiting"]["seat"], "end")
    assert rewind_of(race=game.race, user=alice) is None
    with pytest.raises(RaceOver):
        agree(game, wanted, alice)
    with pytest.raises(RaceOver):
        rewind_think_again(race_id=game.pk, by=alice, ask_id=wanted.pk)
    with pytest.raises(RaceOver):
        ask(game, 0, key="k")
    waiting = race_create(by=alice, name="Not yet", ruleset="lanterns", seats=2)
    with pytest.raises(RaceNotRunning):
        rewind_ask(race_id=waiting.pk, by=alice, to_seq=0, key="k")


def test_a_race_in_roadkill_goes_back(alice: User, bob: User, clock: Clock) -> None:
    race = race_create(by=alice, name="Back", seats=2, options={"sections": 3}, starts_when_full=False, is_public=True)
    race_join(race_id=race.pk, by=bob)
    race_start(race_id=race.pk, by=alice)
    game = Game(race)
    standing_save(race_id=race.pk, seat_id=game.seat(1).pk, texts=["when attacked: pass"])
    states = [state(game)]
    for _ in range(12):
        row = Decision.objects.filter(race=race, sealed_at=None).select_related("seat").order_by("seat").first()
        if row is None or row.seat.number is None:
            clock.shift(timedelta(hours=1))
            sweep()
        else:
            game.act(row.seat.number, game.question(row.seat.number)["answers"][0]["words"])
        if game.race.seq == len(states):
            states.append(state(game))
    assert game.race.status == "running"
    at = game.race.seq
    assert at > 3
    go_back(game, 2)
    assert bytes(Snapshot.objects.get(race=race).state) == states[2]
    assert replay_fault(race=game.race) == ""
    go_back(game, at)
    assert replay_fault(race=game.race) == ""
