"""A race as everybody sees it: nothing in this game is hidden, so all views are the same but for whose they are."""

from typing import Any

from games.engine.contract import Viewer
from games.rulesets.thunder_road import components, flow
from games.rulesets.thunder_road.course import front_row, rear_row
from games.rulesets.thunder_road.hexes import ROWS, Space, forwardness, written
from games.rulesets.thunder_road.state import (
    FACE_DOWN,
    NOWHERE,
    SECTIONS,
    Piece,
    State,
    letter_of,
    name_of,
)


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    """Course, vehicles, dice and bags. Spaces are written "3-14", lane and row; None is not on the road."""
    box = components.named(state.components)
    return {
        "ruleset": "thunder_road",
        "viewer": viewer,
        "components": state.components,
        "carnage": state.carnage,
        "turn": state.turn.number,
        "active": state.turn.seat,
        "round": state.round,
        "last_stretch": state.last_stretch,
        "hard_stop": state.hard_stop,
        "first": state.first,
        "road": state.road,
        "finish": state.finish or None,
        "rows": [rear_row(state), front_row(state)],
        "tiles": [
            {
                "number": tile.number,
                "key": tile.key,
                "name": box.tiles[tile.key].name,
                "first_row": (tile.number - 1) * ROWS + 1,
                "spaces": list(box.tiles[tile.key].rows),
            }
            for tile in state.tiles
        ],
        "tokens": [{"space": written(token.at), "kind": token.kind or "face_down"} for token in state.tokens],
        "seats": [
            {
                "seat": driver.seat,
                "letter": letter_of(driver.seat),
                "crew": driver.crew,
                "dice": list(driver.dice),
                "steering": driver.steering,
                "commanded": driver.commanded,
                "chopper": _place(driver.chopper),
                "is_out": driver.out,
            }
            for driver in state.drivers
        ],
        "pieces": [_piece(state, box, n, piece) for n, piece in enumerate(state.pieces) if not piece.gone],
        "lost": [name_of(state, n) for n, piece in enumerate(state.pieces) if piece.gone and piece.seat],
        "hazards_left": sum(state.bag) - sum(token.kind == FACE_DOWN for token in state.tokens),
        "damage_left": sum(state.damage_bag),
        "left": state.turn.left,
        "drift": state.turn.drift,
        "asking": state.asked.kind if state.asked is not None and state.asked.seat == viewer else "",
        "waiting": None
        if state.asked is None
        else {"seat": state.asked.seat, "kind": state.asked.kind, "about": flow.about(state, state.asked)},
        "outcome": {"places": [list(group) for group in state.places], "reason": state.ending}
        if state.winners
        else None,
    }


def _place(space: Space) -> str | None:
    return None if space == NOWHERE else written(space)


def _piece(state: State, box: components.ComponentSet, n: int, piece: Piece) -> dict[str, Any]:
    return {
        "name": name_of(state, n),
        "seat": piece.seat,
        "key": piece.key,
        "kind": piece.kind,
        "size": piece.size,
        "at": _place(piece.at),
        "sections": [_place(space) for space in (piece.at, piece.middle, piece.rear)] if piece.kind == "rig" else [],
        "y": forwardness(piece.at) if piece.at != NOWHERE else None,
        "inoperable": piece.inoperable,
        "fire": piece.fire,
        "moved": list(piece.moved),
        "coasts": piece.coasts,
        "damage": [
            {"token": box.damage[hurt.kind].key, "card": box.ongoing[hurt.card].key if hurt.card >= 0 else None}
            for hurt in piece.damage
        ],
        "minors": piece.minors,
        "covered": list(piece.covered),
        "hurt": {name: sum(box.commands[spot].section == name for spot in piece.covered) for name in SECTIONS}
        if piece.kind == "rig"
        else {},
    }
