"""Webhooks and browsers of players: what is told where, how it is signed, and what becomes of those that fail."""

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric import ec
from django.core import mail
from django.utils import timezone
from pytest_django import Settings

from games.models import Race
from games.selectors.log import Place, log_of
from games.selectors.races import race_present
from games.services.pauses import race_pause, race_resume
from games.services.races import race_create, race_join
from notifications.channels.push.sealing import encoded, is_proven, private_key, public_part
from notifications.models import Endpoint, Notice, NoticeState
from notifications.services.addresses import address_close
from notifications.services.delivery import ATTEMPTS_MOST, notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from notifications.services.endpoints import (
    MOST,
    EndpointRefused,
    EndpointUnknown,
    browser_subscribe,
    endpoint_change,
    endpoint_remove,
    endpoint_reopen,
    endpoint_try,
    webhook_create,
)
from notifications.services.fallback import fallbacks_make
from notifications.services.reminders import reminders_make
from notifications.services.stories import stories_make
from roadkill_site.accounts.models import User
from tests.notifications.channels.conftest import Listener
from tests.notifications.conftest import Running

Deliver = Callable[[], dict[str, int]]
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def asked(running: Running) -> User:
    player = running.asked.player
    assert isinstance(player, User)
    return player


@pytest.fixture
def hook(asked: User, listener: Listener) -> Endpoint:
    return webhook_create(player=asked, label="My program", address=f"{listener.address}/hook")


def subscription(**other: str) -> dict[str, str]:
    """What a browser would say."""
    key = encoded(public_part(ec.generate_private_key(ec.SECP256R1())))
    return {"label": "Phone", "browser_key": key, "auth": encoded(bytes(range(16))), **other}


# --- Webhooks ---------------------------------------------------------------------------


def test_a_webhook_is_told_of_the_owners_turn_with_race_deadline_and_address(
    running: Running, hook: Endpoint, listener: Listener, deliver: Deliver
) -> None:
    deliver()
    told = {body["kind"]: body for body in listener.bodies}
    assert set(told) == {"turn"}
    race = running.race
    assert told["turn"]["race"] == {
        "id": race.public_id,
        "name": "Dust Devil 300",
        "game": "RoadKill",
        "turn": told["turn"]["race"]["turn"],
        "address": f"http://127.0.0.1:8000/races/{race.public_id}/",
    }
    assert told["turn"]["text"].startswith("Dust Devil 300: your turn")
    assert told["turn"]["answer_by"] == running.question(running.asked)["due_at"]
    notice = Notice.objects.get(endpoint=hook, state="sent")
    assert told["turn"]["id"] == notice.message_id.strip("<>").partition("@")[0]
    assert notice.attempts.get().address == "My program"


def test_the_other_driver_has_no_part_in_it(
    running: Running, hook: Endpoint, listener: Listener, deliver: Deliver
) -> None:
    deliver()
    running.act(running.asked)
    listener.came.clear()
    deliver()
    assert listener.bodies == []
    assert not Notice.objects.filter(endpoint=hook).exclude(seat__player=hook.player).exists()


def test_nothing_hidden_is_in_a_body(running: Running, hook: Endpoint, listener: Listener, deliver: Deliver) -> None:
    deliver()
    view = race_present(race=running.race, viewer=running.asked, log_last=0)["view"]
    text = b"".join(body for _, _, body in listener.came).decode()
    assert all(card["name"] not in text for card in view["hand"])
    assert "/act/" not in text
    assert all(answer["words"] not in text for answer in running.question(running.asked)["answers"])


