"""Answers given before their questions: for this turn, as standing orders, and as plans."""

from typing import ClassVar

from django.db import models
from django.db.models import Q


class FollowUp(models.Model):
    """What a seat answers, within one turn, if a question with this trigger comes; given along with another answer."""

    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="follow_ups")
    turn = models.PositiveIntegerField()
    trigger = models.CharField(max_length=40)
    action = models.JSONField()

    class Meta:
        ordering: ClassVar[list[str]] = ["seat", "turn", "trigger"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="follow_up_trigger_unique", fields=["seat", "turn", "trigger"]),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat_id}, turn {self.turn}: {self.trigger}"


class StandingOrder(models.Model):
    """One answer to a kind of reaction, given beforehand: private to the seat's driver.

    ``order`` is a games.engine.standing.StandingOrder as JSON. Of several that fit a moment the lowest ``rank`` counts.
    It runs out at ``until_at`` or after ``turn``; NULL is never.
    """

    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="standing_orders")
    rank = models.IntegerField()
    order = models.JSONField()
    until_at = models.DateTimeField(null=True, blank=True)
    turn = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["seat", "rank", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="standing_order_rank_unique", fields=["seat", "rank"]),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat_id}: {self.order['occasion']}"


class Plan(models.Model):
    """The rest of a driver's turn, queued: private to the driver.

    ``steps``: games.engine.plans.Step as JSON, ``at`` the next of them. ``turn``: the turn it has begun in, NULL while
    it waits for its owner's turn. ``last``: the action given last as JSON, ``last_seq`` the entry in which it stands.
    ``state``: waiting, done, stopped (``why`` says at what) or cancelled; a seat has one that waits at most.
    """

    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="plans")
    steps = models.JSONField()
    at = models.PositiveSmallIntegerField(default=0)
    turn = models.PositiveIntegerField(null=True, blank=True)
    last = models.JSONField(null=True, blank=True)
    last_seq = models.PositiveIntegerField(null=True, blank=True)
    state = models.CharField(max_length=10)
    why = models.CharField(max_length=400, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["seat", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="plan_one_waits", fields=["seat"], condition=Q(state="waiting")),
            models.CheckConstraint(
                name="plan_state_is_known", condition=Q(state__in=["waiting", "done", "stopped", "cancelled"])
            ),
            models.CheckConstraint(
                name="plan_ends_when_it_waits_no_more",
                condition=Q(state="waiting", ended_at__isnull=True) | (~Q(state="waiting") & Q(ended_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat_id}: {len(self.steps)} steps, {self.state}"
