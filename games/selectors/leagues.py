"""Leagues for a viewer: which there are, one of them, its seasons, entrants and fixtures."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Prefetch, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from games.leagues.tables import TIE_BREAKS
from games.models import Entrant, Fixture, FixtureSeat, League, LeagueDriver, Season
from games.models.people import Person
from games.runtime.campaigns import rules_of
from games.runtime.rulesets import RULESETS, extras_of
from games.runtime.words import optional_stamp, stamp
from games.selectors.campaign_cars import cars_shown
from games.selectors.errors import LeagueUnknown, LeagueUnseen
from games.selectors.hosting import league_heirs
from games.selectors.league_access import may_see_league

LISTED_MOST: Final = 100


def league_get(*, public_id: str, user: Person | None = None, key: str = "") -> League:
    """The league, if this person may see it; raises LeagueUnseen.

    Public leagues are for all; others for their host, their drivers, and whoever bears the key of entry.
    """
    league = League.objects.select_related("host", "taken_from").filter(public_id=public_id).first()
    if league is None or not may_see_league(league=league, user=user, key=key):
        raise LeagueUnseen("There is no such league, or it is for its members only.")
    return league


def leagues_of(*, user: Person | None = None) -> list[dict[str, Any]]:
    """Public leagues and one's own, those with a season open or under way first; as many as a page shows.

    [{"id", "name", "host", "is_public", "is_mine", "season": number or None, "status": of that season or ""}]
    """
    own: Any = Q(pk__in=[])
    if user is not None:
        own = Q(host_id=user.pk) | Exists(LeagueDriver.objects.filter(league=OuterRef("pk"), player_id=user.pk))
    going = Season.objects.filter(league=OuterRef("pk"), status__in=["entry", "running"])
    found = League.objects.filter(Q(is_public=True) | own).annotate(is_going=Exists(going))
    found = found.select_related("host").prefetch_related(Prefetch("seasons", Season.objects.order_by("-number")))
    mine = set() if user is None else set(League.objects.filter(own).values_list("pk", flat=True))
    return [
        {
            "id": league.public_id,
            "name": league.name,
            "host": league.host.display_name,
            "is_public": league.is_public,
            "is_mine": league.pk in mine,
            "season": next((season.number for season in league.seasons.all()), None),
            "status": next((season.status for season in league.seasons.all()), ""),
        }
        for league in found.order_by("-is_going", "-created_at", "-pk")[:LISTED_MOST]
    ]


def season_get(*, league: League, number: int | None = None) -> Season | None:
    """The season of this number, or with None the one to show first: open or under way, else the last one closed.

    None if the league has none yet; raises LeagueUnknown for a number that it has not.
    """
    seasons = Season.objects.filter(league=league)
    if number is not None:
        found = seasons.filter(number=number).first()
        if found is None:
            raise LeagueUnknown(f"This league has no season {number}.")
    else:
        found = seasons.exclude(status="cancelled").order_by("-number").first()
    if found is not None:
        found.league = league
    return found


def league_part(*, league: League, user: Person | None, now: datetime | None = None) -> dict[str, Any]:
    """The league and its seasons.

    {"id", "name", "ruleset", "title", "has_campaigns": whether its seasons can make those, "host", "taken_over": {"at",
    "taken_from": name} or None, "is_host", "is_member", "may_watch": whether its races are for this person to see,
    "may_take_over": whether this person may take it over from a host who is away, "is_public", "place_points": {cars:
    [points by place]}, "seasons": [{"number", "status", "makes", "starts_at", "closed_at"}]}
    """
    ruleset = RULESETS.get(league.ruleset)
    is_member = user is not None and LeagueDriver.objects.filter(league=league, player_id=user.pk).exists()
    is_host = user is not None and league.host_id == user.pk
    points = {}
    if ruleset is not None:
        extras = extras_of(ruleset)
        points = {str(cars): list(extras.place_points(cars)) for cars in range(2, ruleset.seats[1] + 1)}
    return {
        "id": league.public_id,
        "name": league.name,
        "ruleset": league.ruleset,
        "title": league.ruleset if ruleset is None else ruleset.title,
        "has_campaigns": rules_of(league.ruleset) is not None,
        "host": league.host.display_name,
        "taken_over": None
        if league.taken_over_at is None or league.taken_from is None
        else {"at": stamp(league.taken_over_at), "taken_from": league.taken_from.display_name},
        "is_host": is_host,
        "is_member": is_member,
        "may_watch": league.is_public or is_member or is_host,
        "may_take_over": user is not None
        and is_member
        and not is_host
        and any(one.player_id == user.pk for one in league_heirs(league=league, now=now or timezone.now())),
        "is_public": league.is_public,
        "place_points": points,
        "seasons": [
            {
                "number": season.number,
                "status": season.status,
                "makes": season.makes,
                "starts_at": stamp(season.starts_at),
                "closed_at": None if season.closed_at is None else stamp(season.closed_at),
            }
            for season in Season.objects.filter(league=league).order_by("-number")
        ],
    }


def season_part(*, season: Season, user: Person | None) -> dict[str, Any]:
    """A season: what was agreed and how far it is.

    {"number", "status", "makes", "seats", "races_each", "every_days", "divisions", "moving", "starts_at", "started_at",
    "closed_at", "tie_breaks": [{"key", "text"}], "seed": "" before the draw, "settings", "entrants": how many,
    "fixtures": {status: how many}, "you": {"entrant", "state", "division"} or None}
    """
    counted = dict(Fixture.objects.filter(season=season).order_by().values_list("status").annotate(n=Count("pk")))
    own = None
    if user is not None:
        own = Entrant.objects.filter(season=season, driver__player_id=user.pk).select_related("division").first()
    return {
        "number": season.number,
        "status": season.status,
        "makes": season.makes,
        "seats": season.seats,
        "races_each": season.races_each,
        "every_days": season.every_days,
        "divisions": season.divisions_wanted,
        "moving": season.moving,
        "starts_at": stamp(season.starts_at),
        "started_at": None if season.started_at is None else stamp(season.started_at),
        "closed_at": None if season.closed_at is None else stamp(season.closed_at),
        "tie_breaks": [{"key": key, "text": TIE_BREAKS[key]} for key in season.tie_breaks],
        # Before the draw it would tell who will race whom to whoever thinks of entering.
        "seed": season.seed if season.started_at is not None else "",
        "settings": season.settings,
        "entrants": Entrant.objects.filter(season=season, state="entered").count(),
        "fixtures": {status: counted.get(status, 0) for status in ("planned", "running", "done", "void")},
        "you": None
        if own is None
        else {
            "entrant": own.pk,
            "state": own.state,
            "division": None if own.division is None else own.division.rank,
        },
    }


def entrants_of(*, season: Season) -> list[dict[str, Any]]:
    """Who takes part, by division and entry: [{"entrant", "driver", "name", "bot", "state", "division"}]."""
    rows = Entrant.objects.filter(season=season).select_related("driver__player", "division")
    return [
        {
            "entrant": row.pk,
            "driver": row.driver_id,
            "name": row.driver.shown_name,
            "bot": row.driver.bot,
            "state": row.state,
            "division": None if row.division is None else row.division.rank,
        }
        for row in rows.order_by("division__rank", "pk")
    ]


def fixture_part(*, season: Season, fixture_id: int, user: Person | None = None) -> dict[str, Any]:
    """One fixture of this season, as in Fixtures; raises LeagueUnknown."""
    found: list[dict[str, Any]] = Fixtures(season=season, user=user, fixture_id=fixture_id)[:1]
    if not found:
        raise LeagueUnknown("This season has no such race.")
    return found[0]


_ANNULLED: Final = Q(status="void") & (Q(race__isnull=False) | Q(campaign__isnull=False))


class Fixtures(Sequence[dict[str, Any]]):
    """The fixtures of a season in the order of their dates; ``len`` counts them, a slice reads its rows alone.

    {"id", "number", "round", "division", "on", "first_on", "status", "is_annulled", "is_stopped": whether
    something is broken so that it cannot go on, "trouble", "race": public id or None, "campaign": None or as in
    games.selectors.campaign_cars.cars_shown, "finished_at", "is_yours", "drivers": [{"driver", "name", "state",
    "place", "points"}], by place once there are results}
    """

    def __init__(
        self,
        *,
        season: Season,
        user: Person | None = None,
        status: str = "",
        division: int | None = None,
        fixture_id: int | None = None,
        is_annulled: bool = False,
    ) -> None:
        """Of this season; of one ``status`` or ``division`` (its rank), those annulled, or one alone, if given."""
        rows = Fixture.objects.filter(season=season)
        if division is not None:
            rows = rows.filter(division__rank=division)
        if is_annulled:
            rows = rows.filter(_ANNULLED)
        if status:
            rows = rows.filter(status=status)
        if fixture_id is not None:
            rows = rows.filter(pk=fixture_id)
        # What is done is read from the latest on.
        ended = Coalesce("race__finished_at", "campaign__ended_at")
        order = (ended.desc(), "-number") if status == "done" else ("on", "number")
        self._rows = rows.select_related("race", "campaign", "division").order_by(*order)
        self._user_id = None if user is None else user.pk
        self._count: int | None = None

    def __len__(self) -> int:
        if self._count is None:
            self._count = self._rows.count()
        return self._count

    def __getitem__(self, place: Any) -> Any:
        """One fixture, or those of a slice."""
        if isinstance(place, int):
            return self[place : place + 1][0]
        drawn = FixtureSeat.objects.select_related("entrant__driver__player").order_by("pk")
        rows = list(self._rows[place].prefetch_related(Prefetch("drawn", drawn), "results"))
        cars = cars_shown(campaigns=[row.campaign for row in rows if row.campaign is not None])
        return [self._told(row, cars) for row in rows]

    def _told(self, row: Fixture, cars: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
        results = {result.entrant_id: result for result in row.results.all()}
        drivers = []
        for one in row.drawn.all():
            result = results.get(one.entrant_id)
            drivers.append(
                {
                    "driver": one.entrant.driver_id,
                    "name": one.entrant.driver.shown_name,
                    "state": one.entrant.state,
                    "is_you": self._user_id is not None and one.entrant.driver.player_id == self._user_id,
                    "place": None if result is None else result.place,
                    "points": None if result is None else result.points,
                }
            )
        drivers.sort(key=lambda driver: driver["place"] or 0)
        return {
            "id": row.pk,
            "number": row.number,
            "round": row.round,
            "division": row.division.rank,
            "on": stamp(row.on),
            "first_on": stamp(row.first_on),
            "status": row.status,
            "is_annulled": row.status == "void" and (row.race_id or row.campaign_id) is not None,
            "is_stopped": (row.race is not None and bool(row.race.fault))
            or (row.campaign_id is not None and bool(cars[row.campaign_id]["is_stopped"])),
            "trouble": row.trouble,
            "race": None if row.race is None else row.race.public_id,
            "campaign": None if row.campaign_id is None else cars[row.campaign_id],
            "finished_at": _finished_at(row),
            "is_yours": any(driver["is_you"] for driver in drivers),
            "drivers": drivers,
        }


def _finished_at(row: Fixture) -> str | None:
    if row.campaign is not None:
        return optional_stamp(row.campaign.ended_at)
    return None if row.race is None else optional_stamp(row.race.finished_at)
