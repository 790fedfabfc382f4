"""Keeping and cancelling plans."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from games.engine import codec
from games.engine.errors import Malformed
from games.models import Entry, Plan, Receipt, Seat
from games.runtime.beforehand import plan_read
from games.services.desk import Desk
from games.services.errors import KeyMissing
from games.services.incoming import unseen_letter, words_incoming
from games.services.standing import seat_at_work


@transaction.atomic
def plan_save(*, race_id: int, seat_id: int, lines: Sequence[str], idempotency_key: str) -> dict[str, Any]:
    """Queue the rest of a driver's turn, or the next one, in place of what was queued; it begins at once if it can.

    ``idempotency_key`` as for games.services.turns.action_submit: the same key again gives the first answer again.
    Returns {"plan": row id, "state": waiting, done or stopped, "done": orders given already, "why": a sentence or "",
    "position": the race's}. Raises Malformed, KeyMissing and what seat_at_work raises.
    """
    if not 1 <= len(idempotency_key) <= 100 or unseen_letter(idempotency_key):
        raise KeyMissing("A plan needs a key of 1 to 100 characters that can be seen, made anew for each form.")
    race, seats, seat = seat_at_work(race_id, seat_id)
    first = Receipt.objects.filter(seat=seat, idempotency_key=idempotency_key).first()
    if first is not None:
        answer: dict[str, Any] = first.answer
        return answer
    now = timezone.now()
    desk = Desk.of(race, now, seats)
    under_way = _under_way(desk, seat)
    steps = plan_read(
        race,
        desk.ruleset.view(desk.position.state, seat.number),
        [words_incoming(line) for line in lines],
        is_under_way=under_way is not None,
    )
    if any("\n" in step.words for step in steps):
        raise Malformed("Each order of a plan stands on a line of its own.")
    Plan.objects.filter(seat=seat, state="waiting").update(state="cancelled", ended_at=now)
    plan = Plan.objects.create(
        seat=seat,
        steps=codec.to_json(steps),
        state="waiting",
        created_at=now,
        turn=None if under_way is None else desk.turn,
        last=None if under_way is None else under_way[0],
        last_seq=None if under_way is None else under_way[1],
    )
    desk.beforehand.take_up(plan)
    desk.settle()
    desk.write()
    plan.refresh_from_db()
    told = {"plan": plan.pk, "state": plan.state, "done": plan.at, "why": plan.why, "position": race.seq}
    Receipt.objects.create(seat=seat, idempotency_key=idempotency_key, answer=told, created_at=now)
    return told


@transaction.atomic
def plan_cancel(*, race_id: int, seat_id: int) -> bool:
    """Cancel the plan that waits; returns whether there was one. Raises what seat_at_work raises."""
    _, _, seat = seat_at_work(race_id, seat_id)
    changed = Plan.objects.filter(seat=seat, state="waiting").update(state="cancelled", ended_at=timezone.now())
    return changed > 0


def _under_way(desk: Desk, seat: Seat) -> tuple[Any, int] | None:
    """The seat's own act that is being answered now, as JSON, and the entry it stands in; None if there is none."""
    number = seat.number
    if not desk.is_window or desk.position.ruleset.view(desk.position.state, None).get("active") != number:
        return None
    entries = Entry.objects.filter(Q(turn=desk.turn) | Q(back__isnull=False), race_id=desk.race.pk).order_by("-seq")
    until = desk.position.seq
    for entry in entries.only("race_id", "seq", "acts", "back"):
        if entry.seq > until:
            # The race went back behind it.
            continue
        if entry.back is not None:
            until = entry.back
            continue
        for act in entry.acts:
            if act["seat"] == number and act["origin"] != "deadline":
                return act["action"], entry.seq
    return None
