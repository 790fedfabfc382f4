"""Leagues as all may see them: the list, tables, fixtures, drivers, two drivers, ratings, exports, the feed."""

import csv
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.http import require_safe

from games.selectors import leagues, standings
from games.selectors.errors import LeagueUnseen
from games.services.errors import LeagueUnknown
from games.services.hosting import league_host_seen
from games.tempo.tempos import HOURS, TEMPOS
from games.web.charts import Series, chart
from games.web.pages import page

A_PAGE: Final = 50
KEYS: Final = "league_keys"
"""Where a session keeps the keys of leagues by whose links somebody came: public id -> key."""
FEED_MOST: Final = 40
COMING: Final = 6
DECIDES: Final = {
    "points": "points decide",
    "wins": "wins decide",
    "places": "second places and so on decide",
    "head_to_head": "the races against each other decide",
    "victory_points": "Victory Points decide",
    "wrecks": "wrecks decide",
    "on_time": "turns in time decide",
    "fewer_races": "fewer races decide",
    "lot": "a lot decides",
}
"""Each of games.leagues.tables.TIE_BREAKS, after "level with the one above"."""
RUNNING: Final = 20


@require_safe
@page
def league_list(request: HttpRequest) -> HttpResponse:
    """Public leagues and one's own."""
    found = leagues.leagues_of(user=reader(request))
    context = {
        "here": "leagues",
        "mine": [one for one in found if one["is_mine"]],
        "others": [one for one in found if not one["is_mine"]],
    }
    return render(request, "games/leagues.html", context)


@require_safe
@page
def league(request: HttpRequest, public_id: str) -> HttpResponse:
    """A league's page: the table of one division of one season, what runs and what is to come."""
    found, context = _context(request, public_id)
    season = context["season_row"]
    if season is not None:
        tables = standings.season_tables(season=season)
        rank = number_of(request, "division") or _own_division(context) or 1
        table = next((one for one in tables if one["division"] == rank), tables[0] if tables else None)
        lines = [{**line, "level": _level(line, season)} for line in table["lines"]] if table else []
        given = {"season": season, "user": reader(request), "division": table["division"] if table else None}
        context |= {
            "tables": tables,
            "table": table,
            "lines": page_of(request, lines),
            "has_victory_points": any(line["victory_points"] for one in tables for line in one["lines"]),
            **_season_chart(season, lines),
            "pager_query": f"season={season.number}&division={table['division'] if table else 1}",
            "coming": leagues.Fixtures(**given, status="planned")[:COMING],
            "entrants": leagues.entrants_of(season=season) if season.status == "entry" else [],
            **_paces(found, season),
            "running": leagues.Fixtures(**given, status="running")[:RUNNING],
            "recent": leagues.Fixtures(**given, status="done")[:COMING],
            "annulled": leagues.Fixtures(**given, is_annulled=True)[:RUNNING],
            "tempo_text": _tempo_text(context["season"]["settings"]),
        }
    return render(request, "games/league.html", context)


@require_safe
@page
def fixtures(request: HttpRequest, public_id: str) -> HttpResponse:
    """All fixtures of a season, by date."""
    found, context = _context(request, public_id)
    del found
    if context["season_row"] is None:
        raise LeagueUnknown("This league has no season yet.")
    listed = leagues.Fixtures(season=context["season_row"], user=reader(request))
    context["pager_query"] = f"season={context['season']['number']}"
    return render(request, "games/league_fixtures.html", {**context, "fixtures": page_of(request, listed)})


@require_safe
@page
def ratings(request: HttpRequest, public_id: str) -> HttpResponse:
    """The drivers of a league by rating."""
    found, context = _context(request, public_id)
    listed = standings.Ratings(league=found)
    return render(request, "games/league_ratings.html", {**context, "ratings": page_of(request, listed)})


@require_safe
@page
def driver(request: HttpRequest, public_id: str, driver_id: int) -> HttpResponse:
    """One driver: seasons, results, rating as it went, opponents."""
    found, context = _context(request, public_id)
    row = standings.driver_get(league=found, driver_id=driver_id)
    part = standings.driver_part(driver=row)
    context |= {
        "driver": part,
        "results": page_of(request, standings.DriverResults(driver=row)),
        "rating_chart": _rating_chart(part),
        "points_chart": _points_chart(part),
        "has_victory_points": any(one["victory_points"] is not None for one in part["progress"]),
    }
    return render(request, "games/league_driver.html", context)


@require_safe
@page
def against(request: HttpRequest, public_id: str, one: int, other: int) -> HttpResponse:
    """Two drivers in the races in which they met."""
    found, context = _context(request, public_id)
    rows = [standings.driver_get(league=found, driver_id=pk) for pk in (one, other)]
    if one == other:
        raise LeagueUnknown("A driver is not compared with himself.")
    return render(
        request, "games/league_against.html", {**context, "both": standings.head_to_head(one=rows[0], other=rows[1])}
    )


