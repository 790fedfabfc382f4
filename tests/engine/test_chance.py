"""The committed stream is what it is said to be, and fair; a record's draws are taken only as they were recorded."""

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest

from games.engine.chance import WORD, Draw, Recorded, Stream, commitment, d6, stream_key
from games.engine.errors import RecordBroken

KEY = bytes(range(32))
FIRST_OF_128 = [73, 68, 1, 25, 119, 54, 123, 28, 116, 2]
FIRST_SHUFFLE = (2, 6, 0, 7, 3, 5, 4, 1)


def words(key: bytes, count: int) -> list[int]:
    """The stream's 64-bit words as chance.py promises them, made here by RFC 2104's own two hashes."""
    padded = key.ljust(64, b"\0")
    outer, inner = (bytes(byte ^ pad for byte in padded) for pad in (0x5C, 0x36))
    out: list[int] = []
    block = 0
    while len(out) < count:
        digest = hashlib.sha256(outer + hashlib.sha256(inner + block.to_bytes(8, "big")).digest()).digest()
        out += [int.from_bytes(digest[place : place + 8], "big") for place in range(0, 32, 8)]
        block += 1
    return out[:count]


def test_the_first_draws_of_a_known_key_are_known() -> None:
    """Written down once: a change of the stream would make every finished race unprovable."""
    stream = Stream(KEY)
    assert [stream.pick(128, "card") for _ in range(10)] == FIRST_OF_128
    assert stream.shuffled(8, "seats") == FIRST_SHUFFLE
    assert stream.at == 17


def test_draws_are_the_words_of_a_keyed_hash_in_order() -> None:
    stream = Stream(KEY)
    assert [stream.pick(1000, "x") for _ in range(50)] == [word % 1000 for word in words(KEY, 50)]


