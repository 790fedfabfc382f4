"""Local time both ways: an instant on a wall clock, and a wall clock's reading as an instant.

Both directions never run backwards, which is what keeps deadlines in order over a clock change. A *wall* is a datetime
without a zone; an *instant* is an aware datetime in UTC. Folds and gaps are those of PEP 495.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

_SECOND: Final = timedelta(seconds=1)


def wall_of(at: datetime, zone: ZoneInfo) -> datetime:
    """What the wall clock shows at an instant; while an hour occurs a second time, the end of that hour.

    So a later instant never has an earlier wall: at the second 02:30 of an autumn night it has been 02:59 before.
    """
    local = at.astimezone(zone)
    if not local.fold:
        return local.replace(tzinfo=None)
    repeated = _offset(local.replace(fold=0)) - _offset(local)
    change = _first_second(at - repeated, at, lambda moment: bool(moment.astimezone(zone).fold))
    return change.astimezone(zone).replace(tzinfo=None, fold=0) + repeated


def instant_of(wall: datetime, zone: ZoneInfo) -> datetime:
    """When the wall clock shows this: the first time if it does so twice, the first instant after the gap if never."""
    local = wall.replace(tzinfo=zone, fold=0)
    at = local.astimezone(UTC)
    if at.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
        return at
    # PEP 495: in a gap fold=0 reads the offset from before the change, which leads past it, and fold=1 to before it.
    before = local.replace(fold=1).astimezone(UTC)
    offset = _offset(local)
    return _first_second(before, at, lambda moment: _offset(moment.astimezone(zone)) != offset)


def _offset(local: datetime) -> timedelta:
    offset = local.utcoffset()
    assert offset is not None
    return offset


def _first_second(before: datetime, at: datetime, is_changed: Callable[[datetime], bool]) -> datetime:
    """The first second at which this holds: not yet at ``before``, but at ``at``. Clocks change on whole seconds."""
    low, high = (moment.replace(microsecond=0) for moment in (before.astimezone(UTC), at.astimezone(UTC)))
    while high - low > _SECOND:
        middle = low + _SECOND * ((high - low) // _SECOND // 2)
        if is_changed(middle):
            high = middle
        else:
            low = middle
    return high
