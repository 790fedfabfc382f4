"""Extensions: capped in total, once per key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.tempo.extensions import Extension, ExtensionRefused, extend, total_minutes
from tests.games.tempo.walking import SETTINGS

DAY = 1440


def test_extensions_add_up() -> None:
    granted = extend((), Extension("a", DAY), cap_minutes=3 * DAY)
    granted = extend(granted, Extension("b", 2 * DAY), cap_minutes=3 * DAY)
    assert granted == (Extension("a", DAY), Extension("b", 2 * DAY))
    assert total_minutes(granted) == 3 * DAY


def test_the_same_key_again_changes_nothing_even_with_other_minutes_or_nothing_left() -> None:
    granted = extend((), Extension("a", DAY), cap_minutes=DAY)
    assert extend(granted, Extension("a", DAY), cap_minutes=DAY) == granted
    assert extend(granted, Extension("a", 5), cap_minutes=DAY) == granted


@pytest.mark.parametrize(
    ("granted", "minutes", "left", "text"),
    [
        (0, 0, DAY, "An extension is a minute or more."),
        (0, -5, DAY, "An extension is a minute or more."),
        (1320, 180, 120, "This question may be put off by 24 h in all, of which 2 h are left; ask for less."),
        (DAY, 1, 0, "This question has been put off by 24 h already, which is all that this race allows."),
    ],
)
def test_what_cannot_be_granted_is_refused_with_what_can(granted: int, minutes: int, left: int, text: str) -> None:
    before = (Extension("a", granted),) if granted else ()
    with pytest.raises(ExtensionRefused) as refused:
        extend(before, Extension("b", minutes), cap_minutes=DAY)
    assert (str(refused.value), refused.value.left_minutes) == (text, left)


def test_a_race_without_extensions_says_so() -> None:
    with pytest.raises(ExtensionRefused, match="This race allows no extensions"):
        extend((), Extension("a", 1), cap_minutes=0)


def test_a_cap_that_was_lowered_leaves_what_was_granted() -> None:
    granted = (Extension("a", 100),)
    with pytest.raises(ExtensionRefused) as refused:
        extend(granted, Extension("b", 1), cap_minutes=50)
    assert refused.value.left_minutes == 0
    assert "has been put off by 1 h 40 min already" in str(refused.value)


@SETTINGS
@given(st.lists(st.builds(Extension, st.sampled_from("abcd"), st.integers(-2, 800)), max_size=12), st.integers(0, 2000))
def test_no_order_of_asking_goes_over_the_cap_or_counts_a_key_twice(asked: list[Extension], cap: int) -> None:
    granted: tuple[Extension, ...] = ()
    for one in asked:
        left = cap - total_minutes(granted)
        if one.key not in {other.key for other in granted} and not 1 <= one.minutes <= left:
            with pytest.raises(ExtensionRefused):
                extend(granted, one, cap_minutes=cap)
        else:
            granted = extend(granted, one, cap_minutes=cap)
        assert total_minutes(granted) <= cap
        assert len({one.key for one in granted}) == len(granted)
