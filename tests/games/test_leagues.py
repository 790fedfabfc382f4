"""Leagues: who enters, how fixtures are drawn and become races, what races are worth, how a season ends."""

from collections import Counter
from datetime import timedelta
from io import StringIO
from itertools import combinations
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from games.models import Division, Entrant, Fixture, FixtureSeat, LeagueDriver, Race, Rating, Result, Season, Seat
from games.selectors.standings import season_tables
from games.services.errors import FieldRefused, InvitationRefused, NotHost, SeasonRefused
from games.services.league_sweep import leagues_sweep
from games.services.leagues import (
    entrant_withdraw,
    league_create,
    league_update,
    season_add_bot,
    season_cancel,
    season_create,
    season_enter,
    season_leave,
)
from games.services.results import fixture_finish
from games.services.seasons import fixture_make, fixture_postpone, fixture_void, season_close, season_start
from tests.games.conftest import NOON
from tests.games.leagues import entrant_of, run_due, run_out, some_people, toy_league, toy_season

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stands_still(clock: time_machine.Traveller) -> time_machine.Traveller:
    return clock


# --- Making and entering ----------------------------------------------------------------


def test_a_form_sent_twice_makes_one_league() -> None:
    host = some_people(1)[0]
    toy_league(host)
    with pytest.raises(FieldRefused, match="already"):
        league_create(by=host, name="sunday CUP", ruleset="toy")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"races_each": 0}, "races_each"),
        ({"races_each": True}, "races_each"),
        ({"every_days": 367}, "every_days"),
        ({"divisions": 0}, "divisions"),
        ({"moving": -1}, "moving"),
        ({"seats": 1}, "seats"),
        ({"tempo": "lightning"}, "tempo"),
        ({"policy": "guess"}, "policy"),
        ({"absences": 0}, "absences"),
        ({"is_public": True}, "is_public"),
        ({"tie_breaks": ["points", "points"]}, "tie_breaks"),
        ({"tie_breaks": ["beauty"]}, "tie_breaks"),
        ({"makes": "campaigns"}, "makes"),
        ({"starts_at": NOON + timedelta(days=400)}, "starts_at"),
        ({"starts_at": NOON - timedelta(days=2)}, "starts_at"),
    ],
)
def test_a_season_that_cannot_be_is_refused_when_it_is_laid_out(given: dict[str, Any], field: str) -> None:
    host = some_people(1)[0]
    league = toy_league(host)
    with pytest.raises(FieldRefused) as refused:
        season_create(**{"league_id": league.pk, "by": host, "starts_at": timezone.now(), **given})
    assert refused.value.field == field
    assert not Season.objects.exists()


def test_a_league_is_handed_over_to_a_person_who_drives_in_it() -> None:
    host, friend, third = some_people(3)
    league = toy_league(host)
    season = toy_season(league, [host, friend, third], is_started=False)
    bot = season_add_bot(season_id=season.pk, by=host)
    with pytest.raises(FieldRefused, match="bot cannot host"):
        league_update(league_id=league.pk, by=host, host=bot.driver_id)
    league_update(league_id=league.pk, by=host, host=entrant_of(season, friend).driver_id)
    with pytest.raises(NotHost):
        season_start(season_id=season.pk, by=host)
    season_start(season_id=season.pk, by=friend)
    leagues_sweep()
    assert set(Race.objects.values_list("host", flat=True)) == {friend.pk}


def test_one_season_at_a_time_and_its_number_goes_on() -> None:
    host, *_ = some_people(3)
    league = toy_league(host)
    season = toy_season(league, [], is_started=False)
    with pytest.raises(SeasonRefused, match="open or under way"):
        toy_season(league, [], is_started=False)
    season_cancel(season_id=season.pk, by=host)
    season_cancel(season_id=season.pk, by=host)
    assert toy_season(league, [], is_started=False).number == 2


