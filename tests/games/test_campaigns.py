"""Campaigns: from the lobby to a winner, purchases days apart, and a ledger that the database keeps honest."""

import sys
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from games.engine.errors import ActionRefused, Malformed
from games.engine.record import verify
from games.models import Campaign, CampaignRace, OutboxEvent, Posting, Purchase, Race, Seat
from games.runtime.campaigns import ledger_faults
from games.runtime.rulesets import RULESETS
from games.selectors.campaigns import ledger_now
from games.selectors.records import record_of, replay_fault
from games.services.bots import bots_answer
from games.services.campaign_desk import CampaignDesk
from games.services.campaigns import (
    campaign_attend,
    campaign_close,
    campaign_create,
    campaign_drive_on,
    campaign_drop_out,
    campaign_join,
    campaign_pause,
    campaign_relieve,
    campaign_resume,
    campaign_start,
    car_invitation,
)
from games.services.errors import (
    FieldRefused,
    InvitationRefused,
    NotHost,
    NotYourDecision,
    NotYourSeat,
    RaceNotOpen,
    RaceNotRunning,
    RuleViolation,
    SeatNotGone,
    StaleAnswer,
)
from games.services.races import race_cancel, race_join, race_leave, race_start, race_update, seat_add_bot, seat_remove
from games.services.seats import seat_replace
from games.services.sweep import sweep
from games.services.turns import action_submit
from games.signals import campaign_due
from games.tasks import campaign_act
from roadkill_site.accounts.models import User
from tests.games.circuits import NOTHING, Circuit, MakeCircuit, circuit_started, cup_at_hand
from tests.games.conftest import NOON, person
from tests.games.cup_ruleset import RULESET as CUP

Clock = time_machine.Traveller


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def circuit(alice: User, bob: User, charlie: User) -> MakeCircuit:
    """Makes a started campaign of Alice, Bob and Charlie; Alice hosts."""
    return partial(circuit_started, [alice, bob, charlie])


# --- From the lobby to the first race ---------------------------------------------------


def test_a_campaign_gathers_drivers_as_its_first_race_does(alice: User, bob: User) -> None:
    campaign = campaign_create(by=alice, name="  Cup  of cups ", ruleset="cup", seats=2, is_public=True)
    race = CampaignRace.objects.get(campaign=campaign).race
    assert (campaign.name, campaign.status, race.name) == ("Cup of cups", "lobby", "Cup of cups: race 1")
    campaign_join(campaign_id=campaign.pk, by=bob)
    circuit = Circuit(campaign)
    assert circuit.row.status == "running", "the last seat that is taken starts it"
    assert circuit.balances() == [3, 3]
    assert circuit.lines() == ["1 opening 3", "2 opening 3"]
    assert {driver.player_id for driver in circuit.row.drivers.all()} == {alice.pk, bob.pk}


@pytest.mark.parametrize(
    ("field", "settings"),
    [
        ("name", {"name": " "}),
        ("name", {"name": "x" * 41}),
        ("ruleset", {"ruleset": "toy"}),
        ("ruleset", {"ruleset": "ludo"}),
        ("seats", {"seats": 9}),
        ("options", {"options": {"upgrades": {"1": ["P"]}}}),
        ("tempo", {"tempo": "hasty"}),
    ],
)
def test_what_a_campaign_cannot_be_is_told_at_its_field(alice: User, field: str, settings: dict[str, Any]) -> None:
    with pytest.raises(FieldRefused) as refused:
        campaign_create(**{"by": alice, "name": "Cup", "ruleset": "cup", "seats": 3, **settings})
    assert refused.value.field == field
    assert not Campaign.objects.exists()
    assert not Race.objects.exists()


