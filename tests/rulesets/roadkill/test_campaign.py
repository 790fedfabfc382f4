"""The Campaign Circuit: the cases of chapter 11 as data, and what holds in every circuit.

A scenario plays one race; a circuit is many and the purchases between them. So these cases call the ledger directly.
"""

from itertools import chain
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.campaigns import Ledger, LedgerBroken, Posting, Purchase, purchase_of
from games.engine.contract import Outcome
from games.engine.errors import Malformed, RuleViolation
from games.rulesets.roadkill.campaign import Circuit, circuit_winner, first_purchase_order, half, purchase_order

OPTIONS = {"sections": 8, "components": "classic"}
LETTERS = "ABCDEFGHIJZ"


def circuit(cars: int, points: dict[int, int] | None = None, owns: dict[str, int] | None = None) -> Ledger:
    """A ledger in which cars have these points and upgrades, whatever they paid for them."""
    ledger = Ledger(Circuit(), options=OPTIONS, cars=cars)
    for letter, car in (owns or {}).items():
        price = ledger.catalogue[letter].price
        ledger.take_up(Posting(car, "opening", price, "11.3"))
        ledger.take_up(Posting(car, "bought", -price, "11.2", letter))
    for car, total in (points or {}).items():
        ledger.take_up(Posting(car, "opening", total, "11.3"))
    return ledger


def ended(*places: int, reason: str = "exit_draw") -> Outcome:
    """A race in which the cars finished so."""
    return Outcome(tuple((car,) for car in places), reason)


def told(lines: list[Posting]) -> list[str]:
    """Lines as "3 forced_return I 1"."""
    return [f"{line.car} {line.kind} {line.upgrade} {line.points}".replace("  ", " ") for line in lines]


def buy(letter: str) -> Purchase:
    return Purchase("buy", letter)


def test_r11_2__case_a105_who_finished_last_buys_first_and_what_is_returned_is_free_for_the_next() -> None:
    assert purchase_order(ended(1, 2, 3)) == (3, 2, 1)
    ledger = circuit(3, {1: 9, 2: 4, 3: 3}, {"I": 3})
    assert told([line for line in [ledger.purchase(3, Purchase("return", "I"))] if line]) == ["3 returned I 1"]
    assert ledger.balances[3] == 4
    ledger.purchase(3, buy("F"))
    assert ledger.balances[3] == 1
    with pytest.raises(RuleViolation, match="Car 3 has it") as refused:
        ledger.purchase(2, buy("F"))
    assert refused.value.rule == "11.2"
    ledger.purchase(2, buy("I"))
    assert ledger.balances == {1: 9, 2: 2, 3: 1}
    assert ledger.upgrades == {"2": ["I"], "3": ["F"]}


def test_r11_3__case_a106_first_purchases_go_by_reverse_car_order_with_two_points_each() -> None:
    assert first_purchase_order(4) == (4, 3, 2, 1)
    ledger = Ledger(Circuit(), options=OPTIONS, cars=4)
    assert told(ledger.open()) == [f"{car} opening 2" for car in (1, 2, 3, 4)]
    offered = {offer.upgrade for offer in ledger.offers(4) if offer.do == "buy"}
    assert offered == {letter for letter, one in ledger.catalogue.items() if one.price <= 2}
    assert offered == set("BCDGIJ")
    ledger.purchase(4, buy("B"))
    assert "B" not in {offer.upgrade for offer in ledger.offers(3)}


def test_r11_1__case_a106_the_circuit_ends_when_the_winner_of_the_last_race_has_twenty() -> None:
    assert circuit_winner(ended(1, 2, 3, 4), {1: 19, 2: 24, 3: 0, 4: 0}) is None
    assert circuit_winner(ended(3, 1, 2, 4), {1: 19, 2: 24, 3: 21, 4: 0}) == 3
    assert circuit_winner(ended(3, 1), {1: 0, 3: 20}) == 3


def test_r11_1__a_race_that_all_have_given_up_wins_nobody_the_circuit() -> None:
    assert circuit_winner(ended(1, 2, reason="nobody_left"), {1: 30, 2: 30}) is None


def test_ruling_11_3__points_count_before_the_purchases_that_follow() -> None:
    ledger = circuit(2, {1: 14, 2: 0})
    ledger.settle(scores={"1": 6, "2": 0}, carried={})
    assert circuit_winner(ended(1, 2), ledger.balances) == 1


