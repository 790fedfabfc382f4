"""What spaces, slams, shots and ways are worth to a seat that plays to win: expected loss and gain, without a draw.

Worth is in hundredths of a car. All of it is made from a race that is set up from a view, so it knows what its seat
knows.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.course import Ground, front_row, rear_row, stops_dead
from games.rulesets.thunder_road.hexes import DIRECTIONS, FRONT_ARC, ROWS, Space, forwardness, step
from games.rulesets.thunder_road.rules.t14_driving import is_barred
from games.rulesets.thunder_road.rules.t17_slams import size_in_slam
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION
from games.rulesets.thunder_road.rules.t26_rig_and_bikes import RIG_SUFFERS
from games.rulesets.thunder_road.rules.t34_shooting import may_shoot
from games.rulesets.thunder_road.rules.t45_hazards import SHOWN
from games.rulesets.thunder_road.rules.t64_damage import cards_on, free_spots
from games.rulesets.thunder_road.rules.t71_out import RIG_OUT_AT
from games.rulesets.thunder_road.state import FACE_DOWN, NOWHERE, Piece, State, driver_of

VEHICLE: Final = 100.0
LAST_VEHICLE: Final = 260.0
"""An own vehicle, and the only operable one of a seat."""
OTHERS: Final = 0.45
"""What the loss of somebody else's vehicle is to a seat, beside that of its own; all of it in a race of two."""
WIN: Final = 3_000.0
AHEAD: Final = 0.5
AHEAD_TO_FINISH: Final = 4.0
"""What a step of forwardness is worth, and for the foremost vehicle once the finish is set."""
SPARE: Final = {"car": 0.28, "bike": 0.95, "rig": 0.12}
"""What a first damage takes of a vehicle's worth."""
EXPOSED: Final = 1.6
"""What a fatal neighbour costs for each enemy that may come and slam."""
REACH: Final = 14
"""So far behind, in forwardness, an enemy may come from."""
NEAR_FRONT: Final = 14
"""So far from the front of the road somebody may make it advance soon."""
REAR_AT_RISK: Final = 0.16
GOO, OIL_TURNS, RAMP_COST, FIRE_COST, UNKNOWN_WAY = 1.0, 1.0, 3.0, 20.0, 1.5
CHAINED: Final = 0.3
"""What a slam is likely to come to that leads into a further one, beside a plain one."""
SALT: Final = 1.0
LANES_FIRST: Final = "342516"


class Route(NamedTuple):
    """A way with what it is worth."""

    worth: float
    path: str


