"""The server's sign of life."""

from datetime import datetime

from django.utils import timezone

from games.models import Heartbeat

WORKER = "worker"


def heartbeat_note(*, name: str = WORKER, now: datetime | None = None) -> None:
    """Note that this part of the server is up."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": timezone.now() if now is None else now})
