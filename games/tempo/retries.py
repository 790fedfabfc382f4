"""When a race that cannot go on by itself is tried again."""

from datetime import datetime, timedelta
from typing import Final

FIRST_RETRY: Final = timedelta(minutes=5)
LONGEST_RETRY: Final = timedelta(hours=6)


def retry_wait(count: int) -> timedelta:
    """How long to wait after a try that failed; ``count``: how many had failed before it."""
    return min(FIRST_RETRY * (1 << min(count, 10)), LONGEST_RETRY)


def retry_at(*, fault_at: datetime, count: int, wake_at: datetime | None) -> datetime | None:
    """When a race whose last try of ``count`` failed at ``fault_at`` is tried again, as far as that may be told.

    None: when the server would have looked after it anyway. That is so after a player's act, on which no wait begins;
    ``wake_at`` may then be when a window closes, which nobody is told.
    """
    if wake_at is None or count < 1:
        return None
    return wake_at if wake_at == fault_at + retry_wait(count - 1) else None
