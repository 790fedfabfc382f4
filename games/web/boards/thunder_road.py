"""Thunder Road's course as ready squares: hexes, vehicles, tokens, and the answers of a question on their spaces.

All functions are pure: they take the view JSON of one viewer and what is asked, and compute places in the units of the
drawing (a phone's column shows about three of them to a CSS pixel). Forward is up. The road is cut into bands by rows:
the one where something is going on, and what lies ahead of it and behind.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from games.web.boards import hexes
from games.web.boards.roadkill import MINI_HEIGHT, MINI_WIDTH, Mini, number_text

View: TypeAlias = Mapping[str, Any]
Space: TypeAlias = tuple[int, int]

LANES: Final = 6
ROWS: Final = 10
GUTTER: Final = 84
"""Left of the road: the numbers of rows."""
RIM: Final = 16
WIDTH: Final = GUTTER + hexes.PITCH * (LANES - 1) + 2 * hexes.RADIUS + RIM
MARGIN: Final = 12
"""Above and below the hexes of a band."""
LANE_STRIP: Final = 64
"""The numbers of lanes."""
FINISH_STRIP: Final = 92
WAITING_HEAD: Final = 70
WAITING_ROW: Final = 186
AHEAD: Final = 6
"""So many rows ahead of the foremost vehicle belong to where something is going on: a die's worth."""
BEHIND: Final = 1
OPENING: Final = 8
"""So many rows from the back edge do while no vehicle is on the road."""
MOST_OPEN: Final = 16
"""If vehicles are spread over more rows, only those around the viewer's own are open."""
MINI_MARGIN: Final = 12
LEAST_FOLDED: Final = 3
"""Fewer rows than these are not folded away."""
SYMBOLS: Final = {
    ".": "road",
    "?": "road",
    "3": "road",
    "4": "road",
    ",": "off_road",
    "!": "off_road",
    "m": "mud",
    "#": "rock",
    "o": "oil",
    "s": "salt",
    "g": "glass",
    "t": "goo",
    "f": "fire",
    "^": "ramp",
}
"""What is printed on a space, by the symbol of its tile."""
GROUND_NAMES: Final = {
    "road": "road",
    "off_road": "off-road",
    "mud": "mud",
    "rock": "impassable",
    "oil": "oil",
    "salt": "salt",
    "glass": "desert glass",
    "goo": "toxic goo",
    "fire": "fire",
    "ramp": "ramp, from straight behind",
}
TOKEN_GROUNDS: Final = {"cover": "off_road"}
SPACE: Final = re.compile(r"[1-6]-[1-9][0-9]{0,3}", re.ASCII)
CHOSEN: Final = "\u2713"
SIZES: Final = {1: "S", 2: "M", 3: "L"}
SIZE_WORDS: Final = {1: "small", 2: "medium", 3: "large"}
LETTERS: Final = "ABCDEF"
WIDEST_PLATE: Final = 144
PLATE, LETTER, POINT = 34, 23, 12
"""Widths: of a plate without letters, what each adds, what a point needs less."""
WIDEST: Final = 2
"""Letters that fit into a round mark."""
MOST_DAMAGE: Final = {"car": 2, "bike": 1}
SECTIONS: Final = ("front", "middle", "rear")
SECTION_PLATES: Final = {"middle": "mid", "rear": "rear"}
DIRECTION_WORDS: Final = {"F": "ahead", "L": "ahead to the left", "R": "ahead to the right"}


