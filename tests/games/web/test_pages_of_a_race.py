"""Playing through the pages: read, confirm, answer; what is stale, foreign, repeated or malformed changes nothing."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.urls import reverse

from games.models import Decision, Entry, Race, Receipt, Seat
from games.selectors.races import race_present
from games.services.races import race_create, race_start
from games.services.seats import seat_add_bot, seat_resign
from games.services.sweep import sweep
from games.web.pages import window_text
from roadkill_site.accounts.models import User
from tests.games.conftest import Game
from tests.games.web.conftest import Browser, all_rows, asked_of, hidden_fields
from tests.games.web.markup import Page, faults_of

Make = Callable[..., Game]
Open = Callable[[User | None], Browser]


def browser_of(game: Game, number: int, browser: Open) -> Browser:
    return browser(game.seat(number).player)


def address(game: Game, path: str = "") -> str:
    return f"/races/{game.race.public_id}/{path}"


def answer_address(game: Game, question: dict[str, Any], number: int) -> str:
    return address(game, f"answer/{question['decision']}/{number}")


@pytest.fixture
def game(road_game: Make, clock: time_machine.Traveller) -> Game:
    return road_game()


# --- Looking changes nothing ------------------------------------------------------------


def test_following_every_link_of_every_page_leaves_the_database_as_it_was(game: Game, browser: Open) -> None:
    number, _question = asked_of(game)
    visitor = browser_of(game, number, browser)
    before = all_rows()
    todo: list[str] = ["/", address(game)]
    seen: set[str] = set()
    while todo:
        here = todo.pop()
        seen.add(here)
        response = visitor.get(here)
        assert response.status_code in {200, 302, 303}, (here, response.status_code)
        if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
            continue
        for link in Page(response.content.decode()).all("a"):
            target = link.attributes["href"].split("#")[0]
            if target.startswith("/") and target not in seen and not target.startswith("/account/"):
                todo.append(target)
    for part in ("/answer/", "/form/", "/replay/", "/resign", "/wish", "/rules/"):
        assert any(part in one for one in seen), part
    assert all_rows() == before


@pytest.mark.parametrize("path", ["", "replay/", "replay/0", "resign", "wish"])
def test_pages_of_a_race_are_whole(game: Game, browser: Open, alice: User, path: str) -> None:
    response = browser(alice).client.get(address(game, path), follow=True)
    assert response.status_code == 200
    assert faults_of(response.content.decode()) == []


def test_a_race_page_is_private_is_not_stored_and_says_nothing_about_its_age(
    game: Game, browser: Open, alice: User
) -> None:
    response = browser(alice).get(address(game))
    assert {"private", "no-store"} <= {part.strip() for part in response["Cache-Control"].split(",")}
    assert "ETag" not in response
    assert "Last-Modified" not in response
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert "unsafe-inline" not in response["Content-Security-Policy"]


def test_the_numbers_and_words_on_the_page_are_those_of_the_presentation(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    page = Page(browser_of(game, number, browser).html(address(game)))
    shown = [e for e in page.all("a") if e.attributes.get("class", "").startswith("ans")]
    assert [e.attributes["id"] for e in shown] == [f"a{n}" for n in range(1, len(shown) + 1)]
    for element, answer in zip(shown, question["answers"], strict=False):
        assert answer["words"].casefold() in element.text.casefold()
    assert len(shown) == len(question["answers"]) + len(question["forms"])


def test_a_private_race_shows_itself_to_its_drivers_only(road_game: Make, browser: Open, alice: User, db: None) -> None:
    game = road_game(players=2, is_public=False)
    stranger = User.objects.create_user("dora@example.org", display_name="Dora")
    assert browser(alice).get(address(game)).status_code == 200
    for visitor in (browser(stranger), browser(None)):
        response = visitor.get(address(game))
        assert response.status_code == 404
        assert b"Dust Devil" not in response.content


def test_a_spectator_sees_the_course_and_nobodys_hand(game: Game, browser: Open) -> None:
    html = browser(None).html(address(game))
    assert 'class="board' in html
    assert 'class="hand"' not in html
    assert "Your answers" not in html


# --- What is waited for -----------------------------------------------------------------


@pytest.mark.parametrize(("minutes", "said"), [(0, "answers at once"), (60, "takes its time")])
def test_while_a_bot_is_on_turn_the_page_says_so_instead_of_a_deadline(
    browser: Open, alice: User, minutes: int, said: str
) -> None:
    race = race_create(by=alice, name="With a bot", seats=2, starts_when_full=False)
    seat_add_bot(race_id=race.pk, by=alice, delay_minutes=minutes)
    game = Game(race_start(race_id=race.pk, by=alice))
    bot = Seat.objects.get(race=race, player=None).number
    for _ in range(60):
        waiting = game.present(None)["waiting"]
        if waiting == {**waiting, "kind": "turn", "seat": bot}:
            break
        game.do_least()
    html = browser(alice).html(f"/races/{race.public_id}/")
    question = html[html.index('<section class="question') :].partition("</section>")[0]
    assert said in question
    assert 'class="when"' not in question


@pytest.mark.parametrize(
    ("policy", "hours", "said"),
    [
        ("open", 24, "It closes with the last answer."),
        ("strict", 24, "It stays open until then, whoever has answered."),
        ("paced", 24, "Once all have answered, it closes within about 2 hours, mostly."),
        ("paced", 2 / 60, "Once all have answered, it closes within about 10 seconds, mostly."),
        ("paced", 10 / 60, "Once all have answered, it closes within about 1 minute, mostly."),
    ],
)
def test_an_open_window_says_how_long_such_windows_mostly_last(policy: str, hours: float, said: str) -> None:
    assert window_text({"race": {"policy": policy, "reaction_hours": hours}}) == said


# --- Answering --------------------------------------------------------------------------


def test_an_answer_is_confirmed_and_then_played_and_told(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    html = driver.html(there)
    assert faults_of(html) == []
    assert "Nothing has been sent yet." in html
    entries = Entry.objects.count()
    response = driver.post(there, hidden_fields(html))
    assert response.status_code == 303
    assert response["Location"] == address(game)
    assert Entry.objects.count() > entries
    page = Page(driver.html(address(game)))
    told = [e.text.strip() for e in page.elements if e.attributes.get("role") == "status"]
    assert told == [f"Played: {question['answers'][0]['words'].capitalize()[:1]}{question['answers'][0]['words'][1:]}."]
    assert not [e for e in Page(driver.html(address(game))).elements if e.attributes.get("role") == "status"]


def test_the_same_form_twice_is_one_entry_and_both_times_a_success(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    fields = hidden_fields(driver.html(there))
    assert driver.post(there, fields).status_code == 303
    entries = Entry.objects.count()
    assert driver.post(there, fields).status_code == 303
    assert Entry.objects.count() == entries
    assert Receipt.objects.count() == 1


def test_an_answer_to_an_old_position_is_409_shows_the_new_question_and_changes_nothing(
    game: Game, browser: Open
) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    fields = hidden_fields(driver.html(there))
    game.act(number, "end")
    before = all_rows()
    response = driver.post(there, fields)
    assert response.status_code == 409
    text = Page(response.content.decode()).text()
    assert "Your answer came too late for that position." in text
    assert "begins its turn" in text
    assert all_rows() == before
    assert driver.get(there).status_code == 409
    assert faults_of(response.content.decode()) == []


def test_an_answer_that_the_rules_refuse_is_told_with_its_rule_and_changes_nothing(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    fields = hidden_fields(driver.html(there))
    before = all_rows()
    response = driver.post(there, {**fields, "action": '{"do": "stop"}'})
    assert response.status_code == 422
    page = Page(response.content.decode())
    alert = next(e for e in page.elements if e.attributes.get("role") == "alert")
    assert "Not played." in alert.text
    assert "Nothing was spent." in alert.text
    assert any(e.attributes.get("class") == "rule-ref" for e in page.all("a"))
    assert faults_of(response.content.decode()) == []
    assert all_rows() == before


@pytest.mark.parametrize(
    "broken",
    [
        {"action": "not json"},
        {"action": "[1]"},
        {"action": '{"do": "fly"}'},
        {"action": '{"do": "end", "extra": 1}'},
        {"action": '{"do": 7}'},
        {"action": "{" * 5000},
        {"position": "now"},
        {"position": ""},
        {"key": ""},
        {"key": "k" * 101},
        {"key": "\x00"},
        {"action": ""},
        {"action": "[" * 50_000},
        {"action": '{"do": "end", "discard": ["\\ud800"]}'},
        {"action": '{"do": "\\u0000"}'},
    ],
)
def test_a_malformed_answer_is_400_with_a_sentence_and_changes_nothing(
    game: Game, browser: Open, broken: dict[str, str]
) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    fields = hidden_fields(driver.html(there))
    before = all_rows()
    response = driver.post(there, {**fields, **broken})
    assert response.status_code == 400, response.content[-600:]
    assert b"Traceback" not in response.content
    assert 'role="alert"' in response.content.decode()
    assert all_rows() == before


def test_an_answer_without_the_pages_token_is_refused_and_changes_nothing(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    fields = hidden_fields(driver.html(there))
    before = all_rows()
    response = driver.post(there, fields, token="0" * 32)
    assert response.status_code == 403
    assert "Nothing was sent" in response.content.decode()
    assert all_rows() == before


def test_who_is_not_signed_in_signs_in_first_and_comes_back(game: Game, browser: Open) -> None:
    _, question = asked_of(game)
    there = answer_address(game, question, 1)
    response = browser(None).get(there)
    assert response.status_code == 302
    assert response["Location"].endswith(f"?next={there}")


def test_who_has_no_seat_may_not_answer_and_another_driver_finds_no_such_question(
    game: Game, browser: Open, db: None
) -> None:
    number, question = asked_of(game)
    fields = hidden_fields(browser_of(game, number, browser).html(answer_address(game, question, 1)))
    before = all_rows()
    stranger = browser(User.objects.create_user("dora@example.org", display_name="Dora"))
    other = browser_of(game, number % 3 + 1, browser)
    assert stranger.get(answer_address(game, question, 1)).status_code == 403
    assert other.get(answer_address(game, question, 1)).status_code == 409
    for visitor, status in ((stranger, 403), (other, 409)):
        visitor.get("/races/new")
        response = visitor.post(answer_address(game, question, 1), fields)
        assert response.status_code == status
    assert all_rows() == before


def test_a_driver_who_has_given_up_is_asked_nothing_more(game: Game, browser: Open, alice: User) -> None:
    driver = browser(alice)
    assert "Give up?" in driver.html(address(game, "resign"))
    assert Seat.objects.get(race_id=game.pk, player=alice).state == "joined"
    assert driver.post(address(game, "resign"), {}).status_code == 303
    assert Seat.objects.get(race_id=game.pk, player=alice).state == "resigned"
    html = driver.html(address(game))
    assert "Give up this race" not in html
    before = all_rows()
    driver.post(address(game, "resign"), {})
    assert all_rows() == before


# --- Answers with parts -----------------------------------------------------------------


def form_of(question: dict[str, Any]) -> dict[str, Any]:
    return next(form for form in question["forms"] if form["action"]["do"] == "end")


def test_an_answer_with_parts_is_filled_in_and_played(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    form = form_of(question)
    there = address(game, f"form/{question['decision']}/{form['number']}")
    html = driver.html(there)
    assert faults_of(html) == []
    response = driver.post(there, {**hidden_fields(html), "part-draw": "0"})
    assert response.status_code == 303
    acts = [act for entry in Entry.objects.all() for act in entry.acts if act["action"]["do"] == "end"]
    assert acts[-1]["action"]["draw"] == 0


def test_a_form_that_is_filled_in_wrongly_keeps_its_entries_and_says_where(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    form = form_of(question)
    there = address(game, f"form/{question['decision']}/{form['number']}")
    fields = hidden_fields(driver.html(there))
    before = all_rows()
    response = driver.post(there, {**fields, "part-draw": "lots", "part-discard": ["0", "2"]})
    assert response.status_code == 422
    page = Page(response.content.decode())
    assert faults_of(response.content.decode()) == []
    assert next(e for e in page.elements if e.attributes.get("role") == "alert").text.startswith("Not sent yet.")
    draw = next(e for e in page.all("input") if e.attributes.get("name") == "part-draw")
    assert draw.attributes["value"] == "lots"
    assert draw.attributes["aria-invalid"] == "true"
    ticked = [e.attributes["value"] for e in page.all("input") if "checked" in e.attributes]
    assert ticked[:2] == ["0", "2"]
    assert all_rows() == before


def test_the_same_filled_form_twice_is_one_entry(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    form = form_of(question)
    there = address(game, f"form/{question['decision']}/{form['number']}")
    fields = {**hidden_fields(driver.html(there)), "part-draw": "1"}
    assert driver.post(there, fields).status_code == 303
    entries = Entry.objects.count()
    assert driver.post(there, fields).status_code == 303
    assert Entry.objects.count() == entries


def test_a_form_for_an_old_position_plays_nothing(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    form = form_of(question)
    there = address(game, f"form/{question['decision']}/{form['number']}")
    fields = {**hidden_fields(driver.html(there)), "part-draw": "1"}
    game.act(number, "end")
    before = all_rows()
    assert driver.post(there, fields).status_code == 409
    assert all_rows() == before


def test_a_form_that_the_question_does_not_have_is_no_page(game: Game, browser: Open) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    fields = hidden_fields(driver.html(answer_address(game, question, 1)))
    before = all_rows()
    assert driver.post(address(game, f"form/{question['decision']}/77"), fields).status_code == 404
    assert all_rows() == before


# --- Windows ----------------------------------------------------------------------------


def play_to_a_window(game: Game) -> tuple[int, dict[str, Any]]:
    """Start, pass and attack, else throw the hand away, until somebody is asked in a window; that car, its question.

    A hand that is thrown away is filled from the deck, so the cards for it come up whatever was dealt.
    """
    for _ in range(400):
        rows = list(Decision.objects.filter(race_id=game.pk, sealed_at=None).select_related("seat"))
        if not rows:
            sweep(now=Race.objects.get(pk=game.pk).wake_at)
            continue
        number = rows[0].seat.number
        assert number is not None
        question = game.question(number)
        if rows[0].window is not None and len(question["answers"]) > 1:
            return number, question
        wanted = [one for one in question["answers"] if one["action"]["do"] in {"attack", "pass", "start"}]
        game.act(number, wanted[0]["words"] if wanted else ended(question))
    raise AssertionError("no window opened")


def ended(question: dict[str, Any]) -> str:
    """The words that end a turn with a new hand, as far as cards may be thrown away; else the last answer's."""
    fields = {field["name"]: field for form in question["forms"] for field in form["fields"]}
    if question["key"] != "act" or "discard" not in fields:
        return "end" if question["key"] == "act" else str(question["answers"][-1]["words"])
    return "end, discard " + ", ".join(value["words"] for value in fields["discard"]["values"])


