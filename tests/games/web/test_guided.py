"""A guided first race: begun in one press, a word on each question by page, mail and API, until told to stop."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from rest_framework.test import APIClient

from games.models import Race, Seat
from games.rulesets.roadkill.guide import ANSWERS, DISCARD, SHOOTS_BACK, TEXTS
from games.selectors.races import race_present
from games.selectors.rules import rule_told
from games.services.errors import NotYourSeat
from games.services.guided import guided_race, seat_guide
from games.services.sweep import sweep
from games.services.turns import action_submit
from notifications.channels.email.message import mail_html, mail_text
from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import api_token_create
from tests.games.web.conftest import Browser
from tests.notifications.test_letters import letter

Open = Callable[[User | None], Browser]


def own(race: Race, user: User) -> Seat:
    return Seat.objects.get(race=race, player=user)


def asked(race: Race, user: User) -> dict[str, Any]:
    """The presentation once something is asked of this driver, as it must be as soon as bots have answered."""
    for _ in range(60):
        presented: dict[str, Any] = race_present(race=Race.objects.get(pk=race.pk), viewer=own(race, user))
        if presented["question"] or presented["race"]["status"] == "finished":
            return presented
        sweep()
    raise AssertionError("nothing is asked of the driver")


def test_a_newcomer_never_waits_for_a_clock(alice: User) -> None:
    race = guided_race(by=alice)
    for number in range(40):
        question = asked(race, alice)["question"]
        if question is None:
            break
        answers = question["answers"]
        action_submit(
            race_id=race.pk,
            seat_id=own(race, alice).pk,
            expected_seq=question["position"],
            idempotency_key=f"press-{number}",
            action=answers[0 if number % 3 else -1]["action"],
        )
    assert race.entries.count() > 40


def test_one_press_begins_a_race_on_the_beginners_track_against_three_bots(alice: User, browser: Open) -> None:
    page = browser(alice)
    assert "Begin a guided first race" in page.html("/races/new")
    answer = page.post("/races/first", {})
    race = Race.objects.get()
    assert answer.headers["Location"] == f"/races/{race.public_id}/"
    assert (race.status, race.options["track"], race.host_id) == ("running", "beginner", alice.pk)
    assert sorted(race.seats.values_list("bot", flat=True)) == ["", "driver", "driver", "driver"]
    words = asked(race, alice)["question"]["what_now"]
    html = page.html(f"/races/{race.public_id}/")
    assert "What now?" in html
    assert words.partition(" (BT")[0] in unescape(html)
    assert 'href="/rules/roadkill/#rbt' in html
    assert "s Track: a printed map, no fuel, no Events" in html
    assert "Fuel" not in html


def test_whoever_has_no_race_yet_is_offered_one_in_the_inbox(alice: User, browser: Open) -> None:
    page = browser(alice)
    assert "Begin a guided first race" in page.html("/")
    page.post("/races/first", {})
    assert "Begin a guided first race" not in page.html("/")


def test_when_it_is_over_the_page_says_what_there_is_next(alice: User, bob: User, browser: Open) -> None:
    race = guided_race(by=alice)
    page = browser(alice)
    address = f"/races/{race.public_id}/"
    assert "What next?" not in page.html(address)
    played_to_its_end(race, alice)
    assert "What next?" in page.html(address)
    assert page.post("/races/first", {}).headers["Location"] != address


def played_to_its_end(race: Race, user: User) -> None:
    """The driver rests while the bots drive; whoever is first ends the race."""
    for number in range(300):
        question = asked(race, user)["question"]
        if question is None:
            return
        answers = question["answers"]
        ready = next((one for one in answers if one["action"]["do"] in {"end", "no_card", "decline"}), answers[0])
        action_submit(
            race_id=race.pk,
            seat_id=own(race, user).pk,
            expected_seq=question["position"],
            idempotency_key=f"rest-{number}",
            action=ready["action"],
        )
    raise AssertionError("nobody has crossed the Finish Line")


def test_what_the_guide_cites_is_told_as_the_sheet_has_it(alice: User, browser: Open) -> None:
    cited = set(re.findall(r"BT\d(?:\.\d+)?", " ".join([*TEXTS.values(), *ANSWERS.values(), SHOOTS_BACK, DISCARD])))
    html = browser(alice).html("/rules/roadkill/")
    assert len(cited) > 15
    for number in cited:
        words = rule_told(ruleset="roadkill", number=number).words
        assert words in unescape(html)
        assert not re.search(r"[fF]uel(?! Leak)|Event|Side Road|night|R\d", words), (number, words)


def test_pressing_again_leads_to_the_race_that_is_going(alice: User) -> None:
    assert guided_race(by=alice) == guided_race(by=alice)


def test_it_is_said_until_the_driver_has_enough(alice: User, browser: Open) -> None:
    race = guided_race(by=alice)
    assert asked(race, alice)["question"]["what_now"]
    page = browser(alice)
    page.html(f"/races/{race.public_id}/")
    page.post(f"/races/{race.public_id}/guide", {})
    assert asked(race, alice)["question"]["what_now"] == ""
    assert "What now?" not in page.html(f"/races/{race.public_id}/")


def test_a_program_begins_one_reads_the_words_and_switches_them(alice: User) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {api_token_create(user=alice, label='test')[1]}")
    begun = client.post("/api/v1/races/first")
    assert begun.status_code == 201, begun.content
    race = Race.objects.get(public_id=begun.json()["race"]["id"])
    asked(race, alice)
    address = f"/api/v1/races/{race.public_id}"
    assert "(BT" in client.get(address).json()["question"]["what_now"]
    off = client.put(f"{address}/guide", {"guided": False}, format="json")
    assert (off.status_code, off.json()["question"]["what_now"]) == (200, "")
    on = client.put(f"{address}/guide", {"guided": True}, format="json")
    assert on.json()["question"]["what_now"] != ""


def test_the_mail_of_a_question_says_it_too(alice: User) -> None:
    presented = asked(guided_race(by=alice), alice)
    composed = letter("turn", presented)
    words = presented["question"]["what_now"]
    assert words in " ".join(mail_text(composed).split())
    assert "What now?" in mail_html(composed, "s")


def test_other_races_and_other_drivers_hear_nothing(alice: User, bob: User) -> None:
    race = guided_race(by=alice)
    with pytest.raises(NotYourSeat):
        seat_guide(race_id=race.pk, by=bob, guided=False)
    assert race_present(race=race, viewer=None)["question"] is None
    assert own(race, alice).guided


def test_the_words_follow_the_situation_after_an_answer(alice: User) -> None:
    race = guided_race(by=alice)
    presented = asked(race, alice)
    start = next((one for one in presented["question"]["answers"] if one["action"]["do"] == "start"), None)
    chosen = start or presented["question"]["answers"][0]
    before = presented["question"]["what_now"]
    action_submit(
        race_id=race.pk,
        seat_id=own(race, alice).pk,
        expected_seq=presented["question"]["position"],
        idempotency_key="first",
        action=chosen["action"],
    )
    assert asked(race, alice)["question"]["what_now"] != before or start is None
