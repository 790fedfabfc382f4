"""From the outbox to a mail: each notice once, rendered late, dropped when answered, tried again when it should be."""

import datetime as dt
import random
import re
import smtplib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import OutboxEvent, Race, Seat
from games.selectors.notices import NoticeFacts, notice_facts
from games.selectors.races import race_present
from games.services.links import link_read
from games.services.races import race_cancel, race_create, race_invite, race_join
from games.services.seats import seat_remove, seat_resign
from games.services.sweep import sweep
from notifications.channels import CHANNELS
from notifications.channels.base import Parcel, PermanentFailure, TransientFailure
from notifications.channels.email.channel import MailLine
from notifications.models import Attempt, AttemptResult, ClosedAddress, Notice, NoticeState, Pause
from notifications.selectors import notices_of_player
from notifications.services import delivery, telling
from notifications.services.delivery import (
    ATTEMPTS_MOST,
    BACKOFF_FIRST,
    BACKOFF_MOST,
    CLAIM_AGE,
    backoff_after,
    notices_deliver,
    notices_due,
)
from notifications.services.dispatch import outbox_dispatch
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running
from tests.notifications.test_letters import letter

Deliver = Callable[[], dict[str, int]]


def test_each_row_of_the_outbox_becomes_one_notice_a_channel_however_often_it_is_dispatched(running: Running) -> None:
    rows = OutboxEvent.objects.filter(race=running.race)
    assert {row.kind for row in rows} == {"started", "turn"}
    outbox_dispatch()
    OutboxEvent.objects.update(processed_at=None)
    outbox_dispatch()
    outbox_dispatch()
    assert Notice.objects.count() == rows.count()
    assert not OutboxEvent.objects.filter(processed_at=None).exists()


def test_the_asked_driver_gets_one_mail_with_the_own_hand_and_links_that_name_the_question(
    running: Running, deliver: Deliver
) -> None:
    asked, waiting = running.asked, running.waiting
    assert deliver() == {"sent": 2, "dropped": 1}
    assert deliver() == {}
    assert asked.player is not None
    (sent,) = [one for one in mail.outbox if one.to == [asked.player.email]]
    assert sent.subject == "Dust Devil 300: your turn"
    assert str(sent.body).count(f"The race has started, and you drive car {asked.number}.\n2 cars. A turn") == 1
    question = running.question(asked)
    assert question["text"] in sent.body
    tokens = re.findall(r"/act/(\S+)", str(sent.body))
    assert len(tokens) == len(question["answers"]) + len(question["forms"])
    for token, answer in zip(tokens, question["answers"], strict=False):
        link = link_read(token)
        assert (link.seat_id, link.decision_id, link.position) == (asked.pk, question["decision"], question["position"])
        assert (link.number, link.action) == (answer["number"], answer["action"])
    assert asked.player.time_zone.replace("_", " ") in sent.body
    notice = Notice.objects.get(outbox_event__kind="turn")
    assert (notice.state, notice.attempt_count, notice.sent_at is not None) == ("sent", 1, True)
    (attempt,) = notice.attempts.all()
    assert (attempt.number, attempt.address, attempt.result) == (1, asked.player.email, "sent")
    assert waiting.player is not None
    to_waiting = [one for one in mail.outbox if one.to == [waiting.player.email]]
    assert [one.subject for one in to_waiting] == ["Dust Devil 300: the race has started"]
    assert "/act/" not in to_waiting[0].body


def test_no_mail_holds_anothers_hand(running: Running, deliver: Deliver) -> None:
    deliver()
    for one in mail.outbox:
        (address,) = one.to
        seat = running.seat(User.objects.get(email=address))
        text = str(one.body).partition("YOUR HAND AND PANEL")[2]
        held = re.findall(r"^- (\d+) x (.+)$", text, re.MULTILINE)
        view = race_present(race=seat.race, viewer=seat, log_last=0)["view"]
        own = {(str(card["count"]), card["name"]) for card in view["hand"]}
        assert set(held) == own
        assert own


def test_a_question_answered_meanwhile_is_not_sent(turn_notice: Notice, running: Running) -> None:
    running.act(running.asked)
    assert notices_deliver([turn_notice.pk]) == {"dropped": 1}
    assert mail.outbox == []
    turn_notice.refresh_from_db()
    assert (turn_notice.state, turn_notice.sent_at) == ("dropped", None)
    assert turn_notice.reason == "answered or over meanwhile"


