"""Leagues: seasons, divisions, who takes part, the races they make on their dates, and what came of them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class League(models.Model):
    """Races of one ruleset among the same people, season after season. ``entry_key``: lets its bearer in.

    A league that is not public is seen by its host, its drivers, and whoever bears the key. ``host_seen_at``: when the
    host last looked at the league or acted in it, to the hour. ``taken_over_at`` and ``taken_from``: when the host took
    it over from one who was away, and from whom; NULL for who founded it or was handed it.
    """

    public_id = models.SlugField(max_length=12, unique=True)
    name = models.CharField(max_length=60)
    ruleset = models.CharField(max_length=40)
    host = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="hosted_leagues")
    is_public = models.BooleanField(default=False)
    entry_key = models.CharField(max_length=32)
    host_seen_at = models.DateTimeField()
    taken_over_at = models.DateTimeField(null=True, blank=True)
    taken_from = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="league_taken_over_from_somebody",
                condition=Q(taken_over_at=None, taken_from=None)
                | Q(taken_over_at__isnull=False, taken_from__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"


class LeagueDriver(models.Model):
    """Somebody who has entered a season of a league, or a bot of it; ``mu`` and ``sigma`` as after the last race.

    Both can be made anew from the results (games.services.leagues.ratings).
    """

    league = models.ForeignKey(League, on_delete=models.PROTECT, related_name="drivers")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="league_drivers"
    )
    # "" for a person, else a key of games.runtime.rulesets.BOTS; a bot's name is the league's own.
    bot = models.CharField(max_length=20, blank=True)
    name = models.CharField(max_length=40, blank=True)
    mu = models.FloatField()
    sigma = models.FloatField()
    joined_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["league", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="league_driver_player_unique", fields=["league", "player"], condition=Q(player__isnull=False)
            ),
            models.UniqueConstraint(
                name="league_driver_bot_unique", fields=["league", "name"], condition=Q(player__isnull=True)
            ),
            models.CheckConstraint(
                name="league_driver_is_one",
                condition=Q(player__isnull=False, bot="") | (Q(player=None) & ~Q(bot="") & ~Q(name="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shown_name} in league {self.league_id}"

    @property
    def shown_name(self) -> str:
        """The name that everybody sees; never a mail address."""
        return self.player.display_name if self.player is not None else self.name


class Season(models.Model):
    """One season: what its races are like, when they are, and how it is decided.

    ``makes``: "races" or "campaigns", which is what each of its fixtures becomes and what one result is made of; where
    a season makes campaigns, ``races_each`` counts these. ``settings``: arguments of games.services.races.race_create
    for each of its races (tempo, policy, pauses, holidays, substitutes, options, …). ``seats``: cars in a race at most.
    ``races_each``: races of each entrant, one a round. ``every_days``: from one round to the next. ``moving``: so many
    go up and down. ``tie_breaks``: keys of games.leagues.tables.TIE_BREAKS, in the order in which they are applied.
    ``seed``: what fixtures and lots are drawn from; public once they are, so that anybody may repeat the draw.
    """

    league = models.ForeignKey(League, on_delete=models.PROTECT, related_name="seasons")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, default="entry")
    makes = models.CharField(max_length=10, default="races")
    settings = models.JSONField()
    seats = models.PositiveSmallIntegerField()
    races_each = models.PositiveSmallIntegerField()
    every_days = models.PositiveSmallIntegerField()
    divisions_wanted = models.PositiveSmallIntegerField(default=1)
    moving = models.PositiveSmallIntegerField(default=1)
    tie_breaks = models.JSONField()
    seed = models.CharField(max_length=32)
    starts_at = models.DateTimeField()
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["league", "-number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="season_number_unique", fields=["league", "number"]),
            models.UniqueConstraint(
                name="season_one_at_a_time", fields=["league"], condition=Q(status__in=["entry", "running"])
            ),
            models.CheckConstraint(
                name="season_status_is_known", condition=Q(status__in=["entry", "running", "closed", "cancelled"])
            ),
            models.CheckConstraint(name="season_makes_is_known", condition=Q(makes__in=["races", "campaigns"])),
            models.CheckConstraint(
                name="season_has_times_of_its_status",
                condition=Q(status="entry", started_at=None, closed_at=None)
                | Q(status="running", started_at__isnull=False, closed_at=None)
                | Q(status__in=["closed", "cancelled"], closed_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"season {self.number} of league {self.league_id}"


class Division(models.Model):
    """A part of a season whose entrants race each other; ``rank`` 1 is the highest."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="divisions")
    rank = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["season", "rank"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="division_rank_unique", fields=["season", "rank"]),
        ]

    def __str__(self) -> str:
        return f"division {self.rank} of season {self.season_id}"


class Entrant(models.Model):
    """A driver of one season. ``state``: entered, left (by own wish), withdrawn (by the host).

    ``final_place`` in the division and ``next_rank``, the division in which the next season begins, are noted when the
    season is closed.
    """

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="entrants")
    driver = models.ForeignKey(LeagueDriver, on_delete=models.PROTECT, related_name="entries")
    # NULL until the season starts.
    division = models.ForeignKey(Division, on_delete=models.PROTECT, null=True, blank=True, related_name="entrants")
    state = models.CharField(max_length=10, default="entered")
    entered_at = models.DateTimeField()
    final_place = models.PositiveSmallIntegerField(null=True, blank=True)
    next_rank = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["season", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="entrant_once_a_season", fields=["season", "driver"]),
            models.CheckConstraint(
                name="entrant_state_is_known", condition=Q(state__in=["entered", "left", "withdrawn"])
            ),
        ]

    def __str__(self) -> str:
        return f"driver {self.driver_id} in season {self.season_id}"