# --- Exports ------------------------------------------------------------------------------

COLUMNS: Final = (
    "division", "place", "name", "state", "races", "points", "victory_points", "wins", "races_run", "races_won",
    "wrecks", "turns", "on_time", "on_time_rate", "mu", "sigma", "rating", "decided_by", "moves",
)  # fmt: skip


@require_safe
@page
def table_csv(request: HttpRequest, public_id: str) -> HttpResponse:
    """The whole table of a season as CSV (RFC 4180)."""
    _found, context = _context(request, public_id)
    rows = []
    if context["season_row"] is not None:
        for table in standings.season_tables(season=context["season_row"]):
            rows += [{**line, "division": table["division"]} for line in table["lines"]]
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{public_id}-table.csv"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    writer.writerows([[_cell(row[name]) for name in COLUMNS] for row in rows])
    return response


@require_safe
@page
def table_json(request: HttpRequest, public_id: str) -> HttpResponse:
    """The same as JSON, as the API has it."""
    _found, context = _context(request, public_id)
    row = context["season_row"]
    tables = [] if row is None else standings.season_tables(season=row)
    return JsonResponse({"league": context["league"], "season": context["season"], "tables": tables})


def _cell(value: Any) -> Any:
    """A value as a spreadsheet reads it: names that begin like a formula are text."""
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@"}:
        return f"'{value}"
    return "" if value is None else value


@require_safe
@page
def feed(request: HttpRequest, public_id: str) -> HttpResponse:
    """The latest results of a public league as an Atom feed."""
    if not leagues.league_get(public_id=public_id, user=reader(request), key=_key(request, public_id)).is_public:
        raise LeagueUnseen("A feed is read by programs that sign in nowhere, so a league for its members has none.")
    return LeagueFeed()(request, public_id=public_id)


class LeagueFeed(Feed):  # type: ignore[type-arg]  # generic for the checker only
    """The latest results of a public league: see feed()."""

    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, *, public_id: str) -> Any:
        """The league, as everybody may see it."""
        del request
        return leagues.league_get(public_id=public_id)

    def title(self, league: Any) -> str:
        """The league's name."""
        return f"{league.name}: results"

    def subtitle(self, league: Any) -> str:
        """What stands in it."""
        return f"What is over in {league.name}, the latest first."

    def link(self, league: Any) -> str:
        """The league's page."""
        return settings.SITE_URL + reverse("games:league", args=[league.public_id])

    def feed_guid(self, league: Any) -> str:
        """The feed's own name."""
        return self.link(league)

    def items(self, league: Any) -> list[dict[str, Any]]:
        """The latest results of the season that is shown."""
        season = leagues.season_get(league=league)
        if season is None:
            return []
        done = leagues.Fixtures(season=season, status="done")[:FEED_MOST]
        return [{**one, "season": season.number, "page": self.link(league)} for one in done]

    def item_title(self, item: dict[str, Any]) -> str:
        """Who won."""
        won = [driver["name"] for driver in item["drivers"] if driver["place"] == 1]
        what = "Race" if item["campaign"] is None else "Campaign"
        return f"{what} {item['season']}.{item['number']}: {' and '.join(won)} won"

    def item_description(self, item: dict[str, Any]) -> str:
        """The order of finish."""
        return ", ".join(f"{one['place']}. {one['name']} ({one['points']})" for one in item["drivers"] if one["place"])

    def item_link(self, item: dict[str, Any]) -> str:
        """The page of the race or the campaign."""
        if item["campaign"] is not None:
            return settings.SITE_URL + reverse("games:campaign", args=[item["campaign"]["id"]])
        return settings.SITE_URL + reverse("games:race", args=[item["race"]])

    def item_guid(self, item: dict[str, Any]) -> str:
        """The race's own name, which stays."""
        return f"{item['page']}#race-{item['season']}.{item['number']}"

    def item_updateddate(self, item: dict[str, Any]) -> datetime:
        """When it ended."""
        return datetime.fromisoformat(item["finished_at"])


# --- What they share ----------------------------------------------------------------------


def reader(request: HttpRequest) -> Any:
    """Who looks, or None."""
    return request.user if request.user.is_authenticated else None


