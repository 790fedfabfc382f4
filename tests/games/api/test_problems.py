"""Every refusal is a problem document (RFC 9457), whatever was wrong."""

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from rest_framework.test import APIClient

from games.api import errors
from games.api.errors import PROBLEMS
from games.api.operation import AnonymousRate, WritingRate
from games.engine.errors import ActionRefused
from games.models import Race, Snapshot
from games.selectors.errors import EntryUnknown
from games.services.errors import StaleAnswer
from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.conftest import MakeGame

pytestmark = pytest.mark.django_db


def problem_of(response: Any, status: int, code: str) -> dict[str, Any]:
    """The problem document, checked for what all have."""
    body: dict[str, Any] = response.json()
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    assert {"type", "title", "status", "code", "detail", "rule"} <= set(body)
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"{settings.SITE_URL}/api/v1/problems/{code}"
    assert body["title"] == PROBLEMS[code].title
    assert body["detail"].strip()
    return body


def test_every_refusal_of_the_services_has_its_problem() -> None:
    def all_below(kind: type[ActionRefused]) -> set[type[ActionRefused]]:
        return {kind}.union(*(all_below(below) for below in kind.__subclasses__()))

    codes = {kind.code for kind in all_below(ActionRefused) if kind.__module__.startswith("games.")}
    assert codes - set(PROBLEMS) == set()
    assert {EntryUnknown.code, StaleAnswer.code} <= codes


def test_each_type_is_an_address_that_says_what_it_means(program: Program) -> None:
    for code, kind in PROBLEMS.items():
        path = errors.type_address(code).removeprefix(settings.SITE_URL)
        told = program(None).get(path).json()
        assert told == {"code": code, "title": kind.title, "status": kind.status, "meaning": kind.meaning}
    problem_of(program(None).get("/api/v1/problems/nonsense"), 404, "not_found")


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/", "/api/v1/races/abc/nothing", "/api/v1/races/"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_an_address_that_is_none_is_refused(program: Program, path: str, method: str) -> None:
    problem_of(getattr(program(None), method)(path), 404, "not_found")


def test_a_race_that_is_none_is_refused(program: Program) -> None:
    problem_of(program(None).get("/api/v1/races/nosuch"), 404, "unknown_race")
    problem_of(program(None).get("/api/v1/rulesets/chess"), 404, "unknown_ruleset")
    problem_of(program(None).get("/api/v1/rulesets/roadkill/components/none"), 404, "unknown_ruleset")


def test_a_method_that_an_address_lacks_is_refused(alice: User, program: Program) -> None:
    problem_of(program(alice).delete("/api/v1/races"), 405, "method_not_allowed")


@pytest.mark.parametrize("body", ["{", "[1, 2", '{"name": }', "\xff", "[" * 100_000, '{"name":' * 20_000])
def test_what_is_no_json_is_refused(alice: User, program: Program, body: str) -> None:
    response = program(alice).post("/api/v1/races", body, content_type="application/json")
    problem_of(response, 400, "malformed")


