"""RoadKill's course, hand and panel in words, from the view JSON of one viewer."""

from collections.abc import Mapping
from typing import Any, Final

from notifications.boards.base import Car, Card, Figure, Section

DAMAGE_MOST: Final = 7  # 7.5: the seventh Damage wrecks the car

_PROBLEMS: Final = {
    "flat_tire": "Flat Tire",
    "coolant_leak": "Coolant Leak",
    "fuel_leak": "Fuel Leak",
    "broken_shocks": "Broken Shocks",
    "brakes_worn": "Brakes Worn",
    "engine_wear": "Engine Wear",
    "headlights_out": "Headlights Out",
}
_WEATHER: Final = {"fog": "Fog", "rain": "Rain", "blizzard": "Blizzard"}


def course(view: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Section, ...]:
    """Sections from the foremost to the start line, with what weather and signs lie on them.

    Wrecks and withdrawn cars last.
    """
    cars = {car["seat"]: car for car in view["cars"]}
    places = {seat: place for place, seat in enumerate(view["order"], start=1)}

    def told(seat: int, *notes: str) -> Car:
        car = cars[seat]
        return Car(
            place=places[seat],
            number=seat,
            name=names.get(str(seat), f"car {seat}"),
            is_you=seat == view["viewer"],
            notes=(*notes, *_notes(car)),
            motion="moving" if car["moving"] else "stopped",
            damage=car["damage"],
            damage_most=DAMAGE_MOST,
            cards=car["hand_count"],
        )

    sections = []
    shown: set[int] = set()
    for part in view["course"]:
        here = [told(seat) for seat in part["cars"]]
        here += [told(side["car"], f"on a Side Road of value {side['value']}") for side in part["side_roads"]]
        shown.update(car.number for car in here)
        if here or part["number"] == 0 or part["laid"]:
            sections.append(Section(_heading(part), tuple(here)))
    away = tuple(told(seat) for seat in view["order"] if seat not in shown)
    if away:
        sections.append(Section("Not on the course", away))
    return tuple(sections)


def hand(view: Mapping[str, Any]) -> tuple[Card, ...]:
    """The viewer's cards by kind."""
    return tuple(Card(card["name"], card["count"], card["text"]) for card in view["hand"])


def figures(view: Mapping[str, Any]) -> tuple[Figure, ...]:
    """Damage, fuel, Road Log, hand limit, problems and markers of the viewer's car.

    Nothing for a spectator.
    """
    car = next((car for car in view["cars"] if car["seat"] == view["viewer"]), None)
    if car is None:
        return ()
    out = [
        Figure("Damage", f"{car['damage']} of {DAMAGE_MOST}"),
        Figure("Fuel", f"{car['fuel']} of {car['tank']}"),
        Figure("Road Log", car["log_text"]),
        Figure("Hand", f"{car['hand_count']} of at most {car['hand_limit']} cards"),
        Figure("Problems", ", ".join(_PROBLEMS[problem] for problem in car["problems"]) or "none"),
    ]
    markers = _markers(car)
    if markers:
        out.append(Figure("Markers", ", ".join(markers)))
    return tuple(out)


def _heading(part: Mapping[str, Any]) -> str:
    if part["number"] == 0:
        return "Start line"
    words = [f"Section {part['number']}"]
    words.append(f"value {part['value']}" if part["laid"] else "removed")
    if part["rest_stop"] and part["laid"]:
        words.append("Rest Stop")
    if part["weather"]:
        words.append(_WEATHER.get(part["weather"], part["weather"]))
    if part["signs"]:
        words.append("Changed Road Sign" if part["signs"] == 1 else f"{part['signs']} Changed Road Signs")
    return ", ".join(words)


def _notes(car: Mapping[str, Any]) -> list[str]:
    if car["withdrawn"]:
        return ["withdrawn"]
    notes = ["wreck, starts anew"] if car["wreck"] else []
    notes += [_PROBLEMS[problem] for problem in car["problems"]]
    if not car["fuel"]:
        notes.append("out of gas")
    return notes + _markers(car)


def _markers(car: Mapping[str, Any]) -> list[str]:
    markers = []
    if car["road"]:
        markers.append("Narrow Road" if car["road"] == "narrow" else "Wide Road")
    if car["camouflage"]:
        markers.append("camouflaged")
    if car["sabotage"]:
        markers.append("sabotaged")
    if car["at_rest_stop"]:
        markers.append("at the Rest Stop")
    if car["repairs"]:
        markers.append(f"Repairs +{car['repairs']}")
    return markers
