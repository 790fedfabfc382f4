"""Taking back one's own last act: when it is offered, what it does, and every way in which it is refused."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from games.engine.record import dump, verify
from games.models import Decision, Entry, FollowUp, OutboxEvent, Plan, Receipt, Seat, Snapshot
from games.runtime.rulesets import RULESETS
from games.runtime.undo import MOST_UNDOS
from games.selectors.log import log_of, log_page, log_text
from games.selectors.records import record_for_operator, record_of, replay_fault, replay_step
from games.services.errors import (
    KeyMissing,
    NotYourDecision,
    NotYourSeat,
    NoWayBack,
    RaceNotRunning,
    RaceOver,
    RaceUnknown,
    StaleAnswer,
)
from games.services.extensions import extension_grant
from games.services.plans import plan_save
from games.services.races import race_create, race_join, race_start
from games.services.records import race_import
from games.services.seats import seat_replace, seat_resign
from games.services.sweep import sweep
from games.services.turns import action_submit
from games.services.undo import DROPPED, act_undo
from roadkill_site.accounts.models import User
from tests.games.conftest import Game
from tests.games.lanterns import RULESET as LANTERNS

Clock = time_machine.Traveller
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def lanterns() -> Iterator[None]:
    """Lanterns is a ruleset like any other, for the length of a test."""
    RULESETS["lanterns"] = LANTERNS
    yield
    del RULESETS["lanterns"]


@pytest.fixture
def game(alice: User, bob: User, charlie: User) -> Game:
    """Lanterns under way; car 1 is to move."""
    return started(alice, bob, charlie)


def started(*people: User, ruleset: str = "lanterns", **settings: Any) -> Game:
    race = race_create(
        by=people[0],
        name="Long Night",
        ruleset=ruleset,
        seats=len(people),
        is_public=True,
        starts_when_full=False,
        **{"tempo": "daily", **settings},
    )
    for one in people[1:]:
        race_join(race_id=race.pk, by=one)
    race_start(race_id=race.pk, by=people[0])
    return Game(race)


def undo(game: Game, number: int, **more: Any) -> dict[str, Any]:
    """Take back, at the present position, with a fresh key unless one is given."""
    given = {"expected_seq": game.race.seq, "idempotency_key": f"undo-{game.race.seq}-{number}", **more}
    return act_undo(race_id=game.pk, seat_id=game.seat(number).pk, **given)


def offered(game: Game, number: int | None) -> dict[str, Any] | None:
    found: dict[str, Any] | None = game.present(number)["undo"]
    return found


def state(game: Game) -> bytes:
    return bytes(Snapshot.objects.get(race_id=game.pk).state)


def told(game: Game, number: int | None = None) -> list[str]:
    viewer = None if number is None else game.seat(number)
    return [line["text"] for line in log_of(race=game.race, viewer=viewer)]


def rows() -> tuple[int, ...]:
    kinds = (Entry, Receipt, Decision, OutboxEvent, FollowUp)
    return tuple(kind.objects.count() for kind in kinds)


# --- What it does -----------------------------------------------------------------------


def test_the_last_act_is_taken_back_and_its_question_asked_anew(game: Game) -> None:
    before, asked = state(game), game.question(1)
    game.act(1, "light 2")
    assert offered(game, 1) == {"to": 0, "words": "light 2"}
    assert (offered(game, 2), offered(game, None)) == (None, None)
    receipt = undo(game, 1)
    assert receipt == {
        "status": "undone",
        "words": "light 2",
        "position": 2,
        "entry": 2,
        "closes_by": None,
        "note": "",
    }
    assert state(game) == before
    again = game.question(1)
    assert [one["words"] for one in again["answers"]] == [one["words"] for one in asked["answers"]]
    assert again["position"] == game.race.seq == 2
    assert offered(game, 1) is None
    name = game.seat(1).shown_name
    assert told(game)[-2:] == [f"{name} (car 1) lights lantern 2. (1)", f"{name} (car 1) took back: light 2."]
    entry = Entry.objects.get(race_id=game.pk, seq=2)
    assert (entry.acts, entry.draws, entry.back, entry.by) == ([], [], 0, [1])
    assert Entry.objects.get(race_id=game.pk, seq=1).acts, "nothing is deleted"


def test_once_more_takes_the_act_before_and_no_further_than_the_turn(game: Game) -> None:
    game.act(1, "end")
    at_first = state(game)
    for lantern in (1, 2, 3):
        game.act(2, f"light {lantern}")
    undo(game, 2)
    assert offered(game, 2) == {"to": 2, "words": "light 2"}
    undo(game, 2)
    game.act(2, "light 4")
    undo(game, 2)
    assert offered(game, 2) == {"to": 1, "words": "light 1"}
    undo(game, 2)
    assert state(game) == at_first
    assert offered(game, 2) is None
    with pytest.raises(NoWayBack, match="There is no act of yours to take back"):
        undo(game, 2)
    assert replay_fault(race=game.race) == ""


def test_a_race_with_acts_taken_back_proves_itself_and_is_taken_in_elsewhere(game: Game, alice: User) -> None:
    for number in (1, 2, 3):
        game.act(number, "light 1")
        undo(game, number)
        game.act(number, "peek")
        game.act(number, "end")
    for _ in range(9):
        game.act(game.present(None)["waiting"]["seat"], "end")
    race = game.race
    assert race.status == "finished"
    record = record_of(race=race)
    assert verify({"lanterns": LANTERNS}, record).reason == "dawn"
    taken = race_import(record=record, by=alice, name="Again")
    assert dump(record_of(race=taken)) == dump(record)
    rowed = ("seq", "turn", "events", "back", "by", "digest")
    ours, theirs = ([*Entry.objects.filter(race=one).values_list(*rowed)] for one in (race, taken))
    assert ours == theirs
    assert replay_fault(race=taken) == ""


def test_the_replay_shows_a_step_back(game: Game) -> None:
    game.act(1, "light 2")
    undo(game, 1)
    steps = [replay_step(race=game.race, entry=seq, viewer=game.seat(2)) for seq in range(3)]
    assert [step["view"]["lit"] for step in steps] == [[], [2], []]
    assert [step["entry"]["back"] for step in steps] == [None, None, 0]
    assert [line["text"] for line in steps[2]["log"]] == [f"{game.seat(1).shown_name} (car 1) took back: light 2."]
    assert steps[2]["turns"] == [{"turn": 1, "entry": 1}]


def test_the_log_is_read_on_and_back_over_it(game: Game) -> None:
    for _ in range(3):
        game.act(1, "light 2")
        undo(game, 1)
    everything = [line["entry"] for line in log_of(race=game.race, viewer=None)]
    assert everything == [1, 2, 3, 4, 5, 6]
    first = log_page(race=game.race, viewer=None, most=4)
    assert [line["entry"] for line in first["lines"]] == [1, 2, 3, 4]
    assert first["later"]
    last = log_page(race=game.race, viewer=None, most=2, before=5)
    assert [line["entry"] for line in last["lines"]] == [3, 4]
    assert "took back: light 2." in log_text(race=game.race, viewer=game.seat(3))


def test_the_clock_goes_on_as_it_was(clock: Clock, game: Game) -> None:
    row = Decision.objects.get(race_id=game.pk)
    whole = row.left_s
    clock.shift(HOUR)
    game.act(1, "light 2")
    extension_grant(race_id=game.pk, by=game.race.host, minutes=30, key="more")
    clock.shift(HOUR)
    due = Decision.objects.get(race_id=game.pk).due_at
    undo(game, 1)
    row = Decision.objects.get(race_id=game.pk)
    assert row.due_at == due
    assert row.left_s == whole + 30 * 60 - 2 * 3600
    assert row.extensions == [["host/" + f"{game.race.host_id}/more", 30]]


def test_taking_back_again_and_again_holds_nobody_up(game: Game, clock: Clock) -> None:
    """Each answer gives a turn the time of a reaction; without a limit it would never end."""
    for _ in range(MOST_UNDOS):
        game.act(1, "light 2")
        undo(game, 1)
    game.act(1, "light 2")
    assert offered(game, 1) is None
    with pytest.raises(NoWayBack):
        undo(game, 1)
    clock.move_to(Decision.objects.get(race_id=game.pk).due_at)
    assert sweep().lapsed == 1


def test_orders_for_the_turn_and_a_plan_are_dropped_with_a_sentence(game: Game) -> None:
    game.act(1, "light 2")
    FollowUp.objects.create(seat=game.seat(1), turn=1, trigger="any", action={"do": "end"})
    FollowUp.objects.create(seat=game.seat(2), turn=1, trigger="any", action={"do": "end"})
    assert undo(game, 1)["note"] == DROPPED
    assert list(FollowUp.objects.values_list("seat__number", flat=True)) == [2]
    plan_save(race_id=game.pk, seat_id=game.seat(2).pk, lines=["light 1", "end"], idempotency_key="p")
    game.act(1, "light 3")
    undo(game, 1)
    assert Plan.objects.get().state == "waiting", "another driver's plan stays"


def test_whoever_was_told_of_the_question_is_told_of_it_again_and_nobody_else(game: Game, alice: User) -> None:
    game.act(1, "light 2", origin="mail")
    before = OutboxEvent.objects.count()
    undo(game, 1, origin="mail")
    fresh = list(OutboxEvent.objects.order_by("pk"))[before:]
    assert [(row.kind, row.seat.number, row.decision_id) for row in fresh] == [
        ("turn", 1, game.question(1)["decision"])
    ]


# --- Twice, late, from elsewhere --------------------------------------------------------


def test_the_same_key_takes_back_once(game: Game) -> None:
    game.act(1, "light 1")
    game.act(1, "light 2")
    first = undo(game, 1, idempotency_key="k")
    at = rows()
    assert undo(game, 1, idempotency_key="k", expected_seq=2) == first
    assert rows() == at


def test_two_tabs_the_second_of_which_is_late(game: Game) -> None:
    game.act(1, "light 1")
    game.act(1, "light 2")
    shown = game.race.seq
    undo(game, 1, expected_seq=shown, idempotency_key="one")
    at = rows()
    with pytest.raises(StaleAnswer) as late:
        undo(game, 1, expected_seq=shown, idempotency_key="two")
    assert late.value.position == shown + 1
    assert late.value.question is not None
    assert late.value.question["position"] == shown + 1
    assert rows() == at


def test_an_answer_composed_before_it_was_taken_back_is_late(game: Game) -> None:
    game.act(1, "light 1")
    asked = game.question(1)["position"]
    undo(game, 1)
    with pytest.raises(StaleAnswer):
        game.act(1, "light 2", expected_seq=asked)
    with pytest.raises(StaleAnswer):
        game.act(1, "light 2", expected_seq=0)
    assert game.act(1, "light 2")["entry"] == 3


# --- When it is refused -----------------------------------------------------------------


def refused(game: Game, number: int, why: str) -> None:
    """It is neither offered nor done, and nothing has changed."""
    at, was = rows(), state(game)
    assert offered(game, number) is None
    with pytest.raises(NoWayBack, match=why):
        undo(game, number)
    assert (rows(), state(game)) == (at, was)


def test_no_act_that_drew(game: Game) -> None:
    game.act(1, "peek")
    refused(game, 1, "nothing was drawn, shown or asked")


def test_no_act_that_showed_a_card(game: Game) -> None:
    game.act(1, "show")
    refused(game, 1, "nothing was drawn, shown or asked")


def test_no_act_before_one_that_drew(game: Game) -> None:
    game.act(1, "light 1")
    game.act(1, "peek")
    refused(game, 1, "nothing was drawn, shown or asked")


def test_no_call_even_if_nobody_wished_to_answer(game: Game) -> None:
    """Else calling and taking it back would be a way to ask who wishes."""
    game.act(1, "call")
    assert not Decision.objects.filter(window__isnull=False).exists()
    refused(game, 1, "nothing was drawn, shown or asked")


def test_nothing_that_was_an_answer_in_a_window(game: Game) -> None:
    """The only one who was asked there must not be able to tell the others that nobody else was."""
    game.act(1, "ask me")
    game.act(1, "call")
    assert Decision.objects.get(window__isnull=False).seat.number == 1
    game.act(1, "end")
    assert game.question(1)["key"] == "act"
    assert Entry.objects.get(race_id=game.pk, seq=2).acts == [{"seat": 1, "action": {"do": "end"}, "origin": "player"}]
    refused(game, 1, "There is no act of yours to take back")


@pytest.mark.parametrize("is_answered", [False, True])
def test_nothing_while_a_window_is_open_whether_or_not_anybody_has_answered(game: Game, is_answered: bool) -> None:
    game.act(2, "ask me")
    game.act(3, "ask me")
    game.act(1, "light 1")
    game.act(1, "call")
    if is_answered:
        game.act(2, "end")
    assert Decision.objects.filter(window__isnull=False).count() == 2
    refused(game, 1, "What was played is being answered now")
    refused(game, 2, "What was played is being answered now")


def test_nothing_once_the_turn_has_gone_on(game: Game) -> None:
    game.act(1, "light 1")
    game.act(1, "end")
    refused(game, 1, "The race has gone on to somebody else")
    refused(game, 2, "There is no act of yours to take back")


def test_nothing_while_another_is_asked_outside_any_window_nor_after_the_answer(game: Game) -> None:
    game.act(1, "nod")
    refused(game, 1, "The race has gone on to somebody else")
    game.act(2, "nod")
    refused(game, 1, "There is no act of yours to take back")


@pytest.mark.parametrize("origin", ["bot", "plan", "standing", "deadline", "rule"])
def test_nothing_that_the_driver_has_not_given_by_hand(game: Game, origin: str) -> None:
    game.act(1, "light 1", origin=origin)
    refused(game, 1, "There is no act of yours to take back")


def test_nothing_that_a_plan_has_played(game: Game) -> None:
    plan_save(race_id=game.pk, seat_id=game.seat(1).pk, lines=["light 1", "light 2"], idempotency_key="p")
    assert game.race.seq == 2
    refused(game, 1, "There is no act of yours to take back")
    game.act(1, "light 3")
    undo(game, 1)
    refused(game, 1, "There is no act of yours to take back")


@pytest.mark.parametrize("origin", ["player", "link", "mail", "api"])
def test_whatever_way_the_driver_gave_it(game: Game, origin: str) -> None:
    game.act(1, "light 1", origin=origin)
    assert undo(game, 1, origin=origin)["words"] == "light 1"


def test_nothing_that_the_driver_before_has_played(game: Game, bob: User) -> None:
    """A new driver at the wheel takes back no act of the former one."""
    game.act(1, "light 1")
    Seat.objects.filter(pk=game.seat(1).pk).update(offered_at=game.race.started_at)
    seat_replace(race_id=game.pk, by=game.race.host, seat_id=game.seat(1).pk, email="dora@example.org")
    dora = User.objects.create_user("dora@example.org", display_name="Dora")
    race_join(race_id=game.pk, by=dora)
    assert game.seat(1).player == dora
    assert game.question(1)["key"] == "act"
    refused(game, 1, "There is no act of yours to take back")
    game.act(1, "light 2")
    assert undo(game, 1)["words"] == "light 2"


def test_nothing_after_the_end_before_the_start_or_by_strangers(game: Game, alice: User) -> None:
    game.act(1, "light 1")
    with pytest.raises(RaceUnknown):
        act_undo(race_id=0, seat_id=1, expected_seq=0, idempotency_key="k")
    with pytest.raises(NotYourSeat):
        act_undo(race_id=game.pk, seat_id=0, expected_seq=1, idempotency_key="k")
    for key in ("", "x" * 101, "a\u200bb"):
        with pytest.raises(KeyMissing):
            undo(game, 1, idempotency_key=key)
    waiting = race_create(by=alice, name="Not yet", ruleset="lanterns", seats=2)
    seat = Seat.objects.get(race=waiting)
    with pytest.raises(RaceNotRunning):
        act_undo(race_id=waiting.pk, seat_id=seat.pk, expected_seq=0, idempotency_key="k")
    for number in (1, 2):
        driver = game.seat(number).player
        assert driver is not None
        seat_resign(race_id=game.pk, by=driver)
        if number == 1:
            with pytest.raises(NotYourDecision):
                undo(game, 1)
    with pytest.raises(RaceOver):
        undo(game, 3)


def test_a_game_that_says_nothing_of_secrets_has_nothing_to_take_back(game: Game, monkeypatch: Any) -> None:
    monkeypatch.delattr(type(LANTERNS), "keeps_secrets")
    game.act(1, "light 1")
    refused(game, 1, "There is no act of yours to take back")


# --- What others have said meanwhile ----------------------------------------------------


def test_a_wish_of_another_in_the_same_entry_makes_no_difference_and_is_not_lost(game: Game) -> None:
    """Else the offer would tell that somebody wished something."""
    game.act(2, "ask me")
    game.act(1, "light 1")
    assert [act["seat"] for act in Entry.objects.get(race_id=game.pk, seq=1).acts] == [2, 1]
    assert offered(game, 1) == {"to": 0, "words": "light 1"}
    undo(game, 1)
    assert game.present(2)["view"]["cars"][1]["wishes"] is True
    assert game.seat(2).asides == [{"do": "wish", "call": True}]
    game.act(1, "call")
    assert Decision.objects.get(window__isnull=False).seat.number == 2
    assert replay_fault(race=game.race) == ""


def test_a_wish_said_anew_goes_before_the_one_that_was_taken_back_with_it(game: Game) -> None:
    game.act(2, "ask me")
    game.act(1, "light 1")
    game.act(2, "do not ask me")
    undo(game, 1)
    assert game.seat(2).asides == [{"do": "wish", "call": False}]


# --- RoadKill ---------------------------------------------------------------------------


def test_a_stop_in_roadkill_is_taken_back(alice: User, bob: User, clock: Clock) -> None:
    game = started(alice, bob, ruleset="roadkill", options={"sections": 3}, policy="open")
    number = moving(game, clock)
    before = state(game)
    game.act(number, action={"do": "stop"})
    assert offered(game, number) == {"to": game.race.seq - 1, "words": "stop my car"}
    undo(game, number)
    assert state(game) == before
    assert told(game)[-1] == f"{game.seat(number).shown_name} (car {number}) took back: stop my car."
    assert replay_fault(race=game.race) == ""
    game.act(number, action={"do": "stop"})


def test_in_roadkill_nothing_is_offered_but_what_leaves_all_hands_and_places_alone(
    alice: User, bob: User, clock: Clock
) -> None:
    """Played through: whatever was offered to be taken back changed no hand, pile or place."""
    game = started(alice, bob, ruleset="roadkill", options={"sections": 3})
    counts = {True: 0, False: 0}
    for _ in range(250):
        if game.race.status != "running":
            break
        asked = step(game, clock)
        if asked is None or game.race.status != "running":
            continue
        is_offered = offered(game, asked) is not None
        counts[is_offered] += 1
        if is_offered:
            last = record_for_operator(race=game.race)
            assert not last.entries[-1].draws
            kinds = {act.action["do"] for act in last.entries[-1].acts}
            assert kinds <= {"stop", "decline"}, kinds
    assert counts[False] > 20


def moving(game: Game, clock: Clock) -> int:
    """Play on until somebody may stop; the number of that car."""
    for _ in range(300):
        waiting = game.present(None)["waiting"]
        if waiting is not None and waiting["kind"] == "turn":
            question = game.question(waiting["seat"])
            if question["key"] == "act" and any(one["action"] == {"do": "stop"} for one in question["answers"]):
                return int(waiting["seat"])
        step(game, clock)
        assert game.race.status == "running"
    raise AssertionError("nobody ever moved")


def step(game: Game, clock: Clock) -> int | None:
    """One answer by the first who is asked: to start if possible, else the last of the ready answers."""
    row = Decision.objects.filter(race_id=game.pk, sealed_at=None).select_related("seat").order_by("seat").first()
    if row is None:
        clock.move_to(max(game.race.wake_at or timezone.now(), timezone.now() + timedelta(minutes=1)))
        sweep()
        return None
    number = row.seat.number
    assert number is not None
    answers = game.question(number)["answers"]
    chosen = next((one for one in answers if one["action"]["do"] == "start"), answers[-1])
    action_submit(
        race_id=game.pk,
        seat_id=row.seat_id,
        action=chosen["action"],
        expected_seq=row.position,
        idempotency_key=f"step-{row.pk}-{game.race.seq}",
    )
    return number
