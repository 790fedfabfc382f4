"""Mails of ours that come back: for good, for now, and made up."""

from email.message import EmailMessage
from email.mime.base import MIMEBase
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from notifications.models import ClosedAddress, Notice
from tests.notifications.replies.conftest import Post, reply_to


def report(asking: EmailMessage, status: str, *, action: str = "failed", to: str = "", returned: str = "") -> bytes:
    """A delivery report (RFC 3464), as a mail server writes it."""
    mail = MIMEMultipart("report")
    mail.set_param("report-type", "delivery-status")
    mail["From"] = "Mail Delivery System <mailer-daemon@mx.example>"
    mail["To"] = to or str(asking["X-Envelope-From"])
    mail["Subject"] = "Undelivered Mail Returned to Sender"
    mail["Message-ID"] = f"<{status}-{action}-{len(to)}-{len(returned)}@mx.example>"
    mail.attach(MIMEText("It could not be delivered.\n"))
    told = MIMEBase("message", "delivery-status")
    told.set_payload(
        [
            _fields({"Reporting-MTA": "dns; mx.example"}),
            _fields(
                {
                    "Final-Recipient": "rfc822; somebody@elsewhere.example",
                    "Action": action,
                    "Status": status,
                    "Diagnostic-Code": "smtp; 550 5.1.1 No such user",
                }
            ),
        ]
    )
    mail.attach(told)
    inner = EmailMessage()
    inner["Message-ID"] = returned or "<none@elsewhere.example>"
    inner.set_content("…")
    mail.attach(MIMEMessage(inner))
    return mail.as_bytes()


def _fields(fields: dict[str, str]) -> EmailMessage:
    block = EmailMessage()
    for name, value in fields.items():
        block[name] = value
    return block


def test_a_mail_that_failed_for_good_closes_the_address_that_it_was_sent_to(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    row = post.send(report(asking, "5.1.1"), to=str(asking["X-Envelope-From"]), sender="")
    assert (row.state, row.kind, row.answer_state) == ("done", "bounce", "none"), row.reason
    closed = ClosedAddress.objects.get()
    assert closed.address == seat.player.email, "not the one that the report names"
    assert "5.1.1" in closed.detail
    notice = Notice.objects.get(message_id=str(asking["Message-ID"]))
    assert (notice.state, notice.sent_at) == ("bounced", None)
    assert [attempt.result for attempt in notice.attempts.all()] == ["sent", "permanent"]


def test_the_returned_mail_names_itself_where_the_return_path_was_lost(post: Post) -> None:
    _, asking = post.asked()
    post.send(report(asking, "5.1.1", to="turns@localhost", returned=str(asking["Message-ID"])), sender="")
    assert ClosedAddress.objects.count() == 1


def test_an_answer_of_ours_that_comes_back_closes_its_address(post: Post) -> None:
    seat, asking = post.asked()
    assert seat.player is not None
    answer = post.answer_to(post.send(reply_to(asking, "hand")))
    post.send(report(answer, "5.1.1"), sender="")
    assert ClosedAddress.objects.get().address == seat.player.email


@pytest.mark.parametrize(
    ("status", "action"),
    [
        ("4.4.1", "delayed"),
        ("4.2.2", "failed"),
        ("5.2.2", "failed"),
        ("5.7.1", "failed"),
        ("5.1.1", "delayed"),
        ("2.0.0", "delivered"),
    ],
)
def test_what_may_pass_closes_nothing(post: Post, status: str, action: str) -> None:
    _, asking = post.asked()
    row = post.send(report(asking, status, action=action), sender="")
    assert row.state == "ignored"
    assert not ClosedAddress.objects.exists()


def test_a_made_up_report_closes_nothing(post: Post) -> None:
    _, asking = post.asked()
    path = str(asking["X-Envelope-From"])
    for to in (
        path.replace("=", "=a", 1),
        path.replace("bounce+", "bounce+0", 1),
        "bounce@127.0.0.1",
        "turns@localhost",
    ):
        row = post.send(report(asking, "5.1.1", to=to), sender="", to=to)
        assert row.state == "ignored", to
    assert not ClosedAddress.objects.exists()


def test_an_absence_note_closes_nothing_and_is_not_answered(post: Post) -> None:
    _, asking = post.asked()
    note = reply_to(asking, "I am away until Monday.", Auto_Submitted="auto-replied", Subject="Out of office")
    row = post.send(note, sender="", to=str(asking["X-Envelope-From"]))
    assert (row.state, row.answer_state) == ("ignored", "none")
    assert not ClosedAddress.objects.exists()


def test_a_mail_of_ours_that_a_forwarder_sends_back_is_known_and_never_answered(post: Post) -> None:
    _, asking = post.asked()
    asking.replace_header("Message-ID", "<another@forwarder.example>")
    asking.replace_header("From", str(asking["To"]))
    del asking["Auto-Submitted"], asking["List-Id"]
    row = post.send(asking, to=str(asking["Reply-To"]), sender=str(asking["To"]))
    assert (row.kind, row.state, row.answer_state, row.reason) == ("loop", "ignored", "none", "loop: x-loop")
