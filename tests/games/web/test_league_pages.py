"""The pages of leagues: sound markup, every way to act by a form, charts with their figures, exports, the feed."""

import csv
import re
from collections.abc import Iterator
from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
import time_machine

from games.leagues.tables import TIE_BREAKS
from games.models import Entrant, Fixture, League, LeagueDriver, Season
from games.services.league_sweep import leagues_sweep
from games.web.views.leagues import DECIDES
from roadkill_site.accounts.models import User
from tests.games.circuits import cup_at_hand
from tests.games.conftest import NOON
from tests.games.leagues import (
    circuit_of,
    cup_season,
    driver_of,
    entrant_of,
    run_due,
    some_people,
    toy_league,
    toy_season,
)
from tests.games.web.conftest import Browser
from tests.games.web.markup import Page, faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(clock: time_machine.Traveller) -> Season:
    """A season of six in two divisions, of which two rounds of three are over."""
    host, *others = some_people(6)
    made = toy_season(toy_league(host), [host, *others], divisions=2, races_each=3)
    for _ in range(2):
        run_due()
        clock.shift(timedelta(days=7))
    clock.shift(timedelta(days=-1))
    return made


def pages_of(season: Season) -> list[str]:
    one, other = LeagueDriver.objects.order_by("pk")[:2]
    base = f"/leagues/{season.league.public_id}/"
    return [
        "/leagues/", base, f"{base}?division=2", f"{base}?page=9", f"{base}fixtures", f"{base}ratings",
        f"{base}drivers/{one.pk}", f"{base}drivers/{one.pk}/against/{other.pk}",
    ]  # fmt: skip


def test_every_page_is_sound_to_everybody(season: Season) -> None:
    host, other = season.league.host, some_people(2)[1]
    own = [f"/leagues/{season.league.public_id}/host", f"/leagues/{season.league.public_id}/season", "/leagues/new"]
    for user, pages in ((None, pages_of(season)), (other, pages_of(season)), (host, [*pages_of(season), *own])):
        browser = Browser(user)
        for address in pages:
            assert faults_of(browser.html(address)) == [], address


def test_the_table_says_who_moves_and_what_decided(season: Season) -> None:
    html = Browser(None).html(f"/leagues/{season.league.public_id}/")
    assert "▼ goes down" in html
    assert "▲ goes up" in Browser(None).html(f"/leagues/{season.league.public_id}/?division=2")
    assert "Who comes first" in html
    assert season.seed in html


def test_every_tie_break_has_words_and_the_first_of_a_season_needs_none(season: Season) -> None:
    assert set(DECIDES) == set(TIE_BREAKS)
    address = f"/leagues/{season.league.public_id}/"
    for ties, said in ((["lot", "points"], False), (["fewer_races", "points"], True)):
        Season.objects.filter(pk=season.pk).update(tie_breaks=ties)
        assert ("level with the one above" in Browser(None).html(address)) == said
    assert "level with the one above: points decide" in Browser(None).html(address)


def test_a_chart_has_its_figures_beside_it(season: Season) -> None:
    html = Browser(None).html(f"/leagues/{season.league.public_id}/")
    page = Page(html)
    (drawing,) = [one for one in page.all("svg") if one.attributes.get("role") == "img"]
    assert drawing.attributes["aria-label"].startswith("Points by round")
    figures = html[html.index("The figures of the chart") :]
    assert len(re.findall(r'<th scope="col" class="num">Round \d', figures)) == 2
    driver = driver_of(season.league, season.league.host)
    html = Browser(None).html(f"/leagues/{season.league.public_id}/drivers/{driver.pk}")
    assert "Rating, race by race" in html
    assert "<polygon" in html


