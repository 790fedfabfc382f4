"""Component sets: the cards, number lines, events, upgrades, tracks and panel of one printed box, read from plain files and checked.

This package is the one place in the rules that reads files. Each folder beside it is a set; a host registers more.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from games.rulesets.roadkill.components.tables import (
    PROVENANCES,
    CsvRow,
    MalformedSet,
    TomlTable,
    csv_rows,
    decoded,
)

__all__ = [
    "COLUMNS",
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

COLUMNS = ("check", "2", "3", "R", "attack", "wrench", "7", "8", "9", "0", "event")
"""The eleven columns of a number line in their printed order (4.4)."""

EVENT_KEYS = (
    "abandoned_car",
    "blond_hitchhiker",
    "spinout",
    "drawbridge_up",
    "flooded_road",
    "fog",
    "loose_gravel",
    "heat_wave",
    "blizzard",
    "hiding_place",
    "cattle_crossing",
    "lost",
    "breakdown",
    "narrow_road",
    "oil_slick",
    "pothole",
    "quiet_road",
    "repair_truck",
    "shortcut",
    "rock_slide",
    "snipers",
    "clear_skies",
    "wide_road",
    "level_crossing",
    "rain",
    "second_wind",
)
"""The Events the rules know; a set says which letter stands for which."""

UPGRADE_KEYS = (
    "computer_guidance_system",
    "homing_beacon",
    "auto_pilot_radar",
    "burglar_alarm",
    "power_ram",
    "cruise_control",
    "reserve_tank",
    "supercharger",
    "rotor",
    "quick_stop_brakes",
    "nuclear_fuel_cell",
)
PROBLEM_KEYS = (
    "flat_tire",
    "coolant_leak",
    "fuel_leak",
    "broken_shocks",
    "brakes_worn",
    "engine_wear",
    "headlights_out",
)
DAMAGE_RESULT_KEYS = ("crash", "flat_tire", "mechanical_problem", "ditched", "spinout", "no_effect")
EFFECTS = (
    "none",
    "target_check",
    "target_damage",
    "target_flat_tire",
    "target_loses_card",
    "both_check",
    "own_damage",
)
"""What a line of an attack table may do (6.5)."""

APPLIES = (
    "position",
    "position_behind",
    "lead_car",
    "foremost_2",
    "foremost_3",
    "leader_section",
    "lead_section_moving",
    "everybody",
    "nobody",
)
TOGGLES = ("no", "weather", "road")
SYMBOLS = ("driving", "fate", "attack", "supply")
SUITS = ("black", "red", "black+red")
MOTIONS = ("moving", "stopped", "any")

PASSING_KINDS = ("hubcap_blades", "machine_gun", "ram", "sideswipe")
ATTACK_KINDS = ("assault_rifle", "tire_spikes", "hand_grenade", *PASSING_KINDS)
ROAD_VALUES = {
    "move_1": 1,
    "move_2": 2,
    "move_3": 3,
    "move_4": 4,
    "rest_move_1": 1,
    "rest_move_2": 2,
    "rest_move_3": 3,
    "red_move_1": 1,
}
"""The Move/Road cards and the value that their key promises."""
REST_STOP_KINDS = ("rest_move_1", "rest_move_2", "rest_move_3")
OTHER_KINDS = (
    "landmark",
    "red_line",
    "shortcut",
    "swerve",
    "firm_shoulders",
    "great_reflexes",
    "smoke_screen",
    "fate",
    "box_canyon",
    "changed_road_sign",
    "theft",
    "sabotage",
    "camouflage",
    "siphon_gas",
    "spare_parts",
    "spare_tire",
    "tool_kit",
    "no_doze_pills",
    "road_map",
)
KNOWN_KINDS = (*ROAD_VALUES, *OTHER_KINDS, *ATTACK_KINDS)
"""The card types the rules know. A set has a row for each, with count 0 for one that its box lacks."""

MOST_SEATS = 10
FIRST_HAND = 7
FEWEST_CARDS = MOST_SEATS * FIRST_HAND + 1
"""Ten hands of seven, and one card to draw a number from."""
MOST_CARDS = 256
"""Card ids and kind indices are kept in single bytes."""
MOST_BYTES = 1_000_000
"""No file of a set may be longer: a box typed in takes some tens of thousands."""

_COLUMN_OF_SIZE = {2: "2", 3: "3", 4: "R", 5: "attack", 6: "wrench", 7: "7", 8: "8", 9: "9", 10: "0"}
_SIZE_OF_COLUMN = {column: size for size, column in _COLUMN_OF_SIZE.items()}
_CARD_FIGURES = ("symbol", "suit", "motion", "value", "passing")
_CARD_HEADER = (
    "key",
    "name",
    "short",
    "count",
    "symbol",
    "suit",
    "motion",
    "value",
    "rest_stop",
    "passing",
    "provenance",
    *(f"{figure}_provenance" for figure in _CARD_FIGURES),
    "text",
)
_LINE_HEADER = ("card", "kind", *COLUMNS)
_SET_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")
_LETTER = re.compile(r"[A-Z]")


class UnknownSet(LookupError):
    """No component set of this name is here."""


class Kind(msgspec.Struct, frozen=True):
    """One card type of a set."""

    index: int
    key: str
    name: str
    short: str
    symbol: str
    """driving, fate, attack or supply: the symbol in the corner (2.1)."""
    black: bool
    """Playable in one's own Action Phase (4.1)."""
    red: bool
    """Playable in an opponent's Action Phase against the Active car (4.1)."""
    motion: str
    """moving, stopped or any: which cars may play it (4.3)."""
    value: int
    """The printed value of a Move/Road card; 0 for every other card."""
    road: bool
    """Can be laid as a Section or Side Road."""
    rest_stop: bool
    """The Section it is laid as has a Rest Stop."""
    passing: bool
    """An Attack card that can pass its target (6.42, 6.43); Move cards pass by their value and are not marked."""
    attack: bool
    """Has an attack table."""
    count: int
    provenance: str
    """Where the count comes from."""
    provenance_of: dict[str, str]
    """Where symbol, suit, motion, value and passing come from."""
    text: str


