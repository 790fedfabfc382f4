"""Positions that no race comes to, told in a sentence."""

from __future__ import annotations

from games.rulesets.thunder_road.components import ComponentSet
from games.rulesets.thunder_road.hexes import ROWS, written
from games.rulesets.thunder_road.rules.t64_damage import MOST_A_SECTION
from games.rulesets.thunder_road.scenario.notation import LETTERS, fault
from games.rulesets.thunder_road.state import FACE_DOWN, SECTIONS, Driver, Piece, State, name_of

PIPS = range(1, 7)
MOST_DAMAGE = 2


def refuse_impossible(state: State, box: ComponentSet) -> None:
    """Raise ScenarioFault for dice, vehicles or tokens that cannot be so."""
    for driver in state.drivers:
        _driver(driver, box, state)
    for n, piece in enumerate(state.pieces):
        if piece.seat and not piece.gone:
            _vehicle(name_of(state, n), piece, box, state)
    _spaces(state)
    if sum(piece.kind == "wreck" for piece in state.pieces) > box.wrecks:
        fault(f"the box holds {box.wrecks} wrecks")
    ends = [tile.number * ROWS for tile in state.tiles]
    if state.finish and state.finish not in ends:
        fault(f"the finish lies behind a tile, row {', '.join(map(str, ends))}, and not behind row {state.finish}")


def _driver(driver: Driver, box: ComponentSet, state: State) -> None:
    name, crew = LETTERS[driver.seat - 1], box.crews[driver.crew]
    wrong = [die for die in driver.dice if die not in PIPS]
    if wrong:
        fault(f"{name} has a die of {wrong[0]}; dice show 1 to 6")
    if len(driver.dice) > crew.dice:
        fault(f"{name} has {len(driver.dice)} dice; {crew.name} roll {crew.dice}")
    if driver.steering and (driver.crew != "rig" or driver.steering not in PIPS):
        fault(f"{name}: steering is of the Big Rig, and 0 to 6")
    operable = [piece for piece in state.pieces if piece.seat == driver.seat and piece.operable]
    if driver.out and operable:
        fault(f"{name} is out, and {operable[0].key} is operable; say «only» or that it is gone")
    if not driver.out and not operable:
        fault(f"{name} has no operable vehicle, so it is out; say so")


def _vehicle(name: str, piece: Piece, box: ComponentSet, state: State) -> None:
    if piece.damage and piece.kind != "car":
        fault(f"{name} takes minor damage, no damage tokens")
    if len(piece.damage) > MOST_DAMAGE:
        fault(f"{name} has {len(piece.damage)} damage tokens; two make a car inoperable, and the next eliminates it")
    if piece.minors and piece.kind != "bike":
        fault(f"{name}: minor is of a motorcycle; what is covered on a Big Rig is said by «covered»")
    if piece.covered and piece.kind != "rig":
        fault(f"{name}: covered is of the Big Rig")
    for section in SECTIONS:
        if sum(box.commands[spot].section == section for spot in piece.covered) > MOST_A_SECTION:
            fault(f"{name}: a section takes two minor damages at most, and {section} has more")
    if len(set(piece.covered)) < len(piece.covered):
        fault(f"{name}: a command is covered twice")
    if piece.fire and (piece.kind == "rig" or piece.inoperable):
        fault(f"{name} cannot burn: neither a Big Rig nor an inoperable vehicle does")
    units = SECTIONS if piece.kind == "rig" else (piece.key,)
    if set(piece.moved) - set(units):
        fault(f"{name}: what has moved is one of {', '.join(units)}")
    most = box.crews[state.drivers[piece.seat - 1].crew].coasts
    if piece.coasts > most:
        fault(f"{name} has coasted {piece.coasts} times; {most} is the most")


def _spaces(state: State) -> None:
    held = {space: n for n, piece in enumerate(state.pieces) for space in piece.spaces}
    for token in state.tokens:
        if token.kind == FACE_DOWN and token.at in held:
            fault(f"{written(token.at)}: a token under {name_of(state, held[token.at])} would be turned up")
    seen = set()
    for driver in state.drivers:
        if driver.chopper in seen:
            fault(f"two choppers stand on {written(driver.chopper)}")
        if driver.chopper in held:
            fault(
                f"{written(driver.chopper)}: {name_of(state, held[driver.chopper])} would not have survived a chopper"
            )
        if driver.chopper != (0, 0):
            seen.add(driver.chopper)
