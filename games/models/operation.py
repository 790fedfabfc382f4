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
