"""Races for a viewer: one, the open ones, one's own; and the presentation that all readers show."""

from typing import Any

from games.models import Race, Seat
from games.models.people import Person


def race_get(*, public_id: str, user: Person | None = None, invitation: str = "") -> Race:
    """The race, if this person may see it: public, taking part, host, or bearer of an invitation; raises RaceUnknown."""
    raise NotImplementedError


def race_present(*, race: Race, viewer: Seat | None, log_last: int | None = 60) -> dict[str, Any]:
    """All that a viewer (a seat of this race, or None for a spectator) may know, as plain JSON: see games.runtime.present.present.

    ``log_last``: how many of the latest log lines; None for all.
    """
    raise NotImplementedError


def race_list_open(*, user: Person | None = None) -> list[dict[str, Any]]:
    """Public races that may still be joined, newest first, each as a summary (see race_summary)."""
    raise NotImplementedError


def race_list_mine(*, user: Person) -> list[dict[str, Any]]:
    """Races in which this person sits, that he hosts, or to which his mail address is invited; under way first. Each as a summary."""
    raise NotImplementedError


def race_summary(*, race: Race, user: Person | None) -> dict[str, Any]:
    """What a list shows of a race.

    The presentation's "race" part, with "seats" (as there), "seats_wanted", "seats_taken", "you" (seat number or None), "your_state" ("" or the
    seat's state), "asked" (whether something is asked of this person) and "waiting" (as in the presentation).
    """
    raise NotImplementedError
