"""Chapter 9, what single cards mean wherever they turn up: Camouflage, Smoke Screen, Sideswipe, Landmark."""

from games.engine.rulebook import rule
from games.rulesets.roadkill.rules.r04_cards import lose_at_random
from games.rulesets.roadkill.state import Announced, Damages, Position, Table


@rule("9.1")
def uncover(table: Table, seat: int) -> bool:
    """A camouflaged car loses its marker when it attacks.

    True if it had one (its attack prompts no counterattack, R9.1).
    """
    if not table.car(seat).camouflage:
        return False
    table.change(seat, camouflage=False)
    table.tell("camouflage_off", "9.1", seat=seat)
    return True


@rule("9.2")
def is_smoked(table: Table, frame: Announced) -> bool:
    """A Smoke Screen makes the attempt it answers fail; the card answered goes with all its value (R9.2)."""
    return frame.red >= 0 and table.key(frame.red) == "smoke_screen"


@rule("9.4")
def sideswiped(table: Table, seat: int) -> None:
    """One card is lost at random; who has none takes a Damage point instead."""
    if table.car(seat).hand:
        lose_at_random(table, seat, 1, "9.4")
    else:
        table.push(Damages(seat, 1))


@rule("9.8")
def landmarks_count(position: Position) -> int:
    """Each Landmark of this turn adds to every Exit draw of the turn, but not at night."""
    return 0 if position.night else len(position.turn.landmarks)
