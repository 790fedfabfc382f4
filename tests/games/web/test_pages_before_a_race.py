"""Welcome, inbox, lists, laying out a race, gathering its drivers, and the host's seats."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings

from games.models import OutboxEvent, Race, Seat
from games.services.invitations import invitation_address
from games.services.races import race_create, race_invite, race_join, race_leave
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, person
from tests.games.web.conftest import Browser, all_rows, asked_of
from tests.games.web.markup import Page, faults_of

Open = Callable[[User | None], Browser]
Make = Callable[..., Game]

LAID_OUT: dict[str, Any] = {
    "name": "Salt Flat Sprint",
    "seats": "3",
    "sections": "5",
    "components": "classic",
    "tempo": "daily",
    "policy": "strict",
    "is_public": "yes",
    "bots_allowed": "on",
    "words": "seven crows",
}


@pytest.fixture
def race(alice: User) -> Race:
    """Alice's public race for three, which starts by hand."""
    return race_create(by=alice, name="Salt Flat Sprint", seats=3, is_public=True, starts_when_full=False)


def address(race: Race, path: str = "") -> str:
    return f"/races/{race.public_id}/{path}"


# --- First pages ------------------------------------------------------------------------


def test_a_stranger_is_told_what_this_is_and_how_to_join(db: None, browser: Open) -> None:
    html = browser(None).html("/")
    assert faults_of(html) == []
    page = Page(html)
    assert "Armed cars, raced by mail" in page.text()
    assert {"/account/join/", "/account/sign-in/", "/rules/roadkill/"} <= {a.attributes["href"] for a in page.all("a")}


def test_the_inbox_shows_what_is_asked_as_tickets_by_deadline(road_game: Make, browser: Open) -> None:
    game = road_game()
    asked = next(number for number in (1, 2, 3) if game.present(number)["question"])
    player = game.seat(asked).player
    html = browser(player).html("/")
    assert faults_of(html) == []
    page = Page(html)
    assert "One answer wanted" in page.text()
    assert game.question(asked)["text"] in page.text()
    assert [e.text for e in page.all("span") if e.attributes.get("class") == "count"] == ["1 asked of you"]
    other = browser(game.seat(asked % 3 + 1).player).html("/")
    assert "Nothing wanted" in other
    assert "Waiting for others" in other
    assert "’s turn, due" in other  # noqa: RUF001
    assert 'class="mini"' in other


def test_the_inbox_says_what_takes_five_minutes_and_which_races_wait_for_others(road_game: Make, browser: Open) -> None:
    game = road_game()
    asked, _ = asked_of(game)
    assert "takes about five minutes to answer" in browser(game.seat(asked).player).html("/")
    html = browser(game.seat(asked % 3 + 1).player).html("/")
    assert "Waiting for others" in html
    assert "Running without you" not in html


def test_an_inbox_without_races_says_where_to_find_one(browser: Open, alice: User) -> None:
    text = Page(browser(alice).html("/")).text()
    assert "The road is clear." in text
    assert "Find a race" in text


def test_the_list_shows_open_races_to_everybody_and_private_ones_to_nobody_else(
    race: Race, browser: Open, alice: User, bob: User
) -> None:
    race_create(by=alice, name="Behind closed doors", seats=2)
    for visitor in (browser(None), browser(bob)):
        html = visitor.html("/races/")
        assert faults_of(html) == []
        assert "Salt Flat Sprint" in html
        assert "Behind closed doors" not in html
    assert "Behind closed doors" in browser(alice).html("/races/")


@pytest.mark.parametrize("path", ["/account/sign-in/", "/account/join/", "/rules/roadkill/"])
def test_pages_around_the_races_are_whole(db: None, browser: Open, path: str) -> None:
    assert faults_of(browser(None).html(path)) == []


