"""The shapes of leagues in requests and answers, for checking what comes in and for the OpenAPI document."""

from typing import Any

from rest_framework import serializers

from games.leagues.tables import TIE_BREAKS
from games.tempo import policies
from games.tempo.tempos import HOURS, TEMPOS

# A declared field does not hide a serializer's own attribute of that name: the metaclass takes it away.
_Shape = serializers.Serializer[Any]
_TIES = sorted(TIE_BREAKS)
_MAKES = ["races", "campaigns"]
_STATUS = ["entry", "running", "closed", "cancelled"]


class LeagueWish(_Shape):
    """A new league."""

    name = serializers.CharField(max_length=48)
    ruleset = serializers.CharField(required=False)
    is_public = serializers.BooleanField(required=False, help_text="Whether anybody may see it and enter.")


class LeagueChange(_Shape):
    """What a host changes of a league."""

    name = serializers.CharField(max_length=48, required=False)
    is_public = serializers.BooleanField(required=False)
    new_key = serializers.BooleanField(required=False, help_text="Make the link of entry anew.")
    host = serializers.IntegerField(required=False, help_text="The driver who hosts from now on.")


class LeagueLine(_Shape):
    """A league in a list."""

    id = serializers.CharField()
    name = serializers.CharField()
    host = serializers.CharField()
    is_public = serializers.BooleanField()
    is_mine = serializers.BooleanField(help_text="Whether you host it or have driven in it.")
    season = serializers.IntegerField(allow_null=True, help_text="Number of its latest season.")
    status = serializers.CharField(allow_blank=True, help_text="Where that season is.")


class SeasonLine(_Shape):
    """A season in a list."""

    number = serializers.IntegerField()
    status = serializers.ChoiceField(choices=_STATUS)
    makes = serializers.ChoiceField(choices=_MAKES)
    starts_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class TakenOver(_Shape):
    """That the host took a league over from one who was away."""

    at = serializers.DateTimeField()
    taken_from = serializers.CharField()


class LeagueShape(_Shape):
    """A league."""

    id = serializers.CharField()
    name = serializers.CharField()
    ruleset = serializers.CharField()
    title = serializers.CharField()
    has_campaigns = serializers.BooleanField(help_text="Whether its seasons may make campaigns.")
    host = serializers.CharField()
    taken_over = TakenOver(allow_null=True)
    is_host = serializers.BooleanField()
    is_member = serializers.BooleanField()
    may_watch = serializers.BooleanField(help_text="Whether its races and campaigns are for you to see.")
    may_take_over = serializers.BooleanField(help_text="Whether you may take it over from a host who is away.")
    is_public = serializers.BooleanField()
    place_points = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="What places are worth, the first place first, by the number of cars.",
    )
    seasons = SeasonLine(many=True)
    entry_key = serializers.CharField(required=False, help_text="For the host: lets its bearer in.")


class TieBreak(_Shape):
    """One of the tie-breaks."""

    key = serializers.ChoiceField(choices=_TIES)
    text = serializers.CharField()


class FixtureCounts(_Shape):
    """How many fixtures there are of each status."""

    planned = serializers.IntegerField()
    running = serializers.IntegerField()
    done = serializers.IntegerField()
    void = serializers.IntegerField()


class OwnEntry(_Shape):
    """Your entry."""

    entrant = serializers.IntegerField()
    state = serializers.ChoiceField(choices=["entered", "left", "withdrawn"])
    division = serializers.IntegerField(allow_null=True)


class SeasonShape(_Shape):
    """A season: what was agreed and how far it is."""

    number = serializers.IntegerField()
    status = serializers.ChoiceField(choices=_STATUS)
    makes = serializers.ChoiceField(choices=_MAKES, help_text="What each of its fixtures becomes.")
    seats = serializers.IntegerField(help_text="Cars in a race.")
    races_each = serializers.IntegerField(help_text="Races, or campaigns, of each entrant.")
    every_days = serializers.IntegerField()
    divisions = serializers.IntegerField()
    moving = serializers.IntegerField(help_text="So many go up, and so many down.")
    starts_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    tie_breaks = TieBreak(many=True)
    seed = serializers.CharField(allow_blank=True, help_text="What fixtures and lots are drawn from, once they are.")
    settings = serializers.DictField(help_text="What each race is like, as when a race is made.")
    entrants = serializers.IntegerField()
    fixtures = FixtureCounts()
    you = OwnEntry(allow_null=True)


