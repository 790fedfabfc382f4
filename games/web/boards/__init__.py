"""What each ruleset's pages draw: a presentation in, ready-made squares out; the words are the ruleset's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from games.web import composing
from games.web.boards import roadkill, roadkill_panel, thunder_road, thunder_road_panel

Squares = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Board:
    """The drawing functions of one ruleset; its templates lie under ``games/boards/<key>/``.

    ``crop`` takes what is being put together of an answer as well (games.web.composing.composed_of), or None.
    ``mini``: None where there is no bar in miniature. ``styles``: a stylesheet besides the site's, "" for none.
    """

    squares: Callable[[Mapping[str, Any]], Squares]
    crop: Callable[[Mapping[str, Any], Mapping[str, Any] | None], Squares]
    mini: Callable[[Mapping[str, Any]], Any] | None = None
    styles: str = ""
    jump: tuple[str, str] = ("", "")
    """What the page's row of anchors calls what is the viewer's own, and what is everybody's."""


def roadkill_squares(presentation: Mapping[str, Any]) -> Squares:
    """All that RoadKill's templates draw of one presentation."""
    view, words, names = presentation["view"], presentation["board"], presentation["names"]
    panels = roadkill_panel.panels(view, words, names, presentation["seats"])
    return {
        "course": roadkill.course(view, words, names, drivers=presentation["drivers"]),
        "listing": roadkill.listing(view, words, names),
        "gone": roadkill.gone_cars(words, names),
        "hand": roadkill_panel.hand(view, presentation["question"]),
        "partner_hand": roadkill_panel.partner_hand(view, presentation["question"]),
        "panels": panels,
        "own_panel": next((panel for panel in panels if panel.is_own), None),
        "table": words["table"],
        "light": view["light"],
        "deck": view["deck"],
    }


def roadkill_crop(presentation: Mapping[str, Any], composed: Mapping[str, Any] | None = None) -> Squares:
    """RoadKill's band of the own car's Section, for pages that are about one question."""
    view, words, names = presentation["view"], presentation["board"], presentation["names"]
    own, drivers = roadkill_panel.own_car(view), presentation["drivers"]
    if own is None or own.get("withdrawn") or not any(s["number"] == own["section"] for s in view["course"]):
        return {"course": roadkill.course(view, words, names, drivers=drivers)}
    return {"course": roadkill.crop(view, words, names, own["section"], drivers=drivers)}


def roadkill_mini(presentation: Mapping[str, Any]) -> roadkill.Mini:
    """RoadKill's course at a glance."""
    return roadkill.mini(presentation["view"], presentation["board"])


def thunder_road_squares(presentation: Mapping[str, Any]) -> Squares:
    """All that Thunder Road's templates draw of one presentation."""
    view = presentation["view"]
    return {
        "road": thunder_road.road(view, presentation["question"], composed=composing.first_step(presentation)),
        "crews": thunder_road_panel.crews(view, presentation["seats"]),
        "table": presentation["board"]["table"],
        "grounds": tuple(thunder_road.GROUND_NAMES.items()),
    }


def thunder_road_crop(presentation: Mapping[str, Any], composed: Mapping[str, Any] | None = None) -> Squares:
    """The rows that a question is about, with the way that is being put together."""
    if composed is None:
        composed = composing.first_step(presentation)
    return {"road": thunder_road.road(presentation["view"], presentation["question"], composed=composed, cropped=True)}


def thunder_road_mini(presentation: Mapping[str, Any]) -> roadkill.Mini:
    """Thunder Road's road at a glance."""
    return thunder_road.mini(presentation["view"])


BOARDS: Final[dict[str, Board]] = {
    "roadkill": Board(squares=roadkill_squares, crop=roadkill_crop, mini=roadkill_mini, jump=("Hand", "Cars")),
    "thunder_road": Board(
        squares=thunder_road_squares,
        crop=thunder_road_crop,
        mini=thunder_road_mini,
        styles="games/hexes.css",
        jump=("Crew", "Crews"),
    ),
}


def board_of(presentation: Mapping[str, Any]) -> Board | None:
    """The drawing functions for this race; None for a ruleset whose pages have no drawing."""
    return BOARDS.get(presentation["race"]["ruleset"])
