"""A malformed component set is refused with the file, the line and the reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from games.rulesets.roadkill import components
from games.rulesets.roadkill.components.shapes import MOST_BYTES
from games.rulesets.roadkill.components.tables import TomlTable

CLASSIC = Path(components.__file__).parent / "classic"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the classic set that a test may spoil."""
    shutil.copytree(CLASSIC, tmp_path / "classic")
    return tmp_path / "classic"


def _line_of(file: str, part: str) -> int:
    """Return the first line of a file of the sound set that holds `part`."""
    lines = (CLASSIC / file).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if part in line)


SPOILED = [
    # The file, what stands there, what is put instead; a part of the line to blame and of the reason.
    (
        "cards.csv",
        "landmark,Landmark,Landmark",
        "landmarks,Landmark,Landmark",
        "landmark,",
        'know no card type "landmarks"',
    ),
    (
        "cards.csv",
        "fate,Fate,Fate,3",
        "swerve,Fate,Fate,3",
        "fate,Fate",
        'there is a row for "swerve" already',
    ),
    ("cards.csv", "ram,Ram,Ram,4", "ram,Ram,Swerve,4", "ram,Ram", '"swerve" is already the name'),
    ("cards.csv", "theft,Theft,Theft,2", "theft,Theft,Theft,two", "theft,", "count should be a whole number"),
    ("cards.csv", "theft,Theft,Theft,2", "theft,Theft,Theft,-2", "theft,", "count should be a whole number"),
    ("cards.csv", "theft,Theft,Theft,2", "theft,Theft, Theft,2", "theft,", "without blanks around it"),
    (
        "cards.csv",
        "sabotage,Sabotage,Sabotage,1,attack",
        "sabotage,Sabotage,Sabotage,1,spade",
        "sabotage,",
        "symbol should be one of",
    ),
    (
        "cards.csv",
        "siphon_gas,Siphon Gas,Siphon Gas,3,supply,black",
        "siphon_gas,Siphon Gas,Siphon Gas,3,supply,blue",
        "siphon_gas,",
        "suit should be one of",
    ),
    (
        "cards.csv",
        "RS Move 2,2,driving,black,moving,2,yes",
        "RS Move 2,2,driving,black,moving,2,maybe",
        "RS Move 2",
        "rest_stop should be one of",
    ),
    (
        "cards.csv",
        "RS Move 2,2,driving,black,moving,2,yes",
        "RS Move 2,2,driving,black,moving,2,no",
        "RS Move 2",
        "should be yes",
    ),
    (
        "cards.csv",
        "Move 4,1,driving,black,moving,4",
        "Move 4,1,driving,black,moving,5",
        "Move 4",
        "should have the value 4",
    ),
    (
        "cards.csv",
        "Hand Grenade,4,attack,black+red,moving,0,no,no",
        "Hand Grenade,4,attack,black+red,moving,0,no,yes",
        "Hand Grenade,4",
        "cannot pass",
    ),
    (
        "cards.csv",
        "0,no,no,designed,printed,designed,printed,printed,designed",
        "0,no,no,guessed,printed,designed,printed,printed,designed",
        "assault_rifle,",
        "provenance should be one of printed, inferred, designed",
    ),
    ("cards.csv", ",count,", ",number,", "key,name", "the header should be"),
    (
        "cards.csv",
        '"Repairs a Flat Tire."',
        '"Repairs a Flat Tire.",more',
        "spare_tire,",
        "there should be 17 cells and there are 18",
    ),
    ("cards.csv", '"Repairs a Flat Tire."', '"Repairs" a Flat Tire.', "spare_tire,", "this is not CSV"),
    ("number_lines.csv", "\n7,move_1,", "\n8,move_1,", "7,move_1,", "this should be card 7 and is card 8"),
    ("number_lines.csv", "\n7,move_1,", "\n7,mover_1,", "7,move_1,", '"mover_1" is no card type'),
    (
        "number_lines.csv",
        "\n7,move_1,",
        "\n7,move_2,",
        None,
        "cards.csv has 12 cards move_1 and there are 11",
    ),
    ("attacks.toml", "[ram]", "[rammer]", "[ram]", '"rammer" has no attack table'),
    (
        "attacks.toml",
        '1 = ["own_damage"]',
        '1 = ["own_damge"]',
        '1 = ["own_damage"]',
        "'own_damge' is no effect",
    ),
    ("attacks.toml", '1 = ["own_damage"]', "1 = []", '1 = ["own_damage"]', "ram.1 is empty"),
    (
        "attacks.toml",
        '1 = ["own_damage"]',
        '1 = ["none", "own_damage"]',
        '1 = ["own_damage"]',
        "none and something else",
    ),
    (
        "attacks.toml",
        '1 = ["own_damage"]',
        '6 = ["own_damage"]',
        '1 = ["own_damage"]',
        '"6" is not known here',
    ),
    ("attacks.toml", '1 = ["own_damage"]\n', "", "[ram]", "ram.1 is missing"),
    ("attacks.toml", '1 = ["own_damage"]', '1 = "own_damage"', '1 = ["own_damage"]', "should be a list"),
    ("attacks.toml", '1 = ["own_damage"]', '1 = ["own_damage"', '2 = ["both_check"]', "this is not TOML"),
    ("events.toml", "[C]", "[CC]", "[C]", '"CC" should be one capital letter'),
    ("events.toml", 'key = "fog"', 'key = "rain"', 'key = "rain"', '"rain" has a letter already'),
    ("events.toml", 'key = "fog"', 'key = "mist"', 'key = "fog"', "F.key should be one of"),
    ("events.toml", "cards = 6", "cards = 5", "cards = 6", "number_lines.csv has F on 6 cards and not on 5"),
    ("events.toml", "cards = 6", "cards = 6.0", "cards = 6", "F.cards should be a whole number"),
    ("events.toml", "cards = 6", "cards = true", "cards = 6", "F.cards should be a whole number"),
    (
        "events.toml",
        'toggle = "weather"',
        'toggle = "wether"',
        'toggle = "weather"',
        "F.toggle should be one of no, weather, road",
    ),
    (
        "events.toml",
        'provenance = { name = "printed", letter = "designed", effect = "designed", cards = "designed" }',
        'provenance = { name = "printed", letter = "designed", effect = "designed" }',
        'provenance = { name = "printed", letter = "designed", effect = "designed"',
        "F.provenance.cards is missing",
    ),
    ("events.toml", 'name = "Fog"\n', "", "[F]", "F.name is missing"),
    (
        "upgrades.toml",
        "price = 5",
        "price = -5",
        "price = 5",
        "Z.price should be a whole number from 0 to 20",
    ),
    ("upgrades.toml", 'key = "rotor"', 'key = "motor"', 'key = "rotor"', "I.key should be one of"),
    (
        "tracks.toml",
        "value = 3",
        "value = 5",
        "value = 3",
        "beginners.section number 4.value should be a whole number from 1 to 4",
    ),
    (
        "tracks.toml",
        "rest_stop = true",
        "rest_stop = 1",
        "rest_stop = true",
        "section number 3.rest_stop should be true or false",
    ),
    (
        "tracks.toml",
        'finish = "crossing"',
        'finish = "flag"',
        'finish = "crossing"',
        "should be one of entering, crossing",
    ),
    (
        "tracks.toml",
        'finish = "crossing"',
        'finish = "entering"',
        'finish = "crossing"',
        "won by crossing the line behind its last Section",
    ),
    ("panel.toml", "tank = 8", "tank = 9", "names = [", "there should be 10 marks"),
    (
        "panel.toml",
        "[7, 6, 5, 4, 3, 2, 1, 0]",
        "[7, 6, 5, 5, 3, 2, 1, 0]",
        "hand_limits",
        "the limits should fall",
    ),
    (
        "panel.toml",
        "[-4, -3, -2, -1, 0, 1, 2, 3]",
        "[-4, -3, -1, 0, 1, 2, 3]",
        "boxes = [",
        "rising one by one",
    ),
    (
        "panel.toml",
        "[-4, -3, -2, -1, 0, 1, 2, 3]",
        "[-3, -2, -1, 0, 1, 2, 3]",
        "boxes = [",
        "should reach from -4",
    ),
    (
        "panel.toml",
        "number = 3\nname",
        "number = 4\nname",
        "number = 4",
        "broken_shocks has the number 4 already",
    ),
    (
        "panel.toml",
        'key = "fuel_leak"',
        'key = "coolant_leak"',
        'key = "fuel_leak"',
        '"coolant_leak" already',
    ),
    (
        "panel.toml",
        'key = "fuel_leak"',
        'key = "oil_leak"',
        'key = "fuel_leak"',
        "problem number 3.key should be one of",
    ),
    (
        "panel.toml",
        "number = 0",
        "number = 1",
        "number = 0",
        "the Flat Tire, and nothing else, has the number 0",
    ),
    (
        "panel.toml",
        "number = 6   # and",
        "number = 7   # and",
        "number = 6   # and",
        "the number after 5 should be 6 and is 7",
    ),
    (
        "panel.toml",
        "succeeds_from = 4",
        "succeeds_from = 5",
        "succeeds_from = 4",
        "repair.succeeds_from should be",
    ),
    ("panel.toml", "[repair]", "[repairs]", "[repair]", '"repairs" is not known here'),
    ("set.toml", 'name = "classic"', 'name = "Classic Box"', 'name = "classic"', "lower-case letters"),
    ("set.toml", 'name = "classic"', 'name = "other"', 'name = "classic"', 'the folder is called "classic"'),
    (
        "set.toml",
        "check_highest = 10",
        "check_highest = 0",
        "check_highest = 10",
        "number_lines.check_highest should be",
    ),
    ("set.toml", 'title = "Classic box"', 'title = ""', 'title = "Classic box"', "title should be a text"),
]


