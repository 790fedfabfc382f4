"""Rule links, bold drivers, and that nothing a player writes becomes markup."""

import pytest

from games.templatetags import pages


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Stops. (6.6)", 'Stops. <a class="rule-ref" href="/rules/roadkill/#r6.6">6.6</a>'),
        ("Rests (R7.5a).", 'Rests <a class="rule-ref" href="/rules/roadkill/#rr7.5a">R7.5a</a>.'),
        ("Set up. (3)", 'Set up. <a class="rule-ref" href="/rules/roadkill/#r3">3</a>'),
        ("Robbed (R-theft)", 'Robbed <a class="rule-ref" href="/rules/roadkill/#rr-theft">R-theft</a>'),
        ("Out (BT6.22)", 'Out <a class="rule-ref" href="/rules/roadkill/#rbt6.22">BT6.22</a>'),
        ("3 (minus 1) cards", "3 (minus 1) cards"),
        ("(5) cards (car 2)", "(5) cards (car 2)"),
    ],
)
def test_a_rule_number_in_brackets_becomes_a_link_and_other_brackets_stay(text: str, html: str) -> None:
    assert pages.rules_linked(text, "roadkill") == html


def test_two_numbers_in_one_bracket_are_two_links() -> None:
    assert pages.rules_linked("Both (6.42, 7.5)", "roadkill").count("<a ") == 2


def test_what_a_player_writes_is_escaped_around_the_links() -> None:
    html = pages.rules_linked('<img src=x onerror=alert(1)> (6.6) & "co"', "roadkill")
    assert "<img" not in html
    assert "&lt;img" in html
    assert html.count("<a ") == 1


def test_a_driver_is_bold_where_first_named_and_hostile_names_stay_text() -> None:
    names = {"1": "<b>Ivy</b>", "2": "Wren", "3": "Wren (car 2)"}
    html = pages.told("Wren (car 2) passes <b>Ivy</b> (car 1), then car 2 stops. (6.41)", "roadkill", names)
    assert html.startswith("<b>Wren (car 2)</b> passes <b>&lt;b&gt;Ivy&lt;/b&gt; (car 1)</b>, then car 2 stops. <a ")


def test_a_name_that_holds_another_is_not_cut() -> None:
    names = {"1": "Ann", "2": "Joann"}
    assert pages.told("Joann (car 2) and Ann (car 1) stop.", "roadkill", names) == (
        "<b>Joann (car 2)</b> and <b>Ann (car 1)</b> stop."
    )


def test_a_rule_link_without_a_number_is_nothing() -> None:
    assert pages.rule_link("", "roadkill") == ""


@pytest.mark.parametrize(("hours", "text"), [(72, "72 h"), (1.5, "1.5 h"), (0.1667, "10 min"), (1, "1 h")])
def test_hours_are_said_in_minutes_below_one(hours: float, text: str) -> None:
    assert pages.hours_text(hours) == text


def test_a_shuffle_is_told_by_its_length_and_a_draw_by_its_number() -> None:
    assert pages.draw_text([3, 1, 2]) == "an order of 3"
    assert pages.draw_text(7) == "7"
    assert pages.origin_words("link") == "by a link in a mail"
    assert pages.origin_words("a new way") == "a new way"
