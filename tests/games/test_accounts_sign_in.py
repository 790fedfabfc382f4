"""Joining and signing in by a mailed code."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone

from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import sign_in_link

pytestmark = pytest.mark.django_db

PROFILE = "/account/"
SIGN_IN = "/account/sign-in/"
SIGN_IN_CODE = "/account/sign-in/code/"
JOIN = "/account/join/"
JOIN_CODE = "/account/join/code/"
WREN = {"email": "wren@example.org", "display_name": "Wren", "time_zone": "Europe/Berlin"}


def mailed_code() -> str:
    body = str(mail.outbox[-1].body)
    found = re.search(r"^ {4}(\S+)$", body, re.MULTILINE)
    assert found, body
    return found[1]


def is_signed_in(client: Client) -> bool:
    return client.get(PROFILE).status_code == 200


def test_a_code_signs_in(client: Client) -> None:
    wren = User.objects.create_user("wren@example.org", display_name="Wren")
    answer = client.post(SIGN_IN, {"email": "Wren@Example.org"})
    assert answer["Location"] == SIGN_IN_CODE
    assert "no-store" in client.get(SIGN_IN_CODE)["Cache-Control"]
    answer = client.post(SIGN_IN_CODE, {"code": mailed_code()})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert is_signed_in(client)
    assert client.session["_auth_user_id"] == str(wren.pk)
    assert len(mail.outbox) == 1


def test_a_wrong_code_signs_nobody_in_and_three_end_it(client: Client) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    client.post(SIGN_IN, {"email": "wren@example.org"})
    code = mailed_code()
    wrong = "AAAA-AAAA" if code != "AAAA-AAAA" else "BBBB-BBBB"
    for _ in range(3):
        client.post(SIGN_IN_CODE, {"code": wrong})
        assert not is_signed_in(client)
    told = client.get(SIGN_IN).content.decode()
    assert "Three wrong codes were typed, and the code is void. Ask for another one." in told
    client.post(SIGN_IN_CODE, {"code": code})
    assert not is_signed_in(client)


def test_a_code_is_of_use_only_in_the_browser_that_asked_for_it(client: Client) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    client.post(SIGN_IN, {"email": "wren@example.org"})
    other = Client()
    other.post(SIGN_IN_CODE, {"code": mailed_code()})
    assert not is_signed_in(other)


def test_known_and_unknown_addresses_get_the_same_answer() -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    pages = []
    for address in ("wren@example.org", "nobody@example.org"):
        client = Client()
        answer = client.post(SIGN_IN, {"email": address})
        page = client.get(answer["Location"])
        text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.content.decode()).replace(address, "ADDRESS")
        pages.append((answer.status_code, answer["Location"], page.status_code, text))
    assert pages[0] == pages[1]
    assert [sent.to for sent in mail.outbox] == [["wren@example.org"], ["nobody@example.org"]]
    assert "No player here has this mail address" in mail.outbox[1].body


def test_joining_takes_a_code_and_makes_one_account(client: Client) -> None:
    assert client.post(JOIN, WREN)["Location"] == JOIN_CODE
    assert not is_signed_in(client)
    answer = client.post(JOIN_CODE, {"code": mailed_code()})
    assert answer.status_code == 302
    assert is_signed_in(client)
    user = User.objects.get()
    assert (user.email, user.display_name, user.time_zone) == ("wren@example.org", "Wren", "Europe/Berlin")
    assert not user.has_usable_password()


def test_who_joins_a_second_time_comes_to_the_sign_in_page_by_the_link_of_the_mail(client: Client) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    client.post(JOIN, {**WREN, "display_name": "Wren again"})
    assert f"{SIGN_IN}\n" in str(mail.outbox[-1].body)
    page = client.get(f"{SIGN_IN}?next=/races/", follow=True)
    assert page.redirect_chain == [(f"{SIGN_IN}?next=/races/", 302)]
    assert "Code from the mail" not in page.content.decode()
    assert client.post(f"{SIGN_IN}?next=/races/", {"email": "wren@example.org"})["Location"].startswith(SIGN_IN_CODE)
    client.post(SIGN_IN_CODE, {"code": mailed_code()})
    assert is_signed_in(client)


def test_joining_with_a_taken_address_tells_only_its_owner() -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    pages = []
    for address, name in (("wren@example.org", "Rook"), ("crow@example.org", "Crow")):
        client = Client()
        answer = client.post(JOIN, {"email": address, "display_name": name, "time_zone": "UTC"})
        page = client.get(answer["Location"])
        text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.content.decode()).replace(address, "ADDRESS")
        pages.append((answer.status_code, answer["Location"], page.status_code, text))
    assert pages[0] == pages[1]
    assert "a player here has this mail address already" in mail.outbox[0].body
    assert not User.objects.filter(display_name="Rook").exists()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("display_name", "WREN", "Another player has this name"),
        ("display_name", "x" * 31, "at most 30 characters"),
        ("display_name", "a\u202eb", "a character that is not seen"),
        ("display_name", "a  b", "single blanks"),
        ("time_zone", "Mars/Olympus", "Select a valid choice"),
        ("email", "nowhere", "Enter a valid email address"),
    ],
)
def test_joining_refuses_what_cannot_be_used(client: Client, field: str, value: str, sentence: str) -> None:
    User.objects.create_user("crow@example.org", display_name="Wren")
    answer = client.post(JOIN, {**WREN, "display_name": "Rook", field: value})
    assert answer.status_code == 200
    assert sentence in answer.content.decode()
    assert User.objects.count() == 1
    assert mail.outbox == []


def test_a_fourth_code_within_a_minute_is_not_sent(client: Client) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    answers = [Client().post(SIGN_IN, {"email": "wren@example.org"}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [302, 302, 302, 429]
    told = answers[-1].content.decode()
    assert "Too many codes were asked for within a minute. Wait a minute" in told
    assert "failed" not in told
    assert answers[-1]["Retry-After"] == "60"
    assert len(mail.outbox) == 3


def test_mails_with_codes_are_marked_as_sent_by_a_program_and_do_not_name_the_machine(
    client: Client, settings: Any
) -> None:
    settings.REPLY_DOMAIN = "race.example.org"
    client.post(JOIN, WREN)
    assert mail.outbox[0].extra_headers["Message-ID"].endswith("@race.example.org>")
    assert mail.outbox[0].extra_headers["Auto-Submitted"] == "auto-generated"
    assert mail.outbox[0].subject == "Your code to confirm this mail address"


def test_signing_out_needs_a_press_of_the_button(client: Client) -> None:
    client.force_login(User.objects.create_user("wren@example.org", display_name="Wren"))
    assert client.get("/account/sign-out/").status_code == 200
    assert is_signed_in(client)
    client.post("/account/sign-out/")
    assert not is_signed_in(client)


@pytest.mark.parametrize("address", ["password/change/", "password/set/", "password/reset/", "signup/", "login/"])
def test_nothing_of_passwords_can_be_reached(client: Client, address: str) -> None:
    client.force_login(User.objects.create_user("wren@example.org", display_name="Wren"))
    assert client.get(f"/account/{address}").status_code == 404


def test_a_closed_account_does_not_get_in(client: Client) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren", is_active=False)
    client.post(SIGN_IN, {"email": "wren@example.org"})
    client.post(SIGN_IN_CODE, {"code": mailed_code()}) if "    " in mail.outbox[-1].body else None
    assert not is_signed_in(client)


def test_a_new_mail_address_counts_once_old_and_new_have_typed_their_codes(client: Client) -> None:
    wren = User.objects.create_user("wren@example.org", display_name="Wren")
    client.force_login(wren)
    answer = client.post("/account/mail-address/", {"email": "new@example.org", "action_add": ""})
    assert answer["Location"].startswith("/account/again/?")
    again = client.get(answer["Location"]).content.decode()
    assert 'name="recipient" value="wren@example.org"' in again
    assert mail.outbox == []
    answer = client.post(answer["Location"], {"recipient": "wren@example.org"})
    assert mail.outbox[-1].to == ["wren@example.org"]
    answer = client.post(answer["Location"], {"code": mailed_code()})
    assert answer["Location"] == JOIN_CODE
    assert mail.outbox[-1].to == ["new@example.org"]
    wren.refresh_from_db()
    assert wren.email == "wren@example.org"
    client.post(JOIN_CODE, {"code": mailed_code()})
    wren.refresh_from_db()
    assert wren.email == "new@example.org"
    told = [sent.subject for sent in mail.outbox if sent.to == ["wren@example.org"]]
    assert told == ["Your code to sign in to Roadkill", "Your mail address has changed"]


def test_a_sign_in_link_shows_whom_it_signs_in_and_does_so_once(client: Client) -> None:
    wren = User.objects.create_user("wren@example.org", display_name="Wren")
    address = sign_in_link(wren).removeprefix("http://127.0.0.1:8000")
    page = client.get(address)
    assert "Sign in as Wren" in page.content.decode()
    assert not is_signed_in(client)
    assert client.post(address)["Location"] == "/"
    assert is_signed_in(client)
    other = Client()
    assert other.post(address).status_code == 410
    assert not is_signed_in(other)


MAILBOX_ON = {"EMAIL_BACKEND": "notifications.mailbox.backend.MailboxBackend"}


def test_a_used_up_sign_in_link_says_how_to_sign_in_with_what_address_and_where_its_mail_lies(client: Client) -> None:
    wren = User.objects.create_user("wren@example.org", display_name="Wren")
    address = sign_in_link(wren).removeprefix("http://127.0.0.1:8000")
    client.post(address)
    with override_settings(**MAILBOX_ON):
        told = Client().get(address).content.decode()
    assert f'href="{SIGN_IN}"' in told
    assert 'href="/mailbox/"' in told
    assert "wren@example.org" in told
    assert "wren@example.org" not in Client().get(address[:-2] + "x/").content.decode(), "a forged link tells nobody's"


@pytest.mark.parametrize("page", [SIGN_IN, JOIN, "/races/"])
def test_every_page_leads_to_the_mailbox_where_there_is_one_and_only_there(page: str) -> None:
    with override_settings(**MAILBOX_ON):
        assert 'href="/mailbox/"' in Client().get(page).content.decode()
    assert "/mailbox/" not in Client().get(page).content.decode()


def test_the_page_for_a_code_says_that_the_mail_lies_in_the_mailbox(client: Client) -> None:
    with override_settings(**MAILBOX_ON):
        client.post(SIGN_IN, {"email": "wren@example.org"})
        page = client.get(SIGN_IN_CODE).content.decode()
    assert 'href="/mailbox/"' in page.partition("<footer")[0]


def test_a_sign_in_link_that_was_tampered_with_or_is_old_signs_nobody_in(client: Client, time_machine: object) -> None:
    address = sign_in_link(User.objects.create_user("wren@example.org", display_name="Wren"))
    address = address.removeprefix("http://127.0.0.1:8000")
    assert client.post(address[:-2] + "x/").status_code == 410
    time_machine.move_to(timezone.now() + timezone.timedelta(hours=13))  # type: ignore[attr-defined]
    assert client.post(address).status_code == 410


def test_a_site_at_work_makes_and_takes_no_sign_in_links(settings: object) -> None:
    wren = User.objects.create_user("wren@example.org", display_name="Wren")
    settings.DEVELOPMENT = False  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="development"):
        sign_in_link(wren)
