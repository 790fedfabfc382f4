"""What a driver has answered beforehand, for that driver alone: standing orders, the plan, and what came of them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from games.engine.contract import JSON
from games.engine.standing import THIS_TURN
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
    plan = Plan.objects.filter(seat=seat).order_by("-pk").first()
    return {
        "orders": [_order(race, view, row, turn) for row in StandingRow.objects.filter(seat=seat)],
        "occasions": beforehand.occasions_part(race, view),
        "conditions": beforehand.conditions_part(race),
        "plan": None if plan is None else _plan(race, plan),
        "fired": fired(race=race, seat=seat, view=view),
    }


def view_of(*, race: Race, seat: Seat) -> JSON:
    """The race as this seat sees it; raises RaceFaulty."""
    position = position_of(race, Snapshot.objects.filter(race_id=race.pk).first())
    with faults_told(race):
        return position.ruleset.view(position.state, seat.number)


def fired(*, race: Race, seat: Seat, view: JSON) -> list[dict[str, Any]]:
    """Every act of this seat that was given beforehand, the newest first: {"entry", "at", "origin", "words"}."""
    words = beforehand.ViewWords(position_of(race, Snapshot.objects.filter(race_id=race.pk).first()).ruleset, view)
    entries = Entry.objects.filter(race=race).order_by("-seq").only("seq", "acts", "created_at")
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
    view = view_of(race=race, seat=seat)
    seats = Seat.objects.filter(race=race, number__isnull=False).count()
    orders = [beforehand.standing_read(race, view, text, seats=seats) for text in texts]
    kept = [beforehand.order_of(row) for row in StandingRow.objects.filter(seat=seat)]
    return {
        "words": [beforehand.standing_words(race, view, order) for order in orders],
        "windows": beforehand.dry_run(race, seat, [*reversed(orders), *kept]),
    }


def _order(race: Race, view: JSON, row: StandingRow, turn: int) -> dict[str, Any]:
    order = beforehand.order_of(row)
    if row.turn is not None:
        order = msgspec.structs.replace(order, until=THIS_TURN)
    return {
        "id": row.pk,
        "words": beforehand.standing_words(race, view, order),
        "until_at": optional_stamp(row.until_at),
        "this_turn": row.turn is not None,
        "has_run_out": (row.turn is not None and row.turn != turn),
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
