"""What is done in leagues: made, entered, left, and what a host sees to."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from games.engine.errors import ActionRefused
from games.selectors import leagues
from games.services import leagues as services
from games.services import seasons
from games.services.errors import LeagueUnknown, Malformed, NotHost
from games.services.hosting import league_host_take
from games.tempo import policies, tempos
from games.web.forms import PlainForm
from games.web.league_forms import BotEntryForm, LeagueForm, PostponeForm, SeasonForm
from games.web.pages import SeeOther, page, signed_in, status_of
from games.web.views.leagues import league_seen, page_of, reader, unit_of

SHOWN: Final = 40
"""Fixtures that run, and as many that are over, on the host's page."""


@signed_in
@page
def league_new(request: HttpRequest) -> HttpResponse:
    """Found a league; what was filled in stays if it is refused."""
    form = LeagueForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = services.league_create(by=reader(request), **form.cleaned_data)
        except ActionRefused as refused:
            form.refuse(getattr(refused, "field", None), refused.text)
        else:
            messages.success(request, "The league is there. Now lay out its first season.")
            return SeeOther(reverse("games:league_host", args=[made.public_id]))
    status = 422 if form.errors else 200
    return render(request, "games/league_new.html", {"here": "leagues", "form": form}, status=status)


@signed_in
@page
def host(request: HttpRequest, public_id: str) -> HttpResponse:
    """All that a host sees to, on one page."""
    return _host_page(request, _hosted(request, public_id))


@signed_in
@page
def season_new(request: HttpRequest, public_id: str) -> HttpResponse:
    """Lay out a season; what was filled in stays if it is refused."""
    league = _hosted(request, public_id)
    form = SeasonForm(request.POST if request.method == "POST" else None, ruleset=league.ruleset)
    if request.method == "POST" and form.is_valid():
        try:
            services.season_create(league_id=league.pk, by=reader(request), **form.arguments())
        except ActionRefused as refused:
            form.refuse(getattr(refused, "field", None), refused.text)
        else:
            messages.success(request, "The season is laid out: drivers may enter.")
            return SeeOther(reverse("games:league_host", args=[public_id]))
    context = {
        "here": "leagues",
        "league": leagues.league_part(league=league, user=reader(request)),
        "form": form,
        "tempos": [*tempos.TEMPOS.values()],
        "own_tempo": tempos.HOURS,
        "policies": list(policies.POLICIES.items()),
    }
    return render(request, "games/league_season_new.html", context, status=422 if form.errors else 200)


@signed_in
@require_POST
@page
def enter(request: HttpRequest, public_id: str) -> HttpResponse:
    """Enter the season that is open."""
    season = _season(request, public_id)
    services.season_enter(season_id=season.pk, by=reader(request), key=request.POST.get("key", ""))
    messages.success(request, "You take part. Your races start by themselves on their dates; you are told by mail.")
    return SeeOther(reverse("games:league", args=[public_id]))


@signed_in
@require_POST
@page
def leave(request: HttpRequest, public_id: str) -> HttpResponse:
    """Leave the season."""
    season = _season(request, public_id)
    services.season_leave(season_id=season.pk, by=reader(request))
    messages.success(request, "You have left the season. Races that run go on with you until you give them up.")
    return SeeOther(reverse("games:league", args=[public_id]))


