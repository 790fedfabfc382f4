"""RoadKill's course as ready squares: the drawing, the bar in miniature, and the list that says the same.

All functions are pure: they take the view JSON of one viewer, its table in words (the ruleset's board_words) and
the drivers' names, and compute places in the units of the drawing (one unit is one CSS pixel at a column of 360). The
front of the race is on top, so the drawing is the order of the race.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import atan, cos, degrees, pi, sin
from typing import Any, Final, TypeAlias

View: TypeAlias = Mapping[str, Any]
Words: TypeAlias = Mapping[str, Any]
Names: TypeAlias = Mapping[str, str]

WIDTH: Final = 360
ROAD: Final = 98
HALF_ROAD: Final = 25
SHOULDER: Final = 143
GUTTER: Final = 28
MARKS: Final = 50
LABEL: Final = 182
RIGHT: Final = 352
SWING, WAVE = 6, 230  # the road winds a little: units to each side, units from bend to bend
SKY, UNLAID, ALL_LAID = 92, 46, 10
HEAD, HEAD_WEATHER, CAR, NOTE, SIDE, FOOT, LEFT, AHEAD = 36, 18, 46, 17, 6, 4, 36, 42
MAP: Final = "beginner"  # the Beginner's Track, whose whole course is printed
STREET_STEP: Final = 6
DAMAGE_BOXES: Final = 7
NAME_LETTERS: Final = 13
NOTE_LETTERS: Final = 26
ROMAN: Final = ("0", "I", "II", "III", "IV")
WEATHER_PATHS: Final = {
    "fog": "M-8-5h13M-5-1h13M-8 3h11M-4 7h10",
    "rain": "M-6-7l-3 6M0-7l-3 6M6-7l-3 6M-3 2l-3 6M3 2l-3 6",
    "blizzard": "M0-8v16M-7-4L7 4M-7 4L7-4",
}
MINI_WIDTH, MINI_HEIGHT = 300, 40


def number_text(value: float) -> str:
    """A coordinate for SVG: at most one digit after a point, never a comma, whatever the language."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def roman(value: int) -> str:
    """The value of a Section as on its marker: I to IV."""
    return ROMAN[value] if 0 <= value < len(ROMAN) else str(value)


def driver_name(names: Names, seat: int) -> str:
    """The name of the driver of this car, or the car's number if the names say none."""
    return names.get(str(seat)) or f"Car {seat}"


def shortened(name: str, letters: int) -> str:
    """A name of at most so many letters, its end left out."""
    return name if len(name) <= letters else f"{name[: letters - 1].rstrip()}…"


def sway(y: float) -> float:
    """How far the road's middle is from ROAD at this height."""
    return SWING * sin(2 * pi * y / WAVE)


def slope(y: float) -> float:
    """The angle in degrees, clockwise, at which a car on the road stands at this height."""
    return -degrees(atan(SWING * 2 * pi / WAVE * cos(2 * pi * y / WAVE)))


# --- What a drawing is made of ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Token:
    """One car from above, nose up, 24 wide and 42 high around its middle."""

    number: int
    at: str
    turn: str
    upright: str
    look: str
    is_moving: bool
    is_wreck: bool
    is_small: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One car's line: its token, its place in the gutter and its label."""

    seat: int
    y: str
    height: str
    is_own: bool
    is_leader: bool
    is_active: bool
    place: int
    middle: str
    place_y: str
    token: Token
    sign: str
    sign_at: str
    spur: str
    name: str
    name_y: str
    state: str
    state_y: str
    is_wreck: bool
    damage: int
    boxes: tuple[bool, ...]
    boxes_y: str
    figures_y: str
    hand: str
    hand_x: str
    hand_icon_x: str
    hand_icon_y: str
    note: str
    note_y: str


@dataclass(frozen=True, slots=True)
class Band:
    """One Section across the drawing, or the start line (number 0)."""

    number: int
    ground: str
    y: str
    height: str
    is_left: bool
    line_from: str
    line_to: str
    line_y: str
    shield_at: str
    title: str
    title_y: str
    startno_y: str
    rest_at: str
    rest_text_x: str
    rest_text_y: str
    weather_path: str
    weather_at: str
    markers: str
    markers_x: str
    markers_y: str


