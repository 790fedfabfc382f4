"""Banks: what a turn may use, what stays, what comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.tempo.banks import Bank, BankRefused, after_turn, allotted_s, during
from tests.games.tempo.walking import SETTINGS

BANK = Bank(balance_s=300, increment_s=60, cap_s=900)
TURN = 600


def test_a_turn_has_its_own_time_and_the_bank() -> None:
    assert allotted_s(BANK, turn_s=TURN) == 900
    assert allotted_s(None, turn_s=TURN) == TURN


@pytest.mark.parametrize(
    ("used", "left"),
    [(0, (600, 300)), (200, (400, 300)), (600, (0, 300)), (700, (0, 200)), (900, (0, 0)), (5000, (0, 0))],
)
def test_the_turn_is_used_before_the_bank(used: int, left: tuple[int, int]) -> None:
    assert during(BANK, turn_s=TURN, used_s=used) == left


@pytest.mark.parametrize(("used", "balance"), [(0, 360), (600, 360), (700, 260), (900, 60), (5000, 60)])
def test_an_answered_turn_keeps_what_it_left_in_the_bank_and_adds_the_increment(used: int, balance: int) -> None:
    assert after_turn(BANK, turn_s=TURN, used_s=used, is_answered=True) == Bank(balance, 60, 900)


def test_a_bank_grows_to_its_cap() -> None:
    assert after_turn(Bank(870, 60, 900), turn_s=TURN, used_s=0, is_answered=True).balance_s == 900


def test_a_turn_that_lapsed_leaves_an_empty_bank() -> None:
    assert after_turn(BANK, turn_s=TURN, used_s=900, is_answered=False).balance_s == 0


def test_the_lobby_reads_what_a_bank_is() -> None:
    assert BANK.text == "Beyond that a bank of 5 min; each turn that is answered adds 1 min, up to 15 min."


@pytest.mark.parametrize(
    ("field", "figures"),
    [
        ("balance_s", (-1, 0, 1)),
        ("increment_s", (0, -1, 1)),
        ("cap_s", (0, 0, -1)),
        ("balance_s", (2, 0, 1)),
        ("increment_s", (0, 2, 1)),
    ],
)
def test_a_bank_that_cannot_be_is_refused(field: str, figures: tuple[int, int, int]) -> None:
    with pytest.raises(BankRefused) as refused:
        Bank(*figures)
    assert refused.value.field == field


def test_times_under_none_are_refused() -> None:
    with pytest.raises(BankRefused, match="no time or more") as refused:
        during(BANK, turn_s=TURN, used_s=-1)
    assert refused.value.field == "used_s"
    with pytest.raises(BankRefused):
        allotted_s(None, turn_s=-1)


@SETTINGS
@given(st.data())
def test_a_race_never_takes_longer_than_its_turns_the_first_balance_and_the_increments(data: st.DataObject) -> None:
    cap = data.draw(st.integers(0, 2000))
    bank = Bank(data.draw(st.integers(0, cap)), data.draw(st.integers(0, cap)), cap)
    first, beyond, answered = bank.balance_s, 0, 0
    for part in data.draw(st.lists(st.floats(0, 1), max_size=20)):
        used = round(part * allotted_s(bank, turn_s=TURN))
        beyond += max(0, used - TURN)
        bank = after_turn(bank, turn_s=TURN, used_s=used, is_answered=True)
        answered += 1
        assert 0 <= bank.balance_s <= cap
    assert beyond + bank.balance_s <= first + answered * bank.increment_s