# --- What a drawing is made of ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ground:
    """One space: its middle and what it is drawn as. ``token``: "" none, "down" face down, "up" one that stays."""

    x: int
    y: int
    ground: str
    token: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A vehicle, a section of a Big Rig, a wreck or a chopper; ``plate``: its name, "" for none."""

    x: int
    y: int
    shape: str
    livery: int = 0
    plate: str = ""
    is_own: bool = False
    is_turned: bool = False
    is_on_fire: bool = False
    is_asked: bool = False
    is_crowded: bool = False
    boxes: tuple[tuple[int, bool], ...] = ()
    coupling: str = ""

    @property
    def plate_width(self) -> int:
        """As wide as its letters need."""
        return min(WIDEST_PLATE, PLATE + LETTER * len(self.plate) - POINT * self.plate.count("."))

    @property
    def plate_x(self) -> int:
        """Where the plate begins, left of the middle."""
        return -self.plate_width // 2


@dataclass(frozen=True, slots=True)
class Mark:
    """An answer or a step on its space.

    ``text``: the number or letter; ``words``: all of it; ``look``: "safe", "gamble" or "fatal", told apart by shape.
    ``answer``: the number of the ready answer that it opens, ``form`` that of an answer with parts, with ``query``.
    """

    x: int
    y: int
    text: str
    words: str
    look: str = "safe"
    is_aside: bool = False
    answer: int = 0
    form: int = 0
    query: str = ""

    @property
    def shape(self) -> str:
        """What is drawn around the text."""
        return "wide" if len(self.text) > WIDEST else self.look


@dataclass(frozen=True, slots=True)
class Way:
    """A way over spaces as points of a line: "way" composed, "best" offered, "slam" where somebody is moved."""

    points: str
    look: str


@dataclass(frozen=True, slots=True)
class Band:
    """Some rows of the road, the front on top. ``summary``: what a reader who folds it away should know."""

    first: int
    last: int
    view_box: str
    is_folded: bool
    summary: str
    grounds: tuple[Ground, ...]
    figures: tuple[Figure, ...]
    marks: tuple[Mark, ...]
    ways: tuple[Way, ...]
    rows: tuple[tuple[int, int], ...]
    lanes: tuple[tuple[int, int, int], ...]
    borders: tuple[tuple[str, str, int], ...]
    finish: str
    finish_text: tuple[int, int] | None
    waiting_text: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Road:
    """The whole drawing."""

    title: str
    summary: str
    bands: tuple[Band, ...]


# --- Reading the view -------------------------------------------------------------------


def space_of(words: str | None) -> Space | None:
    """A space from "3-14"; None for what is not on the road."""
    if not words:
        return None
    lane, _, row = words.partition("-")
    return int(lane), int(row)


def written(space: Space) -> str:
    """A space as people write it: lane, row."""
    return f"{space[0]}-{space[1]}"


def letter(seat: int) -> str:
    """The letter of a seat."""
    return LETTERS[seat - 1] if 1 <= seat <= len(LETTERS) else str(seat)


def spaces_of(piece: Mapping[str, Any]) -> tuple[Space, ...]:
    """Where a piece stands, the front first; () before it has come onto the road."""
    given = piece["sections"] or [piece["at"]]
    return tuple(space for space in map(space_of, given) if space is not None)


def named(view: View, name: str) -> Mapping[str, Any] | None:
    """The piece of this name, "B.M" or "wreck 3-7"."""
    return next((piece for piece in view["pieces"] if piece["name"] == name), None)


def ground_at(view: View, space: Space) -> str:
    """What is printed on a space of the table."""
    tile = next(tile for tile in view["tiles"] if tile["first_row"] <= space[1] < tile["first_row"] + ROWS)
    return SYMBOLS[tile["spaces"][space[1] - tile["first_row"]][space[0] - 1]]


# --- The answers of a question on the road ----------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a question is drawn: the piece it is about, marks by space, marks of pieces not on the road, ways."""

    piece: str = ""
    marks: tuple[tuple[Space, dict[str, Any]], ...] = ()
    waiting: tuple[tuple[str, dict[str, Any]], ...] = ()
    ways: tuple[tuple[tuple[Space, ...], str], ...] = ()


def asked_of(view: View, question: Mapping[str, Any] | None, composed: Mapping[str, Any] | None = None) -> Asked:
    """The answers that have a place on the road; ``composed``: a path that is being put together (``steps_of``)."""
    if composed is not None:
        return composing(view, composed, question)
    if question is None:
        about = about_of(view)
        return slamming(view, about) if about.get("direction") else Asked(str(about.get("piece", "")))
    about = about_of(view)
    piece = str(about.get("piece", ""))
    if question["key"] in {"drive", "bonus"} and piece:
        return driving(view, question, piece)
    if question["key"] == "turn":
        return turning(view, question)
    if question["key"] == "reroll":
        return slamming(view, about)
    return pointing(view, question, piece)


