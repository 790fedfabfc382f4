"""Component sets: cards, number lines, events, upgrades, tracks and panel of a box, read from plain files.

This module is the one place in the rules that reads files. Each folder beside it is a set; a host registers
more. A set is checked whole before anybody plays with it.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

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
    MOST_BYTES,
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
from games.rulesets.roadkill.components.tables import MalformedSet, TomlTable, decoded

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
]

_SET_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")


class UnknownSet(LookupError):
    """No component set of this name is here."""


def column_for(k: int) -> str:
    """Return the column that a draw among `k` (2 to 10) is read from (4.4)."""
    return COLUMN_OF_SIZE[k]


def load(folder: Path) -> ComponentSet:
    """Read and check the component set in `folder`; raise MalformedSet with file, line and reason."""
    about = _toml(folder, "set.toml")
    about.only((), ("name", "title", "version", "source", "number_lines"))
    about.only(("number_lines",), ("check_highest", "seed", "provenance"))
    name = about.words(("name",))
    if not _SET_NAME.fullmatch(name):
        about.refuse(("name",), "name should be lower-case letters, digits and underscores, 40 at most")
    if name != folder.name:
        about.refuse(("name",), f'name is "{name}" and the folder is called "{folder.name}"')
    if about.has(("number_lines", "seed")):
        about.whole(("number_lines", "seed"), 0, 2**63)

    attacks, attack_provenance = read_attacks(_toml(folder, "attacks.toml"))
    kinds = read_kinds(_text(folder, "cards.csv"))
    events_file = _toml(folder, "events.toml")
    events = read_events(events_file)
    check_highest = about.whole(("number_lines", "check_highest"), 6, 20)
    lines = read_number_lines(_text(folder, "number_lines.csv"), kinds, events, check_highest)
    card_kind, numbers, letters = lines
    borne = Counter(letters)
    for letter, event in events.items():
        if borne[letter] != event.count:
            events_file.refuse(
                (letter, "cards"),
                f"number_lines.csv has {letter} on {borne[letter]} cards and not on {event.count}",
            )

    tracks = read_tracks(_toml(folder, "tracks.toml"))
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
        upgrades=read_upgrades(_toml(folder, "upgrades.toml")),
        tracks=tracks,
        panel=read_panel(_toml(folder, "panel.toml")),
    )
    return msgspec.structs.replace(made, hash=_hash_of(made))


_packaged = Path(__file__).parent
_registered: list[Path] = []


@functools.cache
def named(name: str) -> ComponentSet:
    """Return the set of this name, packaged or registered; a process reads it once."""
    for folder in (_packaged, *_registered):
        if _SET_NAME.fullmatch(name) and (folder / name / "set.toml").is_file():
            return load(folder / name)
    raise UnknownSet(f'there is no component set "{name}"; there are {", ".join(names())}')


def register_folder(path: Path) -> None:
    """Add a host's folder of sets: each folder in it that holds a set.toml is a set.

    A set there may not take the name of another; that is refused with ValueError, a folder that does not
    exist with NotADirectoryError. Registering a folder twice does nothing.
    """
    folder = path.resolve()
    if not folder.is_dir():
        raise NotADirectoryError(f"{path} should be a folder of component sets and is none")
    if (folder / "set.toml").is_file():
        raise ValueError(f"{path} is itself a component set; name the folder around it")
    if folder in _registered or folder == _packaged:
        return
    taken = sorted(set(names()) & set(_sets_in(folder)))
    if taken:
        raise ValueError(f"{path} holds a component set whose name is taken: {', '.join(taken)}")
    _registered.append(folder)


def names() -> tuple[str, ...]:
    """Return the names of all sets, the packaged ones first; they are not read for this."""
    return tuple(name for folder in (_packaged, *_registered) for name in _sets_in(folder))


def _sets_in(folder: Path) -> list[str]:
    """Return the names of the set folders in a folder, in alphabetical order."""
    return sorted(inside.parent.name for inside in folder.glob("*/set.toml"))


def _text(folder: Path, file: str) -> tuple[str, str]:
    """Return a file's name and text."""
    path = folder / file
    if not path.is_file():
        raise MalformedSet(file, None, "the file is missing")
    if path.stat().st_size > MOST_BYTES:
        raise MalformedSet(file, None, f"the file is longer than {MOST_BYTES} bytes")
    return file, decoded(file, path.read_bytes())


def _toml(folder: Path, file: str) -> TomlTable:
    """Return a TOML file of the set."""
    return TomlTable(*_text(folder, file))


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


def _hash_of(made: ComponentSet) -> str:
    """Return the SHA-256 of what play depends on: a corrected word must not part a race from its set."""
    canonical = msgspec.json.encode(_without_wording(msgspec.to_builtins(made)), order="deterministic")
    return hashlib.sha256(canonical).hexdigest()


def _without_wording(value: Any) -> Any:
    """Return a copy of nested tables without the keys that carry words only."""
    if isinstance(value, dict):
        return {key: _without_wording(inner) for key, inner in value.items() if key not in _WORDING}
    if isinstance(value, list | tuple):
        return [_without_wording(inner) for inner in value]
    return value
