"""Course, cars, hand and panel in words: the one place where pages and mails have them from."""

from collections.abc import Iterator, Mapping
from typing import Any

from games.engine.contract import JSON
from games.rulesets.roadkill.sheet import BEGINNER
from games.rulesets.roadkill.state import WRECKED_AT
from games.rulesets.roadkill.words import JOBS, count

ROMAN = ("0", "I", "II", "III", "IV")
START = "Start line"
ROLES = {"driver": "Driver", "assistant": "Assistant Driver"}

Car = Mapping[str, Any]


def board_words(view: JSON) -> dict[str, Any]:
    """See games.engine.extras.Extras.board_words."""
    cars = {car["seat"]: car for car in view["cars"]}
    own = cars.get(view["viewer"])
    return {
        "sections": [_section(view, cars, section) for section in view["course"]],
        "away": [car["seat"] for car in view["cars"] if car["withdrawn"]],
        "cars": {
            str(car["seat"]): {
                "where": _where(view, car),
                "hands": _hands_text(view, car),
                "problems": _problems(car),
                "markers": _markers(car),
                "upgrades": _upgrades(car),
            }
            for car in view["cars"]
        },
        "hand": [{"name": card["name"], "count": card["count"], "text": card["text"]} for card in view["hand"]],
        "figures": [] if own is None else [{"label": label, "text": text} for label, text in _figures(view, own)],
        "table": _table(view),
    }


def _section(view: JSON, cars: Mapping[int, Car], section: JSON) -> dict[str, Any]:
    number = section["number"]
    facts = [f"value {section['value']}"] if number else []
    if number and not section["laid"]:
        facts.append("taken up")
    if section["rest_stop"] and section["laid"]:
        facts.append("Rest Stop")
    if view["track"] == BEGINNER and number == view["sections_to_win"]:
        facts.append("the Finish Line at its end")
    markers = [section["weather"].title()] if section["weather"] else []
    if section["signs"]:
        markers.append(count(section["signs"], "changed sign") if section["signs"] > 1 else "changed sign")
    return {
        "number": number,
        "name": _name(number),
        "facts": facts,
        "markers": markers,
        "is_laid": bool(section["laid"]),
        "cars": [_car(view, cars[seat]) for seat in _standing(view, cars, section)],
    }


def _name(number: int) -> str:
    return f"Section {number}" if number else START


def _standing(view: JSON, cars: Mapping[int, Car], section: JSON) -> Iterator[int]:
    """The seats of a Section in race order, then those on its Side Roads; at the start also wrecks waiting anew."""
    yield from section["cars"]
    yield from (side["car"] for side in section["side_roads"])
    if section["number"] == 0:
        placed = {seat for other in view["course"] for seat in other["cars"]}
        placed |= {side["car"] for other in view["course"] for side in other["side_roads"]}
        yield from (seat for seat in view["order"] if seat not in placed and not cars[seat]["withdrawn"])


def _car(view: JSON, car: Car) -> dict[str, Any]:
    seat = car["seat"]
    motion = "wreck" if car["wreck"] else "moving" if car["moving"] else "stopped"
    notes = _notes(view, car)
    facts = [motion]
    if not car["wreck"]:
        facts += [f"damage {car['damage']} of {WRECKED_AT}", *_held(view, car)]
    facts += notes
    if seat == view["leader"]:
        facts.append("leads the race")
    if view.get("teams"):
        facts += [
            f"{ROLES[one['role']]} has the pawn" for one in _team(view, seat) if one["seat"] == view["teams"]["pawn"]
        ]
    if seat == view["active"] and view["outcome"] is None:
        facts.append(_to_move(view))
    return {
        "seat": seat,
        "place": view["order"].index(seat) + 1,
        "motion": motion,
        "damage": car["damage"],
        "damage_most": WRECKED_AT,
        "cards": car["hand_count"],
        "hands": _hands_text(view, car),
        "notes": notes,
        "words": ", ".join(facts),
    }


def _team(view: JSON, seat: int) -> list[Mapping[str, Any]]:
    """Chapter 12: the partners who still drive this car, the Driver first; [] without teams."""
    partners = [one for one in view["teams"]["players"] if one["car"] == seat] if view.get("teams") else []
    return sorted((one for one in partners if not one["is_gone"]), key=lambda one: one["role"] != "driver")


def _hands_text(view: JSON, car: Car) -> str:
    """How many cards are held for a car: "3", in a team by the Driver and by the Assistant Driver: "3+5"."""
    return "+".join(str(one["hand_count"]) for one in _team(view, car["seat"])) or str(car["hand_count"])


def _held(view: JSON, car: Car) -> list[str]:
    team = _team(view, car["seat"])
    if not team:
        return [count(car["hand_count"], "card")]
    return [f"{ROLES[one['role']]} {count(one['hand_count'], 'card')}" for one in team]


def _to_move(view: JSON) -> str:
    """That a car moves now, in a team with which of the two it is."""
    if not view.get("teams"):
        return "to move"
    player = next(one for one in view["teams"]["players"] if one["seat"] == view["teams"]["player"])
    return f"{ROLES[player['role']]} to move"


