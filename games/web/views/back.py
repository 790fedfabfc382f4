"""Going back: taking back one's own last act, and the host's request that the whole race goes back."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from games.engine.errors import ActionRefused
from games.runtime.rulesets import conceals
from games.selectors.rewinds import rewind_of
from games.services import rewinds
from games.services.errors import Malformed, RaceFaulty, StaleAnswer
from games.services.undo import act_undo
from games.web.forms import RewindForm
from games.web.pages import (
    Seen,
    SeeOther,
    new_key,
    page,
    race_address,
    race_context,
    seated,
    seen,
    signed_in,
    status_of,
)
from games.web.views.answers import present, question_page


@signed_in
@page
def undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET: what the button will take back. POST: take it back."""
    found = seated(request, public_id)
    if request.method == "POST":
        return _undo(request, found)
    presentation = present(found)
    context = race_context(presentation, key=new_key())
    return render(request, "games/undo.html", context, status=200 if presentation["undo"] else 409)


def _undo(request: HttpRequest, found: Seen) -> HttpResponse:
    position = request.POST.get("position", "")
    if not position.isascii() or not position.isdigit() or len(position) > 9:
        raise Malformed("The form came without its position. Open the race again and take it back from there.")
    try:
        receipt = act_undo(
            race_id=found.race.pk,
            seat_id=found.seat.pk,
            expected_seq=int(position),
            idempotency_key=request.POST.get("key", ""),
        )
    except StaleAnswer:
        return question_page(request, present(found), is_stale=True, status=409)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        return question_page(request, present(found), refused=refused, status=status_of(refused))
    words = str(receipt["words"])
    said = f"Taken back: {words[:1].upper()}{words[1:]}. {receipt['note']}"
    messages.success(request, said.strip())
    return SeeOther(race_address(found.race))


@signed_in
@page
def rewind(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET: the host's request, or the form for one. POST: ask."""
    found = seen(request, public_id)
    if request.method != "POST":
        to = request.GET.get("to", "")
        return _page(request, found, to=to if to.isascii() and to.isdigit() and len(to) < 8 else "")
    form = RewindForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form=form, status=422)
    given = form.cleaned_data
    try:
        ask = rewinds.rewind_ask(
            race_id=found.race.pk,
            by=request.user,  # type: ignore[arg-type]
            to_seq=given["to"],
            key=given["key"],
            reason=given["reason"],
        )
    except ActionRefused as refused:
        form.refuse(getattr(refused, "field", None), refused.text)
        return _page(request, found, form=form, status=status_of(refused))
    said = f"The race is back at entry {ask.to_seq}." if ask.done_at else "All drivers are told, and asked to agree."
    messages.success(request, said)
    return SeeOther(race_address(found.race))


@signed_in
@require_POST
@page
def rewind_answer(request: HttpRequest, public_id: str, ask_id: int, do: str) -> HttpResponse:
    """Agree, think again, or take the request back."""
    found = seen(request, public_id)
    ways: dict[str, tuple[Callable[..., Any], str]] = {
        "agree": (rewinds.rewind_agree, "You have agreed."),
        "think-again": (rewinds.rewind_think_again, "You agree no more."),
        "drop": (rewinds.rewind_drop, "The request is taken back."),
    }
    if do not in ways:
        raise Http404
    act, said = ways[do]
    try:
        ask = act(race_id=found.race.pk, by=request.user, ask_id=ask_id)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        messages.error(request, refused.text)
        return _page(request, found, status=status_of(refused))
    messages.success(request, f"All have agreed: the race is back at entry {ask.to_seq}." if ask.done_at else said)
    return SeeOther(race_address(found.race))


def _page(
    request: HttpRequest, found: Seen, *, form: RewindForm | None = None, to: str = "", status: int = 200
) -> HttpResponse:
    race = found.race
    race.refresh_from_db()
    context = {
        "here": "races",
        "race": race,
        "conceals": conceals(race.ruleset),
        "is_host": race.host_id == request.user.pk,
        "is_running": race.status == "running",
        "rewind": rewind_of(race=race, user=request.user),  # type: ignore[arg-type]
        "form": form or RewindForm(initial={"key": new_key(), "to": to}),
    }
    return render(request, "games/rewind.html", context, status=status)
