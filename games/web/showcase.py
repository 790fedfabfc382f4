"""A made-up race for the picture on the welcome page: a view as games.rulesets.roadkill gives it to a spectator."""

from typing import Any, Final

from games.selectors.races import board_told


def _car(seat: int, section: int, *, moving: bool, damage: int, hand: int, **more: Any) -> dict[str, Any]:
    car = {
        "seat": seat,
        "section": section,
        "side_road": False,
        "moving": moving,
        "damage": damage,
        "hand_count": hand,
        "hand_limit": 7 - damage,
        "fuel": 5,
        "tank": 8,
        "problems": [],
        "road": "",
        "camouflage": False,
        "at_rest_stop": False,
        "wreck": False,
        "withdrawn": False,
        "sabotage": False,
        "repairs": 0,
        "upgrades": [],
    }
    return {**car, **more}


def _section(number: int, value: int, cars: list[int], **more: Any) -> dict[str, Any]:
    section = {
        "number": number,
        "value": value,
        "rest_stop": False,
        "laid": bool(cars),
        "weather": None,
        "signs": 0,
        "cars": cars,
        "side_roads": [],
    }
    return {**section, **more}


NAMES: Final = {"1": "Marta", "2": "Olu", "3": "Yuki", "4": "Wren", "5": "Dov", "6": "Priya"}
VIEW: Final[dict[str, Any]] = {
    "ruleset": "roadkill",
    "viewer": None,
    "sections_to_win": 8,
    "track": "open",
    "light": "day",
    "leader": 2,
    "active": 4,
    "outcome": None,
    "order": [2, 1, 4, 5, 6, 3],
    "cars": [
        _car(1, 4, moving=True, damage=2, hand=3),
        _car(2, 5, moving=True, damage=1, hand=4, road="narrow"),
        _car(3, 0, moving=False, damage=0, hand=7),
        _car(4, 4, moving=True, damage=2, hand=5),
        _car(5, 3, moving=False, damage=4, hand=2, problems=["flat_tire"], camouflage=True),
        _car(6, 3, moving=False, damage=3, hand=4, side_road=True, at_rest_stop=True),
    ],
    "course": [
        _section(5, 2, [2]),
        _section(4, 1, [1, 4], rest_stop=True, weather="fog"),
        _section(3, 3, [5], side_roads=[{"value": 2, "car": 6, "canyon": False}]),
        _section(2, 2, []),
        _section(1, 1, []),
        _section(0, 0, [3], laid=True),
    ],
    "hand": [],
    "table": [],
    "landmarks": 0,
    "red_lines": 0,
    "boosted": False,
    "draft": None,
}


def words() -> dict[str, Any]:
    """The made-up table in words."""
    return board_told(ruleset="roadkill", view=VIEW)
