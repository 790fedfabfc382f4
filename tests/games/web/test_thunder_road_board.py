"""Thunder Road's road is drawn whole: every space, vehicle and token once, and each answer on its space."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from games.engine import codec, play
from games.engine.bots import random_answer
from games.engine.chance import Stream, stream_key
from games.engine.contract import Act, Decision
from games.rulesets.thunder_road.game import RULESET
from games.rulesets.thunder_road.state import State
from games.web.boards import hexes, thunder_road
from games.web.boards.thunder_road_panel import crews

OPTIONS: dict[str, Any] = {"carnage": True, "crews": ["rig", "bikes", "cars"]}


def states(seed: int, *, seats: int = 4, options: dict[str, Any] | None = None) -> Iterator[tuple[State, Decision]]:
    """A race question by question."""
    stream, rng = Stream(stream_key(b"board", [str(seed)])), Random(seed)
    state: State = play.start(RULESET, seats, RULESET.options(OPTIONS if options is None else options), stream).state
    while RULESET.outcome(state) is None:
        (decision,) = RULESET.pending(state)
        yield state, decision
        now = state

        def allowed(action: Any, now: State = now, seat: int = decision.seat) -> bool:
            return RULESET.verify(now, seat, action) is None

        action = decision.default if rng.random() < 0.7 else random_answer(decision, rng, allowed)
        state = play.play(RULESET, state, [Act(decision.seat, action)], stream).state


def asked(view: Any, decision: Decision) -> dict[str, Any]:
    """The question as pages have it, as far as the drawing looks at it."""
    answers = [
        {"number": n, "words": RULESET.say(view, action), "action": codec.to_json(action)}
        for n, action in enumerate(decision.menu, 1)
    ]
    forms = [
        {
            "number": len(answers) + n,
            "fields": [
                {"name": one.name, "kind": one.kind, "values": [{"value": value} for value in one.values]}
                for one in form.fields
            ],
        }
        for n, form in enumerate(decision.forms, 1)
    ]
    return {"key": decision.key, "answers": answers, "forms": forms}


@pytest.mark.parametrize("seed", range(3))
def test_every_space_is_drawn_once_with_its_token_and_every_vehicle_where_it_stands(seed: int) -> None:
    looks = set()
    for state, decision in states(seed):
        view = RULESET.view(state, decision.seat)
        drawn = thunder_road.road(view, asked(view, decision))
        low, high = view["rows"]
        rows = [row for band in drawn.bands for row in range(band.last, band.first - 1, -1)]
        assert rows == list(range(high, low - 1, -1))
        places = [(one.x, one.y) for band in drawn.bands for one in band.grounds]
        assert len(places) == len(set(places)) == 6 * (high - low + 1)
        tokens = [one.token for band in drawn.bands for one in band.grounds if one.token]
        assert tokens.count("down") == sum(one["kind"] == "face_down" for one in view["tokens"])
        assert tokens.count("up") == len(view["tokens"]) - tokens.count("down")
        figures = [one for band in drawn.bands for one in band.figures]
        plates = sorted(one.plate for one in figures if one.plate and one.shape != "chopper")
        expected = [piece["name"] for piece in view["pieces"] if piece["seat"]]
        for piece in view["pieces"]:
            if piece["kind"] == "rig":
                letter = piece["name"][0]
                expected += [f"{letter} mid", f"{letter} rear"]
        assert plates == sorted(expected)
        wrecks = [one for one in figures if one.shape == "wreck"]
        assert len(wrecks) == sum(not piece["seat"] for piece in view["pieces"])
        choppers = [one for one in figures if one.shape == "chopper"]
        assert len(choppers) == sum(seat["chopper"] is not None for seat in view["seats"])
        turned = {one.plate for one in figures if one.is_turned}
        assert turned == {piece["name"] for piece in view["pieces"] if piece["seat"] and piece["inoperable"]}
        looks |= {one.shape for one in figures}
    assert looks >= {"car-S", "car-M", "car-L", "bike", "rig-front", "rig-middle", "rig-rear"}


def test_own_vehicles_are_never_folded_away_and_what_is_folded_says_what_lies_there() -> None:
    folded = 0
    for state, decision in states(5):
        view = RULESET.view(state, decision.seat)
        drawn = thunder_road.road(view, asked(view, decision))
        (open_band,) = [band for band in drawn.bands if not band.is_folded]
        summaries = " ".join(band.summary for band in drawn.bands)
        for piece in view["pieces"]:
            for _, row in thunder_road.spaces_of(piece):
                is_open = open_band.first <= row <= open_band.last
                if piece["seat"] and not piece["inoperable"]:
                    assert is_open or (piece["seat"] != decision.seat and piece["name"] in summaries)
        for band in drawn.bands:
            if band.is_folded:
                folded += 1
                hidden = sum(one.token == "down" for one in band.grounds)
                assert f"Rows {band.first} to {band.last}" in band.summary
                assert (f"{hidden} token" in band.summary) == bool(hidden)
    assert folded


def test_whoever_is_far_behind_all_others_does_not_lengthen_their_drawing() -> None:
    for state, decision in states(5):
        view = RULESET.view(state, decision.seat)
        rows = [row for piece in view["pieces"] for _, row in thunder_road.spaces_of(piece)]
        own = [
            row
            for piece in view["pieces"]
            if piece["seat"] == decision.seat and not piece["inoperable"]
            for _, row in thunder_road.spaces_of(piece)
        ]
        if rows and own and max(rows) - min(rows) > 20 and max(own) - min(own) < 3 and len(own) > 1:
            drawn = thunder_road.road(view, asked(view, decision))
            (band,) = [band for band in drawn.bands if not band.is_folded]
            assert band.last - band.first < 20
            return
    pytest.fail("nobody was far behind")


def test_targets_ways_and_vehicles_bear_the_numbers_of_their_answers() -> None:
    seen = set()
    for seed in range(4):
        for state, decision in states(seed):
            view = RULESET.view(state, decision.seat)
            question = asked(view, decision)
            drawn = thunder_road.road(view, question, cropped=True)
            marks = [mark for band in drawn.bands for mark in band.marks]
            numbers = {mark.answer for mark in marks if mark.answer}
            if decision.key == "shoot":
                shots = [one["number"] for one in question["answers"] if one["action"]["do"] == "shoot"]
                assert numbers <= set(shots)
                assert numbers
            elif decision.key == "front":
                assert len(marks) == len(question["answers"])
            elif decision.key == "turn" and question["forms"]:
                vehicles = {one["action"]["vehicle"] for one in question["answers"] if "vehicle" in one["action"]}
                assert len(marks) == len(vehicles)
                moving = any(part["name"] == "vehicle" for part in question["forms"][0]["fields"])
                assert all(("part-vehicle=" in mark.query) == moving for mark in marks)
                assert all(mark.form if moving else mark.answer for mark in marks)
            elif decision.key == "reroll":
                assert [way.look for band in drawn.bands for way in band.ways] == ["slam"]
            else:
                continue
            seen.add(decision.key)
    assert seen >= {"shoot", "turn", "reroll"}


def test_a_path_that_is_put_together_is_a_way_with_each_next_step_told_apart_by_its_shape() -> None:
    looks = set()
    for state, decision in (one for seed in range(3) for one in states(seed)):
        view = RULESET.view(state, decision.seat)
        if decision.key != "drive" or view["left"] < 2:
            continue
        for path in ("", decision.default.path[:1]):
            told = RULESET.path(view, {"do": "drive", "path": path}, "path")
            steps = [{**one, "query": f"q={one['step']}"} for one in told["next"]]
            composed = {**told, "form": 9, "places": [], "next": steps}
            (band,) = thunder_road.road(view, None, composed=composed, cropped=True).bands
            is_way = bool(told["from"] and any(one["space"] for one in told["taken"]))
            assert [way.look for way in band.ways] == (["way"] if is_way else [])
            drawn = {(mark.text, mark.query, mark.look) for mark in band.marks}
            assert drawn == {
                (one["step"], one["query"], "fatal" if one["fatal"] else "gamble" if one["gamble"] else "safe")
                for one in steps
                if one["space"]
            }
            looks |= {mark.look for mark in band.marks}
    assert looks == {"safe", "gamble", "fatal"}


def test_a_space_is_chosen_before_the_way_and_then_only_the_chosen_one_is_marked() -> None:
    for state, decision in states(1):
        view = RULESET.view(state, decision.seat)
        if decision.key != "drive":
            continue
        told = RULESET.path(view, {"do": "drive", "path": ""}, "path")
        steps = [{**one, "query": "way"} for one in told["next"]]
        spaces = ["1-5", "2-5", "3-5"]
        for taken, expected in (
            ("", ["", "", ""]),
            ("2-5", [*(one["step"] for one in steps if one["space"]), "\u2713"]),
        ):
            places = [{"value": one, "query": f"on={one}", "is_taken": one == taken} for one in spaces]
            composed = {**told, "form": 9, "places": places, "next": steps}
            drawn = thunder_road.road(view, None, composed=composed)
            assert [mark.text for band in drawn.bands for mark in band.marks] == expected
        return
    pytest.fail("nobody was asked for a way")


def test_the_bar_in_miniature_shows_every_vehicle_on_the_road_and_the_own_foremost_by_its_letter() -> None:
    seen = 0
    for state, decision in states(2):
        view = RULESET.view(state, decision.seat)
        bar = thunder_road.mini(view)
        there = [one for one in view["pieces"] if one["seat"] and one["y"] is not None]
        assert len(bar.dots) + bool(bar.own) == len(there)
        assert sum(not moving for _, moving in bar.dots) == sum(one["inoperable"] for one in there)
        assert all(0 < float(x) < 300 for x, _ in bar.dots)
        mine = [one for one in there if one["seat"] == decision.seat and not one["inoperable"]]
        assert bar.own == ("ABCD"[decision.seat - 1] if mine else "")
        seen += bool(mine)
    assert seen


def test_hexes_next_to_each_other_touch_in_every_direction() -> None:
    for lane in (3, 4):
        x, y = hexes.middle(lane, 5, rows=10)
        for direction in ("F", "FL", "FR", "B", "BL", "BR"):
            there = hexes.middle(*hexes.step(lane, 5, direction), rows=10)
            distance = ((there[0] - x) ** 2 + (there[1] - y) ** 2) ** 0.5
            assert abs(distance - hexes.HEIGHT) < 2, (lane, direction)


def test_every_crew_is_told_with_dice_command_and_vehicles() -> None:
    for state, decision in states(2):
        if state.round < 3:
            continue
        view = RULESET.view(state, decision.seat)
        told = crews(view, [{"seat": n, "name": f"Driver {n}", "kind": "player"} for n in range(1, 5)])
        assert told[0].seat == view["first"]
        assert sorted(crew.letter for crew in told) == ["A", "B", "C", "D"]
        for crew in told:
            driver = view["seats"][crew.seat - 1]
            facts = {fact.label: fact for fact in crew.facts}
            assert facts["Dice left"].dice == tuple(driver["dice"])
            assert facts["Command"].text == ("used" if driver["commanded"] else "not used")
            assert ("Steering" in facts) == (driver["crew"] == "rig")
            names = [one.name for one in crew.vehicles]
            lost = [name for name in view["lost"] if name.startswith(f"{crew.letter}.")]
            assert names == [one["name"] for one in view["pieces"] if one["seat"] == crew.seat] + lost
        return
