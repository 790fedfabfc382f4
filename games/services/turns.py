"""The one door for every act."""

from collections.abc import Mapping
from typing import Any


def action_submit(
    *,
    race_id: int,
    seat_id: int,
    expected_seq: int,
    idempotency_key: str,
    action: dict[str, Any] | None = None,
    words: str | None = None,
    origin: str = "player",
    follow_ups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Give one seat's answer: page, API, mail, link, bot and deadline all come through here.

    ``race_id`` and ``seat_id`` are row ids (Race.pk, Seat.pk); the caller has made sure that the acting person holds the seat
    (selectors.seats.seat_of). Exactly one of ``action`` (JSON, {"do": …}) and ``words`` ("pass 2 with Move 2"). ``expected_seq`` is
    question["position"] of the presentation on which the answer was composed. ``idempotency_key``: 1 to 100 characters, made anew for
    every form that is shown; the same key again gives the first answer again. ``origin``: player, link, mail, api, bot, order, deadline,
    rule or resigned. ``follow_ups``: trigger -> value, both from question["follow"].

    Returns the receipt: {"status": "applied" | "sealed" | "noted", "words": str, "position": int (the race's, afterwards),
    "entry": int | None (the record's entry in which the answer stands), "closes_by": "…Z" | None (latest, while it is sealed)}.
    "noted" is a wish that needs no question.

    Raises StaleAnswer (with the present question), NotYourDecision, RuleViolation, Malformed, Ambiguous, RaceOver, RaceNotRunning,
    NotYourSeat, KeyMissing, RaceFaulty. After a refusal nothing has changed.
    """
    raise NotImplementedError
