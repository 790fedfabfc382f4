"""What a reply does: numbers, words, plans, standing orders, and what else may be asked for; all of it or nothing."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
import time_machine
from allauth.account.models import EmailAddress

from games.models import Plan, RaceMessage, Snapshot, StandingOrder
from games.selectors.races import race_present
from games.selectors.words import Listener
from games.selectors.words import Unclear as Misheard
from games.services.seats import seat_resign
from notifications.inbound.absence import Unclear
from notifications.inbound.marker import MARKER
from notifications.inbound.orders import Recognised, orders_read
from notifications.reply_models import InboundMail, ReplyKey
from roadkill_site.accounts.models import Holiday
from tests.notifications.replies.conftest import Post, reply_to, text_of


def said_of(row: InboundMail) -> list[tuple[str, str]]:
    """What became of each line."""
    assert row.report is not None
    return [(line["text"], line["became"]) for line in row.report["lines"]]


def test_a_number_is_the_answer_of_that_number_in_the_mail(post: Post) -> None:
    seat, asking = post.asked()
    first = post.running.question(seat)["answers"][0]["words"]
    row = post.send(reply_to(asking, "1"))
    assert row.state == "done", row.reason
    assert post.acts()[-1] == (seat.number, "mail", "start")
    answer = post.answer_to(row)
    assert f"| 1\n    done: {first}.\n" in text_of(answer)
    assert answer["Auto-Submitted"] == "auto-replied"
    assert answer["In-Reply-To"] == row.message_id
    assert row.message_id in answer["References"]
    assert str(asking["References"]).split()[0] in answer["References"], "one thread a race"


@pytest.mark.parametrize(
    "written", ["{words}", "{words}.", "1. {words}", "1) {words} (6.1)", "* {words}", "«{words}»", "“{words}”"]
)
def test_the_words_of_an_answer_are_the_answer(post: Post, written: str) -> None:
    seat, asking = post.asked()
    words = post.running.question(seat)["answers"][0]["words"]
    assert post.send(reply_to(asking, written.format(words=words))).state == "done"
    assert post.acts()[-1] == (seat.number, "mail", "start")


def test_several_orders_on_the_own_turn_are_a_plan(post: Post) -> None:
    seat, asking = post.asked()
    words = post.running.question(seat)["answers"][0]["words"]
    row = post.send(reply_to(asking, f"{words}\nif not started: end\nif started: stop\nend, draw 0"))
    assert row.state == "done", row.report
    assert Plan.objects.get(seat=seat).steps[0]["words"] == words
    assert post.acts()[0] == (seat.number, "plan", "start")
    assert all(became in ("done", "kept") for _, became in said_of(row)), said_of(row)
    assert "Queued" in text_of(post.answer_to(row)) or Plan.objects.get().state == "done"


def test_a_plan_may_name_numbers_of_the_mail(post: Post) -> None:
    seat, asking = post.asked()
    end = next(one["number"] for one in post.running.question(seat)["answers"] if one["action"] == {"do": "end"})
    row = post.send(reply_to(asking, f"1\n{end}"))
    assert row.state == "done", row.report
    assert [step["words"] for step in Plan.objects.get().steps][1].startswith("end")


def test_a_plan_whose_first_order_is_refused_is_not_kept(post: Post) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, "forage with Landmark\nend"))
    assert row.state == "refused"
    assert not Plan.objects.exists()
    assert post.acts() == []
    assert [became for _, became in said_of(row)] == ["not done", "not done"]
    assert re.search(r"\(\d", text_of(post.answer_to(row)).split("----\n")[1]), "the rule is named"


def test_a_refusal_names_the_rule_and_asks_again_with_a_new_address(post: Post) -> None:
    seat, asking = post.asked()
    row = post.send(reply_to(asking, "stop my car"))
    assert row.state == "refused"
    answer = post.answer_to(row)
    assert "refused: " in text_of(answer)
    assert "WHAT IS ASKED OF YOU NOW" in text_of(answer)
    assert answer["Reply-To"] != asking["Reply-To"]
    assert post.send(reply_to(answer, "1")).state == "done"
    assert post.acts()[-1] == (seat.number, "mail", "start")


def test_standing_orders_are_kept_whosever_turn_it_is(post: Post) -> None:
    seat, asking = post.asked()
    row = post.send(reply_to(asking, "1\nwhen attacked: Swerve, else pass"))
    assert row.state == "done", row.report
    assert StandingOrder.objects.get().seat_id == seat.pk
    assert said_of(row)[1] == ("when attacked: Swerve, else pass", "kept")
    # The question of that mail is answered; an order for what may come needs none.
    late = post.send(reply_to(asking, "when robbed: ask me"))
    assert late.state == "done", late.report
    assert StandingOrder.objects.count() == 2


def test_what_may_follow_is_settled_with_the_answer(post: Post) -> None:
    seat, asking = post.asked()
    follow = post.running.question(seat)["follow"]
    if not follow:
        pytest.skip("this hand has no card for what may follow")
    part = follow[0]
    row = post.send(reply_to(asking, f"1\n{part['label']}: {part['answers'][1]['words']}"))
    assert row.state == "done", row.report
    assert said_of(row)[1][1] == "kept"
    assert seat.follow_ups.get().trigger == part["trigger"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("99", "There is no answer 99"),
        ("1, 2", "names several numbers"),
        ("when attacked: Banana", "is no answer when attacked"),
        ("if the moon is full: end", "I know no condition"),
        ("undo", "There is no act of yours to take back"),
        ("resign", "on the race's page alone"),
        ("rules 99.99", "The book has no rule 99.99"),
        ("away until yesterday", "Write the day"),
        ("back", "You are not away today"),
        ("pass", "“pass” is no answer to this question"),
        ("start with Banana", "Banana"),
    ],
)
def test_what_is_not_clear_is_asked_and_nothing_is_done(post: Post, text: str, said: str) -> None:
    _, asking = post.asked()
    row = post.send(reply_to(asking, f"say hello\n{text}"))
    if text.startswith("start with"):
        # An order that the game cannot read ends the block; what stands above it is done, and the line is told.
        row = post.send(reply_to(asking, text))
    assert row.state == "refused", (row.report, row.reason)
    assert said in text_of(post.answer_to(row))
    assert post.acts() == []
    assert RaceMessage.objects.count() == (1 if text.startswith("start with") else 0)


def test_a_number_and_words_that_disagree_are_asked_about(post: Post) -> None:
    seat, asking = post.asked()
    answers = post.running.question(seat)["answers"]
    row = post.send(reply_to(asking, f"1. {answers[-1]['words']}"))
    assert row.state == "refused"
    assert "but beside it you wrote" in text_of(post.answer_to(row))
    assert post.acts() == []


def test_a_form_is_written_out_in_words(post: Post) -> None:
    seat, asking = post.asked()
    form = post.running.question(seat)["forms"][0]
    row = post.send(reply_to(asking, str(form["number"])))
    assert row.state == "refused"
    assert "write it out in words" in text_of(post.answer_to(row))
    row = post.send(reply_to(asking, "end, draw 0"))
    assert row.state == "done", row.report
    assert post.acts()[-1] == (seat.number, "mail", "end")


def test_a_stale_key_is_answered_with_what_is_now_asked(post: Post) -> None:
    seat, asking = post.asked()
    post.running.act(seat, post.running.question(seat)["answers"][0]["action"])
    acts = post.acts()
    row = post.send(reply_to(asking, "1\nsay too late"))
    assert row.state == "refused"
    assert row.reason == "stale"
    assert post.acts() == acts
    assert not RaceMessage.objects.exists(), "all or nothing"
    answer = post.answer_to(row)
    assert "the race has moved on since" in text_of(answer)
    assert post.running.question(seat)["text"].split(".")[0] in text_of(answer)
    assert post.send(reply_to(answer, "1")).state == "done"


def test_what_asks_for_nothing_of_the_race_is_told_by_a_stale_key_too(post: Post) -> None:
    seat, asking = post.asked()
    post.running.act(seat)
    row = post.send(reply_to(asking, "hand\nstatus\nlog\nrules 6.41"))
    assert row.state == "done", row.report
    text = text_of(post.answer_to(row))
    for part in ("YOUR HAND AND PANEL", "THE COURSE, LEADER FIRST", "THE LOG", "RULE 6.41:"):
        assert part in text
    assert "Nothing is asked of you at this moment" in text


def test_help_tells_what_may_be_written(post: Post) -> None:
    _, asking = post.asked()
    text = text_of(post.answer_to(post.send(reply_to(asking, "Help!"))))
    assert "WHAT A REPLY MAY SAY" in text
    assert "/rules/roadkill/" in text


def test_table_talk_stands_in_the_next_mails_of_the_others(post: Post) -> None:
    seat, asking = post.asked()
    row = post.send(reply_to(asking, "say Catch me if you can\nend"))
    assert row.state == "done", row.report
    assert RaceMessage.objects.get().text == "Catch me if you can"
    other, mail = post.asked()
    assert other.pk != seat.pk
    assert f"{seat.shown_name} (car {seat.number}) says: “Catch me if you can”" in text_of(mail)


def test_a_driver_goes_away_and_comes_back_by_mail(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    with time_machine.travel(datetime(2026, 12, 1, 12, tzinfo=UTC)):
        row = post.send(reply_to(asking, "away until 2026-12-05"))
        assert row.state == "done", row.report
        holiday = Holiday.objects.get(user=seat.player)
        assert (str(holiday.first), str(holiday.last)) == ("2026-12-01", "2026-12-04")
    with time_machine.travel(datetime(2026, 12, 3, 12, tzinfo=UTC)):
        row = post.send(reply_to(asking, "back"))
        assert row.state == "done", row.report
        holiday.refresh_from_db()
        assert str(holiday.last) == "2026-12-03"


def test_a_driver_who_has_given_up_may_look_and_not_act(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    seat_resign(race_id=seat.race_id, by=seat.player)
    assert post.send(reply_to(asking, "1")).state == "refused"
    assert post.send(reply_to(asking, "log")).state == "done"


def test_a_seat_that_has_passed_on_is_not_moved_by_its_former_driver(post: Post) -> None:
    seat, asking = post.asked()
    other = post.running.waiting
    ReplyKey.objects.filter(seat=seat).update(player=other.player)
    row = post.send(reply_to(asking, "1"))
    assert (row.state, row.answer_state) == ("ignored", "none")
    assert post.acts() == []


def test_no_line_of_a_mail_of_ours_is_an_order(post: Post) -> None:
    """A mail that comes back whole, without a mark of what is quoted, asks for nothing."""
    seat, asking = post.asked()
    race = seat.race
    listener = Listener(race, race_present(race=race, viewer=seat, log_last=0))

    def recognise(line: str) -> Recognised | Unclear | None:
        heard = listener.hear(line)
        if isinstance(heard, Misheard):
            return Unclear(heard.why)
        return None if heard is None else Recognised(heard, heard.words)

    answer = post.answer_to(post.send(reply_to(asking, "hand\nstatus\nlog\nhelp\nrules 6.41")))
    for line in (*text_of(asking).splitlines(), *text_of(answer).splitlines()):
        orders = orders_read([line.strip()], recognise=recognise, today=date(2026, 12, 1), zone=ZoneInfo("UTC"))
        assert orders.commands == (), line
    assert text_of(asking).startswith(MARKER)
    html = asking.get_body(preferencelist=("html",))
    assert html is not None
    assert re.sub(r"<style.*?</style>|<[^>]+>|\s+", " ", html.get_content(), flags=re.DOTALL).count(MARKER) == 1


def test_a_race_that_cannot_go_on_is_told_so_and_the_orders_are_not_done(post: Post) -> None:
    seat, asking = post.asked()
    Snapshot.objects.filter(race=seat.race).update(state=b"broken")
    row = post.send(reply_to(asking, "1"))
    assert (row.state, row.answer_state) == ("refused", "sent"), row.answer_detail
    assert "This race has stopped" in text_of(post.answer_to(row))
    assert said_of(row) == [("1", "not done")]
    seat.race.refresh_from_db()
    assert seat.race.fault
    assert post.acts() == []


def test_a_verified_alias_is_the_player_too(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    EmailAddress.objects.create(user=seat.player, email="alias@other.example", verified=True, primary=False)
    row = post.send(reply_to(asking, "1", sender="Somebody <Alias@Other.example>"))
    assert row.state == "done", row.reason
    assert row.answer_to == seat.player.email, "an answer goes to the account's own address"
