"""Mail that providers post: each provider's own form and proof, right and wrong."""

import base64
import hashlib
import hmac
import importlib
import json
import warnings
from collections.abc import Callable, Iterator
from email import policy
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.core.checks import run_checks
from django.test import Client
from django.urls import clear_url_caches

from games.models import RaceMessage
from notifications import webhook_urls
from notifications.doors.webhook_views import VIEWS
from notifications.reply_models import InboundMail
from roadkill_site import urls as site_urls
from roadkill_site.inbound_webhooks import WEBHOOK_KEYS, anymail_settings
from tests.notifications.replies.conftest import Post, reply_to

OURS: Final = "reply+aaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1"
SENDER: Final = "wren@example.org"
SECRET: Final = "provider:its password"
RSA: Final = rsa.generate_private_key(65537, 2048)
OTHER_RSA: Final = rsa.generate_private_key(65537, 2048)


def public(key: rsa.RSAPrivateKey) -> str:
    """A public key as Postal shows it: one line, without its frame."""
    pem = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return "".join(pem.decode().splitlines()[1:-1])


# The key that each provider that signs is known by, and another.
KEYS: Final[dict[str, tuple[str, str]]] = {
    "mailersend": ("the inbound secret", "another"),
    "mailgun": ("the signing key", "another"),
    "mandrill": ("the webhook key", "another"),
    "postal": (public(RSA), public(OTHER_RSA)),
}
Request = dict[str, Any]
Proof = Callable[[Request, str], Request]


def mailgun(raw: bytes, key: str) -> Request:
    stamp, token = "1796000000", "a" * 50
    signature = hmac.new(key.encode(), f"{stamp}{token}".encode(), hashlib.sha256).hexdigest()
    fields = {"timestamp": stamp, "token": token, "signature": signature, "recipient": OURS, "sender": SENDER}
    return {"data": {**fields, "body-mime": raw.decode("utf-8")}}


def mailersend(raw: bytes, key: str) -> Request:
    data = {"id": "1", "created_at": "2026-11-30T12:00:00Z", "raw": raw.decode("utf-8"), "sender": {"email": SENDER}}
    body = json.dumps({"type": "inbound.message", "data": {**data, "recipients": {"rcptTo": [{"email": OURS}]}}})
    signature = hmac.new(key.encode(), body.encode(), hashlib.sha256).hexdigest()
    return {"data": body, "content_type": "application/json", "headers": {"Signature": signature}}


def mandrill(raw: bytes, key: str) -> Request:
    events = [{"event": "inbound", "ts": 1796000000, "msg": {"raw_msg": raw.decode("utf-8"), "email": OURS}}]
    value = json.dumps(events)
    signed = f"http://testserver/mail/in/mandrill/inbound/mandrill_events{value}"
    signature = base64.b64encode(hmac.new(key.encode(), signed.encode(), hashlib.sha1).digest()).decode()
    return {"data": {"mandrill_events": value}, "headers": {"X-Mandrill-Signature": signature}}


def postal(raw: bytes, key: str) -> Request:
    message = {"id": 1, "rcpt_to": OURS, "mail_from": SENDER, "base64": True}
    body = json.dumps({**message, "message": base64.b64encode(raw).decode()})
    private = RSA if key == public(RSA) else OTHER_RSA
    signature = base64.b64encode(private.sign(body.encode(), padding.PKCS1v15(), hashes.SHA1())).decode()
    return {"data": body, "content_type": "application/json", "headers": {"X-Postal-Signature": signature}}


def postmark(raw: bytes, key: str) -> Request:
    posted = {"RecordType": "Inbound", "OriginalRecipient": OURS, "RawEmail": raw.decode("utf-8")}
    posted["Headers"] = [{"Name": "Return-Path", "Value": f"<{SENDER}>"}]  # type: ignore[assignment]
    posted["StrippedTextReply"] = "2"
    return {"data": json.dumps(posted), "content_type": "application/json"}


def sendgrid(raw: bytes, key: str) -> Request:
    envelope = json.dumps({"from": SENDER, "to": [OURS]})
    return {"data": {"email": raw.decode("utf-8"), "envelope": envelope}}


def sparkpost(raw: bytes, key: str) -> Request:
    try:
        content = {"email_rfc822": raw.decode("utf-8"), "email_rfc822_is_base64": False}
    except UnicodeDecodeError:
        content = {"email_rfc822": base64.b64encode(raw).decode(), "email_rfc822_is_base64": True}
    event = {"protocol": "smtp", "rcpt_to": OURS, "msg_from": SENDER, "content": content}
    body = json.dumps([{"msys": {"relay_message": event}}, {"msys": {}}])
    return {"data": body, "content_type": "application/json"}


POSTS: Final[dict[str, Callable[[bytes, str], Request]]] = {
    "mailersend": mailersend,
    "mailgun": mailgun,
    "mandrill": mandrill,
    "postal": postal,
    "postmark": postmark,
    "sendgrid": sendgrid,
    "sparkpost": sparkpost,
}


