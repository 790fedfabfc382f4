"""Hypothesis plays: no moves lead anywhere impossible, and if they did, it would say so in few moves."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.conformance.conftest import SUBJECTS
from tests.conformance.machine import SETTINGS, machine_of


@pytest.mark.parametrize("name", sorted(SUBJECTS))
def test_no_moves_lead_anywhere_impossible(name: str) -> None:
    run_state_machine_as_test(machine_of(name, SUBJECTS[name]), settings=SETTINGS)


class Planted(AssertionError):
    """A fault that is not one."""


@pytest.mark.parametrize("name", sorted(SUBJECTS))
def test_a_fault_is_found_and_shrinks_to_few_moves(name: str) -> None:
    """As if nobody might ever draw a card in the fourth turn: some turns must be played to see it, and no more."""
    subject = SUBJECTS[name]

    def check(state: Any) -> None:
        if subject.ruleset.view(state, None)["turn"] >= 3:
            raise Planted

    machine = machine_of(name, replace(subject, check=check))
    with pytest.raises(Planted):
        run_state_machine_as_test(machine, settings=SETTINGS)
    assert 3 <= len(machine.moves) <= 4, machine.moves
