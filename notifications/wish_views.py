"""The pages at which players say what they want to be told, when, and by which way."""

from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.selectors.races import race_names_followed, race_names_of
from notifications.channels import CHANNELS
from notifications.channels.push.channel import push_public_key
from notifications.models import Endpoint
from notifications.selectors import endpoint_list, mail_pauses_of, wishes_of
from notifications.services.calendars import calendar_address, calendar_renew
from notifications.services.endpoints import (
    EndpointRefused,
    browser_subscribe,
    endpoint_change,
    endpoint_remove,
    endpoint_reopen,
    endpoint_try,
    webhook_create,
)
from notifications.services.pauses import pauses_of_player_set
from notifications.services.wishes import WishRefused, mail_kinds_set, mail_stop_all, wishes_set
from notifications.words import ENDPOINT_KINDS, FORM_WORDS, KIND_WORDS
from roadkill_site.accounts.models import User

KINDS: Final = [(kind, words) for kind, words in KIND_WORDS.items() if kind in ENDPOINT_KINDS]
WORKER: Final = "notifications/push-worker.js"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def wishes(request: HttpRequest) -> HttpResponse:
    """What the signed-in player is told by mail, and the ways beside mail."""
    player = _player(request)
    if request.method != "POST":
        return _wishes_page(request)
    daily = request.POST.get("mails") == "daily"
    try:
        wishes_set(
            player=player,
            now=timezone.now(),
            reminders="reminders" in request.POST,
            is_daily=daily,
            daily_hour=_number(request, "daily_hour") if daily else None,
            urgent_hours=_number(request, "urgent_hours"),
        )
    except WishRefused as refused:
        return _wishes_page(request, refused=refused, status=422)
    mail_stop_all(player_id=player.pk, is_stopped=request.POST.get("mails") == "none")
    mail_kinds_set(player_id=player.pk, kinds_off=_switched_off(request))
    pauses_of_player_set(player=player, races_off=_races_off(request))
    messages.success(request, "Kept. It counts from the next notice on.")
    return redirect("notifications:wishes")


@login_required
@require_POST
def webhook_new(request: HttpRequest) -> HttpResponse:
    """Add a webhook, and show the secret that signs its messages, this once."""
    told = {name: request.POST.get(name, "") for name in ("label", "address", "form", "follows")}
    try:
        row = webhook_create(player=_player(request), **told)
    except EndpointRefused as refused:
        return _wishes_page(request, refused=refused, told=told, status=422)
    return _endpoint_page(request, row, is_new=True)


