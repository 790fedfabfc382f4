"""Races of teams (chapter 12) on the server: seats and cars, who drives with whom, letters, giving up; to the end."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest
import time_machine
from django.test import Client

from games.engine.errors import RecordBroken
from games.engine.record import load, verify
from games.models import Decision, Seat
from games.runtime.rulesets import RULESETS
from games.selectors.races import race_present
from games.selectors.records import record_bytes
from games.services.bots import bots_answer
from games.services.campaigns import campaign_create
from games.services.errors import FieldRefused, RaceNotOpen
from games.services.races import race_create, race_join, race_leave, race_start, seat_add_bot, seat_partner, seat_resign
from games.services.records import race_import
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, person

Clock = time_machine.Traveller
MakeTeams = Callable[..., Game]


@pytest.fixture
def teams(alice: User, bob: User) -> MakeTeams:
    """Makes running races of teams: Alice and Bob, more people by name, and bots."""

    def make(*names: str, bots: int = 0, sections: int = 3, **settings: Any) -> Game:
        people = [alice, bob, *map(person, names)]
        race = race_create(
            by=alice,
            name="Pairs",
            seats=len(people) + bots,
            is_public=True,
            starts_when_full=False,
            options={"sections": sections, "teams": True},
            **settings,
        )
        for one in people[1:]:
            race_join(race_id=race.pk, by=one)
        for _ in range(bots):
            seat_add_bot(race_id=race.pk, by=alice, bot="driver")
        race_start(race_id=race.pk, by=alice)
        return Game(race)

    return make


def test_who_names_each_other_drives_together_and_the_record_proves_the_draw(
    alice: User, bob: User, charlie: User, clock: Clock
) -> None:
    race = race_create(
        by=alice, name="Pairs", seats=6, is_public=True, starts_when_full=False, options={"sections": 3, "teams": True}
    )
    seats = {"Alice": Seat.objects.get(race=race)}
    for who in (bob, charlie):
        race_join(race_id=race.pk, by=who)
        seats[who.display_name] = Seat.objects.get(race=race, player=who)
    bots = [seat_add_bot(race_id=race.pk, by=alice, bot="driver") for _ in range(3)]
    # Bob's wish is not returned, and Alice finds somebody who returns hers; Charlie wants whom another has.
    seat_partner(race_id=race.pk, by=bob, partner=bots[1].pk)
    seat_partner(race_id=race.pk, by=alice, partner=seats["Charlie"].pk)
    seat_partner(race_id=race.pk, by=charlie, partner=seats["Alice"].pk)
    lobby = race_present(race=race, viewer=seats["Alice"])
    assert lobby["pairs"] == [[seats["Alice"].pk, seats["Charlie"].pk], [seats["Bob"].pk, bots[1].pk]]
    race_start(race_id=race.pk, by=alice)
    car = {seat.pk: seat.car for seat in Seat.objects.filter(race=race)}
    assert car[seats["Alice"].pk] == car[seats["Charlie"].pk]
    assert car[seats["Bob"].pk] == car[bots[1].pk]
    assert car[bots[0].pk] == car[bots[2].pk]
    game = Game(race)
    assert game.present(None)["pairs"] == []
    with pytest.raises(RaceNotOpen):
        seat_partner(race_id=race.pk, by=alice, partner=None)
    play_on(game, clock)
    record = load(record_bytes(race=game.race))
    assert record.pairs == ((1, 3), (2, 5))
    verify(RULESETS, record)
    for other in (((1, 2), (3, 5)), ((1, 1), (2, 5)), ((1, 3), (3, 5)), ((1, 9), (2, 5))):
        with pytest.raises(RecordBroken, match="entry 0"):
            verify(RULESETS, msgspec.structs.replace(record, pairs=other))
    again = race_import(record=record, by=alice, name="Again")
    assert load(record_bytes(race=again)).pairs == record.pairs


@pytest.mark.parametrize(("partner", "text"), [("own", "Name another driver"), ("left", "Name another driver")])
def test_a_wish_is_for_another_driver_who_is_here(alice: User, bob: User, partner: str, text: str) -> None:
    race = race_create(by=alice, name="Pairs", seats=4, is_public=True, options={"teams": True})
    race_join(race_id=race.pk, by=bob)
    seats = {"own": Seat.objects.get(race=race, player=alice), "left": Seat.objects.get(race=race, player=bob)}
    seat_partner(race_id=race.pk, by=alice, partner=seats["left"].pk)
    race_leave(race_id=race.pk, by=bob)
    assert race_present(race=race, viewer=None)["pairs"] == []
    with pytest.raises(FieldRefused, match=text):
        seat_partner(race_id=race.pk, by=alice, partner=seats[partner].pk)


def test_a_race_without_teams_has_no_partners_and_its_record_says_nothing_of_them(alice: User) -> None:
    race = race_create(by=alice, name="Single", seats=2)
    with pytest.raises(FieldRefused, match="a car of their own"):
        seat_partner(race_id=race.pk, by=alice, partner=None)
    seat_add_bot(race_id=race.pk, by=alice, bot="driver")
    seat_resign(race_id=race.pk, by=alice)
    race.refresh_from_db()
    assert race.status == "finished"
    assert b"pairs" not in record_bytes(race=race)


def play_on(game: Game, clock: Clock, *, until: Callable[[Game], bool] = lambda game: False) -> None:
    """Let bots and people answer, people with the first of their answers, until the race is over or this holds."""
    for _ in range(3000):
        if game.race.status != "running" or until(game):
            return
        bots_answer(race_id=game.pk)
        row = Decision.objects.filter(seat__race_id=game.pk, seat__bot="", sealed_at=None).order_by("pk").first()
        if row is not None:
            number = row.seat.number
            assert number is not None
            game.act(number, game.question(number)["answers"][0]["words"])
        else:
            clock.shift(timedelta(hours=1))
            sweep()
    raise AssertionError("the race does not end")


def test_a_race_of_teams_is_driven_to_its_end_and_proved(teams: MakeTeams, clock: Clock) -> None:
    game = teams("Cleo", bots=5)
    seats = list(Seat.objects.filter(race_id=game.pk).order_by("number"))
    assert [(seat.number, seat.car) for seat in seats] == [(n, (n - 1) % 4 + 1) for n in range(1, 9)]
    play_on(game, clock)
    assert game.race.status == "finished"
    places = game.present(None)["result"]["places"]
    assert sorted(sorted(driver["seat"] for driver in place) for place in places) == [[1, 5], [2, 6], [3, 7], [4, 8]]
    verify(RULESETS, load(record_bytes(race=game.race)))


def reach(game: Game, clock: Clock, key: str) -> dict[str, Any]:
    """Play on until a person is asked this, changing drivers whenever it may be done."""
    for _ in range(400):
        assert game.race.status == "running", f"nobody was asked {key}"
        bots_answer(race_id=game.pk)
        row = Decision.objects.filter(seat__race_id=game.pk, seat__bot="", sealed_at=None).order_by("pk").first()
        if row is None:
            clock.shift(timedelta(hours=1))
            sweep()
            continue
        number = row.seat.number
        assert number is not None
        question = game.question(number)
        if question["key"] == key:
            return {"number": number, **question}
        words = [answer["words"] for answer in question["answers"]]
        game.act(number, "change drivers" if "change drivers" in words else words[0])
    raise AssertionError(f"nobody was asked {key}")


def test_who_changes_drivers_sees_both_hands_and_cannot_take_that_back(teams: MakeTeams, clock: Clock) -> None:
    game = teams("Cleo", "Dov")
    asked = reach(game, clock, "keep")
    number = asked["number"]
    mine = game.present(number)
    partner = next(seat["seat"] for seat in mine["seats"] if seat["car"] == mine["car"] and seat["seat"] != number)
    theirs = game.present(partner)
    assert mine["view"]["teams"]["partner_hand"] == theirs["view"]["hand"] != []
    assert theirs["view"]["teams"]["partner_hand"] == []
    assert mine["undo"] is None
    rival = next(one for one in range(1, 5) if one not in (number, partner))
    assert game.present(rival)["view"]["teams"]["partner_hand"] == []
    figures = {figure["label"]: figure["text"] for figure in mine["board"]["figures"]}
    assert all(card["name"] in figures["Your partner's hand"] for card in theirs["view"]["hand"])
    game.act(number, "leave both hands as they are")
    assert game.present(number)["view"]["teams"]["partner_hand"] == []


def test_seats_have_the_part_that_they_have_now(teams: MakeTeams, clock: Clock) -> None:
    game = teams("Cleo", "Dov")
    before = {seat.number: seat.part for seat in Seat.objects.filter(race_id=game.pk)}
    assert before == {1: "Driver", 2: "Driver", 3: "Assistant Driver", 4: "Assistant Driver"}
    asked = reach(game, clock, "keep")
    car = {asked["number"], (asked["number"] + 1) % 4 + 1}
    after = {seat.number: seat.part for seat in Seat.objects.filter(race_id=game.pk)}
    assert {number for number in before if before[number] != after[number]} == car
    presented = game.present(asked["number"])
    assert presented["your_car"] == f"car {presented['car']}, {after[asked['number']]}"
    assert presented["waiting"]["car"] == presented["your_car"]


def with_room(state: Any) -> Any:
    """The state with nothing in the hands of those who play no car in this turn: whoever does can pass cards."""
    partners = tuple(msgspec.structs.replace(one, hand=b"") for one in state.teams.partners)
    thrown = b"".join(one.hand for one in state.teams.partners)
    teams = msgspec.structs.replace(state.teams, partners=partners)
    return msgspec.structs.replace(state, teams=teams, discards=state.discards + thrown)


def test_cards_are_passed_to_the_partner_and_only_the_two_learn_which(teams: MakeTeams, clock: Clock) -> None:
    game = teams("Cleo", "Dov")
    game.edit(with_room)
    game.act(1, "end, draw or pass cards")
    asked = game.question(1)
    assert (asked["key"], asked["rule"], asked["is_window"]) == ("draw_or_pass", "12.4", False)
    passing = next(one["words"] for one in asked["answers"] if one["words"].startswith("pass "))
    game.act(1, passing)
    card = passing.removeprefix("pass ").removesuffix(" to my partner")
    told = {
        viewer: [line["text"] for line in game.present(viewer)["log"] if line["kind"] == "hands_over"][-1]
        for viewer in (1, 2, 3, 4, None)
    }
    assert {viewer for viewer, text in told.items() if card in text} == {1, 3}
    assert told[None] == f"{game.seat(1).shown_name} (car 1, Driver) passes 1 card to the partner. (12.4)"


def test_a_partner_who_gives_up_leaves_the_car_to_the_other(teams: MakeTeams, clock: Clock) -> None:
    game = teams("Cleo", "Dov")
    gone, stays = game.seat(3), game.seat(1)
    assert gone.player is not None
    assert stays.player is not None
    seat_resign(race_id=game.pk, by=gone.player)
    play_on(game, clock, until=lambda game: game.present(1)["partner"] == "" and game.race.seq > 1)
    presented = game.present(1)
    assert presented["names"]["1"] == stays.shown_name
    assert not next(car for car in presented["view"]["cars"] if car["seat"] == 1)["withdrawn"]
    for number in (2, 4):
        rival = game.seat(number).player
        assert rival is not None
        seat_resign(race_id=game.pk, by=rival)
    # Both drivers of the other car have gone, so the car has.
    play_on(game, clock)
    places = [[driver["seat"] for driver in place] for place in game.present(None)["result"]["places"]]
    assert [sorted(place) for place in places] == [[1, 3], [2, 4]]


def test_a_campaign_takes_no_teams_and_numbers_go_by_the_options(alice: User) -> None:
    with pytest.raises(FieldRefused, match="A campaign counts by cars"):
        campaign_create(by=alice, name="Pairs", options={"teams": True})
    for seats, options in ((5, {"teams": True}), (2, {"teams": True}), (12, {}), (22, {"teams": True})):
        with pytest.raises(FieldRefused) as refused:
            race_create(by=alice, name="Pairs", seats=seats, options=options)
        assert refused.value.field == "seats"
    with pytest.raises(FieldRefused, match="no teams on the Beginner's Track"):
        race_create(by=alice, name="Pairs", options={"teams": True, "track": "beginner"})


def test_the_lobby_shows_the_pairs_and_takes_a_wish_by_form(alice: User, bob: User, client: Client) -> None:
    race = race_create(by=alice, name="Pairs", seats=4, is_public=True, options={"teams": True})
    race_join(race_id=race.pk, by=bob)
    client.force_login(bob)
    wanted = Seat.objects.get(race=race, player=alice).pk
    page = client.post(f"/races/{race.public_id}/partner", {"partner": wanted}, follow=True).content.decode()
    assert "<b>Alice</b> and <b>Bob</b>" in page
    refused = client.post(f"/races/{race.public_id}/partner", {"partner": "999999"})
    assert refused.status_code == 422
    page = client.post(f"/races/{race.public_id}/partner", {"partner": ""}, follow=True).content.decode()
    assert "Drawn so far: Alice, Bob" in page
