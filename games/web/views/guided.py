"""A guided first race: begun in one press, and told to say no more."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from games.engine.errors import ActionRefused
from games.services import guided
from games.web.pages import SeeOther, page, race_address, seen, signed_in


@signed_in
@require_POST
@page
def race_first(request: HttpRequest) -> HttpResponse:
    """Begin a guided first race against bots."""
    try:
        race = guided.guided_race(by=request.user)  # type: ignore[arg-type]
    except ActionRefused as refused:
        messages.error(request, refused.text)
        return SeeOther(reverse("games:race_new"))
    return SeeOther(race_address(race))


@signed_in
@require_POST
@page
def guide(request: HttpRequest, public_id: str) -> HttpResponse:
    """Say nothing more about one's questions."""
    found = seen(request, public_id)
    try:
        guided.seat_guide(race_id=found.race.pk, by=request.user, guided=False)  # type: ignore[arg-type]
    except ActionRefused as refused:
        messages.error(request, refused.text)
    else:
        messages.success(request, "Nothing more is said about your questions.")
    return SeeOther(race_address(found.race))
