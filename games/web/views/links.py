"""The page that a link in a mail opens: it shows, its button acts, and it signs nobody in."""

import zoneinfo
from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from games.engine.errors import ActionRefused
from games.selectors import campaigns, decisions, races, seats
from games.selectors.log import log_of
from games.services import turns
from games.services.campaigns import purchase_submit
from games.services.errors import NotYourDecision, RaceFaulty, RaceNotRunning, StaleAnswer
from games.services.hosting import host_seen
from games.services.links import Link, LinkRefused, link_read, link_token
from games.web import answer_forms, composing
from games.web.pages import (
    SeeOther,
    Sent,
    armed,
    crop_context,
    find_answer,
    find_form,
    page,
    race_context,
    refusal_page,
    sent,
    status_of,
)

LINES: Final = 12


# The signed link is the proof; a token in a cookie would shut out mail readers that keep none.
@csrf_exempt
def act(request: HttpRequest, token: str) -> HttpResponse:
    """Show the question as it stands now and what the button will do; do it when the button is pressed."""
    response = _act(request, token)
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store, private"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


@page
def _act(request: HttpRequest, token: str) -> HttpResponse:
    link = link_read(token)
    seat = seats.seat_get(seat_id=link.seat_id)
    if seat is None:
        return refusal_page(request, LinkRefused("The race of this link is not here any more."))
    with timezone.override(_zone_of(seat)):
        if request.method == "POST":
            return _post(request, link, seat)
        return _show(request, link, seat)


def _zone_of(seat: Any) -> zoneinfo.ZoneInfo:
    """The zone of the seat's player: the reader is not signed in, so only the link tells whose times these are."""
    if seat.player is None:
        return zoneinfo.ZoneInfo(timezone.get_default_timezone_name())
    return zoneinfo.ZoneInfo(seat.player.time_zone)


def _show(
    request: HttpRequest, link: Link, seat: Any, *, status: int = 200, again: bool = False, **more: Any
) -> HttpResponse:
    """The question with the link's answer armed; if it is closed, what happened and what is asked now.

    ``again``: it was pressed, and the answer risks something.
    """
    presentation = _presented(seat)
    chosen = _chosen(presentation, link, seat)
    if chosen is None:
        return _closed(request, link, seat, status=status, **more)
    context = race_context(presentation, is_link=True, is_done=_done(request), **more)
    if link.is_purchase:
        context |= _campaign_of(seat)
    context |= armed(chosen, context["choices"])
    if "fields" not in chosen:
        if not link.is_purchase:
            context |= composing.told_risks(composing.risks_of(presentation, chosen["action"]), again=again)
        context |= crop_context(presentation)
        return render(request, "games/act.html", context, status=status)
    if "fields" not in more:
        given = request.POST if request.method == "POST" else request.GET
        context["fields"] = composing.fields_in_part(presentation, chosen, given)
    composed = composing.composed_of(context["fields"])
    context |= {"composed": composed, "compose_at": request.path} | crop_context(presentation, composed)
    return render(request, "games/act_form.html", context, status=status)


def _presented(seat: Any) -> dict[str, Any]:
    """The seat's race as its driver sees it, with what its campaign asks before it begins."""
    presented = races.race_present(race=seat.race, viewer=seat, log_last=LINES)
    return campaigns.with_purchase(presented, race=seat.race, seat=seat)


def _campaign_of(seat: Any) -> dict[str, Any]:
    """What the pages of a purchase show of its campaign: all of it is open to whoever drives in it."""
    campaign = campaigns.campaign_of_race(race=seat.race)
    assert campaign is not None, "a purchase belongs to a campaign"
    return {"campaign": campaigns.campaign_shown(campaign=campaign)}


def _chosen(presentation: Mapping[str, Any], link: Link, seat: Any) -> Mapping[str, Any] | None:
    """The link's answer or form, if its question is still open to the seat that it was mailed to."""
    question = presentation["question"]
    if link.is_purchase:
        return _bought(question, link, seat)
    decision = decisions.decision_get(decision_id=link.decision_id)
    is_open = decision is not None and decision.seat_id == seat.pk and _is_theirs(link, seat)
    if not is_open or question is None or question["position"] != link.position:
        return None
    if link.action is None:
        return find_form(question, link.decision_id, link.number)
    answer = find_answer(question, link.decision_id, link.number)
    return answer if answer is not None and answer["action"] == link.action else None


def _bought(question: Mapping[str, Any] | None, link: Link, seat: Any) -> Mapping[str, Any] | None:
    """The link's answer to a purchase, whatever number it has now.

    It names an upgrade, which only the driver's own answers can have changed: after something is returned the other
    links of the mail are good still. The form names the position that it was shown at.
    """
    if not _is_theirs(link, seat) or not campaigns.is_purchase(question):
        return None
    assert question is not None
    answers = question["answers"] if question["decision"] == link.decision_id else ()
    return next((answer for answer in answers if answer["action"] == link.action), None)


def _is_theirs(link: Link, seat: Any) -> bool:
    """Whether the seat is still held by the player to whom the link was mailed; a seat may be given on."""
    if seat.state != "joined" or seat.player_id is None:
        return False
    return seat.joined_at is None or link.signed_at >= int(seat.joined_at.timestamp())


