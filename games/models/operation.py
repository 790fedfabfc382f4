"""What the server knows about itself."""

from typing import ClassVar

from django.db import models


class Heartbeat(models.Model):
    """When a part of the server last said that it is up; a gap is an outage."""

    name = models.CharField(max_length=40, unique=True)
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"


class Outage(models.Model):
    """A time in which the server gave no sign of life. ``credited_at``: since when all deadlines have been put off."""

    start = models.DateTimeField(unique=True)
    end = models.DateTimeField()
    noted_at = models.DateTimeField()
    credited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-start"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(name="outage_ends_after_it_begins", condition=models.Q(end__gt=models.F("start"))),
        ]

    def __str__(self) -> str:
        return f"away from {self.start:%Y-%m-%d %H:%M} to {self.end:%Y-%m-%d %H:%M}"
