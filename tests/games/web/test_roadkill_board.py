"""The course drawing, the bar in miniature, and the list: the same race in the same order."""

from itertools import pairwise
from typing import Any

import pytest

from games.runtime.rulesets import RULESETS, board_words
from games.web import showcase
from games.web.boards import roadkill as board
from tests.games.web.samples import sample

SAMPLES = ("my_turn", "window", "spectator", "finished", "ten_cars", "two_cars")


def words_of(view: dict[str, Any]) -> dict[str, Any]:
    """The table in words, as the ruleset tells it of this view."""
    return dict(board_words(RULESETS["roadkill"], view))


def course(view: dict[str, Any], names: dict[str, str]) -> board.Course:
    return board.course(view, words_of(view), names)


def listing(view: dict[str, Any], names: dict[str, str]) -> tuple[board.ListedSection, ...]:
    return board.listing(view, words_of(view), names)


def summary(name: str) -> str:
    view, names = seen(name)
    return board.summary(view, words_of(view), names)


def mini(view: dict[str, Any]) -> board.Mini:
    return board.mini(view, words_of(view))


def seen(name: str) -> tuple[dict[str, Any], dict[str, str]]:
    presentation = sample(name)
    return presentation["view"], presentation["names"]


@pytest.mark.parametrize("name", SAMPLES)
def test_drawing_and_list_show_every_car_once_in_the_same_order(name: str) -> None:
    view, names = seen(name)
    drawn = [row.seat for row in course(view, names).rows]
    listed = [car.seat for section in listing(view, names) for car in section.cars]
    assert drawn == listed
    assert sorted(drawn) == sorted(car["seat"] for car in view["cars"])


@pytest.mark.parametrize("name", ["my_turn", "window", "spectator", "finished", "two_cars"])
def test_from_the_top_the_cars_stand_in_race_order(name: str) -> None:
    view, names = seen(name)
    assert [row.seat for row in course(view, names).rows] == view["order"]
    assert [row.place for row in course(view, names).rows] == list(range(1, len(view["order"]) + 1))


def test_a_car_on_a_side_road_is_drawn_behind_its_section_and_keeps_its_place_in_the_race() -> None:
    view, names = seen("ten_cars")
    rows = {row.seat: row for row in course(view, names).rows}
    order = [row.seat for row in course(view, names).rows]
    assert order.index(10) == order.index(9) + 1
    assert rows[10].place == 9
    assert rows[10].spur
    assert not rows[9].spur


@pytest.mark.parametrize("name", SAMPLES)
def test_moving_cars_stand_on_the_road_and_stopped_ones_beyond_its_edge(name: str) -> None:
    view, names = seen(name)
    moving = {car["seat"]: car["moving"] and not car["wreck"] for car in view["cars"]}
    for row in course(view, names).rows:
        x = float(row.token.at.split()[0])
        edge = board.ROAD + board.SWING + board.HALF_ROAD
        assert (x < edge - 12) == moving[row.seat], row


@pytest.mark.parametrize("name", SAMPLES)
def test_no_two_lines_of_the_drawing_share_a_height(name: str) -> None:
    view, names = seen(name)
    drawing = course(view, names)
    spans = sorted((int(row.y), int(row.y) + int(row.height)) for row in drawing.rows)
    assert all(end < start for (_, end), (start, _) in pairwise(spans))
    bands = sorted((int(band.y), int(band.y) + int(band.height)) for band in drawing.bands)
    assert all(end == start for (_, end), (start, _) in pairwise(bands))
    assert f"0 0 360 {bands[-1][1]}" == drawing.view_box


@pytest.mark.parametrize("name", SAMPLES)
def test_every_car_is_drawn_within_its_section(name: str) -> None:
    view, names = seen(name)
    drawing = course(view, names)
    section_of = {
        seat: s["number"] for s in view["course"] for seat in [*s["cars"], *(c["car"] for c in s["side_roads"])]
    }
    bands = {band.number: (int(band.y), int(band.y) + int(band.height)) for band in drawing.bands}
    for row in drawing.rows:
        top, bottom = bands[section_of[row.seat]]
        assert top < int(row.y) < int(row.y) + int(row.height) <= bottom


