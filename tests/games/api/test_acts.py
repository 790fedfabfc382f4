"""Acts by the API: the one door, its refusals, and what is asked of me."""

from collections.abc import Callable
from typing import Any

import pytest

from games.models import Decision, Entry, OutboxEvent, Race, Receipt, Snapshot
from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.conftest import Game, MakeGame


def act(client: Any, game: Game, car: int, **more: Any) -> Any:
    """Send an act of this car; what is not said is as its present question says."""
    question = game.question(car)
    body = {"decision": question["decision"], "position": question["position"], "key": "k1", **more}
    return client.post(f"/api/v1/races/{game.race.public_id}/acts", body, format="json")


Driver = Callable[[int], Any]


@pytest.fixture
def driver(game: Game, program: Program) -> Driver:
    """Makes the client of the driver of a car: the numbers are drawn at the start."""
    return lambda car: program(game.seat(car).player)


@pytest.fixture
def game(toy_game: MakeGame) -> Game:
    return toy_game(hands={1: (3, 4), 2: (0, 0, 2), 3: (5, 9)})


def test_what_is_asked_of_me_leads_to_an_act(game: Game, driver: Driver) -> None:
    client = driver(1)
    (asked,) = client.get("/api/v1/me/decisions").json()["results"]
    assert asked["race"]["id"] == game.race.public_id
    shown = client.get(f"/api/v1/races/{asked['race']['id']}").json()
    question = shown["question"]
    assert (question["decision"], question["position"]) == (asked["decision"], asked["position"])
    answer = question["answers"][0]
    response = act(client, game, 1, number=answer["number"])
    assert response.status_code == 200
    assert response.json()["status"] == "applied"
    assert response.json()["words"] == answer["words"]
    assert Entry.objects.get(race_id=game.pk, seq=response.json()["entry"]).acts[0]["action"] == answer["action"]
    assert client.get("/api/v1/me/decisions").json()["count"] == 0


@pytest.mark.parametrize(
    "given", [{"words": "Strike  2 with 3."}, {"action": {"do": "strike", "card": 3, "target": 2}}]
)
def test_words_and_json_mean_the_same_as_a_number(game: Game, driver: Driver, given: dict[str, Any]) -> None:
    response = act(driver(1), game, 1, **given)
    assert response.status_code == 200
    assert response.json()["words"] == "strike 2 with 3"


@pytest.mark.parametrize("given", [{"number": 1}, {"words": "strike 2 with 3"}])
def test_the_same_key_again_gives_the_first_answer_and_changes_nothing(
    game: Game, driver: Driver, given: dict[str, Any]
) -> None:
    client = driver(1)
    question = game.question(1)
    body = {"decision": question["decision"], "position": question["position"], "key": "one", **given}
    address = f"/api/v1/races/{game.race.public_id}/acts"
    first = client.post(address, body, format="json")
    entries = Entry.objects.count()
    second = client.post(address, body, format="json")
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert Entry.objects.count() == entries
    assert Receipt.objects.count() == 1


@pytest.mark.parametrize("given", [{"number": 1}, {"words": "rest"}])
def test_an_act_for_a_position_that_has_passed_is_stale_and_shows_the_present_question(
    game: Game, driver: Driver, given: dict[str, Any]
) -> None:
    client = driver(1)
    old = game.question(1)
    act(client, game, 1, words="rest", key="first")
    game.act(2, "rest")
    game.act(3, "rest")
    body = {"decision": old["decision"], "position": old["position"], "key": "second", **given}
    entries = Entry.objects.count()
    response = client.post(f"/api/v1/races/{game.race.public_id}/acts", body, format="json")
    problem = response.json()
    assert (response.status_code, problem["code"]) == (409, "stale")
    assert problem["question"]["decision"] == game.question(1)["decision"] != old["decision"]
    assert problem["position"] == game.race.seq
    assert Entry.objects.count() == entries


def test_an_illegal_act_names_its_rule_and_the_present_question(game: Game, driver: Driver) -> None:
    response = act(driver(1), game, 1, words="strike 2 with 6")
    problem = response.json()
    assert (response.status_code, problem["code"]) == (422, "illegal")
    assert problem["rule"]
    assert problem["detail"]
    assert problem["question"]["decision"] == game.question(1)["decision"]
    assert game.race.seq == 0


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"words": "fly to the moon"}, "malformed"),
        ({"action": {"do": "fly"}}, "malformed"),
        ({"action": {"do": "strike", "card": "three", "target": 2}}, "malformed"),
        ({"number": 999}, "malformed"),
        ({"number": 1, "decision": 5}, "malformed"),
        ({}, "invalid"),
        ({"number": 1, "words": "rest"}, "invalid"),
        ({"number": "one"}, "invalid"),
        ({"words": "rest", "key": ""}, "invalid"),
        ({"words": "rest", "key": "k" * 101}, "invalid"),
        ({"words": "rest", "position": -1}, "invalid"),
        ({"words": "x" * 2001}, "invalid"),
    ],
)
def test_an_act_that_cannot_be_read_is_refused_with_a_sentence_and_spends_nothing(
    game: Game, driver: Driver, given: dict[str, Any], code: str
) -> None:
    response = act(driver(1), game, 1, **given)
    problem = response.json()
    assert (response.status_code, problem["code"]) == (400, code)
    assert problem["detail"]
    assert (game.race.seq, Receipt.objects.count()) == (0, 0)