class EventKind(msgspec.Struct, frozen=True):
    """One letter of the Event column."""

    letter: str
    key: str
    name: str
    count: int
    provenance: str
    """Where the effect comes from."""
    provenance_of: dict[str, str]
    """Where name, letter, effect and number of cards come from."""
    applies: str
    toggle: str
    rule: str
    effect: str


class Upgrade(msgspec.Struct, frozen=True):
    """One car upgrade (10.3)."""

    letter: str
    key: str
    name: str
    price: int
    effect: str
    provenance_of: dict[str, str]


class TrackSection(msgspec.Struct, frozen=True):
    """One printed Section of a track."""

    value: int
    rest_stop: bool
    provenance: str


class Track(msgspec.Struct, frozen=True):
    """A course laid before the race."""

    key: str
    name: str
    finish: str
    """entering: won by entering the last Section (6.2); crossing: won by leaving it (BT6.2)."""
    sections: tuple[TrackSection, ...]
    provenance: str


class Problem(msgspec.Struct, frozen=True):
    """One Mechanical Problem of the Control Panel (7.1)."""

    key: str
    number: int
    """The draw in the Mechanical Problem column; 0 for the Flat Tire, which is never drawn."""
    name: str
    effect: str
    provenance: str


class DamageResult(msgspec.Struct, frozen=True):
    """One row of the Damage Table (7.3)."""

    number: int
    key: str
    name: str
    moving_only: bool
    effect: str
    provenance: str


