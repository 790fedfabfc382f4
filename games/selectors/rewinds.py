"""Whether a race may go back, and who has agreed to it: all of it is for everybody to know."""

from collections.abc import Sequence
from typing import Any

from games.models import Race, RewindAsk, Seat
from games.models.people import Person
from games.runtime.words import capital, stamp


def rewind_of(*, race: Race, user: Person | None) -> dict[str, Any] | None:
    """The host's request that waits in a race under way, or None.

    {"id", "to": entry, "drops": how many entries it would go back over by now, "reason", "asked_at", "agreed": names,
    "missing": names of who has not agreed, "why_not": a sentence if it cannot be done as things are, "may_agree" and
    "may_think_again": whether this person may, "is_host": whether this person may take it back}. Bots agree to
    everything and are not named. Whether answers lie sealed meanwhile is nobody's to know, so nothing here tells it.
    """
    ask = None if race.status != "running" else RewindAsk.objects.filter(race=race, done_at=None, void="").first()
    if ask is None:
        return None
    seats = list(Seat.objects.filter(race=race, number__isnull=False).select_related("player").order_by("number"))
    drivers = [seat for seat in seats if seat.state == "joined" and seat.player_id is not None]
    own = next((seat for seat in drivers if user is not None and seat.player_id == user.pk), None)
    return {
        "id": ask.pk,
        "to": ask.to_seq,
        "drops": race.seq - ask.to_seq,
        "reason": ask.reason,
        "asked_at": stamp(ask.asked_at),
        "agreed": [seat.shown_name for seat in drivers if seat.pk in ask.agreed],
        "missing": [seat.shown_name for seat in drivers if seat.pk not in ask.agreed],
        "why_not": why_not_back(seats, ask.to_seq),
        "may_agree": own is not None and own.pk not in ask.agreed,
        "may_think_again": own is not None and own.pk in ask.agreed,
        "is_host": user is not None and race.host_id == user.pk,
    }


def why_not_back(seats: Sequence[Seat], to_seq: int) -> str:
    """Why a race under way with these seats cannot go back to that entry, a sentence; "" if it can."""
    if sum(seat.state == "joined" for seat in seats) < 2:
        return "Nobody else drives in this race any more who could agree."
    changed = [seat for seat in seats if seat.driver_seq > to_seq]
    if not changed:
        return ""
    last = max(changed, key=lambda seat: seat.driver_seq)
    what = "was given up" if last.state in {"resigned", "removed"} else "got another driver"
    return (
        f"{capital(last.actor_words)} {what} at entry {last.driver_seq}, and the race cannot go back behind that: "
        f"name entry {last.driver_seq} or a later one."
    )
