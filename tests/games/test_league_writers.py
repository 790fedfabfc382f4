"""Two at once in a league: threads with connections of their own to one SQLite file."""

from typing import Any

import pytest
from django.utils import timezone

from games.models import Division, Entrant, Fixture, FixtureSeat, Race, Rating, Result, Season
from games.services.league_sweep import leagues_sweep
from games.services.leagues import season_enter
from games.services.seasons import season_start
from tests.games.leagues import run_out, some_people, toy_league, toy_season
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
