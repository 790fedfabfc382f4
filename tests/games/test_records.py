"""The record: append-only, exported, proved offline, imported, replayed step by step, and checked after a deploy."""

import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.db import DatabaseError, connection, transaction

from games.engine import codec, record
from games.engine.errors import RecordBroken
from games.models import Decision, Entry, OutboxEvent, Race, Snapshot
from games.runtime.replay import outcome_of
from games.runtime.rulesets import RULESETS
from games.selectors.errors import EntryUnknown, RaceNotOver, RaceUnknown
from games.selectors.log import log_of
from games.selectors.races import race_for_operator, race_present
from games.selectors.records import record_bytes, record_of, replay_fault, replay_step
from games.services.bots import bots_answer
from games.services.demo import demo_race
from games.services.races import race_create, race_start, seat_add_bot
from games.services.records import race_import
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, MakeGame

REPOSITORY = Path(__file__).resolve().parents[2]


def finished(toy_game: MakeGame, rounds: int = 2) -> Game:
    """A toy race that has been played to its end."""
    game = toy_game(policy="open", options={"rounds": rounds})
    while game.race.status == "running":
        game.do_least()
    return game


@pytest.fixture
def roadkill(alice: User) -> Race:
    """A whole race of RoadKill between bots, over three Sections."""
    race = race_create(
        by=alice, name="Bots", seats=3, options={"sections": 3}, policy="open", starts_when_full=False, words="mine"
    )
    for _ in range(2):
        seat_add_bot(race_id=race.pk, by=alice)
    race_start(race_id=race.pk, by=alice)
    seat = race.seats.get(player=alice)
    seat.player, seat.bot, seat.name = None, "driver", "Wren"
    seat.save()
    race.decisions.update(bot_at=race.created_at)
    while Race.objects.get(pk=race.pk).status == "running":
        race.decisions.update(bot_at=race.created_at)
        bots_answer(race_id=race.pk)
    return Race.objects.get(pk=race.pk)


class TestAppendOnly:
    def test_an_entry_is_not_changed(self, toy_game: MakeGame) -> None:
        game = toy_game()
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            Entry.objects.filter(race_id=game.pk).update(digest="x")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            Entry.objects.get(race_id=game.pk, seq=0).save()

    def test_nor_deleted(self, toy_game: MakeGame) -> None:
        game = toy_game()
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            Entry.objects.filter(race_id=game.pk)._raw_delete("default")
        assert Entry.objects.filter(race_id=game.pk).count() == 1

    def test_nor_by_bare_statements(self, toy_game: MakeGame) -> None:
        toy_game()
        for statement in ("UPDATE games_entry SET turn = 9", "DELETE FROM games_entry"):
            with (
                pytest.raises(DatabaseError, match="append-only"),
                transaction.atomic(),
                connection.cursor() as cursor,
            ):
                cursor.execute(statement)

    @pytest.mark.django_db(transaction=True)
    def test_a_flush_between_tests_empties_records_and_leaves_them_guarded(self, toy_game: MakeGame) -> None:
        toy_game()
        call_command("flush", interactive=False, verbosity=0)
        assert not Entry.objects.exists()
        host = User.objects.create_user("dora@example.org", display_name="Dora")
        race = race_create(by=host, name="After", ruleset="toy", seats=2)
        seat_add_bot(race_id=race.pk, by=host)
        with pytest.raises(DatabaseError, match="append-only"):
            Entry.objects.filter(race_id=race.pk).update(digest="x")

    def test_no_two_entries_have_one_number(self, toy_game: MakeGame) -> None:
        game = toy_game()
        entry = Entry.objects.get(race_id=game.pk, seq=0)
        entry.pk = None
        with pytest.raises(DatabaseError), transaction.atomic():
            entry.save(force_insert=True)


