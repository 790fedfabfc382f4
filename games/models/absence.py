"""Who was away: turns that lapsed, times in which our mail failed, and who would drive in an absent driver's place."""

from typing import ClassVar

from django.conf import settings
from django.db import models


class Lapse(models.Model):
    """A turn of a player that lapsed, from its opening to its deadline: all saw it pass.

    Questions in windows are not kept here: whether a driver let one lapse or had nothing to play must not be told.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="lapses")
    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="lapsed_turns")
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    is_real = models.BooleanField()

    class Meta:
        ordering: ClassVar[list[str]] = ["due_at", "pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(name="lapse_of_player", fields=["player", "due_at"])]

    def __str__(self) -> str:
        return f"seat {self.seat_id} lapsed at {self.due_at:%Y-%m-%d %H:%M}"


class MailFailure(models.Model):
    """A time in which our mail did not reach a player; NULL: it still does not."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="mail_failures")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["player", "since"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="mail_failure_one_lasts", fields=["player"], condition=models.Q(until__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"no mail reached player {self.player_id} since {self.since:%Y-%m-%d %H:%M}"


class SeatClaim(models.Model):
    """A player would drive on in the place of a driver who is away; the race's host chooses."""

    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="claims")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seat_claims")
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["at", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="seat_claim_once", fields=["seat", "player"]),
        ]

    def __str__(self) -> str:
        return f"player {self.player_id} would take seat {self.seat_id}"
