"""What is asked, told and written of Thunder Road: short orders, refusals with their row, the table in words."""

from random import Random
from typing import Any

import pytest

from games.engine import play
from games.engine.bots import random_answer
from games.engine.chance import Stream, stream_key
from games.engine.contract import Act, Decision
from games.engine.errors import Malformed
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import flow, log, orders, words
from games.rulesets.thunder_road.board import Ground
from games.rulesets.thunder_road.game import RULESET
from games.rulesets.thunder_road.hexes import LANES, written
from games.rulesets.thunder_road.state import State


def moments(seed: int, seats: int, options: dict[str, Any], *, most: int = 300) -> list[tuple[State, Decision]]:
    """The questions of a race by anybody."""
    stream, rng = Stream(stream_key(b"words", [str(seed)])), Random(seed)
    state: State = play.start(RULESET, seats, options, stream).state
    found: list[tuple[State, Decision]] = []
    while RULESET.outcome(state) is None and len(found) < most:
        (decision,) = RULESET.pending(state)
        found.append((state, decision))
        allowed = lambda action, state=state, seat=decision.seat: RULESET.verify(state, seat, action) is None  # noqa: E731
        state = play.play(RULESET, state, [Act(decision.seat, random_answer(decision, rng, allowed))], stream).state
    return found


ALL = {"carnage": True, "crews": ["cars", "rig", "bikes"]}


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("M 5 FFFLF", a.Move("M", 5, "FFFLF")),
        ("a.m with 5: ffflf", a.Move("M", 5, "FFFLF")),
        ("M 5, drift 4, 3FFL", a.Move("M", 5, "3FFL", command="drift", command_die=4)),
        ("M 5, Nitro with 2 FFF", a.Move("M", 5, "FFF", command="nitro", command_die=2)),
        ("L 2, airstrike 3 on 3-14, F", a.Move("L", 2, "F", command="airstrike", command_die=3, on="3-14")),
        ("S 1, repair 6 on M/1", a.Move("S", 1, command="repair", command_die=6, on="M/1")),
        ("coast S 3 L", a.Coast("S", 3, "L")),
        ("shoot B.M", a.Shoot("B.M")),
        ("fire at wreck 3-7", a.Shoot("wreck 3-7")),
        ("airstrike 2 on 3-14", a.Command("airstrike", 2, "3-14")),
        ("use Repair with 6 on M/1", a.Command("repair", 6, "M/1")),
        ("stand", a.Stand()),
        ("concede", a.Concede()),
        ("roll again", a.Again()),
        ("go R", a.Front("R")),
    ],
)
def test_an_order_may_be_written_short(text: str, action: Any) -> None:
    state = play.start(RULESET, 3, {}, Stream(stream_key(b"orders", []))).state
    view = RULESET.view(state, 1)
    assert RULESET.read(view, text) == action
    assert RULESET.read(view, RULESET.say(view, action)) == action


def test_who_coasts_without_naming_a_die_uses_the_lowest() -> None:
    state = play.start(RULESET, 3, {}, Stream(stream_key(b"orders", []))).state
    view = RULESET.view(state, 2)
    assert RULESET.read(view, "coast S") == a.Coast("S", min(view["seats"][1]["dice"]))


def test_two_motorcycles_are_written_one_after_the_other() -> None:
    state = play.start(RULESET, 3, ALL, Stream(stream_key(b"orders", []))).state
    view = RULESET.view(state, 3)
    for text in ("B1 4: 3FFF, then B2 with 2: 4F", "B1 4 3FFF; B2 2 4F"):
        assert RULESET.read(view, text) == a.Move("B1", 4, "3FFF", second="B2", second_die=2, second_path="4F")


def test_what_is_no_order_is_refused_with_what_may_be_written_and_its_row() -> None:
    asked = set()
    for seed in range(6):
        for state, decision in moments(seed, 3, ALL, most=1000):
            with pytest.raises(Malformed) as refused:
                RULESET.read(RULESET.view(state, decision.seat), "fly to the moon")
            assert " Write " in refused.value.text
            assert refused.value.text.endswith(").")
            asked.add(decision.key)
    assert asked >= {"turn", "drive", "bonus", "shoot", "bike"}
    assert set(orders.HELP) == set(flow.QUESTIONS)


