"""A page that fails says whether it is worth trying again."""

import pytest
from django.db import DataError, InterfaceError, OperationalError
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (OperationalError("the connection is closed"), 503, "Out of service"),
        (InterfaceError("the connection is closed"), 503, "Out of service"),
        (DataError("a secret of the house"), 500, "Broken down"),
    ],
)
def test_a_page_without_its_database_comes_again_later(
    client: Client, monkeypatch: pytest.MonkeyPatch, fault: Exception, status: int, words: str
) -> None:
    def broken(**_: object) -> None:
        raise fault

    client.raise_request_exception = False
    monkeypatch.setattr("games.selectors.races.races_open", broken)
    page = client.get("/races/")
    assert page.status_code == status
    assert words in page.text
    assert str(fault) not in page.text
    assert page.headers.get("Retry-After") == ("5" if status == 503 else None)
