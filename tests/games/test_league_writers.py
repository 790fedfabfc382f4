"""Two at once in a league: threads with connections of their own to one SQLite file."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.models import (
    Campaign,
    Division,
    Entrant,
    Fixture,
    FixtureSeat,
    League,
    OutboxEvent,
    Purchase,
    Race,
    Rating,
    Result,
    Season,
)
from games.services.hosting import league_host_take
from games.services.league_sweep import leagues_sweep
from games.services.leagues import season_enter
from games.services.results import fixture_finish
from games.services.seasons import fixture_annul, season_start
from tests.games.circuits import cup_at_hand
from tests.games.leagues import circuit_of, cup_season, run_out, some_people, toy_league, toy_season
from tests.games.test_two_writers import Office, office

__all__ = ["office"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def season(office: Office) -> Season:
    """A season of three that is open to enter."""

    def make() -> Season:
        host, *others = some_people(3)
        return toy_season(toy_league(host), [host, *others], is_started=False, races_each=1)

    return office.do(make)


def test_who_enters_twice_at_once_has_entered_once(office: Office, season: Season) -> None:
    def enter() -> Any:
        return season_enter(season_id=season.pk, by=some_people(4)[3]).pk

    office.do(lambda: some_people(4))
    first, second = office.run(enter, enter)
    assert first == second
    assert office.do(Entrant.objects.count) == 4


def test_two_who_start_a_season_at_once_draw_it_once(office: Office, season: Season) -> None:
    def begin() -> str:
        return season_start(season_id=season.pk, now=timezone.now()).status

    assert office.run(begin, begin) == ["running", "running"]
    assert office.do(lambda: (Division.objects.count(), Fixture.objects.count(), FixtureSeat.objects.count())) == (
        1,
        1,
        3,
    )


def test_two_sweeps_at_once_make_one_race_and_count_it_once(office: Office, season: Season) -> None:
    def swept() -> tuple[int, int, int]:
        report = leagues_sweep()
        assert report.troubles == []
        return report.started, report.made, report.finished

    office.run(swept, swept)
    office.run(swept, swept)
    assert office.do(Race.objects.count) == 1
    office.do(lambda: run_out(Race.objects.get()))
    made = office.run(swept, swept)
    assert not [one for one in made if isinstance(one, Exception)], made
    assert sum(one[2] for one in made if not isinstance(one, Exception)) == 1
    assert office.do(lambda: (Result.objects.count(), Rating.objects.count())) == (3, 3)
    assert office.do(lambda: Season.objects.get(pk=season.pk).status) == "closed"


@pytest.fixture
def campaigns(office: Office) -> Iterator[Season]:
    """A season of three, under way, whose one campaign is due."""

    def make() -> Season:
        host, *others = some_people(3)
        return cup_season(host, [host, *others])

    with cup_at_hand():
        yield office.do(make)


def test_two_sweeps_at_once_found_one_campaign_and_count_it_once(office: Office, campaigns: Season) -> None:
    def swept() -> tuple[int, int]:
        report = leagues_sweep()
        assert report.troubles == []
        return report.made, report.finished

    office.run(swept, swept)
    assert office.do(lambda: (Campaign.objects.count(), Race.objects.count(), Purchase.objects.count())) == (1, 1, 1)

    def won() -> None:
        going = circuit_of(Fixture.objects.get())
        going.nobody_buys()
        going.call([1, 2, 3], [9, 1, 0])

    office.do(won)
    made = office.run(swept, swept)
    assert sum(one[1] for one in made if not isinstance(one, Exception)) == 1, made
    assert office.do(lambda: (Result.objects.count(), Rating.objects.count())) == (3, 3)
    assert office.do(lambda: Season.objects.get(pk=campaigns.pk).status) == "closed"


def test_what_is_annulled_while_it_is_counted_counts_for_nothing(office: Office, season: Season) -> None:
    host = office.do(lambda: some_people(1)[0])
    office.do(lambda: (season_start(season_id=season.pk), leagues_sweep()))
    pk = office.do(lambda: Fixture.objects.get().pk)
    office.do(lambda: run_out(Race.objects.get()))

    def count() -> Any:
        return fixture_finish(fixture_id=pk)

    def annul() -> Any:
        return fixture_annul(fixture_id=pk, by=host, note="No").status

    assert "void" in office.run(count, annul)
    assert office.do(lambda: (Fixture.objects.get().status, Result.objects.count(), Rating.objects.count())) == (
        "void",
        0,
        0,
    )


def test_a_league_that_is_taken_over_twice_at_once_is_taken_over_once(office: Office, season: Season) -> None:
    def away() -> Any:
        season_start(season_id=season.pk)
        leagues_sweep()
        long_ago = timezone.now() - timedelta(days=8)
        League.objects.update(host_seen_at=long_ago)
        Race.objects.update(host_seen_at=long_ago)
        return some_people(2)[1]

    heir = office.do(away)

    def take() -> Any:
        return league_host_take(league_id=season.league_id, by=heir).host_id

    assert office.run(take, take) == [heir.pk, heir.pk]
    assert office.do(lambda: OutboxEvent.objects.filter(kind="host_lost").count()) == 1
