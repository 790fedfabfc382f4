"""Clocks that are stopped, put off, and credited: by the host, by consent, and after the server was away."""

from datetime import datetime, time, timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command

from games.models import Decision, ExtensionAsk, Heartbeat, Outage, Race, RaceNote, Snapshot
from games.selectors.clocks import clock_of
from games.selectors.log import log_of, log_page, log_text
from games.services.errors import FieldRefused, NotHost, NotYourDecision, NotYourSeat, RaceNotRunning
from games.services.extensions import extension_agree, extension_ask, extension_grant
from games.services.heartbeat import heartbeat_note
from games.services.pauses import race_pause, race_resume
from games.services.races import race_create
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import NOON, Game, MakeGame

Clock = time_machine.Traveller
STRIKE = {1: (3,), 2: (0,), 3: (5,)}
HOUR = timedelta(hours=1)


def sits(game: Game, number: int) -> User:
    player = game.seat(number).player
    assert player is not None
    return player


def due(game: Game) -> datetime:
    (at,) = set(Decision.objects.filter(race_id=game.pk).values_list("due_at", flat=True))
    return at


def notes(game: Game) -> list[str]:
    return [line["text"] for line in log_of(race=game.race, viewer=None) if line["kind"] == "note"]


# --- Stopped by the host ----------------------------------------------------------------


def test_a_race_that_stands_still_lapses_nothing_and_goes_on_with_the_time_it_had(
    toy_game: MakeGame, clock: Clock
) -> None:
    game = toy_game()
    clock.shift(10 * HOUR)
    race_pause(race_id=game.pk, by=game.race.host)
    race_pause(race_id=game.pk, by=game.race.host)
    clock.shift(200 * HOUR)
    assert sweep().races == 0
    assert game.present(None)["race"]["paused_at"] == "2026-06-01T22:00:00Z"
    race_resume(race_id=game.pk, by=game.race.host)
    assert due(game) == NOON + (210 + 62) * HOUR
    assert notes(game) == ["The host has stopped all clocks.", "The host has let the clocks go on."]
    clock.shift(62 * HOUR)
    assert sweep().lapsed == 1


def test_a_pause_lands_on_the_grid_of_whoever_is_asked(toy_game: MakeGame, clock: Clock) -> None:
    """What is left is counted from when the clocks go on: a pause over quiet hours gives no more than it took."""
    game = toy_game()
    User.objects.filter(pk=sits(game, 2).pk).update(quiet_from=time(20), quiet_until=time(8))
    game.act(1, "rest")
    assert due(game) == NOON + 6 * 24 * HOUR
    clock.shift(4 * HOUR)
    race_pause(race_id=game.pk, by=game.race.host)
    clock.shift(24 * HOUR)
    race_resume(race_id=game.pk, by=game.race.host)
    assert due(game) == NOON + 7 * 24 * HOUR


def test_a_turn_keeps_what_it_has_used_over_a_pause(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=STRIKE)
    clock.shift(10 * HOUR)
    race_pause(race_id=game.pk, by=game.race.host)
    clock.shift(100 * HOUR)
    race_resume(race_id=game.pk, by=game.race.host)
    clock.shift(5 * HOUR)
    game.act(1, "strike 2 with 3")
    assert game.race.turn_used_s == 15 * 3600


@pytest.mark.parametrize("policy", ["paced", "strict"])
def test_a_window_does_not_close_by_its_time_while_clocks_stand_still(
    toy_game: MakeGame, clock: Clock, policy: str
) -> None:
    game = toy_game(hands=STRIKE, policy=policy)
    game.act(1, "strike 2 with 3")
    opened = Decision.objects.get(race_id=game.pk)
    race_pause(race_id=game.pk, by=game.race.host)
    clock.shift(100 * HOUR)
    game.act(2, "guard")
    assert game.race.seq == 1
    race_resume(race_id=game.pk, by=game.race.host)
    row = Decision.objects.get(race_id=game.pk)
    assert row.due_at == opened.due_at + 100 * HOUR
    if policy == "paced":
        assert (opened.hold_until, row.hold_until) != (None, None)
        assert row.hold_until == opened.hold_until + 100 * HOUR  # type: ignore[operator]
    assert game.race.seq == 1


