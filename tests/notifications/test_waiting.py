"""A question that follows on the same player's own act at the screen is not mailed at once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client

from games.models import OutboxEvent, Race, Seat
from notifications.models import Notice
from notifications.services.dispatch import outbox_dispatch
from tests.notifications.conftest import Running

Deliver = Callable[[], dict[str, int]]
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def act(running: Running, origin: str) -> tuple[Seat, Seat]:
    """The asked driver ends the turn, the other one too, so that the first is asked again; who acted, and the other."""
    seat, other = running.asked, running.waiting
    running.act(seat, origin=origin)
    running.act(other)
    assert running.asked.pk == seat.pk
    return seat, other


def asked_anew(running: Running, seat: Seat) -> OutboxEvent:
    """The row of the outbox of what is asked of this seat now."""
    return OutboxEvent.objects.get(seat=seat, decision_id=running.question(seat)["decision"])


def mails_to(seat: Seat) -> list[str]:
    assert seat.player is not None
    return [str(one.subject) for one in mail.outbox if one.to == [seat.player.email]]


@pytest.mark.parametrize("origin", ["player", "api"])
def test_the_next_question_of_who_acts_at_the_screen_is_mailed_after_some_minutes(
    running: Running, deliver: Deliver, clock: time_machine.Traveller, origin: str
) -> None:
    deliver()
    mail.outbox.clear()
    seat, _other = act(running, origin)
    assert asked_anew(running, seat).not_before == NOW + timedelta(minutes=5)
    deliver()
    assert mails_to(seat) == []
    clock.shift(timedelta(minutes=4, seconds=59))
    assert deliver() == {}
    clock.shift(timedelta(seconds=1))
    assert deliver() == {"sent": 1}
    assert len(mails_to(seat)) == 1


def test_it_is_not_mailed_at_all_if_it_is_answered_meanwhile(
    running: Running, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    deliver()
    mail.outbox.clear()
    seat, _other = act(running, "player")
    event = asked_anew(running, seat)
    outbox_dispatch()
    clock.shift(timedelta(minutes=1))
    running.act(seat)
    clock.shift(timedelta(minutes=10))
    deliver()
    assert Notice.objects.get(outbox_event=event).state == "dropped"


def test_the_log_says_at_once_that_a_question_was_answered_while_its_notice_waits(
    running: Running, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    deliver()
    seat, _other = act(running, "player")
    event = asked_anew(running, seat)
    outbox_dispatch()
    notice = Notice.objects.get(outbox_event=event)
    assert seat.player is not None
    reader = Client()
    reader.force_login(seat.player)

    def told() -> tuple[str, dict[str, Any]]:
        page = reader.get("/mail/sent").content.decode()
        rows = reader.get("/api/v1/me/notices/log").json()["notices"]
        return page, rows[0]

    page, row = told()
    assert "Waiting" in page
    assert row["state"] == "pending"
    running.act(seat)
    page, row = told()
    assert "Waiting" not in page
    assert "Not sent (answered or over meanwhile)" in page
    assert (row["state"], row["reason"]) == ("dropped", "answered or over meanwhile")
    notice.refresh_from_db()
    assert notice.state == "pending", "looking at it changes no row"


@pytest.mark.parametrize("origin", ["link", "mail"])
def test_who_answers_from_the_mailbox_gets_the_next_question_there_at_once(
    running: Running, deliver: Deliver, origin: str
) -> None:
    deliver()
    mail.outbox.clear()
    seat, _other = act(running, origin)
    deliver()
    assert len(mails_to(seat)) == 1


def test_anothers_mail_does_not_wait(running: Running, deliver: Deliver) -> None:
    deliver()
    mail.outbox.clear()
    seat, other = running.asked, running.waiting
    running.act(seat, origin="player")
    assert running.asked.pk == other.pk
    deliver()
    assert len(mails_to(other)) == 1
    assert mails_to(seat) == []


def test_a_question_that_comes_later_than_that_is_mailed_at_once(
    running: Running, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    first, second = running.asked, running.waiting
    running.act(first, origin="player")
    clock.shift(timedelta(minutes=5))
    running.act(second)
    assert running.asked.pk == first.pk
    assert asked_anew(running, first).not_before is None


def test_the_wait_is_a_tenth_of_a_short_deadline_at_most(running: Running) -> None:
    Race.objects.update(turn_minutes=10, reaction_minutes=5)
    seat, _other = act(running, "player")
    assert asked_anew(running, seat).not_before == NOW + timedelta(minutes=1)


def test_no_wait_if_the_server_says_so(running: Running, settings: Any) -> None:
    settings.MAIL_WAIT_MINUTES = 0
    seat, _other = act(running, "player")
    assert asked_anew(running, seat).not_before is None
