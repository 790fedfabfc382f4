"""Reply keys and signed return paths: made, found, compared, refused; and who a mail is from."""

import re
from collections.abc import Sequence

import pytest

from notifications.inbound.address import (
    key_fits,
    key_hash,
    key_make,
    keys_find,
    reply_address,
    return_path_make,
    return_path_read,
    stop_address_find,
    stop_address_make,
)
from notifications.inbound.message import Message, message_read
from notifications.inbound.senders import Dmarc, authentication_of, sender_of

DOMAIN = "race.example.org"
A, B, C, D = "a" * 24, "b" * 24, "c" * 24, "d" * 24


def mail(*headers: str) -> Message:
    message = message_read("\r\n".join([*headers, "", "hi"]).encode())
    assert isinstance(message, Message)
    return message


def test_a_key_has_120_random_bits_in_24_letters() -> None:
    keys = {key_make() for _ in range(200)}
    assert len(keys) == 200
    assert all(re.fullmatch("[a-z2-7]{24}", key) for key in keys)


def test_a_key_fits_its_hash_in_any_case_and_under_a_retired_secret_and_no_other() -> None:
    stored = key_hash(A, b"old")
    assert A not in stored
    assert key_fits(A.upper(), [key_hash(B, b"new"), stored], [b"new", b"old"])
    assert not key_fits(A, [stored], [b"new"])
    assert not key_fits(B, [stored], [b"new", b"old"])
    assert not key_fits(A, [], [b"old"])


def test_keys_are_looked_for_from_the_envelope_to_the_references() -> None:
    message = mail(
        f"References: <root@{DOMAIN}> <{D}.1@{DOMAIN}>",
        f'To: "Roadkill" <{reply_address(C, DOMAIN).upper()}>, x@y.example',
        f"Delivered-To: {reply_address(B, DOMAIN)}",
    )
    found = keys_find(message, envelope_recipients=[f"<{reply_address(A, DOMAIN)}>"], domain=DOMAIN)
    assert [(one.key, one.where) for one in found] == [
        (A, "envelope"),
        (B, "delivered-to"),
        (C, "to"),
        (D, "references"),
    ]
    assert A not in repr(found)


@pytest.mark.parametrize(
    "address",
    [
        f"reply+{A}@evil.example",
        f"reply+{A}@{DOMAIN}.evil.example",
        f"reply+{A}a@{DOMAIN}",
        f"xreply+{A}@{DOMAIN}",
        f"reply+{'1' * 24}@{DOMAIN}",
    ],
)
def test_an_address_of_another_server_or_form_holds_no_key(address: str) -> None:
    assert keys_find(mail(f"To: {address}"), envelope_recipients=[], domain=DOMAIN) == ()


def test_a_return_path_is_read_back_only_if_we_signed_it() -> None:
    path = return_path_make("notice-17", secret=b"new", domain=DOMAIN)
    assert return_path_read(path.upper(), return_secrets=[b"new"], domain=DOMAIN) == "notice-17"
    assert return_path_read(f"<{path}>", return_secrets=[b"newer", b"new"], domain=DOMAIN) == "notice-17"
    assert return_path_read(path.replace("17", "18"), return_secrets=[b"new"], domain=DOMAIN) is None
    assert return_path_read(path, return_secrets=[b"other"], domain=DOMAIN) is None
    assert return_path_read(path, return_secrets=[], domain=DOMAIN) is None
    assert len(return_path_make("x" * 40, secret=b"k", domain=DOMAIN).partition("@")[0]) <= 64
    with pytest.raises(ValueError, match="40"):
        return_path_make("x" * 41, secret=b"k", domain=DOMAIN)


def test_a_stop_address_is_signed_apart_from_return_paths_and_fits_a_mailto() -> None:
    address = stop_address_make("notice-17", secret=b"new", domain=DOMAIN)
    stopping = mail(f"To: <{address.upper()}>, Olu <olu@example.org>")

    def found(message: Message | None, *recipients: str, secrets: Sequence[bytes] = (b"newer", b"new")) -> str | None:
        return stop_address_find(message, envelope_recipients=recipients, stop_secrets=secrets, domain=DOMAIN)

    assert found(stopping) == "notice-17"
    assert found(None, f"<{address}>") == "notice-17"
    assert found(stopping, secrets=[b"other"]) is None
    assert found(None, address.replace("17", "18")) is None
    assert found(None, address.replace(DOMAIN, f"x.{DOMAIN}")) is None
    path = return_path_make("notice-17", secret=b"new", domain=DOMAIN)
    assert found(None, path.replace("bounce+", "stop+").replace("=", "-")) is None
    assert return_path_read(address, return_secrets=[b"new"], domain=DOMAIN) is None
    # RFC 6068, 2: "=" and its like would have to be written otherwise.
    assert re.fullmatch(r"stop\+[a-z0-9-]{1,59}", address.partition("@")[0])
    with pytest.raises(ValueError, match="40"):
        stop_address_make("x" * 41, secret=b"k", domain=DOMAIN)


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("Rita <Rita@Player.Example>", "rita@player.example"),
        ('"rita@other.example" <rita@player.example>', "rita@player.example"),
        ("rita@player.example", "rita@player.example"),
        ("a@b.example, rita@player.example", ""),
        ("rita@player.example <eve@evil.example>", ""),
        ("alice@player.example)bob@evil.example", ""),
        ("undisclosed:;", ""),
        ("x" * 2000 + "@player.example", ""),
    ],
)
def test_the_sender_is_one_plain_address_or_nobody(value: str, address: str) -> None:
    assert sender_of(mail(f"From: {value}")).address == address


def test_two_from_headers_name_nobody() -> None:
    assert sender_of(mail("From: a@b.example", "From: c@d.example")).trouble == "several From headers"


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["mx.us; dmarc=pass header.from=b.example"], Dmarc.PASS),
        (["MX.us 1; spf=fail; dmarc=pass (p=none; x) header.from=B.example"], Dmarc.PASS),
        (["mx.us; dmarc=fail header.from=b.example", "mx.us; dmarc=pass"], Dmarc.FAIL),
        (["mx.other; dmarc=pass", "mx.us; dmarc=fail"], Dmarc.FAIL),
        (["mx.us; spf=pass", "mx.us; dmarc=pass"], Dmarc.NONE),
        (["mx.other; dmarc=pass"], Dmarc.NONE),
        (
            ["spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=b.example; dmarc=pass action=none header.from=b.example"],
            Dmarc.NONE,
        ),
        (["mx.us; spf=pass (x; dmarc=pass)"], Dmarc.NONE),
        (['mx.us; spf=pass reason="; dmarc=pass"'], Dmarc.NONE),
        (["mx.us; spf=pass smtp.mailfrom==?us-ascii?q?x=3B_dmarc=3Dpass?="], Dmarc.NONE),
        (["mx.us; dmarc=pass header.from=evil.example"], Dmarc.NONE),
        (["mx.us; dmarc=temperror"], Dmarc.NONE),
        (["mx.us; none"], Dmarc.NONE),
        ([], Dmarc.NONE),
    ],
)
def test_only_the_topmost_result_under_our_own_name_counts(values: list[str], wanted: Dmarc) -> None:
    message = mail(*[f"Authentication-Results: {value}" for value in values], "From: a@b.example")
    assert authentication_of(message, authserv_id="mx.us", sender=sender_of(message)).dmarc is wanted
    assert authentication_of(message, authserv_id="", sender=sender_of(message)).dmarc is Dmarc.NONE
