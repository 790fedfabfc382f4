"""What every test shares: nothing is left over from the test before. The network is closed by pytest-socket."""

import itertools
import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from typing import Any
from unittest import mock

import pytest
from django.core.cache import cache
from django.db.backends.sqlite3.base import DatabaseOperations  # type: ignore[attr-defined]  # avoids a circle

# These need servers, which `make test-services` starts; no other run collects them.
collect_ignore = [] if os.environ.get("SERVICES_ARE_RUNNING") else ["services"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make transcripts` write the golden transcripts anew instead of comparing with them."""
    parser.addoption("--write-transcripts", action="store_true", help="write the golden transcripts anew")
    parser.addoption(
        "--deal", default="0", help="deal the server's races otherwise: any word; the same word deals the same again"
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say how races are dealt in this run, and what it leaves out."""
    return [f"races dealt as --deal {config.getoption('--deal')}"] + [
        f"left out: tests/{folder} (run by make test-{folder})" for folder in collect_ignore
    ]


@pytest.fixture(scope="session")
def is_writing_transcripts(request: pytest.FixtureRequest) -> bool:
    """Whether golden transcripts are to be written anew rather than compared with."""
    return bool(request.config.getoption("--write-transcripts"))


@pytest.fixture(autouse=True)
def races_are_dealt_by_the_tests_name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that fails by what its races were dealt fails again when it is run again; --deal deals otherwise."""
    name = f"{request.config.getoption('--deal')} {request.node.nodeid}"
    numbers = itertools.count()
    monkeypatch.setattr("games.services.races.secret_make", lambda: sha256(f"{name} {next(numbers)}".encode()).digest())


@pytest.fixture(autouse=True)
def nothing_is_left_in_the_cache() -> Iterator[None]:
    """Empty the cache, which counts how often a code was asked for, before the next test."""
    yield
    cache.clear()


@pytest.fixture(scope="session", autouse=True)
def records_give_way_to_a_flush() -> Iterator[None]:
    """Let a test that commits empty the database after it: on SQLite that deletes rows, which records refuse."""
    names = ("0006_record_is_append_only", "0021_ledger_is_append_only")
    triggers = [import_module(f"games.migrations.{name}") for name in names]
    real = DatabaseOperations.sql_flush

    def sql_flush(self: DatabaseOperations, style: Any, tables: Sequence[str], **more: Any) -> list[str]:
        down, up = ([line for one in triggers for line in getattr(one, name)] for name in ("SQLITE_DOWN", "SQLITE_UP"))
        return [*down, *real(self, style, tables, **more), *up]

    with mock.patch.object(DatabaseOperations, "sql_flush", sql_flush):
        yield
