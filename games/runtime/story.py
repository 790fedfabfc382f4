"""The log of a race as one viewer may know it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from games.engine.contract import JSON, Ruleset
from games.models import Entry, Race, RaceNote
from games.runtime.play import GONE_BACK, TAKEN_BACK
from games.runtime.position import faults_told
from games.runtime.words import Names, stamp, with_driver, with_names


def lines_of(
    race: Race,
    ruleset: Ruleset[Any],
    entries: Iterable[Entry],
    *,
    viewer: int | None,
    names: Names,
    notes: Mapping[int, Sequence[RaceNote]],
) -> list[dict[str, JSON]]:
    """The told events of these entries, in order: {"entry", "at", "turn", "kind", "rule", "text"}.

    ``notes``: what the server has noted after each entry (notes_of); they are lines of the kind "note".
    """
    lines: list[dict[str, JSON]] = []
    with faults_told(race):
        for entry in entries:
            at = stamp(entry.created_at)
            turn = entry.turn
            for event in entry.events:
                seen = seen_by(event, viewer)
                if isinstance(seen.get("turn"), int):
                    turn = seen["turn"]
                text = back_text(event, names) or ruleset.tell(seen)
                if text:
                    lines.append(
                        {
                            "entry": entry.seq,
                            "at": at,
                            "turn": turn,
                            "kind": event["kind"],
                            "rule": event["rule"],
                            "text": _named(text, event, names),
                        }
                    )
            lines += [noted(note, names.cars) for note in notes.get(entry.seq, ())]
    return lines


def _named(text: str, event: Mapping[str, JSON], names: Names) -> str:
    """The sentence with names; where two drive a car, an event says by "player" which of the two it was."""
    driver = names.drivers.get(str(event["public"].get("player", "")))
    if not names.parts or driver is None:
        return with_names(text, names.cars)
    return with_driver(text, names, car=event["public"]["seat"], driver=driver)


def back_text(event: Mapping[str, JSON], names: Names) -> str:
    """The sentence of an event of going back (games.runtime.play.back_event); "" for the ruleset's own."""
    if event["kind"] == TAKEN_BACK:
        seat = event["public"]["seats"][0]
        who = f"«{names.drivers[str(seat)]}»" if names.are_shared else f"Car {seat}"
        return f"{who} took back: {event['public']['words']}."
    if event["kind"] == GONE_BACK:
        return f"All agreed to go back to entry {event['public']['to']}."
    return ""


def notes_of(race: Race, *, since: int = 0) -> dict[int, list[RaceNote]]:
    """What the server has noted, from this entry on: by the entry after which it happened."""
    found: dict[int, list[RaceNote]] = defaultdict(list)
    if race.has_notes:
        for note in RaceNote.objects.filter(race=race, seq__gte=since).order_by("pk"):
            found[note.seq].append(note)
    return found


def noted(note: RaceNote, names: Mapping[str, str]) -> dict[str, JSON]:
    """The line of something that the server has noted."""
    return {
        "entry": note.seq,
        "at": stamp(note.at),
        "turn": note.turn,
        "kind": "note",
        "rule": "",
        "text": with_names(note.text, names),
    }


def seen_by(event: Mapping[str, JSON], viewer: int | None) -> dict[str, JSON]:
    """What this viewer may know of a stored event: as games.engine.contract.Event.seen_by."""
    seen = {"kind": event["kind"], "rule": event["rule"], **event["public"]}
    if viewer is not None:
        seen.update(event["private"].get(str(viewer), {}))
    return seen
