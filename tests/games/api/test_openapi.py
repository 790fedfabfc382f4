"""The OpenAPI document is valid, names every operation, and says what the answers really are."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.test import Client
from django.urls import get_resolver
from openapi_spec_validator import validate

from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.api.test_races import created

pytestmark = pytest.mark.django_db
PREFIX = "/api/v1"


@pytest.fixture
def document(client: Client) -> dict[str, Any]:
    response = client.get(f"{PREFIX}/openapi.json")
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    validate(document)


def test_every_operation_stands_in_the_document_with_a_sentence_and_its_refusal(document: dict[str, Any]) -> None:
    verbs = {"get", "post", "put", "patch", "delete"}
    documented = {
        (path, verb) for path, operations in document["paths"].items() for verb in operations if verb in verbs
    }
    served: set[tuple[str, str]] = set()
    for pattern in _leaves(get_resolver()):
        view = getattr(pattern.callback, "cls", None)
        if view is None or not (pattern.name or "").startswith("api-") or pattern.name == "api-nothing":
            continue
        served.update((pattern.name, verb) for verb in verbs if hasattr(view, verb))
    assert len(documented) == len(served) > 25
    for path, verb in documented:
        operation = document["paths"][path][verb]
        assert operation["description"].rstrip().endswith("."), f"{verb} {path}"
        assert "application/problem+json" in operation["responses"]["default"]["content"], f"{verb} {path}"
    names = [document["paths"][path][verb]["operationId"] for path, verb in documented]
    assert len(set(names)) == len(names)


def _leaves(resolver: Any) -> list[Any]:
    leaves = []
    for pattern in resolver.url_patterns:
        leaves += _leaves(pattern) if hasattr(pattern, "url_patterns") else [pattern]
    return leaves


def test_every_part_of_an_address_and_of_a_query_is_described(document: dict[str, Any]) -> None:
    parts = [
        (path, part["name"], part.get("description"))
        for path, operations in document["paths"].items()
        for operation in operations.values()
        for part in operation.get("parameters", ())
    ]
    assert len(parts) > 120
    assert [part for part in parts if not part[2]] == []


def test_the_token_and_the_session_are_described(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert schemes["token"]["scheme"] == "bearer"


def test_answers_are_as_the_document_says(document: dict[str, Any], alice: User, bob: User, program: Program) -> None:
    host, second = program(alice), program(bob)
    shown = created(host, seats=2)
    race_id = shown["race"]["id"]
    fits(document, "/races", "post", 201, shown)
    fits(document, "/races", "get", 200, host.get(f"{PREFIX}/races").json())
    path = f"/races/{race_id}"
    second.post(f"{PREFIX}{path}/join", {}, format="json")
    both = {client: client.get(f"{PREFIX}{path}").json() for client in (host, second)}
    asked = next(client for client, shown in both.items() if shown["question"] is not None)
    for shown in (*both.values(), program(None).get(f"{PREFIX}{path}").json()):
        fits(document, "/races/{public_id}", "get", 200, shown)
    fits(document, "/me/decisions", "get", 200, asked.get(f"{PREFIX}/me/decisions").json())
    fits(document, "/me/races", "get", 200, asked.get(f"{PREFIX}/me/races").json())
    fits(document, "/me", "get", 200, asked.get(f"{PREFIX}/me").json())
    fits(document, "/races/{public_id}/seats", "get", 200, asked.get(f"{PREFIX}{path}/seats").json())
    fits(document, "/races/{public_id}/log", "get", 200, asked.get(f"{PREFIX}{path}/log").json())
    fits(document, "/races/{public_id}/replay/{entry}", "get", 200, asked.get(f"{PREFIX}{path}/replay/0").json())
    fits(document, "/rulesets", "get", 200, asked.get(f"{PREFIX}/rulesets").json())
    for ruleset in ("roadkill", "thunder_road"):
        box = asked.get(f"{PREFIX}/rulesets/{ruleset}/components/classic").json()
        fits(document, "/rulesets/{ruleset}/components/{name}", "get", 200, box)
    question = both[asked]["question"]
    body = {"decision": question["decision"], "position": question["position"], "number": 1, "key": "k"}
    fits(
        document, "/races/{public_id}/acts", "post", 200, asked.post(f"{PREFIX}{path}/acts", body, format="json").json()
    )
    stale = asked.post(f"{PREFIX}{path}/acts", {**body, "position": 99, "key": "l"}, format="json")
    assert stale.status_code == 409
    fits(document, "/races/{public_id}/acts", "post", "default", stale.json())


def fits(document: dict[str, Any], path: str, verb: str, status: int | str, body: Any) -> None:
    """The body fits the schema of the document."""
    answer = document["paths"][PREFIX + path][verb]["responses"][str(status)]
    ((_, content),) = answer["content"].items()
    schema = {**_with_null(content["schema"]), "components": _with_null(document["components"])}
    jsonschema.validate(body, schema, cls=jsonschema.Draft202012Validator)


def _with_null(schema: Any) -> Any:
    """OpenAPI 3.0 says nullable where JSON Schema says a type or null."""
    if isinstance(schema, list):
        return [_with_null(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _with_null(value) for key, value in schema.items() if key != "nullable"}
    return {"anyOf": [inner, {"type": "null"}]} if schema.get("nullable") is True else inner
