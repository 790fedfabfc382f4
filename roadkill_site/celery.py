"""The worker's app and the beat schedule, in code: no schedule is kept in the database."""

import os
from typing import Any

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")

app = Celery("roadkill")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

MINUTE = 60.0


def _every(task: str, seconds: float = MINUTE) -> dict[str, Any]:
    """A task of the beat; one that nobody took before the next is due is dropped."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds - 5}}


# The database is the truth about what is due; each sweep asks it, so a beat that is late or doubled does no harm.
app.conf.beat_schedule = {
    "resolve what is due in every race": _every("games.tasks.sweep"),
    "make and count the races of leagues": _every("games.tasks.leagues"),
    "note that the server is up": _every("games.tasks.heartbeat"),
    "turn outbox rows into notices": _every("notifications.tasks.dispatch_outbox"),
    "remind of questions that wait": _every("notifications.tasks.remind"),
    "tell public logs": _every("notifications.tasks.stories"),
    "make the daily mails": _every("notifications.tasks.daily"),
    "act on mails that came in": _every("notifications.tasks.take_mails_due"),
    "look into the mailbox for replies": _every("notifications.tasks.poll_mailbox"),
    "delete the bytes of old mails": _every("notifications.tasks.forget_mails", 60 * MINUTE),
    "deliver notices that are due": _every("notifications.tasks.deliver_due"),
}
