"""The profile page, and the tokens with which programs act for a player."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from roadkill_site.accounts.authentication import TokenAuthentication
from roadkill_site.accounts.models import ApiToken, User
from roadkill_site.accounts.services import TOKENS_PER_USER, TokenRefused, api_token_create, api_token_revoke

pytestmark = pytest.mark.django_db


@pytest.fixture
def wren() -> User:
    return User.objects.create_user("wren@example.org", display_name="Wren")


@pytest.fixture
def at_wrens(client: Client, wren: User) -> Client:
    client.force_login(wren)
    return client


def authenticated(header: str) -> tuple[User, ApiToken] | None:
    return TokenAuthentication().authenticate(Request(APIRequestFactory().get("/", HTTP_AUTHORIZATION=header)))


def test_a_player_changes_name_and_zone(at_wrens: Client, wren: User) -> None:
    answer = at_wrens.post("/account/", {"display_name": "Robin", "time_zone": "Asia/Tokyo"}, follow=True)
    assert "Your profile is saved." in answer.content.decode()
    wren.refresh_from_db()
    assert (wren.display_name, wren.time_zone) == ("Robin", "Asia/Tokyo")


def test_a_refused_profile_keeps_what_was_typed_and_changes_nothing(at_wrens: Client, wren: User) -> None:
    User.objects.create_user("crow@example.org", display_name="Crow")
    answer = at_wrens.post("/account/", {"display_name": "crow", "time_zone": "Asia/Tokyo"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Another player has this name." in page
    assert 'value="crow"' in page
    wren.refresh_from_db()
    assert (wren.display_name, wren.time_zone) == ("Wren", "UTC")


def test_a_name_is_escaped(at_wrens: Client, wren: User) -> None:
    at_wrens.post("/account/", {"display_name": "<b>Wren</b>", "time_zone": "UTC"})
    page = at_wrens.get("/account/").content.decode()
    assert "<b>Wren" not in page
    assert "&lt;b&gt;Wren&lt;/b&gt;" in page


@pytest.mark.parametrize("address", ["/account/", "/account/tokens/", "/account/mail-address/"])
def test_strangers_are_sent_to_sign_in(client: Client, address: str) -> None:
    answer = client.post(address, {"label": "x"})
    assert (answer.status_code, answer["Location"]) == (302, f"/account/sign-in/?next={address}")


def test_a_new_token_is_shown_once_and_opens_the_api(at_wrens: Client, wren: User) -> None:
    answer = at_wrens.post("/account/tokens/", {"label": "my script"})
    found = re.search(r"rk_[\w-]{43}", answer.content.decode())
    assert found
    assert "no-store" in answer["Cache-Control"]
    assert found[0] not in at_wrens.get("/account/").content.decode()
    assert found[0] not in str(ApiToken.objects.values())
    known = authenticated(f"Bearer {found[0]}")
    assert known is not None
    assert (known[0], known[1].label) == (wren, "my script")


def test_a_token_without_a_label_is_refused(at_wrens: Client) -> None:
    assert at_wrens.post("/account/tokens/", {"label": " "}).status_code == 422
    assert not ApiToken.objects.exists()


def test_a_revoked_token_opens_nothing(at_wrens: Client, wren: User) -> None:
    token, key = api_token_create(user=wren, label="x")
    at_wrens.post(f"/account/tokens/{token.pk}/revoke/")
    with pytest.raises(AuthenticationFailed, match="revoked"):
        authenticated(f"Bearer {key}")
    assert not api_token_revoke(user=wren, token_id=token.pk)


def test_nobody_revokes_the_token_of_another(at_wrens: Client) -> None:
    crow = User.objects.create_user("crow@example.org", display_name="Crow")
    token, key = api_token_create(user=crow, label="x")
    assert at_wrens.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert authenticated(f"Bearer {key}") is not None


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("Bearer", "Write the header as"),
        ("Bearer one two", "Write the header as"),
        ("Bearer rk_unknown", "not known here"),
        ("Bearer rk_\u00e4", "not known here|no token of ours has"),
        ("bearer KEYx", "not known here"),
    ],
)
def test_a_token_that_is_not_ours_is_refused_with_a_sentence(wren: User, header: str, sentence: str) -> None:
    _, key = api_token_create(user=wren, label="x")
    with pytest.raises(AuthenticationFailed, match=sentence):
        authenticated(header.replace("KEY", key))


@pytest.mark.parametrize("header", ["", "Basic d3JlbjpzZWNyZXQ=", "Token rk_x"])
def test_other_schemes_are_left_to_other_ways_of_signing_in(header: str) -> None:
    assert authenticated(header) is None


def test_the_token_of_a_closed_account_is_refused(wren: User) -> None:
    _, key = api_token_create(user=wren, label="x")
    User.objects.update(is_active=False)
    with pytest.raises(AuthenticationFailed, match="closed"):
        authenticated(f"Bearer {key}")


def test_a_token_costs_one_query_and_notes_its_use_every_five_minutes(
    wren: User, django_assert_num_queries: Any, time_machine: Any
) -> None:
    _, key = api_token_create(user=wren, label="x")
    start = timezone.now()
    time_machine.move_to(start, tick=False)
    with django_assert_num_queries(2):
        authenticated(f"Bearer {key}")
    with django_assert_num_queries(1):
        authenticated(f"Bearer {key}")
    time_machine.move_to(start + timedelta(minutes=6), tick=False)
    with django_assert_num_queries(2):
        authenticated(f"Bearer {key}")
    assert ApiToken.objects.get().last_used_at == start + timedelta(minutes=6)


def test_tokens_are_not_made_without_end(wren: User) -> None:
    tokens = [api_token_create(user=wren, label=f"number {number}")[0] for number in range(TOKENS_PER_USER)]
    with pytest.raises(TokenRefused, match="revoke one first"):
        api_token_create(user=wren, label="one more")
    api_token_revoke(user=wren, token_id=tokens[0].pk)
    api_token_create(user=wren, label="one more")


@pytest.mark.parametrize("fields", [{"email": "WREN@example.org"}, {"display_name": "wREN"}])
def test_the_database_keeps_addresses_and_names_apart_in_any_case(wren: User, fields: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(**{"email": "crow@example.org", "display_name": "Crow", **fields})
    with pytest.raises(ValidationError):
        User.objects.create_user(**{"email": "crow@example.org", "display_name": "Crow", **fields})


def test_an_operator_has_no_password_either() -> None:
    operator = User.objects.create_superuser("op@example.org", display_name="Operator")
    assert operator.is_staff
    assert not operator.has_usable_password()
    with pytest.raises(ValueError, match="mailed codes"):
        User.objects.create_superuser("op2@example.org", display_name="Second", password="secret")


def test_a_command_makes_an_operator_of_somebody_new_or_known(wren: User, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("createsuperuser", "op@example.org", name="Operator")
    assert capsys.readouterr().out == "Operator (op@example.org) is an operator and signs in by a mailed code.\n"
    call_command("createsuperuser", "WREN@example.org")
    wren.refresh_from_db()
    assert (wren.is_superuser, wren.display_name) == (True, "Wren")
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("mail", "name", "sentence"),
    [
        ("nowhere", "Operator", "Enter a valid email address."),
        ("op@example.org", "wren", "Another player has this name."),
        ("op@example.org", "", "This field cannot be blank."),
    ],
)
def test_the_command_refuses_in_a_sentence(wren: User, mail: str, name: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("createsuperuser", mail, name=name)
    assert User.objects.count() == 1


def test_the_admin_pages_send_strangers_to_the_one_sign_in(client: Client, wren: User) -> None:
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/account/sign-in/")
    client.force_login(wren)
    assert client.get("/admin/", follow=True).status_code == 403
    wren.is_staff = wren.is_superuser = True
    wren.save()
    assert client.get("/admin/accounts/user/").status_code == 200


def test_the_list_of_zones_holds_places_only(at_wrens: Client) -> None:
    page = at_wrens.get("/account/").content.decode()
    assert 'value="Europe/Berlin"' in page
    assert 'value="Factory"' not in page
    assert 'value="localtime"' not in page


def test_times_are_shown_in_the_players_zone(at_wrens: Client, wren: User, time_machine: Any) -> None:
    time_machine.move_to("2026-07-01T20:30:00+00:00")
    api_token_create(user=wren, label="x")
    User.objects.update(time_zone="Asia/Tokyo")
    at_wrens.force_login(wren)
    assert "made 2 July 2026, 05:30" in at_wrens.get("/account/").content.decode()
