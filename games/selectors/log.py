"""The story of a race as one viewer may know it."""

from typing import Any

from games.models import Race, Seat


def log_of(
    *, race: Race, viewer: Seat | None, since: int | None = None, last: int | None = None
) -> list[dict[str, Any]]:
    """Log lines, oldest first: {"entry", "at", "turn", "kind", "rule", "text"}.

    ``since``: only entries after this one; ``last``: only so many of the latest lines. Once a race is over everybody sees what its
    spectators saw and their own part; the replay shows the rest.
    """
    raise NotImplementedError
