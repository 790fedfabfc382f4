"""A mail to the address that a mail of ours named stops mails like it, and touches no seat."""

import re
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.utils import timezone

from games.models import Seat
from notifications.inbound.address import stop_address_make
from notifications.models import Notice, Pause, Wishes
from notifications.reply_models import InboundMail
from notifications.selectors import wishes_of
from notifications.services.daily import daily_make
from notifications.services.delivery import notices_deliver
from notifications.services.pauses import pause_end
from notifications.services.wishes import wishes_set
from tests.notifications.replies.conftest import Post, hand_over, listening, reply_to

pytestmark = pytest.mark.django_db


def stop_address(mail: EmailMessage) -> str:
    """Where a mail program writes to, as the header says."""
    found = re.search(r"<mailto:([^?>]+)\?subject=stop>", str(mail["List-Unsubscribe"]))
    assert found is not None, mail["List-Unsubscribe"]
    assert unquote(found[1]) == found[1], "no mail program has to decode it"
    assert len(found[1].partition("@")[0]) <= 64
    return found[1]


def stopping(asking: EmailMessage, **headers: str) -> EmailMessage:
    """What a mail program sends when its reader wants no more."""
    mail = EmailMessage()
    given = {"From": str(asking["To"]), "To": stop_address(asking), "Subject": "stop", "Message-ID": make_msgid()}
    for name, value in {**given, **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
        mail[name] = value
    mail.set_content("")
    return mail


def test_a_mail_to_the_stop_address_stops_the_races_mails_and_leaves_the_seat(post: Post) -> None:
    seat, asking = post.asked()
    before = Seat.objects.filter(pk=seat.pk).values().get()
    row = post.send(stopping(asking))
    assert (row.state, row.reason) == ("done", "mails about the race to that address are stopped")
    assert row.answer_state == "none", "whoever asks for silence gets it"
    assert row.seat == seat
    pause = Pause.objects.get()
    assert (pause.seat_id, pause.address) == (seat.pk, str(asking["To"]).lower())
    assert Seat.objects.filter(pk=seat.pk).values().get() == before
    # What was asked can still be answered.
    assert post.send(reply_to(asking, "1")).state == "done"
    assert post.acts()[-1][:2] == (seat.number, "mail")


def test_to_stop_twice_and_to_take_up_again_is_possible(post: Post) -> None:
    seat, asking = post.asked()
    for _ in range(2):
        assert post.send(stopping(asking)).state == "done"
    pause_end(seat_id=seat.pk, address=str(asking["To"]))
    assert not Pause.objects.exists()
    assert post.send(stopping(asking)).state == "done"
    assert Pause.objects.count() == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-generated"},
        {"Precedence": "bulk"},
        {"From": "Wren <another.address@elsewhere.example>"},
        {"Subject": "Automatic reply: unsubscribe"},
    ],
    ids=["a program sends it", "in bulk", "from another account", "by any subject"],
)
def test_the_address_alone_says_what_is_wanted(post: Post, headers: dict[str, str]) -> None:
    _, asking = post.asked()
    assert post.send(stopping(asking, **headers)).state == "done"
    # To the address that the mail was sent to, whoever asks.
    assert Pause.objects.get().address == str(asking["To"]).lower()


def test_the_envelope_tells_it_too(post: Post) -> None:
    _, asking = post.asked()
    mail = stopping(asking)
    del mail["To"]
    mail["To"] = "undisclosed-recipients:;"
    assert post.send(mail, to=stop_address(asking).upper()).state == "done"
    encrypted = b"Content-Type: multipart/encrypted; boundary=x\r\n\r\n--x\r\n\r\n--x--\r\n"
    Pause.objects.all().delete()
    assert post.send(encrypted, to=stop_address(asking)).state == "done"
    assert Pause.objects.count() == 1


