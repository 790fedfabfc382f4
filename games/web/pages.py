"""What the views share: a race and its viewer, refusals as pages, keys of forms, the context of a race's page."""

import functools
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Concatenate, Final, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from games.engine.errors import ActionRefused
from games.runtime.rulesets import conceals
from games.selectors import races, seats
from games.selectors.decisions import only_text
from games.selectors.errors import LeagueUnseen
from games.selectors.invitations import seat_kept_for
from games.services.errors import CampaignUnknown, Malformed, NotYourSeat, RaceUnknown
from games.services.hosting import host_seen
from games.tempo.holds import MEDIAN_PART
from games.web import boards

Presentation = Mapping[str, Any]
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

STATUS: Final = {
    "malformed": 400,
    "ambiguous": 400,
    "key_missing": 400,
    "not_your_seat": 403,
    "not_host": 403,
    "invitation": 403,
    "unknown_race": 404,
    "unknown_campaign": 404,
    "unknown_entry": 404,
    "unknown_league": 404,
    "unknown_order": 404,
    "bad_link": 404,
    "stale": 409,
    "not_yours": 409,
    "no_way_back": 409,
    "not_open": 409,
    "not_running": 409,
    "not_over": 409,
    "over": 409,
    "full": 409,
    "season": 409,
    "seat_not_gone": 409,
    "host_not_away": 409,
    "illegal": 422,
    "faulty": 503,
}
HEADINGS: Final = {
    400: "That could not be read",
    403: "Not yours to do",
    404: "No such page",
    409: "Not any more",
    422: "Against the rules",
    503: "Broken down",
}
TOO_EARLY: Final = frozenset({"not_over", "host_not_away", "seat_not_gone"})
"""Refusals (409) of what may be done later, where all the others come too late."""
KEY_BYTES: Final = 16


class SeeOther(HttpResponseRedirect):
    """303: the act is done, look there; a reload of what follows posts nothing."""

    status_code = 303


def status_of(refused: ActionRefused) -> int:
    """The HTTP status of a refusal; 422 for a code that is not known here."""
    return STATUS.get(refused.code, 422)


def new_key() -> str:
    """An idempotency key for a form: made anew each time a form is shown, so two posts of one form are one act."""
    return secrets.token_urlsafe(KEY_BYTES)


