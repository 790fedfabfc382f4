"""The life of a race: made, filled, started, called off. Seats of a race under way are in games.services.seats, whose functions are here too."""

from collections.abc import Mapping
from typing import Any

from games.models import Race, Seat
from games.models.people import Person
from games.services.seats import (
    seat_add_bot,
    seat_remove,
    seat_replace,
    seat_resign,
    seat_words,
)

__all__ = [
    "race_cancel",
    "race_create",
    "race_invite",
    "race_join",
    "race_leave",
    "race_start",
    "race_update",
    "seat_add_bot",
    "seat_remove",
    "seat_replace",
    "seat_resign",
    "seat_words",
]


def race_create(
    *,
    by: Person,
    name: str,
    ruleset: str = "roadkill",
    seats: int = 4,
    options: Mapping[str, Any] | None = None,
    tempo: str = "relaxed",
    turn_hours: float | None = None,
    reaction_hours: float | None = None,
    policy: str = "paced",
    bots_allowed: bool = True,
    is_public: bool = False,
    starts_when_full: bool = True,
    words: str = "",
) -> Race:
    """Make a race; ``by`` becomes its host and takes the first seat.

    ``options`` are the ruleset's (RoadKill: {"sections": 3..8, "components": "classic"}). ``tempo``: live, daily, relaxed, weekly (see
    games.tempo.tempos), or "hours" with ``turn_hours`` and ``reaction_hours`` (quarters of hours are fine). ``policy``: open, paced,
    strict. ``words``: what the host adds to the shuffles. Raises Malformed with a sentence that names the field at fault
    (its ``field`` attribute).
    """
    raise NotImplementedError


def race_update(*, race_id: int, by: Person, **changes: Any) -> Race:
    """Change any argument of race_create but the ruleset, while the race is open; host only."""
    raise NotImplementedError


def race_invite(*, race_id: int, by: Person, email: str) -> Seat:
    """Keep a free seat for whoever bears the invitation that is mailed to this address; host only. Inviting twice is one invitation.

    Writes an OutboxEvent "invited"; the link in the mail is games.services.invitations.invitation_address(seat). The person needs no
    account yet.
    """
    raise NotImplementedError


def race_join(*, race_id: int, by: Person, invitation: str = "", words: str = "") -> Seat:
    """Take a seat: the one of the invitation (its token), the one kept for the account's mail address, or a free one of a public race.

    Also takes a seat that the host offers in a race under way. Joining twice is joining once. Starts the race when it is full
    and set to start so.
    """
    raise NotImplementedError


def race_leave(*, race_id: int, by: Person) -> None:
    """Give the seat back before the start. The host cannot leave, only call the race off."""
    raise NotImplementedError


def race_start(*, race_id: int, by: Person) -> Race:
    """Draw the car numbers, set the race up and ask the first question; host only, two seats taken or more. Open invitations lapse."""
    raise NotImplementedError


def race_cancel(*, race_id: int, by: Person) -> None:
    """Call the race off before its start; host only."""
    raise NotImplementedError