class Panel(msgspec.Struct, frozen=True):
    """The Control Panel and the Damage Table."""

    tank: int
    """Boxes of fuel in a full tank."""
    fuel_names: tuple[str, ...]
    """The mark of each box, from Empty to Full."""
    hand_limits: tuple[int, ...]
    """The hand limit at each number of Damage points (4.5)."""
    wreck_damage: int
    """The Damage point that eliminates the car (7.5)."""
    road_log: tuple[int, ...]
    """The numbered boxes, from left to right."""
    road_log_start: int
    exit_counts: int
    """What the Exit box counts in an Exit draw (R6.23)."""
    repair_succeeds_from: int
    repair_most_modifier: int
    repair_flat_tire_bonus: int
    problems: tuple[Problem, ...]
    """By their number in the Mechanical Problem column; the Flat Tire is at 0."""
    damage_table: tuple[DamageResult, ...]
    """In rising order; a number below the first row means the first, one above the last means the last."""
    provenance_of: dict[str, str]

    def damage_result(self, number: int) -> DamageResult:
        """Return the row of the Damage Table for a number, modifiers already applied (7.3)."""
        first = self.damage_table[0].number
        place = min(max(number - first, 0), len(self.damage_table) - 1)
        return self.damage_table[place]


class ComponentSet(msgspec.Struct, frozen=True):
    """One box, checked and ready to play with."""

    name: str
    title: str
    version: int
    source: str
    hash: str
    """SHA-256 of every figure that play depends on; wording, provenance and layout of the files do not change it."""
    kinds: tuple[Kind, ...]
    kind_index: dict[str, int]
    card_kind: bytes
    """Card id -> kind index."""
    card_keys: tuple[str, ...]
    """Card id -> kind key."""
    numbers: dict[str, bytes]
    """Column (all but the Event column) -> its value on each card id."""
    letters: str
    """The Event letter on each card id."""
    line_provenance: dict[str, str]
    """Where the Check column, the other columns and the Event column of the number lines come from."""
    attacks: dict[str, tuple[tuple[str, ...], ...]]
    """Kind key -> effect tokens for the draws 1, 2, … in the Attack column."""
    attack_provenance: dict[str, str]
    events: dict[str, EventKind]
    """By letter."""
    upgrades: dict[str, Upgrade]
    """By letter."""
    tracks: dict[str, Track]
    """By key."""
    panel: Panel

    def cards_of(self, key: str) -> tuple[int, ...]:
        """Return the ids of the cards of a kind."""
        index = self.kind_index[key]
        return tuple(card for card, kind in enumerate(self.card_kind) if kind == index)


def column_for(k: int) -> str:
    """Return the column that a draw among `k` (2 to 10) is read from (4.4)."""
    return _COLUMN_OF_SIZE[k]


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

    attacks, attack_provenance = _attacks(_toml(folder, "attacks.toml"))
    kinds = _kinds(_text(folder, "cards.csv"))
    events_file = _toml(folder, "events.toml")
    events = _events(events_file)
    check_highest = about.whole(("number_lines", "check_highest"), 6, 20)
    lines = _number_lines(_text(folder, "number_lines.csv"), kinds, events, check_highest)
    card_kind, numbers, letters = lines
    borne = Counter(letters)
    for letter, event in events.items():
        if borne[letter] != event.count:
            events_file.refuse(
                (letter, "cards"),
                f"{letter} should stand on {event.count} cards and stands on {borne[letter]} in number_lines.csv",
            )

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
        upgrades=_upgrades(_toml(folder, "upgrades.toml")),
        tracks=_tracks(_toml(folder, "tracks.toml")),
        panel=_panel(_toml(folder, "panel.toml")),
    )
    return msgspec.structs.replace(made, hash=_hash_of(made))


_packaged = Path(__file__).parent
_registered: list[Path] = []


@functools.cache
def named(name: str) -> ComponentSet:
    """Return the set of this name from the packaged folder or a registered one; it is read once in the life of the process."""
    for folder in (_packaged, *_registered):
        if _SET_NAME.fullmatch(name) and (folder / name / "set.toml").is_file():
            return load(folder / name)
    raise UnknownSet(f'there is no component set "{name}"; there are {", ".join(names())}')