@dataclass(frozen=True, slots=True)
class Course:
    """The whole drawing, ready to be printed by a template."""

    view_box: str
    is_whole: bool
    is_night: bool
    title: str
    summary: str
    bands: tuple[Band, ...]
    rows: tuple[Row, ...]
    road: str
    unlaid: str
    unlaid_title: str
    unlaid_text: str
    unlaid_y: str
    unlaid_height: str
    squares: tuple[tuple[str, str], ...] = tuple(
        (number_text(-22 + 8.8 * column), str(-48 + 8 * line))
        for column in range(5)
        for line in range(2)
        if (column + line) % 2 == 0
    )


# --- Reading the view -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A car where it stands, and what is told of it: ``side`` is the value of its Side Road, None on the course.

    ``name``: whose name is drawn beside it; ``partner``: of two who drive it the other one, "" for none.
    """

    car: Mapping[str, Any]
    told: Mapping[str, Any]
    side: int | None = None
    name: str = ""
    partner: str = ""

    @property
    def notes(self) -> Sequence[str]:
        """What is to be known besides motion, damage and hand; what keeps the car from moving first."""
        return (*((f"with {shortened(self.partner, NAME_LETTERS)}",) if self.partner else ()), *self.told["notes"])


@dataclass(frozen=True, slots=True)
class Stretch:
    """One Section of the view with the cars on it, those on its Side Roads last. ``facts`` are its heading in words."""

    number: int
    name: str
    value: int
    has_rest_stop: bool
    weather: str
    facts: str
    markers: str
    standings: tuple[Standing, ...] = field(default=())
    is_ahead: bool = False
    """Printed on the map and not reached by anybody yet."""

    @property
    def is_left(self) -> bool:
        """Whether all cars have gone on."""
        return not self.standings and not self.is_ahead


def drawn_names(view: View, names: Names, drivers: Names, seat: int) -> tuple[str, str]:
    """Whose name is drawn beside a car, and of two who drive it the other's.

    Of two the viewer, or who plays the car in this turn (12.31).
    """
    teams = view.get("teams")
    if not teams:
        return driver_name(names, seat), ""
    both = [one for one in teams["players"] if one["car"] == seat and not one["is_gone"]]
    both.sort(key=lambda one: (one["seat"] != teams["you"], not one["plays"]))
    told = [drivers.get(str(one["seat"]), "") for one in both]
    return (told[0] if told else driver_name(names, seat)), (told[1] if len(told) > 1 else "")


def stretches(
    view: View, words: Words, names: Names | None = None, drivers: Names | None = None
) -> tuple[Stretch, ...]:
    """The Sections from the front of the race to the start line, each with its cars in the order of the words.

    ``names`` by car and ``drivers`` by seat: for a drawing, which names who drives.
    """
    called = {car["seat"]: drawn_names(view, names or {}, drivers or {}, car["seat"]) for car in view["cars"]}
    cars = {car["seat"]: car for car in view["cars"]}
    sections = {section["number"]: section for section in view["course"]}
    reached = max((told["number"] for told in words["sections"] if told["cars"]), default=0)
    found = []
    for told in words["sections"]:
        section = sections[told["number"]]
        sides = {side["car"]: int(side["value"]) for side in section["side_roads"]}
        found.append(
            Stretch(
                number=told["number"],
                name=told["name"],
                value=section["value"],
                has_rest_stop=bool(section["rest_stop"]),
                weather=str(section.get("weather") or ""),
                facts=", ".join((*told["facts"], *told["markers"])),
                markers=", ".join(told["markers"]),
                standings=tuple(
                    Standing(cars[car["seat"]], car, sides.get(car["seat"]), *called[car["seat"]])
                    for car in told["cars"]
                ),
                is_ahead=view["track"] == MAP and told["number"] > reached,
            )
        )
    return tuple(found)


def note_text(notes: Sequence[str]) -> str:
    """The notes on one line of at most 26 letters, and how many did not fit: "Flat Tire, camouflaged +2"."""
    for kept in range(len(notes), 0, -1):
        left = len(notes) - kept
        text = ", ".join(notes[:kept]) + (f" +{left}" if left else "")
        if len(text) <= NOTE_LETTERS or kept == 1:
            return text
    return ""


# --- The list ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedCar:
    """One car of the list: ``words`` is all that is drawn of it, in words."""

    seat: int
    name: str
    place: int
    is_own: bool
    words: str


@dataclass(frozen=True, slots=True)
class ListedSection:
    """One Section of the list, or the start line."""

    number: int
    name: str
    facts: str
    is_left: bool
    cars: tuple[ListedCar, ...]

    @property
    def title(self) -> str:
        """Name and facts on one line."""
        return f"{self.name}, {self.facts}" if self.facts else self.name


def listing(view: View, words: Words, names: Names) -> tuple[ListedSection, ...]:
    """The course in words, from the front: the same cars in the same order as the drawing."""
    return tuple(
        ListedSection(
            number=stretch.number,
            name=stretch.name,
            facts=stretch.facts,
            is_left=stretch.is_left,
            cars=tuple(listed_car(standing, view, names) for standing in stretch.standings),
        )
        for stretch in stretches(view, words)
    )


def listed_car(standing: Standing, view: View, names: Names) -> ListedCar:
    """One car in words."""
    told = standing.told
    return ListedCar(
        seat=told["seat"],
        name=driver_name(names, told["seat"]),
        place=told["place"],
        is_own=told["seat"] == view.get("viewer"),
        words=told["words"],
    )


def gone_cars(words: Words, names: Names) -> tuple[tuple[int, str], ...]:
    """Cars that have left the race for good: number and driver."""
    return tuple((seat, driver_name(names, seat)) for seat in words["away"])


def and_list(words: Iterable[str]) -> str:
    """Join words as in a sentence: "a", "a and b", "a, b and c"."""
    listed = list(words)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}" if listed else ""


def summary(view: View, words: Words, names: Names) -> str:
    """The course in one sentence: who leads where, and who follows."""
    groups = [section for section in listing(view, words, names) if section.cars]
    if not groups:
        return "No car is on the course."
    first, *others = groups
    place = "at the start line" if first.number == 0 else f"on {first.name}"
    # Two names a car would make a riddle of it.
    called = {car.seat: f"car {car.seat}" if view.get("teams") else car.name for one in groups for car in one.cars}
    drivers = [called[car.seat] for car in first.cars]
    parts = [f"{and_list(drivers)} {'is' if len(drivers) == 1 else 'are'} in front {place}"]
    parts += [
        f"{and_list(called[car.seat] for car in section.cars)} "
        + ("at the start line" if section.number == 0 else f"on {section.name}")
        for section in others
    ]
    return "; then ".join(parts) + "."


# --- The drawing ------------------------------------------------------------------------


def course(
    view: View,
    words: Words,
    names: Names,
    *,
    drivers: Names | None = None,
    title: str = "Course, front of the race on top",
) -> Course:
    """The drawing of the whole course for this view."""
    return drawn(view, words, names, drivers, title=title, only=None)


def crop(view: View, words: Words, names: Names, number: int, *, drivers: Names | None = None) -> Course:
    """The band of one Section alone, as it stands in the whole drawing; for questions about it."""
    name = next(section["name"] for section in words["sections"] if section["number"] == number)
    return drawn(view, words, names, drivers, title=f"Course: {name}", only=number)


def drawn(view: View, words: Words, names: Names, drivers: Names | None, *, title: str, only: int | None) -> Course:
    """Lay the bands from the top down and put the cars into them; ``only`` keeps one Section's band."""
    sections = stretches(view, words, names, drivers)
    highest = max((section.number for section in sections), default=0)
    unlaid = int(view["sections_to_win"]) - highest
    y = SKY + (UNLAID if unlaid > 0 else ALL_LAID)
    bands: list[Band] = []
    rows: list[Row] = []
    frame = (0, 0)
    for index, section in enumerate(sections):
        height = band_height(section)
        if only is None or section.number == only:
            bands.append(band_of(section, y, height, index))
            rows += rows_of(section, y, view)
            frame = (y, height)
        y += height
    if only is None:
        frame = (0, y)
    road_top = SKY + UNLAID if unlaid > 0 else SKY - 2
    first, last = highest + 1, int(view["sections_to_win"])
    goal = number_text(ROAD + sway(road_top) - HALF_ROAD)
    goal_right = number_text(ROAD + sway(road_top) + HALF_ROAD)
    return Course(
        view_box=f"0 {frame[0]} {WIDTH} {frame[1]}",
        is_whole=only is None,
        is_night=view.get("light") == "night",
        title=title,
        summary=summary(view, words, names),
        bands=tuple(bands),
        rows=tuple(rows),
        road=street(road_top if only is None else frame[0], sum(frame)),
        unlaid=(
            f"M{goal} {road_top}L{ROAD - 9} {SKY - 10}M{goal_right} {road_top}L{ROAD + 9} {SKY - 10}"
            if unlaid > 0
            else ""
        ),
        unlaid_title="" if unlaid <= 0 else f"Section {last}" if first == last else f"Sections {first} to {last}",
        unlaid_text="the first into it wins" if first == last else f"the first into {last} wins",
        unlaid_y=str(SKY),
        unlaid_height=str(UNLAID if unlaid > 0 else ALL_LAID),
    )


