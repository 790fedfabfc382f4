"""Redis stops and starts again while people play: acts count, nobody is turned away, and mails come when it is back."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest
import redis
import requests
from django.utils import timezone

from games.models import Heartbeat, OutboxEvent, Race, Receipt
from notifications.models import Notice
from roadkill_site.accounts.models import User
from tests.services.browser import Browser
from tests.services.conftest import ROOT, MailServer, Player, StartWorker, wait_until
from tests.services.players import asked_player, body_of, count_of_acts, replays, wait_until_mailed
from tests.services.servers import free_port, private_redis, redis_program

# What a page or an act may take, on a machine that is busy, with a Redis that is away.
SECONDS: Final = 6.0

pytestmark = pytest.mark.django_db(transaction=True)


class OwnRedis:
    """A Redis of this module's own, to be stopped and started."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._port = free_port()
        self._running = ExitStack()
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start it, empty."""
        self._running.enter_context(private_redis(self._program, self._port))

    def stop(self) -> None:
        """Stop it; what it held is lost."""
        self._running.close()


@pytest.fixture
def own_redis() -> Iterator[OwnRedis]:
    program = redis_program()
    if program is None:
        pytest.skip("Redis is not installed here, and one that belongs to others is not stopped.")
    server = OwnRedis(program)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def elsewhere(own_redis: OwnRedis) -> dict[str, str]:
    """Every process works with the Redis that can be stopped."""
    return {"REDIS_URL": own_redis.url}


def in_time(ask: Callable[[], requests.Response]) -> requests.Response:
    """The answer, which neither fails nor keeps anybody waiting."""
    began = time.monotonic()
    answer = ask()
    took = time.monotonic() - began
    assert answer.status_code == 200, answer.text
    assert took < SECONDS, f"{answer.url} took {took:.1f} seconds"
    return answer


def act_in_time(players: list[Player], race: Race, key: str) -> None:
    """Whoever is asked answers, and is told at once that it counts."""
    player, shown = asked_player(players)
    in_time(lambda: player.act(race.public_id, body_of(shown, number=1, key=key)))


def test_acts_count_while_redis_is_away_and_mails_leave_by_themselves_when_it_is_back(  # noqa: PLR0917  (fixtures)
    players: list[Player],
    start_race: Callable[..., Race],
    start_worker: StartWorker,
    start_beat: Callable[..., Any],
    mail_server: MailServer,
    own_redis: OwnRedis,
    web: str,
) -> None:
    start_worker("one@localhost")
    start_beat("tests.services.quick_beat")
    race = start_race()
    wait_until(lambda: len(mail_server.mails) == len(players))

    own_redis.stop()
    for number in range(5):
        act_in_time(players, race, f"stopped {number}")
    _a_code_is_mailed_and_pages_open(web, race, mail_server)
    assert requests.get(f"{web}/healthz", timeout=SECONDS).json() == {
        "status": "failing", "database": "ok", "cache": "failing",
    }  # fmt: skip
    assert OutboxEvent.objects.filter(processed_at=None).exists(), "nobody could be nudged"

    own_redis.start()
    wait_until_mailed(nudge=False)
    wait_until(lambda: requests.get(f"{web}/healthz", timeout=SECONDS).status_code == 200)
    before = Notice.objects.count()

    # It takes connections and says nothing, as behind a firewall or on a machine that is out of memory.
    redis.Redis.from_url(own_redis.url).execute_command("CLIENT", "PAUSE", 15_000, "ALL")  # type: ignore[no-untyped-call]
    for number in range(2):
        act_in_time(players, race, f"silent {number}")
    own_redis.stop()
    own_redis.start()
    wait_until(lambda: Notice.objects.count() > before)
    wait_until_mailed(nudge=False)

    assert count_of_acts([race], "api") == Receipt.objects.count() == 7
    replays(race)
    sent = Counter(Notice.objects.filter(state="sent").values_list("message_id", flat=True))
    assert Counter(str(mail["Message-ID"]) for mail in mail_server.mails if mail["List-Id"]) == sent
    assert not Notice.objects.exclude(state__in=["sent", "dropped"]).exists()


def _a_code_is_mailed_and_pages_open(web: str, race: Race, mails: MailServer) -> None:
    stranger = User.objects.create_user("nell@example.org", display_name="Nell")
    browser = Browser()
    in_time(lambda: browser.open(f"{web}/"))
    in_time(lambda: browser.open(f"{web}/races/{race.public_id}/"))
    in_time(lambda: browser.open(f"{web}/account/sign-in/"))
    in_time(lambda: browser.send(browser.form(field="email"), email=stranger.email))
    wait_until(lambda: mails.to(stranger.email))


def status(url: str) -> tuple[int, dict[str, Any]]:
    """Exit status of operator_status, run by a process whose queue is there, and what it said."""
    command = [sys.executable, "manage.py", "operator_status", "--json"]
    environment = {**os.environ, "REDIS_URL": url}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_the_status_says_who_is_away_worker_beat_or_redis(own_redis: OwnRedis) -> None:
    kept = redis.Redis.from_url(own_redis.url)
    code, seen = status(own_redis.url)
    assert (code, seen["queue"]) == (1, {"is_reachable": True, "has_waiting": False})
    assert "start beat" in seen["needs"][0]
    assert kept.keys() == [], "to look writes nothing"

    kept.lpush("roadkill:celery", "{}")
    code, seen = status(own_redis.url)
    assert (code, seen["queue"]) == (1, {"is_reachable": True, "has_waiting": True})
    assert "start the worker" in seen["needs"][0]

    Heartbeat.objects.create(name="worker", at=timezone.now())
    assert status(own_redis.url)[0] == 0

    own_redis.stop()
    code, seen = status(own_redis.url)
    assert (code, seen["queue"]) == (1, {"is_reachable": False, "has_waiting": None})
    assert seen["needs"][0].startswith("The queue does not answer")
