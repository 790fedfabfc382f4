"""Standings of a league: tables, ratings, drivers, head-to-head, progress, pace.

How many statements each takes does not depend on how many drivers and races there are.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, F, Max, Q, Sum

from games.leagues import tables
from games.leagues.paces import Done, pace_of
from games.leagues.ratings import Skill
from games.leagues.tables import Line, Meeting
from games.models import Division, Entrant, Fixture, FixtureSeat, League, LeagueDriver, Race, Rating, Result, Season
from games.runtime.words import stamp
from games.selectors.campaign_cars import cars_shown
from games.selectors.errors import LeagueUnknown

SERIES_MOST: Final = 200
"""Races that a chart goes back."""
CHARTED: Final = 6
"""Drivers in a season's chart."""
PACED_MOST: Final = 200
"""Finished races that the pace is taken from, the latest."""
OPPONENTS_MOST: Final = 25
CAMPAIGNS_MOST: Final = 12
"""Campaigns on a driver's page."""
_TOLD: Final = ("fixture__race", "fixture__campaign", "fixture__season", "rating")
_SUMS: Final = {
    "races": Count("pk"),
    "points": Sum("points"),
    "victory_points": Sum("victory_points"),
    "races_run": Sum("races"),
    "races_won": Sum("races_won"),
    "wrecks": Sum("wrecks"),
    "turns": Sum("turns"),
    "on_time": Sum("on_time"),
}


def season_lines(*, season: Season) -> list[Line]:
    """What each entrant has to show, in no order; those who left before the draw and have no division are left out."""
    rows = Entrant.objects.filter(season=season, division__isnull=False).values_list("pk", "state")
    lines = {pk: Line(entrant=pk, is_out=state != "entered") for pk, state in rows}
    results = Result.objects.filter(fixture__season=season).order_by()
    summed: Any = results.values("entrant").annotate(**{f"sum_{name}": sums for name, sums in _SUMS.items()})
    for row in summed:
        line = lines[row["entrant"]]
        for name in _SUMS:
            setattr(line, name, row[f"sum_{name}"] or 0)
    for entrant, place, often in results.values_list("entrant", "place").annotate(often=Count("pk")):
        lines[entrant].places[place] = often
    by_points: dict[int, list[int]] = defaultdict(list)
    for line in lines.values():
        by_points[line.points].append(line.entrant)
    tied = [pk for group in by_points.values() if len(group) > 1 for pk in group]
    met = results.filter(entrant__in=tied).values_list("entrant", "fixture", "place", "points")
    for entrant, fixture, place, points in met:
        lines[entrant].meetings.append(Meeting(fixture, place, points))
    return list(lines.values())


def season_tables(*, season: Season) -> list[dict[str, Any]]:
    """The table of each division, the highest first.

    [{"division": rank, "lines": [{"place", "entrant", "driver", "name", "bot", "state", "races": how many count, or
    campaigns, "points", "victory_points", "races_run" and "races_won": of the races that these took, "wins", "places":
    {place: how often}, "wrecks", "turns", "on_time", "on_time_rate": 0 to 1 or None, "mu", "sigma", "rating",
    "decided_by": key of the tie-break that put it below the one above, or "", "moves": "up", "down" or ""}]}].
    ``moves`` is what holds as the table stands.
    """
    divisions = list(Division.objects.filter(season=season).order_by("rank"))
    entrants = {
        one.pk: one
        for one in Entrant.objects.filter(season=season, division__isnull=False).select_related("driver__player")
    }
    by_division: dict[int, list[Line]] = defaultdict(list)
    for line in season_lines(season=season):
        by_division[entrants[line.entrant].division_id or 0].append(line)
    ordered = [tables.ranked(by_division[one.pk], tie_breaks=season.tie_breaks, seed=season.seed) for one in divisions]
    begins = tables.moves(ordered, moving=season.moving)
    return [
        {
            "division": division.rank,
            "lines": [_line(line, entrants[line.entrant], division.rank, begins) for line in table],
        }
        for division, table in zip(divisions, ordered, strict=True)
    ]