def about_of(view: View) -> Mapping[str, Any]:
    """The public facts of what is asked, whoever is asked it."""
    waiting: Mapping[str, Any] = view["waiting"] or {}
    return waiting.get("about") or {}


def composing(view: View, composed: Mapping[str, Any], question: Mapping[str, Any] | None) -> Asked:
    """The steps taken so far as a way, each next step on its space, and spaces that may be named.

    Before the first step the ready ways of the question are drawn too, each with its number at the end.
    """
    start = space_of(composed["from"])
    taken = [space_of(one["space"]) for one in composed["taken"]]
    spots = [space for space in (start, *taken) if space is not None]
    marks = []
    for one in composed["next"]:
        space = space_of(one["space"])
        if space is not None:
            marks.append((space, mark_of_step(one, form=composed["form"])))
    named_spaces = [(space_of(one["value"]), one) for one in composed["places"] if SPACE.fullmatch(one["value"])]
    chosen = [one for _, one in named_spaces if one["is_taken"]]
    if named_spaces and not chosen:
        # First the space, then the way: both at once would lie on each other.
        marks = []
    marks += [
        (space, mark_of_place(one))
        for space, one in named_spaces
        if space is not None and (one["is_taken"] or not chosen)
    ]
    ways = [(tuple(spots), "way")] if len(spots) > 1 else []
    if not taken and question is not None and start is not None:
        held = {space for space, _ in marks}
        for space, given, way in ready_ways(view, question, start):
            ways.append((way, "best"))
            marks += [] if space in held else [(space, given)]
    return Asked(str(composed["piece"]), tuple(marks), (), tuple(ways))


def mark_of_place(one: Mapping[str, Any]) -> dict[str, Any]:
    """The mark of a space that a part of an answer may name."""
    text = CHOSEN if one["is_taken"] else ""
    return {"text": text, "words": f"On {one['value']}", "look": "place", "form": 1, "query": one["query"]}


def ready_ways(
    view: View, question: Mapping[str, Any], start: Space | None
) -> Iterable[tuple[Space, dict[str, Any], tuple[Space, ...]]]:
    """Ready answers of more than one step: where they end, their mark, their spaces."""
    for answer in question["answers"]:
        path = str(answer["action"].get("path", ""))
        spots = path_spaces(view, start, path) if len(path) > 1 and answer["action"]["do"] == "drive" else []
        if spots:
            yield spots[-1], answer_mark(answer), tuple(([start] if start else []) + spots)


def look_of(step: Mapping[str, Any]) -> str:
    """How a step is drawn: fatal before gamble before safe."""
    return "fatal" if step.get("fatal") else "gamble" if step.get("gamble") else "safe"


def mark_of_step(step: Mapping[str, Any], *, form: int) -> dict[str, Any]:
    """The mark of a step that a tap adds to the path."""
    return {
        "text": step["step"],
        "words": step["words"],
        "look": look_of(step),
        "form": form,
        "query": step.get("query", ""),
    }


def driving(view: View, question: Mapping[str, Any], name: str) -> Asked:
    """Ready paths: one step each on its space; a longer one as a line with its number at the end."""
    piece = named(view, name)
    start = space_of(piece["at"]) if piece is not None else None
    marks: list[tuple[Space, dict[str, Any]]] = []
    for answer in question["answers"]:
        path = str(answer["action"].get("path", ""))
        spots = path_spaces(view, start, path)
        if len(path) == 1 and spots:
            marks.append((spots[-1], answer_mark(answer, text=path, look="gamble" if answer.get("risks") else "safe")))
    ready = list(ready_ways(view, question, start))
    marks += [(space, given) for space, given, _ in ready]
    return Asked(name, tuple(marks), (), tuple((way, "best") for _, _, way in ready))


def path_spaces(view: View, start: Space | None, path: str) -> list[Space]:
    """The spaces of a path as it is written, as far as they lie on the table."""
    spots: list[Space] = []
    at = start
    for step in path:
        if step.isdigit():
            at = (int(step), view["rows"][0])
        elif at is not None:
            at = hexes.step(*at, step)
        if at is None or not is_on_table(view, at):
            break
        spots.append(at)
    return spots


