"""When a question lapses. All times are UTC; hours are hours."""

from datetime import datetime, timedelta


def reaction_due(*, now: datetime, reaction_minutes: int) -> datetime:
    """The deadline of a reaction that is asked for now."""
    return now + timedelta(minutes=reaction_minutes)


def turn_due(*, now: datetime, turn_minutes: int, reaction_minutes: int, left_s: int | None) -> datetime:
    """The deadline of a question of a turn.

    A turn has its hours once, however many acts it has: ``left_s`` are the seconds left when its owner was last asked
    (None: this is the turn's first question). Windows in between do not count. Whoever is asked anew has at least the
    time for a reaction, so that a turn never lapses because the others took long.
    """
    if left_s is None:
        return now + timedelta(minutes=turn_minutes)
    return now + max(timedelta(seconds=left_s), timedelta(minutes=reaction_minutes))


def seconds_left(*, now: datetime, due_at: datetime) -> int:
    """Whole seconds from now to a deadline, 0 when it has passed."""
    return max(0, int((due_at - now).total_seconds()))