def test_every_rule_number_has_an_anchor_that_logs_and_refusals_link_to(db: None, browser: Open) -> None:
    page = Page(browser(None).html("/rules/roadkill/"))
    ids = {element.attributes["id"] for element in page.elements if "id" in element.attributes}
    assert {"r6.41", "r3", "rr6.42", "rr-theft", "rbt6.22"} <= {one.rstrip("abc") for one in ids} | ids
    assert browser(None).get("/rules/chess/").status_code == 404


def test_what_is_not_there_is_a_page_with_a_way_back(db: None, browser: Open) -> None:
    for path in ("/races/nowhere/", "/nowhere", "/races/nowhere/replay/3"):
        response = browser(None).get(path)
        assert response.status_code == 404
        assert faults_of(response.content.decode()) == []


def test_a_race_that_a_stranger_cannot_see_and_one_that_is_none_look_the_same_and_offer_to_sign_in(
    browser: Open, alice: User
) -> None:
    race = race_create(by=alice, name="Behind closed doors")
    for path in ("", "?invitation=made-up", "replay/", "replay/3", "record.json"):
        told = []
        for public_id in (race.public_id, "nosuch"):
            html = browser(None).html(f"/races/{public_id}/{path}", status=404)
            back = quote(f"/races/{public_id}/{path}", safe="")
            assert f'href="/account/sign-in/?next={back}"' in html
            assert f'href="/account/join/?next={back}"' in html
            assert faults_of(html) == []
            told.append(html.replace(public_id, "*"))
        assert without_nonces(told[0]) == without_nonces(told[1])
    assert "Behind closed doors" in browser(alice).html(f"/races/{race.public_id}/")
    html = browser(alice).html("/races/nosuch/", status=404)
    assert "next=" not in html


def without_nonces(html: str) -> str:
    """The page without what differs on each showing."""
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", html)


# --- Declining --------------------------------------------------------------------------


def test_an_invitation_is_declined_by_its_link_without_an_account_and_only_by_the_button(
    browser: Open, alice: User
) -> None:
    race = race_create(by=alice, name="Behind closed doors")
    seat = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
    link = invitation_address(seat).removeprefix(settings.SITE_URL)
    token = link.partition("=")[2]
    guest = browser(None)
    page = Page(guest.html(link))
    (decline,) = [one.attributes["href"] for one in page.all("a") if one.text == "Decline the invitation"]
    before = all_rows()
    html = guest.html(decline)
    assert faults_of(html) == []
    assert all_rows() == before
    for _ in range(2):
        response = guest.post(address(race, "decline"), {"invitation": token})
        assert (response.status_code, response["Location"]) == (303, "/races/")
    assert "You have declined the invitation to Behind closed doors." in guest.html("/races/")
    assert OutboxEvent.objects.filter(kind="declined").count() == 1
    assert "You have declined this invitation" in guest.html(decline)
    guest.html(link, status=404)
    html = browser(alice).html(address(race))
    assert "has declined (dora@example.org)" in html
    assert faults_of(html) == []


def test_a_race_to_which_nobody_was_invited_has_no_page_to_decline(
    race: Race, browser: Open, bob: User, charlie: User
) -> None:
    race_invite(race_id=race.pk, by=race.host, email=bob.email)
    assert "Decline?" in browser(bob).html(address(race, "decline"))
    for visitor in (browser(charlie), browser(None)):
        assert visitor.get(address(race, "decline")).status_code == 404
        assert visitor.get("/races/nosuch/decline").status_code == 404
        assert "Decline the invitation" not in visitor.html(address(race))
        assert "Decline the invitation" not in visitor.html(address(race, "?invitation=made-up"))


# --- Laying out -------------------------------------------------------------------------


