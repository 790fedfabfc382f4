"""States and actions go through JSON and back unchanged; what does not fit is refused with the part at fault."""

import json
from random import Random

import msgspec
import pytest

from games.engine import codec
from games.engine.contract import Action
from games.engine.errors import Malformed


class Go(Action, frozen=True, tag="go"):
    """With parts of every kind."""

    to: int
    cards: tuple[str, ...] = ()
    words: str = ""


class Stay(Action, frozen=True, tag="stay"):
    """Without any."""


class State(msgspec.Struct, frozen=True):
    """What states are made of: numbers, bytes, nested structs, unions, tables."""

    hand: bytes
    places: tuple[tuple[int, int], ...]
    last: Go | Stay
    by_name: dict[str, int]


KIND = Go | Stay
STATE = State(b"\x00\x7f\xff", ((1, 2), (3, 4)), Go(3, ("move_2",), "é\n"), {"b": 1, "a": 2})


def test_a_state_comes_back_as_it_was() -> None:
    assert codec.load(State, codec.dump(STATE)) == STATE
    assert codec.load(State, codec.dump(STATE).decode()) == STATE


def test_the_order_of_a_table_does_not_show() -> None:
    """Digests of equal states are equal, in whatever order a table was filled."""
    other = msgspec.structs.replace(STATE, by_name={"a": 2, "b": 1})
    assert codec.dump(other) == codec.dump(STATE)
    assert codec.digest(other) == codec.digest(STATE)


def test_the_digest_is_the_sha_256_of_the_json() -> None:
    assert codec.digest(Stay()) == "162622d0795dcdf03374848e1a91cf252911456593692b84268c7f4af4fc4a29"


def test_states_that_differ_anywhere_have_other_digests() -> None:
    others = [
        msgspec.structs.replace(STATE, **part)
        for part in (
            {"hand": b"\x00\x7f"},
            {"places": ((1, 2), (4, 3))},
            {"last": Stay()},
            {"last": Go(3, ("move_2",), "e")},
            {"by_name": {"a": 2}},
        )
    ]
    assert len({codec.digest(STATE), *map(codec.digest, others)}) == 1 + len(others)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"{", b'{"hand": 3}', codec.dump(STATE)[:-1]])
def test_what_is_no_state_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        codec.load(State, data)


def test_no_cut_or_changed_byte_brings_anything_down() -> None:
    """Whatever a stored text has become, it is read or refused with a ValueError."""
    rng = Random(1)
    whole = codec.dump(STATE)
    refused = 0
    for _ in range(500):
        data = bytearray(whole)
        data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            codec.load(State, bytes(data))
        except ValueError:
            refused += 1
    assert 100 < refused < 500


def test_an_action_is_told_by_its_name_and_its_parts() -> None:
    assert codec.to_json(Go(3, ("a", "b"))) == {"do": "go", "to": 3, "cards": ("a", "b")}
    assert codec.to_json(Stay()) == {"do": "stay"}


@pytest.mark.parametrize("action", [Stay(), Go(3), Go(-1, ("a", "a"), "words")])
def test_an_action_comes_back_as_it_was(action: Action) -> None:
    assert codec.action_from_json(KIND, json.loads(json.dumps(codec.to_json(action)))) == action


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({"do": "fly"}, "fly"),
        ({"to": 3}, "do"),
        ({"do": "go"}, "to"),
        ({"do": "go", "to": "3"}, "to"),
        ({"do": "go", "to": 3, "cards": [1]}, "cards"),
        ({"do": "go", "to": 3, "speed": 9}, "speed"),
        ({"do": "stay", "to": 3}, "to"),
        ([], "array"),
        ("go", "str"),
        (None, "null"),
    ],
)
def test_what_is_no_action_is_refused_and_the_part_at_fault_named(data: object, names: str) -> None:
    with pytest.raises(Malformed, match=names) as caught:
        codec.action_from_json(KIND, data)
    assert str(caught.value).startswith("This is no act of the game: ")
