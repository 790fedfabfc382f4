"""Bots answer what is asked of their seats, from what those seats may see."""

from datetime import datetime


def bots_answer(*, race_id: int, now: datetime | None = None) -> int:
    """Give every bot's answer that is due in this race, and those that become due at once by them; returns how many."""
    raise NotImplementedError