def _line(line: Line, entrant: Entrant, rank: int, begins: dict[int, int]) -> dict[str, Any]:
    to = begins.get(line.entrant, rank - 1) + 1
    driver = entrant.driver
    return {
        "place": line.place,
        "entrant": entrant.pk,
        "driver": driver.pk,
        "name": driver.shown_name,
        "bot": driver.bot,
        "state": entrant.state,
        "races": line.races,
        "points": line.points,
        "victory_points": line.victory_points,
        "races_run": line.races_run,
        "races_won": line.races_won,
        "wins": line.wins,
        "places": {str(place): often for place, often in sorted(line.places.items())},
        "wrecks": line.wrecks,
        "turns": line.turns,
        "on_time": line.on_time,
        "on_time_rate": line.on_time_rate,
        **_skill(Skill(driver.mu, driver.sigma)),
        "decided_by": line.decided_by,
        "moves": "up" if to < rank else "down" if to > rank else "",
    }


def _skill(skill: Skill) -> dict[str, float]:
    return {"mu": skill.mu, "sigma": skill.sigma, "rating": round(skill.shown, 3)}


class Ratings(Sequence[dict[str, Any]]):
    """Drivers of a league by rating, those who have raced: ``len`` counts them, a slice reads its rows alone.

    {"place", "driver", "name", "bot", "mu", "sigma", "rating": mu - 3 sigma, "races": rated ones, "last_at"}
    """

    def __init__(self, *, league: League) -> None:
        """Of this league."""
        rows = LeagueDriver.objects.filter(league=league).annotate(
            races=Count("ratings"), last_at=Max("ratings__result__finished_at"), shown=F("mu") - 3 * F("sigma")
        )
        self._rows = rows.filter(races__gt=0).select_related("player").order_by("-shown", "pk")
        self._league = league

    def __len__(self) -> int:
        return LeagueDriver.objects.filter(league=self._league, ratings__isnull=False).distinct().count()

    def __getitem__(self, place: Any) -> Any:
        """One driver, or those of a slice."""
        if isinstance(place, int):
            return self[place : place + 1][0]
        start = place.start or 0
        return [
            {
                "place": start + number,
                "driver": row.pk,
                "name": row.shown_name,
                "bot": row.bot,
                **_skill(Skill(row.mu, row.sigma)),
                "races": row.races,
                "last_at": stamp(row.last_at),
            }
            for number, row in enumerate(self._rows[place], start=1)
        ]


# --- One driver, and two ------------------------------------------------------------------


def driver_get(*, league: League, driver_id: int) -> LeagueDriver:
    """A driver of this league; raises LeagueUnknown."""
    found = LeagueDriver.objects.filter(league=league, pk=driver_id).select_related("player").first()
    if found is None:
        raise LeagueUnknown("This league has no such driver.")
    return found


def driver_part(*, driver: LeagueDriver) -> dict[str, Any]:
    """A driver's page but for the results, which are paged.

    {"driver", "name", "bot", "joined_at", "mu", "sigma", "rating", "seasons": [{"number", "division", "state",
    "final_place", sums as in a table's line, "wins", "on_time_rate"}], "total": the same sums, "campaigns": see
    _campaigns(), "opponents": [{"driver", "name", "met", "ahead", "behind"}] those met most often, "progress": see
    progress()}
    """
    wins = Count("pk", filter=Q(place=1))
    sums = {f"sum_{name}": value for name, value in _SUMS.items()} | {"sum_wins": wins}
    results = Result.objects.filter(driver=driver).order_by()
    summed: Any = results.values("entrant").annotate(**sums)
    by_entrant = {row["entrant"]: row for row in summed}
    entries = Entrant.objects.filter(driver=driver).select_related("season", "division").order_by("-season__number")
    seasons = [
        {
            "number": one.season.number,
            "status": one.season.status,
            "division": None if one.division is None else one.division.rank,
            "state": one.state,
            "final_place": one.final_place,
            **_summed(by_entrant.get(one.pk, {})),
        }
        for one in entries
    ]
    return {
        "driver": driver.pk,
        "name": driver.shown_name,
        "bot": driver.bot,
        "joined_at": stamp(driver.joined_at),
        **_skill(Skill(driver.mu, driver.sigma)),
        "seasons": seasons,
        "total": _summed(results.aggregate(**sums)),
        "campaigns": _campaigns(driver),
        "opponents": _opponents(driver),
        "progress": progress(driver=driver),
    }


