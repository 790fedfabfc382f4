"""Before a race: the lists, a new race, and the page on which drivers gather."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from games.engine.errors import ActionRefused
from games.runtime import tracks
from games.runtime.position import ruleset_of
from games.runtime.rulesets import RULESETS, refuse_drivers, shares_cars
from games.selectors import races, seats
from games.selectors.calendars import deadlines_ahead
from games.selectors.campaigns import campaign_id_of_race, campaign_of_race
from games.services import races as race_services
from games.services.errors import NotYourSeat
from games.tempo import policies, tempos
from games.web.forms import RACE_FORMS, RULESET, BotForm, InviteForm, PartnerForm, PlainForm, WordsForm
from games.web.lines import lines_of, with_course
from games.web.pages import Seen, SeeOther, is_invited, page, race_address, race_context, seen, signed_in, status_of
from games.web.views.hosting import may_take_over
from games.web.views.tracks import TrackForm

PER_PAGE: Final = 50
"""Races of a list on one page."""


@require_safe
@page
def race_list(request: HttpRequest) -> HttpResponse:
    """Races that may be joined, and one's own: a page of each, by ``open`` and ``mine``."""
    user = request.user if request.user.is_authenticated else None
    mine_page = Paginator(races.races_mine(user=user) if user else [], PER_PAGE).get_page(request.GET.get("mine"))
    open_page = Paginator(races.races_open(user=user), PER_PAGE).get_page(request.GET.get("open"))
    mine = list(mine_page.object_list)
    # One's own stand in the other list.
    others = [one for one in open_page.object_list if not one["is_host"] and not one["your_state"]]
    context = {
        "here": "races",
        "mine_page": mine_page,
        "open_page": open_page,
        "now": timezone.now(),
        "open": lines_of(others, "open"),
        "gathering": lines_of(mine, "open"),
        "running": with_course(lines_of(mine, "running"), user=user),
        "over": lines_of(mine, "finished") + lines_of(mine, "abandoned"),
    }
    return render(request, "games/lobby.html", context)


@signed_in
@page
def race_new(request: HttpRequest) -> HttpResponse:
    """Lay out a race; what was filled in stays if it is refused. ``ruleset``: of which game, RoadKill without it."""
    key = request.POST.get("ruleset") or request.GET.get("ruleset") or RULESET
    if key not in RACE_FORMS or key not in RULESETS:
        raise Http404("No races of such a game are played here.")
    form = RACE_FORMS[key](request.POST) if request.method == "POST" else RACE_FORMS[key](initial=_listed(key, request))
    if request.method == "POST" and form.is_valid():
        try:
            race = race_services.race_create(by=request.user, **form.arguments())  # type: ignore[arg-type]
        except ActionRefused as refused:
            form.refuse(getattr(refused, "field", None), refused.text)
        else:
            messages.success(request, "The race is laid out. Now gather the drivers.")
            return SeeOther(race_address(race))
    context = {
        "here": "races",
        "form": form,
        "games": [(one, RULESETS[one].title) for one in RACE_FORMS if one in RULESETS],
        "ruleset": key,
        "fields_template": f"games/boards/{key}/new_fields.html",
        "tempos": [*tempos.TEMPOS.values()],
        "own_tempo": tempos.HOURS,
        "policies": list(policies.POLICIES.items()),
    }
    return render(request, "games/race_new.html", context, status=422 if form.errors else 200)


MOST_CARS: Final = 4
"""More drivers than these need the Big Rig or the motorcycles."""


def _listed(key: str, request: HttpRequest) -> dict[str, Any]:
    """What a track list's page hands on to the form of a race: its settings, and its tiles in their order."""
    given = request.GET
    if key not in tracks.TITLES or "list" not in given:
        return {}
    form = TrackForm(given, boxes=tracks.boxes(key))
    if not form.is_valid() or not tracks.CODE.fullmatch(given["list"]):
        messages.error(request, "The address of this track list is not whole, so the road is drawn instead.")
        return {}
    settings = form.settings()
    return {
        "seats": settings.players,
        "sides": settings.sides,
        "carnage": settings.carnage,
        "components": settings.box,
        "track": " ".join(tracks.order(key, given["list"], settings)),
        "bikes": settings.players == tracks.PLAYERS[1],
        "rig": settings.players > MOST_CARS,
    }


