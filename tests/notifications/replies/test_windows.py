"""Sealed answers by mail: kept until the window closes, changed by another mail, told to nobody else."""

from collections.abc import Callable

import pytest

from games.models import Decision
from notifications.reply_models import InboundMail
from tests.games.conftest import Game, alice, bob, charlie, kept_bots, toy, toy_game
from tests.notifications.conftest import Running
from tests.notifications.replies.conftest import Post, reply_to, text_of

__all__ = ["alice", "bob", "charlie", "kept_bots", "toy", "toy_game"]
MakeGame = Callable[..., Game]


@pytest.fixture
def game(toy_game: MakeGame) -> Game:
    """Car 2 has been struck, and holds guards."""
    made = toy_game(hands={1: (5, 5), 2: (0, 0), 3: (1, 1)}, policy="paced")
    number = made.present(None)["waiting"]["seat"]
    made.act(number, action={"do": "strike", "card": 5, "target": 2 if number != 2 else 1})
    return made


def test_a_sealed_answer_is_kept_and_another_mail_changes_it(game: Game) -> None:
    post = Post(Running(game.race))
    post.deliver()
    asked = Decision.objects.filter(race_id=game.pk, window__isnull=False).select_related("seat__player")
    decision = next(iter(asked))
    seat = decision.seat
    assert seat.number is not None
    answers = game.question(seat.number)["answers"]
    asking = post.asking(seat)
    first = post.send(reply_to(asking, "1"))
    assert first.state == "done", first.report
    decision.refresh_from_db()
    assert decision.sealed_action == answers[0]["action"]
    assert decision.sealed_origin == "mail"
    answer = post.answer_to(first)
    assert "Another answer takes its place until the window closes, at the latest " in text_of(answer)
    assert "WHAT IS ASKED OF YOU NOW" not in text_of(answer)
    # By the address of that answer too, with the words or the numbers of the mail that asked.
    changed = post.send(reply_to(answer, str(len(answers))))
    assert changed.state == "done", changed.report
    decision.refresh_from_db()
    assert decision.sealed_action == answers[-1]["action"]
    assert decision.sealed_action != answers[0]["action"]
    assert not InboundMail.objects.exclude(state="done").exists()


def test_a_window_takes_one_answer_and_not_a_plan(game: Game) -> None:
    post = Post(Running(game.race))
    post.deliver()
    decision = Decision.objects.filter(race_id=game.pk, window__isnull=False).select_related("seat__player").first()
    assert decision is not None
    row = post.send(reply_to(post.asking(decision.seat), "1\n2"))
    assert (row.state, row.reason) == ("refused", "asked")
    assert "takes one answer, and you gave 2" in text_of(post.answer_to(row))
    decision.refresh_from_db()
    assert decision.sealed_action is None