def _summed(row: dict[str, Any]) -> dict[str, Any]:
    names = (*_SUMS, "wins")
    summed: dict[str, Any] = {name: row.get(f"sum_{name}") or 0 for name in names}
    summed["on_time_rate"] = summed["on_time"] / summed["turns"] if summed["turns"] else None
    return summed


def _campaigns(driver: LeagueDriver) -> list[dict[str, Any]]:
    """The driver's latest CAMPAIGNS_MOST campaigns, with the car and the upgrades that it has.

    [{"season", "fixture", "is_annulled", "campaign": as in games.selectors.campaign_cars.cars_shown, "car": as there}];
    of those whose cars are drawn.
    """
    drawn = FixtureSeat.objects.filter(entrant__driver=driver, seat__isnull=False, fixture__campaign__isnull=False)
    rows = list(
        drawn.select_related("seat", "fixture__season", "fixture__campaign").order_by("-fixture__on", "-fixture_id")[
            :CAMPAIGNS_MOST
        ]
    )
    shown = cars_shown(campaigns=[row.fixture.campaign for row in rows if row.fixture.campaign is not None])
    told = []
    for row in rows:
        assert row.seat is not None
        campaign = shown[row.fixture.campaign_id or 0]
        car = next((one for one in campaign["cars"] if one["car"] == row.seat.number), None)
        if car is not None:
            told.append(
                {
                    "season": row.fixture.season.number,
                    "fixture": row.fixture.number,
                    "is_annulled": row.fixture.status == "void",
                    "campaign": campaign,
                    "car": car,
                }
            )
    return told


def _opponents(driver: LeagueDriver) -> list[dict[str, Any]]:
    met = (
        Result.objects.filter(fixture__results__driver=driver)
        .exclude(driver=driver)
        .order_by()
        .values("driver")
        .annotate(
            met=Count("pk"),
            behind=Count("pk", filter=Q(place__lt=F("fixture__results__place"))),
            ahead=Count("pk", filter=Q(place__gt=F("fixture__results__place"))),
        )
        .order_by("-met", "driver")[:OPPONENTS_MOST]
    )
    rows = list(met)
    names = {
        one.pk: one.shown_name
        for one in LeagueDriver.objects.filter(pk__in=[row["driver"] for row in rows]).select_related("player")
    }
    return [{**row, "name": names[row["driver"]]} for row in rows]


class DriverResults(Sequence[dict[str, Any]]):
    """A driver's results, the latest first: ``len`` counts them, a slice reads its rows alone.

    {"race" and "campaign": public ids, one of them None, "season", "fixture", "place", "cars", "points",
    "victory_points", "races_run", "races_won", "wrecks", "turns", "on_time", "is_own", "finished_at", "rating", "mu",
    "sigma"}; the last three None for what was not rated.
    """

    def __init__(self, *, driver: LeagueDriver) -> None:
        """Of this driver."""
        rows = Result.objects.filter(driver=driver).select_related(*_TOLD)
        self._rows = rows.order_by("-finished_at", "-fixture_id")

    def __len__(self) -> int:
        return self._rows.count()

    def __getitem__(self, place: Any) -> Any:
        """One result, or those of a slice."""
        if isinstance(place, int):
            return self[place : place + 1][0]
        return [_result(row) for row in self._rows[place]]


def _where(fixture: Fixture) -> dict[str, str | None]:
    """The public ids of a fixture's race and campaign, of which it has one."""
    return {
        "race": None if fixture.race is None else fixture.race.public_id,
        "campaign": None if fixture.campaign is None else fixture.campaign.public_id,
    }


