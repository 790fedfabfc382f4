"""The course as rules see it: tiles on the table, terrain, tokens, who stands where. Looks only."""

from collections.abc import Iterator

from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.hexes import LANES, ROWS, Space, forwardness, ring
from games.rulesets.thunder_road.state import (
    FACE_DOWN,
    NOWHERE,
    OFF_ROAD_COVER,
    Laid,
    Piece,
    Position,
    Token,
)

TERRAIN = {
    ".": "road",
    ",": "off_road",
    "m": "mud",
    "#": "rock",
    "?": "road",
    "!": "off_road",
    "3": "road",
    "4": "road",
    "o": "oil",
    "s": "salt",
    "g": "glass",
    "t": "goo",
    "f": "fire",
    "^": "ramp",
}
"""What each symbol of a tile is, once a token on it is gone (section 8)."""
SPOTS = {"?": 2, "!": 2, "3": 3, "4": 4}
"""Symbols of hazard spots, and from how many seats on each is used."""
TOKEN_TERRAIN = {"pit": "rock", OFF_ROAD_COVER: "off_road"}
"""What a token that lies face up makes of its space, where that is not its own name."""
PAVED = ("road", "oil")
"""Terrain that earns the Road Bonus (T20)."""


def rear_row(position: Position) -> int:
    """The first row that lies on the table."""
    return (position.tiles[0].number - 1) * ROWS + 1


def front_row(position: Position) -> int:
    """The last row that lies on the table."""
    return position.tiles[-1].number * ROWS


def edge(position: Position, space: Space) -> str:
    """Off which edge a space lies: "side" (which goes first, T22), "back", "front", or "" on the table."""
    return _edge(space, rear_row(position), front_row(position))


def _edge(space: Space, first: int, last: int) -> str:
    lane, row = space
    if not 1 <= lane <= LANES:
        return "side"
    if row < first:
        return "back"
    return "front" if row > last else ""


def tile_of(position: Position, space: Space) -> Laid:
    """The tile that a space on the table lies on."""
    return position.tiles[(space[1] - 1) // ROWS + 1 - position.tiles[0].number]


def symbol(position: Position, space: Space) -> str:
    """The printed symbol of a space on the table."""
    tile = tile_of(position, space)
    return components.named(position.components).tiles[tile.key].rows[(space[1] - 1) % ROWS][space[0] - 1]


def token_at(position: Position, space: Space) -> Token | None:
    """The token on a space."""
    return next((token for token in position.tokens if token.at == space), None)


def is_face_down(position: Position, space: Space) -> bool:
    """Whether a hazard token lies there unseen."""
    token = token_at(position, space)
    return token is not None and token.kind == FACE_DOWN


def face_down(position: Position) -> int:
    """How many hazard tokens lie on the road unseen."""
    return sum(token.kind == FACE_DOWN for token in position.tokens)


def terrain(position: Position, space: Space) -> str:
    """What a space is: the token that lies there face up, else what is printed."""
    token = token_at(position, space)
    return _ground(FACE_DOWN if token is None else token.kind, symbol(position, space))


def _ground(token: str, sign: str) -> str:
    return TERRAIN[sign] if token == FACE_DOWN else TOKEN_TERRAIN.get(token, token)


def is_fatal(position: Position, space: Space, direction: str) -> bool:
    """T50, T56: rock, or a ramp from anywhere but straight behind; a space on the table."""
    return stops_dead(terrain(position, space), direction)


def stops_dead(there: str, direction: str) -> bool:
    """T50, T56, for a space of this terrain."""
    return there == "rock" or (there == "ramp" and direction != "F")


def standing(position: Position, space: Space, *, but: int = -1) -> list[int]:
    """The pieces that have a part of themselves on a space, without one of them."""
    return [n for n, piece in enumerate(position.pieces) if space in (piece.at, piece.middle, piece.rear) and n != but]


def section_at(piece: Piece, space: Space) -> str:
    """The section of a Big Rig on a space."""
    return "front" if piece.at == space else "middle" if piece.middle == space else "rear"


def choppers_at(position: Position, space: Space) -> list[int]:
    """The seats whose choppers stand on a space."""
    return [driver.seat for driver in position.drivers if driver.chopper == space]


def is_empty(position: Position, space: Space) -> bool:
    """T6: on the table, with no vehicle, wreck, chopper, token or rock."""
    return not edge(position, space) and Ground(position).is_empty(space)


def spaces(position: Position) -> Iterator[Space]:
    """Every space on the table, from the rear, lane by lane."""
    for row in range(rear_row(position), front_row(position) + 1):
        for lane in range(1, LANES + 1):
            yield lane, row


class Ground:
    """What lies and stands where, put in order once for a search that looks at many spaces of one position.

    ``pieces``: by space, those with a part of themselves there. ``tokens``: kinds by space. ``choppers``: spaces.
    """

    __slots__ = ("_first", "_last", "_rows", "choppers", "pieces", "tokens")

    def __init__(self, position: Position) -> None:
        tiles = components.named(position.components).tiles
        self._first, self._last = rear_row(position), front_row(position)
        self._rows = [row for tile in position.tiles for row in tiles[tile.key].rows]
        self.tokens = {token.at: token.kind for token in position.tokens}
        self.choppers = {driver.chopper for driver in position.drivers}
        self.pieces: dict[Space, list[int]] = {}
        for n, piece in enumerate(position.pieces):
            for space in (piece.at, piece.middle, piece.rear):
                if space != NOWHERE:
                    self.pieces.setdefault(space, []).append(n)

    def edge(self, space: Space) -> str:
        """As the function of this name."""
        return _edge(space, self._first, self._last)

    def terrain(self, space: Space) -> str:
        """As the function of this name."""
        return _ground(self.tokens.get(space, FACE_DOWN), self._rows[space[1] - self._first][space[0] - 1])

    def is_empty(self, space: Space) -> bool:
        """As the function of this name, for a space on the table."""
        taken = space in self.pieces or space in self.choppers or space in self.tokens
        return not taken and self.terrain(space) != "rock"


def nearest_free(position: Position, space: Space) -> Space:
    """The nearest space with no piece, token, rock or chopper; in rings around a space, each clockwise from F."""
    ground = Ground(position)
    for distance in range(1, LANES * ROWS):
        for one in ring(space, distance):
            if not ground.edge(one) and ground.is_empty(one):
                return one
    return NOWHERE


def forward_of(piece: Piece) -> int:
    """A piece's forwardness y; less than any on the road if it is not yet on it."""
    return forwardness(piece.at) if piece.at != NOWHERE else 0
