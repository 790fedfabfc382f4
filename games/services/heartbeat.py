"""The server's sign of life."""

from datetime import datetime

from django.utils import timezone

from games.models import Heartbeat
from games.services.outages import outage_look

WORKER = "worker"


def heartbeat_note(*, name: str = WORKER, now: datetime | None = None) -> None:
    """Note that this part of the server is up; if it was silent for long, deadlines are put off first."""
    at = timezone.now() if now is None else now
    outage_look(name=name, now=at)
    Heartbeat.objects.update_or_create(name=name, defaults={"at": at})