def lobby_page(
    request: HttpRequest, found: Seen, *, invitation: str = "", status: int = 200, **forms: PlainForm
) -> HttpResponse:
    """The page of a race that gathers its drivers, or was called off before it started."""
    presentation = races.race_present(race=found.race, viewer=found.seat)
    is_host = request.user.is_authenticated and found.race.host_id == request.user.pk
    taken = [seat for seat in presentation["seats"] if seat["state"] == "joined"]
    held = [seat for seat in presentation["seats"] if seat["state"] in {"joined", "invited"}]
    is_open = presentation["race"]["status"] == "open"
    free = presentation["race"]["seats_wanted"] - len(held)
    refused = refuse_drivers(ruleset_of(found.race), found.race.options, len(taken))
    invited = is_open and is_invited(request, found.race, invitation)
    context = race_context(
        presentation,
        is_host=is_host,
        is_open=is_open,
        ahead=deadlines_ahead(race=found.race, user=request.user, now=timezone.now())
        if request.user.is_authenticated
        else (),
        zone=request.user.time_zone if request.user.is_authenticated else "",
        is_in=found.seat is not None and found.seat.state == "joined",
        invitation=invitation,
        taken=len(taken),
        free=free,
        campaign=campaign_of_race(race=found.race),
        may_start=is_host and is_open and not refused,
        start_refused=refused,
        **_teams(found, presentation, forms.get("partner")),
        is_invited=invited,
        may_take_over=may_take_over(found),
        has_room=free > 0 or invited,
        may_join=is_open and (found.seat is None or found.seat.state != "joined"),
        words_form=forms.get("words") or WordsForm(initial={"words": found.seat.words if found.seat else ""}),
        invite_form=forms.get("invite") or InviteForm(),
        bot_form=forms.get("bot") or BotForm(),
    )
    return render(request, "games/race_lobby.html", context, status=status)


def _teams(found: Seen, presentation: Mapping[str, Any], form: PlainForm | None) -> dict[str, Any]:
    """Where two drive one car: the pairs as they stand, by name, who wishes for whom besides, and the form for it."""
    if not shares_cars(ruleset_of(found.race), found.race.options):
        return {}
    joined = {seat["id"]: seat for seat in presentation["seats"] if seat["state"] == "joined"}
    pairs = [[joined[one]["name"], joined[other]["name"]] for one, other in presentation["pairs"]]
    paired = {one for pair in presentation["pairs"] for one in pair}
    return {
        "is_teams": True,
        "team_pairs": pairs,
        "team_rest": [seat["name"] for seat in joined.values() if seat["id"] not in paired],
        "team_wishes": [
            (seat["name"], joined[seat["partner_wish"]]["name"])
            for seat in joined.values()
            if seat["partner_wish"] in joined
            and [seat["id"], seat["partner_wish"]] not in presentation["pairs"]
            and [seat["partner_wish"], seat["id"]] not in presentation["pairs"]
        ],
        "partner_form": form or _partner_form(found, joined),
    }


def _partner_form(found: Seen, joined: Mapping[int, Mapping[str, Any]], data: Any = None) -> PartnerForm | None:
    if found.seat is None or found.seat.pk not in joined:
        return None
    others = [(seat["id"], seat["name"]) for seat in joined.values() if seat["id"] != found.seat.pk]
    return PartnerForm(data, others=others, initial={"partner": found.seat.partner_wish_id})


# --- What is done on that page ----------------------------------------------------------


def _done(
    request: HttpRequest,
    found: Seen,
    act: Callable[[], object],
    said: str,
    *,
    invitation: str = "",
    **forms: PlainForm,
) -> HttpResponse:
    """Do one thing and go back to the race; a refusal is told on its page, at the field that it names."""
    try:
        act()
    except ActionRefused as refused:
        field = getattr(refused, "field", None)
        for form in forms.values():
            form.refuse(field, refused.text)
        if not forms:
            messages.error(request, refused.text)
        fresh = Seen(race=found.race, seat=seats.seat_of(race=found.race, user=request.user))  # type: ignore[arg-type]
        return _race_again(request, fresh, status=status_of(refused), invitation=invitation, **forms)
    messages.success(request, said)
    return SeeOther(race_address(found.race))


