"""Standings over a long history: right, and in a number of statements that does not grow; the check; the demo; pace."""

import time
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.leagues.paces import pace_of
from games.models import (
    Decision,
    Division,
    Entrant,
    Fixture,
    FixtureSeat,
    League,
    LeagueDriver,
    OutboxEvent,
    Race,
    Rating,
    Result,
    Season,
    Seat,
)
from games.selectors import leagues as league_selectors
from games.selectors import standings
from games.services.demo_league import demo_league
from games.services.leagues import entrant_withdraw, league_create
from games.services.seasons import season_close
from games.tempo import tempos
from roadkill_site.accounts.models import User
from tests.games.conftest import NOON
from tests.games.leagues import driver_of, run_due, some_people, toy_league, toy_season
from tests.games.noninterference import Observer, differences
from tests.games.test_noninterference import MakeStage, people, stage

__all__ = ["people", "stage"]
pytestmark = pytest.mark.django_db


def long_league(host: User, *, drivers: int, races: int, cars: int = 4) -> Season:
    """A league with so long a history, by rows alone: one division, and results as if they had been written."""
    now = timezone.now()
    league = league_create(by=host, name="Long league", ruleset="toy", is_public=True)
    season = Season.objects.create(
        league=league, number=1, status="running", settings={"options": {}}, seats=cars, races_each=races, every_days=1,
        tie_breaks=["points", "wins", "places", "head_to_head", "lot"], seed="s", starts_at=now, created_at=now,
        started_at=now,
    )  # fmt: skip
    division = Division.objects.create(season=season, rank=1)
    users = User.objects.bulk_create(
        User(email=f"d{n}@example.org", display_name=f"Driver {n}") for n in range(drivers)
    )
    rows = LeagueDriver.objects.bulk_create(
        LeagueDriver(league=league, player=user, mu=25 + n / 100, sigma=5, joined_at=now)
        for n, user in enumerate(users)
    )
    entrants = Entrant.objects.bulk_create(
        Entrant(season=season, driver=row, division=division, entered_at=now) for row in rows
    )
    turn, reaction = tempos.tempo_minutes(tempo="daily")
    made = Race.objects.bulk_create(
        (
            Race(
                public_id=f"r{n}", name=f"Race {n}", ruleset="toy", rules_version=1, seats_wanted=cars, host=host,
                turn_minutes=turn, reaction_minutes=reaction, policy="strict", is_public=True, status="finished",
                secret=b"s" * 32, commitment="c", outcome={"places": [], "reason": "rounds"}, host_seen_at=now,
                created_at=now, started_at=now, finished_at=now + timedelta(minutes=n),
            )
            for n in range(races)
        ),
        batch_size=500,
    )  # fmt: skip
    fixtures = Fixture.objects.bulk_create(
        (
            Fixture(season=season, division=division, round=n + 1, number=n + 1, on=now, first_on=now, status="done",
                    race=race, turns=40, took_s=86400)
            for n, race in enumerate(made)
        ),
        batch_size=500,
    )  # fmt: skip
    rng = Random(7)
    drawn = [rng.sample(range(drivers), cars) for _ in range(races)]
    seats = Seat.objects.bulk_create(
        (
            Seat(race=race, joined_order=place + 1, number=place + 1, player=users[who], state="joined")
            for race, group in zip(made, drawn, strict=True)
            for place, who in enumerate(group)
        ),
        batch_size=500,
    )
    each = iter(seats)
    seated = [
        (fixture, who, place, next(each))
        for fixture, group in zip(fixtures, drawn, strict=True)
        for place, who in enumerate(group, start=1)
    ]
    FixtureSeat.objects.bulk_create(
        (FixtureSeat(fixture=fixture, entrant=entrants[who], seat=seat) for fixture, who, _, seat in seated),
        batch_size=500,
    )
    results = Result.objects.bulk_create(
        (
            Result(
                fixture=fixture, entrant=entrants[who], driver=rows[who], seat=seat, place=place, cars=cars,
                points=cars - place, victory_points=place, wrecks=place % 2, turns=10, on_time=9, is_own=True,
                finished_at=now + timedelta(minutes=fixture.number),
            )
            for fixture, who, place, seat in seated
        ),
        batch_size=500,
    )  # fmt: skip
    Rating.objects.bulk_create(
        (Rating(result=result, driver_id=result.driver_id, mu=25, sigma=5) for result in results), batch_size=500
    )
    return season


def statements_of(season: Season, client: Client) -> list[int]:
    """How many statements each way to look at a league takes."""
    league = season.league
    one, other = LeagueDriver.objects.filter(league=league).order_by("pk")[:2]
    driver = f"drivers/{one.pk}"
    pages = ("", "?page=2", "fixtures", "ratings", driver, f"{driver}/against/{other.pk}", "table.csv", "table.json",
             "results.atom")  # fmt: skip
    read = ("", "/seasons/1/table", "/seasons/1/fixtures", "/seasons/1/entrants", f"/{driver}", f"/{driver}/results",
            f"/{driver}/against/{other.pk}", "/ratings", "/paces")  # fmt: skip
    ways = ["/leagues/", *(f"/leagues/{league.public_id}/{path}" for path in pages)]
    ways += [f"/api/v1/leagues/{league.public_id}{path}" for path in read]
    counted = []
    for path in ways:
        with CaptureQueriesContext(connection) as captured:
            answer = client.get(path)
        assert answer.status_code == 200, path
        counted.append(len(captured))
    return counted


