"""The component set `classic`: its figures, its tiles, and the ways to find a set."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.components import playable
from games.rulesets.thunder_road.components.shapes import BASE_TILES, HAZARD_SPOTS, SOURCES
from games.rulesets.thunder_road.hexes import read, written

CLASSIC = Path(components.__file__).parent / "classic"

# Kind, pieces in the base box, pieces more with carnage: typed a second time from the list, so that a slip shows.
DAMAGE = """
plain 5 0, skid_F 1 0, skid_FR 2 0, skid_BR 1 0, skid_B 1 0, skid_BL 1 0, skid_FL 2 0, shrapnel 3 0, dazed 2 0,
blast_off 2 0, fire 0 4, ongoing 0 6
"""
HAZARDS = """
road 7 0, mud 6 0, oil 5 0, mine 5 0, wreck 3 0, glass 0 5, ramp 0 4, fire 0 5, pit 0 4, quake 0 2, worm 0 2
"""
ONGOING = """
pulls_left 0 2, pulls_right 0 2, limping 0 2, stuck_pedal 0 2, bald_tyres 0 2, jammed_gun 0 2, dry_tank 0 2,
bent_sight 0 1, big_silhouette 0 1, shaky_axle 0 1, featherweight 0 1, cut_wires 0 1, slow_gears 0 1, wild_temper 0 1
"""
COMMANDS = """
airstrike cars - 123456 later, nitro cars - 123, drift cars - 345, repair cars - 6,
bikes_airstrike bikes - 123456 later, bikes_repair bikes - 456, respawn bikes - 6,
cow_catcher rig front1 1234, front_repair rig front2 56, missile rig front3 3456 later,
rig_airstrike rig middle1 123456 later, middle_repair rig middle2 56, traction rig middle3 1234,
targeting rig rear1 123, rear_repair rig rear2 56, dispenser rig rear3 123456
"""
FUNNELS = """
1B 1-7 6-7; 2B 1-2 6-2 1-6 6-6; 3A 1-5; 3B 6-2 1-3 2-3 5-3 2-7 5-7; 4A 4-4; 4B 4-2 1-4 6-4 4-6; 5A 1-2 6-5;
5B 1-3 3-3 6-3 1-4 1-6 5-7 6-7; 6B 1-3 1-6 6-6; 7A 6-4 1-5; 7B 4-4 6-4 1-5 3-5 1-6 6-6; 8B 1-7 6-7; 9B 1-2 6-2 1-7 6-7;
10A 1-5; 10B 1-6 6-6
"""


@pytest.fixture(autouse=True)
def no_registered_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own list of a host's folders and its own memory of sets read."""
    monkeypatch.setattr(components, "_registered", [])
    components.named.cache_clear()


def _listed(text: str) -> list[str]:
    return [" ".join(one.split()) for one in text.split(",")]


@pytest.mark.parametrize(("what", "expected"), [("damage", DAMAGE), ("hazards", HAZARDS), ("ongoing", ONGOING)])
def test_tokens_and_cards_are_as_many_as_the_list_says(what: str, expected: str) -> None:
    kinds = getattr(components.named("classic"), what)
    assert [f"{kind.key} {kind.count} {kind.carnage}" for kind in kinds] == _listed(expected)


def test_the_printed_totals_are_met() -> None:
    classic = components.named("classic")
    found = {
        what: [classic.pieces(what, carnage=more) for more in (False, True)]
        for what in ("damage", "hazards", "ongoing")
    }
    assert found == {"damage": [20, 30], "hazards": [26, 48], "ongoing": [0, 21]}
    assert (classic.wrecks, classic.fires, classic.minors) == (4, 12, 11)


def test_some_hazards_stay_on_the_board() -> None:
    hazards = components.named("classic").hazards
    assert [kind.key for kind in hazards if not kind.stays] == ["mine", "wreck", "quake", "worm"]
    assert not any(kind.stays for kind in components.named("classic").damage)


def test_the_dice_have_their_faces_in_order() -> None:
    assert components.named("classic").dice == {
        "move": ("1", "2", "3", "4", "5", "6"),
        "road": ("1", "1", "1", "2", "2", "3"),
        "slam": ("top", "top", "bottom", "bottom", "bottom", "bottom"),
        "direction": ("F", "FR", "BR", "B", "BL", "FL"),
        "shoot": ("SM", "M", "L", "L", "L", "SML"),
        "stunt": ("1", "2", "2", "3", "3", "4"),
        "fire": ("+1", "+1", "+2", "smoke", "smoke", "skull"),
    }


def test_commands_have_their_place_and_the_dice_they_take() -> None:
    found = [
        f"{key} {one.crew} {f'{one.section}{one.spot}' if one.section else '-'} {''.join(map(str, one.values))}"
        f"{' later' if one.not_in_round_1 else ''}"
        for key, one in components.named("classic").commands.items()
    ]
    assert found == _listed(COMMANDS)


def test_crews_have_their_vehicles_dice_coasts_and_seats() -> None:
    crews = components.named("classic").crews
    assert {key: (one.vehicles, one.dice, one.coasts, one.seats) for key, one in crews.items()} == {
        "cars": (3, 4, 2, 4),
        "rig": (1, 4, 0, 1),
        "bikes": (5, 6, 4, 1),
    }


def test_twenty_sides_of_tiles_stand_in_order_and_a_plain_one_is_there_for_tests() -> None:
    classic = components.named("classic")
    assert list(classic.tiles) == [f"{number}{side}" for number in range(1, 11) for side in "AB"] + ["P"]
    assert len({tile.name for tile in classic.tiles.values()}) == 21
    assert classic.tiles["P"].rows == ("......",) * 10
    assert (classic.tile_numbers(carnage=False), classic.tile_numbers(carnage=True)) == (
        (1, 2, 3, 4, 5),
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    )
    assert BASE_TILES == 5


