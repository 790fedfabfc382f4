"""How a process of the site starts: a wrong setting stops it with sentences, not with a stack trace.

`python -m roadkill_site.start` does nothing but that, and waits until database and Redis answer; docker/entrypoint.sh
runs it first.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

import django
import redis
from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection

from roadkill_site.checks import SETTINGS_TAG
from roadkill_site.env import SettingRefused

Started = TypeVar("Started")

# What gunicorn takes as "do not start this worker again": the next one would meet the same settings.
WRONG_SETTINGS: Final = 3
# Seconds that database and Redis may take to come up beside us.
SERVER_PATIENCE: Final = 30.0


def start_or_stop(start: Callable[[], Started]) -> Started:
    """What `start` gives, if every setting is right; else the process ends and says which is wrong."""
    try:
        started = start()
        stop_on_wrong_settings()
    except SettingRefused as refused:
        _stop(str(refused))
    return started


def stop_on_wrong_settings() -> None:
    """End the process if settings do not fit together; each sentence stands on a line of its own."""
    errors = [message for message in checks.run_checks(tags=[SETTINGS_TAG]) if message.is_serious()]
    if errors:
        _stop("\n".join(f"{message.msg} ({message.id})" for message in errors))


def wait_for_servers(*, seconds: float) -> None:
    """Return once database and Redis answer; after `seconds` without, end the process and say which does not."""
    deadline = time.monotonic() + seconds
    while trouble := _silent_server():
        if time.monotonic() >= deadline:
            _stop(trouble)
        time.sleep(0.5)


def _silent_server() -> str | None:
    try:
        connection.ensure_connection()
    except DatabaseError as refused:
        return f"Setting DATABASE_URL: the database does not answer: {_first_line(refused)}."
    if settings.REDIS_URL is None:
        return None
    try:
        redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=5).ping()
    except redis.RedisError as refused:
        return f"Setting REDIS_URL: Redis does not answer: {_first_line(refused)}."
    return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _stop(sentences: str) -> NoReturn:
    sys.stderr.write(f"{sentences}\n")
    sys.exit(WRONG_SETTINGS)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")
    start_or_stop(django.setup)
    wait_for_servers(seconds=SERVER_PATIENCE)