def test_a_form_cannot_be_sent_by_its_number_alone(game: Game, driver: Driver) -> None:
    form = game.question(1)["forms"][0]
    response = act(driver(1), game, 1, number=form["number"])
    assert response.status_code == 400
    assert "fields filled in" in response.json()["detail"]


def test_who_is_not_asked_is_told_so(game: Game, driver: Driver) -> None:
    body = {"decision": 1, "position": game.race.seq, "words": "rest", "key": "k"}
    response = driver(2).post(f"/api/v1/races/{game.race.public_id}/acts", body, format="json")
    assert (response.status_code, response.json()["code"]) == (409, "not_yours")
    assert response.json()["question"] is None


def test_who_holds_no_seat_acts_for_nobody(game: Game, program: Program) -> None:
    eve = User.objects.create_user("eve@example.org", display_name="Eve")
    body = {"decision": 1, "position": 0, "words": "rest", "key": "k"}
    response = program(eve).post(f"/api/v1/races/{game.race.public_id}/acts", body, format="json")
    assert (response.status_code, response.json()["code"]) == (403, "not_your_seat")
    assert game.race.seq == 0


def test_a_sealed_answer_is_told_to_its_owner_and_may_be_replaced(game: Game, driver: Driver) -> None:
    game.act(1, "strike 2 with 3")
    client = driver(2)
    first = act(client, game, 2, words="guard", key="a").json()
    assert first["status"] == "sealed"
    assert first["entry"] is None
    assert first["closes_by"].endswith("Z")
    assert act(client, game, 2, words="nothing", key="b").json()["words"] == "nothing"
    shown = client.get(f"/api/v1/races/{game.race.public_id}").json()
    assert shown["question"]["sealed"]["words"] == "nothing"
    assert Decision.objects.get(race_id=game.pk).sealed_origin == "api"


def test_nobody_else_sees_a_sealed_answer_in_body_or_headers(game: Game, driver: Driver, program: Program) -> None:
    game.act(1, "strike 2 with 3")
    watchers = {"first": driver(1), "third": driver(3), "spectator": program(None)}
    paths = [
        f"/api/v1/races/{game.race.public_id}",
        f"/api/v1/races/{game.race.public_id}/log",
        f"/api/v1/races/{game.race.public_id}/seats",
        "/api/v1/me/decisions",
        "/api/v1/me/races",
        "/api/v1/races",
    ]

    def seen() -> dict[tuple[str, str], tuple[int, bytes, list[tuple[str, str]]]]:
        out = {}
        for name, client in watchers.items():
            for path in paths:
                response = client.get(path)
                headers = sorted((k, v) for k, v in response.headers.items() if k != "Expires")
                out[name, path] = (response.status_code, response.content, headers)
        return out

    before = seen()
    assert act(driver(2), game, 2, words="guard").status_code == 200
    assert seen() == before


def test_a_sealed_answer_is_mailed_to_nobody(game: Game, driver: Driver) -> None:
    game.act(1, "strike 2 with 3")
    before = OutboxEvent.objects.count()
    assert act(driver(2), game, 2, words="guard").json()["status"] == "sealed"
    assert OutboxEvent.objects.count() == before


def test_what_may_follow_is_kept_with_the_answer(game: Game, driver: Driver) -> None:
    game.act(1, "strike 2 with 3")
    (follow,) = game.question(2)["follow"]
    value = follow["answers"][-1]["value"]
    response = act(driver(2), game, 2, words="nothing", follow={follow["trigger"]: value})
    assert response.status_code == 200
    assert game.question(2)["follow"][0]["chosen"] == value


def test_an_act_in_a_race_that_is_none_or_not_theirs_to_see_is_refused_like_a_look_at_it(
    game: Game, program: Program
) -> None:
    body = {"decision": 1, "position": 0, "number": 1, "key": "k1"}
    stranger = User.objects.create_user("dora@example.org", display_name="Dora")
    Race.objects.filter(pk=game.pk).update(is_public=False)
    there, nowhere = (
        program(stranger).post(f"/api/v1/races/{public_id}/acts", body, format="json")
        for public_id in (game.race.public_id, "zzzzzz")
    )
    assert (there.status_code, there.json()["code"]) == (404, "unknown_race")
    assert there.content == nowhere.content


def test_an_act_in_a_race_that_is_held_up_is_a_problem_document(game: Game, driver: Driver) -> None:
    client = driver(1)
    question = game.question(1)
    Snapshot.objects.filter(race_id=game.pk).update(state=b"{}")
    body = {"decision": question["decision"], "position": question["position"], "key": "k1"}
    for said in ({"number": 1}, {"words": "rest"}, {"action": {"do": "rest"}}):
        response = client.post(f"/api/v1/races/{game.race.public_id}/acts", {**body, **said}, format="json")
        assert (response.status_code, response.json()["code"]) == (503, "faulty")