def test_only_the_host_does_what_is_the_hosts() -> None:
    host, other, third = some_people(3)
    league = toy_league(host)
    season = toy_season(league, [other, third])
    fixture = season.fixtures.first()
    assert fixture is not None
    for act in (
        lambda: season_create(league_id=league.pk, by=other, starts_at=timezone.now()),
        lambda: season_cancel(season_id=season.pk, by=other),
        lambda: season_close(season_id=season.pk, by=other),
        lambda: season_start(season_id=season.pk, by=other),
        lambda: season_add_bot(season_id=season.pk, by=other),
        lambda: entrant_withdraw(entrant_id=entrant_of(season, third).pk, by=other),
        lambda: fixture_postpone(fixture_id=fixture.pk, by=other, to=NOON + timedelta(days=9)),
        lambda: fixture_void(fixture_id=fixture.pk, by=other),
        lambda: league_update(league_id=league.pk, by=other, name="Mine"),
    ):
        with pytest.raises(NotHost):
            act()


def test_a_league_for_members_takes_the_hosts_link_and_a_new_link_voids_the_old_one() -> None:
    host, friend, stranger = some_people(3)
    league = toy_league(host, is_public=False)
    season = toy_season(league, [host], is_started=False)
    with pytest.raises(InvitationRefused):
        season_enter(season_id=season.pk, by=stranger, key="guess")
    old = league.entry_key
    season_enter(season_id=season.pk, by=friend, key=old)
    league_update(league_id=league.pk, by=host, new_key=True)
    with pytest.raises(InvitationRefused):
        season_enter(season_id=season.pk, by=stranger, key=old)
    season_leave(season_id=season.pk, by=friend)
    # Who has been in it needs no link any more.
    season_enter(season_id=season.pk, by=friend)
    assert Entrant.objects.filter(season=season, state="entered").count() == 2


def test_entering_twice_is_entering_once_and_nobody_enters_a_season_under_way() -> None:
    host, other, late = some_people(3)
    league = toy_league(host)
    season = toy_season(league, [host, other], is_started=False)
    first = season_enter(season_id=season.pk, by=other)
    assert season_enter(season_id=season.pk, by=other) == first
    season_start(season_id=season.pk, by=host)
    assert season_enter(season_id=season.pk, by=other) == first
    with pytest.raises(SeasonRefused, match="next one"):
        season_enter(season_id=season.pk, by=late)


def test_whom_the_host_has_withdrawn_does_not_come_back_in_that_season() -> None:
    host, other = some_people(2)
    season = toy_season(toy_league(host), [host, other], is_started=False)
    entrant_withdraw(entrant_id=entrant_of(season, other).pk, by=host)
    with pytest.raises(SeasonRefused, match="withdrawn"):
        season_enter(season_id=season.pk, by=other)


def test_bots_keep_their_names_from_season_to_season() -> None:
    host = some_people(1)[0]
    league = toy_league(host)
    season = toy_season(league, [], is_started=False)
    names = {season_add_bot(season_id=season.pk, by=host).driver.shown_name for _ in range(12)}
    assert len(names) == 12
    season_cancel(season_id=season.pk, by=host)
    again = toy_season(league, [], is_started=False)
    assert {season_add_bot(season_id=again.pk, by=host).driver.shown_name for _ in range(12)} == names


# --- The draw ---------------------------------------------------------------------------


def drawn(season: Season) -> list[tuple[int, tuple[str, ...]]]:
    return [
        (fixture.round, tuple(sorted(one.entrant.driver.shown_name for one in fixture.drawn.all())))
        for fixture in season.fixtures.order_by("number")
    ]


def test_everybody_races_equally_often_once_a_round_a_week_apart() -> None:
    host, *others = some_people(7)
    season = toy_season(toy_league(host), [host, *others], seats=3, races_each=4)
    rounds = drawn(season)
    assert Counter(name for _, group in rounds for name in group) == dict.fromkeys(
        [one.display_name for one in (host, *others)], 4
    )
    for number in range(1, 5):
        names = [name for round_, group in rounds if round_ == number for name in group]
        assert len(names) == len(set(names)) == 7
    assert sorted(len(group) for round_, group in rounds if round_ == 1) == [2, 2, 3]
    assert {one.on for one in season.fixtures.all()} == {NOON + timedelta(days=7 * n) for n in range(4)}


