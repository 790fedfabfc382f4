"""What is true at every moment of a race, whatever a scenario expects: nothing is lost, nobody stands on anybody."""

from __future__ import annotations

from collections import Counter

from games.rulesets.thunder_road.hexes import written
from games.rulesets.thunder_road.state import FACE_DOWN, MOST_RELOCATIONS, OFF_ROAD_COVER, Damaging, State


def unsound(begun: State, state: State) -> str:
    """What is wrong with a state that came of ``begun``, in a sentence; "" if nothing is."""
    return (
        _count("hazard tokens", hazards(begun), hazards(state))
        or _count("ongoing cards", cards(begun), cards(state))
        or _damage(begun, state)
        or _places(state)
    )


def hazards(state: State) -> int:
    """Hazard tokens wherever they are; what lies face down is in the bag, since nobody knows which it is."""
    up = sum(token.kind not in (FACE_DOWN, OFF_ROAD_COVER) for token in state.tokens)
    return sum(state.bag) + sum(state.hazards_out) + up


def cards(state: State) -> int:
    """Ongoing cards in their bag and on cars."""
    return sum(state.ongoing_bag) + sum(hurt.card >= 0 for piece in state.pieces for hurt in piece.damage)


def damage(state: State) -> int:
    """Damage tokens in their bag, on cars, and being resolved."""
    resolving = sum(isinstance(frame, Damaging) and frame.stage == 1 for frame in state.stack)
    return sum(state.damage_bag) + sum(len(piece.damage) for piece in state.pieces) + resolving


def _count(what: str, before: int, now: int) -> str:
    return "" if before == now else f"there were {before} {what}, and there are {now}"


def _damage(begun: State, state: State) -> str:
    # A race that is over has left what was going on; and an empty bag gives a token from outside (T64).
    lost = not state.winners and damage(state) < damage(begun)
    return _count("damage tokens", damage(begun), damage(state)) if lost else ""


def _places(state: State) -> str:
    if state.turn.relocations > MOST_RELOCATIONS:
        return f"a turn had {state.turn.relocations} relocations"
    if state.asked is None or state.asked.kind != "turn":
        return ""
    held = Counter(space for piece in state.pieces for space in piece.spaces)
    twice = [space for space, count in held.items() if count > 1]
    return f"more than one piece stands on {written(twice[0])}" if twice else ""
