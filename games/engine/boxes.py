"""Where the component sets of a ruleset lie, and what parts one from another; each folder with a set.toml is a set.

A ruleset says how its own files are read; finding, naming and comparing sets is the same for all.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from games.engine.tables import PROVENANCES, MalformedSet, TomlTable, decoded

MOST_BYTES = 1_000_000
"""The longest file that is read."""
SET_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")


class UnknownSet(LookupError):
    """No component set of this name is here."""


def names_in(folders: Iterable[Path]) -> tuple[str, ...]:
    """The names of all sets in these folders, folder by folder; the sets are not read for this."""
    return tuple(name for folder in folders for name in _sets_in(folder))


def folder_of(name: str, folders: Iterable[Path]) -> Path:
    """The folder of the set of this name. Raises UnknownSet."""
    places = tuple(folders)
    for folder in places:
        if SET_NAME.fullmatch(name) and (folder / name / "set.toml").is_file():
            return folder / name
    raise UnknownSet(f'there is no component set "{name}"; there are {", ".join(names_in(places))}')


def register(path: Path, *, packaged: Path, registered: list[Path]) -> None:
    """Add a host's folder of sets to those that are ``registered``; one that is there already is not added again.

    A set there may not take the name of another; that is refused with ValueError, a folder that does not
    exist with NotADirectoryError.
    """
    folder = path.resolve()
    if not folder.is_dir():
        raise NotADirectoryError(f"{path} should be a folder of component sets and is none")
    if (folder / "set.toml").is_file():
        raise ValueError(f"{path} is itself a component set; name the folder around it")
    if folder in registered or folder == packaged:
        return
    taken = sorted(set(names_in((packaged, *registered))) & set(_sets_in(folder)))
    if taken:
        raise ValueError(f"{path} holds a component set whose name is taken: {', '.join(taken)}")
    registered.append(folder)


def name_of(about: TomlTable, folder: Path) -> str:
    """The name in a set.toml; it should be that of the set's folder."""
    name = about.words(("name",))
    if not SET_NAME.fullmatch(name):
        about.refuse(("name",), "name should be lower-case letters, digits and underscores, 40 at most")
    if name != folder.name:
        about.refuse(("name",), f'name is "{name}" and the folder is called "{folder.name}"')
    return name


def text_in(folder: Path, file: str) -> tuple[str, str]:
    """A file's name and text."""
    path = folder / file
    if not path.is_file():
        raise MalformedSet(file, None, "the file is missing")
    if path.stat().st_size > MOST_BYTES:
        raise MalformedSet(file, None, f"the file is longer than {MOST_BYTES} bytes")
    return file, decoded(file, path.read_bytes())


def toml_in(folder: Path, file: str, sources: tuple[str, ...] = PROVENANCES) -> TomlTable:
    """A TOML file of a set; ``sources`` are the words for where a figure may come from."""
    return TomlTable(*text_in(folder, file), sources)


def hash_of(made: msgspec.Struct, wording: frozenset[str]) -> str:
    """The SHA-256 of what play depends on: a corrected word must not part a race from its set.

    ``wording``: names of the fields that hold words only.
    """
    canonical = msgspec.json.encode(_without(msgspec.to_builtins(made), wording), order="deterministic")
    return hashlib.sha256(canonical).hexdigest()


def _sets_in(folder: Path) -> list[str]:
    """The names of the set folders in a folder, in alphabetical order."""
    return sorted(inside.parent.name for inside in folder.glob("*/set.toml"))


def _without(value: Any, wording: frozenset[str]) -> Any:
    """A copy of nested tables without the keys that carry words only."""
    if isinstance(value, dict):
        return {key: _without(inner, wording) for key, inner in value.items() if key not in wording}
    if isinstance(value, list | tuple):
        return [_without(inner, wording) for inner in value]
    return value
