"""Lines of lists of races: a summary with its course in miniature and the name of whoever is waited for."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from games.engine.errors import ActionRefused
from games.selectors import races, seats
from games.web import boards
from games.web.pages import waiting_name

DRAWN: Final = 8
"""So many lines of a list have their course drawn; each needs the race's whole view."""


def with_course(summaries: Iterable[Mapping[str, Any]], *, user: Any) -> list[dict[str, Any]]:
    """The summaries of running races, the first of them with ``mini`` and all with ``waiting_name``.

    A race that cannot be read keeps its line, without a drawing.
    """
    lines = []
    for place, summary in enumerate(summaries):
        line = {**summary, "waiting_name": summary_waiting(summary)}
        if place < DRAWN:
            line |= _drawn(summary, user)
        lines.append(line)
    return lines


def summary_waiting(summary: Mapping[str, Any]) -> str:
    """Whose turn a summary says is waited for, by name."""
    names = {str(seat["seat"]): seat["name"] for seat in summary["seats"] if seat["seat"] is not None}
    return waiting_name({"waiting": summary["waiting"], "names": names})


def _drawn(summary: Mapping[str, Any], user: Any) -> dict[str, Any]:
    try:
        race = races.race_get(public_id=summary["id"], user=user)
        presentation = races.race_present(race=race, viewer=seats.seat_of(race=race, user=user), log_last=0)
    except ActionRefused:
        return {}
    if presentation["view"] is None:
        return {}
    return {"mini": boards.board_of(presentation).mini(presentation["view"])}