def test_starting_twice_is_starting_once() -> None:
    host, *others = some_people(5)
    season = toy_season(toy_league(host), [host, *others])
    before = drawn(season)
    season_start(season_id=season.pk, by=host)
    assert drawn(season) == before
    assert FixtureSeat.objects.count() == 10


def test_a_season_with_one_entrant_waits_for_another_and_then_starts_by_itself() -> None:
    host, other = some_people(2)
    season = toy_season(toy_league(host), [host], is_started=False)
    with pytest.raises(SeasonRefused, match="two entrants"):
        season_start(season_id=season.pk, by=host)
    assert leagues_sweep().started == 0
    season_enter(season_id=season.pk, by=other)
    assert leagues_sweep().started == 1
    season.refresh_from_db()
    assert season.status == "running"


# --- Fixtures become races --------------------------------------------------------------


def test_a_fixture_becomes_a_race_on_its_date_and_only_once(clock: time_machine.Traveller) -> None:
    host, *others = some_people(3)
    league = toy_league(host)
    season = toy_season(
        league, [host, *others], tempo="weekly", absences=1, substitutes="first", holidays_allowed=False
    )
    assert leagues_sweep().made == 1
    assert leagues_sweep().made == 0
    race = Race.objects.get()
    assert race.status == "running"
    assert race.is_public
    assert (race.turn_minutes, race.absences_allowed, race.substitutes) == (168 * 60, 1, "first")
    assert not race.holidays_allowed
    assert {seat.shown_name for seat in race.seats.all()} == {"Alice", "Bob", "Charlie"}
    fixture = season.fixtures.get(race=race)
    assert fixture_make(fixture_id=fixture.pk, now=timezone.now()) is None
    clock.shift(timedelta(days=7))
    assert leagues_sweep().made == 1


def test_who_has_left_has_no_seat_and_a_fixture_of_one_is_called_off(clock: time_machine.Traveller) -> None:
    host, bob, charlie = some_people(3)
    season = toy_season(toy_league(host), [host, bob, charlie])
    season_leave(season_id=season.pk, by=bob)
    season_leave(season_id=season.pk, by=bob)
    leagues_sweep()
    assert {seat.shown_name for seat in Race.objects.get().seats.all()} == {"Alice", "Charlie"}
    entrant_withdraw(entrant_id=entrant_of(season, charlie).pk, by=host)
    clock.shift(timedelta(days=7))
    leagues_sweep()
    assert [one.status for one in season.fixtures.order_by("round")] == ["running", "void"]


def test_the_sweep_by_hand_looks_after_leagues_too() -> None:
    host, *others = some_people(3)
    toy_season(toy_league(host), [host, *others])
    out = StringIO()
    call_command("sweep", stdout=out)
    assert "In leagues 1 races began, 0 were counted" in out.getvalue()
    assert Race.objects.get().status == "running"


def test_a_postponed_race_waits_for_its_new_date(clock: time_machine.Traveller) -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others], starts_at=NOON + timedelta(days=1))
    fixture = season.fixtures.order_by("round")[0]
    to = NOON + timedelta(days=3)
    for _ in range(2):
        assert fixture_postpone(fixture_id=fixture.pk, by=host, to=to).on == to
    assert fixture.first_on == NOON + timedelta(days=1)
    clock.shift(timedelta(days=2))
    assert leagues_sweep().made == 0
    with pytest.raises(FieldRefused, match="to come"):
        fixture_postpone(fixture_id=fixture.pk, by=host, to=NOON)
    with pytest.raises(FieldRefused, match="at most"):
        fixture_postpone(fixture_id=fixture.pk, by=host, to=NOON + timedelta(days=200))
    clock.shift(timedelta(days=1))
    assert leagues_sweep().made == 1
    with pytest.raises(SeasonRefused, match="has started"):
        fixture_postpone(fixture_id=fixture.pk, by=host, to=NOON + timedelta(days=30))


