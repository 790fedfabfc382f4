"""A question that waits is told again at half and at nine tenths of its time, to its driver alone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Decision, OutboxEvent, Seat
from games.services.races import race_create, race_join
from notifications import tasks
from notifications.models import Notice, Wishes
from notifications.services.delivery import notices_deliver
from notifications.services.pauses import pause_set
from notifications.services.reminders import reminders_make
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running

Deliver = Callable[[], dict[str, int]]
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def asked(running: Running, deliver: Deliver) -> Seat:
    """The seat whose turn it is, told of it at NOW; a turn takes 72 hours."""
    deliver()
    mail.outbox.clear()
    return running.asked


def remind() -> dict[str, int]:
    return dict(notices_deliver(reminders_make(now=timezone.now())))


def after(clock: time_machine.Traveller, *, hours: float) -> dict[str, int]:
    clock.move_to(NOW + timedelta(hours=hours))
    return remind()


def test_half_and_nine_tenths_of_the_time_bring_one_mail_each(asked: Seat, clock: time_machine.Traveller) -> None:
    assert after(clock, hours=35.9) == {}
    assert after(clock, hours=36) == {"sent": 1}
    assert after(clock, hours=36) == {}
    assert after(clock, hours=64) == {}
    assert after(clock, hours=64.8) == {"sent": 1}
    assert after(clock, hours=71.9) == {}
    assert asked.player is not None
    assert [one.to for one in mail.outbox] == [[asked.player.email]] * 2
    first, last = mail.outbox
    assert first.subject == "Dust Devil 300: reminder, your turn: 1 day 12 hours left"
    assert last.subject == "Dust Devil 300: reminder, your turn: 7 hours 12 minutes left"
    assert len({one.extra_headers["Message-ID"] for one in mail.outbox}) == 2
    assert first.extra_headers["In-Reply-To"] == last.extra_headers["In-Reply-To"]


def test_a_reminder_asks_the_same_question_and_says_what_it_is(
    asked: Seat, running: Running, clock: time_machine.Traveller
) -> None:
    question = running.question(asked)
    after(clock, hours=36)
    (sent,) = mail.outbox
    assert question["text"] in sent.body
    assert str(sent.body).count("/act/") == len(question["answers"]) + len(question["forms"])
    assert "A REMINDER" in sent.body
    html = str(sent.alternatives[0].content)  # type: ignore[attr-defined]
    assert "A reminder" in html
    assert question["text"] in html


def test_what_is_answered_is_not_reminded_of(asked: Seat, running: Running, clock: time_machine.Traveller) -> None:
    clock.move_to(NOW + timedelta(hours=36))
    made = reminders_make(now=timezone.now())
    assert len(made) == 1
    running.act(asked)
    assert notices_deliver(made) == {"dropped": 1}
    assert Notice.objects.get(pk=made[0]).reason == "answered or over meanwhile"
    assert mail.outbox == []


def test_after_a_long_outage_only_the_later_reminder_comes(asked: Seat, clock: time_machine.Traveller) -> None:
    assert after(clock, hours=70) == {"sent": 1}
    assert after(clock, hours=70.1) == {}
    assert Notice.objects.exclude(occasion="news").get().occasion == "last"


def test_a_deadline_that_is_put_off_has_new_reminders_and_one_that_hardly_moves_has_not(
    asked: Seat, clock: time_machine.Traveller
) -> None:
    after(clock, hours=36)
    row = Decision.objects.get(seat=asked)
    Decision.objects.update(due_at=row.due_at + timedelta(minutes=5))
    assert after(clock, hours=37) == {}
    Decision.objects.update(due_at=row.due_at + timedelta(hours=48))
    assert after(clock, hours=38) == {}
    assert after(clock, hours=60) == {"sent": 1}
    assert Notice.objects.filter(occasion="half").count() == 2


def test_a_reminder_of_a_deadline_that_has_moved_is_not_sent(asked: Seat, clock: time_machine.Traveller) -> None:
    clock.move_to(NOW + timedelta(hours=36))
    made = reminders_make(now=timezone.now())
    Decision.objects.update(due_at=NOW + timedelta(hours=120))
    assert notices_deliver(made) == {"dropped": 1}
    assert Notice.objects.get(pk=made[0]).reason == "the deadline was put off"


def test_who_wants_no_reminders_gets_none(asked: Seat, clock: time_machine.Traveller) -> None:
    assert asked.player is not None
    clock.move_to(NOW + timedelta(hours=36))
    made = reminders_make(now=timezone.now())
    Wishes.objects.create(player=asked.player, reminders=False)
    assert notices_deliver(made) == {"dropped": 1}
    assert after(clock, hours=65) == {}
    assert mail.outbox == []


def test_stopped_mails_stop_reminders_too(asked: Seat, clock: time_machine.Traveller) -> None:
    assert asked.player is not None
    pause_set(seat_id=asked.pk, address=asked.player.email)
    assert after(clock, hours=36) == {"dropped": 1}


def test_what_was_not_yet_told_is_not_reminded_of(running: Running, deliver: Deliver, clock: Any) -> None:
    clock.move_to(NOW + timedelta(hours=40))
    assert remind() == {}
    deliver()
    mail.outbox.clear()
    assert remind() == {}
    assert after(clock, hours=65) == {"sent": 1}


def test_a_question_of_minutes_is_asked_once(wren: User, olu: User, deliver: Deliver, clock: Any) -> None:
    race = race_create(
        by=wren, name="Quick", seats=2, is_public=True, tempo="hours", turn_hours=0.5, reaction_hours=0.25
    )
    race_join(race_id=race.pk, by=olu)
    deliver()
    assert after(clock, hours=0.4) == {}


def test_reminders_write_nothing_into_the_race(asked: Seat, running: Running, clock: time_machine.Traveller) -> None:
    rows = list(OutboxEvent.objects.values_list())
    running.race.refresh_from_db()
    before = (running.race.seq, running.race.wake_at, list(Decision.objects.values_list()))
    after(clock, hours=36)
    running.race.refresh_from_db()
    assert list(OutboxEvent.objects.values_list()) == rows
    assert (running.race.seq, running.race.wake_at, list(Decision.objects.values_list())) == before


def test_the_sweep_reads_the_same_few_statements_for_many_questions(
    wren: User, olu: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            reminders_make(now=timezone.now())
        return len(seen)

    def start(count: int) -> None:
        for number in range(count):
            race = race_create(by=wren, name=f"Race {number}", seats=2, is_public=True)
            race_join(race_id=race.pk, by=olu)

    start(2)
    deliver()
    clock.shift(timedelta(hours=40))
    few = statements()
    assert Notice.objects.filter(occasion="half").count() == 2
    start(8)
    deliver()
    clock.shift(timedelta(hours=40))
    assert statements() == few
    assert Notice.objects.filter(occasion="half").count() == 10


def test_the_task_hands_reminders_to_the_workers(
    asked: Seat, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.move_to(NOW + timedelta(hours=36))
    batches: list[Any] = []
    monkeypatch.setattr(tasks.deliver_notices, "delay", batches.append)
    tasks.remind()
    assert batches == [list(Notice.objects.filter(occasion="half").values_list("pk", flat=True))]


def test_time_in_quiet_hours_does_not_count_towards_half(
    asked: Seat, running: Running, clock: time_machine.Traveller
) -> None:
    """Asked at noon, due at noon three days later: 36 hours count, the 18th of them ends at six the next evening."""
    assert asked.player is not None
    User.objects.update(time_zone="UTC", quiet_from="18:00", quiet_until="06:00")
    running.race.pause_cap_minutes = 60_000
    running.race.save(update_fields=["pause_cap_minutes"])
    assert after(clock, hours=29.9) == {}
    assert after(clock, hours=30) == {"sent": 1}


def test_a_race_whose_clocks_are_stopped_reminds_nobody(
    asked: Seat, running: Running, clock: time_machine.Traveller
) -> None:
    running.race.paused_at = NOW
    running.race.save(update_fields=["paused_at"])
    assert after(clock, hours=40) == {}
    running.race.paused_at = None
    running.race.save(update_fields=["paused_at"])
    assert after(clock, hours=40) == {"sent": 1}


def test_a_deadline_between_two_seconds_is_reminded_of(
    wren: User, olu: User, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    """As nearly all are: only a test's clock stands at a whole second."""
    clock.move_to(NOW + timedelta(milliseconds=250))
    race = race_create(by=wren, name="Between", seats=2, options={"sections": 3}, is_public=True)
    race_join(race_id=race.pk, by=olu)
    deliver()
    clock.shift(timedelta(hours=36))
    assert remind() == {"sent": 1}
