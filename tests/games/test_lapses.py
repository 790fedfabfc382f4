"""Deadlines, lapses and the sweep: turns that pass, clocks that stop, races that fail without stopping others."""

from datetime import timedelta

import pytest
import time_machine

from games.models import Decision, Entry, OutboxEvent, Race, Seat, Snapshot
from games.runtime.errors import RaceFaulty
from games.services import desk
from games.services.seats import seat_resign
from games.services.sweep import sweep
from tests.games import toy_ruleset
from tests.games.conftest import NOON, Game, MakeGame
from tests.games.toy_ruleset import ToyRuleset

Clock = time_machine.Traveller
TURN = timedelta(hours=72)
REACTION = timedelta(hours=24)


def due_of(game: Game) -> object:
    """When the one open question lapses."""
    return Decision.objects.get(race_id=game.pk).due_at


def test_a_turn_lapses_at_its_deadline_and_not_before(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.move_to(NOON + TURN - timedelta(seconds=1))
    assert sweep().lapsed == 0
    clock.shift(1)
    report = sweep()
    assert (report.races, report.lapsed, report.faults) == (1, 1, {})
    assert Entry.objects.get(race_id=game.pk, seq=1).acts == [
        {"seat": 1, "action": {"do": "rest"}, "origin": "deadline"}
    ]
    assert game.present(None)["waiting"] == {
        "kind": "turn",
        "seat": 2,
        "car": "car 2",
        "due_at": "2026-06-07T12:00:00Z",
    }


def test_a_sweep_twice_does_a_thing_once(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.shift(TURN)
    sweep()
    assert sweep().races == 0
    assert game.race.seq == 1


def test_a_sweep_that_was_away_for_long_lapses_one_turn_only(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.shift(10 * TURN)
    sweep()
    assert game.race.seq == 1
    assert due_of(game) == NOON + 11 * TURN


def test_a_player_is_told_that_a_turn_lapsed(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.shift(TURN)
    sweep()
    assert OutboxEvent.objects.filter(race_id=game.pk, kind="lapsed", seat__number=1).count() == 1


def test_everybody_reads_in_the_log_that_a_turn_lapsed(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.shift(TURN)
    sweep()
    lines = [line["text"] for line in game.present(None)["log"]]
    assert any(line.endswith("(car 1) has not answered in time.") for line in lines)


def test_a_turn_has_its_hours_once_and_windows_do_not_count(toy_game: MakeGame, clock: Clock) -> None:
    """The toy's turn has one act, so the clock is looked at where the race keeps it."""
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    clock.shift(timedelta(hours=50))
    game.act(1, "strike 2 with 3")
    race = game.race
    assert (race.turn_mark, race.turn_used_s) == ("0:1", 50 * 3600)


def test_two_lapsed_turns_in_a_row_and_the_host_may_act(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(players=2)
    host = game.race.host_id
    gone = next(seat for seat in Seat.objects.filter(race_id=game.pk) if seat.player_id != host)
    for lap in range(2):
        assert not any(seat["gone"] for seat in game.present(None)["seats"])
        for _ in range(2):
            asked = Decision.objects.get(race_id=game.pk).seat
            if asked.pk == gone.pk:
                clock.move_to(Decision.objects.get(race_id=game.pk).due_at)
                sweep()
            else:
                assert asked.number is not None
                game.act(asked.number, "rest")
        gone.refresh_from_db()
        assert gone.lapses == lap + 1
    assert [seat["id"] for seat in game.present(None)["seats"] if seat["gone"]] == [gone.pk]
    told = OutboxEvent.objects.get(race_id=game.pk, kind="seat_gone")
    assert (told.seat.player_id, told.decision_id) == (host, gone.pk)


def test_an_answer_takes_lapses_back(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.shift(TURN)
    sweep()
    game.act(2, "rest")
    game.act(3, "rest")
    assert game.seat(1).lapses == 1
    game.act(1, "rest")
    assert game.seat(1).lapses == 0


def test_a_lapse_in_a_window_is_nobodys_business(toy_game: MakeGame, clock: Clock) -> None:
    """Whether a driver let a reaction lapse or had nothing to play must not be told, so it is not counted."""
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    game.act(1, "strike 2 with 3")
    clock.shift(REACTION)
    assert sweep().lapsed == 1
    assert game.seat(2).lapses == 0
    assert not OutboxEvent.objects.filter(kind="lapsed").exists()


def corrupt(game: Game, state: bytes = b"{}") -> None:
    """Break the stored state of a race."""
    Snapshot.objects.filter(race_id=game.pk).update(state=state)


@pytest.mark.parametrize("state", [b"{}", b"", b"\xff\x00", b'{"drivers": 3}', b"[]"])
def test_a_corrupt_snapshot_is_told_in_a_sentence(toy_game: MakeGame, clock: Clock, state: bytes) -> None:
    game = toy_game()
    position = game.race.seq
    corrupt(game, state)
    with pytest.raises(RaceFaulty, match="cannot go on just now"):
        game.present(1)
    with pytest.raises(RaceFaulty) as faulty:
        game.act(1, "rest", expected_seq=position)
    assert "Traceback" not in faulty.value.text
    race = game.race
    assert race.fault == faulty.value.detail
    assert (race.fault_at, race.seq) == (NOON, position)
    assert OutboxEvent.objects.filter(race_id=game.pk, kind="fault", seat__player_id=race.host_id).count() == 1


def test_a_missing_snapshot_is_a_fault(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    Snapshot.objects.filter(race_id=game.pk).delete()
    with pytest.raises(RaceFaulty) as faulty:
        game.present(None)
    assert faulty.value.detail == "the snapshot is missing"


def test_a_snapshot_out_of_step_is_a_fault(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    Snapshot.objects.filter(race_id=game.pk).update(seq=7)
    with pytest.raises(RaceFaulty) as faulty:
        game.present(None)
    assert faulty.value.detail == "the snapshot is of entry 7, the race is at entry 0"


def test_other_rules_than_at_the_start_are_a_fault(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    Race.objects.filter(pk=game.pk).update(rules_version=99)
    with pytest.raises(RaceFaulty) as faulty:
        game.present(None)
    assert faulty.value.detail == "played under version 99 of the rules; this is version 1"


def test_a_component_set_that_has_changed_is_a_fault(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    Race.objects.filter(pk=game.pk).update(component_hash="other")
    with pytest.raises(RaceFaulty) as faulty:
        game.act(1, "rest")
    assert faulty.value.detail == "the component set has changed since the race began"


def test_a_ruleset_that_is_not_installed_is_a_fault(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    Race.objects.filter(pk=game.pk).update(ruleset="ludo")
    with pytest.raises(RaceFaulty) as faulty:
        game.present(None)
    assert faulty.value.detail == "the ruleset “ludo” is not installed"


def test_one_race_that_fails_does_not_stop_the_sweep_and_is_tried_again_later(toy_game: MakeGame, clock: Clock) -> None:
    bad, good = toy_game(), toy_game()
    kept = bytes(Snapshot.objects.get(race_id=bad.pk).state)
    corrupt(bad)
    clock.shift(TURN)
    report = sweep()
    assert list(report.faults) == [bad.race.public_id]
    assert (good.race.seq, bad.race.seq) == (1, 0)
    assert bad.race.wake_at == NOON + TURN + timedelta(minutes=5)
    assert sweep().races == 0
    clock.shift(timedelta(minutes=5))
    sweep()
    assert (bad.race.fault_count, bad.race.wake_at) == (2, NOON + TURN + timedelta(minutes=15))
    assert OutboxEvent.objects.filter(race_id=bad.pk, kind="fault").count() == 1

    corrupt(bad, kept)
    clock.shift(timedelta(minutes=10))
    assert sweep().faults == {}
    race = bad.race
    assert (race.fault, race.fault_at, race.fault_count, race.seq) == ("", None, 0, 1)


def test_an_act_on_which_a_rule_breaks_does_not_stop_the_clock_of_the_race(
    toy_game: MakeGame, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = toy_game()
    due = game.race.wake_at
    with monkeypatch.context() as broken:
        broken.setattr(ToyRuleset, "_rest", lambda *_: 1 / 0)
        for _ in range(8):
            with pytest.raises(RaceFaulty):
                game.act(1, "rest")
    assert game.race.fault
    assert (game.race.wake_at, game.race.fault_count) == (due, 0)
    clock.shift(TURN)
    assert sweep().faults == {}
    assert (game.race.fault, game.race.seq) == ("", 1)


def test_a_rule_that_breaks_is_told_in_a_sentence_and_half_applies_nothing(
    toy_game: MakeGame, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug in a rule")

    game = toy_game()
    state = bytes(Snapshot.objects.get(race_id=game.pk).state)
    monkeypatch.setattr(ToyRuleset, "_rest", broken)
    with pytest.raises(RaceFaulty) as faulty:
        game.act(1, "rest")
    assert "ZeroDivisionError" not in faulty.value.text
    assert game.race.fault == "ZeroDivisionError: a bug in a rule"
    assert "a bug in a rule" in caplog.text
    assert (game.race.seq, bytes(Snapshot.objects.get(race_id=game.pk).state)) == (0, state)
    assert "Something" not in game.present(None)["race"]["fault"]
    assert game.present(None)["race"]["fault"].startswith("This race has stopped")


def test_a_sweep_mends_questions_that_were_lost(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    Decision.objects.all().delete()
    clock.shift(TURN)
    sweep()
    assert game.question(1)["key"] == "act"


def test_a_race_that_is_busy_with_itself_takes_turns_with_the_others(
    toy_game: MakeGame, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two drivers are out of a race whose rules know no withdrawal: their turns need nobody, and end some time."""
    short = toy_ruleset.Strike | toy_ruleset.Rest | toy_ruleset.Nothing | toy_ruleset.Take
    monkeypatch.setattr(toy_ruleset.RULESET, "action_type", short, raising=False)
    monkeypatch.setattr(desk, "MOST_ENTRIES", 1)
    game = toy_game()
    for number in (2, 3):
        player = game.seat(number).player
        assert player is not None
        seat_resign(race_id=game.pk, by=player)
    game.act(1, "rest")
    assert (game.race.seq, game.race.wake_at) == (2, NOON)
    sweep()
    assert game.race.seq == 3
    sweep()
    assert game.present(None)["waiting"]["seat"] == 1
