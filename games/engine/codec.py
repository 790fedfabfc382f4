"""States and actions to JSON and back, with validation on the way in, and the digest of a state."""

import hashlib
from functools import lru_cache
from typing import Any

import msgspec

from games.engine.errors import Malformed

_encoder = msgspec.json.Encoder(order="deterministic")


@lru_cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def dump(value: Any) -> bytes:
    """Compact JSON, keys in a fixed order."""
    return _encoder.encode(value)


def load(kind: Any, data: bytes | str) -> Any:
    """A value of this type; raises msgspec.ValidationError (a ValueError) if the data does not fit it."""
    return _decoder(kind).decode(data)


def digest(state: Any) -> str:
    """SHA-256 of the state's JSON, in hexadecimal."""
    return hashlib.sha256(_encoder.encode(state)).hexdigest()


def action_from_json(action_type: Any, data: Any) -> Any:
    """An action from plain JSON (a dict); raises Malformed with a sentence that names the part at fault."""
    try:
        return msgspec.convert(data, action_type)
    except msgspec.ValidationError as error:
        raise Malformed(f"This is no act of the game: {error}.") from error


def to_json(value: Any) -> Any:
    """Plain dicts, lists, tuples, strings and numbers."""
    return msgspec.to_builtins(value)