def test_the_first_row_of_a_tile_is_the_one_at_its_back() -> None:
    tile = components.named("classic").tiles["10B"]
    assert (tile.number, tile.side, tile.name) == (10, "B", "Last Gasp")
    assert tile.rows == (
        ",....,", "!..t..", ",.o.?,", "m.#...", "?..^..", ",.g.o,", "#f...#", "#..s.#", ",.t?.,", ",....,",
    )  # fmt: skip


def test_a_sides_have_three_hazard_spots_and_b_sides_four_and_tile_1_as_many_as_seats_ask_for() -> None:
    for key, tile in components.named("classic").tiles.items():
        symbols = "".join(tile.rows)
        spots = sum(symbols.count(one) for one in HAZARD_SPOTS)
        if key in ("1A", "1B"):
            first = symbols.count("?") + symbols.count("!")
            by_seats = [first, first + symbols.count("3"), first + symbols.count("3") + symbols.count("4")]
            assert by_seats == ([2, 3, 4] if key == "1A" else [3, 4, 5])
        else:
            assert spots == {"A": 3, "B": 4, "": 0}[tile.side], key


def test_the_funnels_are_those_that_are_known() -> None:
    listed = [words.split() for words in FUNNELS.split(";")]
    known = {words[0]: {read(space) for space in words[1:]} for words in listed}
    found = {key: set(playable.funnels(tile.rows)) for key, tile in components.named("classic").tiles.items()}
    assert {key: spaces for key, spaces in found.items() if spaces} == known


def test_one_pocket_can_only_be_reached_by_being_pushed_and_has_exits() -> None:
    tiles = components.named("classic").tiles
    found = {(key, written(space)) for key, tile in tiles.items() for space in playable.pockets(tile.rows)}
    assert found == {("3B", "1-9")}
    assert playable.safe_steps(tiles["3B"].rows, (1, 9)) == ("F", "FR")


def test_every_figure_says_where_it_comes_from() -> None:
    classic = components.named("classic")
    kinds = [*classic.damage, *classic.hazards, *classic.ongoing]
    said = [word for kind in kinds for word in kind.provenance_of.values()]
    said += [word for command in classic.commands.values() for word in command.provenance_of.values()]
    said += [word for crew in classic.crews.values() for word in crew.provenance_of.values()]
    said += [*classic.dice_provenance.values(), *classic.tile_provenance.values(), *classic.marker_provenance.values()]
    assert set(said) == set(SOURCES)
    assert classic.dice_provenance == {
        "move": "printed", "road": "stated", "slam": "stated", "direction": "printed", "shoot": "stated",
        "stunt": "stated", "fire": "designed",
    }  # fmt: skip
    assert classic.commands["nitro"].provenance_of["values"] == "stated"
    assert classic.crews["bikes"].provenance_of["dice"] == "inferred"
    assert classic.tile_provenance == {"numbers": "printed", "layouts": "designed"}


def test_a_set_is_read_once_and_an_unknown_one_is_refused_with_the_names_there_are() -> None:
    assert components.named("classic") is components.named("classic")
    for name in ("nosuch", "../classic", "Classic", ""):
        with pytest.raises(components.UnknownSet, match="there are classic"):
            components.named(name)


def _copied(to: Path, name: str) -> Path:
    """Copy the classic set under another name, as a host would who types in a box of his own."""
    folder = to / name
    shutil.copytree(CLASSIC, folder)
    about = folder / "set.toml"
    about.write_text(about.read_text("utf-8").replace('name = "classic"', f'name = "{name}"'), "utf-8")
    return folder


def test_a_host_adds_a_folder_of_sets_without_touching_code(tmp_path: Path) -> None:
    folder = _copied(tmp_path, "my_box")
    dice = folder / "dice.toml"
    dice.write_text(dice.read_text("utf-8").replace('"1", "1", "1", "2", "2", "3"', '"1", "2", "3"'), "utf-8")
    components.register_folder(tmp_path)
    assert components.names() == ("classic", "my_box")
    assert components.named("my_box").dice["road"] == ("1", "2", "3")
    assert components.named("my_box").hash != components.named("classic").hash


@pytest.mark.parametrize(
    ("file", "before", "after", "changes"),
    [
        ("tokens.toml", "The car burns.", "The car is on fire.", False),
        ("crews.toml", "Five small motorcycles", "Five motorcycles", False),
        ("set.toml", 'title = "Classic box"', 'title = "Old box"', False),
        ("dice.toml", 'provenance = "stated"', 'provenance = "printed"', False),
        ("dice.toml", '"1", "2", "2", "3", "3", "4"', '"1", "2", "2", "3", "4", "4"', True),
        ("crews.toml", "values = [1, 2, 3]\n", "values = [1, 2]\n", True),
        ("tokens.toml", "wrecks = 4", "wrecks = 5", True),
        ("tiles.toml", '".3....",', '"......",', True),
    ],
)
def test_the_hash_tells_other_figures_and_not_other_words(
    tmp_path: Path, file: str, before: str, after: str, changes: bool
) -> None:
    folder = tmp_path / "classic"
    shutil.copytree(CLASSIC, folder)
    text = (folder / file).read_text("utf-8")
    assert before in text
    (folder / file).write_text(text.replace(before, after), "utf-8")
    assert (components.load(folder).hash != components.load(CLASSIC).hash) is changes


def test_the_figures_of_classic_are_those_that_races_are_played_with() -> None:
    # Races name this hash. Other figures are another set: give them a folder and a name of their own.
    assert components.load(CLASSIC).hash == "c645f4440cdd36abcaecf5857fe1602838ef76d522eb8b24089690b97e9464b1"
