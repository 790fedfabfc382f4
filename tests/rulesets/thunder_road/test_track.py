"""The order in which road tiles are laid."""

from collections import Counter

import pytest

from games.engine.chance import Stream, stream_key
from games.rulesets.thunder_road import components, track
from tests.rulesets.thunder_road.faces import Faces

BOX = components.named("classic")


def stream(word: str) -> Stream:
    return Stream(stream_key(b"track", [word]))


def test_tile_1_comes_first_with_a_drawn_side_and_the_others_are_the_pool() -> None:
    chance = Faces(1)
    assert track.begun(BOX, chance, carnage=False, sides="mixed") == ("1B", (2, 3, 4, 5))
    assert chance.taken == [("side", 2, 1)]
    assert track.begun(BOX, Faces(), carnage=True, sides="A") == ("1A", (2, 3, 4, 5, 6, 7, 8, 9, 10))


def test_a_tile_is_drawn_from_the_pool_in_rising_order_and_then_its_side() -> None:
    chance = Faces(1, 0)
    assert track.drawn(BOX, (2, 4, 5), chance, kept=("1A", "3B"), carnage=False, sides="mixed") == ("4A", (2, 5))
    assert chance.taken == [("tile", 3, 1), ("side", 2, 0)]
    fixed = Faces(2)
    assert track.drawn(BOX, (2, 4, 5), fixed, kept=(), carnage=False, sides="B") == ("5B", (2, 4))
    assert fixed.taken == [("tile", 3, 2)]


def test_an_empty_pool_is_made_of_all_tiles_that_are_not_kept_tile_1_too() -> None:
    chance = Faces(0, 1)
    assert track.drawn(BOX, (), chance, kept=("4A", "3B"), carnage=False, sides="mixed") == ("1B", (2, 5))
    assert chance.taken == [("tile", 3, 0), ("side", 2, 1)]


@pytest.mark.parametrize(("carnage", "players", "length"), [(False, 2, 5), (True, 2, 5), (False, 4, 5), (True, 3, 10)])
def test_a_list_is_five_tiles_for_two_and_else_every_tile_once(carnage: bool, players: int, length: int) -> None:
    numbers = Counter[int]()
    for seed in range(40):
        order = track.listed(BOX, stream(f"list {seed}"), players=players, carnage=carnage, sides="mixed")
        found = [BOX.tiles[key].number for key in order]
        assert found[0] == 1
        assert len(order) == len(set(found)) == length
        assert max(found) <= (10 if carnage else 5)
        numbers.update(found)
    assert set(numbers) == set(BOX.tile_numbers(carnage=carnage))


def test_a_list_of_one_side_has_that_side_alone() -> None:
    for side in "AB":
        order = track.listed(BOX, stream(side), players=4, carnage=True, sides=side)
        assert {BOX.tiles[key].side for key in order} == {side}


def test_the_list_and_the_race_draw_alike() -> None:
    a, b = stream("same"), stream("same")
    order = track.listed(BOX, a, players=4, carnage=True, sides="mixed")
    key, pool = track.begun(BOX, b, carnage=True, sides="mixed")
    one_by_one = [key]
    while pool:
        key, pool = track.drawn(BOX, pool, b, kept=one_by_one[-2:], carnage=True, sides="mixed")
        one_by_one.append(key)
    assert (list(order), a.taken) == (one_by_one, b.taken)


def test_a_longer_race_shuffles_all_but_the_last_three() -> None:
    order = track.listed(BOX, stream("long"), players=3, carnage=True, sides="mixed")
    longer = track.lengthened(BOX, order, stream("longer"), carnage=True, sides="mixed")
    assert longer[: len(order)] == order
    last, follow = (
        [BOX.tiles[key].number for key in order[-3:]],
        [BOX.tiles[key].number for key in longer[len(order) :]],
    )
    assert sorted(last + follow) == list(range(1, 11))
    again = track.lengthened(BOX, longer, stream("again"), carnage=True, sides="mixed")
    assert len(again) == 10 + 7 + 7