def test_a_race_that_cannot_be_made_is_told_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    host, *others = some_people(4)
    season = toy_season(toy_league(host), [host, *others], seats=2)
    first = season.fixtures.order_by("number")[0]
    Season.objects.filter(pk=season.pk).update(settings={"options": {"rounds": "many"}})
    assert leagues_sweep().made == 0
    first.refresh_from_db()
    assert first.status == "planned"
    assert first.trouble
    assert not Race.objects.exists()
    Season.objects.filter(pk=season.pk).update(settings={"options": {"rounds": 1}})
    assert leagues_sweep().made == 2
    first.refresh_from_db()
    assert first.trouble == ""


# --- Results ----------------------------------------------------------------------------


def test_a_finished_race_is_counted_once_with_places_points_turns_and_ratings() -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others])
    (race,) = run_due()
    assert leagues_sweep().finished == 0
    fixture = season.fixtures.get(race=race)
    assert fixture.status == "done"
    assert not fixture_finish(fixture_id=fixture.pk)
    results = list(Result.objects.filter(fixture=fixture).order_by("place"))
    race.refresh_from_db()
    assert race.outcome is not None
    worth = {1: 4, 2: 2, 3: 1}
    for result in results:
        place = next(
            1 + sum(len(group) for group in race.outcome["places"][:n])
            for n, group in enumerate(race.outcome["places"])
            if result.seat.number in group
        )
        assert (result.place, result.points) == (place, worth[place])
        assert result.is_own
    assert Rating.objects.count() == 3
    for driver in LeagueDriver.objects.all():
        rating = Rating.objects.get(driver=driver)
        assert (driver.mu, driver.sigma) == (rating.mu, rating.sigma)
        assert driver.sigma < 25 / 3


def test_who_shares_a_place_gets_what_it_is_worth() -> None:
    host, *others = some_people(3)
    toy_season(toy_league(host), [host, *others])
    leagues_sweep()
    run_out(Race.objects.get(), shared=True)
    leagues_sweep()
    assert list(Result.objects.values_list("place", "points")) == [(1, 4)] * 3
    assert Rating.objects.values("mu").distinct().count() == 1


def test_what_a_substitute_reached_counts_for_the_table_and_not_for_the_rating() -> None:
    host, bob, charlie, dora = some_people(4)
    season = toy_season(toy_league(host), [host, bob, charlie])
    leagues_sweep()
    race = Race.objects.get()
    run_out(race)
    Seat.objects.filter(race=race, player=bob).update(player=dora)
    leagues_sweep()
    result = Result.objects.get(entrant=entrant_of(season, bob))
    assert result.points > 0
    assert not result.is_own
    assert set(Rating.objects.values_list("driver__player__display_name", flat=True)) == {"Alice", "Charlie"}


def test_a_race_that_turns_out_to_have_ended_first_is_rated_first(clock: time_machine.Traveller) -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others], every_days=0)
    leagues_sweep()
    first, second = Race.objects.order_by("pk")
    clock.shift(timedelta(hours=1))
    run_out(first)
    clock.shift(timedelta(hours=1))
    run_out(second)
    early, late = (season.fixtures.get(race=race) for race in (first, second))
    assert fixture_finish(fixture_id=late.pk)
    assert fixture_finish(fixture_id=early.pk)
    wrong_way = dict(Rating.objects.values_list("result__fixture_id", "mu").distinct())
    Rating.objects.all().delete()
    Result.objects.all().delete()
    LeagueDriver.objects.update(mu=25.0, sigma=25 / 3)
    season.fixtures.update(status="running")
    assert fixture_finish(fixture_id=early.pk)
    assert fixture_finish(fixture_id=late.pk)
    assert dict(Rating.objects.values_list("result__fixture_id", "mu").distinct()) == wrong_way