def test_who_acts_while_clocks_stand_still_loses_nothing(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    race_pause(race_id=game.pk, by=game.race.host)
    clock.shift(50 * HOUR)
    game.act(1, "rest")
    clock.shift(50 * HOUR)
    race_resume(race_id=game.pk, by=game.race.host)
    assert due(game) == NOON + 172 * HOUR


def test_only_the_host_stops_clocks_of_a_race_under_way(toy_game: MakeGame, clock: Clock, bob: User) -> None:
    game = toy_game()
    for act in (race_pause, race_resume):
        with pytest.raises(NotHost):
            act(race_id=game.pk, by=bob)
    gathering = race_create(by=bob, name="Not yet", ruleset="toy")
    with pytest.raises(RaceNotRunning):
        race_pause(race_id=gathering.pk, by=bob)


# --- More time --------------------------------------------------------------------------


def test_the_host_gives_more_time_once_per_key_and_up_to_the_cap(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(extension_cap_hours=10)
    host = game.race.host
    for _ in range(2):
        extension_grant(race_id=game.pk, by=host, minutes=6 * 60, key="a")
    assert due(game) == NOON + 78 * HOUR
    assert game.race.wake_at == NOON + 78 * HOUR
    with pytest.raises(FieldRefused, match="10 h in all, of which 4 h are left"):
        extension_grant(race_id=game.pk, by=host, minutes=5 * 60, key="b")
    extension_grant(race_id=game.pk, by=host, minutes=4 * 60, key="b")
    with pytest.raises(FieldRefused, match="all that this race allows"):
        extension_grant(race_id=game.pk, by=host, minutes=1, key="c")
    assert notes(game) == ["The host gives 6 h more for this question.", "The host gives 4 h more for this question."]
    # The next question has its own.
    game.act(1, "rest")
    extension_grant(race_id=game.pk, by=host, minutes=6 * 60, key="a")
    assert due(game) == NOON + 72 * HOUR, "the key was used: nothing changes"
    extension_grant(race_id=game.pk, by=host, minutes=6 * 60, key="d")
    assert due(game) == NOON + 78 * HOUR


def test_a_race_may_know_no_extensions(toy_game: MakeGame, clock: Clock, bob: User) -> None:
    game = toy_game(extension_cap_hours=0)
    with pytest.raises(FieldRefused, match="This race allows no extensions"):
        extension_grant(race_id=game.pk, by=game.race.host, minutes=1, key="a")
    with pytest.raises(NotHost):
        extension_grant(race_id=game.pk, by=bob, minutes=1, key="a")


def test_more_time_is_granted_when_all_other_drivers_agree(
    toy_game: MakeGame, clock: Clock, alice: User, bob: User, charlie: User
) -> None:
    game = toy_game()
    ask = extension_ask(race_id=game.pk, by=bob, minutes=60, key="a")
    assert extension_ask(race_id=game.pk, by=bob, minutes=60, key="a") == ask
    assert extension_agree(race_id=game.pk, by=alice, ask_id=ask.pk).granted_at is None
    assert clock_of(race=game.race, user=charlie)["asks"][0]["missing"] == ["Charlie"]
    assert due(game) == NOON + 72 * HOUR
    assert extension_agree(race_id=game.pk, by=charlie, ask_id=ask.pk).granted_at == NOON
    extension_agree(race_id=game.pk, by=charlie, ask_id=ask.pk)
    assert due(game) == NOON + 73 * HOUR
    assert notes(game)[-1] == "All other drivers agree: 1 h more for this question."


def test_a_request_is_void_once_the_race_has_moved_on(toy_game: MakeGame, clock: Clock, alice: User, bob: User) -> None:
    game = toy_game()
    ask = extension_ask(race_id=game.pk, by=bob, minutes=60, key="a")
    game.act(1, "rest")
    with pytest.raises(NotYourDecision, match="void"):
        extension_agree(race_id=game.pk, by=alice, ask_id=ask.pk)
    stranger = User.objects.create_user("dora@example.org", display_name="Dora")
    with pytest.raises(NotYourSeat):
        extension_ask(race_id=game.pk, by=stranger, minutes=60, key="a")
    assert ExtensionAsk.objects.count() == 1


def test_a_window_is_put_off_as_a_whole_whoever_is_asked(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=STRIKE)
    game.act(3, action={"do": "wish", "snuff": True})
    game.act(1, "strike 2 with 3")
    extension_grant(race_id=game.pk, by=game.race.host, minutes=90, key="a")
    assert due(game) == NOON + 25.5 * HOUR
    assert game.present(None)["waiting"] == {"kind": "window", "closes_by": "2026-06-02T13:30:00Z"}


def test_extra_time_is_used_first(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=STRIKE)
    extension_grant(race_id=game.pk, by=game.race.host, minutes=10 * 60, key="a")
    clock.shift(15 * HOUR)
    game.act(1, "strike 2 with 3")
    assert game.race.turn_used_s == 5 * 3600


# --- Outages ----------------------------------------------------------------------------


def beats(clock: Clock, *, until: datetime) -> None:
    """A heartbeat now and at the end of a silence."""
    heartbeat_note()
    clock.move_to(until)


def test_a_silence_of_the_server_puts_deadlines_off_before_anything_lapses(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.move_to(NOON + 70 * HOUR)
    beats(clock, until=NOON + 75 * HOUR)
    assert sweep().lapsed == 0
    assert due(game) == NOON + 77 * HOUR
    for _ in range(3):
        heartbeat_note()
        sweep()
    assert due(game) == NOON + 77 * HOUR
    assert notes(game) == [
        "The server was away from 10:00 to 15:00 UTC on 4 June 2026: the deadline is put off by 5 h."
    ]
    outage = Outage.objects.get()
    assert (outage.start, outage.end) == (NOON + 70 * HOUR, NOON + 75 * HOUR)
    clock.move_to(NOON + 77 * HOUR)
    Heartbeat.objects.update(at=NOON + 77 * HOUR)
    assert sweep().lapsed == 1


def test_the_first_heartbeat_after_a_silence_credits_too(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    clock.move_to(NOON + 70 * HOUR)
    beats(clock, until=NOON + 71 * HOUR)
    heartbeat_note()
    assert due(game) == NOON + 73 * HOUR
    assert Heartbeat.objects.get().at == NOON + 71 * HOUR


def test_deadlines_far_off_are_owed_nothing_and_short_silences_are_none(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    beats(clock, until=NOON + 5 * HOUR)
    heartbeat_note()
    assert due(game) == NOON + 72 * HOUR
    clock.move_to(NOON + 71 * HOUR)
    Heartbeat.objects.update(at=NOON + 71 * HOUR)
    clock.shift(240)
    heartbeat_note()
    assert due(game) == NOON + 72 * HOUR
    assert Outage.objects.count() == 1
    assert not RaceNote.objects.exists()


def test_one_race_that_fails_keeps_no_other_from_its_credit(toy_game: MakeGame, clock: Clock) -> None:
    bad, good = toy_game(), toy_game()
    Snapshot.objects.filter(race_id=bad.pk).update(state=b"{}")
    clock.move_to(NOON + 70 * HOUR)
    beats(clock, until=NOON + 71 * HOUR)
    heartbeat_note()
    assert due(good) == NOON + 73 * HOUR
    assert Race.objects.get(pk=bad.pk).fault


def test_a_window_is_credited_as_one(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=STRIKE)
    User.objects.filter(pk=sits(game, 3).pk).update(quiet_from=time(14), quiet_until=time(11))
    game.act(3, action={"do": "wish", "snuff": True})
    game.act(1, "strike 2 with 3")
    clock.move_to(NOON + 20 * HOUR)
    beats(clock, until=NOON + 22 * HOUR)
    heartbeat_note()
    assert due(game) == NOON + 26 * HOUR


def test_the_command_shows_gaps_and_credits_by_hand(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    assert said() == "The heartbeats tell of no gap.\n"
    clock.move_to(NOON + 71 * HOUR)
    args = ["--credit", "--since", "2026-06-04T09:00Z", "--until", "2026-06-04T10:30Z"]
    assert said(*args).startswith(
        "The deadlines of 1 races are put off.\n2026-06-04 09:00 to 2026-06-04 10:30 UTC, 1 h"
    )
    assert due(game) == NOON + 73.5 * HOUR
    assert said(*args).startswith("The deadlines of 0 races are put off.")
    assert said("--credit").startswith("The deadlines of 0 races are put off.")
    assert due(game) == NOON + 73.5 * HOUR
    for wrong in (
        ["--since", "2026-06-04T09:00Z"],
        ["--credit", "--since", "soon", "--until", "2026-06-04T10:30Z"],
        ["--credit", "--since", "2026-06-04T09:00", "--until", "2026-06-04T10:30Z"],
        ["--credit", "--since", "2026-06-04T11:00Z", "--until", "2026-06-04T10:30Z"],
    ):
        with pytest.raises(CommandError):
            said(*wrong)


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("heartbeat_gaps", *arguments, stdout=out)
    return out.getvalue()


# --- The log ----------------------------------------------------------------------------


def test_notes_stand_in_every_log_after_the_entry_that_they_follow(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    game.act(1, "rest")
    clock.shift(HOUR)
    race_pause(race_id=game.pk, by=game.race.host)
    race_resume(race_id=game.pk, by=game.race.host)
    game.act(2, "rest")
    shown: list[list[dict[str, Any]]] = [
        game.present(1)["log"],
        log_of(race=game.race, viewer=None, last=100),
        log_page(race=game.race, viewer=None, most=100)["lines"],
    ]
    for lines in shown:
        entries = [line["entry"] for line in lines]
        assert entries == sorted(entries)
        assert [line["entry"] for line in lines if line["kind"] == "note"] == [1, 1]
    assert "The host has stopped all clocks." in log_text(race=game.race, viewer=None)