class TestRecord:
    def test_a_finished_race_is_proved_from_its_record(self, toy_game: MakeGame) -> None:
        game = finished(toy_game)
        made = record_of(race=game.race)
        outcome = record.verify(RULESETS, record.load(record_bytes(race=game.race)))
        assert outcome == outcome_of(game.race.outcome)
        assert made.seating == tuple(seat.number for seat in game.race.seats.order_by("joined_order"))
        assert made.names == tuple(game.present(None)["names"][str(n)] for n in (1, 2, 3))

    def test_so_is_a_race_of_roadkill(self, roadkill: Race) -> None:
        made = record.load(record_bytes(race=roadkill))
        assert made.words == ("mine", "", "")
        assert record.verify(RULESETS, made).places == outcome_of(roadkill.outcome).places

    def test_while_a_race_runs_its_record_is_nobodys(self, toy_game: MakeGame) -> None:
        with pytest.raises(RaceNotOver):
            record_of(race=toy_game().race)

    def test_digests_are_those_of_the_states(self, toy_game: MakeGame) -> None:
        game = finished(toy_game)
        states: list[str] = []
        record.replay(RULESETS["toy"], record_of(race=game.race), lambda step: states.append(codec.digest(step.state)))
        stored = Entry.objects.filter(race_id=game.pk).order_by("seq").values_list("digest", flat=True)
        assert states == list(stored)


def changed(race: Race, change: Any) -> bytes:
    """The race's record with something changed in its JSON."""
    data = json.loads(record_bytes(race=race))
    change(data)
    return json.dumps(data).encode()


def another_draw(data: Any) -> None:
    entry = next(one for one in data["entries"][1:] if one["draws"])
    label, size, result = entry["draws"][0]
    entry["draws"][0] = [label, size, (result + 1) % size]


def another_seating(data: Any) -> None:
    data["seating"] = [*data["seating"][1:], data["seating"][0]]


def another_act(data: Any) -> None:
    act = next(act for entry in data["entries"] for act in entry["acts"] if act["action"]["do"] == "rest")
    act["action"] = {"do": "rest", "discard": [9, 9]}


def another_seat(data: Any) -> None:
    data["entries"][1]["acts"][0]["seat"] = 2


def another_order(data: Any) -> None:
    entries = data["entries"]
    entries[1], entries[2] = entries[2], entries[1]
    entries[1]["seq"], entries[2]["seq"] = 1, 2


def one_entry_less(data: Any) -> None:
    del data["entries"][2]


def other_words(data: Any) -> None:
    data["words"][0] = "tampered"


def another_secret(data: Any) -> None:
    data["secret"] = "00" * 32


def another_winner(data: Any) -> None:
    data["outcome"]["places"] = [*data["outcome"]["places"][::-1], [9]]


def no_secret(data: Any) -> None:
    data["secret"] = None


def another_format(data: Any) -> None:
    data["format"] = 99


def unfinished(data: Any) -> None:
    data["entries"] = data["entries"][:2]
    data["outcome"] = None


CHANGES = {
    another_draw: "entry 1: the draw",
    another_seating: "the seats in the record are not those that were drawn",
    another_act: "entry 1: an act is refused",
    another_seat: "entry 1: an act is refused",
    # The secret differs each run: where both entries begin with the same draw, only the second one shows it.
    another_order: "entry [12]: ",
    one_entry_less: "entry",
    other_words: "entry 0: the draw",
    another_secret: "does not fit the hash",
    another_winner: "the record claims",
    no_secret: "the race is not over yet",
    another_format: "format 99",
    unfinished: "stops before the race is over",
}


