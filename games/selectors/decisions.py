"""What is asked of a person, over all races."""

from collections.abc import Mapping
from typing import Any

from games.models import Decision
from games.models.people import Person
from games.runtime.errors import RaceFaulty
from games.runtime.position import faults_told, position_of
from games.runtime.present import FAULT_TEXT, names_of, question_for, seats_read, view_for
from games.runtime.rulesets import seat_words
from games.runtime.words import stamp
from games.selectors.campaigns import purchase_ids_of


def decisions_of(*, user: Person) -> list[dict[str, Any]]:
    """Open questions to this person, soonest deadline first.

    Each: {"race": {"id", "name", "ruleset", "title"}, "seat": number, "car": in words, "decision", "key", "kind",
    "clock", "rule", "text", "position", "due_at", "is_sealed": answered, but the window is still open, "fault": ""}. A
    race that is faulty has a sentence in "fault" and no "text".
    """
    rows = (
        Decision.objects.filter(seat__player_id=user.pk, seat__state="joined", race__status="running")
        .select_related("seat", "seat__player", "race", "race__snapshot", "race__host")
        .order_by("due_at", "pk")
    )
    return [_asked(row) for row in rows]


def decision_count_of(*, user: Person) -> int:
    """How many questions and purchases wait for this person's answer, sealed ones not.

    One statement, for the head of each page.
    """
    asked = Decision.objects.filter(seat__player_id=user.pk, seat__state="joined", race__status="running")
    asked = asked.filter(sealed_at=None).order_by()
    return asked.values_list("pk", flat=True).union(purchase_ids_of(user=user), all=True).count()


def decision_get(*, decision_id: int) -> Decision | None:
    """An open decision with its seat, player and race, or None once it is answered (a sealed one is still open)."""
    return Decision.objects.select_related("seat", "seat__player", "race", "race__host").filter(pk=decision_id).first()


def _asked(row: Decision) -> dict[str, Any]:
    race, seat = row.race, row.seat
    title, text, fault = race.ruleset, "", ""
    try:
        position = position_of(race, getattr(race, "snapshot", None))
        with faults_told(race):
            title = position.ruleset.title
            view = view_for(race, position, seat)
            asked = question_for(position, seat, row, view=view, names=names_of(seats_read(race)).cars)
            text = "" if asked is None else asked["text"]
    except RaceFaulty:
        fault = FAULT_TEXT
    return {
        "race": {"id": race.public_id, "name": race.name, "ruleset": race.ruleset, "title": title},
        "seat": seat.number,
        "car": seat_words(race.ruleset, seat.car, seat.part),
        "decision": row.pk,
        "key": row.key,
        "kind": row.kind,
        "clock": row.clock,
        "rule": row.rule,
        "text": text,
        "position": row.position,
        "due_at": stamp(row.due_at),
        "is_sealed": row.sealed_at is not None,
        "fault": fault,
    }


def only_text(presented: Mapping[str, Any]) -> str:
    """Why a presentation's question has one answer only, for its owner alone; "" if there is a choice."""
    question = presented["question"]
    if question is None or len(question["answers"]) != 1 or question["forms"]:
        return ""
    if question["kind"] == "turn" or presented["race"]["policy"] == "open":
        return "Nothing else is possible just now."
    return (
        "Nothing else is possible: you hold no card that fits here. You are asked all the same, as everybody in your "
        "place is, so that nobody can tell from it what you hold."
    )
