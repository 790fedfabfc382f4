"""Replies to a mail that asks what to buy: numbers, words, several answers; what is late, unclear or a stranger's."""

from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from games.models import Posting, Purchase
from games.services.campaigns import (
    campaign_attend,
    campaign_drive_on,
    campaign_drop_out,
    campaign_pause,
    campaign_resume,
)
from notifications.reply_models import InboundMail, ReplyKey
from roadkill_site.accounts.models import User
from tests.games.circuits import NOTHING, Circuit, circuit_started, cup_at_hand
from tests.notifications.conftest import Running
from tests.notifications.replies.conftest import Post, reply_to, text_of
from tests.notifications.replies.test_acting import said_of


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def going(wren: User, olu: User) -> Circuit:
    """A campaign in which nobody has bought yet."""
    return circuit_started([wren, olu], tempo="daily")


@pytest.fixture
def post(going: Circuit) -> Post:
    """The post between its drivers and it."""
    return Post(Running(going.last.race))


def asking(post: Post, going: Circuit, car: int) -> EmailMessage:
    """The latest mail that asks the driver of this car, freshly sent."""
    post.deliver()
    mails = [mail for mail in post.mails(going.driver(car).email) if "/act/" in text_of(mail)]
    assert mails, "nothing is asked"
    return mails[-1]


def owns_after_race_one(going: Circuit) -> None:
    """Car 1 owns R and Q; it is asked what to buy before the second race."""
    going.buy("R")
    going.nobody_buys()
    going.call([1, 2], [3, 0])
    going.buy("Q")
    going.nobody_buys()
    going.call([1, 2], [1, 0])
    assert going.asked == 1


def test_a_number_buys_what_stands_there_in_the_mail(post: Post, going: Circuit) -> None:
    row = post.send(reply_to(asking(post, going, 1), "3"))
    assert row.state == "done", row.report
    assert said_of(row) == [("3", "done")]
    purchase = Purchase.objects.get(driver__car=1)
    assert [(act["action"], act["origin"]) for act in purchase.acts] == [({"do": "buy", "upgrade": "R"}, "mail")]
    assert going.lines(race=1) == ["1 bought R -3"]
    answer = text_of(post.answer_to(row))
    assert "| 3\n    done: Buy R, Part R, for 3.\n" in answer
    assert "Nothing is asked of you at this moment" in answer
    campaign_attend(campaign_id=going.pk)
    assert going.asked == 2, "the campaign goes on once the mail is settled"


@pytest.mark.parametrize(
    ("written", "bought"),
    [
        ("buy R", ["1 bought R -3"]),
        ("Buy R, Part R, for 3", ["1 bought R -3"]),
        ("3. Buy R, Part R, for 3 (7.2)", ["1 bought R -3"]),
        ("buy Part Q.", ["1 bought Q -2"]),
        ("nothing", []),
        ("Buy nothing", []),
        ("pass", []),
    ],
)
def test_words_buy_too(post: Post, going: Circuit, written: str, bought: list[str]) -> None:
    row = post.send(reply_to(asking(post, going, 1), written))
    assert row.state == "done", row.report
    assert going.lines(race=1) == bought
    assert Purchase.objects.get(driver__car=1).answered_at is not None


def test_what_is_returned_and_what_is_bought_may_stand_in_one_mail(post: Post, going: Circuit) -> None:
    owns_after_race_one(going)
    row = post.send(reply_to(asking(post, going, 1), "return R\nreturn Q\nbuy P\n\nRegards, Wren"))
    assert row.state == "done", row.report
    assert [became for _, became in said_of(row)] == ["done", "done", "done", "ignored"]
    assert going.lines(race=3) == ["1 returned R 1", "1 returned Q 0", "1 bought P -1"]
    assert [act["origin"] for act in Purchase.objects.latest("pk").acts] == ["mail"] * 3


def test_of_several_answers_none_is_done_if_one_cannot_be(post: Post, going: Circuit) -> None:
    owns_after_race_one(going)
    before = Posting.objects.count()
    row = post.send(reply_to(asking(post, going, 1), "return R\nbuy T"))
    assert row.state == "refused"
    assert [became for _, became in said_of(row)] == ["not done", "refused"]
    assert "The Part T costs 5" in text_of(post.answer_to(row))
    assert Posting.objects.count() == before
    purchase = going.open
    assert purchase is not None
    assert purchase.acts == []
    row = post.send(reply_to(asking(post, going, 1), "buy P\nbuy S"))
    assert row.state == "refused", "one upgrade before each race"
    assert Posting.objects.count() == before


def test_after_a_return_the_answer_asks_on_and_the_first_mail_is_late(post: Post, going: Circuit) -> None:
    owns_after_race_one(going)
    first = asking(post, going, 1)
    row = post.send(reply_to(first, "return R"))
    assert row.state == "done", row.report
    answer = post.answer_to(row)
    assert "done: Return R, Part R, for 1. You may go on to return others, and to buy one." in text_of(answer)
    assert "WHAT IS ASKED OF YOU NOW" in text_of(answer)
    assert "= Return Q, Part Q, for 0 (7.2)" in text_of(answer)
    assert "= Return R" not in text_of(answer)
    assert "THE CAMPAIGN" in text_of(answer)
    late = post.send(reply_to(first, "nothing"))
    assert (late.state, late.reason) == ("refused", "stale")
    assert "asked about a purchase that is over, or that you have answered since" in text_of(post.answer_to(late))
    assert going.asked == 1
    assert post.send(reply_to(answer, "buy R")).state == "done"
    assert going.lines(race=3) == ["1 returned R 1", "1 bought R -3"]


