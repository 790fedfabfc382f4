"""What is asked of a person, over all races."""

from typing import Any

from games.models import Decision
from games.models.people import Person


def decisions_of(*, user: Person) -> list[dict[str, Any]]:
    """Open questions to this person, soonest deadline first.

    Each: {"race": {"id", "name", "title"}, "seat": number, "decision", "key", "kind", "rule", "text", "position", "due_at", "is_sealed": bool}.
    A race that is faulty gives {"fault": sentence} in place of "text".
    """
    raise NotImplementedError


def decision_get(*, decision_id: int) -> Decision | None:
    """An open decision with its seat, player and race, or None once it has been answered (a sealed one is still open)."""
    raise NotImplementedError