def test_cars_are_drawn_once_and_the_record_of_the_first_race_shows_it(circuit: MakeCircuit) -> None:
    going = circuit()
    first = going.last.race
    seats = {seat.number: seat.player_id for seat in first.seats.all()}
    going.nobody_buys()
    entry = first.entries.get(seq=0)
    assert entry.draws[0][0] == "seating"
    order = first.seats.order_by("joined_order").values_list("number", flat=True)
    assert [place + 1 for place in entry.draws[0][2]] == list(order)
    going.call([1, 2, 3], [1, 1, 1])
    going.nobody_buys()
    second = going.last.race
    assert {seat.number: seat.player_id for seat in second.seats.all()} == seats
    assert [draw[0] for draw in second.entries.get(seq=0).draws] == ["deck"], "nobody draws a car again"
    assert second.entries.get(seq=0).draws != first.entries.get(seq=0).draws[1:]


def test_nothing_of_the_first_race_changes_once_the_cars_are_drawn(
    circuit: MakeCircuit, alice: User, bob: User
) -> None:
    going = circuit()
    race = going.last.race
    other = person("Other")
    for change in (
        lambda: race_update(race_id=race.pk, by=alice, seats=2),
        lambda: race_join(race_id=race.pk, by=other),
        lambda: race_leave(race_id=race.pk, by=bob),
        lambda: race_start(race_id=race.pk, by=alice),
        lambda: race_cancel(race_id=race.pk, by=alice),
        lambda: seat_add_bot(race_id=race.pk, by=alice),
        lambda: seat_remove(race_id=race.pk, by=alice, seat_id=race.seats.get(player=bob).pk),
    ):
        with pytest.raises(RaceNotOpen, match="cars are drawn"):
            change()
    campaign_start(campaign_id=going.pk, by=alice)
    assert going.asked == 1, "starting twice is starting once"


def test_calling_the_first_race_off_ends_the_campaign(alice: User) -> None:
    campaign = campaign_create(by=alice, name="Cup", ruleset="cup", seats=3)
    race_cancel(race_id=CampaignRace.objects.get(campaign=campaign).race_id, by=alice)
    sweep()
    assert Circuit(campaign).row.status == "closed"


# --- Purchases --------------------------------------------------------------------------


def test_purchases_are_asked_one_after_another_and_told_to_who_is_asked(circuit: MakeCircuit) -> None:
    going = circuit()
    assert going.asked == 1
    told = OutboxEvent.objects.filter(kind="purchase")
    assert [event.seat.number for event in told] == [1]
    going.buy("R")
    assert going.asked == 2
    assert [event.seat.number for event in told.order_by("pk")] == [1, 2]
    assert going.balances() == [0, 3, 3]
    going.nobody_buys()
    race = going.last.race
    assert (race.status, race.options["upgrades"]) == ("running", {"1": ["R"]})
    assert going.lines(race=1) == ["1 bought R -3"]


def test_a_purchase_lapses_like_a_turn_and_buys_nothing(circuit: MakeCircuit, clock: Clock) -> None:
    going = circuit(tempo="hours", turn_hours=48, reaction_hours=8)
    assert going.open is not None
    assert going.open.due_at == NOON + timedelta(hours=48)
    clock.shift(timedelta(hours=47, minutes=59))
    sweep()
    assert going.asked == 1
    clock.shift(timedelta(minutes=2))
    assert sweep().campaigns == 1
    assert going.asked == 2
    assert going.open.due_at == timezone.now() + timedelta(hours=48), "each has the whole time"
    lapsed = Purchase.objects.get(driver__car=1)
    assert (lapsed.acts[0]["origin"], lapsed.acts[0]["action"]) == ("deadline", NOTHING)
    assert sweep().campaigns == 0


def test_the_same_key_gets_the_first_answer_and_a_stale_one_the_present_question(circuit: MakeCircuit) -> None:
    going = circuit()
    going.buy("P")
    going.answer(NOTHING)
    going.answer(NOTHING)
    going.call([1, 2, 3], [0, 0, 0])
    assert going.asked == 1
    purchase = going.open
    assert purchase is not None
    first = going.answer({"do": "return", "upgrade": "P"}, idempotency_key="k")
    again = going.answer({"do": "return", "upgrade": "P"}, idempotency_key="k", position=0)
    assert first == again
    assert first == {"words": "Return P, Part P, for 0", "step": 0, "posting": first["posting"], "is_over": False}
    with pytest.raises(StaleAnswer) as stale:
        going.answer(NOTHING, position=0, idempotency_key="other")
    assert stale.value.question is not None
    assert stale.value.question["position"] == 1
    going.buy("Q")
    assert Posting.objects.filter(upgrade="P", kind="returned").count() == 1
    late = {"by": going.driver(1), "purchase_id": purchase.pk, "position": 2}
    with pytest.raises(RuleViolation, match="one upgrade") as second:
        going.answer({"do": "buy", "upgrade": "P"}, idempotency_key="2", **late)
    assert second.value.rule == "7.2"
    with pytest.raises(NotYourDecision):
        going.answer(NOTHING, idempotency_key="3", **late)