@pytest.mark.parametrize(
    ("points", "owns", "score", "lines"),
    [
        (5, "", -3, ["1 penalty -3"]),
        (2, "", -3, ["1 clamp 1", "1 penalty -3"]),
        (0, "BE", -1, ["1 forced_return B 1", "1 penalty -1"]),
        (0, "CE", -1, ["1 forced_return E 1", "1 penalty -1"]),
        (0, "BEA", -3, ["1 forced_return B 1", "1 forced_return E 1", "1 forced_return A 2", "1 penalty -3"]),
        (0, "BI", -1, ["1 forced_return B 1", "1 penalty -1"]),
        (0, "A", -1, ["1 forced_return A 2", "1 penalty -1"]),
        (0, "CDG", -2, ["1 clamp 2", "1 penalty -2"]),
        (1, "CB", -4, ["1 forced_return B 1", "1 clamp 2", "1 penalty -4"]),
    ],
    ids=[
        "paid",
        "clamped",
        "the cheapest first",
        "not what gives nothing",
        "as many as are needed",
        "the lowest letter of two",
        "what is too much stays",
        "nothing gives anything",
        "both",
    ],
)
def test_ruling_11_2__a_total_below_zero_is_paid_by_forced_returns_and_the_rest_is_let_off(
    points: int, owns: str, score: int, lines: list[str]
) -> None:
    ledger = circuit(2, {1: points, 2: 0}, dict.fromkeys(owns, 1))
    done = ledger.settle(scores={"1": score, "2": 0}, carried={"1": list(owns)})
    assert told(done) == [*lines, "2 earned 0"]
    assert {line.rule for line in done} <= {"11.1", "11.2"}


def test_ruling_11_1__what_a_race_lost_is_gone_before_a_penalty_is_paid() -> None:
    ledger = circuit(2, {}, {"A": 1, "E": 1})
    done = ledger.settle(scores={"1": -2, "2": 3}, carried={"1": ["E"]})
    assert told(done) == ["1 lost A 0", "1 forced_return E 1", "1 clamp 1", "1 penalty -2", "2 earned 3"]
    assert done[0].rule == "10.4"
    assert ledger.owners == {}


def test_r11_2__half_a_price_is_rounded_down() -> None:
    assert [half(price) for price in (1, 2, 3, 4, 5)] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("answer", [{}, {"do": "sell"}, {"do": "buy", "upgrade": ["A"]}, {"do": "buy", "extra": 1}, 7])
def test_an_answer_that_cannot_be_read_is_told_as_such(answer: object) -> None:
    with pytest.raises(Malformed):
        purchase_of(answer)


def test_a_ledger_takes_up_no_line_that_cannot_be() -> None:
    ledger = circuit(2, {1: 3, 2: 3}, {"A": 1})
    for posting in (
        Posting(1, "penalty", -4, "11.1"),
        Posting(2, "bought", -1, "11.2", "A"),
        Posting(2, "returned", 1, "11.2", "A"),
        Posting(3, "earned", 1, "11.1"),
    ):
        with pytest.raises(LedgerBroken):
            ledger.take_up(posting)
    assert ledger.balances == {1: 3, 2: 3}
    assert ledger.owners == {"A": 1}


@pytest.mark.parametrize("level", ["driver", "random"])
def test_bots_answer_what_is_offered(level: str) -> None:
    for seed in range(40):
        ledger = circuit(3, {1: seed % 25, 2: 0, 3: 0}, {"B": 1, "C": 2})
        assert Circuit().choose(level, ledger, 1, seed) in ledger.offers(1)
    rich = circuit(2, {1: 19, 2: 5})
    assert rich.catalogue[Circuit().choose("driver", rich, 1, 0).upgrade].price == 1, "near the end it keeps its points"
    assert Circuit().choose("driver", rich, 2, 0) == buy("Z")


@given(st.integers(2, 6), st.integers(1, 6), st.integers(0, 2**32))
def test_in_any_circuit_no_total_is_below_zero_no_upgrade_has_two_owners_and_the_sums_are_the_totals(
    cars: int, races: int, seed: int
) -> None:
    rng = Random(seed)
    ledger = Ledger(Circuit(), options=OPTIONS, cars=cars)
    lines = ledger.open()
    order = first_purchase_order(cars)
    for _ in range(races):
        for car in order:
            offers = ledger.offers(car)
            while (answer := rng.choice(offers)).do == "return":
                lines += [line for line in [ledger.purchase(car, answer)] if line]
                offers = ledger.offers(car)
            lines += [line for line in [ledger.purchase(car, answer)] if line]
        owned = list(chain.from_iterable(ledger.upgrades.values()))
        assert sorted(owned) == sorted(set(owned))
        kept = {car: [one for one in letters if rng.random() > 0.3] for car, letters in ledger.upgrades.items()}
        scores = {str(car): rng.randint(-9, 8) for car in range(1, cars + 1)}
        lines += ledger.settle(scores=scores, carried=kept)
        order = purchase_order(ended(*rng.sample(range(1, cars + 1), cars)))
    for car in range(1, cars + 1):
        totals, owned_now = [0], set()
        for line in lines:
            if line.car != car:
                continue
            totals.append(totals[-1] + line.points)
            if line.kind == "bought":
                owned_now.add(line.upgrade)
            elif line.upgrade:
                owned_now.remove(line.upgrade)
        assert min(totals) >= 0
        assert totals[-1] == ledger.balances[car]
        assert sorted(owned_now) == list(ledger.owned(car))
    again = Ledger(Circuit(), options=OPTIONS, cars=cars, postings=lines)
    assert (again.balances, again.owners) == (ledger.balances, ledger.owners)