def _result(row: Result) -> dict[str, Any]:
    rating: Rating | None = getattr(row, "rating", None)
    return {
        **_where(row.fixture),
        "season": row.fixture.season.number,
        "fixture": row.fixture.number,
        "place": row.place,
        "cars": row.cars,
        "points": row.points,
        "victory_points": row.victory_points,
        "races_run": row.races,
        "races_won": row.races_won,
        "wrecks": row.wrecks,
        "turns": row.turns,
        "on_time": row.on_time,
        "is_own": row.is_own,
        "finished_at": stamp(row.finished_at),
        "rating": None if rating is None else round(Skill(rating.mu, rating.sigma).shown, 3),
        "mu": None if rating is None else rating.mu,
        "sigma": None if rating is None else rating.sigma,
    }


def head_to_head(*, one: LeagueDriver, other: LeagueDriver) -> dict[str, Any]:
    """Two drivers of a league in the races in which they met.

    {"one", "other": {"driver", "name", "mu", "sigma", "rating"}, "met", "one_ahead", "other_ahead", "shared", "races":
    [{"race", "campaign", "season", "fixture", "finished_at", "cars", "one_place", "other_place"}] the latest
    SERIES_MOST}
    """
    rows = Result.objects.filter(driver=one, fixture__results__driver=other)
    mine, theirs = F("place"), F("fixture__results__place")
    counted = rows.order_by().aggregate(
        met=Count("pk"),
        one_ahead=Count("pk", filter=Q(place__lt=theirs)),
        other_ahead=Count("pk", filter=Q(place__gt=theirs)),
    )
    listed = rows.annotate(other_place=theirs, one_place=mine).select_related(*_TOLD[:-1])
    return {
        "one": _who(one),
        "other": _who(other),
        **counted,
        "shared": counted["met"] - counted["one_ahead"] - counted["other_ahead"],
        "races": [
            {
                **_where(row.fixture),
                "season": row.fixture.season.number,
                "fixture": row.fixture.number,
                "finished_at": stamp(row.finished_at),
                "cars": row.cars,
                "one_place": row.place,
                "other_place": row.other_place,
            }
            for row in listed.order_by("-finished_at", "-fixture_id")[:SERIES_MOST]
        ],
    }


def _who(driver: LeagueDriver) -> dict[str, Any]:
    return {"driver": driver.pk, "name": driver.shown_name, **_skill(Skill(driver.mu, driver.sigma))}


# --- Progress and pace --------------------------------------------------------------------


def progress(*, driver: LeagueDriver) -> list[dict[str, Any]]:
    """A driver's latest SERIES_MOST races, the oldest first.

    Each as in DriverResults, with "points_so_far" and "victory_points_so_far" added up over all that there are.
    """
    rows = Result.objects.filter(driver=driver).select_related(*_TOLD)
    latest = [_result(row) for row in rows.order_by("-finished_at", "-fixture_id")[:SERIES_MOST]][::-1]
    whole = Result.objects.filter(driver=driver).aggregate(points=Sum("points"), victory=Sum("victory_points"))
    points = (whole["points"] or 0) - sum(row["points"] for row in latest)
    victory = (whole["victory"] or 0) - sum(row["victory_points"] or 0 for row in latest)
    for row in latest:
        points += row["points"]
        victory += row["victory_points"] or 0
        row["points_so_far"], row["victory_points_so_far"] = points, victory
    return latest


