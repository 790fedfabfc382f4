"""A race with car upgrades on the server: what the host may agree on, the draft, and what its drivers are shown."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from rest_framework.test import APIClient

from games.engine.record import load, verify
from games.models import CampaignRace, Decision, Race
from games.runtime.rulesets import RULESETS
from games.selectors.records import record_bytes
from games.services.bots import bots_answer
from games.services.campaigns import campaign_create
from games.services.errors import FieldRefused, RuleViolation
from games.services.plans import plan_save
from games.services.races import race_create, race_join, race_start, race_update, seat_add_bot
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import Game

Clock = time_machine.Traveller
Draft = Callable[..., Game]


def laid_down(race: Race, upgrades: Any) -> None:
    """Cars have these upgrades: what they bring along is written by campaigns alone, so not by way of a host."""
    race.options = RULESETS["roadkill"].options({**race.options, "upgrades": upgrades})
    race.save(update_fields=["options"])


@pytest.fixture
def drafting(alice: User, bob: User, charlie: User, clock: Clock) -> Draft:
    """Makes running races of Alice, Bob and Charlie whose upgrades are to be drafted."""

    def make(upgrades: Any) -> Game:
        race = race_create(by=alice, name="Drafty", seats=3, is_public=True, starts_when_full=False)
        laid_down(race, upgrades)
        for person in (bob, charlie):
            race_join(race_id=race.pk, by=person)
        race_start(race_id=race.pk, by=alice)
        return Game(race)

    return make


def test_each_driver_is_asked_in_turn_with_what_is_free_and_what_it_costs(drafting: Draft) -> None:
    game = drafting("reverse_draft")
    assert game.present(None)["waiting"]["kind"] == "turn"
    assert [row.seat.number for row in Decision.objects.all()] == [3]
    question = game.question(3)
    assert (question["key"], question["kind"], question["rule"]) == ("draft", "draft", "10.1")
    assert question["text"] == "Cars are fitted out before the race, and you have 5 points. Which upgrade do you draft?"
    words = [answer["words"] for answer in question["answers"]]
    assert (words[0], words[-1], len(words)) == ("draft A, Computer Guidance System", "draft nothing", 12)
    assert "draft nothing" in question["otherwise"]
    board = game.present(3)["board"]
    assert "I Rotor (2 points): Narrow Roads do not hinder your passes" in board["table"]
    assert {"label": "Free upgrades", "text": board["table"]} in board["figures"]
    game.act(3, "draft A")
    with pytest.raises(RuleViolation, match="car 3 has it") as refused:
        game.act(2, "draft A")
    assert refused.value.rule == "10.1"
    game.act(2, "I")
    game.act(1, "the Reserve Tank")
    board = game.present(None)["board"]
    assert "A Computer" not in board["table"]
    assert board["cars"]["3"]["upgrades"] == ["A Computer Guidance System"]
    assert "upgrades G" in next(car["words"] for car in board["sections"][-1]["cars"] if car["seat"] == 1)


def test_a_plan_for_the_first_turn_waits_while_the_draft_goes_on(drafting: Draft) -> None:
    game = drafting("draft")
    seat = game.seat(1).pk
    told = plan_save(race_id=game.pk, seat_id=seat, lines=["end, draw 0"], idempotency_key="early")
    assert told["state"] == "waiting"
    game.act(3, "draft F")
    game.act(2, "draft nothing")
    assert game.question(1)["key"] == "draft"
    game.act(1, "draft C")
    assert game.question(2)["key"] == "act"
    assert [row["text"] for row in game.present(None)["log"]][-1].startswith("Bob") or game.present(2)["question"]


def test_a_draft_that_nobody_answers_goes_on_by_its_deadlines(drafting: Draft, clock: Clock) -> None:
    game = drafting("draft")
    for number in (3, 2, 1):
        assert game.question(number)["key"] == "draft"
        clock.move_to(Decision.objects.get(race_id=game.pk).due_at + timedelta(seconds=1))
        sweep()
    assert game.question(1)["key"] == "act"
    assert [car["upgrades"] for car in game.present(None)["view"]["cars"]] == [[], [], []]


@pytest.mark.parametrize("upgrades", ["draft", "reverse_draft", {"1": ["F", "H"], "2": ["J"]}])
def test_bots_draft_and_race_against_somebody_who_lets_deadlines_pass_and_the_record_is_proved_offline(
    alice: User, clock: Clock, upgrades: Any
) -> None:
    race = race_create(by=alice, name="Bots", seats=3, starts_when_full=False, options={"sections": 3})
    laid_down(race, upgrades)
    for _ in range(2):
        seat_add_bot(race_id=race.pk, by=alice, bot="driver")
    race_start(race_id=race.pk, by=alice)
    game = Game(race)
    for _ in range(400):
        bots_answer(race_id=race.pk)
        if game.race.status == "finished":
            break
        clock.shift(timedelta(days=2))
        sweep()
    assert game.race.status == "finished"
    record = load(record_bytes(race=game.race))
    assert record.options["upgrades"] == upgrades
    assert verify(RULESETS, record) == record.outcome


def test_what_cannot_be_brought_along_is_refused_when_the_race_is_made(alice: User) -> None:
    with pytest.raises(FieldRefused, match="is there once: car 1 brings it along"):
        race_create(by=alice, name="Twice", options={"upgrades": {"1": ["A"], "2": ["A"]}})


def test_a_host_cannot_give_cars_upgrades_neither_when_the_race_is_made_nor_later(alice: User) -> None:
    brought = {"upgrades": {"1": ["F", "H"], "2": ["J"]}}
    with pytest.raises(FieldRefused, match="bought in a campaign and cannot be laid down for a race") as refused:
        race_create(by=alice, name="Gifts", options=brought)
    assert refused.value.field == "options"
    race = race_create(by=alice, name="Gifts", options={"upgrades": "draft"})
    with pytest.raises(FieldRefused, match="make a campaign, or let upgrades be drafted"):
        race_update(race_id=race.pk, by=alice, options=brought)
    race.refresh_from_db()
    assert race.options["upgrades"] == "draft"
    campaign = campaign_create(by=alice, name="Circuit")
    first = CampaignRace.objects.get(campaign=campaign).race
    with pytest.raises(FieldRefused, match="bought in a campaign"):
        race_update(race_id=first.pk, by=alice, options=brought)


def test_a_program_is_told_in_a_sentence_that_it_cannot_give_cars_upgrades(alice: User) -> None:
    program = APIClient()
    program.force_authenticate(alice)
    wish = {"name": "Gifts", "seats": 2, "options": {"upgrades": {"1": ["A"]}}}
    told = program.post("/api/v1/races", wish, format="json")
    assert told.status_code == 400, told.json()
    (error,) = told.json()["errors"]
    assert error["field"] == "options"
    assert "make a campaign" in error["detail"]
    assert not Race.objects.exists()


def test_the_page_of_a_new_race_offers_drafts_and_the_lobby_tells_them(alice: User, client: Client) -> None:
    client.force_login(alice)
    assert "two for each car, drafted there and back" in client.get("/races/new").content.decode()
    given = {"name": "Drafty", "seats": "3", "sections": "5", "components": "classic", "tempo": "daily"}
    given |= {"policy": "strict", "is_public": "yes", "upgrades": "reverse_draft"}
    assert client.post("/races/new", given).status_code == 303
    race = Race.objects.get()
    assert race.options == {"sections": 5, "components": "classic", "upgrades": "reverse_draft"}
    assert "<dt>Upgrades</dt><dd>two for each car" in client.get(f"/races/{race.public_id}/").content.decode()
    assert client.post("/races/new", {**given, "upgrades": "all"}).status_code == 422
    assert client.post("/races/new", {**given, "upgrades": "none"}).status_code == 303
    assert Race.objects.latest("pk").options == {"sections": 5, "components": "classic"}


def test_the_page_of_a_race_shows_each_cars_upgrades_in_words(drafting: Draft, client: Client, alice: User) -> None:
    game = drafting({"1": ["G"], "2": ["A", "D"]})
    client.force_login(alice)
    html = client.get(f"/races/{game.race.public_id}/").content.decode()
    for words in ("G Reserve Tank", "A Computer Guidance System", "D Burglar Alarm"):
        assert words in html
