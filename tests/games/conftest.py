"""People, toy races and a clock that stands still, for the server's tests."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
import time_machine

from games.engine import codec
from games.models import Race, Seat, Snapshot
from games.runtime.rulesets import BOTS, RULESETS
from games.selectors.races import race_present
from games.services.races import race_create, race_join, race_start, seat_add_bot
from games.services.turns import action_submit
from roadkill_site.accounts.models import User
from tests.games.toy_ruleset import RULESET as TOY

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
_keys = itertools.count(1)


@pytest.fixture(autouse=True)
def toy() -> Iterator[None]:
    """Matches is a ruleset like any other, for the length of a test."""
    RULESETS["toy"] = TOY
    yield
    del RULESETS["toy"]


@pytest.fixture(autouse=True)
def kept_bots() -> Iterator[None]:
    """A bot that a test puts into the registry is gone after it."""
    yield
    BOTS.pop("toy", None)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """A clock that stands still at noon of the first of June 2026, UTC, and is moved by hand."""
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def alice(db: None) -> User:
    return person("Alice")


@pytest.fixture
def bob(db: None) -> User:
    return person("Bob")


@pytest.fixture
def charlie(db: None) -> User:
    return person("Charlie")


def person(name: str) -> User:
    """An account with this name."""
    return User.objects.create_user(f"{name.lower()}@example.org", display_name=name)


class Game:
    """A running race and its drivers, called by their numbers."""

    def __init__(self, race: Race) -> None:
        self.pk = race.pk

    @property
    def race(self) -> Race:
        """The row as it is now."""
        return Race.objects.get(pk=self.pk)

    def seat(self, number: int) -> Seat:
        """The seat of this car."""
        return Seat.objects.select_related("player").get(race_id=self.pk, number=number)

    def present(self, number: int | None) -> dict[str, Any]:
        """What this driver (None: a spectator) sees."""
        return race_present(race=self.race, viewer=None if number is None else self.seat(number))

    def question(self, number: int) -> dict[str, Any]:
        """What is asked of this driver; fails if nothing is."""
        asked = self.present(number)["question"]
        assert asked is not None, f"nothing is asked of car {number}"
        return dict(asked)

    def act(self, number: int, words: str | None = None, **more: Any) -> dict[str, Any]:
        """An act of this driver at the present position, with a fresh key unless one is given."""
        row = getattr(self.seat(number), "decision", None)
        given: dict[str, Any] = {
            "expected_seq": self.race.seq if row is None else row.position,
            "idempotency_key": f"test-{next(_keys)}",
            "words": words,
            **more,
        }
        return action_submit(race_id=self.pk, seat_id=self.seat(number).pk, **given)

    def do_least(self) -> None:
        """The one driver who is asked rests, or takes no gift: the last of the numbered answers.

        In a window too, of which the race's presentation does not say who is asked.
        """
        number = Seat.objects.get(race_id=self.pk, decision__sealed_at=None, decision__isnull=False).number
        assert number is not None
        self.act(number, self.question(number)["answers"][-1]["words"])

    def edit(self, change: Callable[[Any], Any]) -> None:
        """Put another state under the race: what a test needs to be dealt."""
        edit_state(self.race, change)


def edit_state(race: Race, change: Callable[[Any], Any]) -> None:
    """Replace the stored state by ``change`` of it."""
    ruleset = RULESETS[race.ruleset]
    snapshot = Snapshot.objects.get(race=race)
    state = change(codec.load(ruleset.state_type, bytes(snapshot.state)))
    Snapshot.objects.filter(race=race).update(state=codec.dump(state))


MakeGame = Callable[..., Game]


@pytest.fixture
def toy_game(alice: User, bob: User, charlie: User) -> MakeGame:
    """Makes running toy races of Alice, Bob and Charlie.

    The settings are those of race_create; ``hands`` are dealt by car, ``bots`` join, ``players`` may be fewer.
    """

    def make(
        *, hands: dict[int, tuple[int, ...]] | None = None, bots: int = 0, players: int = 3, **settings: Any
    ) -> Game:
        people = [alice, bob, charlie][:players]
        race = race_create(
            by=people[0],
            name="Toy race",
            ruleset="toy",
            seats=len(people) + bots,
            is_public=True,
            starts_when_full=False,
            **settings,
        )
        for one in people[1:]:
            race_join(race_id=race.pk, by=one)
        for _ in range(bots):
            seat_add_bot(race_id=race.pk, by=people[0], bot="random")
        race_start(race_id=race.pk, by=people[0])
        game = Game(race)
        if hands is not None:
            deal(game, hands)
        return game

    return make


def deal(game: Game, hands: dict[int, tuple[int, ...]]) -> None:
    """Give drivers of a toy race these hands."""

    def change(state: Any) -> Any:
        drivers = list(state.drivers)
        for number, hand in hands.items():
            drivers[number - 1] = msgspec.structs.replace(drivers[number - 1], hand=hand)
        return msgspec.structs.replace(state, drivers=tuple(drivers))

    game.edit(change)
