"""What drivers say to each other beside the race."""

from typing import ClassVar

from django.conf import settings
from django.db import models


class RaceMessage(models.Model):
    """One line of table talk, for everybody who may see the race.

    ``player``: who said it, whoever holds the seat later. ``seq``: the race's position then. ``origin``: page or mail.
    """

    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="messages")
    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="messages")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.CharField(max_length=500)
    seq = models.PositiveIntegerField()
    origin = models.CharField(max_length=10)
    said_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["race", "seq"], name="message_by_position")]

    def __str__(self) -> str:
        return f"message {self.pk} in race {self.race_id}"
