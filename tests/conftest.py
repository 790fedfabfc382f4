"""What every test shares: nothing is left over from the test before. The network is closed by pytest-socket."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nothing_is_left_in_the_cache() -> Iterator[None]:
    """Empty the cache, which counts how often a code was asked for, before the next test."""
    yield
    cache.clear()
