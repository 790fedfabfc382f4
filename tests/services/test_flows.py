"""Acts, windows, lapses and notices on real servers: two web processes, two workers, many players at once."""

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Final

import pytest
from django.utils import timezone

from games.models import Decision, Entry, Race, Receipt
from notifications.models import Attempt, Notice
from notifications.tasks import deliver_due, dispatch_outbox
from roadkill_site.celery import app
from tests.services.conftest import MailServer, Player, wait_until
from tests.services.players import asked_player, body_of, mailed_once, replays

# Seconds; well within what the API lets a player read in a minute.
POLL: Final = 0.3

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_act_sent_many_times_at_once_is_played_once(players: list[Player], start_race: Callable[..., Race]) -> None:
    race = start_race()
    player, shown = asked_player(players)
    body = body_of(shown, number=1, key="once")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: player.act(race.public_id, body), range(16)))
    assert Counter(answer.status_code for answer in answers) == {200: 16}
    assert all(answer.json() == answers[0].json() for answer in answers)
    assert Receipt.objects.count() == 1
    played = [act for entry in Entry.objects.filter(race=race) for act in entry.acts if act["origin"] == "api"]
    assert len(played) == 1


def test_of_many_acts_for_one_position_one_wins_and_the_others_are_told(
    players: list[Player], start_race: Callable[..., Race]
) -> None:
    race = start_race()
    player, shown = asked_player(players)
    numbers = [answer["number"] for answer in shown["question"]["answers"]]
    bodies = [body_of(shown, number=numbers[i % len(numbers)], key=f"key {i}") for i in range(16)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda body: player.act(race.public_id, body), bodies))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 15}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} <= {"stale", "not_yours"}
    assert Receipt.objects.count() == 1
    played = [act for entry in Entry.objects.filter(race=race) for act in entry.acts if act["origin"] == "api"]
    assert len(played) == 1


