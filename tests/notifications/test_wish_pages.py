"""The pages at which players say what they want to be told, see what was sent, and keep their webhooks."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from pytest_django import Settings

from games.services.races import race_create
from notifications.channels.push.sealing import private_key_make
from notifications.models import Attempt, Endpoint, Notice, Pause, Wishes
from notifications.selectors import wishes_of
from notifications.services.addresses import address_close
from notifications.services.delivery import RetryRefused, notice_retry, notices_deliver
from notifications.services.endpoints import browser_subscribe, endpoint_close, webhook_create
from notifications.words import ENDPOINT_KINDS
from roadkill_site.accounts.models import User
from tests.notifications.channels.test_endpoints import subscription
from tests.notifications.conftest import Running

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def mine(client: Client, wren: User) -> Client:
    client.force_login(wren)
    return client


def body(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def wish(**other: Any) -> dict[str, Any]:
    kinds = sorted(ENDPOINT_KINDS)
    return {"mails": "single", "daily_hour": "8", "urgent_hours": "12", "reminders": "on", "kind": kinds, **other}


def test_the_page_needs_a_player(client: Client, db: None) -> None:
    assert client.get("/mail/").status_code == 302
    assert client.post("/mail/webhook").status_code == 302


def test_what_is_wished_is_kept_and_shown(mine: Client, wren: User, running: Running) -> None:
    answer = mine.post("/mail/", wish(mails="daily", daily_hour="7", urgent_hours="6", race=[]))
    assert answer.status_code == 302
    kept = wishes_of(wren.pk)
    assert (kept.daily_hour, kept.urgent_hours, kept.reminders, kept.is_mail_stopped) == (7, 6, True, False)
    assert Pause.objects.filter(seat=running.seat(wren)).exists()
    page = body(mine, "/mail/")
    assert re.search(r'value="daily" checked', page)
    assert re.search(r'<option value="7" selected>07:00', page)
    mine.post("/mail/", wish(mails="none", race=[running.race.public_id], kind=["turn"]))
    kept = wishes_of(wren.pk)
    assert (kept.daily_hour, kept.is_mail_stopped) == (None, True)
    assert set(kept.mail_kinds_off) == ENDPOINT_KINDS - {"turn"}
    assert not Pause.objects.exists()


def test_a_kind_that_is_switched_off_is_not_mailed(mine: Client, running: Running, deliver: Any) -> None:
    asked = running.asked.player
    assert isinstance(asked, User)
    mine.force_login(asked)
    mine.post("/mail/", wish(kind=sorted(ENDPOINT_KINDS - {"turn"}), race=[running.race.public_id]))
    deliver()
    assert Notice.objects.get(outbox_event__kind="turn").reason == "this kind is switched off for mail"


@pytest.mark.parametrize("wrong", [{"mails": "daily", "daily_hour": "24"}, {"urgent_hours": "many"}])
def test_a_wish_that_cannot_be_is_told_so(mine: Client, wrong: dict[str, str]) -> None:
    answer = mine.post("/mail/", wish(**wrong))
    assert answer.status_code == 422
    assert "Not kept" in answer.content.decode()
    assert not Wishes.objects.exclude(daily_hour=None).exists()


def test_a_webhook_is_added_shown_its_secret_once_changed_and_removed(mine: Client, wren: User) -> None:
    told = {"label": "My program", "address": "https://hooks.example.org/x", "form": "generic", "follows": ""}
    page = mine.post("/mail/webhook", told).content.decode()
    row = Endpoint.objects.get()
    assert row.secret in page
    address = f"/mail/way/{row.pk}"
    shown = body(mine, address)
    assert row.secret not in shown
    assert row.address not in shown
    assert "My program" in body(mine, "/mail/")
    mine.post(address, {"label": "Other", "kind": ["turn"], "race": []})
    row.refresh_from_db()
    assert row.label == "Other"
    assert set(row.kinds_off) == set(ENDPOINT_KINDS - {"turn"})
    mine.post(f"{address}/act", {"do": "try"})
    assert Notice.objects.get(endpoint=row).occasion == "trial"
    mine.post(f"{address}/act", {"do": "remove"})
    assert not Endpoint.objects.exists()
    assert mine.get(address).status_code == 404


def test_what_was_typed_stays_when_a_webhook_is_refused(mine: Client) -> None:
    answer = mine.post("/mail/webhook", {"label": "Mine", "address": "http://example.org", "form": "slack"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "must begin with https://" in page
    assert 'value="http://example.org"' in page
    assert re.search(r'value="slack" selected', page)


def test_nobody_sees_or_changes_anothers(mine: Client, olu: User) -> None:
    row = webhook_create(player=olu, label="Secret lair", address="https://hooks.example.org/x")
    assert mine.get(f"/mail/way/{row.pk}").status_code == 404
    assert mine.post(f"/mail/way/{row.pk}/act", {"do": "remove"}).status_code == 404
    assert "Secret lair" not in body(mine, "/mail/")
    assert Endpoint.objects.count() == 1


def test_a_closed_one_is_a_banner_on_every_page_until_it_works_again(mine: Client, wren: User) -> None:
    row = webhook_create(player=wren, label="<b>Lair</b>", address="https://hooks.example.org/x")
    assert "Nothing is sent to" not in body(mine, "/races/")
    endpoint_close(endpoint_id=row.pk, detail="410 Gone", at=NOW)
    page = body(mine, "/races/")
    assert "Nothing is sent to &lt;b&gt;Lair&lt;/b&gt; since" in page
    assert "410 Gone" in page
    mine.post(f"/mail/way/{row.pk}/act", {"do": "reopen"})
    assert "Nothing is sent to" not in body(mine, "/races/")


def test_only_races_whose_log_may_be_passed_on_are_offered(mine: Client, wren: User, olu: User) -> None:
    race_create(by=olu, name="Private run", seats=3)
    race_create(by=wren, name="My own run", seats=3)
    page = body(mine, "/mail/")
    assert "The public log of My own run" in page
    assert "Private run" not in page


def test_what_the_operator_has_not_set_up_is_said(mine: Client, settings: Settings) -> None:
    page = body(mine, "/mail/")
    assert "has not set up web push" in page
    assert "push.js" not in page
    settings.PUSH_PRIVATE_KEY, settings.WEBHOOKS = private_key_make(), False
    page = body(mine, "/mail/")
    assert "has switched webhooks off" in page
    assert 'data-worker="/mail/push-worker.js"' in page


def test_a_browser_is_added_by_the_form_that_the_script_fills(mine: Client, settings: Settings) -> None:
    settings.PUSH_PRIVATE_KEY = private_key_make()
    assert mine.post("/mail/browser", subscription(address="https://push.example.net/abc")).status_code == 302
    assert Endpoint.objects.get().channel == "push"
    assert mine.post("/mail/browser", {"label": "x", "address": "https://p.example.net"}).status_code == 422


def test_pages_with_scripts_need_nothing_that_the_policy_forbids(mine: Client, settings: Settings) -> None:
    settings.PUSH_PRIVATE_KEY = private_key_make()
    answer = mine.get("/mail/")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    page = answer.content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"\son\w+=|style=", page)
    worker = mine.get("/mail/push-worker.js")
    assert worker.headers["Content-Type"].startswith("text/javascript")
    assert b"showNotification" in worker.content
    assert b"fetch" not in worker.content


def test_the_log_says_what_became_of_each_notice_and_offers_another_try(
    mine: Client, running: Running, deliver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = running.asked.player
    assert isinstance(asked, User)

    def refuse(*_: object, **__: object) -> Any:
        raise ConnectionRefusedError(111, "Connection refused")

    with monkeypatch.context() as away:
        away.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        deliver()
    mine.force_login(asked)
    page = body(mine, "/mail/sent")
    assert "your turn" in page
    assert "By mail. Waiting" in page
    assert "it may work later; the other side said: ConnectionRefusedError" in page
    notice = Notice.objects.get(outbox_event__kind="turn")
    assert f"/mail/sent/{notice.pk}/again" in page
    mine.post(f"/mail/sent/{notice.pk}/again")
    assert notices_deliver([notice.pk]) == {"sent": 1}
    page = body(mine, "/mail/sent")
    assert f"/mail/sent/{notice.pk}/again" not in page


def test_what_was_sent_is_never_sent_again_and_nobody_elses_is_touched(
    running: Running, wren: User, olu: User, deliver: Any
) -> None:
    deliver()
    for notice in Notice.objects.all():
        with pytest.raises(RetryRefused):
            notice_retry(player_id=running.asked.player_id or 0, notice_id=notice.pk, now=NOW)
    failed = Notice.objects.get(outbox_event__kind="turn")
    Notice.objects.filter(pk=failed.pk).update(state="failed", sent_at=None)
    with pytest.raises(RetryRefused):
        notice_retry(player_id=running.waiting.player_id or 0, notice_id=failed.pk, now=NOW)
    notice_retry(player_id=running.asked.player_id or 0, notice_id=failed.pk, now=NOW)
    failed.refresh_from_db()
    assert (failed.state, failed.attempt_count) == ("pending", 0)


def test_a_closed_address_is_opened_before_it_is_tried_again(running: Running, deliver: Any) -> None:
    deliver()
    asked = running.asked.player
    assert isinstance(asked, User)
    notice = Notice.objects.get(outbox_event__kind="turn")
    Notice.objects.filter(pk=notice.pk).update(state="bounced", sent_at=None)
    address_close(channel="email", address=asked.email, detail="550", at=NOW)
    assert Attempt.objects.filter(notice=notice).exists()
    with pytest.raises(RetryRefused, match="works again"):
        notice_retry(player_id=asked.pk, notice_id=notice.pk, now=NOW)


def test_pages_hold_with_a_browser_of_every_kind(mine: Client, wren: User, settings: Settings, clock: Any) -> None:
    settings.PUSH_PRIVATE_KEY = private_key_make()
    row = browser_subscribe(player=wren, **subscription(address="https://push.example.net/abc"))
    clock.shift(timedelta(days=1))
    assert "A browser." in body(mine, f"/mail/way/{row.pk}")
    assert "Phone" in body(mine, "/mail/")