def test_a_race_is_laid_out_by_one_form(browser: Open, alice: User) -> None:
    host = browser(alice)
    html = host.html("/races/new")
    assert faults_of(html) == []
    for words in ("Three days for a turn, one for a reaction.", "are sealed until its deadline, never less"):
        assert words in html
    response = host.post("/races/new", LAID_OUT)
    assert response.status_code == 303
    race = Race.objects.get()
    assert response["Location"] == address(race)
    assert (race.name, race.seats_wanted, race.options["sections"], race.policy) == ("Salt Flat Sprint", 3, 5, "strict")
    assert (race.turn_hours, race.reaction_hours, race.is_public, race.starts_when_full) == (24, 8, True, False)
    assert Seat.objects.get().words == "seven crows"
    assert "The race is laid out." in host.html(address(race))


def test_the_beginners_track_is_laid_out_whatever_length_was_chosen(browser: Open, alice: User) -> None:
    host = browser(alice)
    host.html("/races/new")
    assert host.post("/races/new", {**LAID_OUT, "track": "beginner"}).status_code == 303
    race = Race.objects.get()
    assert race.options == {"sections": 8, "components": "classic", "track": "beginner"}
    lobby = host.html(address(race))
    assert "<dt>Rules</dt><dd>Beginner" in lobby
    assert "<dt>Sections</dt><dd>8</dd>" in lobby


def test_what_is_agreed_about_clocks_is_told_in_the_lobby(browser: Open, alice: User) -> None:
    host = browser(alice)
    host.get("/races/new")
    given = {"pause_cap_hours": "48", "extension_cap_hours": "12", "absences": "3", "substitutes": "first"}
    assert host.post("/races/new", {**LAID_OUT, **given, "bot_takeover": "on"}).status_code == 303
    race = Race.objects.get()
    assert (race.pause_cap_minutes, race.extension_cap_minutes, race.holidays_allowed) == (48 * 60, 12 * 60, False)
    html = host.html(address(race))
    for sentence in (
        "Quiet hours and days off do not count, up to 48 h for each answer. Holidays count here.",
        "The host, or all other drivers together, may give more time for a question, 12 h in all.",
        "was away 3 times is offered to the first who takes it;",
        "if nobody has come by the next deadline, a bot drives on.",
    ):
        assert sentence in html


@pytest.mark.parametrize("field", ["pause_cap_hours", "extension_cap_hours", "absences", "substitutes"])
def test_what_cannot_be_agreed_is_refused_at_its_field(browser: Open, alice: User, field: str) -> None:
    host = browser(alice)
    host.get("/races/new")
    assert host.post("/races/new", {**LAID_OUT, field: "9999"}).status_code == 422
    assert not Race.objects.exists()


def test_own_hours_are_a_tempo(browser: Open, alice: User) -> None:
    host = browser(alice)
    host.get("/races/new")
    given = {**LAID_OUT, "tempo": "hours", "turn_hours": "36", "reaction_hours": "0.5"}
    assert host.post("/races/new", given).status_code == 303
    assert (Race.objects.get().turn_hours, Race.objects.get().reaction_hours) == (36, 0.5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 61},
        {"seats": "11"},
        {"seats": "1"},
        {"sections": "2"},
        {"tempo": "never"},
        {"tempo": "hours"},
        {"tempo": "hours", "turn_hours": "2", "reaction_hours": "4"},
        {"policy": "loud"},
        {"components": "nonsense"},
        {"is_public": "perhaps"},
        {"words": "w" * 201},
    ],
)
def test_a_race_that_cannot_be_is_refused_and_what_was_filled_in_stays(
    browser: Open, alice: User, wrong: dict[str, str]
) -> None:
    host = browser(alice)
    host.get("/races/new")
    response = host.post("/races/new", {**LAID_OUT, **wrong})
    assert response.status_code == 422
    html = response.content.decode()
    assert faults_of(html) == []
    assert "The race is not laid out yet." in html
    assert 'class="error"' in html
    if "words" not in wrong:
        assert 'value="seven crows"' in html
    assert not Race.objects.exists()


# --- Gathering --------------------------------------------------------------------------