def is_on_table(view: View, space: Space) -> bool:
    """Whether there is such a space."""
    return 1 <= space[0] <= LANES and view["rows"][0] <= space[1] <= view["rows"][1]


def answer_mark(answer: Mapping[str, Any], *, text: str = "", look: str = "safe") -> dict[str, Any]:
    """The mark that opens a ready answer."""
    number = int(answer["number"])
    return {
        "text": text or str(number),
        "words": f"Answer {number}: {answer['words']}",
        "look": look,
        "answer": number,
    }


def turning(view: View, question: Mapping[str, Any]) -> Asked:
    """Each own vehicle that may have a die, with the numbers of its answers; it opens the form that names it."""
    own = {piece["key"]: piece for piece in view["pieces"] if piece["seat"] == view["viewer"]}
    numbers: dict[str, list[Mapping[str, Any]]] = {}
    for answer in question["answers"]:
        vehicle = answer["action"].get("vehicle")
        if vehicle:
            numbers.setdefault(vehicle, []).append(answer)
    marks, waiting = [], []
    for vehicle, answers in numbers.items():
        given = vehicle_mark(question, vehicle, answers)
        piece = own.get(vehicle) or next((one for one in own.values() if one["kind"] == "rig"), None)
        if piece is None:
            continue
        where = piece["sections"][SECTIONS.index(vehicle)] if vehicle in SECTIONS else piece["at"]
        space = space_of(where)
        if space is not None:
            marks.append((space, given))
        else:
            waiting.append((piece["name"] if vehicle not in SECTIONS else f"{piece['name']} {vehicle}", given))
    return Asked("", tuple(marks), tuple(waiting))


