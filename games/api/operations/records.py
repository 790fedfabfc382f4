"""What happened: the log, the replay, and the record of a race that is over."""

from typing import Final

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import RaceOperation
from games.api.operations.described import described
from games.selectors.log import Place, log_page, log_text
from games.selectors.records import record_bytes, replay_step

LINES_MOST: Final = 500


class LogRead(RaceOperation):
    """A race's log."""

    @described(
        shapes.LogPage,
        operation_id="log_read",
        parameters=[
            OpenApiParameter(
                "since",
                OpenApiTypes.STR,
                description="What comes after this place, the `place` of a page; a number: entries after this one.",
            ),
            OpenApiParameter(
                "before", OpenApiTypes.INT, description="The latest lines of the entries before this one."
            ),
            OpenApiParameter("most", OpenApiTypes.INT, description=f"Lines, at most {LINES_MOST}; entries stay whole."),
        ],
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Read what happened, as you may know it, oldest first: from an entry on, or back from one with `before`."""
        race = self.race
        since, before = _place(request), _number(request, "before")
        if since is not None and before is not None:
            raise ValidationError({"before": "Read on with since or back with before, not both."})
        most = _number(request, "most")
        most = LINES_MOST if most is None else max(1, min(most, LINES_MOST))
        page = log_page(race=race, viewer=self.seat(race), most=most, since=since, before=before)
        lines = page["lines"]
        return Response(
            {
                "lines": lines,
                "place": str(page["place"]),
                "next_since": lines[-1]["entry"] if lines and page["later"] else None,
                "previous_before": lines[0]["entry"] if lines and page["earlier"] else None,
            }
        )


class LogText(RaceOperation):
    """A race's log as one text."""

    @described(OpenApiTypes.STR, operation_id="log_text")
    def get(self, request: Request, public_id: str) -> HttpResponse:
        """Export the whole log as plain text, as you may know it."""
        race = self.race
        return HttpResponse(log_text(race=race, viewer=self.seat(race)), content_type="text/plain; charset=utf-8")


class ReplayRead(RaceOperation):
    """A race after one of its entries."""

    @described(
        shapes.ReplayStep,
        operation_id="replay_read",
        parameters=[
            OpenApiParameter("eyes", OpenApiTypes.INT, description="Once the race is over: through whose eyes.")
        ],
    )
    def get(self, request: Request, public_id: str, entry: int) -> Response:
        """Read the race as it was after an entry. Acts and draws are shown once the race is over."""
        race = self.race
        return Response(replay_step(race=race, entry=entry, viewer=self.seat(race), eyes=_number(request, "eyes")))


class RecordRead(RaceOperation):
    """The record of a finished race."""

    @described(OpenApiTypes.OBJECT, operation_id="record_read")
    def get(self, request: Request, public_id: str) -> HttpResponse:
        """Export the whole record of a race that is over, as verify_race reads it."""
        race = self.race
        response = HttpResponse(record_bytes(race=race), content_type="application/json")
        response["Content-Disposition"] = f'attachment; filename="{race.public_id}.json"'
        return response


def _place(request: Request) -> Place | None:
    text = request.query_params.get("since")
    try:
        return None if text is None else Place.of(text)
    except ValueError as unread:
        raise ValidationError({"since": "Write the place of a page of the log, or an entry's number."}) from unread


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValidationError({name: "Write a whole number."})
    return int(text)
