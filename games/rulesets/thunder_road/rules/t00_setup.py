"""Preparing to play: crews, bags, the first tiles (sections 1 to 9 of the components)."""

from collections.abc import Sequence

from games.engine.chance import Chance
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road import track as tracks
from games.rulesets.thunder_road.rules.t22_edges import lay_tile
from games.rulesets.thunder_road.state import (
    LARGE,
    MEDIUM,
    SMALL,
    Driver,
    NewRound,
    Piece,
    State,
    Table,
    Turn,
)

CARS = (("S", SMALL), ("M", MEDIUM), ("L", LARGE))


def crew_of(seat: int, crew: str, *, vehicles: int) -> list[Piece]:
    """The vehicles of a crew, so many of them, none on the road; of cars one of each size."""
    if crew == "cars":
        return [Piece(seat, key, "car", size) for key, size in CARS]
    if crew == "bikes":
        return [Piece(seat, f"B{number}", "bike", SMALL) for number in range(1, vehicles + 1)]
    return [Piece(seat, "rig", "rig", LARGE)]


def set_up(
    set_name: str,
    crews: Sequence[str],
    chance: Chance,
    *,
    carnage: bool,
    sides: str,
    track: Sequence[str],
    last_stretch: int,
    hard_stop: int,
) -> Table:
    """Tile 1 and two more with their tokens; no vehicle is on the road yet."""
    box = components.named(set_name)
    first, pool = tracks.begun(box, chance, carnage=carnage, sides=sides)
    state = State(
        components=set_name,
        carnage=carnage,
        sides=sides,
        last_stretch=last_stretch,
        hard_stop=hard_stop,
        drivers=tuple(Driver(seat, crew) for seat, crew in enumerate(crews, 1)),
        pieces=tuple(
            piece
            for seat, crew in enumerate(crews, 1)
            for piece in crew_of(seat, crew, vehicles=box.crews[crew].vehicles)
        ),
        tiles=(),
        laid=0,
        pool=pool,
        listed=tuple(track) or (first,),
        tokens=(),
        bag=_bag(box.hazards, carnage=carnage),
        hazards_out=(0,) * len(box.hazards),
        damage_bag=_bag(box.damage, carnage=carnage),
        ongoing_bag=_bag(box.ongoing, carnage=carnage),
        turn=Turn(0, 0),
        stack=(NewRound(),),
    )
    table = Table(state, chance)
    for _ in range(tracks.TABLE):
        lay_tile(table)
    return table


def _bag(kinds: Sequence[components.Kind], *, carnage: bool) -> tuple[int, ...]:
    return tuple(kind.count + (kind.carnage if carnage else 0) for kind in kinds)