def register_folder(path: Path) -> None:
    """Add a host's folder of sets: each folder in it that holds a set.toml is a set.

    A set there may not take the name of another; that is refused with ValueError, a folder that does not exist with
    NotADirectoryError. Registering a folder twice does nothing.
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


def _kinds(source: tuple[str, str]) -> tuple[Kind, ...]:
    """Read cards.csv: one row a card type the rules know."""
    file, text = source
    kinds: list[Kind] = []
    taken: dict[str, int] = {}
    for row in csv_rows(file, text, _CARD_HEADER):
        kind = _kind(row, len(kinds))
        if kind.key not in KNOWN_KINDS:
            row.refuse(f'the rules know no card type "{kind.key}"')
        if any(kind.key == other.key for other in kinds):
            row.refuse(f'there is a row for "{kind.key}" already')
        for word in {kind.name.casefold(), kind.short.casefold()}:
            if word in taken:
                row.refuse(f'"{word}" is already the name of the type on line {taken[word]}')
            taken[word] = row.line
        kinds.append(kind)
    missing = [key for key in KNOWN_KINDS if all(kind.key != key for kind in kinds)]
    if missing:
        raise MalformedSet(
            file, None, f"there is no row for {', '.join(missing)}; a type the box lacks has count 0"
        )
    total = sum(kind.count for kind in kinds)
    if not FEWEST_CARDS <= total <= MOST_CARDS:
        raise MalformedSet(
            file, None, f"the counts make {total} cards; there should be {FEWEST_CARDS} to {MOST_CARDS}"
        )
    return tuple(kinds)


def _kind(row: CsvRow, index: int) -> Kind:
    """Read one card type."""
    key = row.words("key")
    suit = row.one_of("suit", SUITS)
    value = row.whole("value", 0, 9)
    rest_stop = row.yes_or_no("rest_stop")
    passing = row.yes_or_no("passing")
    if key in KNOWN_KINDS:
        promised = ROAD_VALUES.get(key, 0)
        if value != promised:
            row.refuse(f"{key} should have the value {promised} and has {value}")
        if rest_stop != (key in REST_STOP_KINDS):
            row.refuse(f"rest_stop of {key} should be {'yes' if key in REST_STOP_KINDS else 'no'}")
        if passing and key not in PASSING_KINDS:
            row.refuse(f"{key} cannot pass; passing Attack cards are {', '.join(PASSING_KINDS)}")
    return Kind(
        index=index,
        key=key,
        name=row.words("name"),
        short=row.words("short"),
        symbol=row.one_of("symbol", SYMBOLS),
        black="black" in suit,
        red="red" in suit,
        motion=row.one_of("motion", MOTIONS),
        value=value,
        road=value > 0,
        rest_stop=rest_stop,
        passing=passing,
        attack=key in ATTACK_KINDS,
        count=row.whole("count", 0, MOST_CARDS),
        provenance=row.one_of("provenance", PROVENANCES),
        provenance_of={figure: row.one_of(f"{figure}_provenance", PROVENANCES) for figure in _CARD_FIGURES},
        text=row.words("text"),
    )


def _number_lines(
    source: tuple[str, str], kinds: tuple[Kind, ...], events: dict[str, EventKind], check_highest: int
) -> tuple[bytes, dict[str, bytes], str]:
    """Read number_lines.csv: one row a card, numbered from 0; return kinds, columns and letters by card id."""
    file, text = source
    index_of = {kind.key: kind.index for kind in kinds}
    card_kind = bytearray()
    columns: dict[str, bytearray] = {column: bytearray() for column in COLUMNS if column != "event"}
    letters: list[str] = []
    for row in csv_rows(file, text, _LINE_HEADER):
        card = row.whole("card", 0, MOST_CARDS - 1)
        if card != len(card_kind):
            row.refuse(f"this should be card {len(card_kind)} and is card {card}")
        kind = row.words("kind")
        if kind not in index_of:
            row.refuse(f'"{kind}" is no card type of cards.csv')
        card_kind.append(index_of[kind])
        for column, values in columns.items():
            values.append(row.whole(column, 1, _SIZE_OF_COLUMN.get(column, check_highest)))
        letter = row.cells["event"]
        if letter not in events:
            row.refuse(f"event should be a letter of events.toml and is {letter!r}")
        letters.append(letter)
    found = Counter(card_kind)
    for each in kinds:
        if found[each.index] != each.count:
            raise MalformedSet(
                file,
                None,
                f"there should be {each.count} cards {each.key} as in cards.csv and there are {found[each.index]}",
            )
    return bytes(card_kind), {column: bytes(values) for column, values in columns.items()}, "".join(letters)


def _attacks(table: TomlTable) -> tuple[dict[str, tuple[tuple[str, ...], ...]], dict[str, str]]:
    """Read attacks.toml: for each Attack card with a table, what each draw of 1 to 5 does."""
    draws = tuple(str(draw) for draw in range(1, _SIZE_OF_COLUMN["attack"] + 1))
    attacks: dict[str, tuple[tuple[str, ...], ...]] = {}
    provenance: dict[str, str] = {}
    for key in table.keys(()):
        if key not in ATTACK_KINDS:
            table.refuse(
                (key,),
                f'"{key}" has no attack table in the rules; those with one are {", ".join(ATTACK_KINDS)}',
            )
        table.only((key,), (*draws, "provenance"))
        provenance[key] = table.provenance((key, "provenance"))
        rows: list[tuple[str, ...]] = []
        for draw in draws:
            tokens = table.list_of((key, draw))
            for token in tokens:
                if token not in EFFECTS:
                    table.refuse((key, draw), f"{token!r} is no effect; effects are {', '.join(EFFECTS)}")
            if not tokens:
                table.refuse((key, draw), f'{key}.{draw} is empty; a draw that does nothing is ["none"]')
            if "none" in tokens and len(tokens) > 1:
                table.refuse((key, draw), f"{key}.{draw} has none and something else")
            rows.append(tokens)
        attacks[key] = tuple(rows)
    missing = [key for key in ATTACK_KINDS if key not in attacks]
    if missing:
        raise MalformedSet(table.file, None, f"there is no table for {', '.join(missing)}")
    return attacks, provenance


def _events(table: TomlTable) -> dict[str, EventKind]:
    """Read events.toml: the letters of the Event column."""
    figures = ("name", "letter", "effect", "cards")
    events: dict[str, EventKind] = {}
    for letter in table.keys(()):
        if not _LETTER.fullmatch(letter):
            table.refuse((letter,), f'"{letter}" should be one capital letter')
        table.only((letter,), ("key", "name", "cards", "applies", "toggle", "rule", "effect", "provenance"))
        key = table.one_of((letter, "key"), EVENT_KEYS)
        if any(key == event.key for event in events.values()):
            table.refuse((letter, "key"), f'"{key}" has a letter already')
        provenance = table.provenances((letter, "provenance"), figures)
        events[letter] = EventKind(
            letter=letter,
            key=key,
            name=table.words((letter, "name")),
            count=table.whole((letter, "cards"), 0, MOST_CARDS),
            provenance=provenance["effect"],
            provenance_of=provenance,
            applies=table.one_of((letter, "applies"), APPLIES),
            toggle=table.one_of((letter, "toggle"), TOGGLES),
            rule=table.words((letter, "rule")),
            effect=table.words((letter, "effect")),
        )
    return events


def _upgrades(table: TomlTable) -> dict[str, Upgrade]:
    """Read upgrades.toml; a box may lack some."""
    upgrades: dict[str, Upgrade] = {}
    for letter in table.keys(()):
        if not _LETTER.fullmatch(letter):
            table.refuse((letter,), f'"{letter}" should be one capital letter')
        table.only((letter,), ("key", "name", "price", "effect", "provenance"))
        key = table.one_of((letter, "key"), UPGRADE_KEYS)
        if any(key == upgrade.key for upgrade in upgrades.values()):
            table.refuse((letter, "key"), f'"{key}" has a letter already')
        upgrades[letter] = Upgrade(
            letter=letter,
            key=key,
            name=table.words((letter, "name")),
            price=table.whole((letter, "price"), 0, 20),
            effect=table.words((letter, "effect")),
            provenance_of=table.provenances((letter, "provenance"), ("name", "price", "effect")),
        )
    return upgrades


def _tracks(table: TomlTable) -> dict[str, Track]:
    """Read tracks.toml: courses of three to eight Sections (there are eight Section markers)."""
    tracks: dict[str, Track] = {}
    for key in table.keys(()):
        table.only((key,), ("name", "finish", "provenance", "section"))
        count = len(table.list_of((key, "section")))
        if not 3 <= count <= 8:
            table.refuse((key, "section"), f"a track has 3 to 8 Sections and this has {count}")
        sections = []
        for place in range(count):
            table.only((key, "section", place), ("value", "rest_stop", "provenance"))
            sections.append(
                TrackSection(
                    value=table.whole((key, "section", place, "value"), 1, 4),
                    rest_stop=table.yes_or_no((key, "section", place, "rest_stop")),
                    provenance=table.provenance((key, "section", place, "provenance")),
                )
            )
        tracks[key] = Track(
            key=key,
            name=table.words((key, "name")),
            finish=table.one_of((key, "finish"), ("entering", "crossing")),
            sections=tuple(sections),
            provenance=table.provenance((key, "provenance")),
        )
    return tracks


def _panel(table: TomlTable) -> Panel:
    """Read panel.toml."""
    table.only((), ("fuel", "damage", "road_log", "repair", "problem", "damage_result"))
    table.only(("fuel",), ("tank", "names", "provenance"))
    table.only(("damage",), ("hand_limits", "provenance"))
    table.only(("road_log",), ("boxes", "start", "exit", "provenance"))
    table.only(("road_log", "exit"), ("counts", "provenance"))
    table.only(("repair",), ("succeeds_from", "most_modifier", "flat_tire_bonus", "provenance"))

    tank = table.whole(("fuel", "tank"), 1, 100)
    fuel_names = table.list_of(("fuel", "names"))
    if len(fuel_names) != tank + 1 or not all(isinstance(mark, str) and mark for mark in fuel_names):
        table.refuse(("fuel", "names"), f"there should be {tank + 1} marks, from Empty to Full")
    limits = table.list_of(("damage", "hand_limits"))
    falling = all(type(limit) is int for limit in limits) and all(
        a > b for a, b in zip(limits, limits[1:], strict=False)
    )
    if len(limits) < 2 or not falling or limits[0] != FIRST_HAND or limits[-1] != 0:
        table.refuse(
            ("damage", "hand_limits"),
            f"the limits should fall with each point from {FIRST_HAND} to 0, the wreck",
        )
    boxes = table.list_of(("road_log", "boxes"))
    if (
        not boxes
        or not all(type(box) is int for box in boxes)
        or boxes != tuple(range(boxes[0], boxes[0] + len(boxes)))
    ):
        table.refuse(("road_log", "boxes"), "the boxes should be whole numbers rising one by one")
    if boxes[0] > -max(ROAD_VALUES.values()) or boxes[-1] < 0:
        table.refuse(
            ("road_log", "boxes"),
            f"the boxes should reach from {-max(ROAD_VALUES.values())} or below to 0 or above",
        )

    return Panel(
        tank=tank,
        fuel_names=fuel_names,
        hand_limits=limits,
        wreck_damage=len(limits) - 1,
        road_log=boxes,
        road_log_start=table.whole(("road_log", "start"), boxes[0], boxes[-1]),
        exit_counts=table.whole(("road_log", "exit", "counts"), 0, 20),
        repair_succeeds_from=table.whole(("repair", "succeeds_from"), 1, _SIZE_OF_COLUMN["R"]),
        repair_most_modifier=table.whole(("repair", "most_modifier"), 0, 4),
        repair_flat_tire_bonus=table.whole(("repair", "flat_tire_bonus"), 0, 4),
        problems=_problems(table),
        damage_table=_damage_table(table),
        provenance_of={
            "fuel": table.provenance(("fuel", "provenance")),
            "damage": table.provenance(("damage", "provenance")),
            "road_log": table.provenance(("road_log", "provenance")),
            "exit_counts": table.provenance(("road_log", "exit", "provenance")),
            "repair": table.provenance(("repair", "provenance")),
        },
    )


def _problems(table: TomlTable) -> tuple[Problem, ...]:
    """Read the Mechanical Problems: the Flat Tire as 0, and one for each number of the Mechanical Problem column."""
    problems: list[Problem] = []
    for place in range(len(table.list_of(("problem",)))):
        here = ("problem", place)
        table.only(here, ("key", "number", "name", "effect", "provenance"))
        problem = Problem(
            key=table.one_of((*here, "key"), PROBLEM_KEYS),
            number=table.whole((*here, "number"), 0, _SIZE_OF_COLUMN["wrench"]),
            name=table.words((*here, "name")),
            effect=table.words((*here, "effect")),
            provenance=table.provenance((*here, "provenance")),
        )
        if (problem.number == 0) != (problem.key == "flat_tire"):
            table.refuse((*here, "number"), "the Flat Tire, and nothing else, has the number 0")
        for other in problems:
            if other.key == problem.key or other.number == problem.number:
                table.refuse(here, f"{other.key} ({other.number}) has this key or number already")
        problems.append(problem)
    missing = [key for key in PROBLEM_KEYS if all(problem.key != key for problem in problems)]
    if missing:
        table.refuse(("problem",), f"there is no problem {', '.join(missing)}")
    return tuple(sorted(problems, key=lambda problem: problem.number))


def _damage_table(table: TomlTable) -> tuple[DamageResult, ...]:
    """Read the Damage Table: rows with rising numbers, one by one."""
    rows: list[DamageResult] = []
    for place in range(len(table.list_of(("damage_result",)))):
        here = ("damage_result", place)
        table.only(here, ("number", "key", "name", "moving_only", "effect", "provenance"))
        row = DamageResult(
            number=table.whole((*here, "number"), -20, 20),
            key=table.one_of((*here, "key"), DAMAGE_RESULT_KEYS),
            name=table.words((*here, "name")),
            moving_only=table.yes_or_no((*here, "moving_only")),
            effect=table.words((*here, "effect")),
            provenance=table.provenance((*here, "provenance")),
        )
        if rows and row.number != rows[-1].number + 1:
            table.refuse(
                (*here, "number"),
                f"the number after {rows[-1].number} should be {rows[-1].number + 1} and is {row.number}",
            )
        rows.append(row)
    missing = [key for key in DAMAGE_RESULT_KEYS if all(row.key != key for row in rows)]
    if missing:
        table.refuse(("damage_result",), f"there is no row for {', '.join(missing)}")
    return tuple(rows)


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
    """Return the SHA-256 of what play depends on, so that a corrected word does not part a race from its set."""
    canonical = msgspec.json.encode(_without_wording(msgspec.to_builtins(made)), order="deterministic")
    return hashlib.sha256(canonical).hexdigest()


def _without_wording(value: Any) -> Any:
    """Return a copy of nested tables without the keys that carry words only."""
    if isinstance(value, dict):
        return {key: _without_wording(inner) for key, inner in value.items() if key not in _WORDING}
    if isinstance(value, list | tuple):
        return [_without_wording(inner) for inner in value]
    return value
