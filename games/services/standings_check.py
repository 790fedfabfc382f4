"""Standings made anew from the races and campaigns, and compared with what is stored; nothing is changed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from games.leagues import tables
from games.leagues.ratings import Skill
from games.models import Division, Entrant, Fixture, League, LeagueDriver, Rating, Result, Season
from games.runtime.errors import RaceFaulty
from games.selectors.standings import season_lines
from games.services.results import ended_at, ratings_of, results_of, took_seconds

_FACTS = (
    "driver_id", "place", "cars", "points", "victory_points", "races", "races_won", "wrecks", "turns", "on_time",
    "is_own", "finished_at",
)  # fmt: skip
EXACT = 1e-5
"""Ratings are stored as floating-point numbers."""


def leagues_to_check(*, public_ids: Sequence[str] = ()) -> list[League]:
    """All leagues, or these."""
    leagues = League.objects.order_by("pk")
    return list(leagues.filter(public_id__in=public_ids) if public_ids else leagues)


def differences_of(*, league: League) -> Iterator[str]:
    """A sentence for each thing that is not as the races make it: results, fixtures, ratings, final places."""
    done = Fixture.objects.filter(season__league=league, status="done").select_related("race", "campaign", "season")
    for fixture in done.order_by("pk"):
        yield from _of_fixture(fixture)
    for result in Result.objects.filter(fixture__season__league=league).exclude(fixture__status="done"):
        yield f"race {result.fixture_id} is not over, and has a result of driver {result.driver_id}"
    yield from _of_ratings(league)
    for season in Season.objects.filter(league=league, status="closed"):
        yield from _of_places(season)


def _of_fixture(fixture: Fixture) -> Iterator[str]:
    what = "race" if fixture.campaign is None else "campaign"
    name = f"{what} {fixture.season.number}.{fixture.number}"
    if ended_at(fixture) is None:
        yield f"{name} counts as over, and is not"
        return
    try:
        made = {one.entrant_id: one for one in results_of(fixture)}
    except RaceFaulty as fault:
        yield f"{name} cannot be read: {fault.detail}"
        return
    kept = {one.entrant_id: one for one in Result.objects.filter(fixture=fixture)}
    for entrant in sorted(made.keys() | kept.keys()):
        if entrant not in kept:
            yield f"{name}: the result of entrant {entrant} is missing"
        elif entrant not in made:
            yield f"{name}: entrant {entrant} has a result and had no seat"
        else:
            for fact in _FACTS:
                is_now, should_be = getattr(kept[entrant], fact), getattr(made[entrant], fact)
                if is_now != should_be:
                    yield f"{name}, entrant {entrant}: {fact} is {is_now}, and the {what} makes it {should_be}"
    facts = (("turns", sum(one.turns for one in made.values())), ("took_s", took_seconds(fixture)))
    for fact, should_be in facts:
        if getattr(fixture, fact) != should_be:
            yield f"{name}: {fact} is {getattr(fixture, fact)}, and the {what} makes it {should_be}"


def _of_ratings(league: League) -> Iterator[str]:
    results = list(Result.objects.filter(fixture__season__league=league).order_by("finished_at", "fixture_id"))
    made = ratings_of(results)
    kept = {one.result_id: Skill(one.mu, one.sigma) for one in Rating.objects.filter(driver__league=league)}
    last: dict[int, Skill] = {}
    for result in results:
        is_now, should_be = kept.pop(result.pk, None), made.get(result.pk)
        if should_be is not None:
            last[result.driver_id] = should_be
        if not _is_same(is_now, should_be):
            yield f"the rating of driver {result.driver_id} after result {result.pk} is {is_now}, not {should_be}"
    for pk in kept:
        yield f"there is a rating of result {pk}, which is none of this league's"
    for driver in LeagueDriver.objects.filter(league=league):
        should_be = last.get(driver.pk, Skill())
        if not _is_same(Skill(driver.mu, driver.sigma), should_be):
            yield f"driver {driver.pk} is rated {driver.mu:.3f} ± {driver.sigma:.3f}, not {should_be}"


def _is_same(one: Skill | None, other: Skill | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one.mu - other.mu) < EXACT and abs(one.sigma - other.sigma) < EXACT


def _of_places(season: Season) -> Iterator[str]:
    entrants = {one.pk: one for one in Entrant.objects.filter(season=season, division__isnull=False)}
    by_division: dict[int, list[tables.Line]] = defaultdict(list)
    for line in season_lines(season=season):
        by_division[entrants[line.entrant].division_id or 0].append(line)
    for division in Division.objects.filter(season=season).order_by("rank"):
        table = tables.ranked(by_division[division.pk], tie_breaks=season.tie_breaks, seed=season.seed)
        for line in table:
            is_now = entrants[line.entrant].final_place
            if is_now != line.place:
                yield (
                    f"season {season.number}, division {division.rank}: entrant {line.entrant} is noted in place "
                    f"{is_now}, and the results make it {line.place}"
                )
