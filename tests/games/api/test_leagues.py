"""Leagues by a program: all of it from the founding to the table, as the OpenAPI document says it is."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from games.models import Fixture, Result
from games.services.league_sweep import leagues_sweep
from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.api.test_openapi import PREFIX, document, fits
from tests.games.api.test_problems import problem_of
from tests.games.circuits import cup_at_hand
from tests.games.conftest import NOON
from tests.games.leagues import circuit_of, run_due, some_people

__all__ = ["document"]
pytestmark = pytest.mark.django_db
SEASON = {
    "starts_at": NOON.isoformat(),
    "seats": 3,
    "races_each": 2,
    "every_days": 7,
    "options": {"rounds": 1},
    "tempo": "daily",
    "absences": 1,
}


def founded(host: Any, **more: Any) -> dict[str, Any]:
    body = {"name": "Sunday cup", "ruleset": "toy", "is_public": True, **more}
    answer = host.post(f"{PREFIX}/leagues", body, format="json")
    assert answer.status_code == 201, answer.content
    shown: dict[str, Any] = answer.json()
    assert answer.headers["Location"].endswith(f"/leagues/{shown['id']}")
    return shown


def test_a_league_from_its_founding_to_the_last_table(
    clock: time_machine.Traveller, document: dict[str, Any], program: Program
) -> None:
    host, second, third = (program(user) for user in some_people(3))
    league = founded(host)
    fits(document, "/leagues", "post", 201, league)
    path = f"{PREFIX}/leagues/{league['id']}"
    one = "/leagues/{public_id}"
    season = host.post(f"{path}/seasons", SEASON, format="json")
    assert season.status_code == 201, season.content
    fits(document, f"{one}/seasons", "post", 201, season.json())
    assert season.json()["seed"] == ""
    for driver in (host, second, third):
        entered = driver.post(f"{path}/seasons/1/enter", {}, format="json")
        assert entered.status_code == 200
        fits(document, one + "/seasons/{number}/enter", "post", 200, entered.json())
    third.post(f"{path}/seasons/1/leave")
    assert third.get(f"{path}/seasons/1").json()["you"]["state"] == "left"
    third.post(f"{path}/seasons/1/enter", {}, format="json")
    bots = host.post(f"{path}/seasons/1/entrants/bots", {}, format="json")
    assert bots.status_code == 201
    (bot,) = [entrant for entrant in bots.json() if entrant["bot"]]
    withdrawn = host.post(f"{path}/seasons/1/entrants/{bot['entrant']}/withdraw")
    fits(document, one + "/seasons/{number}/entrants/{entrant}/withdraw", "post", 200, withdrawn.json())
    started = host.post(f"{path}/seasons/1/start")
    fits(document, one + "/seasons/{number}/start", "post", 200, started.json())
    assert (started.json()["status"], started.json()["fixtures"]["planned"]) == ("running", 2)
    run_due()
    planned = host.get(f"{path}/seasons/1/fixtures?status=planned").json()["results"]
    to = (NOON + timedelta(days=8)).isoformat()
    put_off = host.post(f"{path}/seasons/1/fixtures/{planned[0]['id']}/postpone", {"to": to}, format="json")
    assert put_off.status_code == 200, put_off.content
    assert put_off.json()["on"] == "2026-06-09T12:00:00Z"
    fits(document, one + "/seasons/{number}/fixtures/{fixture}/postpone", "post", 200, put_off.json())
    best = Result.objects.filter(place=1).get().driver_id
    other = Result.objects.filter(place=2).get().driver_id
    read = {
        "": one,
        "/ratings": f"{one}/ratings",
        "/paces": f"{one}/paces",
        "/seasons/1": one + "/seasons/{number}",
        "/seasons/1/table": one + "/seasons/{number}/table",
        "/seasons/1/entrants": one + "/seasons/{number}/entrants",
        "/seasons/1/fixtures": one + "/seasons/{number}/fixtures",
        f"/drivers/{best}": one + "/drivers/{driver}",
        f"/drivers/{best}/results": one + "/drivers/{driver}/results",
        f"/drivers/{best}/against/{other}": one + "/drivers/{driver}/against/{other}",
    }
    for address, described in read.items():
        for reader in (host, program(None)):
            answer = reader.get(path + address)
            assert answer.status_code == 200, address
            fits(document, described, "get", 200, answer.json())
    fits(document, "/leagues", "get", 200, host.get(f"{PREFIX}/leagues").json())
    assert "entry_key" not in second.get(path).json()
    void = host.post(f"{path}/seasons/1/fixtures/{planned[0]['id']}/void")
    assert void.json()["status"] == "void"
    closed = host.post(f"{path}/seasons/1/close")
    assert closed.json()["status"] == "closed"
    (table,) = host.get(f"{path}/seasons/1/table").json()
    assert [line["place"] for line in table["lines"]] == [1, 2, 3]


def test_what_is_refused_has_its_problem(clock: time_machine.Traveller, program: Program) -> None:
    host, other = (program(user) for user in some_people(2))
    path = f"{PREFIX}/leagues/{founded(host)['id']}"
    problem_of(program(None).post(f"{PREFIX}/leagues", {"name": "x"}, format="json"), 401, "not_authenticated")
    problem_of(
        host.post(f"{PREFIX}/leagues", {"name": "Sunday cup", "ruleset": "toy"}, format="json"), 400, "malformed"
    )
    problem_of(other.post(f"{path}/seasons", SEASON, format="json"), 403, "not_host")
    told = problem_of(host.post(f"{path}/seasons", {**SEASON, "makes": "campaigns"}, format="json"), 400, "malformed")
    assert told["errors"][0]["field"] == "makes"
    problem_of(host.post(f"{path}/seasons", {**SEASON, "seats": 99}, format="json"), 400, "malformed")
    problem_of(host.post(f"{path}/seasons", {**SEASON, "speed": 9}, format="json"), 400, "invalid")
    problem_of(host.get(f"{path}/seasons/1"), 404, "unknown_league")
    assert host.post(f"{path}/seasons", SEASON, format="json").status_code == 201
    problem_of(host.post(f"{path}/seasons", SEASON, format="json"), 409, "season")
    problem_of(host.post(f"{path}/seasons/1/start"), 409, "season")
    problem_of(host.post(f"{path}/seasons/1/entrants/999/withdraw"), 404, "unknown_league")
    problem_of(host.post(f"{path}/seasons/1/fixtures/999/void"), 404, "unknown_league")
    problem_of(host.get(f"{path}/drivers/999"), 404, "unknown_league")
    problem_of(host.get(f"{PREFIX}/leagues/nosuch"), 404, "unknown_league")


def test_a_league_of_members_opens_to_the_bearer_of_its_key(alice: User, bob: User, program: Program) -> None:
    host, friend = program(alice), program(bob)
    league = founded(host, is_public=False)
    path = f"{PREFIX}/leagues/{league['id']}"
    season = {**SEASON, "starts_at": "2999-01-01T00:00:00Z"}
    problem_of(host.post(f"{path}/seasons", season, format="json"), 400, "malformed")
    with time_machine.travel(NOON, tick=False):
        assert host.post(f"{path}/seasons", SEASON, format="json").status_code == 201
    problem_of(friend.get(path), 404, "unknown_league")
    problem_of(friend.post(f"{path}/seasons/1/enter", {}, format="json"), 404, "unknown_league")
    assert friend.get(f"{path}?key={league['entry_key']}").status_code == 200
    assert friend.post(f"{path}/seasons/1/enter", {"key": league["entry_key"]}, format="json").status_code == 200
    assert friend.get(path).json()["is_member"] is True
    renewed = host.patch(path, {"new_key": True}, format="json").json()["entry_key"]
    assert renewed != league["entry_key"]
    assert Client().get(f"{path}?key={league['entry_key']}").status_code == 404


def test_a_race_is_annulled_and_a_league_taken_over_by_a_program(
    clock: time_machine.Traveller, document: dict[str, Any], program: Program
) -> None:
    host, second, third = (program(user) for user in some_people(3))
    path = f"{PREFIX}/leagues/{founded(host)['id']}"
    host.post(f"{path}/seasons", SEASON, format="json")
    for driver in (second, third):
        driver.post(f"{path}/seasons/1/enter", {}, format="json")
    host.post(f"{path}/seasons/1/start")
    run_due()
    (done,) = host.get(f"{path}/seasons/1/fixtures?status=done").json()["results"]
    annul = f"{path}/seasons/1/fixtures/{done['id']}/annul"
    problem_of(second.post(annul, {"note": "Mine"}, format="json"), 403, "not_host")
    problem_of(host.post(annul, {}, format="json"), 400, "invalid")
    told = host.post(annul, {"note": "Two drove one car."}, format="json")
    assert told.status_code == 200, told.content
    fits(document, "/leagues/{public_id}/seasons/{number}/fixtures/{fixture}/annul", "post", 200, told.json())
    assert (told.json()["status"], told.json()["is_annulled"]) == ("void", True)
    problem_of(second.post(f"{path}/host"), 409, "host_not_away")
    clock.shift(timedelta(days=7))
    problem_of(third.post(f"{path}/host"), 403, "not_host")
    assert second.get(path).json()["may_take_over"] is True
    taken = second.post(f"{path}/host")
    assert taken.status_code == 200, taken.content
    fits(document, "/leagues/{public_id}/host", "post", 200, taken.json())
    assert taken.json()["is_host"] is True
    assert taken.json()["taken_over"]["taken_from"] == "Alice"


def test_a_league_that_makes_campaigns_shows_them_as_the_document_says(
    clock: time_machine.Traveller, document: dict[str, Any], program: Program
) -> None:
    host, second = (program(user) for user in some_people(2))
    one = "/leagues/{public_id}"
    with cup_at_hand():
        path = f"{PREFIX}/leagues/{founded(host, ruleset='cup')['id']}"
        season = host.post(f"{path}/seasons", {**SEASON, "makes": "campaigns", "options": {}}, format="json")
        assert season.status_code == 201, season.content
        assert season.json()["makes"] == "campaigns"
        for driver in (host, second):
            driver.post(f"{path}/seasons/1/enter", {}, format="json")
        host.post(f"{path}/seasons/1/start")
        leagues_sweep()
        going = circuit_of(Fixture.objects.order_by("number")[0])
        going.buy("P")
        going.nobody_buys()
        paces = host.get(f"{path}/paces").json()
        fits(document, f"{one}/paces", "get", 200, paces)
        assert paces[0]["campaign"] == going.row.public_id
        going.call([2, 1], [1, 8])
        leagues_sweep()
        best = Result.objects.get(place=1).driver_id
        other = Result.objects.get(place=2).driver_id
        read = {
            "": one,
            "/seasons/1": one + "/seasons/{number}",
            "/seasons/1/table": one + "/seasons/{number}/table",
            "/seasons/1/fixtures": one + "/seasons/{number}/fixtures",
            f"/drivers/{best}": one + "/drivers/{driver}",
            f"/drivers/{best}/results": one + "/drivers/{driver}/results",
            f"/drivers/{best}/against/{other}": one + "/drivers/{driver}/against/{other}",
        }
        for address, described in read.items():
            fits(document, described, "get", 200, program(None).get(path + address).json())
        first = host.get(f"{path}/seasons/1/fixtures").json()["results"][0]
        cars = {car["car"]: car for car in first["campaign"]["cars"]}
        assert cars[1]["upgrades"] == [{"letter": "P", "name": "Part P"}]
        assert first["campaign"]["winner"] == 2
        (own,) = host.get(f"{path}/drivers/{best}").json()["campaigns"]
        assert own["car"] == cars[2]
