"""A set that cannot be played with is refused: with the file and the line, and a tile with its row and lane."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.components import playable

CLASSIC = Path(components.__file__).parent / "classic"
PLAIN = ("......",) * 10


def _with(**rows: str) -> tuple[str, ...]:
    """A plain tile with some rows written otherwise: r4="..#..."; rows are counted from the back."""
    changed = {int(name[1:]): symbols for name, symbols in rows.items()}
    return tuple(changed.get(number, symbols) for number, symbols in enumerate(PLAIN, 1))


BROKEN = {
    "too few rows": (PLAIN[:9], "row 10: a tile has 10 rows, and here are 9"),
    "too many rows": ((*PLAIN, "......"), "row 11: a tile has 10 rows, and here are 11"),
    "a short row": (_with(r3="....."), "row 3: a row has 6 spaces, and here are 5"),
    "a long row": (_with(r3="......."), "row 3: a row has 6 spaces, and here are 7"),
    "an unknown symbol": (_with(r7="...x.."), "row 7, lane 4: “x” is no symbol"),
    "rock at the back": (_with(r1="..#..."), "row 1, lane 3: the row at the back holds no “#”"),
    "a ramp at the back": (_with(r1=".^...."), "row 1, lane 2: the row at the back holds no “^”"),
    # 3-5 steps to 2-5, 3-6 and 4-5; 2-5 to 1-6, 2-6 and 3-6.
    "a pen of rock": (_with(r5=".#.#..", r6="..#..."), "row 5, lane 3: a dead end"),
    "a pen at the side": (_with(r5=".#....", r6="#....."), "row 5, lane 1: a dead end"),
    "a wall": (_with(r6="######"), "row 5, lane 2: a dead end"),
    "a way out by a ramp from the side": (_with(r5=".^.#..", r6="..#..."), "row 5, lane 3: a dead end"),
    "a ramp too far ahead": (_with(r7="...^.."), "row 7, lane 4: a ramp stands in row 6 at most"),
    "a ramp behind rock": (_with(r4="..#...", r5="..^..."), "row 5, lane 3: nobody can drive onto this ramp"),
    "rock where flights end": (_with(r5="..^...", r9="..#..."), "row 5, lane 3: a flight from this ramp may end"),
    "glass before rock": (_with(r5="..g...", r6="..#..."), "row 5, lane 3: glass throws who enters it by F into rock"),
    "glass at the side": (
        _with(r5="g....."),
        "row 5, lane 1: glass throws who enters it by FL into rock or off the road",
    ),
    "glass before a ramp's side": (
        _with(r5="..g^.."),
        "row 5, lane 3: glass throws who enters it by FR into rock",
    ),
    "spots in the way": (_with(r6="??!34?", r5="?.?.?."), "row 1, lane 1: from here no way leads to the front"),
    "one lane shut in by spots": (_with(r2="?.....", r1=".?...."), "row 1, lane 1: from here no way leads"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_tile_that_cannot_be_driven_is_refused_with_row_lane_and_reason(what: str) -> None:
    rows, reason = BROKEN[what]
    with pytest.raises(playable.Unplayable) as refused:
        playable.check(rows)
    assert str(refused.value).startswith(reason), refused.value


@pytest.mark.parametrize(
    "rows",
    [
        PLAIN,
        _with(r5="..#..."),
        _with(r6="..^...", r10="..g..."),
        # Nobody comes onto the glass by FR, since there is rock where one would come from.
        _with(r5="..g...", r6="...#..", r4=".#...."),
        _with(r5=".g....", r4="#....."),
        _with(r6="?????."),
    ],
)
def test_a_tile_that_can_be_driven_is_taken(rows: tuple[str, ...]) -> None:
    playable.check(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the classic set that a test may spoil."""
    shutil.copytree(CLASSIC, tmp_path / "classic")
    return tmp_path / "classic"


