"""The operator's page: everything at a glance, and what can be done about it. For staff; nobody else finds it."""

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.selectors.errors import RaceUnknown
from games.selectors.operation import CREDIT_WINDOW_H, Gap, gap_get
from games.services.operation import NotFaulty, outage_credit_by_hand, race_retry, races_retry
from notifications.operation_selectors import MailIn, mail_listed
from notifications.services.operation import WayUnknown, way_retry, ways_retry
from notifications.services.replies.nudging import worker_nudge
from notifications.services.replies.taking import mail_confirm, mail_refuse, mail_retry
from roadkill_site.operation.overview import overview

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


class SeeOther(HttpResponseRedirect):
    """303: it is done, look there; a reload of what follows posts nothing."""

    status_code = 303


def staff_only(view: View[P]) -> View[P]:
    """Send who is not signed in to sign in; for players who are no staff there is no such page."""

    @functools.wraps(view)
    def seen(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return seen


@staff_only
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Where everything stands."""
    return render(request, "operation/page.html", {"seen": overview(now=timezone.now())})


@staff_only
@require_POST
def race_again(request: HttpRequest, public_id: str) -> HttpResponse:
    """Try a race that is held up, now."""
    try:
        fault = race_retry(public_id=public_id, now=timezone.now())
    except (RaceUnknown, NotFaulty) as refused:
        return _back(request, str(refused), is_done=False)
    if fault:
        return _back(request, f"Race {public_id} still cannot go on: {fault}", is_done=False)
    return _back(request, f"Race {public_id} goes on.")


@staff_only
@require_POST
def races_again(request: HttpRequest) -> HttpResponse:
    """Let the next sweep try all races that are held up."""
    count = races_retry(race_ids=None, now=timezone.now())
    return _back(
        request,
        f"{count} race{' that is held up is' if count == 1 else 's that are held up are'} tried within a minute.",
    )


@staff_only
@require_POST
def way_again(request: HttpRequest, key: str) -> HttpResponse:
    """Open a way, and try there again."""
    try:
        way_retry(key=key, now=timezone.now())
    except WayUnknown as refused:
        return _back(request, str(refused), is_done=False)
    return _back(request, "The way is open, and what did not get through is tried again within a minute.")


@staff_only
@require_POST
def ways_again(request: HttpRequest) -> HttpResponse:
    """Do so with every way by which something fails."""
    count = ways_retry(now=timezone.now())
    return _back(request, f"{count} way{' is' if count == 1 else 's are'} open and tried again within a minute.")


@staff_only
@require_POST
def mail_again(request: HttpRequest, mail_id: int) -> HttpResponse:
    """Take up again a mail that failed, was refused, or waits."""
    if not mail_retry(mail_id=mail_id, now=timezone.now()):
        return _back(
            request, f"Mail {mail_id} cannot be taken up: it was settled, or its bytes are gone.", is_done=False
        )
    worker_nudge(mail_id)
    return _back(request, f"Mail {mail_id} is taken up again.")


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def mail_release(request: HttpRequest, mail_id: int) -> HttpResponse:
    """GET asks whether one is sure; POST lets a held mail be acted on, as if it came from its player's address."""
    if request.method != "POST":
        return _sure(request, "release", mail=_mail(mail_id))
    if not mail_confirm(mail_id=mail_id, now=timezone.now()):
        return _back(request, f"Mail {mail_id} is not held any more, or its bytes are gone.", is_done=False)
    worker_nudge(mail_id)
    return _back(request, f"Mail {mail_id} is let through and acted on.")


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def mail_turn_away(request: HttpRequest, mail_id: int) -> HttpResponse:
    """GET asks whether one is sure; POST settles a held mail without acting on it."""
    if request.method != "POST":
        return _sure(request, "refuse", mail=_mail(mail_id))
    if not mail_refuse(mail_id=mail_id, now=timezone.now()):
        return _back(request, f"Mail {mail_id} is not held any more.", is_done=False)
    return _back(request, f"Mail {mail_id} is refused; nothing was done.")


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def gap_credit(request: HttpRequest, gap: int) -> HttpResponse:
    """GET asks whether one is sure; POST puts deadlines off for a time in which the server was away."""
    if request.method != "POST":
        found = gap_get(gap=gap)
        if found is None:
            raise Http404
        return _sure(request, "credit", gap=found)
    count = outage_credit_by_hand(gap=gap, now=timezone.now())
    if count is None:
        raise Http404
    return _back(request, _credited(count))


def _credited(count: int) -> str:
    if not count:
        return "No deadline had to be put off: none suffered from it, or each has been put off for it before."
    return f"The deadlines of {count} race{'' if count == 1 else 's'} are put off, and their logs say so."


def _mail(mail_id: int) -> MailIn:
    found = mail_listed(mail=mail_id)
    if found is None:
        raise Http404
    return found


def _sure(request: HttpRequest, what: str, *, mail: MailIn | None = None, gap: Gap | None = None) -> HttpResponse:
    return render(request, "operation/sure.html", {"what": what, "mail": mail, "gap": gap, "hours": CREDIT_WINDOW_H})


def _back(request: HttpRequest, said: str, *, is_done: bool = True) -> HttpResponse:
    (messages.success if is_done else messages.error)(request, said)
    return SeeOther(reverse("operation:page"))