def test_what_cannot_be_bought_is_refused_with_its_rule_and_nothing_changes(circuit: MakeCircuit, bob: User) -> None:
    going = circuit()
    before = Posting.objects.count()
    for action, words in [
        ({"do": "buy", "upgrade": "S"}, "costs 4; you have 3"),
        ({"do": "buy", "upgrade": "Z"}, "no upgrade “Z”"),
        ({"do": "return", "upgrade": "P"}, "no Part P"),
        ({"do": "nothing", "upgrade": "P"}, "names no upgrade"),
    ]:
        with pytest.raises(RuleViolation, match=words) as refused:
            going.answer(action)
        assert refused.value.rule == "7.2"
    for odd in ({"do": "steal"}, {"upgrade": "P"}, {"do": "buy", "upgrade": 3}, {"do": "nothing", "more": 1}):
        with pytest.raises(ActionRefused) as malformed:
            going.answer(odd)
        assert malformed.value.code == "malformed"
    with pytest.raises(NotYourSeat):
        going.answer(NOTHING, by=person("Stranger"))
    assert Posting.objects.count() == before
    assert going.asked == 1
    going.buy("P")
    with pytest.raises(RuleViolation, match="Car 1 has it"):
        going.buy("P")


def test_what_is_returned_is_free_for_the_next_buyer(circuit: MakeCircuit) -> None:
    going = circuit()
    going.buy("R")
    going.nobody_buys()
    going.call([1, 2, 3], [0, 0, 0])
    going.give_back("R")
    assert going.asked == 1, "who returns may still buy"
    going.answer(NOTHING)
    going.buy("R")
    going.nobody_buys()
    assert going.last.race.options["upgrades"] == {"2": ["R"]}
    assert going.lines(race=2) == ["1 returned R 1", "2 bought R -3"]
    assert ledger_faults(going.row) == []


# --- Points -----------------------------------------------------------------------------


def test_points_of_a_race_are_posted_once_however_often_it_is_looked_at(circuit: MakeCircuit) -> None:
    going = circuit()
    going.nobody_buys()
    going.call([2, 1, 3], [1, 4, 0])
    assert going.lines(race=1) == ["1 earned 1", "2 earned 4", "3 earned 0"]
    for _ in range(3):
        sweep()
        campaign_attend(campaign_id=going.pk)
    assert going.balances() == [4, 7, 3]
    assert CampaignRace.objects.filter(campaign_id=going.pk).count() == 2
    assert going.asked == 2, "in Cup the winner buys first"


