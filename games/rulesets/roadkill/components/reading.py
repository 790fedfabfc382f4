"""From the text of each file of a set to its shapes, every figure checked."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from games.rulesets.roadkill.components.shapes import (
    APPLIES,
    ATTACK_KINDS,
    BEGINNERS,
    COLUMNS,
    DAMAGE_RESULT_KEYS,
    EFFECTS,
    EVENT_KEYS,
    FEWEST_CARDS,
    FIRST_HAND,
    KNOWN_KINDS,
    MOST_CARDS,
    MOTIONS,
    PASSING_KINDS,
    PROBLEM_KEYS,
    REST_STOP_KINDS,
    ROAD_VALUES,
    SIZE_OF_COLUMN,
    SUITS,
    SYMBOLS,
    TOGGLES,
    UPGRADE_KEYS,
    DamageResult,
    EventKind,
    Kind,
    Panel,
    Problem,
    Track,
    TrackSection,
    Upgrade,
)
from games.rulesets.roadkill.components.tables import PROVENANCES, CsvRow, MalformedSet, TomlTable, csv_rows

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
_LETTER = re.compile(r"[A-Z]")


def read_kinds(source: tuple[str, str]) -> tuple[Kind, ...]:
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
        raise MalformedSet(file, None, f"there is no row for {', '.join(missing)}; a type the box lacks has count 0")
    total = sum(kind.count for kind in kinds)
    if not FEWEST_CARDS <= total <= MOST_CARDS:
        raise MalformedSet(file, None, f"the counts make {total} cards; there should be {FEWEST_CARDS} to {MOST_CARDS}")
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


def read_number_lines(
    source: tuple[str, str], kinds: tuple[Kind, ...], events: dict[str, EventKind], check_highest: int
) -> tuple[bytes, dict[str, bytes], str]:
    """Read number_lines.csv, one row a card from 0 on; return kinds, columns and letters by card id."""
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
            values.append(row.whole(column, 1, SIZE_OF_COLUMN.get(column, check_highest)))
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
                f"cards.csv has {each.count} cards {each.key} and there are {found[each.index]}",
            )
    return bytes(card_kind), {column: bytes(values) for column, values in columns.items()}, "".join(letters)


def read_attacks(table: TomlTable) -> tuple[dict[str, tuple[tuple[str, ...], ...]], dict[str, str]]:
    """Read attacks.toml: for each Attack card with a table, what each draw of 1 to 5 does."""
    draws = tuple(str(draw) for draw in range(1, SIZE_OF_COLUMN["attack"] + 1))
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


def read_events(table: TomlTable) -> dict[str, EventKind]:
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


def read_upgrades(table: TomlTable) -> dict[str, Upgrade]:
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


def read_tracks(table: TomlTable) -> dict[str, Track]:
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
        if key == BEGINNERS and tracks[key].finish != "crossing":
            table.refuse((key, "finish"), "the Beginner's Track is won by crossing the line behind its last Section")
    return tracks


def read_panel(table: TomlTable) -> Panel:
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
    falling = all(type(limit) is int for limit in limits) and all(a > b for a, b in itertools.pairwise(limits))
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
        repair_succeeds_from=table.whole(("repair", "succeeds_from"), 1, SIZE_OF_COLUMN["R"]),
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
    """Read the Mechanical Problems: the Flat Tire as 0, the others as in the Mechanical Problem column."""
    problems: list[Problem] = []
    for place in range(len(table.list_of(("problem",)))):
        here = ("problem", place)
        table.only(here, ("key", "number", "name", "effect", "provenance"))
        problem = Problem(
            key=table.one_of((*here, "key"), PROBLEM_KEYS),
            number=table.whole((*here, "number"), 0, SIZE_OF_COLUMN["wrench"]),
            name=table.words((*here, "name")),
            effect=table.words((*here, "effect")),
            provenance=table.provenance((*here, "provenance")),
        )
        if (problem.number == 0) != (problem.key == "flat_tire"):
            table.refuse((*here, "number"), "the Flat Tire, and nothing else, has the number 0")
        if any(other.key == problem.key for other in problems):
            table.refuse((*here, "key"), f'there is a problem "{problem.key}" already')
        for other in problems:
            if other.number == problem.number:
                table.refuse((*here, "number"), f"{other.key} has the number {other.number} already")
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
