"""Records: the export of a race, and its replay step by step."""

from collections.abc import Sequence
from typing import Any

from games.engine import codec, record
from games.engine.errors import RecordBroken
from games.engine.record import Record
from games.models import Entry, Race, Seat
from games.runtime import replay
from games.runtime.errors import RaceFaulty
from games.runtime.position import position_of, ruleset_of
from games.selectors.errors import EntryUnknown, RaceNotOver


def record_of(*, race: Race) -> Record:
    """The whole record of a finished race, with its secret; raises RaceNotOver while it runs (it holds every draw)."""
    if race.status != "finished":
        raise RaceNotOver("The record can be had once the race is over: it holds every draw.")
    return record_for_operator(race=race)


def record_for_operator(*, race: Race) -> Record:
    """The record of a race that may still run, without its secret then. It holds every draw: for no player's eyes."""
    seats = list(Seat.objects.filter(race=race).exclude(state="left").select_related("player"))
    return replay.record_of_rows(race, seats, list(Entry.objects.filter(race=race).order_by("seq")))


def record_bytes(*, race: Race) -> bytes:
    """The record as the text that verify_race reads; raises RaceNotOver."""
    return record.dump(record_of(race=race))


def replay_step(*, race: Race, entry: int, viewer: Seat | None, eyes: int | None = None) -> dict[str, Any]:
    """A race after one of its entries; raises EntryUnknown, RaceFaulty, RaceNotOver (before its start).

    ``eyes``: once the race is over, the seat number through whose eyes to look (None: the viewer's own, or a
    spectator's). While it runs only the viewer's own view is given.

    {"race", "seats", "names", "you", "view", "board": as in the presentation; "eyes": seat number or None; "entry":
    {"seq", "at", "turn", "acts": [{"seat", "words", "action", "origin"}], "draws": [{"label", "size", "result"}]},
    "log": lines of this entry, "first", "previous", "next", "last": entry numbers or None, "turns": [{"turn",
    "entry"}]: where each turn is first acted in}. Acts and draws are empty until the race is over.
    """
    if race.started_at is None:
        raise RaceNotOver("The race has not started: there is nothing to look back on.")
    try:
        return replay.step(race, entry, viewer, eyes=eyes)
    except LookupError as unknown:
        raise EntryUnknown(f"The record has no entry {entry}.") from unknown


def races_to_check(*, is_all: bool, public_ids: Sequence[str] = ()) -> list[Race]:
    """The races whose replay an operator wants to see: those under way, with ``is_all`` finished ones too, or these."""
    races = Race.objects.filter(started_at__isnull=False).select_related("snapshot").order_by("pk")
    if public_ids:
        return list(races.filter(public_id__in=public_ids))
    return list(races if is_all else races.filter(status="running"))


def replay_fault(*, race: Race) -> str:
    """What differs when the race is replayed from its record under the rules as they are now; "" if nothing does."""
    try:
        ruleset = ruleset_of(race)
        played = record_for_operator(race=race)
        state = record.replay(ruleset, played)
        if codec.digest(position_of(race, getattr(race, "snapshot", None)).state) != codec.digest(state):
            return "the stored state is not that of the last entry"
    except RaceFaulty as fault:
        return fault.detail
    except RecordBroken as broken:
        return str(broken)
    return ""
