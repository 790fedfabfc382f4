"""Records: the export of a race, and its replay step by step."""

from typing import Any

from games.engine.record import Record
from games.models import Race, Seat


def record_of(*, race: Race) -> Record:
    """The whole record of a finished race, with its secret; raises RaceNotOver while it runs (it holds every draw)."""
    raise NotImplementedError


def record_bytes(*, race: Race) -> bytes:
    """The record as the text that verify_race reads; raises RaceNotOver."""
    raise NotImplementedError


def replay_step(*, race: Race, entry: int, viewer: Seat | None, eyes: int | None = None) -> dict[str, Any]:
    """A race after one of its entries.

    ``eyes``: once the race is over, the seat number through whose eyes to look (None: the viewer's own, or a spectator's). While it runs
    only a seated viewer's own view is given.

    {"race", "seats", "names", "you", "view": as in the presentation; "entry": {"seq", "at", "turn", "acts": [{"seat", "words", "origin"}],
    "draws": [{"label", "size", "result"}]}, "log": lines of this entry, "first", "previous", "next", "last": entry numbers or None,
    "turns": [{"turn", "entry"}]: where each turn begins}. Acts and draws are empty until the race is over.
    """
    raise NotImplementedError