@pytest.mark.parametrize("spoiled", SPOILED, ids=lambda spoiled: f"{spoiled[0]}: {spoiled[4]}")
def test_a_spoiled_file_is_refused_with_its_line_and_the_reason(
    folder: Path, spoiled: tuple[str, str, str, str | None, str]
) -> None:
    file, before, after, to_blame, reason = spoiled
    text = (folder / file).read_text("utf-8")
    assert before in text
    (folder / file).write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(components.MalformedSet) as refused:
        components.load(folder)
    assert refused.value.file == file
    assert reason in refused.value.reason
    if to_blame is not None:
        line = _line_of(file, to_blame)
        assert str(refused.value) == f"{file}, line {line}: {refused.value.reason}"


@pytest.mark.parametrize(
    ("column", "value"), [("check", "11"), ("2", "0"), ("R", "5"), ("0", "x"), ("7", "2²"), ("event", "c")]
)
def test_a_number_outside_its_column_is_refused_on_its_line(folder: Path, column: str, value: str) -> None:
    path = folder / "number_lines.csv"
    lines = path.read_text("utf-8").splitlines()
    cells = lines[40].split(",")
    cells[2 + components.COLUMNS.index(column)] = value
    lines[40] = ",".join(cells)
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(components.MalformedSet, match=rf"^number_lines.csv, line 41: {column} should be"):
        components.load(folder)


