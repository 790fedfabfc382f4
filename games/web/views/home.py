"""The first page: the inbox of a signed-in player, the welcome of anybody else; and the theme."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from games.selectors import campaigns, decisions, races
from games.web import showcase
from games.web.boards import roadkill
from games.web.lines import lines_of, with_course
from games.web.pages import SeeOther, page
from games.web.themes import theme_keep


@require_safe
@page
def inbox(request: HttpRequest) -> HttpResponse:
    """What is asked of the signed-in player, by deadline, and the player's other races."""
    if not request.user.is_authenticated:
        return welcome(request)
    owed = decisions.decisions_of(user=request.user)
    mine = races.race_list_mine(user=request.user)
    asked = [question for question in owed if not question["is_sealed"]]
    running = [line for line in lines_of(mine, "running") if not line["asked"]]
    gathering = lines_of(mine, "open")
    purchases = campaigns.purchases_of(user=request.user)
    count = len(asked) + len(purchases)
    context = {
        "here": "inbox",
        "now": timezone.now(),
        "asked": asked,
        "sealed": [question for question in owed if question["is_sealed"]],
        "running": with_course(running, user=request.user),
        "invited": [line for line in gathering if line["your_state"] == "invited"],
        "open": [line for line in gathering if line["your_state"] != "invited"],
        "finished": lines_of(mine, "finished")[:5],
        "purchases": purchases,
        "is_new": not mine and not owed and not purchases,
        "count": count,
        "heading": heading(count),
    }
    return render(request, "games/inbox.html", context)


COUNTED = ("Nothing", "One answer", "Two answers", "Three answers", "Four answers", "Five answers", "Six answers")


def heading(count: int) -> str:
    """How much is wanted, in words as far as they go."""
    counted = COUNTED[count] if count < len(COUNTED) else f"{count} answers"
    return f"{counted} wanted"


def welcome(request: HttpRequest) -> HttpResponse:
    """What this is, with a picture, and how to join."""
    view, names = showcase.VIEW, showcase.NAMES
    context: dict[str, Any] = {
        "here": "",
        "course": roadkill.course(
            view, showcase.words(), names, title="A race in its sixth turn, front of the race on top"
        ),
        "open": lines_of(races.race_list_open(), "open")[:4],
        "now": timezone.now(),
    }
    return render(request, "games/welcome.html", context)


# The choice of colours changes no row and shows nothing; a token here would make every page differ from itself.
@csrf_exempt
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen colours in this browser and go back to the page."""
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        back = reverse("games:inbox")
    response = SeeOther(back)
    theme_keep(response, request.POST.get("theme", ""), secure=request.is_secure())
    return response