def street(top: float, bottom: float) -> str:
    """The points of the road's middle, one each six units."""
    steps = max(2, int((bottom - top) / STREET_STEP))
    heights = [top + (bottom - top) * step / steps for step in range(steps + 1)]
    return " ".join(f"{number_text(ROAD + sway(y))},{number_text(y)}" for y in heights)


def car_height(standing: Standing) -> int:
    """How high one car's line is."""
    note = NOTE if standing.notes and not standing.car.get("wreck") else 0
    return CAR + note


def band_height(section: Stretch) -> int:
    """How high one Section's band is."""
    if section.is_left or section.is_ahead:
        return LEFT if section.is_left else AHEAD
    rows = sum(car_height(standing) + (SIDE if standing.side is not None else 0) for standing in section.standings)
    foot = SIDE if section.number == 0 else FOOT
    return HEAD + (HEAD_WEATHER if section.markers else 0) + rows + foot


def band_of(section: Stretch, y: int, height: int, index: int) -> Band:
    """One band with its heading."""
    value = roman(section.value)
    middle = ROAD + sway(y)
    if section.number == 0:
        title = section.name
    elif section.is_left:
        title = f"Value {value}, all cars gone"
    else:
        title = f"Value {value}"
    rest_x = LABEL + 52 + 5 * len(value)
    return Band(
        number=section.number,
        ground="g0" if index % 2 == 0 else "g1",
        y=str(y),
        height=str(height),
        is_left=section.is_left and section.number > 0,
        line_from=number_text(middle - HALF_ROAD + 3),
        line_to=number_text(middle + HALF_ROAD - 3),
        line_y=str(y + 1),
        shield_at=f"{GUTTER} {y + (LEFT // 2 if section.is_left else 22)}",
        title=title,
        title_y=str(y + 22),
        startno_y=str(y + 26),
        rest_at=f"{rest_x} {y + 16}" if section.has_rest_stop and not section.is_left else "",
        rest_text_x=str(rest_x + 14),
        rest_text_y=str(y + 21),
        weather_path=WEATHER_PATHS.get(section.weather, "") if not section.is_left else "",
        weather_at=f"{LABEL + 8} {y + 38}",
        markers=section.markers if not section.is_left else "",
        markers_x=str(LABEL + (24 if section.weather else 0)),
        markers_y=str(y + 42),
    )


