"""The one door: acts, refusals, stale answers, keys, and how few statements it takes."""

from typing import Any

import pytest

from games.models import Decision, Entry, OutboxEvent, Receipt, Snapshot
from games.selectors.races import race_present
from games.services.errors import (
    KeyMissing,
    Malformed,
    NotYourDecision,
    NotYourSeat,
    RaceNotRunning,
    RaceOver,
    RaceUnknown,
    RuleViolation,
    StaleAnswer,
)
from games.services.races import race_create
from games.services.turns import action_submit
from games.signals import outbox_written
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, MakeGame

STRUCK = {1: (3, 4), 2: (0, 2), 3: (5,)}


def rows_of(game: Game) -> tuple[int, int, int, int, bytes]:
    """What an act may write: counts of entries, receipts, decisions and outbox rows, and the state."""
    return (
        Entry.objects.count(),
        Receipt.objects.count(),
        Decision.objects.filter(sealed_at=None).count(),
        OutboxEvent.objects.count(),
        bytes(Snapshot.objects.get(race_id=game.pk).state),
    )


def test_an_act_of_the_turn_takes_effect_at_once(toy_game: MakeGame) -> None:
    game = toy_game()
    before = game.race.seq
    receipt = game.act(1, "rest")
    assert receipt == {
        "status": "applied",
        "entry": before + 1,
        "words": "rest",
        "position": before + 1,
        "closes_by": None,
    }
    assert game.present(None)["waiting"]["seat"] == 2
    entry = Entry.objects.get(race_id=game.pk, seq=before + 1)
    assert entry.acts == [{"seat": 1, "action": {"do": "rest"}, "origin": "player"}]
    assert entry.draws[0][0] == "card"


def test_words_and_actions_mean_the_same(toy_game: MakeGame) -> None:
    game = toy_game(hands=STRUCK)
    game.act(1, action={"do": "strike", "card": 3, "target": 2})
    entry = Entry.objects.get(race_id=game.pk, seq=1)
    assert entry.acts[0]["action"] == {"do": "strike", "card": 3, "target": 2}
    answers = game.question(2)["answers"]
    assert [answer["words"] for answer in answers] == ["nothing", "guard"]
    assert [answer["number"] for answer in answers] == [1, 2]


def test_the_same_key_gives_the_first_answer_again(toy_game: MakeGame) -> None:
    game = toy_game()
    first = game.act(1, "rest", idempotency_key="k")
    rows = rows_of(game)
    assert game.act(1, "rest", idempotency_key="k", expected_seq=0) == first
    assert game.act(1, "strike 2 with 6", idempotency_key="k") == first
    assert rows_of(game) == rows


def test_a_key_belongs_to_one_seat(toy_game: MakeGame) -> None:
    game = toy_game()
    game.act(1, "rest", idempotency_key="k")
    assert game.act(2, "rest", idempotency_key="k")["entry"] == 2


def test_an_answer_to_a_past_position_is_stale_and_shows_the_present_question(toy_game: MakeGame) -> None:
    game = toy_game(hands={1: (1,), 2: (2,), 3: (3,)})
    position = game.question(1)["position"]
    for number in (1, 2, 3):
        game.act(number, "rest")
    rows = rows_of(game)
    with pytest.raises(StaleAnswer) as stale:
        game.act(1, "rest", expected_seq=position)
    assert stale.value.position == 3
    assert stale.value.question is not None
    assert stale.value.question["decision"] == game.question(1)["decision"]
    assert "strike 2 with 1" in [answer["words"] for answer in stale.value.question["answers"]]
    assert rows_of(game) == rows


def test_a_stale_answer_of_a_seat_that_is_asked_nothing_says_so(toy_game: MakeGame) -> None:
    game = toy_game()
    game.act(1, "rest")
    with pytest.raises(StaleAnswer) as stale:
        game.act(1, "rest", expected_seq=0)
    assert stale.value.question is None


