"""Taking back and going back on pages and by program."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import time_machine
from rest_framework.test import APIClient

from games.models import Entry, RewindAsk
from roadkill_site.accounts.models import User
from tests.games.api.conftest import program
from tests.games.api.test_openapi import document, fits
from tests.games.conftest import Game
from tests.games.test_undo import moving, started
from tests.games.web.conftest import Browser, all_rows
from tests.games.web.markup import faults_of

__all__ = ["document", "program"]
Open: TypeAlias = Callable[[User | None], Browser]
Clock = time_machine.Traveller


@pytest.fixture
def game(alice: User, bob: User, clock: Clock) -> Game:
    """A race of RoadKill, hosted by Alice, in which somebody may stop."""
    game = started(alice, bob, ruleset="roadkill", options={"sections": 3}, policy="open")
    moving(game, clock)
    return game


def at(game: Game, rest: str = "") -> str:
    return f"/races/{game.race.public_id}/{rest}"


def stopped(game: Game) -> tuple[int, User, User]:
    """Whoever may stop does: the car, its driver, and the other one."""
    number = game.present(None)["waiting"]["seat"]
    game.act(number, action={"do": "stop"})
    driver, other = game.seat(number).player, game.seat(3 - number).player
    assert driver is not None
    assert other is not None
    return number, driver, other


def fields_of(html: str) -> dict[str, str]:
    """Position and key of the page's form."""
    found = dict(part.split('" value="')[:2] for part in html.split('type="hidden" name="')[1:])
    return {name: found[name].split('"')[0] for name in ("position", "key")}


# --- Taking back ------------------------------------------------------------------------


def test_the_button_stands_beside_what_was_played_and_asks_before_it_acts(browser: Open, game: Game) -> None:
    number, driver, other = stopped(game)
    own = browser(driver)
    html = own.html(at(game))
    assert faults_of(html) == []
    assert "Take back: stop my car" in html
    for stranger in (browser(other), browser(None)):
        assert "Take back" not in stranger.html(at(game))
    before = all_rows()
    page = own.html(at(game, "undo"))
    assert faults_of(page) == []
    assert "Nothing was drawn, shown or asked by it" in page
    assert all_rows() == before, "looking changes nothing"
    answer = own.post(at(game, "undo"), fields_of(page))
    assert (answer.status_code, answer["Location"]) == (303, at(game))
    html = own.html(at(game))
    assert "Taken back: Stop my car." in html
    assert "took back: stop my car." in html
    assert "Take back:" not in html
    assert game.question(number)["key"] == "act"


def test_pressed_twice_it_takes_back_once(browser: Open, game: Game) -> None:
    _, driver, _ = stopped(game)
    own = browser(driver)
    fields = fields_of(own.html(at(game, "undo")))
    assert own.post(at(game, "undo"), fields).status_code == 303
    entries = Entry.objects.count()
    assert own.post(at(game, "undo"), fields).status_code == 303
    assert Entry.objects.count() == entries


def test_a_second_tab_is_told_that_it_is_late(browser: Open, game: Game) -> None:
    _, driver, _ = stopped(game)
    own = browser(driver)
    tabs = [fields_of(own.html(at(game, "undo"))) for _ in range(2)]
    assert own.post(at(game, "undo"), tabs[0]).status_code == 303
    late = own.post(at(game, "undo"), tabs[1])
    assert late.status_code == 409
    assert "came too late for that position" in late.content.decode()


def test_whoever_has_nothing_to_take_back_is_told_so(browser: Open, game: Game) -> None:
    number = game.present(None)["waiting"]["seat"]
    driver = game.seat(number).player
    own = browser(driver)
    html = own.html(at(game, "undo"), status=409)
    assert faults_of(html) == []
    assert "Nothing to take back" in html
    own.html(at(game, "say"))
    refused = own.post(at(game, "undo"), {"position": str(game.race.seq), "key": "k"})
    assert refused.status_code == 409
    assert "There is no act of yours to take back" in refused.content.decode()
    assert own.post(at(game, "undo"), {"position": "x", "key": "k"}).status_code == 400
    assert browser(None).get(at(game, "undo")).status_code == 302


# --- Going back -------------------------------------------------------------------------


