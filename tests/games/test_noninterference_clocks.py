"""Nobody can tell from deadlines what another driver holds or has wished for: hours, holidays and what they put off.

The worlds of tests.games.noninterference, with drivers who have calendars.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time
from typing import Any

import pytest

from games.models import Seat
from games.services import clocks
from roadkill_site.accounts.models import Holiday, User
from tests.games.noninterference import OBSERVERS, differences
from tests.games.test_noninterference import MakeStage, Stage, assert_comparable, people, stage

__all__ = ["people", "stage"]

SEEN = {name: OBSERVERS[name] for name in ("presentation", "outbox", "lists", "pages", "api", "mails")}


@pytest.fixture
def busy(people: list[User]) -> list[User]:
    """The three drivers with hours of their own; the hidden one, whichever it is, among them."""
    hours: list[dict[str, Any]] = [
        {"time_zone": "Europe/Berlin", "quiet_from": time(22), "quiet_until": time(7)},
        {"time_zone": "America/New_York", "days_off": [5, 6]},
        {"time_zone": "Asia/Tokyo", "quiet_from": time(1), "quiet_until": time(9), "days_off": [1]},
    ]
    for person, given in zip(people, hours, strict=True):
        User.objects.filter(pk=person.pk).update(**given)
        person.refresh_from_db()
        Holiday.objects.create(user=person, first=date(2026, 6, 2), last=date(2026, 6, 2))
    return people


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_hand_shows_in_no_deadline_of_drivers_with_hours(busy: list[User], stage: MakeStage, policy: str) -> None:
    armed, bare = stage(policy).both(SEEN)
    assert_comparable(armed, bare)
    assert differences(armed, bare) == []


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_wish_shows_in_no_deadline_of_drivers_with_hours(busy: list[User], stage: MakeStage, policy: str) -> None:
    armed, bare = stage(policy, wishes=True).both({name: SEEN[name] for name in ("presentation", "outbox", "mails")})
    assert_comparable(armed, bare)
    assert differences(armed, bare) == []


@contextmanager
def deadlines_by_who_could_answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A mistake that somebody could make: the window's time is made of those who have something to play."""
    real = clocks.window_seats

    def leaking(position: Any, questions: Any, seats: dict[int, Seat], view: Any) -> clocks.Whose:
        able = tuple(question.seat for question in questions if question.is_real)
        return clocks.Whose(able) if able else real(position, questions, seats, view)

    with monkeypatch.context() as planted:
        planted.setattr("games.services.desk.window_seats", leaking)
        yield


def test_a_deadline_made_of_who_could_answer_is_noticed(
    busy: list[User], stage: MakeStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted leak: with two drivers in a window, one of them with longer hours, its closing time would tell."""
    made: Stage = stage("strict", wishes=True)
    quick = {"presentation": SEEN["presentation"]}
    assert differences(*made.both(quick)) == []
    with deadlines_by_who_could_answer(monkeypatch):
        assert differences(*made.both(quick)) != []
