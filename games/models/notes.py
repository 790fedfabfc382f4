"""What happens around a race and is no entry of its record: notes for all to read, and requests to drivers."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class RaceNote(models.Model):
    """A line that the server adds to a race's log, for everybody to read.

    ``seq``: the race's position at that time. ``key`` names what happened, once in each race. In ``text`` cars go by
    their numbers.
    """

    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="notes")
    seq = models.PositiveIntegerField()
    turn = models.PositiveIntegerField(default=0)
    key = models.CharField(max_length=200)
    text = models.CharField(max_length=400)
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["race", "seq", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="race_note_once", fields=["race", "key"]),
        ]

    def __str__(self) -> str:
        return f"note on race {self.race_id}: {self.text}"


class ExtensionAsk(models.Model):
    """A driver asks the others for more time for what the race waits for at position ``seq``.

    ``agreed``: the ids of the seats whose drivers have agreed. ``key`` is the idempotency key of whoever asked.
    ``granted_at``: when the last of them agreed; NULL while it is open or after the race has moved on.
    """

    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="extension_asks")
    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="extension_asks")
    seq = models.PositiveIntegerField()
    minutes = models.PositiveIntegerField()
    key = models.CharField(max_length=100)
    agreed = models.JSONField(default=list)
    created_at = models.DateTimeField()
    granted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["race", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="extension_ask_once", fields=["seat", "key"]),
            models.UniqueConstraint(
                name="extension_ask_one_waits", fields=["seat", "seq"], condition=Q(granted_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat_id} asks for {self.minutes} minutes"


class RewindAsk(models.Model):
    """The host asks everybody to let the race go back to the state after entry ``to_seq``.

    ``reason``: the host's words. ``agreed``: the ids of the seats whose drivers agree; each may think again until the
    last has agreed. ``done_at``: when the race went back, ``done_seq`` the entry that says so. ``void``: why it will
    not go back any more, a sentence, "" while it may. ``key`` is the idempotency key of the host's form.
    """

    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="rewind_asks")
    host = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    to_seq = models.PositiveIntegerField()
    reason = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=100)
    agreed = models.JSONField(default=list)
    asked_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    done_seq = models.PositiveIntegerField(null=True, blank=True)
    void = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["race", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="rewind_ask_once", fields=["race", "key"]),
            models.UniqueConstraint(
                name="rewind_ask_one_waits", fields=["race"], condition=Q(done_at__isnull=True, void="")
            ),
        ]

    def __str__(self) -> str:
        return f"race {self.race_id} back to entry {self.to_seq}"