def test_the_published_hash_is_the_secrets_sha_256() -> None:
    assert commitment(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_key_comes_of_the_secret_and_of_every_word_in_its_place() -> None:
    known = hmac.digest(b"secret", b"roadkill/1\x00north\x1f\x1feast", "sha256")
    assert stream_key(b"secret", ("north", "", "east")) == known
    others = [(b"Secret", ("north", "", "east")), (b"secret", ("east", "", "north")), (b"secret", ("north", "east"))]
    assert len({known, *(stream_key(secret, given) for secret, given in others)}) == 4


def test_a_word_that_would_favour_low_numbers_is_thrown_away() -> None:
    """Of this size a quarter of all words is refused; taken all the same, low numbers would be twice as likely."""
    size = 3 * (WORD // 4)
    fair = WORD - WORD % size
    given = words(KEY, 400)
    assert any(word >= fair for word in given), "there is something to refuse"
    stream = Stream(KEY)
    kept = [word for word in given if word < fair]
    assert [stream.pick(size, "x") for _ in kept[:200]] == kept[:200]
    assert stream.at > 200, "what is refused counts as used"


def test_the_whole_range_of_a_word_can_be_drawn() -> None:
    assert Stream(KEY).pick(WORD, "x") == words(KEY, 1)[0]


@pytest.mark.parametrize("size", [0, -1, WORD + 1])
def test_from_nothing_and_from_more_than_a_word_nothing_is_drawn(size: int) -> None:
    stream = Stream(KEY)
    with pytest.raises(ValueError, match="card"):
        stream.pick(size, "card")
    assert (stream.at, stream.taken) == (0, [])


@pytest.mark.parametrize("size", [2, 6, 7, 128])
def test_every_number_comes_up_as_often_as_any_other(size: int) -> None:
    """Chi-square over a known stream: six standard deviations from its mean would be no luck."""
    throws = 400 * size
    stream = Stream(KEY)
    count = Counter(stream.pick(size, "x") for _ in range(throws))
    assert set(count) == set(range(size))
    chi_square = sum((seen - 400) ** 2 / 400 for seen in count.values())
    assert chi_square < size - 1 + 6 * (2 * (size - 1)) ** 0.5


def test_every_order_comes_up_as_often_as_any_other() -> None:
    stream = Stream(KEY)
    count = Counter(stream.shuffled(4, "x") for _ in range(24 * 300))
    assert set(count) == set(permutations(range(4)))
    assert sum((seen - 300) ** 2 / 300 for seen in count.values()) < 23 + 6 * 46**0.5


def test_a_die_has_six_faces() -> None:
    stream = Stream(KEY)
    assert {d6(stream, "die") for _ in range(100)} == {1, 2, 3, 4, 5, 6}
    assert stream.taken[0][:2] == ("die", 6)


@pytest.mark.parametrize("used", range(9))
def test_a_stream_goes_on_where_it_was_left(used: int) -> None:
    whole = Stream(KEY)
    first = [whole.pick(100, "x") for _ in range(used)]
    again = Stream(KEY, at=used)
    assert [again.pick(100, "x") for _ in range(9)] == [whole.pick(100, "x") for _ in range(9)]
    assert len(first) == used


def test_set_back_a_stream_gives_the_same_again() -> None:
    stream = Stream(KEY)
    first = [stream.pick(100, "x") for _ in range(7)]
    stream.at = 0
    assert [stream.pick(100, "x") for _ in range(7)] == first


def test_every_draw_is_noted_with_its_label_and_size() -> None:
    stream = Stream(KEY)
    card, order = stream.pick(12, "card", among=range(12)), stream.shuffled(3, "seats")
    assert stream.taken == [("card", 12, card), ("seats", 3, order)]


RECORDED: tuple[Draw, ...] = (("card", 12, 7), ("seats", 3, (2, 0, 1)))


def test_recorded_draws_come_back_in_order() -> None:
    chance = Recorded(RECORDED)
    assert chance.left == 2
    assert (chance.pick(12, "card"), chance.shuffled(3, "seats")) == (7, (2, 0, 1))
    assert chance.left == 0
    assert tuple(chance.taken) == RECORDED


@pytest.mark.parametrize(("size", "label"), [(11, "card"), (13, "card"), (12, "Card"), (12, "number check")], ids=str)
def test_a_draw_of_another_size_or_label_is_refused_by_name(size: int, label: str) -> None:
    chance = Recorded(RECORDED)
    with pytest.raises(RecordBroken, match=f"draw 0 is «card» of 12 in the record, but «{label}» of {size} is needed"):
        chance.pick(size, label)
    assert (chance.taken, chance.left) == ([], 2)


def test_more_draws_than_were_recorded_are_refused() -> None:
    chance = Recorded(RECORDED[:1])
    chance.pick(12, "card")
    with pytest.raises(RecordBroken, match="a draw «card» of 12 is needed, but the record has no more"):
        chance.pick(12, "card")


@pytest.mark.parametrize("result", [-1, 12, (1, 0), ()])
def test_a_recorded_number_must_be_one_of_the_possible(result: int | tuple[int, ...]) -> None:
    with pytest.raises(RecordBroken, match=r"«card» holds .* not a number below 12"):
        Recorded([("card", 12, result)]).pick(12, "card")


@pytest.mark.parametrize("result", [1, (0, 1), (0, 1, 1), (0, 1, 3), (0, 1, 2, 3)])
def test_a_recorded_order_must_be_one(result: int | tuple[int, ...]) -> None:
    with pytest.raises(RecordBroken, match="«seats» is no permutation of 3"):
        Recorded([("seats", 3, result)]).shuffled(3, "seats")


def test_an_order_said_to_be_endless_is_refused_at_once() -> None:
    """Its size is what a stranger's record says; nobody counts up to it."""
    with pytest.raises(RecordBroken, match="no permutation"):
        Recorded([("seats", 10**15, (0, 1))]).shuffled(10**15, "seats")
