"""Workers killed in the middle of their work, each at a moment at which something real holds them.

A mail server that does not answer, or a lock on a table that the worker is about to write to.
"""

import os
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from games.models import Decision, Race, Receipt
from games.services.sweep import sweep
from notifications.models import Attempt, Notice
from notifications.services.delivery import CLAIM_AGE
from notifications.tasks import deliver_due
from roadkill_site.celery import app
from tests.services.conftest import MailServer, Player, StartProcess, StartWorker, wait_until
from tests.services.locks import held, is_waited_for
from tests.services.players import acts_of, asked_player, body_of, count_of_acts, mailed_once, replays

StartRace = Callable[..., Race]

pytestmark = pytest.mark.django_db(transaction=True)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End it with nothing done on the way."""
    process.kill()
    process.wait()


def let_claims_go_stale() -> None:
    """As if the time of a claim had passed."""
    Notice.objects.filter(state="sending").update(claimed_at=F("claimed_at") - CLAIM_AGE)


def nobody_else_takes(message_id: str, players: list[Player], start_worker: StartWorker) -> None:
    """An heir sends what nobody has claimed, and leaves the claim of the dead alone until it is stale."""
    start_worker("heir@localhost")
    deliver_due.delay()
    wait_until(lambda: Notice.objects.filter(state="sent").count() == len(players) - 1)
    assert Notice.objects.get(message_id=message_id).state == "sending"


def test_killed_between_claiming_and_sending__the_heir_sends_it_once(
    players: list[Player], start_race: StartRace, start_worker: StartWorker, mail_server: MailServer
) -> None:
    mail_server.silent_after = "MAIL"
    doomed = start_worker("doomed@localhost")
    start_race()
    wait_until(lambda: mail_server.silent)
    kill(doomed)
    mail_server.silent_after = ""
    assert mail_server.mails == []
    claimed = Notice.objects.get(state="sending").message_id

    nobody_else_takes(claimed, players, start_worker)
    let_claims_go_stale()
    mailed_once(mail_server)
    assert Notice.objects.filter(state="sent").count() == len(players)


def test_killed_before_the_mail_server_says_that_it_took_the_mail__a_second_copy_has_the_same_message_id(
    players: list[Player], start_race: StartRace, start_worker: StartWorker, mail_server: MailServer
) -> None:
    mail_server.silent_after = "DATA"
    doomed = start_worker("doomed@localhost")
    start_race()
    wait_until(lambda: mail_server.silent)
    kill(doomed)
    mail_server.silent_after = ""
    (first,) = [str(mail["Message-ID"]) for mail in mail_server.mails]

    nobody_else_takes(first, players, start_worker)
    let_claims_go_stale()
    mailed_once(mail_server, twice=[first])


def test_killed_between_sending_and_recording__a_second_copy_has_the_same_message_id(
    players: list[Player], start_race: StartRace, start_worker: StartWorker, mail_server: MailServer
) -> None:
    with held("notifications_attempt"):
        doomed = start_worker("doomed@localhost")
        start_race()
        wait_until(lambda: is_waited_for("notifications_attempt"))
        kill(doomed)
    (first,) = [str(mail["Message-ID"]) for mail in mail_server.mails]
    wait_until(lambda: not is_waited_for("notifications_attempt"))
    assert not Attempt.objects.exists()

    nobody_else_takes(first, players, start_worker)
    let_claims_go_stale()
    mailed_once(mail_server, twice=[first])
    numbers = Attempt.objects.filter(notice__message_id=first).values_list("number", "result")
    assert list(numbers) == [(2, "sent")]


def make_overdue(race: Race) -> None:
    """As if the time of what is asked had passed."""
    before = timezone.now() - timedelta(days=4)
    Decision.objects.filter(race=race).update(opened_at=before, due_at=before + timedelta(days=3))
    Race.objects.filter(pk=race.pk).update(wake_at=before + timedelta(days=3))


@pytest.mark.parametrize("is_answered", [False, True], ids=["lapses", "is answered meanwhile"])
def test_killed_in_the_middle_of_a_sweep__nothing_of_it_remains_and_the_race_goes_on(
    players: list[Player],
    start_race: StartRace,
    start_worker: StartWorker,
    mail_server: MailServer,
    *,
    is_answered: bool,
) -> None:
    race = start_race()
    player, shown = asked_player(players)
    make_overdue(race)
    answers = []
    with ThreadPoolExecutor(1) as pool, held("games_outboxevent"):
        doomed = start_worker("doomed@localhost")
        app.send_task("games.tasks.sweep")
        wait_until(lambda: is_waited_for("games_outboxevent"))
        kill(doomed)
        if is_answered:
            answers.append(pool.submit(player.act, race.public_id, body_of(shown, number=1, key="late")))
    assert [answer.result().status_code for answer in answers] == [200] * is_answered
    assert acts_of(race, "deadline") == []

    start_worker("heir@localhost")
    app.send_task("games.tasks.sweep")
    wait_until(lambda: Race.objects.filter(pk=race.pk, wake_at__gt=timezone.now()).exists())
    mailed_once(mail_server)
    assert len(acts_of(race, "deadline")) == (0 if is_answered else 1)
    assert count_of_acts([race], "api") == Receipt.objects.count() == (1 if is_answered else 0)
    race.refresh_from_db()
    assert race.fault == ""
    replays(race)


def test_a_child_of_a_worker_killed_in_the_middle_of_a_sweep__the_worker_sweeps_again_by_itself(
    players: list[Player], start_race: StartRace, start_process: StartProcess
) -> None:
    race = start_race()
    make_overdue(race)
    with held("games_outboxevent"):
        worker = start_process(
            "celery", "-A", "roadkill_site.worker", "worker", "--concurrency", "1", "--hostname", "parent@localhost"
        )
        app.send_task("games.tasks.sweep")
        wait_until(lambda: is_waited_for("games_outboxevent"))
        (child,) = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
        os.kill(int(child), 9)
    wait_until(lambda: acts_of(race, "deadline"))
    assert worker.poll() is None
    assert len(acts_of(race, "deadline")) == 1
    replays(race)


def test_a_race_that_somebody_holds_keeps_no_other_race_waiting(players: list[Player], start_race: StartRace) -> None:
    stuck, other = start_race(), start_race()
    for race in (stuck, other):
        make_overdue(race)
    with psycopg.connect(os.environ["DATABASE_URL"]) as holder:
        holder.execute("SELECT 1 FROM games_seat WHERE race_id = %s FOR UPDATE", [stuck.pk])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 200")
        report = sweep()
        connection.close()
    assert report.put_off == [stuck.public_id]
    assert len(acts_of(other, "deadline")) == 1
    assert acts_of(stuck, "deadline") == []
    assert sweep().put_off == []
    assert len(acts_of(stuck, "deadline")) == 1


def test_an_act_for_a_race_that_somebody_holds_is_put_off_with_a_sentence_and_can_be_repeated(
    players: list[Player], start_race: StartRace
) -> None:
    race = start_race()
    player, shown = asked_player(players)
    body = body_of(shown, number=1, key="again")
    with psycopg.connect(os.environ["DATABASE_URL"]) as holder:
        holder.execute("SELECT 1 FROM games_race WHERE id = %s FOR UPDATE", [race.pk])
        began = time.monotonic()
        answer = player.act(race.public_id, body)
        assert time.monotonic() - began < 25, "the web server ends a process that is silent for 30 seconds"
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.headers["Retry-After"]
    assert player.act(race.public_id, body).status_code == 200
    assert player.act(race.public_id, body).status_code == 200
    assert count_of_acts([race], "api") == Receipt.objects.count() == 1
