"""The component set `classic`: its figures, and the ways to find a set."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from games.rulesets.roadkill import components

CLASSIC = Path(components.__file__).parent / "classic"

# key, cards, symbol, colours, motion: typed a second time from the list, so that a slip shows.
DECK = """
move_1 12 driving B moving
move_2 7 driving B moving
move_3 3 driving B moving
move_4 1 driving B moving
rest_move_1 3 driving B moving
rest_move_2 2 driving B moving
rest_move_3 1 driving B moving
red_move_1 8 driving BR moving
landmark 8 driving B any
red_line 3 driving B any
shortcut 2 fate B moving
swerve 12 driving BR moving
firm_shoulders 4 driving BR moving
great_reflexes 4 driving BR any
smoke_screen 4 attack R moving
fate 3 fate BR any
box_canyon 1 fate R any
changed_road_sign 1 fate B stopped
assault_rifle 2 attack BR stopped
tire_spikes 3 attack R stopped
hand_grenade 4 attack BR moving
hubcap_blades 4 attack BR moving
machine_gun 6 attack BR moving
ram 4 attack BR moving
sideswipe 5 attack BR moving
theft 2 attack B stopped
sabotage 1 attack B stopped
camouflage 2 attack B stopped
siphon_gas 3 supply B stopped
spare_parts 3 supply B stopped
spare_tire 4 supply B stopped
tool_kit 3 supply B stopped
no_doze_pills 1 supply B stopped
road_map 2 supply B stopped
"""
LETTERS = "A5 B5 C5 D5 E5 F6 G4 H4 I5 J5 K4 L5 M5 N7 O5 P5 Q5 R5 S5 T5 U4 V5 W7 X4 Y6 Z2"
UPGRADE_PRICES = {"A": 4, "B": 2, "C": 1, "D": 1, "E": 3, "F": 3, "G": 1, "H": 3, "I": 2, "J": 2, "Z": 5}


@pytest.fixture(autouse=True)
def no_registered_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own list of a host's folders and its own memory of sets read."""
    monkeypatch.setattr(components, "_registered", [])
    components.named.cache_clear()


def test_the_deck_has_its_34_types_with_their_symbols_colours_and_motion() -> None:
    kinds = components.named("classic").kinds
    found = [
        f"{kind.key} {kind.count} {kind.symbol} {'B' * kind.black}{'R' * kind.red} {kind.motion}" for kind in kinds
    ]
    assert found == DECK.split("\n")[1:-1]
    assert [kind.index for kind in kinds] == list(range(34))


def test_the_cards_are_as_many_as_the_counts_say() -> None:
    classic = components.named("classic")
    assert len(classic.card_kind) == len(classic.card_keys) == len(classic.letters) == 128
    assert Counter(classic.card_keys) == {kind.key: kind.count for kind in classic.kinds}
    assert all(classic.kinds[index].key == key for index, key in zip(classic.card_kind, classic.card_keys, strict=True))
    assert classic.cards_of("red_line") == tuple(
        card for card, key in enumerate(classic.card_keys) if key == "red_line"
    )


def test_roads_rest_stops_passing_and_attack_cards_are_marked() -> None:
    kinds = components.named("classic").kinds
    assert {kind.short: kind.value for kind in kinds if kind.road} == {
        "Move 1": 1, "Move 2": 2, "Move 3": 3, "Move 4": 4,
        "RS Move 1": 1, "RS Move 2": 2, "RS Move 3": 3, "red 1": 1,
    }  # fmt: skip
    assert {kind.key for kind in kinds if kind.rest_stop} == {"rest_move_1", "rest_move_2", "rest_move_3"}
    assert {kind.key for kind in kinds if kind.passing} == {
        "hubcap_blades",
        "machine_gun",
        "ram",
        "sideswipe",
    }
    assert {kind.key for kind in kinds if kind.attack} == set(components.named("classic").attacks)
    assert all(kind.value == 0 for kind in kinds if not kind.road)