def rows_of(section: Stretch, top: int, view: View) -> Iterable[Row]:
    """The lines of one Section's cars."""
    y = top + HEAD + (HEAD_WEATHER if section.markers else 0)
    for standing in section.standings:
        on_side = standing.side is not None
        shift = SIDE // 2 if on_side else 0
        yield row_of(standing, y + shift, view)
        y += car_height(standing) + (SIDE if on_side else 0)


def row_of(standing: Standing, y: int, view: View) -> Row:
    """One car's line at height ``y``."""
    car = standing.car
    seat = car["seat"]
    middle = y + CAR // 2
    is_wreck = bool(car.get("wreck"))
    hand = standing.told["hands"]
    note = note_text(standing.notes)
    sign = ""
    if not is_wreck and not car.get("moving"):
        sign = "rest" if car.get("at_rest_stop") else "" if standing.side is not None else "stop"
    road = ROAD + sway(middle)
    return Row(
        seat=seat,
        y=str(y),
        height=str(car_height(standing) - 1),
        is_own=seat == view.get("viewer"),
        is_leader=seat == view.get("leader"),
        is_active=seat == view.get("active") and view.get("outcome") is None,
        place=standing.told["place"],
        middle=str(middle),
        place_y=str(middle + 8),
        token=token_of(standing, middle, is_own=seat == view.get("viewer")),
        sign=sign,
        sign_at=f"{SHOULDER + (19 if standing.side is not None else 16)} {middle + 13}",
        spur=(
            f"M{number_text(road)} {middle - 22}C{number_text(road + 16)} {middle - 14} "
            f"{number_text(road + 24)} {middle} {SHOULDER + 17} {middle}"
            if standing.side is not None
            else ""
        ),
        name=shortened(standing.name, NAME_LETTERS),
        name_y=str(middle - 22),
        state=standing.told["motion"],
        state_y=str(middle - 5),
        is_wreck=is_wreck,
        damage=car["damage"],
        boxes=tuple(box < car["damage"] for box in range(DAMAGE_BOXES)),
        boxes_y=number_text(middle + 4),
        figures_y=str(middle + 13),
        hand=hand,
        hand_x=str(RIGHT - 18 if len(hand) == 1 else RIGHT - 16),
        hand_icon_x=str(RIGHT - 30 if len(hand) < 3 else RIGHT - 36 - 4 * (len(hand) - 3)),
        hand_icon_y=number_text(middle + 2.5),
        note=note,
        note_y=str(middle + 13 if is_wreck else middle + 13 + NOTE),
    )


