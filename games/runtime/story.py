"""The log of a race as one viewer may know it."""

from collections.abc import Iterable, Mapping
from typing import Any

from games.engine.contract import JSON, Ruleset
from games.models import Entry, Race
from games.runtime.position import faults_told
from games.runtime.words import stamp, with_names


def lines_of(
    race: Race,
    ruleset: Ruleset[Any],
    entries: Iterable[Entry],
    *,
    viewer: int | None,
    names: Mapping[str, str],
) -> list[dict[str, JSON]]:
    """The told events of these entries, in order: {"entry", "at", "turn", "kind", "rule", "text"}."""
    lines: list[dict[str, JSON]] = []
    with faults_told(race):
        for entry in entries:
            at = stamp(entry.created_at)
            turn = entry.turn
            for event in entry.events:
                seen = seen_by(event, viewer)
                if isinstance(seen.get("turn"), int):
                    turn = seen["turn"]
                text = ruleset.tell(seen)
                if text:
                    lines.append(
                        {
                            "entry": entry.seq,
                            "at": at,
                            "turn": turn,
                            "kind": event["kind"],
                            "rule": event["rule"],
                            "text": with_names(text, names),
                        }
                    )
    return lines


def seen_by(event: Mapping[str, JSON], viewer: int | None) -> dict[str, JSON]:
    """What this viewer may know of a stored event: as games.engine.contract.Event.seen_by."""
    seen = {"kind": event["kind"], "rule": event["rule"], **event["public"]}
    if viewer is not None:
        seen.update(event["private"].get(str(viewer), {}))
    return seen