def test_a_sealed_answer_is_shown_to_its_owner_and_to_nobody_else_by_a_single_byte(
    road_game: Make, browser: Open, clock: time_machine.Traveller
) -> None:
    game = road_game(policy="strict")
    number, question = play_to_a_window(game)
    others = [browser_of(game, other, browser) for other in (1, 2, 3) if other != number] + [browser(None)]
    addresses = [address(game), "/races/", address(game, "replay/")]
    before = [other.client.get(one, follow=True).content for other in others for one in addresses]
    driver = browser_of(game, number, browser)
    there = answer_address(game, question, 1)
    assert driver.press(there).status_code == 303
    html = driver.html(address(game))
    assert "Sealed until the window closes." in html
    assert question["answers"][0]["words"].casefold() in html.casefold()
    after = [other.client.get(one, follow=True).content for other in others for one in addresses]
    assert after == before


def test_a_sealed_answer_can_be_replaced_until_the_window_closes(
    road_game: Make, browser: Open, clock: time_machine.Traveller
) -> None:
    game = road_game(policy="strict")
    number, question = play_to_a_window(game)
    driver = browser_of(game, number, browser)
    assert driver.press(answer_address(game, question, 1)).status_code == 303
    page = driver.html(answer_address(game, question, 2))
    assert "Your sealed answer so far" in page
    assert "What you send now takes its place." in page
    assert driver.post(answer_address(game, question, 2), hidden_fields(page)).status_code == 303
    sealed = game.question(number)["sealed"]
    assert sealed["words"] == question["answers"][1]["words"]