class TestVerifyRace:
    def test_it_accepts_good_records_and_says_who_won(self, toy_game: MakeGame, tmp_path: Path) -> None:
        game = finished(toy_game)
        file = tmp_path / "race.json"
        out = StringIO()
        call_command("race_export", game.race.public_id, output=file, stderr=StringIO())
        call_command("verify_race", str(file), stdout=out)
        assert out.getvalue().startswith(f"{file}: good: ")
        assert "rounds" in out.getvalue()

    @pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
    def test_it_rejects_what_was_changed_and_says_where(self, toy_game: MakeGame, tmp_path: Path, change: Any) -> None:
        game = finished(toy_game)
        file = tmp_path / "race.json"
        file.write_bytes(changed(game.race, change))
        out = StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("verify_race", str(file), stdout=out)
        assert ended.value.code == 1
        assert re.search(CHANGES[change], out.getvalue())
        assert "rejected" in out.getvalue()

    def test_a_changed_draw_of_a_race_of_roadkill_is_named_by_its_entry(self, roadkill: Race, tmp_path: Path) -> None:
        data = json.loads(record_bytes(race=roadkill))
        number = next(n for n, entry in enumerate(data["entries"]) if n > 5 and entry["draws"])
        label, size, result = data["entries"][number]["draws"][0]
        data["entries"][number]["draws"][0] = [label, size, (result + 1) % size]
        file = tmp_path / "race.json"
        file.write_text(json.dumps(data))
        out = StringIO()
        with pytest.raises(SystemExit):
            call_command("verify_race", str(file), stdout=out)
        assert f"rejected: entry {number}: the draw «{label}»" in out.getvalue()

    def test_one_bad_file_does_not_hide_the_others(self, toy_game: MakeGame, tmp_path: Path) -> None:
        good, bad, none = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "none.json"
        good.write_bytes(record_bytes(race=finished(toy_game).race))
        bad.write_text("[1, 2")
        out = StringIO()
        with pytest.raises(SystemExit):
            call_command("verify_race", str(bad), str(none), str(good), stdout=out)
        lines = out.getvalue().splitlines()
        assert "this is no race record" in lines[0]
        assert "cannot be read" in lines[1]
        assert "good" in lines[2]

    def test_it_needs_no_database(self, roadkill: Race, tmp_path: Path) -> None:
        file = tmp_path / "race.json"
        file.write_bytes(record_bytes(race=roadkill))
        ran = subprocess.run(
            [sys.executable, "manage.py", "verify_race", str(file)],
            cwd=REPOSITORY,
            env={"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none", "VAR_DIR": str(tmp_path), "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "good" in ran.stdout


class TestExport:
    def test_a_running_race_is_exported_for_operators_only(self, toy_game: MakeGame) -> None:
        game = toy_game()
        with pytest.raises(CommandError, match="once the race is over"):
            call_command("race_export", game.race.public_id)
        out = StringIO()
        call_command("race_export", game.race.public_id, "--running", stdout=out)
        assert json.loads(out.getvalue())["secret"] is None

    def test_names_can_be_left_out(self, toy_game: MakeGame) -> None:
        out = StringIO()
        call_command("race_export", finished(toy_game).race.public_id, "--scrub", stdout=out)
        assert json.loads(out.getvalue())["names"] == []
        assert "Alice" not in out.getvalue()

    def test_a_race_that_is_not_there_is_said_so(self, db: None) -> None:
        with pytest.raises(CommandError, match="There is no race “none”"):
            call_command("race_export", "none")


class TestImport:
    def test_a_record_becomes_a_race_that_can_be_replayed(self, roadkill: Race, tmp_path: Path, alice: User) -> None:
        file = tmp_path / "saturday.json"
        file.write_bytes(record_bytes(race=roadkill))
        out = StringIO()
        call_command("race_import", str(file), "--host", "ALICE@example.org", stdout=out)
        race = Race.objects.exclude(pk=roadkill.pk).get()
        assert race.public_id in out.getvalue()
        assert (race.name, race.status, race.host_id) == ("saturday", "finished", alice.pk)
        assert record_of(race=race) == record_of(race=roadkill)
        assert replay_fault(race=race) == ""
        texts = [line["text"] for line in log_of(race=race, viewer=None)]
        assert texts == [line["text"] for line in log_of(race=roadkill, viewer=None)]

    def test_one_in_which_no_seats_were_drawn_can_be_replayed_too(self, alice: User) -> None:
        made = record.load(
            (Path(__file__).parents[1] / "records" / "roadkill" / "last_driver-drivers.json").read_bytes()
        )
        assert made.seating == ()
        race = race_import(record=made, by=alice, name="In memory")
        assert replay_fault(race=race) == ""
        assert replay_step(race=race, entry=3, viewer=None)["entry"]["acts"]

    def test_a_broken_one_is_refused_and_leaves_nothing(self, toy_game: MakeGame, tmp_path: Path, alice: User) -> None:
        game = finished(toy_game)
        file = tmp_path / "race.json"
        file.write_bytes(changed(game.race, another_draw))
        with pytest.raises(CommandError, match="entry 1: the draw"):
            call_command("race_import", str(file), "--host", alice.email)
        with pytest.raises(CommandError, match="no account"):
            call_command("race_import", str(file), "--host", "nobody@example.org")
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("race_import", str(tmp_path / "none"), "--host", alice.email)
        assert Race.objects.count() == 1

    def test_the_secret_must_be_there(self, toy_game: MakeGame, alice: User) -> None:
        made = msgspec.structs.replace(record_of(race=finished(toy_game).race), secret=None)
        with pytest.raises(RecordBroken):
            race_import(record=made, by=alice, name="No secret")


class TestReplay:
    def test_every_entry_of_a_finished_race_can_be_seen_through_any_eyes(self, toy_game: MakeGame) -> None:
        game = finished(toy_game)
        last = game.race.seq
        for entry in (0, 1, last):
            for eyes in (None, 1, 2, 3):
                step = replay_step(race=game.race, entry=entry, viewer=None, eyes=eyes)
                assert step["view"]["viewer"] == step["eyes"] == eyes
                assert (step["first"], step["last"]) == (0, last)
                assert bool(step["view"]["hand"]) == (eyes is not None)
        assert replay_step(race=game.race, entry=0, viewer=None)["previous"] is None
        assert replay_step(race=game.race, entry=last, viewer=None)["next"] is None

    def test_a_step_tells_who_did_what_and_what_was_drawn(self, toy_game: MakeGame) -> None:
        game = finished(toy_game)
        step = replay_step(race=game.race, entry=1, viewer=None)
        rest = {"seat": 1, "car": 1, "words": "rest", "action": {"do": "rest"}, "origin": "player"}
        assert step["entry"]["acts"] == [rest]
        assert [draw["label"] for draw in step["entry"]["draws"]] == ["card"]
        assert [line["kind"] for line in step["log"]] == ["rests"]
        assert step["turns"][0] == {"turn": 0, "entry": 1}

    def test_the_last_step_is_how_the_race_stands(self, roadkill: Race) -> None:
        step = replay_step(race=roadkill, entry=roadkill.seq, viewer=None)
        assert step["view"] == race_present(race=roadkill, viewer=None)["view"]

    def test_while_a_race_runs_one_sees_ones_own_and_no_draws(self, toy_game: MakeGame) -> None:
        game = toy_game()
        game.act(1, "rest")
        step = replay_step(race=game.race, entry=1, viewer=game.seat(2), eyes=1)
        assert step["eyes"] == step["view"]["viewer"] == 2
        assert step["entry"]["draws"] == step["entry"]["acts"] == []
        assert replay_step(race=game.race, entry=1, viewer=None, eyes=1)["view"]["hand"] == []

    @pytest.mark.parametrize("entry", [-1, 99])
    def test_an_entry_that_is_not_there_is_said_so(self, toy_game: MakeGame, entry: int) -> None:
        with pytest.raises(EntryUnknown):
            replay_step(race=toy_game().race, entry=entry, viewer=None)

    def test_before_the_start_there_is_nothing_to_see(self, alice: User) -> None:
        with pytest.raises(RaceNotOver):
            replay_step(race=race_create(by=alice, name="Later", ruleset="toy"), entry=0, viewer=None)


class TestReplayCheck:
    def test_races_under_way_replay(self, toy_game: MakeGame) -> None:
        game, other = toy_game(), toy_game()
        game.act(1, "rest")
        finished(toy_game)
        out = StringIO()
        call_command("replay_check", stdout=out)
        assert "2 races replay." in out.getvalue()
        call_command("replay_check", "--all", stdout=out)
        assert "3 races replay." in out.getvalue()
        call_command("replay_check", other.race.public_id, stdout=out)
        assert "1 races replay." in out.getvalue()

    def test_rules_that_have_changed_are_noticed(self, toy_game: MakeGame, monkeypatch: pytest.MonkeyPatch) -> None:
        game = toy_game()
        game.act(1, "rest")
        real = type(RULESETS["toy"])._turn_over  # type: ignore[attr-defined]

        def other(self: Any, state: Any, events: Any) -> Any:
            return real(self, msgspec.structs.replace(state, turn=state.turn + 1), events)

        monkeypatch.setattr(type(RULESETS["toy"]), "_turn_over", other)
        out = StringIO()
        with pytest.raises(CommandError, match="1 of 1 races do not replay"):
            call_command("replay_check", stdout=out)
        assert out.getvalue() == f"race {game.race.public_id}: entry 1: the state differs from the recorded one\n"

    def test_a_changed_snapshot_is_noticed(self, toy_game: MakeGame) -> None:
        game = toy_game(hands={1: (6, 6, 6)})
        assert replay_fault(race=game.race) == "the stored state is not that of the last entry"

    def test_a_broken_snapshot_is_noticed(self, toy_game: MakeGame) -> None:
        game = toy_game()
        Snapshot.objects.filter(race_id=game.pk).update(state=b"?")
        assert replay_fault(race=game.race)


class TestLog:
    def test_everybody_sees_the_public_part_and_each_ones_own(self, toy_game: MakeGame) -> None:
        game = toy_game()
        game.act(1, "rest")

        def texts(viewer: int | None) -> list[str]:
            seat = None if viewer is None else game.seat(viewer)
            return [line["text"] for line in log_of(race=game.race, viewer=seat)]

        name = game.present(None)["names"]["1"]
        assert texts(None) == [f"{name} (car 1) rests. (2.4)"]
        own, other = texts(1), texts(2)
        assert own[0] == other[0] == "You are dealt 3 cards. (1.1)"
        assert len(own) == 3
        assert own[2].startswith("You draw ")
        assert len(other) == 2

    def test_it_can_be_read_from_an_entry_on_and_from_its_end(self, toy_game: MakeGame) -> None:
        game = toy_game()
        for number in (1, 2, 3):
            game.act(number, "rest")
        whole = log_of(race=game.race, viewer=None)
        assert [line["entry"] for line in whole] == [1, 2, 3]
        assert log_of(race=game.race, viewer=None, since=1) == whole[1:]
        assert log_of(race=game.race, viewer=None, last=2) == whole[1:]
        assert log_of(race=game.race, viewer=None, since=2, last=2) == whole[2:]
        assert log_of(race=game.race, viewer=None, last=0) == []

    def test_a_seat_of_another_race_is_a_spectator_here(self, toy_game: MakeGame) -> None:
        game, other = toy_game(), toy_game()
        assert log_of(race=game.race, viewer=other.seat(1)) == log_of(race=game.race, viewer=None)

    def test_turns_are_counted_along_the_lines(self, roadkill: Race) -> None:
        turns = [line["turn"] for line in log_of(race=roadkill, viewer=None)]
        assert turns == sorted(turns)
        assert len(set(turns)) > 5


@pytest.mark.parametrize("name", ["sweep", "race_export", "race_import", "verify_race", "replay_check", "demo_race"])
def test_commands_tell_what_they_are_for(name: str) -> None:
    command = load_command_class("games", name)
    told = command.create_parser("manage.py", name).format_help()
    assert command.help.split()[0] in told
    assert len(command.help) > 60


class TestSweepAndDemo:
    def test_a_sweep_says_what_it_did_and_fails_on_faults(self, toy_game: MakeGame) -> None:
        game = toy_game()
        out = StringIO()
        call_command("sweep", stdout=out)
        assert "0 races were due" in out.getvalue()
        Race.objects.filter(pk=game.pk).update(wake_at=game.race.started_at)
        Snapshot.objects.filter(race_id=game.pk).update(state=b"?")
        out = StringIO()
        with pytest.raises(CommandError, match=game.race.public_id):
            call_command("sweep", "--json", stdout=out)
        assert list(json.loads(out.getvalue())["faults"]) == [game.race.public_id]

    def test_the_demo_is_you_and_three_bots_one_of_them_slow(self, db: None) -> None:
        out = StringIO()
        call_command("demo_race", stdout=out)
        race = Race.objects.get()
        assert race.public_id in out.getvalue()
        assert (race.status, race.ruleset, race.policy) == ("running", "roadkill", "paced")
        seats = race.seats.all()
        assert sorted(seat.bot for seat in seats) == ["", "driver", "driver", "driver"]
        assert sorted(seat.bot_delay_s for seat in seats) == [0, 0, 0, 20]
        call_command("demo_race", stdout=out)
        assert Race.objects.count() == 1
        call_command("demo_race", "--email", "other@example.org", stdout=out)
        assert Race.objects.count() == 2
        assert User.objects.get(email="other@example.org").display_name == "Robin 2"

    def test_the_demo_begins_with_a_question_for_you_and_nothing_of_other_starts_remains(self, db: None) -> None:
        for number in range(6):
            race, person = demo_race(email=f"looker{number}@example.org")
            assert [row.seat.player for row in Decision.objects.filter(race=race)] == [person]
            assert set(OutboxEvent.objects.filter(race=race, seat__player=person).values_list("kind", flat=True)) >= {
                "turn"
            }
            assert race.reaction_minutes <= 2
        assert Race.objects.count() == 6

    def test_a_race_nobody_has_is_said_so(self, db: None) -> None:
        with pytest.raises(RaceUnknown):
            race_for_operator(public_id="none")
