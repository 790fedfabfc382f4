"""Results and ratings of leagues: written once when a race or a campaign is over, and made anew to be compared."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from games.leagues.ratings import Skill, all_rated, rated
from games.models import Fixture, FixtureSeat, League, LeagueDriver, Race, Rating, Result, Seat
from games.runtime.standings import campaign_results, seat_results
from games.services.leagues import league_for_change


@transaction.atomic
def fixture_finish(*, fixture_id: int) -> bool:
    """Write the results and ratings of a fixture whose race or campaign is over; whether that was still to be done.

    A campaign that was closed before anybody had won it counts for nothing, and its fixture says so. All in one
    transaction under the league's lock: who comes second finds it done. Raises RaceFaulty.
    """
    league_id = Fixture.objects.values_list("season__league_id", flat=True).get(pk=fixture_id)
    league = league_for_change(league_id)
    fixture = Fixture.objects.select_related("race", "campaign").get(pk=fixture_id)
    if fixture.status != "running":
        return False
    if fixture.campaign is not None and fixture.campaign.status == "closed":
        fixture.status, fixture.trouble = "void", "The campaign was closed before anybody had won it."
        fixture.save(update_fields=["status", "trouble"])
        return True
    at = ended_at(fixture)
    if at is None:
        return False
    results = results_of(fixture)
    Result.objects.bulk_create(results)
    fixture.status = "done"
    fixture.turns = sum(result.turns for result in results)
    fixture.took_s = took_seconds(fixture)
    fixture.save(update_fields=["status", "turns", "took_s"])
    later = Q(finished_at__gt=at) | Q(finished_at=at, fixture_id__gt=fixture.pk)
    if Result.objects.filter(later, fixture__season__league=league).exists():
        ratings_rewrite(league)
    else:
        _rate(results)
    return True


def ended_at(fixture: Fixture) -> datetime | None:
    """When a fixture's race was over or its campaign won; None while it is not."""
    if fixture.campaign is not None:
        return fixture.campaign.ended_at if fixture.campaign.status == "finished" else None
    if fixture.race is not None:
        return fixture.race.finished_at if fixture.race.status == "finished" else None
    return None


def took_seconds(fixture: Fixture) -> int:
    """Seconds from the start of a fixture's race to its end; of a campaign those of its races, without purchases."""
    return sum(_race_seconds(race) for race in _races_of(fixture))


def _races_of(fixture: Fixture) -> list[Race]:
    if fixture.campaign is not None:
        return [one.race for one in fixture.campaign.races.select_related("race").order_by("number")]
    return [] if fixture.race is None else [fixture.race]


def _race_seconds(race: Race) -> int:
    assert race.finished_at is not None
    assert race.started_at is not None
    return max(0, round((race.finished_at - race.started_at).total_seconds()))


def results_of(fixture: Fixture) -> list[Result]:
    """The results of a fixture that is over, made from its race or campaign and not saved; raises RaceFaulty.

    A campaign's cars keep their numbers from its first race, for which the entrants were seated, to its last.
    """
    at = ended_at(fixture)
    assert at is not None
    if fixture.campaign is not None:
        made = campaign_results(fixture.campaign)
    else:
        assert fixture.race is not None
        made = seat_results(fixture.race)
    seat_of = {seat.number: seat for seat in Seat.objects.filter(pk__in=made)}
    drawn = FixtureSeat.objects.filter(fixture=fixture, seat__isnull=False).select_related("seat", "entrant__driver")
    results = []
    for one in drawn.order_by("seat__number"):
        assert one.seat is not None
        seat, driver = seat_of[one.seat.number], one.entrant.driver
        worth = made[seat.pk]
        results.append(
            Result(
                fixture=fixture,
                entrant=one.entrant,
                driver=driver,
                seat=seat,
                place=worth.place,
                cars=worth.cars,
                points=worth.points,
                victory_points=worth.victory_points,
                races=worth.races,
                races_won=worth.races_won,
                wrecks=worth.wrecks,
                turns=worth.turns,
                on_time=worth.on_time,
                is_own=(seat.player_id, seat.bot) == (driver.player_id, driver.bot),
                finished_at=at,
            )
        )
    return results


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
