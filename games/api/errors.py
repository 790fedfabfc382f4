"""Refusals as problem documents (RFC 9457): the one place where codes become HTTP.

Members: type (the address of the problem's own description), title, status, code, detail (one sentence for a
person), rule (a rule's number, "" if no rule of the game is meant), and what a single problem adds.
"""

import logging
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response

from games.runtime.catalogue import CatalogueUnknown
from games.services.errors import ActionRefused, StaleAnswer

logger = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
RETRY_SECONDS: Final = 5
"""When to ask again while the database is away."""


@dataclass(frozen=True)
class Problem:
    """One kind of refusal: its HTTP status, its title, and when it comes."""

    status: int
    title: str
    meaning: str


PROBLEMS: Final[dict[str, Problem]] = {
    "refused": Problem(409, "Refused", "The act is not possible now; the detail says why."),
    "malformed": Problem(400, "Not understood", "A part is missing, unknown or ill-formed; the detail names it."),
    "invalid": Problem(400, "Not understood", "Fields are missing or ill-formed; errors lists each with a sentence."),
    "ambiguous": Problem(400, "Ambiguous", "The words could mean more than one act; the detail says which."),
    "key_missing": Problem(400, "Key missing", "An act needs a key of 1 to 100 characters, new for each new act."),
    "bad_link": Problem(400, "Broken link", "The signed text is not whole, or was not made here."),
    "not_authenticated": Problem(401, "Not signed in", "The operation needs a token or a session."),
    "permission_denied": Problem(403, "Not allowed", "The request is not allowed; a session needs its CSRF token."),
    "no_way_back": Problem(409, "No way back", "Nothing can be taken back, or the race cannot go back that far."),
    "not_your_seat": Problem(403, "Not your seat", "You hold no seat in this race, or not this one."),
    "not_host": Problem(403, "Not the host", "Only the race's host may do this."),
    "invitation": Problem(403, "Invitation refused", "The invitation is not whole, was taken back, or is used up."),
    "not_found": Problem(404, "Not found", "There is nothing at this address."),
    "unknown_race": Problem(404, "No such race", "There is no such race, or it is not yours to see."),
    "unknown_league": Problem(404, "No such league", "There is no such league, season or driver that you may see."),
    "unknown_campaign": Problem(404, "No such campaign", "There is no such campaign, or it is not yours to see."),
    "unknown_entry": Problem(404, "No such entry", "The race's record has no such entry."),
    "unknown_order": Problem(404, "No such order", "You have no such standing order; it may be gone already."),
    "unknown_ruleset": Problem(404, "No such ruleset", "There is no such ruleset or component set."),
    "method_not_allowed": Problem(405, "Method not allowed", "The address has no such operation."),
    "not_acceptable": Problem(406, "Not acceptable", "Answers are JSON."),
    "stale": Problem(409, "Too late", "The race has moved on; position and question say what is asked of you now."),
    "not_yours": Problem(409, "Nothing is asked", "Nothing is asked of this seat now."),
    "over": Problem(409, "Race over", "The race has ended; nobody acts any more."),
    "not_over": Problem(409, "Race not over", "The race still runs; its record holds what nobody may know yet."),
    "not_open": Problem(409, "Not open", "The race has started or was called off."),
    "not_running": Problem(409, "Not running", "The race has not started, or was called off."),
    "season": Problem(409, "Not in this season", "The league's season does not allow that now; the detail says why."),
    "full": Problem(409, "Full", "No seat is free."),
    "seat_not_gone": Problem(409, "Driver still here", "A seat can be taken only from a driver who has gone."),
    "host_not_away": Problem(409, "Host still here", "Hosting can be taken over from a host who is away only."),
    "too_large": Problem(413, "Too large", "The body is larger than any operation needs; the detail says how large."),
    "unsupported_media_type": Problem(415, "Not JSON", "Requests are JSON: Content-Type: application/json."),
    "illegal": Problem(422, "Against the rules", "The act was understood and a rule forbids it; rule says which."),
    "throttled": Problem(429, "Too many requests", "Wait as long as Retry-After says."),
    "server_error": Problem(500, "Our fault", "Something broke here; who runs this server finds it in the log."),
    "unavailable": Problem(
        503, "Out of service", "The database does not answer. Send the same, with the same key, again."
    ),
    "faulty": Problem(503, "Race held up", "Something in the race's record is broken; nothing of it is lost."),
}
"""Every code that a problem document may have."""