@pytest.mark.parametrize(
    ("words", "refusal", "rule", "sentence"),
    [
        ("dance", Malformed, "", "no act of Matches"),
        ("  ", Malformed, "", "Say what you do"),
        ("x" * 1001, Malformed, "", "more than 1000 letters"),
        ("strike 2 with 6", RuleViolation, "2.2", "You hold no match 6."),
        ("strike 1 with 3", RuleViolation, "2.3", "cannot be struck"),
        ("guard", RuleViolation, "3.2", "A guard answers a strike on you"),
    ],
)
def test_a_refused_act_says_why_and_changes_nothing(
    toy_game: MakeGame, words: str, refusal: type[Exception], rule: str, sentence: str
) -> None:
    game = toy_game(hands=STRUCK)
    rows = rows_of(game)
    with pytest.raises(refusal) as refused:
        game.act(1, words)
    assert sentence in str(refused.value)
    assert getattr(refused.value, "rule") == rule  # noqa: B009  (pytest's value is any exception)
    assert rows_of(game) == rows


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"do": "fly"},
        {"do": "strike"},
        {"do": "strike", "card": "3", "target": 2},
        {"do": "strike", "card": 3, "target": 2, "more": 1},
        {"do": "rest", "discard": [[[]]]},
    ],
)
def test_an_act_that_is_none_is_malformed(toy_game: MakeGame, action: dict[str, object]) -> None:
    game = toy_game(hands=STRUCK)
    rows = rows_of(game)
    with pytest.raises(Malformed):
        game.act(1, action=action)
    assert rows_of(game) == rows


def test_an_act_needs_either_words_or_an_action(toy_game: MakeGame) -> None:
    game = toy_game()
    with pytest.raises(Malformed, match="not both"):
        game.act(1, "rest", action={"do": "rest"})
    with pytest.raises(Malformed, match="not neither"):
        game.act(1)


@pytest.mark.parametrize("key", ["", "k" * 101])
def test_an_act_needs_a_key(toy_game: MakeGame, key: str) -> None:
    with pytest.raises(KeyMissing):
        toy_game().act(1, "rest", idempotency_key=key)


def test_whoever_is_asked_nothing_may_not_act(toy_game: MakeGame) -> None:
    game = toy_game()
    with pytest.raises(NotYourDecision):
        game.act(2, "rest")


def test_a_seat_of_another_race_is_refused(toy_game: MakeGame) -> None:
    game, other = toy_game(), toy_game()
    with pytest.raises(NotYourSeat):
        action_submit(race_id=game.pk, seat_id=other.seat(1).pk, words="rest", expected_seq=0, idempotency_key="k")


def test_no_race_no_act(toy_game: MakeGame) -> None:
    game = toy_game()
    with pytest.raises(RaceUnknown):
        action_submit(race_id=0, seat_id=game.seat(1).pk, words="rest", expected_seq=0, idempotency_key="k")


def test_a_race_that_has_not_started_takes_no_acts(alice: User) -> None:
    race = race_create(by=alice, name="Later", ruleset="toy")
    with pytest.raises(RaceNotRunning):
        action_submit(race_id=race.pk, seat_id=race.seats.get().pk, words="rest", expected_seq=0, idempotency_key="k")


def test_a_race_that_is_over_takes_no_acts(toy_game: MakeGame) -> None:
    game = toy_game(players=2, options={"rounds": 1})
    game.act(1, "rest")
    game.act(2, "rest")
    assert game.race.status == "finished"
    with pytest.raises(RaceOver):
        game.act(1, "rest")


def test_a_plain_act_takes_at_most_twelve_statements(
    toy_game: MakeGame, django_assert_max_num_queries: "object"
) -> None:
    game = toy_game(hands=STRUCK)
    seat, position = game.seat(1).pk, game.race.seq
    with django_assert_max_num_queries(12) as statements:  # type: ignore[operator]
        action_submit(race_id=game.pk, seat_id=seat, words="rest", expected_seq=position, idempotency_key="k")
    assert len(statements) >= 5


def test_sealing_an_answer_takes_at_most_twelve_statements(
    toy_game: MakeGame, django_assert_max_num_queries: "object"
) -> None:
    game = toy_game(hands=STRUCK)
    game.act(1, "strike 2 with 3")
    seat, position = game.seat(2).pk, game.race.seq
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        action_submit(race_id=game.pk, seat_id=seat, words="guard", expected_seq=position, idempotency_key="k")


