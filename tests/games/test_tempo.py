"""Clocks, pure: tempos, deadlines, hold times and closing policies."""

from datetime import UTC, datetime, timedelta
from statistics import median

import pytest

from games.tempo.deadlines import reaction_due, seconds_left, turn_due
from games.tempo.holds import hold_seconds
from games.tempo.policies import Asked, closes_at
from games.tempo.tempos import DEFAULT, TEMPOS, TempoRefused, tempo_key, tempo_minutes

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize("key", list(TEMPOS))
def test_a_named_tempo_is_known_by_its_minutes(key: str) -> None:
    turn, reaction = tempo_minutes(tempo=key)
    assert tempo_key(turn=turn, reaction=reaction) == key
    assert 0 < reaction < turn


def test_the_usual_tempo_is_three_days_and_one() -> None:
    assert tempo_minutes(tempo=DEFAULT) == (72 * 60, 24 * 60)


def test_hours_are_kept_to_the_minute() -> None:
    assert tempo_minutes(tempo="hours", turn_hours=1.5, reaction_hours=1 / 60) == (90, 1)
    assert tempo_key(turn=90, reaction=1) == "hours"


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("tempo", {"tempo": "hasty"}),
        ("tempo", {"tempo": "weekly", "reaction_hours": 1}),
        ("turn_hours", {"tempo": "hours"}),
        ("turn_hours", {"tempo": "hours", "turn_hours": 0, "reaction_hours": 1}),
        ("turn_hours", {"tempo": "hours", "turn_hours": 1441, "reaction_hours": 1}),
        ("turn_hours", {"tempo": "hours", "turn_hours": float("inf"), "reaction_hours": 1}),
        ("reaction_hours", {"tempo": "hours", "turn_hours": 2, "reaction_hours": float("nan")}),
        ("reaction_hours", {"tempo": "hours", "turn_hours": 2, "reaction_hours": 3}),
    ],
)
def test_a_tempo_that_cannot_be_is_refused(field: str, given: dict[str, float | str]) -> None:
    with pytest.raises(TempoRefused) as refused:
        tempo_minutes(**given)  # type: ignore[arg-type]
    assert refused.value.field == field


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


def lengths(secret: bytes = b"secret", reaction_seconds: int = 86_400) -> list[int]:
    return [
        hold_seconds(secret=secret, seat=seat, turn=turn, reaction_seconds=reaction_seconds)
        for seat in range(1, 11)
        for turn in range(400)
    ]


def test_half_of_the_hold_times_are_under_a_tenth_of_the_reaction_time() -> None:
    drawn = lengths()
    assert 0.095 < median(drawn) / 86_400 < 0.105
    assert 0.08 < sum(length < 0.046 * 86_400 for length in drawn) / len(drawn) < 0.12
    assert 0.08 < sum(length > 0.216 * 86_400 for length in drawn) / len(drawn) < 0.12


def test_a_hold_time_is_within_the_reaction_time_and_never_nothing() -> None:
    assert all(1 <= length <= 86_400 for length in lengths())
    assert set(lengths(reaction_seconds=1)) == {1}


def test_a_hold_time_depends_on_secret_seat_and_turn_alone() -> None:
    assert lengths() == lengths()
    assert lengths() != lengths(secret=b"other")
    assert len(set(lengths())) > 3000


def asked(*, hold: float | None = None, answered: bool = False, due: float = 24) -> Asked:
    return Asked(NOW + due * HOUR, None if hold is None else NOW + hold * HOUR, answered)


@pytest.mark.parametrize(
    ("policy", "window", "hours"),
    [
        ("open", [asked()], 24),
        ("open", [asked(answered=True), asked()], 24),
        ("open", [asked(answered=True)], None),
        ("open", [asked(hold=3, answered=True)], None),
        ("paced", [asked(hold=3)], 24),
        ("paced", [asked(hold=3, answered=True), asked()], 24),
        ("paced", [asked(hold=3, answered=True), asked(hold=5, answered=True)], 5),
        ("paced", [asked(hold=30, answered=True)], 24),
        ("paced", [asked(answered=True)], None),
        ("strict", [asked(hold=3, answered=True)], 24),
        ("strict", [asked(answered=True)], 24),
        ("strict", [asked(due=20), asked(due=24)], 24),
    ],
)
def test_a_window_closes_by_its_policy(policy: str, window: list[Asked], hours: float | None) -> None:
    assert closes_at(policy, window) == (None if hours is None else NOW + hours * HOUR)