def test_a_race_that_ended_while_nobody_looked_is_posted_by_the_sweep(
    circuit: MakeCircuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = circuit()
    going.nobody_buys()
    race = going.last.race
    seat = race.seats.get(number=1)
    action = {"do": "call", "places": [1, 2, 3], "scores": [5, 0, 0]}
    action_submit(race_id=race.pk, seat_id=seat.pk, action=action, expected_seq=race.seq, idempotency_key="end")
    assert going.lines(race=1) == []
    assert sweep().campaigns == 1
    assert going.balances() == [8, 3, 3]


def test_a_penalty_takes_points_then_the_cheapest_upgrades_that_give_something_then_is_let_off(
    circuit: MakeCircuit,
) -> None:
    going = circuit()
    going.buy("R")
    going.buy("P")
    going.buy("Q")
    going.call([1, 2, 3], [0, -1, -4])
    # Car 2 has 2 left. Car 3 has 1 and Q, which gives nothing: the rest is let off.
    assert going.lines(race=1)[-4:] == ["1 earned 0", "2 penalty -1", "3 clamp 3", "3 penalty -4"]
    assert going.balances() == [0, 1, 0]
    going.nobody_buys()
    going.call([1, 2, 3], [-1, 0, 0])
    assert going.lines(race=2) == ["1 forced_return R 1", "1 penalty -1", "2 earned 0", "3 earned 0"]
    assert going.balances() == [0, 1, 0]
    assert ledger_faults(going.row) == []


def test_an_upgrade_lost_in_a_race_is_free_again_and_stands_in_the_ledger(circuit: MakeCircuit) -> None:
    going = circuit()
    going.buy("R")
    going.nobody_buys()
    going.call([3, 2, 1], [0, 0, 2], lost="R")
    assert going.lines(race=1)[1:2] == ["1 lost R 0"]
    going.buy("R")
    going.nobody_buys()
    assert going.last.race.options["upgrades"] == {"3": ["R"]}
    assert ledger_faults(going.row) == []


def test_the_campaign_ends_with_a_race_whose_winner_has_the_goal_and_not_before(circuit: MakeCircuit) -> None:
    going = circuit()
    going.nobody_buys()
    going.call([1, 2, 3], [6, 9, 0])
    assert going.row.status == "running", "car 2 has twelve and has not won the race; car 1 has nine"
    going.nobody_buys()
    going.call([1, 2, 3], [1, 0, 0])
    row = going.row
    assert (row.status, row.winner, going.balances()) == ("finished", 1, [10, 12, 3])
    assert row.ended_at is not None
    assert going.open is None
    assert CampaignRace.objects.filter(campaign=row).count() == 2
    sweep()
    assert CampaignRace.objects.filter(campaign=row).count() == 2
    assert ledger_faults(row) == []


# --- Paused and closed ------------------------------------------------------------------


def test_a_paused_purchase_has_its_time_left_when_the_campaign_goes_on(
    circuit: MakeCircuit, clock: Clock, alice: User, bob: User
) -> None:
    going = circuit(tempo="hours", turn_hours=48, reaction_hours=8)
    clock.shift(timedelta(hours=40))
    with pytest.raises(NotHost):
        campaign_pause(campaign_id=going.pk, by=bob)
    campaign_pause(campaign_id=going.pk, by=alice)
    campaign_pause(campaign_id=going.pk, by=alice)
    clock.shift(timedelta(days=9))
    assert sweep().campaigns == 0
    assert going.asked == 1
    campaign_resume(campaign_id=going.pk, by=alice)
    assert going.open is not None
    assert going.open.due_at == timezone.now() + timedelta(hours=8)


def test_who_answers_in_a_pause_is_heard_and_nobody_else_is_asked_until_it_is_over(
    circuit: MakeCircuit, alice: User
) -> None:
    going = circuit()
    campaign_pause(campaign_id=going.pk, by=alice)
    going.answer(NOTHING)
    assert going.asked is None
    campaign_resume(campaign_id=going.pk, by=alice)
    assert going.asked == 2


def test_a_pause_stops_the_race_under_way_and_no_further_race_is_bought_for(circuit: MakeCircuit, alice: User) -> None:
    going = circuit()
    going.nobody_buys()
    campaign_pause(campaign_id=going.pk, by=alice)
    assert going.last.race.paused_at is not None
    going.call([1, 2, 3], [1, 1, 1])
    assert going.lines(race=1) == []
    campaign_resume(campaign_id=going.pk, by=alice)
    assert going.lines(race=1) == ["1 earned 1", "2 earned 1", "3 earned 1"]


def test_a_closed_campaign_has_no_winner_and_its_race_under_way_counts_no_more(
    circuit: MakeCircuit, alice: User, bob: User
) -> None:
    going = circuit()
    going.nobody_buys()
    with pytest.raises(NotHost):
        campaign_close(campaign_id=going.pk, by=bob)
    campaign_close(campaign_id=going.pk, by=alice)
    campaign_close(campaign_id=going.pk, by=alice)
    going.call([1, 2, 3], [9, 0, 0])
    sweep()
    row = going.row
    assert (row.status, row.winner, going.balances()) == ("closed", None, [3, 3, 3])
    assert ledger_faults(row) == []
    for late in (campaign_pause, campaign_resume):
        with pytest.raises(RaceNotRunning):
            late(campaign_id=going.pk, by=alice)


def test_closing_between_races_calls_the_next_one_off(circuit: MakeCircuit, alice: User) -> None:
    going = circuit()
    purchase = going.open
    assert purchase is not None
    campaign_close(campaign_id=going.pk, by=alice)
    assert going.last.race.status == "abandoned"
    with pytest.raises(RaceNotRunning):
        going.answer(NOTHING)


# --- Drivers who drop out ---------------------------------------------------------------


def test_who_drops_out_is_replaced_by_a_bot_at_once_and_the_ledger_stays(circuit: MakeCircuit) -> None:
    going = circuit()
    going.buy("P")
    gone = going.driver(2)
    campaign_drop_out(campaign_id=going.pk, by=gone)
    driver = going.row.drivers.get(car=2)
    assert (driver.bot, driver.player, driver.former_player) == ("driver", None, gone)
    assert driver.name
    assert going.asked == 3, "the bot has answered for car 2"
    assert going.last.race.seats.get(number=2).bot == "driver"
    assert campaign_drop_out(campaign_id=going.pk, by=gone).car == 2
    with pytest.raises(NotYourSeat):
        campaign_drop_out(campaign_id=going.pk, by=person("Stranger"))
    going.nobody_buys()
    going.call([1, 2, 3], [1, 1, 1])
    assert going.row.drivers.get(car=2).postings.count() > 1


def test_who_dropped_out_may_come_back_and_so_may_anybody_in_a_public_campaign(circuit: MakeCircuit) -> None:
    going = circuit()
    gone, new = going.driver(3), person("Newcomer")
    campaign_drop_out(campaign_id=going.pk, by=gone)
    with pytest.raises(SeatNotGone):
        campaign_drive_on(campaign_id=going.pk, by=new, car=2)
    with pytest.raises(NotYourSeat):
        campaign_drive_on(campaign_id=going.pk, by=going.driver(1), car=3)
    campaign_drive_on(campaign_id=going.pk, by=new, car=3)
    campaign_drive_on(campaign_id=going.pk, by=new, car=3)
    assert going.driver(3) == new
    with pytest.raises(SeatNotGone):
        campaign_drive_on(campaign_id=going.pk, by=gone, car=3)
    going.nobody_buys()
    assert going.last.race.seats.get(number=3).player == new


def test_a_private_campaign_takes_the_link_of_the_car(circuit: MakeCircuit) -> None:
    going = circuit()
    Race.objects.filter(pk=going.last.race.pk).update(is_public=False)
    gone, new = going.driver(2), person("Newcomer")
    campaign_drop_out(campaign_id=going.pk, by=gone)
    link = car_invitation(going.row.drivers.get(car=2))
    for odd in ("", "nonsense", link[:-1]):
        with pytest.raises(InvitationRefused):
            campaign_drive_on(campaign_id=going.pk, by=new, car=2, invitation=odd)
    campaign_drive_on(campaign_id=going.pk, by=new, car=2, invitation=link)
    campaign_drop_out(campaign_id=going.pk, by=new)
    with pytest.raises(InvitationRefused):
        campaign_drive_on(campaign_id=going.pk, by=person("Third"), car=2, invitation=link)


def test_who_drops_out_of_a_race_under_way_has_a_bot_drive_it_on(circuit: MakeCircuit) -> None:
    going = circuit()
    going.nobody_buys()
    gone = going.driver(1)
    campaign_drop_out(campaign_id=going.pk, by=gone)
    race = going.last.race
    seat = race.seats.get(number=1)
    assert (seat.bot, seat.player, seat.state) == ("driver", None, "joined")
    bots_answer(race_id=race.pk)
    race.refresh_from_db()
    assert race.status == "finished"
    assert race.entries.latest("seq").acts[0]["origin"] == "bot"


def test_the_host_relieves_a_driver_who_let_a_purchase_lapse_and_nobody_else(
    circuit: MakeCircuit, clock: Clock, alice: User
) -> None:
    going = circuit(tempo="hours", turn_hours=1, reaction_hours=1)
    with pytest.raises(SeatNotGone):
        campaign_relieve(campaign_id=going.pk, by=alice, car=1)
    clock.shift(timedelta(hours=2))
    sweep()
    with pytest.raises(NotHost):
        campaign_relieve(campaign_id=going.pk, by=person("Stranger"), car=1)
    campaign_relieve(campaign_id=going.pk, by=alice, car=1)
    assert going.row.drivers.get(car=1).bot == "driver"
    with pytest.raises(NotYourSeat):
        campaign_relieve(campaign_id=going.pk, by=alice, car=9)


def test_who_takes_a_seat_over_in_a_race_drives_on_in_the_campaign(circuit: MakeCircuit, alice: User) -> None:
    going = circuit()
    going.nobody_buys()
    race = going.last.race
    Seat.objects.filter(race=race, number=2).update(offered_at=timezone.now())
    gone = going.driver(2)
    seat_replace(race_id=race.pk, by=alice, seat_id=race.seats.get(number=2).pk, bot="random")
    going.call([1, 2, 3], [1, 1, 1])
    driver = going.row.drivers.get(car=2)
    assert (driver.bot, driver.player, driver.former_player) == ("random", None, gone)
    assert going.balances() == [4, 4, 4]


# --- The database -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE games_posting SET points = 1 WHERE number = 1", "append-only"),
        ("DELETE FROM games_posting WHERE number = 1", "append-only"),
    ],
)
def test_the_database_refuses_to_change_a_line(circuit: MakeCircuit, statement: str, why: str) -> None:
    circuit()
    with pytest.raises(DatabaseError, match=why), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"points": -4, "balance": -1}, "balance_is_not_below_zero|posting_balance"),
        ({"points": -1, "balance": 3}, "sum of its lines"),
        ({"number": 9}, "follow each other"),
        ({"kind": "bought", "upgrade": "P", "points": -1, "balance": 2}, "one owner"),
        ({"kind": "returned", "upgrade": "P", "points": 0, "balance": 3}, "only its owner"),
        ({"source": "opening/2"}, "source"),
        ({"kind": "gift"}, "posting_kind_is_known"),
        ({"kind": "earned", "points": -1, "balance": 2}, "posting_points_fit_its_kind"),
        ({"kind": "earned", "upgrade": "Q", "points": 1, "balance": 4}, "posting_names_an_upgrade"),
    ],
)
def test_the_database_refuses_a_line_that_cannot_be(circuit: MakeCircuit, change: dict[str, Any], why: str) -> None:
    going = circuit()
    going.buy("P")
    row: dict[str, Any] = {
        "campaign": going.row,
        "number": 5,
        "driver": going.row.drivers.get(car=2),
        "kind": "penalty",
        "points": -1,
        "balance": 2,
        "rule": "7.4",
        "source": "by hand",
        "created_at": timezone.now(),
    }
    with pytest.raises(DatabaseError, match=why), transaction.atomic():
        Posting.objects.create(**{**row, **change})
    Posting.objects.create(**row)


