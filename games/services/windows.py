"""Reaction windows: when sealed answers are handed over together."""

from datetime import datetime


def window_close_due(*, now: datetime) -> int:
    """Close every window whose time has come; returns how many."""
    raise NotImplementedError