def test_attack_tables_say_what_each_draw_does() -> None:
    attacks = components.named("classic").attacks
    nothing, check, damage = ("none",), ("target_check",), ("target_damage",)
    flat_and_check = ("target_flat_tire", "target_check")
    assert attacks == {
        "assault_rifle": (nothing, nothing, check, damage, damage),
        "tire_spikes": (nothing, check, check, flat_and_check, flat_and_check),
        "hand_grenade": (nothing, nothing, check, check, damage),
        "hubcap_blades": (
            nothing, nothing, flat_and_check, flat_and_check, ("target_flat_tire", "target_damage"),
        ),
        "machine_gun": (nothing, check, check, damage, damage),
        "ram": (("own_damage",), ("both_check",), ("both_check",), damage, damage),
        "sideswipe": (("both_check",), ("both_check",), ("target_loses_card",), check, check),
    }  # fmt: skip


def test_the_event_chart_has_26_letters_on_128_cards() -> None:
    classic = components.named("classic")
    assert {letter: event.count for letter, event in classic.events.items()} == {
        word[0]: int(word[1:]) for word in LETTERS.split()
    }
    assert Counter(classic.letters) == {letter: event.count for letter, event in classic.events.items()}
    assert "".join(letter for letter, event in classic.events.items() if event.toggle == "weather") == "FIY"
    assert "".join(letter for letter, event in classic.events.items() if event.toggle == "road") == "NW"
    assert "".join(letter for letter, event in classic.events.items() if event.rule == "8.8") == "AJRS"


def test_the_panel_is_the_printed_one() -> None:
    panel = components.named("classic").panel
    assert (panel.tank, panel.hand_limits, panel.wreck_damage) == (8, (7, 6, 5, 4, 3, 2, 1, 0), 7)
    assert (panel.road_log, panel.road_log_start, panel.exit_counts) == ((-4, -3, -2, -1, 0, 1, 2, 3), 0, 4)
    assert [problem.key for problem in panel.problems] == [
        "flat_tire", "coolant_leak", "fuel_leak", "broken_shocks", "brakes_worn", "engine_wear",
        "headlights_out",
    ]  # fmt: skip
    assert (panel.repair_succeeds_from, panel.repair_most_modifier, panel.repair_flat_tire_bonus) == (4, 2, 1)


@pytest.mark.parametrize(
    ("number", "key"),
    [(-2, "crash"), (1, "crash"), (2, "flat_tire"), (3, "mechanical_problem"), (4, "ditched"), (5, "spinout"),
     (6, "no_effect"), (10, "no_effect")],
)  # fmt: skip
def test_the_damage_table_reaches_beyond_its_ends(number: int, key: str) -> None:
    assert components.named("classic").panel.damage_result(number).key == key


def test_upgrades_and_the_beginners_track_have_their_figures() -> None:
    classic = components.named("classic")
    assert {letter: upgrade.price for letter, upgrade in classic.upgrades.items()} == UPGRADE_PRICES
    track = classic.tracks["beginners"]
    assert [(section.value, section.rest_stop) for section in track.sections] == [
        (1, False), (2, False), (1, True), (3, False), (1, False), (2, True), (1, False), (2, False),
    ]  # fmt: skip
    assert track.finish == "crossing"
    assert [section.provenance for section in track.sections] == ["inferred"] + ["designed"] * 7


def test_every_figure_says_where_it_comes_from() -> None:
    classic = components.named("classic")
    known = {"printed", "inferred", "designed"}
    said = [kind.provenance for kind in classic.kinds]
    said += [word for kind in classic.kinds for word in kind.provenance_of.values()]
    said += [word for event in classic.events.values() for word in event.provenance_of.values()]
    said += [word for upgrade in classic.upgrades.values() for word in upgrade.provenance_of.values()]
    said += [*classic.line_provenance.values(), *classic.attack_provenance.values()]
    said += [*classic.panel.provenance_of.values()]
    said += [problem.provenance for problem in classic.panel.problems]
    said += [row.provenance for row in classic.panel.damage_table]
    assert set(said) == known
    assert classic.line_provenance == {"check": "designed", "columns": "inferred", "event": "designed"}
    by_key = {kind.key: kind.provenance for kind in classic.kinds}
    assert (by_key["move_1"], by_key["siphon_gas"], by_key["machine_gun"]) == (
        "printed",
        "inferred",
        "designed",
    )


