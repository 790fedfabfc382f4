"""A host's own component sets are read when the site starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from games.rulesets.roadkill import components
from games.rulesets.thunder_road import components as road
from games.runtime.component_sets import host_sets_register

CLASSIC = Path(components.__file__).parent / "classic"


@pytest.fixture(autouse=True)
def no_registered_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own list of a host's folders and its own memory of sets read."""
    for kind in (components, road):
        monkeypatch.setattr(kind, "_registered", [])
        kind.named.cache_clear()


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Return a folder with one sound set, my_box."""
    folder = tmp_path / "sets" / "my_box"
    shutil.copytree(CLASSIC, folder)
    about = folder / "set.toml"
    about.write_text(about.read_text("utf-8").replace('name = "classic"', 'name = "my_box"'), "utf-8")
    return folder.parent


def test_a_hosts_sets_can_be_played_with_once_registered(sets: Path) -> None:
    assert host_sets_register(sets) == ("my_box",)
    assert components.named("my_box").name == "my_box"


def test_the_site_reads_the_folder_of_its_setting(sets: Path, settings: Settings) -> None:
    settings.COMPONENT_SETS_DIR = sets
    apps.get_app_config("games").ready()
    assert components.names() == ("classic", "my_box")


def test_a_malformed_set_stops_the_start_with_the_setting_the_file_and_the_line(sets: Path, settings: Settings) -> None:
    cards = sets / "my_box" / "cards.csv"
    cards.write_text(cards.read_text("utf-8").replace("Theft,Theft,2", "Theft,Theft,two"), "utf-8")
    line = next(n for n, text in enumerate(cards.read_text("utf-8").splitlines(), 1) if text.startswith("theft,"))
    settings.COMPONENT_SETS_DIR = sets
    with pytest.raises(ImproperlyConfigured) as refused:
        apps.get_app_config("games").ready()
    assert str(refused.value).startswith(
        f"COMPONENT_SETS_DIR: {sets / 'my_box'}: cards.csv, line {line}: count should be a whole number"
    )


def test_a_folder_that_is_none_stops_the_start(sets: Path, settings: Settings) -> None:
    settings.COMPONENT_SETS_DIR = sets / "nowhere"
    with pytest.raises(ImproperlyConfigured, match=r"COMPONENT_SETS_DIR: .*nowhere should be a folder"):
        apps.get_app_config("games").ready()


def _road_box(sets: Path) -> Path:
    """A sound set of Thunder Road in the folder that bears its key."""
    folder = sets / "thunder_road" / "my_tiles"
    shutil.copytree(Path(road.__file__).parent / "classic", folder)
    about = folder / "set.toml"
    about.write_text(about.read_text("utf-8").replace('name = "classic"', 'name = "my_tiles"'), "utf-8")
    return folder


def test_a_folder_with_a_rulesets_key_holds_the_sets_of_that_ruleset(sets: Path) -> None:
    _road_box(sets)
    assert host_sets_register(sets) == ("my_box", "my_tiles")
    assert components.names() == ("classic", "my_box")
    assert road.names() == ("classic", "my_tiles")


def test_a_tile_that_cannot_be_driven_stops_the_start_with_tile_row_and_lane(sets: Path, settings: Settings) -> None:
    tiles = _road_box(sets) / "tiles.toml"
    tiles.write_text(tiles.read_text("utf-8").replace('".3....",', '"######",'), "utf-8")
    settings.COMPONENT_SETS_DIR = sets
    with pytest.raises(ImproperlyConfigured) as refused:
        apps.get_app_config("games").ready()
    assert str(refused.value).startswith(f"COMPONENT_SETS_DIR: {sets / 'thunder_road' / 'my_tiles'}: tiles.toml, line")
    assert "tile 1A, row 6, lane 2: a dead end" in str(refused.value)
