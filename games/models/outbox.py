"""What happened and whom it concerns: written with the act, read by the app that tells people."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class OutboxEvent(models.Model):
    """Something that a seat's player should be told.

    ``kind``: invited, started, turn (a question on the turn's clock), question (any other), lapsed (a turn passed
    unanswered), finished, cancelled, seat_gone (to the host: a seat's driver was away), seat_offered (to its driver),
    seat_claimed (to the host: somebody would drive on there, or does), seat_taken (to whom it was taken over from),
    seat_lost (to whom it was taken from), declined
    (to the host: an invitation), host_new and host_lost (to whoever hosts from now on, and no longer), fault (to the
    host: the race cannot go on by itself), rewind_ask (the host asks whether the race may go back), rewound (it did),
    purchase (a campaign asks what is bought before this race; ``decision_id`` is the Purchase), purchase_lapsed (nobody
    answered it), campaign_started, campaign_paused, campaign_resumed, campaign_closed, campaign_over (it is won),
    campaign_left (to the host: a driver dropped out), campaign_lost (to a driver: a bot drives on in that place).
    ``player``: who is told, if it is not whoever holds the seat when it is told. ``decision_id``: the Decision, which
    may be gone by now, or 0; for what has no decision, how many of the kind the seat had before. ``seq``: the race's
    position.
    """

    kind = models.CharField(max_length=20)
    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="outbox_events")
    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="outbox_events")
    # No notice goes out before this time; NULL: at once.
    not_before = models.DateTimeField(null=True, blank=True)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decision_id = models.BigIntegerField(default=0)
    seq = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    processed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="outbox_event_unique", fields=["kind", "seat", "decision_id", "seq"]),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="outbox_event_unprocessed", fields=["id"], condition=Q(processed_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for seat {self.seat_id}"