def test_every_question_says_what_its_driver_needs() -> None:
    for seed in range(4):
        for state, decision in moments(seed, 3, ALL):
            view = RULESET.view(state, decision.seat)
            asked = RULESET.ask(view, decision)
            assert asked[0].isupper()
            assert asked.endswith("?")
            if decision.key == "turn":
                own = view["seats"][decision.seat - 1]
                assert words.dice(own["dice"]) in asked
                assert f"road die {view['road']}" in asked
            if decision.key == "drive":
                assert words.count(decision.about["left"], "count") in asked
            if decision.key in ("shoot", "missile"):
                targets = {one.target for one in decision.menu if isinstance(one, a.Shoot)}
                assert all(target in asked for target in targets)
                assert " of 6" in asked
            assert RULESET.what_now(view, decision)


def test_the_table_in_words_has_all_that_a_drawing_shows() -> None:
    for state, decision in moments(3, 3, ALL)[::11]:
        view = RULESET.view(state, decision.seat)
        told = RULESET.board_words(view)
        assert [section["number"] for section in told["sections"] if section["number"]] == [
            tile["number"] for tile in reversed(view["tiles"])
        ]
        lines = [line for section in told["sections"] for line in section.get("lines", ())]
        cars = {car["called"]: car for section in told["sections"] for car in section["cars"]}
        assert set(cars) == {piece["name"] for piece in view["pieces"] if piece["seat"]}
        for piece in view["pieces"]:
            if piece["seat"] and piece["at"]:
                assert sum(piece["name"] in line for line in lines) >= 1
                assert f"on {piece['at']}" in cars[piece["name"]]["words"]
                assert (", ahead: " in cars[piece["name"]]["words"]) is not piece["inoperable"]
        assert sum(line.count("face down") for line in lines) <= sum(t["kind"] == "face_down" for t in view["tokens"])
        assert sum(line.count("the chopper of") for line in lines) == sum(
            bool(seat["chopper"]) for seat in view["seats"]
        )
        assert "dice" in told["crews"][0]["words"] or "out of the race" in told["crews"][0]["words"]


def test_every_space_of_a_row_is_told() -> None:
    """Lanes that are alike are told together, and none is left out."""
    state = play.start(RULESET, 4, {"carnage": True}, Stream(stream_key(b"rows", []))).state
    ground = Ground(RULESET.view(state, None))
    for row in range(ground.first, ground.last + 1):
        spelled: list[str] = []
        for part in ground.row(row).split("; "):
            lanes, _, rest = part.partition(" ")
            if not lanes[0].isdigit():
                spelled = [part] * LANES
                continue
            first, last = int(lanes), int(lanes)
            if rest.startswith("to "):
                last, rest = int(rest[3]), rest[5:]
            spelled += [rest] * (last - first + 1)
        assert spelled == [ground.there((lane, row)) for lane in range(1, LANES + 1)], written((1, row))


def test_single_steps_are_not_told_and_the_end_of_a_move_is() -> None:
    step = {"kind": "enters", "rule": "T14", "piece": "A.M", "seat": 1, "space": "3-4", "left": 2}
    assert log.tell(step) == ""
    assert log.tell({**step, "left": 0}) == "A.M drives to 3-4. (T14)"
    assert log.tell({**step, "rule": "T18", "left": None}) == "A.M is moved to 3-4. (T18)"


def test_a_word_stands_for_every_way_to_end_and_be_lost() -> None:
    for ending in RULESET.endings:
        assert RULESET.reason_words(ending).endswith(".")
        assert log.tell({"kind": "wins", "rule": "T83", "seats": [1], "ending": ending})
    for rule in log.LOST:
        told = log.tell({"kind": "eliminated", "rule": rule, "piece": "A.M", "seat": 1})
        assert told.startswith("A.M ")
        assert " and is eliminated." in told
