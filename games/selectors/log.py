"""The story of a race as one viewer may know it."""

from collections.abc import Mapping
from typing import Any

from games.models import Entry, Race, Seat
from games.runtime.position import ruleset_of
from games.runtime.present import names_of, seats_read
from games.runtime.story import lines_of, notes_of


def log_of(
    *,
    race: Race,
    viewer: Seat | None,
    since: int | None = None,
    last: int | None = None,
    names: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Log lines, oldest first: {"entry", "at", "turn", "kind", "rule", "text"}.

    ``since``: only entries after this one; ``last``: only so many of the latest lines; ``names``: those of a
    presentation, which are read if they are not given. Once a race is over everybody
    sees what its spectators saw and their own part; the replay shows the rest. Raises RaceFaulty.
    """
    entries = Entry.objects.filter(race=race).only("race_id", "seq", "turn", "events", "created_at")
    if since is not None:
        entries = entries.filter(seq__gt=since)
    # An entry without a told event gives no line, so a limit on lines cannot be one on entries; it is read backwards
    # until enough.
    number = viewer.number if viewer is not None and viewer.race_id == race.pk else None
    ruleset, names = ruleset_of(race), names_of(seats_read(race)) if names is None else dict(names)
    lines: list[dict[str, Any]] = []
    notes = notes_of(race, since=0 if since is None else since + 1)
    if last is None:
        return lines_of(race, ruleset, entries.order_by("seq"), viewer=number, names=names, notes=notes)
    for entry in entries.order_by("-seq").iterator(chunk_size=50):
        if len(lines) >= last:
            break
        lines = lines_of(race, ruleset, [entry], viewer=number, names=names, notes=notes) + lines
    return lines[-last:] if last else []


def log_page(
    *, race: Race, viewer: Seat | None, most: int, since: int | None = None, before: int | None = None
) -> dict[str, Any]:
    """A part of the log: {"lines" (as log_of, oldest first), "earlier": bool, "later": bool: whether there are more}.

    ``since``: from the first entry after this one on; ``before``: the latest of the entries before this one. Without
    either from the beginning on. ``most`` lines, and those that belong to the same entry as the last of them. Only what
    is shown is read, and one told entry more on the way. Raises RaceFaulty.
    """
    entries = Entry.objects.filter(race=race).only("race_id", "seq", "turn", "events", "created_at")
    is_backwards = before is not None
    entries = entries.filter(seq__lt=before) if is_backwards else entries.filter(seq__gt=-1 if since is None else since)
    number = viewer.number if viewer is not None and viewer.race_id == race.pk else None
    ruleset, names = ruleset_of(race), names_of(seats_read(race))
    notes = notes_of(race)
    told: list[list[dict[str, Any]]] = []
    count, is_more = 0, False
    for entry in entries.order_by("-seq" if is_backwards else "seq").iterator(chunk_size=50):
        lines = lines_of(race, ruleset, [entry], viewer=number, names=names, notes=notes)
        if lines and count >= most:
            is_more = True
            break
        told.append(lines)
        count += len(lines)
    page = [line for lines in (reversed(told) if is_backwards else told) for line in lines]
    return {
        "lines": page,
        "earlier": is_more if is_backwards else bool(page) and since is not None,
        "later": before <= race.seq if before is not None else is_more,
    }


def log_text(*, race: Race, viewer: Seat | None) -> str:
    """The whole log as plain text, a line each: entry, time, turn, sentence. Raises RaceFaulty."""
    head = f"{race.name} ({race.public_id}), as {'everybody' if viewer is None else f'car {viewer.number}'} may know it"
    lines = log_of(race=race, viewer=viewer)
    told = (f"{line['entry']:>5}  {line['at']}  turn {line['turn']}: {line['text']}" for line in lines)
    return "\n".join([head, "", *told, ""])
