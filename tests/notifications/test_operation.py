"""What an operator is shown of notices and of mails that came in, and how what did not get through is tried again."""

import smtplib
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.models import Decision, OutboxEvent
from games.services.races import race_create, race_invite
from notifications.models import Attempt, ClosedAddress, Notice
from notifications.operation_selectors import (
    CLAIM_LATE,
    LATE,
    TRIED_LONG,
    Failing,
    Standing,
    failing_ways,
    mail_listed,
    mail_standings,
    mails_listed,
    notice_standings,
    notices_stuck_since,
)
from notifications.reply_models import InboundMail
from notifications.services.addresses import address_close
from notifications.services.delivery import ATTEMPTS_MOST, notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from notifications.services.endpoints import endpoint_close, endpoint_try, webhook_create
from notifications.services.operation import WayUnknown, way_retry, ways_retry
from roadkill_site.accounts.models import User
from tests.notifications.conftest import AnswerWith, Running

NO_SUCH_USER = (550, b"5.1.1 no such user")
CountQueries = Callable[[int], AbstractContextManager[Any]]
Deliver = Callable[[], dict[str, int]]


@pytest.fixture(autouse=True)
def addresses_that_resolve(settings: Any) -> None:
    """Webhooks of these tests are never called."""
    settings.WEBHOOK_PRIVATE_ADDRESSES = True


def ways() -> list[Failing]:
    return failing_ways(now=timezone.now())


def give_up(notice: Notice, clock: time_machine.Traveller) -> None:
    """Try a notice until it is given up."""
    while notice.state == "pending":
        notices_deliver([notice.pk])
        notice.refresh_from_db()
        clock.move_to(max(notice.due_at, timezone.now()))


# Notices by state


def test_notices_are_counted_by_state_and_questions_are_not(running: Running, deliver: Deliver) -> None:
    def counts() -> list[int]:
        return [one.count for one in notice_standings(now=timezone.now())]

    assert counts() == [0, 0, 0, 0, 0]
    outbox_dispatch()
    news = Notice.objects.exclude(outbox_event__kind="turn")
    assert counts() == [news.count(), 0, 0, 0, 0]
    assert 0 < news.count() < Notice.objects.count()
    oldest = notice_standings(now=timezone.now())[0]
    assert oldest == Standing("waiting", news.count(), min(news.values_list("created_at", flat=True)))
    deliver()
    assert set(Notice.objects.values_list("state", flat=True)) == {"sent", "dropped"}
    assert counts() == [0, 0, news.count(), 0, 0], "what was told along with a question is no other number"
    news.update(state="failed", sent_at=None)
    assert counts() == [0, 0, 0, news.count(), 0]
    news.update(state="bounced")
    assert counts() == [0, 0, 0, 0, news.count()]
    Notice.objects.update(created_at=timezone.now() - timedelta(days=8))
    assert counts() == [0, 0, 0, 0, 0]
    news.update(state="sending")
    assert counts() == [0, news.count(), 0, 0, 0], "what is not settled is counted whatever its age"


def test_whom_a_daily_mail_had_something_to_tell_is_in_no_number(wren: User) -> None:
    now = timezone.now()
    Notice.objects.create(player=wren, channel="email", occasion="daily", moment=now, due_at=now, message_id="<1@x>")
    assert sum(one.count for one in notice_standings(now=now)) == 0


def test_notices_that_nobody_sends_are_stuck(turn_notice: Notice, settings: Any) -> None:
    made = turn_notice.created_at
    late = made + LATE + timedelta(minutes=settings.MAIL_WAIT_MINUTES)
    # When it was to leave tells how the act before it came, and makes no difference.
    for due_at in (made, made + timedelta(minutes=settings.MAIL_WAIT_MINUTES)):
        Notice.objects.update(due_at=due_at)
        assert notices_stuck_since(now=late - timedelta(seconds=1)) is None
        assert notices_stuck_since(now=late) == made
    Notice.objects.update(state="sending", claimed_at=made)
    assert notices_stuck_since(now=made + CLAIM_LATE - timedelta(seconds=1)) is None
    assert notices_stuck_since(now=made + CLAIM_LATE) == made
    Notice.objects.update(state="sent", sent_at=made)
    assert notices_stuck_since(now=made + timedelta(days=1)) is None


