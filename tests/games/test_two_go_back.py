"""Two at once who take back or agree to go back, as in tests.games.test_two_writers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games.models import Entry, Race, RewindAsk, Seat
from games.runtime.rulesets import RULESETS
from games.services.errors import StaleAnswer
from games.services.races import race_create, race_join, race_start
from games.services.rewinds import rewind_agree, rewind_ask
from games.services.turns import action_submit
from games.services.undo import act_undo
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, person
from tests.games.lanterns import RULESET as LANTERNS
from tests.games.test_two_writers import Office

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def lanterns() -> Iterator[None]:
    """Lanterns is a ruleset like any other, for the length of a test."""
    RULESETS["lanterns"] = LANTERNS
    yield
    del RULESETS["lanterns"]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """An office with an empty, migrated database."""
    made = Office(tmp_path / "race.sqlite3")
    made.do(lambda: call_command("migrate", verbosity=0))
    return made


@pytest.fixture
def game(office: Office) -> Game:
    """Lanterns under way; car 1 has lit two of them."""

    def make() -> Game:
        people = [person(name) for name in ("Alice", "Bob", "Charlie")]
        race = race_create(by=people[0], name="Race", ruleset="lanterns", seats=3, is_public=True)
        for one in people[1:]:
            race_join(race_id=race.pk, by=one)
        if Race.objects.get().status == "open":
            race_start(race_id=race.pk, by=people[0])
        made = Game(race)
        for lantern in (1, 2):
            made.act(1, f"light {lantern}")
        return made

    return office.do(make)


def undo(game: Game, key: str, position: int) -> Callable[[], dict[str, Any]]:
    """Car 1 takes back, in a thread."""
    return lambda: act_undo(
        race_id=game.pk,
        seat_id=Seat.objects.get(race_id=game.pk, number=1).pk,
        expected_seq=position,
        idempotency_key=key,
    )


def test_of_two_windows_one_takes_back_and_the_other_is_told(office: Office, game: Game) -> None:
    done = office.run(undo(game, "a", 2), undo(game, "b", 2))
    assert sum(isinstance(one, dict) for one in done) == 1, done
    assert sum(isinstance(one, StaleAnswer) for one in done) == 1, done
    assert office.do(Entry.objects.count) == 4


def test_pressed_eight_times_at_once_it_takes_back_once(office: Office, game: Game) -> None:
    done = office.run(*[undo(game, "same", 2) for _ in range(8)])
    assert all(one == done[0] for one in done), done
    assert isinstance(done[0], dict)
    assert office.do(Entry.objects.count) == 4


def test_an_act_and_its_undo_at_once_are_one_after_the_other(office: Office, game: Game) -> None:
    def act() -> dict[str, Any]:
        return action_submit(
            race_id=game.pk,
            seat_id=Seat.objects.get(race_id=game.pk, number=1).pk,
            words="light 3",
            expected_seq=2,
            idempotency_key="act",
        )

    done = office.run(act, undo(game, "undo", 2))
    assert sum(isinstance(one, dict) for one in done) == 1, done
    assert sum(isinstance(one, StaleAnswer) for one in done) == 1, done


def test_the_last_two_who_agree_at_once_send_the_race_back_once(office: Office, game: Game) -> None:
    def ask() -> int:
        race = Race.objects.get()
        return rewind_ask(race_id=race.pk, by=race.host, to_seq=0, key="k").pk

    ask_id = office.do(ask)
    people = office.do(lambda: list(User.objects.exclude(pk=Race.objects.get().host_id)))

    def agree(one: User) -> Callable[[], RewindAsk]:
        return lambda: rewind_agree(race_id=game.pk, by=one, ask_id=ask_id)

    done = office.run(*[agree(one) for one in people for _ in range(2)])
    assert not [one for one in done if isinstance(one, Exception)], done
    assert office.do(lambda: list(Entry.objects.order_by("seq").values_list("back", flat=True))) == [None] * 3 + [0]
