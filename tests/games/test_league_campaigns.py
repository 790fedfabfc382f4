"""Leagues whose seasons make campaigns: each is founded on its date, counts once it is won, and shows its cars."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import (
    Campaign,
    CampaignDriver,
    CampaignRace,
    Entrant,
    Fixture,
    FixtureSeat,
    LeagueDriver,
    Posting,
    Race,
    Rating,
    Result,
    Season,
    Seat,
)
from games.selectors import standings
from games.selectors.leagues import Fixtures
from games.services.campaigns import campaign_close, campaign_drive_on, campaign_drop_out
from games.services.errors import FieldRefused
from games.services.league_sweep import leagues_sweep
from games.services.leagues import entrant_withdraw, league_create, season_add_bot, season_create
from games.services.seasons import season_start
from games.services.sweep import sweep
from tests.games.circuits import Circuit, cup_at_hand
from tests.games.leagues import circuit_of, cup_season, entrant_of, some_people

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stands_still(clock: time_machine.Traveller) -> Iterator[time_machine.Traveller]:
    """Cup is a ruleset like any other, and no time passes by itself."""
    with cup_at_hand():
        yield clock


@pytest.fixture
def season() -> Season:
    """A season of three, under way: one campaign of three cars."""
    host, *others = some_people(3)
    return cup_season(host, [host, *others])


@pytest.fixture
def going(season: Season) -> Circuit:
    """Its campaign, in which the first car is asked to buy."""
    assert leagues_sweep().made == 1
    return circuit_of(season.fixtures.get())


def driver_at(going: Circuit, season: Season, car: int) -> Entrant:
    return entrant_of(season, going.driver(car))


def won(going: Circuit) -> None:
    """Two races: car 2 wins the first, car 3 the second and the campaign; car 2 bought P, car 1 nothing."""
    going.answer({"do": "nothing"})
    going.buy("P")
    going.nobody_buys()
    going.call([2, 1, 3], [4, 5, -1])
    going.nobody_buys()
    going.call([3, 1, 2], [1, 2, 9])


# --- The season and its fixtures --------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "given", "field"),
    [
        ("toy", {}, "makes"),
        ("cup", {"makes": "circuits"}, "makes"),
        ("cup", {"options": {"upgrades": {"1": ["P"]}}}, "options"),
        ("cup", {"options": {"speed": 1}}, "options"),
        ("cup", {"seats": 9}, "seats"),
    ],
)
def test_a_season_of_campaigns_that_cannot_be_is_refused_when_it_is_laid_out(
    ruleset: str, given: dict[str, Any], field: str
) -> None:
    host = some_people(1)[0]
    league = league_create(by=host, name="Night league", ruleset=ruleset)
    with pytest.raises(FieldRefused) as refused:
        season_create(
            **{"league_id": league.pk, "by": host, "starts_at": timezone.now(), "makes": "campaigns", **given}
        )
    assert refused.value.field == field


def test_a_fixture_becomes_a_campaign_on_its_date_with_the_seasons_rules(clock: time_machine.Traveller) -> None:
    host, *others = some_people(3)
    season = cup_season(
        host, others, races_each=2, tempo="weekly", absences=1, substitutes="first", holidays_allowed=False
    )
    assert leagues_sweep().made == 1
    assert leagues_sweep().made == 0
    fixture = season.fixtures.order_by("round")[0]
    going = circuit_of(fixture)
    assert (going.row.status, going.row.name, fixture.race) == ("running", "Cup league 1.1", None)
    assert {going.driver(1), going.driver(2)} == set(others)
    assert going.asked == 1
    race = going.last.race
    assert (race.host, race.name, race.is_public) == (host, "Cup league 1.1: race 1", True)
    assert (race.turn_minutes, race.absences_allowed, race.substitutes) == (168 * 60, 1, "first")
    assert not race.holidays_allowed
    going.nobody_buys()
    assert going.last.race.status == "running"
    clock.shift(timedelta(days=30))
    assert leagues_sweep().made == 1
    assert Campaign.objects.count() == 2


def test_a_long_name_of_a_league_is_cut_for_its_campaigns() -> None:
    host, other = some_people(2)
    season = cup_season(host, [host, other], is_started=False)
    season.league.name = "The league of all who drive at night in the desert"[:48]
    season.league.save()
    season_start(season_id=season.pk, by=host)
    leagues_sweep()
    name = circuit_of(season.fixtures.get()).row.name
    assert name == "The league of all who drive at nigh… 1.1"
    assert len(name) == 40


def test_who_has_left_has_no_seat_in_a_campaign(season: Season) -> None:
    entrant_withdraw(entrant_id=Entrant.objects.filter(season=season).latest("pk").pk, by=season.league.host)
    leagues_sweep()
    assert circuit_of(season.fixtures.get()).row.drivers.count() == 2


def test_a_campaign_that_cannot_be_founded_says_why_and_is_tried_again(season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(settings={"options": {"speed": 9}})
    assert leagues_sweep().made == 0
    assert "no option" in season.fixtures.get().trouble
    assert not Race.objects.exists()
    assert not Campaign.objects.exists()
    Season.objects.filter(pk=season.pk).update(settings={})
    assert leagues_sweep().made == 1
    assert season.fixtures.get().trouble == ""


def test_a_process_that_dies_behind_the_founding_leaves_the_purchases_to_the_next_sweep(
    season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as dying:
        dying.setattr("games.services.seasons.campaign_attend", _die)
        with pytest.raises(SystemExit):
            leagues_sweep()
    fixture = season.fixtures.get()
    assert fixture.status == "running"
    assert circuit_of(fixture).open is None
    sweep()
    assert circuit_of(fixture).asked == 1
    assert leagues_sweep().made == 0


def test_a_process_that_dies_in_the_founding_leaves_nothing(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as dying:
        dying.setattr("games.services.seasons.start", _die)
        with pytest.raises(SystemExit):
            leagues_sweep()
    assert not Campaign.objects.exists()
    assert season.fixtures.get().status == "planned"
    assert leagues_sweep().made == 1


def _die(*_given: object, **_more: object) -> None:
    raise SystemExit


# --- What a campaign counts -------------------------------------------------------------


def test_a_campaign_counts_once_it_is_won_and_as_a_race_does(season: Season, going: Circuit) -> None:
    going.nobody_buys()
    going.call([2, 1, 3], [4, 5, -1])
    assert leagues_sweep().finished == 0
    assert not Result.objects.exists()
    going.nobody_buys()
    going.call([3, 1, 2], [1, 2, 9])
    assert going.row.winner == 3
    assert leagues_sweep().finished == 1
    assert leagues_sweep().finished == 0
    told = {row.seat.number: row for row in Result.objects.select_related("seat")}
    # 3 + 4 + 1 = 8 for car 1, 3 + 5 + 2 = 10 for car 2, 3 - 1 + 9 = 11 for car 3.
    assert {car: (row.place, row.points, row.victory_points) for car, row in told.items()} == {
        1: (3, 1, 5),
        2: (2, 2, 7),
        3: (1, 4, 8),
    }
    assert {car: (row.races, row.races_won, row.cars, row.is_own) for car, row in told.items()} == {
        1: (2, 0, 3, True),
        2: (2, 1, 3, True),
        3: (2, 1, 3, True),
    }
    assert {row.seat.race for row in told.values()} == {going.last.race}
    assert {row.finished_at for row in told.values()} == {going.row.ended_at}
    assert {car: row.entrant for car, row in told.items()} == {car: driver_at(going, season, car) for car in (1, 2, 3)}
    fixture = season.fixtures.get()
    assert fixture.status == "done"
    season.refresh_from_db()
    assert season.status == "closed"
    assert Rating.objects.count() == 3
    best = LeagueDriver.objects.order_by("-mu").first()
    assert best is not None
    assert best.player == going.driver(3)


def test_the_winner_is_first_though_another_has_more_points(going: Circuit) -> None:
    going.nobody_buys()
    going.call([1, 2, 3], [2, 9, 0])
    going.nobody_buys()
    going.call([3, 1, 2], [0, 1, 8])
    assert going.balances() == [5, 13, 11]
    leagues_sweep()
    assert dict(Result.objects.values_list("seat__number", "place")) == {3: 1, 2: 2, 1: 3}
    (told,) = Fixtures(season=Season.objects.get())[:5]
    assert [car["car"] for car in told["campaign"]["cars"]] == [3, 2, 1]


def test_behind_the_winner_points_in_the_ledger_decide_then_races_won_then_the_last_race(going: Circuit) -> None:
    # Car 2 earns most, spends five, and ends with as many points as car 1, who has won no race.
    going.answer({"do": "nothing"})
    going.buy("Q")
    going.nobody_buys()
    going.call([2, 1, 3], [4, 6, 1])
    going.nobody_buys()
    going.call([3, 1, 2], [0, 0, 8])
    assert going.balances() == [7, 7, 12]
    leagues_sweep()
    assert dict(Result.objects.values_list("seat__number", "place")) == {3: 1, 2: 2, 1: 3}
    assert dict(Result.objects.values_list("seat__number", "victory_points")) == {3: 9, 2: 6, 1: 4}


def test_a_campaign_of_bots_counts_and_the_check_makes_all_of_it_anew() -> None:
    host = some_people(1)[0]
    season = cup_season(host, [], is_started=False, seats=4, divisions=2, races_each=1)
    for _ in range(8):
        season_add_bot(season_id=season.pk, by=host)
    season_start(season_id=season.pk, by=host)
    leagues_sweep()
    for _ in range(3000):
        if not Fixture.objects.filter(campaign__status="running").exists():
            break
        sweep(now=timezone.now() + timedelta(days=30))
    leagues_sweep()
    season.refresh_from_db()
    assert season.status == "closed"
    assert Result.objects.count() == 8
    down = Entrant.objects.get(season=season, division__rank=1, final_place=4)
    up = Entrant.objects.get(season=season, division__rank=2, final_place=1)
    assert (down.next_rank, up.next_rank) == (2, 1)
    told, is_content = checked()
    assert is_content, told


def test_a_campaign_that_was_closed_counts_for_nothing_and_holds_nothing_up(season: Season, going: Circuit) -> None:
    campaign_close(campaign_id=going.pk, by=season.league.host)
    assert leagues_sweep().finished == 1
    fixture = season.fixtures.get()
    assert (fixture.status, fixture.trouble) == ("void", "The campaign was closed before anybody had won it.")
    assert not Result.objects.exists()
    season.refresh_from_db()
    assert season.status == "closed"


def test_who_drove_a_car_to_the_end_is_rated_and_the_entrant_has_the_points(season: Season, going: Circuit) -> None:
    dora = some_people(4)[3]
    former = going.driver(2)
    campaign_drop_out(campaign_id=going.pk, by=former)
    campaign_drive_on(campaign_id=going.pk, by=dora, car=2)
    going.nobody_buys()
    going.call([2, 1, 3], [0, 9, 0])
    leagues_sweep()
    result = Result.objects.get(place=1)
    assert result.entrant == entrant_of(season, former)
    assert not result.is_own
    assert Rating.objects.count() == 2


def checked() -> tuple[str, bool]:
    """What standings_check says, and whether it is content."""
    out = StringIO()
    try:
        call_command("standings_check", stdout=out)
    except CommandError as error:
        return out.getvalue() + str(error), False
    return out.getvalue(), True


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"points": 99}, "campaign 1.1, entrant"),
        ({"races": 7}, "races is 7, and the campaign makes it 2"),
        ({"victory_points": 70}, "victory_points is 70"),
    ],
)
def test_the_check_names_what_was_changed_by_hand(going: Circuit, change: dict[str, int], named: str) -> None:
    won(going)
    leagues_sweep()
    assert checked()[1]
    Result.objects.update(**change)
    told, is_content = checked()
    assert not is_content
    assert named in told


def test_the_check_knows_a_campaign_that_is_not_over(season: Season, going: Circuit) -> None:
    season.fixtures.update(status="done")
    told, is_content = checked()
    assert not is_content
    assert "campaign 1.1 counts as over, and is not" in told


# --- What is shown ----------------------------------------------------------------------


def test_the_table_counts_campaigns_and_the_races_that_they_took(season: Season, going: Circuit) -> None:
    won(going)
    leagues_sweep()
    (table,) = standings.season_tables(season=season)
    first = table["lines"][0]
    assert (first["races"], first["wins"], first["races_run"], first["races_won"]) == (1, 1, 2, 1)
    assert [line["points"] for line in table["lines"]] == [4, 2, 1]


def test_a_fixture_shows_each_cars_points_and_upgrades_as_the_ledger_has_them(season: Season, going: Circuit) -> None:
    going.buy("P")
    going.buy("Q")
    going.answer({"do": "nothing"})
    going.call([3, 2, 1], [2, 2, 2], lost="Q")
    going.buy("R")
    (told,) = Fixtures(season=season)[:5]
    campaign = told["campaign"]
    assert (told["race"], campaign["id"], campaign["race"], campaign["status"]) == (
        None,
        going.row.public_id,
        2,
        "running",
    )
    cars = {car["car"]: car for car in campaign["cars"]}
    ledger = {driver.car: driver.postings.latest("number").balance for driver in going.row.drivers.all()}
    assert {number: car["points"] for number, car in cars.items()} == ledger
    assert cars[1]["upgrades"] == [{"letter": "P", "name": "Part P"}]
    assert cars[2]["upgrades"] == []
    assert cars[3]["upgrades"] == [{"letter": "R", "name": "Part R"}]
    assert cars[3]["races_won"] == 1
    driver = driver_at(going, season, 3).driver
    (own,) = standings.driver_part(driver=driver)["campaigns"]
    assert own["car"] == cars[3]
    assert (own["season"], own["fixture"], own["campaign"]["id"]) == (1, 1, going.row.public_id)


def test_results_and_meetings_name_the_campaign(season: Season, going: Circuit) -> None:
    won(going)
    leagues_sweep()
    one, other = LeagueDriver.objects.order_by("pk")[:2]
    (row,) = standings.DriverResults(driver=one)[:5]
    assert (row["race"], row["campaign"], row["races_run"]) == (None, going.row.public_id, 2)
    (met,) = standings.head_to_head(one=one, other=other)["races"]
    assert met["campaign"] == going.row.public_id


def test_the_pace_is_of_the_race_under_way_and_made_of_the_campaigns_races(
    season: Season, going: Circuit, clock: time_machine.Traveller
) -> None:
    going.nobody_buys()
    assert [one["race"] for one in standings.paces(league=season.league, now=timezone.now())] == [
        going.last.race.public_id
    ]
    for _ in range(3):
        Race.objects.filter(pk=going.last.race.pk).update(turn_mark="12:1")
        clock.shift(timedelta(hours=24))
        going.call([1, 2, 3], [0, 0, 0])
        assert standings.paces(league=season.league, now=timezone.now()) == []
        going.nobody_buys()
    (told,) = standings.paces(league=season.league, now=timezone.now())
    assert (told["campaign"], told["number"], told["name"]) == (going.row.public_id, 1, "Cup league 1.1: race 4")
    assert told["pace"]["based_on"] == 3
    # It is in its first turn, and so far it has taken no time.
    assert told["pace"]["turns_left"] == 11
    assert told["pace"]["turn_seconds"] == 2 * 3600 * 11 // 12


def test_a_seat_of_the_last_race_is_that_of_the_car(season: Season, going: Circuit) -> None:
    won(going)
    leagues_sweep()
    for result in Result.objects.select_related("seat"):
        first = Seat.objects.get(league_seat__entrant=result.entrant)
        assert first.number == result.seat.number
        assert first.race != result.seat.race


def played_out(number: int, *, running: int) -> Season:
    """A season with so many campaigns of three cars behind it, by rows alone, and some under way."""
    host = some_people(1)[0]
    season = cup_season(host, [], is_started=False, races_each=2)
    for _ in range(6):
        season_add_bot(season_id=season.pk, by=host)
    season_start(season_id=season.pk, by=host)
    leagues_sweep()
    first = season.fixtures.order_by("number")[0]
    assert first.campaign is not None
    entrants = [one.entrant for one in first.drawn.select_related("entrant__driver")]
    for place in range(number + running):
        race = Race.objects.get(campaign_race__campaign=first.campaign, campaign_race__number=1)
        race.pk, race.public_id, race.name = None, f"more{place}", f"More {place}"
        race.status, race.started_at, race.rules_version = "open", None, None
        race.outcome, race.finished_at = None, None
        race.save()
        campaign = Campaign.objects.create(
            public_id=f"more{place}", name=f"More {place}", ruleset="cup", created_at=timezone.now(), status="running"
        )
        CampaignRace.objects.create(campaign=campaign, number=1, race=race)
        fixture = Fixture.objects.create(
            season=season, division=first.division, round=9, number=100 + place, on=timezone.now(),
            first_on=timezone.now(), status="running", campaign=campaign,
        )  # fmt: skip
        for car, entrant in enumerate(entrants, 1):
            driver = CampaignDriver.objects.create(campaign=campaign, car=car, bot="driver", name=f"Bot {car}")
            seat = Seat.objects.create(race=race, joined_order=car, number=car, bot="driver", state="joined")
            FixtureSeat.objects.create(fixture=fixture, entrant=entrant, seat=seat)
            Posting.objects.create(
                campaign=campaign, number=car, driver=driver, kind="opening", points=3, balance=3, rule="7.1",
                source=f"opening/{car}", created_at=timezone.now(),
            )  # fmt: skip
            if place < number:
                Result.objects.create(
                    fixture=fixture, entrant=entrant, driver=entrant.driver, seat=seat, place=car, cars=3, points=3,
                    races=4, wrecks=0, turns=1, on_time=1, is_own=True, finished_at=timezone.now(),
                )  # fmt: skip
        if place < number:
            Fixture.objects.filter(pk=fixture.pk).update(status="done")
    return season


def statements_of(season: Season) -> dict[str, int]:
    """How many statements each way to look at a league takes."""
    base, client = f"leagues/{season.league.public_id}", Client()
    driver = f"drivers/{FixtureSeat.objects.order_by('pk')[0].entrant.driver_id}"
    ways = [f"/{base}/{path}" for path in ("", "fixtures", driver, "table.csv")]
    ways += [f"/api/v1/{base}{path}" for path in ("/paces", "/seasons/1/fixtures?page_size=100", f"/{driver}")]
    counted = {}
    for path in ways:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path).status_code == 200, path
        counted[path.partition(season.league.public_id)[2].replace(driver, "driver")] = len(captured)
    return counted


def test_statements_do_not_grow_with_campaigns() -> None:
    with transaction.atomic():
        few = statements_of(played_out(3, running=1))
        transaction.set_rollback(True)
    many = statements_of(played_out(60, running=20))
    assert many == few
    assert max(many.values()) <= 32, many