def test_whether_anybody_waits_to_be_told_of_a_window_is_not_told(turn_notice: Notice, running: Running) -> None:
    now = turn_notice.created_at + timedelta(days=1)
    assert notices_stuck_since(now=now) is not None
    Decision.objects.filter(race=running.race).update(window=1)
    assert notices_stuck_since(now=now) is None
    OutboxEvent.objects.update(kind="lapsed")
    assert notices_stuck_since(now=now) is not None
    OutboxEvent.objects.update(kind="turn")
    Decision.objects.filter(race=running.race).update(window=None)
    running.act(running.asked)
    assert notices_stuck_since(now=now) is None, "a question that was answered is no question"


# Where nothing gets through


def test_a_mailbox_that_is_gone_is_told_by_its_player_and_day_and_not_by_its_question(
    turn_notice: Notice, running: Running, failing: AnswerWith
) -> None:
    player = running.asked.player
    assert player is not None
    failing(smtplib.SMTPRecipientsRefused({player.email: NO_SUCH_USER}))
    notices_deliver([turn_notice.pk])
    (way,) = ways()
    today = timezone.now().date()
    key = f"player-{player.pk}-email"
    assert way == Failing(key, player.display_name, "mail", "is closed", "550 5.1.1 no such user", today)
    # However many more questions are asked, it says the same.
    running.act(running.asked)
    running.act(running.asked)
    outbox_dispatch()
    notices_deliver(notices_due(now=timezone.now()))
    assert ways() == [way]
    Notice.objects.all().delete()
    assert ways() == [way], "a closed address stays closed when its notices are gone"


def test_an_operator_opens_an_address_and_what_still_matters_is_sent(
    turn_notice: Notice, running: Running, failing: AnswerWith
) -> None:
    seat = running.asked
    assert seat.player is not None
    failing(smtplib.SMTPRecipientsRefused({seat.player.email: NO_SUCH_USER}))
    notices_deliver([turn_notice.pk])
    running.act(seat)
    running.act(running.asked)
    outbox_dispatch()
    notices_deliver(notices_due(now=timezone.now()))
    later = Notice.objects.get(outbox_event__kind="turn", outbox_event__decision_id=running.question(seat)["decision"])
    assert (later.state, later.reason) == ("dropped", "the address refused our messages before")
    given = failing(None)
    given.clear()
    way_retry(key=f"player-{seat.player.pk}-email", now=timezone.now())
    assert not ClosedAddress.objects.exists()
    assert ways() == []
    notices_deliver(notices_due(now=timezone.now()))
    assert given == [later.message_id], "the question that was answered meanwhile is not asked again"
    turn_notice.refresh_from_db()
    assert (turn_notice.state, turn_notice.reason) == ("dropped", "answered or over meanwhile")


def test_what_is_given_up_is_new_for_a_day_and_tried_again_on_demand(
    turn_notice: Notice, running: Running, failing: AnswerWith
) -> None:
    player = running.asked.player
    assert player is not None
    failing(smtplib.SMTPDataError(451, b"4.3.0 try later"))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        began = timezone.now()
        give_up(turn_notice, clock)
        (way,) = ways()
        assert (way.how, way.detail, way.is_new) == ("given up", "451 4.3.0 try later", True)
        assert way.since == began.date()
        clock.shift(timedelta(days=1, hours=4))
        assert [one.is_new for one in ways()] == [False]
        with pytest.raises(WayUnknown, match="Nothing fails by a way “player-0-email”"):
            way_retry(key="player-0-email", now=timezone.now())
        failing(None)
        assert ways_retry(now=timezone.now()) == 1
        assert notices_due(now=timezone.now()) == [turn_notice.pk]
        turn_notice.refresh_from_db()
        assert turn_notice.attempt_count == 0
        assert ways_retry(now=timezone.now()) == 0