def test_a_name_that_looks_like_a_formula_is_text_in_the_export(season: Season) -> None:
    User.objects.filter(display_name="Bob").update(display_name="=1+1")
    response = Browser(None).get(f"/leagues/{season.league.public_id}/table.csv")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(response.content.decode().splitlines()))
    assert len(rows) == 6
    assert "'=1+1" in {row["name"] for row in rows}
    assert [row["place"] for row in rows] == ["1", "2", "3"] * 2
    told = Browser(None).get(f"/leagues/{season.league.public_id}/table.json").json()
    points = [line["points"] for table in told["tables"] for line in table["lines"]]
    assert points == [int(row["points"]) for row in rows]


def test_the_feed_names_each_result_for_good(season: Season) -> None:
    response = Browser(None).get(f"/leagues/{season.league.public_id}/results.atom")
    assert response.headers["Content-Type"].startswith("application/atom+xml")
    atom = {"a": "http://www.w3.org/2005/Atom"}
    entries = ET.fromstring(response.content).findall("a:entry", atom)
    assert len(entries) == 4
    assert len({one.findtext("a:id", namespaces=atom) for one in entries}) == 4
    assert "won" in str(entries[0].findtext("a:title", namespaces=atom))


def test_a_host_does_all_by_forms(clock: time_machine.Traveller) -> None:
    host, friend = some_people(2)
    browser = Browser(host)
    browser.html("/leagues/new")
    made = browser.post("/leagues/new", {"name": "Night league", "is_public": "yes"})
    assert made.status_code == 303
    league = League.objects.get()
    base = f"/leagues/{league.public_id}"
    fields = {
        "starts_at": "2026-06-02T12:00", "races_each": 2, "every_days": 7, "divisions": 1, "moving": 1, "seats": 3,
        "sections": 3, "components": "classic", "tempo": "daily", "policy": "strict", "absences": "1",
        "substitutes": "first", "tie_1": "wins", "tie_2": "points", "tie_3": "lot",
    }  # fmt: skip
    refused = browser.post(f"{base}/season", {**fields, "tie_2": "wins"})
    assert refused.status_code == 422
    assert "each once" in refused.content.decode()
    assert browser.post(f"{base}/season", fields).status_code == 303
    season = Season.objects.get()
    assert season.tie_breaks == ["wins", "points", "lot"]
    assert season.settings["substitutes"] == "first"
    assert season.settings["holidays_allowed"] is False
    guest = Browser(friend)
    assert "Enter season 1" in guest.html(f"{base}/")
    guest.post(f"{base}/enter", {})
    assert "You take part" in guest.html(f"{base}/")
    guest.post(f"{base}/leave", {})
    guest.post(f"{base}/enter", {})
    for _ in range(2):
        browser.post(f"{base}/host/bot", {"bot": "driver"})
    assert browser.post(f"{base}/host/start", {}).status_code == 303
    fixture = Fixture.objects.order_by("number")[0]
    odd = browser.post(f"{base}/host/postpone", {"fixture": fixture.pk, "to": "soon"})
    assert odd.status_code == 400
    assert "Write a day and a time" in odd.content.decode()
    browser.post(f"{base}/host/postpone", {"fixture": fixture.pk, "to": "2026-06-04T12:00"})
    fixture.refresh_from_db()
    assert fixture.on.isoformat() == "2026-06-04T12:00:00+00:00"
    assert "(put off)" in browser.html(f"{base}/")
    browser.post(f"{base}/host/withdraw", {"entrant": entrant_of(season, friend).pk})
    assert Entrant.objects.get(driver__player=friend).state == "withdrawn"
    browser.post(f"{base}/host/void", {"fixture": Fixture.objects.latest("number").pk})
    assert browser.post(f"{base}/host/close", {}).status_code == 303
    season.refresh_from_db()
    assert season.status == "closed"
    assert browser.post(f"{base}/host/public", {"public": "no"}).status_code == 303
    assert "?key=" in browser.html(f"{base}/host")
    old = League.objects.get().entry_key
    browser.post(f"{base}/host/key", {})
    assert League.objects.get().entry_key != old
    assert browser.post(f"{base}/host/dance", {}).status_code == 404
    assert "Hand the league over" in browser.html(f"{base}/host")
    heir = LeagueDriver.objects.get(player=friend)
    assert browser.post(f"{base}/host/pass", {"driver": heir.pk}).headers["Location"] == "/leagues/"
    assert League.objects.get().host == friend
    assert browser.get(f"{base}/host").status_code == 404


