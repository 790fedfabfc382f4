"""A race: what was agreed before the start, how far it has come, and its secret."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Race(models.Model):
    """One playing of a ruleset.

    ``seq`` is the number of the last entry of its record, which is the race's position. Times are minutes so that a
    tempo may be shorter than an hour.
    """

    public_id = models.SlugField(max_length=12, unique=True)
    name = models.CharField(max_length=60)
    ruleset = models.CharField(max_length=40)
    # Version of the rules and hash of the component set, both fixed at the start.
    rules_version = models.PositiveIntegerField(null=True, blank=True)
    component_hash = models.CharField(max_length=64, blank=True)
    options = models.JSONField(default=dict)
    seats_wanted = models.PositiveSmallIntegerField()
    starts_when_full = models.BooleanField(default=True)
    turn_minutes = models.PositiveIntegerField()
    reaction_minutes = models.PositiveIntegerField()
    policy = models.CharField(max_length=8)
    # Minutes by which quiet hours, days off and holidays may put one deadline off; 0: they count.
    pause_cap_minutes = models.PositiveIntegerField(default=0)
    holidays_allowed = models.BooleanField(default=True)
    # What each seat's bank begins with, grows by and holds at most, as games.tempo.banks.Bank; NULL: no bank.
    bank = models.JSONField(null=True, blank=True)
    # After so many absences of its driver a seat is offered to others.
    absences_allowed = models.PositiveSmallIntegerField(default=2)
    # Who takes an offered seat: whoever the host chooses, or the first who comes.
    substitutes = models.CharField(max_length=5, default="host")
    bot_takeover = models.BooleanField(default=False)
    # Minutes by which one decision may be put off in all; 0: no extensions.
    extension_cap_minutes = models.PositiveIntegerField(default=0)
    bots_allowed = models.BooleanField(default=True)
    is_public = models.BooleanField(default=False)
    host = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="hosted_races")

    # When the host last looked at the race or acted in it, to the hour.
    host_seen_at = models.DateTimeField()

    status = models.CharField(max_length=10, default="open")
    seq = models.PositiveIntegerField(default=0)
    # Known to the server alone until the race is over; its hash is public from the first day, before anybody adds
    # words to it.
    secret = models.BinaryField(max_length=32)
    commitment = models.CharField(max_length=64)
    chance_at = models.PositiveBigIntegerField(default=0)
    outcome = models.JSONField(null=True, blank=True)

    # Counted seconds that the turn which ``turn_mark`` names ("17:2" = turn 17, seat 2) has taken up to its owner's
    # last answer, and seconds of pauses that did not count meanwhile.
    turn_mark = models.CharField(max_length=24, blank=True)
    turn_used_s = models.PositiveIntegerField(default=0)
    turn_paused_s = models.PositiveIntegerField(default=0)
    # Since when the host has stopped all clocks; NULL while they run.
    paused_at = models.DateTimeField(null=True, blank=True)
    # When the server has next to look after this race by itself; nobody's page shows it.
    wake_at = models.DateTimeField(null=True, blank=True)

    # Whether the server has added lines to its log (RaceNote).
    has_notes = models.BooleanField(default=False)

    # A sentence for the operator; not empty while the race cannot go on by itself.
    fault = models.TextField(blank=True)
    fault_at = models.DateTimeField(null=True, blank=True)
    fault_count = models.PositiveSmallIntegerField(default=0)

    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="race_status_is_known",
                condition=Q(status__in=["open", "running", "finished", "abandoned"]),
            ),
            models.CheckConstraint(name="race_policy_is_known", condition=Q(policy__in=["open", "paced", "strict"])),
            models.CheckConstraint(name="race_substitutes_is_known", condition=Q(substitutes__in=["host", "first"])),
            models.CheckConstraint(
                name="race_pauses_only_while_it_runs", condition=Q(paused_at__isnull=True) | Q(status="running")
            ),
            models.CheckConstraint(name="race_has_seats", condition=Q(seats_wanted__gte=1, seats_wanted__lte=20)),
            models.CheckConstraint(
                name="race_reaction_is_not_longer_than_turn",
                condition=Q(reaction_minutes__gte=1, reaction_minutes__lte=F("turn_minutes")),
            ),
            models.CheckConstraint(
                name="race_has_a_start_once_it_runs",
                condition=Q(status__in=["open", "abandoned"])
                | Q(started_at__isnull=False, rules_version__isnull=False),
            ),
            models.CheckConstraint(
                name="race_has_a_result_once_it_is_over",
                condition=Q(status="finished", finished_at__isnull=False, outcome__isnull=False)
                | (~Q(status="finished") & Q(outcome__isnull=True)),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="race_running_by_wake", fields=["wake_at"], condition=Q(status="running")),
            models.Index(
                name="race_open_and_public", fields=["created_at"], condition=Q(status="open", is_public=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"

    @property
    def turn_hours(self) -> float:
        """Hours for a turn; whole when they are whole."""
        return hours_of(self.turn_minutes)

    @property
    def reaction_hours(self) -> float:
        """Hours for a reaction; whole when they are whole."""
        return hours_of(self.reaction_minutes)


def hours_of(minutes: int) -> float:
    """Minutes as hours; whole when they are whole."""
    return minutes // 60 if minutes % 60 == 0 else round(minutes / 60, 4)
