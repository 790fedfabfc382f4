"""Absences over all of a player's races; seats that are offered, taken over and taken back."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from games.models import (
    Decision,
    FollowUp,
    Lapse,
    MailFailure,
    Outage,
    OutboxEvent,
    Plan,
    Race,
    Seat,
    SeatClaim,
    StandingOrder,
)
from games.selectors.log import log_of
from games.selectors.notices import notice_facts
from games.selectors.offers import claims_of, may_take_back, seats_offered
from games.services.absences import absences_of, mail_arrived, mail_failed
from games.services.errors import NotHost, NotYourSeat, RaceNotRunning, SeatNotGone
from games.services.races import race_create, race_join
from games.services.seats import seat_replace
from games.services.substitutes import seat_claim, seat_claim_accept, seat_take_back
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import NOON, Game, MakeGame, person

Clock = time_machine.Traveller
HOUR = timedelta(hours=1)


@pytest.fixture
def dora(db: None) -> User:
    return person("Dora")


@pytest.fixture
def eve(db: None) -> User:
    return person("Eve")


def sits(game: Game, number: int) -> User:
    player = game.seat(number).player
    assert player is not None
    return player


def notes(game: Game) -> list[str]:
    """What the log notes of seats and their drivers, lapses apart."""
    lines = [line["text"] for line in log_of(race=game.race, viewer=None) if line["kind"] == "note"]
    return [line for line in lines if "not answered" not in line]


def lapse(game: Game, clock: Clock) -> int:
    """Let the open turn lapse; whose it was."""
    row = Decision.objects.get(race_id=game.pk)
    clock.move_to(row.due_at)
    sweep()
    assert row.seat.number is not None
    return row.seat.number


def away(game: Game, clock: Clock, *, times: int = 2, number: int = 1) -> None:
    """The driver of this car lets turns lapse, the others rest."""
    while times:
        waiting = Decision.objects.get(race_id=game.pk).seat.number
        assert waiting is not None
        if waiting == number:
            lapse(game, clock)
            times -= 1
        else:
            game.do_least()


def round_to(game: Game, number: int) -> None:
    """Everybody rests until it is this driver's turn."""
    while game.present(None)["waiting"]["seat"] != number:
        game.do_least()


