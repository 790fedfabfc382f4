"""The lists of races go on from page to page, by plain links, and read no more rows for it."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.services.races import race_create
from games.web.views import lobby
from roadkill_site.accounts.models import User


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "PER_PAGE", 3)


def open_races(host: User, count: int) -> None:
    for number in range(count):
        race_create(by=host, name=f"Race {number:02}", ruleset="toy", is_public=True, seats=2)


def names(html: str) -> list[str]:
    return sorted(set(re.findall(r"Race \d\d", html)))


def read_through(client: Client, label: str) -> list[list[str]]:
    """The names on each page, from the first on, by the link of this name."""
    found, address = [], "/races/"
    while True:
        html = client.get(address).content.decode()
        found.append(names(html))
        link = re.search(rf'href="([^"]+)">{label}</a>', html)
        if link is None:
            return found
        address = "/races/" + link[1].replace("&amp;", "&").partition("#")[0]


def test_every_open_race_stands_on_one_page(alice: User) -> None:
    open_races(alice, 8)
    pages = read_through(Client(), "Older ones")
    assert [len(page) for page in pages] == [3, 3, 2]
    assert sorted(name for page in pages for name in page) == [f"Race {number:02}" for number in range(8)]


def test_every_race_of_ones_own_stands_on_one_page(alice: User, bob: User) -> None:
    open_races(alice, 7)
    client = Client()
    client.force_login(alice)
    pages = read_through(client, "More of them")
    assert [len(page) for page in pages] == [3, 3, 1]
    assert sorted(name for page in pages for name in page) == [f"Race {number:02}" for number in range(7)]


@pytest.mark.parametrize("query", ["?open=99", "?open=x", "?open=-1&mine=0"])
def test_a_page_that_is_none_is_the_nearest(alice: User, query: str) -> None:
    open_races(alice, 4)
    answer = Client().get(f"/races/{query}")
    assert answer.status_code == 200
    assert names(answer.content.decode())


def test_a_list_that_fits_has_no_links_to_pages(alice: User) -> None:
    open_races(alice, 3)
    assert "Page 1" not in Client().get("/races/").content.decode()


def test_more_races_take_no_more_statements(alice: User) -> None:
    client = Client()
    client.force_login(alice)

    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/races/?open=2&mine=2")
        return len(captured)

    open_races(alice, 6)
    few = statements()
    open_races(alice, 9)
    assert statements() == few