def test_drivers_gather_and_the_host_starts_the_race(race: Race, browser: Open, alice: User, bob: User) -> None:
    host, guest = browser(alice), browser(bob)
    assert "You can start as soon as two drivers are here." in host.html(address(race))
    html = guest.html(address(race))
    assert faults_of(html) == []
    assert "Take a seat" in html
    assert guest.post(address(race, "join"), {"words": "bob was here"}).status_code == 303
    assert Seat.objects.get(race=race, player=bob).words == "bob was here"
    assert guest.post(address(race, "words"), {"words": "or was he"}).status_code == 303
    assert Seat.objects.get(race=race, player=bob).words == "or was he"
    html = host.html(address(race))
    assert faults_of(html) == []
    assert "Start with 2 drivers" in html
    assert host.post(address(race, "bot"), {"bot": "driver", "delay_minutes": "30"}).status_code == 303
    assert Seat.objects.get(race=race, bot="driver").bot_delay_s == 1800
    assert guest.post(address(race, "start"), {}).status_code == 403
    assert Race.objects.get().status == "open"
    assert host.post(address(race, "start"), {}).status_code == 303
    assert Race.objects.get().status == "running"
    assert "The race is on." in host.html(address(race))


def test_a_seat_is_given_back_before_the_start(race: Race, browser: Open, bob: User) -> None:
    race_join(race_id=race.pk, by=bob)
    guest = browser(bob)
    assert "Leave this race" in guest.html(address(race))
    assert guest.post(address(race, "leave"), {}).status_code == 303
    assert not Seat.objects.filter(race=race, player=bob).exists()


def test_the_host_calls_the_race_off(race: Race, browser: Open, alice: User, bob: User) -> None:
    host, guest = browser(alice), browser(bob)
    guest.get(address(race))
    assert guest.post(address(race, "cancel"), {}).status_code == 403
    assert "Call the race off" in host.html(address(race))
    assert host.post(address(race, "cancel"), {}).status_code == 303
    html = host.html(address(race))
    assert faults_of(html) == []
    assert "Called off" in html
    assert "Take a seat" not in browser(bob).html(address(race))


def test_an_invitation_keeps_a_seat_and_its_link_opens_a_private_race(
    browser: Open, alice: User, bob: User, db: None
) -> None:
    race = race_create(by=alice, name="Behind closed doors", seats=3, starts_when_full=False)
    host = browser(alice)
    host.get(address(race))
    assert host.post(address(race, "invite"), {"email": "Dora@Example.org"}).status_code == 303
    assert "dora@example.org" in host.html(address(race)).casefold()
    seat = Seat.objects.get(race=race, state="invited")
    assert OutboxEvent.objects.filter(kind="invited", seat=seat).count() == 1
    stranger = browser(bob)
    assert stranger.get(address(race)).status_code == 404
    path = invitation_address(seat).split("://", 1)[1].split("/", 1)[1]
    html = stranger.html(f"/{path}")
    assert "dora" not in html.casefold()
    assert faults_of(html) == []
    token = path.split("invitation=")[1]
    assert f'name="invitation" value="{token}"' in html
    assert stranger.post(address(race, "join"), {"invitation": token, "words": ""}).status_code == 303
    assert Seat.objects.get(pk=seat.pk).player == bob


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("invite", {"email": "not an address"}),
        ("invite", {"email": "alice@example.org"}),
        ("bot", {"bot": "nobody", "delay_minutes": "0"}),
        ("words", {"words": "w" * 201}),
        ("join", {"words": "w" * 201}),
    ],
)
def test_what_cannot_be_done_in_the_lobby_is_told_on_its_page_and_changes_nothing(
    race: Race, browser: Open, alice: User, path: str, fields: dict[str, str]
) -> None:
    host = browser(alice)
    host.get(address(race))
    before = all_rows()
    response = host.post(address(race, path), fields)
    assert response.status_code in {400, 422}
    html = response.content.decode()
    assert 'role="alert"' in html
    assert faults_of(html) == []
    assert all_rows() == before