def test_a_seat_is_offered_after_the_absences_that_the_race_states(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(absences=3)
    away(game, clock, times=2)
    assert game.seat(1).offered_at is None
    away(game, clock, times=1)
    seat = game.seat(1)
    assert seat.offered_at is not None
    assert [one["offered"] for one in game.present(None)["seats"]] == [True, False, False]
    name = sits(game, 1).display_name
    assert notes(game) == [f"The driver of {name} (car 1) was away: the seat is offered to others."]
    told = OutboxEvent.objects.filter(race_id=game.pk, kind="seat_offered")
    assert [event.seat_id for event in told] == [seat.pk]


def test_a_driver_who_takes_a_turn_is_back(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    away(game, clock)
    round_to(game, 1)
    game.do_least()
    seat = game.seat(1)
    assert (seat.offered_at, seat.lapses) == (None, 0)
    assert notes(game)[-1].endswith("(car 1) is back.")
    away(game, clock, times=1)
    assert game.seat(1).offered_at is None


def test_lapses_that_overlap_are_one_absence_over_all_races(toy_game: MakeGame, clock: Clock) -> None:
    """Three races at once and one silence: nobody's seat is offered after one deadline."""
    games = [toy_game() for _ in range(3)]
    clock.shift(72 * HOUR)
    sweep()
    assert Lapse.objects.count() == 3
    # Of whoever sits in the first seat of two races at least.
    for game in games:
        seat = game.seat(1)
        assert absences_of(race=game.race, seat=seat, now=NOON + 72 * HOUR) == 1
        assert seat.offered_at is None


def test_absences_of_a_players_other_races_count(toy_game: MakeGame, clock: Clock) -> None:
    daily, weekly = toy_game(tempo="daily"), toy_game(tempo="weekly")
    player = sits(daily, 1)
    number = Seat.objects.get(race_id=weekly.pk, player=player).number
    assert number is not None
    while Decision.objects.get(race_id=weekly.pk).seat.number != number:
        weekly.do_least()
    away(daily, clock, times=2)
    lapse(weekly, clock)
    assert weekly.seat(number).offered_at is not None


@pytest.mark.parametrize("hours", [35, 37])
def test_a_lapse_while_our_mail_failed_does_not_count(toy_game: MakeGame, clock: Clock, hours: int) -> None:
    game = toy_game(absences=1)
    mail_failed(seat_id=game.seat(1).pk, since=NOON)
    mail_failed(seat_id=game.seat(1).pk, since=NOON + HOUR)
    clock.shift(hours * HOUR)
    mail_arrived(seat_id=game.seat(1).pk, at=NOON + hours * HOUR)
    lapse(game, clock)
    failure = MailFailure.objects.get()
    assert (failure.since, failure.until) == (NOON, NOON + hours * HOUR)
    assert (game.seat(1).offered_at is None) == (hours == 37)


def test_mail_that_never_arrives_does_not_keep_a_seat_for_good(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(absences=1)
    mail_failed(seat_id=game.seat(1).pk, since=NOON)
    away(game, clock, times=4)
    assert game.seat(1).offered_at is not None


def test_a_lapse_while_the_server_was_away_does_not_count(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(absences=1)
    Outage.objects.create(start=NOON + HOUR, end=NOON + 60 * HOUR, noted_at=NOON, credited_at=NOON)
    lapse(game, clock)
    assert game.seat(1).offered_at is None
    assert Lapse.objects.count() == 1


def test_the_first_who_comes_takes_the_seat_and_what_was_private_is_gone(
    toy_game: MakeGame, clock: Clock, dora: User, eve: User
) -> None:
    game = toy_game(substitutes="first")
    former = sits(game, 1)
    with pytest.raises(SeatNotGone):
        seat_claim(race_id=game.pk, by=dora, seat_id=game.seat(1).pk)
    away(game, clock)
    assert [one["car"] for one in seats_offered(user=dora)] == [1]
    assert seats_offered(user=former) == []
    seat_claim(race_id=game.pk, by=dora, seat_id=game.seat(1).pk)
    seat = game.seat(1)
    assert (seat.player, seat.absent_player, seat.offered_at, seat.lapses) == (dora, former, None, 0)
    assert seats_offered(user=eve) == []
    with pytest.raises(SeatNotGone):
        seat_claim(race_id=game.pk, by=eve, seat_id=seat.pk)
    assert f"“Dora” drives Dora (car 1) on in the place of “{former.display_name}”." in notes(game)
    lost = OutboxEvent.objects.get(race_id=game.pk, kind="seat_taken")
    assert lost.player == former
    assert seat.receipts.count() == 0


def test_a_new_driver_has_the_time_of_a_reaction_for_an_open_turn(toy_game: MakeGame, clock: Clock, dora: User) -> None:
    game = toy_game(substitutes="first")
    away(game, clock)
    round_to(game, 1)
    row = Decision.objects.get(race_id=game.pk)
    clock.move_to(row.due_at - HOUR)
    seat_claim(race_id=game.pk, by=dora, seat_id=game.seat(1).pk)
    assert Decision.objects.get(race_id=game.pk).due_at == row.due_at + 23 * HOUR
    assert sweep().lapsed == 0


def test_the_host_chooses_who_drives_on(toy_game: MakeGame, clock: Clock, alice: User, dora: User, eve: User) -> None:
    game = toy_game()
    number = next(n for n in (1, 2, 3) if sits(game, n) != alice)
    away(game, clock, number=number)
    seat_id = game.seat(number).pk
    for _ in range(2):
        seat_claim(race_id=game.pk, by=dora, seat_id=seat_id)
    seat_claim(race_id=game.pk, by=eve, seat_id=seat_id)
    told = OutboxEvent.objects.filter(race_id=game.pk, kind="seat_claimed")
    assert [event.player for event in told] == [alice, alice]
    claims = claims_of(race=game.race)
    assert [claim["name"] for claim in claims] == ["Dora", "Eve"]
    with pytest.raises(NotHost):
        seat_claim_accept(race_id=game.pk, by=dora, claim_id=claims[0]["id"])
    seat_claim_accept(race_id=game.pk, by=alice, claim_id=claims[1]["id"])
    assert game.seat(number).player == eve
    assert not SeatClaim.objects.exists()
    with pytest.raises(SeatNotGone):
        seat_claim_accept(race_id=game.pk, by=alice, claim_id=claims[0]["id"])


def test_nobody_takes_a_second_seat_or_one_of_a_private_race(
    toy_game: MakeGame, clock: Clock, bob: User, dora: User
) -> None:
    game = toy_game(substitutes="first")
    number = next(n for n in (1, 2, 3) if sits(game, n) != bob)
    away(game, clock, number=number)
    with pytest.raises(NotYourSeat):
        seat_claim(race_id=game.pk, by=bob, seat_id=game.seat(number).pk)
    Race.objects.filter(pk=game.pk).update(is_public=False)
    assert seats_offered(user=dora) == []
    with pytest.raises(SeatNotGone):
        seat_claim(race_id=game.pk, by=dora, seat_id=game.seat(number).pk)


def test_a_player_takes_an_offered_seat_back_by_saying_so(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game()
    away(game, clock)
    player = sits(game, 1)
    assert may_take_back(race=game.race, user=player)
    seat_take_back(race_id=game.pk, by=player)
    seat_take_back(race_id=game.pk, by=player)
    assert game.seat(1).offered_at is None
    assert not may_take_back(race=game.race, user=player)


@pytest.mark.parametrize("moved", [False, True])
def test_a_seat_is_taken_back_until_somebody_else_has_moved_it(
    toy_game: MakeGame, clock: Clock, dora: User, moved: bool
) -> None:
    game = toy_game(substitutes="first")
    former = sits(game, 1)
    away(game, clock)
    seat_claim(race_id=game.pk, by=dora, seat_id=game.seat(1).pk)
    round_to(game, 1)
    assert may_take_back(race=game.race, user=former)
    if moved:
        game.do_least()
        assert not may_take_back(race=game.race, user=former)
        with pytest.raises(NotYourSeat, match="somebody else has moved it"):
            seat_take_back(race_id=game.pk, by=former)
        assert game.seat(1).player == dora
    else:
        seat_take_back(race_id=game.pk, by=former)
        seat = game.seat(1)
        assert (seat.player, seat.absent_player) == (former, None)
        game.do_least()


@pytest.mark.parametrize("takeover", [False, True])
def test_a_bot_drives_on_at_the_next_deadline_where_the_race_allows_it(
    toy_game: MakeGame, clock: Clock, takeover: bool
) -> None:
    game = toy_game(bot_takeover=takeover)
    former = sits(game, 1)
    away(game, clock)
    round_to(game, 1)
    report_at = Decision.objects.get(race_id=game.pk).due_at
    clock.move_to(report_at)
    report = sweep()
    seat = game.seat(1)
    if takeover:
        assert (report.lapsed, seat.player, seat.bot, seat.absent_player) == (0, None, "driver", None)
        assert report.bot_answers >= 1, "and the bot has moved it"
        assert "A bot drives" in notes(game)[-1]
        assert OutboxEvent.objects.get(race_id=game.pk, kind="seat_taken").player == former
    else:
        assert (report.lapsed, seat.player, seat.bot) == (1, former, "")


def test_windows_are_nobodys_business(toy_game: MakeGame, clock: Clock) -> None:
    game = toy_game(absences=1, hands={1: (3,), 2: (0,), 3: (5,)})
    game.act(1, "strike 2 with 3")
    clock.shift(24 * HOUR)
    assert sweep().lapsed == 1
    assert not Lapse.objects.exists()
    assert game.seat(2).offered_at is None


def test_seats_change_drivers_in_a_race_under_way_only(db: Any, dora: User, alice: User) -> None:
    race = race_create(by=alice, name="Not yet", ruleset="toy", is_public=True)
    with pytest.raises(RaceNotRunning):
        seat_claim(race_id=race.pk, by=dora, seat_id=race.seats.get().pk)
    with pytest.raises(RaceNotRunning):
        seat_take_back(race_id=race.pk, by=alice)


def test_a_sealed_answer_of_a_substitute_is_not_told_to_whoever_was_away(
    toy_game: MakeGame, clock: Clock, dora: User
) -> None:
    """That the seat can be taken back no more would tell that it was asked, and has answered."""
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    former = sits(game, 2)
    game.act(1, "strike 2 with 3")
    Seat.objects.filter(race_id=game.pk, number=2).update(player=dora, absent_player=former)
    game.act(2, "guard")
    assert game.race.seq == 1
    assert may_take_back(race=game.race, user=former)
    clock.shift(24 * HOUR)
    sweep()
    assert game.race.seq > 1
    assert not may_take_back(race=game.race, user=former)


# --- What the former driver had answered ------------------------------------------------

GUARDED = {1: (3, 4), 2: (0, 0, 2), 3: (5, 9)}
"""Car 2 holds guards."""
ANSWERS = ["guard", None]
ChangeDriver = Callable[[Game, User], None]


def _offered(game: Game) -> int:
    """Offer the seat of car 2, whose driver has missed two turns; its id."""
    Seat.objects.filter(race_id=game.pk, number=2).update(lapses=2, lapsed_turn=0, offered_at=timezone.now())
    return game.seat(2).pk


def first_who_comes(game: Game, player: User) -> None:
    seat_claim(race_id=game.pk, by=player, seat_id=_offered(game))


def whom_the_host_chooses(game: Game, player: User) -> None:
    seat_id = _offered(game)
    claim = SeatClaim.objects.create(seat_id=seat_id, player=player, at=timezone.now())
    seat_claim_accept(race_id=game.pk, by=game.race.host, claim_id=claim.pk)


def whom_the_host_invites(game: Game, player: User) -> None:
    seat_replace(race_id=game.pk, by=game.race.host, seat_id=_offered(game), email=player.email)
    race_join(race_id=game.pk, by=player)


def whoever_was_away(game: Game, player: User) -> None:
    Seat.objects.filter(race_id=game.pk, number=2).update(absent_player=player)
    seat_take_back(race_id=game.pk, by=player)


def a_bot_of_the_host(game: Game, player: User) -> None:
    seat_replace(race_id=game.pk, by=game.race.host, seat_id=_offered(game), bot="random", delay_minutes=60)


HAND_OVERS = [first_who_comes, whom_the_host_chooses, whom_the_host_invites, whoever_was_away]


def struck(toy_game: MakeGame, alice: User, **settings: Any) -> Game:
    """Car 1 has struck car 2, which is not the host's: a window is open for its driver."""
    while True:
        game = toy_game(hands=GUARDED, substitutes="first", **settings)
        if sits(game, 2) != alice:
            break
    game.act(1, "strike 2 with 3")
    return game


def seen_by_others(game: Game) -> list[Any]:
    """All that anybody but car 2 can know, in the presentation and by who is told what."""
    told = OutboxEvent.objects.filter(race_id=game.pk).exclude(kind__in=["seat_taken", "seat_lost"])
    rows = list(told.exclude(seat__number=2).order_by("pk").values_list("kind", "seat__number", "seq", "created_at"))
    return [*(game.present(viewer) for viewer in (1, 3, None)), rows, game.race.wake_at]


@pytest.mark.parametrize("change", [*HAND_OVERS, a_bot_of_the_host])
def test_a_new_driver_inherits_no_sealed_answer_and_nobody_sees_that_there_was_one(
    toy_game: MakeGame, clock: Clock, alice: User, dora: User, change: ChangeDriver
) -> None:
    for policy in ("strict", "paced"):
        _inherits_nothing(struck(toy_game, alice, policy=policy), change, dora)


def _inherits_nothing(game: Game, change: ChangeDriver, dora: User) -> None:
    seen = []
    for answer in ANSWERS:
        with transaction.atomic():
            if answer:
                assert game.act(2, answer)["status"] == "sealed"
            former = Decision.objects.get(race_id=game.pk)
            change(game, dora)
            row = Decision.objects.get(race_id=game.pk)
            assert (row.sealed_action, row.sealed_origin, row.sealed_at) == (None, "", None)
            assert (row.due_at, row.hold_until, row.window) == (former.due_at, former.hold_until, former.window)
            assert row.pk != former.pk
            seen.append(seen_by_others(game))
            if change is not a_bot_of_the_host:
                assert game.question(2)["sealed"] is None
            transaction.set_rollback(True)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("change", HAND_OVERS)
def test_a_new_driver_is_asked_by_name(
    toy_game: MakeGame, clock: Clock, alice: User, dora: User, change: ChangeDriver
) -> None:
    game = struck(toy_game, alice)
    asked = OutboxEvent.objects.filter(race_id=game.pk, kind="question", seat__number=2)
    before = asked.count()
    change(game, dora)
    assert asked.count() == before + 1
    told = asked.latest("pk")
    assert told.decision_id == Decision.objects.get(race_id=game.pk).pk
    facts = notice_facts(event=told, seat=game.seat(2))
    assert facts is not None
    assert facts.is_current
    assert facts.mail_address == dora.email
    assert facts.presented["question"]["decision"] == told.decision_id


def test_a_bot_that_takes_a_seat_over_answers_for_itself(toy_game: MakeGame, clock: Clock, alice: User) -> None:
    game = struck(toy_game, alice, policy="strict")
    game.act(2, "guard")
    a_bot_of_the_host(game, alice)
    row = Decision.objects.get(race_id=game.pk)
    assert row.bot_at == NOON + HOUR
    clock.shift(HOUR)
    assert sweep().bot_answers == 1
    assert Decision.objects.get(race_id=game.pk).sealed_origin == "bot"


@pytest.mark.parametrize("change", [*HAND_OVERS, a_bot_of_the_host])
def test_nothing_answered_beforehand_is_done_for_a_new_driver(
    toy_game: MakeGame, clock: Clock, alice: User, dora: User, change: ChangeDriver
) -> None:
    game = toy_game(hands=GUARDED, substitutes="first")
    while sits(game, 2) == alice:
        game = toy_game(hands=GUARDED, substitutes="first")
    seat = game.seat(2)
    StandingOrder.objects.create(seat=seat, rank=1, order={"occasion": "struck"}, created_at=NOON)
    Plan.objects.create(seat=seat, steps=[{"words": "rest"}], state="waiting", created_at=NOON)
    FollowUp.objects.create(seat=seat, turn=0, trigger="struck", action={"do": "guard"})
    change(game, dora)
    for rows in (FollowUp.objects, StandingOrder.objects, Plan.objects):
        assert not rows.filter(seat=seat).exists()
    game.act(1, "strike 2 with 3")
    assert Decision.objects.get(race_id=game.pk).sealed_action is None


def test_who_takes_an_own_seat_back_that_nobody_took_keeps_what_was_answered(
    toy_game: MakeGame, clock: Clock, alice: User
) -> None:
    game = struck(toy_game, alice)
    game.act(2, "guard")
    game.act(2, "ask me about snuffing")
    _offered(game)
    seat_take_back(race_id=game.pk, by=sits(game, 2))
    assert game.question(2)["sealed"]["words"] == "guard"
    assert [one["do"] for one in game.seat(2).asides] != []
