"""What a letter says, from one presentation."""

import datetime as dt
import re
from dataclasses import replace
from email import message_from_bytes, policy
from typing import Any

import pytest
from django.test import override_settings

from notifications.channels.email.message import SIZE_MOST, mail_compose, mail_html, mail_text
from notifications.letters import Letter, letter_compose, moment_in_words, span_in_words
from tests.notifications.presentations import STORY, presented, question

NOW = dt.datetime(2026, 12, 1, 14, 30, tzinfo=dt.UTC)
KINDS = [
    "invited",
    "started",
    "turn",
    "question",
    "purchase",
    "lapsed",
    "finished",
    "cancelled",
    "seat_gone",
    "seat_lost",
    "seat_offered",
    "seat_claimed",
    "seat_taken",
    "declined",
    "host_new",
    "host_lost",
    "fault",
    "rewind_ask",
    "rewound",
]


def letter(kind: str = "turn", presentation: dict[str, Any] | None = None, **other: Any) -> Letter:
    presentation = presentation or presented()
    asked = presentation["question"] or {"answers": [], "forms": []}
    arguments: dict[str, Any] = {
        "kind": kind,
        "presented": presentation,
        "name": "Wren",
        "zone_name": "Europe/Lisbon",
        "now": NOW,
        "race_address": "https://race.example.org/races/k7f3q2/",
        "stop_address": "https://race.example.org/mail/stop/xyz",
        "answer_addresses": {
            answer["number"]: f"https://race.example.org/act/token{answer['number']}"
            for answer in (*asked["answers"], *asked["forms"])
        },
        "story": STORY,
        "facts": {"host": "Wren", "tempo": "4 seats.", "policy": "paced", "commitment": "ab", "car": "3"},
    }
    return letter_compose(**{**arguments, **other})


def words_of(html: str) -> str:
    body = re.sub(r"<style.*?</style>|<title>.*?</title>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_a_deadline_is_told_on_the_readers_own_clock() -> None:
    due = dt.datetime(2026, 12, 3, 20, 0, tzinfo=dt.UTC)
    assert moment_in_words(due, "Europe/Lisbon") == "Thursday 3 December 2026, 20:00 (Europe/Lisbon)"
    assert moment_in_words(due, "America/New_York") == "Thursday 3 December 2026, 15:00 (America/New York)"
    assert moment_in_words(due, "Asia/Tokyo") == "Friday 4 December 2026, 05:00 (Asia/Tokyo)"


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (dt.timedelta(days=2, hours=5, minutes=59), "2 days 5 hours"),
        (dt.timedelta(days=1), "1 day"),
        (dt.timedelta(days=1, minutes=5), "1 day"),
        (dt.timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (dt.timedelta(minutes=40, seconds=30), "40 minutes"),
        (dt.timedelta(seconds=30), "less than a minute"),
        (dt.timedelta(seconds=-30), "no time"),
    ],
)
def test_what_is_left_is_told_in_its_two_largest_units(span: dt.timedelta, words: str) -> None:
    assert span_in_words(span) == words


def test_the_text_alone_is_enough_to_play() -> None:
    text = mail_text(letter())
    for part in (
        "RoadKill: Dust Devil 300, turn 17",
        "Play a card, or end your actions. (5.2)",
        "Answer by: Thursday 3 December 2026, 20:00 (Europe/Lisbon); 2 days 5 hours left.",
        "left.\nIf you have not answered by then: your turn is skipped.",
        "  1. pass 2 with Move 2 (6.41)\n     https://race.example.org/act/token1",
        "  2. stop (6.6)\n     https://race.example.org/act/token2",
        "  3. End, discarding cards: fill in on the page\n     https://race.example.org/act/token3",
        "- If it comes to a Damage Check: no card.",
        " 39  Olu (car 2) lays Section 5, value 2. (6.21)",
        "  1. car 2, Olu: moving, damage 1 of 7, 7 cards, Narrow Road, leads the race\n",
        "Section 4, value 1, Rest Stop, Fog\n",
        "  2. car 1, Marta: moving, damage 2 of 7, 7 cards\n",
        "  3. car 3, Wren, you: moving, damage 2 of 7, 7 cards, Broken Shocks, to move\n",
        "  4. car 5, Priya: stopped, damage 0 of 7, 7 cards, Side Road II, out of gas, camouflaged\n",
        "Start line\n  5. car 4, Dov: wreck, new car on the next turn\n",
        "- 2 x Move/Road 2\n    Value 2.\n- 1 x Swerve\n    Voids an attack.\n",
        "Fuel: 5 of 8",
        "Road Log: +1",
        "The race: https://race.example.org/races/k7f3q2/",
        "https://race.example.org/mail/stop/xyz",
    ):
        assert part in text
    assert "Section 3" not in text, "a removed Section on which nobody is"