class Rival(threading.Thread):
    """Plays one seat until told to stop, sends every act twice at once, and notes what was accepted."""

    def __init__(self, player: Player, race_id: str, stop: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.player, self.race_id, self.told_to_stop = player, race_id, stop
        self.accepted: dict[str, dict[str, Any]] = {}
        self.windows: set[int] = set()
        self.fault: Exception | None = None
        self._chance = random.Random(seed)

    def run(self) -> None:
        """Play on."""
        try:
            with ThreadPoolExecutor(2) as pool:
                while not self.told_to_stop.is_set():
                    if not self._play(pool):
                        time.sleep(POLL)
        except Exception as fault:  # noqa: BLE001  (whatever it is, the test shall show it)
            self.fault = fault

    def _play(self, pool: ThreadPoolExecutor) -> bool:
        open_ones = [one for one in self.player.get("/me/decisions")["results"] if not one["is_sealed"]]
        if not open_ones:
            return False
        question = self.player.get(f"/races/{self.race_id}")["question"]
        if question is None or question["sealed"] is not None:
            return False
        answer = self._answer(question["answers"])
        body = {
            "decision": question["decision"],
            "position": question["position"],
            "action": answer["action"],
            "key": uuid.uuid4().hex,
        }
        both = list(pool.map(lambda _: self.player.act(self.race_id, body), range(2)))
        assert both[0].status_code == both[1].status_code, [one.text for one in both]
        assert both[0].status_code != 200 or both[0].json() == both[1].json()
        if both[0].status_code == 200:
            self.accepted[body["key"]] = both[0].json()
            if both[0].json()["status"] == "sealed":
                self.windows.add(question["decision"])
        else:
            assert both[0].status_code == 409, both[0].text
        return True

    def _answer(self, answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Whatever makes for windows, if it is on offer: an attack or a pass."""
        eager = [one for one in answers if one["words"].startswith(("attack", "pass", "start"))]
        return self._chance.choice(eager or answers)


def test_no_act_is_lost_or_doubled_while_everybody_plays_at_once(
    players: list[Player], start_race: Callable[..., Race], two_workers: None, mail_server: MailServer
) -> None:
    race = start_race(tempo="hours", turn_hours=24, reaction_hours=1 / 60, policy="paced", options={"sections": 8})
    stop = threading.Event()
    rivals = [Rival(player, race.public_id, stop, seed) for seed, player in enumerate(players)]
    for rival in rivals:
        rival.start()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        # Both workers sweep, at the same moment, far more often than a beat would have them.
        for _ in range(2):
            app.send_task("games.tasks.sweep")
        time.sleep(0.5)
        faults = [rival.fault for rival in rivals if rival.fault is not None]
        assert not faults, faults
        race.refresh_from_db()
        if race.status == "finished" or (race.seq >= 40 and sum(len(rival.windows) for rival in rivals) >= 2):
            break
    stop.set()
    for rival in rivals:
        rival.join(60)
    wait_until(lambda: not Decision.objects.filter(race=race, sealed_at__isnull=False).exists() or _sweep(), seconds=90)

    assert race.fault == ""
    accepted = {key: receipt for rival in rivals for key, receipt in rival.accepted.items()}
    assert len(accepted) >= 20
    assert any(rival.windows for rival in rivals), "no window was opened in the whole test"
    acts = [act for entry in Entry.objects.filter(race=race) for act in entry.acts]
    assert Counter(act["origin"] for act in acts)["api"] == len(accepted)
    assert set(Receipt.objects.values_list("idempotency_key", flat=True)) == set(accepted)
    numbers = list(Entry.objects.filter(race=race).order_by("seq").values_list("seq", flat=True))
    assert numbers == list(range(len(numbers)))
    replays(race)
    mailed_once(mail_server)


def _sweep() -> bool:
    app.send_task("games.tasks.sweep")
    return False


def test_a_turn_that_lapses_is_skipped_once_and_told_once(
    players: list[Player], start_race: Callable[..., Race], two_workers: None, mail_server: MailServer
) -> None:
    race = start_race()
    seat = Decision.objects.select_related("seat").get(race=race).seat
    before = timezone.now() - timedelta(days=4)
    Decision.objects.filter(race=race).update(opened_at=before, due_at=before + timedelta(days=3))
    Race.objects.filter(pk=race.pk).update(wake_at=before + timedelta(days=3))
    for _ in range(10):
        app.send_task("games.tasks.sweep")
    wait_until(lambda: Race.objects.get(pk=race.pk).seq > race.seq)
    mailed_once(mail_server)
    acts = [act for entry in Entry.objects.filter(race=race) for act in entry.acts]
    assert [(act["seat"], act["origin"]) for act in acts if act["origin"] == "deadline"] == [(seat.number, "deadline")]
    assert seat.player is not None
    subjects = [str(mail["Subject"]) for mail in mail_server.to(seat.player.email)]
    assert subjects.count("Dust Devil 300: your answer did not come in time") == 1


def test_two_workers_that_are_nudged_again_and_again_mail_each_notice_once(
    players: list[Player], start_race: Callable[..., Race], two_workers: None, mail_server: MailServer
) -> None:
    for _ in range(12):
        start_race()
    for _ in range(25):
        dispatch_outbox.delay()
        deliver_due.delay()
    mailed_once(mail_server)
    assert Notice.objects.filter(state="sent").count() == 12 * len(players)


def test_what_the_mail_server_puts_off_comes_later_and_what_it_refuses_for_good_closes_the_address(
    players: list[Player], start_race: Callable[..., Race], two_workers: None, mail_server: MailServer
) -> None:
    mail_server.refusals = {"wren@example.org": "451 4.3.0 Later", "olu@example.org": "550 5.1.1 No such user"}
    start_race()
    wait_until(lambda: not Notice.objects.filter(state__in=["pending", "sending"], attempt_count=0).exists())
    wait_until(lambda: Notice.objects.filter(state="bounced").exists())
    wait_until(lambda: Attempt.objects.filter(result="transient").exists())
    assert mail_server.to("wren@example.org") == []
    mail_server.refusals = {}
    Notice.objects.filter(state="pending").update(due_at=timezone.now())
    deliver_due.delay()
    wait_until(lambda: not Notice.objects.filter(state__in=["pending", "sending"]).exists())
    assert mail_server.to("wren@example.org")
    assert mail_server.to("olu@example.org") == []
    players[1].get("/me")
    notice = Notice.objects.get(seat__player=players[0].user, state="sent")
    assert [attempt.result for attempt in notice.attempts.all()] == ["transient", "sent"]
