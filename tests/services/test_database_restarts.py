"""PostgreSQL crashes and starts again while many play at once: what was told to count does, and once."""

import os
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
import requests
from django.db import connection
from django.db.models import F
from django.utils import timezone

from games.models import Race, Receipt
from notifications.models import Notice
from notifications.services.delivery import CLAIM_AGE
from tests.services.browser import Browser
from tests.services.conftest import START_SECONDS, MailServer, Player, StartWorker, wait_until
from tests.services.locks import held, is_waited_for
from tests.services.players import count_of_acts, replays, wait_until_mailed
from tests.services.servers import PrivatePostgresql

RACES: Final = 3
# Acts of all together between one crash and the next, and after the last.
ACTS: Final = 12
BREATH: Final = 0.1

pytestmark = pytest.mark.django_db(transaction=True)


class Stubborn(threading.Thread):
    """Plays one person's seats, and sends an act again, with the same key, until told what has become of it."""

    def __init__(self, player: Player, stop: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.player, self.told_to_stop = player, stop
        self.accepted: dict[str, dict[str, Any]] = {}
        self.refused: set[str] = set()
        # Keys of the acts that had to be sent more than once.
        self.repeated: set[str] = set()
        self.fault: BaseException | None = None
        self._chance = random.Random(seed)

    def run(self) -> None:
        """Play on."""
        try:
            while not self.told_to_stop.is_set():
                self._play()
                time.sleep(BREATH)
        except BaseException as fault:  # noqa: BLE001  (whatever it is, the test shall show it)
            self.fault = fault

    def _play(self) -> None:
        for one in self._get("/me/decisions")["results"]:
            race_id = one["race"]["id"]
            question = self._get(f"/races/{race_id}")["question"]
            if question is None or question["sealed"] is not None:
                continue
            body = {
                "decision": question["decision"],
                "position": question["position"],
                "action": self._chance.choice(question["answers"])["action"],
                "key": uuid.uuid4().hex,
            }
            self._act(race_id, body)

    def _act(self, race_id: str, body: dict[str, Any]) -> None:
        answer, tries = self._asked(lambda: self.player.act(race_id, body))
        if tries > 1:
            self.repeated.add(body["key"])
        if answer.status_code == 200:
            self.accepted[body["key"]] = answer.json()
        else:
            assert answer.status_code in {409, 422}, answer.text
            self.refused.add(body["key"])

    def _get(self, path: str) -> Any:
        answer, _ = self._asked(lambda: self.player.ask(path))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def _asked(self, ask: Callable[[], requests.Response]) -> tuple[requests.Response, int]:
        """The first answer that is not "again later", and which it was; the others are problem documents."""
        tries = 0
        while True:
            answer = ask()
            tries += 1
            if answer.status_code != 503:
                return answer, tries
            assert answer.headers["Content-Type"].startswith("application/problem+json"), answer.text
            assert answer.json()["code"] == "unavailable"
            assert answer.headers["Retry-After"]
            time.sleep(BREATH)


@contextmanager
def commits_unanswered() -> Iterator[None]:
    """What is committed is in the record, but PostgreSQL tells nobody: it waits for a copy that does not exist."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as operator:
        operator.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        operator.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            # Takes effect with the next start only.
            operator.execute("ALTER SYSTEM RESET synchronous_standby_names")


def is_committed_unanswered(table: str) -> bool:
    """Whether a process that has written to this table stands between its commit and the answer."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation JOIN pg_stat_activity USING (pid)"
            " WHERE relname = %s AND mode = 'RowExclusiveLock' AND granted AND wait_event = 'SyncRep'",
            [table],
        )
        return bool(cursor.fetchone()[0])


def test_no_act_is_lost_or_doubled_when_postgresql_crashes_under_load(  # noqa: PLR0917  (fixtures)
    players: list[Player],
    start_race: Callable[..., Race],
    start_worker: StartWorker,
    start_beat: Callable[..., Any],
    mail_server: MailServer,
    postgresql: PrivatePostgresql,
    web: str,
) -> None:
    processes = [start_worker("one@localhost"), start_worker("two@localhost"), start_beat("tests.services.quick_beat")]
    races = [start_race(policy="open", options={"sections": 8}) for _ in range(RACES)]
    stop = threading.Event()
    everybody = [Stubborn(player, stop, seed) for seed, player in enumerate(players)]
    for one in everybody:
        one.start()

    def play_on(acts: int) -> None:
        enough = sum(len(one.accepted) for one in everybody) + acts
        wait_until(lambda: any(one.fault for one in everybody) or sum(len(one.accepted) for one in everybody) >= enough)
        assert [one.fault for one in everybody if one.fault] == []

    play_on(ACTS)
    # In the middle of transactions: acts stand before the table of receipts, which the test holds.
    with suppress(psycopg.OperationalError), held("games_receipt"):
        wait_until(lambda: is_waited_for("games_receipt"))
        postgresql.stop(how="immediate")
    page = requests.get(f"{web}/races/{races[0].public_id}/", timeout=30)
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert "Out of service" in page.text
    assert requests.get(f"{web}/healthz", timeout=30).json()["database"] == "failing"
    postgresql.start()
    connection.close()
    play_on(ACTS)
    # Between the record and the answer: acts are committed, and wait for a copy on another server to say so.
    with commits_unanswered():
        wait_until(lambda: is_committed_unanswered("games_receipt"))
        crashed_at = timezone.now()
    postgresql.stop(how="immediate")
    postgresql.start()
    connection.close()
    play_on(ACTS)
    stop.set()
    for one in everybody:
        one.join(60)
        assert one.fault is None

    accepted = {key for one in everybody for key in one.accepted}
    repeated = {key for one in everybody for key in one.repeated}
    told_late = Receipt.objects.filter(idempotency_key__in=repeated, created_at__lte=crashed_at)
    assert told_late.filter(created_at__gte=crashed_at - timedelta(seconds=START_SECONDS)).exists()
    assert set(Receipt.objects.values_list("idempotency_key", flat=True)) == accepted
    assert count_of_acts(races, "api") == len(accepted)
    for race in races:
        race.refresh_from_db()
        assert race.fault == ""
        replays(race)

    # What was claimed by a worker that could not record it any more waits for its claim to go stale.
    Notice.objects.filter(state="sending").update(claimed_at=F("claimed_at") - CLAIM_AGE)
    wait_until_mailed(nudge=False)
    assert [process.poll() for process in processes] == [None, None, None]
    sent = set(Notice.objects.filter(state="sent").values_list("message_id", flat=True))
    assert sent == {str(mail["Message-ID"]) for mail in mail_server.mails}
    assert not Notice.objects.exclude(state__in=["sent", "dropped"]).exists()
    assert Browser().open(f"{web}/races/{races[0].public_id}/").status_code == 200
