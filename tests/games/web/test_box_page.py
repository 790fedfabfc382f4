"""A box of Thunder Road to look through: all its tiles drawn, every figure with its source."""

from collections.abc import Callable

import pytest

from games.rulesets.thunder_road import components
from roadkill_site.accounts.models import User
from tests.games.web.conftest import Browser
from tests.games.web.markup import Page, faults_of

Open = Callable[[User | None], Browser]
pytestmark = pytest.mark.django_db


def test_every_tile_is_drawn_space_by_space_and_every_kind_and_command_is_listed(browser: Open) -> None:
    html = browser(None).html("/boxes/thunder_road/classic/")
    box = components.named("classic")
    tiles = [tile for key, tile in box.tiles.items() if key != components.TEST_TILE]
    headings = [one.text for one in Page(html).all("h3")]
    for tile in tiles:
        assert f"{tile.key} {tile.name}" in headings
    drawn = [one.attributes["aria-label"] for one in Page(html).all("svg") if "aria-label" in one.attributes]
    assert drawn == [f"Tile {tile.key}, front edge on top" for tile in tiles]
    assert html.count('href="#g-rock"') == 1 + sum(row.count("#") for tile in tiles for row in tile.rows)
    for kind in (*box.damage, *box.hazards, *box.ongoing):
        assert kind.name in html
    for command in box.commands.values():
        assert command.name in html
    assert box.hash in html
    assert not faults_of(html)
    assert len(html.encode()) < 100_000


@pytest.mark.parametrize("address", ["/boxes/thunder_road/none/", "/boxes/roadkill/classic/", "/boxes/chess/classic/"])
def test_there_are_no_other_boxes(browser: Open, address: str) -> None:
    assert browser(None).get(address).status_code == 404
