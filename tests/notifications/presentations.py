"""A presentation of a RoadKill race to its third seat, as games gives it, for tests of what is made of it."""

from typing import Any

from games.runtime.rulesets import RULESETS, board_words


def car(seat: int, place: int, **other: Any) -> dict[str, Any]:
    return {
        "seat": seat,
        "place": place,
        "section": 0,
        "side_road": False,
        "moving": True,
        "fuel": 8,
        "tank": 8,
        "damage": 0,
        "log": 0,
        "log_text": "0",
        "problems": [],
        "road": "",
        "camouflage": False,
        "repairs": 0,
        "at_rest_stop": False,
        "sabotage": False,
        "upgrades": [],
        "hand_count": 7,
        "hand_limit": 7,
        "wreck": False,
        "withdrawn": False,
        "wishes": None,
        **other,
    }


def section(number: int, **other: Any) -> dict[str, Any]:
    return {
        "number": number,
        "value": 2,
        "rest_stop": False,
        "laid": True,
        "weather": None,
        "signs": 0,
        "cars": [],
        "side_roads": [],
        **other,
    }


def view() -> dict[str, Any]:
    return {
        "ruleset": "roadkill",
        "viewer": 3,
        "turn": 17,
        "order": [2, 1, 3, 5, 4],
        "course": [
            section(5, value=2, cars=[2]),
            section(4, value=1, rest_stop=True, weather="fog", cars=[1, 3]),
            section(3, value=3, laid=False),
            section(2, value=3, side_roads=[{"value": 2, "car": 5, "canyon": False}]),
            section(0, value=0, cars=[]),
        ],
        "cars": [
            car(1, 2, section=4, damage=2),
            car(2, 1, section=5, road="narrow", damage=1),
            car(3, 3, section=4, moving=True, damage=2, fuel=5, log_text="+1", problems=["broken_shocks"]),
            car(4, 5, moving=False, wreck=True, hand_count=1),
            car(5, 4, section=2, moving=False, side_road=True, fuel=0, camouflage=True),
        ],
        "hand": [
            {"key": "move_2", "name": "Move/Road 2", "count": 2, "text": "Value 2."},
            {"key": "swerve", "name": "Swerve", "count": 1, "text": "Voids an attack."},
        ],
        "track": "open",
        "leader": 2,
        "active": 3,
        "outcome": None,
        "table": [],
        "landmarks": 0,
        "red_lines": 0,
        "boosted": False,
        "draft": None,
    }


def question(**other: Any) -> dict[str, Any]:
    return {
        "decision": 977,
        "key": "act",
        "kind": "turn",
        "rule": "5.2",
        "text": "Play a card, or end your actions.",
        "position": 41,
        "due_at": "2026-12-03T20:00:00Z",
        "otherwise": "If you have not answered by then: your turn is skipped.",
        "answers": [
            {
                "number": 1,
                "words": "pass 2 with Move 2",
                "rule": "6.41",
                "action": {"do": "pass", "card": "move_2"},
            },
            {"number": 2, "words": "stop", "rule": "6.6", "action": {"do": "stop"}},
        ],
        "forms": [{"number": 3, "label": "End, discarding cards", "action": {"do": "end"}, "fields": []}],
        "sealed": None,
        "follow": [
            {
                "trigger": "reflexes",
                "label": "If it comes to a Damage Check",
                "answers": [{"value": "ask", "words": "ask me"}, {"value": "no", "words": "no card"}],
                "chosen": "no",
            }
        ],
        **other,
    }


def presented(**other: Any) -> dict[str, Any]:
    return {
        "race": {
            "id": "k7f3q2",
            "name": "Dust Devil 300",
            "ruleset": "roadkill",
            "title": "RoadKill",
            "status": "running",
            "position": 41,
            "policy_text": "The window closes when everybody has answered.",
            "commitment": "ab" * 32,
            "host": "Wren",
        },
        "seats": [],
        "you": 3,
        "view": view(),
        "board": board_words(RULESETS["roadkill"], view()),
        "names": {"1": "Marta", "2": "Olu", "3": "Wren", "4": "Dov", "5": "Priya"},
        "drivers": {"1": "Marta", "2": "Olu", "3": "Wren", "4": "Dov", "5": "Priya"},
        "car": 3,
        "your_car": "car 3",
        "partner": "",
        "question": question(),
        "waiting": None,
        "log": [],
        "result": None,
        **other,
    }


STORY = [
    {"entry": 39, "text": "Olu (car 2) lays Section 5, value 2. (6.21)"},
    {"entry": 40, "text": "The window closed. No card was played. (5.2)"},
]