def test_a_body_larger_than_any_operation_needs_is_refused(alice: User, program: Program) -> None:
    body = '{"name": "%s"}' % ("a" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    told = problem_of(program(alice).post("/api/v1/races", body, content_type="application/json"), 413, "too_large")
    assert str(settings.DATA_UPLOAD_MAX_MEMORY_SIZE) in told["detail"]


def test_a_member_that_an_operation_does_not_know_is_refused_by_its_name(alice: User, program: Program) -> None:
    told = problem_of(program(alice).post("/api/v1/races", {"name": "Crowd", "seat": 3}, format="json"), 400, "invalid")
    assert [error["field"] for error in told["errors"]] == ["seat"]
    assert "seats" in told["errors"][0]["detail"]
    assert not Race.objects.exists()


def test_a_body_of_another_shape_is_refused_by_its_fields(alice: User, program: Program) -> None:
    body = problem_of(program(alice).post("/api/v1/races", [1, 2], format="json"), 400, "invalid")
    assert body["errors"][0]["field"] == ""
    body = problem_of(program(alice).post("/api/v1/races", {"seats": []}, format="json"), 400, "invalid")
    assert {error["field"] for error in body["errors"]} == {"name", "seats"}


def test_another_media_type_is_refused(alice: User, program: Program) -> None:
    response = program(alice).post("/api/v1/races", "name=x", content_type="application/x-www-form-urlencoded")
    problem_of(response, 415, "unsupported_media_type")
    problem_of(program(alice).get("/api/v1/races", HTTP_ACCEPT="application/xml"), 406, "not_acceptable")


@pytest.mark.parametrize("header", ["Bearer rk_wrong", "Bearer", "Bearer a b", "Bearer \xff"])
def test_a_token_that_is_none_is_refused(header: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header)
    response = client.get("/api/v1/races")
    problem_of(response, 401, "not_authenticated")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="roadkill"'


def test_a_session_needs_its_csrf_token_to_write(alice: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.get("/api/v1/me").json()["name"] == "Alice"
    problem_of(client.post("/api/v1/races", {"name": "x"}, format="json"), 403, "permission_denied")


def test_too_many_requests_are_refused_with_a_time_to_wait(
    alice: User, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WritingRate, "rate", "2/min")
    monkeypatch.setattr(AnonymousRate, "rate", "1/min")
    client = program(alice)
    for _ in range(2):
        assert client.post("/api/v1/races", {}, format="json").status_code == 400
    response = client.post("/api/v1/races", {}, format="json")
    problem_of(response, 429, "throttled")
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert client.get("/api/v1/me").status_code == 200, "reading is counted by itself"
    assert program(None).get("/api/v1/races").status_code == 200
    problem_of(program(None).get("/api/v1/races"), 429, "throttled")


@pytest.mark.parametrize("query", ["since=x", "since=-1", "most=1e3", "since=99999999999999"])
def test_a_number_that_is_none_is_refused_by_its_name(toy_game: MakeGame, program: Program, query: str) -> None:
    response = program(None).get(f"/api/v1/races/{toy_game().race.public_id}/log?{query}")
    body = problem_of(response, 400, "invalid")
    assert body["errors"][0]["field"] == query.partition("=")[0]


def test_a_broken_row_is_told_without_a_trace(toy_game: MakeGame, alice: User, program: Program) -> None:
    game = toy_game()
    Snapshot.objects.filter(race_id=game.pk).update(state=b'{"drivers": 3')
    response = program(alice).get(f"/api/v1/races/{game.race.public_id}")
    body = problem_of(response, 503, "faulty")
    assert "Traceback" not in body["detail"]
    assert "drivers" not in body["detail"]


def test_what_nobody_foresaw_is_logged_and_told_without_a_trace(
    program: Program, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(**_: object) -> None:
        raise ZeroDivisionError("a secret of the house")

    monkeypatch.setattr("games.selectors.races.races_open", broken)
    body = problem_of(program(None).get("/api/v1/races"), 500, "server_error")
    assert "secret of the house" not in str(body)
    assert "ZeroDivisionError" in caplog.text


def test_a_database_that_is_away_is_no_fault_of_the_request(
    program: Program, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(**_: object) -> None:
        raise OperationalError("connection to the house refused")

    monkeypatch.setattr("games.selectors.races.races_open", away)
    response = program(None).get("/api/v1/races")
    body = problem_of(response, 503, "unavailable")
    assert response["Retry-After"] == "5"
    assert "the house" not in str(body)
    assert "OperationalError" in caplog.text


def test_one_class_is_one_operation() -> None:
    verbs = {"get", "post", "put", "patch", "delete"}
    folder = Path(inspect.getfile(errors)).parent / "operations"
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                assert len(methods & verbs) == 1, f"{path.name}: {node.name}"
