"""What a player is told, by the API: one's own alone, refusals as problems, the secret once."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from notifications.models import Endpoint
from notifications.selectors import wishes_of
from notifications.services.endpoints import endpoint_close, webhook_create
from roadkill_site.accounts.models import User

NEW = {"label": "Hook", "address": "https://hooks.example.org/x"}


@pytest.fixture
def api(wren: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(wren)
    return client


def test_nobody_without_a_token_is_told_anything(db: None) -> None:
    for path in ("notices", "notices/log", "ways", "ways/1"):
        assert APIClient().get(f"/api/v1/me/{path}").status_code in {401, 405}


def test_the_secret_and_the_address_are_told_once_at_most(api: APIClient) -> None:
    made = api.post("/api/v1/me/ways", NEW, format="json")
    assert made.status_code == 201
    row = Endpoint.objects.get()
    assert made.json()["secret"] == row.secret
    text = api.get("/api/v1/me/ways").content.decode()
    assert row.secret not in text
    assert row.address not in text


def test_anothers_way_is_none(api: APIClient, olu: User) -> None:
    row = webhook_create(player=olu, **NEW)
    path = f"/api/v1/me/ways/{row.pk}"
    assert api.patch(path, {"label": "Mine"}, format="json").status_code == 404
    assert api.post(f"{path}/act", {"do": "try"}, format="json").status_code == 404
    assert api.delete(path).status_code == 404
    assert api.get("/api/v1/me/ways").json() == {"ways": []}
    row.refresh_from_db()
    assert row.label == "Hook"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("ways", {**NEW, "address": "http://hooks.example.org"}),
        ("ways", {**NEW, "form": "teams"}),
        ("ways", {**NEW, "follows": "nowhere"}),
        ("ways", {**NEW, "colour": "red"}),
        ("notices", {"kinds_off": ["nonsense"]}),
        ("notices", {"urgent_hours": 100}),
        ("notices", {"is_daily": True}),
    ],
)
def test_what_cannot_be_is_a_problem_and_changes_nothing(
    api: APIClient, wren: User, path: str, told: dict[str, Any]
) -> None:
    send = api.post if path == "ways" else api.patch
    answer = send(f"/api/v1/me/{path}", told, format="json")
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"].endswith(".")
    assert not Endpoint.objects.exists()
    assert wishes_of(wren.pk).daily_hour is None


def test_a_closed_way_is_opened_again_and_all_mails_are_stopped_and_taken_up(api: APIClient, wren: User) -> None:
    row = webhook_create(player=wren, **NEW)
    endpoint_close(endpoint_id=row.pk, detail="410 Gone", at=row.created_at)
    path = f"/api/v1/me/ways/{row.pk}/act"
    assert api.post(path, {"do": "try"}, format="json").status_code == 400
    assert api.post(path, {"do": "reopen"}, format="json").json()["closed_at"] is None
    for wish in (True, False):
        assert api.patch("/api/v1/me/notices", {"is_mail_stopped": wish}, format="json").status_code == 200
        assert wishes_of(wren.pk).is_mail_stopped is wish