class Fixture(models.Model):
    """A race, or a campaign, that is to be.

    ``status``: planned, running (its race is made), done (its results are), void (none; with a race, the host has
    annulled it). ``first_on``: the date that was drawn, ``on`` the one that holds after postponements. ``trouble``: why
    its race could not be made when it was due, or why it is void. ``turns`` and ``took_s``: turns taken and seconds
    from start to end, of a campaign's races together, once done.
    """

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="fixtures")
    division = models.ForeignKey(Division, on_delete=models.PROTECT, related_name="fixtures")
    round = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField()
    on = models.DateTimeField()
    first_on = models.DateTimeField()
    status = models.CharField(max_length=10, default="planned")
    race = models.OneToOneField(
        "games.Race", on_delete=models.PROTECT, null=True, blank=True, related_name="league_fixture"
    )
    campaign = models.OneToOneField(
        "games.Campaign", on_delete=models.PROTECT, null=True, blank=True, related_name="league_fixture"
    )
    trouble = models.CharField(max_length=300, blank=True)
    turns = models.PositiveIntegerField(null=True, blank=True)
    took_s = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["season", "on", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="fixture_number_unique", fields=["season", "number"]),
            models.CheckConstraint(
                name="fixture_has_a_race_once_it_runs",
                condition=Q(status__in=["running", "done"], race__isnull=False)
                | Q(status__in=["running", "done"], campaign__isnull=False)
                | Q(status__in=["planned", "void"]),
            ),
            models.CheckConstraint(name="fixture_is_one", condition=Q(race=None) | Q(campaign=None)),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="fixture_planned_by_date", fields=["on"], condition=Q(status="planned")),
            models.Index(name="fixture_running", fields=["race"], condition=Q(status="running")),
        ]

    def __str__(self) -> str:
        return f"fixture {self.number} of season {self.season_id}"


class FixtureSeat(models.Model):
    """An entrant drawn for a fixture; ``seat``: the entrant's seat once the race is made, of a campaign the first."""

    fixture = models.ForeignKey(Fixture, on_delete=models.PROTECT, related_name="drawn")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="drawn")
    seat = models.OneToOneField(
        "games.Seat", on_delete=models.PROTECT, null=True, blank=True, related_name="league_seat"
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["fixture", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="fixture_seat_once", fields=["fixture", "entrant"]),
        ]

    def __str__(self) -> str:
        return f"entrant {self.entrant_id} in fixture {self.fixture_id}"


class Result(models.Model):
    """What a finished race, or campaign, was worth to one entrant; it can be made anew from the race or the campaign.

    ``seat``: in the race, or in the campaign's last one. ``place``: 1 to ``cars``, the same for those who share it.
    ``victory_points``: what the ruleset's campaign gives for the races, NULL in a game that has none. ``races``: how
    many it took, one unless it is a campaign; ``races_won`` of them. ``turns``: turns taken, ``on_time`` of them before
    their deadline. ``is_own``: whether the entrant drove to the end; what a substitute reached counts for the table and
    not for the rating.
    """

    fixture = models.ForeignKey(Fixture, on_delete=models.PROTECT, related_name="results")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="results")
    driver = models.ForeignKey(LeagueDriver, on_delete=models.PROTECT, related_name="results")
    seat = models.OneToOneField("games.Seat", on_delete=models.PROTECT, related_name="league_result")
    place = models.PositiveSmallIntegerField()
    cars = models.PositiveSmallIntegerField()
    points = models.SmallIntegerField()
    victory_points = models.SmallIntegerField(null=True, blank=True)
    races = models.PositiveSmallIntegerField(default=1)
    races_won = models.PositiveSmallIntegerField(default=0)
    wrecks = models.PositiveSmallIntegerField()
    turns = models.PositiveSmallIntegerField()
    on_time = models.PositiveSmallIntegerField()
    is_own = models.BooleanField()
    finished_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["finished_at", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="result_once_an_entrant", fields=["fixture", "entrant"]),
            models.CheckConstraint(name="result_place_is_one", condition=Q(place__gte=1)),
            models.CheckConstraint(name="result_won_is_a_part", condition=Q(races_won__lte=models.F("races"))),
            models.CheckConstraint(name="result_on_time_is_a_part", condition=Q(on_time__lte=models.F("turns"))),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="result_of_driver", fields=["driver", "-finished_at"]),
        ]

    def __str__(self) -> str:
        return f"place {self.place} of driver {self.driver_id} in fixture {self.fixture_id}"


class Rating(models.Model):
    """A driver's rating after one result, in the order in which races ended."""

    result = models.OneToOneField(Result, on_delete=models.PROTECT, related_name="rating")
    driver = models.ForeignKey(LeagueDriver, on_delete=models.PROTECT, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        ordering: ClassVar[list[str]] = ["driver", "result__finished_at", "pk"]

    def __str__(self) -> str:
        return f"{self.mu:.2f} ± {self.sigma:.2f} of driver {self.driver_id}"
