"""The Atom feed of a race's public log."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from games.models import Race
from games.selectors.log import log_of
from games.services.pauses import race_pause, race_resume
from games.services.races import race_create, race_join
from games.web.views.feeds import LINES
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def running(db: None) -> Running:
    wren, olu = (User.objects.create_user(f"{n}@example.org", display_name=n.title()) for n in ("wren", "olu"))
    race = race_create(by=wren, name="Dust <Devil> & 300", seats=2, options={"sections": 3}, is_public=True)
    race_join(race_id=race.pk, by=olu)
    race.refresh_from_db()
    return Running(race)


def entries(race: Race) -> list[Any]:
    answer = Client().get(f"/races/{race.public_id}/log.atom")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("application/atom+xml")
    return ET.fromstring(answer.content).findall(f"{ATOM}entry")


def test_the_feed_tells_the_public_log_the_latest_first(running: Running) -> None:
    running.act(running.asked)
    told = [entry.findtext(f"{ATOM}title") for entry in entries(running.race)]
    public = [line["text"] for line in log_of(race=running.race, viewer=None)]
    assert told == public[::-1]


def test_a_line_keeps_its_name_as_the_log_grows(running: Running) -> None:
    def named() -> dict[Any, Any]:
        return {entry.findtext(f"{ATOM}id"): entry.findtext(f"{ATOM}title") for entry in entries(running.race)}

    running.act(running.asked)
    before = named()
    running.act(running.asked)
    after = named()
    assert len(after) > len(before)
    assert before.items() <= after.items()


def test_a_note_comes_behind_the_last_entry_under_a_name_of_its_own(running: Running) -> None:
    running.act(running.asked)
    before = entries(running.race)
    race_pause(race_id=running.race.pk, by=running.race.host)
    after = entries(running.race)
    assert len(after) == len(before) + 1
    assert after[0].findtext(f"{ATOM}id") not in {entry.findtext(f"{ATOM}id") for entry in before}


def test_more_notes_behind_one_entry_than_the_feed_has_lines_are_all_told(running: Running) -> None:
    for _ in range(LINES // 2 + 3):
        race_pause(race_id=running.race.pk, by=running.race.host)
        race_resume(race_id=running.race.pk, by=running.race.host)
    names = [entry.findtext(f"{ATOM}id") for entry in entries(running.race)]
    assert len(names) == len(set(names)) >= LINES


def test_a_driver_gets_the_same_feed_as_everybody(running: Running) -> None:
    running.act(running.asked)
    client = Client()
    path = f"/races/{running.race.public_id}/log.atom"
    as_anybody = client.get(path).content
    player = running.asked.player
    assert isinstance(player, User)
    client.force_login(player)
    assert client.get(path).content == as_anybody


def test_a_private_race_has_none(running: Running) -> None:
    Race.objects.update(is_public=False)
    client = Client()
    player = running.asked.player
    assert isinstance(player, User)
    client.force_login(player)
    assert client.get(f"/races/{running.race.public_id}/log.atom").status_code == 404
    page = client.get(f"/races/{running.race.public_id}/log").content.decode()
    assert "log.atom" not in page


def test_the_log_page_leads_to_it(running: Running) -> None:
    page = Client().get(f"/races/{running.race.public_id}/log").content.decode()
    assert page.count(f"/races/{running.race.public_id}/log.atom") == 2
