"""Page and mail say the same of a table: the ruleset's words, with the drivers' names."""

import re
from html import unescape

import pytest
from django.template.loader import render_to_string

from games.engine.contract import Decision
from games.engine.extras import Extras
from games.runtime.rulesets import RULESETS, board_words, extras_of
from games.web.boards import BOARDS
from notifications.board import away_of, course_of, figures_of, hand_of
from tests.games.web.samples import sample

TOLD = ("my_turn", "window", "spectator", "finished", "ten_cars", "two_cars")


def listed(name: str) -> str:
    """The course as the page lists it, without its tags."""
    presentation = sample(name)
    context = BOARDS["roadkill"].squares(presentation)
    html = render_to_string("games/boards/roadkill/_course_list.html", context)
    return unescape(" ".join(re.sub(r"<[^>]+>", "", html).split()))


@pytest.mark.parametrize("name", TOLD)
def test_every_line_of_the_course_in_a_mail_stands_on_the_page(name: str) -> None:
    page, presentation = listed(name), sample(name)
    sections = course_of(presentation)
    assert sum(len(section.cars) for section in sections) == len(presentation["view"]["cars"])
    for section in sections:
        assert section.heading in page
        for car in section.cars:
            assert car.words in page
            assert f"car {car.number}, {car.name}" in page
            assert all(note in car.words for note in (*car.notes, car.motion))


@pytest.mark.parametrize("name", TOLD)
def test_the_figures_of_a_mail_are_the_boxes_of_the_page(name: str) -> None:
    presentation = sample(name)
    figures = {figure.label: figure.text for figure in figures_of(presentation)}
    panel = BOARDS["roadkill"].squares(presentation)["own_panel"]
    assert (panel is None) == (not figures)
    if panel is not None:
        assert figures["Damage"] == f"{panel.damage} of 7"
        assert figures["Fuel"] == f"{panel.fuel} of {panel.tank}"
        assert figures["Problems"] == (", ".join(panel.problems) or "none")
        assert figures.get("Markers", "") == ", ".join(panel.markers)
        assert [card.name for card in hand_of(presentation)] == [card["name"] for card in presentation["view"]["hand"]]


def test_a_section_that_has_been_taken_up_says_so_and_only_the_page_shows_it_when_nobody_is_there() -> None:
    presentation = sample("my_turn")
    view = presentation["view"]
    section = next(one for one in view["course"] if one["number"] == 1)
    section.update(laid=False, rest_stop=True)
    presentation["board"] = board_words(RULESETS["roadkill"], view)
    told = next(one for one in presentation["board"]["sections"] if one["number"] == 1)
    assert told["facts"] == ["value 1", "taken up"]
    assert not [one for one in course_of(presentation) if one.heading.startswith("Section 1")]


def test_who_is_out_of_the_race_is_named_apart() -> None:
    presentation = sample("two_cars")
    view = presentation["view"]
    view["course"][-1]["cars"] = [1]
    view["cars"][1]["withdrawn"] = True
    presentation["board"] = board_words(RULESETS["roadkill"], view)
    assert away_of(presentation) == ("car 2, Bot Rusty",)
    assert [car.number for section in course_of(presentation) for car in section.cars] == [1]


def test_a_ruleset_that_tells_nothing_beyond_the_contract_has_plain_words() -> None:
    class Bare:
        key = "bare"

    plain = extras_of(Bare())  # type: ignore[arg-type]
    assert type(plain) is Extras
    asked = Decision(key="act", seat=1, rule="5.2", menu=(), default=None)
    assert (plain.reason_words("last_driver"), plain.value_words({}, "n", 3)) == ("last driver", "3")
    assert (plain.board_words({}), plain.component_hash({}), plain.rule_of(asked, None)) == (None, "", "")
    own: object = RULESETS["roadkill"]
    assert extras_of(RULESETS["roadkill"]) is own
