"""Two at once: threads with connections of their own to one SQLite file, as processes of a server have them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from games.models import Decision, Entry, Race, Receipt, Seat
from games.services.errors import StaleAnswer
from games.services.races import race_create, race_join, race_start
from games.services.sweep import sweep
from games.services.turns import action_submit
from tests.games.conftest import Game, deal, person

pytestmark = pytest.mark.django_db

T = TypeVar("T")


class Office:
    """Runs functions in threads of their own, all on one database file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def run(self, *works: Callable[[], T]) -> list[T | Exception]:
        """What each gives or raises; they begin at the same moment."""
        gate = threading.Barrier(len(works))

        def in_thread(work: Callable[[], T]) -> T | Exception:
            connection = connections["default"]
            connection.settings_dict = {**connection.settings_dict, "NAME": str(self.file)}
            try:
                gate.wait(timeout=10)
                return work()
            except Exception as error:  # noqa: BLE001  (what a thread raises is what the test looks at)
                return error
            finally:
                connection.close()

        with ThreadPoolExecutor(len(works)) as pool:
            return list(pool.map(in_thread, works))

    def do(self, work: Callable[[], T]) -> T:
        """What it gives; what it raises is raised."""
        (done,) = self.run(work)
        if isinstance(done, Exception):
            raise done
        return done


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """An office with an empty, migrated database."""
    made = Office(tmp_path / "race.sqlite3")
    made.do(lambda: call_command("migrate", verbosity=0))
    return made


@pytest.fixture
def game(office: Office) -> Game:
    """A toy race of three under way: car 1 struck nobody yet, car 2 holds guards, car 3 a snuffer."""

    def make() -> Game:
        people = [person(name) for name in ("Alice", "Bob", "Charlie")]
        race = race_create(by=people[0], name="Race", ruleset="toy", seats=3, is_public=True, policy="strict")
        for one in people[1:]:
            race_join(race_id=race.pk, by=one)
        if Race.objects.get().status == "open":
            race_start(race_id=race.pk, by=people[0])
        made = Game(race)
        deal(made, {1: (3, 4), 2: (0, 0, 2), 3: (5, 9)})
        return made

    return office.do(make)


def act(game: Game, number: int, words: str, key: str, position: int) -> Callable[[], dict[str, Any]]:
    """An act to be done in a thread."""
    return lambda: action_submit(
        race_id=game.pk,
        seat_id=Seat.objects.get(race_id=game.pk, number=number).pk,
        words=words,
        expected_seq=position,
        idempotency_key=key,
    )


def test_of_two_acts_for_one_position_one_wins_and_the_other_is_told(office: Office, game: Game) -> None:
    done = office.run(act(game, 1, "rest", "a", 0), act(game, 1, "strike 2 with 3", "b", 0))
    won = [one for one in done if isinstance(one, dict)]
    lost = [one for one in done if isinstance(one, StaleAnswer)]
    assert (len(won), len(lost)) == (1, 1), done
    assert lost[0].position == 1
    assert office.do(Entry.objects.count) == 2
    assert office.do(Receipt.objects.count) == 1


def test_one_act_pressed_eight_times_is_done_once(office: Office, game: Game) -> None:
    done = office.run(*[act(game, 1, "rest", "same", 0) for _ in range(8)])
    assert all(one == done[0] for one in done), done
    assert isinstance(done[0], dict)
    assert office.do(Entry.objects.count) == 2


def test_answers_of_a_window_given_at_once_are_all_kept(office: Office, game: Game) -> None:
    office.do(act(game, 3, "ask me about snuffing", "wish", 0))
    office.do(act(game, 1, "strike 2 with 3", "strike", 0))
    done = office.run(act(game, 2, "guard", "two", 1), act(game, 3, "snuff", "three", 1))
    assert [one["status"] for one in done if isinstance(one, dict)] == ["sealed", "sealed"], done
    sealed = office.do(lambda: sorted(d["do"] for d in Decision.objects.values_list("sealed_action", flat=True) if d))
    assert sealed == ["guard", "snuff"]


def test_two_sweeps_at_once_do_a_thing_once(office: Office, game: Game) -> None:
    later = timezone.now() + timedelta(hours=73)
    done = office.run(*[lambda: sweep(now=later) for _ in range(4)])
    assert sum(one.lapsed for one in done if not isinstance(one, Exception)) == 1, done
    assert office.do(Entry.objects.count) == 2


def test_an_act_and_a_lapse_at_once_are_one_entry(office: Office, game: Game) -> None:
    later = timezone.now() + timedelta(hours=73)
    office.run(act(game, 1, "rest", "late", 0), lambda: sweep(now=later))
    entries = office.do(lambda: list(Entry.objects.filter(seq=1).values_list("acts", flat=True)))
    assert len(entries) == 1
    assert office.do(lambda: Race.objects.get().seq) in {1, 2}
