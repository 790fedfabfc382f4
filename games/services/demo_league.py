"""A league to look at: a season half over, whose races were driven by bots, and what is to come of it."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games.engine import codec
from games.models import Fixture, League, OutboxEvent, Race, Season, Seat
from games.runtime.play import Given
from games.runtime.rulesets import bot_for
from games.services.desk import Desk, race_lock
from games.services.leagues import league_create, season_add_bot, season_create, season_enter
from games.services.outbox import outbox_processed
from games.services.results import fixture_finish
from games.services.seasons import fixture_make, fixture_postpone, season_start

NAME: Final = "Dusty Road League"
BOTS: Final = 7
SEATS: Final = 4
ROUNDS: Final = 6
DONE: Final = 3
EVERY_DAYS: Final = 7
SECTIONS: Final = 3
SLOW_S: Final = 45 * 60
PART_OF_TURNS: Final = 5


@transaction.atomic
def demo_league(*, person: Any) -> League:
    """The demo league of this person, made if it is not there: three rounds are over, one runs, two are to come.

    The races are real: set up, driven and counted like any other, only that bots drove all of their cars in one go, and
    that their dates lie in the past. Nobody is told of them by mail.
    """
    found = League.objects.filter(host_id=person.pk, name=NAME).first()
    if found is not None:
        return found
    league = league_create(by=person, name=NAME, is_public=True)
    now = timezone.now().replace(microsecond=0)
    season = season_create(
        league_id=league.pk,
        by=person,
        starts_at=now,
        seats=SEATS,
        races_each=ROUNDS,
        every_days=EVERY_DAYS,
        options={"sections": SECTIONS},
        tempo="daily",
    )
    season_enter(season_id=season.pk, by=person)
    for _ in range(BOTS):
        season_add_bot(season_id=season.pk, by=person)
    began = now - timedelta(days=DONE * EVERY_DAYS + 2)
    Season.objects.filter(pk=season.pk).update(starts_at=began)
    season_start(season_id=season.pk, now=began)
    for fixture in Fixture.objects.filter(season=season, round__lte=DONE).order_by("number"):
        race = fixture_make(fixture_id=fixture.pk, now=fixture.on)
        assert race is not None
        # Two to five days, not the same for all.
        _drive(race, at=fixture.on + timedelta(hours=49 + 17 * fixture.number % 71))
        fixture_finish(fixture_id=fixture.pk)
    _round_under_way(season, person, now)
    told = OutboxEvent.objects.filter(race__league_fixture__season=season, processed_at=None)
    outbox_processed(event_ids=list(told.values_list("pk", flat=True)), at=now)
    return league


def _round_under_way(season: Season, person: Any, now: datetime) -> None:
    """The person's own race is put off, so that the demo race is what asks; the other one is on its way."""
    for fixture in Fixture.objects.filter(season=season, round=DONE + 1):
        if fixture.drawn.filter(entrant__driver__player_id=person.pk).exists():
            fixture_postpone(fixture_id=fixture.pk, by=person, to=now + timedelta(days=2))
            continue
        race = fixture_make(fixture_id=fixture.pk, now=fixture.on)
        assert race is not None
        Seat.objects.filter(race=race).update(bot_delay_s=SLOW_S)
        _drive(race, at=now, turns=PART_OF_TURNS)


def _drive(race: Race, *, at: datetime, turns: int | None = None) -> None:
    """Let bots answer everything that is asked, for all seats, until the race is over or so many turns have passed."""
    locked = race_lock(race.pk)
    assert locked is not None
    desk = Desk.of(locked, at)
    answers = 0
    while desk.outcome is None and (turns is None or desk.turn <= turns):
        asked = desk.position.pending()
        given = []
        for question in asked:
            answers += 1
            bot = bot_for(race.ruleset, "driver", race.pk * 10_000 + answers)
            view = desk.ruleset.view(desk.position.state, question.seat)
            given.append(Given(question.seat, codec.to_json(bot.choose(view, question)), "bot"))
        desk.play(given)
    desk.settle()
    desk.write()
