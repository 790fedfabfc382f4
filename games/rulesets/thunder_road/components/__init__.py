"""Component sets: dice, tokens, cards, commands and road tiles of a box, read from plain files.

This module is the one place in the rules that reads files. Each folder beside it is a set; a host registers
more. A set is checked whole before anybody plays with it: a tile that cannot be driven is refused.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from games.engine import boxes, codec
from games.engine.boxes import UnknownSet
from games.engine.tables import MalformedSet
from games.rulesets.thunder_road.components.reading import (
    read_crews,
    read_dice,
    read_markers,
    read_tiles,
    read_tokens,
)
from games.rulesets.thunder_road.components.shapes import (
    BASE_TILES,
    GROUND_NAMES,
    GROUNDS,
    SOURCES,
    SPOTS,
    SYMBOLS,
    TEST_TILE,
    Command,
    ComponentSet,
    Crew,
    Kind,
    Tile,
)

__all__ = [
    "BASE_TILES",
    "GROUNDS",
    "GROUND_NAMES",
    "SPOTS",
    "SYMBOLS",
    "TEST_TILE",
    "Command",
    "ComponentSet",
    "Crew",
    "Kind",
    "MalformedSet",
    "Tile",
    "UnknownSet",
    "lay_out",
    "load",
    "named",
    "names",
    "register_folder",
    "shown",
]


def load(folder: Path) -> ComponentSet:
    """Read and check the component set in `folder`; raise MalformedSet with file, line and reason."""
    about = boxes.toml_in(folder, "set.toml", SOURCES)
    about.only((), ("name", "title", "version", "source"))
    name = boxes.name_of(about, folder)
    crews, commands = read_crews(boxes.toml_in(folder, "crews.toml", SOURCES))
    dice, dice_provenance = read_dice(boxes.toml_in(folder, "dice.toml", SOURCES))
    tokens_file = boxes.toml_in(folder, "tokens.toml", SOURCES)
    tokens = read_tokens(tokens_file)
    markers, marker_provenance = read_markers(tokens_file)
    tiles, tile_provenance = read_tiles(boxes.toml_in(folder, "tiles.toml", SOURCES))
    made = ComponentSet(
        name=name,
        title=about.words(("title",)),
        version=about.whole(("version",), 1, 1_000_000),
        source=about.words(("source",)),
        hash="",
        crews=crews,
        dice=dice,
        dice_provenance=dice_provenance,
        damage=tokens["damage"],
        hazards=tokens["hazards"],
        ongoing=tokens["ongoing"],
        commands=commands,
        tiles=tiles,
        tile_provenance=tile_provenance,
        wrecks=markers["wrecks"],
        fires=markers["fires"],
        minors=markers["minors"],
        marker_provenance=marker_provenance,
    )
    return msgspec.structs.replace(made, hash=boxes.hash_of(made, _WORDING))


_WORDING = frozenset(
    {
        "title",
        "source",
        "version",
        "hash",
        "text",
        "provenance_of",
        "dice_provenance",
        "tile_provenance",
        "marker_provenance",
    }
)
_packaged = Path(__file__).parent
_registered: list[Path] = []
_laid_out: dict[str, ComponentSet] = {}


@functools.cache
def named(name: str) -> ComponentSet:
    """Return the set of this name: packaged, registered or laid out; a process reads it once."""
    laid = _laid_out.get(name)
    return load(boxes.folder_of(name, (_packaged, *_registered))) if laid is None else laid


def lay_out(rows: Sequence[Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """For tests: a set like ``classic`` with further tiles of these rows; its name, and the keys of the tiles.

    No file has it, so no race that is kept may be played with it.
    """
    box = named("classic")
    keys = tuple(f"{TEST_TILE}{number}" for number in range(1, len(rows) + 1))
    tiles = {
        key: msgspec.structs.replace(box.tiles[TEST_TILE], key=key, rows=tuple(one))
        for key, one in zip(keys, rows, strict=True)
    }
    name = "laid out " + hashlib.sha256("/".join(row for one in rows for row in one).encode()).hexdigest()[:12]
    _laid_out[name] = msgspec.structs.replace(box, name=name, tiles={**box.tiles, **tiles})
    return name, keys


def register_folder(path: Path) -> None:
    """Add a host's folder of sets, see games.engine.boxes.register; raises NotADirectoryError and ValueError."""
    boxes.register(path, packaged=_packaged, registered=_registered)


def names() -> tuple[str, ...]:
    """Return the names of all sets, the packaged ones first; they are not read for this."""
    return boxes.names_in((_packaged, *_registered))


def shown(found: ComponentSet) -> dict[str, Any]:
    """Every figure of a set and where it comes from, as JSON; without the tile that is there for tests."""
    return {
        "crews": codec.to_json(found.crews),
        "commands": codec.to_json(found.commands),
        "dice": codec.to_json(found.dice),
        "dice_provenance": dict(found.dice_provenance),
        "damage": codec.to_json(found.damage),
        "hazards": codec.to_json(found.hazards),
        "ongoing": codec.to_json(found.ongoing),
        "markers": {"wrecks": found.wrecks, "fires": found.fires, "minors": found.minors},
        "marker_provenance": dict(found.marker_provenance),
        "tiles": {key: codec.to_json(tile) for key, tile in found.tiles.items() if key != TEST_TILE},
        "grounds": dict(GROUNDS),
        "tile_provenance": dict(found.tile_provenance),
    }
