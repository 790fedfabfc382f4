"""Deadlines of a race whose clocks know no calendar."""

from datetime import UTC, datetime, timedelta

from games.tempo.deadlines import reaction_due, seconds_left, turn_due

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_a_first_question_has_the_whole_turn() -> None:
    due = turn_due(now=NOW, turn_minutes=72 * 60, reaction_minutes=24 * 60, left_s=None)
    assert due == NOW + 72 * HOUR


def test_a_later_one_has_what_is_left_but_never_less_than_a_reaction() -> None:
    for left, expected in ((30 * 3600, 30), (3600, 24), (0, 24)):
        due = turn_due(now=NOW, turn_minutes=72 * 60, reaction_minutes=24 * 60, left_s=left)
        assert due == NOW + expected * HOUR


def test_a_reaction_has_its_time() -> None:
    assert reaction_due(now=NOW, reaction_minutes=90) == NOW + 1.5 * HOUR


def test_what_is_left_is_never_negative() -> None:
    assert seconds_left(now=NOW, due_at=NOW + timedelta(seconds=90, milliseconds=900)) == 90
    assert seconds_left(now=NOW, due_at=NOW - HOUR) == 0
