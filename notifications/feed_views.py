"""A player's deadlines for calendar programs, at a secret address."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.utils import timezone
from django.views.decorators.http import require_safe

from notifications.services.calendars import calendar_player, calendar_print


@require_safe
def calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The calendar of whoever was given this address; nobody is signed in by it."""
    del request
    player = calendar_player(token)
    response: HttpResponse
    if player is None:
        response = HttpResponseNotFound("There is no such calendar, or its address was closed.", "text/plain")
    else:
        response = HttpResponse(
            calendar_print(player=player, now=timezone.now()), content_type="text/calendar; charset=utf-8"
        )
        response.headers["Content-Disposition"] = 'inline; filename="roadkill.ics"'
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
