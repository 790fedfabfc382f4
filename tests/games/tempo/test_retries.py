"""When a race that is held up is tried again, and when that may be told."""

from datetime import UTC, datetime, timedelta

import pytest

from games.tempo.retries import LONGEST_RETRY, retry_at, retry_wait

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("count", "minutes"), [(0, 5), (1, 10), (2, 20), (6, 320), (7, 360), (8, 360), (1000, 360)])
def test_the_wait_doubles_up_to_six_hours(count: int, minutes: int) -> None:
    assert retry_wait(count) == timedelta(minutes=minutes)


@pytest.mark.parametrize("count", [1, 2, 8, 1000])
def test_a_try_of_the_servers_own_is_told(count: int) -> None:
    wake_at = NOON + retry_wait(count - 1)
    assert retry_at(fault_at=NOON, count=count, wake_at=wake_at) == wake_at


@pytest.mark.parametrize(
    ("count", "wake_at"),
    [
        (0, NOON + LONGEST_RETRY),
        (1, None),
        (1, NOON + timedelta(minutes=4)),
        (1, NOON + timedelta(minutes=10)),
        (2, NOON + timedelta(minutes=5)),
    ],
)
def test_any_other_moment_is_not(count: int, wake_at: datetime | None) -> None:
    assert retry_at(fault_at=NOON, count=count, wake_at=wake_at) is None
