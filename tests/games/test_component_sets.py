"""A host's own component sets are read when the site starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from games.rulesets.roadkill import components
from games.runtime.component_sets import host_sets_register

CLASSIC = Path(components.__file__).parent / "classic"


@pytest.fixture(autouse=True)
def no_registered_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own list of a host's folders and its own memory of sets read."""
    monkeypatch.setattr(components, "_registered", [])
    components.named.cache_clear()


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
