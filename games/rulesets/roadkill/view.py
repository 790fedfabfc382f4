"""What one viewer may know of a race, built from nothing: a field that is not named here is not shown."""

from typing import Any

from games.engine.contract import Viewer
from games.rulesets.roadkill import components
from games.rulesets.roadkill.flow import SEQUENCE, missing
from games.rulesets.roadkill.offers import announcement, question_key
from games.rulesets.roadkill.rules.r04_cards import hand_limit
from games.rulesets.roadkill.rules.r06_stops import side_value
from games.rulesets.roadkill.rules.r10_upgrades import draft_under_way, free_letters, letters
from games.rulesets.roadkill.rules.r11_campaign import places
from games.rulesets.roadkill.rules.r12_teams import partner_of
from games.rulesets.roadkill.sheet import OPEN
from games.rulesets.roadkill.state import (
    EXIT,
    FLIPPED,
    PROBLEM_BIT,
    PROBLEMS,
    ROAD_WORDS,
    TANK,
    WEATHER_WORDS,
    Announced,
    Asked,
    Car,
    Drafting,
    Phase,
    State,
    car_of,
    hand_of,
    has,
    race_order,
    role_of,
    seat_of,
    teams_of,
    upgrades_of,
    who_is,
)


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    """Course, cars and piles as everybody sees them at the table, and the viewer's own hand.

    Shape: ARCHITECTURE.md, «The view».
    """
    order = race_order(state)
    who = None if viewer is None else who_is(state, viewer)
    own = None if who is None else car_of(state, who)
    box = components.named(state.components)
    draft = None if state.turn.number else draft_under_way(state)
    discards: dict[str, int] = {}
    for card in state.discards:
        key = box.card_keys[card]
        discards[key] = discards.get(key, 0) + 1
    out: dict[str, Any] = {
        "ruleset": "roadkill",
        "viewer": own,
        "components": state.components,
        "sections_to_win": state.length,
        "track": state.track or OPEN,
        "turn": state.turn.number,
        "active": state.turn.seat,
        "phase": "draft" if draft is not None else _phase(state),
        "light": "night" if state.night else "day",
        "deck": state.deck,
        "pile": len(state.pile),
        "discards": dict(sorted(discards.items())),
        "leader": order[0],
        "order": order,
        "weather": {"kind": WEATHER_WORDS[state.weather], "section": state.weather_at} if state.weather else None,
        "course": [_section(state, number) for number in range(len(state.course) - 1, -1, -1)],
        "cars": [_car(box, car, order.index(car.seat) + 1, has_gauge=not state.track) for car in state.cars],
        "hand": [] if who is None else _cards(box, hand_of(state, who)),
        "table": [
            {"key": box.card_keys[move.card], "short": _short(box, move.card), "left": move.left}
            for move in state.turn.moves
        ],
        "landmarks": len(state.turn.landmarks),
        "red_lines": len(state.turn.red_lines),
        "played": state.turn.played,
        "boosted": bool(state.turn.boosted),
        "draft": None if draft is None else _draft(state, box, draft),
        "window": _window(state),
        "asking": _asking(state, who),
        "teams": _teams(state, who) if state.teams else None,
        "outcome": None,
    }
    if who is not None and own is not None:
        out["cars"][own - 1]["wishes"] = _wishes(state, who)
    if state.winner:
        out["outcome"] = {"places": [list(seats) for seats in places(state)], "reason": state.ending}
    return out


def _phase(state: State) -> str:
    if state.winner:
        return "over"
    step = next((frame.step for frame in state.stack if isinstance(frame, Phase)), len(SEQUENCE))
    return SEQUENCE[max(0, step - 1)][0]


def _asking(state: State, who: int | None) -> str:
    """What the viewer itself is asked, "" for nothing; of others nothing is said."""
    top = state.stack[-1] if state.stack and not state.winner else None
    return question_key(top, who) if who is not None and isinstance(top, Asked) and who in missing(top) else ""


def _short(box: components.ComponentSet, card: int) -> str:
    return box.kinds[box.card_kind[card]].short


def _section(state: State, number: int) -> dict[str, Any]:
    section = state.course[number]
    sides = [car for car in state.cars if car.present and car.side >= 0 and car.section == number]
    return {
        "number": number,
        "value": section.value,
        "rest_stop": section.rest,
        "laid": section.laid,
        "weather": WEATHER_WORDS[state.weather] if state.weather and state.weather_at == number else None,
        "signs": len(section.signs),
        "cars": list(section.line),
        "side_roads": [
            {"value": side_value(state, car.side), "car": car.seat, "canyon": car.canyon}
            for car in sorted(sides, key=lambda car: (-car.log, car.seat))
        ],
    }


