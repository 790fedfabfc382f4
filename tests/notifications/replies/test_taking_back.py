"""A reply of one word, “undo”: the last act is taken back through the same door as on the page."""

from email.message import EmailMessage

import pytest

from games.models import Entry, RaceMessage
from games.services.races import race_create, race_join
from notifications.reply_models import InboundMail
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running
from tests.notifications.replies.conftest import Post, reply_to, text_of


def said_of(row: InboundMail) -> list[tuple[str, str, str]]:
    """What became of each line."""
    assert row.report is not None
    return [(line["text"], line["became"], line["why"]) for line in row.report["lines"]]


@pytest.fixture
def stopped(wren: User, olu: User) -> tuple[Post, EmailMessage]:
    """Whose turn it is has started and stopped by mail; the mail that asks what comes next."""
    for _ in range(60):
        race = race_create(by=wren, name="Dust Devil 300", seats=2, options={"sections": 3}, is_public=True)
        race_join(race_id=race.pk, by=olu)
        race.refresh_from_db()
        post = Post(Running(race))
        seat = post.running.asked
        answers = post.running.question(seat)["answers"]
        # Other cards to start with bring a Damage Check.
        number = next((one["number"] for one in answers if one["action"].get("card", "").startswith("move_")), None)
        if number is not None:
            break
        race.status = "abandoned"
        race.save(update_fields=["status"])
    else:
        raise AssertionError("no hand with a card to start with in sixty deals")
    _, asking = post.asked()
    row = post.send(reply_to(asking, str(number)))
    assert row.state == "done", row.report
    row = post.send(reply_to(post.answer_to(row), "stop my car"))
    assert row.state == "done", row.report
    assert [act[2] for act in post.acts()] == ["start", "stop"]
    assert post.running.asked == seat
    return post, post.answer_to(row)


def gone_back(post: Post) -> list[int]:
    """How many entries each return went back over."""
    rows = Entry.objects.filter(race=post.running.race, back__isnull=False).order_by("seq")
    return [row.seq - row.back - 1 for row in rows if row.back is not None]


def test_undo_takes_the_last_act_back_and_tells_so(stopped: tuple[Post, EmailMessage]) -> None:
    post, asking = stopped
    row = post.send(reply_to(asking, "Undo."))
    assert row.state == "done", row.report
    assert said_of(row) == [("Undo.", "done", "Taken back: stop my car.")]
    assert gone_back(post) == [1]
    answer = text_of(post.answer_to(row))
    assert "| Undo.\n    done: Taken back: stop my car.\n" in answer
    assert "WHAT IS ASKED OF YOU NOW" in answer
    assert "stop my car" in answer.partition("WHAT IS ASKED OF YOU NOW")[2], "it may be chosen again"
    again = post.send(reply_to(post.answer_to(row), "stop my car"))
    assert again.state == "done", again.report


def test_the_same_mail_twice_takes_back_once(stopped: tuple[Post, EmailMessage]) -> None:
    post, asking = stopped
    reply = reply_to(asking, "undo")
    post.send(reply)
    post.send(reply)
    assert gone_back(post) == [1]


def test_an_older_mail_takes_nothing_back(stopped: tuple[Post, EmailMessage]) -> None:
    """It is bound to the question that it asked."""
    post, _ = stopped
    player = post.running.asked.player
    assert player is not None
    older = next(one for one in post.mails(player.email) if one["Reply-To"])
    row = post.send(reply_to(older, "undo"))
    assert row.state == "refused"
    assert "answer the latest mail" in text_of(post.answer_to(row))
    assert gone_back(post) == []


@pytest.mark.parametrize("text", ["undo\nend", "end\nundo", "undo\nundo", "undo\nwhen attacked: pass"])
def test_undo_stands_alone(stopped: tuple[Post, EmailMessage], text: str) -> None:
    post, asking = stopped
    row = post.send(reply_to(asking, text))
    assert row.state == "refused"
    assert "stands alone" in text_of(post.answer_to(row))
    assert gone_back(post) == []


def test_what_draws_is_not_taken_back_and_all_of_the_mail_is_left_undone(post: Post) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, "say Hello\nundo"))
    assert row.state == "refused"
    assert [became for _, became, _ in said_of(row)] == ["not done", "refused"]
    assert "There is no act of yours to take back" in text_of(post.answer_to(row))
    assert not RaceMessage.objects.exists()


def test_talk_and_undo_go_together(stopped: tuple[Post, EmailMessage]) -> None:
    post, asking = stopped
    row = post.send(reply_to(asking, "say Wrong button, sorry\nundo"))
    assert row.state == "done", row.report
    assert RaceMessage.objects.get().text == "Wrong button, sorry"
    assert gone_back(post) == [1]
