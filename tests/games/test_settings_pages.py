"""What every answer carries: headers that keep it private; and whether the site says it is well."""

from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from roadkill_site import health
from roadkill_site.accounts.models import User
from tests.games.web.markup import faults_of


def test_every_page_forbids_what_it_does_not_need(client: Client, db: None) -> None:
    headers = client.get("/account/sign-in/").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert "no-store" in headers["Cache-Control"]


def test_no_page_of_accounts_has_inline_style_or_script(client: Client, db: None) -> None:
    for address in ("/account/sign-in/", "/account/join/"):
        page = client.get(address).content.decode()
        assert "<style" not in page
        assert " style=" not in page
        assert "<script>" not in page


def test_the_site_says_that_it_is_well(client: Client, db: None) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert client.post("/healthz").status_code == 405


@pytest.mark.parametrize("address", ["/account/tokens/", "/theme", "/races/abc123/start"])
def test_an_address_that_only_takes_posts_tells_a_reader_so(client: Client, alice: User, address: str) -> None:
    client.force_login(alice)
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    page = answer.content.decode()
    assert "only takes what a form sends" in page
    assert faults_of(page) == []


def test_the_site_says_what_does_not_answer(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def cursor(self) -> Any:
            raise DatabaseError("gone: secret host name")

    monkeypatch.setattr(health, "connection", Broken())
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "failing", "database": "failing", "cache": "ok"}


def test_the_api_describes_itself(client: Client, db: None) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.")
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
