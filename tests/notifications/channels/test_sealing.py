"""Web push's two standards, against the examples that they print."""

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from notifications.channels.push.sealing import (
    KeyRefused,
    decoded,
    encoded,
    is_proven,
    private_key,
    private_key_make,
    proof,
    public_key,
    public_part,
    seal,
)

# RFC 8291, appendix A.
TEXT = b"When I grow up, I want to be a watermelon"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
BROWSER_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SENDER_PRIVATE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
SEALED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A"
    "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_standards_own_example_is_sealed_to_the_same_bytes() -> None:
    sealed = seal(
        TEXT,
        browser_key=decoded(BROWSER_PUBLIC),
        auth=decoded(AUTH),
        own_key=private_key(SENDER_PRIVATE),
        salt=decoded(SALT),
    )
    assert encoded(sealed) == SEALED


def test_a_browser_reads_what_was_sealed_for_it_and_each_message_has_its_own_key() -> None:
    browser, auth = ec.generate_private_key(ec.SECP256R1()), b"sixteen bytes ..".ljust(16)[:16]
    first, second = (seal(b"hello", browser_key=public_part(browser), auth=auth) for _ in range(2))
    assert first != second
    salt, theirs, record = first[:16], first[21:86], first[86:]

    def derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salt, info).derive(secret)

    shared = browser.exchange(ec.ECDH(), public_key(theirs))
    secret = derive(shared, auth, b"WebPush: info\x00" + public_part(browser) + theirs, 32)
    key, nonce = (
        derive(secret, salt, b"Content-Encoding: " + what, size)
        for what, size in ((b"aes128gcm\0", 16), (b"nonce\0", 12))
    )
    assert AESGCM(key).decrypt(nonce, record, None) == b"hello\x02"


def test_the_proof_names_the_push_service_and_holds_for_hours() -> None:
    key = private_key(private_key_make())
    header = proof(address="https://push.example.net/send/abc", contact="mailto:a@example.org", key=key, now=1_000_000)
    claims = decoded(header.removeprefix("vapid t=").split(".")[1])
    assert claims == b'{"aud":"https://push.example.net","exp":1043200,"sub":"mailto:a@example.org"}'
    assert header.endswith(f", k={encoded(public_part(key))}")
    assert is_proven(header, key.public_key())
    assert not is_proven(header, ec.generate_private_key(ec.SECP256R1()).public_key())


@pytest.mark.parametrize("text", ["", "AAAA", "§§§§", encoded(bytes(32)), encoded(b"\xff" * 32), encoded(bytes(33))])
def test_what_is_no_private_key_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused):
        private_key(text)


@pytest.mark.parametrize("raw", [b"", b"\x04" + bytes(64), bytes(65)])
def test_what_is_no_public_key_is_refused(raw: bytes) -> None:
    with pytest.raises(KeyRefused):
        public_key(raw)


def test_a_text_that_push_services_would_not_take_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 3000 bytes"):
        seal(b"x" * 3001, browser_key=decoded(BROWSER_PUBLIC), auth=decoded(AUTH))
