"""The page behind a link of a mail that asks what to buy: it shows, its button acts, and nobody signs in."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from games.models import Posting, Purchase, Race, Seat
from games.selectors.campaigns import with_purchase
from games.selectors.races import race_present
from games.services.campaigns import campaign_close, campaign_drive_on, campaign_drop_out, campaign_pause
from games.services.links import link_read, link_token
from roadkill_site.accounts.models import User
from tests.games.circuits import NOTHING, Circuit, circuit_started, cup_at_hand
from tests.games.conftest import person
from tests.games.web.conftest import Browser, all_rows, hidden_fields
from tests.games.web.markup import Page, faults_of

Open = Callable[[User | None], Browser]


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def going(alice: User, bob: User, clock: Any) -> Circuit:
    """A campaign in which nobody has bought yet."""
    return circuit_started([alice, bob])


def link(going: Circuit, words: str) -> str:
    """The address that the mail has for these words, for whoever is asked now."""
    race = Race.objects.get(pk=going.last.race.pk)
    seat = Seat.objects.select_related("player").get(race=race, number=going.asked)
    question = with_purchase(race_present(race=race, viewer=seat, log_last=0), race=race, seat=seat)["question"]
    number = next(answer["number"] for answer in question["answers"] if answer["words"].startswith(words))
    return f"/act/{link_token(seat_id=seat.pk, question=question, number=number)}"


def press(reader: Browser, there: str, **filled: Any) -> Any:
    """Open the link and press its button, without any cookie."""
    fields = hidden_fields(reader.html(there))
    reader.client.cookies.clear()
    return reader.client.post(there, {**fields, **filled})


def owning(going: Circuit) -> None:
    """Car 1 owns R, and is asked before the second race."""
    going.buy("R")
    going.nobody_buys()
    going.call([1, 2], [3, 0])


def test_opening_a_link_shows_the_answer_and_changes_nothing(going: Circuit, browser: Open) -> None:
    there = link(going, "Buy R")
    before = all_rows()
    reader = browser(None)
    html = [reader.html(there) for _ in range(2)][-1]
    assert faults_of(html) == []
    text = Page(html).text()
    for part in ("You have 3 points in Cup of cups.", "Buy R, Part R, for 3", "Your purchase is over with this."):
        assert part in text
    assert "sealed" not in text
    assert "sessionid" not in reader.client.cookies
    assert all_rows() == before
    response = reader.get(there)
    assert (response["Referrer-Policy"], "noindex" in response["X-Robots-Tag"]) == ("no-referrer", True)
    assert link_read(there.removeprefix("/act/")).is_purchase


def test_the_button_buys_without_cookies_and_the_campaign_goes_on(going: Circuit, browser: Open) -> None:
    there = link(going, "Buy R")
    response = press(browser(None), there)
    assert (response.status_code, response["Location"]) == (303, f"{there}?done=applied")
    (act,) = Purchase.objects.get(driver__car=1).acts
    assert (act["action"], act["origin"]) == ({"do": "buy", "upgrade": "R"}, "link")
    assert going.asked == 2
    html = browser(None).html(response["Location"])
    assert faults_of(html) == []
    assert "Your answer is given." in html
    assert "Buy R, Part R, for 3" in Page(html).text()


def test_a_link_buys_its_own_upgrade_whatever_the_form_says(going: Circuit, browser: Open) -> None:
    assert press(browser(None), link(going, "Buy P"), action='{"do": "buy", "upgrade": "R"}').status_code == 303
    assert going.lines(race=1) == ["1 bought P -1"]


def test_the_button_pressed_twice_buys_once(going: Circuit, browser: Open) -> None:
    there, reader = link(going, "Buy P"), browser(None)
    fields = hidden_fields(reader.html(there))
    assert [reader.client.post(there, fields).status_code for _ in range(2)] == [303, 303]
    assert going.lines(race=1) == ["1 bought P -1"]


def test_after_a_return_the_page_goes_on_and_the_mails_other_links_are_good(going: Circuit, browser: Open) -> None:
    owning(going)
    gives_back, buys, nothing = link(going, "Return R"), link(going, "Buy P"), link(going, "Buy nothing")
    reader = browser(None)
    old_form = hidden_fields(reader.html(nothing))
    response = press(reader, gives_back)
    assert response.status_code == 303
    html = reader.html(response["Location"])
    assert faults_of(html) == []
    page = Page(html)
    assert "Do you go on?" in page.text()
    assert "Buy R, Part R, for 3" in page.text(), "what is returned may be bought again"
    stale = reader.client.post(nothing, old_form)
    assert stale.status_code == 409, "the form was shown before the return"
    assert "Nothing was bought or returned by it." in stale.content.decode()
    assert press(reader, buys).status_code == 303
    assert going.lines(race=2) == ["1 returned R 1", "1 bought P -1"]
    again = reader.html(gives_back)
    assert "That purchase is over" in again
    assert 'class="ans' not in again


def test_a_link_of_a_purchase_that_is_over_shows_what_was_bought_and_acts_no_more(
    going: Circuit, browser: Open, alice: User
) -> None:
    there, reader = link(going, "Buy P"), browser(None)
    fields = hidden_fields(reader.html(there))
    going.answer(NOTHING)
    html = reader.html(there)
    assert faults_of(html) == []
    assert "That purchase is over" in html
    assert reader.client.post(there, fields).status_code == 409
    going.answer(NOTHING)
    assert reader.get(there).status_code == 200, "the race is under way"
    assert reader.client.post(there, fields).status_code == 409
    campaign_close(campaign_id=going.pk, by=alice)
    assert reader.client.post(there, fields).status_code == 409
    assert not Posting.objects.filter(kind="bought").exists()


def test_a_link_of_a_former_driver_does_not_buy_for_who_drives_on(
    going: Circuit, browser: Open, alice: User, clock: Any
) -> None:
    there, reader = link(going, "Buy P"), browser(None)
    fields = hidden_fields(reader.html(there))
    car = going.asked
    assert car is not None
    campaign_pause(campaign_id=going.pk, by=alice)
    campaign_drop_out(campaign_id=going.pk, by=going.driver(car))
    clock.shift(60)
    campaign_drive_on(campaign_id=going.pk, by=person("Dora"), car=car)
    assert going.open is not None
    assert reader.client.post(there, fields).status_code == 409
    assert "Buy P" not in Page(reader.html(there)).text()
    assert going.lines(race=1) == []