class SeasonWish(_Shape):
    """A new season."""

    starts_at = serializers.DateTimeField(help_text="When the first races start.")
    seats = serializers.IntegerField(required=False)
    races_each = serializers.IntegerField(required=False)
    every_days = serializers.IntegerField(required=False)
    divisions = serializers.IntegerField(required=False)
    moving = serializers.IntegerField(required=False)
    tie_breaks = serializers.ListField(child=serializers.ChoiceField(choices=_TIES), required=False)
    makes = serializers.ChoiceField(
        choices=_MAKES, required=False, help_text="Races; or campaigns, each of which counts as a race once it is won."
    )
    options = serializers.DictField(required=False, help_text="The ruleset's, for each race.")
    tempo = serializers.ChoiceField(choices=[*TEMPOS, HOURS], required=False)
    turn_hours = serializers.FloatField(required=False)
    reaction_hours = serializers.FloatField(required=False)
    policy = serializers.ChoiceField(choices=list(policies.POLICIES), required=False)
    pause_cap_hours = serializers.FloatField(required=False)
    bank = serializers.BooleanField(required=False)
    holidays_allowed = serializers.BooleanField(required=False)
    absences = serializers.IntegerField(required=False)
    substitutes = serializers.ChoiceField(choices=["host", "first"], required=False)
    bot_takeover = serializers.BooleanField(required=False)
    extension_cap_hours = serializers.FloatField(required=False)


class Entering(_Shape):
    """Entering a season."""

    key = serializers.CharField(required=False, help_text="The host's, for a league of members.")


class BotEntry(_Shape):
    """A bot for a season."""

    bot = serializers.CharField(required=False)


class EntrantShape(_Shape):
    """Who takes part in a season."""

    entrant = serializers.IntegerField()
    driver = serializers.IntegerField()
    name = serializers.CharField()
    bot = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=["entered", "left", "withdrawn"])
    division = serializers.IntegerField(allow_null=True)


class FixtureDriver(_Shape):
    """A driver of a fixture."""

    driver = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=["entered", "left", "withdrawn"])
    is_you = serializers.BooleanField()
    place = serializers.IntegerField(allow_null=True)
    points = serializers.IntegerField(allow_null=True)


class OwnedUpgrade(_Shape):
    """An upgrade that a car has."""

    letter = serializers.CharField()
    name = serializers.CharField()


class CampaignCar(_Shape):
    """How one car of a campaign stands."""

    car = serializers.IntegerField()
    name = serializers.CharField()
    bot = serializers.CharField(allow_blank=True)
    points = serializers.IntegerField(help_text="What the ledger has, so without what was spent.")
    races_won = serializers.IntegerField()
    upgrades = OwnedUpgrade(many=True)


class CampaignStands(_Shape):
    """A campaign, and how its cars stand."""

    id = serializers.CharField()
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=["lobby", "running", "paused", "finished", "closed"])
    race = serializers.IntegerField(help_text="The number of its last race.")
    races = serializers.ListField(child=serializers.CharField(), help_text="Their ids, the first one first.")
    winner = serializers.IntegerField(allow_null=True, help_text="The car that has won it.")
    is_stopped = serializers.BooleanField()
    cars = CampaignCar(many=True, help_text="The winner first, then most points; none before they are drawn.")


