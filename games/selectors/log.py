"""The story of a race as one viewer may know it."""

from typing import Any

from games.models import Entry, Race, Seat
from games.runtime.position import ruleset_of
from games.runtime.present import names_of, seats_read
from games.runtime.story import lines_of


def log_of(
    *, race: Race, viewer: Seat | None, since: int | None = None, last: int | None = None
) -> list[dict[str, Any]]:
    """Log lines, oldest first: {"entry", "at", "turn", "kind", "rule", "text"}.

    ``since``: only entries after this one; ``last``: only so many of the latest lines. Once a race is over everybody
    sees what its spectators saw and their own part; the replay shows the rest. Raises RaceFaulty.
    """
    entries = Entry.objects.filter(race=race).only("race_id", "seq", "turn", "events", "created_at")
    if since is not None:
        entries = entries.filter(seq__gt=since)
    # An entry without a told event gives no line, so a limit on lines cannot be one on entries; it is read backwards
    # until enough.
    number = viewer.number if viewer is not None and viewer.race_id == race.pk else None
    ruleset, names = ruleset_of(race), names_of(seats_read(race))
    lines: list[dict[str, Any]] = []
    if last is None:
        return lines_of(race, ruleset, entries.order_by("seq"), viewer=number, names=names)
    for entry in entries.order_by("-seq").iterator(chunk_size=50):
        if len(lines) >= last:
            break
        lines = lines_of(race, ruleset, [entry], viewer=number, names=names) + lines
    return lines[-last:] if last else []