def test_the_hosts_page_is_the_hosts(season: Season) -> None:
    other = some_people(2)[1]
    base = f"/leagues/{season.league.public_id}"
    browser = Browser(other)
    assert browser.get(f"{base}/host").status_code == 403
    assert browser.get(f"{base}/season").status_code == 403
    browser.html(f"{base}/")
    assert browser.post(f"{base}/host/close", {}).status_code == 403
    season.refresh_from_db()
    assert season.status == "running"


def test_a_stranger_is_asked_to_sign_in_and_nothing_is_done(season: Season) -> None:
    browser = Browser(None)
    browser.html(f"/leagues/{season.league.public_id}/")
    for path in ("enter", "leave", "host/close"):
        answer = browser.client.post(f"/leagues/{season.league.public_id}/{path}", {"csrfmiddlewaretoken": "x"})
        assert answer.status_code in {302, 403}
    assert not Entrant.objects.exclude(state="entered").exists()


@pytest.mark.parametrize("path", ["?season=7", "drivers/99999", "drivers/99999/against/1"])
def test_what_is_not_there_is_a_page_that_says_so(season: Season, path: str) -> None:
    assert "league" in Browser(None).html(f"/leagues/{season.league.public_id}/{path}", status=404)


# --- Seasons of campaigns ---------------------------------------------------------------


@pytest.fixture
def campaigns() -> Iterator[Season]:
    """A season of Cup's campaigns: one is over, one under way with something bought, two rounds are to come."""
    host, *others = some_people(3)
    with cup_at_hand():
        season = cup_season(host, [host, *others], races_each=4, every_days=0)
        first, second, third, fourth = season.fixtures.order_by("number")
        Fixture.objects.filter(pk__in=[third.pk, fourth.pk]).update(on=NOON + timedelta(days=9))
        leagues_sweep()
        going = circuit_of(first)
        going.buy("P")
        going.nobody_buys()
        going.call([2, 1, 3], [0, 9, -4])
        leagues_sweep()
        circuit_of(second).buy("Q")
        yield season


def test_every_page_of_a_season_of_campaigns_is_sound(clock: time_machine.Traveller, campaigns: Season) -> None:
    host, other = some_people(2)
    base, pages = f"/leagues/{campaigns.league.public_id}", pages_of(campaigns)
    for user, own in ((None, []), (other, []), (host, [f"{base}/host", f"{base}/season", "/leagues/new"])):
        browser = Browser(user)
        for address in [*pages, *own]:
            assert faults_of(browser.html(address)) == [], address


def test_a_division_shows_each_cars_upgrades_and_so_does_a_drivers_page(
    clock: time_machine.Traveller, campaigns: Season
) -> None:
    base = f"/leagues/{campaigns.league.public_id}"
    html = Browser(None).html(f"{base}/")
    assert re.search(r'<a href="/campaigns/\w+/">Campaign 1.2</a>, round 2: under way, race 1', html)
    assert "<b>Q</b>&nbsp;Part Q" in html
    assert "has won the campaign" in html
    assert "A campaign counts once it is won" in html
    assert "Races won" in html
    going = circuit_of(campaigns.fixtures.order_by("number")[1])
    driver = driver_of(campaigns.league, going.driver(1))
    html = Browser(None).html(f"{base}/drivers/{driver.pk}")
    assert "Campaigns and upgrades" in html
    assert "<b>Q</b>&nbsp;Part Q" in html
    assert f'href="/campaigns/{going.row.public_id}/"' in html
    atom = Browser(None).get(f"{base}/results.atom").content.decode()
    assert "Campaign 1.1: " in atom


