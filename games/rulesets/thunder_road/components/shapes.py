"""The shapes of a component set and the words its files may use."""

from __future__ import annotations

import msgspec

SOURCES = ("printed", "inferred", "stated", "designed")
"""Where a figure comes from, see set.toml."""

CREWS = ("cars", "rig", "bikes")
SECTIONS = ("front", "middle", "rear")
DICE = ("move", "road", "slam", "direction", "shoot", "stunt", "fire")
FACES = {
    "move": tuple("123456"),
    "road": tuple("123456"),
    "slam": ("top", "bottom"),
    "direction": ("F", "FR", "BR", "B", "BL", "FL"),
    "shoot": ("SM", "M", "L", "SML"),
    "stunt": tuple("123456"),
    "fire": ("+1", "+2", "smoke", "skull"),
}
"""What the faces of each die may show; the rules know no other words."""
MOST_FACES = 20

DAMAGE_KEYS = (
    "plain",
    "skid_F",
    "skid_FR",
    "skid_BR",
    "skid_B",
    "skid_BL",
    "skid_FL",
    "shrapnel",
    "dazed",
    "blast_off",
    "fire",
    "ongoing",
)
HAZARDS_STAY = {
    "road": True,
    "mud": True,
    "oil": True,
    "mine": False,
    "wreck": False,
    "glass": True,
    "ramp": True,
    "fire": True,
    "pit": True,
    "quake": False,
    "worm": False,
}
"""The hazard tokens the rules know, and whether one stays on the board, face up, once it is turned up."""
ONGOING_KEYS = (
    "pulls_left",
    "pulls_right",
    "limping",
    "stuck_pedal",
    "bald_tyres",
    "jammed_gun",
    "dry_tank",
    "bent_sight",
    "big_silhouette",
    "shaky_axle",
    "featherweight",
    "cut_wires",
    "slow_gears",
    "wild_temper",
)
COMMANDS = {
    "airstrike": ("cars", "", 1),
    "nitro": ("cars", "", 2),
    "drift": ("cars", "", 3),
    "repair": ("cars", "", 4),
    "bikes_airstrike": ("bikes", "", 1),
    "bikes_repair": ("bikes", "", 2),
    "respawn": ("bikes", "", 3),
    "cow_catcher": ("rig", "front", 1),
    "front_repair": ("rig", "front", 2),
    "missile": ("rig", "front", 3),
    "rig_airstrike": ("rig", "middle", 1),
    "middle_repair": ("rig", "middle", 2),
    "traction": ("rig", "middle", 3),
    "targeting": ("rig", "rear", 1),
    "rear_repair": ("rig", "rear", 2),
    "dispenser": ("rig", "rear", 3),
}
"""Key -> crew, section of the Big Rig, and place on the dashboard: the commands the rules know."""

GROUNDS = {
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
"""Symbol of a space -> its ground, once no token lies on it; see tiles.toml."""
GROUND_NAMES = {
    "road": "road",
    "off_road": "off-road",
    "mud": "mud",
    "rock": "impassable",
    "oil": "oil",
    "salt": "salt",
    "glass": "desert glass",
    "goo": "toxic goo",
    "fire": "fire",
    "ramp": "ramp",
}
SPOTS = {"?": 2, "!": 2, "3": 3, "4": 4}
"""Symbol of a hazard spot -> from how many seats on it gets a token."""
SYMBOLS = "".join(GROUNDS)
HAZARD_SPOTS = "".join(SPOTS)
FEWEST_TILES = 5
"""Tiles of a set at least: a race of two ends on the fifth."""
MOST_TILES = 60
BASE_TILES = 5
"""The tiles numbered so high are in play without carnage."""
MOST_PIECES = 200
"""Of one kind."""
TEST_TILE = "P"


class Kind(msgspec.Struct, frozen=True):
    """A kind of damage token, hazard token or ongoing card."""

    key: str
    name: str
    count: int
    """Pieces in the base box."""
    carnage: int
    """Pieces more with carnage."""
    stays: bool
    """A hazard token that lies face up from then on once it is turned up."""
    text: str
    provenance_of: dict[str, str]
    """"kind" and "count" -> where they come from."""


class Command(msgspec.Struct, frozen=True):
    """A command of a crew, and the values of a die that may be put on it."""

    key: str
    crew: str
    section: str
    """Of the Big Rig: front, middle or rear; "" for other crews."""
    spot: int
    """Its place on the dashboard, or in the section, from 1."""
    values: tuple[int, ...]
    not_in_round_1: bool
    name: str
    text: str
    provenance_of: dict[str, str]
    """"name", "values" and "effect" -> where they come from."""


class Crew(msgspec.Struct, frozen=True):
    """Vehicles and dice of a crew."""

    key: str
    name: str
    vehicles: int
    dice: int
    """Movement dice a round."""
    coasts: int
    """Of one vehicle and round."""
    seats: int
    """How many seats of a race may have such a crew."""
    text: str
    provenance_of: dict[str, str]
    """"vehicles", "dice", "coasts" and "seats" -> where they come from."""


class Tile(msgspec.Struct, frozen=True):
    """A side of a road tile."""

    key: str
    number: int
    """0 for the plain tile that tests are laid out on."""
    side: str
    name: str
    rows: tuple[str, ...]
    """Ten rows of six symbols, lane 1 first; the first row is the one at the tile's back."""


class ComponentSet(msgspec.Struct, frozen=True):
    """A box, checked and ready to play with."""

    name: str
    title: str
    version: int
    source: str
    hash: str
    """SHA-256 of every figure that play depends on; wording, provenance and layout do not change it."""
    crews: dict[str, Crew]
    dice: dict[str, tuple[str, ...]]
    """Label of a draw -> the faces in their order; result i of a draw is face i."""
    dice_provenance: dict[str, str]
    damage: tuple[Kind, ...]
    hazards: tuple[Kind, ...]
    ongoing: tuple[Kind, ...]
    commands: dict[str, Command]
    tiles: dict[str, Tile]
    """By key, such as "1A"; also TEST_TILE, which no race is given."""
    tile_provenance: dict[str, str]
    """"numbers" and "layouts" -> where they come from."""
    wrecks: int
    fires: int
    minors: int
    marker_provenance: dict[str, str]

    def tile_numbers(self, *, carnage: bool) -> tuple[int, ...]:
        """The numbers of the road tiles that are in play, in rising order."""
        found = sorted({tile.number for tile in self.tiles.values() if tile.number})
        return tuple(number for number in found if carnage or number <= BASE_TILES)

    def pieces(self, what: str, *, carnage: bool) -> int:
        """How many pieces of "damage", "hazards" or "ongoing" are in play."""
        kinds: tuple[Kind, ...] = getattr(self, what)
        return sum(kind.count + (kind.carnage if carnage else 0) for kind in kinds)
