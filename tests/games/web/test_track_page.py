"""The track list for people at a table: made, revealed, shared and reset by its address, without an account."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from games.runtime import tracks
from games.runtime.rulesets import RULESETS
from roadkill_site.accounts.models import User
from tests.games.toy_ruleset import RULESET as TOY
from tests.games.web.conftest import Browser
from tests.games.web.markup import Page, faults_of

Open = Callable[[User | None], Browser]

PAGE = "/tracks/thunder_road/"
CODE = "abcdefghij234567"
pytestmark = pytest.mark.django_db


def listed(html: str) -> list[str]:
    """The tiles on the table, the front one first, as their headings name them."""
    return [one.text.split()[0] for one in Page(html).all("h3")]


def behind(html: str) -> list[str]:
    """The tiles left behind, in the order of laying."""
    return re.findall(r"<li><b>(\w+)</b>", html)


def link(html: str, words: str) -> str:
    """Where the link with these words leads; "" without one."""
    return next((one.attributes["href"] for one in Page(html).all("a") if one.text == words), "")


def settings(players: int = 4, *, carnage: bool = False, sides: str = "mixed") -> tracks.Settings:
    return tracks.Settings(players=players, carnage=carnage, sides=sides, box="classic")


def test_a_stranger_makes_a_list_and_is_sent_to_its_address(browser: Open) -> None:
    stranger = browser(None)
    html = stranger.html(PAGE)
    assert faults_of(html) == []
    assert "Generate track list" in html
    assert listed(html) == []
    made = stranger.get(f"{PAGE}?players=3&sides=B&carnage=on&new=1")
    assert made.status_code == 303
    given = parse_qs(urlsplit(made["Location"]).query)
    assert {name: given[name] for name in ("players", "sides", "carnage")} == {
        "players": ["3"], "sides": ["B"], "carnage": ["on"],
    }  # fmt: skip
    page = stranger.html(made["Location"])
    assert faults_of(page) == []
    assert listed(page)[-1] == "1B"
    assert len(listed(page)) == 3
    again = stranger.get(f"{PAGE}?players=3&sides=B&carnage=on&new=1")
    assert again["Location"] != made["Location"]


def test_whoever_has_the_address_has_the_same_list(browser: Open, alice: User) -> None:
    address = f"{PAGE}?players=4&carnage=on&sides=mixed&list={CODE}&shown=6"
    mine, theirs = browser(None).html(address), browser(alice).html(address)
    assert listed(mine) == listed(theirs)
    assert behind(mine) == behind(theirs)


def test_the_next_tile_is_revealed_and_the_rear_one_leaves(browser: Open) -> None:
    stranger = browser(None)
    address = f"{PAGE}?players=4&carnage=on&sides=mixed&list={CODE}"
    order = tracks.order("thunder_road", CODE, settings(carnage=True))
    assert len(order) == 10
    for shown in range(3, 11):
        html = stranger.html(address)
        assert faults_of(html) == []
        assert listed(html) == list(order[shown - 3 : shown][::-1])
        assert behind(html) == list(order[: shown - 3])
        if shown > 3:
            text = Page(html).text()
            assert f"Tile {shown} is {order[shown - 1]}," in text
            assert f"It goes in front; {order[shown - 4]}," in text
        address = link(html, "Reveal next tile")


def test_what_is_not_revealed_stands_nowhere_on_the_page_or_in_its_address(browser: Open) -> None:
    html = browser(None).html(f"{PAGE}?players=4&carnage=on&sides=mixed&list={CODE}")
    order = tracks.order("thunder_road", CODE, settings(carnage=True))
    for key in order[3:]:
        assert not re.search(rf"\b{key}\b", html), key


def test_a_race_of_two_ends_on_the_fifth_tile(browser: Open) -> None:
    stranger = browser(None)
    html = stranger.html(f"{PAGE}?players=2&sides=mixed&list={CODE}&shown=5")
    assert "This is the last tile" in html
    assert link(html, "Reveal next tile") == ""
    assert link(html, "Reset")
    beyond = stranger.html(f"{PAGE}?players=2&sides=mixed&list={CODE}&shown=9")
    assert listed(beyond) == listed(html)
    assert "This is the last tile" not in stranger.html(f"{PAGE}?players=2&sides=mixed&list={CODE}&shown=4")


def test_a_longer_race_shuffles_all_but_the_last_three(browser: Open) -> None:
    stranger = browser(None)
    word = "all but the last three were shuffled"
    pages = {n: stranger.html(f"{PAGE}?players=4&sides=mixed&list={CODE}&shown={n}") for n in range(3, 10)}
    assert [n for n, html in pages.items() if word in html] == [6, 8]
    numbers = [int(key[:-1]) for key in [*behind(pages[9]), *reversed(listed(pages[9]))]]
    assert sorted(numbers[:5]) == [1, 2, 3, 4, 5]
    assert set(numbers[5:7]) == {1, 2, 3, 4, 5} - set(numbers[2:5])
    assert set(numbers[7:9]) == {1, 2, 3, 4, 5} - set(numbers[4:7])


def test_a_list_comes_to_rest_some_time(browser: Open) -> None:
    html = browser(None).html(f"{PAGE}?players=4&sides=mixed&list={CODE}&shown=9999")
    assert "Tile 200 is" in html
    assert link(html, "Reveal next tile") == ""
    assert len(html.encode()) < 100_000


def test_reset_clears_the_list_and_keeps_the_settings(browser: Open) -> None:
    stranger = browser(None)
    html = stranger.html(f"{PAGE}?players=5&carnage=on&sides=A&list={CODE}&shown=5")
    cleared = stranger.html(link(html, "Reset"))
    assert listed(cleared) == []
    assert '<option value="5" selected>' in cleared
    assert '<option value="A" selected>' in cleared
    assert re.search(r'name="carnage"[^>]* checked', cleared)


def test_each_tile_is_drawn_hex_by_hex_and_told_in_words(browser: Open) -> None:
    html = browser(None).html(f"{PAGE}?players=2&sides=A&list={CODE}")
    first = html[html.rindex('aria-label="Tile 1A') :]
    drawing = first[: first.index("</svg>")]
    assert drawing.count('<use href="#g-road"') == 56
    assert drawing.count('<use href="#g-off_road"') == 2 + 2
    assert drawing.count('<use href="#g-spot"') == 2
    words = first[first.index("<dl>") : first.index("</dl>")]
    assert words == "<dl><dt>Hazard token</dt><dd>2-4, 4-9</dd><dt>Off-road</dt><dd>1-9, 6-9, 1-10, 6-10</dd>"


@pytest.mark.parametrize(("players", "spots"), [(2, "2-4, 4-9"), (3, "2-4, 2-7, 4-9"), (4, "2-4, 5-6, 2-7, 4-9")])
def test_tile_1_has_more_tokens_with_more_players(browser: Open, players: int, spots: str) -> None:
    html = browser(None).html(f"{PAGE}?players={players}&sides=A&list={CODE}")
    assert f"<dt>Hazard token</dt><dd>{spots}</dd>" in html[html.rindex("Tile 1A") :]


@pytest.mark.parametrize(
    "query",
    [
        "list=short&players=4&sides=mixed",
        "list=ABCDEFGHIJ234567&players=4&sides=mixed",
        f"list={CODE}&players=9&sides=mixed",
        f"list={CODE}&players=4&sides=C",
        f"list={CODE}&players=4&sides=mixed&box=nosuch",
        "new=1&players=none&sides=mixed",
        "list=",
    ],
)
def test_an_address_that_is_not_whole_is_told_in_a_sentence(browser: Open, query: str) -> None:
    html = browser(None).html(f"{PAGE}?{query}", status=422)
    assert faults_of(html) == []
    assert "There is no list yet." in html
    assert 'role="alert"' in html
    assert listed(html) == []


@pytest.mark.parametrize("shown", ["", "x", "-4", "2", "²", "99999999999999999999"])
def test_a_number_of_tiles_that_makes_no_sense_shows_the_first_three(browser: Open, shown: str) -> None:
    html = browser(None).html(f"{PAGE}?players=4&sides=mixed&list={CODE}&shown={shown}")
    assert listed(html) == list(tracks.order("thunder_road", CODE, settings())[:3][::-1])


def test_a_race_can_be_laid_out_with_it_once_the_game_is_played_here(
    browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{PAGE}?players=4&carnage=on&sides=mixed&list={CODE}"
    words = "Lay out a race with this track"
    monkeypatch.delitem(RULESETS, "thunder_road", raising=False)
    assert link(browser(None).html(address), words) == ""
    monkeypatch.setitem(RULESETS, "thunder_road", TOY)
    leads = urlsplit(link(browser(None).html(address), words))
    assert leads.path == "/races/new"
    given = {name: values[0] for name, values in parse_qs(leads.query).items()}
    assert given == {
        "ruleset": "thunder_road", "players": "4", "carnage": "on", "sides": "mixed", "box": "classic", "list": CODE,
    }  # fmt: skip


def test_other_games_have_no_tiles(browser: Open) -> None:
    assert browser(None).get("/tracks/roadkill/").status_code == 404
    assert browser(None).get("/tracks/nosuch/").status_code == 404


def test_nothing_is_written_and_nobody_can_post(browser: Open) -> None:
    assert browser(None).client.post(PAGE).status_code in {403, 405}


def test_it_is_linked_where_races_are_and_at_the_foot_of_every_page(browser: Open) -> None:
    html = browser(None).html("/races/")
    assert html.count(f'href="{PAGE}"') == 2
    assert faults_of(html) == []
