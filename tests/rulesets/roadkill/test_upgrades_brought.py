"""What a campaign gives a race and takes out of it: upgrades brought along and left, Victory Points."""

from typing import Any

import msgspec
import pytest

from games.engine import codec
from games.engine.chance import Stream
from games.engine.contract import Act
from games.engine.errors import Malformed
from games.engine.play import play, start
from games.engine.scenarios import Start
from games.rulesets.roadkill.actions import Withdraw
from games.rulesets.roadkill.bot import make_bot
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.rules.r11_campaign import victory_points
from games.rulesets.roadkill.scenario.bench import BENCH
from games.rulesets.roadkill.state import Damages, State, Table

OLD_OPTIONS = {"sections": 8, "components": "classic"}


def begun(options: dict[str, Any], seats: int = 4) -> State:
    state: State = start(RULESET, seats, options, Stream(b"upgrades" * 4)).state
    return state


def position(**given: Any) -> State:
    made: Start = BENCH.start(given, outcomes=(), words="")
    state: State = made.state
    return state


@pytest.mark.parametrize("said", ["none", {}, {"1": [], "2": []}])
def test_r10__a_race_without_upgrades_has_the_options_and_the_state_it_always_had(said: Any) -> None:
    assert RULESET.options({"upgrades": said}) == OLD_OPTIONS
    written = codec.dump(begun({"upgrades": said})).decode()
    assert "fitted" not in written
    assert "boosted" not in written


def test_r10_1__what_cars_bring_along_is_put_in_order() -> None:
    made = RULESET.options({"upgrades": {"10": ["Z"], "2": ["D", "A"], "1": []}})
    assert made == {**OLD_OPTIONS, "upgrades": {"2": ["A", "D"], "10": ["Z"]}}
    assert list(made["upgrades"]) == ["2", "10"]
    assert RULESET.options(made) == made


@pytest.mark.parametrize(
    ("given", "words", "rule"),
    [
        ("drafted", "«none», «draft», «reverse_draft»", "10.1"),
        (True, "«none», «draft», «reverse_draft»", "10.1"),
        (["A"], "«none», «draft», «reverse_draft»", "10.1"),
        ({"1": ["K"]}, "no upgrade «K»; there are A, B, C, D, E, F, G, H, I, J, Z", "10.3"),
        ({"1": ["a"]}, "no upgrade «a»", "10.3"),
        ({"1": [["A"]]}, "no upgrade", "10.3"),
        ({"1": "AD"}, "is a list of letters", "10.3"),
        (
            {"1": ["A"], "2": ["D", "A"]},
            "A, the Computer Guidance System, is there once: car 1 brings it along",
            "10.1",
        ),
        ({"1": ["A", "A"]}, "is there once", "10.1"),
        ({"one": ["A"]}, "by a car's number", "10.3"),
        ({"0": ["A"]}, "by a car's number", "10.3"),
        ({"01": ["A"]}, "by a car's number", "10.3"),
        ({"²": ["A"]}, "by a car's number", "10.3"),
        ({1: ["A"]}, "by a car's number", "10.3"),
    ],
)
def test_r10_3__what_cannot_be_brought_along_is_refused_with_a_sentence(given: Any, words: str, rule: str) -> None:
    with pytest.raises(Malformed) as refused:
        RULESET.options({"upgrades": given})
    assert words in str(refused.value)
    assert refused.value.rule == rule


def test_r10_3__a_car_that_is_not_there_brings_nothing() -> None:
    with pytest.raises(Malformed, match="no car 5 in a race of 4"):
        begun({"upgrades": {"5": ["A"]}})


def test_r10_3__what_is_brought_along_is_carried_and_seen_by_everybody() -> None:
    state = begun({"upgrades": {"3": ["G", "A"], "1": ["D"]}})
    assert RULESET.carried(state) == {"1": ["D"], "3": ["A", "G"]}
    assert codec.load(State, codec.dump(state)) == state
    for viewer in (None, 1, 3):
        shown = RULESET.view(state, viewer)["cars"][2]["upgrades"]
        assert [(upgrade["letter"], upgrade["name"], upgrade["used"]) for upgrade in shown] == [
            ("A", "Computer Guidance System", False),
            ("G", "Reserve Tank", False),
        ]


def test_r10_3__seven_cards_are_dealt_all_the_same() -> None:
    state = begun({"upgrades": {"1": ["A"]}})
    assert [len(car.hand) for car in state.cars] == [7, 7, 7, 7]


def test_ruling_7_5__a_wreck_leaves_its_upgrades_behind_and_who_gives_up_keeps_them() -> None:
    state = begun({"upgrades": {"1": ["D"], "2": ["A"], "3": ["Z"]}})
    table = Table(state, Stream(b"wreck" * 7))
    table.change(3, damage=6)
    table.push(Damages(3, 1))
    state = RULESET.advance(table.state(), table.chance).state
    assert RULESET.carried(state) == {"1": ["D"], "2": ["A"]}
    state = play(RULESET, state, (Act(2, Withdraw()), Act(1, RULESET.pending(state)[0].default)), table.chance).state
    assert state.cars[1].withdrawn
    assert RULESET.carried(state) == {"1": ["D"], "2": ["A"]}


def test_r11_1__the_printed_example_scores_8_6_5_3_2_0() -> None:
    """A104."""
    state = position(course="S8: 1m; S7: 2m 3m; S6: 4m 5m; S5: 6m", turn="Turn 1")
    assert victory_points(state) == {1: 8, 2: 6, 3: 5, 4: 3, 5: 2, 6: 0}
    assert RULESET.scores(state) == {"1": 8, "2": 6, "3": 5, "4": 3, "5": 2, "6": 0}


def test_ruling_11_1__side_roads_count_nothing_and_a_wreck_what_its_present_car_has_entered() -> None:
    state = position(course="S3: 2m; S3/SR(1): 1s; S2: -; S1: 4m; S0: 5s", turn="Turn 2", c3="wreck")
    assert victory_points(state) == {2: 3, 1: 3 - 1, 4: 1 - 2, 5: -3, 3: -4}


@pytest.mark.parametrize("upgrades", ["draft", "reverse_draft", {"1": ["A", "D"]}])
def test_r11_1__the_last_state_of_a_race_says_scores_in_the_order_of_its_outcome(upgrades: Any) -> None:
    stream = Stream(b"scores" * 6)
    state = start(RULESET, 4, {"sections": 4, "upgrades": upgrades}, stream).state
    bot = make_bot("driver", 1)
    while asked := RULESET.pending(state):
        act = Act(asked[0].seat, bot.choose(RULESET.view(state, asked[0].seat), asked[0]))
        state = play(RULESET, state, (act,), stream).state
    outcome = RULESET.outcome(state)
    assert outcome is not None
    sections = {car.seat: car.section for car in state.cars}
    order = [seat for place in outcome.places for seat in place]
    assert RULESET.scores(state) == {str(seat): sections[seat] - order.index(seat) for seat in range(1, 5)}
    assert RULESET.scores(state)[str(order[0])] == 4
    assert msgspec.to_builtins(RULESET.carried(state)) == RULESET.carried(state)
