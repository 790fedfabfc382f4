"""Answers given before their questions."""

from typing import ClassVar

from django.db import models


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
