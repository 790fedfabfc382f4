"""What is true in a race of Thunder Road: Vendetta: pieces, course, bags, dice, the turn, and what it is busy with.

A ``State`` is frozen; rules work on a ``Table``, a loose copy with the chance source and the events at hand. Nothing in
it is hidden from anybody: what lies face down is drawn when it is turned up.

A space is (lane, row), lanes 1 to 6, rows counted over the whole course; NOWHERE is a piece that is not on the road.
"""

from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from games.engine.chance import Chance
from games.engine.contract import Event
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.actions import AnyAction
from games.rulesets.thunder_road.hexes import Space, forwardness, written

NOWHERE: Space = (0, 0)
SMALL, MEDIUM, LARGE = 1, 2, 3
MOST_RELOCATIONS = 60
"""Relocations of one turn; ours, so that every chain ends (rulings, «They end»)."""
SECTIONS = ("front", "middle", "rear")
FACE_DOWN = ""
OFF_ROAD_COVER = "cover"


class Hurt(msgspec.Struct, frozen=True, gc=False):
    """A damage token on a car: its kind by number, and the ongoing card under it, -1 for none."""

    kind: int
    card: int = -1


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A vehicle, or a wreck that nobody owns (seat 0).

    ``key``: the owner's name for it. ``at``: its space, of a Big Rig its front section's, whose others are ``middle``
    and ``rear``. ``gone``: eliminated, or a wreck that is removed. ``damage``: tokens of a car. ``resolving``: damage
    that is being resolved (T64). ``minors``: minor damage of a motorcycle. ``covered``: commands of a Big Rig that
    minor damage covers. ``moved``: sections, or the piece's own key, that have had a movement die this round.
    ``coasts``: of this round.
    """

    seat: int
    key: str
    kind: str
    size: int
    at: Space = NOWHERE
    middle: Space = NOWHERE
    rear: Space = NOWHERE
    gone: bool = False
    damage: tuple[Hurt, ...] = ()
    resolving: int = 0
    minors: int = 0
    covered: tuple[str, ...] = ()
    fire: bool = False
    moved: tuple[str, ...] = ()
    coasts: int = 0

    @property
    def inoperable(self) -> bool:
        """T71: a car with two damage tokens, a motorcycle with a minor damage; the Big Rig never."""
        return len(self.damage) >= 2 if self.kind == "car" else self.minors > 0

    @property
    def operable(self) -> bool:
        """Neither inoperable nor eliminated; not yet on the road is operable."""
        return not self.gone and self.seat > 0 and not self.inoperable

    @property
    def spaces(self) -> tuple[Space, ...]:
        """Where it stands on the road, the front first."""
        return tuple(space for space in (self.at, self.middle, self.rear) if space != NOWHERE and not self.gone)


class Driver(msgspec.Struct, frozen=True, gc=False):
    """A seat. ``dice``: those left this round, rising. ``steering``: lane changes left to its Big Rig (T26).

    ``commanded``: its command of this round is used or given up. ``chopper``: where it stands. ``out``: out of the
    race (T74).
    """

    seat: int
    crew: str
    dice: tuple[int, ...] = ()
    steering: int = 0
    commanded: bool = False
    chopper: Space = NOWHERE
    out: bool = False


class Laid(msgspec.Struct, frozen=True, gc=False):
    """A road tile on the table: the ``number``-th that was laid holds rows 10 * number - 9 to 10 * number."""

    number: int
    key: str


class Token(msgspec.Struct, frozen=True, gc=False):
    """Something on a space: a hazard token face down (FACE_DOWN) or up, by its key, or a cover of off-road (T28)."""

    at: Space
    kind: str


class Job(msgspec.Struct, frozen=True, gc=False):
    """A die on a vehicle in this turn: what moves, with which die, by which path as far as it is said."""

    piece: int
    section: str
    die: int
    path: str


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The turn in progress.

    ``jobs``: vehicles still to move, the present one first. ``coasting``: T21. ``left``: counts still to drive;
    ``path``: letters said and not yet driven. ``ended``: the vehicle's own move is over (T19). ``complete``: all counts
    were driven. ``paved``: every space of the move was road or oil (T20). ``salt``: T58. ``bonused``: the Road Bonus
    has been taken. ``drift``: the first occupied space is still to be passed (T8). ``command``: the command used in
    this turn, ``boost`` its die. ``rerolled``: Targeting has rolled its one attack again. ``relocations``:
    forced moves so far.
    """

    number: int
    seat: int
    jobs: tuple[Job, ...] = ()
    coasting: bool = False
    left: int = 0
    path: str = ""
    ended: bool = False
    complete: bool = False
    paved: bool = True
    salt: bool = False
    bonused: bool = False
    drift: bool = False
    command: str = ""
    boost: int = 0
    rerolled: bool = False
    relocations: int = 0


