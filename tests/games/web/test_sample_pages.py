"""Every template with a presentation written by hand: complete, escaped, labelled, without inline style or script."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import RequestFactory

from games.web import answer_forms
from games.web.forms import BotForm, InviteForm, WordsForm
from games.web.pages import armed, crop_context, race_context
from tests.games.web.markup import Page, faults_of
from tests.games.web.samples import sample

NOW = datetime(2026, 12, 1, 14, 40, tzinfo=UTC)
TEMPLATES = Path(__file__).parents[3] / "games" / "templates"
STATIC = Path(__file__).parents[3] / "games" / "static" / "games"


def rendered(template: str, name: str, **more: Any) -> str:
    """A page of this sample as somebody who is not signed in gets it; what it says does not depend on that."""
    presentation = sample(name)
    context = {**race_context(presentation), **more, "now": NOW, "user": AnonymousUser()}
    return render_to_string(template, context, request=RequestFactory().get("/races/k7f3q2/"))


def race_page(name: str, **more: Any) -> str:
    return rendered("games/race.html", name, **more)


def answer_page(template: str, name: str, number: int) -> str:
    presentation = sample(name)
    context = race_context(presentation) | crop_context(presentation)
    choices = context["choices"]
    chosen = next(choice for choice in choices if choice["number"] == number)
    more = crop_context(presentation) | armed(chosen, choices)
    if "fields" in chosen:
        more["fields"] = answer_forms.page_fields(chosen)
    return rendered(template, name, **more)


PAGES: dict[str, Callable[[], str]] = {
    **{f"race {name}": partial(race_page, name) for name in ("my_turn", "window", "sealed", "spectator")},
    "race finished": lambda: race_page("finished"),
    "race of ten": lambda: race_page("ten_cars", open_list=True),
    "race of two": lambda: race_page("two_cars", may_resign=True),
    "answer": lambda: answer_page("games/answer.html", "window", 2),
    "answer, sealed before": lambda: answer_page("games/answer.html", "sealed", 3),
    "form": lambda: answer_page("games/form.html", "my_turn", 6),
    "act": lambda: answer_page("games/act.html", "window", 1),
    "act with a form": lambda: answer_page("games/act_form.html", "my_turn", 6),
    "act closed": lambda: rendered("games/act_closed.html", "spectator", new_question=sample("window")["question"]),
    "act closed, over": lambda: rendered("games/act_closed.html", "finished", is_done="applied"),
    "not played": lambda: rendered("games/not_played.html", "my_turn", is_stale=True),
    "lobby": lambda: rendered("games/race_lobby.html", "lobby", **LOBBY),
    "wish": lambda: rendered("games/wish.html", "ten_cars", wishes=True, key="k", action_json="{}"),
    "seat": lambda: rendered(
        "games/seat.html", "spectator", seat=sample("spectator")["seats"][1], is_host=True, **SEAT_FORMS
    ),
}
SEAT_FORMS: dict[str, Any] = {"bot_form": BotForm(), "invite_form": InviteForm()}
LOBBY: dict[str, Any] = {
    **SEAT_FORMS,
    "words_form": WordsForm(),
    "is_host": True,
    "is_open": True,
    "is_in": True,
    "may_start": True,
    "taken": 2,
    "free": 3,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_labelled_and_brings_nothing_inline_or_from_elsewhere(name: str) -> None:
    assert faults_of(PAGES[name]()) == []


def only_answer(name: str, *, policy: str = "paced") -> dict[str, Any]:
    """The sample with a question that has one answer."""
    found = sample(name)
    question = found["question"]
    question["answers"], question["forms"] = question["answers"][:1], []
    if question["sealed"]:
        question["sealed"] = {**question["sealed"], "words": question["answers"][0]["words"]}
    found["race"]["policy"] = policy
    return found


@pytest.mark.parametrize("name", ["window", "sealed"])
def test_a_question_with_one_answer_says_why_and_promises_no_choice(name: str) -> None:
    presentation = only_answer(name)
    context = race_context(presentation) | crop_context(presentation)
    context |= {"now": NOW, "user": AnonymousUser()} | armed(context["choices"][0], context["choices"])
    request = RequestFactory().get("/races/k7f3q2/")
    for template in ("games/race.html", "games/answer.html", "games/act.html"):
        html = render_to_string(template, context, request=request)
        assert "Nothing else is possible: you hold no card that fits here." in html, template
        for wrong in (
            "Change",
            "change",
            "another answer",
            "Other answers",
            "takes its place",
            "instead",
            "</kbd> to ",
        ):
            assert wrong not in html.partition('id="course"')[0].partition("<main")[2], (template, wrong)
        assert "Change your answer" not in html
        assert "</kbd> to " not in html
        assert faults_of(html) == []


def test_where_nobody_is_asked_who_cannot_answer_one_answer_is_no_matter_of_hands() -> None:
    assert race_context(only_answer("window", policy="open"))["only_text"] == "Nothing else is possible just now."
    assert race_context(sample("window"))["only_text"] == ""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_stays_under_a_hundred_kilobytes(name: str) -> None:
    assert len(PAGES[name]().encode()) < 100_000


def test_my_turn_shows_question_deadline_answers_hand_panel_and_log() -> None:
    text = Page(race_page("my_turn")).text()
    for words in (
        "Your turn: play a card, or end your acts.",
        "2 d 5 h",
        "Thu 3 Dec, 20:00 UTC",
        "Your turn is skipped",
        "Pass 1 with Move 2",
        "Car 1 is Marta’s.",  # noqa: RUF001
        "End, with more to say",
        "Control panel, car 4",
        "Broken Shocks",
        "You draw Swerve and Landmark.",
        "all of it",
    ):
        assert words in text, words


def test_each_answer_and_form_links_to_its_own_confirm_page_by_number() -> None:
    html = race_page("my_turn")
    for number in range(1, 6):
        assert f'id="a{number}" href="/races/k7f3q2/answer/977/{number}"' in html
    assert 'id="a6" href="/races/k7f3q2/form/977/6"' in html


def test_a_card_links_to_the_answers_that_play_it() -> None:
    html = race_page("my_turn")
    assert html.count('class="n" href="#a2"') == 1
    assert html.count('class="n" href="#a1"') == 1


def test_a_race_page_carries_no_token_and_no_key_so_that_it_is_the_same_each_time() -> None:
    for name in ("my_turn", "window", "spectator", "ten_cars"):
        html = race_page(name)
        assert "csrfmiddlewaretoken" not in html
        assert html == race_page(name)


def test_a_sealed_answer_is_shown_to_its_owner_with_the_way_to_change_it() -> None:
    text = Page(race_page("sealed")).text()
    assert "You answered: Swerve. Sealed until the window closes." in text
    assert "Change my answer" in text
    assert "No card" in text


def test_a_spectator_sees_no_hand_no_answers_and_no_wish() -> None:
    html = race_page("spectator")
    text = Page(html).text()
    assert "A window is open." in text
    assert "closes by today, 18:00 UTC" in text
    for words in ("Your hand", "Your answers", "Fate and Box Canyon", 'class="hand"', "Give up"):
        assert words not in html, words


def test_a_race_that_has_stopped_says_so_above_everything_else() -> None:
    presentation = sample("spectator")
    presentation["race"]["fault"] = "This race has stopped: something in its record is broken."
    presentation["waiting"] = None
    context = {**race_context(presentation), "now": NOW, "user": AnonymousUser()}
    html = render_to_string("games/race.html", context, request=RequestFactory().get("/races/k7f3q2/"))
    alert = next(e for e in Page(html).elements if e.attributes.get("role") == "alert")
    assert alert.text == "This race has stopped: something in its record is broken."
    assert "The race stands still." in html
    assert faults_of(html) == []


def test_who_waits_sees_whose_turn_it_is_and_until_when() -> None:
    text = Page(race_page("ten_cars")).text()
    assert "Fen’s turn." in text  # noqa: RUF001
    assert "Tomorrow, 18:40 UTC" in text


def test_a_finished_race_shows_its_places_and_shared_ones_share_a_number() -> None:
    html = race_page("finished")
    text = Page(html).text()
    assert "The race is over." in text
    assert "Olu (car 2) was the first to enter Section 8 6.2." in text
    places = [element.text for element in Page(html).all("td") if element.attributes.get("class") == "pl"][:6]
    assert places == ["1", "2", "2", "4", "5", "6"]
    assert sample("finished")["race"]["secret"] in html


def test_hostile_names_and_race_names_stay_text_everywhere() -> None:
    html = race_page("ten_cars", open_list=True)
    assert "<b>Ivy</b>" not in html
    assert "<script>alert" not in html
    assert html.count("&lt;b&gt;Ivy&lt;/b&gt; &amp; &quot;Co&quot; {{ x }}") >= 3
    title = Page(html).all("title")[0].text
    assert title == "Waiting: Night Owls <script>alert(1)</script>: Roadkill"


def test_the_drawing_has_a_title_a_description_and_nothing_that_takes_focus() -> None:
    html = race_page("my_turn")
    page = Page(html)
    drawing = next(element for element in page.all("svg") if element.attributes.get("role") == "img")
    assert drawing.attributes["aria-labelledby"] == "course-t"
    assert "Olu is in front on Section 5" in next(e.text for e in page.all("desc"))
    assert not [element for element in page.all("a") if "svg" in element.parents]


def test_the_list_of_the_course_counts_places_as_the_race_does() -> None:
    page = Page(race_page("ten_cars", open_list=True))
    places = [element.attributes["value"] for element in page.all("li") if "value" in element.attributes]
    assert places == ["1", "2", "3", "4", "5", "6", "9", "7", "8", "10"]


def test_the_confirm_page_says_what_the_button_does_and_that_nothing_is_sent() -> None:
    html = answer_page("games/answer.html", "window", 2)
    text = Page(html).text()
    assert "Marta (car 1) announces Machine Gun" in text
    assert "You chose answer 2 Machine Gun" in text
    assert "Nothing has been sent yet." in text
    assert "If it comes to a Damage Check" in text
    assert unescape(html).count('{"do": "card", "card": "machine_gun"}') == 1
    assert [b.text for b in Page(html).all("button") if "wide" in b.attributes.get("class", "")] == [
        "Answer: Machine Gun"
    ]


def test_the_form_page_offers_every_part_with_its_bounds() -> None:
    html = answer_page("games/form.html", "my_turn", 6)
    page = Page(html)
    boxes = [e for e in page.all("input") if e.attributes.get("name") == "part-discard"]
    assert len(boxes) == 6
    number = next(e for e in page.all("input") if e.attributes.get("name") == "part-draw")
    assert (number.attributes["min"], number.attributes["max"]) == ("0", "3")
    assert "(at most 3)" in page.text()


def test_the_page_behind_a_mailed_link_has_no_navigation_and_names_its_limits() -> None:
    html = answer_page("games/act.html", "window", 1)
    assert 'name="robots" content="noindex,nofollow"' in html
    assert "Inbox" not in html
    assert "signs you in nowhere" in html


def test_a_closed_link_shows_the_new_question_without_its_answers() -> None:
    html = PAGES["act closed"]()
    text = Page(html).text()
    assert "That question is closed" in text
    assert "Marta (car 1) announces Machine Gun" in text
    assert "Swerve" not in text
    assert 'class="answers"' not in html


def test_no_template_has_inline_style_or_script() -> None:
    for file in TEMPLATES.rglob("*"):
        if file.is_file():
            source = file.read_text("utf-8")
            assert " style=" not in source, file
            assert "<style" not in source, file
            assert "javascript:" not in source, file
            assert "|safe" not in source, file
            assert "autoescape off" not in source, file


def test_the_stylesheet_is_small_and_fetches_nothing_from_elsewhere() -> None:
    source = (STATIC / "site.css").read_text("utf-8")
    assert len(source.encode()) < 40_000
    assert "//" not in source.replace("/* ", "").replace(" */", "")
    for piece in source.split("url(")[1:]:
        assert finders.find(f"games/{piece.split(')')[0]}"), piece[:60]


def test_every_font_lies_beside_its_licence() -> None:
    fonts = {file.name.split("-latin")[0] for file in (STATIC / "fonts").glob("*.woff2")}
    assert fonts == {"league-gothic", "zilla-slab", "courier-prime"}
    for font in fonts:
        assert "SIL OPEN FONT LICENSE" in (STATIC / "fonts" / f"OFL-{font}.txt").read_text("utf-8")


@pytest.mark.parametrize("template", ["500.html", "503.html", "403_csrf.html"])
def test_pages_for_trouble_need_neither_request_nor_database(template: str) -> None:
    html = render_to_string(template)
    assert faults_of(html) == []
    assert "Traceback" not in html


def test_the_style_keeps_a_choice_beside_its_circle_and_dresses_fields_of_time() -> None:
    """A label in a fieldset stands above its field, but one that holds a radio button stays a row of two."""
    style = (STATIC / "site.css").read_text("utf-8")
    above = [rule for rule in style.split("}") if ".f>label" in rule and "display:block" in rule]
    assert above
    assert all(".f>label:not(.opt)" in rule for rule in above)
    (dressed,) = [rule for rule in style.split("}") if "input[type=date]," in rule and "min-height:48px" in rule]
    assert "input[type=time]" in dressed


def test_what_stands_below_the_answers_does_not_touch_the_next_panel() -> None:
    assert ".below{margin-bottom:16px}" in (STATIC / "site.css").read_text("utf-8")
    assert 'gap below">The numbers are the same' in race_page("my_turn")
