"""What a driver has answered beforehand, for that driver alone: standing orders, the plan, and what came of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Q
from django.utils import timezone

from games.engine.contract import JSON
from games.engine.errors import Malformed
from games.engine.standing import MOST_ORDERS, THIS_TURN
from games.models import Entry, Plan, Race, Seat, Snapshot
from games.models import StandingOrder as StandingRow
from games.runtime import beforehand
from games.runtime.position import faults_told, position_of
from games.runtime.replay import BEFOREHAND
from games.runtime.words import optional_stamp, stamp


def beforehand_of(*, race: Race, seat: Seat) -> dict[str, Any]:
    """All that this seat's driver has answered beforehand in a race under way or over. Raises RaceFaulty.

    {"orders": [{"id", "words", "until_at", "this_turn", "has_run_out"}] (the first that fits a moment counts),
    "occasions": [{"key", "words", "answers", "having", "by_car"}], "conditions": [words], "plan": None or {"id",
    "lines", "done": lines given already, "state", "why", "created_at", "ended_at"} (the last one), "fired": [{"entry",
    "at", "origin": order, standing or plan, "words"}] (the newest first)}
    """
    view = view_of(race=race, seat=seat)
    turn = view.get("turn", 0)
    now = timezone.now()
    plan = _last_plan(seat)
    return {
        "orders": [_order(race, view, row, turn, now) for row in StandingRow.objects.filter(seat=seat)],
        "occasions": beforehand.occasions_part(race, view),
        "conditions": beforehand.conditions_part(race),
        "plan": None if plan is None else _plan(race, plan),
        "fired": fired(race=race, seat=seat, view=view),
    }


def beforehand_brief(*, race: Race, seat: Seat, turn: int) -> dict[str, Any]:
    """How much this seat's driver has answered beforehand, for a page that is about other things. Two statements.

    ``turn``: the one in progress. {"orders": how many count still, "plan": the last plan as in beforehand_of, if it
    waits or has stopped in this turn, else None}
    """
    counting = StandingRow.objects.filter(
        Q(until_at=None) | Q(until_at__gt=timezone.now()), Q(turn=None) | Q(turn=turn), seat=seat
    )
    plan = _last_plan(seat)
    is_shown = plan is not None and (plan.state == "waiting" or (plan.state == "stopped" and plan.turn == turn))
    return {"orders": counting.count(), "plan": _plan(race, plan) if plan is not None and is_shown else None}


def plan_of(*, race: Race, seat: Seat) -> dict[str, Any]:
    """This driver's last plan and what a plan may branch on: the members of beforehand_of of these names."""
    plan = _last_plan(seat)
    return {
        "plan": None if plan is None else _plan(race, plan),
        "conditions": beforehand.conditions_part(race),
    }


def occasions_of(*, race: Race, seat: Seat) -> list[dict[str, JSON]]:
    """What this driver may order beforehand: the member of beforehand_of of this name. Raises RaceFaulty."""
    return beforehand.occasions_part(race, view_of(race=race, seat=seat))


def view_of(*, race: Race, seat: Seat) -> JSON:
    """The race as this seat sees it; raises RaceFaulty."""
    position = position_of(race, Snapshot.objects.filter(race_id=race.pk).first())
    with faults_told(race):
        return position.ruleset.view(position.state, seat.number)


def fired(*, race: Race, seat: Seat, view: JSON) -> list[dict[str, Any]]:
    """Every act that this driver gave beforehand, the newest first: {"entry", "at", "origin", "words"}.

    Acts from before the driver took the seat over were another's, and stay between that driver and the server.
    """
    words = beforehand.ViewWords(position_of(race, Snapshot.objects.filter(race_id=race.pk).first()).ruleset, view)
    entries = Entry.objects.filter(race=race).order_by("-seq").only("seq", "acts", "created_at")
    if seat.joined_at is not None:
        entries = entries.filter(created_at__gte=seat.joined_at)
    with faults_told(race):
        return [
            {
                "entry": entry.seq,
                "at": stamp(entry.created_at),
                "origin": act["origin"],
                "words": words.say(act["action"]),
            }
            for entry in entries
            for act in entry.acts
            if act["seat"] == seat.number and act["origin"] in BEFOREHAND
        ]


def standing_tried(*, race: Race, seat: Seat, texts: Sequence[str]) -> dict[str, Any]:
    """What these orders, in front of those kept, would have done in the last windows; keeps nothing.

    {"words": [canonical], "windows": [{"entry", "at", "text", "did", "would": words or None}]}. Raises Malformed,
    Ambiguous, RaceFaulty.
    """
    if len(texts) > MOST_ORDERS:
        raise Malformed(f"A driver keeps at most {MOST_ORDERS} standing orders.")
    view = view_of(race=race, seat=seat)
    seats = Seat.objects.filter(race=race, number__isnull=False).count()
    orders = [beforehand.standing_read(race, view, text, seats=seats) for text in texts]
    kept = [beforehand.order_of(row) for row in StandingRow.objects.filter(seat=seat)]
    return {
        "words": [beforehand.standing_words(race, view, order) for order in orders],
        "windows": beforehand.dry_run(race, seat, [*reversed(orders), *kept]),
    }


def _last_plan(seat: Seat) -> Plan | None:
    return Plan.objects.filter(seat=seat).order_by("-pk").first()


def _order(race: Race, view: JSON, row: StandingRow, turn: int, now: datetime) -> dict[str, Any]:
    order = beforehand.order_of(row)
    if row.turn is not None:
        order = msgspec.structs.replace(order, until=THIS_TURN)
    return {
        "id": row.pk,
        "words": beforehand.standing_words(race, view, order),
        "until_at": optional_stamp(row.until_at),
        "this_turn": row.turn is not None,
        "has_run_out": (row.turn is not None and row.turn != turn)
        or (row.until_at is not None and row.until_at <= now),
    }


def _plan(race: Race, plan: Plan) -> dict[str, Any]:
    return {
        "id": plan.pk,
        "lines": beforehand.plan_lines(race, plan),
        "done": plan.at,
        "state": plan.state,
        "why": plan.why,
        "created_at": stamp(plan.created_at),
        "ended_at": optional_stamp(plan.ended_at),
    }