def test_a_notice_is_claimed_once(turn_notice: Notice) -> None:
    now = timezone.now()
    assert delivery._claim(turn_notice.pk, now)
    assert not delivery._claim(turn_notice.pk, now)
    assert notices_deliver([turn_notice.pk]) == {"taken": 1}
    assert mail.outbox == []


def test_after_a_crash_between_claim_and_record_it_is_sent_again_under_the_same_message_id(
    turn_notice: Notice, failing: Callable[[Exception | None], list[str]]
) -> None:
    class PowerCut(BaseException):
        """What no code of ours gets to see."""

    given = failing(None)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(delivery, "_record", lambda *_: (_ for _ in ()).throw(PowerCut))
        with pytest.raises(PowerCut):
            notices_deliver([turn_notice.pk])
    turn_notice.refresh_from_db()
    assert turn_notice.state == "sending"
    assert notices_due(now=timezone.now()) == []
    later = timezone.now() + CLAIM_AGE + dt.timedelta(seconds=1)
    with time_machine.travel(later, tick=False):
        assert notices_due(now=timezone.now()) == [turn_notice.pk]
        assert notices_deliver([turn_notice.pk]) == {"sent": 1}
    assert given == [turn_notice.message_id, turn_notice.message_id]


def test_a_worker_that_comes_back_late_does_not_overwrite_what_another_recorded(turn_notice: Notice) -> None:
    old = timezone.now()
    assert delivery._claim(turn_notice.pk, old)
    turn_notice.refresh_from_db()
    with time_machine.travel(old + CLAIM_AGE + dt.timedelta(seconds=1), tick=False):
        assert notices_deliver([turn_notice.pk]) == {"sent": 1}
    late = delivery._Ended(NoticeState.PENDING, AttemptResult.TRANSIENT, "timed out")
    delivery._record(turn_notice, old, "wren@example.org", late)
    turn_notice.refresh_from_db()
    assert turn_notice.state == "sent"
    assert [attempt.result for attempt in turn_notice.attempts.all()] == ["transient", "sent"]


def test_a_passing_failure_is_tried_again_later_and_at_last_given_up(
    turn_notice: Notice, failing: Callable[[Exception | None], list[str]]
) -> None:
    given = failing(ConnectionRefusedError(111, "Connection refused"))
    ended: dict[str, int] = {}
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for attempt in range(1, ATTEMPTS_MOST + 1):
            assert notices_due(now=timezone.now()) == [turn_notice.pk]
            ended = dict(notices_deliver([turn_notice.pk]))
            turn_notice.refresh_from_db()
            assert turn_notice.attempt_count == attempt
            if attempt < ATTEMPTS_MOST:
                assert ended == {"pending": 1}
                assert notices_due(now=timezone.now()) == []
                clock.move_to(turn_notice.due_at)
        assert ended == {"failed": 1}
    assert turn_notice.state == "failed"
    assert "Connection refused" in turn_notice.reason
    assert set(given) == {turn_notice.message_id}
    assert not ClosedAddress.objects.exists()


def test_waits_double_up_to_a_cap_and_are_scattered() -> None:
    class Middle(random.Random):
        def uniform(self, a: float, b: float) -> float:
            return (a + b) / 2

    waits = [backoff_after(attempt, chance=Middle()) for attempt in range(1, ATTEMPTS_MOST + 1)]
    assert waits[:4] == [BACKOFF_FIRST, 2 * BACKOFF_FIRST, 4 * BACKOFF_FIRST, 8 * BACKOFF_FIRST]
    assert max(waits) == waits[-1] == BACKOFF_MOST
    assert dt.timedelta(hours=20) < sum(waits, dt.timedelta()) < dt.timedelta(hours=48)
    scattered = {backoff_after(3) for _ in range(20)}
    assert len(scattered) > 1
    assert all(0.8 * 4 * BACKOFF_FIRST <= wait <= 1.2 * 4 * BACKOFF_FIRST for wait in scattered)
    assert backoff_after(10_000) <= 1.2 * BACKOFF_MOST


