"""Every answer a driver of Thunder Road: Vendetta can give, one Struct an act.

Vehicles are named by their owner's own key ("S", "M", "L", "B1" to "B5"; "front", "middle", "rear" for the Big Rig's
sections), others' as "B.M" with the seat's letter; spaces as "3-14", lane and row; paths as letters F, L and R, one a
count, with the lane in front for a vehicle that is not yet on the road: "3FFL".
"""

from typing import TypeAlias

from games.engine.contract import Action

Path: TypeAlias = str
Space: TypeAlias = str


class Command(Action, frozen=True, gc=False, tag="command"):
    """T3: a die on a command that is of use by itself. ``on``: a space, or the vehicle or damage token meant."""

    command: str
    die: int
    on: str = ""


class Move(Action, frozen=True, gc=False, tag="move"):
    """T1, T2: a die on a vehicle, and perhaps another on a command, which acts first.

    ``path``: as much of it as the driver wants to say already. ``second``, ``second_die``, ``second_path``: the other
    motorcycle (T4).
    """

    vehicle: str
    die: int
    path: Path = ""
    command: str = ""
    command_die: int = 0
    on: str = ""
    second: str = ""
    second_die: int = 0
    second_path: Path = ""


class Coast(Action, frozen=True, gc=False, tag="coast"):
    """T21, T32: a die for one count. ``second``: the other motorcycle."""

    vehicle: str
    die: int
    path: Path = ""
    second: str = ""
    second_die: int = 0
    second_path: Path = ""


class Stand(Action, frozen=True, gc=False, tag="stand"):
    """T3: the seat's dice are set aside for this round."""


class Concede(Action, frozen=True, gc=False, tag="concede"):
    """All vehicles of the seat are eliminated."""


class Drive(Action, frozen=True, gc=False, tag="drive"):
    """T14: the next steps, all that are left or some of them; also yes to a Road Bonus (T20)."""

    path: Path


class No(Action, frozen=True, gc=False, tag="no"):
    """No Road Bonus (T20)."""


class Hold(Action, frozen=True, gc=False, tag="hold"):
    """No shot, no missile (T36, T40)."""


class Shoot(Action, frozen=True, gc=False, tag="shoot"):
    """T35: at this vehicle or wreck ("B.M", "wreck 3-7"). ``spot``: the command of a Big Rig that is aimed at (T41)."""

    target: str
    spot: str = ""


class Keep(Action, frozen=True, gc=False, tag="keep"):
    """T17: the slam stands as it was rolled."""


class Again(Action, frozen=True, gc=False, tag="again"):
    """T17: both dice of the slam are rolled once more."""


class Front(Action, frozen=True, gc=False, tag="front"):
    """T25: onto the new tile by this direction: L, F or R."""

    direction: str


class Minor(Action, frozen=True, gc=False, tag="minor"):
    """T28: the command of the Big Rig that the minor damage covers."""

    spot: str


class Bike(Action, frozen=True, gc=False, tag="bike"):
    """T33: which of two motorcycles is moved."""

    vehicle: str


AnyAction: TypeAlias = (
    Command | Move | Coast | Stand | Concede | Drive | No | Hold | Shoot | Keep | Again | Front | Minor | Bike
)
