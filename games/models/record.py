"""The record of a race: entries that are never changed, and the state after the last of them."""

from typing import ClassVar

from django.db import models


class Entry(models.Model):
    """One line of a race's record; the database refuses to change or delete it.

    ``acts``: a list of {"seat", "action", "origin"}; ``draws``: a list of [label, size, result]; ``events``: a list
    of {"kind", "rule", "public", "private": {seat: …}}; ``turn``: the public number of the turn in which it began.
    Entry 0 is the set-up. Acts, draws and private parts are the server's alone while the race runs. ``back``: the race
    went back to the state after that entry, as the seats ``by`` wanted (games.engine.record.Entry); then acts and draws
    are empty. ``may_undo``: its one answer showed nobody anything, so that its driver may take it back.
    """

    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="entries")
    seq = models.PositiveIntegerField()
    turn = models.PositiveIntegerField(default=0)
    acts = models.JSONField()
    draws = models.JSONField()
    events = models.JSONField()
    digest = models.CharField(max_length=64)
    # These three may be NULL, so that SQLite adds them without remaking the table, which would lose its triggers.
    back = models.PositiveIntegerField(null=True, blank=True)
    by = models.JSONField(null=True, blank=True)
    may_undo = models.BooleanField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["race", "seq"]
        verbose_name_plural = "entries"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="entry_seq_unique", fields=["race", "seq"]),
        ]

    def __str__(self) -> str:
        return f"entry {self.seq} of race {self.race_id}"


class Snapshot(models.Model):
    """The state after entry ``seq``, as JSON by games.engine.codec: what the next act is applied to."""

    race = models.OneToOneField("games.Race", on_delete=models.PROTECT, related_name="snapshot")
    seq = models.PositiveIntegerField()
    state = models.BinaryField()

    class Meta:
        ordering: ClassVar[list[str]] = ["race"]

    def __str__(self) -> str:
        return f"state of race {self.race_id} after entry {self.seq}"
