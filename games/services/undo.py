"""Taking back one's own last act: offered while nobody has learned anything by it and nobody else has acted.

Whether it is offered depends on public facts and on the driver's own acts alone, and never while a window is open: so
it tells nothing of what others hold, wish or have sealed.
"""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games.models import Receipt, Seat
from games.runtime.errors import RaceFaulty
from games.runtime.position import faults_told
from games.runtime.undo import Undo, undo_for
from games.services.acting import AnsweredBefore, desk_for, key_check
from games.services.desk import Desk
from games.services.errors import (
    NoWayBack,
    StaleAnswer,
)
from games.services.faults import fault_mark
from games.services.turns import question_asked

DROPPED: Final = "What you had answered beforehand for this turn is dropped with it."


def act_undo(
    *, race_id: int, seat_id: int, expected_seq: int, idempotency_key: str, origin: str = "player"
) -> dict[str, Any]:
    """Take back one seat's last act; the question that it answered is asked anew. Once more takes the act before.

    ``race_id`` and ``seat_id`` are row ids; the caller has made sure that the acting person holds the seat.
    ``expected_seq``: the race's position, or the question's, as it was shown. ``idempotency_key`` as for
    games.services.turns.action_submit: the same key again gives the first answer again. ``origin``: player, mail, api.
    The turn's clock goes on as it was; orders for this turn and a plan are dropped.

    Returns {"status": "undone", "words": those of the act, "position": the race's, "entry": the one that says so,
    "closes_by": None, "note": a sentence about what else was dropped, or ""}. Raises StaleAnswer, NoWayBack,
    NotYourDecision, RaceOver, RaceNotRunning, RaceUnknown, NotYourSeat, KeyMissing, RaceFaulty. After a refusal nothing
    has changed.
    """
    key_check(idempotency_key)
    now = timezone.now()
    try:
        with transaction.atomic():
            return _undo(
                race_id=race_id, seat_id=seat_id, expected_seq=expected_seq, key=idempotency_key, origin=origin, now=now
            )
    except AnsweredBefore as before:
        return before.receipt
    except RaceFaulty as fault:
        fault_mark(race_id=race_id, error=fault, now=now, by_player=True)
        raise


def _undo(*, race_id: int, seat_id: int, expected_seq: int, key: str, origin: str, now: datetime) -> dict[str, Any]:
    desk, seat, number = desk_for(race_id=race_id, seat_id=seat_id, key=key, origin=origin, now=now)
    undo = _found(desk, seat, number, expected_seq)
    asked = desk.rows[number]
    desk.go_back(to=undo.to, by=[number], words=undo.words)
    desk.say_again(undo.asides)
    had_more = desk.beforehand.forget_turn(seat, f"You took back “{undo.words}”, so the rest waits for you.")
    entry = desk.last_entry
    desk.settle()
    desk.keep_clock(number, asked)
    desk.write()
    receipt = {
        "status": "undone",
        "words": undo.words,
        "position": desk.race.seq,
        "entry": entry,
        "closes_by": None,
        "note": DROPPED if had_more else "",
    }
    Receipt.objects.create(seat=seat, idempotency_key=key, answer=receipt, origin=origin, created_at=now)
    return receipt


def _found(desk: Desk, seat: Seat, number: int, expected_seq: int) -> Undo:
    """What may be taken back; raises StaleAnswer, NoWayBack."""
    own = desk.rows.get(number)
    if expected_seq != desk.race.seq and (own is None or expected_seq != own.position):
        raise StaleAnswer(
            "The race has moved on since; nothing was taken back. Look at what is asked now.",
            position=desk.race.seq,
            question=question_asked(desk, number),
        )
    if desk.is_window:
        raise NoWayBack("What was played is being answered now: it cannot be taken back any more.")
    if list(desk.rows) != [number]:
        raise NoWayBack("The race has gone on to somebody else: nothing can be taken back any more.")
    with faults_told(desk.race):
        view = desk.ruleset.view(desk.position.state, number)
        undo = undo_for(desk.race, desk.ruleset, seat, desk.rows, turn=desk.turn, view=view)
    if undo is None:
        raise NoWayBack(
            "There is no act of yours to take back: only one by which nothing was drawn, shown or asked, in this turn."
        )
    return undo