def test_a_season_of_campaigns_is_laid_out_by_a_form(clock: time_machine.Traveller) -> None:
    host = some_people(1)[0]
    browser = Browser(host)
    browser.html("/leagues/new")
    browser.post("/leagues/new", {"name": "Circuit league", "is_public": "no"})
    base = f"/leagues/{League.objects.get().public_id}"
    fields = {
        "starts_at": "2026-06-02T12:00", "races_each": 2, "every_days": 90, "divisions": 1, "moving": 1, "seats": 4,
        "sections": 3, "components": "classic", "tempo": "daily", "policy": "strict", "tie_1": "points", "tie_2": "lot",
        "makes": "campaigns", "upgrades": "none", "track": "open",
    }  # fmt: skip
    for odd in ({"upgrades": "draft"}, {"track": "beginner"}, {"makes": "circuits"}):
        refused = browser.post(f"{base}/season", {**fields, **odd})
        assert refused.status_code == 422
        assert faults_of(refused.content.decode()) == []
    assert browser.post(f"{base}/season", fields).status_code == 303
    season = Season.objects.get()
    assert season.makes == "campaigns"
    assert season.settings["options"] == {"sections": 3, "components": "classic"}
    assert "2 campaigns each" in browser.html(f"{base}/")
    del fields["makes"]
    browser.post(f"{base}/host/cancel", {})
    assert browser.post(f"{base}/season", {**fields, "upgrades": "draft"}).status_code == 303
    second = Season.objects.get(number=2)
    assert (second.makes, second.settings["options"]["upgrades"]) == ("races", "draft")


def test_a_host_annuls_by_a_form_and_the_table_says_why(season: Season) -> None:
    base = f"/leagues/{season.league.public_id}"
    browser = Browser(season.league.host)
    html = browser.html(f"{base}/host")
    over = season.fixtures.filter(status="done").latest("number")
    assert f"Annul race 1.{over.number}" in html
    empty = browser.post(f"{base}/host/annul", {"fixture": over.pk, "note": " "})
    assert empty.status_code == 400
    assert browser.post(f"{base}/host/annul", {"fixture": over.pk, "note": "Two drove one car"}).status_code == 303
    assert over.results.count() == 0
    page = Browser(None).html(f"{base}/?division={over.division.rank}")
    assert f"Race 1.{over.number} is annulled and does not count: Two drove one car" in page
    other = 3 - over.division.rank
    assert "is annulled" not in Browser(None).html(f"{base}/?division={other}")
    assert "annulled" in Browser(None).html(f"{base}/fixtures")
    assert faults_of(browser.html(f"{base}/host")) == []


def test_who_may_take_a_league_over_finds_the_button_on_its_page(clock: time_machine.Traveller, season: Season) -> None:
    host, heir, third = some_people(3)
    base = f"/leagues/{season.league.public_id}"
    Browser(host).html(f"{base}/")
    assert "Take the league over" not in Browser(heir).html(f"{base}/")
    clock.shift(timedelta(days=8))
    assert "Take the league over" not in Browser(third).html(f"{base}/")
    browser = Browser(heir)
    html = browser.html(f"{base}/")
    assert "The host, Alice, has been away." in html
    assert faults_of(html) == []
    refused = Browser(third)
    refused.html(f"{base}/")
    assert refused.post(f"{base}/take-over", {}).status_code == 403
    assert browser.post(f"{base}/take-over", {}).headers["Location"] == f"{base}/host"
    season.league.refresh_from_db()
    assert season.league.host == heir
    assert "who took it over from Alice, who was away" in browser.html(f"{base}/")


def test_a_look_of_the_host_at_any_page_of_the_league_is_noted(clock: time_machine.Traveller, season: Season) -> None:
    clock.shift(timedelta(days=6))
    Browser(season.league.host).html(f"/leagues/{season.league.public_id}/ratings")
    clock.shift(timedelta(days=6))
    assert "has been away" not in Browser(some_people(2)[1]).html(f"/leagues/{season.league.public_id}/")
