"""Standing orders and plans by program: for the seat's own driver alone, and refused as everything else is."""

from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.test import Client

from games.api.errors import PROBLEMS
from games.models import Plan
from games.models import StandingOrder as StandingRow
from games.services.races import race_create, race_join, race_start
from games.services.seats import seat_resign
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.api.test_openapi import document, fits
from tests.games.conftest import Game
from tests.games.noninterference import dealt

__all__ = ["document"]
HANDS = {1: ["move_1", "machine_gun"], 2: ["move_2", "move_2", "move_2"], 3: ["fate", "move_1"]}
ORDER = "when passed by car 2: Machine Gun, else pass"


@pytest.fixture
def game(alice: User, bob: User, charlie: User, clock: time_machine.Traveller) -> Iterator[Game]:
    """Car 1 is about to be passed by car 2 and holds a Machine Gun."""
    with dealt(HANDS, like=HANDS):
        race = race_create(by=alice, name="Road", seats=3, is_public=True, starts_when_full=False)
        for person in (bob, charlie):
            race_join(race_id=race.pk, by=person)
        race_start(race_id=race.pk, by=alice)
        made = Game(race)
        for number, words in ((1, "start with Move 1"), (1, "end, draw 0"), (2, "start with Move 2")):
            made.act(number, words)
        yield made


def at(game: Game, path: str) -> str:
    return f"/api/v1/races/{game.race.public_id}/{path}"


def client_of(game: Game, number: int, program: Program) -> Any:
    return program(game.seat(number).player)


def test_orders_are_kept_shown_and_taken_back(game: Game, program: Program, document: dict[str, Any]) -> None:
    client = client_of(game, 1, program)
    body = {"texts": [ORDER, "When I am attacked: swerve"]}
    answer = client.post(at(game, "orders"), body, format="json")
    for _ in range(2):
        answer = client.post(at(game, "orders"), body, format="json")
        assert answer.status_code == 200
        fits(document, "/races/{public_id}/orders", "post", 200, answer.json())
        assert [one["words"] for one in answer.json()["orders"]] == ["when attacked: Swerve, else ask me", ORDER]
    first, second = answer.json()["orders"]
    for moved, place, expected in ((second, 1, [second, first]), (second, 2, [first, second])):
        answer = client.patch(at(game, f"orders/{moved['id']}"), {"place": place}, format="json")
        assert answer.status_code == 200
        fits(document, "/races/{public_id}/orders/{order_id}", "patch", 200, answer.json())
        assert answer.json()["orders"] == expected
    assert client.patch(at(game, f"orders/{first['id']}"), {"place": 0}, format="json").status_code == 400
    assert client.patch(at(game, "orders/0"), {"place": 1}, format="json").status_code == 404
    shown = client.get(at(game, "orders"))
    fits(document, "/races/{public_id}/orders", "get", 200, shown.json())
    assert shown.json() == answer.json()
    first = shown.json()["orders"][0]["id"]
    assert client.delete(at(game, f"orders/{first}")).status_code == 204
    again = client.delete(at(game, f"orders/{first}"))
    assert (again.status_code, again.json()["code"]) == (404, "unknown_order")
    assert [one["words"] for one in client.get(at(game, "orders")).json()["orders"]] == [ORDER]
    for _ in range(2):
        assert client.delete(at(game, "orders")).status_code == 204
    assert not StandingRow.objects.exists()


def test_a_trial_keeps_nothing(game: Game, program: Program, document: dict[str, Any]) -> None:
    client = client_of(game, 1, program)
    game.act(2, "pass 1 with Move 2")
    game.act(1, "no card")
    moved = game.race.wake_at
    assert moved is not None
    with time_machine.travel(moved, tick=False):
        sweep()
    answer = client.post(at(game, "orders/try"), {"texts": [ORDER]}, format="json")
    fits(document, "/races/{public_id}/orders/try", "post", 200, answer.json())
    told = answer.json()
    assert told["words"] == [ORDER]
    assert [(one["did"], one["would"]) for one in told["windows"]] == [("no card", "Machine Gun")]
    assert not StandingRow.objects.exists()


def test_a_plan_is_kept_once_shown_and_cancelled(game: Game, program: Program, document: dict[str, Any]) -> None:
    client = client_of(game, 1, program)
    path = "/races/{public_id}/plan"
    empty = client.get(at(game, "plan")).json()
    fits(document, path, "get", 200, empty)
    assert empty["plan"] is None
    body = {"lines": ["attack 2 with Machine Gun", "if hit: end, draw 0"], "key": "one"}
    told = client.put(at(game, "plan"), body, format="json")
    assert told.status_code == 200
    fits(document, path, "put", 200, told.json())
    assert client.put(at(game, "plan"), body, format="json").json() == told.json()
    assert Plan.objects.count() == 1
    shown = client.get(at(game, "plan")).json()
    fits(document, path, "get", 200, shown)
    assert (shown["plan"]["lines"], shown["plan"]["state"]) == (body["lines"], "waiting")
    for _ in range(2):
        assert client.delete(at(game, "plan")).status_code == 204
    assert client.get(at(game, "plan")).json()["plan"]["state"] == "cancelled"


