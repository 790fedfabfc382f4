"""RoadKill's cards and control panels as ready squares: the print of a card, the marked boxes of a panel."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.web.boards.roadkill import (
    DAMAGE_BOXES,
    Names,
    View,
    Words,
    driver_name,
)

LOG_BOXES: Final = ("\u22124", "\u22123", "\u22122", "\u22121", "0", "+1", "+2", "+3", "Exit")
LOG_LEAST: Final = -4
ROLES: Final = {"driver": "Driver", "assistant": "Assistant Driver"}
VALUE_AT_THE_END: Final = re.compile(r"^(?P<title>.*\D) (?P<value>[1-4])$")


@dataclass(frozen=True, slots=True)
class HandCard:
    """One kind of card in the hand, with its printed signs and the numbers of the answers that play it.

    ``motion``: "m" a moving car's, "s" a stopped car's, "e" either's. ``why`` and ``rule`` say why no answer
    plays it.
    """

    title: str
    value: str
    count: int
    symbol: str
    suit: str
    motion: str
    motion_words: str
    text: str
    numbers: tuple[int, ...]
    why: str
    rule: str


def hand(view: View, question: Mapping[str, Any] | None) -> tuple[HandCard, ...]:
    """The viewer's hand, in the order of the view."""
    numbers = numbers_of_cards(question)
    car = own_car(view)
    return tuple(hand_card(card, numbers, car, question) for card in view["hand"])


def partner_hand(view: View, question: Mapping[str, Any] | None) -> tuple[HandCard, ...]:
    """The partner's hand while the viewer chooses from both (12.5), in the order of the view; () at other times."""
    numbers = numbers_of_cards(question)
    cards = view["teams"]["partner_hand"] if view.get("teams") else ()
    return tuple(hand_card(card, numbers, own_car(view), question) for card in cards)


def numbers_of_cards(question: Mapping[str, Any] | None) -> dict[str, list[int]]:
    """Which answers of the question play which kind of card, by the kind's key."""
    numbers: dict[str, list[int]] = {}
    for answer in (question or {}).get("answers", ()):
        for key in answer.get("cards", ()):
            known = numbers.setdefault(key, [])
            if answer["number"] not in known:
                known.append(answer["number"])
    return numbers


def held(view: View, car: Mapping[str, Any]) -> int:
    """Cards in the hand of who plays this car in this turn; of the viewer's own car, those in the viewer's hand."""
    if view.get("teams") and car["seat"] == view.get("viewer"):
        return sum(int(card["count"]) for card in view["hand"])
    return int(car["hand_count"])


def own_car(view: View) -> Mapping[str, Any] | None:
    """The viewer's own car, None for a spectator."""
    return next((car for car in view["cars"] if car["seat"] == view.get("viewer")), None)


def hand_card(
    card: Mapping[str, Any],
    numbers: Mapping[str, Sequence[int]],
    car: Mapping[str, Any] | None,
    question: Mapping[str, Any] | None,
) -> HandCard:
    """One card with its signs."""
    found = VALUE_AT_THE_END.match(str(card["name"]))
    title, value = (found["title"], found["value"]) if found else (str(card["name"]), "")
    why, rule = ("", "") if numbers.get(card["key"]) else why_not(card, car, question)
    return HandCard(
        title=title,
        value=value,
        count=int(card.get("count", 1)),
        symbol=str(card["symbol"]),
        suit="both" if card["black"] and card["red"] else "my turn" if card["black"] else "answer",
        motion={"moving": "m", "stopped": "s"}.get(card["motion"], "e"),
        motion_words={"moving": "a moving car", "stopped": "a stopped car"}.get(card["motion"], "any car"),
        text=str(card["text"]),
        numbers=tuple(numbers.get(card["key"], ())),
        why=why,
        rule=rule,
    )


def why_not(
    card: Mapping[str, Any], car: Mapping[str, Any] | None, question: Mapping[str, Any] | None
) -> tuple[str, str]:
    """What the printed signs say against playing the card now, and the rule; answers are judged elsewhere."""
    if question is None:
        return "Nothing is asked of you", ""
    if question["key"] in {"draw_or_pass", "keep"}:
        return "", ""
    is_own_turn = question["key"] in {"act", "auto_pass", "auto_exit"}
    if is_own_turn and not card["black"]:
        return "Answers another driver's card", "4.1"
    if not is_own_turn and not card["red"]:
        return "For your own turn", "4.1"
    if car is not None and card["motion"] == "moving" and not car["moving"]:
        return "Your car is stopped", "4.3"
    if car is not None and card["motion"] == "stopped" and car["moving"]:
        return "Your car is moving", "4.3"
    return "Nothing to play it on now", ""