def type_address(code: str) -> str:
    """The address that names and describes a kind of problem."""
    return f"{settings.SITE_URL}/api/v1/problems/{code}"


def problem(code: str, detail: str, *, rule: str = "", **more: Any) -> Response:
    """The problem document of this code as a response."""
    kind = PROBLEMS[code]
    body = {
        "type": type_address(code),
        "title": kind.title,
        "status": kind.status,
        "code": code,
        "detail": detail,
        "rule": rule,
        **more,
    }
    return Response(body, status=kind.status, content_type=MEDIA_TYPE)


def refusal_told(error: Exception, context: dict[str, Any]) -> Response:
    """The problem document for whatever an operation raised; DRF's exception handler.

    An error that nobody foresaw is logged with its trace and told without it. ``context["view"]`` may offer
    ``present_question()``, whose members are added to the refusal of an act.
    """
    if isinstance(error, ActionRefused):
        return _refused(error, context)
    if isinstance(error, CatalogueUnknown):
        return problem("unknown_ruleset", str(error))
    if isinstance(error, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return problem("too_large", f"A body may have {most} bytes at most.")
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, exceptions.APIException):
        return _told_by_the_framework(error)
    logger.error("An operation of the API broke", exc_info=error)
    if isinstance(error, OperationalError | InterfaceError):
        response = problem("unavailable", PROBLEMS["unavailable"].meaning)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
    return problem("server_error", PROBLEMS["server_error"].meaning)


def _refused(error: ActionRefused, context: dict[str, Any]) -> Response:
    more: dict[str, Any] = {}
    if isinstance(error, StaleAnswer):
        more = {"position": error.position, "question": error.question}
    elif hasattr(context["view"], "present_question"):
        more = context["view"].present_question()
    field = getattr(error, "field", "")
    if field:
        more["errors"] = [{"field": field, "detail": error.text}]
    return problem(error.code, error.text, rule=error.rule, **more)


def _told_by_the_framework(error: exceptions.APIException) -> Response:
    headers = {}
    asked = getattr(error, "auth_header", None)
    if asked:
        headers["WWW-Authenticate"] = str(asked)
    wait: float | None = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(max(1, ceil(wait)))
    if isinstance(error, exceptions.ValidationError):
        errors = list(_field_errors(error.detail))
        named = "; ".join(f"{one['field']}: {one['detail']}" if one["field"] else one["detail"] for one in errors)
        response = problem("invalid", named, errors=errors)
    else:
        code = _CODE_OF_STATUS.get(error.status_code, "refused")
        response = problem(code, str(error.detail))
    for name, value in headers.items():
        response[name] = value
    return response


_CODE_OF_STATUS: Final = {
    status.HTTP_400_BAD_REQUEST: "malformed",
    status.HTTP_401_UNAUTHORIZED: "not_authenticated",
    status.HTTP_403_FORBIDDEN: "permission_denied",
    status.HTTP_404_NOT_FOUND: "not_found",
    status.HTTP_405_METHOD_NOT_ALLOWED: "method_not_allowed",
    status.HTTP_406_NOT_ACCEPTABLE: "not_acceptable",
    status.HTTP_415_UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
    status.HTTP_429_TOO_MANY_REQUESTS: "throttled",
}


def _field_errors(detail: Any, field: str = "") -> list[dict[str, str]]:
    if isinstance(detail, dict):
        return [
            error for name, inner in detail.items() for error in _field_errors(inner, _inner_name(field, str(name)))
        ]
    if isinstance(detail, list):
        return [error for inner in detail for error in _field_errors(inner, field)]
    return [{"field": field, "detail": str(detail)}]


def _inner_name(outer: str, inner: str) -> str:
    if inner == "non_field_errors":
        return outer
    return f"{outer}.{inner}" if outer else inner
