"""Handing a race over to another host, and taking over from one who is away."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from games.engine.errors import ActionRefused
from games.selectors.hosting import heir_of, is_host_away
from games.selectors.seats import seats_of
from games.services.errors import Malformed, RaceUnknown
from games.services.hosting import race_host_pass, race_host_take
from games.web.pages import Seen, SeeOther, page, race_address, seen, signed_in, status_of


def may_take_over(found: Seen) -> bool:
    """Whether whoever looks may take this race over from a host who is away."""
    if found.seat is None or found.race.status not in {"open", "running"}:
        return False
    if found.seat.player_id == found.race.host_id or not is_host_away(race=found.race, now=timezone.now()):
        return False
    heir = heir_of(race=found.race)
    return heir is not None and heir.pk == found.seat.pk


@signed_in
@page
def host(request: HttpRequest, public_id: str) -> HttpResponse:
    """The host: choose who hosts from now on. The driver who joined first, if the host is away: take over."""
    found = seen(request, public_id)
    is_host = found.race.host_id == request.user.pk
    if found.seat is None and not is_host:
        raise RaceUnknown("There is no such page for who does not drive in this race.")
    refused: ActionRefused | None = None
    if request.method == "POST":
        try:
            said = _act(request, found)
        except ActionRefused as error:
            refused = error
        else:
            messages.success(request, said)
            return SeeOther(race_address(found.race))
    context = {
        "here": "races",
        "race": found.race,
        "is_host": is_host,
        "is_going": found.race.status in {"open", "running"},
        "may_take": may_take_over(found),
        "days": settings.HOST_AWAY_DAYS,
        "drivers": [
            seat
            for seat in seats_of(race=found.race)
            if seat.state == "joined" and seat.player_id not in {None, found.race.host_id}
        ],
        "refused": refused,
    }
    return render(request, "games/host.html", context, status=200 if refused is None else status_of(refused))


def _act(request: HttpRequest, found: Seen) -> str:
    """Hand over if a seat is named, else take over; what to say of it."""
    seat = request.POST.get("seat", "")
    if not seat:
        if request.POST.get("do") != "take":
            raise Malformed("Choose who hosts the race from now on.")
        race_host_take(race_id=found.race.pk, by=request.user)  # type: ignore[arg-type]
        return "You host this race now."
    if not seat.isascii() or not seat.isdigit() or len(seat) > 9:
        raise Malformed("Choose one of the drivers.")
    race = race_host_pass(race_id=found.race.pk, by=request.user, seat_id=int(seat))  # type: ignore[arg-type]
    return f"{race.host.display_name} hosts this race now, and is told so by mail."