def test_ten_cars_take_about_a_thousand_units_and_six_about_seven_hundred() -> None:
    heights = [int(course(*seen(name)).view_box.split()[3]) for name in ("my_turn", "ten_cars")]
    assert 600 < heights[0] < 780
    assert 850 < heights[1] < 1100


def test_a_wreck_is_drawn_crossed_at_the_start_line_and_says_what_becomes_of_it() -> None:
    view, names = seen("ten_cars")
    row = next(row for row in course(view, names).rows if row.seat == 3)
    assert row.token.is_wreck
    assert "wreck" in row.token.look.split()
    assert (row.state, row.note, row.sign) == ("wreck", "new car on the next turn", "")
    car = listing(view, names)[-1].cars[-1]
    assert car.words == "wreck, new car on the next turn"


def test_a_wreck_that_stands_nowhere_is_put_last_on_the_start_line() -> None:
    view, names = seen("ten_cars")
    view["course"][-1]["cars"] = []
    assert [car.seat for car in listing(view, names)[-1].cars] == [3]
    assert course(view, names).rows[-1].seat == 3


def test_a_car_that_has_left_the_race_is_not_drawn_but_named() -> None:
    view, names = seen("two_cars")
    view["course"][-1]["cars"] = [1]
    view["cars"][1]["withdrawn"] = True
    assert [row.seat for row in course(view, names).rows] == [1]
    assert board.gone_cars(words_of(view), names) == ((2, "Bot Rusty"),)


def test_night_and_day_are_drawn_apart() -> None:
    assert course(*seen("ten_cars")).is_night
    assert not course(*seen("my_turn")).is_night


def test_weather_and_rest_stop_and_road_signs_stand_in_the_head_of_their_section() -> None:
    view, names = seen("my_turn")
    view["course"][1]["signs"] = 1
    bands = {band.number: band for band in course(view, names).bands}
    assert bands[4].markers == "Fog, changed sign"
    assert bands[4].weather_path == board.WEATHER_PATHS["fog"]
    assert bands[4].rest_at
    assert not bands[5].rest_at
    assert not bands[5].markers
    title = next(section.title for section in listing(view, names) if section.number == 4)
    assert title == "Section 4, value 1, Rest Stop, Fog, changed sign"


def test_a_weather_that_is_not_known_is_named_without_a_glyph() -> None:
    view, names = seen("my_turn")
    view["course"][1]["weather"] = "sandstorm"
    band = next(band for band in course(view, names).bands if band.number == 4)
    assert (band.markers, band.weather_path) == ("Sandstorm", "")


def test_a_section_that_all_have_left_is_a_thin_band() -> None:
    view, names = seen("my_turn")
    bands = {band.number: band for band in course(view, names).bands}
    assert (bands[1].height, bands[1].title, bands[1].is_left) == ("36", "Value I, all cars gone", True)
    assert next(s for s in listing(view, names) if s.number == 1).is_left


@pytest.mark.parametrize(
    ("sections", "title", "text"),
    [(8, "Sections 6 to 8", "the first into 8 wins"), (6, "Section 6", "the first into it wins"), (5, "", "")],
)
def test_the_unlaid_sections_are_said_and_drawn_dashed(sections: int, title: str, text: str) -> None:
    view, names = seen("my_turn")
    view["sections_to_win"] = sections
    drawing = course(view, names)
    assert drawing.unlaid_title == title
    assert bool(drawing.unlaid) == bool(title)
    if title:
        assert drawing.unlaid_text == text


def test_leader_and_active_car_are_marked_and_nobody_is_to_move_after_the_end() -> None:
    view, names = seen("my_turn")
    rows = course(view, names).rows
    assert [row.seat for row in rows if row.is_leader] == [2]
    assert [row.seat for row in rows if row.is_active] == [4]
    assert not any(row.is_active for row in course(*seen("finished")).rows)


