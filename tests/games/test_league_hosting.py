"""Leagues whose hosts are away, and races that are annulled: so that nothing holds a season up for good."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from games.models import (
    CampaignRace,
    Fixture,
    League,
    LeagueDriver,
    OutboxEvent,
    Race,
    RaceNote,
    Rating,
    Result,
    Season,
)
from games.selectors.leagues import Fixtures, league_get, league_part
from games.selectors.standings import season_tables
from games.services.errors import FieldRefused, HostNotAway, LeagueUnknown, NotHost, SeasonRefused
from games.services.hosting import host_seen, league_host_seen, league_host_take, league_hosts_relieve
from games.services.league_sweep import leagues_sweep
from games.services.leagues import league_create, league_update, season_add_bot, season_leave
from games.services.seasons import fixture_annul, season_close
from games.services.standings_check import differences_of
from games.tempo import tempos
from roadkill_site.accounts.models import User
from tests.games.circuits import cup_at_hand
from tests.games.conftest import NOON
from tests.games.leagues import (
    circuit_of,
    cup_season,
    driver_of,
    entrant_of,
    run_due,
    run_out,
    some_people,
    toy_league,
    toy_season,
)

pytestmark = pytest.mark.django_db
Clock = time_machine.Traveller
WEEK = timedelta(days=7)


@pytest.fixture(autouse=True)
def stands_still(clock: Clock) -> Iterator[Clock]:
    """Cup is a ruleset like any other, and no time passes by itself."""
    with cup_at_hand():
        yield clock


@pytest.fixture
def season() -> Season:
    """Alice hosts and does not drive; Bob came to the league before Charlie and Dora; there is a bot."""
    alice, bob, charlie, dora = some_people(4)
    season = toy_season(toy_league(alice), [bob, charlie, dora], is_started=False, seats=4)
    season_add_bot(season_id=season.pk, by=alice)
    return season


def hosts(league: League) -> str:
    league.refresh_from_db()
    return league.host.display_name


# --- A host who is away -----------------------------------------------------------------


def test_whoever_came_first_takes_a_league_over_from_a_host_who_is_away(season: Season, clock: Clock) -> None:
    alice, bob, charlie, _ = some_people(4)
    league = season.league
    clock.shift(WEEK - timedelta(minutes=1))
    with pytest.raises(HostNotAway, match="7 days"):
        league_host_take(league_id=league.pk, by=bob)
    clock.shift(timedelta(minutes=1))
    with pytest.raises(NotHost, match="now that is Bob"):
        league_host_take(league_id=league.pk, by=charlie)
    assert not league_part(league=league, user=charlie)["may_take_over"]
    assert league_part(league=league, user=bob)["may_take_over"]
    for _ in range(2):
        league_host_take(league_id=league.pk, by=bob)
    assert hosts(league) == "Bob"
    part = league_part(league=league_get(public_id=league.public_id, user=alice), user=alice)
    assert part["taken_over"] == {"at": "2026-06-08T12:00:00Z", "taken_from": "Alice"}
    assert not part["is_host"]
    with pytest.raises(HostNotAway):
        league_host_take(league_id=league.pk, by=charlie)
    with pytest.raises(LeagueUnknown):
        league_host_take(league_id=10**6, by=bob)


def test_after_twice_as_long_anybody_who_takes_part_may(season: Season, clock: Clock) -> None:
    _, _, charlie, dora = some_people(4)
    stranger = some_people(5)[4]
    clock.shift(2 * WEEK)
    season_leave(season_id=season.pk, by=charlie)
    for one in (charlie, stranger):
        with pytest.raises(NotHost):
            league_host_take(league_id=season.league_id, by=one)
    league_host_take(league_id=season.league_id, by=dora)
    assert hosts(season.league) == "Dora"


def test_a_look_of_the_host_at_the_league_or_at_a_race_of_it_counts(season: Season, clock: Clock) -> None:
    alice, bob, *_ = some_people(4)
    leagues_sweep()
    (race,) = Race.objects.all()
    clock.shift(WEEK)
    league_host_seen(league=season.league, by=bob, now=NOON + WEEK)
    assert league_part(league=season.league, user=bob)["may_take_over"]
    host_seen(race=race, by=alice, now=NOON + WEEK)
    assert not league_part(league=season.league, user=bob)["may_take_over"]
    with pytest.raises(HostNotAway):
        league_host_take(league_id=season.league_id, by=bob)
    clock.shift(WEEK)
    season.league.refresh_from_db()
    assert league_part(league=season.league, user=bob)["may_take_over"]
    league_host_seen(league=season.league, by=alice, now=NOON + 2 * WEEK)
    season.league.refresh_from_db()
    assert not league_part(league=season.league, user=bob)["may_take_over"]


def test_nobody_takes_over_a_league_in_which_nobody_takes_part(clock: Clock) -> None:
    alice, bob = some_people(2)
    league = toy_league(alice)
    clock.shift(2 * WEEK)
    with pytest.raises(NotHost, match="takes part"):
        league_host_take(league_id=league.pk, by=bob)


def test_races_under_way_come_with_the_league_and_the_former_host_is_told(season: Season, clock: Clock) -> None:
    alice, bob, charlie, _ = some_people(4)
    # All at once, so that two run; one of them has been handed to Charlie before.
    Season.objects.filter(pk=season.pk).update(every_days=0)
    leagues_sweep()
    first, second = Race.objects.order_by("pk")
    Race.objects.filter(pk=second.pk).update(host=charlie)
    clock.shift(WEEK)
    league_host_take(league_id=season.league_id, by=bob)
    assert dict(Race.objects.values_list("pk", "host__display_name")) == {first.pk: "Bob", second.pk: "Charlie"}
    told = OutboxEvent.objects.filter(kind__startswith="host_").values_list("kind", "player__display_name", "race")
    assert list(told) == [("host_lost", "Alice", first.pk)]
    assert alice.pk != Race.objects.get(pk=first.pk).host_id


def test_a_campaigns_next_race_has_the_new_host_too(clock: Clock) -> None:
    alice, bob, charlie = some_people(3)
    season = cup_season(alice, [bob, charlie])
    leagues_sweep()
    going = circuit_of(season.fixtures.get())
    clock.shift(WEEK)
    league_host_take(league_id=season.league_id, by=bob)
    going.nobody_buys()
    going.call([1, 2], [1, 1])
    assert going.last.number == 2
    assert set(CampaignRace.objects.values_list("race__host__display_name", flat=True)) == {"Bob"}


def test_an_operator_relieves_a_host_and_a_league_without_drivers_keeps_its_own(season: Season) -> None:
    alice = some_people(1)[0]
    empty = league_create(by=alice, name="Empty league", ruleset="toy")
    assert league_hosts_relieve(league_ids=[season.league_id, empty.pk]) == 1
    assert (hosts(season.league), hosts(empty)) == ("Bob", "Alice")


def test_who_is_handed_a_league_took_it_from_nobody(season: Season, clock: Clock) -> None:
    _, bob, charlie, _ = some_people(4)
    clock.shift(WEEK)
    league_host_take(league_id=season.league_id, by=bob)
    league_update(league_id=season.league_id, by=bob, host=driver_of(season.league, charlie).pk)
    assert hosts(season.league) == "Charlie"
    assert league_part(league=season.league, user=bob)["taken_over"] is None


# --- Annulled ---------------------------------------------------------------------------


def test_a_race_that_cannot_go_on_is_annulled_and_holds_its_season_up_no_more(season: Season) -> None:
    alice, bob, *_ = some_people(4)
    leagues_sweep()
    fixture = season.fixtures.get(status="running")
    with pytest.raises(SeasonRefused, match="can be annulled"):
        season_close(season_id=season.pk, by=alice)
    with pytest.raises(NotHost):
        fixture_annul(fixture_id=fixture.pk, by=bob, note="Mine")
    with pytest.raises(FieldRefused):
        fixture_annul(fixture_id=fixture.pk, by=alice, note="  ")
    for _ in range(2):
        fixture_annul(fixture_id=fixture.pk, by=alice, note="Its  record was lost.")
    (told,) = Fixtures(season=season, is_annulled=True)[:5]
    assert (told["status"], told["is_annulled"], told["trouble"]) == ("void", True, "Its record was lost.")
    note = RaceNote.objects.get()
    assert note.race == fixture.race
    assert "does not count there: Its record was lost." in note.text
    assert "Sunday cup" not in note.text
    assert fixture.race is not None
    run_out(fixture.race)
    assert leagues_sweep().finished == 0
    assert not Result.objects.exists()
    season_close(season_id=season.pk, by=alice)
    assert Season.objects.get().status == "closed"
    with pytest.raises(SeasonRefused, match="over"):
        fixture_annul(fixture_id=season.fixtures.latest("round").pk, by=alice, note="Too late")


def test_a_result_that_is_annulled_is_taken_out_of_table_and_ratings(season: Season, clock: Clock) -> None:
    alice, bob, *_ = some_people(4)
    season.league.refresh_from_db()
    run_due()
    clock.shift(WEEK)
    alone = dict(LeagueDriver.objects.values_list("pk", "mu"))
    before = season_tables(season=season)
    leagues_sweep()
    second = season.fixtures.get(status="running")
    assert second.race is not None
    run_out(second.race)
    Season.objects.filter(pk=season.pk).update(every_days=1)
    # The last race is over: another fixture keeps the season under way.
    Fixture.objects.create(
        season=season, division=second.division, round=3, number=9, on=NOON + 9 * WEEK, first_on=NOON + 9 * WEEK
    )
    leagues_sweep()
    assert Result.objects.count() == 8
    assert dict(LeagueDriver.objects.values_list("pk", "mu")) != alone
    first = season.fixtures.get(round=1)
    fixture_annul(fixture_id=second.pk, by=alice, note="Two drove one car.")
    assert dict(LeagueDriver.objects.values_list("pk", "mu")) == alone
    assert season_tables(season=season) == before
    assert set(Result.objects.values_list("fixture", flat=True)) == {first.pk}
    assert Rating.objects.count() == 4
    assert list(differences_of(league=season.league)) == []
    assert entrant_of(season, bob).results.count() == 1


def test_what_has_not_begun_is_called_off_and_not_annulled(season: Season) -> None:
    leagues_sweep()
    planned = season.fixtures.get(status="planned")
    with pytest.raises(SeasonRefused, match="called off, not annulled"):
        fixture_annul(fixture_id=planned.pk, by=season.league.host, note="No")


def test_a_campaign_that_is_annulled_goes_on_and_counts_for_nothing() -> None:
    alice, bob = some_people(2)
    season = cup_season(alice, [alice, bob])
    leagues_sweep()
    fixture = season.fixtures.get()
    going = circuit_of(fixture)
    going.nobody_buys()
    fixture_annul(fixture_id=fixture.pk, by=alice, note="Bob was never asked.")
    assert "does not count" in RaceNote.objects.get().text
    going.call([1, 2], [9, 0])
    assert going.row.status == "finished"
    leagues_sweep()
    assert not Result.objects.exists()
    assert Season.objects.get().status == "closed"


def test_a_fixture_says_that_something_is_broken(season: Season) -> None:
    leagues_sweep()
    assert not Fixtures(season=season, status="running")[0]["is_stopped"]
    Race.objects.update(fault="the snapshot is broken", fault_at=NOON)
    assert Fixtures(season=season, status="running")[0]["is_stopped"]


# --- Closed and opened ------------------------------------------------------------------


def test_a_league_that_is_closed_takes_its_races_with_it(season: Season) -> None:
    alice = some_people(1)[0]
    run_due()
    campaigns = cup_season(alice, some_people(3)[1:])
    leagues_sweep()
    going = circuit_of(campaigns.fixtures.get())
    other = Race.objects.create(**lone_race(alice))
    for league in (season.league, campaigns.league):
        league_update(league_id=league.pk, by=alice, is_public=False)
    assert list(Race.objects.filter(is_public=True)) == [other]
    going.nobody_buys()
    going.call([1, 2], [1, 1])
    assert not going.last.race.is_public


def test_a_league_that_is_opened_opens_what_it_makes_from_then_on(clock: Clock) -> None:
    alice, bob, charlie = some_people(3)
    league = toy_league(alice, is_public=False)
    toy_season(league, [alice, bob, charlie])
    leagues_sweep()
    league_update(league_id=league.pk, by=alice, is_public=True)
    clock.shift(WEEK)
    leagues_sweep()
    assert list(Race.objects.order_by("pk").values_list("is_public", flat=True)) == [False, True]


def lone_race(host: User) -> dict[str, Any]:
    """The fields of a public race that no league has made."""
    turn, reaction = tempos.tempo_minutes(tempo="daily")
    return {
        "public_id": "alone", "name": "Alone", "ruleset": "toy", "seats_wanted": 2, "host": host, "turn_minutes": turn,
        "reaction_minutes": reaction, "policy": "strict", "is_public": True, "secret": b"s" * 32, "commitment": "c",
        "host_seen_at": NOON, "created_at": NOON,
    }  # fmt: skip
