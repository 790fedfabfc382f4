"""The page behind a link in a mail: a GET shows, the button acts, nobody is signed in, a scanner changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
import time_machine

from games.models import Entry
from games.services.links import link_token
from games.services.seats import seat_resign
from roadkill_site.accounts.models import User
from tests.games.conftest import Game
from tests.games.web.conftest import Browser, all_rows, asked_of, hidden_fields
from tests.games.web.markup import Page, faults_of
from tests.games.web.test_pages_of_a_race import play_to_a_window

Make = Callable[..., Game]
Open = Callable[[User | None], Browser]


@pytest.fixture
def game(road_game: Make, clock: time_machine.Traveller) -> Game:
    return road_game()


def link(game: Game, number: int, question: dict[str, Any], answer: int) -> str:
    return f"/act/{link_token(seat_id=game.seat(number).pk, question=question, number=answer)}"


def press(reader: Browser, there: str, **filled: Any) -> Any:
    """Open the link and press its button, without any cookie."""
    fields = hidden_fields(reader.html(there))
    reader.client.cookies.clear()
    return reader.client.post(there, {**fields, **filled})


def test_opening_a_link_shows_the_question_and_changes_nothing(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    before = all_rows()
    reader = browser(None)
    html = [reader.html(link(game, number, question, 1)) for _ in range(3)][-1]
    assert faults_of(html) == []
    text = Page(html).text()
    assert question["text"].split("(")[0] in text
    assert f"You are {game.seat(number).shown_name}, car {number}" in text
    assert "Nothing has been sent yet." in text
    assert "sessionid" not in reader.client.cookies
    assert all_rows() == before


def test_a_link_tells_no_other_site_is_not_stored_and_not_indexed(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    for there in (link(game, number, question, 1), "/act/nonsense"):
        response = browser(None).get(there)
        assert response["Referrer-Policy"] == "no-referrer"
        assert "no-store" in response["Cache-Control"]
        assert "noindex" in response["X-Robots-Tag"]


def test_the_button_plays_the_answer_without_cookies_and_shows_what_became_of_it(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    there = link(game, number, question, 1)
    response = press(browser(None), there)
    assert response.status_code == 303
    assert response["Location"] == f"{there}?done=applied"
    acts = [act for entry in Entry.objects.order_by("seq") for act in entry.acts if act["seat"] == number]
    assert (acts[0]["action"], acts[0]["origin"]) == (question["answers"][0]["action"], "link")
    html = browser(None).html(response["Location"])
    assert faults_of(html) == []
    assert "Your answer is given." in html
    assert "What has happened since" in html


def test_a_link_plays_its_own_answer_whatever_the_form_says(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    assert press(browser(None), link(game, number, question, 1), action='{"do": "withdraw"}').status_code == 303
    acts = [act for entry in Entry.objects.order_by("seq") for act in entry.acts if act["seat"] == number]
    assert acts[0]["action"] == question["answers"][0]["action"]
    assert game.seat(number).state == "joined"


def test_the_button_pressed_twice_is_one_entry(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    there = link(game, number, question, 1)
    reader = browser(None)
    fields = hidden_fields(reader.html(there))
    assert reader.client.post(there, fields).status_code == 303
    entries = Entry.objects.count()
    assert reader.client.post(there, fields).status_code == 303
    assert Entry.objects.count() == entries


def test_a_link_whose_question_is_closed_shows_what_happened_and_no_hand(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    there = link(game, number, question, 1)
    reader = browser(None)
    fields = hidden_fields(reader.html(there))
    game.act(number, "end")
    before = all_rows()
    html = reader.html(there)
    assert faults_of(html) == []
    assert "That question is closed" in html
    assert "begins its turn" in html
    assert 'class="hand"' not in html
    assert "Answer:" not in html
    response = reader.client.post(there, fields)
    assert response.status_code == 409
    assert "came too late" in response.content.decode()
    assert all_rows() == before


def test_a_new_question_is_shown_without_its_answers(
    road_game: Make, browser: Open, clock: time_machine.Traveller
) -> None:
    game = road_game(players=2)
    number, question = asked_of(game)
    there = link(game, number, question, 1)
    game.act(number, "end")
    game.act(asked_of(game)[0], "end")
    assert asked_of(game)[0] == number
    html = browser(None).html(there)
    assert "Open the race" in html
    assert "The answers stand in the newest mail" in html
    assert 'class="answers"' not in html


def test_an_answer_with_parts_is_given_through_a_link(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    form = next(form for form in question["forms"] if form["action"]["do"] == "end")
    there = link(game, number, question, form["number"])
    reader = browser(None)
    html = reader.html(there)
    assert faults_of(html) == []
    fields = hidden_fields(html)
    wrong = reader.client.post(there, {**fields, "part-draw": "lots"})
    assert wrong.status_code == 422
    assert 'value="lots"' in wrong.content.decode()
    assert faults_of(wrong.content.decode()) == []
    given = {**fields, "part-draw": "0"}
    assert reader.client.post(there, given).status_code == 303
    entries = Entry.objects.count()
    assert reader.client.post(there, given).status_code == 303
    assert Entry.objects.count() == entries
    acts = [act for entry in Entry.objects.order_by("seq") for act in entry.acts if act["seat"] == number]
    assert acts[0]["action"]["draw"] == 0


def test_a_sealed_answer_can_be_replaced_through_another_link(
    road_game: Make, browser: Open, clock: time_machine.Traveller
) -> None:
    game = road_game(policy="strict")
    number, question = play_to_a_window(game)
    reader = browser(None)
    response = press(reader, link(game, number, question, 1))
    assert response["Location"].endswith("?done=sealed")
    html = reader.html(response["Location"])
    assert "Your answer is sealed." in html
    assert faults_of(html) == []
    response = press(reader, link(game, number, question, 2))
    assert game.question(number)["sealed"]["words"] == question["answers"][1]["words"]
    assert press(reader, link(game, number, question, 1)).status_code == 303
    assert game.question(number)["sealed"]["words"] == question["answers"][0]["words"]


def test_a_link_to_the_seat_of_a_driver_who_has_given_up_acts_no_more(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    there = link(game, number, question, 1)
    reader = browser(None)
    fields = hidden_fields(reader.html(there))
    player = game.seat(number).player
    assert player is not None
    seat_resign(race_id=game.pk, by=player)
    before = all_rows()
    assert reader.get(there).status_code == 200
    assert reader.client.post(there, fields).status_code in {409, 422}
    assert all_rows() == before


@pytest.mark.parametrize("token", ["nonsense", "a:b:c", "%00", "x" * 3000])
def test_a_link_that_was_not_made_here_is_refused_with_a_sentence(db: None, browser: Open, token: str) -> None:
    response = browser(None).get(f"/act/{token}")
    assert response.status_code == 404
    assert b"Traceback" not in response.content
    assert "This link is not whole" in response.content.decode()


def test_times_on_the_page_of_a_link_are_those_of_the_seats_player(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    player = game.seat(number).player
    assert player is not None
    player.time_zone = "Asia/Kathmandu"
    player.save()
    assert "Kathmandu" in browser(None).html(link(game, number, question, 1))