def test_statements_do_not_grow_with_drivers_and_races() -> None:
    host = some_people(1)[0]
    client = Client()
    few: list[int] = []
    with transaction.atomic():
        few = statements_of(long_league(host, drivers=60, races=60), client)
        transaction.set_rollback(True)
    large = long_league(host, drivers=200, races=5000)
    begun = time.perf_counter()
    many = statements_of(large, client)
    took = time.perf_counter() - begun
    assert many == few
    assert max(many) <= 22, many
    # Nineteen looks on a history of twenty thousand results, on whatever machine this is.
    assert took < 30


def test_sums_over_a_long_history_are_those_of_its_rows() -> None:
    season = long_league(some_people(1)[0], drivers=20, races=150)
    (table,) = standings.season_tables(season=season)
    for line in table["lines"]:
        rows = list(Result.objects.filter(entrant=line["entrant"]))
        assert (line["races"], line["points"]) == (len(rows), sum(row.points for row in rows))
        assert line["victory_points"] == sum(row.victory_points or 0 for row in rows)
        assert sum(line["places"].values()) == len(rows)
        assert (line["turns"], line["on_time"]) == (10 * len(rows), 9 * len(rows))
    assert [line["points"] for line in table["lines"]] == sorted(
        (one["points"] for one in table["lines"]), reverse=True
    )


def test_two_drivers_are_compared_in_the_races_in_which_they_met() -> None:
    long_league(some_people(1)[0], drivers=12, races=80)
    one, other = LeagueDriver.objects.order_by("pk")[:2]
    both = standings.head_to_head(one=one, other=other)
    mine = {row.fixture_id: row.place for row in Result.objects.filter(driver=one)}
    theirs = {row.fixture_id: row.place for row in Result.objects.filter(driver=other)}
    met = mine.keys() & theirs.keys()
    assert both["met"] == len(met) == len(both["races"]) > 3
    assert both["one_ahead"] == sum(mine[key] < theirs[key] for key in met)
    assert both["other_ahead"] == sum(mine[key] > theirs[key] for key in met)
    opponents = {row["driver"]: row for row in standings.driver_part(driver=one)["opponents"]}
    assert opponents[other.pk]["met"] == both["met"]
    assert opponents[other.pk]["ahead"] == both["one_ahead"]


def test_progress_adds_up_over_all_races_though_it_shows_the_latest() -> None:
    season = long_league(some_people(1)[0], drivers=4, races=standings.SERIES_MOST + 30)
    driver = LeagueDriver.objects.filter(league=season.league).first()
    assert driver is not None
    steps = standings.progress(driver=driver)
    assert len(steps) == standings.SERIES_MOST
    rows = Result.objects.filter(driver=driver)
    assert steps[-1]["points_so_far"] == sum(row.points for row in rows)
    assert steps[-1]["victory_points_so_far"] == sum(row.victory_points or 0 for row in rows)


# --- The check --------------------------------------------------------------------------


def checked() -> tuple[str, bool]:
    """What standings_check says, and whether it is content."""
    out = StringIO()
    try:
        call_command("standings_check", stdout=out)
    except CommandError as error:
        return out.getvalue() + str(error), False
    return out.getvalue(), True


@pytest.fixture
def closed(clock: time_machine.Traveller) -> Season:
    """A season that has been run to its end."""
    host, *others = some_people(6)
    season = toy_season(toy_league(host), [host, *others], seats=3, divisions=2, races_each=2)
    run_due()
    clock.shift(timedelta(days=7))
    run_due()
    season.refresh_from_db()
    assert season.status == "closed"
    return season


def test_the_check_is_content_with_what_races_have_made(closed: Season) -> None:
    assert closed.pk
    told, is_content = checked()
    assert is_content, told
    assert "Leagues checked: 1" in told


def _without_a_result() -> None:
    result = Result.objects.order_by("pk").first()
    assert result is not None
    Rating.objects.filter(result=result).delete()
    result.delete()


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda: Result.objects.filter(place=1).update(points=99), "points is 99"),
        (lambda: Result.objects.update(wrecks=7), "wrecks is 7"),
        (lambda: LeagueDriver.objects.update(mu=40.0), "is rated 40.000"),
        (lambda: Rating.objects.update(sigma=1.0), "the rating of driver"),
        (lambda: Entrant.objects.filter(final_place=1).update(final_place=3), "is noted in place 3"),
        (lambda: Fixture.objects.update(took_s=1234567), "took_s is 1234567"),
        (_without_a_result, "is missing"),
    ],
)
def test_the_check_names_what_was_changed_by_hand(closed: Season, spoil: Callable[[], object], named: str) -> None:
    spoil()
    told, is_content = checked()
    assert not is_content
    assert named in told