def vehicle_mark(question: Mapping[str, Any], vehicle: str, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The mark of a vehicle: with a form that takes it, it opens that, else its first answer."""
    numbers = [int(one["number"]) for one in answers]
    text = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}\u2013{numbers[-1]}"
    given = {"text": text, "words": f"{vehicle}: answers {text}" if len(numbers) > 1 else f"Answer {text}: {vehicle}"}
    for form in question["forms"]:
        part = next((part for part in form["fields"] if part["name"] == "vehicle"), None)
        index = next((i for i, one in enumerate(part["values"]) if one["value"] == vehicle), -1) if part else -1
        if index >= 0:
            return {**given, "form": int(form["number"]), "query": f"part-vehicle={index}"}
    return {**given, "answer": numbers[0]}


def slamming(view: View, about: Mapping[str, Any]) -> Asked:
    """A slam as it was rolled: an arrow from who is moved to where it goes."""
    moved = named(view, str(about.get("moved", "")))
    at = space_of(moved["at"]) if moved is not None else None
    if at is None:
        return Asked()
    return Asked(str(about["moved"]), (), (), (((at, hexes.step(*at, about["direction"])), "slam"),))


def pointing(view: View, question: Mapping[str, Any], name: str) -> Asked:
    """Answers that name a vehicle, a wreck, a space or a direction, each at its place; several at one share a mark."""
    piece = named(view, name)
    found: dict[Space, list[Mapping[str, Any]]] = {}
    for answer in question["answers"]:
        space = place_of(view, answer["action"], piece)
        if space is not None:
            found.setdefault(space, []).append(answer)
    marks = []
    for space, answers in found.items():
        numbers = [int(one["number"]) for one in answers]
        text = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}\u2013{numbers[-1]}"
        marks.append((space, {**answer_mark(answers[0], text=text), "words": "; ".join(a["words"] for a in answers)}))
    return Asked(name, tuple(marks))


def place_of(view: View, action: Mapping[str, Any], piece: Mapping[str, Any] | None) -> Space | None:
    """The space that an answer is about."""
    at = space_of(piece["at"]) if piece is not None else None
    do = action["do"]
    if do == "shoot":
        target = named(view, action["target"])
        spaces = spaces_of(target) if target is not None else ()
        return spaces[0] if spaces else None
    if do == "front" and at is not None:
        return hexes.step(*at, action["direction"])
    if do == "bike":
        bike = next(
            (p for p in view["pieces"] if p["seat"] == view["viewer"] and p["key"] == action["vehicle"]),
            None,
        )
        return space_of(bike["at"]) if bike is not None else None
    return None


# --- Which rows are shown ---------------------------------------------------------------


def busy_rows(view: View, asked: Asked) -> tuple[int, int]:
    """The first and last row where something is going on: operable vehicles and what is asked, a die's worth ahead.

    Those that are far from the viewer's own are left to the summaries of what is folded away.
    """
    first, last = view["rows"]
    rows = [
        space[1] for piece in view["pieces"] if piece["seat"] and not piece["inoperable"] for space in spaces_of(piece)
    ]
    named_rows = rows_named(asked)
    if not rows:
        return first, min(last, max([first + OPENING - 1, *named_rows]))
    if any(piece["seat"] and not spaces_of(piece) for piece in view["pieces"]):
        rows.append(first)
    first, last = clipped(view, min([*rows, *named_rows]) - BEHIND, max([max(rows) + AHEAD, *named_rows]))
    if last - first < MOST_OPEN:
        return first, last
    mine = rows_in_focus(view, asked)
    return clipped(view, min(mine) - BEHIND, max(mine) + AHEAD) if mine else (first, last)


def rows_in_focus(view: View, asked: Asked) -> list[int]:
    """Where vehicles are far apart: the rows of the viewer's own and of what is asked; a spectator's: of who moves."""
    seat = view["active"] if view["viewer"] is None else view["viewer"]
    rows = rows_named(asked)
    for piece in view["pieces"]:
        if (piece["seat"] == seat and not piece["inoperable"]) or piece["name"] == asked.piece:
            rows += [space[1] for space in spaces_of(piece)]
            rows += [] if spaces_of(piece) else [view["rows"][0]]
    return rows


def rows_named(asked: Asked) -> list[int]:
    """The rows of an answer's marks and ways, but of spaces that are merely one of many."""
    rows = [space[1] for space, given in asked.marks if given.get("look") != "place"]
    return rows + [space[1] for spots, _ in asked.ways for space in spots]


def asked_rows(view: View, asked: Asked, *, own: bool) -> tuple[int, int]:
    """The rows that one question is about: its piece, its marks and ways; else the viewer's own vehicles."""
    piece = named(view, asked.piece)
    rows = rows_named(asked)
    is_anywhere = any(given.get("look") == "place" for _, given in asked.marks)
    if is_anywhere:
        return view["rows"][0], view["rows"][1]
    if piece is not None:
        rows += [space[1] for space in spaces_of(piece)]
    if not rows and own:
        rows = [s[1] for p in view["pieces"] if p["seat"] == view["viewer"] for s in spaces_of(p)]
    if asked.waiting:
        rows.append(view["rows"][0])
    if not rows:
        return busy_rows(view, asked)
    left = int(view["left"]) if asked.piece and not asked.ways else BEHIND
    return clipped(view, min(rows) - BEHIND, max(rows) + max(2, min(AHEAD, left)))


def clipped(view: View, first: int, last: int) -> tuple[int, int]:
    """Rows within the table; a remainder too short to be folded away is taken in."""
    low, high = view["rows"]
    first, last = max(low, first), min(high, last)
    return (low if first - low < LEAST_FOLDED else first), (high if high - last < LEAST_FOLDED else last)


# --- The drawing ------------------------------------------------------------------------


def road(
    view: View, question: Mapping[str, Any] | None, *, composed: Mapping[str, Any] | None = None, cropped: bool = False
) -> Road:
    """The drawing of the road; ``cropped``: only the rows that the question is about."""
    asked = asked_of(view, question, composed)
    low, high = view["rows"]
    first, last = asked_rows(view, asked, own=True) if cropped else busy_rows(view, asked)
    bands = [band(view, asked, first, last, is_folded=False)]
    if not cropped:
        if last < high:
            bands.insert(0, band(view, asked, last + 1, high, is_folded=True))
        if first > low:
            bands.append(band(view, asked, low, first - 1, is_folded=True))
    return Road(title="The road, forward is up", summary=summary(view), bands=tuple(bands))


def band(view: View, asked: Asked, first: int, last: int, *, is_folded: bool) -> Band:
    """Some rows with all that is on them."""
    low = view["rows"][0]
    waiting = waiting_pieces(view) if first == low else []
    is_finish = view["finish"] is not None and first <= view["finish"] <= last
    top = place(view, (1, last))[1] - hexes.HEIGHT - MARGIN
    bottom = place(view, (1, first))[1] + hexes.HALF + MARGIN
    lane_y = (top - 14, bottom + 46)
    top -= LANE_STRIP + (FINISH_STRIP if is_finish else 0)
    bottom += LANE_STRIP
    waiting_top = bottom
    if waiting:
        bottom += WAITING_HEAD + WAITING_ROW * ((len(waiting) + LANES - 1) // LANES)
    shown = [(space, given) for space, given in asked.marks if first <= space[1] <= last]
    marks = [mark(view, space, given) for space, given in shown]
    # A slam's two are drawn last, so that nobody hides them.
    figures = sorted(figures_on(view, asked, first, last), key=lambda one: one.is_crowded)
    for n, (piece, section) in enumerate(waiting):
        x = GUTTER + hexes.RADIUS + hexes.PITCH * (n % LANES)
        y = waiting_top + WAITING_HEAD + WAITING_ROW * (n // LANES) + WAITING_ROW // 2
        name = f"{piece['name']} {section}" if section else piece["name"]
        figures.append(figure(view, piece, x, y, section=section, is_asked=piece["name"] == asked.piece))
        marks += [Mark(x + 44, y - 50, is_aside=True, **given) for who, given in asked.waiting if who == name]
    return Band(
        first=first,
        last=last,
        view_box=f"0 {top} {WIDTH} {bottom - top}",
        is_folded=is_folded,
        summary=band_summary(view, first, last) if is_folded else "",
        grounds=tuple(grounds(view, first, last)),
        figures=tuple(figures),
        marks=tuple(marks),
        ways=tuple(way(view, *one) for one in asked.ways if any(first <= space[1] <= last for space in one[0])),
        rows=tuple((row, place(view, (1, row))[1] + 17) for row in range(first, last + 1)),
        lanes=tuple((lane, place(view, (lane, low))[0], y) for y in lane_y for lane in range(1, LANES + 1)),
        borders=tuple(borders(view, first, last)),
        finish=edge(view, view["finish"]) if is_finish else "",
        finish_text=(GUTTER + (WIDTH - GUTTER) // 2, lane_y[0] - LANE_STRIP + 6) if is_finish else None,
        waiting_text=(GUTTER, waiting_top + 44) if waiting else None,
    )


def place(view: View, space: Space) -> tuple[int, int]:
    """The middle of a space in the drawing."""
    low, high = view["rows"]
    x, y = hexes.middle(space[0], space[1] - low + 1, rows=high - low + 1)
    return x + GUTTER, y


def edge(view: View, row: int) -> str:
    """The front edge of a row as points of a line."""
    low, high = view["rows"]
    points = hexes.border(row - low + 1, lanes=LANES, rows=high - low + 1).split(" ")
    moved = (point.split(",") for point in points)
    return " ".join(f"{int(x) + GUTTER},{y}" for x, y in moved)


def grounds(view: View, first: int, last: int) -> Iterable[Ground]:
    """Each space with its token."""
    tokens = {space_of(token["space"]): token["kind"] for token in view["tokens"]}
    for row in range(last, first - 1, -1):
        for lane in range(1, LANES + 1):
            x, y = place(view, (lane, row))
            kind = tokens.get((lane, row), "")
            ground = ground_at(view, (lane, row))
            if kind == "face_down":
                yield Ground(x, y, ground, "down")
            elif kind:
                yield Ground(x, y, TOKEN_GROUNDS.get(kind, kind), "up")
            else:
                yield Ground(x, y, ground, "")


def borders(view: View, first: int, last: int) -> Iterable[tuple[str, str, int]]:
    """The borders between tiles: the points of the line, the key of the tile in front of it and where that stands."""
    for tile in view["tiles"]:
        row = tile["first_row"]
        if first <= row <= last:
            yield edge(view, row - 1), tile["key"], place(view, (1, row))[1] + hexes.HALF + 12


def waiting_pieces(view: View) -> list[tuple[Mapping[str, Any], str]]:
    """Vehicles, and sections of a Big Rig, that have not come onto the road, in seat order."""
    found: list[tuple[Mapping[str, Any], str]] = []
    for piece in view["pieces"]:
        if piece["kind"] == "rig":
            found += [(piece, name) for name, space in zip(SECTIONS, piece["sections"], strict=True) if space is None]
        elif piece["seat"] and piece["at"] is None:
            found.append((piece, ""))
    return found


def figures_on(view: View, asked: Asked, first: int, last: int) -> Iterable[Figure]:
    """What stands on these rows: vehicles, then choppers above them."""
    counted: dict[Space, int] = {}
    held = Counter(space for piece in view["pieces"] for space in spaces_of(piece))
    for piece in view["pieces"]:
        spots = [space_of(one) for one in (piece["sections"] or [piece["at"]])]
        for n, space in enumerate(spots):
            if space is None or not first <= space[1] <= last:
                continue
            x, y = place(view, space)
            # Two on one space are a slam: side by side, the one that came in on top.
            shift = 2 * counted.get(space, 0) - held[space] + 1
            counted[space] = counted.get(space, 0) + 1
            behind = spots[n + 1] if n + 1 < len(spots) else None
            yield figure(
                view,
                piece,
                x + 24 * shift,
                y - 38 * shift,
                section=SECTIONS[n] if piece["kind"] == "rig" else "",
                is_asked=piece["name"] == asked.piece,
                is_crowded=held[space] > 1,
                coupling=coupling(place(view, space), place(view, behind)) if behind is not None else "",
            )
    for seat in view["seats"]:
        space = space_of(seat["chopper"])
        if space is not None and first <= space[1] <= last:
            x, y = place(view, space)
            yield Figure(
                x,
                y - 26 * counted.get(space, 0),
                "chopper",
                livery=seat["seat"],
                plate=letter(seat["seat"]),
                is_own=seat["seat"] == view["viewer"],
            )


def coupling(front: tuple[int, int], behind: tuple[int, int]) -> str:
    """The bar between two sections of a Big Rig."""
    return f"M{front[0]} {front[1]}L{behind[0]} {behind[1]}"


def figure(
    view: View,
    piece: Mapping[str, Any],
    x: int,
    y: int,
    *,
    section: str,
    is_asked: bool = False,
    is_crowded: bool = False,
    coupling: str = "",
) -> Figure:
    """A vehicle, a section or a wreck at a point of the drawing."""
    if not piece["seat"]:
        return Figure(x, y, "wreck", is_asked=is_asked, is_crowded=is_crowded)
    kind = piece["kind"]
    shape = f"rig-{section}" if kind == "rig" else "bike" if kind == "bike" else f"car-{SIZES[piece['size']]}"
    plate = piece["name"] if section in {"", "front"} else f"{letter(piece['seat'])} {SECTION_PLATES[section]}"
    return Figure(
        x=x,
        y=y,
        shape=shape,
        livery=piece["seat"],
        plate=plate,
        is_own=piece["seat"] == view["viewer"],
        is_turned=piece["inoperable"],
        is_on_fire=piece["fire"] and section in {"", "front"},
        is_asked=is_asked,
        is_crowded=is_crowded,
        boxes=damage_boxes(piece, section),
        coupling=coupling,
    )


def damage_boxes(piece: Mapping[str, Any], section: str) -> tuple[tuple[int, bool], ...]:
    """A box for each damage that a vehicle or section can bear: where it stands, and whether it is taken."""
    if section:
        most, taken = 2, int(piece["hurt"][section])
    else:
        most = MOST_DAMAGE[piece["kind"]]
        taken = len(piece["damage"]) if piece["kind"] == "car" else int(piece["minors"])
    return tuple((-14 * (most - 1) + 28 * n, n < taken) for n in range(most))


def mark(view: View, space: Space, given: Mapping[str, Any]) -> Mark:
    """A mark in the middle of an empty space, at the upper right of one where something stands."""
    x, y = place(view, space)
    is_held = any(space in spaces_of(piece) for piece in view["pieces"])
    is_held = is_held or any(space_of(seat["chopper"]) == space for seat in view["seats"])
    return Mark(x + 44, y - 44, is_aside=True, **given) if is_held else Mark(x, y, **given)


def way(view: View, spots: Sequence[Space], look: str) -> Way:
    """A line over spaces; the arrow of a slam begins where it does not hide who is moved."""
    points = [place(view, space) for space in spots]
    if look == "slam":
        (x, y), (to_x, to_y) = points
        points = [((x + to_x) // 2, (y + to_y) // 2), (to_x, to_y)]
    return Way(" ".join(f"{x},{y}" for x, y in points), look)


# --- The bar in miniature ---------------------------------------------------------------


def mini(view: View) -> Mini:
    """The road at a glance: a slot a tile, a dot a vehicle, hollow if inoperable; the viewer's foremost is lettered."""
    low, high = view["rows"]
    most = 2 * (high - low + 1)
    own_x, own = "", ""
    dots: list[tuple[str, bool]] = []
    standing = [piece for piece in view["pieces"] if piece["seat"] and piece["y"] is not None]
    for piece in sorted(standing, key=lambda piece: -int(piece["y"])):
        x = number_text(MINI_MARGIN + (MINI_WIDTH - 2 * MINI_MARGIN) * (int(piece["y"]) - 2 * low) / most)
        if piece["seat"] == view["viewer"] and not own and not piece["inoperable"]:
            own_x, own = x, letter(piece["seat"])
        else:
            dots.append((x, not piece["inoperable"]))
    return Mini(
        view_box=f"0 0 {MINI_WIDTH} {MINI_HEIGHT}",
        road_to=str(MINI_WIDTH),
        unlaid=(),
        ticks=tuple(number_text(MINI_WIDTH * n / len(view["tiles"])) for n in range(1, len(view["tiles"]))),
        dots=tuple(dots),
        own_x=own_x,
        own=own,
    )


# --- In words ---------------------------------------------------------------------------


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def band_summary(view: View, first: int, last: int) -> str:
    """What lies on rows that are folded away."""
    inside = [piece for piece in view["pieces"] if any(first <= space[1] <= last for space in spaces_of(piece))]
    vehicles = [piece["name"] for piece in inside if piece["seat"]]
    wrecks = len(inside) - len(vehicles)
    choppers = [
        f"{letter(seat['seat'])}\u2019s chopper"
        for seat in view["seats"]
        if (space := space_of(seat["chopper"])) is not None and first <= space[1] <= last
    ]
    hidden = sum(
        first <= int(token["space"].partition("-")[2]) <= last
        for token in view["tokens"]
        if token["kind"] == "face_down"
    )
    told = [*vehicles, *choppers]
    told += [plural(wrecks, "wreck")] if wrecks else []
    told += [plural(hidden, "token face down", "tokens face down")] if hidden else []
    if view["finish"] is not None and first <= view["finish"] <= last:
        told.append("the finish")
    return f"Rows {first} to {last}: {', '.join(told) if told else 'nobody'}"


def summary(view: View) -> str:
    """The road in one sentence: which tiles lie there, who is foremost."""
    tiles = ", ".join(f"{tile['key']} {tile['name']}" for tile in view["tiles"])
    driving = sorted(
        (piece for piece in view["pieces"] if piece["seat"] and piece["y"] is not None and not piece["inoperable"]),
        key=lambda piece: -int(piece["y"]),
    )
    first = f"{driving[0]['name']} is foremost, on {driving[0]['at']}. " if driving else "Nobody is on the road yet. "
    finish = f"The finish lies behind row {view['finish']}." if view["finish"] is not None else "No finish is set yet."
    return f"Rows {view['rows'][0]} to {view['rows'][1]}, tiles {tiles} from the rear. {first}{finish}"
