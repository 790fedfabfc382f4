"""RoadKill on the server: windows, follow-ups, wishes, withdrawals, lapses, whole races; through services alone."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import msgspec
import pytest
import time_machine

from games.models import Decision, Entry, Race, Seat
from games.rulesets.roadkill import components
from games.rulesets.roadkill.game import RULESET
from games.selectors.decisions import decision_get, decisions_of
from games.services.bots import bots_answer
from games.services.errors import FieldRefused, RaceFaulty, RuleViolation
from games.services.races import race_create, race_join, race_start, seat_add_bot
from games.services.sweep import sweep
from games.services.turns import action_submit
from games.tempo.holds import hold_seconds
from roadkill_site.accounts.models import User
from tests.games.conftest import NOON, Game

Clock = time_machine.Traveller
MakeRoad = Callable[..., Game]
CARDS = components.named("classic").card_keys


@pytest.fixture
def road(alice: User, bob: User, charlie: User) -> MakeRoad:
    """Makes running RoadKill races of Alice, Bob and Charlie with hands by cards' keys; the pile is the rest."""

    def make(hands: Mapping[int, list[str]], **settings: Any) -> Game:
        race = race_create(by=alice, name="Road", seats=3, is_public=True, starts_when_full=False, **settings)
        for person in (bob, charlie):
            race_join(race_id=race.pk, by=person)
        race_start(race_id=race.pk, by=alice)
        game = Game(race)
        game.edit(lambda state: with_hands(state, hands))
        return game

    return make


def with_hands(state: Any, hands: Mapping[int, list[str]]) -> Any:
    """The state with these hands; cars that are not named hold nothing."""
    pile = list(range(len(CARDS)))
    cars = []
    for car in state.cars:
        hand = []
        for key in hands.get(car.seat, ()):
            card = next(card for card in pile if CARDS[card] == key)
            pile.remove(card)
            hand.append(card)
        cars.append(msgspec.structs.replace(car, hand=bytes(hand)))
    return msgspec.structs.replace(state, cars=tuple(cars), pile=bytes(pile))


def passing(road: MakeRoad, answers: list[str], **settings: Any) -> Game:
    """Car 1 is moving and has ended its turn; car 2 is about to pass it with a Move 2. Car 1 holds ``answers``."""
    hands = {1: ["move_1", *answers], 2: ["move_2", "move_2", "move_2"], 3: ["fate", "move_1"]}
    game = road(hands, **settings)
    game.act(1, "start with Move 1")
    game.act(1, "end, draw 0")
    game.act(2, "start with Move 2")
    return game


def acts_of(game: Game, seq: int) -> list[tuple[int, str, str]]:
    """Seat, deed and origin of an entry's acts."""
    entry = Entry.objects.get(race_id=game.pk, seq=seq)
    return [(act["seat"], act["action"]["do"], act["origin"]) for act in entry.acts]


def test_the_presentation_holds_what_pages_mail_and_api_show(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["machine_gun"], options={"sections": 5})
    presented = game.present(2)
    assert presented["race"]["title"] == "RoadKill"
    assert (presented["race"]["components"], presented["race"]["sections"]) == ("classic", 5)
    assert presented["view"]["viewer"] == presented["you"] == 2
    question = presented["question"]
    assert (question["key"], question["kind"], question["rule"]) == ("act", "turn", "5.2")
    assert "pass car 1 with Move 2" in [answer["words"] for answer in question["answers"]]
    numbers = [answer["number"] for answer in question["answers"]] + [form["number"] for form in question["forms"]]
    assert numbers == list(range(1, len(numbers) + 1))
    passing_answer = next(answer for answer in question["answers"] if answer["words"] == "pass car 1 with Move 2")
    assert passing_answer["cards"] == ["move_2"]
    assert question["otherwise"] == (
        "If you have not answered by then, this is your answer: end my turn and draw all I may."
    )
    assert presented["log"][-1]["text"].endswith(")")


def test_a_forms_values_have_words(road: MakeRoad, clock: Clock) -> None:
    question = road({1: ["move_2", "swerve"]}).question(1)
    ending = next(form for form in question["forms"] if form["action"]["do"] == "end")
    discard = next(field for field in ending["fields"] if field["name"] == "discard")
    assert discard["values"] == [{"value": "move_2", "words": "Move 2"}, {"value": "swerve", "words": "Swerve"}]
    assert (discard["kind"], discard["least"], discard["most"]) == ("some", 0, 2)


