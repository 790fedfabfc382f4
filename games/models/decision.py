"""What is asked of seats now, and the receipts for what they answered."""

from typing import ClassVar

from django.db import models
from django.db.models import Q


class Decision(models.Model):
    """An open question to one seat; gone once its answer has reached the race's record.

    ``id`` is derived, not counted (games.services.questions), so that nobody can tell from gaps how many others were
    asked; a seat that changes drivers is asked anew by another. ``position``: the race's position when it was asked.
    ``window``: the position at which its window opened, NULL for a question whose answer takes effect at once. A sealed
    answer is nobody's to see but its owner's until the window closes.

    Its clock: ``left_s`` seconds count from ``counts_from`` to ``due_at``, on the calendar of whoever is asked, in a
    window on the calendars of those whom public facts name (games.services.clocks). ``used_s`` and ``paused_s``: what
    its turn had taken before that. ``extra_s``: what of ``left_s`` was granted on top; it is used first.
    ``extensions``: [[key, minutes]] and ``credits``: [key] of what was granted. ``due_rule`` says how the deadline was
    made and is its owner's to see.
    """

    id = models.BigIntegerField(primary_key=True)
    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="decisions")
    seat = models.OneToOneField("games.Seat", on_delete=models.PROTECT, related_name="decision")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=40)
    rule = models.CharField(max_length=20, blank=True)
    kind = models.CharField(max_length=10)
    clock = models.CharField(max_length=10)
    trigger = models.CharField(max_length=40, blank=True)
    singled = models.BooleanField()
    is_real = models.BooleanField()
    window = models.PositiveIntegerField(null=True, blank=True)
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    due_rule = models.CharField(max_length=400, blank=True)
    counts_from = models.DateTimeField()
    left_s = models.PositiveIntegerField()
    used_s = models.PositiveIntegerField(default=0)
    paused_s = models.PositiveIntegerField(default=0)
    extra_s = models.PositiveIntegerField(default=0)
    extensions = models.JSONField(default=list, blank=True)
    credits = models.JSONField(default=list, blank=True)
    hold_until = models.DateTimeField(null=True, blank=True)
    # When a bot gives its answer; NULL for people.
    bot_at = models.DateTimeField(null=True, blank=True)
    sealed_action = models.JSONField(null=True, blank=True)
    sealed_origin = models.CharField(max_length=10, blank=True)
    sealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["due_at", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(name="decision_clock_is_known", condition=Q(clock__in=["turn", "reaction"])),
            models.CheckConstraint(
                name="decision_is_sealed_whole",
                condition=Q(sealed_at__isnull=True, sealed_action__isnull=True, sealed_origin="")
                | (
                    Q(sealed_at__isnull=False, sealed_action__isnull=False, window__isnull=False) & ~Q(sealed_origin="")
                ),
            ),
            models.CheckConstraint(
                name="decision_is_due_after_it_opened", condition=Q(due_at__gte=models.F("opened_at"))
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="decision_of_bots_by_time", fields=["bot_at"], condition=Q(bot_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.key} asked of seat {self.seat_id}"


class Receipt(models.Model):
    """The answer that was given to an act; the same key again gets it again and changes nothing."""

    seat = models.ForeignKey("games.Seat", on_delete=models.PROTECT, related_name="receipts")
    idempotency_key = models.CharField(max_length=100)
    answer = models.JSONField()
    # How the act came, as in the record; "" for acts of before this was kept.
    origin = models.CharField(max_length=10, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="receipt_key_unique", fields=["seat", "idempotency_key"]),
        ]

    def __str__(self) -> str:
        return f"receipt {self.idempotency_key} of seat {self.seat_id}"
