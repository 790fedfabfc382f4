"""The worker's app and the beat schedule, in code: no schedule is kept in the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")

app = Celery("roadkill")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Seconds. The database is the truth about what is due; each sweep asks it, so a beat that is late or doubled
# does no harm.
app.conf.beat_schedule = {
    "resolve what is due in every race": {
        "task": "games.tasks.sweep",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "note that the server is up": {
        "task": "games.tasks.heartbeat",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "turn outbox rows into notices": {
        "task": "notifications.tasks.dispatch_outbox",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "remind of questions that wait": {
        "task": "notifications.tasks.remind",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "tell public logs": {
        "task": "notifications.tasks.stories",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "make the daily mails": {
        "task": "notifications.tasks.daily",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "act on mails that came in": {
        "task": "notifications.tasks.take_mails_due",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "look into the mailbox for replies": {
        "task": "notifications.tasks.poll_mailbox",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "delete the bytes of old mails": {
        "task": "notifications.tasks.forget_mails",
        "schedule": 3600.0,
        "options": {"expires": 3500},
    },
    "deliver notices that are due": {
        "task": "notifications.tasks.deliver_due",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
}
