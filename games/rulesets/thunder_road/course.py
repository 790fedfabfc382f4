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
    lane, row = space
    if not 1 <= lane <= LANES:
        return "side"
    if row < rear_row(position):
        return "back"
    return "front" if row > front_row(position) else ""


def tile_of(position: Position, space: Space) -> Laid:
    """The tile that a space on the table lies on."""
    return next(tile for tile in position.tiles if tile.number == (space[1] - 1) // ROWS + 1)


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
    if token is not None and token.kind != FACE_DOWN:
        return TOKEN_TERRAIN.get(token.kind, token.kind)
    return TERRAIN[symbol(position, space)]


def is_fatal(position: Position, space: Space, direction: str) -> bool:
    """T50, T56: rock, or a ramp from anywhere but straight behind; a space on the table."""
    there = terrain(position, space)
    return there == "rock" or (there == "ramp" and direction != "F")


def standing(position: Position, space: Space, *, but: int = -1) -> list[int]:
    """The pieces that have a part of themselves on a space, without one of them."""
    return [n for n, piece in enumerate(position.pieces) if n != but and space in piece.spaces]


def section_at(piece: Piece, space: Space) -> str:
    """The section of a Big Rig on a space."""
    return "front" if piece.at == space else "middle" if piece.middle == space else "rear"


def choppers_at(position: Position, space: Space) -> list[int]:
    """The seats whose choppers stand on a space."""
    return [driver.seat for driver in position.drivers if driver.chopper == space]


def is_empty(position: Position, space: Space) -> bool:
    """T6: on the table, with no vehicle, wreck, chopper, token or rock."""
    return not (
        edge(position, space)
        or standing(position, space)
        or choppers_at(position, space)
        or token_at(position, space)
        or terrain(position, space) == "rock"
    )


def spaces(position: Position) -> Iterator[Space]:
    """Every space on the table, from the rear, lane by lane."""
    for row in range(rear_row(position), front_row(position) + 1):
        for lane in range(1, LANES + 1):
            yield lane, row


def nearest_free(position: Position, space: Space) -> Space:
    """The nearest space with no piece, token, rock or chopper; in rings around a space, each clockwise from F."""
    for distance in range(1, LANES * ROWS):
        for one in ring(space, distance):
            if is_empty(position, one):
                return one
    return NOWHERE


def forward_of(piece: Piece) -> int:
    """A piece's forwardness y; less than any on the road if it is not yet on it."""
    return forwardness(piece.at) if piece.at != NOWHERE else 0