# --- The wish, the theme ----------------------------------------------------------------


def test_the_wish_to_be_asked_is_changed_on_its_own_page(game: Game, browser: Open, alice: User) -> None:
    driver = browser(alice)
    assert "do not ask me" in driver.html(address(game))
    assert driver.press(address(game, "wish")).status_code == 303
    html = driver.html(address(game))
    assert "ask me whenever any driver may play one" in html
    assert "Noted:" in html


@pytest.mark.parametrize(
    ("chosen", "shown"), [("dark", ' data-theme="dark"'), ("system", '<html lang="en">'), ("x", '<html lang="en">')]
)
def test_the_theme_is_kept_in_this_browser_without_any_row(db: None, browser: Open, chosen: str, shown: str) -> None:
    visitor = browser(None)
    before = all_rows()
    response = visitor.post("/theme", {"theme": chosen, "next": "/races/"})
    assert (response.status_code, response["Location"]) == (303, "/races/")
    assert shown in visitor.html("/races/")
    assert all_rows() == before


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_the_theme_leads_back_to_this_site_only(db: None, browser: Open, elsewhere: str) -> None:
    assert browser(None).post("/theme", {"theme": "dark", "next": elsewhere})["Location"] == "/"


def test_a_theme_cookie_that_names_none_is_ignored(db: None, browser: Open) -> None:
    visitor = browser(None)
    visitor.client.cookies["theme"] = '"><script>'
    assert "data-theme" not in visitor.html("/races/").split("<head>")[0]


