"""While Redis is away, the cache does as if it were empty."""

import pytest
from django.core.cache import BaseCache
from django.test import Client, override_settings

from roadkill_site import cache as cache_module
from roadkill_site.cache import DispensableRedisCache

AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> BaseCache:
    monkeypatch.setattr(DispensableRedisCache, "_away_until", 0.0)
    return DispensableRedisCache(AWAY, {})


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_cache_that_is_away_is_empty_and_says_so_once(away: BaseCache, caplog: pytest.LogCaptureFixture) -> None:
    assert away.set("key", 1) is None  # type: ignore[func-returns-value]
    assert away.get("key", "nothing") == "nothing"
    assert away.add("lock", 1), "a lock that nobody keeps is everybody's"
    assert away.get_many(["key"]) == {}
    assert away.set_many({"key": 1}) == ["key"]
    assert not away.has_key("key")
    assert not away.touch("key")
    assert not away.delete("key")
    away.delete_many(["key"])
    away.clear()
    with pytest.raises(ValueError, match="not found"):
        away.incr("key")
    assert caplog.text.count("The cache does not answer") == 1


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_it_is_asked_again_after_a_while(
    away: BaseCache, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "AWAY_SECONDS", 0.0)
    away.get("key")
    away.get("key")
    assert caplog.text.count("The cache does not answer") == 2


@pytest.mark.django_db
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.usefixtures("away")
def test_whoever_watches_the_site_is_told_that_it_is_away(client: Client) -> None:
    backend = {"BACKEND": "roadkill_site.cache.DispensableRedisCache", "LOCATION": AWAY}
    with override_settings(CACHES={"default": backend}):
        answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "failing", "database": "ok", "cache": "failing"}