# --- The check --------------------------------------------------------------------------


def checked(*arguments: str) -> str:
    """What ledger_check prints; it must find nothing."""
    out = StringIO()
    call_command("ledger_check", *arguments, stdout=out)
    return out.getvalue()


def by_hand(statement: str) -> None:
    """Change the ledger as somebody with the database's keys would: its triggers dropped, and put up again."""
    triggers = import_module("games.migrations.0021_ledger_is_append_only")
    down, up = (
        (triggers.SQLITE_DOWN, triggers.SQLITE_UP)
        if connection.vendor == "sqlite"
        else (triggers.POSTGRESQL_DOWN, triggers.POSTGRESQL_UP)
    )
    with connection.cursor() as cursor:
        for line in (*down, statement, *up):
            cursor.execute(line)


def played(circuit: MakeCircuit) -> Circuit:
    """A campaign that was won after two races, with purchases, a loss and a penalty."""
    going = circuit()
    going.buy("R")
    going.nobody_buys()
    going.call([2, 3, 1], [-1, 5, 4], lost="")
    going.buy("Q")
    going.nobody_buys()
    going.call([2, 1, 3], [4, 9, 1], lost="Q")
    assert going.row.winner == 2
    return going


def test_the_check_makes_the_ledger_anew_and_finds_nothing(circuit: MakeCircuit) -> None:
    going = played(circuit)
    assert "Ledgers checked: 1. Each comes of its races' records." in checked()
    assert "Ledgers checked: 1" in checked(going.row.public_id)
    with pytest.raises(CommandError, match="no campaign “nobody”"):
        checked("nobody")


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE games_posting SET points = 6 WHERE source = 'race/1/2/earned'",
            "race/1/2/earned, says car 2, earned +6, then 8 (7.3, race 1); the records give line 7: car 2, earned +5",
        ),
        ("UPDATE games_posting SET balance = 9 WHERE source = 'race/1/2/earned'", "then 9"),
        (
            "UPDATE games_posting SET rule = '9.9' WHERE source = 'opening/2'",
            "opening/2, says car 2, opening +3, then 3 (9.9)",
        ),
        ("UPDATE games_posting SET upgrade = 'P' WHERE kind = 'lost'", "lost P"),
        ("DELETE FROM games_posting WHERE source = 'race/2/1/earned'", "There is no line"),
        ("UPDATE games_posting SET source = 'gift' WHERE source = 'race/2/3/earned'", "gift, comes of nothing"),
        ("UPDATE games_campaign SET winner = 3", "Car 3 stands there as the winner; the races give car 2"),
        ("UPDATE games_purchaseround SET \"order\" = '[3, 2, 1]'", "go by [3, 2, 1]"),
    ],
)
def test_the_check_names_the_line_that_was_changed_by_hand(circuit: MakeCircuit, statement: str, named: str) -> None:
    going = played(circuit)
    by_hand(statement)
    out = StringIO()
    with pytest.raises(CommandError, match="differ from the records: 1 of 1"):
        call_command("ledger_check", going.row.public_id, stdout=out)
    assert named in out.getvalue()


