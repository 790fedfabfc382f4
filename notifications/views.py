"""The pages at which players look after their mail.

Stopping a race's mails, what was sent, a closed address.
"""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.selectors.notices import seat_race_name
from notifications.channels.email.channel import EmailChannel
from notifications.models import Notice, Occasion
from notifications.selectors import notices_of_player
from notifications.services.addresses import address_open
from notifications.services.pauses import (
    StopLinkRefused,
    is_paused,
    pause_end,
    pause_set,
    stop_link_read,
)
from roadkill_site.accounts.models import User

NOTICES_SHOWN: Final = 100
KIND_WORDS: Final = {
    "invited": "invitation",
    "started": "the race has started",
    "turn": "your turn",
    "question": "a question to you",
    "lapsed": "your answer did not come in time",
    "finished": "the race is over",
    "cancelled": "the race was called off",
    "seat_gone": "a driver has missed two turns",
    "seat_lost": "a seat was taken back",
    "declined": "an invitation was declined",
    "host_new": "you host the race now",
    "host_lost": "another driver hosts the race now",
    "fault": "the race is held up",
}
STATE_WORDS: Final = {
    "pending": "waiting",
    "sending": "on its way",
    "sent": "sent",
    "failed": "given up",
    "bounced": "came back",
    "dropped": "not sent",
}


# The token says whose mails they are, and a mail reader's own button posts from elsewhere (RFC 8058).
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def mail_stop(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows how it stands and changes nothing.

    POST stops the mails, or with `wish=resume` takes them up again.

    RFC 8058's One-Click POST stops them too. Nobody is signed in by this, and no seat is touched.
    """
    try:
        link = stop_link_read(token)
        race_name = seat_race_name(link.seat_id)
    except StopLinkRefused as refused:
        return _page(request, {"refusal": str(refused)}, status=400)
    if race_name is None:
        return _page(request, {"refusal": "The race that this link speaks of is not here any more."}, status=404)
    if request.method == "POST":
        change = pause_end if request.POST.get("wish") == "resume" else pause_set
        change(seat_id=link.seat_id, address=link.address)
    context = {
        "race_name": race_name,
        "address": link.address,
        "is_stopped": is_paused(seat_id=link.seat_id, address=link.address),
        "is_changed": request.method == "POST",
    }
    return _page(request, context)


@login_required
@require_safe
def mail_sent(request: HttpRequest) -> HttpResponse:
    """What we mailed the signed-in player, or tried to, newest first."""
    assert isinstance(request.user, User)
    notices = notices_of_player(player_id=request.user.pk, most=NOTICES_SHOWN)
    lines = [_line(notice) for notice in notices]
    return render(request, "notifications/sent.html", {"lines": lines, "most": NOTICES_SHOWN})


@login_required
@require_POST
def mail_works_again(request: HttpRequest) -> HttpResponse:
    """Take up again the mails to the signed-in player's address after it had refused one for good."""
    assert isinstance(request.user, User)
    if address_open(channel=EmailChannel.key, address=request.user.email):
        messages.success(request, f"We send mail to {request.user.email} again, from the next notice on.")
    return HttpResponseRedirect(reverse("notifications:mail_sent"))


def _line(notice: Notice) -> dict[str, object]:
    failures = [attempt for attempt in notice.attempts.all() if attempt.result in {"transient", "permanent"}]
    is_told_by_try = bool(failures) and failures[-1].detail.startswith(notice.reason)
    return {
        "race": notice.seat.race,
        "channel": notice.channel,
        "what": _what(notice),
        "state": STATE_WORDS[notice.state],
        "at": notice.sent_at or notice.created_at,
        # A reason is cut shorter than what the other side said at the last try, which stands below.
        "reason": "" if is_told_by_try else notice.reason,
        "failures": failures,
    }


def _what(notice: Notice) -> str:
    words = KIND_WORDS.get(notice.outbox_event.kind, notice.outbox_event.kind)
    return words if notice.occasion == Occasion.NEWS else f"{words}, a reminder"


def _page(request: HttpRequest, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    response = render(request, "notifications/stop/page.html", context, status=status)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
