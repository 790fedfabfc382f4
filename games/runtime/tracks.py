"""Track lists for people who play at a table with their own box: made of a code, revealed tile by tile.

A list is not kept anywhere. Its code, which stands in the page's address, is all that its draws are made of, so whoever
has the address has the same list, and nobody reads from it which tile comes next.
"""

import hashlib
import re
import secrets
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from games.engine.chance import Stream
from games.rulesets.thunder_road import components, track
from games.runtime.component_sets import SETS
from games.runtime.rulesets import RULESETS

TITLES: Final = {"thunder_road": "Thunder Road: Vendetta"}
"""The games whose roads are made of tiles."""
SIDES: Final = track.SIDES
TABLE: Final = track.TABLE
GROUNDS: Final = tuple(components.GROUND_NAMES.items())
"""Key and name of each ground."""
MOST_SHOWN: Final = 200
"""Nobody at a table gets so far."""
PLAYERS: Final = (2, 6)
CODE: Final = re.compile(r"[a-z2-7]{16}", re.ASCII)
_CODE_BYTES: Final = 10


@dataclass(frozen=True, slots=True)
class Settings:
    """What a track list is made for. ``box``: the name of a component set."""

    players: int
    carnage: bool
    sides: str
    box: str


@dataclass(frozen=True, slots=True)
class TrackList:
    """A list as far as it is shown.

    ``shown``: keys of all tiles so far; the last three lie on the table. ``latest``, ``gone``: the tile revealed last
    and the one that left for it, "" for the first three. ``reshuffled``: the tiles were shuffled again for the latest
    one. ``is_finish``: the latest tile bears the finish, so that nothing follows.
    """

    shown: tuple[str, ...]
    latest: str
    gone: str
    reshuffled: bool
    is_finish: bool
    has_next: bool


def new_code() -> str:
    """The code of a list that nobody has seen."""
    return b32encode(secrets.token_bytes(_CODE_BYTES)).decode().lower()


def boxes(ruleset: str) -> tuple[str, ...]:
    """The names of the component sets that lists can be made of."""
    return SETS[ruleset].names()


def order(ruleset: str, code: str, settings: Settings, *, shown: int = 0) -> tuple[str, ...]:
    """The whole list of a code, tile 1 first, and shuffled anew as often as ``shown`` tiles ask for."""
    box = SETS[ruleset].named(settings.box)
    chance = Stream(hashlib.sha256(f"track/1 {code}".encode()).digest())
    agreed: Any = {"carnage": settings.carnage, "sides": settings.sides}
    made = track.listed(box, chance, players=settings.players, **agreed)
    while len(made) < shown and not _ends(settings):
        made = track.lengthened(box, made, chance, **agreed)
    return made


def track_list(ruleset: str, code: str, settings: Settings, *, shown: int) -> TrackList:
    """A list with so many tiles shown: three at least, no more than there can be."""
    first = len(order(ruleset, code, settings))
    most = first if _ends(settings) else MOST_SHOWN
    seen = order(ruleset, code, settings, shown=min(shown, most))[: max(TABLE, min(shown, most))]
    return TrackList(
        shown=seen,
        latest=seen[-1] if len(seen) > TABLE else "",
        gone=seen[-TABLE - 1] if len(seen) > TABLE else "",
        reshuffled=_begins_a_shuffle(ruleset, code, settings, len(seen)),
        is_finish=_ends(settings) and len(seen) == first,
        has_next=len(seen) < most,
    )


def tile(ruleset: str, key: str, settings: Settings) -> dict[str, Any]:
    """A tile as it lies on the table before anybody has driven over it.

    {"key", "name", "spaces": [{"lane", "row", "ground", "is_spot"}], from the back, lane by lane; "told": [{"what",
    "spaces"}], all but plain road}. Rows are the tile's own, from its back. ``is_spot``: a hazard token lies there.
    """
    found = SETS[ruleset].named(settings.box).tiles[key]
    spaces = [
        {
            "lane": lane,
            "row": row,
            "ground": components.GROUNDS[symbol],
            "is_spot": components.SPOTS.get(symbol, PLAYERS[1] + 1) <= settings.players,
        }
        for row, symbols in enumerate(found.rows, 1)
        for lane, symbol in enumerate(symbols, 1)
    ]
    told = [{"what": "hazard token", "spaces": [written(one) for one in spaces if one["is_spot"]]}]
    for ground, name in components.GROUND_NAMES.items():
        there = [written(one) for one in spaces if one["ground"] == ground]
        if there and ground != "road":
            told.append({"what": name, "spaces": there})
    return {"key": found.key, "name": found.name, "spaces": spaces, "told": told}


def written(space: Mapping[str, Any]) -> str:
    """A space as people write it: lane, row."""
    return f"{space['lane']}-{space['row']}"


def can_be_raced(ruleset: str) -> bool:
    """Whether races of this game are played here, so that one can be laid out with a track."""
    return ruleset in RULESETS


def _ends(settings: Settings) -> bool:
    """Whether a list has an end: a race of two does."""
    return settings.players == PLAYERS[0]


def _begins_a_shuffle(ruleset: str, code: str, settings: Settings, shown: int) -> bool:
    """Whether the tile shown last is the first of a new shuffle."""
    before = len(order(ruleset, code, settings, shown=shown - 1))
    return before == shown - 1 and len(order(ruleset, code, settings, shown=shown)) > before