def test_text_and_html_say_the_same() -> None:
    text, html = mail_text(letter()), words_of(mail_html(letter(), "s"))
    for part in (
        "Play a card, or end your actions.",
        "Thursday 3 December 2026, 20:00 (Europe/Lisbon); 2 days 5 hours left",
        "If you have not answered by then: your turn is skipped.",
        "pass 2 with Move 2 (6.41)",
        "End, discarding cards: fill in on the page",
        "If it comes to a Damage Check: no card.",
        "Olu (car 2) lays Section 5, value 2. (6.21)",
        "Section 4, value 1, Rest Stop, Fog",
        "Broken Shocks",
        "Move/Road 2",
        "Swerve",
        "Voids an attack.",
        "5 of 8",
    ):
        assert part in text
        assert part in html


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_subject_text_and_html_and_none_tells_more_than_the_letter_holds(kind: str) -> None:
    presentation = presented()
    if kind not in {"turn", "question"}:
        presentation["question"] = None
    mail = mail_compose(letter=letter(kind, presentation), message_id="<m@x>", address="wren@example.org")
    assert mail.subject.startswith("Dust Devil 300: ")
    assert "\n" not in mail.subject
    text, html = str(mail.body), words_of(str(mail.alternatives[0][0]))
    is_last = kind in {"cancelled", "seat_lost", "finished"}
    for part in (text, html):
        assert ("this is the last mail about this race" in part.lower()) == is_last
        assert ("mails about this race (you keep your seat)" in part) == (not is_last and kind != "invited")
    assert "Reply" not in mail.subject


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_of_the_text_stands_in_the_html_too(kind: str) -> None:
    facts = {
        "host": "Wren",
        "tempo": "4 seats.",
        "policy": "paced",
        "commitment": "ab",
        "car": "3",
        "about": "Dov (car 4)",
        "offered_car": "",
        "replay_address": "https://race.example.org/replay",
        "record_address": "https://race.example.org/record",
    }
    composed = letter(kind, facts=facts, news=("started", "lapsed", "seat_gone"))
    html = re.sub(r" (?=[.,])", "", words_of(mail_html(composed, "s")))
    lines = mail_text(composed).partition("SINCE YOU LAST ACTED")[0].splitlines()
    # Sentences; headings, addresses and numbered answers are printed by each part in its own way.
    prose = [part for line in lines for part in re.findall(r"[A-Z][a-z]*(?: [\w',()-]+)+[.?](?= |$)", line)]
    assert len(prose) >= 5
    assert [part for part in prose if part not in html] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_subject_is_the_same_whatever_the_hand_the_question_and_the_story_are(kind: str) -> None:
    other = presented(question=question(text="Do you play Fate?", rule="9.3", key="fate"))
    other["view"]["hand"] = []
    one = mail_compose(letter=letter(kind), message_id="<m@x>", address="w@example.org")
    two = mail_compose(letter=letter(kind, other, story=()), message_id="<m@x>", address="w@example.org")
    assert one.subject == two.subject


def test_names_are_escaped_in_html_and_whole_in_text() -> None:
    presentation = presented()
    presentation["race"]["name"] = "<b>Fast & Wild</b>"
    presentation["names"]["2"] = "<script>alert(1)</script>"
    text = mail_text(letter("turn", presentation))
    html = mail_html(letter("turn", presentation), "s")
    assert "<b>Fast & Wild</b>" in text
    assert "car 2, <script>alert(1)</script>" in text
    assert "<script" not in html
    assert "&lt;b&gt;Fast &amp; Wild&lt;/b&gt;" in html