def test_an_address_that_we_did_not_sign_stops_nothing(post: Post) -> None:
    _, asking = post.asked()
    address = stop_address(asking)
    local, _, domain = address.partition("@")
    forged = (
        local[:-1] + ("a" if local[-1] != "a" else "b"),
        local.replace("stop+", "stop+0", 1),
        # A return path of ours is no secret, and signs nothing else.
        str(asking["X-Envelope-From"]).partition("@")[0].replace("bounce+", "stop+").replace("=", "-"),
    )
    for one in forged:
        assert post.send(stopping(asking, To=f"{one}@{domain}")).state == "ignored"
    assert post.send(stopping(asking, To=f"{local}@elsewhere.example")).state == "ignored"
    unknown = stop_address_make("f" * 40, secret=settings.SECRET_KEY.encode(), domain=settings.REPLY_DOMAIN)
    row = post.send(stopping(asking, To=unknown))
    assert (row.state, row.reason) == ("ignored", "it names a mail that is not here any more")
    assert not Pause.objects.exists()


def test_what_quotes_the_address_stops_nothing(post: Post) -> None:
    _, asking = post.asked()
    address = stop_address(asking)
    reply = reply_to(asking, "hand", Subject=f"Re: {address}", References=f"{asking['References']} <{address}>")
    reply.set_content(f"hand\n\n> To stop: {address}\n")
    assert post.send(reply).state == "done"
    assert not Pause.objects.exists()


def test_reports_and_mails_of_our_own_are_no_wish(post: Post) -> None:
    _, asking = post.asked()
    own = stopping(asking, Message_ID=f"<x@{settings.REPLY_DOMAIN}>")
    assert post.send(own).kind == "loop"
    report = stopping(asking)
    report.replace_header("Content-Type", 'multipart/report; report-type="disposition-notification"; boundary="x"')
    report.set_payload("--x\r\n\r\nIt was opened.\r\n--x--\r\n")
    assert post.send(report).kind == "receipt"
    assert not Pause.objects.exists()


def test_former_keys_are_honoured(post: Post, settings: Any) -> None:
    _, asking = post.asked()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "k" * 50, [settings.SECRET_KEY]
    assert post.send(stopping(asking)).state == "done"


def test_the_answer_to_a_mail_has_a_stop_address_of_its_own(post: Post) -> None:
    seat, asking = post.asked()
    answer = post.answer_to(post.send(reply_to(asking, "hand")))
    assert stop_address(answer) != stop_address(asking)
    assert post.send(stopping(answer)).state == "done"
    assert Pause.objects.get().seat_id == seat.pk


def test_that_of_a_daily_mail_stops_all_mails_about_races(post: Post) -> None:
    seat = post.running.asked
    assert seat.player is not None
    now = timezone.now()
    wishes_set(player=seat.player, now=now, is_daily=True, daily_hour=7)
    post.deliver()
    Wishes.objects.filter(player=seat.player).update(daily_at=now)
    notices_deliver(daily_make(now=now))
    daily = post.mails(seat.player.email)[-1]
    assert Notice.objects.get(message_id=str(daily["Message-ID"])).occasion == "daily"
    row = post.send(stopping(daily))
    assert (row.state, row.reason) == ("done", "all mails to the player are stopped")
    assert wishes_of(seat.player.pk).is_mail_stopped


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.django_db(transaction=True)
def test_the_listener_takes_mail_for_it(post: Post) -> None:
    _, asking = post.asked()
    with listening() as port:
        assert hand_over(port, stopping(asking), [stop_address(asking)]) == {}
    post.work()
    assert InboundMail.objects.get().state == "done"
    assert Pause.objects.count() == 1


def test_where_no_mail_is_read_no_address_is_named(post: Post, settings: Any) -> None:
    settings.REPLIES = False
    seat = post.running.asked
    post.deliver()
    assert seat.player is not None
    assert "mailto:" not in str(post.mails(seat.player.email)[-1]["List-Unsubscribe"])
