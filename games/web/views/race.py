"""A race's page, before the start and after it; and giving up."""

from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.engine.errors import ActionRefused
from games.runtime.present import names_of, partner_of
from games.selectors import races, seats
from games.selectors.beforehand import beforehand_brief
from games.selectors.campaigns import campaign_id_of_race, is_drawn
from games.selectors.league_access import league_of_race
from games.selectors.log import log_page, log_text
from games.selectors.rewinds import rewind_of
from games.selectors.talk import talk_of
from games.services import races as race_services
from games.services.errors import NotYourDecision, RaceNotRunning, RaceOver
from games.web.pages import (
    Presentation,
    Seen,
    SeeOther,
    entries_of,
    is_invited,
    page,
    race_address,
    race_context,
    seated,
    seen,
    signed_in,
    status_of,
)
from games.web.views.hosting import may_take_over
from games.web.views.lobby import lobby_page

LINES: Final = 30
"""So many lines of the log stand on the page; the rest is one link away."""
TALK_LINES: Final = 20
"""So many messages stand on the page."""
LOG_LINES: Final = 100
"""So many stand on a page of the log."""


@require_safe
@page
def race(request: HttpRequest, public_id: str) -> HttpResponse:
    """The race as whoever looks may see it: the lobby page before the start, the race page from then on."""
    invitation = request.GET.get("invitation", "")
    found = seen(request, public_id, invitation=invitation)
    if found.race.status == "open" or found.race.started_at is None:
        waits_for = campaign_id_of_race(race=found.race) if is_drawn(race=found.race) else ""
        if waits_for:
            return SeeOther(reverse("games:campaign", args=[waits_for]))
        return lobby_page(request, found, invitation=invitation)
    return race_page(request, found, invitation=invitation)


def race_page(request: HttpRequest, found: Seen, *, invitation: str) -> HttpResponse:
    """The page of a race that has started."""
    if request.GET.get("log") == "all":
        # An address of former versions, which may stand in somebody's notes.
        return SeeOther(reverse("games:log", args=[found.race.public_id]))
    presentation = races.race_present(race=found.race, viewer=found.seat, log_last=LINES)
    is_host = request.user.is_authenticated and found.race.host_id == request.user.pk
    context = race_context(
        presentation,
        is_host=is_host,
        was_guided=found.race.status == "finished" and found.seat is not None and found.seat.guided,
        campaign_id=campaign_id_of_race(race=found.race),
        league=league_of_race(race=found.race, user=request.user if request.user.is_authenticated else None),
        may_resign=may_resign(found),
        may_take_over=may_take_over(found),
        is_offered=is_offered(request, found, invitation),
        is_invited=is_offered(request, found, invitation),
        invitation=invitation,
        beforehand=own_beforehand(found, presentation),
        talk=talk_of(race=found.race, last=TALK_LINES),
        may_talk=may_resign(found),
        rewind=rewind_of(race=found.race, user=request.user) if is_host or found.seat is not None else None,  # type: ignore[arg-type]
    )
    return render(request, "games/race.html", context)


@require_safe
@page
def log(request: HttpRequest, public_id: str) -> HttpResponse:
    """A page of the log, the latest first, with the way to older ones."""
    found = seen(request, public_id)
    word = request.GET.get("before", "")
    is_latest = not (word.isascii() and word.isdigit() and len(word) < 8)
    before = found.race.seq + 1 if is_latest else int(word)
    part = log_page(race=found.race, viewer=found.seat, most=LOG_LINES, before=before)
    context = {
        "here": "races",
        "now": timezone.now(),
        "race": {"id": found.race.public_id, "name": found.race.name, "is_public": found.race.is_public},
        "ruleset": found.race.ruleset,
        "names": names_of(seats.seats_of(race=found.race)).cars,
        "entries": entries_of(part["lines"]),
        "older": part["lines"][0]["entry"] if part["earlier"] else None,
        "is_latest": not part["later"],
    }
    return render(request, "games/race_log.html", context)


@require_safe
@page
def log_export(request: HttpRequest, public_id: str) -> HttpResponse:
    """The whole log as plain text."""
    found = seen(request, public_id)
    return HttpResponse(
        log_text(race=found.race, viewer=found.seat),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{found.race.public_id}.txt"'},
    )


def is_offered(request: HttpRequest, found: Seen, invitation: str) -> bool:
    """Whether a seat of this race under way is offered to whoever looks, by the link of a mail or by mail address."""
    return found.seat is None and found.race.status == "running" and is_invited(request, found.race, invitation)


def own_beforehand(found: Seen, presentation: Presentation) -> dict[str, Any] | None:
    """How much the driver who looks has answered beforehand; None for everybody else."""
    if found.seat is None or presentation["view"] is None:
        return None
    told = beforehand_brief(race=found.race, seat=found.seat, turn=presentation["view"].get("turn", 0))
    plan = told["plan"]
    left = plan["lines"][plan["done"] :] if plan is not None else []
    return {**told, "next_line": left[0] if left else ""}


def may_resign(found: Seen) -> bool:
    """Whether whoever looks drives a car that is still in the race."""
    return found.seat is not None and found.seat.state == "joined" and found.race.status == "running"


def _nothing_to_give_up(found: Seen) -> ActionRefused:
    """Why whoever looks has no car to take out of the race."""
    if found.race.status == "finished":
        return RaceOver("The race is over: there is nothing left to give up.")
    if found.race.status != "running":
        return RaceNotRunning("The race is not under way. Before its start a seat is given back on the race's page.")
    return NotYourDecision("Your car is out of the race already.")


@signed_in
@page
def resign(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask whether to give up; only the button does it."""
    found = seated(request, public_id)
    partner = partner_of(seats.seats_of(race=found.race), found.seat)
    refused = None if request.method == "POST" or may_resign(found) else _nothing_to_give_up(found)
    if request.method == "POST":
        try:
            race_services.seat_resign(race_id=found.race.pk, by=request.user)  # type: ignore[arg-type]
        except ActionRefused as error:
            refused = error
        else:
            left = f"{partner} drives the car on." if partner else "Your car leaves the race as the rules say."
            messages.success(request, f"You have given up. {left}")
            return SeeOther(race_address(found.race))
    words = [f"games/boards/{found.race.ruleset}/resign.html", "games/boards/resign.html"]
    context = {"race": found.race, "refused": refused, "here": "races", "partner": partner, "car": found.seat.car}
    context["words"] = words
    return render(request, "games/resign.html", context, status=200 if refused is None else status_of(refused))
