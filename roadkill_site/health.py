"""Whether this process can do its work: asked by what watches the processes."""

import logging
import uuid

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

logger = logging.getLogger(__name__)


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 if database and cache answer, else 503 with what does not; the log says why."""
    parts = {"database": _database_answers(), "cache": _cache_answers()}
    is_well = all(parts.values())
    body = {
        "status": "ok" if is_well else "failing",
        **{name: "ok" if well else "failing" for name, well in parts.items()},
    }
    return JsonResponse(body, status=200 if is_well else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.exception("The database does not answer")
        return False
    return True


def _cache_answers() -> bool:
    """Whether the cache keeps what it is given; one that is away does as if it were empty, and logs why."""
    written = uuid.uuid4().hex
    key = f"roadkill_site.health.{written}"
    cache.set(key, written, timeout=60)
    return bool(cache.get(key) == written)
