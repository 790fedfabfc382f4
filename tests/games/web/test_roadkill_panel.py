"""Cards and control panels: printed signs, answers' numbers, marked boxes."""

import re

import pytest
from django.template.loader import render_to_string

from games.web.boards import roadkill_panel as panels
from tests.games.web.samples import sample
from tests.games.web.test_roadkill_board import words_of


def test_a_card_shows_the_numbers_of_the_answers_that_play_it() -> None:
    presentation = sample("my_turn")
    cards = {card.title: card for card in panels.hand(presentation["view"], presentation["question"])}
    assert cards["Machine Gun"].numbers == (2, 3)
    assert cards["Move/Road"].numbers == (1,)
    assert (cards["Move/Road"].value, cards["Swerve"].count) == ("2", 2)
    assert not cards["Landmark"].numbers


@pytest.mark.parametrize(
    ("name", "title", "motion", "suit"),
    [
        ("my_turn", "Move/Road", "m", "my turn"),
        ("my_turn", "Tool Kit", "s", "my turn"),
        ("my_turn", "Landmark", "e", "my turn"),
        ("my_turn", "Swerve", "m", "both"),
        ("ten_cars", "Smoke Screen", "m", "answer"),
    ],
)
def test_a_card_bears_the_signs_that_are_printed_on_it(name: str, title: str, motion: str, suit: str) -> None:
    card = next(card for card in panels.hand(sample(name)["view"], None) if card.title == title)
    assert (card.motion, card.suit) == (motion, suit)


def test_a_card_that_no_answer_plays_says_why_and_by_which_rule() -> None:
    presentation = sample("my_turn")
    view, question = presentation["view"], presentation["question"]
    why = {card.title: (card.why, card.rule) for card in panels.hand(view, question)}
    assert why["Tool Kit"] == ("Your car is moving", "4.3")
    assert why["Landmark"] == ("Nothing to play it on now", "")
    assert why["Machine Gun"] == ("", "")
    own = panels.own_car(view)
    assert own is not None
    question["answers"] = []
    assert panels.why_not({"black": False, "red": True, "motion": "any"}, own, question) == (
        "Answers another driver's card",
        "4.1",
    )
    assert panels.why_not({"black": True, "red": False, "motion": "any"}, own, {"key": "answer"}) == (
        "For your own turn",
        "4.1",
    )
    assert panels.why_not({"black": True, "red": True, "motion": "moving"}, {"moving": False}, question) == (
        "Your car is stopped",
        "4.3",
    )
    assert panels.why_not({"black": True, "red": True, "motion": "any"}, own, None) == ("Nothing is asked of you", "")


def test_a_panel_marks_damage_fuel_and_road_log() -> None:
    presentation = sample("my_turn")
    panel = next(
        p for p in panels.panels(presentation["view"], presentation["board"], presentation["names"]) if p.is_own
    )
    assert [box.mark for box in panel.damage_boxes] == ["hit", "hit", "", "", "", "", ""]
    assert [box.mark for box in panel.fuel_boxes] == ["full"] * 5 + [""] * 3
    assert [box.text for box in panel.log_boxes if box.mark == "on"] == ["0"]
    assert [box.mark for box in panel.log_boxes].count("neg") == 4
    assert panel.problems == ("Broken Shocks",)


@pytest.mark.parametrize(("log", "text", "box"), [(-4, "−4", "−4"), (3, "+3", "+3"), (4, "Exit", "Exit")])  # noqa: RUF001
def test_the_road_log_is_marked_at_its_ends_too(log: int, text: str, box: str) -> None:
    view = sample("two_cars")["view"]
    view["cars"][0].update(log=log, log_text=text)
    panel = panels.panels(view, words_of(view), {})[0]
    assert panel.log == text
    assert [one.text for one in panel.log_boxes if one.mark == "on"] == [box]


def test_panels_stand_in_race_order_and_say_who_is_a_bot_and_who_has_gone() -> None:
    presentation = sample("two_cars")
    view = presentation["view"]
    view["order"] = [2, 1]
    view["cars"][0]["withdrawn"] = True
    shown = panels.panels(view, words_of(view), presentation["names"], presentation["seats"])
    assert [(p.seat, p.place, p.is_bot, p.is_gone) for p in shown] == [(2, 1, True, False), (1, 2, False, True)]
    assert shown[1].where == "out of the race"


def test_a_panel_says_where_its_car_stands_and_what_lies_on_it() -> None:
    presentation = sample("ten_cars")
    shown = {p.seat: p for p in panels.panels(presentation["view"], presentation["board"], presentation["names"])}
    assert shown[10].where == "Box Canyon I of Section 5"
    assert shown[3].where == "wreck"
    assert shown[8].markers == ("at the Rest Stop",)
    assert shown[5].markers == ("Wide Road",)
    view = presentation["view"]
    view["cars"][0].update(road="narrow", camouflage=True, sabotage=True, repairs=2)
    assert words_of(view)["cars"]["1"]["markers"] == ["camouflaged", "Narrow Road", "sabotaged", "Repairs +2"]


def test_what_lies_on_the_table_is_said_in_words() -> None:
    view = sample("my_turn")["view"]
    assert words_of(view)["table"] == ""
    view.update(table=[{"key": "move_3", "short": "Move 3", "left": 2}], landmarks=1, red_lines=2)
    assert words_of(view)["table"] == "Move 3 with 2 left, 1 Landmark, 2 Red Lines"


def test_a_card_says_for_which_cars_it_is_in_a_whole_sentence() -> None:
    view = sample("my_turn")["view"]
    html = render_to_string("games/boards/roadkill/hand.html", {"hand": panels.hand(view, None), "at_entry": True})
    said = re.findall(r'<span class="vh">(For [^<]*)</span>', html)
    assert len(said) == len(view["hand"])
    assert set(said) == {"For a moving car.", "For a stopped car.", "For any car."}