def _race_again(
    request: HttpRequest, found: Seen, *, status: int, invitation: str = "", **forms: PlainForm
) -> HttpResponse:
    """The lobby page with what went wrong; for a race under way the reader is sent to its page and told there."""
    if found.race.started_at is None:
        return lobby_page(request, found, status=status, invitation=invitation, **forms)
    for form in forms.values():
        for errors in form.errors.values():
            messages.error(request, " ".join(str(error) for error in errors))
    return SeeOther(race_address(found.race))


@signed_in
@require_POST
@page
def join(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a seat."""
    invitation = request.POST.get("invitation", "")
    found = seen(request, public_id, invitation=invitation)
    form = WordsForm(request.POST)
    if not form.is_valid():
        return _race_again(request, found, status=422, invitation=invitation, words=form)
    return _done(
        request,
        found,
        lambda: race_services.race_join(
            race_id=found.race.pk,
            by=request.user,  # type: ignore[arg-type]
            invitation=invitation,
            words=form.cleaned_data["words"],
        ),
        "You are in. We mail you when the race starts and whenever you are asked.",
        invitation=invitation,
    )


@page
def decline(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask whether to decline an invitation; only the button does it. The mail's link is enough, without an account."""
    given = request.POST if request.method == "POST" else request.GET
    invitation = given.get("invitation", "")
    user = request.user if request.user.is_authenticated else None
    race, seat = races.race_invited_to(public_id=public_id, user=user, invitation=invitation)
    refused: ActionRefused | None = None
    if request.method == "POST":
        try:
            race_services.race_decline(race_id=race.pk, by=user, invitation=invitation)
        except ActionRefused as error:
            refused = error
        else:
            messages.success(request, f"You have declined the invitation to {race.name}. Its host is told.")
            return SeeOther(reverse("games:lobby"))
    context = {"race": race, "seat": seat, "invitation": invitation, "refused": refused, "here": "races"}
    return render(request, "games/decline.html", context, status=200 if refused is None else status_of(refused))


@signed_in
@require_POST
@page
def leave(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give the seat back."""
    found = seen(request, public_id)
    try:
        race_services.race_leave(race_id=found.race.pk, by=request.user)  # type: ignore[arg-type]
    except ActionRefused as refused:
        messages.error(request, refused.text)
        return _race_again(request, found, status=status_of(refused))
    messages.success(request, f"You have left {found.race.name}.")
    return SeeOther(reverse("games:lobby"))


@signed_in
@require_POST
@page
def start(request: HttpRequest, public_id: str) -> HttpResponse:
    """Draw the cars and begin."""
    found = seen(request, public_id)
    return _done(
        request,
        found,
        lambda: race_services.race_start(race_id=found.race.pk, by=request.user),  # type: ignore[arg-type]
        "The cars are drawn. Who may buy an upgrade is asked one after another; then the race begins."
        if campaign_id_of_race(race=found.race)
        else "The race is on. Who drives what is drawn.",
    )


@signed_in
@require_POST
@page
def cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Call the race off."""
    found = seen(request, public_id)
    return _done(
        request,
        found,
        lambda: race_services.race_cancel(race_id=found.race.pk, by=request.user),  # type: ignore[arg-type]
        "The race is called off.",
    )


@signed_in
@require_POST
@page
def invite(request: HttpRequest, public_id: str) -> HttpResponse:
    """Keep a seat for a mail address and mail the invitation."""
    found = seen(request, public_id)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _race_again(request, found, status=422, invite=form)
    email = form.cleaned_data["email"]
    return _done(
        request,
        found,
        lambda: race_services.race_invite(race_id=found.race.pk, by=request.user, email=email),  # type: ignore[arg-type]
        f"An invitation is on its way to {email}; a seat is kept.",
        invite=form,
    )


@signed_in
@require_POST
@page
def words(request: HttpRequest, public_id: str) -> HttpResponse:
    """Set one's words for the shuffle."""
    found = seen(request, public_id)
    form = WordsForm(request.POST)
    if not form.is_valid():
        return _race_again(request, found, status=422, words=form)
    return _done(
        request,
        found,
        lambda: race_services.seat_words(
            race_id=found.race.pk,
            by=request.user,  # type: ignore[arg-type]
            words=form.cleaned_data["words"],
        ),
        "Your words are kept for the shuffle.",
        words=form,
    )


@signed_in
@require_POST
@page
def partner(request: HttpRequest, public_id: str) -> HttpResponse:
    """Say with whom one would share a car."""
    found = seen(request, public_id)
    seats_now = seats.seats_of(race=found.race)
    joined = {seat.pk: {"id": seat.pk, "name": seat.shown_name} for seat in seats_now if seat.state == "joined"}
    form = _partner_form(found, joined, request.POST)
    if form is None:
        raise NotYourSeat("You have no seat in this race.")
    if not form.is_valid():
        return _race_again(request, found, status=422, partner=form)
    wanted = form.cleaned_data["partner"]
    return _done(
        request,
        found,
        lambda: race_services.seat_partner(
            race_id=found.race.pk,
            by=request.user,  # type: ignore[arg-type]
            partner=wanted,
        ),
        f"Noted: you would drive with {joined[wanted]['name']}."
        if wanted in joined
        else "Noted: nobody in particular.",
        partner=form,
    )


@signed_in
@require_POST
@page
def bot(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put a bot on a free seat."""
    found = seen(request, public_id)
    form = BotForm(request.POST)
    if not form.is_valid():
        return _race_again(request, found, status=422, bot=form)
    return _done(
        request,
        found,
        lambda: race_services.seat_add_bot(race_id=found.race.pk, by=request.user, **form.cleaned_data),  # type: ignore[arg-type]
        "A bot has taken a seat.",
        bot=form,
    )


@signed_in
@page
def seat_remove(request: HttpRequest, public_id: str, seat_id: int) -> HttpResponse:
    """Ask whether to take a seat away; only the button does it."""
    found = seen(request, public_id)
    if request.method != "POST":
        return _seat_page(request, found, seat_id)
    return _done(
        request,
        found,
        lambda: race_services.seat_remove(race_id=found.race.pk, by=request.user, seat_id=seat_id),  # type: ignore[arg-type]
        "The seat is taken away.",
    )


@signed_in
@require_POST
@page
def seat_bot(request: HttpRequest, public_id: str, seat_id: int) -> HttpResponse:
    """Give a seat whose driver has gone to a bot."""
    found = seen(request, public_id)
    form = BotForm(request.POST)
    if not form.is_valid():
        return _seat_page(request, found, seat_id, status=422, bot=form)
    return _done(
        request,
        found,
        lambda: race_services.seat_replace(
            race_id=found.race.pk,
            by=request.user,  # type: ignore[arg-type]
            seat_id=seat_id,
            **form.cleaned_data,
        ),
        "A bot drives on.",
    )


@signed_in
@require_POST
@page
def seat_offer(request: HttpRequest, public_id: str, seat_id: int) -> HttpResponse:
    """Offer a seat whose driver has gone to somebody else, by mail."""
    found = seen(request, public_id)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _seat_page(request, found, seat_id, status=422, invite=form)
    return _done(
        request,
        found,
        lambda: race_services.seat_replace(
            race_id=found.race.pk,
            by=request.user,  # type: ignore[arg-type]
            seat_id=seat_id,
            email=form.cleaned_data["email"],
        ),
        f"The seat is offered to {form.cleaned_data['email']}.",
    )


def _seat_page(
    request: HttpRequest, found: Seen, seat_id: int, *, status: int = 200, **forms: PlainForm
) -> HttpResponse:
    """What a host may do about one seat."""
    presentation = races.race_present(race=found.race, viewer=found.seat, log_last=0)
    seat: dict[str, Any] | None = next((seat for seat in presentation["seats"] if seat["id"] == seat_id), None)
    context = race_context(
        presentation,
        seat=seat,
        is_host=found.race.host_id == request.user.pk,
        bot_form=forms.get("bot") or BotForm(),
        invite_form=forms.get("invite") or InviteForm(),
    )
    return render(request, "games/seat.html", context, status=404 if seat is None else status)
