"""From the text of each file of a set to its shapes, every figure checked."""

from __future__ import annotations

import re

from games.engine.tables import MalformedSet, TomlTable
from games.rulesets.thunder_road.components import playable
from games.rulesets.thunder_road.components.shapes import (
    COMMANDS,
    CREWS,
    DAMAGE_KEYS,
    DICE,
    FACES,
    FEWEST_TILES,
    HAZARDS_STAY,
    MOST_FACES,
    MOST_PIECES,
    MOST_TILES,
    ONGOING_KEYS,
    TEST_TILE,
    Command,
    Crew,
    Kind,
    Tile,
)
from games.rulesets.thunder_road.hexes import LANES, ROWS

_CREW_FIGURES = ("vehicles", "dice", "coasts", "seats")
_VEHICLES = {"cars": 3, "rig": 1, "bikes": 5}
_SEATS = {"cars": 4, "rig": 1, "bikes": 1}
_MOST_DICE = 8
_MOST_COASTS = 6
_KEYS = {"damage": DAMAGE_KEYS, "hazards": tuple(HAZARDS_STAY), "ongoing": ONGOING_KEYS}
_MARKERS = ("wrecks", "fires", "minors")
_TILE_KEY = re.compile(r"([1-9][0-9]?)([AB])", re.ASCII)


def read_crews(table: TomlTable) -> tuple[dict[str, Crew], dict[str, Command]]:
    """Read crews.toml: every crew and every command the rules know, in the order of their places."""
    table.only((), ("crew", "command"))
    _all_and_only(table, ("crew",), CREWS)
    _all_and_only(table, ("command",), tuple(COMMANDS))
    return {key: _crew(table, key) for key in CREWS}, {key: _command(table, key) for key in COMMANDS}


def _all_and_only(table: TomlTable, path: tuple[str, ...], keys: tuple[str, ...]) -> None:
    """Refuse a table that lacks one of these keys, or has another."""
    table.only(path, keys)
    for key in keys:
        table.get((*path, key))


def _crew(table: TomlTable, key: str) -> Crew:
    at = ("crew", key)
    table.only(at, ("name", *_CREW_FIGURES, "text", "provenance"))
    for figure, known in (("vehicles", _VEHICLES[key]), ("seats", _SEATS[key])):
        table.whole((*at, figure), known, known)
    return Crew(
        key=key,
        name=table.words((*at, "name")),
        vehicles=_VEHICLES[key],
        dice=table.whole((*at, "dice"), 1, _MOST_DICE),
        coasts=table.whole((*at, "coasts"), 0, _MOST_COASTS if key != "rig" else 0),
        seats=_SEATS[key],
        text=table.words((*at, "text")),
        provenance_of=table.provenances((*at, "provenance"), _CREW_FIGURES),
    )


def _command(table: TomlTable, key: str) -> Command:
    at = ("command", key)
    table.only(at, ("name", "values", "not_in_round_1", "text", "provenance"))
    crew, section, spot = COMMANDS[key]
    values = table.list_of((*at, "values"))
    is_sound = all(isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 6 for value in values)
    if not values or not is_sound or list(values) != sorted(set(values)):
        table.refuse((*at, "values"), f"values of {key} should be rising numbers from 1 to 6 and are {list(values)!r}")
    return Command(
        key=key,
        crew=crew,
        section=section,
        spot=spot,
        values=values,
        not_in_round_1=table.yes_or_no((*at, "not_in_round_1")),
        name=table.words((*at, "name")),
        text=table.words((*at, "text")),
        provenance_of=table.provenances((*at, "provenance"), ("name", "values", "effect")),
    )


