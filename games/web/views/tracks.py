"""Track lists for people at a table: made, revealed and shared by the page's address alone; nothing is kept."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games.runtime import tracks
from games.web.boards import hexes
from games.web.forms import PlainForm
from games.web.pages import SeeOther

LANES: Final = 6
ROWS: Final = 10
PLACES: Final = ("front", "middle", "rear")
"""Of the three tiles on the table."""


class TrackForm(PlainForm):
    """What a track list is made for."""

    players = forms.TypedChoiceField(
        label="Players",
        coerce=int,
        choices=[(n, str(n)) for n in range(tracks.PLAYERS[0], tracks.PLAYERS[1] + 1)],
        initial=4,
        help_text="Two race over five tiles.",
    )
    sides = forms.ChoiceField(
        label="Sides",
        choices=(("mixed", "A or B, drawn"), ("A", "A, milder"), ("B", "B, harder")),
        initial="mixed",
    )
    box = forms.ChoiceField(label="Box", required=False)
    carnage = forms.BooleanField(label="Carnage: tiles 6 and higher too", required=False)

    def __init__(self, *args: Any, boxes: tuple[str, ...], **kwargs: Any) -> None:
        """Offer the component sets that lists can be made of; the first stands if none is named."""
        super().__init__(*args, **kwargs)
        field = self.fields["box"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, name) for name in boxes]
        field.initial = boxes[0]
        self.has_boxes = len(boxes) > 1

    def settings(self) -> tracks.Settings:
        """The settings of a form that is valid."""
        given = self.cleaned_data
        return tracks.Settings(
            players=given["players"],
            carnage=given["carnage"],
            sides=given["sides"],
            box=given["box"] or self.fields["box"].initial,
        )


@require_safe
def track(request: HttpRequest, ruleset: str) -> HttpResponse:
    """The form, and below it a list as far as it is revealed. ``new``: make another; ``list``: its code; ``shown``."""
    if ruleset not in tracks.TITLES:
        raise Http404("This game has no road tiles.")
    given = request.GET
    wanted = "new" in given or "list" in given
    form = TrackForm(given if wanted else None, boxes=tracks.boxes(ruleset), initial=_remembered(given))
    context = {"here": "races", "form": form, "title": tracks.TITLES[ruleset], "address": request.path}
    if not wanted:
        return render(request, "games/track.html", context)
    code = tracks.new_code() if "new" in given else given["list"]
    if not tracks.CODE.fullmatch(code):
        form.add_error(None, "The address of this track list is not whole. Ask for it again, or make another list.")
    if not form.is_valid():
        return render(request, "games/track.html", context, status=422)
    settings = form.settings()
    if "new" in given:
        return SeeOther(_address(request.path, settings, list=code))
    found = tracks.track_list(ruleset, code, settings, shown=_number(given.get("shown", "")))
    tiles = [{"number": n, **tracks.tile(ruleset, key, settings)} for n, key in enumerate(found.shown, 1)]
    on_table = tiles[: -tracks.TABLE - 1 : -1]
    context |= {
        "track": found,
        "shown": tiles,
        "latest": tiles[-1],
        "gone": tiles[-tracks.TABLE - 1] if found.gone else None,
        "left": tiles[: -tracks.TABLE],
        "table": [
            {**one, "place": place, "drawing": hexes.drawing(one["spaces"], lanes=LANES, rows=ROWS)}
            for place, one in zip(PLACES, on_table, strict=True)
        ],
        "next": _address(request.path, settings, list=code, shown=len(tiles) + 1) if found.has_next else "",
        "another": _address(request.path, settings, new=1),
        "reset": _address(request.path, settings),
        "race": _race_address(ruleset, settings, code) if tracks.can_be_raced(ruleset) else "",
        "grounds": tracks.GROUNDS,
    }
    return render(request, "games/track.html", context)


def _remembered(given: Mapping[str, str]) -> dict[str, Any]:
    """What a form that asks for no list yet is filled in with: the settings of the list that was reset."""
    kept = {name: given[name] for name in ("players", "sides", "box") if name in given}
    return {**kept, "carnage": given.get("carnage") == "on"} if kept else {}


def _number(words: str) -> int:
    """How many tiles an address asks to be shown; the fewest if it says nothing that is a number."""
    return int(words) if words.isascii() and words.isdecimal() and len(words) <= 4 else 0


def _address(path: str, settings: tracks.Settings, **more: str | int) -> str:
    """The page's address with these settings."""
    given: dict[str, str | int] = {"players": settings.players, "sides": settings.sides, "box": settings.box}
    if settings.carnage:
        given["carnage"] = "on"
    return f"{path}?{urlencode({**given, **more})}"


def _race_address(ruleset: str, settings: tracks.Settings, code: str) -> str:
    """Where a race with this list is laid out; the form there takes the list from ``games.runtime.tracks.order``."""
    return _address(reverse("games:race_new"), settings, ruleset=ruleset, list=code)