class Outlook:
    """A race as one seat sees its chances."""

    def __init__(self, position: State, seat: int) -> None:
        self.position = position
        self.seat = seat
        self.ground = Ground(position)
        self.box = components.named(position.components)
        self.faces = self.box.dice["shoot"]
        self.left = [one for one in position.drivers if not one.out]
        self._operable: dict[int, int] = {}
        for piece in position.pieces:
            if piece.operable:
                self._operable[piece.seat] = self._operable.get(piece.seat, 0) + 1
        self.enemies = [
            (forwardness(piece.at), piece)
            for piece in position.pieces
            if piece.operable and piece.seat != seat and piece.at != NOWHERE
        ]
        on_the_road = [
            forwardness(one.at) for one in position.pieces if one.seat and not one.gone and one.at != NOWHERE
        ]
        self.front_y = 2 * front_row(position) + 1
        self.foremost = max(on_the_road, default=0)
        own = [n for n, one in enumerate(position.pieces) if one.seat == seat and one.operable]
        self.leader = max(
            own, key=lambda n: forwardness(position.pieces[n].at) if position.pieces[n].at[1] else 0, default=-1
        )
        self._token_cost: dict[tuple[int, bool], float] = {}
        self._exposed: dict[Space, float] = {}

    # --- What vehicles are worth ---------------------------------------------------------

    def worth(self, piece: Piece) -> float:
        """What its elimination costs this seat; below 0 for what others lose."""
        if not piece.seat or piece.gone:
            return 0.0
        if not piece.operable:
            return (VEHICLE if piece.seat == self.seat else -VEHICLE * self._share()) * 0.1
        is_last = self._operable.get(piece.seat, 0) <= 1
        whole = (
            LAST_VEHICLE if is_last else VEHICLE * (2 if piece.kind == "rig" else 0.6 if piece.kind == "bike" else 1)
        )
        if piece.seat == self.seat:
            return whole
        if is_last and len(self.left) == 2:
            return -WIN
        return -whole * self._share()

    def _share(self) -> float:
        return 1.0 if len(self.left) == 2 else OTHERS

    def hurt(self, piece: Piece) -> float:
        """What damage to it costs this seat."""
        if piece.kind == "wreck" or piece.gone:
            return 0.0
        taken = len(piece.damage) + len(piece.covered) + piece.minors
        if piece.kind == "rig":
            return self.worth(piece) * (1.0 if taken + 1 >= RIG_OUT_AT else SPARE["rig"])
        if piece.kind == "car" and taken == 1:
            return self.worth(piece) * 0.9
        if not piece.operable:
            return self.worth(piece)
        return self.worth(piece) * SPARE[piece.kind]

    # --- Spaces --------------------------------------------------------------------------

    def is_lost(self, space: Space, direction: str, kind: str) -> bool:
        """Whether whoever comes there is eliminated, for all that can be seen; the front of the road is no loss."""
        where = self.ground.edge(space)
        if where:
            return where != "front"
        return kind != "rig" and stops_dead(self.ground.terrain(space), direction)

    def exposed(self, space: Space) -> float:
        """What it costs to stand there: fatal neighbours, for as many enemies as may come and slam."""
        known = self._exposed.get(space)
        if known is None:
            y = forwardness(space)
            coming = sum(0 < y - theirs <= REACH for theirs, _ in self.enemies)
            fatal = sum(self.is_lost(step(space, one), one, "car") for one in DIRECTIONS) if coming else 0
            known = self._exposed[space] = EXPOSED * fatal * min(coming, 3)
        return known

    def token(self, piece: Piece) -> float:
        """What turning up a token costs a vehicle on the whole, by how many there are of each kind."""
        key = (len(piece.damage), piece.seat == self.seat)
        known = self._token_cost.get(key)
        if known is None:
            cost = {
                "mine": self.hurt(piece),
                "wreck": abs(self.hurt(piece)) * 0.2,
                "oil": self.worth(piece) * 0.12,
                "fire": FIRE_COST,
                "pit": self.worth(piece) * 0.5,
                "ramp": self.worth(piece) * 0.1,
                "glass": self.worth(piece) * 0.06,
                "quake": 2.0,
                "worm": 2.0,
            }
            kinds = [
                (kind.key, kind.count + (kind.carnage if self.position.carnage else 0)) for kind in self.box.hazards
            ]
            total = sum(count for _, count in kinds)
            known = sum(cost.get(name, 0.5) * count for name, count in kinds) / total
            self._token_cost[key] = known
        return known

    def stay(self, n: int, space: Space) -> float:
        """What it is worth to a piece to end its move in a space: how far it is, what threatens, what it may shoot."""
        y = forwardness(space)
        if self.position.finish and n == self.leader:
            worth = AHEAD_TO_FINISH * (y - 2 * self.position.finish)
        else:
            worth = AHEAD * y
        return worth - self.exposed(space) - self.left_behind(n, space) + self.best_shot(n, space)

    def left_behind(self, n: int, space: Space) -> float:
        """What it costs to stand on the rear tile while somebody is near the front of the road."""
        rows = rear_row(self.position) + ROWS - space[1]
        if self.position.finish or rows <= 0:
            return 0.0
        soon = max(0, NEAR_FRONT - (self.front_y - self.foremost)) / NEAR_FRONT
        return self.worth(self.position.pieces[n]) * REAR_AT_RISK * soon * (1 + rows / ROWS)

    # --- Shots ---------------------------------------------------------------------------

    def hits(self, piece: Piece) -> float:
        """The chance that a shot at it hits."""
        return sum(piece.size in SHOWN[face] for face in self.faces) / len(self.faces)

    def shot(self, m: int) -> float:
        """What a shot at a piece is worth: its chance times what the damage is to this seat."""
        piece = self.position.pieces[m]
        if piece.kind == "wreck":
            return 0.2
        return self.hits(piece) * -self.hurt(piece)

    def best_shot(self, n: int, space: Space) -> float:
        """What the best shot from a space is worth, 0 for none."""
        if not may_shoot(self.position) or (n >= 0 and cards_on(self.position, n, "jammed_gun")):
            return 0.0
        pieces = self.ground.pieces
        found = [m for one in FRONT_ARC for m in pieces.get(step(space, one), ()) if m != n]
        return max(0.0, *(self.shot(m) for m in found)) if found else 0.0

    # --- Slams ---------------------------------------------------------------------------

    def pushed(self, m: int, space: Space, direction: str) -> float:
        """What it is to this seat that a piece is pushed from a space."""
        piece = self.position.pieces[m]
        to = step(space, direction)
        if self.is_lost(to, direction, piece.kind):
            return -self.worth(piece)
        if self.ground.edge(to):
            if self.position.finish:
                if not piece.operable:
                    return -self.worth(piece)
                return WIN if piece.seat == self.seat else -WIN
            return 0.0
        if to in self.ground.choppers:
            return -self.worth(piece)
        worth = 0.0
        if self.ground.tokens.get(to) == FACE_DOWN:
            worth -= self.token(piece) if piece.seat else 0.0
        if any(other != m for other in self.ground.pieces.get(to, ())):
            worth += CHAINED * sum(self.pushed_on(other, to) for other in self.ground.pieces[to] if other != m)
        if piece.seat:
            sign = 1 if piece.seat == self.seat else -self._share()
            worth += sign * (AHEAD * (forwardness(to) - forwardness(space)) - self.exposed(to) + self.exposed(space))
        return worth

    def pushed_on(self, m: int, space: Space) -> float:
        """What it is on the whole that a piece is pushed from a space in any direction, chains left out."""
        piece = self.position.pieces[m]
        lost = sum(self.is_lost(step(space, one), one, piece.kind) for one in DIRECTIONS)
        return -self.worth(piece) * lost / len(DIRECTIONS)

    def outcomes(self, mover: int, other: int, space: Space) -> list[tuple[float, float]]:
        """What the dice of a slam may do: (chance, worth)."""
        kinds = [self.position.pieces[n].kind for n in (mover, other)]
        faces = self.box.dice["slam"]
        top = sum(face == "top" for face in faces) / len(faces)
        if "rig" in kinds:
            top = float(kinds[1] == "rig")
        elif kinds[0] != kinds[1] and "bike" in kinds:
            top = float(kinds[0] == "bike")
        each = 1 / len(DIRECTIONS)
        found = []
        for n, chance in ((mover, top), (other, 1 - top)):
            if chance:
                found += [(chance * each, self.pushed(n, space, one)) for one in DIRECTIONS]
        return found

    def slam(self, mover: int, other: int, space: Space) -> float:
        """What a slam is worth on the whole, with the second roll that the larger one's owner may have."""
        found = self.outcomes(mover, other, space)
        mean = sum(chance * worth for chance, worth in found)
        seat = self.may_roll_again(mover, other)
        if seat == self.seat:
            return sum(chance * max(worth, mean) for chance, worth in found)
        if seat:
            return sum(chance * min(worth, mean) for chance, worth in found)
        return mean

    def may_roll_again(self, mover: int, other: int) -> int:
        """The seat that may have a slam rolled again, 0 for none, ongoing cards left out."""
        pieces = [self.position.pieces[n] for n in (mover, other)]
        if any(piece.kind != "car" for piece in pieces if piece.kind != "wreck"):
            return 0
        sizes = [size_in_slam(self.position, n) for n in (mover, other)]
        if sizes[0] == sizes[1]:
            return 0
        seat = pieces[sizes[1] > sizes[0]].seat
        return 0 if not seat or driver_of(self.position, seat).out else seat

    # --- The front of the road -------------------------------------------------------------

    def over_the_front(self, n: int) -> float:
        """What it is worth to leave the road at its front: the win, or what is lost with the rear of the road."""
        piece = self.position.pieces[n]
        if self.position.finish:
            return WIN
        last = rear_row(self.position) + ROWS - 1
        left = 0.0
        for m, one in enumerate(self.position.pieces):
            if m != n and one.seat and not one.gone and (one.at == NOWHERE or one.at[1] <= last):
                left -= self.worth(one)
        return left + AHEAD * (2 * front_row(self.position) + 3) - self.token(piece) * 0.2

    # --- Ways ------------------------------------------------------------------------------

    def route(self, n: int, count: int, *, drift: bool = False) -> Route:
        """The best way of so many counts for a piece."""
        return _Search(self, n, drift=drift).best(self.position.pieces[n].at, count)