def _car(box: components.ComponentSet, car: Car, place: int, *, has_gauge: bool) -> dict[str, Any]:
    """A car and its control panel; the Fuel Gauge is ignored on the Beginner's Track (BT3)."""
    return {
        "seat": car.seat,
        "place": place,
        "section": car.section,
        "side_road": car.side >= 0,
        "moving": car.moving,
        "fuel": car.fuel if has_gauge else None,
        "tank": TANK if has_gauge else None,
        "damage": car.damage,
        "log": car.log,
        "log_text": "Exit" if car.log == EXIT else f"{car.log:+d}" if car.log else "0",
        "problems": [key for key in PROBLEMS if car.problems & PROBLEM_BIT[key]],
        "road": ROAD_WORDS[car.road],
        "camouflage": car.camouflage,
        "repairs": car.repairs,
        "at_rest_stop": car.at_stop,
        "sabotage": car.sabotage,
        "hand_count": len(car.hand),
        "hand_limit": hand_limit(car),
        "wreck": car.wreck,
        "withdrawn": car.withdrawn,
        "upgrades": _upgrades(box, car) if car.fitted else [],
        "wishes": None,
    }


def _upgrades(box: components.ComponentSet, car: Car) -> list[dict[str, Any]]:
    """A car's upgrades by their letters; ``used``: its Reserve Tank's marker lies on its reverse side."""
    letter = letters(box)
    out = []
    for key in sorted(upgrades_of(car), key=letter.__getitem__):
        used = key == "reserve_tank" and has(car, FLIPPED)
        out.append({**_upgrade(box, letter[key]), "used": used})
    return out


def _upgrade(box: components.ComponentSet, letter: str) -> dict[str, Any]:
    upgrade = box.upgrades[letter]
    return {"letter": letter, "key": upgrade.key, "name": upgrade.name, "price": upgrade.price, "text": upgrade.effect}


def _draft(state: State, box: components.ComponentSet, frame: Drafting) -> dict[str, Any]:
    """While upgrades are drafted: what is free, who is still to pick, and points to spend in all (0: they are free)."""
    order = list(frame.order)
    return {"free": [_upgrade(box, letter) for letter in free_letters(state)], "order": order, "points": frame.points}


def _cards(box: components.ComponentSet, hand: bytes) -> list[dict[str, Any]]:
    counts: dict[int, int] = {}
    for card in hand:
        index = box.card_kind[card]
        counts[index] = counts.get(index, 0) + 1
    out = []
    for index in sorted(counts):
        kind = box.kinds[index]
        out.append(
            {
                "key": kind.key,
                "name": kind.name,
                "short": kind.short,
                "symbol": kind.symbol,
                "black": kind.black,
                "red": kind.red,
                "motion": kind.motion,
                "count": counts[index],
                "text": kind.text,
            }
        )
    return out


def _wishes(state: State, who: int) -> bool:
    count = len(state.cars)
    return state.cars[who - 1].wishes if who <= count else teams_of(state).partners[who - count - 1].wishes


def _teams(state: State, who: int | None) -> dict[str, Any]:
    """Chapter 12: who plays which car as what, whose turn it is, who has the pawn.

    ``plays``: whether it is this partner who answers for the car in this turn (12.31). ``partner_hand``: the partner's
    cards while drivers change and the viewer chooses from both hands (12.5), else [].
    """
    teams = teams_of(state)
    count = len(state.cars)
    players = []
    for seat in range(1, 2 * count + 1):
        number = who_is(state, seat)
        car = car_of(state, seat)
        players.append(
            {
                "seat": seat,
                "car": car,
                "role": role_of(state, seat),
                "hand_count": len(hand_of(state, number)),
                "plays": number <= count,
                "is_gone": teams.alone[car - 1] not in (0, seat) or state.cars[car - 1].withdrawn,
            }
        )
    chooses = who is not None and _asking(state, who) == "keep"
    partner = partner_of(state, who) if chooses and who is not None else 0
    return {
        "you": None if who is None else seat_of(state, who),
        "player": teams.player,
        "pawn": teams.pawn,
        "players": players,
        "partner_hand": _cards(components.named(state.components), hand_of(state, partner)) if partner else [],
    }


def _window(state: State) -> dict[str, Any] | None:
    """The announced act that is being answered: its public side only, not who is asked."""
    if len(state.stack) < 2:
        return None
    frame = state.stack[-2]
    return {"on": announcement(state, frame)} if isinstance(frame, Announced) else None
