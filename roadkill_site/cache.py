"""The cache, which the site can do without: while Redis is away nothing is found in it and nothing is kept.

What stands in it is how often somebody has asked for something (the API's and the sign-in pages' limits). To refuse
everybody because nobody can be counted would make of a missing cache a missing site.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

Found = TypeVar("Found")

AWAY_SECONDS: Final = 5.0
"""For so long a Redis that did not answer is not asked again by this process, so that one page waits for it once."""


class DispensableRedisCache(RedisCache):
    """Django's Redis cache, which does as if it were empty while Redis does not answer, and says so in the log."""

    _away_until = 0.0

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value, or the default."""
        return self._asked(lambda: super(DispensableRedisCache, self).get(key, default, version), otherwise=default)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Keep a value."""
        self._asked(lambda: super(DispensableRedisCache, self).set(key, value, timeout, version), otherwise=None)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep a value if there is none; whether there was none.

        Locks are made of this: with nobody to keep them, everybody has the lock.
        """
        return self._asked(lambda: super(DispensableRedisCache, self).add(key, value, timeout, version), otherwise=True)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep for another while; whether there was a value."""
        return self._asked(lambda: super(DispensableRedisCache, self).touch(key, timeout, version), otherwise=False)

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget a value; whether there was one."""
        return self._asked(lambda: super(DispensableRedisCache, self).delete(key, version), otherwise=False)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        """The values there are."""
        return self._asked(lambda: super(DispensableRedisCache, self).get_many(keys, version), otherwise={})

    def set_many(self, data: dict[Any, Any], timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> list[Any]:
        """Keep values; the keys of those that were not kept."""
        return self._asked(
            lambda: super(DispensableRedisCache, self).set_many(data, timeout, version), otherwise=list(data)
        )

    def delete_many(self, keys: Any, version: int | None = None) -> None:
        """Forget values."""
        self._asked(lambda: super(DispensableRedisCache, self).delete_many(keys, version), otherwise=None)

    def has_key(self, key: Any, version: int | None = None) -> bool:
        """Whether there is a value."""
        return self._asked(lambda: super(DispensableRedisCache, self).has_key(key, version), otherwise=False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """The value plus `delta`; raises ValueError if there is none."""
        number = self._asked(lambda: super(DispensableRedisCache, self).incr(key, delta, version), otherwise=None)
        if number is None:
            raise ValueError(f"Key {key!r} not found")
        return number

    def clear(self) -> None:
        """Forget everything."""
        self._asked(super().clear, otherwise=None)

    def _asked(self, ask: Callable[[], Found], *, otherwise: Found) -> Found:
        if time.monotonic() < self._away_until:
            return otherwise
        try:
            return ask()
        except (RedisError, OSError) as away:
            self._leave_alone()
            logger.warning("The cache does not answer; nothing is counted for %.0f seconds: %s", AWAY_SECONDS, away)
            return otherwise

    @classmethod
    def _leave_alone(cls) -> None:
        """Django keeps one such object a thread; what one has found out holds for all."""
        cls._away_until = time.monotonic() + AWAY_SECONDS