@pytest.mark.parametrize(
    ("request_line", "body", "code"),
    [
        ("post orders", {"texts": ["when eaten: pass"]}, "malformed"),
        ("post orders", {"texts": []}, "invalid"),
        ("post orders", {"texts": ["when passed: pass"] * 41}, "invalid"),
        ("post orders", {"text": "when passed: pass"}, "invalid"),
        ("post orders/try", {"texts": ["when passed by car 7: pass"]}, "malformed"),
        ("put plan", {"lines": ["if passed: end"], "key": "k"}, "malformed"),
        ("put plan", {"lines": [], "key": "k"}, "malformed"),
        ("put plan", {"lines": ["end"]}, "invalid"),
        ("put plan", {"lines": ["end"], "key": "\u200b"}, "key_missing"),
        ("delete orders/99999", None, "unknown_order"),
        ("patch plan", {}, "method_not_allowed"),
    ],
)
def test_refusals_are_problem_documents(game: Game, program: Program, request_line: str, body: Any, code: str) -> None:
    verb, path = request_line.split()
    answer = getattr(client_of(game, 1, program), verb)(at(game, path), body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (PROBLEMS[code].status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert not StandingRow.objects.exists()
    assert not Plan.objects.exists()


def test_others_reach_nothing_of_it(game: Game, program: Program, db: None) -> None:
    client_of(game, 3, program).post(at(game, "orders"), {"texts": [ORDER]}, format="json")
    client_of(game, 3, program).put(at(game, "plan"), {"lines": ["end, draw 0"], "key": "k"}, format="json")
    foreign = StandingRow.objects.get()
    for number in (1, 2):
        other = client_of(game, number, program)
        told = other.get(at(game, "orders")).json()
        assert (told["orders"], told["plan"], told["fired"]) == ([], None, [])
        assert other.get(at(game, "plan")).json()["plan"] is None
        assert other.delete(at(game, f"orders/{foreign.pk}")).status_code == 404
        assert other.delete(at(game, "orders")).status_code == 204
        assert other.delete(at(game, "plan")).status_code == 204
    operations = [
        ("get", "orders", None),
        ("post", "orders", {"texts": [ORDER]}),
        ("post", "orders/try", {"texts": [ORDER]}),
        ("delete", "orders", None),
        ("delete", f"orders/{foreign.pk}", None),
        ("get", "plan", None),
        ("put", "plan", {"lines": ["end"], "key": "k"}),
        ("delete", "plan", None),
    ]
    stranger = program(User.objects.create_user("dora@example.org", display_name="Dora"))
    for verb, path, body in operations:
        answer = getattr(stranger, verb)(at(game, path), body, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "not_your_seat"), (verb, path)
        nobody = getattr(program(None), verb)(at(game, path), body, format="json")
        assert nobody.status_code in {401, 403}, (verb, path)
    assert StandingRow.objects.get() == foreign
    assert Plan.objects.get().state == "waiting"


def test_a_session_without_its_csrf_token_orders_nothing(game: Game) -> None:
    browser = Client(enforce_csrf_checks=True)
    player = game.seat(1).player
    assert player is not None
    browser.force_login(player)
    answer = browser.post(at(game, "orders"), {"texts": [ORDER]}, content_type="application/json")
    assert answer.status_code == 403
    assert not StandingRow.objects.exists()


def test_answers_are_stored_nowhere_and_say_nothing_of_their_age(game: Game, program: Program) -> None:
    client = client_of(game, 1, program)
    for path in ("orders", "plan"):
        answer = client.get(at(game, path))
        assert {"private", "no-store"} <= {part.strip() for part in answer["Cache-Control"].split(",")}
        assert "ETag" not in answer
        assert "Last-Modified" not in answer


def test_before_and_after_a_race_nothing_is_ordered(game: Game, program: Program, alice: User) -> None:
    race = race_create(by=alice, name="Later", seats=2, is_public=True)
    for path in ("orders", "plan"):
        answer = program(alice).get(f"/api/v1/races/{race.public_id}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (409, "not_running")
    client = client_of(game, 1, program)
    for number in (2, 3):
        seat_resign(race_id=game.pk, by=game.seat(number).player)  # type: ignore[arg-type]
    assert client.get(at(game, "orders")).status_code == 200
    answer = client.post(at(game, "orders"), {"texts": [ORDER]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "over")