def test_a_first_refusal_is_not_shown_and_an_hour_of_them_is(turn_notice: Notice, failing: AnswerWith) -> None:
    failing(smtplib.SMTPDataError(451, b"4.7.1 greylisted"))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for attempt in range(1, ATTEMPTS_MOST):
            notices_deliver([turn_notice.pk])
            turn_notice.refresh_from_db()
            assert [way.how for way in ways()] == (["being tried"] if attempt >= TRIED_LONG else [])
            clock.move_to(turn_notice.due_at)


def test_of_a_fault_of_ours_only_its_kind_is_told(turn_notice: Notice) -> None:
    now = timezone.now()
    Notice.objects.update(state="failed", reason="KeyError: 'machine_gun'")
    tried: dict[str, Any] = {"notice": turn_notice, "number": 16, "started_at": now, "ended_at": now}
    Attempt.objects.create(result="error", detail="KeyError: 'machine_gun'", **tried)
    (way,) = ways()
    assert way.detail == "our own fault (KeyError); the server's log says more"


def test_webhooks_and_invitations_are_ways_of_their_own(wren: User, failing: AnswerWith, deliver: Deliver) -> None:
    hook = webhook_create(player=wren, label="Club", address="http://127.0.0.1:9000/hook")
    trial = endpoint_try(player=wren, endpoint_id=hook.pk, now=timezone.now())
    endpoint_close(endpoint_id=hook.pk, detail="410 Gone", at=timezone.now())
    Notice.objects.filter(pk=trial.pk).update(state="bounced", reason="410 Gone")
    race = race_create(by=wren, name="Private run", seats=3)
    seat = race_invite(race_id=race.pk, by=wren, email="priya@example.org")
    failing(smtplib.SMTPRecipientsRefused({"priya@example.org": NO_SUCH_USER}))
    deliver()
    told = [(way.key, way.who, way.way, way.how) for way in ways()]
    assert told == [
        (f"seat-{seat.pk}-email", "somebody who is invited to Private run", "mail", "came back"),
        (f"player-{wren.pk}-way-{hook.pk}", "Wren", "Club", "came back"),
    ]
    given = failing(None)
    given.clear()
    assert ways_retry(now=timezone.now()) == 2
    hook.refresh_from_db()
    assert (hook.closed_at, hook.closed_detail) == (None, "")
    assert not ClosedAddress.objects.exists()
    trial.refresh_from_db()
    assert trial.state == "pending"
    invitation = Notice.objects.get(seat=seat)
    notices_deliver([invitation.pk])
    assert given == [invitation.message_id]


def test_the_command_names_ways_or_takes_all(turn_notice: Notice, running: Running) -> None:
    player = running.asked.player
    assert player is not None
    Notice.objects.update(state="failed", reason="tried too often")
    out = StringIO()
    key = f"player-{player.pk}-email"
    with pytest.raises(CommandError, match="Nothing fails by a way “elsewhere”"):
        call_command("delivery_retry", "elsewhere", key, stdout=out)
    turn_notice.refresh_from_db()
    assert turn_notice.state == "pending"
    call_command("delivery_retry", "--all", stdout=out)
    assert (
        out.getvalue()
        == f"{key} is open and tried again within a minute.\n0 ways are open and tried again within a minute.\n"
    )
    for wrong in ([], [key, "--all"]):
        with pytest.raises(CommandError, match="Name the ways, or say --all"):
            call_command("delivery_retry", *wrong)


# Mails that came in


def mail_row(state: str, **more: Any) -> InboundMail:
    number = InboundMail.objects.count()
    now = timezone.now()
    facts = {"raw": b"x", "size": 1, "came_by": "lmtp", "came_at": now, "due_at": now, "digest": f"{number:064}"}
    return InboundMail.objects.create(state=state, **(facts | more))


