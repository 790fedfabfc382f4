"""The development mailbox: what it keeps, and how it shows it."""

from email.message import EmailMessage as WireMessage
from pathlib import Path
from typing import Any

import pytest
from django.core.mail import EmailMultiAlternatives, get_connection
from django.test import Client

from notifications.mailbox import store
from notifications.mailbox.store import mail_get, mail_list, mail_store

BACKEND = "notifications.mailbox.backend.MailboxBackend"


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.MAILBOX_DIR = tmp_path / "mailbox"
    settings.EMAIL_BACKEND = BACKEND
    settings.DEVELOPMENT = True
    return tmp_path / "mailbox"


def send(subject: str = "Dust Devil: your turn", html: str = "<html><head></head><body>Hi</body></html>") -> None:
    mail = EmailMultiAlternatives(
        subject,
        "Go: http://127.0.0.1:8000/act/abc\n<script>alert(1)</script>",
        "Roadkill <t@localhost>",
        ["w@example.org"],
    )
    mail.attach_alternative(html, "text/html")
    assert get_connection(BACKEND).send_messages([mail]) == 1


def test_a_sent_mail_is_kept_as_it_would_go_over_the_wire(folder: Path) -> None:
    send("Grüße: your turn")
    (mail,) = mail_list(folder, most=10)
    assert mail.subject == "Grüße: your turn"
    assert mail.recipient == "w@example.org"
    assert mail.sender == "Roadkill <t@localhost>"
    assert "/act/abc" in (mail.part("plain") or "")
    assert (mail.part("html") or "").startswith("<html>")
    assert {name for name, _ in mail.headers} >= {"Subject", "From", "To", "Date", "Message-ID"}


def test_the_newest_mail_comes_first_and_pages_go_on_where_the_last_ended(folder: Path) -> None:
    for number in range(5):
        send(f"mail {number}")
    first = mail_list(folder, most=3)
    assert [mail.subject for mail in first] == ["mail 4", "mail 3", "mail 2"]
    assert [mail.subject for mail in mail_list(folder, most=3, before=first[-1].key)] == ["mail 1", "mail 0"]


def test_old_mails_make_room_for_new_ones(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT_MOST", 3)
    for number in range(5):
        send(f"mail {number}")
    assert [mail.subject for mail in mail_list(folder, most=9)] == ["mail 4", "mail 3", "mail 2"]
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize(
    "key", ["../secret", "x", "", "20260101000000000000-zzzzzzzz", "20260101000000000000-00000000"]
)
def test_a_key_that_was_not_made_here_names_no_mail(folder: Path, key: str) -> None:
    folder.mkdir(parents=True)
    (folder.parent / "secret.eml").write_bytes(b"Subject: secret\r\n\r\n")
    assert mail_get(folder, key) is None


@pytest.mark.django_db
def test_the_list_and_a_mail_are_shown_escaped_and_links_work(folder: Path, client: Client) -> None:
    send("<b>bold</b>: your turn")
    (mail,) = mail_list(folder, most=1)
    page = client.get("/mailbox/").content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt;: your turn" in page
    assert f"/mailbox/{mail.key}/" in page
    page = client.get(f"/mailbox/{mail.key}/").content.decode()
    assert f'src="/mailbox/{mail.key}/html"' in page
    assert 'href="http://127.0.0.1:8000/act/abc"' in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_mails_html_is_shut_into_a_sandbox(folder: Path, client: Client) -> None:
    send(html="<html><head></head><body><script>alert(1)</script><a href='/act/x'>1</a></body></html>")
    (mail,) = mail_list(folder, most=1)
    response = client.get(f"/mailbox/{mail.key}/html")
    directives = response.headers["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in directives
    assert "frame-ancestors 'self'" in directives
    sandbox = next(part for part in directives if part.startswith("sandbox"))
    assert "allow-scripts" not in sandbox
    assert "allow-same-origin" not in sandbox
    assert "allow-forms" not in sandbox
    assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert '<base target="_top">' in response.content.decode()


def test_a_mail_without_html_has_no_html_page(folder: Path, client: Client) -> None:
    wire = WireMessage()
    wire["Subject"], wire["To"], wire["From"] = "code", "w@example.org", "t@localhost"
    wire["Date"] = "Mon, 30 Nov 2026 03:15:15 +0000"
    wire.set_content("Your code: 123")
    key = mail_store(folder, wire.as_bytes())
    assert client.get(f"/mailbox/{key}/html").status_code == 404


@pytest.mark.django_db
def test_the_mailbox_is_emptied_by_a_post_only(folder: Path, client: Client) -> None:
    send()
    assert client.get("/mailbox/empty").status_code == 405
    assert len(mail_list(folder, most=9)) == 1
    assert client.post("/mailbox/empty").status_code == 302
    assert mail_list(folder, most=9) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value"),
    [("DEVELOPMENT", False), ("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")],
)
def test_a_server_that_sends_its_mails_has_no_mailbox(
    folder: Path, client: Client, settings: Any, name: str, value: object
) -> None:
    send()
    (mail,) = mail_list(folder, most=1)
    setattr(settings, name, value)
    for address in ("/mailbox/", f"/mailbox/{mail.key}/", f"/mailbox/{mail.key}/html"):
        assert client.get(address).status_code == 404
