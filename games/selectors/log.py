"""The story of a race as one viewer may know it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from games.models import Entry, Race, RaceNote, Seat
from games.runtime.position import ruleset_of
from games.runtime.present import names_of, seats_read
from games.runtime.story import lines_of, noted, notes_of
from games.runtime.words import Names

# "-1" stands before any entry, and only as the start that a race not begun gives.
_PLACE: Final = re.compile(r"(-1(?=\.0$)|[0-9]{1,9})(?:\.([0-9]{1,9}))?")


@dataclass(frozen=True)
class Place:
    """How far a race's log has been read: entry ``entry`` and the first ``notes`` of what was noted after it.

    Notes come after the last entry there is, so that whoever goes on from a place misses none. As a text it is "7.2";
    "7" alone is entry 7 with all that was noted before entry 8.
    """

    entry: int
    notes: int | None = None

    def __str__(self) -> str:
        return f"{self.entry}" if self.notes is None else f"{self.entry}.{self.notes}"

    @classmethod
    def of(cls, text: str) -> "Place":
        """The place that a text names; raises ValueError."""
        found = _PLACE.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return cls(int(found[1]), None if found[2] is None else int(found[2]))


START: Final = Place(-1, 0)
"""Nothing has been read."""


def place_now(race: Race) -> Place:
    """The place of whoever has read all that there is."""
    if race.status == "open":
        return START
    return Place(race.seq, RaceNote.objects.filter(race=race, seq=race.seq).count() if race.has_notes else 0)


def log_of(
    *,
    race: Race,
    viewer: Seat | None,
    since: int | Place | None = None,
    last: int | None = None,
    names: Names | None = None,
) -> list[dict[str, Any]]:
    """Log lines, oldest first: {"entry", "at", "turn", "kind", "rule", "text"}.

    ``since``: only entries after this one, or what comes after this place; ``last``: only so many of the latest lines;
    ``names``: those of a presentation, which are read if they are not given. Once a race is over everybody sees what
    its spectators saw and their own part; the replay shows the rest. Raises RaceFaulty.
    """
    entries = Entry.objects.filter(race=race).only("race_id", "seq", "turn", "events", "created_at")
    place = since if isinstance(since, Place) else None if since is None else Place(since)
    if place is not None:
        entries = entries.filter(seq__gt=place.entry)
    # An entry without a told event gives no line, so a limit on lines cannot be one on entries; it is read backwards
    # until enough.
    number = viewer.number if viewer is not None and viewer.race_id == race.pk else None
    ruleset, names = ruleset_of(race), names_of(seats_read(race)) if names is None else names
    lines: list[dict[str, Any]] = []
    notes = notes_of(race, since=0 if place is None else place.entry)
    missed = _missed(place, notes, names.cars)
    if last is None:
        return missed + lines_of(race, ruleset, entries.order_by("seq"), viewer=number, names=names, notes=notes)
    for entry in entries.order_by("-seq").iterator(chunk_size=50):
        if len(lines) >= last:
            break
        lines = lines_of(race, ruleset, [entry], viewer=number, names=names, notes=notes) + lines
    return (missed + lines)[-last:] if last else []


def _missed(place: Place | None, notes: Mapping[int, list[RaceNote]], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The lines of what was noted behind a place before the next entry."""
    if place is None or place.notes is None:
        return []
    return [noted(note, names) for note in notes.get(place.entry, [])[place.notes :]]


def log_page(
    *, race: Race, viewer: Seat | None, most: int | None, since: Place | None = None, before: int | None = None
) -> dict[str, Any]:
    """A part of the log: {"lines" (as log_of, oldest first), "earlier": bool, "later": bool: whether there are more}.

    "place" is the Place at which reading goes on, whether there are more lines now or later.

    ``since``: what comes after this place; ``before``: the latest of the entries before this one. Without
    either from the beginning on. ``most`` lines (None: all), and those that belong to the same entry as the last of
    them. Only what is shown is read, and one told entry more on the way. Raises RaceFaulty.
    """
    # No entry that the race's row does not know: a note might stand before it that was written after notes were read.
    entries = Entry.objects.filter(race=race, seq__lte=race.seq)
    entries = entries.only("race_id", "seq", "turn", "events", "created_at")
    is_backwards = before is not None
    place = START if since is None else since
    entries = entries.filter(seq__lt=before) if is_backwards else entries.filter(seq__gt=place.entry)
    number = viewer.number if viewer is not None and viewer.race_id == race.pk else None
    ruleset, names = ruleset_of(race), names_of(seats_read(race))
    notes = notes_of(race)
    missed = [] if is_backwards else _missed(place, notes, names.cars)
    told: list[list[dict[str, Any]]] = [missed]
    count, is_more = len(missed), False
    for entry in entries.order_by("-seq" if is_backwards else "seq").iterator(chunk_size=50):
        lines = lines_of(race, ruleset, [entry], viewer=number, names=names, notes=notes)
        if lines and most is not None and count >= most:
            is_more = True
            break
        told.append(lines)
        count += len(lines)
    page = [line for lines in (reversed(told) if is_backwards else told) for line in lines]
    is_last = before > race.seq if before is not None else not is_more
    at = race.seq if is_last and race.status != "open" else max([place.entry, *(line["entry"] for line in page)])
    return {
        "lines": page,
        "place": Place(at, len(notes.get(at, ()))),
        "earlier": is_more if is_backwards else bool(page) and since is not None,
        "later": before <= race.seq if before is not None else is_more,
    }


def log_text(*, race: Race, viewer: Seat | None) -> str:
    """The whole log as plain text, a line each: entry, time, turn, sentence. Raises RaceFaulty."""
    head = f"{race.name} ({race.public_id}), as {'everybody' if viewer is None else viewer.car_words} may know it"
    lines = log_of(race=race, viewer=viewer)
    told = (f"{line['entry']:>5}  {line['at']}  turn {line['turn']}: {line['text']}" for line in lines)
    return "\n".join([head, "", *told, ""])
