"""How a process of the site starts: a wrong setting stops it with sentences, not with a stack trace."""

import sys
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from django.core import checks

from roadkill_site.checks import SETTINGS_TAG
from roadkill_site.env import SettingRefused

Started = TypeVar("Started")

# What gunicorn takes as "do not start this worker again": the next one would meet the same settings.
WRONG_SETTINGS: Final = 3


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


def _stop(sentences: str) -> NoReturn:
    sys.stderr.write(f"{sentences}\n")
    sys.exit(WRONG_SETTINGS)
