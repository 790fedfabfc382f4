"""The two small standards of web push: messages that only the browser can read, and proof of who sends them.

RFC 8291 (encryption, by the content encoding of RFC 8188) and RFC 8292 (VAPID), on the library ``cryptography``.
"""

import base64
import json
import os
from typing import Final
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

RECORD_SIZE: Final = 4096
TEXT_MOST: Final = 3000
"""Bytes; services must take messages of 4096 in all."""
TOKEN_SECONDS: Final = 12 * 60 * 60
"""How long a proof holds; the standard allows a day."""
_CURVE: Final = ec.SECP256R1()


class KeyRefused(ValueError):
    """A key that is none of the curve P-256."""


def decoded(text: str) -> bytes:
    """Base64url with or without padding. Raises KeyRefused."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, TypeError) as broken:
        raise KeyRefused("This is not base64url.") from broken


def encoded(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """The private key of 32 bytes in base64url. Raises KeyRefused."""
    raw = decoded(text)
    if len(raw) != 32:
        raise KeyRefused("A private key has 32 bytes.")
    try:
        return ec.derive_private_key(int.from_bytes(raw, "big"), _CURVE)
    except ValueError as broken:
        raise KeyRefused("This is no private key of the curve P-256.") from broken


def private_key_make() -> str:
    """A new private key, in base64url."""
    number = ec.generate_private_key(_CURVE).private_numbers().private_value
    return encoded(number.to_bytes(32, "big"))


def public_part(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The public key as 65 bytes, uncompressed."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def public_key(raw: bytes) -> ec.EllipticCurvePublicKey:
    """A browser's public key of 65 bytes. Raises KeyRefused."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, raw)
    except ValueError as broken:
        raise KeyRefused("This is no public key of the curve P-256.") from broken


def seal(
    text: bytes,
    *,
    browser_key: bytes,
    auth: bytes,
    own_key: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """The body for the push service (RFC 8291, 3 and 4): salt, record size, our key of this message, one record.

    ``browser_key``: 65 bytes, ``auth``: 16 bytes, as the browser gave them. ``own_key`` and ``salt`` are made anew for
    each message; given only to compare with the standard's example. Raises KeyRefused, and ValueError for a long text.
    """
    if len(text) > TEXT_MOST:
        raise ValueError(f"A message has at most {TEXT_MOST} bytes, not {len(text)}.")
    own_key, salt = own_key or ec.generate_private_key(_CURVE), salt or os.urandom(16)
    own_public = public_part(own_key)
    shared = own_key.exchange(ec.ECDH(), public_key(browser_key))
    secret = _derive(shared, auth, b"WebPush: info\x00" + browser_key + own_public, 32)
    key = _derive(secret, salt, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\x00", 12)
    record = AESGCM(key).encrypt(nonce, text + b"\x02", None)
    return salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(own_public)]) + own_public + record


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def proof(*, address: str, contact: str, key: ec.EllipticCurvePrivateKey, now: int) -> str:
    """The Authorization header (RFC 8292): who we are, for this push service, until when.

    ``now``: seconds since 1970.
    """
    parts = urlsplit(address)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": now + TOKEN_SECONDS, "sub": contact}
    signed = ".".join(
        encoded(json.dumps(part, separators=(",", ":")).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)
    )
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    signature = encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    return f"vapid t={signed}.{signature}, k={encoded(public_part(key))}"


def is_proven(header: str, public: ec.EllipticCurvePublicKey) -> bool:
    """Whether the Authorization header was signed by the owner of this key: what a push service asks."""
    token = header.removeprefix("vapid t=").partition(",")[0]
    signed, _, signature = token.rpartition(".")
    raw = decoded(signature)
    both = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        public.verify(both, signed.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True