def test_a_missing_row_of_cards_is_named(folder: Path) -> None:
    path = folder / "cards.csv"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith(("road_map,", "ram,"))]
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(components.MalformedSet, match=r"^cards.csv: there is no row for road_map, ram"):
        components.load(folder)


def test_a_missing_attack_table_is_named(folder: Path) -> None:
    path = folder / "attacks.toml"
    path.write_text(path.read_text("utf-8").partition("[sideswipe]")[0], "utf-8")
    with pytest.raises(components.MalformedSet, match=r"^attacks.toml: there is no table for sideswipe"):
        components.load(folder)


def test_a_missing_problem_and_a_missing_damage_row_are_named(folder: Path) -> None:
    path = folder / "panel.toml"
    whole = path.read_text("utf-8")
    first_problem, first_row = (
        _line_of("panel.toml", "[[problem]]"),
        _line_of("panel.toml", "[[damage_result]]"),
    )
    start, end = whole.index('[[problem]]\nkey = "headlights_out"'), whole.index("[[damage_result]]")
    path.write_text(whole[:start] + whole[end:], "utf-8")
    with pytest.raises(components.MalformedSet, match=rf"line {first_problem}: there is no problem headlights_out"):
        components.load(folder)
    path.write_text(whole.rpartition("[[damage_result]]")[0], "utf-8")
    with pytest.raises(components.MalformedSet, match=rf"line {first_row}: there is no row for no_effect"):
        components.load(folder)


