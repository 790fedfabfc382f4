"""The table in words: the one place where pages, mails and questions have them from.

It says what a drawing shows: each tile with its rows from the front, what lies and stands on each space, each vehicle
with what it has suffered and what is ahead of it, each crew with its dice.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from games.engine.contract import JSON
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.components.shapes import GROUNDS
from games.rulesets.thunder_road.hexes import LANES, ROWS, Space, read, step, written
from games.rulesets.thunder_road.state import SECTIONS, letter_of
from games.rulesets.thunder_road.words import CREWS, LYING, MOST_DAMAGE, card, count, dice, listed, pips, token, vehicle

Piece = Mapping[str, Any]
FRONT = (("FL", "left"), ("F", "straight"), ("FR", "right"))
FIRST_CHOPPER_ROUND = 2


class Ground:
    """What lies and stands where in a view, put in order once."""

    def __init__(self, view: JSON) -> None:
        self.view = view
        self.box = components.named(view["components"])
        self.first, self.last = view["rows"]
        self._rows = [row for tile in view["tiles"] for row in tile["spaces"]]
        self.tokens: dict[Space | None, str] = {read(one["space"]): one["kind"] for one in view["tokens"]}
        self.pieces: dict[Space, list[str]] = {}
        for piece in view["pieces"]:
            for at, name in _standing(piece):
                self.pieces.setdefault(at, []).append(name)
        self.choppers: dict[Space, list[str]] = {}
        for seat in view["seats"]:
            space = read(seat["chopper"]) if seat["chopper"] else None
            if space is not None:
                self.choppers.setdefault(space, []).append(f"the chopper of {letter_of(seat['seat'])}")

    def terrain(self, space: Space) -> str:
        """What a space on the table is, in words."""
        printed = LYING[GROUNDS[self._rows[space[1] - self.first][space[0] - 1]]]
        kind = self.tokens.get(space, "")
        if kind == "face_down":
            return f"a token face down on {printed}"
        return LYING[kind] if kind else printed

    def there(self, space: Space) -> str:
        """All that is on a space of the table, in words."""
        return ", ".join((self.terrain(space), *self.pieces.get(space, ()), *self.choppers.get(space, ())))

    def beyond(self, space: Space) -> str:
        """As there(), for spaces off the table too."""
        lane, row = space
        if not 1 <= lane <= LANES:
            return "off the road"
        if row < self.first:
            return "off the back of the road"
        if row > self.last:
            return "over the finish" if self.view["finish"] else "the next tile, not laid yet"
        return f"{written(space)} {self.there(space)}"

    def row(self, number: int) -> str:
        """A row in words, lane by lane; neighbours that are alike are told together."""
        parts: list[tuple[int, int, str]] = []
        for lane in range(1, LANES + 1):
            words = self.there((lane, number))
            if parts and parts[-1][2] == words:
                parts[-1] = (parts[-1][0], lane, words)
            else:
                parts.append((lane, lane, words))
        if len(parts) == 1:
            return parts[0][2]
        return "; ".join(f"{a if a == b else f'{a} to {b}'} {words}" for a, b, words in parts)


def _standing(piece: Piece) -> Iterator[tuple[Space, str]]:
    name = piece["name"] if piece["seat"] else "a wreck"
    if not piece["sections"]:
        space = read(piece["at"]) if piece["at"] else None
        if space is not None:
            yield space, name
        return
    for part, at in zip(SECTIONS, piece["sections"], strict=True):
        space = read(at) if at else None
        if space is not None:
            yield space, f"{name} ({part})"


def board_words(view: JSON) -> dict[str, Any]:
    """See games.engine.extras.Extras.board_words."""
    ground = Ground(view)
    order = sorted((one for one in view["pieces"] if one["seat"]), key=lambda one: -(one["y"] or 0))
    own = next((seat for seat in view["seats"] if seat["seat"] == view["viewer"]), None)
    sections = [_tile(ground, tile, order) for tile in reversed(view["tiles"])]
    waiting = [_vehicle(ground, piece, order) for piece in order if piece["y"] is None]
    if waiting:
        facts = [f"to enter on row {ground.first}"]
        sections.append(
            {"number": 0, "name": "Not on the road", "facts": facts, "markers": [], "is_laid": True, "cars": waiting}
        )
    return {
        "sections": sections,
        "away": [seat["seat"] for seat in view["seats"] if seat["is_out"]],
        "cars": {str(seat["seat"]): _crew(ground, seat) for seat in view["seats"]},
        "hand": [],
        "figures": [] if own is None else [{"label": label, "text": text} for label, text in _figures(ground, own)],
        "table": _table(view),
        "headings": {
            "course": "The road, front first",
            "car": "Vehicle",
            "held": "Dice of its crew",
            "own": "Your crew",
            "others": "All crews",
            "no_cards": "",
        },
        "crews": [_crew_line(ground, seat) for seat in view["seats"]],
    }


def _tile(ground: Ground, tile: JSON, order: list[Piece]) -> dict[str, Any]:
    first, last = tile["first_row"], tile["first_row"] + ROWS - 1
    facts = [f"rows {first} to {last}"]
    if ground.view["finish"] == last:
        facts.append("the finish in front of it")
    here = [piece for piece in order if piece["y"] is not None and first <= _at(piece)[1] <= last]
    return {
        "number": tile["number"],
        "name": f"Tile {tile['key']}, {tile['name']}",
        "facts": facts,
        "markers": [],
        "is_laid": True,
        "cars": [_vehicle(ground, piece, order) for piece in here],
        "lines": _rows(ground, first, last),
    }


def _rows(ground: Ground, first: int, last: int) -> list[str]:
    """Rows from the front; those that are alike one behind the other are told together."""
    found: list[tuple[int, int, str]] = []
    for number in range(last, first - 1, -1):
        words = ground.row(number)
        if found and found[-1][2] == words:
            found[-1] = (number, found[-1][1], words)
        else:
            found.append((number, number, words))
    return [f"Row {a}: {words}" if a == b else f"Rows {b} to {a}: {words}" for a, b, words in found]


def _at(piece: Piece) -> Space:
    return read(piece["at"]) or (0, 0)


def _taken(piece: Piece) -> int:
    if piece["kind"] == "car":
        return len(piece["damage"])
    return len(piece["covered"]) if piece["kind"] == "rig" else int(piece["minors"])


def _vehicle(ground: Ground, piece: Piece, order: list[Piece]) -> dict[str, Any]:
    view = ground.view
    seat = view["seats"][piece["seat"] - 1]
    motion = "inoperable" if piece["inoperable"] else "operable" if piece["at"] else "waits"
    notes = [where(piece), *_suffered(ground, piece)]
    most = MOST_DAMAGE[piece["kind"]]
    facts = [vehicle(piece), motion, *notes, f"damage {_taken(piece)} of {most}"]
    if piece["at"] and not piece["inoperable"]:
        facts.append(f"ahead: {ahead(ground, piece)}")
    return {
        "seat": piece["seat"],
        "sign": piece["name"],
        "called": piece["name"],
        "place": order.index(piece) + 1,
        "motion": motion,
        "damage": _taken(piece),
        "damage_most": most,
        "cards": len(seat["dice"]),
        "hands": " ".join(map(str, seat["dice"])) or "none",
        "notes": [vehicle(piece), *notes],
        "words": ", ".join(facts),
    }


def ahead(ground: Ground, piece: Piece) -> str:
    """What lies on the three spaces before a vehicle."""
    at = _at(piece)
    return "; ".join(f"{way} {ground.beyond(step(at, direction))}" for direction, way in FRONT)


def where(piece: Piece) -> str:
    """Where it stands; of a Big Rig, each section."""
    if piece["kind"] != "rig":
        return f"on {piece['at']}" if piece["at"] else "not on the road yet"
    parts = [f"{name} on {at}" for name, at in zip(SECTIONS, piece["sections"], strict=True) if at]
    return ", ".join(parts) or "not on the road yet"


def _suffered(ground: Ground, piece: Piece) -> list[str]:
    """What is to be known of a vehicle besides where it is and how much damage it has."""
    told = []
    if piece["moved"]:
        told.append(f"{listed(piece['moved'])} moved this round" if piece["kind"] == "rig" else "has moved this round")
    if piece["coasts"]:
        told.append(f"coasted {count(piece['coasts'], 'time')}")
    if piece["fire"]:
        told.append("on fire")
    for one in piece["damage"]:
        held = card(ground.box, one["card"]) if one["card"] else None
        told.append(token(ground.box, one["token"]) + (f", {held.name}: {held.text}" if held else ""))
    if piece["covered"]:
        told.append(f"covered: {listed([ground.box.commands[key].name for key in piece['covered']])}")
    return told


def _crew(ground: Ground, seat: JSON) -> dict[str, Any]:
    own = [piece for piece in ground.view["pieces"] if piece["seat"] == seat["seat"]]
    problems = [f"{piece['name']} inoperable" for piece in own if piece["inoperable"]]
    problems += [f"{piece['name']} on fire" for piece in own if piece["fire"]]
    lost = [name for name in ground.view["lost"] if name.startswith(f"{letter_of(seat['seat'])}.")]
    problems += [f"{name} eliminated" for name in lost]
    places = "; ".join(f"{piece['name']} {where(piece)}" for piece in own)
    return {
        "where": "out of the race" if seat["is_out"] else places,
        "problems": problems,
        "markers": [f"chopper on {seat['chopper']}"] if seat["chopper"] else [],
        "upgrades": [],
    }


def _crew_line(ground: Ground, seat: JSON) -> dict[str, Any]:
    """A crew on one line: its dice, its command and its chopper."""
    told = [CREWS[seat["crew"]]]
    if seat["is_out"]:
        told.append("out of the race")
    else:
        told += [f"{label.lower()} {text}" for label, text in _figures(ground, seat, commands=False)]
    lost = [name for name in ground.view["lost"] if name.startswith(f"{letter_of(seat['seat'])}.")]
    if lost:
        told.append(f"eliminated: {listed(lost)}")
    return {"seat": seat["seat"], "words": ", ".join(told)}


def _figures(ground: Ground, seat: JSON, *, commands: bool = True) -> Iterator[tuple[str, str]]:
    yield "Dice", dice(seat["dice"])
    if seat["crew"] == "rig":
        yield "Steering", str(seat["steering"])
    yield "Command", "used or given up this round" if seat["commanded"] else "open"
    yield "Chopper", f"on {seat['chopper']}" if seat["chopper"] else "in hand"
    if commands and not seat["commanded"]:
        yield "Commands", "; ".join(usable(ground.view, seat["seat"]))


def usable(view: JSON, seat: int) -> list[str]:
    """The commands of a seat with the dice that they need, but those that are covered or too early."""
    box = components.named(view["components"])
    crew = view["seats"][seat - 1]["crew"]
    covered = {key for piece in view["pieces"] if piece["seat"] == seat for key in piece["covered"]}
    return [
        f"{one.name}: {pips(one)}"
        for one in box.commands.values()
        if one.crew == crew
        and one.key not in covered
        and not (one.not_in_round_1 and view["round"] < FIRST_CHOPPER_ROUND)
    ]


def _table(view: JSON) -> str:
    """Round, road die, finish, and what is left in the piles."""
    parts = [f"round {view['round']}"]
    if view["first"]:
        parts.append(f"road die {view['road']}, with {letter_of(view['first'])}")
    finish = f"the finish lies behind row {view['finish']}" if view["finish"] else "no finish is set yet"
    parts += [finish, f"{count(view['hazards_left'], 'hazard token')} in the pile"]
    parts.append(f"{count(view['damage_left'], 'damage token')} in the bag")
    return ", ".join(parts)
