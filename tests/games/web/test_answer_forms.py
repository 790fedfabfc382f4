"""Answers with parts: what was filled in becomes the action, what is wrong is said at its field."""

from typing import Any

import pytest
from django.http import QueryDict

from games.engine.record import Recorder
from games.rulesets.roadkill.game import RULESET
from games.web.answer_forms import action_of, has_errors, page_fields
from tests.games.web.samples import sample

END: dict[str, Any] = sample("my_turn")["question"]["forms"][0]


def filled(text: str) -> QueryDict:
    return QueryDict(text)


def test_an_untouched_form_gives_the_action_as_it_stands() -> None:
    fields = page_fields(END)
    assert not has_errors(fields)
    assert action_of(END, fields) == {"do": "end", "discard": []}


def test_values_are_taken_by_their_place_so_that_equal_cards_stay_two() -> None:
    fields = page_fields(END, filled("part-discard=2&part-discard=3&part-job=2&part-draw=1"))
    assert action_of(END, fields) == {"do": "end", "discard": ["swerve", "swerve"], "job": "broken_shocks", "draw": 1}
    assert [option.is_taken for option in fields[0].options] == [False, False, True, True, False, False]


def test_too_many_values_are_said_at_their_field_and_kept() -> None:
    fields = page_fields(END, filled("part-discard=0&part-discard=1&part-discard=2&part-discard=4"))
    assert fields[0].error == "Choose at most 3."
    assert sum(option.is_taken for option in fields[0].options) == 4
    assert has_errors(fields)


def test_too_few_values_are_said_too() -> None:
    form = {"action": {"do": "discard"}, "fields": [{**END["fields"][0], "least": 2, "most": 2}]}
    fields = page_fields(form, filled("part-discard=0"))
    assert fields[0].error == "Choose at least 2."
    assert fields[0].help == "exactly 2"


def test_a_number_must_be_one_and_within_its_bounds() -> None:
    assert page_fields(END, filled("part-draw=four"))[2].error == "Write a whole number from 0 to 3."
    assert page_fields(END, filled("part-draw=4"))[2].error == "Write a number from 0 to 3."
    assert page_fields(END, filled("part-draw=-1"))[2].error == "Write a number from 0 to 3."
    assert page_fields(END, filled("part-draw=four"))[2].text == "four"
    assert page_fields(END, filled("part-draw="))[2].value is None


def test_places_that_are_none_are_left_out() -> None:
    fields = page_fields(END, filled("part-discard=99&part-discard=-1&part-discard=x&part-discard=²&part-job=77"))
    assert action_of(END, fields) == {"do": "end", "discard": []}


def test_two_answers_where_one_is_wanted_are_refused() -> None:
    assert page_fields(END, filled("part-job=0&part-job=1"))[1].error == "Choose one."


def test_a_text_is_cut_of_blanks_and_measured() -> None:
    form = {
        "action": {"do": "trade", "words": ""},
        "fields": [{"name": "words", "label": "Promise", "kind": "text", "most": 5}],
    }
    assert action_of(form, page_fields(form, filled("part-words=+hello+"))) == {"do": "trade", "words": "hello"}
    assert page_fields(form, filled("part-words=hello!"))[0].error == "At most 5 letters; these are 6."


def test_what_the_action_holds_already_is_ticked() -> None:
    form = {
        "action": {"do": "end", "discard": ["swerve", "landmark"], "job": "damage", "draw": 2},
        "fields": END["fields"],
    }
    fields = page_fields(form)
    assert [option.words for option in fields[0].options if option.is_taken] == ["Swerve", "Landmark"]
    assert [option.words for option in fields[1].options if option.is_taken] == ["Damage"]
    assert fields[2].text == "2"


def test_many_values_of_which_one_is_wanted_are_a_list_to_open() -> None:
    values = [{"value": n, "words": str(n)} for n in range(8)]
    form = {"action": {"do": "x"}, "fields": [{"name": "n", "label": "N", "kind": "one", "values": values}]}
    assert page_fields(form)[0].is_list
    form["fields"][0]["values"] = values[:7]  # type: ignore[index]
    assert not page_fields(form)[0].is_list


@pytest.mark.parametrize("empty", ["as many as the rules allow", "none"])
def test_a_number_says_what_it_means_to_leave_it_out(empty: str) -> None:
    number = {"name": "draw", "label": "Draw", "kind": "number", "least": 0, "most": 3, "empty": empty}
    (part,) = page_fields({"action": {"do": "end"}, "fields": [number]})
    assert part.help == f"0 to 3; left empty, {empty}"
    (filled_in,) = page_fields({"action": {"do": "end", "draw": 2}, "fields": [number]})
    assert filled_in.help == "0 to 3", "what stands is shown in the field"


def test_in_a_trade_a_number_left_out_asks_for_none() -> None:
    (decision,) = RULESET.pending(Recorder(RULESET, 2, {}, secret=b"forms").state)
    helps = {field.name: field.empty for form in decision.forms for field in form.fields if field.kind == "number"}
    assert helps == {"draw": "as many as the rules allow", "any_cards": "none"}
