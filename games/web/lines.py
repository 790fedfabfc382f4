"""Lines of lists of races: what a list shows of each, some with the course in miniature."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from games.engine.errors import ActionRefused
from games.selectors import races, seats
from games.web import boards
from games.web.pages import waiting_name

DRAWN: Final = 8
"""So many lines of a list have their course drawn; each needs the race's whole view."""


def lines_of(summaries: Iterable[Mapping[str, Any]], status: str) -> list[dict[str, Any]]:
    """The summaries of this status as lines: the race's own facts, what is asked, who is waited for, who won."""
    return [_line(summary) for summary in summaries if summary["race"]["status"] == status]


def _line(summary: Mapping[str, Any]) -> dict[str, Any]:
    drivers = {str(seat["seat"]): seat["name"] for seat in summary["seats"] if seat["seat"] is not None}
    winners = summary["result"]["places"][0] if summary["result"] else []
    return {
        **summary["race"],
        "asked": summary["asked"],
        "your_state": summary["your_state"],
        "free": summary["race"]["seats_wanted"] - len(summary["seats"]),
        "waiting": summary["waiting"],
        "waiting_name": waiting_name({"waiting": summary["waiting"], "drivers": drivers}),
        "winners": [driver["name"] for driver in winners],
    }


def with_course(lines: Iterable[Mapping[str, Any]], *, user: Any) -> list[dict[str, Any]]:
    """The lines of running races, the first of them with ``mini``. A race that cannot be read keeps its line."""
    return [{**line, **(_drawn(line, user) if place < DRAWN else {})} for place, line in enumerate(lines)]


def _drawn(line: Mapping[str, Any], user: Any) -> dict[str, Any]:
    try:
        race = races.race_get(public_id=line["id"], user=user)
        presentation = races.race_present(race=race, viewer=seats.seat_of(race=race, user=user), log_last=0)
    except ActionRefused:
        return {}
    board = boards.board_of(presentation)
    if presentation["view"] is None or board is None or board.mini is None:
        return {}
    return {"mini": board.mini(presentation)}