class _Search:
    """A search for the best way of one piece; what it has found for a space and a count is kept."""

    def __init__(self, outlook: Outlook, n: int, *, drift: bool) -> None:
        self.outlook = outlook
        self.n = n
        self.piece = outlook.position.pieces[n]
        self.starts_with_drift = drift
        driver = driver_of(outlook.position, self.piece.seat)
        self.steering = driver.steering if self.piece.kind == "rig" else 0
        self.is_rig = self.piece.kind == "rig"
        self.found: dict[tuple[Space, int, int, bool], Route] = {}

    def best(self, at: Space, count: int) -> Route:
        """The best way from where the piece is."""
        return self.search(at, count, self.steering, drift=self.starts_with_drift)

    def search(self, at: Space, left: int, turns: int, *, drift: bool) -> Route:
        """The best way from a space."""
        if left <= 0:
            return Route(self.outlook.stay(self.n, at), "")
        key = (at, left, turns, drift)
        known = self.found.get(key)
        if known is not None:
            return known
        best = Route(-1e9, "")
        for letter in LANES_FIRST if at == NOWHERE else "FLR":
            if self.is_rig and letter in "LR" and not turns:
                continue
            if at == self.piece.at and is_barred(self.outlook.position, self.n, letter) is not None:
                continue
            worth, path = self.take(at, letter, left, turns, drift=drift)
            if worth > best.worth:
                best = Route(worth, letter + path)
        self.found[key] = best
        return best

    def take(self, at: Space, letter: str, left: int, turns: int, *, drift: bool) -> Route:
        """One step, and the best way on behind it."""
        direction = DIRECTION.get(letter, "F")
        space = (int(letter), rear_row(self.outlook.position)) if at == NOWHERE else step(at, direction)
        ended = self._ended(space, direction)
        if ended is not None:
            return Route(ended, "")
        others = [m for m in self.outlook.ground.pieces.get(space, ()) if m != self.n]
        if others and (left == 1 or (self.piece.kind != "bike" and not drift)):
            return Route(self.outlook.slam(self.n, others[0], space) + self.outlook.stay(self.n, space), "")
        if left == 1 and not self.is_rig and space in self.outlook.ground.choppers:
            return Route(-self.outlook.worth(self.piece), "")
        return self._arrived(
            space, direction, left, turns - (self.is_rig and letter in "LR"), drift=drift and not others
        )

    def _ended(self, space: Space, direction: str) -> float | None:
        """What a step is worth that leads off the road or into something impassable; None for another."""
        where = self.outlook.ground.edge(space)
        if where == "front":
            return self.outlook.over_the_front(self.n)
        if self.outlook.is_lost(space, direction, self.piece.kind):
            # Beside the vehicle, the counts that it would have driven.
            return -self.outlook.worth(self.piece) - VEHICLE / 2
        return None

    def _arrived(self, space: Space, direction: str, left: int, turns: int, *, drift: bool) -> Route:
        """What the ground of a space does, and the best way on."""
        outlook, piece = self.outlook, self.piece
        there = outlook.ground.terrain(space)
        if outlook.ground.tokens.get(space) == FACE_DOWN:
            return self._unsure(space, left - 1, turns, outlook.token(piece) + UNKNOWN_WAY, drift=drift)
        if self.is_rig and there in RIG_SUFFERS:
            return self._on(space, left - 1, turns, outlook.hurt(piece), drift=drift)
        if there == "oil":
            return self._unsure(space, left - 1, turns, OIL_TURNS - outlook.pushed_on(self.n, space), drift=drift)
        if there == "goo":
            return Route(outlook.stay(self.n, space) - GOO, "")
        if there == "ramp":
            return Route(self._flight(space), "")
        if there == "glass":
            beyond = step(space, direction)
            if outlook.is_lost(beyond, direction, piece.kind):
                return Route(-outlook.worth(piece), "")
            if not outlook.ground.edge(beyond) and not outlook.ground.pieces.get(beyond):
                space = beyond
        cost = FIRE_COST if there == "fire" and not piece.fire else -SALT if there == "salt" else 0.0
        return self._on(space, left - (2 if there == "mud" and left > 1 else 1), turns, cost, drift=drift)

    def _on(self, space: Space, left: int, turns: int, cost: float, *, drift: bool) -> Route:
        beyond = self.search(space, left, turns, drift=drift)
        return Route(beyond.worth - cost, beyond.path)

    def _unsure(self, space: Space, left: int, turns: int, cost: float, *, drift: bool) -> Route:
        here = self.outlook.stay(self.n, space)
        if left <= 0:
            return Route(here - cost, "")
        beyond = self.search(space, left, turns, drift=drift)
        return Route((here + beyond.worth) / 2 - cost, beyond.path)

    def _flight(self, space: Space) -> float:
        """T56: so many spaces straight on as the die shows; only the last is entered."""
        outlook = self.outlook
        faces = outlook.box.dice["stunt"]
        worth = 0.0
        for face in faces:
            to = space
            for _ in range(int(face)):
                to = step(to, "F")
            worth += self._landing(to)
        return worth / len(faces) - RAMP_COST

    def _landing(self, to: Space) -> float:
        outlook = self.outlook
        if outlook.ground.edge(to) == "front":
            return outlook.over_the_front(self.n)
        if outlook.is_lost(to, "F", self.piece.kind) or to in outlook.ground.choppers:
            return -outlook.worth(self.piece)
        others = [m for m in outlook.ground.pieces.get(to, ()) if m != self.n]
        return outlook.stay(self.n, to) + (outlook.slam(self.n, others[0], to) if others else 0.0)


def least_worn(position: State, n: int, given: Sequence[str]) -> str:
    """Of commands that minor damage may cover, the one that is missed least: those of sections least damaged first."""
    spots = [spot for spot in LEAST_WANTED if spot in given] or list(given)
    return spots[0] if spots else free_spots(position, n)[0]


LEAST_WANTED: Final = (
    "dispenser",
    "targeting",
    "cow_catcher",
    "rear_repair",
    "traction",
    "missile",
    "rig_airstrike",
    "middle_repair",
    "front_repair",
)
"""Commands of the Big Rig, from the one that is missed least."""
