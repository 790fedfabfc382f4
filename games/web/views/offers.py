"""Seats that need a driver: all of them, and those of one race."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from games.engine.errors import ActionRefused
from games.selectors.offers import claims_of, may_take_back, seats_offered
from games.selectors.races import race_present
from games.services.substitutes import seat_claim, seat_claim_accept, seat_take_back
from games.web.pages import Seen, SeeOther, page, race_address, seen, signed_in, status_of


@require_safe
@signed_in
@page
def offers(request: HttpRequest) -> HttpResponse:
    """Seats of public races whose drivers were away."""
    return render(request, "games/offers.html", {"here": "races", "offers": seats_offered(user=_person(request))})


@require_safe
@signed_in
@page
def seats(request: HttpRequest, public_id: str) -> HttpResponse:
    """The seats of one race, who would drive on, and what may be done about it."""
    return _page(request, seen(request, public_id))


@signed_in
@require_POST
@page
def claim(request: HttpRequest, public_id: str, seat_id: int) -> HttpResponse:
    """Take a seat over, or ask for it."""
    found = seen(request, public_id)
    is_first_come = found.race.substitutes == "first" or found.race.host_id == request.user.pk
    said = "You drive on from here." if is_first_come else "The host is told that you would drive on."
    return _done(request, found, lambda: seat_claim(race_id=found.race.pk, by=_person(request), seat_id=seat_id), said)


@signed_in
@require_POST
@page
def accept(request: HttpRequest, public_id: str, claim_id: int) -> HttpResponse:
    """Choose who drives on."""
    found = seen(request, public_id)
    return _done(
        request,
        found,
        lambda: seat_claim_accept(race_id=found.race.pk, by=_person(request), claim_id=claim_id),
        "The seat has a driver again.",
    )


@signed_in
@require_POST
@page
def take_back(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take one's seat back."""
    found = seen(request, public_id)
    return _done(
        request, found, lambda: seat_take_back(race_id=found.race.pk, by=_person(request)), "Your seat is yours again."
    )


def _done(request: HttpRequest, found: Seen, act: Callable[[], object], said: str) -> HttpResponse:
    try:
        act()
    except ActionRefused as refused:
        messages.error(request, refused.text)
        return _page(request, found, status=status_of(refused))
    messages.success(request, said)
    return SeeOther(race_address(found.race))


def _page(request: HttpRequest, found: Seen, *, status: int = 200) -> HttpResponse:
    presentation = race_present(race=found.race, viewer=found.seat, log_last=0)
    is_host = found.race.host_id == request.user.pk
    context = {
        "here": "races",
        "race": found.race,
        "seats": presentation["seats"],
        "is_host": is_host,
        "is_driver": found.seat is not None and found.seat.state != "left",
        "is_first_come": found.race.substitutes == "first" or is_host,
        "claims": claims_of(race=found.race) if is_host else [],
        "may_take_back": may_take_back(race=found.race, user=_person(request)),
        "back": reverse("games:race", args=[found.race.public_id]),
    }
    return render(request, "games/race_seats.html", context, status=status)


def _person(request: HttpRequest) -> Any:
    """The signed-in player."""
    return request.user
