"""From what a scenario gives to a State. What it leaves open stands out of the way of all that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from games.engine.contract import JSON
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.components import TEST_TILE, ComponentSet
from games.rulesets.thunder_road.course import TERRAIN
from games.rulesets.thunder_road.hexes import LANES, ROWS, Space, ring, step, written
from games.rulesets.thunder_road.rules.t00_setup import crew_of
from games.rulesets.thunder_road.scenario.impossible import refuse_impossible
from games.rulesets.thunder_road.scenario.notation import (
    LETTERS,
    SYMBOL,
    SeatWords,
    Vehicle,
    fault,
    number,
    read_seat,
    read_spaces,
    read_tokens,
    seat_number,
)
from games.rulesets.thunder_road.state import (
    FACE_DOWN,
    NOWHERE,
    SECTIONS,
    SMALL,
    Driver,
    Hurt,
    Laid,
    NewRound,
    Piece,
    State,
    TakeTurn,
    Token,
    Turn,
)

GIVEN_KEYS = (
    *LETTERS,
    "seats",
    "crews",
    "tiles",
    "first_tile",
    "terrain",
    "fd",
    "tokens",
    "wrecks",
    "round",
    "turn",
    "first",
    "road",
    "finish",
    "pool",
    "list",
    "sides",
    "carnage",
    "last_stretch",
    "hard_stop",
)
ROUND = "round"
"""Instead of a seat whose turn it is: a round is to begin."""
APART = 4
"""Spaces between what a scenario names and what it leaves open."""
USUAL_DICE = {"cars": (1, 2, 3, 4), "rig": (1, 2, 3, 4), "bikes": (1, 2, 3, 4, 5, 6)}


def build(given: Mapping[str, JSON]) -> State:
    """The position; raises ScenarioFault."""
    for key in given:
        if key not in GIVEN_KEYS:
            fault(f"«{key}» is not known in given; known are {', '.join(GIVEN_KEYS)}")
    crews = _crews(given)
    seats = {name: read_seat(name, given[name]) for name in LETTERS if name in given}
    for name in seats:
        seat_number(name, len(crews))
    box, tiles = _tiles(given)
    carnage = given.get("carnage", False)
    if not isinstance(carnage, bool):
        fault(f"carnage is true or false, not {carnage!r}")
    sides = given.get("sides", "mixed")
    if sides not in ("A", "B", "mixed"):
        fault(f"sides is A, B or mixed, not {sides!r}")
    lying = read_tokens(box, "tokens", given.get("tokens", ""))
    hidden = read_spaces("fd", given.get("fd", ""))
    for space in lying.keys() & hidden.keys():
        fault(f"{written(space)} stands in tokens and in fd")
    tokens = {**lying, **dict.fromkeys(hidden, FACE_DOWN)}
    pieces = [
        piece
        for seat, crew in enumerate(crews, 1)
        for piece in _vehicles(box, seat, crew, seats.get(LETTERS[seat - 1], SeatWords({})))
    ]
    pieces += [Piece(0, "wreck", "wreck", SMALL, at=at) for at in read_spaces("wrecks", given.get("wrecks", ""))]
    drivers = tuple(
        _driver(seat, crew, seats.get(LETTERS[seat - 1], SeatWords({}))) for seat, crew in enumerate(crews, 1)
    )
    rows = tiles[0].number * ROWS - ROWS + 1, tiles[-1].number * ROWS
    _out_of_the_way(pieces, [*tokens, *(driver.chopper for driver in drivers)], rows)
    _refuse_crowds(pieces, rows)
    for space in (*tokens, *(driver.chopper for driver in drivers if driver.chopper != NOWHERE)):
        if not rows[0] <= space[1] <= rows[1]:
            fault(f"{written(space)} is not on the table, which has rows {rows[0]} to {rows[1]}")
    turn = given.get("turn", "A")
    state = State(
        components=box.name,
        carnage=carnage,
        sides=sides,
        last_stretch=number("last_stretch", given.get("last_stretch", 12)),
        hard_stop=number("hard_stop", given.get("hard_stop", 20)),
        drivers=drivers,
        pieces=tuple(pieces),
        tiles=tiles,
        laid=tiles[-1].number,
        pool=_pool(box, given, tiles, carnage=carnage),
        listed=tuple(_tile_keys(box, "list", given.get("list", []))),
        tokens=tuple(Token(at, kind) for at, kind in tokens.items()),
        bag=_bag(box.hazards, Counter(tokens.values()), carnage=carnage),
        hazards_out=(0,) * len(box.hazards),
        damage_bag=_bag(box.damage, _held(box.damage, pieces, "kind"), carnage=carnage),
        ongoing_bag=_bag(box.ongoing, _held(box.ongoing, pieces, "card"), carnage=carnage),
        turn=Turn(1, 1),
        stack=(NewRound(),),
        round=number("round", given.get("round", 2)),
        first=seat_number(str(given.get("first", "A")), len(crews)),
        road=number("road", given.get("road", 1)),
        finish=number("finish", given.get("finish", 0)),
    )
    refuse_impossible(state, box)
    if turn == ROUND:
        return state
    seat = seat_number(str(turn), len(crews))
    if state.drivers[seat - 1].out:
        fault(f"{turn} is out of the race and has no turn")
    return replace(state, turn=Turn(1, seat), stack=(TakeTurn(),))


def _crews(given: Mapping[str, JSON]) -> list[str]:
    seats = number("seats", given.get("seats", 3), least=2)
    named = _texts("crews", given.get("crews", []))
    crews = [*named, *("cars",) * seats][:seats]
    if len(named) > seats or seats > len(LETTERS) or set(crews) - set(USUAL_DICE):
        fault(f"crews names one of {', '.join(USUAL_DICE)} for each of up to {len(LETTERS)} seats, not {named!r}")
    return crews


def _texts(what: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        fault(f"{what} is a list of texts, not {value!r}")
    return value


def _tiles(given: Mapping[str, JSON]) -> tuple[ComponentSet, tuple[Laid, ...]]:
    """Three plain tiles unless others are named; with ``terrain`` the same with other ground."""
    box = components.named("classic")
    keys = _tile_keys(box, "tiles", given.get("tiles", [TEST_TILE] * 3))
    if not keys:
        fault("tiles names the tiles on the table, and there is at least one")
    first = number("first_tile", given.get("first_tile", 1), least=1)
    terrain = read_spaces("terrain", given.get("terrain", ""))
    if terrain:
        name, laid = components.lay_out(_with_ground([box.tiles[key].rows for key in keys], terrain, first))
        box, keys = components.named(name), list(laid)
    return box, tuple(Laid(place, key) for place, key in enumerate(keys, first))


def _tile_keys(box: ComponentSet, what: str, value: object) -> list[str]:
    keys = _texts(what, value)
    for key in keys:
        if key not in box.tiles:
            fault(f"there is no tile «{key}»; there are {', '.join(box.tiles)}")
    return keys


def _with_ground(tiles: Sequence[Sequence[str]], terrain: Mapping[Space, str], first: int) -> list[list[str]]:
    laid = [[list(row) for row in rows] for rows in tiles]
    for (lane, row), ground in terrain.items():
        place = (row - 1) // ROWS + 1 - first
        if ground not in SYMBOL:
            fault(f"«{ground}» is no ground; there are {', '.join(dict.fromkeys(TERRAIN.values()))}")
        if not 0 <= place < len(laid):
            fault(f"terrain: row {row} is not on the table")
        laid[place][(row - 1) % ROWS][lane - 1] = SYMBOL[ground]
    return [["".join(row) for row in rows] for rows in laid]


def _pool(box: ComponentSet, given: Mapping[str, JSON], tiles: Sequence[Laid], *, carnage: bool) -> tuple[int, ...]:
    there = {box.tiles[tile.key].number for tile in tiles}
    left = [one for one in box.tile_numbers(carnage=carnage) if one not in there]
    if "pool" not in given:
        return tuple(left)
    named = given["pool"]
    if not isinstance(named, list) or set(named) - set(left):
        fault(f"pool is a list of the numbers of tiles that are not on the table: {left}")
    return tuple(sorted(named))


def _vehicles(box: ComponentSet, seat: int, crew: str, words: SeatWords) -> Iterator[Piece]:
    made = crew_of(seat, crew, vehicles=box.crews[crew].vehicles)
    unknown = set(words.vehicles) - {piece.key for piece in made}
    if unknown:
        fault(f"{LETTERS[seat - 1]} drives {crew} and has no vehicle {min(unknown)}")
    for piece in made:
        said = words.vehicles.get(piece.key)
        if said is None:
            yield replace(piece, gone=words.only, at=UNPLACED if not words.only else NOWHERE)
        else:
            yield _vehicle(box, piece, said)


UNPLACED: Space = (0, -1)
"""A vehicle for which a place out of the way is still to be found."""


def _vehicle(box: ComponentSet, piece: Piece, said: Vehicle) -> Piece:
    if not said.spaces and not said.place:
        piece = replace(piece, at=UNPLACED)
    else:
        piece = replace(piece, gone=said.place == "gone", **_sections(piece, said.spaces))
    for covered in said.covered or ():
        if covered not in box.commands or box.commands[covered].crew != "rig":
            fault(f"«{covered}» is no command of the Big Rig")
    return replace(
        piece,
        fire=bool(said.fire),
        moved=tuple(one or piece.key for one in said.moved or ()),
        coasts=said.coasts or 0,
        damage=tuple(_hurt(box, one) for one in said.damage or ()),
        minors=int(bool(said.minor)),
        covered=said.covered or (),
    )


def _sections(piece: Piece, spaces: Sequence[Space]) -> dict[str, Space]:
    """A Big Rig of which the front alone is named stands straight."""
    if not spaces:
        return {"at": NOWHERE}
    if piece.kind != "rig":
        if len(spaces) > 1:
            fault(f"{piece.key} stands on one space")
        return {"at": spaces[0]}
    line = list(spaces)
    if len(line) == 1:
        while len(line) < len(SECTIONS) and line[-1][1] > 1:
            line.append(step(line[-1], "B"))
    return dict(zip(("at", "middle", "rear"), line, strict=False))


def _hurt(box: ComponentSet, words: str) -> Hurt:
    token, _, card = words.partition(":")
    kinds = [kind.key for kind in box.damage]
    cards = [kind.key for kind in box.ongoing]
    if token not in kinds or (card and card not in cards):
        fault(f"«{words}» is no damage; there are {', '.join(kinds)}, and with ongoing: {', '.join(cards)}")
    return Hurt(kinds.index(token), cards.index(card) if card else -1)


def _driver(seat: int, crew: str, words: SeatWords) -> Driver:
    return Driver(
        seat,
        crew,
        dice=USUAL_DICE[crew] if words.dice is None else words.dice,
        steering=words.steering or 0,
        commanded=bool(words.commanded),
        chopper=words.chopper or NOWHERE,
        out=bool(words.out),
    )


def _out_of_the_way(pieces: list[Piece], named: Sequence[Space], rows: tuple[int, int]) -> None:
    """Vehicles that are not named stand in the middle of the table, far from all that is."""
    near = {space for space in named if space != NOWHERE}
    near |= {space for piece in pieces if piece.at != UNPLACED for space in piece.spaces}
    middle = sum(rows) // 2
    places = sorted(
        ((lane, row) for row in range(rows[0] + ROWS, rows[1] - 1) for lane in range(1, LANES + 1)),
        key=lambda space: (abs(space[1] - middle), -space[0]),
    )
    for n, piece in enumerate(pieces):
        if piece.at != UNPLACED:
            continue
        at = next((one for one in places if not near & _around(one)), None)
        if at is None:
            fault("there is no room out of the way for the vehicles that are not named; say «only» or where they are")
        pieces[n] = replace(piece, **_sections(piece, (at,)))
        near |= set(pieces[n].spaces)


def _around(space: Space) -> set[Space]:
    return {space, *(one for distance in range(1, APART) for one in ring(space, distance))}


def _refuse_crowds(pieces: Sequence[Piece], rows: tuple[int, int]) -> None:
    held = Counter(space for piece in pieces for space in piece.spaces)
    for space, count in held.items():
        if count > 1:
            fault(f"{count} pieces stand on {written(space)}")
        if not rows[0] <= space[1] <= rows[1]:
            fault(f"{written(space)} is not on the table, which has rows {rows[0]} to {rows[1]}")


def _bag(kinds: Sequence[components.Kind], taken: Mapping[Any, int], *, carnage: bool) -> tuple[int, ...]:
    left = []
    for kind in kinds:
        there = kind.count + (kind.carnage if carnage else 0) - taken.get(kind.key, 0)
        if there < 0:
            fault(f"the box holds fewer of {kind.key} than are given" + ("" if carnage else "; say carnage = true"))
        left.append(there)
    return tuple(left)


def _held(kinds: Sequence[components.Kind], pieces: Sequence[Piece], what: str) -> Counter[str]:
    numbers = [getattr(hurt, what) for piece in pieces for hurt in piece.damage]
    return Counter(kinds[one].key for one in numbers if one >= 0)
