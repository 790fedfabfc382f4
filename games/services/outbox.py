"""Marking rows of the outbox as told."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from games.models import OutboxEvent


@transaction.atomic
def outbox_processed(*, event_ids: Sequence[int], at: datetime) -> None:
    """Note that notices were made of these rows; a row that was noted before keeps its first time."""
    OutboxEvent.objects.filter(pk__in=event_ids, processed_at=None).update(processed_at=at)