def token_of(standing: Standing, middle: int, *, is_own: bool) -> Token:
    """Where and how a car is drawn: on the road, on the shoulder, or across a spur."""
    car = standing.car
    is_moving = bool(car.get("moving")) and not car.get("wreck")
    if car.get("wreck"):
        x, turn = float(SHOULDER + 2), 152.0
    elif standing.side is not None:
        x, turn = float(SHOULDER + 7), 90.0
    elif is_moving:
        x, turn = ROAD + sway(middle), slope(middle)
    else:
        x, turn = float(SHOULDER), 16.0
    look = [f"car-{car['seat']}"]
    look += ["on"] if is_moving else []
    look += ["you"] if is_own else []
    look += ["wreck"] if car.get("wreck") else []
    return Token(
        number=car["seat"],
        at=f"{number_text(x)} {middle}",
        turn=number_text(turn),
        upright=number_text(-turn),
        look=" ".join(look),
        is_moving=is_moving,
        is_wreck=bool(car.get("wreck")),
        is_small=standing.side is not None,
    )


# --- The bar in miniature ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mini:
    """The course at a glance: a slot a Section, a dot a car. The sentence beside it says the same."""

    view_box: str
    road_to: str
    unlaid: tuple[tuple[str, str], ...]
    ticks: tuple[str, ...]
    dots: tuple[tuple[str, bool], ...]
    own_x: str
    own: int | str


def mini(view: View, words: Words) -> Mini:
    """The bar: the start line, then a slot a Section, dashed if unlaid; the own car is numbered."""
    sections = {section.number: section for section in stretches(view, words)}
    highest = max(sections, default=0)
    slots = int(view["sections_to_win"]) + 1
    width = MINI_WIDTH / slots
    dots: list[tuple[str, bool]] = []
    own_x, own = "", 0
    for number in sorted(sections):
        standings = sections[number].standings
        spare = max(1, len(standings) - 1)
        step = min(9.5, (width - 9) / spare)
        right = number * width + width / 2 + step * (len(standings) - 1) / 2
        for index, standing in enumerate(standings):
            x = max(10.0, min(MINI_WIDTH - 10.0, right - index * step))
            if standing.car["seat"] == view.get("viewer"):
                own_x, own = number_text(x), standing.car["seat"]
            else:
                dots.append((number_text(x), standing.told["motion"] == "moving"))
    return Mini(
        view_box=f"0 0 {MINI_WIDTH} {MINI_HEIGHT}",
        road_to=number_text((highest + 1) * width),
        unlaid=tuple((number_text(number * width), number_text(width)) for number in range(highest + 1, slots)),
        ticks=tuple(number_text(number * width) for number in range(1, highest + 1)),
        dots=tuple(dots),
        own_x=own_x,
        own=own,
    )