def season_progress(*, season: Season, entrants: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """Points and Victory Points so far of these entrants, round by round.

    Entrant -> [{"round", "points", "victory_points"}]. A round that an entrant has no result of yet is left out.
    """
    rows = Result.objects.filter(fixture__season=season, entrant__in=list(entrants))
    series: dict[int, list[dict[str, Any]]] = {entrant: [] for entrant in entrants}
    told = rows.order_by("fixture__round", "finished_at").values_list(
        "entrant", "fixture__round", "points", "victory_points"
    )
    for entrant, number, points, victory in told:
        before = series[entrant][-1] if series[entrant] else {"points": 0, "victory_points": 0}
        series[entrant].append(
            {
                "round": number,
                "points": before["points"] + points,
                "victory_points": before["victory_points"] + (victory or 0),
            }
        )
    return series


def paces(*, league: League, now: datetime) -> list[dict[str, Any]]:
    """When the league's running races will likely be over, by the time that its races have taken so far.

    From public clocks alone: when a race began, the number of its turn, whether its clocks stand still; never from open
    questions, of which it is secret whom they were asked. Of a campaign it is the race under way, by the time that
    races of campaigns took; how many races a campaign takes nobody knows.

    [{"race", "campaign": public id or None, "name", "number", "season", "division", "turn", "paused", "pace":
    {"likely", "early", "late", "turn_seconds", "turns_left", "based_on"} or None while too few races are over or the
    clocks stand still}]
    """
    base = _paced(league)
    rows = Race.objects.filter(_MADE_BY[0], league_fixture__status="running", league_fixture__season__league=league)
    rows |= Race.objects.filter(
        _MADE_BY[1],
        campaign_race__campaign__league_fixture__status="running",
        campaign_race__campaign__league_fixture__season__league=league,
    )
    rows = rows.filter(status="running").annotate(cars=Count("seats", filter=Q(seats__number__isnull=False)))
    rows = rows.select_related(
        "league_fixture__season",
        "league_fixture__division",
        "campaign_race__campaign__league_fixture__season",
        "campaign_race__campaign__league_fixture__division",
    )
    told = []
    for race in rows.order_by("started_at", "pk")[:PACED_MOST]:
        assert race.started_at is not None
        campaign = race.campaign_race.campaign if hasattr(race, "campaign_race") else None
        fixture = race.league_fixture if campaign is None else campaign.league_fixture
        turn = _turn_of(race.turn_mark)
        pace = None
        if race.paused_at is None:
            done = base["races" if campaign is None else "campaigns"]
            pace = pace_of(cars=race.cars, turn=turn, started_at=race.started_at, now=now, done=done)
        told.append(
            {
                "race": race.public_id,
                "campaign": None if campaign is None else campaign.public_id,
                "name": race.name,
                "number": fixture.number,
                "season": fixture.season.number,
                "division": fixture.division.rank,
                "turn": turn,
                "paused": race.paused_at is not None,
                "pace": None
                if pace is None
                else {
                    "likely": stamp(pace.likely),
                    "early": stamp(pace.early),
                    "late": stamp(pace.late),
                    "turn_seconds": pace.turn_seconds,
                    "turns_left": pace.turns_left,
                    "based_on": pace.based_on,
                },
            }
        )
    return told


_MADE_BY: Final = (Q(league_fixture__isnull=False), Q(campaign_race__campaign__league_fixture__isnull=False))


def _turn_of(mark: str) -> int:
    """The number of the turn in a race's turn_mark."""
    return int(mark.partition(":")[0] or 0)


def _paced(league: League) -> dict[str, list[Done]]:
    """The latest PACED_MOST races of the league that are over, and as many of its campaigns' races."""
    fixtures = Fixture.objects.filter(season__league=league, status="done", race__isnull=False, took_s__isnull=False)
    latest = fixtures.annotate(cars=Count("results")).order_by("-race__finished_at")[:PACED_MOST]
    races = [
        Done(cars, turns or 0, seconds or 0) for cars, turns, seconds in latest.values_list("cars", "turns", "took_s")
    ]
    over = Race.objects.filter(campaign_race__campaign__league_fixture__season__league=league, status="finished")
    over = over.exclude(campaign_race__campaign__league_fixture__status="void")
    rows = over.order_by("-finished_at").values_list("seats_wanted", "turn_mark", "started_at", "finished_at")
    return {
        "races": races,
        "campaigns": [
            Done(cars, _turn_of(mark), round((finished - started).total_seconds()))
            for cars, mark, started, finished in rows[:PACED_MOST]
            if started is not None and finished is not None
        ],
    }
