"""One mail a day: at an hour of the player's own, with all that is asked and has happened; the urgent goes alone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from games.services.races import race_cancel, race_create, race_invite, race_join
from notifications.models import Notice, Wishes
from notifications.services.daily import daily_make
from notifications.services.delivery import notices_deliver
from notifications.services.hours import daily_next
from notifications.services.wishes import WishRefused, wishes_set
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running

Deliver = Callable[[], dict[str, int]]
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def reader(running: Running, deliver: Deliver) -> User:
    """The driver who is asked, who wants one mail a day at eight; 72 hours are left."""
    player = running.asked.player
    assert isinstance(player, User)
    wishes_set(player=player, now=NOW, daily_hour=8)
    return player


def daily() -> dict[str, int]:
    return dict(notices_deliver(daily_make(now=timezone.now())))


def mails_to(player: User) -> list[Any]:
    return [one for one in mail.outbox if one.to == [player.email]]


def daily_at(player: User) -> datetime:
    moment = Wishes.objects.get(player=player).daily_at
    assert moment is not None
    return moment


@pytest.mark.parametrize(
    ("zone", "hour", "after", "expected"),
    [
        ("Europe/Lisbon", 8, "2026-06-01T06:59", "2026-06-01T07:00"),
        ("Europe/Lisbon", 8, "2026-06-01T07:00", "2026-06-02T07:00"),
        ("Asia/Tokyo", 0, "2026-06-01T14:00", "2026-06-01T15:00"),
        # The hour that does not occur on the last Sunday of March, and the one that occurs twice in October.
        ("Europe/Berlin", 2, "2026-03-28T02:00", "2026-03-29T01:00"),
        ("Europe/Berlin", 2, "2026-03-29T01:00", "2026-03-30T00:00"),
        ("Europe/Berlin", 2, "2026-10-24T12:00", "2026-10-25T00:00"),
        ("Europe/Berlin", 2, "2026-10-25T00:00", "2026-10-26T01:00"),
    ],
)
def test_the_hour_is_the_players_own(zone: str, hour: int, after: str, expected: str) -> None:
    moment = daily_next(hour=hour, zone_name=zone, after=datetime.fromisoformat(after).replace(tzinfo=UTC))
    assert moment == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def test_single_notices_wait_for_it_and_count_as_told_with_it(
    running: Running, reader: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    assert deliver() == {"waits": 1, "dropped": 1, "sent": 1}
    assert mails_to(reader) == []
    assert daily() == {}
    clock.move_to(daily_at(reader))
    assert daily() == {"sent": 1}
    assert daily() == {}
    (sent,) = mails_to(reader)
    day = timezone.now().astimezone(ZoneInfo(reader.time_zone))
    assert sent.subject == f"Your races, {day:%A} {day.day} {day:%B %Y}: 1 question for you"
    question = running.question(running.asked)
    assert question["text"] in sent.body
    assert str(sent.body).count("/act/") == len(question["answers"]) + len(question["forms"])
    assert "DUST DEVIL 300" in sent.body
    assert "YOUR HAND AND PANEL" in sent.body
    html = str(sent.alternatives[0].content)
    assert html.count("/act/") == len(question["answers"]) + len(question["forms"])
    told = Notice.objects.get(outbox_event__kind="turn")
    assert (told.state, told.reason) == ("sent", "in your daily mail")
    clock.shift(timedelta(hours=3))
    assert deliver() == {}


def test_what_must_be_answered_soon_goes_by_itself(
    running: Running, reader: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    wishes_set(player=reader, now=NOW, urgent_hours=71)
    assert deliver()["waits"] == 1
    clock.shift(timedelta(minutes=61))
    assert deliver() == {"sent": 1}
    (sent,) = mails_to(reader)
    assert sent.subject == "Dust Devil 300: your turn"


def test_to_wait_is_no_try(running: Running, reader: User, deliver: Deliver) -> None:
    deliver()
    waiting = Notice.objects.get(outbox_event__kind="turn")
    assert (waiting.state, waiting.attempt_count, waiting.attempts.count()) == ("pending", 0, 0)
    assert waiting.reason == "waits for your daily mail"


def test_without_questions_and_news_there_is_no_mail(
    running: Running, reader: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    deliver()
    running.act(running.asked)
    running.act(running.asked)
    running.act(running.asked)
    clock.move_to(daily_at(reader))
    assert daily() == {"sent": 1}
    clock.move_to(daily_at(reader))
    mail.outbox.clear()
    assert running.asked.player != reader
    assert daily() == {"dropped": 1}
    assert mail.outbox == []
    assert Notice.objects.filter(occasion="daily").latest("pk").reason == "there was nothing to tell"


def test_it_tells_of_all_races_and_of_news_without_a_story(
    running: Running, wren: User, olu: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    wishes_set(player=olu, now=NOW, daily_hour=8)
    off, other = (
        race_create(by=wren, name=name, seats=seats, is_public=True) for name, seats in (("Off", 3), ("Cup", 2))
    )
    race_join(race_id=off.pk, by=olu)
    race_join(race_id=other.pk, by=olu)
    race_cancel(race_id=off.pk, by=wren)
    deliver()
    clock.move_to(daily_at(olu))
    daily()
    (sent,) = mails_to(olu)
    body = str(sent.body)
    assert "Off: the race was called off." in body
    assert "\nDUST DEVIL 300 (" in body
    assert "\nCUP (" in body


def test_an_invitation_never_waits(wren: User, deliver: Deliver) -> None:
    gus = User.objects.create_user("gus@example.org", display_name="Gus")
    wishes_set(player=gus, now=NOW, daily_hour=8)
    race = race_create(by=wren, name="Private run", seats=3)
    race_invite(race_id=race.pk, by=wren, email="gus@example.org")
    assert deliver() == {"sent": 1}


def test_after_an_outage_of_days_there_is_one(reader: User, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(hours=60))
    assert daily() == {"sent": 1}
    assert daily() == {}
    assert daily_at(reader) > timezone.now()


def test_a_daily_mail_that_fails_leaves_what_waits_to_be_told(
    running: Running, reader: User, deliver: Deliver, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver()
    clock.move_to(daily_at(reader))
    with monkeypatch.context() as away:

        def refuse(*_: object, **__: object) -> Any:
            raise ConnectionRefusedError(111, "Connection refused")

        away.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        assert daily() == {"pending": 1}
    assert Notice.objects.get(outbox_event__kind="turn").state == "pending"
    clock.shift(timedelta(minutes=2))
    assert deliver() == {"sent": 1}
    assert Notice.objects.get(outbox_event__kind="turn").state == "sent"
    assert len(mails_to(reader)) == 1


def test_its_one_click_stops_all_mails_and_no_seat(
    running: Running, reader: User, deliver: Deliver, clock: time_machine.Traveller, settings: Any
) -> None:
    deliver()
    clock.move_to(daily_at(reader))
    daily()
    (sent,) = mails_to(reader)
    address = sent.extra_headers["List-Unsubscribe"].partition(">")[0].removeprefix(f"<{settings.SITE_URL}")
    client = Client(enforce_csrf_checks=True)
    page = client.get(address)
    assert "Stop all mails about races" in page.content.decode()
    assert not Wishes.objects.get(player=reader).is_mail_stopped
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert Wishes.objects.get(player=reader).is_mail_stopped
    assert running.asked.state == "joined"
    mail.outbox.clear()
    clock.move_to(daily_at(reader))
    daily()
    clock.shift(timedelta(hours=30))
    deliver()
    assert mails_to(reader) == []
    client.post(address, {"wish": "resume"})
    assert not Wishes.objects.get(player=reader).is_mail_stopped


def test_single_mails_come_again_when_the_daily_one_is_given_up(
    running: Running, reader: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    deliver()
    wishes_set(player=reader, now=NOW, is_daily=False)
    clock.shift(timedelta(days=1, hours=1))
    assert daily() == {}
    assert deliver() == {"sent": 1}


@pytest.mark.parametrize("wish", [{"daily_hour": 24}, {"is_daily": True}, {"urgent_hours": 73}])
def test_a_wish_that_cannot_be_is_refused(wren: User, wish: dict[str, Any]) -> None:
    with pytest.raises(WishRefused):
        wishes_set(player=wren, now=NOW, **wish)
