"""How each game's course, hand and panel are told in a letter.

One module a ruleset, and one line each in BOARDS.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from notifications.boards import roadkill
from notifications.boards.base import Card, Figure, Section


class Board(Protocol):
    """What a ruleset's module offers. ``view`` is the view JSON of one viewer."""

    def course(self, view: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Section, ...]:
        """The course from its front to the start line."""
        ...

    def hand(self, view: Mapping[str, Any]) -> tuple[Card, ...]:
        """The viewer's own cards."""
        ...

    def figures(self, view: Mapping[str, Any]) -> tuple[Figure, ...]:
        """The viewer's own panel."""
        ...


BOARDS: Final[dict[str, Board]] = {
    "roadkill": roadkill,
}


def course_of(ruleset: str, view: Mapping[str, Any] | None, names: Mapping[str, str]) -> tuple[Section, ...]:
    """The course as the viewer sees it.

    Empty before the start, and for a game whose board is not told in letters.
    """
    board = BOARDS.get(ruleset)
    return board.course(view, names) if board and view else ()


def hand_of(ruleset: str, view: Mapping[str, Any] | None) -> tuple[Card, ...]:
    """The viewer's hand; empty as for course_of."""
    board = BOARDS.get(ruleset)
    return board.hand(view) if board and view else ()


def figures_of(ruleset: str, view: Mapping[str, Any] | None) -> tuple[Figure, ...]:
    """The viewer's panel; empty as for course_of."""
    board = BOARDS.get(ruleset)
    return board.figures(view) if board and view else ()
