"""Answering: the confirm page of a ready answer, the page of an answer with parts, and the wish to be asked."""

import json
from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from games.engine.errors import ActionRefused
from games.selectors import races
from games.services import turns
from games.services.errors import RaceFaulty, StaleAnswer
from games.web import answer_forms, composing
from games.web.pages import (
    Seen,
    SeeOther,
    Sent,
    armed,
    crop_context,
    find_answer,
    find_form,
    new_key,
    page,
    race_address,
    race_context,
    receipt_text,
    seated,
    sent,
    signed_in,
    status_of,
    wishes_of,
)

LINES: Final = 12
"""So many lines of the log stand behind a question."""


@signed_in
@page
def answer(request: HttpRequest, public_id: str, decision: int, number: int) -> HttpResponse:
    """GET: the question as it stands now and what the button will do. POST: do it."""
    found = seated(request, public_id)
    given = sent(request) if request.method == "POST" else None
    if given is not None and (given.sure or not given.is_risky):
        return submit(request, found, given)
    presentation = present(found)
    chosen = find_answer(presentation["question"], decision, number)
    if chosen is None:
        return stale_page(request, presentation) if given is None else submit(request, found, given)
    return confirm_page(request, presentation, chosen, is_asked_again=given is not None)


@signed_in
@page
def form(request: HttpRequest, public_id: str, decision: int, number: int) -> HttpResponse:
    """GET: the parts of an answer. POST: give it; what was filled in stays if it is refused."""
    found = seated(request, public_id)
    presentation = present(found)
    question = presentation["question"]
    chosen = find_form(question, decision, number)
    if request.method != "POST":
        if chosen is None:
            return stale_page(request, presentation)
        return form_page(request, presentation, chosen, composing.fields_in_part(presentation, chosen, request.GET))
    given = sent(request)
    if chosen is None or question is None or question["position"] != given.position:
        if presentation["race"]["position"] == given.position:
            raise Http404("This question has no such form.")
        # Either the same form twice, which has its receipt, or an answer that came too late: the door knows.
        return submit(request, found, given)
    if "look" in request.POST:
        return form_page(request, presentation, chosen, composing.fields_in_part(presentation, chosen, request.POST))
    fields = composing.with_paths(presentation, chosen, answer_forms.page_fields(chosen, request.POST))
    if answer_forms.has_errors(fields):
        return form_page(request, presentation, chosen, fields, status=422)
    action = answer_forms.action_of(chosen, fields)
    risks = composing.risks_of(presentation, action)
    if risks and given.sure != composing.sure_of(risks):
        return form_page(request, presentation, chosen, fields, risks=risks)
    return submit(
        request,
        found,
        Sent(position=given.position, key=given.key, action=action, follow_ups=given.follow_ups),
        refused_form=(chosen, fields),
    )


def present(found: Seen) -> dict[str, Any]:
    """The presentation for one question's page."""
    return races.race_present(race=found.race, viewer=found.seat, log_last=LINES)


def submit(
    request: HttpRequest,
    found: Seen,
    given: Sent,
    *,
    refused_form: tuple[Mapping[str, Any], list[answer_forms.PageField]] | None = None,
) -> HttpResponse:
    """Give the answer through the one door; show what became of it, or why it was refused."""
    try:
        receipt = turns.action_submit(
            race_id=found.race.pk,
            seat_id=found.seat.pk,
            expected_seq=given.position,
            idempotency_key=given.key,
            action=given.action,
            follow_ups=given.follow_ups or None,
        )
    except StaleAnswer:
        return stale_page(request, present(found))
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        presentation = present(found)
        if refused_form is not None:
            chosen, fields = refused_form
            return form_page(request, presentation, chosen, fields, refused=refused, status=status_of(refused))
        return question_page(request, presentation, refused=refused, status=status_of(refused))
    messages.success(request, receipt_text(receipt))
    return SeeOther(race_address(found.race))


def confirm_page(
    request: HttpRequest, presentation: Mapping[str, Any], chosen: Mapping[str, Any], *, is_asked_again: bool = False
) -> HttpResponse:
    """The page with the one big button; ``is_asked_again``: it was pressed, and the answer risks something."""
    risks = composing.risks_of(presentation, chosen["action"])
    context = race_context(presentation, **composing.told_risks(risks, again=is_asked_again))
    context |= crop_context(presentation)
    return render(request, "games/answer.html", context | armed(chosen, context["choices"]))


def form_page(
    request: HttpRequest,
    presentation: Mapping[str, Any],
    chosen: Mapping[str, Any],
    fields: list[answer_forms.PageField],
    *,
    refused: ActionRefused | None = None,
    status: int = 200,
    risks: tuple[str, ...] = (),
) -> HttpResponse:
    """The page with an answer's parts; ``risks``: what it was sent with, and may cost."""
    composed = composing.composed_of(fields)
    context = race_context(
        presentation,
        fields=fields,
        refused=refused,
        has_errors=answer_forms.has_errors(fields),
        composed=composed,
        compose_at=request.path,
        **composing.told_risks(risks, again=True),
    ) | crop_context(presentation, composed)
    context |= armed(chosen, context["choices"])
    return render(request, "games/form.html", context, status=status)


def stale_page(request: HttpRequest, presentation: Mapping[str, Any]) -> HttpResponse:
    """409: the question has gone. What happened, and what is asked now."""
    return question_page(request, presentation, is_stale=True, status=409)


def question_page(request: HttpRequest, presentation: Mapping[str, Any], *, status: int, **more: Any) -> HttpResponse:
    """Why nothing was played, and the question as it stands."""
    return render(request, "games/not_played.html", race_context(presentation, **more), status=status)


@signed_in
@page
def wish(request: HttpRequest, public_id: str) -> HttpResponse:
    """Whether to be asked where any driver may play a card; an answer of its own, which needs no question."""
    found = seated(request, public_id)
    if request.method == "POST":
        return submit(request, found, sent(request))
    presentation = present(found)
    wishes = None if presentation["view"] is None else wishes_of(presentation)
    if wishes is None:
        raise Http404("This race has no such wish.")
    action = json.dumps({"do": "wish", "fate": not wishes})
    context = race_context(presentation, wishes=wishes, key=new_key(), action_json=action)
    return render(request, "games/wish.html", context)