def test_the_check_names_a_race_whose_record_was_changed(circuit: MakeCircuit) -> None:
    going = played(circuit)
    race = CampaignRace.objects.get(campaign_id=going.pk, number=1).race
    assert race.outcome is not None
    Race.objects.filter(pk=race.pk).update(outcome=race.outcome | {"places": [[1], [2], [3]]})
    assert any("race 1 does not replay" in fault for fault in ledger_faults(going.row))


def test_in_random_campaigns_of_bots_every_total_is_the_sum_of_its_lines(alice: User) -> None:
    for number in range(3):
        campaign = campaign_create(by=alice, name=f"Bots {number}", ruleset="cup", seats=4, starts_when_full=False)
        race = CampaignRace.objects.get(campaign=campaign).race
        for _ in range(3):
            seat_add_bot(race_id=race.pk, by=alice, bot="random")
        campaign_start(campaign_id=campaign.pk, by=alice)
        campaign_drop_out(campaign_id=campaign.pk, by=alice)
        going = Circuit(campaign)
        while going.row.status == "running" and going.last.number < 8:
            bots_answer(race_id=going.last.race.pk)
            campaign_attend(campaign_id=campaign.pk)
            owned = [one for letters in ledger_now(going.row).upgrades.values() for one in letters]
            assert sorted(owned) == sorted(set(owned))
            assert min(going.balances()) >= 0
        assert ledger_faults(going.row) == []
        assert Posting.objects.filter(campaign=campaign, kind="bought").exists()