def _notes(view: JSON, car: Car) -> list[str]:
    """What is to be known of a car besides motion, damage and hand; what keeps it from moving first."""
    if car["wreck"]:
        return ["new car on the next turn"]
    side = _side_road(view, car)
    notes = [side] if side else []
    problems = _problems(car)
    if "flat_tire" in car["problems"]:
        notes.append(JOBS["flat_tire"])
        problems.remove(JOBS["flat_tire"])
    if car["fuel"] == 0 and all(upgrade["key"] != "nuclear_fuel_cell" for upgrade in car["upgrades"]):
        notes.append("out of gas")
    letters = ", ".join(upgrade["letter"] for upgrade in car["upgrades"])
    return [*notes, *_markers(car), *problems, *([f"upgrades {letters}"] if letters else [])]


def _problems(car: Car) -> list[str]:
    return [JOBS[key] for key in car["problems"]]


def _upgrades(car: Car) -> list[str]:
    """A car's upgrades: "G Reserve Tank (used)"."""
    return [
        f"{upgrade['letter']} {upgrade['name']}{' (used)' if upgrade['used'] else ''}" for upgrade in car["upgrades"]
    ]


def _markers(car: Car) -> list[str]:
    """The markers that lie on a car."""
    markers = []
    if car["camouflage"]:
        markers.append("camouflaged")
    if car["road"]:
        markers.append(f"{car['road'].title()} Road")
    if car["at_rest_stop"]:
        markers.append("at the Rest Stop")
    if car["sabotage"]:
        markers.append("sabotaged")
    if car["repairs"]:
        markers.append(f"Repairs +{car['repairs']}")
    return markers


def _side_road(view: JSON, car: Car) -> str:
    """The Side Road that a car is on, "" for none."""
    for section in view["course"]:
        for side in section["side_roads"]:
            if side["car"] == car["seat"]:
                return f"{'Box Canyon' if side['canyon'] else 'Side Road'} {ROMAN[side['value']]}"
    return ""


def _where(view: JSON, car: Car) -> str:
    if car["withdrawn"]:
        return "out of the race"
    if car["wreck"]:
        return "wreck"
    side = _side_road(view, car)
    return f"{side} of {_name(car['section'])}" if side else _name(car["section"])


def _figures(view: JSON, car: Car) -> Iterator[tuple[str, str]]:
    yield "Damage", f"{car['damage']} of {WRECKED_AT}"
    if view["track"] != BEGINNER:
        yield "Fuel", f"{car['fuel']} of {car['tank']}"
    yield "Road Log", car["log_text"]
    held = sum(card["count"] for card in view["hand"]) if view.get("teams") else car["hand_count"]
    yield "Hand", f"{held} of at most {count(car['hand_limit'], 'card')}"
    if view.get("teams"):
        yield from _partners(view, car)
    yield "Problems", ", ".join(_problems(car)) or "none"
    markers = _markers(car)
    if markers:
        yield "Markers", ", ".join(markers)
    if car["upgrades"]:
        yield "Upgrades", ", ".join(_upgrades(car))
    if view["draft"]:
        yield "Free upgrades", " ".join(_free(view))


def _partners(view: JSON, car: Car) -> Iterator[tuple[str, str]]:
    """What the viewer is to the car, and what the partner holds: cards by name while drivers change (12.5)."""
    teams = view["teams"]
    yield "You are", f"its {next(ROLES[one['role']] for one in teams['players'] if one['seat'] == teams['you'])}"
    partner = next((one for one in _team(view, car["seat"]) if one["seat"] != teams["you"]), None)
    if partner is None:
        return
    yield "Your partner", f"{ROLES[partner['role']]}, {count(partner['hand_count'], 'card')}"
    if teams["partner_hand"]:
        yield "Your partner's hand", ", ".join(_times(card) for card in teams["partner_hand"])


def _times(card: JSON) -> str:
    return f"{card['count']} {card['name']}" if card["count"] > 1 else str(card["name"])


def _free(view: JSON) -> Iterator[str]:
    """What a draft offers: each free upgrade with what it does, and in a reverse draft its price."""
    draft = view["draft"]
    for upgrade in draft["free"]:
        price = f" ({count(upgrade['price'], 'point')})" if draft["points"] else ""
        yield f"{upgrade['letter']} {upgrade['name']}{price}: {upgrade['text']}"


def _table(view: JSON) -> str:
    """Move cards with value left, Landmarks and Red Lines in effect, the Supercharger; in a draft what is free."""
    if view["draft"]:
        return " ".join(_free(view))
    parts = [f"{card['short']} with {card['left']} left" for card in view["table"]]
    for key, noun in (("landmarks", "Landmark"), ("red_lines", "Red Line")):
        if view[key]:
            parts.append(count(view[key], noun))
    if view["boosted"]:
        parts.append("the Supercharger")
    return ", ".join(parts)