def test_a_full_race_takes_nobody_more(race: Race, browser: Open, bob: User, charlie: User, db: None) -> None:
    race_join(race_id=race.pk, by=bob)
    dora = browser(User.objects.create_user("dora@example.org", display_name="Dora"))
    dora.get(address(race))
    race_join(race_id=race.pk, by=charlie)
    response = dora.post(address(race, "join"), {"words": ""})
    assert response.status_code == 409
    assert 'role="alert"' in response.content.decode()


def test_a_full_race_offers_no_seat_and_says_who_is_waited_for(
    race: Race, browser: Open, alice: User, bob: User, charlie: User
) -> None:
    assert "/account/sign-in/?next=" in browser(None).html(address(race))
    race_join(race_id=race.pk, by=bob)
    race_join(race_id=race.pk, by=charlie)
    for visitor in (browser(None), browser(person("Dora"))):
        html = visitor.html(address(race))
        assert "All seats are taken" in html
        assert "you come back to this page" not in html
        assert address(race, "join") not in html
    host = browser(alice).html(address(race))
    assert "Invite by mail" not in host
    assert "Add a bot" not in host
    assert "Start with 3 drivers" in host
    assert "You wait for Alice, who hosts this race, to start it." in browser(bob).html(address(race))
    assert "You wait for" not in host
    race_leave(race_id=race.pk, by=charlie)
    assert "Invite by mail" in browser(alice).html(address(race))


def test_whoever_a_full_race_keeps_a_seat_for_may_take_it(race: Race, browser: Open, alice: User, bob: User) -> None:
    race_join(race_id=race.pk, by=bob)
    race_invite(race_id=race.pk, by=alice, email="dora@example.org")
    assert "Take a seat" in browser(person("Dora")).html(address(race))
    assert "All seats are taken" in browser(person("Emil")).html(address(race))


def test_a_host_takes_a_seat_away_after_being_asked(race: Race, browser: Open, alice: User, bob: User) -> None:
    race_invite(race_id=race.pk, by=alice, email="dora@example.org")
    seat = Seat.objects.get(race=race, state="invited")
    host, other = browser(alice), browser(bob)
    before = all_rows()
    html = host.html(address(race, f"seat/{seat.pk}/remove"))
    assert faults_of(html) == []
    assert "Take this seat away" in html
    other.get(address(race))
    assert "Take this seat away" not in other.html(address(race, f"seat/{seat.pk}/remove"))
    assert other.post(address(race, f"seat/{seat.pk}/remove"), {}).status_code == 403
    assert all_rows() == before
    assert host.post(address(race, f"seat/{seat.pk}/remove"), {}).status_code == 303
    assert not Seat.objects.filter(pk=seat.pk, state="invited").exists()
    assert host.get(address(race, "seat/999999/remove")).status_code == 404


def test_posts_by_somebody_who_is_not_signed_in_change_nothing(race: Race, browser: Open) -> None:
    visitor = browser(None)
    visitor.get(address(race))
    before = all_rows()
    for path in ("join", "leave", "start", "cancel", "invite", "bot", "words"):
        response = visitor.post(address(race, path), {})
        assert response.status_code in {302, 403}, path
    assert all_rows() == before


@pytest.mark.parametrize("path", ["join", "leave", "start", "cancel", "invite", "bot", "words"])
def test_what_changes_something_is_never_a_get(race: Race, browser: Open, alice: User, path: str) -> None:
    before = all_rows()
    assert browser(alice).get(address(race, path)).status_code == 405
    assert all_rows() == before


def test_a_hostile_name_of_a_race_and_of_a_driver_stays_text(browser: Open, alice: User, db: None) -> None:
    hostile = User.objects.create_user("x@example.org", display_name="<img src=x> \"&'{{7*7}}")
    race = race_create(by=hostile, name="<script>alert(1)</script>", seats=2, is_public=True)
    for path in ("/races/", address(race), "/"):
        html = browser(alice).html(path)
        assert "<img src=x>" not in html
        assert "<script>alert" not in html
        assert ">49" not in html
        assert faults_of(html) == []
