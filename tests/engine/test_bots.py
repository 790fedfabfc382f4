"""The random player gives any offered answer and no other; a player of a view sees no more than its seat."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from games.engine.bots import FILLS, Bot, RandomBot, random_answer, random_fill
from games.engine.chance import Stream
from games.engine.contract import JSON, Act, Action, Decision, Field, Form
from games.engine.play import play, start
from tests.engine.toys import draft, grid


class Load(Action, frozen=True, tag="load"):
    """A form's action."""

    what: str = "nothing"
    cards: tuple[int, ...] = ()
    count: int = 0
    words: str = "as before"


class Rest(Action, frozen=True, tag="rest"):
    """A menu's."""

    hours: int = 0


MENU = (Rest(1), Rest(2))
FORM = Form(
    Load(),
    (
        Field("what", "What", "one", ("oil", "water")),
        Field("cards", "Cards", "some", (4, 4, 5, 6), 1, 3),
        Field("count", "How many", "number", (), 2, 4),
        Field("words", "Words", "text", (), 0, 20),
    ),
    "Load up",
)
LINKED = Form(Load(), FORM.fields, "Load what fits", linked=True)


def decision(*forms: Form) -> Decision:
    return Decision("load", 1, "1", MENU, MENU[0], forms)


def test_every_entry_and_form_is_taken_as_often_as_any_other() -> None:
    rng = Random(1)
    count = Counter(type(random_answer(decision(FORM), rng)).__name__ for _ in range(3000))
    assert abs(count["Load"] - 1000) < 130
    assert abs(Counter(random_answer(decision(), rng).hours for _ in range(2000))[1] - 1000) < 150


def test_every_fill_of_a_form_meets_its_fields_and_all_of_them_come_up() -> None:
    rng = Random(2)
    fills = [random_fill(FORM, rng) for _ in range(2000)]
    assert {fill.what for fill in fills} == {"oil", "water"}
    assert {fill.count for fill in fills} == {2, 3, 4}
    assert {fill.words for fill in fills} == {""}
    orders = {(4,), (5,), (6,), (4, 4), (4, 5), (4, 6), (5, 6), (4, 4, 5), (4, 4, 6), (4, 5, 6)}
    assert {fill.cards for fill in fills} == orders, "as many as allowed, one listed twice at most twice, in order"
    by_length = Counter(len(fill.cards) for fill in fills)
    assert all(abs(by_length[length] - 667) < 120 for length in (1, 2, 3))


def test_a_form_of_which_more_is_asked_than_there_is_takes_all() -> None:
    field = Field("cards", "Cards", "some", (1, 2), 2, 7)
    assert {random_fill(Form(Load(), (field,), "x"), Random(n)).cards for n in range(50)} == {(1, 2)}


def test_without_a_judge_linked_forms_are_left_alone() -> None:
    rng = Random(3)
    assert {type(random_answer(decision(LINKED), rng)) for _ in range(200)} == {Rest}


def test_of_a_linked_form_only_an_allowed_fill_is_given() -> None:
    rng = Random(4)
    answers = [random_answer(decision(LINKED), rng, lambda fill: fill.count == 3) for _ in range(600)]
    loads = [answer for answer in answers if isinstance(answer, Load)]
    assert len(loads) > 120
    assert {load.count for load in loads} == {3}


def test_a_linked_form_without_an_allowed_fill_gives_the_default_after_a_while() -> None:
    tried = []

    def refused(fill: Any) -> bool:
        tried.append(fill)
        return False

    only = Decision("load", 1, "1", (), Rest(9), (LINKED,))
    assert random_answer(only, Random(5), refused) == Rest(9)
    assert len(tried) == FILLS


def test_a_random_bot_of_the_same_seed_plays_the_same_and_of_another_otherwise() -> None:
    def played(seed: int) -> list[Any]:
        bot = RandomBot(seed)
        return [bot.choose({}, decision(FORM)) for _ in range(20)]

    assert played(1) == played(1)
    assert played(1) != played(2)


@pytest.mark.parametrize("seed", range(5))
def test_random_bots_play_a_whole_game_by_what_they_are_offered(seed: int) -> None:
    ruleset = grid.RULESET
    bots = [RandomBot(10 * seed + seat) for seat in range(3)]
    chance = Stream(bytes([seed]))
    state = start(ruleset, 3, {}, chance).state
    while decisions := ruleset.pending(state):
        acts = [Act(one.seat, bots[one.seat - 1].choose(ruleset.view(state, one.seat), one)) for one in decisions]
        state = play(ruleset, state, acts, chance).state
    assert ruleset.outcome(state) is not None


class Greedy:
    """Plays from its view alone: of the pack that it sees it takes the dearest card."""

    def choose(self, view: JSON, decision: Decision) -> Any:
        return draft.Pick(max(view["pack"]))


def test_a_bot_that_plays_from_its_view_beats_random_ones() -> None:
    """And it gets along with the view: it needs no state."""
    won = 0
    for number in range(60):
        chance = Stream(bytes([number]))
        state = start(draft.RULESET, 3, {}, chance).state
        bots: list[Bot] = [Greedy(), RandomBot(number), RandomBot(number + 1000)]
        while decisions := draft.RULESET.pending(state):
            acts = [
                Act(one.seat, bots[one.seat - 1].choose(draft.RULESET.view(state, one.seat), one)) for one in decisions
            ]
            state = play(draft.RULESET, state, acts, chance).state
        outcome = draft.RULESET.outcome(state)
        assert outcome is not None
        won += 1 in outcome.places[0]
    assert won > 40, "of 60; a third would be luck"