def test_every_answer_by_its_words_is_the_answer_by_its_number(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["machine_gun"])
    for answer in game.question(2)["answers"]:
        view = game.present(2)["view"]
        assert msgspec.to_builtins(RULESET.read(view, answer["words"])) == answer["action"]


def test_a_pass_is_answered_in_a_window_and_then_done(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["red_move_1", "move_1"])
    game.act(2, "pass 1 with Move 2")
    assert game.present(3)["waiting"]["kind"] == "window"
    assert game.present(2)["question"] is None
    game.act(1, "red 1")
    hold = hold_seconds(secret=bytes(game.race.secret), seat=1, turn=1, reaction_seconds=86_400)
    clock.shift(timedelta(seconds=hold - 1))
    assert sweep().closed == 0
    clock.shift(1)
    assert sweep().closed == 1
    texts = [line["text"] for line in game.present(None)["log"]]
    assert any("red 1" in text for text in texts)


def test_refusals_cite_their_rule(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["swerve"])
    with pytest.raises(RuleViolation) as refused:
        game.act(2, "pass 3 with Move 2")
    assert refused.value.rule
    game.act(2, "pass 1 with Move 2")
    row = Decision.objects.get(race_id=game.pk)
    assert (row.is_real, row.sealed_origin) == (False, "rule")
    with pytest.raises(RuleViolation) as refused:
        game.act(1, "Swerve")
    assert (refused.value.rule, row.seat.number) != ("", 2)


def test_a_wish_about_fate_is_asked_for_and_may_be_a_bluff(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["move_1"], policy="strict")
    game.act(3, "ask me about Fate")
    game.act(1, "ask me about Fate")
    game.act(2, "pass 1 with Move 2")
    asked = {row.seat.number: row for row in Decision.objects.filter(race_id=game.pk)}
    assert {number: row.key for number, row in asked.items()} == {1: "answer", 3: "fate"}
    game.act(3, "Fate on Move 2")
    clock.shift(timedelta(hours=24))
    sweep()
    seq = game.race.seq
    assert ("card", "player") in {(do, origin) for _, do, origin in acts_of(game, seq)}
    assert any("Fate" in line["text"] for line in game.present(None)["log"])


def test_follow_ups_of_roadkill_are_offered_where_a_check_may_come(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["great_reflexes", "machine_gun"], policy="strict")
    game.act(2, "pass 1 with Move 2")
    follow = {one["trigger"]: one for one in game.question(1)["follow"]}
    assert "reflexes" in follow
    values = [answer["value"] for answer in follow["reflexes"]["answers"]]
    assert values == ["ask", "no card", "Great Reflexes"]
    game.act(1, "Machine Gun", follow_ups={"reflexes": "Great Reflexes"})
    assert {o["trigger"]: o["chosen"] for o in game.question(1)["follow"]}["reflexes"] == "Great Reflexes"


def test_a_turn_that_lapses_skips_as_the_rules_say(road: MakeRoad, clock: Clock) -> None:
    game = road({1: ["move_1"], 2: ["move_1"], 3: ["move_1"]})
    clock.shift(timedelta(hours=72))
    sweep()
    assert acts_of(game, 1) == [(1, "end", "deadline")]
    assert game.present(None)["waiting"]["seat"] == 2
    assert game.present(1)["view"]["cars"][0]["hand_count"] > 1


def test_several_acts_share_one_turns_hours(road: MakeRoad, clock: Clock) -> None:
    game = road({1: ["move_1", "move_2", "move_3"], 2: [], 3: []})
    assert game.question(1)["due_at"] == "2026-06-04T12:00:00Z"
    clock.shift(timedelta(hours=40))
    game.act(1, "start with Move 1")
    assert game.question(1)["due_at"] == "2026-06-04T12:00:00Z"
    clock.shift(timedelta(hours=20))
    game.act(1, next(a["words"] for a in game.question(1)["answers"] if a["action"]["do"] == "exit"))
    # Twelve hours are left; whoever is asked anew has the time for a reaction.
    row = Decision.objects.get(race_id=game.pk)
    assert (row.seat.number, row.due_at) == (1, NOON + timedelta(hours=60 + 24))