def test_the_check_knows_the_leagues_it_is_asked_for(closed: Season) -> None:
    with pytest.raises(CommandError, match="no league nosuch"):
        call_command("standings_check", "nosuch", stdout=StringIO())
    call_command("standings_check", closed.league.public_id, stdout=StringIO())


def test_a_closed_seasons_table_is_the_one_it_was_closed_with(closed: Season) -> None:
    for table in standings.season_tables(season=closed):
        for line in table["lines"]:
            assert Entrant.objects.get(pk=line["entrant"]).final_place == line["place"]
    assert season_close(season_id=closed.pk).closed_at == closed.closed_at


def test_a_withdrawal_is_seen_in_the_table() -> None:
    host, *others = some_people(3)
    league = toy_league(host)
    season = toy_season(league, [host, *others])
    run_due()
    best = Result.objects.filter(place=1).get().entrant
    entrant_withdraw(entrant_id=best.pk, by=host)
    (table,) = standings.season_tables(season=season)
    assert table["lines"][-1]["entrant"] == best.pk
    assert table["lines"][-1]["state"] == "withdrawn"
    assert table["lines"][-1]["points"] > table["lines"][0]["points"]


# --- What members and others see --------------------------------------------------------


def test_a_league_of_members_is_none_to_others() -> None:
    host, member, stranger = some_people(3)
    league = toy_league(host, is_public=False)
    toy_season(league, [host, member])
    for user, sees in ((host, True), (member, True), (stranger, False), (None, False)):
        client = Client()
        if user is not None:
            client.force_login(user)
        for path in ("", "fixtures", "ratings", "table.csv", "table.json", f"drivers/{driver_of(league, member).pk}"):
            status = client.get(f"/leagues/{league.public_id}/{path}").status_code
            assert status == (200 if sees else 404), (user, path)
        # A feed is read without a session.
        assert client.get(f"/leagues/{league.public_id}/results.atom").status_code == 404
        listed = [one["id"] for one in league_selectors.leagues_of(user=user)]
        assert (league.public_id in listed) == sees
    assert Client().get(f"/leagues/{league.public_id}/?key={league.entry_key}").status_code == 200
    assert Client().get(f"/leagues/{league.public_id}/?key=guess").status_code == 404


# --- The demo ---------------------------------------------------------------------------


def test_the_demo_league_is_made_once_quickly_and_stands_as_its_races_made_it() -> None:
    person = some_people(1)[0]
    begun = time.perf_counter()
    league = demo_league(person=person)
    assert time.perf_counter() - begun < 20
    assert demo_league(person=person) == league
    (season,) = Season.objects.filter(league=league)
    assert season.status == "running"
    counted = {status: season.fixtures.filter(status=status).count() for status in ("done", "running", "planned")}
    assert counted == {"done": 6, "running": 1, "planned": 5}
    assert Race.objects.get(league_fixture__status="running").status == "running"
    assert not OutboxEvent.objects.filter(processed_at=None).exists()
    assert all(one["pace"] for one in standings.paces(league=league, now=timezone.now()))
    told, is_content = checked()
    assert is_content, told
    # What a record holds of victory points is what the last state makes of it.
    assert Result.objects.filter(victory_points__isnull=False).count() == 24


# --- Pace tells nothing of windows ------------------------------------------------------


def in_a_league(race: Race) -> League:
    """The race as the running fixture of a league that has a pace."""
    season = long_league(race.host, drivers=6, races=5)
    division = Division.objects.get(season=season)
    fixture = Fixture.objects.create(
        season=season, division=division, round=9, number=9, on=NOON, first_on=NOON, status="running", race=race
    )
    for seat, entrant in zip(race.seats.order_by("pk"), Entrant.objects.order_by("pk"), strict=False):
        FixtureSeat.objects.create(fixture=fixture, entrant=entrant, seat=seat)
    return season.league


def pace_observer(league: League) -> dict[str, Observer]:
    def pace(race: Race, viewer: Any) -> Any:
        client = Client()
        if viewer is not None:
            client.force_login(viewer.player)
        page = client.get(f"/api/v1/leagues/{league.public_id}/paces")
        assert page.status_code == 200
        assert page.json()[0]["pace"] is not None
        return page.content

    return {"pace": pace}


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_the_pace_does_not_tell_who_was_asked_in_a_window(stage: MakeStage, policy: str) -> None:
    made = stage(policy)
    observers = pace_observer(in_a_league(made.race))
    armed, bare = made.both(observers)
    assert armed.history == bare.history
    assert armed.had_a_choice
    assert not bare.had_a_choice
    assert len(armed.sights) == len(bare.sights) > 20
    assert differences(armed, bare) == []


def test_a_pace_made_of_open_questions_would_be_noticed(stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stage("strict")
    observers = pace_observer(in_a_league(made.race))

    def leaking(**given: Any) -> Any:
        asked = Decision.objects.filter(race=made.race, is_real=True, window__isnull=False).count()
        return pace_of(**{**given, "turn": given["turn"] + asked})

    monkeypatch.setattr("games.selectors.standings.pace_of", leaking)
    assert differences(*made.both(observers)) != []
