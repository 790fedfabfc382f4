"""What the server does by itself: lapsed questions, windows, bots."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass
class SweepReport:
    """What a sweep did. ``faults``: race's public id -> sentence for the operator."""

    races: int = 0
    lapsed: int = 0
    closed: int = 0
    bot_answers: int = 0
    faults: dict[str, str] = field(default_factory=dict)


def sweep(*, now: datetime | None = None) -> SweepReport:
    """Do all that is due by now, each race in a transaction of its own. Safe to run twice, or twice at once."""
    raise NotImplementedError
