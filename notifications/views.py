"""The pages at which players look after their mail.

Stopping a race's mails, what was sent, a closed address.
"""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.selectors.notices import seat_race_name
from notifications.channels.email.channel import EmailChannel
from notifications.models import Notice, NoticeState, Occasion
from notifications.selectors import notices_of_player, notices_overtaken
from notifications.services.addresses import address_open
from notifications.services.delivery import RETRIED, RetryRefused, notice_retry
from notifications.services.pauses import (
    StopLinkRefused,
    are_mails_stopped,
    mails_stop,
    stop_link_read,
)
from notifications.words import CHANNEL_WORDS, FAILURE_WORDS, KIND_WORDS, OCCASION_WORDS, OVERTAKEN, STATE_WORDS
from roadkill_site.accounts.models import User

NOTICES_SHOWN: Final = 100


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
    except StopLinkRefused as refused:
        return _page(request, {"refusal": str(refused)}, status=400)
    race_name = None if link.seat_id is None else seat_race_name(link.seat_id)
    if link.seat_id is not None and race_name is None:
        return _page(request, {"refusal": "The race that this link speaks of is not here any more."}, status=404)
    if request.method == "POST":
        mails_stop(link, is_stopped=request.POST.get("wish") != "resume")
    context: dict[str, object] = {
        "race_name": race_name,
        "address": link.address,
        "is_stopped": are_mails_stopped(link),
        "is_changed": request.method == "POST",
    }
    return _page(request, context)


@login_required
@require_safe
def mail_sent(request: HttpRequest) -> HttpResponse:
    """What we mailed the signed-in player, or tried to, newest first."""
    assert isinstance(request.user, User)
    notices = list(notices_of_player(player_id=request.user.pk, most=NOTICES_SHOWN))
    overtaken = notices_overtaken(notices)
    lines = [_line(notice, is_overtaken=notice.pk in overtaken) for notice in notices]
    return render(request, "notifications/sent.html", {"lines": lines, "most": NOTICES_SHOWN})


@login_required
@require_POST
def mail_works_again(request: HttpRequest) -> HttpResponse:
    """Take up again the mails to the signed-in player's address after it had refused one for good."""
    assert isinstance(request.user, User)
    if address_open(channel=EmailChannel.key, address=request.user.email):
        messages.success(request, f"We send mail to {request.user.email} again, from the next notice on.")
    return HttpResponseRedirect(reverse("notifications:mail_sent"))


@login_required
@require_POST
def mail_retry(request: HttpRequest, notice_id: int) -> HttpResponse:
    """Try one notice again now that had been given up; what was sent is never sent again."""
    assert isinstance(request.user, User)
    try:
        notice_retry(player_id=request.user.pk, notice_id=notice_id, now=timezone.now())
    except RetryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "It is tried again within a minute.")
    return HttpResponseRedirect(reverse("notifications:mail_sent"))


def _line(notice: Notice, *, is_overtaken: bool) -> dict[str, object]:
    failures = [attempt for attempt in notice.attempts.all() if attempt.result in FAILURE_WORDS]
    is_told_by_try = bool(failures) and failures[-1].detail.startswith(notice.reason)
    race = notice.seat.race if notice.seat is not None else None if notice.endpoint is None else notice.endpoint.race
    is_tried_again = notice.state == NoticeState.PENDING and notice.attempt_count > 0 and not is_overtaken
    state = NoticeState.DROPPED if is_overtaken else notice.state
    reason = OVERTAKEN if is_overtaken else notice.reason
    return {
        "id": notice.pk,
        "race": race,
        "way": CHANNEL_WORDS[notice.channel] if notice.endpoint is None else notice.endpoint.label,
        "what": _what(notice),
        "state": STATE_WORDS[state],
        "at": notice.sent_at or notice.created_at,
        "next_at": notice.due_at if is_tried_again else None,
        # A reason is cut shorter than what the other side said at the last try, which stands below.
        "reason": "" if is_told_by_try else reason,
        "failures": [
            {
                "number": one.number,
                "started_at": one.started_at,
                "words": FAILURE_WORDS[one.result],
                "detail": one.detail,
            }
            for one in failures
        ],
        "can_retry": notice.state in RETRIED or is_tried_again,
    }


def _what(notice: Notice) -> str:
    if notice.outbox_event is None:
        return OCCASION_WORDS[notice.occasion]
    words = KIND_WORDS.get(notice.outbox_event.kind, notice.outbox_event.kind)
    if notice.occasion != Occasion.NEWS:
        words = f"{words}, a reminder"
    return f"{words}, since mail did not get through" if notice.is_fallback else words


def _page(request: HttpRequest, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    response = render(request, "notifications/stop/page.html", context, status=status)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
