"""What may be reached by an address that a player gave, and how an exchange ends."""

import socket
import time
from typing import Any

import pytest
from pytest_django import Settings

from notifications.channels import outward
from notifications.channels.base import PermanentFailure, TransientFailure
from notifications.channels.outward import AddressRefused, address_check, is_public, post
from tests.notifications.channels.conftest import Listener

LOOPBACK = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "2002:7f00:0001::",
        "2002:0a00:0001::1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
    ],
)
def test_private_addresses_are_no_part_of_the_open_internet(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34"])
def test_public_addresses_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/hook",
        "ftp://example.org/hook",
        "file:///etc/passwd",
        "https://",
        "https:///hook",
        "https://user:word@example.org/",
        "https://example.org:22/",
        "https://example.org:99999/",
        "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "https://example.org/" + "a" * 1000,
        "example.org",
    ],
)
def test_what_can_be_no_address_is_refused_with_a_sentence(address: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        address_check(address)
    assert str(refused.value).endswith(".")
    with pytest.raises(PermanentFailure):
        post(address, body=b"{}", headers={})


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1"])
def test_nothing_is_sent_into_a_private_network(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[Any] = []
    monkeypatch.setattr(outward, "_reach", lambda *told: reached.append(told))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("127.0.0.1", 443))])
    with pytest.raises(PermanentFailure, match="private network"):
        post(f"https://{host}/hook", body=b"{}", headers={})
    assert reached == []


def test_a_name_with_one_private_address_among_public_ones_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(0, 0, 0, "", (ip, 443)) for ip in ("93.184.216.34", "10.0.0.5")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(PermanentFailure, match="private network"):
        post("https://rebind.example.org/hook", body=b"{}", headers={})


def test_the_connection_goes_to_the_address_that_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    reached: list[Any] = []

    def look_up(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        return [(0, 0, 0, "", ("93.184.216.34", 443))]

    def connect(*address: Any) -> Any:
        reached.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(outward, "_reach", connect)
    with pytest.raises(TransientFailure, match="did not answer"):
        post("https://hooks.example.org/x", body=b"{}", headers={})
    assert asked == ["hooks.example.org"]
    assert reached == [("93.184.216.34", 443)]


def test_an_unknown_name_may_be_known_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(TransientFailure, match="not known"):
        post("https://nowhere.example.org/", body=b"{}", headers={})


@LOOPBACK
def test_a_redirect_is_an_answer_and_not_followed(listener: Listener) -> None:
    listener.status, listener.headers = 302, {"Location": f"{listener.address}/elsewhere"}
    answer = post(f"{listener.address}/hook?a=b", body=b"{}", headers={"X": "y"})
    assert answer.status == 302
    assert [path for path, _, _ in listener.came] == ["/hook?a=b"]


@LOOPBACK
def test_only_the_beginning_of_an_answer_is_read(listener: Listener) -> None:
    listener.status, listener.said = 500, "x" * 1_000_000
    assert len(post(listener.address, body=b"{}", headers={}).said) == 200


@LOOPBACK
def test_an_exchange_that_takes_too_long_is_cut(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outward, "WHOLE_SECONDS", 0.2)
    listener.before = lambda: time.sleep(0.6)
    began = time.monotonic()
    with pytest.raises(TransientFailure):
        post(listener.address, body=b"{}", headers={})
    assert time.monotonic() - began < 0.55


@LOOPBACK
def test_http_is_for_private_networks_that_the_operator_lets_be_reached(listener: Listener, settings: Settings) -> None:
    assert post(listener.address, body=b"{}", headers={}).status == 204
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    with pytest.raises(PermanentFailure, match="https://"):
        post(listener.address, body=b"{}", headers={})
