"""One POST to an address that a player gave us: never to a private network, never further than that address.

The name is looked up once, every address that it has is judged, and the connection goes to the one that was judged, so
that a name cannot mean something else a moment later. Redirects are answers, not ways on. Everything has an end: the
connection, each read, the whole exchange, and what is read of the answer.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from notifications.channels.base import PermanentFailure, TransientFailure

ADDRESS_MOST: Final = 1000
STEP_SECONDS: Final = 10.0
"""For connecting, and for each read."""
WHOLE_SECONDS: Final = 20.0
ANSWER_MOST: Final = 2000
"""Bytes of an answer that are read: enough for a sentence in the log."""
_USER_AGENT: Final = "Roadkill"
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")


class AddressRefused(ValueError):
    """Nothing can be sent to this address; the text is a sentence for whoever gave it."""


@dataclass(frozen=True)
class Answer:
    """What the other side said: its status, and the first line of what it wrote."""

    status: int
    said: str


def address_check(address: str) -> None:
    """Refuse what cannot be an address of ours to send to; looks nothing up. Raises AddressRefused."""
    _split(address)


def post(address: str, *, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the body there; raises PermanentFailure for an address that cannot be, TransientFailure for no answer."""
    try:
        host, port, path, is_encrypted = _split(address)
    except AddressRefused as refused:
        raise PermanentFailure(str(refused)) from refused
    connection = _Connection(host, port, _judged(host, port), is_encrypted=is_encrypted)
    watch = threading.Timer(WHOLE_SECONDS, connection.cut)
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", path, body=body, headers={"User-Agent": _USER_AGENT, **headers})
        response = connection.getresponse()
        said = response.read(ANSWER_MOST).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise TransientFailure(f"{host} did not answer: {str(error) or type(error).__name__}"[:500]) from error
    finally:
        watch.cancel()
        connection.close()
    return Answer(response.status, " ".join(said.split())[:200])


def _split(address: str) -> tuple[str, int, str, bool]:
    """Host, port, path with query, and whether it is https."""
    if len(address) > ADDRESS_MOST or any(letter <= " " or letter == "\x7f" for letter in address):
        raise AddressRefused(f"An address has at most {ADDRESS_MOST} letters and no blanks.")
    try:
        parts = urlsplit(address)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError) as broken:
        raise AddressRefused("This is not a whole address; it begins with https:// and a host.") from broken
    is_encrypted = parts.scheme == "https"
    if not host or not (is_encrypted or (parts.scheme == "http" and settings.WEBHOOK_PRIVATE_ADDRESSES)):
        raise AddressRefused("The address must begin with https:// and a host.")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("The address must not hold a user or password before the host.")
    port = port or (443 if is_encrypted else 80)
    if port not in {80, 443} and port < 1024:
        raise AddressRefused(f"Port {port} belongs to another service; use 443 or one from 1024 on.")
    path = parts.path or "/"
    path = path + (f"?{parts.query}" if parts.query else "")
    return host, port, path.encode("ascii", "ignore").decode("ascii"), is_encrypted


def _judged(host: str, port: int) -> str:
    """An address of this host that may be reached; with one that may not, none is."""
    addresses = [host] if _is_ip(host) else _looked_up(host, port)
    if not settings.WEBHOOK_PRIVATE_ADDRESSES and not all(is_public(address) for address in addresses):
        raise PermanentFailure(f"{host} is an address of a private network; nothing is sent there.")
    return addresses[0]


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _looked_up(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TransientFailure(f"{host} is not known: {error}"[:500]) from error
    return [str(entry[4][0]).partition("%")[0] for entry in found]


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open internet, also looked at through the ways of writing IPv4 as IPv6."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
        if ip in _NAT64:
            inner.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        if any(one is not None and not is_public(str(one)) for one in inner):
            return False
        if ip.ipv4_mapped is not None:
            return True
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


def _reach(ip: str, port: int) -> socket.socket:
    """A connection to an IP address, by no name."""
    reached = socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM)
    reached.settimeout(STEP_SECONDS)
    try:
        reached.connect((ip, port))
    except OSError:
        reached.close()
        raise
    return reached


class _Connection(http.client.HTTPConnection):
    """A connection to a host by an address that was judged before; the certificate must be the host's."""

    def __init__(self, host: str, port: int, ip: str, *, is_encrypted: bool) -> None:
        super().__init__(host, port, timeout=STEP_SECONDS)
        self._ip = ip
        self._tls = ssl.create_default_context() if is_encrypted else None
        if is_encrypted:
            self.default_port = 443

    def connect(self) -> None:
        """Connect to the judged address, whatever the name means by now."""
        self.sock = _reach(self._ip, self.port)
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)

    def cut(self) -> None:
        """End an exchange that takes too long: whoever reads sees the end of it."""
        if self.sock is not None:
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It has ended by itself meanwhile.
                return
