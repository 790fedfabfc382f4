"""Races of teams played on after something has happened to one of two partners: who is asked, who holds what."""

from typing import Any

import msgspec
import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Decision, Entry, Race, Seat
from games.rulesets.roadkill.components import named
from games.services.bots import bots_answer
from games.services.plans import plan_save
from games.services.races import race_create, race_join, race_start
from games.services.rewinds import rewind_agree, rewind_ask
from games.services.seats import seat_replace
from games.services.standing import standing_save
from games.services.substitutes import seat_claim, seat_claim_accept
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, person
from tests.games.test_teams import MakeTeams, teams

__all__ = ["teams"]

HANDS = {
    1: ["landmark", "move_1", "red_line", "hubcap_blades"],
    2: ["move_1", "move_2", "machine_gun", "ram"],
    3: ["swerve", "swerve", "tool_kit", "road_map"],
    4: ["move_1", "move_3", "spare_tire", "camouflage"],
}


def deal(game: Game) -> None:
    """Give the four these hands, by seats, before anything has happened."""
    keys = named("classic").card_keys
    used: set[int] = set()

    def cards(number: int) -> bytes:
        hand = []
        for key in HANDS[number]:
            hand.append(next(card for card, one in enumerate(keys) if one == key and card not in used))
            used.add(hand[-1])
        return bytes(hand)

    def change(state: Any) -> Any:
        cars = tuple(msgspec.structs.replace(car, hand=cards(car.seat)) for car in state.cars)
        partners = tuple(msgspec.structs.replace(one, hand=cards(n)) for n, one in enumerate(state.teams.partners, 3))
        pile = bytes(card for card in range(len(keys)) if card not in used)
        changed = msgspec.structs.replace(state.teams, partners=partners)
        return msgspec.structs.replace(state, cars=cars, teams=changed, pile=pile, discards=b"")

    game.edit(change)


def hand(game: Game, number: int) -> list[str]:
    """The cards of this seat, by key."""
    return sorted(card["key"] for card in game.present(number)["view"]["hand"] for _ in range(card["count"]))


def asked(game: Game) -> list[int | None]:
    """The seats that are asked something."""
    rows = Decision.objects.filter(seat__race_id=game.pk, sealed_at=None).order_by("seat__number")
    return list(rows.values_list("seat__number", flat=True))


@pytest.fixture
def game(teams: MakeTeams, clock: time_machine.Traveller) -> Game:
    made = teams("Cleo", "Dov")
    deal(made)
    return made


def test_a_bot_that_takes_a_partners_seat_over_plays_that_partners_turns_and_hand(game: Game) -> None:
    game.act(1, "end, draw 0")
    Race.objects.filter(pk=game.pk).update(host_id=game.seat(1).player_id)
    Seat.objects.filter(race_id=game.pk, number=3).update(offered_at=timezone.now())
    seat_replace(race_id=game.pk, by=game.race.host, seat_id=game.seat(3).pk, bot="driver")
    assert hand(game, 1) == sorted(HANDS[1])
    assert asked(game) == [2]
    game.act(2, "end, draw 0")
    assert asked(game) == [3]
    assert hand(game, 3) == sorted(HANDS[3]), "the bot has what the partner held"
    bots_answer(race_id=game.pk)
    assert asked(game) == [4]
    last = Entry.objects.filter(race_id=game.pk).latest("seq").acts[-1]
    assert (last["seat"], last["origin"]) == (3, "bot")
    game.act(4, "end, draw 0")
    assert asked(game) == [1]
    assert hand(game, 1) == sorted(HANDS[1])


def test_who_takes_a_partners_seat_over_has_that_hand_and_is_asked_in_that_turn(game: Game) -> None:
    fay = person("Fay")
    former = game.seat(3).player
    Race.objects.filter(pk=game.pk).update(host_id=game.seat(1).player_id, substitutes="host")
    Seat.objects.filter(race_id=game.pk, number=3).update(offered_at=timezone.now())
    seat_claim(race_id=game.pk, by=fay, seat_id=game.seat(3).pk)
    if game.seat(3).player != fay:
        claim = game.seat(3).claims.get()
        seat_claim_accept(race_id=game.pk, by=game.race.host, claim_id=claim.pk)
    assert game.seat(3).player == fay != former
    game.act(1, "end, draw 0")
    game.act(2, "end, draw 0")
    assert asked(game) == [3]
    assert hand(game, 3) == sorted(HANDS[3])
    assert game.present(1)["partner"] == "Fay"
    game.act(3, "end, draw 0")
    game.act(4, "end, draw 0")
    assert asked(game) == [1]
    assert hand(game, 1) == sorted(HANDS[1])