def test_a_mail_that_comes_twice_buys_once(post: Post, going: Circuit) -> None:
    owns_after_race_one(going)
    reply = reply_to(asking(post, going, 1), "return R")
    first = post.keep(reply)
    assert post.keep(reply).pk == first.pk
    post.work()
    # As after a process that died when the act was committed: the note is there too, and nothing is done again.
    InboundMail.objects.filter(pk=first.pk).update(state="stored", due_at=first.came_at)
    post.work()
    assert going.lines(race=3) == ["1 returned R 1"]


def test_a_purchase_that_is_over_is_told_so(post: Post, going: Circuit) -> None:
    mail = asking(post, going, 1)
    going.answer(NOTHING)
    for text in ("1", "buy P", "pass"):
        row = post.send(reply_to(mail, text, Message_ID=f"<{text.split()[0]}@player.example>"))
        assert (row.state, row.reason) == ("refused", "stale"), row.report
        assert "Nothing was bought or returned by it." in text_of(post.answer_to(row))
    assert going.lines(race=1) == []
    going.answer(NOTHING)
    assert going.last.race.status == "running"
    assert post.send(reply_to(mail, "buy P")).reason == "stale", "the race has begun"
    assert going.lines(race=1) == []


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("9", "refused", "There is no answer 9; they are numbered from 1 to 4."),
        ("1, 2", "refused", "names several numbers"),
        ("2. buy R", "refused", "beside it you wrote"),
        ("buy S", "refused", "The Part S costs 4; you have 3."),
        ("buy Z", "refused", "There is no upgrade «z»; there are P, Q, R, S, T."),
        ("buy R for 2", "refused", "That is not its price"),
        ("return P", "refused", "Your car has no Part P"),
        ("undo", "refused", "A purchase is not taken back"),
        ("Best wishes", "refused", "as in «buy F»"),
        ("say Hello all", "refused", "The race has not started"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence_and_nothing_is_bought(
    post: Post, going: Circuit, text: str, state: str, said: str
) -> None:
    row = post.send(reply_to(asking(post, going, 1), text))
    assert row.state == state
    assert said in text_of(post.answer_to(row)).replace("\n    ", " ")
    assert Posting.objects.exclude(kind="opening").count() == 0
    assert going.asked == 1


def test_what_is_asked_to_be_shown_is_shown_before_the_race(post: Post, going: Circuit) -> None:
    row = post.send(reply_to(asking(post, going, 1), "hand\nstatus\nlog\nhelp"))
    assert row.state == "done", row.report
    text = text_of(post.answer_to(row))
    assert "No cards are dealt yet: the race begins when all have bought." in text
    assert "1. car 1," in text
    assert "To a purchase: return I, buy F, or nothing" in text
    assert "= Buy nothing (7.2)" in text


def test_a_strangers_mail_is_held_and_buys_nothing_until_the_driver_says_it_is_theirs(
    post: Post, going: Circuit
) -> None:
    row = post.send(reply_to(asking(post, going, 1), "1", sender="Mallory <mallory@evil.example>"))
    assert (row.state, row.answer_to) == ("held", going.driver(1).email)
    assert going.lines(race=1) == []


def test_who_drives_on_is_not_bought_for_by_the_former_drivers_mail(post: Post, going: Circuit) -> None:
    """The purchase of a driver who dropped out in a pause is asked of whoever drives on, by another key."""
    mail = asking(post, going, 2) if going.asked == 2 else asking(post, going, 1)
    car = going.asked
    assert car is not None
    former, host = going.driver(car), going.last.race.host
    campaign_pause(campaign_id=going.pk, by=host)
    campaign_drop_out(campaign_id=going.pk, by=former)
    other = User.objects.create_user("marta@example.org", display_name="Marta")
    campaign_drive_on(campaign_id=going.pk, by=other, car=car)
    campaign_resume(campaign_id=going.pk, by=host)
    row = post.send(reply_to(mail, "1"))
    assert (row.state, row.answer_state) == ("ignored", "none")
    assert going.lines(race=1) == []
    fresh = asking(post, going, car)
    assert fresh["To"] == "marta@example.org"
    assert post.send(reply_to(fresh, "1")).state == "done"


def test_the_key_of_a_purchase_is_no_key_of_a_question_with_its_number(post: Post, going: Circuit) -> None:
    """Numbers of purchases and of questions in races are given out apart, so one may be the other's."""
    mail = asking(post, going, 1)
    ReplyKey.objects.filter(is_purchase=True).update(is_purchase=False)
    row = post.send(reply_to(mail, "1"))
    assert row.reason == "stale"
    assert going.lines(race=1) == []


def test_a_mail_of_ours_that_comes_back_whole_buys_nothing(post: Post, going: Circuit) -> None:
    mail = asking(post, going, 1)
    back = reply_to(mail, "x")
    back.set_content(text_of(mail))
    assert post.send(back).state != "done"
    assert going.asked == 1