SPOILED = [
    # The file, what stands there, what is put instead; a part of the line to blame and of the reason.
    ("set.toml", 'name = "classic"', 'name = "other"', "name =", 'the folder is called "classic"'),
    ("set.toml", "version = 1", "versions = 1", "version", '"versions" is not known here'),
    ("crews.toml", "coasts = 4", "coasts = 9", "coasts = 4", "whole number from 0 to 6"),
    ("crews.toml", "vehicles = 5", "vehicles = 6", "vehicles = 5", "whole number from 5 to 5"),
    ("crews.toml", "[command.drift]", "[command.drifting]", "[command.drift]", '"drifting" is not known here'),
    ("crews.toml", "values = [3, 4, 5]", "values = [3, 4, 7]", "values = [3, 4, 5]", "rising numbers from 1 to 6"),
    ("crews.toml", "values = [3, 4, 5]", "values = [3, 5, 4]", "values = [3, 4, 5]", "rising numbers from 1 to 6"),
    ("crews.toml", "values = [3, 4, 5]", "values = []", "values = [3, 4, 5]", "rising numbers from 1 to 6"),
    ("crews.toml", "values = [3, 4, 5]", 'values = "345"', "values = [3, 4, 5]", "should be a list"),
    (
        "crews.toml",
        'values = "stated", effect = "printed" }',
        'values = "guessed", effect = "printed" }',
        None,
        "stated",
    ),
    ("dice.toml", '"SML"]', '"XL"]', '"SML"]', "'XL' is no face of shoot"),
    ("dice.toml", '"F", "FR"', '"N", "FR"', '"F", "FR"', "'N' is no face of direction"),
    ("dice.toml", 'faces = ["1", "2", "2", "3", "3", "4"]', "faces = []", '["1", "2", "2"', "stunt has 0 faces"),
    ("dice.toml", "[stunt]", "[stunts]", "[stunt]", '"stunts" is not known here'),
    ("tokens.toml", "count = 20", "count = 21", "count = 20", "damage.count is 21, and its kinds make 20"),
    ("tokens.toml", 'key = "oil"', 'key = "ice"', 'key = "oil"', 'the rules know no "ice" among hazards'),
    ("tokens.toml", 'key = "oil"', 'key = "mine"', 'key = "oil"', "mine stands where oil should"),
    ("tokens.toml", "wrecks = 4", 'wrecks = "4"', "wrecks = 4", "whole number from 0"),
    ("tiles.toml", '".3....",', '".5....",', None, "tile 1A, row 7, lane 2: “5” is no symbol"),
    ("tiles.toml", "[10B]", "[10C]", "[10B]", '"10C" is no side of a tile'),
    ("tiles.toml", '    "......",\n]', '    "..#...",\n]', None, "tile 1A, row 1, lane 3: the row at the back"),
    ("tiles.toml", '    "#..^..",', '    "######",', None, "tile 10A, row 5, lane 2: a dead end"),
]


@pytest.mark.parametrize("slip", SPOILED)
def test_a_slip_is_told_with_file_line_and_reason(folder: Path, slip: tuple[str, str, str, str | None, str]) -> None:
    file, before, after, line, reason = slip
    whole = (folder / file).read_text("utf-8")
    assert before in whole
    (folder / file).write_text(whole.replace(before, after, 1), "utf-8")
    with pytest.raises(components.MalformedSet) as refused:
        components.load(folder)
    assert refused.value.file == file
    assert reason in refused.value.reason
    if line is not None:
        assert refused.value.line == next(n for n, text in enumerate(whole.splitlines(), 1) if line in text)


def test_a_tile_with_one_side_and_a_set_with_too_few_tiles_are_refused(folder: Path) -> None:
    tiles = folder / "tiles.toml"
    whole = tiles.read_text("utf-8")
    tiles.write_text(whole[: whole.index("[10B]")], "utf-8")
    with pytest.raises(components.MalformedSet, match="there is no tile 10B"):
        components.load(folder)
    tiles.write_text(whole[: whole.index("[5A]")], "utf-8")
    with pytest.raises(components.MalformedSet, match=r"there is no tile 5A; .* 5 tiles at least"):
        components.load(folder)


@pytest.mark.parametrize("file", ["set.toml", "crews.toml", "dice.toml", "tokens.toml", "tiles.toml"])
def test_a_missing_file_is_told(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(components.MalformedSet, match=f"^{file}: the file is missing"):
        components.load(folder)


def test_a_kind_that_is_missing_is_told(folder: Path) -> None:
    tokens = folder / "tokens.toml"
    whole = tokens.read_text("utf-8")
    start, end = whole.index('[[damage.kind]]\nkey = "ongoing"'), whole.index("[hazards]")
    tokens.write_text(whole[:start] + whole[end:], "utf-8")
    with pytest.raises(components.MalformedSet, match="damage has no ongoing; a kind that the box lacks has count 0"):
        components.load(folder)
