"""Table talk, for everybody who may see the race."""

from collections.abc import Sequence
from typing import Any

from games.models import Race, RaceMessage
from games.runtime.rulesets import seat_words
from games.runtime.words import stamp


def talk_of(*, race: Race, last: int) -> list[dict[str, Any]]:
    """The latest messages, oldest first: {"seat", "car": in words, "name", "text", "entry", "at"}."""
    rows = RaceMessage.objects.filter(race=race).select_related("player", "seat").order_by("-pk")[:last]
    return [_message(race.ruleset, row) for row in rows][::-1]


def with_talk(*, race: Race, story: Sequence[dict[str, Any]], since: int | None, last: int) -> list[dict[str, Any]]:
    """A story (log lines, oldest first) with what was said since that entry among them, at most ``last`` lines.

    A message stands behind the lines of the entry after which it was said. ``since`` None: from the start.
    """
    rows = RaceMessage.objects.filter(race=race).select_related("player", "seat").order_by("-pk")
    if since is not None:
        rows = rows.filter(seq__gte=since)
    lines = [*story, *(_line(race.ruleset, row) for row in reversed(rows[:last]))]
    return sorted(lines, key=lambda line: int(line["entry"]))[-last:]


def _message(ruleset: str, row: RaceMessage) -> dict[str, Any]:
    return {
        "seat": row.seat.number,
        "car": seat_words(ruleset, row.seat.car, row.seat.part),
        "name": row.player.display_name,
        "text": row.text,
        "entry": row.seq,
        "at": stamp(row.said_at),
    }


def _line(ruleset: str, row: RaceMessage) -> dict[str, Any]:
    words = seat_words(ruleset, row.seat.car, row.seat.part)
    said = f"{row.player.display_name} ({words}) says: “{row.text}”"
    return {"entry": row.seq, "at": stamp(row.said_at), "turn": 0, "kind": "talk", "rule": "", "text": said}
