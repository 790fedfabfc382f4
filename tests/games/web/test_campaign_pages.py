"""Pages of campaigns: laid out, gathered for, bought in, hosted, dropped out of."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Campaign, CampaignRace, Posting, Race
from games.services.campaigns import campaign_drop_out
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.circuits import NOTHING, Circuit, MakeCircuit, circuit_started, cup_at_hand
from tests.games.conftest import person
from tests.games.web.conftest import Browser
from tests.games.web.markup import Page, faults_of

Open = Callable[[User | None], Browser]


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def circuit(alice: User, bob: User, charlie: User) -> MakeCircuit:
    """Makes a started campaign of Alice, Bob and Charlie; Alice hosts."""
    return partial(circuit_started, [alice, bob, charlie])


def fields_of(html: str) -> dict[str, str]:
    """What the form of a purchase sends by itself."""
    return dict(re.findall(r'<input type="hidden" name="(position|key|do|upgrade)" value="([^"]*)">', html))


def bought(browser: Browser, going: Circuit, number: int) -> Any:
    """Choose the answer of this number and press the button."""
    assert going.open is not None
    address = f"/campaigns/{going.row.public_id}/buy/{going.open.pk}/{number}"
    return browser.post(address, fields_of(browser.html(address)))


def test_a_campaign_is_laid_out_gathers_in_its_first_race_and_shows_its_purchases(
    alice: User, bob: User, browser: Open
) -> None:
    hers = browser(alice)
    html = hers.html("/campaigns/new")
    assert faults_of(html) == []
    fields = {
        "name": "Salt Circuit",
        "seats": "2",
        "sections": "3",
        "components": "classic",
        "tempo": "daily",
        "policy": "open",
        "is_public": "yes",
        "bots_allowed": "on",
        "starts_when_full": "on",
    }
    wrong = hers.post("/campaigns/new", {**fields, "name": "x" * 41})
    assert wrong.status_code == 422
    response = hers.post("/campaigns/new", fields)
    campaign = Campaign.objects.get()
    race = CampaignRace.objects.get().race
    assert response.url == f"/races/{race.public_id}/"
    assert "first race of the campaign" in hers.html(response.url)
    assert "Drivers gather in" in hers.html(f"/campaigns/{campaign.public_id}/")
    his = browser(bob)
    his.html(f"/races/{race.public_id}/")
    his.post(f"/races/{race.public_id}/join", {"words": ""})
    sweep()
    assert his.get(f"/races/{race.public_id}/").url == f"/campaigns/{campaign.public_id}/"
    html = his.html(f"/campaigns/{campaign.public_id}/")
    assert faults_of(html) == []
    assert "Purchases before race 1" in Page(html).text()
    assert 'class="rule-ref" href="/rules/roadkill/#r11.2"' in html or "is asked" in html


def test_the_question_is_answered_by_number_and_the_button_says_what_it_does(
    circuit: MakeCircuit, browser: Open
) -> None:
    going = circuit()
    asked = browser(going.driver(1))
    html = asked.html(f"/campaigns/{going.row.public_id}/")
    assert faults_of(html) == []
    words = Page(html).text()
    assert "You have 3 points in Cup of cups." in words
    numbered = re.findall(r'<span class="n">(\d)</span><span class="t"><span class="do">([^<]+)</span>', html)
    assert numbered[2:] == [("3", "Buy R, Part R, for 3"), ("4", "Buy nothing")]
    other = Page(browser(going.driver(2)).html(f"/campaigns/{going.row.public_id}/")).text()
    assert "Your answers" not in other
    assert going.open is not None
    confirm = asked.html(f"/campaigns/{going.row.public_id}/buy/{going.open.pk}/3")
    assert faults_of(confirm) == []
    assert "Buy R, Part R, for 3?" in confirm
    assert Posting.objects.filter(kind="bought").count() == 0
    address = f"/campaigns/{going.row.public_id}/buy/{going.open.pk}/3"
    first, again = asked.post(address, fields_of(confirm)), asked.post(address, fields_of(confirm))
    assert (first.status_code, again.status_code) == (303, 303)
    assert Posting.objects.filter(kind="bought").count() == 1
    assert "Buy R, Part R, for 3: done." in asked.html(first.url)
    assert going.asked == 2
    late = asked.get(f"{address}")
    assert late.status_code == 303


def test_a_purchase_that_is_refused_says_why_on_the_campaigns_page(circuit: MakeCircuit, browser: Open) -> None:
    going = circuit()
    asked = browser(going.driver(1))
    assert going.open is not None
    address = f"/campaigns/{going.row.public_id}/buy/{going.open.pk}/1"
    sent = fields_of(asked.html(address))
    refused = asked.post(address, {**sent, "upgrade": "T"})
    assert refused.status_code == 422
    assert "costs 5; you have 3" in refused.content.decode()
    stranger = browser(going.driver(2))
    stranger.html(f"/campaigns/{going.row.public_id}/")
    assert stranger.post(address, sent).status_code == 403
    for odd in ({"position": "x"}, {"key": ""}, {"do": ""}):
        assert asked.post(address, {**sent, **odd}).status_code == 400
    stale = asked.post(address, {**sent, "position": "7"})
    assert stale.status_code == 409
    assert "You have answered meanwhile" in stale.content.decode()
    assert asked.get(f"{address}9").status_code == 404
    assert going.asked == 1


def test_the_inbox_and_the_masthead_count_a_purchase_that_waits(circuit: MakeCircuit, browser: Open) -> None:
    going = circuit()
    asked, other = browser(going.driver(1)), browser(going.driver(2))
    html = asked.html("/")
    assert faults_of(html) == []
    page = Page(html)
    assert "One answer wanted" in page.text()
    assert f'href="/campaigns/{going.row.public_id}/#purchase"' in html
    assert '<span class="count">1<span class="vh"> asked of you</span>' in html
    assert "The road is clear" not in page.text()
    assert "Nothing wanted" in Page(other.html("/")).text()
    assert '<span class="count">' not in other.html("/")
    assert going.last.race.public_id not in other.html("/"), "a race that is bought for shows as its campaign"
    assert going.last.race.public_id not in browser(None).html("/races/")


def test_points_races_and_the_ledger_are_open_to_who_may_see_the_campaign(
    circuit: MakeCircuit, browser: Open, alice: User
) -> None:
    going = circuit()
    going.buy("Q")
    going.nobody_buys()
    going.call([2, 1, 3], [4, 5, -1])
    html = browser(None).html(f"/campaigns/{going.row.public_id}/")
    assert faults_of(html) == []
    words = Page(html).text()
    assert "Points" in words
    assert f"won by {going.row.drivers.get(car=2).shown_name} (car 2)" in words
    lines = browser(None).html(f"/campaigns/{going.row.public_id}/ledger")
    assert faults_of(lines) == []
    assert "bought Q" in Page(lines).text()
    assert going.row.name in browser(None).html("/campaigns/")
    assert "leads with 8" in Page(browser(alice).html("/campaigns/")).text()
    assert "Its campaign" in browser(None).html(f"/races/{CampaignRace.objects.get(number=1).race.public_id}/")
    Race.objects.update(is_public=False)
    stranger = person("Stranger")
    for path in ("", "ledger"):
        assert browser(None).get(f"/campaigns/{going.row.public_id}/{path}").status_code == 404
        assert browser(stranger).get(f"/campaigns/{going.row.public_id}/{path}").status_code == 404
        assert browser(alice).get(f"/campaigns/{going.row.public_id}/{path}").status_code == 200
    assert going.row.name not in browser(None).html("/campaigns/")


def test_a_long_campaign_costs_a_page_no_more_statements(circuit: MakeCircuit, browser: Open, alice: User) -> None:
    going = circuit()
    hers = browser(alice)
    counts = []
    for _ in range(3):
        going.nobody_buys()
        going.call([1, 2, 3], [-1, 0, -2])
        pages = [f"/campaigns/{going.row.public_id}/", f"/campaigns/{going.row.public_id}/ledger", "/campaigns/", "/"]
        seen = []
        for page in pages:
            with CaptureQueriesContext(connection) as queries:
                hers.html(page)
            seen.append(len(queries))
        counts.append(seen)
    assert counts[0] == counts[1] == counts[2]


def test_the_host_stops_lets_go_on_and_closes_after_being_asked(
    circuit: MakeCircuit, browser: Open, alice: User, bob: User
) -> None:
    going = circuit()
    base = f"/campaigns/{going.row.public_id}/"
    hers, his = browser(alice), browser(bob)
    hers.html(base), his.html(base)
    assert his.post(f"{base}pause", {}).status_code == 403
    hers.post(f"{base}pause", {})
    assert going.row.status == "paused"
    assert "Let it go on" in hers.html(base)
    hers.post(f"{base}resume", {})
    assert going.row.status == "running"
    assert "Close the campaign?" in hers.html(f"{base}close")
    assert going.row.status == "running"
    hers.post(f"{base}close", {})
    assert going.row.status == "closed"
    assert "The host has closed this campaign" in browser(None).html(base)
    assert hers.get(f"{base}pause").status_code == 404
    assert hers.get(f"{base}nonsense").status_code == 404


def test_who_drops_out_is_asked_first_and_the_host_has_a_link_for_who_drives_on(
    circuit: MakeCircuit, browser: Open, alice: User, bob: User
) -> None:
    going = circuit()
    Race.objects.update(is_public=False)
    base = f"/campaigns/{going.row.public_id}/"
    his = browser(bob)
    assert "A bot drives your car on at once" in his.html(f"{base}drop-out")
    his.post(f"{base}drop-out", {})
    car = going.row.drivers.get(former_player=bob).car
    hers = browser(alice).html(base)
    found = re.search(rf'value="http://testserver({base}cars/{car}/drive\?invitation=[^"]+)"', hers)
    assert found
    new = browser(person("Newcomer"))
    assert new.get(base).status_code == 404
    link = found[1].replace("&amp;", "&")
    assert f"Drive car {car} on?" in new.html(link)
    invitation = link.partition("invitation=")[2]
    response = new.post(f"{base}cars/{car}/drive", {"invitation": invitation})
    assert response.status_code == 303
    assert f"You drive car {car} now" in new.html(base)
    assert his.post(f"{base}cars/{car}/drive", {}).status_code == 404, "the campaign is none of theirs any more"


def test_the_host_lets_a_bot_drive_on_for_who_has_gone(circuit: MakeCircuit, browser: Open, alice: User) -> None:
    going = circuit()
    base = f"/campaigns/{going.row.public_id}/"
    car = next(one.car for one in going.row.drivers.all() if one.player_id != alice.pk)
    hers = browser(alice)
    hers.html(base)
    refused = hers.post(f"{base}cars/{car}/relieve", {})
    assert refused.status_code == 409
    assert "is still there" in refused.content.decode()
    while going.open is not None:
        purchase = going.open
        purchase.due_at = purchase.opened_at
        purchase.save()
        sweep()
    assert hers.post(f"{base}cars/{car}/relieve", {}).status_code == 303
    assert going.row.drivers.get(car=car).bot == "driver"


def test_who_dropped_out_is_offered_the_way_back(circuit: MakeCircuit, browser: Open, bob: User) -> None:
    going = circuit()
    campaign_drop_out(campaign_id=going.pk, by=bob)
    car = going.row.drivers.get(former_player=bob).car
    html = browser(bob).html(f"/campaigns/{going.row.public_id}/")
    assert f"Drive car {car} on" in html
    going.answer(NOTHING)