@signed_in
@require_POST
@page
def take_over(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take the league over from a host who has been away."""
    league = league_seen(request, public_id)
    league_host_take(league_id=league.pk, by=reader(request))
    messages.success(request, "You host this league now, and its races under way that the former host hosted.")
    return SeeOther(reverse("games:league_host", args=[public_id]))


@signed_in
@require_POST
@page
def host_act(request: HttpRequest, public_id: str, do: str) -> HttpResponse:
    """One thing that a host does to the season or the league, and back to the host's page."""
    league = _hosted(request, public_id)
    by = reader(request)
    season = leagues.season_get(league=league)
    season_id = 0 if season is None else season.pk
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "start": (lambda: seasons.season_start(season_id=season_id, by=by), "The season has started: all is drawn."),
        "cancel": (lambda: services.season_cancel(season_id=season_id, by=by), "The season is called off."),
        "close": (lambda: seasons.season_close(season_id=season_id, by=by), "The season is closed."),
        "bot": (
            lambda: services.season_add_bot(season_id=season_id, by=by, bot=request.POST.get("bot", "")),
            "A bot takes part.",
        ),
        "key": (
            lambda: services.league_update(league_id=league.pk, by=by, new_key=True),
            "The link is made anew; the old one lets nobody in any more.",
        ),
        "public": (
            lambda: services.league_update(league_id=league.pk, by=by, is_public=request.POST.get("public") == "yes"),
            "Noted.",
        ),
        "pass": (
            lambda: services.league_update(league_id=league.pk, by=by, host=_number(request, "driver")),
            "The league has another host.",
        ),
        "withdraw": (
            lambda: services.entrant_withdraw(entrant_id=_number(request, "entrant"), by=by),
            "Withdrawn from the season.",
        ),
        "void": (lambda: seasons.fixture_void(fixture_id=_number(request, "fixture"), by=by), "Called off."),
        "annul": (
            lambda: seasons.fixture_annul(
                fixture_id=_number(request, "fixture"), by=by, note=request.POST.get("note", "")
            ),
            "Annulled: it does not count, and your note stands beside the table.",
        ),
        "postpone": (lambda: _postpone(request), f"The {unit_of(season)} has another date."),
    }
    if do not in acts:
        raise LeagueUnknown("There is no such thing to be done.")
    act, said = acts[do]
    try:
        act()
    except ActionRefused as refused:
        messages.error(request, refused.text)
        return _host_page(request, league, status=status_of(refused))
    messages.success(request, said)
    # Who has handed a league of members over and does not drive in it sees it no more.
    return SeeOther(reverse("games:leagues") if do == "pass" else reverse("games:league_host", args=[public_id]))


def _postpone(request: HttpRequest) -> None:
    form = PostponeForm(request.POST)
    if not form.is_valid():
        raise Malformed("Write a day and a time, such as 2026-12-24 18:00.")
    seasons.fixture_postpone(fixture_id=_number(request, "fixture"), by=reader(request), to=form.cleaned_data["to"])


def _host_page(request: HttpRequest, league: Any, *, status: int = 200) -> HttpResponse:
    league.refresh_from_db()
    season = leagues.season_get(league=league)
    context: dict[str, Any] = {
        "here": "leagues",
        "now": timezone.now(),
        "league": leagues.league_part(league=league, user=reader(request)),
        "link": request.build_absolute_uri(
            f"{reverse('games:league', args=[league.public_id])}?key={league.entry_key}"
        ),
        "season": None,
        "bot_form": BotEntryForm(),
    }
    if season is not None:
        is_running = season.status == "running"
        planned = page_of(request, leagues.Fixtures(season=season, status="planned"))
        context |= {
            "season": leagues.season_part(season=season, user=reader(request)),
            "entrants": (entrants := leagues.entrants_of(season=season)),
            "heirs": [one for one in entrants if not one["bot"] and one["name"] != league.host.display_name],
            "planned": planned,
            "postponing": [(fixture, _postpone_form(fixture)) for fixture in planned],
            "unit": unit_of(season),
            "running": leagues.Fixtures(season=season, status="running")[:SHOWN] if is_running else [],
            "done": leagues.Fixtures(season=season, status="done")[:SHOWN] if is_running else [],
        }
    return render(request, "games/league_host.html", context, status=status)


def _postpone_form(fixture: dict[str, Any]) -> PlainForm:
    at = datetime.fromisoformat(fixture["on"])
    return PostponeForm(initial={"to": at}, auto_id=f"postpone-{fixture['id']}-%s")


def _hosted(request: HttpRequest, public_id: str) -> Any:
    league = league_seen(request, public_id)
    if league.host_id != request.user.pk:
        raise NotHost("Only the league's host may see this page.")
    return league


def _season(request: HttpRequest, public_id: str) -> Any:
    league = leagues.league_get(public_id=public_id, user=reader(request), key=request.POST.get("key", ""))
    season = leagues.season_get(league=league)
    if season is None:
        raise LeagueUnknown("This league has no season yet.")
    return season


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Malformed("The form came without what it is about. Open the page again.")
    return int(text)
