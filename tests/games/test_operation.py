"""What an operator is shown of races and of the server's life, and what an operator does about it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.models import Decision, OutboxEvent, Race, Snapshot
from games.runtime.errors import RaceFaulty
from games.selectors.errors import RaceUnknown
from games.selectors.operation import (
    LATE,
    beats,
    decisions_overdue,
    gap_get,
    gaps_latest,
    gaps_not_credited,
    outbox_sight,
    races_failed,
)
from games.services.faults import fault_mark
from games.services.heartbeat import heartbeat_note
from games.services.operation import NotFaulty, outage_credit_by_hand, race_retry, races_retry
from games.services.outages import outage_note
from games.services.sweep import sweep
from tests.games.conftest import NOON, Game, MakeGame

TURN = timedelta(hours=72)
CountQueries = Callable[[int], AbstractContextManager[Any]]


def break_down(game: Game) -> bytes:
    """Spoil what the race is kept as; returns how it was."""
    whole = bytes(Snapshot.objects.get(race_id=game.pk).state)
    Snapshot.objects.filter(race_id=game.pk).update(state=b"?")
    return whole


def mend(game: Game, whole: bytes) -> None:
    Snapshot.objects.filter(race_id=game.pk).update(state=whole)


# Past the deadline


def test_a_turn_that_should_have_lapsed_is_told_with_its_car(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game()
    due_at = Decision.objects.get(race_id=game.pk).due_at
    clock.move_to(due_at + LATE - timedelta(seconds=1))
    assert decisions_overdue(now=timezone.now()) == ([], 0)
    clock.move_to(due_at + timedelta(hours=2))
    (one,), count = decisions_overdue(now=timezone.now())
    assert count == 1
    assert asdict(one) == {
        "race": game.race.public_id,
        "name": "Toy race",
        "seat": game.present(None)["waiting"]["seat"],
        "clock": "turn",
        "due_at": due_at,
        "late_s": 7200,
        "is_held_up": False,
    }
    assert one.late_text == "2 h"
    sweep()
    assert decisions_overdue(now=timezone.now()) == ([], 0)


def test_of_a_window_nobody_is_named_and_nobody_is_counted(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)}, policy="strict")
    game.act(3, "ask me about snuffing")
    game.act(1, "strike 2 with 3")
    asked = Decision.objects.filter(race_id=game.pk, window__isnull=False)
    assert asked.count() > 1
    closes_by = game.present(None)["waiting"]["closes_by"]
    clock.shift(TURN * 2)
    open_now = decisions_overdue(now=timezone.now())
    (one,), count = open_now
    assert (one.seat, one.clock, count) == (None, "window", 1)
    assert one.due_at.isoformat().startswith(closes_by[:19])
    # One fewer is asked, one has answered: an operator cannot tell.
    asked.order_by("-pk")[0].delete()
    assert decisions_overdue(now=timezone.now()) == open_now
    row = asked.get()
    row.sealed_action, row.sealed_origin, row.sealed_at = {"do": "pass"}, "player", NOON
    row.save()
    assert decisions_overdue(now=timezone.now()) == open_now


def test_stopped_clocks_owe_nothing_and_a_race_held_up_says_so(
    toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    stopped, broken = toy_game(), toy_game()
    break_down(broken)
    clock.shift(TURN + timedelta(hours=1))
    Race.objects.filter(pk=stopped.pk).update(paused_at=NOON)
    fault_mark(race_id=broken.pk, error=RaceFaulty("the snapshot is missing"), now=timezone.now())
    (one,), _ = decisions_overdue(now=timezone.now())
    assert (one.race, one.is_held_up) == (broken.race.public_id, True)


# Races held up


def test_a_race_held_up_says_why_since_when_and_when_it_is_tried_again(
    toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = toy_game()
    toy_game()
    break_down(game)
    clock.shift(TURN)
    first = timezone.now()
    sweep()
    clock.move_to(game.race.wake_at or NOON)
    sweep()
    (race,), count = races_failed(now=timezone.now())
    assert count == 1
    assert (race.race, race.name, race.count) == (game.race.public_id, "Toy race", 2)
    assert race.fault == game.race.fault != ""
    assert (race.since, race.last_at) == (first, timezone.now())
    assert race.next_at == timezone.now() + timedelta(minutes=10)
    assert not race.is_due
    races_retry(race_ids=None, now=timezone.now())
    (race,), _ = races_failed(now=timezone.now())
    assert (race.next_at, race.is_due) == (None, True)


def test_when_a_window_closes_is_not_told_by_a_fault_of_a_players_act(
    toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    game.act(1, "strike 2 with 3")
    wake_at = game.race.wake_at
    fault_mark(race_id=game.pk, error=RaceFaulty("a rule breaks"), now=timezone.now(), by_player=True)
    assert game.race.wake_at == wake_at is not None
    (race,), _ = races_failed(now=timezone.now())
    assert (race.count, race.next_at, race.is_due) == (0, None, False)


def test_a_race_is_tried_at_once_and_goes_on_when_it_is_mended(
    toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = toy_game()
    whole = break_down(game)
    clock.shift(TURN)
    sweep()
    public_id = game.race.public_id
    assert race_retry(public_id=public_id, now=timezone.now()) == game.race.fault != ""
    assert game.race.fault_count == 2
    mend(game, whole)
    assert race_retry(public_id=public_id, now=timezone.now()) == ""
    assert game.race.fault == ""
    assert game.race.seq == 1, "what was overdue has lapsed"
    with pytest.raises(NotFaulty, match="is not held up"):
        race_retry(public_id=public_id, now=timezone.now())
    with pytest.raises(RaceUnknown, match="There is no race “nowhere”"):
        race_retry(public_id="nowhere", now=timezone.now())


def test_the_command_tries_races_by_name_or_all(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    games = [toy_game(), toy_game()]
    wholes = [break_down(game) for game in games]
    clock.shift(TURN)
    sweep()
    one, other = (game.race.public_id for game in games)
    mend(games[0], wholes[0])
    out = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("race_retry", one, "nowhere", other, stdout=out)
    assert out.getvalue() == f"Race {one} goes on.\n"
    told = str(refused.value).splitlines()
    assert told[0] == "There is no race “nowhere”."
    assert told[1].startswith(f"Race {other} still cannot go on: ")
    mend(games[1], wholes[1])
    out = StringIO()
    call_command("race_retry", "--all", stdout=out)
    call_command("race_retry", "--all", stdout=out)
    assert out.getvalue() == f"Race {other} goes on.\nNo race is held up.\n"
    for wrong in ([], [one, "--all"]):
        with pytest.raises(CommandError, match="Name the races, or say --all"):
            call_command("race_retry", *wrong)


# The outbox


def test_questions_are_in_no_number_of_the_outbox(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game()
    before = outbox_sight(now=timezone.now())
    assert (before.waiting, before.stuck_since) == (OutboxEvent.objects.filter(kind="started").count(), None)
    for kind in ("turn", "question"):
        OutboxEvent.objects.create(kind=kind, race=game.race, seat=game.seat(2), seq=9, created_at=timezone.now())
    assert outbox_sight(now=timezone.now()) == before
    OutboxEvent.objects.update(processed_at=timezone.now())
    after = outbox_sight(now=timezone.now())
    assert (after.waiting, after.passed_on) == (0, before.waiting)


def test_news_that_nobody_passes_on_is_stuck_and_so_is_a_question_of_which_all_know(
    toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    turn = OutboxEvent.objects.get(race_id=game.pk, kind="turn")
    OutboxEvent.objects.exclude(pk=turn.pk).delete()
    clock.shift(LATE - timedelta(seconds=1))
    assert outbox_sight(now=timezone.now()).stuck_since is None
    clock.shift(timedelta(seconds=1))
    sight = outbox_sight(now=timezone.now())
    assert (sight.waiting, sight.stuck_since) == (0, NOON)
    # Whether anybody is told of a window, and whether a turn was over before its mail could leave, is secret.
    game.act(1, "strike 2 with 3")
    assert OutboxEvent.objects.filter(kind="question", processed_at=None).exists()
    clock.shift(LATE)
    assert outbox_sight(now=timezone.now()).stuck_since is None
    assert OutboxEvent.objects.filter(pk=turn.pk, processed_at=None).exists()


# Signs of life


def test_a_silence_is_late_after_five_minutes(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    assert beats(now=timezone.now()) == []
    heartbeat_note()
    clock.shift(timedelta(minutes=5))
    assert [beat.is_late for beat in beats(now=timezone.now())] == [False]
    clock.shift(timedelta(seconds=1))
    assert [(beat.name, beat.at, beat.is_late) for beat in beats(now=timezone.now())] == [("worker", NOON, True)]


def test_a_gap_is_credited_to_a_race_that_was_held_up_then(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game()
    due_at = Decision.objects.get(race_id=game.pk).due_at
    clock.move_to(due_at - timedelta(hours=1))
    gap = outage_note(start=due_at - timedelta(hours=3), end=due_at - timedelta(hours=2), now=timezone.now())
    assert gaps_not_credited() == 1
    whole = break_down(game)
    assert outage_credit_by_hand(gap=gap.pk, now=timezone.now()) == 0
    assert gaps_not_credited() == 0
    mend(game, whole)
    assert outage_credit_by_hand(gap=gap.pk, now=timezone.now()) == 1
    assert Decision.objects.get(race_id=game.pk).due_at == due_at + timedelta(hours=1)
    assert outage_credit_by_hand(gap=gap.pk, now=timezone.now()) == 0
    assert outage_credit_by_hand(gap=gap.pk + 1, now=timezone.now()) is None
    shown = gap_get(gap=gap.pk)
    assert gaps_latest() == [shown]
    assert shown is not None
    assert (shown.length_s, shown.length_text, shown.credited_at) == (3600, "1 h", timezone.now())
    assert gap_get(gap=gap.pk + 1) is None


# How much is asked of the database


def test_more_rows_take_no_more_statements(
    toy_game: MakeGame, clock: time_machine.Traveller, django_assert_num_queries: CountQueries
) -> None:
    def look() -> list[int]:
        now = timezone.now()
        with django_assert_num_queries(3):
            overdue = decisions_overdue(now=now)
        with django_assert_num_queries(1):
            failed = races_failed(now=now)
        with django_assert_num_queries(1):
            outbox_sight(now=now)
        with django_assert_num_queries(1):
            gaps = gaps_latest()
        return [overdue[1], failed[1], len(gaps)]

    def add(number: int) -> None:
        for at in range(number):
            game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
            game.act(1, "strike 2 with 3")
            fault_mark(race_id=game.pk, error=RaceFaulty("it breaks"), now=timezone.now())
            toy_game()
            outage_note(start=NOON - timedelta(days=number, hours=at), end=NOON, now=NOON)
        clock.shift(TURN * 2)

    add(1)
    assert look() == [2, 1, 1]
    add(4)
    assert look() == [10, 5, 5]
