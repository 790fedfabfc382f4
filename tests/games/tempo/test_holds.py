"""Hold times: their lengths, and what they depend on."""

from statistics import median

from games.tempo.holds import hold_seconds


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