def attacked(game: Game) -> None:
    """Seat 1 and seat 2 start, and seat 2 attacks car 1, for which seat 3 answers in this turn (12.31)."""
    game.act(1, "start with Landmark")
    game.act(1, "end, draw 0")
    game.act(2, "start with Move 1")
    game.act(2, "attack car 1 with Machine Gun")


def test_a_window_asks_the_partner_closest_to_the_active_player_and_its_deadline_answers(
    game: Game, clock: time_machine.Traveller
) -> None:
    attacked(game)
    assert asked(game) == [3]
    assert game.present(1)["waiting"] == game.present(3)["waiting"] == game.present(None)["waiting"]
    row = Decision.objects.get(seat__race_id=game.pk, sealed_at=None)
    clock.move_to(row.due_at)
    sweep()
    first = next(
        act for entry in Entry.objects.filter(race_id=game.pk).order_by("seq") for act in entry.acts if act["seat"] == 3
    )
    assert (first["origin"], first["action"]["do"]) == ("deadline", "no_card")
    assert hand(game, 3) == sorted(HANDS[3])
    assert hand(game, 1) == ["hubcap_blades", "move_1", "red_line"]


def test_a_standing_order_answers_for_its_owner_and_not_for_the_partner(game: Game) -> None:
    # Seat 1 has ordered too, and holds nothing for it: it is not asked in this turn.
    standing_save(race_id=game.pk, seat_id=game.seat(1).pk, texts=["when attacked: pass"])
    standing_save(race_id=game.pk, seat_id=game.seat(3).pk, texts=["when attacked: Swerve, else pass"])
    attacked(game)
    row = Decision.objects.get(seat__race_id=game.pk, seat__number=3)
    assert row.sealed_origin == "standing"
    assert game.present(1)["question"] is None
    assert hand(game, 1) == ["hubcap_blades", "move_1", "red_line"]


def test_a_plan_of_one_partner_waits_for_that_partners_turn(game: Game) -> None:
    plan_save(race_id=game.pk, seat_id=game.seat(3).pk, lines=["end, draw 0"], idempotency_key="plan")
    game.act(1, "end, draw 0")
    game.act(2, "end, draw 0")
    assert asked(game) == [4]
    acts = [act for entry in Entry.objects.filter(race_id=game.pk) for act in entry.acts]
    assert [(act["seat"], act["origin"]) for act in acts] == [(1, "player"), (2, "player"), (3, "plan")]
    assert hand(game, 3) == sorted(HANDS[3])
    game.act(4, "end, draw 0")
    assert asked(game) == [1]


def rewound(made: Game, to_seq: int) -> None:
    """All go back; who asks has agreed already."""
    ask = rewind_ask(race_id=made.pk, by=made.race.host, to_seq=to_seq, key="back")
    for seat in Seat.objects.filter(race_id=made.pk).select_related("player"):
        if seat.player is not None and seat.player != made.race.host:
            rewind_agree(race_id=made.pk, by=seat.player, ask_id=ask.pk)


def test_a_race_that_goes_back_gives_partners_their_places_and_hands_again(
    teams: MakeTeams, clock: time_machine.Traveller
) -> None:
    # The cards that were dealt, since going back plays the record again.
    made = teams("Cleo", "Dov")
    hands = {number: hand(made, number) for number in (1, 2, 3, 4)}
    for number in (1, 2, 3):
        made.act(number, "end, draw 0")
    assert asked(made) == [4]
    rewound(made, 1)
    assert asked(made) == [2]
    assert {number: hand(made, number) for number in hands} == hands
    for number in (2, 3, 4):
        made.act(number, "end, draw 0")
    assert asked(made) == [1]
    assert {number: hand(made, number) for number in hands} == hands


def statements(made: Game, number: int, words: str) -> int:
    """How many statements this act takes."""
    with CaptureQueriesContext(connection) as seen:
        made.act(number, words)
    return len(seen)


def test_an_act_takes_no_more_statements_in_teams(game: Game, alice: User, bob: User) -> None:
    race = race_create(
        by=alice, name="Singles", seats=4, options={"sections": 3}, is_public=True, starts_when_full=False
    )
    for one in (bob, person("Eve"), person("Gil")):
        race_join(race_id=race.pk, by=one)
    race_start(race_id=race.pk, by=alice)
    single = Game(race)
    assert statements(game, 1, "end, draw 0") <= statements(single, 1, "end, draw 0")
