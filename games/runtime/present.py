"""A race as one viewer may see it, as plain JSON: everything that pages, mails and the API show."""

from typing import Any

from games.models import Race, Seat


def present(race: Race, viewer: Seat | None, *, log_last: int | None = 60) -> dict[str, Any]:
    """The presentation of a race for one of its seats, or for a spectator (None).

    Outside games, ask games.selectors.races.race_present. The shape:

    {"race": {"id", "name", "ruleset", "title", "status": open|running|finished|abandoned, "position", "policy", "policy_text",
    "turn_hours", "reaction_hours", "components", "sections", "options", "seats_wanted", "starts_when_full", "bots_allowed", "is_public",
    "commitment", "secret" (hexadecimal, once it is over), "host" (name), "fault": "" or a sentence for anybody,
    "created_at", "started_at", "finished_at"},
    "seats": [{"seat": number or None before the start, "place": order of joining, "id": row id (for the host's buttons), "name",
    "kind": player|bot|invited, "you", "is_host", "state", "words" (once the race runs), "slow": bool (a bot that takes its time), "gone": bool
    (the host may remove or replace it)}],
    "you": number or None, "your_place": order of joining or None, "view": the ruleset's view or None before the start, "names": {"1": name},
    "question": None or {"decision", "key", "kind", "clock", "rule", "text", "position", "due_at", "otherwise", "answers", "forms", "sealed",
    "follow"}, "waiting", "log", "log_left_out": how many earlier lines there are, "result"}
    """
    raise NotImplementedError
