"""Deadlines by the calendars of those who are asked, through the services that open, close and lapse questions."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
import time_machine

from games.models import Decision, Race
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import holiday_take, holiday_take_back, hours_set
from tests.games.conftest import NOON, Game, MakeGame

Clock = time_machine.Traveller
STRIKE = {1: (3,), 2: (0,), 3: (5,)}
"""Car 1 can strike, car 2 can guard."""


def sits(game: Game, number: int) -> User:
    player = game.seat(number).player
    assert player is not None
    return player


def live(game: Game, number: int, **fields: Any) -> None:
    """Let the driver of this car have these hours from the next question on."""
    User.objects.filter(pk=sits(game, number).pk).update(**fields)


def row_of(game: Game, number: int) -> Decision:
    return Decision.objects.get(race_id=game.pk, seat__number=number)


def test_a_turn_is_due_by_the_hours_of_its_driver(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    live(game, 2, time_zone="Europe/Berlin", days_off=[5, 6], quiet_from=time(22), quiet_until=time(8))
    game.act(1, "rest")
    # Monday 14:00 in Berlin: 8 h that day, 14 h on each of four days, 8 h on the Monday after.
    assert row_of(game, 2).due_at == datetime(2026, 6, 8, 14, 0, tzinfo=UTC)
    asked = game.question(2)
    assert asked["due_rule"] == (
        "72 h from Mon 1 Jun 2026, 14:00 (Europe/Berlin); not counted: quiet hours (22:00 to 08:00), "
        "days off (Saturday, Sunday)."
    )


def test_the_rule_of_a_deadline_is_its_owners_alone(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    live(game, 2, time_zone="Asia/Tokyo")
    game.act(1, "rest")
    assert "Tokyo" in repr(game.present(2))
    for other in (1, 3, None):
        assert "Tokyo" not in repr(game.present(other))


def test_pauses_put_a_deadline_off_by_the_races_cap_at_most(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(pause_cap_hours=24)
    live(game, 2, days_off=[0, 1, 2, 3, 4])
    game.act(1, "rest")
    assert row_of(game, 2).due_at == NOON + timedelta(hours=96)


def test_where_pauses_count_they_count(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(pause_cap_hours=0)
    live(game, 2, days_off=[1, 2, 3, 4, 5, 6])
    game.act(1, "rest")
    assert row_of(game, 2).due_at == NOON + timedelta(hours=72)


def test_a_race_may_let_holidays_count(toy_game: MakeGame, clock: Clock) -> None:
    games = [toy_game(holidays_allowed=allowed) for allowed in (True, False)]
    for game in games:
        holiday_take(user=sits(game, 2), first=date(2026, 6, 2), last=date(2026, 6, 3))
        game.act(1, "rest")
    assert [row_of(game, 2).due_at - NOON for game in games] == [timedelta(hours=120), timedelta(hours=72)]


def test_a_holiday_puts_open_deadlines_off_and_taken_back_brings_them_nearer(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    player = sits(game, 1)
    holiday = holiday_take(user=player, first=date(2026, 6, 2), last=date(2026, 6, 5))
    assert row_of(game, 1).due_at == NOON + timedelta(hours=72 + 96)
    assert game.race.wake_at == NOON + timedelta(hours=72 + 96)
    clock.shift(timedelta(hours=1))
    holiday_take_back(user=player, holiday_id=holiday.pk)
    assert row_of(game, 1).due_at == NOON + timedelta(hours=72)


def test_a_holiday_taken_back_late_leaves_the_time_of_a_reaction(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    player = sits(game, 1)
    holiday = holiday_take(user=player, first=date(2026, 6, 2), last=date(2026, 6, 8))
    clock.move_to(NOON + timedelta(hours=90))
    holiday_take_back(user=player, holiday_id=holiday.pk)
    assert row_of(game, 1).due_at >= NOON + timedelta(hours=90 + 24)
    assert sweep().lapsed == 0


def test_a_change_of_hours_moves_no_deadline_of_others(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    before = row_of(game, 1).due_at
    hours_set(user=sits(game, 2), quiet_from=time(20), quiet_until=time(9), days_off=[6])
    assert row_of(game, 1).due_at == before


def test_several_acts_share_one_turns_counted_time(toy_game: MakeGame, clock: Clock) -> None:
    """A window comes between two questions of one turn: what the turn used is kept in time that counts."""
    game = toy_game(hands=STRIKE)
    live(game, 1, time_zone="UTC", quiet_from=time(20), quiet_until=time(8))
    hours_set(user=sits(game, 1), quiet_from=time(20), quiet_until=time(8), days_off=[])
    clock.shift(timedelta(hours=24))
    game.act(1, "strike 2 with 3")
    race = game.race
    assert (race.turn_mark, race.turn_used_s, race.turn_paused_s) == ("0:1", 12 * 3600, 12 * 3600)


# --- Clock changes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "start", "due"),
    [
        # Clocks go forward: three days later is the same time on the wall, an hour less by the sun.
        ("Europe/Berlin", datetime(2026, 3, 27, 17, 0, tzinfo=UTC), datetime(2026, 3, 30, 16, 0, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 10, 23, 16, 0, tzinfo=UTC), datetime(2026, 10, 26, 17, 0, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 6, 23, 0, tzinfo=UTC), datetime(2026, 3, 9, 22, 0, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 10, 30, 22, 0, tzinfo=UTC), datetime(2026, 11, 2, 23, 0, tzinfo=UTC)),
        # Half an hour.
        ("Australia/Lord_Howe", datetime(2026, 4, 3, 3, 0, tzinfo=UTC), datetime(2026, 4, 6, 3, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 10, 2, 3, 30, tzinfo=UTC), datetime(2026, 10, 5, 3, 0, tzinfo=UTC)),
        # 02:30 three days on does not exist in Berlin; it is the first instant after the gap.
        ("Europe/Berlin", datetime(2026, 3, 26, 1, 30, tzinfo=UTC), datetime(2026, 3, 29, 1, 0, tzinfo=UTC)),
        # 02:30 occurs twice; it is the first of the two.
        ("Europe/Berlin", datetime(2026, 10, 22, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
    ],
)
def test_a_turn_lapses_at_the_same_local_time_over_a_clock_change(
    toy_game: MakeGame, clock: Clock, zone: str, start: datetime, due: datetime
) -> None:
    clock.move_to(start)
    game = toy_game()
    live(game, 2, time_zone=zone)
    game.act(1, "rest")
    assert row_of(game, 2).due_at == due
    clock.move_to(due - timedelta(seconds=1))
    assert sweep().lapsed == 0
    clock.move_to(due)
    assert sweep().lapsed == 1


# --- Banks ------------------------------------------------------------------------------


def test_a_live_race_keeps_a_bank_for_each_seat(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(tempo="live")
    assert [seat["bank_s"] for seat in game.present(None)["seats"]] == [300, 300, 300]
    assert row_of(game, 1).due_at == NOON + timedelta(minutes=15)
    clock.shift(timedelta(minutes=12))
    game.act(1, "rest")
    # Two minutes of the bank are used, one comes back.
    assert game.seat(1).bank_s == 240
    game.act(2, "rest")
    assert game.seat(2).bank_s == 360


def test_a_turn_that_lapses_has_used_its_bank(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(tempo="live")
    clock.shift(timedelta(minutes=15))
    assert sweep().lapsed == 1
    assert game.seat(1).bank_s == 0


def test_without_a_bank_a_live_turn_has_its_minutes(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(tempo="live", bank=False)
    assert row_of(game, 1).due_at == NOON + timedelta(minutes=10)
    assert game.seat(1).bank_s is None


# --- Windows ----------------------------------------------------------------------------


def test_all_questions_of_a_window_have_one_deadline_by_who_is_singled_out(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(hands=STRIKE)
    live(game, 2, quiet_from=time(22), quiet_until=time(10))
    live(game, 3, days_off=[1, 2, 3])
    game.act(3, action={"do": "wish", "snuff": True})
    game.act(1, "strike 2 with 3")
    rows = Decision.objects.filter(race_id=game.pk, window__isnull=False)
    assert {row.seat.number: row.due_at for row in rows} == {
        2: NOON + timedelta(hours=48),
        3: NOON + timedelta(hours=48),
    }
    assert "quiet hours" in game.question(2)["due_rule"]
    assert game.question(3)["due_rule"] == "24 h. All who may be asked here have one deadline: the latest of theirs."


@pytest.mark.parametrize("wishes", [True, False])
def test_the_deadline_of_a_window_does_not_tell_who_wished_to_be_asked(
    toy_game: MakeGame, clock: Clock, wishes: bool
) -> None:
    """Car 3 has the longest pauses of all, but is asked by its own wish only."""
    game = toy_game(hands=STRIKE)
    live(game, 3, days_off=[1, 2, 3])
    if wishes:
        game.act(3, action={"do": "wish", "snuff": True})
    game.act(1, "strike 2 with 3")
    assert game.present(None)["waiting"] == {"kind": "window", "closes_by": "2026-06-02T12:00:00Z"}


def test_an_open_question_goes_on_when_races_get_clocks(toy_game: MakeGame, clock: Clock) -> None:
    """What the migration writes for a question of before: it lapses when it would have."""
    game = toy_game()
    Race.objects.filter(pk=game.pk).update(pause_cap_minutes=0)
    row = row_of(game, 1)
    assert row.left_s == int((row.due_at - row.opened_at).total_seconds())
    assert (row.counts_from, row.used_s) == (row.opened_at, 0)
