"""Chapter 8, the lasting half: night, weather, Narrow and Wide Road."""

from games.engine.rulebook import rule
from games.rulesets.roadkill.state import (
    BLIZZARD,
    CLEAR,
    FOG,
    NARROW,
    NONE,
    RADAR,
    RAIN,
    ROTOR,
    WEATHER_WORDS,
    WIDE,
    Car,
    Position,
    Table,
    has,
    leader,
)


@rule("8.3")
def is_night(deck: int) -> bool:
    """Every third deck is played at night; the next one brings the day back."""
    return deck % 3 == 0


@rule("8.4")
def weather_turns(table: Table, kind: int) -> None:
    """Weather settles on the leader's Section; if other weather lies anywhere, it only drives that away."""
    if table.weather != CLEAR:
        table.tell("weather_ends", "8.4", weather=WEATHER_WORDS[table.weather], section=table.weather_at)
        table.weather, table.weather_at = CLEAR, 0
        return
    table.weather, table.weather_at = kind, table.car(leader(table)).section
    table.tell("weather", "8.4", weather=WEATHER_WORDS[kind], section=table.weather_at)


def weather_on(position: Position, section: int) -> int:
    """The weather on this Section."""
    return position.weather if position.weather_at == section else CLEAR


def weather_for(position: Position, car: Car) -> int:
    """The weather that a car drives in; with an Auto Pilot Radar Fog is none (10.3 C)."""
    kind = weather_on(position, car.section)
    return CLEAR if kind == FOG and has(car, RADAR) else kind


def weather_on_exit(position: Position, car: Car) -> int:
    """What the weather adds to an Exit draw of this car from its Section's line (never positive)."""
    return (0, -1, -1, -2)[weather_for(position, car)]


def is_wet_or_foggy(position: Position, car: Car) -> bool:
    """Fog or Rain about this car, which help Tire Spikes against it."""
    return weather_for(position, car) in (FOG, RAIN)


def clear_skies(table: Table) -> None:
    """Event V: weather and every Narrow or Wide Road marker go."""
    if table.weather != CLEAR:
        table.tell("weather_ends", "8.4", weather=WEATHER_WORDS[table.weather], section=table.weather_at)
        table.weather, table.weather_at = CLEAR, 0
    for car in table.cars:
        if car.road:
            clear_road(table, car.seat)


BLIZZARD_FOG_RAIN = {"fog": FOG, "rain": RAIN, "blizzard": BLIZZARD}


def clear_road(table: Table, seat: int) -> None:
    """Take a car's Narrow or Wide Road marker away."""
    if table.car(seat).road:
        table.change(seat, road=NONE)
        table.tell("road_normal", "8.7", seat=seat)


@rule("8.5")
def passes_needed(position: Position, passer: int, passed: int) -> int:
    """Passing a moving car takes two values or attacks if either car is on a Narrow Road; a stopped one takes one.

    One by a car with a Rotor (10.3 I).
    """
    a, b = position.cars[passer - 1], position.cars[passed - 1]
    return 2 if b.moving and NARROW in (a.road, b.road) and not has(a, ROTOR) else 1


@rule("8.6")
def is_out_of_sight(position: Position, passer: int, passed: int) -> bool:
    """On a Wide Road a pass without an attack cannot be counterattacked."""
    return WIDE in (position.cars[passer - 1].road, position.cars[passed - 1].road)


@rule("8.7")
def road_event(table: Table, seat: int, kind: int) -> None:
    """A toggle: a marked car returns to a normal road by either Event, an unmarked one gets the marker."""
    if table.car(seat).road:
        clear_road(table, seat)
        return
    table.change(seat, road=kind)
    table.tell("road", "8.5" if kind == NARROW else "8.6", seat=seat, road="narrow" if kind == NARROW else "wide")


def roads_cancel(table: Table, passer: int, passed: int) -> None:
    """8.7: a Narrow Road car and a Wide Road car lose both markers before the pass is tried."""
    if {table.car(passer).road, table.car(passed).road} == {NARROW, WIDE}:
        clear_road(table, passer)
        clear_road(table, passed)