def test_the_signature_is_over_time_stamp_and_body(hook: Endpoint, listener: Listener, deliver: Deliver) -> None:
    deliver()
    _, headers, body = listener.came[0]
    assert headers["Roadkill-Timestamp"] == str(int(NOW.timestamp()))
    signed = f"{headers['Roadkill-Timestamp']}.".encode() + body
    made = hmac.new(hook.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["Roadkill-Signature"] == f"v1={made}"
    assert headers["Roadkill-Delivery"] == json.loads(body)["id"]
    assert headers["Content-Type"] == "application/json"


def test_a_try_that_failed_is_tried_again_with_the_same_id_and_a_new_time_stamp(
    hook: Endpoint, listener: Listener, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    listener.status, listener.said = 503, "down\r\nfor repair"
    deliver()
    notice = Notice.objects.get(endpoint=hook, state="pending")
    assert notice.reason == "503 down for repair"
    clock.move_to(notice.due_at)
    listener.status = 200
    deliver()
    first, second = listener.came
    assert first[1]["Roadkill-Delivery"] == second[1]["Roadkill-Delivery"]
    assert first[1]["Roadkill-Timestamp"] < second[1]["Roadkill-Timestamp"]
    notice.refresh_from_db()
    assert (notice.state, notice.attempt_count) == ("sent", 2)


@pytest.mark.parametrize(
    ("form", "status", "is_closed"),
    [
        ("generic", 410, True),
        ("generic", 404, False),
        ("generic", 401, False),
        ("generic", 302, False),
        ("generic", 429, False),
        ("discord", 404, True),
        ("discord", 429, False),
        ("slack", 403, True),
        ("slack", 500, False),
    ],
)
def test_what_an_answer_means(
    asked: User, listener: Listener, deliver: Deliver, *, form: str, status: int, is_closed: bool
) -> None:
    row = webhook_create(player=asked, label="Hook", address=listener.address, form=form)
    listener.status = status
    deliver()
    row.refresh_from_db()
    assert (row.closed_at is not None) == is_closed
    assert Notice.objects.filter(endpoint=row).latest("pk").state == ("bounced" if is_closed else "pending")


def test_one_that_failed_for_a_day_is_closed_and_told_nothing_until_it_works_again(
    running: Running, hook: Endpoint, listener: Listener, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    listener.status = 500
    for _ in range(ATTEMPTS_MOST):
        deliver()
        waiting = Notice.objects.filter(endpoint=hook, state="pending").first()
        if waiting is not None:
            clock.move_to(waiting.due_at)
    hook.refresh_from_db()
    assert hook.closed_at is not None
    assert hook.closed_detail.startswith("500")
    listener.came.clear()
    listener.status = 200
    running.act(running.asked)
    running.act(running.asked)
    clock.shift(timedelta(minutes=10))
    deliver()
    assert listener.came == []
    endpoint_reopen(player=hook.player, endpoint_id=hook.pk)
    running.act(running.asked)
    running.act(running.asked)
    clock.shift(timedelta(minutes=10))
    deliver()
    assert len(listener.came) == 1


def test_kinds_and_races_are_switched_off_for_each(
    running: Running, olu: User, hook: Endpoint, listener: Listener, deliver: Deliver
) -> None:
    endpoint_change(player=hook.player, endpoint_id=hook.pk, races_off=[running.race.public_id])
    other = race_create(by=User.objects.get(display_name="Wren"), name="Other", seats=2, is_public=True)
    race_join(race_id=other.pk, by=olu)
    endpoint_change(player=hook.player, endpoint_id=hook.pk, kinds_off=["started"])
    deliver()
    kinds = {(body["race"]["name"], body["kind"]) for body in listener.bodies}
    assert kinds <= {("Other", "turn")}
    hook.refresh_from_db()
    assert hook.kinds_off == ["started"]


def test_a_reminder_goes_there_too_unless_it_is_switched_off(
    hook: Endpoint, listener: Listener, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    deliver()
    listener.came.clear()
    clock.shift(timedelta(hours=36))
    notices_deliver(reminders_make(now=timezone.now()))
    assert [body["kind"] for body in listener.bodies] == ["reminder"]
    endpoint_change(player=hook.player, endpoint_id=hook.pk, kinds_off=["reminder"])
    clock.shift(timedelta(hours=30))
    notices_deliver(reminders_make(now=timezone.now()))
    assert len(listener.came) == 1
    assert len(mail.outbox) == 4


@pytest.mark.parametrize("form", ["discord", "slack"])
def test_a_message_in_the_shape_of_a_service_pings_nobody_and_marks_nothing_up(
    wren: User, olu: User, listener: Listener, deliver: Deliver, form: str
) -> None:
    race = race_create(by=wren, name="@everyone *bold* <!here> & co", seats=2, is_public=True)
    race_join(race_id=race.pk, by=olu)
    for user in (wren, olu):
        webhook_create(player=user, label="Ours", address=listener.address, form=form)
    deliver()
    (body,) = [body for body in listener.bodies if "your turn" in str(body)]
    if form == "discord":
        assert body["allowed_mentions"] == {"parse": []}
        assert r"\@everyone \*bold\* \<!here\>" in body["content"]
        assert "Answer by" in body["content"]
    else:
        assert "@everyone *bold* &lt;!here&gt; &amp; co: your turn" in body["text"]
        assert body["text"].endswith(f"/races/{race.public_id}/")


# --- Shared: the public log -------------------------------------------------------------


def story() -> dict[str, int]:
    return dict(notices_deliver(stories_make(now=timezone.now())))


def test_a_shared_one_is_told_the_public_log_as_it_grows_and_no_notice_of_anybody(
    running: Running, wren: User, listener: Listener, deliver: Deliver
) -> None:
    row = webhook_create(player=wren, label="Club", address=listener.address, follows=running.race.public_id)
    deliver()
    assert story() == {}
    running.act(running.asked)
    deliver()
    assert listener.came == []
    assert story() == {"sent": 1}
    assert story() == {}
    (body,) = listener.bodies
    public = log_of(race=running.race, viewer=None, since=0)
    assert [line["text"] for line in body["lines"]] == [line["text"] for line in public]
    assert body["lines"]
    assert body["answer_by"] is None
    row.refresh_from_db()
    assert row.told_seq == public[-1]["entry"]
    running.act(running.asked)
    story()
    assert {line["entry"] for line in listener.bodies[1]["lines"]} == {row.told_seq + 1}


def test_a_note_that_comes_behind_what_was_told_is_told_too_and_once(
    running: Running, wren: User, listener: Listener
) -> None:
    """The server's notes are no entries: the race has not moved when they come."""
    webhook_create(player=wren, label="Club", address=listener.address, follows=running.race.public_id)
    running.act(running.asked)
    story()
    for change in (race_pause, race_resume):
        change(race_id=running.race.pk, by=running.race.host)
        assert story() == {"sent": 1}
        assert story() == {}
    told = [line for body in listener.bodies for line in body["lines"]]
    running.race.refresh_from_db()
    assert [line["text"] for line in told] == [
        line["text"] for line in log_of(race=running.race, viewer=None, since=Place(0, 0))
    ]
    assert [line["text"] for line in told][-2:] == [
        "The host has stopped all clocks.",
        "The host has let the clocks go on.",
    ]


def test_a_note_from_before_somebody_followed_is_not_told(running: Running, wren: User, listener: Listener) -> None:
    race_pause(race_id=running.race.pk, by=running.race.host)
    webhook_create(player=wren, label="Club", address=listener.address, follows=running.race.public_id)
    assert story() == {}
    race_resume(race_id=running.race.pk, by=running.race.host)
    assert story() == {"sent": 1}
    assert len(listener.bodies[0]["lines"]) == 1


def test_lines_that_could_not_be_told_are_told_with_the_next_and_only_once(
    running: Running, wren: User, listener: Listener, clock: time_machine.Traveller
) -> None:
    webhook_create(player=wren, label="Club", address=listener.address, form="discord", follows=running.race.public_id)
    listener.status = 500
    running.act(running.asked)
    assert story() == {"pending": 1}
    running.act(running.asked)
    assert story() == {}
    listener.status = 200
    clock.shift(timedelta(minutes=5))
    assert notices_deliver(notices_due(now=timezone.now()))["sent"] >= 1
    assert story() == {}
    assert listener.bodies[1]["content"].count("\n") >= listener.bodies[0]["content"].count("\n")


def test_a_race_that_is_closed_to_others_tells_its_followers_nothing_more(
    running: Running, wren: User, listener: Listener, clock: time_machine.Traveller
) -> None:
    Race.objects.filter(pk=running.race.pk).update(is_public=True)
    stranger = User.objects.create_user("zed@example.org", display_name="Zed")
    webhook_create(player=stranger, label="Zed's", address=listener.address, follows=running.race.public_id)
    running.act(running.asked)
    assert story() == {"sent": 1}
    listener.status = 500
    running.act(running.asked)
    assert story() == {"pending": 1}
    came = len(listener.came)
    Race.objects.filter(pk=running.race.pk).update(is_public=False)
    listener.status = 200
    clock.shift(timedelta(minutes=5))
    notices_deliver(notices_due(now=timezone.now()))
    running.act(running.asked)
    assert story() == {}
    assert len(listener.came) == came, "neither what was on its way nor what came behind it"
    assert race_present(race=running.race, viewer=None)["race"]["host"] != "Zed"


def test_a_private_race_is_followed_by_its_host_alone(wren: User, olu: User, listener: Listener) -> None:
    race = race_create(by=wren, name="Private run", seats=3)
    with pytest.raises(EndpointRefused, match="no such race"):
        webhook_create(player=olu, label="Club", address=listener.address, follows=race.public_id)
    assert webhook_create(player=wren, label="Club", address=listener.address, follows=race.public_id).is_shared


# --- Web push ---------------------------------------------------------------------------


def test_a_browser_is_told_by_a_sealed_message_and_with_a_proof(
    running: Running, asked: User, listener: Listener, deliver: Deliver, push_key: str
) -> None:
    browser_subscribe(player=asked, **subscription(address=f"{listener.address}/send/abc"))
    listener.status = 201
    deliver()
    ((path, headers, body),) = listener.came
    assert path == "/send/abc"
    assert (headers["Content-Encoding"], headers["TTL"]) == ("aes128gcm", "86400")
    assert len(headers["Topic"]) == 32
    assert is_proven(headers["Authorization"], private_key(push_key).public_key())
    assert b"Dust" not in body


def test_a_browser_that_has_gone_is_closed_and_opened_by_subscribing_again(
    asked: User, listener: Listener, deliver: Deliver, push_key: str
) -> None:
    told = subscription(address=listener.address)
    row = browser_subscribe(player=asked, **told)
    listener.status = 410
    deliver()
    row.refresh_from_db()
    assert row.closed_at is not None
    assert browser_subscribe(player=asked, **told).pk == row.pk
    row.refresh_from_db()
    assert row.closed_at is None


@pytest.mark.parametrize("wrong", [{"browser_key": "AAAA"}, {"auth": "AAAA"}, {"address": "ftp://x"}, {"auth": "§"}])
def test_what_no_browser_would_say_is_refused(
    wren: User, push_key: str, listener: Listener, wrong: dict[str, str]
) -> None:
    with pytest.raises(EndpointRefused):
        browser_subscribe(player=wren, **{**subscription(address=listener.address), **wrong})


def test_without_a_key_there_is_no_web_push(wren: User, listener: Listener) -> None:
    with pytest.raises(EndpointRefused, match="switched off"):
        browser_subscribe(player=wren, **subscription(address=listener.address))


# --- The next channel -------------------------------------------------------------------


def test_when_mail_is_closed_and_half_the_time_is_gone_the_next_channel_is_tried_whatever_is_switched_off(
    asked: User, hook: Endpoint, listener: Listener, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    endpoint_change(player=asked, endpoint_id=hook.pk, kinds_off=["turn", "reminder", "started"])
    address_close(channel="email", address=asked.email, detail="550 5.1.1", at=NOW)
    deliver()
    assert fallbacks_make(now=timezone.now()) == []
    clock.shift(timedelta(hours=36))
    assert dict(notices_deliver(fallbacks_make(now=timezone.now()))) == {"sent": 1}
    assert fallbacks_make(now=timezone.now()) == []
    assert [body["kind"] for body in listener.bodies] == ["turn"]
    assert Notice.objects.get(is_fallback=True).endpoint == hook


def test_after_one_that_fails_the_one_after_it_is_tried(
    hook: Endpoint, listener: Listener, deliver: Deliver, clock: time_machine.Traveller, push_key: str
) -> None:
    asked = hook.player
    browser = browser_subscribe(player=asked, **subscription(address=f"{listener.address}/push"))
    for row in (browser, hook):
        endpoint_change(player=asked, endpoint_id=row.pk, kinds_off=["turn", "reminder", "started"])
    address_close(channel="email", address=asked.email, detail="550 5.1.1", at=NOW)
    deliver()
    clock.shift(timedelta(hours=36))
    listener.status = 410
    notices_deliver(fallbacks_make(now=timezone.now()))
    listener.status = 201
    notices_deliver(fallbacks_make(now=timezone.now()))
    assert [path for path, _, _ in listener.came] == ["/hook", "/push"]
    assert fallbacks_make(now=timezone.now()) == []


def test_mail_that_arrived_or_was_not_wanted_needs_no_other_channel(
    asked: User, hook: Endpoint, deliver: Deliver, clock: time_machine.Traveller
) -> None:
    endpoint_change(player=asked, endpoint_id=hook.pk, kinds_off=["turn", "reminder", "started"])
    deliver()
    clock.shift(timedelta(hours=36))
    assert fallbacks_make(now=timezone.now()) == []
    Notice.objects.filter(endpoint=None).update(
        state=NoticeState.DROPPED, sent_at=None, reason="mails about this race are stopped"
    )
    assert fallbacks_make(now=timezone.now()) == []


# --- Keeping them -----------------------------------------------------------------------


def test_a_trial_says_that_the_way_works(hook: Endpoint, listener: Listener, deliver: Deliver) -> None:
    first = endpoint_try(player=hook.player, endpoint_id=hook.pk, now=NOW)
    assert endpoint_try(player=hook.player, endpoint_id=hook.pk, now=NOW) == first
    deliver()
    assert "My program: this way works" in [body["text"] for body in listener.bodies]


def test_endpoints_are_their_owners_alone(hook: Endpoint, wren: User, olu: User) -> None:
    other = olu if hook.player == wren else wren
    for act in (endpoint_remove, endpoint_reopen):
        with pytest.raises(EndpointUnknown):
            act(player=other, endpoint_id=hook.pk)
    with pytest.raises(EndpointUnknown):
        endpoint_change(player=other, endpoint_id=hook.pk, label="Mine")
    with pytest.raises(EndpointUnknown):
        endpoint_try(player=other, endpoint_id=hook.pk, now=NOW)
    endpoint_remove(player=hook.player, endpoint_id=hook.pk)
    assert not Endpoint.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"label": " "}, "label"),
        ({"label": "x" * 61}, "label"),
        ({"form": "teams"}, "form"),
        ({"address": "https://user@example.org/"}, "address"),
    ],
)
def test_a_webhook_that_cannot_be_is_refused(wren: User, wrong: dict[str, str], field: str) -> None:
    with pytest.raises(EndpointRefused) as refused:
        webhook_create(player=wren, **{"label": "Hook", "address": "https://example.org/", **wrong})
    assert refused.value.field == field


def test_one_has_so_many_and_each_address_once(wren: User) -> None:
    webhook_create(player=wren, label="Hook", address="https://example.org/0")
    with pytest.raises(EndpointRefused, match="already"):
        webhook_create(player=wren, label="Hook", address="https://example.org/0")
    for number in range(1, MOST):
        webhook_create(player=wren, label="Hook", address=f"https://example.org/{number}")
    with pytest.raises(EndpointRefused, match="the most"):
        webhook_create(player=wren, label="Hook", address="https://example.org/more")


@pytest.mark.parametrize("wrong", [{"kinds_off": ["nonsense"]}, {"races_off": ["nowhere"]}])
def test_switches_that_are_none_are_refused(hook: Endpoint, wrong: dict[str, Any]) -> None:
    with pytest.raises(EndpointRefused):
        endpoint_change(player=hook.player, endpoint_id=hook.pk, **wrong)


def test_webhooks_can_be_switched_off_for_the_site(
    hook: Endpoint, listener: Listener, deliver: Deliver, settings: Settings
) -> None:
    settings.WEBHOOKS = False
    deliver()
    assert listener.came == []
    with pytest.raises(EndpointRefused, match="switched off"):
        webhook_create(player=hook.player, label="Hook", address="https://example.org/")


def test_whoever_takes_a_seat_over_has_own_endpoints(
    running: Running, hook: Endpoint, listener: Listener, deliver: Deliver
) -> None:
    outbox_dispatch()
    dora = User.objects.create_user("dora@example.org", display_name="Dora")
    seat = running.asked
    seat.player = dora
    seat.save()
    notices_deliver(notices_due(now=timezone.now()))
    assert listener.came == []
    assert Notice.objects.filter(endpoint=hook, outbox_event__kind="turn").get().reason == (
        "somebody else is told of this seat now"
    )
    assert Race.objects.count() == 1