def test_a_race_name_cannot_add_a_header() -> None:
    presentation = presented()
    presentation["race"]["name"] = "Fast\r\nBcc: eve@example.org"
    mail = mail_compose(letter=letter("turn", presentation), message_id="<m@x>", address="w@example.org")
    raw = message_from_bytes(mail.message().as_bytes(), policy=policy.default)
    assert raw["Bcc"] is None
    assert raw["Subject"] == "Fast Bcc: eve@example.org: your turn, turn 17"


def test_a_mail_is_alternative_text_first_and_has_our_headers() -> None:
    with override_settings(REPLY_DOMAIN="race.example.org", MAIL_FROM="Roadkill <turns@race.example.org>"):
        mail = mail_compose(letter=letter(), message_id="<one@race.example.org>", address="wren@example.org")
        raw = message_from_bytes(mail.message().as_bytes(), policy=policy.default)
    assert raw.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in raw.iter_parts()] == ["text/plain", "text/html"]
    assert raw["Message-ID"] == "<one@race.example.org>"
    assert raw["In-Reply-To"] == "<race-k7f3q2@race.example.org>"
    assert raw["References"] == "<race-k7f3q2@race.example.org> <one@race.example.org>"
    assert raw["List-Id"] == "<race-k7f3q2.race.example.org>"
    page, address = raw["List-Unsubscribe"].split(", ")
    assert page == "<https://race.example.org/mail/stop/xyz>"
    assert re.fullmatch(r"<mailto:stop\+one-[a-z2-7]{16}@race\.example\.org\?subject=stop>", address)
    assert raw["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert raw["Auto-Submitted"] == "auto-generated"
    assert raw["X-Auto-Response-Suppress"] == "All"
    assert raw["Date"] is not None
    assert raw["To"] == "wren@example.org"
    assert raw["List-Post"] is None


def test_one_click_is_offered_by_https_only() -> None:
    plain = letter(stop_address="http://127.0.0.1:8000/mail/stop/xyz")
    mail = mail_compose(letter=plain, message_id="<m@x>", address="w@example.org")
    assert mail.extra_headers["List-Unsubscribe"].startswith("<http://127.0.0.1:8000/mail/stop/xyz>, <mailto:")
    assert "List-Unsubscribe-Post" not in mail.extra_headers


def test_the_html_fetches_nothing_and_keeps_what_makes_it_dark() -> None:
    html = mail_html(letter(), "s")
    assert not re.search(r"<(img|link|script|iframe|form)\b|url\(|@import", html)
    assert "prefers-color-scheme" in html
    assert re.search(r'<h1 style="[^"]*text-transform', html), "styles are inlined"


@pytest.mark.parametrize(("answers", "printed"), [(2, 2), (60, 60), (200, 200), (400, 60)])
def test_the_html_stays_below_what_readers_cut_off_however_much_there_is_to_say(answers: int, printed: int) -> None:
    token = "x" * 230
    asked = question(
        answers=[
            {
                "number": n,
                "words": f"pass {n} with both values of Rest Stop Move 2",
                "rule": "6.41",
                "action": {},
            }
            for n in range(1, answers + 1)
        ],
        forms=[],
    )
    presentation = presented(question=asked)
    presentation["names"] = {str(n): "Wilhelmina Montgomery-Smythe 3" for n in range(1, 6)}
    long = letter(
        "turn",
        presentation,
        answer_addresses={n: f"https://race.example.org/act/{token}{n}" for n in range(1, answers + 1)},
        story=[{"entry": n, "text": "Wilhelmina Montgomery-Smythe 3 (car 2) passes. " * 3} for n in range(40)],
    )
    html = mail_html(long, "s")
    assert len(html.encode()) < SIZE_MOST
    assert html.count("/act/") == printed
    assert ("340 more answers" in html) == (answers == 400)
    assert mail_text(long).count("/act/") == answers


def test_a_question_tells_what_else_came_of_the_same_act_before_it_asks() -> None:
    facts = {"car": "3", "tempo": "4 cars.", "policy": "paced", "commitment": "ab", "about": "Dov (car 4)"}
    both = letter("turn", news=("started", "seat_gone"), facts=facts)
    for words in (mail_text(both), words_of(mail_html(both, "s"))):
        told = [
            words.index(part)
            for part in (
                "The race has started, and you drive car 3.",
                "Dov (car 4) has been away.",
                "Play a card, or end your actions.",
            )
        ]
        assert told == sorted(told)
    assert "The race has started" not in mail_text(letter("turn"))


def test_who_has_not_acted_yet_is_told_the_story_from_the_start() -> None:
    for composed, heading in ((letter(), "Since you last acted"), (letter(has_acted=False), "Since the start")):
        assert f"\n{heading.upper()}\n" in mail_text(composed)
        assert heading in words_of(mail_html(composed, "s"))


def test_a_question_with_one_answer_says_so() -> None:
    one = question(answers=[{"number": 1, "words": "no card", "rule": "7.3", "action": {}}], forms=[])
    for asked, is_said in ((one, True), (question(), False)):
        composed = letter("question", presented(question=asked))
        assert ("There is only this answer" in mail_text(composed)) == is_said
        assert ("There is only this answer" in words_of(mail_html(composed, "s"))) == is_said


@pytest.mark.parametrize(
    ("kind", "policy", "why"),
    [
        ("reaction", "paced", "you hold no card that fits here. You are asked all the same"),
        ("reaction", "open", "Nothing else is possible just now."),
        ("turn", "paced", "Nothing else is possible just now."),
    ],
)
def test_a_question_with_one_answer_says_why_to_whom_it_is_asked(kind: str, policy: str, why: str) -> None:
    one = question(answers=[{"number": 1, "words": "no card", "rule": "7.3", "action": {}}], forms=[], kind=kind)
    asked = presented(question=one)
    composed = letter("question", {**asked, "race": {**asked["race"], "policy": policy}})
    assert why in " ".join(mail_text(composed).split())
    assert why in words_of(mail_html(composed, "s"))


def test_an_offer_of_a_car_under_way_says_which() -> None:
    offered = letter("invited", presented(question=None), facts={"host": "Wren", "offered_car": "4"})
    for words in (mail_text(offered), words_of(mail_html(offered, "s"))):
        assert "Wren offers you a seat in a race of RoadKill that is under way: car 4, whose driver has gone." in words
        assert "Until somebody does, the car's turns pass." in words


@pytest.mark.parametrize(
    ("kind", "wrong"), [("started", "Nothing is asked of you yet"), ("invited", "when there is time")]
)
def test_a_mail_promises_nothing_that_may_have_changed_or_is_not_agreed(kind: str, wrong: str) -> None:
    """A question may come in the same second as the start; in a live race nobody answers when there is time."""
    mail = letter(kind, presented(question=None))
    for words in (mail_text(mail), words_of(mail_html(mail, "s"))):
        assert wrong not in words


def test_who_is_not_asked_gets_no_answers() -> None:
    text = mail_text(letter("started", presented(question=None)))
    assert "YOUR ANSWERS" not in text
    assert "/act/" not in text


def test_a_result_is_told_by_places_with_ties_and_the_reader_marked() -> None:
    result = {
        "places": [
            [{"seat": 2, "name": "Olu"}],
            [{"seat": 1, "name": "Marta"}, {"seat": 3, "name": "Wren"}],
            [{"seat": 4, "name": "Dov"}],
        ],
        "teams": False,
        "reason": "Olu entered Section 8.",
    }
    text = mail_text(letter("finished", presented(question=None, result=result)))
    assert "1. Olu\n2. Marta and Wren (you)\n4. Dov\nOlu entered Section 8." in text


def test_a_ruleset_without_words_for_its_table_is_told_without_a_board() -> None:
    presentation = presented()
    presentation["race"]["ruleset"] = "toy"
    presentation["board"] = None
    composed = letter("turn", presentation)
    assert composed.course == ()
    assert "YOUR ANSWERS" in mail_text(composed)


def test_a_letter_cannot_be_changed_after_it_was_composed() -> None:
    with pytest.raises(AttributeError):
        letter().race_name = "other"  # type: ignore[misc]
    assert replace(letter(), name="Olu").name == "Olu"
