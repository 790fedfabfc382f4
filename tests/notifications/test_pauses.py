"""Stopping and taking up again the mails about one race."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.core import signing
from django.test import Client
from django.test.utils import override_settings

from notifications.models import Pause
from notifications.services.pauses import StopLinkRefused, is_paused, stop_link, stop_link_read
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running


@pytest.fixture
def path(running: Running, wren: User) -> str:
    """The stop link of Wren's mails, without scheme and host."""
    return stop_link(seat_id=running.seat(wren).pk, address="Wren@example.org").partition(":8000")[2]


def test_opening_the_link_changes_nothing(path: str, client: Client) -> None:
    for _ in range(2):
        page = client.get(path)
        assert page.status_code == 200
        assert "wren@example.org" in page.content.decode().lower()
    client.head(path)
    assert not Pause.objects.exists()


def test_one_click_by_a_mail_reader_stops_the_mails_and_leaves_the_seat(
    path: str, running: Running, wren: User
) -> None:
    strict = Client(enforce_csrf_checks=True)
    page = strict.post(path, {"List-Unsubscribe": "One-Click"})
    assert page.status_code == 200
    seat = running.seat(wren)
    assert seat.state == "joined"
    assert is_paused(seat_id=seat.pk, address="wren@example.org")
    strict.post(path, {"List-Unsubscribe": "One-Click"})
    assert Pause.objects.count() == 1


def test_the_same_page_takes_the_mails_up_again(path: str, running: Running, wren: User, client: Client) -> None:
    client.post(path, {"wish": "stop"})
    page = client.get(path).content.decode()
    assert "gets no more mails about this race" in page
    assert client.post(path, {"wish": "resume"}).status_code == 200
    assert not is_paused(seat_id=running.seat(wren).pk, address="wren@example.org")


def test_the_page_signs_nobody_in_and_is_kept_by_nobody(path: str, client: Client) -> None:
    response = client.post(path, {"wish": "stop"})
    assert "sessionid" not in client.cookies
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Robots-Tag"] == "noindex"


def test_a_pause_holds_for_one_seat_and_one_address(
    path: str, running: Running, wren: User, olu: User, client: Client
) -> None:
    client.post(path)
    assert not is_paused(seat_id=running.seat(wren).pk, address="new@example.org")
    assert not is_paused(seat_id=running.seat(olu).pk, address="wren@example.org")


@pytest.mark.parametrize(
    "token",
    ["x", "WzEsMl0:1abc:def", signing.dumps([1, "a@b.c"], salt="other"), signing.dumps(5)],
    # A token holds the second in which it was made, which is not the same in each process that collects.
    ids=["no token", "not ours", "of another kind", "no list"],
)
@pytest.mark.django_db
def test_a_broken_link_is_refused_with_a_sentence(token: str, client: Client) -> None:
    with pytest.raises(StopLinkRefused):
        stop_link_read(token)
    response = client.post(f"/mail/stop/{token}")
    assert response.status_code == 400
    assert "not made here" in response.content.decode()


@pytest.mark.django_db
def test_a_link_of_a_race_that_is_not_here_is_told_so(client: Client) -> None:
    path = stop_link(seat_id=4711, address="wren@example.org").partition(":8000")[2]
    assert client.post(path).status_code == 404
    assert not Pause.objects.exists()


def test_a_former_key_still_opens_the_link(path: str, running: Running, wren: User) -> None:
    token = path.rpartition("/")[2]
    with override_settings(SECRET_KEY="another", SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert stop_link_read(token).seat_id == running.seat(wren).pk
    with override_settings(SECRET_KEY="another", SECRET_KEY_FALLBACKS=[]), pytest.raises(StopLinkRefused):
        stop_link_read(token)


def test_a_race_name_is_escaped(path: str, running: Running, client: Client) -> None:
    type(running.race).objects.filter(pk=running.race.pk).update(name="<b>Fast</b>")
    assert "&lt;b&gt;Fast&lt;/b&gt;" in client.get(path).content.decode()


@pytest.mark.parametrize("form", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_one_click_needs_no_cookie_no_token_and_no_redirect_and_leaves_the_seat(
    running: Running, wren: User, settings: Any, form: str
) -> None:
    """RFC 8058, 3.1 and 3.2: the mail reader's server posts "List-Unsubscribe=One-Click" and nothing else."""
    seat = running.seat(wren)
    address = stop_link(seat_id=seat.pk, address=wren.email).removeprefix(settings.SITE_URL)
    client = Client(enforce_csrf_checks=True)
    assert client.get(address).status_code == 200
    assert not is_paused(seat_id=seat.pk, address=wren.email)
    client.cookies.clear()
    told = {"List-Unsubscribe": "One-Click"}
    if form == "multipart/form-data":
        answer = client.post(address, told)
    else:
        answer = client.post(address, urlencode(told), content_type=form)
    assert answer.status_code == 200
    assert not answer.cookies
    assert is_paused(seat_id=seat.pk, address=wren.email)
    seat.refresh_from_db()
    assert (seat.state, seat.player_id) == ("joined", wren.pk)
