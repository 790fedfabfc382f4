"""The page on which a player says that a mail from another address is theirs."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications.reply_models import InboundState
from notifications.services.replies.answering import confirm_read
from notifications.services.replies.nudging import worker_nudge
from notifications.services.replies.taking import mail_confirm as held_confirm


# The token says which mail it is, and nobody is signed in by it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def mail_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows what the mail says and changes nothing; POST has it acted on, once."""
    mail = confirm_read(token)
    if mail is None or mail.seat is None or mail.report is None:
        return _page(request, {"refusal": "This link is not whole, or its mail has been dealt with."}, status=404)
    is_confirmed = False
    if request.method == "POST":
        is_confirmed = held_confirm(mail_id=mail.pk, now=timezone.now())
        if is_confirmed:
            worker_nudge(mail.pk)
    context: dict[str, object] = {
        "race_name": mail.seat.race.name,
        "sender": mail.sender,
        "lines": [line["text"] for line in mail.report["lines"]],
        "is_held": mail.state == InboundState.HELD,
        "is_confirmed": is_confirmed,
    }
    return _page(request, context)


def _page(request: HttpRequest, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    response = render(request, "notifications/confirm/page.html", context, status=status)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
