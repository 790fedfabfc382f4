"""Rows of the outbox: written for one person, and marked as told."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from games.models import OutboxEvent, Race, Seat


def person_tell(*, kind: str, race: Race, seat: Seat, player_id: int, now: datetime) -> None:
    """Put a row into the outbox for one person, whoever holds the seat that it is about; the caller announces it."""
    before = OutboxEvent.objects.filter(kind=kind, seat=seat).count()
    OutboxEvent.objects.create(
        kind=kind, race=race, seat=seat, player_id=player_id, decision_id=before, seq=race.seq, created_at=now
    )


@transaction.atomic
def outbox_processed(*, event_ids: Sequence[int], at: datetime) -> None:
    """Note that notices were made of these rows; a row that was noted before keeps its first time."""
    OutboxEvent.objects.filter(pk__in=event_ids, processed_at=None).update(processed_at=at)
