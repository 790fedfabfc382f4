"""Letters of purchases: to who is asked, with numbered answers and their links, and not once it is over."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from games.models import OutboxEvent
from games.services.campaigns import campaign_drop_out
from notifications.inbound.marker import MARKER
from notifications.models import Notice, Wishes
from notifications.services.calendars import calendar_print
from notifications.services.delivery import notices_deliver
from notifications.services.hours import daily_next
from notifications.services.reminders import reminders_make
from roadkill_site.accounts.models import User
from tests.games.circuits import NOTHING, Circuit, circuit_started, cup_at_hand

Deliver = Callable[..., dict[str, int]]


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def going(wren: User, olu: User) -> Circuit:
    """A campaign in which nobody has bought yet."""
    return circuit_started([wren, olu], tempo="daily")


def link_of(body: Any, answer: str) -> str:
    """The address below an answer of a mail."""
    found = re.search(rf"^ *{re.escape(answer)}\n +(http\S+)$", str(body), re.MULTILINE)
    assert found is not None, body
    return found[1]


def test_who_is_asked_to_buy_gets_a_letter_with_numbered_answers(going: Circuit, deliver: Deliver) -> None:
    assert deliver() == {"sent": 2, "dropped": 1}
    asked, other = going.driver(1), going.driver(2)
    told = {one.to[0]: one.subject for one in mail.outbox}
    assert told == {
        asked.email: "Cup of cups: race 1: you may buy an upgrade",
        other.email: "Cup of cups: race 1: the campaign has started",
    }
    sent = next(one for one in mail.outbox if one.to == [asked.email])
    assert f"YOUR PURCHASE, {asked.display_name}" in sent.body
    assert "The campaign Cup of cups has started, and you drive car 1 in all of its races." in sent.body
    assert "You have 3 points in Cup of cups. Do you buy an upgrade? (7.2)" in sent.body
    assert "If you do not answer in time, you buy nothing." in sent.body
    address = link_of(sent.body, "3 = Buy R, Part R, for 3 (7.2)")
    assert sent.body.startswith(MARKER)
    assert sent.reply_to[0].startswith("reply+")
    html = sent.alternatives[0][0]  # type: ignore[attr-defined]
    assert address in html
    assert "Your purchase" in html
    assert f"/campaigns/{going.row.public_id}/" in html
    page = Client().get(address)
    assert page.status_code == 200
    assert "Buy R, Part R, for 3" in page.content.decode()


def test_each_is_told_when_it_is_their_purchase_and_not_once_it_is_over(going: Circuit, deliver: Deliver) -> None:
    going.answer(NOTHING)
    going.answer(NOTHING)
    assert OutboxEvent.objects.filter(kind="purchase").count() == 2
    deliver()
    assert [one.subject for one in mail.outbox if "buy" in one.subject] == []
    dropped = Notice.objects.filter(outbox_event__kind="purchase")
    assert set(dropped.values_list("state", "reason")) == {("dropped", "answered or over meanwhile")}


def test_a_driver_who_dropped_out_is_not_asked(going: Circuit, deliver: Deliver) -> None:
    campaign_drop_out(campaign_id=going.pk, by=going.driver(1))
    deliver()
    assert [one.to for one in mail.outbox if "buy" in one.subject] == [[going.driver(2).email]]


def test_a_purchase_that_is_due_soon_does_not_wait_for_the_daily_mail(going: Circuit, deliver: Deliver) -> None:
    asked = going.driver(1)
    assert going.open is not None
    due = going.open.due_at
    Wishes.objects.create(
        player=asked,
        daily_hour=8,
        daily_at=daily_next(hour=8, zone_name=asked.time_zone, after=due),
        urgent_hours=12,
    )
    deliver()
    assert [one for one in mail.outbox if one.to == [asked.email]] == []
    notice = Notice.objects.get(outbox_event__kind="purchase")
    assert int((due - notice.due_at).total_seconds()) == 12 * 3600


def test_a_purchase_that_waits_is_told_again_at_half_and_at_nine_tenths_of_its_time(
    going: Circuit, deliver: Deliver, time_machine: Any
) -> None:
    deliver()
    mail.outbox.clear()
    purchase = going.open
    assert purchase is not None
    opened, whole = purchase.opened_at, purchase.due_at - purchase.opened_at
    sent = []
    for part in (0.49, 0.51, 0.6, 0.91, 0.95):
        time_machine.move_to(opened + whole * part)
        sent.append(dict(notices_deliver(reminders_make(now=timezone.now()))))
    assert sent == [{}, {"sent": 1}, {}, {"sent": 1}, {}]
    assert {tuple(one.to) for one in mail.outbox} == {(going.driver(1).email,)}
    assert mail.outbox[0].subject.startswith("Cup of cups: race 1: reminder, your purchase: 11 hours")
    assert link_of(mail.outbox[0].body, "4 = Buy nothing (7.2)")
    going.answer(NOTHING)
    assert dict(notices_deliver(reminders_make(now=timezone.now()))) == {}


def test_the_calendar_of_deadlines_has_a_purchase_that_waits_and_takes_it_out_when_it_is_answered(
    going: Circuit,
) -> None:
    asked = going.driver(1)
    race = going.last.race
    printed = calendar_print(player=asked, now=timezone.now()).decode().replace("\r\n ", "")
    assert "SUMMARY:Answer by now: Cup of cups: race 1" in printed
    assert "Your purchase in Cup of cups: race 1." in printed
    assert f"/races/{race.public_id}/" in printed
    assert "STATUS:CONFIRMED" in printed
    going.answer(NOTHING)
    printed = calendar_print(player=asked, now=timezone.now()).decode()
    assert "STATUS:CANCELLED" in printed
