"""Results and ratings of leagues: written once when a race is over, and made anew to be compared."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from games.leagues.ratings import Skill, all_rated, rated
from games.models import Fixture, FixtureSeat, League, LeagueDriver, Race, Rating, Result
from games.runtime.standings import seat_results
from games.services.leagues import league_for_change


@transaction.atomic
def fixture_finish(*, fixture_id: int) -> bool:
    """Write the results and ratings of a fixture whose race is over; whether that was still to be done.

    All in one transaction under the league's lock: who comes second finds it done. Raises RaceFaulty.
    """
    league_id = Fixture.objects.values_list("season__league_id", flat=True).get(pk=fixture_id)
    league = league_for_change(league_id)
    fixture = Fixture.objects.select_related("race").get(pk=fixture_id)
    race = fixture.race
    if fixture.status != "running" or race is None or race.status != "finished" or race.finished_at is None:
        return False
    results = results_of(fixture)
    Result.objects.bulk_create(results)
    fixture.status = "done"
    fixture.turns = sum(result.turns for result in results)
    fixture.took_s = took_seconds(race)
    fixture.save(update_fields=["status", "turns", "took_s"])
    later = Q(finished_at__gt=race.finished_at) | Q(finished_at=race.finished_at, fixture_id__gt=fixture.pk)
    if Result.objects.filter(later, fixture__season__league=league).exists():
        ratings_rewrite(league)
    else:
        _rate(results)
    return True


def took_seconds(race: Race) -> int:
    """Seconds from the start of a race that is over to its end."""
    assert race.finished_at is not None
    assert race.started_at is not None
    return max(0, round((race.finished_at - race.started_at).total_seconds()))


def results_of(fixture: Fixture) -> list[Result]:
    """The results of a fixture whose race is over, made from the race and not saved; raises RaceFaulty."""
    race = fixture.race
    assert race is not None
    assert race.finished_at is not None
    made = seat_results(race)
    drawn = FixtureSeat.objects.filter(fixture=fixture, seat__isnull=False).select_related("seat", "entrant__driver")
    return [
        Result(
            fixture=fixture,
            entrant=one.entrant,
            driver=one.entrant.driver,
            seat=one.seat,
            place=made[one.seat.pk].place,
            cars=made[one.seat.pk].cars,
            points=made[one.seat.pk].points,
            victory_points=made[one.seat.pk].victory_points,
            wrecks=made[one.seat.pk].wrecks,
            turns=made[one.seat.pk].turns,
            on_time=made[one.seat.pk].on_time,
            is_own=(one.seat.player_id, one.seat.bot) == (one.entrant.driver.player_id, one.entrant.driver.bot),
            finished_at=race.finished_at,
        )
        for one in drawn.order_by("seat__number")
        if one.seat is not None
    ]


def _rate(results: Iterable[Result]) -> None:
    """Rate one race after all that ended before it."""
    own = [result for result in results if result.is_own]
    drivers = {one.driver_id: one.driver for one in own}
    skills = {pk: Skill(driver.mu, driver.sigma) for pk, driver in drivers.items()}
    after = rated({result.driver_id: result.place for result in own}, skills)
    Rating.objects.bulk_create(
        Rating(result=result, driver_id=result.driver_id, mu=skill.mu, sigma=skill.sigma)
        for result in own
        if (skill := after.get(result.driver_id)) is not None
    )
    for pk, skill in after.items():
        drivers[pk].mu, drivers[pk].sigma = skill.mu, skill.sigma
    LeagueDriver.objects.bulk_update([drivers[pk] for pk in after], ["mu", "sigma"])


def ratings_of(results: Iterable[Result]) -> dict[int, Skill]:
    """All ratings of a league made anew: result's row id -> skill after it. ``results``: all of it, in any order."""
    races: dict[tuple[datetime, int], dict[int, Result]] = {}
    for result in results:
        if result.is_own:
            races.setdefault((result.finished_at, result.fixture_id), {})[result.driver_id] = result
    ordered = sorted(races)
    made = all_rated(
        (number, {driver: result.place for driver, result in races[key].items()}) for number, key in enumerate(ordered)
    )
    return {races[ordered[number]][driver].pk: skill for (number, driver), skill in made.items()}


def ratings_rewrite(league: League) -> None:
    """Make all ratings of a locked league anew, such as when a race turns out to have ended before others."""
    results = list(Result.objects.filter(fixture__season__league=league))
    made = ratings_of(results)
    Rating.objects.filter(driver__league=league).delete()
    by_pk = {result.pk: result for result in results}
    order = sorted(made, key=lambda pk: (by_pk[pk].finished_at, by_pk[pk].fixture_id, pk))
    Rating.objects.bulk_create(
        (Rating(result_id=pk, driver_id=by_pk[pk].driver_id, mu=made[pk].mu, sigma=made[pk].sigma) for pk in order),
        batch_size=500,
    )
    last = {by_pk[pk].driver_id: made[pk] for pk in order}
    drivers = list(LeagueDriver.objects.filter(league=league))
    for driver in drivers:
        skill = last.get(driver.pk, Skill())
        driver.mu, driver.sigma = skill.mu, skill.sigma
    LeagueDriver.objects.bulk_update(drivers, ["mu", "sigma"], batch_size=500)
