"""What a driver answers beforehand: standing orders, the plan, and the report of what they did."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from games.engine.errors import ActionRefused
from games.engine.standing import MOST_PLAYS
from games.runtime.play import action_of
from games.runtime.present import names_of
from games.runtime.questions import turn_forms
from games.runtime.rulesets import RULESETS, conceals, planning_of, seat_words
from games.selectors import races, seats
from games.selectors.beforehand import beforehand_of, occasions_of, standing_tried
from games.services import plans, standing
from games.services.errors import Malformed, NotYourDecision, RaceFaulty, RaceNotRunning, RaceOver
from games.web import answer_forms, boards, composing
from games.web.order_forms import OrderForm, order_form, order_text
from games.web.pages import (
    Seen,
    SeeOther,
    crop_context,
    new_key,
    page,
    race_address,
    race_context,
    seated,
    signed_in,
    status_of,
)

MOST_LETTERS: Final = 200
"""Of a line that an address hands on."""
REPORT_LINES: Final = 20
"""So many acts stand in the report while the race runs; the rest is one link away."""
WISH_STAYS: Final = (
    " The wish that came with it stays: you are asked where only who wishes it is, until you say otherwise in the race."
)
Show = Callable[..., HttpResponse]
"""Shows the page again: with what was tried, or with a refusal and its status."""


@signed_in
@page
def orders(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET: all that the driver has answered beforehand. POST: try or save orders in the driver's own words."""
    found = driver(request, public_id)
    if request.method != "POST":
        return orders_page(request, found, added=request.GET.get("line", "")[:MOST_LETTERS])
    texts = request.POST.get("texts", "")

    def show(**more: Any) -> HttpResponse:
        return orders_page(request, found, texts=texts, **more)

    lines = [line for line in texts.splitlines() if line.strip()]
    if not lines:
        return show(refused=Malformed("Write an order first, one on a line."), status=400)
    return _try_or_save(request, found, lines, show)


