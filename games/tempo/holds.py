"""Hold times: how long a window waits for appearances, whatever anybody's hand holds."""

import hmac
import math
from statistics import NormalDist
from typing import Final

MEDIAN_PART: Final = 0.1
"""The median of the lengths, as a part of the reaction time."""
SPREAD: Final = 0.6
"""Standard deviation of the logarithm: one length in ten is under 0.46 of the median, one in ten over 2.16 of it."""
_WORD: Final = 1 << 64


def hold_seconds(*, secret: bytes, seat: int, turn: int, reaction_seconds: int) -> int:
    """The hold time of a seat in a turn: log-normal, at most the reaction time, at least a second.

    It is drawn by HMAC-SHA256 (RFC 2104) from the race's secret, seat and turn and from nothing else, so it can tell
    nothing of a hand, is the same for each window of that turn, and cannot be foreseen by anybody.
    """
    word = hmac.digest(secret, f"hold/{seat}/{turn}".encode(), "sha256")[:8]
    part = (int.from_bytes(word, "big") + 0.5) / _WORD
    # The ends of the unit interval have no place on the normal distribution.
    part = min(max(part, 1e-12), 1 - 1e-12)
    length = MEDIAN_PART * reaction_seconds * math.exp(SPREAD * NormalDist().inv_cdf(part))
    return max(1, min(reaction_seconds, round(length)))