def read_dice(table: TomlTable) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Read dice.toml: the faces of each die in order, and where they come from."""
    _all_and_only(table, (), DICE)
    dice: dict[str, tuple[str, ...]] = {}
    for label in DICE:
        table.only((label,), ("faces", "provenance"))
        faces = table.list_of((label, "faces"))
        if not 1 <= len(faces) <= MOST_FACES:
            table.refuse((label, "faces"), f"{label} has {len(faces)} faces; there should be 1 to {MOST_FACES}")
        for face in faces:
            if face not in FACES[label]:
                table.refuse((label, "faces"), f"{face!r} is no face of {label}; faces are {', '.join(FACES[label])}")
        dice[label] = faces
    return dice, {label: table.provenance((label, "provenance")) for label in DICE}


def read_tokens(table: TomlTable) -> dict[str, tuple[Kind, ...]]:
    """Read the damage tokens, hazard tokens and ongoing cards of tokens.toml."""
    table.only((), (*_KEYS, "markers"))
    return {what: _kinds(table, what, keys) for what, keys in _KEYS.items()}


def _kinds(table: TomlTable, what: str, keys: tuple[str, ...]) -> tuple[Kind, ...]:
    table.only((what,), ("count", "carnage", "provenance", "kind"))
    table.provenance((what, "provenance"))
    found = len(table.list_of((what, "kind")))
    kinds = tuple(_kind(table, what, place) for place in range(found))
    for place, kind in enumerate(kinds):
        if kind.key not in keys:
            table.refuse((what, "kind", place, "key"), f'the rules know no "{kind.key}" among {what}')
        if place >= len(keys) or kind.key != keys[place]:
            expected = keys[place] if place < len(keys) else "nothing"
            table.refuse(
                (what, "kind", place, "key"), f"{kind.key} stands where {expected} should: draws go by this order"
            )
    if found < len(keys):
        missing = ", ".join(keys[found:])
        table.refuse((what,), f"{what} has no {missing}; a kind that the box lacks has count 0")
    for figure in ("count", "carnage"):
        total = table.whole((what, figure), 0, MOST_PIECES * len(keys))
        summed = sum(getattr(kind, figure) for kind in kinds)
        if total != summed:
            table.refuse((what, figure), f"{what}.{figure} is {total}, and its kinds make {summed}")
    return kinds


def _kind(table: TomlTable, what: str, place: int) -> Kind:
    at = (what, "kind", place)
    table.only(at, ("key", "name", "count", "carnage", "text", "provenance"))
    key = table.words((*at, "key"))
    return Kind(
        key=key,
        name=table.words((*at, "name")),
        count=table.whole((*at, "count"), 0, MOST_PIECES),
        carnage=table.whole((*at, "carnage"), 0, MOST_PIECES),
        stays=what == "hazards" and HAZARDS_STAY.get(key, False),
        text=table.words((*at, "text")),
        provenance_of=table.provenances((*at, "provenance"), ("kind", "count")),
    )


def read_markers(table: TomlTable) -> tuple[dict[str, int], dict[str, str]]:
    """Read the markers of tokens.toml: how many there are, and where that comes from."""
    table.only(("markers",), (*_MARKERS, "provenance"))
    counts = {what: table.whole(("markers", what), 0, MOST_PIECES) for what in _MARKERS}
    return counts, table.provenances(("markers", "provenance"), _MARKERS)


def read_tiles(table: TomlTable) -> tuple[dict[str, Tile], dict[str, str]]:
    """Read tiles.toml: both sides of tile 1, 2, …, each of which can be driven; and where they come from."""
    provenance = table.provenances(("provenance",), ("numbers", "layouts"))
    tiles: dict[str, Tile] = {}
    for key in table.keys(()):
        if key != "provenance":
            tiles[key] = _tile(table, key)
    most = max((tile.number for tile in tiles.values()), default=0)
    sides = [f"{number}{side}" for number in range(1, max(most, FEWEST_TILES) + 1) for side in "AB"]
    for key in sides:
        if key not in tiles:
            reason = f"there is no tile {key}; both sides of tiles 1, 2 … are needed, {FEWEST_TILES} tiles at least"
            raise MalformedSet(table.file, None, reason)
    in_order = {key: tiles[key] for key in sides}
    plain = Tile(key=TEST_TILE, number=0, side="", name="Plain", rows=("." * LANES,) * ROWS)
    return {**in_order, TEST_TILE: plain}, provenance


def _tile(table: TomlTable, key: str) -> Tile:
    found = _TILE_KEY.fullmatch(key)
    if found is None or int(found[1]) > MOST_TILES:
        table.refuse((key,), f'"{key}" is no side of a tile; sides are 1A, 1B, 2A … up to {MOST_TILES}B')
    table.only((key,), ("name", "rows"))
    rows = table.list_of((key, "rows"))
    for row in rows:
        if not isinstance(row, str):
            table.refuse((key, "rows"), f"rows of tile {key} should be texts, and one is {row!r}")
    upwards = tuple(reversed(rows))
    try:
        playable.check(upwards)
    except playable.Unplayable as error:
        table.refuse((key, "rows"), f"tile {key}, {error}")
    return Tile(key=key, number=int(found[1]), side=found[2], name=table.words((key, "name")), rows=upwards)
