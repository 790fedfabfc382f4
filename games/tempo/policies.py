"""Closing policies: when a window closes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

POLICIES: Final = {
    "open": (
        "Answers to a question out of turn are sealed until the last one is in, and a driver who could not answer is "
        "not asked: fastest, but the speed of an answer tells something about hands."
    ),
    "paced": (
        "Answers to a question out of turn are sealed until the last one is in. If one driver alone is asked, they "
        "stay sealed for a while of random length, whatever that driver holds: the time tells nothing about hands."
    ),
    "strict": (
        "Answers to a question out of turn are sealed until its deadline, never less: slow, and the time tells nothing "
        "about hands."
    ),
}
DEFAULT: Final = "paced"


@dataclass(frozen=True)
class Asked:
    """One decision of a window, as far as its closing depends on it."""

    due_at: datetime
    hold_until: datetime | None
    is_answered: bool


def closes_at(policy: str, asked: Sequence[Asked]) -> datetime | None:
    """From when on the window may close as things stand; None means with the last missing answer, at once.

    Never later than its deadline: an answer that is still missing then lapses.
    """
    due_at = max(one.due_at for one in asked)
    if policy == "strict" or not all(one.is_answered for one in asked):
        return due_at
    holds = [one.hold_until for one in asked if one.hold_until is not None]
    if policy == "open" or not holds:
        return None
    return min(due_at, max(holds))
