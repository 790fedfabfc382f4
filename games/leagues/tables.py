"""A table of standings: what is counted, and the tie-breaks in the order in which they are applied."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

TIE_BREAKS: Final[Mapping[str, str]] = {
    "points": "more points",
    "wins": "more wins",
    "places": "more second places, then third ones, and so on",
    "head_to_head": "more points in the races against each other",
    "victory_points": "more Victory Points",
    "wrecks": "fewer wrecks",
    "on_time": "more turns in time",
    "fewer_races": "fewer races",
    "lot": "a lot drawn from the season's seed",
}
"""What may come before what, by key, in words that follow "Whoever has"."""
DEFAULT: Final = ("points", "wins", "places", "head_to_head", "victory_points", "wrecks", "lot")


@dataclass(frozen=True)
class Meeting:
    """One driver's place and points in one race."""

    fixture: int
    place: int
    points: int


@dataclass
class Line:
    """What one entrant has to show. ``places``: place -> how often. ``decided_by``: the tie-break that put it here.

    ``races``: how many count, or campaigns where a season makes those; ``races_run`` and ``races_won`` are of the races
    that these took. ``place``: in the table, shared by those whom nothing tells apart. ``meetings``: its races against
    those with as many points, which "head_to_head" looks at.
    """

    entrant: int
    races: int = 0
    points: int = 0
    victory_points: int = 0
    races_run: int = 0
    races_won: int = 0
    wrecks: int = 0
    turns: int = 0
    on_time: int = 0
    is_out: bool = False
    places: dict[int, int] = field(default_factory=dict)
    meetings: list[Meeting] = field(default_factory=list)
    place: int = 0
    decided_by: str = ""

    @property
    def wins(self) -> int:
        """Races won, shared wins too."""
        return self.places.get(1, 0)

    @property
    def on_time_rate(self) -> float | None:
        """Turns in time of all turns, 0 to 1; None before the first."""
        return self.on_time / self.turns if self.turns else None


Key = Callable[[Line], object]


def ranked(lines: Iterable[Line], *, tie_breaks: Sequence[str], seed: str) -> list[Line]:
    """The lines in the order of the table, with their places and what decided between each and the one above it.

    Entrants who left or were withdrawn stand last, in the order that they have earned.
    """
    groups = _split([sorted(lines, key=lambda line: line.entrant)], lambda line: line.is_out)
    for tie_break in tie_breaks:
        groups = _split_by(groups, tie_break, seed)
    order: list[Line] = []
    for group in groups:
        place = len(order) + 1
        for line in group:
            line.place = place
            order.append(line)
    return order


def _split_by(groups: list[list[Line]], tie_break: str, seed: str) -> list[list[Line]]:
    out: list[list[Line]] = []
    for group in groups:
        if len(group) == 1:
            out.append(group)
            continue
        parts = _split([group], _key(tie_break, group, seed))
        for part in parts[1:]:
            part[0].decided_by = tie_break
        out += parts
    return out


def _split(groups: list[list[Line]], key: Key) -> list[list[Line]]:
    """Each group cut into those whom the key holds equal, the smallest key first."""
    out: list[list[Line]] = []
    for group in groups:
        keys = {line.entrant: key(line) for line in group}
        values = sorted(set(keys.values()))  # type: ignore[type-var]  # one key gives values of one kind
        out += [[line for line in group if keys[line.entrant] == value] for value in values]
    return out


def _key(tie_break: str, group: Sequence[Line], seed: str) -> Key:
    most = max((place for line in group for place in line.places), default=0)
    keys: dict[str, Key] = {
        "points": lambda line: -line.points,
        "wins": lambda line: -line.wins,
        "places": lambda line: tuple(-line.places.get(place, 0) for place in range(2, most + 1)),
        "victory_points": lambda line: -line.victory_points,
        "wrecks": lambda line: line.wrecks,
        "on_time": lambda line: -(line.on_time_rate or 0.0),
        "fewer_races": lambda line: line.races,
        "lot": lambda line: sha256(f"{seed}/lot/{line.entrant}".encode()).digest(),
    }
    return _mutual(group) if tie_break == "head_to_head" else keys[tie_break]


def _mutual(group: Sequence[Line]) -> Key:
    """Points in the races in which at least two of the group met."""
    met: dict[int, int] = {}
    for line in group:
        for meeting in line.meetings:
            met[meeting.fixture] = met.get(meeting.fixture, 0) + 1
    points = {line.entrant: sum(m.points for m in line.meetings if met[m.fixture] > 1) for line in group}
    return lambda line: -points[line.entrant]


def moves(tables: Sequence[Sequence[Line]], *, moving: int) -> dict[int, int]:
    """Where each entrant begins next: entrant -> index of the division, from the tables of all, the highest first.

    ``moving``: so many go up from each division and so many down, never more than half of the smaller of the two, so
    that nobody does both. Whoever is out of the season begins nowhere.
    """
    stay = [[line for line in table if not line.is_out] for table in tables]
    begins = {line.entrant: rank for rank, table in enumerate(stay) for line in table}
    for upper in range(len(stay) - 1):
        number = min(moving, len(stay[upper]) // 2, len(stay[upper + 1]) // 2)
        for line in stay[upper][len(stay[upper]) - number :]:
            begins[line.entrant] = upper + 1
        for line in stay[upper + 1][:number]:
            begins[line.entrant] = upper
    return begins