def test_whoever_withdraws_is_answered_for_and_the_last_one_has_won(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["machine_gun"])
    game.act(2, "pass 1 with Move 2")
    game.act(1, "withdraw")
    assert game.seat(1).state == "resigned"
    assert not Decision.objects.filter(race_id=game.pk, seat__number=1).exists()
    game.act(3, "withdraw")
    game.act(2, "end")
    result = game.present(None)["result"]
    assert game.race.status == "finished"
    assert result["places"][0][0]["seat"] == 2
    assert "_" not in result["reason"]
    assert game.present(None)["race"]["secret"] == bytes(game.race.secret).hex()


def test_a_plain_act_of_roadkill_takes_at_most_twelve_statements(
    road: MakeRoad, clock: Clock, django_assert_max_num_queries: Any
) -> None:
    game = road({1: ["move_1", "move_2"], 2: [], 3: []})
    seat = game.seat(1).pk
    with django_assert_max_num_queries(12):
        action_submit(race_id=game.pk, seat_id=seat, words="start with Move 1", expected_seq=0, idempotency_key="k")


def test_the_inbox_has_each_question_with_its_words(road: MakeRoad, clock: Clock) -> None:
    game = passing(road, ["machine_gun"])
    game.act(2, "pass 1 with Move 2")
    player = game.seat(1).player
    assert player is not None
    (asked,) = decisions_of(user=player)
    assert asked["race"]["id"] == game.race.public_id
    assert (asked["key"], asked["seat"], asked["is_sealed"]) == ("answer", 1, False)
    assert asked["text"].endswith("?")
    row = decision_get(decision_id=asked["decision"])
    assert row is not None
    assert row.seat.number == 1
    game.act(1, "no card")
    assert [one["is_sealed"] for one in decisions_of(user=player)] == [True]


def test_a_faulty_race_stands_in_the_inbox_with_a_sentence(road: MakeRoad, clock: Clock) -> None:
    game = road({})
    Race.objects.filter(pk=game.pk).update(component_hash="gone")
    player = game.seat(1).player
    assert player is not None
    (asked,) = decisions_of(user=player)
    assert (asked["text"], asked["fault"][:21]) == ("", "This race has stopped")


def test_a_component_set_that_is_gone_is_told_in_a_sentence(
    road: MakeRoad, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = road({})

    def gone(name: str) -> None:
        raise components.UnknownSet(f'there is no component set "{name}"')

    monkeypatch.setattr(components, "named", gone)
    with pytest.raises(RaceFaulty) as faulty:
        game.present(1)
    assert "no component set" in faulty.value.detail
    assert "component" not in faulty.value.text
    with pytest.raises(FieldRefused) as refused:
        race_create(by=alice, name="None")
    assert refused.value.field == "options"


@pytest.mark.parametrize("policy", ["open", "paced", "strict"])
def test_bots_play_a_whole_race_by_every_policy(alice: User, clock: Clock, policy: str) -> None:
    race = race_create(by=alice, name="Bots", seats=4, options={"sections": 3}, policy=policy, starts_when_full=False)
    for delay in (0, 5, 60):
        seat_add_bot(race_id=race.pk, by=alice, delay_minutes=delay)
    race_start(race_id=race.pk, by=alice)
    Seat.objects.filter(race=race, player=alice).update(player=None, bot="random", name="Wren")
    Decision.objects.filter(race=race).update(bot_at=NOON)
    Race.objects.filter(pk=race.pk).update(wake_at=NOON)
    for _ in range(5000):
        race.refresh_from_db()
        if race.status != "running":
            break
        assert race.wake_at is not None
        clock.move_to(max(race.wake_at, NOON))
        sweep()
        bots_answer(race_id=race.pk)
    assert (race.status, race.fault) == ("finished", "")
    origins = {act["origin"] for entry in Entry.objects.filter(race=race) for act in entry.acts}
    # Every bot answers before its deadline; whether the server had to pass for one depends on the cards.
    assert origins - {"rule"} == {"bot"}