def test_a_mailbox_that_is_gone_closes_the_address_until_its_owner_says_otherwise(
    turn_notice: Notice,
    running: Running,
    deliver: Deliver,
    failing: Callable[[Exception | None], list[str]],
    client: Any,
) -> None:
    seat = running.asked
    assert seat.player is not None
    address = seat.player.email
    failing(smtplib.SMTPRecipientsRefused({address: (550, b"5.1.1 no such user")}))
    assert notices_deliver([turn_notice.pk]) == {"bounced": 1}
    turn_notice.refresh_from_db()
    assert turn_notice.state == "bounced"
    closed = ClosedAddress.objects.get()
    assert (closed.address, closed.detail) == (address, "550 5.1.1 no such user")

    given = failing(None)
    given.clear()
    running.act(seat)
    other = running.asked
    running.act(other)
    again = running.asked
    assert again == seat
    assert deliver() == {"dropped": 2}
    reasons = set(Notice.objects.filter(state="dropped").values_list("seat", "reason"))
    assert (seat.pk, "the address refused our messages before") in reasons
    assert given == []

    assert other.player is not None
    client.force_login(other.player)
    assert "came back on" not in client.get("/races/").content.decode()
    client.force_login(seat.player)
    assert f"Mail to {address} came back on" in client.get("/races/").content.decode()
    page = client.get("/mail/sent").content.decode()
    # Once in the banner and once with its try.
    assert page.count("550 5.1.1 no such user") == 2
    assert 'href="/account/mail-address/"' in page
    assert client.get("/mail/works-again").status_code == 405
    assert client.post("/mail/works-again").status_code == 302
    assert not ClosedAddress.objects.exists()
    assert "came back on" not in client.get("/races/").content.decode()