# --- The log ----------------------------------------------------------------------------


def test_a_long_log_comes_in_pages_and_whole_as_text(
    game: Game, browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.web.views.race.LOG_LINES", 6)
    for _ in range(8):
        number = asked_of(game)[0]
        question = game.question(number)
        # An Event may ask something else first.
        game.act(number, "end" if question["key"] == "act" else question["answers"][0]["words"])
    visitor = browser(None)
    assert visitor.get(address(game, "?log=all"))["Location"] == address(game, "log")
    shown: list[str] = []
    here: str | None = address(game, "log")
    pages = 0
    while here is not None:
        html = visitor.html(here)
        assert faults_of(html) == []
        pages += 1
        page = Page(html)
        shown += [one.text for one in page.all("a") if one.attributes.get("class") == "no"]
        assert ("The latest" in page.text()) == (pages > 1)
        here = next(
            (
                address(game, "log") + one.attributes["href"].removeprefix(address(game, "log"))
                for one in page.all("a")
                if one.text == "Older entries"
            ),
            None,
        )
    told = {line["entry"] for line in race_present(race=game.race, viewer=None, log_last=None)["log"]}
    assert shown == [f"entry {entry}" for entry in sorted(told, reverse=True)]
    assert pages > 2
    text = visitor.get(address(game, "log.txt"))
    assert text["Content-Type"] == "text/plain; charset=utf-8"
    lines = text.content.decode().splitlines()[2:]
    assert len(lines) == len(race_present(race=game.race, viewer=None, log_last=None)["log"])


def test_the_log_as_text_tells_each_reader_what_is_theirs(game: Game, browser: Open, alice: User) -> None:
    own = browser(alice).get(address(game, "log.txt")).content.decode()
    public = browser(None).get(address(game, "log.txt")).content.decode()
    assert own.count("is dealt 7 cards: ") == 1
    assert public.count("is dealt 7 cards") == 3
    assert "is dealt 7 cards: " not in public
    for odd in ("nought", "-1", "99999999999999999999", "0"):
        assert faults_of(browser(None).html(address(game, f"log?before={odd}"))) == []


# --- After the end ----------------------------------------------------------------------


def test_a_race_that_is_over_asks_for_no_resignation_and_says_nothing_of_cards_to_play(
    game: Game, browser: Open, alice: User
) -> None:
    finish(game)
    driver = browser(alice)
    html = driver.html(address(game, "resign"), status=409)
    assert "The race is over: there is nothing left to give up." in html
    assert "Give up this race" not in html
    assert faults_of(html) == []
    winner = browser_of(game, 3, browser)
    html = winner.html(address(game))
    assert 'class="hand"' in html
    assert "Nothing is asked of you" not in html


def test_giving_up_twice_at_once_is_giving_up_once_even_if_it_ended_the_race(
    road_game: Make, clock: time_machine.Traveller, browser: Open
) -> None:
    game = road_game(players=2)
    number, _question = asked_of(game)
    driver = browser_of(game, number, browser)
    driver.html(address(game, "resign"))
    for _ in range(2):
        assert driver.post(address(game, "resign"), {}).status_code == 303
    assert game.race.status == "finished"


def finish(game: Game) -> None:
    """Everybody but one gives up."""
    for number in (1, 2):
        player = game.seat(number).player
        assert player is not None
        seat_resign(race_id=game.pk, by=player)
    for _ in range(30):
        if game.race.status == "finished":
            return
        number, _question = asked_of(game)
        game.act(number, "end")


def test_a_finished_race_shows_its_result_and_can_be_seen_step_by_step(game: Game, browser: Open) -> None:
    game.act(asked_of(game)[0], "end")
    finish(game)
    assert game.race.status == "finished"
    visitor = browser(None)
    html = visitor.html(address(game))
    assert "The race is over." in html
    assert faults_of(html) == []
    last = game.race.seq
    for entry in range(last + 1):
        page = Page(visitor.html(address(game, f"replay/{entry}")))
        links = {e.attributes["href"] for e in page.all("a")}
        assert (address(game, f"replay/{entry + 1}") in links) == (entry < last)
        assert (address(game, f"replay/{entry - 1}") in links) == (entry > 0)
        assert f"Entry {entry}" in page.text()
    html = visitor.html(address(game, "replay/1"))
    assert faults_of(html) == []
    assert "Check the draws" in html
    assert bytes(game.race.secret).hex() in html
    assert "Answers given" in html
    assert visitor.get(address(game, f"replay/{last + 1}")).status_code == 404
    assert visitor.get(address(game, "replay/?entry=1"))["Location"] == address(game, "replay/1")
    record = visitor.get(address(game, "record.json"))
    assert record.status_code == 200
    assert json.loads(record.content)["commitment"] == game.race.commitment


def test_a_finished_race_leads_to_its_record_and_a_running_one_says_not_yet(game: Game, browser: Open) -> None:
    record = address(game, "record.json")
    spectator = browser(None)
    html = spectator.html(record, status=409)
    assert "<h1>Not yet</h1>" in html
    assert "Not any more" not in html
    assert record not in spectator.html(address(game))
    finish(game)
    assert record in {link.attributes["href"] for link in Page(spectator.html(address(game))).all("a")}


def test_an_entry_that_is_none_is_told_with_those_that_are(game: Game, browser: Open) -> None:
    html = browser(None).html(address(game, "replay/9999"), status=404)
    assert "there is no entry 9999" in html
    assert f"entries 0 to {game.race.seq}" in html


def test_within_a_sentence_today_has_no_capital(road_game: Make, browser: Open, clock: time_machine.Traveller) -> None:
    game = road_game(players=2, tempo="hours", turn_hours=5, reaction_hours=4)
    play_to_a_window(game)
    html = re.sub(r"<[^>]+>", "", browser(None).html(address(game)))
    assert "closes by today, " in html
    assert "closes by Today" not in html


def test_eyes_look_into_a_hand_only_after_the_end(game: Game, browser: Open) -> None:
    visitor = browser(None)
    closed = visitor.html(address(game, "replay/0?eyes=2"))
    assert "is dealt 7 cards." in closed
    assert "The hand" not in closed
    assert "Draws" not in closed
    assert visitor.get(address(game, "record.json")).status_code == 409
    game.act(asked_of(game)[0], "end")
    finish(game)
    opened = visitor.html(address(game, "replay/0?eyes=2"))
    assert "is dealt 7 cards:" in opened
    assert 'class="hand"' in opened
    assert "Draws" in opened


def test_a_lapse_is_told_and_the_link_of_the_lapsed_question_is_stale(
    game: Game, browser: Open, clock: time_machine.Traveller
) -> None:
    number, question = asked_of(game)
    driver = browser_of(game, number, browser)
    fields = hidden_fields(driver.html(answer_address(game, question, 1)))
    clock.shift(timedelta(days=4))
    sweep()
    assert driver.post(answer_address(game, question, 1), fields).status_code == 409


def test_a_race_that_cannot_be_read_shows_a_sentence_and_no_trace(game: Game, browser: Open, alice: User) -> None:
    from games.models import Snapshot  # noqa: PLC0415

    Snapshot.objects.filter(race_id=game.pk).update(state=b"{broken")
    driver = browser(alice)
    response = driver.get(address(game))
    assert response.status_code == 503
    text = response.content.decode()
    assert "Traceback" not in text
    assert "broken" in text
    assert driver.get("/").status_code == 200
    assert driver.get(reverse("games:lobby")).status_code == 200