@pytest.fixture(params=sorted(WEBHOOK_KEYS))
def provider(request: pytest.FixtureRequest, settings: Any) -> Iterator[str]:
    """The site with this provider's address open, and no other's."""
    name = str(request.param)
    key, secret = (KEYS[name][0], "") if WEBHOOK_KEYS[name] else ("", SECRET)
    settings.INBOUND_WEBHOOK, settings.INBOUND_WEBHOOK_KEY, settings.INBOUND_WEBHOOK_SECRET = name, key, secret
    settings.ANYMAIL = anymail_settings(name, secret, key)
    _read_urls_anew()
    with warnings.catch_warnings():
        # The library says of SendGrid's view that nobody there can try it any more; here it is tried.
        warnings.filterwarnings("ignore", message="django-anymail has dropped official support for SendGrid")
        yield name
    settings.INBOUND_WEBHOOK = ""
    importlib.reload(site_urls)
    clear_url_caches()


def _read_urls_anew() -> None:
    importlib.reload(webhook_urls)
    importlib.reload(site_urls)
    clear_url_caches()


def address(provider: str) -> str:
    """Where it posts to, as docker/env.example says."""
    return f"/mail/in/{provider}/{'inbound_mime' if provider == 'mailgun' else 'inbound'}/"


def send(client: Client, provider: str, raw: bytes, *, right: bool = True, proof: bool = True) -> int:
    """Post a mail as this provider does, with the right proof, a wrong one, or none; the answer's status."""
    if WEBHOOK_KEYS[provider]:
        request = POSTS[provider](raw, KEYS[provider][0 if right else 1])
        if not proof:
            request.pop("headers", None)
            if provider == "mailgun":
                del request["data"]["signature"]
    else:
        request = POSTS[provider](raw, "")
        secret = base64.b64encode((SECRET if right else "provider:wrong").encode()).decode()
        request["headers"] = {"Authorization": f"Basic {secret}"} if proof else {}
    return client.post(address(provider), **request).status_code


def test_every_provider_that_may_be_named_is_tried_here() -> None:
    assert set(POSTS) == set(WEBHOOK_KEYS) == set(VIEWS)
    assert set(KEYS) == {name for name, key in WEBHOOK_KEYS.items() if key}


def test_a_mail_that_is_posted_with_the_right_proof_plays_once(post: Post, client: Client, provider: str) -> None:
    seat, asking = post.asked()
    raw = reply_to(asking, "1").as_bytes(policy=policy.SMTP)
    for _ in range(2):
        assert send(client, provider, raw) == 200
    row = InboundMail.objects.get()
    # Mandrill alone does not tell who the envelope's sender is.
    assert row.envelope_sender == (None if provider == "mandrill" else SENDER)
    assert (row.came_by, row.envelope_recipients) == ("webhook", [OURS])
    post.work()
    row.refresh_from_db()
    assert row.state == "done", row.reason
    assert post.acts()[-1] == (seat.number, "mail", "start")


def test_a_mail_with_a_wrong_proof_or_none_is_not_taken(post: Post, client: Client, provider: str) -> None:
    _, asking = post.asked()
    raw = reply_to(asking, "1").as_bytes(policy=policy.SMTP)
    assert send(client, provider, raw, right=False) == 400
    assert send(client, provider, raw, proof=False) == 400
    assert client.get(address(provider)).status_code == 405
    assert not InboundMail.objects.exists()


def test_letters_beyond_ascii_arrive_as_they_were_sent(post: Post, client: Client, provider: str) -> None:
    _letters_arrive(post, client, provider, "utf-8")


@pytest.mark.parametrize("provider", ["postal", "sparkpost"], indirect=True)
def test_a_mail_that_is_no_utf_8_arrives_where_the_provider_posts_its_bytes(
    post: Post, client: Client, provider: str
) -> None:
    _letters_arrive(post, client, provider, "iso-8859-1")


def _letters_arrive(post: Post, client: Client, provider: str, charset: str) -> None:
    _, asking = post.asked()
    reply = reply_to(asking, "")
    reply.set_content("say Grüße\n", charset=charset, cte="8bit")
    raw = reply.as_bytes(policy=policy.SMTP.clone(cte_type="8bit"))
    assert "Grüße".encode(charset) in raw
    assert send(client, provider, raw) == 200
    assert bytes(InboundMail.objects.get().raw or b"").endswith("say Grüße\r\n".encode(charset))
    post.work()
    assert InboundMail.objects.get().state == "done"
    assert RaceMessage.objects.get().text == "Grüße"


def test_no_other_address_is_open(client: Client, provider: str) -> None:
    others = [name for name in WEBHOOK_KEYS if name != provider]
    assert {client.post(address(name)).status_code for name in others} == {404}
    assert client.post(f"/mail/in/{provider}/tracking/").status_code == 404
    assert client.post(f"/mail/in/{provider}/").status_code == 404


def test_a_provider_without_its_proof_stops_the_start(settings: Any, provider: str) -> None:
    def errors() -> set[str]:
        return {str(error.id) for error in run_checks(tags=["roadkill_settings"])}

    settings.REPLIES = True
    assert errors() & {"roadkill.E011", "roadkill.E012"} == set()
    settings.INBOUND_WEBHOOK_KEY = settings.INBOUND_WEBHOOK_SECRET = ""
    assert errors() & {"roadkill.E011", "roadkill.E012"} == {
        "roadkill.E011" if WEBHOOK_KEYS[provider] else "roadkill.E012"
    }


def test_without_a_provider_nothing_can_be_posted(client: Client) -> None:
    assert {client.post(address(name)).status_code for name in WEBHOOK_KEYS} == {404}