@login_required
@require_POST
def browser_new(request: HttpRequest) -> HttpResponse:
    """Add the browser that the player has before him, by what its own subscription says."""
    told = {name: request.POST.get(name, "") for name in ("label", "address", "browser_key", "auth")}
    try:
        browser_subscribe(player=_player(request), **told)
    except EndpointRefused as refused:
        return _wishes_page(request, refused=refused, status=422)
    messages.success(request, "This browser is told from the next notice on.")
    return HttpResponseRedirect(_wishes_address("ways"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """One webhook or browser: its name, and what is told there."""
    row = _endpoint(request, endpoint_id)
    if request.method != "POST":
        return _endpoint_page(request, row)
    try:
        endpoint_change(
            player=_player(request),
            endpoint_id=row.pk,
            label=request.POST.get("label", ""),
            kinds_off=None if row.is_shared else _switched_off(request),
            races_off=None if row.is_shared else _races_off(request),
        )
    except EndpointRefused as refused:
        return _endpoint_page(request, row, refused=refused, status=422)
    messages.success(request, "Kept. It counts from the next notice on.")
    return redirect("notifications:endpoint", endpoint_id=row.pk)


@login_required
@require_POST
def endpoint_act(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """Try it, open it again, or remove it, as the button pressed says."""
    player, wish = _player(request), request.POST.get("do")
    row = _endpoint(request, endpoint_id)
    try:
        if wish == "remove":
            endpoint_remove(player=player, endpoint_id=row.pk)
            messages.success(request, f"{row.label} is removed; nothing is sent there any more.")
            return HttpResponseRedirect(_wishes_address("ways"))
        if wish == "reopen":
            endpoint_reopen(player=player, endpoint_id=row.pk)
            messages.success(request, f"We send to {row.label} again, from the next notice on.")
        elif wish == "try":
            endpoint_try(player=player, endpoint_id=row.pk, now=timezone.now())
            messages.success(request, "A trial message is on its way; within a minute it stands in “What we sent you”.")
    except EndpointRefused as refused:
        messages.error(request, str(refused))
    return redirect("notifications:endpoint", endpoint_id=row.pk)


@login_required
@require_POST
def calendar_new(request: HttpRequest) -> HttpResponse:
    """Give the calendar another secret address; the former one shows nothing any more."""
    calendar_renew(player_id=_player(request).pk)
    messages.success(request, "The calendar has a new address; the former one is closed.")
    return HttpResponseRedirect(_wishes_address("calendar"))


@require_safe
@cache_control(public=True, max_age=3600)
def push_worker(request: HttpRequest) -> HttpResponse:
    """The script that shows a notification; it stands here so that it may act for these pages alone."""
    del request
    found = finders.find(WORKER)
    if not isinstance(found, str):
        raise Http404
    with open(found, "rb") as script:  # noqa: PTH123  (a path of the finder's own)
        return HttpResponse(script.read(), content_type="text/javascript; charset=utf-8")


def _player(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def _endpoint(request: HttpRequest, endpoint_id: int) -> Endpoint:
    row = endpoint_list(player_id=_player(request).pk).filter(pk=endpoint_id).first()
    if row is None:
        raise Http404("You have no such webhook or browser.")
    return row


def _number(request: HttpRequest, name: str) -> int:
    word = request.POST.get(name, "")
    return int(word) if word.isascii() and word.isdigit() and len(word) < 4 else -1


def _switched_off(request: HttpRequest) -> list[str]:
    on = request.POST.getlist("kind")
    return [kind for kind, _ in KINDS if kind not in on]


def _races_off(request: HttpRequest) -> list[str]:
    on = request.POST.getlist("race")
    return [public_id for public_id in race_names_of(user=_player(request)) if public_id not in on]


def _wishes_address(part: str) -> str:
    return f"{reverse('notifications:wishes')}#{part}"


def _kinds(off: list[str]) -> list[dict[str, Any]]:
    return [{"kind": kind, "words": words, "is_on": kind not in off} for kind, words in KINDS]


def _wishes_page(
    request: HttpRequest,
    *,
    refused: WishRefused | EndpointRefused | None = None,
    told: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    player = _player(request)
    kept = wishes_of(player.pk)
    paused = mail_pauses_of(player=player)
    names = race_names_of(user=player)
    context = {
        "wishes": kept,
        "mails": "none" if kept.is_mail_stopped else "single" if kept.daily_hour is None else "daily",
        "hours": range(24),
        "daily_hour": 8 if kept.daily_hour is None else kept.daily_hour,
        "kinds": _kinds(kept.mail_kinds_off),
        "races": [{"id": key, "name": name, "is_on": key not in paused} for key, name in names.items()],
        "endpoints": endpoint_list(player_id=player.pk),
        "forms": FORM_WORDS.items(),
        "followed": race_names_followed(user=player).items(),
        "webhooks_are_on": CHANNELS["webhook"].is_on,
        "push_key": push_public_key(),
        "calendar_address": calendar_address(player_id=player.pk),
        "refused": refused,
        "told": told or {},
        "webhooks_may_be_private": settings.WEBHOOK_PRIVATE_ADDRESSES,
    }
    return render(request, "notifications/wishes.html", context, status=status)


def _endpoint_page(
    request: HttpRequest,
    row: Endpoint,
    *,
    is_new: bool = False,
    refused: EndpointRefused | None = None,
    status: int = 200,
) -> HttpResponse:
    off = {race.public_id for race in row.races_off.all()}
    names = race_names_of(user=_player(request))
    context = {
        "endpoint": row,
        "secret": row.secret if is_new and row.form == "generic" else "",
        "is_new": is_new,
        "kinds": _kinds(row.kinds_off),
        "races": [{"id": key, "name": name, "is_on": key not in off} for key, name in names.items()],
        "form_words": FORM_WORDS.get(row.form, ""),
        "refused": refused,
    }
    return render(request, "notifications/endpoint.html", context, status=status)
