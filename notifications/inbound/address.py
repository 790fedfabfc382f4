"""The addresses of ours that carry something: the reply address with its secret key, and two signed ones.

A reply key is 120 random bits in 24 letters of base32 (a to z, 2 to 7; RFC 4648, 6): it survives servers that change
case, dictation and telephone keyboards. It is stored as its keyed hash alone and never logged. A return path (VERP) is
no secret; it is signed, so that nobody can make up a delivery report for another's address.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from notifications.inbound.message import Message

KEY_LENGTH: Final = 24
CANDIDATES_MOST: Final = 8
"""Keys of one mail that are looked up; a mail of ours carries one, a reply within a thread perhaps three."""
REPLY_PREFIX: Final = "reply"
BOUNCE_PREFIX: Final = "bounce"
STOP_PREFIX: Final = "stop"
# Where servers note the address that a mail was delivered to, most trusted first.
_DELIVERED: Final = (
    "delivered-to",
    "x-original-to",
    "x-envelope-to",
    "envelope-to",
    "x-delivered-to",
    "x-forwarded-to",
)
_ADDRESSED: Final = ("to", "cc", "resent-to", "resent-cc")
_THREAD: Final = ("in-reply-to", "references")
_SIGNATURE_BYTES: Final = 10
_REFERENCE: Final = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True)
class Candidate:
    """A reply key as found, lower case, and where: "envelope" or the header's name. Its repr does not show the key."""

    key: str
    where: str

    def __repr__(self) -> str:
        return f"Candidate(where={self.where!r})"


def key_make() -> str:
    """A new reply key: 120 random bits in 24 letters."""
    return base64.b32encode(secrets.token_bytes(15)).decode("ascii").lower()


def key_hash(key: str, secret: bytes) -> str:
    """What is stored of a key: HMAC-SHA256 of its lower case, in hex."""
    return hmac.new(secret, b"reply-key:" + key.lower().encode("utf-8"), hashlib.sha256).hexdigest()


def key_fits(key: str, stored_hashes: Iterable[str], hash_secrets: Sequence[bytes]) -> bool:
    """Whether the key is one of those stored, under any of the secrets (the present one, then the retired ones).

    Every comparison is made, each in constant time, so that the time taken tells nothing.
    """
    own = [key_hash(key, secret) for secret in hash_secrets]
    fits = False
    for stored in stored_hashes:
        for made in own:
            fits |= hmac.compare_digest(stored.encode("utf-8"), made.encode("utf-8"))
    return fits


def reply_address(key: str, domain: str) -> str:
    """The address at which answers to one question arrive."""
    return f"{REPLY_PREFIX}+{key}@{domain}"


def keys_find(message: Message, *, envelope_recipients: Sequence[str], domain: str) -> tuple[Candidate, ...]:
    """The reply keys that a mail carries, most trusted place first, each once, at most CANDIDATES_MOST.

    Envelope recipients, Delivered-To and its kin, To and Cc, then In-Reply-To and References (from the latest).
    """
    in_address = re.compile(
        rf"(?<![a-z0-9.+=_-]){REPLY_PREFIX}(?:\+|=2b|=|-)([a-z2-7]{{{KEY_LENGTH}}})@{re.escape(domain)}(?![a-z0-9.-]*[a-z0-9])",
        re.IGNORECASE,
    )
    in_id = re.compile(
        rf"(?<![a-z0-9])([a-z2-7]{{{KEY_LENGTH}}})(?:[.+-][a-z0-9.+-]{{0,60}})?@{re.escape(domain)}(?![a-z0-9.-]*[a-z0-9])",
        re.IGNORECASE,
    )
    found: dict[str, str] = {}
    places = [("envelope", in_address, list(envelope_recipients))]
    places += [(name, in_address, list(message.all(name))) for name in (*_DELIVERED, *_ADDRESSED)]
    places += [(name, in_id, list(message.all(name))) for name in _THREAD]
    for where, pattern, values in places:
        for value in values[:CANDIDATES_MOST]:
            keys = pattern.findall(value[:_VALUE_MOST])
            for key in reversed(keys) if where in _THREAD else keys:
                found.setdefault(key.lower(), where)
    return tuple(Candidate(key, where) for key, where in list(found.items())[:CANDIDATES_MOST])


_VALUE_MOST: Final = 4096


def return_path_make(reference: str, *, secret: bytes, domain: str) -> str:
    """The return path of one mail: ``reference`` (a to z, 0 to 9, dashes; at most 40) names it, the rest signs it.

    Raises ValueError for another reference. The local part has at most 64 letters (RFC 5321, 4.5.3.1.1).
    """
    return _RETURN_PATH.address(reference, secret, domain)


def return_path_read(address: str, *, return_secrets: Sequence[bytes], domain: str) -> str | None:
    """The reference in a return path of ours, None if it is none or its signature fits none of the secrets."""
    return _RETURN_PATH.read(address, return_secrets, domain)


def stop_address_make(reference: str, *, secret: bytes, domain: str) -> str:
    """Where to write to have no more mails like the one that ``reference`` names; as return_path_make.

    No letter of it has to be written otherwise in a mailto: (RFC 6068, 2).
    """
    return _STOP.address(reference, secret, domain)


def stop_address_find(
    message: Message | None, *, envelope_recipients: Sequence[str], stop_secrets: Sequence[bytes], domain: str
) -> str | None:
    """The reference in the stop address that a mail was sent to, None if it was sent to none of ours.

    Looked for in the envelope, then where servers note it, then in To and Cc.
    """
    values = list(envelope_recipients)
    if message is not None:
        values += [value for name in (*_DELIVERED, *_ADDRESSED) for value in message.all(name)]
    for value in values[: 4 * CANDIDATES_MOST]:
        for word in re.split(r"[\s,;<>\"]+", value[:_VALUE_MOST]):
            found = _STOP.read(word, stop_secrets, domain)
            if found is not None:
                return found
    return None


@dataclass(frozen=True)
class _Signed:
    """An address that names a mail and signs the name. ``purpose`` keeps its signatures apart from all others."""

    prefix: str
    divider: str
    purpose: str

    def address(self, reference: str, secret: bytes, domain: str) -> str:
        if not _REFERENCE.fullmatch(reference):
            raise ValueError(f"An address names at most 40 of a to z, 0 to 9 and dashes, not {reference!r}.")
        return f"{self.prefix}+{reference}{self.divider}{self._signature(reference, secret)}@{domain}"

    def read(self, address: str, known_secrets: Sequence[bytes], domain: str) -> str | None:
        local, _, host = address.strip().strip("<>").lower().rpartition("@")
        prefix, plus, rest = local.partition("+")
        reference, _, signature = rest.rpartition(self.divider)
        if host != domain.lower() or prefix != self.prefix or not plus or not _REFERENCE.fullmatch(reference):
            return None
        fits = False
        for secret in known_secrets:
            made = self._signature(reference, secret)
            fits |= hmac.compare_digest(made.encode("ascii"), signature.encode("utf-8"))
        return reference if fits else None

    def _signature(self, reference: str, secret: bytes) -> str:
        made = hmac.new(secret, f"{self.purpose}:{reference}".encode("ascii"), hashlib.sha256).digest()
        return base64.b32encode(made[:_SIGNATURE_BYTES]).decode("ascii").lower()


_RETURN_PATH: Final = _Signed(BOUNCE_PREFIX, "=", "return-path")
_STOP: Final = _Signed(STOP_PREFIX, "-", "stop")
