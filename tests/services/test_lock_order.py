"""Who changes a calendar locks the races by their numbers, by mail as on the page, so that no two wait for each other.

On PostgreSQL, with a lock that a connection of the test's own holds.
"""

import os
import threading

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone

from games.models import Seat
from games.services.races import race_create, race_join
from notifications.inbound.body import Own
from notifications.reply_models import ReplyKey
from notifications.services.replies.doing import orders_do
from notifications.services.replies.reports import DONE, Report
from roadkill_site.accounts.models import Holiday, User
from tests.services.conftest import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def reply(key: ReplyKey, *lines: str) -> Report:
    """Do these lines of a mail, in a transaction as the worker does."""
    with transaction.atomic():
        return orders_do(key=key, own=Own(lines), mail_key="mail-1", now=timezone.now())


def is_waiting() -> bool:
    """Whether somebody waits for a row of this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("lines", [("away for 2 days",), ("say Goodbye", "away for 2 days"), ("back",)])
def test_a_mail_that_changes_a_calendar_holds_no_race_while_it_waits_for_one_of_a_lower_number(
    lines: tuple[str, ...],
) -> None:
    players = [User.objects.create_user(f"{n}@example.org", display_name=n.title()) for n in ("wren", "olu")]
    races = []
    for name in ("Low", "High"):
        race = race_create(by=players[0], name=name, seats=2, options={"sections": 3}, is_public=True)
        race_join(race_id=race.pk, by=players[1])
        races.append(race.pk)
    low, high = sorted(races)
    seat = Seat.objects.get(race_id=high, player=players[0])
    key = ReplyKey.objects.create(
        seat=seat, player=players[0], key_hash="0" * 64, message_id="<1@x>", created_at=timezone.now()
    )
    today = timezone.now().date()
    if lines == ("back",):
        Holiday.objects.create(user=players[0], first=today, last=today)
    reports: list[Report] = []

    def work() -> None:
        try:
            reports.append(reply(key, *lines))
        finally:
            connection.close()

    with psycopg.connect(os.environ["DATABASE_URL"]) as other:
        other.execute("SELECT 1 FROM games_race WHERE id = %s FOR UPDATE", [low])
        thread = threading.Thread(target=work)
        thread.start()
        wait_until(is_waiting)
        # As the calendar page does next; it must not have to wait.
        other.execute("SELECT 1 FROM games_race WHERE id = %s FOR UPDATE NOWAIT", [high])
        other.rollback()
    thread.join(timeout=30)
    assert [report.outcome for report in reports] == [DONE]