@dataclass(frozen=True, slots=True)
class Partner:
    """One of the two who drive a car (12.1): ``cards`` held; ``notes``: what is to be known of him, in words."""

    name: str
    role: str
    cards: int
    is_you: bool
    is_bot: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a track: its print and how it is marked."""

    text: str
    mark: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One car's control panel, which everybody may see (4.5)."""

    seat: int
    name: str
    is_own: bool
    is_bot: bool
    place: int
    where: str
    motion: str
    damage: int
    damage_boxes: tuple[Box, ...]
    has_fuel: bool
    fuel: int
    tank: int
    fuel_boxes: tuple[Box, ...]
    log: str
    log_boxes: tuple[Box, ...]
    problems: tuple[str, ...]
    markers: tuple[str, ...]
    upgrades: tuple[str, ...]
    hand: int
    limit: int
    is_wreck: bool
    is_gone: bool
    is_active: bool
    is_leader: bool
    hands: str
    partners: tuple[Partner, ...] = ()


def panels(view: View, words: Words, names: Names, seats: Sequence[Mapping[str, Any]] = ()) -> tuple[Panel, ...]:
    """Every car's panel in race order; ``seats`` tells who is a bot, and who the two are that drive a car."""
    cars = {car["seat"]: car for car in view["cars"]}
    ordered = [seat for seat in view["order"] if seat in cars]
    ordered += [seat for seat in cars if seat not in ordered]
    return tuple(
        panel(cars[seat], view, words, names, place=place, seats=[one for one in seats if one["car"] == seat])
        for place, seat in enumerate(ordered, start=1)
    )


def partners(view: View, seats: Sequence[Mapping[str, Any]]) -> tuple[Partner, ...]:
    """Who drives a car, the Driver first; () without teams. ``seats``: those of this car."""
    teams = view.get("teams")
    if not teams:
        return ()
    found = {one["seat"]: one for one in teams["players"]}
    told = []
    for seat in sorted(seats, key=lambda seat: found[seat["seat"]]["role"] != "driver"):
        one = found[seat["seat"]]
        notes = ["has given up"] if one["is_gone"] else []
        if seat["seat"] == teams["pawn"] and not one["is_gone"]:
            notes.append("has the pawn")
        if seat["seat"] == teams["player"] and view["outcome"] is None:
            notes.append("to move")
        told.append(
            Partner(
                name=seat["name"],
                role=ROLES[one["role"]],
                cards=one["hand_count"],
                is_you=seat["seat"] == teams["you"],
                is_bot=seat.get("kind") == "bot",
                notes=tuple(notes),
            )
        )
    return tuple(told)


def panel(
    car: Mapping[str, Any],
    view: View,
    words: Words,
    names: Names,
    *,
    place: int,
    seats: Sequence[Mapping[str, Any]] = (),
) -> Panel:
    """One car's panel. ``seats``: those that drive it."""
    told = words["cars"][str(car["seat"])]
    damage, log = int(car["damage"]), int(car["log"])
    fuel, tank = (0, 0) if car["fuel"] is None else (int(car["fuel"]), int(car["tank"]))
    return Panel(
        seat=car["seat"],
        name=driver_name(names, car["seat"]),
        is_own=car["seat"] == view.get("viewer"),
        is_bot=bool(seats) and all(seat.get("kind") == "bot" for seat in seats),
        place=place,
        where=told["where"],
        motion="moving" if car["moving"] else "stopped",
        damage=damage,
        damage_boxes=tuple(Box(str(box), "hit" if box <= damage else "") for box in range(1, DAMAGE_BOXES + 1)),
        has_fuel=car["fuel"] is not None,
        fuel=fuel,
        tank=tank,
        fuel_boxes=tuple(Box("", "full" if box <= fuel else "") for box in range(1, tank + 1)),
        log=str(car.get("log_text", log)).replace("-", "\u2212"),
        log_boxes=tuple(
            Box(text, "on" if box == log else "neg" if box < 0 else "")
            for box, text in enumerate(LOG_BOXES, start=LOG_LEAST)
        ),
        problems=tuple(told["problems"]),
        markers=tuple(told["markers"]),
        upgrades=tuple(told["upgrades"]),
        hand=held(view, car),
        limit=int(car["hand_limit"]),
        is_wreck=bool(car.get("wreck")),
        is_gone=bool(car.get("withdrawn")),
        is_active=car["seat"] == view.get("active") and view.get("outcome") is None,
        is_leader=car["seat"] == view.get("leader"),
        hands=told["hands"],
        partners=partners(view, seats),
    )