def test_a_notice_that_breaks_in_an_unforeseen_way_is_kept_for_later_and_does_not_stop_the_others(
    running: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    outbox_dispatch()
    broken = Notice.objects.get(outbox_event__kind="started", seat=running.waiting)

    def facts(*, event: OutboxEvent, seat: Seat) -> NoticeFacts | None:
        if event.pk == broken.outbox_event_id:
            raise KeyError("view")
        return notice_facts(event=event, seat=seat)

    monkeypatch.setattr(telling, "notice_facts", facts)
    ended = notices_deliver(notices_due(now=timezone.now()))
    assert ended == {"pending": 1, "dropped": 1, "sent": 1}
    broken.refresh_from_db()
    assert broken.due_at > timezone.now()
    assert broken.reason == "KeyError: 'view'"
    assert "could not be told" in caplog.text


def test_a_batch_goes_over_one_connection_and_a_broken_one_is_opened_anew(
    running: Running, wren: User, olu: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    class Server(BaseEmailBackend):
        def open(self) -> bool:
            heard.append("open")
            return True

        def close(self) -> None:
            heard.append("close")

        def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
            heard.append("mail")
            if heard.count("mail") == 2:
                raise smtplib.SMTPServerDisconnected("Connection unexpectedly closed")
            return 1

    monkeypatch.setattr("notifications.channels.email.channel.get_connection", Server)
    other = race_create(by=wren, name="Other", seats=2, is_public=True)
    race_join(race_id=other.pk, by=olu)
    outbox_dispatch()
    assert notices_deliver(notices_due(now=timezone.now())) == {"sent": 3, "pending": 1, "dropped": 2}
    assert heard == ["open", "mail", "mail", "close", "open", "mail", "mail", "close"]


def test_a_backend_that_says_that_nothing_was_sent_is_a_failure() -> None:
    class Silent(BaseEmailBackend):
        def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
            return 0

    with pytest.raises(TransientFailure):
        MailLine(Silent()).send(Parcel(letter(), "<m@x>", "w@example.org"))


def test_message_ids_are_fixed_by_the_row_and_tell_nothing_of_its_number(running: Running) -> None:
    outbox_dispatch()
    first = dict(Notice.objects.values_list("outbox_event_id", "message_id"))
    Notice.objects.all().delete()
    OutboxEvent.objects.update(processed_at=None)
    outbox_dispatch()
    assert dict(Notice.objects.values_list("outbox_event_id", "message_id")) == first
    assert len(set(first.values())) == len(first)
    assert all(re.fullmatch(r"<[0-9a-f]{40}@[^@>]+>", message_id) for message_id in first.values())


def test_a_further_channel_is_one_line_in_the_registry(
    running: Running, monkeypatch: pytest.MonkeyPatch, deliver: Deliver
) -> None:
    told: list[tuple[str, str]] = []

    class Pigeon:
        key = "pigeon"
        has_endpoints = False
        is_on = True

        def kinds(self) -> frozenset[str]:
            return frozenset({"turn"})

        def address(self, facts: NoticeFacts) -> str:
            return "" if facts.name == "nobody" else f"loft of {facts.name}"

        @contextmanager
        def open(self) -> Iterator["Pigeon"]:
            yield self

        def send(self, parcel: Parcel) -> None:
            told.append((parcel.address, parcel.letter.race_name))

    monkeypatch.setitem(CHANNELS, "pigeon", Pigeon())
    asked = running.asked
    assert deliver() == {"sent": 3, "dropped": 1}
    assert told == [(f"loft of {asked.shown_name}", "Dust Devil 300")]


def test_a_channel_that_fails_does_not_keep_another_from_telling(
    running: Running, monkeypatch: pytest.MonkeyPatch, deliver: Deliver
) -> None:
    class Gone:
        key = "gone"
        has_endpoints = False
        is_on = True

        def kinds(self) -> frozenset[str]:
            return frozenset({"turn"})

        def address(self, facts: NoticeFacts) -> str:
            return "somewhere"

        @contextmanager
        def open(self) -> Iterator["Gone"]:
            yield self

        def send(self, parcel: Parcel) -> None:
            raise PermanentFailure("410 Gone")

    monkeypatch.setitem(CHANNELS, "gone", Gone())
    assert deliver() == {"sent": 2, "dropped": 1, "bounced": 1}
    assert list(ClosedAddress.objects.values_list("channel", "address")) == [("gone", "somewhere")]


def test_the_story_begins_after_the_drivers_own_last_act(running: Running, deliver: Deliver) -> None:
    deliver()
    first = running.asked
    running.act(first)
    running.act(running.asked)
    mail.outbox.clear()
    deliver()
    assert first.player is not None
    (sent,) = [one for one in mail.outbox if one.to == [first.player.email]]
    story = str(sent.body).partition("SINCE YOU LAST ACTED")[2].partition("THE COURSE")[0]
    entries = {int(number) for number in re.findall(r"^ *(\d+)  ", story, re.MULTILINE)}
    assert entries == {2}


def test_who_stopped_the_mails_of_a_race_gets_none_of_it_and_all_of_others(
    running: Running, wren: User, olu: User, deliver: Deliver
) -> None:
    for user in (wren, olu):
        Pause.objects.create(seat=running.seat(user), address=user.email, since=timezone.now())
    other = race_create(by=wren, name="Other", seats=2, is_public=True)
    race_join(race_id=other.pk, by=olu)
    assert deliver() == {"dropped": 4, "sent": 2}
    assert all(one.subject.startswith("Other: ") for one in mail.outbox)
    assert list(Notice.objects.filter(seat__race=other, state="dropped").values_list("reason", flat=True)) == [
        "told together with the question"
    ]
    told = set(Notice.objects.filter(seat__race=running.race).values_list("state", "reason"))
    assert told == {("dropped", "mails about this race are stopped"), ("dropped", "told together with the question")}


def test_an_invitation_goes_to_an_address_without_an_account_and_its_link_seats_its_bearer(
    wren: User, deliver: Deliver
) -> None:
    race = race_create(by=wren, name="Private run", seats=3)
    race_invite(race_id=race.pk, by=wren, email="Priya@Example.org")
    assert deliver() == {"sent": 1}
    (sent,) = mail.outbox
    assert sent.to == ["priya@example.org"]
    assert sent.subject == "Private run: Wren invites you to race"
    assert str(sent.body).count("/races/") == 1
    assert "you keep your seat" not in sent.body
    found = re.search(r"invitation=(\S+)", str(sent.body))
    assert found is not None
    priya = User.objects.create_user("elsewhere@example.org", display_name="Priya")
    seat = race_join(race_id=race.pk, by=priya, invitation=found[1])
    assert seat.player_id == priya.pk


def test_an_invitation_taken_back_before_the_mail_left_is_not_sent(wren: User, deliver: Deliver) -> None:
    race = race_create(by=wren, name="Private run", seats=3)
    race_invite(race_id=race.pk, by=wren, email="priya@example.org")
    race_cancel(race_id=race.pk, by=wren)
    assert deliver() == {"dropped": 1}
    assert mail.outbox == []


def test_a_race_called_off_is_told_to_who_had_joined(wren: User, olu: User, deliver: Deliver) -> None:
    race = race_create(by=wren, name="Dust Devil", seats=3, is_public=True)
    race_join(race_id=race.pk, by=olu)
    race_cancel(race_id=race.pk, by=wren)
    assert deliver() == {"sent": 1}
    (sent,) = mail.outbox
    assert sent.to == ["olu@example.org"]
    assert sent.subject == "Dust Devil: the race was called off"
    assert "Wren has called the race off before its start." in sent.body


def test_a_finished_race_is_told_with_its_result(running: Running, olu: User, deliver: Deliver) -> None:
    deliver()
    mail.outbox.clear()
    seat_resign(race_id=running.race.pk, by=olu)
    running.race.refresh_from_db()
    if running.race.status == "running":
        # Somebody's turn is not cut short by another's leaving it.
        running.act(running.asked)
        running.race.refresh_from_db()
    assert running.race.status == "finished"
    deliver()
    finished = [one for one in mail.outbox if one.subject == "Dust Devil 300: the race is over"]
    assert {address for one in finished for address in one.to} >= {"wren@example.org"}
    assert "1. Wren" in finished[0].body
    assert f"/races/{running.race.public_id}/replay/" in finished[0].body


def test_a_seat_without_anybody_to_tell_gets_nothing(wren: User, deliver: Deliver) -> None:
    race = race_create(by=wren, name="Alone", seats=3)
    seat = race_invite(race_id=race.pk, by=wren, email="priya@example.org")
    type(seat).objects.filter(pk=seat.pk).update(state="left", invited_email="")
    assert deliver() == {"dropped": 1}
    assert Attempt.objects.get().address == ""


def test_players_see_what_was_mailed_to_them_and_nothing_of_others(
    running: Running, wren: User, olu: User, deliver: Deliver
) -> None:
    deliver()
    for user in (wren, olu):
        seats = set(notices_of_player(player_id=user.pk).values_list("seat__player", flat=True))
        assert seats == {user.pk}


def test_a_race_held_up_is_told_to_its_host_without_reading_its_state(running: Running, deliver: Deliver) -> None:
    deliver()
    mail.outbox.clear()
    Race.objects.filter(pk=running.race.pk).update(fault="the snapshot is gone")
    host = running.seat(running.race.host)
    OutboxEvent.objects.create(kind="fault", race=running.race, seat=host, seq=99, created_at=timezone.now())
    assert deliver() == {"sent": 1}
    (sent,) = mail.outbox
    assert sent.subject == "Dust Devil 300: the race is held up"
    assert "the snapshot is gone" not in sent.body


def lapse(running: Running, deliver: Deliver) -> None:
    """Let the deadline pass of whoever is asked, and deliver what there is to tell."""
    due_at = running.asked.decision.due_at
    with time_machine.travel(due_at + dt.timedelta(seconds=1), tick=False):
        sweep()
        deliver()


def test_who_is_asked_by_the_act_that_there_is_more_to_tell_of_gets_one_mail(
    running: Running, deliver: Deliver
) -> None:
    gone, host = running.asked, running.waiting
    assert gone.player is not None
    assert host.player is not None
    Race.objects.filter(pk=running.race.pk).update(host=host.player)
    Race.objects.filter(pk=running.race.pk).update(absences_allowed=1)
    deliver()
    mail.outbox.clear()
    lapse(running, deliver)
    (to_host,) = [one for one in mail.outbox if one.to == [host.player.email]]
    assert to_host.subject == "Dust Devil 300: your turn, turn 1"
    assert f"{gone.shown_name} (car {gone.number}) has been away." in to_host.body
    assert "/act/" in to_host.body
    assert Notice.objects.get(outbox_event__kind="seat_gone").reason == "told together with the question"
    (to_gone,) = [one for one in mail.outbox if one.to == [gone.player.email]]
    assert to_gone.subject == "Dust Devil 300: your seat is offered to others"


def test_news_whose_question_was_answered_meanwhile_goes_alone(running: Running, deliver: Deliver) -> None:
    first = running.asked
    assert first.player is not None
    running.act(first)
    deliver()
    (sent,) = [one for one in mail.outbox if one.to == [first.player.email]]
    assert sent.subject == "Dust Devil 300: the race has started"


def test_news_goes_alone_by_a_channel_that_does_not_carry_its_question(
    running: Running, monkeypatch: pytest.MonkeyPatch, deliver: Deliver
) -> None:
    told: list[str] = []

    class Gazette:
        key = "gazette"
        has_endpoints = False
        is_on = True

        def kinds(self) -> frozenset[str]:
            return frozenset({"started"})

        def address(self, facts: NoticeFacts) -> str:
            return facts.name

        @contextmanager
        def open(self) -> Iterator["Gazette"]:
            yield self

        def send(self, parcel: Parcel) -> None:
            told.append(parcel.address)

    monkeypatch.setitem(CHANNELS, "gazette", Gazette())
    deliver()
    assert sorted(told) == ["Olu", "Wren"]


def test_a_host_is_not_told_of_a_driver_who_is_back(running: Running, wren: User, olu: User, deliver: Deliver) -> None:
    outbox_dispatch()
    Notice.objects.all().delete()
    gone = running.seat(olu)
    OutboxEvent.objects.create(
        kind="seat_gone",
        race=running.race,
        seat=running.seat(wren),
        decision_id=gone.pk,
        seq=9,
        created_at=timezone.now(),
    )
    assert deliver() == {"dropped": 1}
    assert Notice.objects.get().reason == "answered or over meanwhile"


def test_a_host_who_has_gone_is_not_told_of_it_as_host(running: Running, deliver: Deliver) -> None:
    gone = running.asked
    Race.objects.filter(pk=running.race.pk).update(host=gone.player)
    Race.objects.filter(pk=running.race.pk).update(absences_allowed=1)
    lapse(running, deliver)
    gone.refresh_from_db()
    assert gone.offered_at is not None
    assert set(OutboxEvent.objects.filter(seat=gone).values_list("kind", flat=True)) == {
        "started",
        "turn",
        "seat_offered",
    }


def test_the_host_is_told_of_a_race_whose_rules_cannot_be_read_either(
    running: Running, wren: User, deliver: Deliver
) -> None:
    deliver()
    mail.outbox.clear()
    Race.objects.filter(pk=running.race.pk).update(rules_version=9999, wake_at=timezone.now())
    sweep()
    assert deliver() == {"sent": 1}
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == ([wren.email], "Dust Devil 300: the race is held up")
    assert "RoadKill: Dust Devil 300\n" in sent.body


@pytest.mark.parametrize("is_under_way", [False, True])
def test_who_loses_a_seat_is_told_why_if_there_is_a_reason(
    wren: User, olu: User, deliver: Deliver, *, is_under_way: bool
) -> None:
    race = race_create(by=wren, name="Dust Devil 300", seats=2, is_public=True, starts_when_full=is_under_way)
    seat = race_join(race_id=race.pk, by=olu)
    deliver()
    mail.outbox.clear()
    Seat.objects.filter(pk=seat.pk).update(offered_at=timezone.now())
    seat_remove(race_id=race.pk, by=wren, seat_id=seat.pk)
    deliver()
    (sent,) = [one for one in mail.outbox if one.to == [olu.email] and "seat" in one.subject]
    reason = ", since your turns were missed." if is_under_way else "."
    assert f"Wren has taken back your seat{reason}\n" in sent.body


def test_a_batch_reads_wishes_pauses_and_closed_addresses_once_and_a_mail_costs_few_statements(
    running: Running, wren: User, olu: User
) -> None:
    for number in range(5):
        race = race_create(by=wren, name=f"Race {number}", seats=2, is_public=True)
        race_join(race_id=race.pk, by=olu)
    batch = outbox_dispatch()
    with CaptureQueriesContext(connection) as seen:
        assert notices_deliver(batch) == {"sent": 12, "dropped": 6}
    statements = [query["sql"] for query in seen if not query["sql"].startswith(("BEGIN", "COMMIT", "SAVE", "RELEASE"))]
    for table in ("notifications_wishes", "notifications_pause", "notifications_closedaddress"):
        assert sum(f'FROM "{table}"' in sql for sql in statements) == 1, table
    assert len(statements) / len(batch) < 18


def test_an_address_that_closes_within_a_batch_gets_nothing_more_of_it(
    running: Running, wren: User, olu: User, failing: Callable[[Exception | None], list[str]]
) -> None:
    race = race_create(by=wren, name="Other", seats=2, is_public=True)
    race_join(race_id=race.pk, by=olu)
    given = failing(smtplib.SMTPRecipientsRefused({"x": (550, b"5.1.1 no such user")}))
    ended = notices_deliver(outbox_dispatch())
    assert ended["bounced"] == len(given) == 2
    reasons = Notice.objects.filter(state="dropped").values_list("reason", flat=True)
    assert "the address refused our messages before" in set(reasons)
