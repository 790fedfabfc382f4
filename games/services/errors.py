"""Why a service refuses: every class has a stable ``code``, a sentence ``text`` and perhaps a ``rule``."""

from typing import Any

from games.engine.errors import (
    ActionRefused,
    Ambiguous,
    Malformed,
    NotYourDecision,
    RaceOver,
    RuleViolation,
)
from games.runtime.errors import RaceFaulty
from games.selectors.errors import CampaignUnknown, LeagueUnknown, RaceNotOver, RaceUnknown

__all__ = [
    "ActionRefused",
    "Ambiguous",
    "CampaignUnknown",
    "FieldRefused",
    "HostNotAway",
    "InvitationRefused",
    "KeyMissing",
    "LeagueUnknown",
    "Malformed",
    "NoWayBack",
    "NotHost",
    "NotYourDecision",
    "NotYourSeat",
    "RaceFaulty",
    "RaceFull",
    "RaceNotOpen",
    "RaceNotOver",
    "RaceNotRunning",
    "RaceOver",
    "RaceUnknown",
    "RuleViolation",
    "SeasonRefused",
    "SeatNotGone",
    "StaleAnswer",
]


class FieldRefused(Malformed):
    """One field of a form cannot be so (400); ``field`` names it."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


class StaleAnswer(ActionRefused):
    """The answer was composed for a position that has passed; nothing is spent (409).

    ``position`` is the present one, ``question`` what is asked of the seat now (as in the presentation), or None.
    """

    code = "stale"

    def __init__(self, text: str, *, position: int, question: dict[str, Any] | None) -> None:
        super().__init__(text)
        self.position = position
        self.question = question


class NoWayBack(ActionRefused):
    """There is nothing that this driver can take back, or the race cannot go back that far (409)."""

    code = "no_way_back"


class NotYourSeat(ActionRefused):
    """This person does not hold that seat (403)."""

    code = "not_your_seat"


class NotHost(ActionRefused):
    """Only the race's host may do this (403)."""

    code = "not_host"


class HostNotAway(ActionRefused):
    """Hosting can only be taken over from a host who is away (409)."""

    code = "host_not_away"


class RaceNotOpen(ActionRefused):
    """The race has started or was called off, so what is done before a start cannot be done (409)."""

    code = "not_open"


class RaceNotRunning(ActionRefused):
    """The race has not started, or was called off (409)."""

    code = "not_running"


class RaceFull(ActionRefused):
    """No seat is free (409)."""

    code = "full"


class InvitationRefused(ActionRefused):
    """The invitation is not whole, was taken back, or somebody sits there already (403)."""

    code = "invitation"


class SeatNotGone(ActionRefused):
    """The host may only take a seat whose driver has gone (409)."""

    code = "seat_not_gone"


class SeasonRefused(ActionRefused):
    """The league's season does not allow that now (409)."""

    code = "season"


class KeyMissing(ActionRefused):
    """An act needs an idempotency key of 1 to 100 characters (400)."""

    code = "key_missing"
