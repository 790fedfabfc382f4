"""Closing policies."""

from datetime import UTC, datetime, timedelta

import pytest

from games.tempo.policies import Asked, closes_at

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def asked(*, hold: float | None = None, answered: bool = False, due: float = 24) -> Asked:
    return Asked(NOW + due * HOUR, None if hold is None else NOW + hold * HOUR, answered)


@pytest.mark.parametrize(
    ("policy", "window", "hours"),
    [
        ("open", [asked()], 24),
        ("open", [asked(answered=True), asked()], 24),
        ("open", [asked(answered=True)], None),
        ("open", [asked(hold=3, answered=True)], None),
        ("paced", [asked(hold=3)], 24),
        ("paced", [asked(hold=3, answered=True), asked()], 24),
        ("paced", [asked(hold=3, answered=True), asked(hold=5, answered=True)], 5),
        ("paced", [asked(hold=30, answered=True)], 24),
        ("paced", [asked(answered=True)], None),
        ("strict", [asked(hold=3, answered=True)], 24),
        ("strict", [asked(answered=True)], 24),
        ("strict", [asked(due=20), asked(due=24)], 24),
    ],
)
def test_a_window_closes_by_its_policy(policy: str, window: list[Asked], hours: float | None) -> None:
    assert closes_at(policy, window) == (None if hours is None else NOW + hours * HOUR)
