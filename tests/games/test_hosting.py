"""Hosting: handed over by the host, or taken over from one who is away."""

from datetime import timedelta

import pytest
import time_machine

from games.models import OutboxEvent, Race, Seat
from games.selectors.races import race_present
from games.services.errors import HostNotAway, Malformed, NotHost, NotYourSeat, RaceNotOpen
from games.services.hosting import host_seen, race_host_pass, race_host_take
from games.services.races import race_cancel, race_create, race_join, race_leave, seat_add_bot
from roadkill_site.accounts.models import User
from tests.games.conftest import NOON, MakeGame
from tests.games.test_races import let_go

Clock = time_machine.Traveller
WEEK = timedelta(days=7)


@pytest.fixture
def race(clock: Clock, alice: User, bob: User, charlie: User) -> Race:
    """An open race hosted by Alice; Bob joined before Charlie, and there is a bot."""
    race = race_create(by=alice, name="Evening", ruleset="toy", seats=4, is_public=True, starts_when_full=False)
    seat_add_bot(race_id=race.pk, by=alice, bot="random")
    for one in (bob, charlie):
        race_join(race_id=race.pk, by=one)
    return race


def seat(race: Race, user: User) -> Seat:
    return Seat.objects.get(race=race, player=user)


def told() -> dict[str, int | None]:
    return {event.kind: event.player_id for event in OutboxEvent.objects.filter(kind__startswith="host_")}


def test_a_host_hands_over_and_may_then_leave(race: Race, alice: User, charlie: User) -> None:
    with pytest.raises(NotHost, match="hand it over first"):
        race_leave(race_id=race.pk, by=alice)
    for _ in range(2):
        race_host_pass(race_id=race.pk, by=alice, seat_id=seat(race, charlie).pk)
    with pytest.raises(NotHost):
        race_host_pass(race_id=race.pk, by=alice, seat_id=seat(race, alice).pk)
    race.refresh_from_db()
    assert race.host == charlie
    assert told() == {"host_new": charlie.pk}
    shown = race_present(race=race, viewer=seat(race, charlie))
    assert [one["name"] for one in shown["seats"] if one["is_host"]] == ["Charlie"]
    assert shown["race"]["host"] == "Charlie"
    race_leave(race_id=race.pk, by=alice)


def test_only_to_a_person_who_drives(race: Race, alice: User, bob: User) -> None:
    bot = Seat.objects.get(race=race, bot="random")
    with pytest.raises(Malformed, match="bot cannot host"):
        race_host_pass(race_id=race.pk, by=alice, seat_id=bot.pk)
    with pytest.raises(NotYourSeat):
        race_host_pass(race_id=race.pk, by=alice, seat_id=10**6)
    with pytest.raises(NotHost):
        race_host_pass(race_id=race.pk, by=bob, seat_id=seat(race, bob).pk)


def test_the_driver_who_joined_first_takes_over_from_a_host_who_is_away_and_nobody_else(
    race: Race, clock: Clock, alice: User, bob: User, charlie: User
) -> None:
    clock.shift(WEEK - timedelta(seconds=1))
    with pytest.raises(HostNotAway, match="7 days"):
        race_host_take(race_id=race.pk, by=bob)
    clock.shift(timedelta(seconds=1))
    with pytest.raises(NotHost, match="Bob"):
        race_host_take(race_id=race.pk, by=charlie)
    for _ in range(2):
        assert race_host_take(race_id=race.pk, by=bob).host_id == bob.pk
    assert told() == {"host_lost": alice.pk}
    with pytest.raises(HostNotAway):
        race_host_take(race_id=race.pk, by=charlie)


def test_a_look_of_the_host_counts_and_anybody_elses_does_not(race: Race, clock: Clock, alice: User, bob: User) -> None:
    clock.shift(timedelta(minutes=59))
    host_seen(race=race, by=alice, now=NOON + timedelta(minutes=59))
    race.refresh_from_db()
    assert race.host_seen_at == NOON
    host_seen(race=race, by=bob, now=NOON + WEEK)
    race.refresh_from_db()
    assert race.host_seen_at == NOON
    host_seen(race=race, by=alice, now=NOON + timedelta(days=6))
    clock.move_to(NOON + WEEK)
    with pytest.raises(HostNotAway):
        race_host_take(race_id=race.pk, by=bob)


def test_a_driver_who_has_gone_too_is_passed_over(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    gone = let_go(game, clock)
    clock.shift(WEEK)
    assert gone.player is not None
    with pytest.raises(NotHost):
        race_host_take(race_id=game.pk, by=gone.player)
    heir = Seat.objects.exclude(pk=gone.pk).exclude(player=game.race.host).get(race_id=game.pk).player
    assert heir is not None
    race_host_take(race_id=game.pk, by=heir)
    assert game.race.host == heir


def test_a_race_that_was_called_off_has_no_host_to_relieve(race: Race, clock: Clock, alice: User, bob: User) -> None:
    race_cancel(race_id=race.pk, by=alice)
    clock.shift(WEEK)
    with pytest.raises(RaceNotOpen, match="called off"):
        race_host_take(race_id=race.pk, by=bob)
    with pytest.raises(RaceNotOpen, match="called off"):
        race_host_pass(race_id=race.pk, by=alice, seat_id=seat(race, bob).pk)
