"""The site as worker or beat: `celery -A roadkill_site.worker worker`."""

import django
from celery import Celery

from roadkill_site.celery import app as celery_app
from roadkill_site.start import start_or_stop


def _ready_worker() -> Celery:
    django.setup()
    return celery_app


app = start_or_stop(_ready_worker)