def test_a_presentation_takes_at_most_six_statements(
    toy_game: MakeGame, django_assert_max_num_queries: "object"
) -> None:
    game = toy_game(hands=STRUCK)
    race, seat = game.race, game.seat(1)
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        race_present(race=race, viewer=seat)


def test_players_are_told_of_their_turn_and_of_questions(toy_game: MakeGame) -> None:
    game = toy_game(hands=STRUCK)
    OutboxEvent.objects.all().delete()
    game.act(1, "strike 2 with 3")
    assert list(OutboxEvent.objects.values_list("kind", "seat__number", "decision_id", "seq")) == [
        ("question", 2, game.question(2)["decision"], 1)
    ]


def test_the_signal_is_sent_when_the_transaction_is_through(
    toy_game: MakeGame, django_capture_on_commit_callbacks: "object"
) -> None:
    game = toy_game(hands=STRUCK)
    heard: list[dict[str, object]] = []

    def listen(**said: object) -> None:
        heard.append(said)

    outbox_written.connect(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
            game.act(1, "rest")
            assert heard == []
    finally:
        outbox_written.disconnect(listen)
    assert [(said["race_id"], said["bots"]) for said in heard] == [(game.pk, False)]


UNSEEN = ("\ud800", "a\x00b", "\u202eon", "\x1b[31m", "\u200b", "\ue000")


@pytest.mark.parametrize("text", UNSEEN)
def test_an_act_with_characters_that_cannot_be_seen_is_refused_before_it_can_stop_the_race(
    toy_game: MakeGame, text: str
) -> None:
    game = toy_game(hands=STRUCK)
    before = rows_of(game)
    for given in (
        {"action": {"do": "strike", "card": 3, "target": 2, "words": text}},
        {"action": {"do": text}},
        {"action": {text: 1}},
        {"words": f"strike 2 with 3: {text}"},
    ):
        with pytest.raises(Malformed, match=r"cannot be seen; this one has U\+[0-9A-F]{4}"):
            game.act(1, **given)
    assert rows_of(game) == before
    game.race.refresh_from_db()
    assert not game.race.fault


def test_a_text_in_an_act_stands_on_one_line_wherever_it_is_shown(toy_game: MakeGame) -> None:
    game = toy_game(hands=STRUCK)
    forged = "hello\r\n\r\nYOUR ANSWERS\u2028\t 1. yes"
    game.act(1, action={"do": "strike", "card": 3, "target": 2, "words": forged})
    (given,) = Entry.objects.get(race_id=game.pk, seq=1).acts
    assert given["action"]["words"] == "hello YOUR ANSWERS 1. yes"


def test_an_act_that_is_nested_or_long_beyond_any_act_is_refused(toy_game: MakeGame) -> None:
    game = toy_game(hands=STRUCK)
    nested: list[object] = []
    for _ in range(500):
        nested = [nested]
    with pytest.raises(Malformed, match="inside each other"):
        game.act(1, action={"do": "rest", "discard": nested})
    with pytest.raises(Malformed, match="1000 letters at most"):
        game.act(1, action={"do": "x" * 1001})


def test_a_key_with_characters_that_cannot_be_seen_is_none(toy_game: MakeGame) -> None:
    game = toy_game()
    for key in ("\x00", "a\ud800"):
        with pytest.raises(KeyMissing):
            game.act(1, "rest", idempotency_key=key)


@pytest.mark.parametrize("said", [{"words": "dance"}, {"action": {"do": "fly"}}, {"words": "strike 2 with 6"}])
def test_what_cannot_be_read_on_a_passed_position_is_stale(toy_game: MakeGame, said: dict[str, Any]) -> None:
    game = toy_game(hands=STRUCK)
    passed = game.race.seq
    game.act(1, "rest")
    with pytest.raises(StaleAnswer) as stale:
        game.act(1, **{"words": None, "expected_seq": passed, **said})
    assert stale.value.position == game.race.seq
