"""What a campaign tells its drivers: its start, points after a race, pauses, lapses, who left, and its end."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from games.services.campaigns import (
    campaign_attend,
    campaign_close,
    campaign_drive_on,
    campaign_drop_out,
    campaign_pause,
    campaign_relieve,
    campaign_resume,
)
from games.services.sweep import sweep
from notifications.models import Notice, Wishes
from notifications.services.daily import daily_make
from notifications.services.delivery import notices_deliver
from notifications.services.hours import daily_next
from roadkill_site.accounts.models import User
from tests.games.circuits import Circuit, circuit_started, cup_at_hand

Deliver = Callable[..., dict[str, int]]


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def going(wren: User, olu: User, clock: Any) -> Circuit:
    """A campaign in which nobody has bought yet; Wren hosts."""
    return circuit_started([wren, olu], tempo="daily")


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """A clock that stands still."""
    with time_machine.travel("2026-06-01T12:00:00+00:00", tick=False) as traveller:
        yield traveller


def told(deliver: Deliver) -> dict[str, list[str]]:
    """Deliver, and the subjects that came to each address since the last time."""
    mail.outbox.clear()
    deliver()
    came: dict[str, list[str]] = {}
    for one in mail.outbox:
        came.setdefault(one.to[0], []).append(str(one.subject))
    return came


def body_to(address: str) -> str:
    """The text of the one mail to this address."""
    (one,) = (one for one in mail.outbox if one.to == [address])
    return str(one.body)


def test_the_start_tells_each_driver_the_car_the_goal_and_who_buys(going: Circuit, deliver: Deliver) -> None:
    assert told(deliver) == {
        going.driver(1).email: ["Cup of cups: race 1: you may buy an upgrade"],
        going.driver(2).email: ["Cup of cups: race 1: the campaign has started"],
    }
    body = body_to(going.driver(2).email)
    assert "The campaign Cup of cups has started, and you drive car 2 in all of its races." in body
    assert "Each car begins with 3 points." in body
    assert "10 points and a race won end it." in body
    order = ", ".join(f"{going.driver(car).display_name} (car {car})" for car in (1, 2))
    assert f"Purchases before race 1, in this order: {order}." in body
    assert f"The campaign: http://127.0.0.1:8000/campaigns/{going.row.public_id}/" in body


def test_the_letter_of_a_race_that_is_over_has_the_points_and_who_buys_next(going: Circuit, deliver: Deliver) -> None:
    going.buy("Q")
    going.nobody_buys()
    told(deliver)
    going.end([2, 1], [1, 4])
    assert told(deliver) == {}, "the points are about to be posted"
    waits = Notice.objects.filter(outbox_event__kind="finished")
    assert {one.state for one in waits} == {"pending"}
    campaign_attend(campaign_id=going.pk)
    Notice.objects.update(due_at=timezone.now())
    subjects = told(deliver)
    assert subjects[going.driver(1).email] == ["Cup of cups: race 1: the race is over"]
    assert sorted(subjects[going.driver(2).email]) == [
        "Cup of cups: race 1: the race is over",
        "Cup of cups: race 2: you may buy an upgrade",
    ]
    body = body_to(going.driver(1).email)
    first, second = going.driver(2).display_name, going.driver(1).display_name
    assert "THE CAMPAIGN, AFTER RACE 1" in body
    assert f"  1. car 2, {first}: 7 points (+4 in this race)" in body
    assert f"  2. car 1, {second}, you: 2 points (+1 in this race); has Q" in body
    assert f"Purchases before race 2, in this order: {first} (car 2), {second} (car 1)." in body
    html = str(mail.outbox[0].alternatives[0][0])  # type: ignore[union-attr]
    assert "The campaign, after race 1" in html


def test_a_race_that_is_over_is_told_without_points_if_they_do_not_come(
    going: Circuit, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    going.nobody_buys()
    told(deliver)
    going.end([2, 1], [1, 4])
    assert told(deliver) == {}
    clock.shift(timedelta(minutes=11))
    assert set(told(deliver)) == {going.driver(1).email, going.driver(2).email}
    assert "AFTER RACE" not in body_to(going.driver(1).email)


def test_the_end_of_a_campaign_is_one_letter_with_winner_table_and_the_last_race(
    going: Circuit, deliver: Deliver
) -> None:
    going.nobody_buys()
    told(deliver)
    going.call([2, 1], [1, 8])
    assert told(deliver) == {going.driver(car).email: ["Cup of cups: the campaign is over"] for car in (1, 2)}
    winner = going.driver(2).display_name
    body = body_to(going.driver(1).email)
    assert f"THE CAMPAIGN IS OVER\n{winner} (car 2) has won it, with 11 points." in body
    assert f"Race 1, the last:\n1. {winner}" in body
    assert f"  1. car 2, {winner}: 11 points (+8 in this race)" in body
    assert "This is the last mail about this campaign." in body
    assert "10 points and a race won end it." not in body
    assert f"/campaigns/{going.row.public_id}/" in body
    dropped = Notice.objects.filter(outbox_event__kind="finished").values_list("reason", flat=True)
    assert set(dropped) == {"told together with the campaign's end"}


def test_who_is_told_no_ends_of_campaigns_is_told_the_end_of_the_race(going: Circuit, deliver: Deliver) -> None:
    loser = going.driver(1)
    Wishes.objects.create(player=loser, mail_kinds_off=["campaign_over"])
    going.nobody_buys()
    told(deliver)
    going.call([2, 1], [1, 8])
    assert told(deliver)[loser.email] == ["Cup of cups: race 1: the race is over"]


def test_pause_and_going_on_are_told_to_all_but_the_host_and_not_once_they_are_over(
    going: Circuit, deliver: Deliver, wren: User, olu: User
) -> None:
    told(deliver)
    campaign_pause(campaign_id=going.pk, by=wren)
    assert told(deliver) == {olu.email: ["Cup of cups: the campaign is paused"]}
    assert "Wren has stopped all clocks of Cup of cups." in body_to(olu.email)
    campaign_resume(campaign_id=going.pk, by=wren)
    assert told(deliver) == {olu.email: ["Cup of cups: the campaign goes on"]}
    campaign_pause(campaign_id=going.pk, by=wren)
    campaign_resume(campaign_id=going.pk, by=wren)
    assert told(deliver) == {olu.email: ["Cup of cups: the campaign goes on"]}


def test_a_campaign_that_is_closed_says_so_to_all_but_the_host(
    going: Circuit, deliver: Deliver, wren: User, olu: User
) -> None:
    told(deliver)
    campaign_close(campaign_id=going.pk, by=wren)
    assert told(deliver) == {olu.email: ["Cup of cups: the campaign is closed"]}
    assert "Wren has closed Cup of cups. Nobody has won it." in body_to(olu.email)


def test_a_purchase_that_lapsed_is_told_to_its_driver_alone(
    going: Circuit, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    told(deliver)
    purchase = going.open
    assert purchase is not None
    clock.move_to(purchase.due_at + timedelta(minutes=1))
    sweep()
    subjects = told(deliver)
    assert subjects[going.driver(1).email] == ["Cup of cups: race 1: your purchase was not answered in time"]
    assert subjects[going.driver(2).email] == ["Cup of cups: race 1: you may buy an upgrade"]
    assert "You have bought nothing before this race" in body_to(going.driver(1).email)


def test_the_host_is_told_who_dropped_out_unless_somebody_drives_on_by_then(
    going: Circuit, deliver: Deliver, wren: User, olu: User
) -> None:
    car = going.row.drivers.get(player_id=olu.pk).car
    told(deliver)
    campaign_drop_out(campaign_id=going.pk, by=olu)
    subjects = told(deliver)
    assert "Cup of cups: a driver has dropped out of the campaign" in subjects[wren.email]
    assert olu.email not in subjects
    text = next(str(one.body) for one in mail.outbox if "dropped out" in one.subject)
    assert f"Olu (car {car}) has dropped out of Cup of cups." in text
    campaign_drive_on(campaign_id=going.pk, by=olu, car=car)
    campaign_drop_out(campaign_id=going.pk, by=olu)
    campaign_drive_on(campaign_id=going.pk, by=olu, car=car)
    assert "Cup of cups: a driver has dropped out of the campaign" not in told(deliver).get(wren.email, [])


def test_who_is_relieved_is_told(wren: User, olu: User, deliver: Deliver, clock: time_machine.Traveller) -> None:
    going = circuit_started([wren, olu], tempo="daily")
    while going.asked != going.row.drivers.get(player_id=olu.pk).car:
        going.nobody_buys() if going.asked is None else going.answer({"do": "nothing"})
    purchase = going.open
    assert purchase is not None
    clock.move_to(purchase.due_at + timedelta(minutes=1))
    sweep()
    told(deliver)
    campaign_relieve(campaign_id=going.pk, by=wren, car=purchase.driver.car)
    assert told(deliver)[olu.email] == ["Cup of cups: a bot drives your car in the campaign"]
    assert "If you want to drive on, take it back on the campaign's page." in body_to(olu.email)


def test_a_daily_mail_asks_the_purchase_with_its_answers(
    going: Circuit, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    asked = going.driver(1)
    Wishes.objects.create(
        player=asked,
        daily_hour=8,
        daily_at=daily_next(hour=8, zone_name=asked.time_zone, after=timezone.now()),
        urgent_hours=1,
    )
    assert asked.email not in told(deliver)
    clock.move_to(Wishes.objects.get(player=asked).daily_at or timezone.now())
    mail.outbox.clear()
    notices_deliver(daily_make(now=timezone.now()))
    body = body_to(asked.email)
    assert "One question waits for you." in body
    assert "You have 3 points in Cup of cups. Do you buy an upgrade?" in body
    assert "3. Buy R, Part R, for 3 (7.2)" in body
    assert "/act/" in body
    assert "you may buy an upgrade." not in body, "told once"
