"""Component sets: cards, number lines, events, upgrades, tracks and panel of a box, read from plain files.

This module is the one place in the rules that reads files. Each folder beside it is a set; a host registers
more. A set is checked whole before anybody plays with it.
"""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from games.engine import boxes, codec
from games.engine.boxes import UnknownSet
from games.rulesets.roadkill.components.reading import (
    read_attacks,
    read_events,
    read_kinds,
    read_number_lines,
    read_panel,
    read_tracks,
    read_upgrades,
)
from games.rulesets.roadkill.components.shapes import (
    BEGINNERS,
    COLUMN_OF_SIZE,
    COLUMNS,
    FEWEST_CARDS,
    PUT_ASIDE,
    UPGRADE_KEYS,
    ComponentSet,
    DamageResult,
    EventKind,
    Kind,
    Panel,
    Problem,
    Track,
    TrackSection,
    Upgrade,
)
from games.rulesets.roadkill.components.tables import MalformedSet

__all__ = [
    "BEGINNERS",
    "COLUMNS",
    "PUT_ASIDE",
    "UPGRADE_KEYS",
    "ComponentSet",
    "DamageResult",
    "EventKind",
    "Kind",
    "MalformedSet",
    "Panel",
    "Problem",
    "Track",
    "TrackSection",
    "UnknownSet",
    "Upgrade",
    "column_for",
    "load",
    "named",
    "names",
    "register_folder",
    "shown",
]


def column_for(k: int) -> str:
    """Return the column that a draw among `k` (2 to 10) is read from (4.4)."""
    return COLUMN_OF_SIZE[k]


def load(folder: Path) -> ComponentSet:
    """Read and check the component set in `folder`; raise MalformedSet with file, line and reason."""
    about = boxes.toml_in(folder, "set.toml")
    about.only((), ("name", "title", "version", "source", "number_lines"))
    about.only(("number_lines",), ("check_highest", "seed", "provenance"))
    name = boxes.name_of(about, folder)
    if about.has(("number_lines", "seed")):
        about.whole(("number_lines", "seed"), 0, 2**63)

    attacks, attack_provenance = read_attacks(boxes.toml_in(folder, "attacks.toml"))
    kinds = read_kinds(boxes.text_in(folder, "cards.csv"))
    events_file = boxes.toml_in(folder, "events.toml")
    events = read_events(events_file)
    check_highest = about.whole(("number_lines", "check_highest"), 6, 20)
    lines = read_number_lines(boxes.text_in(folder, "number_lines.csv"), kinds, events, check_highest)
    card_kind, numbers, letters = lines
    borne = Counter(letters)
    for letter, event in events.items():
        if borne[letter] != event.count:
            events_file.refuse(
                (letter, "cards"),
                f"number_lines.csv has {letter} on {borne[letter]} cards and not on {event.count}",
            )

    tracks = read_tracks(boxes.toml_in(folder, "tracks.toml"))
    left = sum(kind.count for kind in kinds if kind.key not in PUT_ASIDE)
    if BEGINNERS in tracks and left < FEWEST_CARDS:
        reason = f"the Beginner's Track is played with {left} cards (BT3); there should be {FEWEST_CARDS} at least"
        raise MalformedSet("tracks.toml", None, reason)

    made = ComponentSet(
        name=name,
        title=about.words(("title",)),
        version=about.whole(("version",), 1, 1_000_000),
        source=about.words(("source",)),
        hash="",
        kinds=kinds,
        kind_index={kind.key: kind.index for kind in kinds},
        card_kind=card_kind,
        card_keys=tuple(kinds[index].key for index in card_kind),
        numbers=numbers,
        letters=letters,
        line_provenance=about.provenances(("number_lines", "provenance"), ("check", "columns", "event")),
        attacks=attacks,
        attack_provenance=attack_provenance,
        events=events,
        upgrades=read_upgrades(boxes.toml_in(folder, "upgrades.toml")),
        tracks=tracks,
        panel=read_panel(boxes.toml_in(folder, "panel.toml")),
    )
    return msgspec.structs.replace(made, hash=boxes.hash_of(made, _WORDING))


_packaged = Path(__file__).parent
_registered: list[Path] = []


@functools.cache
def named(name: str) -> ComponentSet:
    """Return the set of this name, packaged or registered; a process reads it once."""
    return load(boxes.folder_of(name, (_packaged, *_registered)))


def register_folder(path: Path) -> None:
    """Add a host's folder of sets, see games.engine.boxes.register; raises NotADirectoryError and ValueError."""
    boxes.register(path, packaged=_packaged, registered=_registered)


def names() -> tuple[str, ...]:
    """Return the names of all sets, the packaged ones first; they are not read for this."""
    return boxes.names_in((_packaged, *_registered))


_WORDING = frozenset(
    {
        "title",
        "source",
        "version",
        "hash",
        "text",
        "effect",
        "provenance",
        "provenance_of",
        "line_provenance",
        "attack_provenance",
    }
)


def shown(found: ComponentSet) -> dict[str, Any]:
    """Every figure of a set and where it comes from, as JSON."""
    return {
        "cards": codec.to_json(found.kinds),
        "numbers": {column: list(values) for column, values in found.numbers.items()},
        "letters": found.letters,
        "number_provenance": dict(found.line_provenance),
        "card_of_number": list(found.card_keys),
        "attacks": codec.to_json(found.attacks),
        "attack_provenance": dict(found.attack_provenance),
        "events": codec.to_json(found.events),
        "upgrades": codec.to_json(found.upgrades),
        "tracks": codec.to_json(found.tracks),
        "panel": codec.to_json(found.panel),
    }
