"""A seat: one place in a race, and who holds it."""

from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

PAST: Final = Q(state="left") | Q(state="declined", number__isnull=True)
"""Seats that nobody holds and that are kept for nobody: history. In a race under way a declined seat stays a seat."""


class Seat(models.Model):
    """A place in a race. ``number`` is drawn at the start; before that it is NULL.

    ``car``: the number that people read, of the car that this seat drives: ``number`` itself, but for races of teams,
    in which two seats drive one car. ``part``: which of the two this one is now, in the ruleset's words ("Assistant
    Driver"); "" where each car has one driver. Both are said by car_words and driver_words. ``partner_wish``: with whom
    its driver wants to share a car, before the start.

    ``state``: invited (by mail, nobody sits here yet), declined (the invitation was), joined, left (before the start;
    the row is history), resigned or removed (the driver is out of the race). ``former_player``: whom the host took the
    seat from before the start.
    """

    race = models.ForeignKey("games.Race", on_delete=models.PROTECT, related_name="seats")
    joined_order = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField(null=True, blank=True)
    car = models.PositiveSmallIntegerField(null=True, blank=True)
    part = models.CharField(max_length=20, blank=True, default="")
    partner_wish = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="seats"
    )
    former_player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # A bot's name; a player's name is the account's.
    name = models.CharField(max_length=40, blank=True)
    # "" for a person, else a key of games.runtime.rulesets.BOTS.
    bot = models.CharField(max_length=20, blank=True)
    bot_delay_s = models.PositiveIntegerField(default=0)
    # Mixed into the race's secret, so that nobody but everybody together has chosen the shuffles.
    words = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10)
    invited_email = models.EmailField(blank=True)
    # Acts that need no question and wait for the race's next entry: wishes. A list of actions as JSON.
    asides = models.JSONField(default=list, blank=True)
    # Turns in a row that lapsed, and the last of them: public facts, since everybody saw those turns pass.
    lapses = models.PositiveSmallIntegerField(default=0)
    lapsed_turn = models.PositiveIntegerField(null=True, blank=True)
    joined_at = models.DateTimeField(null=True, blank=True)
    # The race's position when its present driver took the seat in a race under way, or its car was given up.
    driver_seq = models.PositiveIntegerField(default=0)
    # Since when the seat is offered to others, its driver having been away; NULL: it is not.
    offered_at = models.DateTimeField(null=True, blank=True)
    # When its driver came back last: turns that lapsed before count no more.
    back_at = models.DateTimeField(null=True, blank=True)
    # Whose place somebody else has taken; that player may take it back until the seat has been moved.
    absent_player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Whether its driver is told at each question what the situation is: a guided first race.
    guided = models.BooleanField(default=False)
    # Seconds beyond a turn's own hours; NULL in a race without banks.
    bank_s = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["race", "number", "joined_order"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="seat_order_unique", fields=["race", "joined_order"]),
            models.UniqueConstraint(
                name="seat_number_unique", fields=["race", "number"], condition=Q(number__isnull=False)
            ),
            models.UniqueConstraint(
                name="seat_player_unique", fields=["race", "player"], condition=Q(player__isnull=False)
            ),
            models.UniqueConstraint(
                "race", Lower("invited_email"), name="seat_invitation_unique", condition=Q(state="invited")
            ),
            models.CheckConstraint(
                name="seat_state_is_known",
                condition=Q(state__in=["invited", "declined", "joined", "left", "resigned", "removed"]),
            ),
            models.CheckConstraint(
                name="seat_number_is_a_place",
                condition=Q(number__isnull=True) | Q(number__gte=1, number__lte=20),
            ),
            models.CheckConstraint(
                name="seat_is_held_by_one",
                condition=Q(state="joined", player__isnull=False, bot="")
                | (Q(state="joined", player__isnull=True) & ~Q(bot=""))
                | (Q(state__in=["invited", "declined"], player__isnull=True, bot="") & ~Q(invited_email=""))
                | Q(state__in=["left", "resigned", "removed"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shown_name} in race {self.race_id}"

    @property
    def car_words(self) -> str:
        """The seat by its car: "car 3", or where two drive it "car 3, Assistant Driver"; "" before the draw."""
        if self.car is None:
            return ""
        return f"car {self.car}, {self.part}" if self.part else f"car {self.car}"

    @property
    def driver_words(self) -> str:
        """Who sits here, by the car: "the driver of car 3", or where two drive it "the Assistant Driver of car 3"."""
        return f"the {self.part or 'driver'} of car {self.car}"

    @property
    def actor_words(self) -> str:
        """Who has done something: "car 3", or of the two who drive it "the Assistant Driver of car 3"."""
        return self.driver_words if self.part else f"car {self.car}"

    @property
    def shown_name(self) -> str:
        """The name that everybody sees; never a mail address."""
        if self.player is not None:
            return self.player.display_name
        return self.name or f"Seat {self.number or self.joined_order}"