def test_mails_that_want_a_hand_are_listed_with_what_can_be_done(running: Running) -> None:
    now, seat = timezone.now(), running.asked
    week = now - timedelta(days=8)
    rows = {
        "held": mail_row("held", seat=seat, sender="m@evil.example", reason="it comes from another address"),
        "held, bytes gone": mail_row("held", raw=None, came_at=week),
        "failed": mail_row("failed", reason="ValueError: say hello", came_at=week),
        "failed, bytes gone": mail_row("failed", raw=None, reason="its bytes were deleted before it was acted on"),
        "refused": mail_row("refused", reason="stale", acted_at=now),
        "stuck": mail_row("stored", due_at=now - LATE),
        "done": mail_row("done", acted_at=now),
        "ignored": mail_row("ignored"),
        "under way": mail_row("stored"),
        "refused long ago": mail_row("refused", came_at=week),
    }
    listed, count = mails_listed(now=now)
    assert count == 6
    seen = {one.mail: one for one in listed}
    assert list(seen) == sorted((rows[name].pk for name in list(rows)[:6]), reverse=True)
    can = {name: seen[rows[name].pk].can for name in list(rows)[:6]}
    assert can == {
        "held": ("release", "refuse"),
        "held, bytes gone": ("refuse",),
        "failed": ("retry",),
        "failed, bytes gone": (),
        "refused": ("retry",),
        "stuck": ("retry",),
    }
    why = {name: seen[rows[name].pk].why for name in can}
    assert why["failed"] == "ValueError; the server's log says more"
    assert why["failed, bytes gone"] == "its bytes were deleted before it was acted on"
    assert why["refused"] == "the race had moved on"
    assert why["stuck"] == "nobody has acted on it"
    held = seen[rows["held"].pk]
    assert seat.player is not None
    assert (held.sender, held.race, held.driver) == ("m@evil.example", seat.race.public_id, seat.player.display_name)
    assert held.why == "it comes from another address"
    assert mail_listed(mail=rows["done"].pk) is not None
    assert mail_listed(mail=0) is None
    counts = {one.words: one.count for one in mail_standings(now=now)}
    assert list(counts.values()) == [2, 2, 1, 1, 1, 1], "of those that are settled, the last seven days"


# How much is asked of the database


def test_more_rows_take_no_more_statements(wren: User, olu: User, django_assert_num_queries: CountQueries) -> None:
    def look() -> list[int]:
        now = timezone.now()
        with django_assert_num_queries(4):
            found = failing_ways(now=now)
        with django_assert_num_queries(1):
            notice_standings(now=now)
        with django_assert_num_queries(1):
            notices_stuck_since(now=now)
        with django_assert_num_queries(1):
            listed, _ = mails_listed(now=now)
        with django_assert_num_queries(1):
            mail_standings(now=now)
        return [len(found), len(listed)]

    def add(number: int) -> None:
        for _ in range(number):
            race = race_create(by=wren, name="Dust Devil 300", seats=2, options={"sections": 3}, is_public=True)
            race_invite(race_id=race.pk, by=wren, email=f"{race.public_id}@example.org")
            hook = webhook_create(player=wren, label="Club", address=f"http://127.0.0.1:9000/{race.public_id}")
            endpoint_try(player=wren, endpoint_id=hook.pk, now=timezone.now())
            mail_row("held", seat=race.seats.get(player=wren))
        outbox_dispatch()
        Notice.objects.update(state="failed", sent_at=None, reason="tried too often")
        now = timezone.now()
        tried: dict[str, Any] = {"number": 16, "result": "transient", "started_at": now, "ended_at": now}
        Attempt.objects.bulk_create(Attempt(notice=notice, **tried) for notice in Notice.objects.all())
        address_close(channel="email", address=olu.email, detail="550", at=now)

    add(1)
    first = look()
    add(4)
    assert [first, look()] == [[3, 1], [11, 5]]
