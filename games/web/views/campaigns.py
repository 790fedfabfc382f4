"""Campaigns: the lists, a new one, its page, the ledger, a purchase, and what hosts and drivers do about a car."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from games.engine.errors import ActionRefused
from games.selectors import campaigns as selectors
from games.services import campaigns as services
from games.services.errors import Malformed, StaleAnswer
from games.tempo import policies, tempos
from games.web.forms import CampaignForm
from games.web.pages import SeeOther, new_key, page, signed_in, status_of

OWN: Final = ("running", "paused", "lobby", "finished", "closed")


def _user(request: HttpRequest) -> Any:
    return request.user if request.user.is_authenticated else None


def _found(request: HttpRequest, public_id: str) -> Any:
    return selectors.campaign_get(public_id=public_id, user=_user(request))


def _address(campaign: Any) -> str:
    return reverse("games:campaign", args=[campaign.public_id])


@require_safe
@page
def campaign_list(request: HttpRequest) -> HttpResponse:
    """One's own campaigns, and those that anybody may watch."""
    lines = selectors.campaigns_listed(user=_user(request))
    own = [line for line in lines if line["you"] is not None]
    context = {
        "here": "races",
        "own": sorted(own, key=lambda line: OWN.index(line["status"])),
        "others": [line for line in lines if line["you"] is None],
    }
    return render(request, "games/campaigns.html", context)


@signed_in
@page
def campaign_new(request: HttpRequest) -> HttpResponse:
    """Lay out a campaign; what was filled in stays if it is refused."""
    form = CampaignForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            campaign = services.campaign_create(by=request.user, **form.arguments())  # type: ignore[arg-type]
        except ActionRefused as refused:
            form.refuse(getattr(refused, "field", None), refused.text)
        else:
            messages.success(request, "The campaign is laid out. Now gather the drivers.")
            race = selectors.last_race(campaign).race
            return SeeOther(reverse("games:race", args=[race.public_id]))
    context = {
        "here": "races",
        "form": form,
        "tempos": [*tempos.TEMPOS.values()],
        "own_tempo": tempos.HOURS,
        "policies": list(policies.POLICIES.items()),
    }
    return render(request, "games/campaign_new.html", context, status=422 if form.errors else 200)


@require_safe
@page
def campaign(request: HttpRequest, public_id: str) -> HttpResponse:
    """Points, upgrades, races, who buys, and what is asked of whoever looks."""
    return _page(request, _found(request, public_id))


def _page(request: HttpRequest, found: Any, *, refused: ActionRefused | None = None) -> HttpResponse:
    shown = selectors.campaign_shown(campaign=found, user=_user(request))
    first = selectors.last_race(found).race if found.status == "lobby" else None
    context = {
        "here": "races",
        "now": timezone.now(),
        "campaign": shown,
        "ruleset": shown["ruleset"],
        "question": shown["question"],
        "names": {line["car"]: line["name"] for line in shown["standings"]},
        "lobby_race": None if first is None else first.public_id,
        "links": _links(request, found, shown) if shown["is_host"] else [],
        "refused": refused,
    }
    return render(request, "games/campaign.html", context, status=200 if refused is None else status_of(refused))