def number_of(request: HttpRequest, name: str) -> int | None:
    """A whole number of the address, or None for what is none."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def page_of(request: HttpRequest, rows: Sequence[Any]) -> Page[Any]:
    """The page of the address; the nearest for a number that there is not."""
    return Paginator(rows, A_PAGE).get_page(number_of(request, "page") or 1)


def _key(request: HttpRequest, public_id: str) -> str:
    """The key of entry by which whoever looks came: of the link, or of a former look by the link."""
    return request.GET.get("key", "") or str(request.session.get(KEYS, {}).get(public_id, ""))


def league_seen(request: HttpRequest, public_id: str) -> Any:
    """The league for whoever looks, who need not bring the link's key to its next page. Raises LeagueUnseen."""
    key = _key(request, public_id)
    found = leagues.league_get(public_id=public_id, user=reader(request), key=key)
    if key and not found.is_public and request.session.get(KEYS, {}).get(public_id) != key:
        request.session[KEYS] = {**request.session.get(KEYS, {}), public_id: key}
    if request.user.is_authenticated:
        league_host_seen(league=found, by=request.user, now=timezone.now())
    return found


def _context(request: HttpRequest, public_id: str) -> tuple[Any, dict[str, Any]]:
    """The league, and what all its pages show. Raises LeagueUnknown."""
    found = league_seen(request, public_id)
    season = leagues.season_get(league=found, number=number_of(request, "season"))
    part = None if season is None else leagues.season_part(season=season, user=reader(request))
    return found, {
        "here": "leagues",
        "now": timezone.now(),
        "league": leagues.league_part(league=found, user=reader(request)),
        "season_row": season,
        "season": part,
        "unit": unit_of(season),
        "key": _key(request, public_id),
    }


def unit_of(season: Any) -> str:
    """What a season makes, one of them: "race" or "campaign"."""
    return "campaign" if season is not None and season.makes == "campaigns" else "race"


def _paces(league: Any, season: Any) -> dict[str, Any]:
    """How long what runs in a season will still take, by the fixture's number, and from how many races that is known.

    {"pace_of": {number: as in standings.paces}, "paced_by"}
    """
    told = [one for one in standings.paces(league=league, now=timezone.now()) if one["season"] == season.number]
    return {
        "pace_of": {one["number"]: one for one in told},
        "paced_by": next((one["pace"]["based_on"] for one in told if one["pace"] is not None), 0),
    }


def _own_division(context: dict[str, Any]) -> int | None:
    you = context["season"]["you"]
    return None if you is None else you["division"]


def _tempo_text(given: dict[str, Any]) -> str:
    key = given.get("tempo", "relaxed")
    if key == HOURS:
        return f"{given['turn_hours']:g} hours for a turn, {given['reaction_hours']:g} for a reaction."
    return TEMPOS[key].text


def _level(line: dict[str, Any], season: Any) -> str:
    """What has decided between this line and the one above, if not the first of the season's tie-breaks."""
    return DECIDES[line["decided_by"]] if line["decided_by"] not in {"", season.tie_breaks[0]} and line["races"] else ""


def _season_chart(season: Any, lines: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Points by round of those on top, as a chart and as a table: {"chart", "chart_rounds", "chart_rows"}."""
    top = list(lines)[: standings.CHARTED]
    series = standings.season_progress(season=season, entrants=[line["entrant"] for line in top])
    has_victory_points = any(line["victory_points"] for line in top)
    what = "victory_points" if has_victory_points else "points"
    made = [
        Series(line["name"], [(0, 0), *((step["round"], step[what]) for step in series[line["entrant"]])])
        for line in top
        if series[line["entrant"]]
    ]
    words = "Victory Points" if has_victory_points else "Points"
    rounds = sorted({step["round"] for steps in series.values() for step in steps})
    rows = []
    for line in top:
        by_round = {step["round"]: step[what] for step in series[line["entrant"]]}
        rows.append({"name": line["name"], "values": [by_round.get(number, "\N{EN DASH}") for number in rounds]})
    return {
        "chart": chart(made, title=f"{words} by round", across="Round", up=words),
        "chart_rounds": rounds,
        "chart_rows": rows,
    }


def _rating_chart(part: dict[str, Any]) -> dict[str, Any] | None:
    rated = [(n, one) for n, one in enumerate(part["progress"], start=1) if one["mu"] is not None]
    series = Series(
        part["name"],
        [(n, one["mu"]) for n, one in rated],
        [(one["mu"] - 2 * one["sigma"], one["mu"] + 2 * one["sigma"]) for _, one in rated],
    )
    return chart([series], title="Rating, race by race", across="Race", up="Rating")


def _points_chart(part: dict[str, Any]) -> dict[str, Any] | None:
    rows = list(enumerate(part["progress"], start=1))
    series = [Series("Points", [(n, one["points_so_far"]) for n, one in rows])]
    if any(one["victory_points"] is not None for _, one in rows):
        series.append(Series("Victory Points", [(n, one["victory_points_so_far"]) for n, one in rows]))
    return chart(series, title="Points, race by race", across="Race", up="Points so far")