def test_only_the_viewers_own_car_is_tinted() -> None:
    assert [row.seat for row in course(*seen("my_turn")).rows if row.is_own] == [4]
    assert not any(row.is_own for row in course(*seen("spectator")).rows)


def test_a_name_is_cut_at_thirteen_letters_in_the_drawing_and_whole_in_the_list() -> None:
    view, names = seen("ten_cars")
    row = next(row for row in course(view, names).rows if row.seat == 10)
    assert row.name == "Johannes-Mar…"
    listed = next(car for s in listing(view, names) for car in s.cars if car.seat == 10)
    assert listed.name == "Johannes-Maria von der Wetterau"


def test_a_driver_without_a_name_is_known_by_the_car() -> None:
    view, _ = seen("two_cars")
    assert [row.name for row in course(view, {}).rows] == ["Car 1", "Car 2"]


def test_a_note_has_at_most_twenty_six_letters_and_what_keeps_the_car_comes_first() -> None:
    view, names = seen("ten_cars")
    notes = {row.seat: row.note for row in course(view, names).rows}
    assert notes[2] == "Flat Tire, out of gas +2"
    assert all(len(note) <= board.NOTE_LETTERS for note in notes.values())
    listed = next(car for s in listing(view, names) for car in s.cars if car.seat == 2)
    assert listed.words == ("stopped, damage 5 of 7, 2 cards, Flat Tire, out of gas, Coolant Leak, Engine Wear")


@pytest.mark.parametrize(
    ("car", "sign"),
    [
        ({"moving": False}, "stop"),
        ({"moving": False, "at_rest_stop": True}, "rest"),
        ({"moving": True}, ""),
        ({"moving": False, "wreck": True}, ""),
    ],
)
def test_a_stopped_car_has_the_octagon_or_the_pump(car: dict[str, bool], sign: str) -> None:
    view, names = seen("two_cars")
    view["cars"][0].update(car)
    assert course(view, names).rows[0].sign == sign


def test_the_crop_holds_one_band_at_the_height_of_the_whole_drawing() -> None:
    view, names = seen("window")
    whole, part = course(view, names), board.crop(view, words_of(view), names, 4)
    band = next(band for band in whole.bands if band.number == 4)
    assert part.view_box == f"0 {band.y} 360 {band.height}"
    assert [row.token.at for row in part.rows] == [row.token.at for row in whole.rows if row.seat in {1, 4}]
    assert part.bands == (band,)
    assert not part.is_whole


def test_the_summary_names_every_driver_from_the_front() -> None:
    assert summary("my_turn") == (
        "Olu is in front on Section 5; then Marta and Wren on Section 4; then Dov and Priya on Section 3; "
        "then Yuki at the start line."
    )
    assert summary("two_cars") == "Wren and Bot Rusty are in front at the start line."


def test_the_miniature_numbers_the_own_car_and_hollows_the_stopped_ones() -> None:
    small = mini(seen("my_turn")[0])
    assert small.own == 4
    assert len(small.dots) == 5
    assert sum(not moving for _, moving in small.dots) == 3
    assert len(small.ticks) == 5
    assert len(small.unlaid) == 3
    assert mini(seen("spectator")[0]).own == 0


def test_the_dots_of_the_miniature_stay_within_it_however_many_there_are() -> None:
    view, _ = seen("ten_cars")
    view["course"][-1]["cars"] = list(range(1, 11))
    for section in view["course"][:-1]:
        section["cars"], section["side_roads"] = [], []
    xs = [float(x) for x, _ in mini(view).dots]
    assert min(xs) >= 10
    assert max(xs) <= board.MINI_WIDTH - 10
    assert len(xs) == 9


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (-0.01, "0"), (98.06, "98.1"), (-4.25, "-4.2"), (0.0, "0")])
def test_a_coordinate_has_a_point_and_one_digit_after_it_at_most(value: float, text: str) -> None:
    assert board.number_text(value) == text


def test_the_picture_of_the_welcome_page_is_a_view_like_any_other() -> None:
    drawing = board.course(showcase.VIEW, showcase.words(), showcase.NAMES)
    assert [row.seat for row in drawing.rows] == showcase.VIEW["order"]
