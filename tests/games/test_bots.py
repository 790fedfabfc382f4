"""Bots: they answer through the one door, see what their seat may see, take their time, and never stop a race."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from kombu.exceptions import OperationalError

from games.engine.contract import Decision as Question
from games.models import Decision, Entry, Heartbeat, Race, Receipt
from games.runtime.rulesets import BOTS
from games.services import bots
from games.services.bots import bots_answer
from games.services.races import race_create, race_start, seat_add_bot
from games.services.sweep import sweep
from games.tasks import bots_act, bots_nudge, heartbeat
from games.tasks import sweep as sweep_task
from roadkill_site.accounts.models import User
from tests.games.conftest import NOON, Game
from tests.games.toy_ruleset import Rest

Clock = time_machine.Traveller


def race_with_bots(host: User, *, count: int = 2, delay_minutes: int = 0, **settings: Any) -> Game:
    """A running toy race of the host and bots; the host has car 1."""
    race = race_create(
        by=host, name="Bots", ruleset="toy", seats=count + 1, starts_when_full=False, **{"policy": "open", **settings}
    )
    for _ in range(count):
        seat_add_bot(race_id=race.pk, by=host, bot="driver", delay_minutes=delay_minutes)
    race_start(race_id=race.pk, by=host)
    return Game(race)


class Recorder:
    """A bot that rests and keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def choose(self, view: Any, decision: Question) -> Any:
        self.seen.append(view)
        return decision.default if decision.key != "act" else Rest()


@pytest.fixture
def recorder() -> Recorder:
    """The toy's bots are this one."""
    made = Recorder()
    BOTS["toy"] = lambda level, seed: made
    return made


def host_number(game: Game) -> int:
    """The car of the one person."""
    return next(n for n in range(1, 4) if not game.seat(n).bot)


def test_bots_go_on_until_a_person_is_asked(alice: User, recorder: Recorder) -> None:
    game = race_with_bots(alice)
    number = host_number(game)
    for _ in range(3):
        bots_answer(race_id=game.pk)
        assert game.present(None)["waiting"]["seat"] == number
        game.do_least()
    origins = {act["origin"] for entry in Entry.objects.filter(race_id=game.pk) for act in entry.acts}
    assert origins == {"player", "bot"}


def test_a_bot_sees_what_its_seat_may_see(alice: User, recorder: Recorder) -> None:
    game = race_with_bots(alice)
    if host_number(game) == 1:
        game.do_least()
    bots_answer(race_id=game.pk)
    for view in recorder.seen:
        assert view["viewer"] is not None
        assert [car["wishes"] is not None for car in view["cars"]].count(True) == 1
        assert len(view["hand"]) == view["cars"][view["viewer"] - 1]["hand_count"]


def test_a_slow_bot_takes_its_time(alice: User, recorder: Recorder, clock: Clock) -> None:
    game = race_with_bots(alice, delay_minutes=30)
    if host_number(game) == 1:
        game.do_least()
    row = Decision.objects.get(race_id=game.pk)
    assert row.bot_at == NOON + timedelta(minutes=30)
    assert game.race.wake_at == row.bot_at
    assert bots_answer(race_id=game.pk) == 0
    clock.shift(timedelta(minutes=30) - timedelta(seconds=1))
    assert sweep().bot_answers == 0
    clock.shift(1)
    assert sweep().bot_answers == 1


def test_two_workers_give_one_answer(alice: User, recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    game = race_with_bots(alice, count=1)
    if host_number(game) == 1:
        game.do_least()
    answers: list[int] = []
    real = bots._submit

    def twice(race: Race, row: Decision, action: Any) -> None:
        real(race, row, action)
        real(race, row, action)
        answers.append(1)

    monkeypatch.setattr(bots, "_submit", twice)
    before = game.race.seq
    bots_answer(race_id=game.pk)
    assert game.race.seq == before + len(answers)
    assert Receipt.objects.filter(idempotency_key__startswith="bot:").count() == len(answers)


@pytest.mark.parametrize("mistake", ["raises", "illegal", "nonsense"])
def test_a_bot_that_breaks_answers_with_the_default(
    alice: User, mistake: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def choose(self, view: Any, decision: Question) -> Any:
            if mistake == "raises":
                raise RuntimeError("oil leak")
            return Rest(discard=(1, 1, 1)) if mistake == "illegal" else {"do": "fly"}

    BOTS["toy"] = lambda level, seed: Broken()
    game = race_with_bots(alice, count=1)
    if host_number(game) == 1:
        game.do_least()
    assert bots_answer(race_id=game.pk) == 1
    assert Entry.objects.filter(race_id=game.pk).last().acts == [  # type: ignore[union-attr]
        {"seat": 3 - host_number(game), "action": {"do": "rest"}, "origin": "bot"}
    ]
    assert "its default stands" in caplog.text


def test_seeds_differ_between_questions_and_stay_for_one(alice: User) -> None:
    seeds: list[int] = []

    def make(level: str, seed: int) -> Recorder:
        seeds.append(seed)
        assert level == "driver"
        return Recorder()

    BOTS["toy"] = make
    game = race_with_bots(alice, count=1)
    for _ in range(3):
        bots_answer(race_id=game.pk)
        game.do_least()
    assert len(set(seeds)) == len(seeds) >= 2


def test_one_call_has_an_end_and_asks_for_another(
    alice: User,
    recorder: Recorder,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    monkeypatch.setattr(bots, "MOST_ANSWERS", 2)
    race = race_create(by=alice, name="Bots", ruleset="toy", seats=4, policy="open", starts_when_full=False)
    for _ in range(3):
        seat_add_bot(race_id=race.pk, by=alice)
    race_start(race_id=race.pk, by=alice)
    game = Game(race)
    while game.present(None)["waiting"]["seat"] != next(n for n in range(1, 5) if not game.seat(n).bot):
        bots_answer(race_id=game.pk)
    game.do_least()
    nudged: list[int] = []
    monkeypatch.setattr(bots_act, "apply_async", lambda args, retry: nudged.append(*args))
    with django_capture_on_commit_callbacks(execute=True):
        assert bots_answer(race_id=game.pk) == 2
    assert nudged[-1] == game.pk


def test_the_nudge_asks_the_worker_only_if_a_bot_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(bots_act, "apply_async", lambda args, retry: asked.append((args, retry)))
    bots_nudge(race_id=7, bots=False, sender=Race, signal=None)
    bots_nudge(race_id=8, bots=True, sender=Race, signal=None)
    assert asked == [((8,), False)]


def test_a_broker_that_is_away_stops_nobody(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(bots_act, "apply_async", away)
    bots_nudge(race_id=7, bots=True)
    assert "no broker" in caplog.text


def test_tasks_call_their_services(alice: User, recorder: Recorder, clock: Clock) -> None:
    game = race_with_bots(alice, count=1)
    if host_number(game) == 1:
        game.do_least()
    before = game.race.seq
    bots_act(game.pk)
    assert game.race.seq == before + 1
    clock.shift(timedelta(hours=72))
    sweep_task()
    assert Entry.objects.filter(race_id=game.pk).last().acts[0]["origin"] in {"deadline", "bot"}  # type: ignore[union-attr]
    heartbeat()
    clock.shift(60)
    heartbeat()
    assert Heartbeat.objects.get().at == NOON + timedelta(hours=72, seconds=60)