def page(view: View[P]) -> View[P]:
    """Turn a refusal that a view does not answer itself into a page that says why."""

    @functools.wraps(view)
    def told(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ActionRefused as refused:
            return refusal_page(request, refused)

    return told


def refusal_page(request: HttpRequest, refused: ActionRefused) -> HttpResponse:
    """A page of its own for a refusal that no other page can show."""
    status = status_of(refused)
    context = {
        "heading": "Not yet" if refused.code in TOO_EARLY else HEADINGS.get(status, "Refused"),
        "refused": refused,
        "status": status,
        "next": request.get_full_path() if _may_be_seen_signed_in(request, refused) else "",
    }
    return render(request, "games/refused.html", context, status=status)


def _may_be_seen_signed_in(request: HttpRequest, refused: ActionRefused) -> bool:
    """Whether to offer signing in and coming back: for what a stranger cannot see, be it there or not."""
    return (
        isinstance(refused, RaceUnknown | CampaignUnknown | LeagueUnseen)
        and request.method in {"GET", "HEAD"}
        and not request.user.is_authenticated
    )


# --- Who looks at what ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """The race of an address, and the seat of the person who looks at it (None: a spectator)."""

    race: Any
    seat: Any


def seen(request: HttpRequest, public_id: str, *, invitation: str = "") -> Seen:
    """The race of this address for whoever looks; raises RaceUnknown for what is none of theirs."""
    user = request.user if request.user.is_authenticated else None
    race = races.race_get(public_id=public_id, user=user, invitation=invitation)
    if user is not None:
        host_seen(race=race, by=user, now=timezone.now())
    return Seen(race=race, seat=seats.seat_of(race=race, user=user))


def is_invited(request: HttpRequest, race: Any, invitation: str) -> bool:
    """Whether a seat of this race waits for whoever looks, by the link of a mail or by mail address."""
    user = request.user if request.user.is_authenticated else None
    kept = seat_kept_for(race=race, user=user, invitation=invitation)
    return kept is not None and kept.state == "invited" and race.status in {"open", "running"}


def seated(request: HttpRequest, public_id: str) -> Seen:
    """The same for whoever must hold a seat; raises NotYourSeat."""
    found = seen(request, public_id)
    if found.seat is None:
        raise NotYourSeat("You have no seat in this race, so you cannot answer in it.")
    return found


def signed_in(view: View[P]) -> View[P]:
    """Let only signed-in players through; others sign in first and then come back to the same address."""

    @functools.wraps(view)
    def known(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.method == "POST":
            return redirect_to_login(back_of(request, *args, **kwargs))
        return redirect_to_login(request.get_full_path())

    return known


def back_of(_request: HttpRequest, *args: object, **kwargs: object) -> str:
    """Where a player lands after signing in, if the address that was asked for only takes posts."""
    public_id = kwargs.get("public_id") or (args[0] if args else None)
    return reverse("games:race", args=[public_id]) if public_id else reverse("games:lobby")


def race_address(race: Any) -> str:
    """The address of a race's page."""
    return reverse("games:race", args=[race.public_id])


# --- What a form sends ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sent:
    """What every form that acts sends along: the position it was made for, its key, the answer."""

    position: int
    key: str
    action: dict[str, Any]
    follow_ups: dict[str, str]
    sure: str = ""
    """By which the page has said what the answer risks, if it was given all the same (games.web.composing.sure_of)."""
    is_risky: bool = False
    """Whether the form says that its answer risks something."""


def sent(request: HttpRequest) -> Sent:
    """Read the common fields of a form that acts; raises Malformed with a sentence."""
    try:
        position = int(request.POST.get("position", ""))
        action = json.loads(request.POST.get("action", ""))
    except (ValueError, RecursionError) as odd:
        raise Malformed(
            "The form came without its position or its answer. Open the race again and answer from there."
        ) from odd
    if not isinstance(action, dict):
        raise Malformed("The answer in the form is not one. Open the race again and answer from there.")
    prefix = "follow-"
    follow_ups = {
        name.removeprefix(prefix): value
        for name, value in request.POST.items()
        if name.startswith(prefix) and isinstance(value, str)
    }
    return Sent(
        position=position,
        key=request.POST.get("key", ""),
        action=action,
        follow_ups=follow_ups,
        sure=request.POST.get("sure", ""),
        is_risky="risky" in request.POST,
    )


def receipt_text(receipt: Mapping[str, Any]) -> str:
    """What became of an answer, in words."""
    words = str(receipt["words"])
    said = f"{words[:1].upper()}{words[1:]}"
    if receipt["status"] == "sealed":
        return f"Sealed: {said}. Nobody sees it until the window closes; until then you can change it."
    if receipt["status"] == "noted":
        return f"Noted: {said}."
    return f"Played: {said}."


# --- The context of a race's page -------------------------------------------------------


def find_answer(question: Mapping[str, Any] | None, decision: int, number: int) -> Mapping[str, Any] | None:
    """The ready answer of this number, if this decision is what is asked now."""
    return _find(question, decision, number, "answers")


def find_form(question: Mapping[str, Any] | None, decision: int, number: int) -> Mapping[str, Any] | None:
    """The form of this number, if this decision is what is asked now."""
    return _find(question, decision, number, "forms")


def _find(question: Mapping[str, Any] | None, decision: int, number: int, kind: str) -> Mapping[str, Any] | None:
    if question is None or question["decision"] != decision:
        return None
    return next((answer for answer in question[kind] if answer["number"] == number), None)


def race_context(presentation: Presentation, **more: Any) -> dict[str, Any]:
    """What the pages of a race show, from its presentation: the same words, in the order of a page."""
    you = presentation["you"]
    context: dict[str, Any] = {
        **presentation,
        "here": "races",
        "now": timezone.now(),
        "ruleset": presentation["race"]["ruleset"],
        "your_name": presentation["drivers"].get(str(you), "") if you is not None else "",
        "stamp": stamp_of(presentation),
        "conceals": conceals(presentation["race"]["ruleset"]),
        "waiting_for": waiting_name(presentation),
        "waiting_part": waiting_part_of(presentation),
        "waiting_bot": waiting_bot(presentation),
        "window_text": window_text(presentation),
        "entries": entries_of(presentation["log"]),
        "choices": choices_of(presentation["question"], presentation["names"]),
        "only_text": only_text(presentation),
        "result": result_of(presentation["result"]),
        "gone_seats": [seat for seat in presentation["seats"] if seat.get("gone")],
        "own_wishes": wishes_of(presentation),
    }
    board = boards.board_of(presentation)
    if board is not None:
        context["ruleset_templates"] = f"games/boards/{context['ruleset']}"
    if board is not None and presentation["view"] is not None:
        context |= board.squares(presentation)
        context["board_templates"] = f"games/boards/{context['ruleset']}"
        context |= {"board_styles": board.styles, "board_jump": board.jump}
    return context | more


def armed(chosen: Mapping[str, Any], choices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a page shows about the one answer it is for: the answer, its JSON, and the others."""
    return {
        "chosen": chosen,
        "action_json": json.dumps(chosen["action"], ensure_ascii=False),
        "other_choices": [choice for choice in choices if choice["number"] != chosen["number"]],
        "key": new_key(),
    }


def result_of(result: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The result with the number of each place: after a place that two cars share comes the third."""
    if result is None:
        return None
    groups: list[dict[str, Any]] = []
    number = 1
    for drivers in result["places"]:
        groups.append({"number": number, "drivers": drivers})
        number += 1 if result["teams"] else len(drivers)
    return {**result, "groups": groups}


def crop_context(presentation: Presentation, composed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The drawing of what one question is about, for its page; ``composed``: an answer that is being put together."""
    board = boards.board_of(presentation)
    return {} if board is None or presentation["view"] is None else board.crop(presentation, composed)


def wishes_of(presentation: Presentation) -> bool | None:
    """Whether the viewer wishes to be asked where any driver may play; None if that is no question for this viewer."""
    cars = (presentation["view"] or {}).get("cars", ())
    own = [car for car in cars if car["seat"] == presentation["car"] and not car.get("withdrawn")]
    wishes: bool | None = own[0].get("wishes") if own else None
    return wishes


def stamp_of(presentation: Presentation) -> tuple[str, str]:
    """The rubber stamp beside the heading: words, and "" (rust), "ok" or "quiet"."""
    status, question = presentation["race"]["status"], presentation["question"]
    if status == "finished":
        return "Finished", "quiet"
    if status == "abandoned":
        return "Called off", "quiet"
    if question is not None and question["sealed"] is None:
        return ("Your turn" if question["kind"] == "turn" else "Answer wanted"), ""
    if question is not None:
        return "Sealed", "ok"
    return ("Watching" if presentation["you"] is None else "Waiting"), "quiet"


def waiting_name(presentation: Presentation) -> str:
    """Whose turn everybody waits for, by name, if that is public."""
    waiting = presentation["waiting"]
    if not waiting or waiting["kind"] != "turn":
        return ""
    seat = waiting["seat"]
    return presentation["drivers"].get(str(seat)) or f"Car {seat}"


def waiting_part_of(presentation: Presentation) -> str:
    """Where two drive a car: which car is waited for and which of the two, "Car 3, Assistant Driver"; else ""."""
    waiting = presentation["waiting"]
    if not waiting or waiting["kind"] != "turn" or "," not in waiting["car"]:
        return ""
    return f"{waiting['car'][:1].upper()}{waiting['car'][1:]}"


def waiting_bot(presentation: Presentation) -> Mapping[str, Any] | None:
    """The seat whose turn everybody waits for, if a bot drives it: a deadline says nothing about when a bot acts."""
    waiting = presentation["waiting"]
    if not waiting or waiting["kind"] != "turn":
        return None
    return next(
        (seat for seat in presentation["seats"] if seat["seat"] == waiting["seat"] and seat["kind"] == "bot"), None
    )


def window_text(presentation: Presentation) -> str:
    """How long a window mostly stays open, from what is agreed about it and from nothing else."""
    race = presentation["race"]
    if race["policy"] == "open":
        return "It closes with the last answer."
    if race["policy"] == "strict":
        return "It stays open until then, whoever has answered."
    median = float(race["reaction_hours"]) * 3600 * MEDIAN_PART
    return f"Once all have answered, it closes within about {round_text(median)}, mostly."


def round_text(seconds: float) -> str:
    """A length as one says it: "10 seconds", "5 minutes", "2 hours"."""
    for unit, word in ((3600, "hour"), (60, "minute")):
        if seconds >= unit * 0.95:
            number = round(seconds / unit)
            return f"{number} {word}{'s' if number > 1 else ''}"
    return f"{max(5, round(seconds / 5) * 5)} seconds"


def choices_of(question: Mapping[str, Any] | None, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Answers and forms in one list by number; an answer that plays no card is a quiet one.

    ``more`` says whose car an answer names by its number.
    """
    if question is None:
        return []
    answers = [
        {
            **answer,
            "is_form": False,
            "is_quiet": not answer.get("cards"),
            "more": target_text(answer["action"], names),
        }
        for answer in question["answers"]
    ]
    forms = [{**form, "words": form["label"], "is_form": True, "is_quiet": True} for form in question["forms"]]
    return sorted([*answers, *forms], key=lambda choice: int(choice["number"]))


def target_text(action: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Whose car the answer is aimed at, if it is aimed at one."""
    target = action.get("target")
    name = names.get(str(target), "") if target else ""
    return f"Car {target} is {name}\u2019s." if name else ""


def entries_of(log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The log by entries, the latest first; within an entry things stay in the order in which they happened."""
    entries = [{"entry": entry, "lines": list(lines)} for entry, lines in groupby(log, key=lambda line: line["entry"])]
    for entry in entries:
        entry["at"] = entry["lines"][0]["at"]
        entry["turn"] = entry["lines"][0]["turn"]
    return entries[::-1]
