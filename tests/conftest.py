"""What every test shares: nothing is left over from the test before. The network is closed by pytest-socket."""

import os
from collections.abc import Iterator

import pytest
from django.core.cache import cache

# These need servers, which `make test-services` starts; no other run collects them.
collect_ignore = [] if os.environ.get("SERVICES_ARE_RUNNING") else ["services"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make transcripts` write the golden transcripts anew instead of comparing with them."""
    parser.addoption("--write-transcripts", action="store_true", help="write the golden transcripts anew")


def pytest_report_header() -> list[str]:
    """Say what this run leaves out."""
    return [f"left out: tests/{folder} (run by make test-{folder})" for folder in collect_ignore]


@pytest.fixture(scope="session")
def is_writing_transcripts(request: pytest.FixtureRequest) -> bool:
    """Whether golden transcripts are to be written anew rather than compared with."""
    return bool(request.config.getoption("--write-transcripts"))


@pytest.fixture(autouse=True)
def nothing_is_left_in_the_cache() -> Iterator[None]:
    """Empty the cache, which counts how often a code was asked for, before the next test."""
    yield
    cache.clear()
