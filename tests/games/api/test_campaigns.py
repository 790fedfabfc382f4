"""Campaigns by a program: made, joined, started, bought in, read, hosted."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core import mail
from rest_framework.test import APIClient

from games.models import Campaign, Posting
from roadkill_site.accounts.models import User
from tests.games.circuits import Circuit, circuit_started, cup_at_hand
from tests.games.conftest import person

Program = Callable[[User | None], APIClient]
BASE = "/api/v1/campaigns"


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def going(alice: User, bob: User) -> Circuit:
    """A started campaign of Alice, who hosts, and Bob."""
    return circuit_started([alice, bob])


def test_a_program_makes_joins_and_starts_a_campaign(alice: User, bob: User, program: Program) -> None:
    wish = {"name": "Cup", "ruleset": "cup", "seats": 3, "is_public": True, "starts_when_full": False, "tempo": "daily"}
    made = program(alice).post(BASE, wish, format="json")
    assert made.status_code == 201
    found = made.json()
    assert made["Location"].endswith(f"{BASE}/{found['id']}")
    assert (found["status"], found["standings"], found["races"][0]["status"]) == ("lobby", [], "open")
    address = f"{BASE}/{found['id']}"
    assert program(bob).post(f"{address}/join", {}, format="json").status_code == 200
    refused = program(bob).post(f"{address}/start")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_host")
    started = program(alice).post(f"{address}/start").json()
    assert started["status"] == "running"
    assert [(line["points"], line["kind"]) for line in started["standings"]] == [(3, "player"), (3, "player")]
    assert started["purchases"]["race"] == 1
    assert [line["name"] for line in program(None).get(BASE).json()["results"]] == ["Cup"]
    odd = program(alice).post(BASE, {**wish, "upgrades": "all"}, format="json")
    assert (odd.status_code, odd.json()["errors"][0]["field"]) == (400, "upgrades")
    other = program(alice).post(BASE, {**wish, "ruleset": "toy"}, format="json")
    assert other.json()["errors"] == [{"field": "ruleset", "detail": "Matches has no campaign."}]


def test_a_program_buys_and_returns_by_number_action_and_letter(going: Circuit, program: Program) -> None:
    address = f"{BASE}/{going.row.public_id}"
    mine = program(going.driver(1))
    (waiting,) = mine.get("/api/v1/me/purchases").json()
    assert (waiting["campaign"]["id"], waiting["car"]) == (going.row.public_id, 1)
    question = mine.get(address).json()["question"]
    assert question["answers"][0]["words"] == "Buy P, Part P, for 1"
    head = {"decision": question["decision"], "position": question["position"]}
    assert waiting["purchase"] == question["decision"]
    both = mine.post(f"{address}/purchase", {**head, "key": "k", "number": 1, "action": {}}, format="json")
    assert both.json()["code"] == "malformed"
    none = mine.post(f"{address}/purchase", {**head, "key": "k", "number": 77}, format="json")
    assert none.json()["detail"] == "There is no answer 77; there are 4."
    dear = mine.post(f"{address}/purchase/buy", {**head, "key": "k", "upgrade": "T"}, format="json")
    assert (dear.status_code, dear.json()["code"], dear.json()["rule"]) == (422, "illegal", "7.2")
    assert dear.json()["question"]["decision"] == question["decision"]
    bought = mine.post(f"{address}/purchase", {**head, "key": "k", "number": 3}, format="json").json()
    assert bought == {"words": "Buy R, Part R, for 3", "step": 0, "posting": 3, "is_over": True}
    again = mine.post(f"{address}/purchase", {**head, "key": "k", "number": 3}, format="json").json()
    assert again == bought
    other = mine.post(f"{address}/purchase", {**head, "key": "new", "number": 3}, format="json")
    assert (other.status_code, other.json()["code"]) == (409, "not_yours")
    assert mine.get("/api/v1/me/purchases").json() == []
    going.nobody_buys()
    going.call([1, 2], [0, 0])
    question = mine.get(address).json()["question"]
    head = {"decision": question["decision"], "position": question["position"]}
    returned = mine.post(f"{address}/purchase/return", {**head, "key": "r", "upgrade": "R"}, format="json").json()
    assert (returned["words"], returned["is_over"]) == ("Return R, Part R, for 1", False)
    stale = mine.post(f"{address}/purchase/buy", {**head, "key": "s", "upgrade": "P"}, format="json")
    assert (stale.status_code, stale.json()["code"], stale.json()["position"]) == (409, "stale", 1)
    head["position"] = stale.json()["position"]
    assert mine.post(f"{address}/purchase/buy", {**head, "key": "s", "upgrade": "P"}, format="json").status_code == 200
    assert Posting.objects.filter(kind="bought").count() == 2


def test_ledger_and_standings_are_read_by_anybody_who_may_see_the_campaign(going: Circuit, program: Program) -> None:
    going.buy("P")
    going.nobody_buys()
    going.call([2, 1], [2, 5])
    address = f"{BASE}/{going.row.public_id}"
    standings = program(None).get(f"{address}/standings").json()
    assert [(line["car"], line["points"], line["scores"], line["wins"]) for line in standings] == [
        (2, 8, {"1": 5}, 1),
        (1, 4, {"1": 2}, 0),
    ]
    lines = program(None).get(f"{address}/ledger?page_size=3").json()
    assert lines["count"] == 5
    assert [line["kind"] for line in lines["results"]] == ["opening", "opening", "bought"]
    assert lines["results"][2] | {"at": ""} == {
        "number": 3,
        "at": "",
        "car": 1,
        "name": going.driver(1).display_name,
        "kind": "bought",
        "words": "bought P",
        "points": -1,
        "balance": 2,
        "upgrade": "P",
        "race": 1,
        "rule": "7.2",
    }
    shown = program(None).get(address).json()
    assert shown["catalogue"][0] == {"letter": "P", "name": "Part P", "price": 1, "effect": "", "owner": 1}
    assert shown["question"] is None
    assert program(None).get(f"{BASE}/nobody").json()["code"] == "unknown_campaign"


def test_a_private_campaign_is_no_business_of_strangers(alice: User, bob: User, program: Program) -> None:
    going = circuit_started([alice], bots=1, is_public=False)
    address = f"{BASE}/{going.row.public_id}"
    for path in ("", "/ledger", "/standings"):
        assert program(None).get(f"{address}{path}").status_code == 404
        assert program(bob).get(f"{address}{path}").status_code == 404
    assert program(bob).get(BASE).json()["count"] == 0
    assert program(alice).get(BASE).json()["count"] == 1
    for path in ("pause", "close", "start", "drop-out"):
        assert program(bob).post(f"{address}/{path}").status_code == 404
        assert program(None).post(f"{address}/{path}").status_code == 401


def test_a_program_hosts_drops_out_and_drives_on(going: Circuit, program: Program, alice: User, bob: User) -> None:
    address = f"{BASE}/{going.row.public_id}"
    hers, his = program(alice), program(bob)
    assert his.post(f"{address}/pause").json()["code"] == "not_host"
    assert hers.post(f"{address}/pause").json()["status"] == "paused"
    assert hers.post(f"{address}/resume").json()["status"] == "running"
    car = going.row.drivers.get(player=bob).car
    assert hers.post(f"{address}/cars/{car}/relieve").json()["code"] == "seat_not_gone"
    gone = his.post(f"{address}/drop-out").json()
    line = next(one for one in gone["standings"] if one["car"] == car)
    assert (line["kind"], line["stands_in_for"], line["may_drive_on"]) == ("bot", "Bob", True)
    new: Any = program(person("Newcomer"))
    assert new.post(f"{address}/cars/{car}/drive", {}, format="json").json()["you"] == car
    assert hers.post(f"{address}/close").json()["status"] == "closed"
    assert Campaign.objects.get().winner is None
    assert mail.outbox == []