def test_a_host_asks_from_a_step_of_the_replay_and_all_agree(browser: Open, game: Game, alice: User, bob: User) -> None:
    host, guest = browser(alice), browser(bob)
    assert "Ask everybody to go back to here" in host.html(at(game, "replay/0"))
    assert "go back to here" not in guest.html(at(game, "replay/0"))
    assert "Go back to an earlier entry" in host.html(at(game))
    assert "Ask everybody to go back" in host.html(at(game, "host"))
    html = host.html(at(game, "rewind/?to=0"))
    assert faults_of(html) == []
    assert 'value="0"' in html
    assert "Only the host can ask" in guest.html(at(game, "rewind/"))
    assert host.post(at(game, "rewind/"), {"to": "0", "reason": "<b>Oops</b>", "key": "k"}).status_code == 303
    html = guest.html(at(game))
    assert faults_of(html) == []
    assert "Say whether you agree" in html
    html = guest.html(at(game, "rewind/"))
    assert faults_of(html) == []
    assert "&lt;b&gt;Oops&lt;/b&gt;" in html
    assert "Still to agree: Bob" in html
    number = RewindAsk.objects.get().pk
    for do in ("agree", "think-again"):
        before = game.race.seq
        if do == "agree":
            host.html(at(game, "rewind/"))
            assert host.post(at(game, f"rewind/{number}/think-again"), {}).status_code == 303
        assert guest.post(at(game, f"rewind/{number}/{do}"), {}).status_code == 303
        assert game.race.seq == before
    assert host.post(at(game, f"rewind/{number}/nonsense"), {}).status_code == 404
    assert host.post(at(game, f"rewind/{number}/agree"), {}).status_code == 303
    assert guest.post(at(game, f"rewind/{number}/agree"), {}).status_code == 303
    html = guest.html(at(game))
    assert "All have agreed: the race is back at entry 0." in html
    assert "All agreed to go back to entry 0." in html
    assert Entry.objects.get(race_id=game.pk, seq=game.race.seq).back == 0
    assert faults_of(host.html(at(game, f"replay/{game.race.seq}"))) == []


def test_a_slip_of_the_host_is_told_at_the_field(browser: Open, game: Game, alice: User, bob: User) -> None:
    host, guest = browser(alice), browser(bob)
    host.html(at(game, "rewind/"))
    guest.html(at(game, "say"))
    for to, said in (("99999", "Name an entry from 0 to"), ("", "required"), ("-1", "greater than or equal")):
        answer = host.post(at(game, "rewind/"), {"to": to, "key": "k"})
        assert answer.status_code in {400, 422}
        assert said in answer.content.decode()
    assert guest.post(at(game, "rewind/"), {"to": "0", "key": "k"}).status_code == 403
    assert not RewindAsk.objects.exists()
    assert host.post(at(game, "rewind/"), {"to": "0", "key": "k"}).status_code == 303
    number = RewindAsk.objects.get().pk
    assert guest.post(at(game, f"rewind/{number}/drop"), {}).status_code == 403
    assert host.post(at(game, f"rewind/{number}/drop"), {}).status_code == 303
    assert guest.post(at(game, f"rewind/{number}/agree"), {}).status_code == 409


# --- By program -------------------------------------------------------------------------


def test_a_program_takes_an_act_back(document: dict[str, Any], game: Game, program: Callable[..., APIClient]) -> None:
    number, driver, other = stopped(game)
    client = program(driver)
    address = f"/api/v1/races/{game.race.public_id}"
    shown = client.get(address).json()
    assert shown["undo"] == {"to": game.race.seq - 1, "words": "stop my car"}
    fits(document, "/races/{public_id}", "get", 200, shown)
    assert program(other).get(address).json()["undo"] is None
    body = {"position": shown["race"]["position"], "key": "u1"}
    assert program(other).post(f"{address}/undo", body, format="json").json()["code"] == "no_way_back"
    first = client.post(f"{address}/undo", body, format="json")
    assert first.status_code == 200
    fits(document, "/races/{public_id}/undo", "post", 200, first.json())
    assert client.post(f"{address}/undo", body, format="json").json() == first.json()
    late = client.post(f"{address}/undo", {**body, "key": "u2"}, format="json")
    assert (late.status_code, late.json()["code"]) == (409, "stale")
    assert late.json()["question"]["position"] == game.race.seq
    assert program(None).post(f"{address}/undo", body, format="json").status_code == 401
    entry = client.get(f"{address}/replay/{first.json()['entry']}").json()
    fits(document, "/races/{public_id}/replay/{entry}", "get", 200, entry)
    assert entry["entry"]["back"] == first.json()["entry"] - 2
    assert game.question(number)["key"] == "act"


def test_a_program_goes_back(
    document: dict[str, Any], game: Game, program: Callable[..., APIClient], alice: User, bob: User
) -> None:
    host, guest = program(alice), program(bob)
    address = f"/api/v1/races/{game.race.public_id}/rewind"
    nothing = host.get(address).json()
    assert nothing == {"position": game.race.seq, "rewind": None}
    wrong = host.post(address, {"to": 9999, "key": "k"}, format="json")
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "to")
    assert guest.post(address, {"to": 0, "key": "k"}, format="json").json()["code"] == "not_host"
    asked = host.post(address, {"to": 0, "key": "k", "reason": "Sorry"}, format="json").json()
    fits(document, "/races/{public_id}/rewind", "get", 200, guest.get(address).json())
    fits(document, "/races/{public_id}/rewind", "post", 200, asked)
    number = asked["rewind"]["id"]
    again = host.post(f"{address}/{number}/think-again", {}, format="json")
    fits(document, "/races/{public_id}/rewind/{ask_id}/think-again", "post", 200, again.json())
    assert again.json()["rewind"]["agreed"] == []
    assert host.delete(f"{address}/{number}").json()["rewind"] is None
    number = host.post(address, {"to": 0, "key": "l"}, format="json").json()["rewind"]["id"]
    before = game.race.seq
    done = guest.post(f"{address}/{number}/agree", {}, format="json")
    fits(document, "/races/{public_id}/rewind/{ask_id}/agree", "post", 200, done.json())
    assert done.json() == {"position": before + 1, "rewind": None}
