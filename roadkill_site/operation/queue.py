"""Whether the queue of tasks answers, and whether anything waits in it."""

import logging
from dataclasses import dataclass
from typing import Any

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Queue:
    """``has_waiting``: None if that is not known, as where the queue is inside another process or does not answer."""

    is_reachable: bool
    has_waiting: bool | None = None


def queue_look() -> Queue:
    """Ask the queue; one that does not answer is waited for a few seconds at most."""
    if settings.REDIS_URL is None:
        return Queue(is_reachable=True)
    try:
        with current_app.connection_for_write() as connection, connection.channel() as channel:
            return Queue(is_reachable=True, has_waiting=_has_waiting(channel))
    except (RedisError, OperationalError, OSError) as away:
        logger.warning("The queue does not answer: %s", away)
        return Queue(is_reachable=False)


def _has_waiting(channel: Any) -> bool:
    # Not "passive": with a prefix to its keys kombu takes every queue in Redis for one that is not there. To declare
    # one in Redis writes nothing.
    return bool(channel.queue_declare(current_app.conf.task_default_queue).message_count)