class FixtureShape(_Shape):
    """A race or campaign that is to be, runs, is over or was called off."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    round = serializers.IntegerField()
    division = serializers.IntegerField()
    on = serializers.DateTimeField()
    first_on = serializers.DateTimeField(help_text="The date that was drawn.")
    status = serializers.ChoiceField(choices=["planned", "running", "done", "void"])
    is_annulled = serializers.BooleanField(help_text="Whether it had begun and counts for nothing.")
    is_stopped = serializers.BooleanField(help_text="Whether something is broken, so that it cannot go on.")
    trouble = serializers.CharField(allow_blank=True, help_text="Why there is no race, or why it does not count.")
    race = serializers.CharField(allow_null=True, help_text="Null in a season of campaigns.")
    campaign = CampaignStands(allow_null=True, help_text="Null in a season of races.")
    finished_at = serializers.DateTimeField(allow_null=True)
    is_yours = serializers.BooleanField()
    drivers = FixtureDriver(many=True)


class Annulling(_Shape):
    """Why a race or campaign counts for nothing."""

    note = serializers.CharField(max_length=200, help_text="All read it beside the table.")


class Postponing(_Shape):
    """Another date."""

    to = serializers.DateTimeField()


class _Skill(_Shape):
    """A rating: the estimate, how far off it may be, and what is almost certain."""

    mu = serializers.FloatField()
    sigma = serializers.FloatField()
    rating = serializers.FloatField(help_text="mu less three sigma.")


class _Sums(_Shape):
    """What races have added up to."""

    races = serializers.IntegerField(help_text="How many count: races, and campaigns.")
    points = serializers.IntegerField()
    victory_points = serializers.IntegerField()
    wins = serializers.IntegerField(help_text="Of those that count.")
    races_run = serializers.IntegerField(help_text="Races, those of campaigns one by one.")
    races_won = serializers.IntegerField()
    wrecks = serializers.IntegerField()
    turns = serializers.IntegerField()
    on_time = serializers.IntegerField()
    on_time_rate = serializers.FloatField(allow_null=True, help_text="0 to 1.")


class TableLine(_Sums, _Skill):
    """A line of a table."""

    place = serializers.IntegerField()
    entrant = serializers.IntegerField()
    driver = serializers.IntegerField()
    name = serializers.CharField()
    bot = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=["entered", "left", "withdrawn"])
    places = serializers.DictField(child=serializers.IntegerField(), help_text="How often each place was reached.")
    decided_by = serializers.CharField(allow_blank=True, help_text="What put it below the line above.")
    moves = serializers.CharField(allow_blank=True, help_text="up, down, or empty; as the table stands.")


class TableShape(_Shape):
    """The table of a division."""

    division = serializers.IntegerField()
    lines = TableLine(many=True)


class RatingLine(_Skill):
    """A driver in the list of ratings."""

    place = serializers.IntegerField()
    driver = serializers.IntegerField()
    name = serializers.CharField()
    bot = serializers.CharField(allow_blank=True)
    races = serializers.IntegerField()
    last_at = serializers.DateTimeField()


class DriverResult(_Shape):
    """What one race or campaign was worth to a driver; rating, mu and sigma are null for one that was not rated."""

    race = serializers.CharField(allow_null=True)
    campaign = serializers.CharField(allow_null=True)
    season = serializers.IntegerField()
    fixture = serializers.IntegerField()
    place = serializers.IntegerField()
    cars = serializers.IntegerField()
    points = serializers.IntegerField()
    victory_points = serializers.IntegerField(allow_null=True)
    races_run = serializers.IntegerField(help_text="One, or the races of the campaign.")
    races_won = serializers.IntegerField()
    wrecks = serializers.IntegerField()
    turns = serializers.IntegerField()
    on_time = serializers.IntegerField()
    is_own = serializers.BooleanField(help_text="Whether the driver, and no substitute, drove to the end.")
    finished_at = serializers.DateTimeField()
    rating = serializers.FloatField(allow_null=True)
    mu = serializers.FloatField(allow_null=True)
    sigma = serializers.FloatField(allow_null=True)


class ProgressStep(DriverResult):
    """A race, and what there was after it."""

    points_so_far = serializers.IntegerField()
    victory_points_so_far = serializers.IntegerField()


class DriverSeason(_Sums):
    """A driver in one season."""

    number = serializers.IntegerField()
    status = serializers.ChoiceField(choices=_STATUS)
    division = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=["entered", "left", "withdrawn"])
    final_place = serializers.IntegerField(allow_null=True)


class Opponent(_Shape):
    """Whom a driver has met, and how often who was ahead."""

    driver = serializers.IntegerField()
    name = serializers.CharField()
    met = serializers.IntegerField()
    ahead = serializers.IntegerField()
    behind = serializers.IntegerField()


class DriverCampaign(_Shape):
    """A driver's campaign, and the car in it."""

    season = serializers.IntegerField()
    fixture = serializers.IntegerField()
    is_annulled = serializers.BooleanField()
    campaign = CampaignStands()
    car = CampaignCar()


class DriverShape(_Skill):
    """A driver of a league."""

    driver = serializers.IntegerField()
    name = serializers.CharField()
    bot = serializers.CharField(allow_blank=True)
    joined_at = serializers.DateTimeField()
    seasons = DriverSeason(many=True)
    total = _Sums()
    campaigns = DriverCampaign(many=True, help_text="The latest twelve.")
    opponents = Opponent(many=True)
    progress = ProgressStep(many=True)


class Compared(_Skill):
    """One of two drivers."""

    driver = serializers.IntegerField()
    name = serializers.CharField()


class Met(_Shape):
    """A race or campaign in which two drivers met."""

    race = serializers.CharField(allow_null=True)
    campaign = serializers.CharField(allow_null=True)
    season = serializers.IntegerField()
    fixture = serializers.IntegerField()
    finished_at = serializers.DateTimeField()
    cars = serializers.IntegerField()
    one_place = serializers.IntegerField()
    other_place = serializers.IntegerField()


class HeadToHead(_Shape):
    """Two drivers."""

    one = Compared()
    other = Compared()
    met = serializers.IntegerField()
    one_ahead = serializers.IntegerField()
    other_ahead = serializers.IntegerField()
    shared = serializers.IntegerField()
    races = Met(many=True)


class PaceFigures(_Shape):
    """When a race will likely be over."""

    likely = serializers.DateTimeField()
    early = serializers.DateTimeField()
    late = serializers.DateTimeField()
    turn_seconds = serializers.IntegerField()
    turns_left = serializers.IntegerField()
    based_on = serializers.IntegerField(help_text="So many finished races.")


class PaceShape(_Shape):
    """A running race."""

    race = serializers.CharField()
    campaign = serializers.CharField(allow_null=True, help_text="The campaign that it is a race of.")
    name = serializers.CharField()
    number = serializers.IntegerField()
    season = serializers.IntegerField()
    division = serializers.IntegerField()
    turn = serializers.IntegerField()
    paused = serializers.BooleanField()
    pace = PaceFigures(allow_null=True)
