"""What all may know of a race's clocks: how far the open question was put off, and who asks for more time."""

from typing import Any

from games.models import Decision, ExtensionAsk, Race, Seat
from games.models.people import Person


def clock_of(*, race: Race, user: Person | None) -> dict[str, Any]:
    """The clocks of a race.

    {"paused_at": aware or None, "is_asked": whether anybody is waited for, "extended_minutes", "left_minutes": what may
    still be granted, "asks": [{"id", "car", "part", "name", "minutes", "missing": names of who has not agreed,
    "may_agree": whether this person may}]}
    """
    row = Decision.objects.filter(race=race).first()
    extended = 0 if row is None else sum(minutes for _, minutes in row.extensions)
    seats = Seat.objects.filter(race=race, state="joined", player__isnull=False, number__isnull=False)
    drivers = list(seats.select_related("player").order_by("number"))
    asks = ExtensionAsk.objects.filter(race=race, seq=race.seq, granted_at=None).select_related("seat", "seat__player")
    return {
        "paused_at": race.paused_at,
        "is_asked": row is not None and race.status == "running",
        "extended_minutes": extended,
        "left_minutes": max(0, race.extension_cap_minutes - extended),
        "asks": [
            {
                "id": ask.pk,
                "car": ask.seat.car,
                "part": ask.seat.part,
                "name": ask.seat.shown_name,
                "minutes": ask.minutes,
                "missing": [seat.shown_name for seat in drivers if seat.pk not in ask.agreed],
                "may_agree": user is not None
                and any(seat.player_id == user.pk and seat.pk not in ask.agreed for seat in drivers),
            }
            for ask in asks.order_by("pk")
        ],
    }