@signed_in
@page
def order_new(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET: the form for the moment of the query. POST: try or save what was filled in."""
    found = driver(request, public_id)
    _refuse_onlooker(found)
    occasion = next(
        (one for one in occasions_of(race=found.race, seat=found.seat) if one["key"] == request.GET.get("when")), None
    )
    if occasion is None:
        raise Http404("There is no such moment in this race.")
    filled = request.POST if request.method == "POST" else None
    form = order_form(occasion, _others(found), filled)

    def show(*, status: int = 200, **more: Any) -> HttpResponse:
        return order_page(request, found, form, status=status, **more)

    if filled is None:
        return show()
    try:
        text = order_text(occasion, filled)
    except Malformed as refused:
        return show(refused=refused, status=status_of(refused))
    return _try_or_save(request, found, [text], show)


@signed_in
@require_POST
@page
def order_move(request: HttpRequest, public_id: str, order_id: int) -> HttpResponse:
    """Put one standing order at another place of the list."""
    found = driver(request, public_id)
    place = request.POST.get("place", "")
    if not place.isascii() or not place.isdigit() or len(place) > 3:
        raise Malformed("Choose a place of the list.")
    standing.standing_move(race_id=found.race.pk, seat_id=found.seat.pk, order_id=order_id, place=int(place))
    messages.success(request, "Your orders have changed places; of two that fit a moment the first counts.")
    return SeeOther(f"{orders_address(found)}#standing")


@signed_in
@require_POST
@page
def order_remove(request: HttpRequest, public_id: str, order_id: int) -> HttpResponse:
    """Take one standing order back."""
    found = driver(request, public_id)
    wish_stays = standing.standing_remove(race_id=found.race.pk, seat_id=found.seat.pk, order_id=order_id)
    messages.success(request, f"That standing order is gone.{WISH_STAYS if wish_stays else ''}")
    return SeeOther(orders_address(found))


@signed_in
@require_POST
@page
def orders_clear(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take all standing orders back."""
    found = driver(request, public_id)
    wish_stays = standing.standing_clear(race_id=found.race.pk, seat_id=found.seat.pk)
    messages.success(request, f"You have no standing orders any more.{WISH_STAYS if wish_stays else ''}")
    return SeeOther(orders_address(found))


@signed_in
@require_POST
@page
def plan(request: HttpRequest, public_id: str) -> HttpResponse:
    """Keep a plan in place of the one that waits; what was written stays if it is refused."""
    found = driver(request, public_id)
    written = request.POST.get("lines", "")
    try:
        told = plans.plan_save(
            race_id=found.race.pk,
            seat_id=found.seat.pk,
            lines=written.splitlines(),
            idempotency_key=request.POST.get("key", ""),
        )
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        return orders_page(request, found, lines=written, plan_refused=refused, status=status_of(refused))
    messages.success(request, plan_text(told))
    return SeeOther(f"{orders_address(found)}#plan")


@signed_in
@require_safe
@page
def plan_line(request: HttpRequest, public_id: str) -> HttpResponse:
    """A line for the plan, put together by tapping or in letters; nothing is kept."""
    found = driver(request, public_id)
    _refuse_onlooker(found)
    presentation = races.race_present(race=found.race, viewer=found.seat, log_last=0)
    ruleset = RULESETS[found.race.ruleset]
    form = next(iter(turn_forms(ruleset, presentation["view"])), None)
    if form is None or planning_of(ruleset) is None:
        raise Http404("There is nothing to be put together for a plan now.")
    fields = composing.fields_in_part(presentation, form, request.GET)
    composed = composing.composed_of(fields)
    action = answer_forms.action_of(form, fields)
    words = ruleset.say(presentation["view"], action_of(ruleset, action))
    context = race_context({**presentation, "question": None}, chosen=form, fields=fields, composed=composed)
    context |= {"compose_at": request.path, "line": words, "risks": composing.risks_of(presentation, action)}
    context |= crop_context({**presentation, "question": None}, composed)
    return render(request, "games/plan_line.html", context)


@signed_in
@require_POST
@page
def plan_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Cancel the plan that waits."""
    found = driver(request, public_id)
    if plans.plan_cancel(race_id=found.race.pk, seat_id=found.seat.pk):
        messages.success(request, "Your plan is cancelled. What it has done already stays done.")
    else:
        messages.info(request, "There was no plan waiting any more.")
    return SeeOther(race_address(found.race) if request.POST.get("back") == "race" else orders_address(found))


# --- Who, and what for -------------------------------------------------------------------


def driver(request: HttpRequest, public_id: str) -> Seen:
    """The race and one's own seat in it; raises NotYourSeat, and RaceNotRunning before the start."""
    found = seated(request, public_id)
    if found.race.started_at is None:
        raise RaceNotRunning("The race has not started, or was called off: orders are for a race under way.")
    return found


def may_order(found: Seen) -> bool:
    """Whether this driver still gives orders; before that is over, the page is for looking only."""
    return bool(found.race.status == "running" and found.seat.state == "joined")


def orders_address(found: Seen) -> str:
    """The address of the page of a race's orders."""
    return reverse("games:orders", args=[found.race.public_id])


def _refuse_onlooker(found: Seen) -> None:
    if found.race.status == "finished":
        raise RaceOver("The race is over.")
    if not may_order(found):
        raise NotYourDecision("Your car is out of the race: nothing will be asked of it any more.")


def _others(found: Seen) -> list[tuple[int, str]]:
    names = names_of(seats.seats_of(race=found.race)).cars
    return [(int(car), name) for car, name in names.items() if int(car) != found.seat.car]


def _try_or_save(request: HttpRequest, found: Seen, texts: Sequence[str], show: Show) -> HttpResponse:
    """Keep the orders, or tell what they would have done; a refusal is shown beside what was filled in."""
    try:
        if request.POST.get("do") != "save":
            _refuse_onlooker(found)
            return show(tried=_tried(found, texts))
        saved = standing.standing_save(race_id=found.race.pk, seat_id=found.seat.pk, texts=texts)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        return show(refused=refused, status=status_of(refused))
    messages.success(request, saved_text(saved))
    return SeeOther(orders_address(found))


def _tried(found: Seen, texts: Sequence[str]) -> dict[str, Any]:
    tried = standing_tried(race=found.race, seat=found.seat, texts=texts)
    return {**tried, "answered": sum(window["would"] is not None for window in tried["windows"])}


# --- Words -------------------------------------------------------------------------------


def saved_text(saved: Sequence[standing.Saved]) -> str:
    """What became of the orders that were saved, in words."""
    count = len(saved)
    said = "Your standing order is kept" if count == 1 else f"Your {count} standing orders are kept"
    replaced = sum(one.replaced for one in saved)
    if replaced:
        said += (
            ", in place of the one for the same moment" if count == 1 else f"; {replaced} of them in place of another"
        )
    said += f". From the next question on {'it counts' if count == 1 else 'they count'}."
    idle = sum(one.is_idle for one in saved)
    if not idle:
        return said
    which = "it" if count == 1 else "one of them" if idle == 1 else f"{idle} of them"
    return f"{said} Only who wishes to be asked about such cards is asked: without that wish {which} never acts."


def plan_text(told: dict[str, Any]) -> str:
    """What became of a plan that was saved, in words."""
    done = f"{told['done']} line{'' if told['done'] == 1 else 's'}"
    if told["state"] == "done":
        return f"Your plan is done: all of its {done} at once."
    if told["state"] == "stopped":
        return f"Your plan has stopped after {done}. {told['why']}"
    if told["done"]:
        return f"Your plan has begun: {done} done, the rest waits."
    return "Your plan is kept. It begins as soon as something is asked of you in your turn."


# --- Pages -------------------------------------------------------------------------------


def orders_page(
    request: HttpRequest,
    found: Seen,
    *,
    texts: str = "",
    lines: str | None = None,
    added: str = "",
    refused: ActionRefused | None = None,
    plan_refused: ActionRefused | None = None,
    tried: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of all that is answered beforehand; ``added``: a line for the plan that was put together."""
    told = beforehand_of(race=found.race, seat=found.seat)
    plan = told["plan"]
    is_waiting = plan is not None and plan["state"] == "waiting"
    is_whole = found.race.status == "finished" or request.GET.get("report") == "all"
    standing_lines = "\n".join(plan["lines"][plan["done"] :]) if lines is None and is_waiting else lines or ""
    shown = told["fired"] if is_whole else told["fired"][:REPORT_LINES]
    context = {
        **_common(found),
        "orders": told["orders"],
        "occasions": told["occasions"],
        "conditions": told["conditions"],
        "plan": plan,
        "plan_is_waiting": is_waiting,
        "fired": shown,
        "fired_left_out": len(told["fired"]) - len(shown),
        "texts": texts,
        "lines": "\n".join(line for line in (standing_lines, added) if line),
        "is_added": bool(added),
        "puts_together": may_order(found) and bool(told["conditions"]) and _has_turn_form(found),
        "refused": refused,
        "plan_refused": plan_refused,
        "tried": tried,
        "key": new_key(),
    }
    return render(request, "games/orders.html", context, status=status)


def _has_turn_form(found: Seen) -> bool:
    """Whether a line of a plan can be put together by choosing."""
    presentation = races.race_present(race=found.race, viewer=found.seat, log_last=0)
    return bool(turn_forms(RULESETS[found.race.ruleset], presentation["view"]))


def order_page(
    request: HttpRequest,
    found: Seen,
    form: OrderForm,
    *,
    status: int,
    refused: ActionRefused | None = None,
    tried: dict[str, Any] | None = None,
) -> HttpResponse:
    """The page on which one order is filled in."""
    context = {**_common(found), "form": form, "most": MOST_PLAYS, "refused": refused, "tried": tried}
    return render(request, "games/order_new.html", context, status=status)


def _common(found: Seen) -> dict[str, Any]:
    return {
        "here": "races",
        "now": timezone.now(),
        "race": found.race,
        "ruleset": found.race.ruleset,
        "your_car": seat_words(found.race.ruleset, found.seat.car, found.seat.part),
        "board_templates": f"games/boards/{found.race.ruleset}" if found.race.ruleset in boards.BOARDS else "",
        "may_order": may_order(found),
        "is_over": found.race.status == "finished",
        # Where nothing is hidden, no window stays open for appearances.
        "is_open_policy": found.race.policy == "open" or not conceals(found.race.ruleset),
        "conceals": conceals(found.race.ruleset),
    }
