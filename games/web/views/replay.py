"""A race step by step: the address names the entry."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games.selectors import races, records
from games.selectors.errors import EntryUnknown
from games.web.pages import SeeOther, page, race_context, seen


@require_safe
@page
def replay(request: HttpRequest, public_id: str, entry: int | None = None) -> HttpResponse:
    """The race after one entry: what happened, what was drawn, the board then."""
    found = seen(request, public_id)
    wanted = request.GET.get("entry", "")
    if entry is None and wanted.isascii() and wanted.isdigit() and len(wanted) < 8:
        return SeeOther(_address(request, public_id, int(wanted)))
    if entry is None:
        entry = int(found.race.seq)
    if not 0 <= entry <= int(found.race.seq):
        raise EntryUnknown(f"This race has the entries 0 to {found.race.seq}; there is no entry {entry}.")
    eyes_word = request.GET.get("eyes", "")
    eyes = int(eyes_word) if eyes_word in {str(number) for number in range(1, 21)} else None
    step = records.replay_step(race=found.race, entry=entry, viewer=found.seat, eyes=eyes)
    presentation = races.race_present(race=found.race, viewer=found.seat, log_last=0)
    # Through other eyes one sees that driver's hand; one's own car stays one's own.
    view = {**step["view"], "viewer": step["car"]}
    context = race_context(
        {**presentation, **step, "view": view, "question": None},
        step=step,
        at_entry=step["entry"],
        eyes=step["eyes"],
        is_host=request.user.is_authenticated and found.race.host_id == request.user.pk,
        # Of a turn that the race went back to there are several; this is the one that the entry belongs to.
        turn_entry=max((turn["entry"] for turn in step["turns"] if turn["entry"] <= entry), default=0),
        query=f"?eyes={eyes}" if eyes is not None and step["eyes"] == eyes else "",
        done_width=f"{640 * entry / max(1, int(found.race.seq)):.0f}",
        race=presentation["race"],
        stamp=("Replay", "quiet"),
    )
    return render(request, "games/replay.html", context)


def _address(request: HttpRequest, public_id: str, entry: int) -> str:
    eyes = request.GET.get("eyes", "")
    query = f"?eyes={eyes}" if eyes.isascii() and eyes.isdigit() else ""
    return reverse("games:replay", args=[public_id, entry]) + query


@require_safe
@page
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """The whole record of a finished race, for verify_race."""
    found = seen(request, public_id)
    body = records.record_bytes(race=found.race)
    return HttpResponse(
        body,
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{found.race.public_id}.json"'},
    )