class Frame(msgspec.Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    """Base of what the race is busy with. Frames stack; the top one goes on first, so effects are done depth first."""


class NewRound(Frame, frozen=True, gc=False):
    """T44: dice are rolled, the road die passes on."""


class NextTurn(Frame, frozen=True, gc=False):
    """T43: from this seat on to the left, the first that can use a die."""

    seat: int


class TakeTurn(Frame, frozen=True, gc=False):
    """The active seat is asked what it does with its dice."""


class NextJob(Frame, frozen=True, gc=False):
    """The next vehicle that has a die in this turn, or the end of the turn."""


class Driving(Frame, frozen=True, gc=False):
    """The vehicle's own move, count by count."""


class AfterMove(Frame, frozen=True, gc=False):
    """The move is over: Road Bonus, missile, shot. ``stage``: how far it has come."""

    stage: int = 0


class Entering(Frame, frozen=True, gc=False):
    """A piece enters a space: the steps E1 to E6.

    ``own``: by its driver's own move, not forced. ``ends``: the move ends there. ``flying``: by a flight, of which this
    is the last space. ``free``: without a count (T47). ``revealed``: a token has been turned up there.
    """

    piece: int
    direction: str
    space: Space
    own: bool = False
    ends: bool = True
    flying: bool = False
    free: bool = False
    revealed: bool = False
    stage: int = 0


class Slam(Frame, frozen=True, gc=False):
    """T17: ``mover`` is on top of ``other``. ``moved``, ``direction``: as rolled; -1: not yet."""

    mover: int
    other: int
    stage: int = 0
    moved: int = -1
    direction: str = ""


class Damaging(Frame, frozen=True, gc=False):
    """T64: damage to a piece. ``spot``: the command of a Big Rig that takes it, "" if its owner chooses."""

    piece: int
    spot: str = ""
    stage: int = 0
    kind: int = -1


class Skidding(Frame, frozen=True, gc=False):
    """A piece is moved one space by a forced move, if it is still on the road."""

    piece: int
    direction: str


class Hopping(Frame, frozen=True, gc=False):
    """T66: Blast off."""

    piece: int


class Reeling(Frame, frozen=True, gc=False):
    """T67: Dazed. ``left``: steps."""

    piece: int
    left: int


class Shaking(Frame, frozen=True, gc=False):
    """T55: a quake.

    ``pieces``: still to be shifted in pass one; ``left``: to be settled in pass two, with where each has been moved to.
    """

    direction: str
    pieces: tuple[int, ...] = ()
    left: tuple[tuple[int, Space], ...] = ()


class Ramping(Frame, frozen=True, gc=False):
    """T56: a ramp is ridden."""

    piece: int
    own: bool


class Advancing(Frame, frozen=True, gc=False):
    """T25: the road advances for a piece that leaves the front."""

    piece: int
    entering: Entering
    stage: int = 0


class Firing(Frame, frozen=True, gc=False):
    """T35: a shot of a piece, or of a chopper (-1). ``target``: by piece. ``spot``: T41."""

    piece: int
    target: int
    spot: str = ""
    missile: bool = False


class Choosing(Frame, frozen=True, gc=False):
    """A chopper has been placed and may shoot (T6)."""

    seat: int


class Minoring(Frame, frozen=True, gc=False):
    """T28: minor damage to a Big Rig at a spot of its owner's choice."""

    piece: int


AnyFrame: TypeAlias = (
    NewRound
    | NextTurn
    | TakeTurn
    | NextJob
    | Driving
    | AfterMove
    | Entering
    | Slam
    | Damaging
    | Skidding
    | Hopping
    | Reeling
    | Shaking
    | Ramping
    | Advancing
    | Firing
    | Choosing
    | Minoring
)


class Asked(msgspec.Struct, frozen=True, gc=False):
    """The one open question: its kind, whose it is, and the piece that it is about (-1: none)."""

    kind: str
    seat: int
    piece: int = -1


class State(msgspec.Struct, frozen=True, gc=False):
    """Everything true in a race.

    ``first``: who has the road die, whose value is ``road``. ``tiles``: on the table, the rear one first. ``pool``:
    numbers of tiles that may still be drawn; ``listed``: the host's own list that is left. ``finish``: the row behind
    which the finish lies, 0 for none. ``bag``: hazard tokens that nobody has seen, pile and road together, by kind.
    ``places``: seats in the order in which they went out, as groups. ``winners``: () until the race is over, then
    ``ending`` says how.
    """

    components: str
    carnage: bool
    sides: str
    last_stretch: int
    hard_stop: int
    drivers: tuple[Driver, ...]
    pieces: tuple[Piece, ...]
    tiles: tuple[Laid, ...]
    laid: int
    pool: tuple[int, ...]
    listed: tuple[str, ...]
    tokens: tuple[Token, ...]
    bag: tuple[int, ...]
    hazards_out: tuple[int, ...]
    damage_bag: tuple[int, ...]
    ongoing_bag: tuple[int, ...]
    turn: Turn
    stack: tuple[AnyFrame, ...]
    asked: Asked | None = None
    round: int = 0
    first: int = 0
    road: int = 0
    finish: int = 0
    places: tuple[tuple[int, ...], ...] = ()
    winners: tuple[int, ...] = ()
    ending: str = ""


FIELDS = State.__struct_fields__


class Table:
    """The race while rules work on it; read and set freely, then set down as a State."""

    __slots__ = (*FIELDS, "chance", "events", "given", "set")

    components: str
    carnage: bool
    sides: str
    last_stretch: int
    hard_stop: int
    drivers: list[Driver]
    pieces: list[Piece]
    tiles: tuple[Laid, ...]
    laid: int
    pool: tuple[int, ...]
    listed: tuple[str, ...]
    tokens: tuple[Token, ...]
    bag: tuple[int, ...]
    hazards_out: tuple[int, ...]
    damage_bag: tuple[int, ...]
    ongoing_bag: tuple[int, ...]
    turn: Turn
    stack: list[Any]
    asked: Asked | None
    round: int
    first: int
    road: int
    finish: int
    places: tuple[tuple[int, ...], ...]
    winners: tuple[int, ...]
    ending: str

    def __init__(self, state: State, chance: Chance) -> None:
        for name in FIELDS:
            setattr(self, name, getattr(state, name))
        self.drivers = list(state.drivers)
        self.pieces = list(state.pieces)
        self.stack = list(state.stack)
        self.set = components.named(state.components)
        self.chance = chance
        self.events: list[Event] = []
        self.given: AnyAction | None = None

    def state(self) -> State:
        """The race set down."""
        values = {name: getattr(self, name) for name in FIELDS}
        return State(
            **{
                **values,
                "drivers": tuple(self.drivers),
                "pieces": tuple(self.pieces),
                "stack": tuple(self.stack),
            }
        )

    def change(self, piece: int, **fields: Any) -> Piece:
        """Set fields of a piece; returns the new one."""
        self.pieces[piece] = replace(self.pieces[piece], **fields)
        return self.pieces[piece]

    def driver(self, seat: int, **fields: Any) -> Driver:
        """Set fields of a seat; returns the new one."""
        self.drivers[seat - 1] = replace(self.drivers[seat - 1], **fields)
        return self.drivers[seat - 1]

    def note(self, **fields: Any) -> None:
        """Set fields of the turn."""
        self.turn = replace(self.turn, **fields)

    def push(self, *frames: Any) -> None:
        """Put frames on the stack; the last one named goes on first."""
        self.stack.extend(frames)

    def ask(self, kind: str, seat: int, piece: int = -1) -> None:
        """Ask a seat; the frame on top hears the answer."""
        self.asked = Asked(kind, seat, piece)

    def roll(self, label: str) -> str:
        """Throw a die of the set; the words of the face that comes up."""
        faces = self.set.dice[label]
        face = faces[self.chance.pick(len(faces), label)]
        self.tell("rolls", "", die=label, face=face)
        return face

    def tell(self, kind: str, rule: str, /, **public: Any) -> None:
        """Note something that happened; all of it is public."""
        self.events.append(Event(kind, rule, public))


Position: TypeAlias = State | Table
"""For rules that only look."""


def driver_of(position: Position, seat: int) -> Driver:
    """The driver of this seat."""
    return position.drivers[seat - 1]


def pieces_of(position: Position, seat: int) -> list[int]:
    """The seat's pieces that are not eliminated."""
    return [n for n, piece in enumerate(position.pieces) if piece.seat == seat and not piece.gone]


def letter_of(seat: int) -> str:
    """A seat's letter: A to F."""
    return "ABCDEF"[seat - 1]


def name_of(position: Position, piece: int) -> str:
    """A piece as all players name it: "B.M", "D.B3", "wreck 3-7"."""
    one = position.pieces[piece]
    return f"{letter_of(one.seat)}.{one.key}" if one.seat else f"wreck {written(one.at)}"


def forward_order(piece: Piece) -> tuple[int, int, int]:
    """By which vehicles are put in order from the rear: forwardness (not yet on the road first), lane, size."""
    return (forwardness(piece.at) if piece.at != NOWHERE else 0, piece.at[0], piece.size)
