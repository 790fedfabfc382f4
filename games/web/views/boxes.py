"""A component set to look through: every figure and where it comes from, road tiles drawn."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games.runtime import catalogue, tracks
from games.web.boards import hexes
from games.web.views.tracks import LANES, ROWS

SOURCES: Final = {
    "printed": "printed in the rules",
    "stated": "from another public source",
    "inferred": "follows from what is printed",
    "designed": "our own",
}


@require_safe
def box(request: HttpRequest, ruleset: str, name: str) -> HttpResponse:
    """All of a set of road tiles, tokens, dice and commands."""
    if ruleset not in tracks.TITLES or name not in tracks.boxes(ruleset):
        raise Http404("There is no such box to look through.")
    found = catalogue.component_set(ruleset, name)
    settings = tracks.Settings(players=tracks.PLAYERS[1], carnage=True, sides="mixed", box=name)
    tiles = [tracks.tile(ruleset, key, settings) for key in found["tiles"]]
    context = {
        "here": "races",
        "ruleset": ruleset,
        "title": tracks.TITLES[ruleset],
        "box": found,
        "boxes": [(one, reverse("games:box", args=[ruleset, one])) for one in tracks.boxes(ruleset)],
        "tiles": [
            {
                **one,
                "drawing": hexes.drawing(one["spaces"], lanes=LANES, rows=ROWS),
                "number": found["tiles"][one["key"]],
            }
            for one in tiles
        ],
        "dice": [
            {"name": key, "faces": faces, "source": SOURCES[found["dice_provenance"][key]]}
            for key, faces in found["dice"].items()
        ],
        "crews": [_crew(found, crew) for crew in found["crews"].values()],
        "kinds": [
            ("Damage tokens", _kinds(found["damage"])),
            ("Hazard tokens", _kinds(found["hazards"])),
            ("Cards of ongoing damage", _kinds(found["ongoing"])),
        ],
        "tile_source": SOURCES[found["tile_provenance"]["layouts"]],
        "grounds": tracks.GROUNDS,
    }
    return render(request, "games/box.html", context)


def _crew(found: dict[str, Any], crew: dict[str, Any]) -> dict[str, Any]:
    """A crew with its commands, dice in words."""
    commands = [
        {**one, "dice": _values(one["values"]), "source": SOURCES[one["provenance_of"]["values"]]}
        for one in found["commands"].values()
        if one["crew"] == crew["key"]
    ]
    return {**crew, "commands": commands}


def _values(values: list[int]) -> str:
    least, most = min(values), max(values)
    if (least, most) == (1, 6):
        return "any"
    return str(least) if least == most else f"{least} to {most}"


def _kinds(kinds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**kind, "source": SOURCES[kind["provenance_of"]["count"]]} for kind in kinds]