def test_the_table_counts_what_the_races_were(clock: time_machine.Traveller) -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others])
    run_due()
    clock.shift(timedelta(days=7))
    run_due()
    (table,) = season_tables(season=season)
    assert [line["place"] for line in table["lines"]] == [1, 2, 3]
    for line in table["lines"]:
        results = list(Result.objects.filter(entrant=line["entrant"]))
        assert line["races"] == 2
        assert line["points"] == sum(result.points for result in results)
        assert line["wins"] == sum(result.place == 1 for result in results)
    assert [line["points"] for line in table["lines"]] == sorted((x["points"] for x in table["lines"]), reverse=True)


# --- The end of a season ----------------------------------------------------------------


def test_a_season_closes_by_itself_and_the_next_begins_where_it_ended(clock: time_machine.Traveller) -> None:
    host, *others = some_people(8)
    league = toy_league(host)
    season = toy_season(league, [host, *others], divisions=2, seats=4, races_each=1)
    run_due()
    season.refresh_from_db()
    assert season.status == "closed"
    season_close(season_id=season.pk, by=host)
    ups = Entrant.objects.get(season=season, division__rank=2, final_place=1)
    downs = Entrant.objects.get(season=season, division__rank=1, final_place=4)
    assert (ups.next_rank, downs.next_rank) == (1, 2)
    again = toy_season(league, [host, *others], divisions=2, seats=4, races_each=1)
    assert Entrant.objects.get(season=again, driver=ups.driver).division == Division.objects.get(season=again, rank=1)
    assert Entrant.objects.get(season=again, driver=downs.driver).division == Division.objects.get(season=again, rank=2)


def test_a_host_closes_early_and_what_is_planned_is_called_off_but_no_race_is_cut_short() -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others])
    leagues_sweep()
    with pytest.raises(SeasonRefused, match="still runs"):
        season_close(season_id=season.pk, by=host)
    run_out(Race.objects.get())
    leagues_sweep()
    with pytest.raises(SeasonRefused, match="still to come"):
        season_close(season_id=season.pk)
    season_close(season_id=season.pk, by=host)
    assert sorted(one.status for one in season.fixtures.all()) == ["done", "void"]
    with pytest.raises(SeasonRefused):
        entrant_withdraw(entrant_id=entrant_of(season, host).pk, by=host)


def test_who_is_out_stands_last_and_begins_nowhere() -> None:
    host, *others = some_people(3)
    toy_season(toy_league(host), [host, *others], races_each=1)
    leagues_sweep()
    run_out(Race.objects.get())
    fixture = Fixture.objects.get()
    fixture_finish(fixture_id=fixture.pk)
    winner = Result.objects.get(fixture=fixture, place=1).entrant
    entrant_withdraw(entrant_id=winner.pk, by=host)
    leagues_sweep()
    winner.refresh_from_db()
    assert (winner.final_place, winner.next_rank) == (3, None)


def test_meetings_are_spread() -> None:
    host, *others = some_people(9)
    season = toy_season(toy_league(host), [host, *others], seats=3, races_each=4)
    met = Counter(pair for _, group in drawn(season) for pair in combinations(group, 2))
    # Nine in threes, four rounds: everybody can meet everybody once.
    assert max(met.values()) <= 2


def test_a_process_that_dies_while_it_counts_leaves_all_of_it_to_the_next_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others], races_each=1)
    leagues_sweep()
    run_out(Race.objects.get())
    with monkeypatch.context() as dying:
        dying.setattr("games.services.results._rate", _die)
        with pytest.raises(SystemExit):
            leagues_sweep()
    assert not Result.objects.exists()
    assert season.fixtures.get().status == "running"
    assert leagues_sweep().finished == 1
    assert Result.objects.count() == Rating.objects.count() == 3
    season.refresh_from_db()
    assert season.status == "closed"


def test_a_process_that_dies_while_it_makes_a_race_leaves_none_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), [host, *others], races_each=1)
    with monkeypatch.context() as dying:
        dying.setattr("games.services.seasons.start", _die)
        with pytest.raises(SystemExit):
            leagues_sweep()
    assert not Race.objects.exists()
    assert season.fixtures.get().status == "planned"
    assert leagues_sweep().made == 1


def _die(*_given: object) -> None:
    raise SystemExit