def _links(request: HttpRequest, found: Any, shown: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the host passes on to whoever shall drive the car of a driver who dropped out."""
    links = []
    for driver in selectors.drivers_missing(campaign=found):
        address = reverse("games:campaign_drive_on", args=[shown["id"], driver.car])
        invitation = services.car_invitation(driver)
        links.append({"car": driver.car, "address": request.build_absolute_uri(f"{address}?invitation={invitation}")})
    return links


@require_safe
@page
def ledger(request: HttpRequest, public_id: str) -> HttpResponse:
    """Every line of the ledger, the last first."""
    found = _found(request, public_id)
    context = {
        "here": "races",
        "campaign": {"id": found.public_id, "name": found.name},
        "ruleset": found.ruleset,
        "lines": selectors.campaign_ledger(campaign=found)[::-1],
    }
    return render(request, "games/campaign_ledger.html", context)


@signed_in
@page
def buy(request: HttpRequest, public_id: str, decision: int, number: int) -> HttpResponse:
    """GET: the answer of that number to the purchase as it stands now, to be confirmed. POST: give it."""
    found = _found(request, public_id)
    if request.method == "POST":
        return _bought(request, found, decision)
    question = selectors.campaign_shown(campaign=found, user=_user(request))["question"]
    if question is None or question["decision"] != decision:
        messages.error(request, "That purchase is over: it was answered, or its time has passed.")
        return SeeOther(_address(found))
    chosen = next((answer for answer in question["answers"] if answer["number"] == number), None)
    if chosen is None:
        raise Http404("This purchase has no such answer.")
    context = {
        "here": "races",
        "now": timezone.now(),
        "campaign": {"id": found.public_id, "name": found.name},
        "ruleset": found.ruleset,
        "question": question,
        "chosen": chosen,
        "key": new_key(),
    }
    return render(request, "games/campaign_buy.html", context)


def _bought(request: HttpRequest, found: Any, decision: int) -> HttpResponse:
    try:
        receipt = services.purchase_answer(
            campaign_id=found.pk,
            by=request.user,  # type: ignore[arg-type]
            purchase_id=decision,
            position=_number(request.POST.get("position", "")),
            action=_action(request),
            idempotency_key=request.POST.get("key", ""),
        )
    except StaleAnswer as refused:
        messages.error(request, refused.text)
        return _page(request, found, refused=refused)
    except ActionRefused as refused:
        return _page(request, found, refused=refused)
    told = f"{receipt['words']}: done."
    messages.success(request, told if receipt["is_over"] else f"{told} You may go on to return or buy.")
    return SeeOther(_address(found))


def _action(request: HttpRequest) -> dict[str, Any]:
    action: dict[str, Any] = {"do": request.POST.get("do", "")}
    upgrade = request.POST.get("upgrade", "")
    return {**action, "upgrade": upgrade} if upgrade else action


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Malformed("The form came without its position. Open the campaign again and answer from there.")
    return int(text)


# --- What is done on its page -----------------------------------------------------------

_ACTS: Final[dict[str, tuple[Callable[..., object], str]]] = {
    "pause": (services.campaign_pause, "All clocks of the campaign stand still."),
    "resume": (services.campaign_resume, "The campaign goes on."),
    "close": (services.campaign_close, "The campaign is closed."),
    "drop-out": (services.campaign_drop_out, "You have dropped out. A bot drives your car on."),
}
_ASKED_FIRST: Final = frozenset({"close", "drop-out"})
"""Acts that cannot be taken back: their button stands on a page of its own."""


@signed_in
@page
def act(request: HttpRequest, public_id: str, do: str) -> HttpResponse:
    """Pause, resume, close, drop out; the last two are asked first."""
    found = _found(request, public_id)
    if do not in _ACTS or (request.method != "POST" and do not in _ASKED_FIRST):
        raise Http404("There is no such page.")
    if request.method != "POST":
        context = {"here": "races", "campaign": {"id": found.public_id, "name": found.name}, "do": do}
        return render(request, "games/campaign_sure.html", context)
    service, said = _ACTS[do]
    return _done(request, found, lambda: service(campaign_id=found.pk, by=request.user), said)


@signed_in
@page
def drive_on(request: HttpRequest, public_id: str, car: int) -> HttpResponse:
    """GET: the host's link, which asks first. POST: take the car over."""
    given = request.POST if request.method == "POST" else request.GET
    invitation = given.get("invitation", "")
    found = selectors.campaign_for_invited(public_id=public_id) if invitation else _found(request, public_id)
    if request.method != "POST":
        context = {
            "here": "races",
            "campaign": {"id": found.public_id, "name": found.name},
            "do": "drive",
            "car": car,
            "invitation": invitation,
        }
        return render(request, "games/campaign_sure.html", context)
    services.campaign_drive_on(campaign_id=found.pk, by=request.user, car=car, invitation=invitation)  # type: ignore[arg-type]
    messages.success(request, f"You drive car {car} now, with all its points and upgrades.")
    return SeeOther(_address(found))


@signed_in
@require_POST
@page
def relieve(request: HttpRequest, public_id: str, car: int) -> HttpResponse:
    """Give the car of a driver who has gone to a bot."""
    found = _found(request, public_id)
    return _done(
        request,
        found,
        lambda: services.campaign_relieve(campaign_id=found.pk, by=request.user, car=car),  # type: ignore[arg-type]
        f"A bot drives car {car} on.",
    )


def _done(request: HttpRequest, found: Any, do: Callable[[], object], said: str) -> HttpResponse:
    try:
        do()
    except ActionRefused as refused:
        return _page(request, found, refused=refused)
    messages.success(request, said)
    return SeeOther(_address(found))
