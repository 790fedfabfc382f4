"""An operator, who may drive too, cannot tell from the operator's page what is asked of, held or ordered by another.

The worlds of tests.games.noninterference, on a server on which everything goes its way, and on one that sends nothing.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from django.utils import timezone

from games.models import Race
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from notifications.services.reminders import reminders_make
from tests.games.noninterference import OBSERVERS, Observer, Viewer, World, differences
from tests.games.test_noninterference import (
    ARMED,
    ARMED_IN_VAIN,
    BARE,
    PASSING,
    MakeStage,
    Stage,
    people,
    stage,
)

__all__ = ["people", "stage"]


def mails_leave(race: Race, viewer: Viewer) -> None:
    """What the worker does; nobody looks at the mails."""
    outbox_dispatch()
    notices_deliver([*notices_due(now=timezone.now()), *reminders_make(now=timezone.now())])


IDLE: Mapping[str, Observer] = {"operation": OBSERVERS["operation"]}
SENDING: Mapping[str, Observer] = {"mails": mails_leave, **IDLE}


def with_orders(made: Stage, seen: Mapping[str, Observer]) -> list[World]:
    return [
        made.one(ARMED, seen),
        made.one(ARMED, seen, orders=PASSING),
        made.one(BARE, seen, orders=ARMED_IN_VAIN),
    ]


@pytest.mark.parametrize("seen", [IDLE, SENDING], ids=["idle", "sending"])
def test_an_operator_cannot_tell_a_hand_that_could_answer(stage: MakeStage, seen: Mapping[str, Observer]) -> None:
    armed, bare = stage("paced").both(seen)
    assert armed.history == bare.history
    assert (armed.had_a_choice, bare.had_a_choice) == (True, False)
    assert len({repr(sight) for sight in armed.sights}) > 10
    assert differences(armed, bare) == []


@pytest.mark.parametrize("seen", [IDLE, SENDING], ids=["idle", "sending"])
def test_an_operator_cannot_tell_whose_orders_answer(stage: MakeStage, seen: Mapping[str, Observer]) -> None:
    without, *others = with_orders(stage("paced"), seen)
    assert others[0].beforehand["standing"] > 0
    for other in others:
        assert other.history == without.history
        assert differences(without, other) == []


@pytest.mark.parametrize("seen", [IDLE, SENDING], ids=["idle", "sending"])
def test_an_operator_cannot_tell_a_plan_from_a_fast_answer(stage: MakeStage, seen: Mapping[str, Observer]) -> None:
    made, words = stage("paced"), "end, draw 0"
    by_hand = made.one(ARMED, seen, turn_words=words)
    by_plan = made.one(ARMED, seen, turn_words=words, plan=[words])
    assert by_plan.beforehand["plan"] == 1
    assert by_plan.history == by_hand.history
    assert differences(by_hand, by_plan) == []


@pytest.mark.parametrize("where", ["games.selectors.operation", "notifications.operation_selectors"])
def test_questions_in_the_numbers_would_be_noticed(stage: MakeStage, monkeypatch: Any, where: str) -> None:
    monkeypatch.setattr(f"{where}.QUESTION_KINDS", frozenset({"nothing"}))
    without, with_them, _ = with_orders(stage("paced"), SENDING)
    assert differences(without, with_them) != []