def _done(request: HttpRequest) -> str:
    """What the act before this page has come to, if there was one."""
    done = request.GET.get("done", "")
    return done if done in {"applied", "sealed", "noted"} else ""


def _closed(request: HttpRequest, link: Link, seat: Any, *, status: int = 200, **more: Any) -> HttpResponse:
    """What everybody may know of what happened since, and the new question without its answers.

    An old link proves no more than that a mail was read once, so it opens no hand: the answers stand in the newer
    mail and behind the sign-in.
    """
    if link.is_purchase:
        return _closed_purchase(request, link, seat, status=status, **more)
    mine = races.race_present(race=seat.race, viewer=seat, log_last=0)
    public = races.race_present(race=seat.race, viewer=None, log_last=0)
    since = log_of(race=seat.race, viewer=None, since=link.position)
    context = race_context(
        {**public, "log": since[: 2 * LINES]},
        new_question=mine["question"] if _is_theirs(link, seat) else None,
        is_link=True,
        is_done=_done(request),
        **more,
    )
    return render(request, "games/act_closed.html", context, status=status)


def _closed_purchase(request: HttpRequest, link: Link, seat: Any, *, status: int, **more: Any) -> HttpResponse:
    """What was bought; and while the same purchase goes on, since something was returned, its answers as links.

    What is owned and what may be bought is known to all, so an old link tells nothing; and it may answer no more than
    it could before.
    """
    presented = _presented(seat)
    question = presented["question"]
    is_on = campaigns.is_purchase(question) and question["decision"] == link.decision_id and _is_theirs(link, seat)
    answers = [
        {**answer, "address": _link(seat, question, answer["number"])}
        for answer in (question["answers"] if is_on else ())
    ]
    context = race_context(
        {**presented, "question": question if is_on else None},
        is_link=True,
        is_done=_done(request),
        answers=answers,
        **_campaign_of(seat),
        **more,
    )
    return render(request, "games/act_bought.html", context, status=status)


def _link(seat: Any, question: dict[str, Any], number: int) -> str:
    return reverse("games:act_link", args=[link_token(seat_id=seat.pk, question=question, number=number)])


def _post(request: HttpRequest, link: Link, seat: Any) -> HttpResponse:
    """Give the link's answer through the one door."""
    if not _is_theirs(link, seat):
        return _closed(request, link, seat, status=409, is_stale=True)
    if seat.player is not None:
        host_seen(race=seat.race, by=seat.player, now=timezone.now())
    given = sent(request)
    if link.is_purchase:
        return _buy(request, link, seat, given)
    if link.action is None:
        return _post_form(request, link, seat, given)
    if given.is_risky and not given.sure:
        return _show(request, link, seat, again=True)
    return _submit(request, link, seat, given, link.action)


def _post_form(request: HttpRequest, link: Link, seat: Any, given: Sent) -> HttpResponse:
    """Give the answer that a form says, or look at it."""
    presentation = races.race_present(race=seat.race, viewer=seat, log_last=LINES)
    chosen = _chosen(presentation, link, seat)
    if chosen is None and presentation["race"]["position"] == link.position:
        return _closed(request, link, seat, status=409, is_stale=True)
    # With the question gone this is the same form twice, which has its receipt, or it is late: the door knows.
    action = given.action
    if chosen is not None:
        if "look" in request.POST:
            return _show(request, link, seat)
        fields = composing.with_paths(presentation, chosen, answer_forms.page_fields(chosen, request.POST))
        if answer_forms.has_errors(fields):
            return _show(request, link, seat, status=422, fields=fields, has_errors=True)
        action = answer_forms.action_of(chosen, fields)
        risks = composing.risks_of(presentation, action)
        if risks and given.sure != composing.sure_of(risks):
            return _show(request, link, seat, fields=fields, **composing.told_risks(risks, again=True))
    return _submit(request, link, seat, given, action)


def _submit(request: HttpRequest, link: Link, seat: Any, given: Sent, action: Any) -> HttpResponse:
    """Give an answer at the position that the mail was sent for."""
    try:
        receipt = turns.action_submit(
            race_id=seat.race_id,
            seat_id=seat.pk,
            expected_seq=link.position,
            idempotency_key=given.key,
            action=action,
            origin="link",
            follow_ups=given.follow_ups or None,
        )
    except StaleAnswer:
        return _closed(request, link, seat, status=409, is_stale=True)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        return _show(request, link, seat, status=status_of(refused), refused=refused)
    return SeeOther(f"{request.path}?done={receipt['status']}")


def _buy(request: HttpRequest, link: Link, seat: Any, given: Sent) -> HttpResponse:
    """Answer the purchase as the link says, at the position that the page was shown at."""
    assert link.action is not None, "a purchase has no forms"
    try:
        receipt = purchase_submit(
            seat=seat,
            purchase_id=link.decision_id,
            expected_seq=given.position,
            idempotency_key=given.key,
            action=link.action,
            origin="link",
        )
    except (StaleAnswer, NotYourDecision, RaceNotRunning):
        return _closed(request, link, seat, status=409, is_stale=True)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        return _show(request, link, seat, status=status_of(refused), refused=refused)
    return SeeOther(f"{request.path}?done={receipt['status']}")
