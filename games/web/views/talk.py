"""Table talk from a page of its own."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from games.engine.errors import ActionRefused
from games.selectors.talk import talk_of
from games.services.talk import LONGEST, message_say
from games.web.pages import SeeOther, page, race_address, seated, signed_in, status_of

LINES = 100
"""So many messages stand on the page."""


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
@page
def say(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET: what was said, and the form. POST: say something to all drivers."""
    found = seated(request, public_id)
    assert found.seat is not None
    text, refused, status = request.POST.get("text", ""), None, 200
    if request.method == "POST":
        try:
            message_say(race_id=found.race.pk, seat_id=found.seat.pk, text=text, origin="player")
        except ActionRefused as error:
            refused, status = error, status_of(error)
        else:
            messages.success(request, "All drivers can read it, here and in their next mails.")
            return SeeOther(f"{race_address(found.race)}#talk")
    context = {
        "here": "races",
        "race": {"id": found.race.public_id, "name": found.race.name},
        "talk": talk_of(race=found.race, last=LINES),
        "text": text,
        "refused": refused,
        "most": LONGEST,
    }
    return render(request, "games/say.html", context, status=status)
