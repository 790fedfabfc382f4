"""The grammar of standing orders and of plans, on a game of two cards that nobody ever wrote rules for."""

from collections.abc import Mapping
from typing import Any

import pytest

from games.engine import plans, standing
from games.engine.contract import Action
from games.engine.errors import Ambiguous, Malformed
from games.engine.plans import Condition, Step
from games.engine.standing import Happening, Occasion, StandingOrder


class Hold(Action, frozen=True, tag="hold"):
    """Answer with a card."""

    card: str


class Words:
    """Cards are said by their names; a bare "shield" is understood as the card."""

    def say(self, action: Mapping[str, Any]) -> str:
        return f"hold {action['card'].title()}"

    def read(self, text: str) -> dict[str, Any]:
        if text.removeprefix("my ") in ("shield", "mirror", "mirror of glass"):
            return {"do": "hold", "card": text.removeprefix("my ")}
        raise Malformed("no such card")


OCCASIONS = (
    Occasion(
        "struck",
        "struck",
        (Hold("shield"), Hold("mirror"), Hold("mirror of glass")),
        also=("hit", "struck hard"),
        having={"axe": "Axe", "long_bow": "Long Bow"},
        by_car=True,
    ),
    Occasion("rain", "it rains", ()),
)


def read(text: str) -> StandingOrder:
    return standing.read(text, OCCASIONS, Words(), seats=4)


def say(order: StandingOrder) -> str:
    return standing.say(order, OCCASIONS, Words())


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("when struck: hold Shield", "when struck: hold Shield, else ask me"),
        ("Whenever I am STRUCK :  my shield , else pass.", "when struck: hold Shield, else pass"),
        ("when hit by car 3: pass", "when struck by car 3: pass"),
        ("when struck hard by cars 2, 3 and 4: ask me", "when struck by car 2 or 3 or 4: ask me"),
        ("when struck by 2 or car 2: ask", "when struck by car 2: ask me"),
        (
            "when struck by the leader with axe or Long Bow: hold mirror; hold shield; otherwise pass; this turn",
            "when struck by the leader with Axe or Long Bow: hold Mirror, hold Shield, else pass, this turn",
        ),
        ("when it rains: do nothing, until 2026-12-24", "when it rains: pass, until 2026-12-24"),
        ("when struck: hold mirror of glass", "when struck: hold Mirror Of Glass, else ask me"),
    ],
)
def test_an_order_is_read_in_many_words_and_said_in_its_own(written: str, canonical: str) -> None:
    order = read(written)
    assert say(order) == canonical
    assert read(canonical) == order


@pytest.mark.parametrize(
    ("written", "kind", "match"),
    [
        ("when struck hold Shield", Malformed, "is written «when"),
        ("when struck:", Malformed, "is written «when"),
        ("whenstruck: pass", Malformed, "is written «when"),
        ("when eaten: pass", Malformed, "no moment «eaten».*«struck», «it rains»"),
        ("when struckk: pass", Malformed, "no moment"),
        ("when struck by car 5: pass", Malformed, "no car 5"),
        ("when struck by car 0: pass", Malformed, "no car 0"),
        ("when struck by surprise: pass", Malformed, "«by surprise».*«by car 3» and «with …»"),
        ("when it rains by car 2: pass", Malformed, "do not understand «by car 2»"),
        ("when struck with spoon: pass", Malformed, "«spoon» is nothing"),
        ("when struck: hold Sword", Malformed, "«hold sword» is no answer"),
        ("when it rains: hold Shield", Malformed, "there are «pass» and «ask me»"),
        ("when struck: hold mir", Ambiguous, "could mean «hold Mirror» or «hold Mirror Of Glass»"),
        ("when struck: pass, hold Shield", Malformed, "Nothing may follow"),
        ("when struck: until 2026-12-24", Malformed, "Say what to do"),
        ("when struck: " + "hold Shield, " * 9, Malformed, "at most 8"),
        ("when struck: " + "x" * 500, Malformed, "at most 400"),
    ],
)
def test_what_cannot_be_read_says_what_is_wrong(written: str, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match):
        read(written)


def test_what_begins_with_when_is_a_standing_order() -> None:
    assert standing.is_standing("  WHEN struck: pass")
    assert standing.is_standing("whenever hit: pass")
    assert not standing.is_standing("pass when struck")


@pytest.mark.parametrize(
    ("order", "fits"),
    [
        ("when struck: pass", True),
        ("when struck by car 2: pass", True),
        ("when struck by car 3: pass", False),
        ("when struck by the leader: pass", False),
        ("when struck with axe: pass", True),
        ("when struck with long bow: pass", False),
        ("when struck by car 2 with long bow or axe: pass", True),
        ("when it rains: pass", False),
    ],
)
def test_an_order_fits_the_moments_that_it_names(order: str, fits: bool) -> None:
    assert read(order).fits(Happening("struck", by=2, having=("axe",))) is fits


def test_the_leader_is_whoever_leads_then() -> None:
    assert read("when struck by the leader: pass").fits(Happening("struck", by=2, by_leader=True))


def test_the_first_that_fits_is_chosen() -> None:
    orders = [read("when struck by car 3: pass"), read("when struck: ask me"), read("when struck: pass")]
    assert standing.chosen(orders, Happening("struck", by=2)) is orders[1]
    assert standing.chosen(orders, Happening("rain")) is None
    assert standing.chosen(orders, None) is None


def test_two_orders_are_of_the_same_moment_whatever_they_do_then() -> None:
    one = read("when struck by car 2 or 3 with axe: pass")
    assert one.is_of_same_moment(read("when struck by car 3 or 2 with axe: hold shield, this turn"))
    assert not one.is_of_same_moment(read("when struck by car 2 with axe: pass"))


CONDITIONS = (Condition("past", "past", also=("the pass works",)), Condition("wet", "wet"))


def test_a_plan_is_read_line_by_line_and_keeps_how_orders_are_written() -> None:
    lines = ["Go  on", "If I am past: Shout «Hello»", "", "if not wet: rest", "IF the pass works: rest"]
    steps = plans.read(lines, CONDITIONS)
    assert steps == (
        Step("Go on"),
        Step("Shout «Hello»", "past"),
        Step("rest", "wet", is_not=True),
        Step("rest", "past"),
    )
    assert [plans.say(step, CONDITIONS) for step in steps] == [
        "Go on",
        "if past: Shout «Hello»",
        "if not wet: rest",
        "if past: rest",
    ]


def test_a_plan_may_begin_with_a_condition_only_while_an_act_is_under_way() -> None:
    with pytest.raises(Malformed, match="cannot begin"):
        plans.read(["if past: rest"], CONDITIONS)
    assert plans.read(["if past: rest"], CONDITIONS, is_under_way=True) == (Step("rest", "past"),)


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("if past rest", "a colon"),
        ("if past:", "an order is missing"),
        ("if tired: rest", "no condition «tired».*«past», «wet»"),
        ("x" * 701, "at most 700"),
    ],
)
def test_a_line_that_cannot_be_read_says_what_is_wrong(line: str, match: str) -> None:
    with pytest.raises(Malformed, match=match):
        plans.read(["go", line], CONDITIONS)


def test_an_order_that_only_begins_like_a_condition_is_one() -> None:
    assert plans.read(["iffy business"], CONDITIONS) == (Step("iffy business"),)
