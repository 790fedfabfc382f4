"""The clocks of a race: stopped and let go on by the host, and more time for what is asked."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from games.engine.errors import ActionRefused
from games.runtime.agreed import clock_texts
from games.runtime.present import waiting_part
from games.selectors.clocks import clock_of
from games.selectors.seats import seats_of
from games.services.extensions import extension_agree, extension_ask, extension_grant
from games.services.pauses import race_pause, race_resume
from games.web.forms import MoreTimeForm
from games.web.pages import Seen, SeeOther, new_key, page, race_address, seen, signed_in, status_of


@signed_in
@page
def clocks(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the clocks and what may be done about them."""
    return _page(request, seen(request, public_id))


@signed_in
@require_POST
@page
def more_time(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give more time, as the host, or ask the other drivers for it."""
    found = seen(request, public_id)
    form = MoreTimeForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form=form, status=422)
    given = {"minutes": round(form.cleaned_data["hours"] * 60), "key": form.cleaned_data["key"]}
    try:
        if found.race.host_id == request.user.pk:
            extension_grant(race_id=found.race.pk, by=request.user, **given)  # type: ignore[arg-type]
            said = "There is more time now; it stands in the log."
        else:
            extension_ask(race_id=found.race.pk, by=request.user, **given)  # type: ignore[arg-type]
            said = "The other drivers see what you ask for in the log, and on this page."
    except ActionRefused as refused:
        form.refuse("hours" if getattr(refused, "field", "") == "minutes" else None, refused.text)
        return _page(request, found, form=form, status=status_of(refused))
    messages.success(request, said)
    return SeeOther(race_address(found.race))


@signed_in
@require_POST
@page
def agree(request: HttpRequest, public_id: str, ask_id: int) -> HttpResponse:
    """Agree to a driver's request."""
    found = seen(request, public_id)
    return _done(
        request,
        found,
        lambda: extension_agree(race_id=found.race.pk, by=request.user, ask_id=ask_id),  # type: ignore[arg-type]
        "You have agreed.",
    )


@signed_in
@require_POST
@page
def pause(request: HttpRequest, public_id: str) -> HttpResponse:
    """Stop all clocks."""
    found = seen(request, public_id)
    act = lambda: race_pause(race_id=found.race.pk, by=request.user)  # type: ignore[arg-type]  # noqa: E731
    return _done(request, found, act, "All clocks are stopped.")


@signed_in
@require_POST
@page
def resume(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let the clocks go on."""
    found = seen(request, public_id)
    act = lambda: race_resume(race_id=found.race.pk, by=request.user)  # type: ignore[arg-type]  # noqa: E731
    return _done(request, found, act, "The clocks go on.")


def _done(request: HttpRequest, found: Seen, act: Callable[[], object], said: str) -> HttpResponse:
    try:
        act()
    except ActionRefused as refused:
        messages.error(request, refused.text)
        return _page(request, found, status=status_of(refused))
    messages.success(request, said)
    return SeeOther(race_address(found.race))


def _page(request: HttpRequest, found: Seen, *, form: MoreTimeForm | None = None, status: int = 200) -> HttpResponse:
    race = found.race
    is_host = race.host_id == request.user.pk
    context = {
        "here": "races",
        "race": race,
        "is_host": is_host,
        "is_driver": found.seat is not None and found.seat.state == "joined",
        "is_running": race.status == "running",
        "clock": clock_of(race=race, user=request.user),  # type: ignore[arg-type]
        "texts": clock_texts(race),
        "waiting": waiting_part(race.ruleset, seats_of(race=race)),
        "form": form or MoreTimeForm(initial={"key": new_key()}),
    }
    return render(request, "games/clocks.html", context, status=status)