def test_a_missing_a_long_and_an_unreadable_file_are_named(folder: Path) -> None:
    path = folder / "events.toml"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Abandoned", b"Aband\xf6ned", 1))
    with pytest.raises(
        components.MalformedSet,
        match=rf"^events.toml, line {_line_of('events.toml', 'Abandoned')}: this is not UTF-8",
    ):
        components.load(folder)
    path.write_bytes(whole + b"#" * MOST_BYTES)
    with pytest.raises(components.MalformedSet, match=r"^events.toml: the file is longer than"):
        components.load(folder)
    path.unlink()
    with pytest.raises(components.MalformedSet, match=r"^events.toml: the file is missing"):
        components.load(folder)
    (folder / "cards.csv").write_text("\n\n", "utf-8")
    with pytest.raises(components.MalformedSet, match=r"^cards.csv: the file is empty"):
        components.load(folder)


def test_a_deck_too_small_or_too_large_is_refused(folder: Path) -> None:
    path = folder / "cards.csv"
    whole = path.read_text("utf-8")
    path.write_text(whole.replace("Swerve,12,", "Swerve,250,"), "utf-8")
    with pytest.raises(components.MalformedSet, match="366 cards; there should be 71 to 256"):
        components.load(folder)
    small = whole
    for kind, count in (
        ("Move 1", 12),
        ("Swerve", 12),
        ("Landmark", 8),
        ("red 1", 8),
        ("Move 2", 7),
        ("Machine Gun", 6),
        ("Sideswipe", 5),
    ):
        small = small.replace(f",{kind},{count},", f",{kind},0,")
    path.write_text(small, "utf-8")
    with pytest.raises(components.MalformedSet, match="70 cards; there should be 71 to 256"):
        components.load(folder)


def test_a_byte_order_mark_crlf_and_empty_lines_do_no_harm(folder: Path) -> None:
    for file in folder.iterdir():
        text = file.read_text("utf-8").replace("\n", "\r\n")
        file.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n\r\n")
    assert components.load(folder) == components.load(CLASSIC)


TRICKY = '''# a comment with [brackets] and key = "value"
top = 1
list = [
  ["a"],
  [ "b" ]
]
long = """
[not.a.table]
odd = 2
"""
"quoted key" = "has # and ["
[one]
inner.deep = 3
[one.two]
value = 4
[[many]]
value = 5
[[many]]
value = 6
[[many.inside]]
value = 7
[[many]]
[[many.inside]]
[[many.inside]]
value = 8
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2), (("list", 1), 3), (("long",), 7), (("quoted key",), 11), (("one",), 12),
        (("one", "inner", "deep"), 13), (("one", "two", "value"), 15), (("many", 0, "value"), 17),
        (("many", 1, "value"), 19), (("many", 1, "inside", 0, "value"), 21), (("many", 2), 22),
        (("many", 2, "inside", 1, "value"), 25), (("many", 2, "inside", 0, "absent"), 23), (("odd",), 1),
        (("not", "a", "table"), 1),
    ],
)  # fmt: skip
def test_lines_are_found_past_every_trap_of_the_format(path: tuple[str | int, ...], line: int) -> None:
    assert TomlTable("tricky.toml", TRICKY).line(path) == line


def test_a_box_too_small_for_the_beginners_track_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if ten hands took more than the 124 cards that are left of the classic box."""
    monkeypatch.setattr(components, "FEWEST_CARDS", 125)
    with pytest.raises(components.MalformedSet, match="is played with 124 cards"):
        components.load(folder)