# --- Dying in the middle, and two at once ------------------------------------------------


@pytest.mark.parametrize("at", ["_next_race", "_open_round", "_follow_seats"])
def test_who_dies_while_posting_leaves_nothing_of_it_and_the_next_sweep_does_it_all(
    circuit: MakeCircuit, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    going = circuit()
    going.buy("Q")
    going.nobody_buys()
    with monkeypatch.context() as broken:
        broken.setattr(CampaignDesk, at, lambda *_: sys.exit("killed"))
        with pytest.raises(SystemExit):
            going.call([1, 2, 3], [1, 1, 1])
    assert going.last.race.status == "finished", "the race's own last act stands"
    assert (going.lines(race=1), going.last.number, going.last.posted_at) == (["1 bought Q -2"], 1, None)
    assert sweep().campaigns == 1
    assert going.lines(race=1) == ["1 bought Q -2", "1 earned 1", "2 earned 1", "3 earned 1"]
    assert (going.last.number, going.asked) == (2, 1)
    assert ledger_faults(going.row) == []


def test_who_dies_between_the_last_purchase_and_the_race_has_it_begun_by_the_next_sweep(
    circuit: MakeCircuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = circuit()
    going.answer(NOTHING)
    going.answer(NOTHING)
    with monkeypatch.context() as broken:
        broken.setattr(CampaignDesk, "_begin_race", lambda *_: sys.exit("killed"))
        with pytest.raises(SystemExit):
            going.answer(NOTHING)
    assert (going.asked, going.last.race.status) == (None, "open"), "the answer is kept"
    assert sweep().campaigns == 1
    assert going.last.race.status == "running"


def _refuse(*_: Any) -> Any:
    raise Malformed("Cup does not know these upgrades any more.")


@pytest.mark.parametrize(
    ("at", "breaks", "fault"),
    [("setup", lambda *_: 1 / 0, "ZeroDivisionError"), ("options", _refuse, "does not know these upgrades")],
)
def test_a_race_that_cannot_begin_is_marked_and_tried_again_and_no_answer_is_refused_for_it(
    circuit: MakeCircuit, monkeypatch: pytest.MonkeyPatch, clock: Clock, *, at: str, breaks: Any, fault: str
) -> None:
    going = circuit(tempo="hours", turn_hours=1, reaction_hours=1)
    going.answer(NOTHING)
    going.buy("P")
    with monkeypatch.context() as broken:
        broken.setattr(CUP, at, breaks)
        assert going.answer(NOTHING)["is_over"]
        assert sweep().campaigns == 0
        race = going.last.race
        assert fault in race.fault
        assert OutboxEvent.objects.filter(kind="fault", race=race).exists()
        assert sweep().campaigns == 0
    clock.shift(timedelta(hours=7))
    assert sweep().campaigns == 1
    race = going.last.race
    assert (race.status, race.fault) == ("running", "")


def test_races_with_given_cars_prove_themselves_like_any_other(circuit: MakeCircuit) -> None:
    going = played(circuit)
    for row in CampaignRace.objects.filter(campaign_id=going.pk).select_related("race"):
        record = record_of(race=row.race)
        assert verify(RULESETS, record).places[0] == (2,)
        assert bool(record.seating) == (row.number == 1), "the cars were drawn in the first"
        assert replay_fault(race=row.race) == ""


def test_the_end_of_a_race_and_the_drawing_of_cars_nudge_the_campaign_and_no_other_act_does(
    circuit: MakeCircuit, django_capture_on_commit_callbacks: Any
) -> None:
    nudged: list[int] = []

    def note(*, race_id: int, **_more: Any) -> None:
        nudged.append(race_id)

    campaign_due.connect(note)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            going = circuit()
        assert nudged == [going.last.race.pk]
        with django_capture_on_commit_callbacks(execute=True):
            going.nobody_buys()
        assert len(nudged) == 1
        with django_capture_on_commit_callbacks(execute=True):
            going.end([1, 2, 3], [1, 1, 1])
        assert len(nudged) == 2
    finally:
        campaign_due.disconnect(note)
    assert going.lines(race=1) == []
    campaign_act(nudged[-1])
    assert going.lines(race=1) == ["1 earned 1", "2 earned 1", "3 earned 1"]
