"""Telling the worker that a mail was kept."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def worker_nudge(mail_id: int) -> None:
    """Ask the worker to take a mail up now; with the broker away, the sweep does so within a minute."""
    try:
        current_app.send_task("notifications.tasks.take_mails", args=([mail_id],), retry=False)
    except OperationalError as away:
        logger.warning("The broker did not take a nudge about mail %s: %s", mail_id, away)
