"""Races in series by the same drivers: who drives which car, the races, the ledger, and who may buy now."""

from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.db.models import Q

POSTING_KINDS: Final = ("opening", "earned", "penalty", "clamp", "forced_return", "lost", "bought", "returned")


class Campaign(models.Model):
    """A series of races of one ruleset.

    Host, options, tempo and policies stand once, in its races: the first is laid out and filled like any race, and each
    next one is made as the one before it. ``status``: lobby (its first race gathers drivers), running, paused,
    finished, closed (by its host, or its first race was called off).
    """

    public_id = models.SlugField(max_length=12, unique=True)
    name = models.CharField(max_length=40)
    ruleset = models.CharField(max_length=40)
    status = models.CharField(max_length=10, default="lobby")
    paused_at = models.DateTimeField(null=True, blank=True)
    # The car that has won; NULL while nobody has, and for ever if it was closed.
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="campaign_status_is_known",
                condition=Q(status__in=["lobby", "running", "paused", "finished", "closed"]),
            ),
            models.CheckConstraint(
                name="campaign_is_paused_since",
                condition=Q(status="paused", paused_at__isnull=False) | (~Q(status="paused") & Q(paused_at=None)),
            ),
            models.CheckConstraint(
                name="campaign_has_a_winner_once_it_is_won", condition=Q(winner=None) | Q(status="finished")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"


class CampaignDriver(models.Model):
    """A car of a campaign and who drives it. The car's number and its ledger stay, whoever drives.

    ``former_player``: who dropped out last, in whose place somebody else or a bot drives on.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="drivers")
    car = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="campaign_drivers"
    )
    former_player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # A bot's name; a player's name is the account's.
    name = models.CharField(max_length=40, blank=True)
    # "" for a person, else a key of games.runtime.rulesets.BOTS.
    bot = models.CharField(max_length=20, blank=True)
    bot_delay_s = models.PositiveIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "car"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="campaign_driver_car_unique", fields=["campaign", "car"]),
            models.UniqueConstraint(
                name="campaign_driver_player_unique", fields=["campaign", "player"], condition=Q(player__isnull=False)
            ),
            models.CheckConstraint(
                name="campaign_driver_is_one",
                condition=Q(player__isnull=False, bot="") | (Q(player=None) & ~Q(bot="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shown_name}, car {self.car} of campaign {self.campaign_id}"

    @property
    def shown_name(self) -> str:
        """The name that everybody sees; never a mail address."""
        return self.name if self.player is None else self.player.display_name


class CampaignRace(models.Model):
    """One race of a campaign, the first numbered 1. ``posted_at``: when its points went into the ledger."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="races")
    number = models.PositiveSmallIntegerField()
    race = models.OneToOneField("games.Race", on_delete=models.PROTECT, related_name="campaign_race")
    posted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="campaign_race_number_unique", fields=["campaign", "number"]),
        ]

    def __str__(self) -> str:
        return f"race {self.number} of campaign {self.campaign_id}"


class Posting(models.Model):
    """One line of a campaign's ledger; the database refuses to change or delete it.

    It also refuses a ``balance`` (the car's total after this line) below 0 or other than the sum of the car's lines, a
    line out of number, and an upgrade bought while somebody has it. ``number`` counts the campaign's lines from 1.
    ``source`` is what it was posted for: "opening/3", "race/2/3/earned", "purchase/17/0"; nothing is posted twice.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="postings")
    number = models.PositiveIntegerField()
    driver = models.ForeignKey(CampaignDriver, on_delete=models.PROTECT, related_name="postings")
    kind = models.CharField(max_length=15)
    points = models.SmallIntegerField()
    balance = models.IntegerField()
    upgrade = models.CharField(max_length=4, blank=True)
    race = models.ForeignKey(CampaignRace, on_delete=models.PROTECT, null=True, blank=True, related_name="postings")
    rule = models.CharField(max_length=20)
    source = models.CharField(max_length=60)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="posting_number_unique", fields=["campaign", "number"]),
            models.UniqueConstraint(name="posting_source_unique", fields=["campaign", "source"]),
            models.CheckConstraint(name="posting_kind_is_known", condition=Q(kind__in=POSTING_KINDS)),
            models.CheckConstraint(name="posting_balance_is_not_below_zero", condition=Q(balance__gte=0)),
            models.CheckConstraint(
                name="posting_points_fit_its_kind",
                condition=Q(kind__in=["opening", "earned", "clamp", "forced_return", "returned"], points__gte=0)
                | Q(kind__in=["penalty", "bought"], points__lte=0)
                | Q(kind="lost", points=0),
            ),
            models.CheckConstraint(
                name="posting_names_an_upgrade_if_it_is_about_one",
                condition=(Q(kind__in=["bought", "returned", "forced_return", "lost"]) & ~Q(upgrade=""))
                | Q(kind__in=["opening", "earned", "penalty", "clamp"], upgrade=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.points} of car {self.driver_id} in campaign {self.campaign_id}"


class PurchaseRound(models.Model):
    """The purchases before a race: one car after another in ``order``, a list of car numbers.

    ``race``: the race that begins when the round is closed.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="rounds")
    race = models.OneToOneField(CampaignRace, on_delete=models.PROTECT, related_name="round")
    order = models.JSONField()
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "race__number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="purchase_round_one_open", fields=["campaign"], condition=Q(closed_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"purchases before {self.race}"


class Purchase(models.Model):
    """One car's purchase in a round: a question that stays open for returns until something, or nothing, is bought.

    ``acts``: what was answered, in order: [{"action", "words", "key", "origin", "at"}]; an answer names how many stood
    there when it was composed. ``left_s`` seconds count from ``counts_from`` to ``due_at`` on the driver's calendar.
    """

    round = models.ForeignKey(PurchaseRound, on_delete=models.PROTECT, related_name="purchases")
    driver = models.ForeignKey(CampaignDriver, on_delete=models.PROTECT, related_name="purchases")
    place = models.PositiveSmallIntegerField()
    acts = models.JSONField(default=list, blank=True)
    opened_at = models.DateTimeField()
    counts_from = models.DateTimeField()
    left_s = models.PositiveIntegerField()
    due_at = models.DateTimeField()
    due_rule = models.CharField(max_length=400, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["round", "place"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="purchase_place_unique", fields=["round", "place"]),
            models.UniqueConstraint(name="purchase_once_a_round", fields=["round", "driver"]),
            models.UniqueConstraint(name="purchase_one_open", fields=["round"], condition=Q(answered_at__isnull=True)),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="purchase_open_by_time", fields=["due_at"], condition=Q(answered_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"purchase {self.pk} of car {self.driver_id}"
