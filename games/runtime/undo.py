"""What a driver may take back: the last act, while nobody has learned anything by it and nobody else has acted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from games.engine.contract import JSON, Ruleset
from games.models import Decision, Entry, Race, Seat
from games.runtime.play import BY_HAND, action_of

MOST_UNDOS: Final = 10
"""So often a driver may take something back in one turn: each act may give the turn the time of a reaction anew."""


@dataclass(frozen=True)
class Undo:
    """An act that its driver may take back.

    ``entry``: where it stands; the race goes back to the state after entry ``to``. ``words``: the ruleset's.
    ``asides``: what seats had said without a question, which stands in the same entry: (seat, action).
    """

    entry: int
    to: int
    words: str
    asides: tuple[tuple[int, Mapping[str, JSON]], ...]


def undo_for(
    race: Race, ruleset: Ruleset[Any], seat: Seat, rows: Mapping[int, Decision], *, turn: int, view: JSON
) -> Undo | None:
    """What this seat may take back now, or None. One statement, and that only if it alone is asked outside a window.

    ``rows``: the open questions by seat number; ``turn`` and ``view``: of this moment, the view the seat's own.
    """
    if list(rows) != [seat.number] or any(row.window is not None for row in rows.values()) or seat.state != "joined":
        return None
    entry = _last_in_force(race, seat, turn)
    # Whoever took the seat over takes back no act of the driver before.
    if entry is None or not entry.may_undo or entry.seq <= seat.driver_seq:
        return None
    *asides, act = entry.acts
    if act["seat"] != seat.number or act["origin"] not in BY_HAND:
        return None
    return Undo(
        entry=entry.seq,
        to=entry.seq - 1,
        words=ruleset.say(view, action_of(ruleset, act["action"])),
        asides=tuple((aside["seat"], aside["action"]) for aside in asides),
    )


def _last_in_force(race: Race, seat: Seat, turn: int) -> Entry | None:
    """The last entry of this turn that the seat has not taken back; None past a return of everybody's."""
    rows = Entry.objects.filter(race=race, turn=turn).only("race_id", "seq", "acts", "back", "by", "may_undo")
    entries = {row.seq: row for row in rows}
    if sum(row.by == [seat.number] for row in entries.values()) >= MOST_UNDOS:
        return None
    seq = race.seq
    while (entry := entries.get(seq)) is not None and entry.back is not None:
        if entry.by != [seat.number]:
            return None
        seq = entry.back
    return entry
