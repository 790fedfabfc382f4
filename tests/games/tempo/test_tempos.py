"""Named tempos: their minutes, their banks, and how long pauses may be."""

import pytest

from games.tempo.banks import Bank
from games.tempo.tempos import (
    DEFAULT,
    HOURS,
    MOST_MINUTES,
    MOST_PAUSE_MINUTES,
    TEMPOS,
    TempoRefused,
    pause_cap_text,
    tempo_key,
    tempo_minutes,
    tempo_of,
)


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


def test_who_sits_at_a_screen_has_a_bank_and_no_pauses() -> None:
    live = TEMPOS["live"]
    assert live.bank == Bank(balance_s=300, increment_s=60, cap_s=900)
    assert live.pause_cap == 0
    assert [tempo.key for tempo in TEMPOS.values() if tempo.bank is None] == ["daily", "relaxed", "weekly"]


@pytest.mark.parametrize("key", ["daily", "relaxed", "weekly"])
def test_a_slow_tempo_bears_a_weekend_and_its_nights(key: str) -> None:
    assert TEMPOS[key].pause_cap >= (48 + 3 * 8) * 60
    assert TEMPOS[key].turn < TEMPOS[key].pause_cap <= MOST_PAUSE_MINUTES


def test_a_tempo_is_found_by_its_minutes() -> None:
    assert all(tempo_of(turn=tempo.turn, reaction=tempo.reaction) is tempo for tempo in TEMPOS.values())


@pytest.mark.parametrize(
    ("turn", "pause_cap"),
    [(1, 0), (6 * 60 - 1, 0), (6 * 60, 12 * 60), (48 * 60, 96 * 60), (MOST_MINUTES, MOST_PAUSE_MINUTES)],
)
def test_own_hours_have_pauses_in_proportion_and_no_bank(turn: int, pause_cap: int) -> None:
    tempo = tempo_of(turn=turn, reaction=1)
    assert (tempo.key, tempo.pause_cap, tempo.bank) == (HOURS, pause_cap, None)


def test_the_lobby_says_how_long_pauses_may_be() -> None:
    assert pause_cap_text(0) == "Quiet hours, days off and holidays count like any other time."
    assert "up to 72 h for each answer" in pause_cap_text(72 * 60)
    assert tempo_of(turn=90, reaction=30).text == "1 h 30 min for a turn, 30 min for a reaction."