@pytest.mark.parametrize(
    ("size", "column"),
    [(2, "2"), (3, "3"), (4, "R"), (5, "attack"), (6, "wrench"), (7, "7"), (8, "8"), (9, "9"), (10, "0")],
)
def test_a_draw_of_k_is_read_from_the_column_with_k_sides(size: int, column: str) -> None:
    classic = components.named("classic")
    assert components.column_for(size) == column
    assert set(classic.numbers[column]) == set(range(1, size + 1))


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
    attacks = folder / "attacks.toml"
    attacks.write_text(attacks.read_text("utf-8").replace('1 = ["own_damage"]', '1 = ["none"]'), "utf-8")
    components.register_folder(tmp_path)
    components.register_folder(tmp_path)
    assert components.names() == ("classic", "my_box")
    mine = components.named("my_box")
    assert mine.attacks["ram"][0] == ("none",)
    assert mine.hash != components.named("classic").hash


def test_a_hosts_folder_that_cannot_serve_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="should be a folder of component sets"):
        components.register_folder(tmp_path / "nowhere")
    folder = _copied(tmp_path, "classic")
    with pytest.raises(ValueError, match="name is taken: classic"):
        components.register_folder(tmp_path)
    with pytest.raises(ValueError, match="is itself a component set"):
        components.register_folder(folder)


@pytest.mark.parametrize(
    ("file", "before", "after", "changes"),
    [
        ("cards.csv", "Repairs a Flat Tire.", "Mends a Flat Tire.", False),
        ("events.toml", "# One table a letter", "# One letter a table", False),
        ("set.toml", 'title = "Classic box"', 'title = "Old box"', False),
        ("panel.toml", 'provenance = "printed"', 'provenance = "designed"', False),
        ("panel.toml", "succeeds_from = 4", "succeeds_from = 3", True),
        ("cards.csv", "Tool Kit,3,supply,black,stopped", "Tool Kit,3,supply,black,any", True),
        ("attacks.toml", '5 = ["target_damage"]', '5 = ["target_check"]', True),
        ("upgrades.toml", "price = 4", "price = 5", True),
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
    assert components.load(CLASSIC).hash == "13b80d61f0355b4f46e3238a08083765c859d51ff811780be0761195162dae03"


def test_a_box_may_lack_a_card_type_or_an_event(tmp_path: Path) -> None:
    folder = tmp_path / "classic"
    shutil.copytree(CLASSIC, folder)
    cards = folder / "cards.csv"
    cards.write_text(cards.read_text("utf-8").replace("No Doze Pills,1,", "No Doze Pills,0,"), "utf-8")
    lines = folder / "number_lines.csv"
    header, *rows = lines.read_text("utf-8").splitlines()
    kept = [row.split(",", 1)[1] for row in rows if ",no_doze_pills," not in row]
    quiet = [row[:-1] + "Q" if row.endswith("Z") else row for row in kept]
    lines.write_text("\n".join([header, *(f"{card},{row}" for card, row in enumerate(quiet))]), "utf-8")
    letters = Counter(row[-1] for row in quiet)
    events = folder / "events.toml"
    before, _, _ = events.read_text("utf-8").partition("[Z]")
    for letter, count in letters.items():
        head, _, tail = before.partition(f"[{letter}]")
        start, _, rest = tail.partition("cards = ")
        before = f"{head}[{letter}]{start}cards = {count}{rest[rest.index(chr(10)) :]}"
    events.write_text(before, "utf-8")
    made = components.load(folder)
    assert len(made.card_kind) == 127
    assert made.cards_of("no_doze_pills") == ()
    assert "Z" not in made.events
