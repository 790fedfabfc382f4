"""A driver without a person. It plays from its view alone: each offered answer gets a worth, the best one is given.

Worths are in Sections: 1.0 is one Section gained. The figures were found by racing bots against each other
(``manage.py simulate``); none of them is a rule.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from games.engine.bots import Bot, RandomBot
from games.engine.contract import JSON, Decision
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.sheet import BEGINNER
from games.rulesets.roadkill.state import TANK

LEVELS = ("random", "driver")

CARD = 0.14
"""An average card in the hand."""
WORTH = {
    "move_1": 0.26,
    "move_2": 0.27,
    "move_3": 0.28,
    "move_4": 0.28,
    "rest_move_1": 0.30,
    "rest_move_2": 0.28,
    "rest_move_3": 0.28,
    "red_move_1": 0.25,
    "landmark": 0.20,
    "red_line": 0.15,
    "great_reflexes": 0.18,
    "swerve": 0.11,
    "firm_shoulders": 0.10,
    "machine_gun": 0.20,
    "hubcap_blades": 0.20,
    "shortcut": 0.14,
    "fate": 0.12,
    "smoke_screen": 0.12,
    "ram": 0.12,
    "sideswipe": 0.12,
    "hand_grenade": 0.10,
    "tire_spikes": 0.08,
    "tool_kit": 0.09,
    "siphon_gas": 0.09,
    "spare_tire": 0.08,
    "no_doze_pills": 0.08,
    "spare_parts": 0.07,
    "theft": 0.07,
    "assault_rifle": 0.06,
}
"""What a card in the hand is worth; cards that are not named: LEAST."""
LEAST = 0.04
POOR = 0.13
"""A card worth less is thrown away when others can be drawn for it."""

HIT = {
    "tire_spikes": 0.35,
    "machine_gun": 0.30,
    "hubcap_blades": 0.30,
    "assault_rifle": 0.25,
    "hand_grenade": 0.22,
    "sideswipe": 0.12,
    "ram": 0.10,
}
"""What an attack with the card is worth when it strikes somebody in one's way."""
MENDED = {
    "flat_tire": 1.0,
    "damage": 0.3,
    "broken_shocks": 0.35,
    "engine_wear": 0.3,
    "fuel_leak": 0.3,
    "coolant_leak": 0.3,
    "sabotage": 0.2,
    "headlights_out": 0.15,
    "brakes_worn": 0.15,
}
"""What a repair is worth."""
DRAFTED = {
    "nuclear_fuel_cell": 1.1,
    "reserve_tank": 0.8,
    "computer_guidance_system": 0.5,
    "supercharger": 0.5,
    "cruise_control": 0.3,
    "homing_beacon": 0.3,
    "rotor": 0.3,
    "auto_pilot_radar": 0.1,
    "quick_stop_brakes": 0.1,
    "power_ram": 0.05,
    "burglar_alarm": 0.03,
}
"""What an upgrade is worth to its driver, in Victory Points: as races with one such car among six showed."""
NO_STARTERS = ("swerve", "firm_shoulders", "red_move_1")
WEATHER = {"fog": -1, "rain": -1, "blizzard": -2}
RESERVE = 4
"""Boxes of fuel in a Reserve Tank (10.3 G)."""
SHARED = 0.02
"""Drawing and passing cards instead of leaving draws unused (12.4)."""
WINNING = 8.0
"""Entering the last Section."""


class Sight:
    """One view, read for what a driver looks at."""

    def __init__(self, view: JSON) -> None:
        self.view = view
        self.car: dict[str, Any] = view["cars"][view["viewer"] - 1]
        self.box = components.named(view["components"])
        self.hand: dict[str, int] = {card["key"]: card["count"] for card in view["hand"]}
        self.size: int = sum(self.hand.values())
        self.limit: int = self.car["hand_limit"]
        fitted = self.car["upgrades"]
        self.upgrades: dict[str, bool] = {one["key"]: one["used"] for one in fitted} if fitted else {}
        # There is none on the Beginner's Track: as good as a tank that stays full.
        self.fuel: int = self._fuel() if fitted else TANK if self.car["fuel"] is None else self.car["fuel"]
        self.here: dict[str, Any] = self.section(self.car["section"])
        line: list[int] = self.here["cars"]
        seat = self.car["seat"]
        self.ahead: list[int] = line[: line.index(seat)] if seat in line else []
        self.behind: list[int] = line[line.index(seat) + 1 :] if seat in line else []
        self.on_map: bool = view["track"] == BEGINNER
        on_line = not self.car["side_road"]
        self.lays: bool = on_line and not self.on_map and self.car["section"] == view["course"][0]["number"]
        self.is_last: bool = on_line and self.car["section"] + (not self.on_map) == view["sections_to_win"]

    def section(self, number: int) -> dict[str, Any]:
        """A Section of the course by its number."""
        course = self.view["course"]
        found: dict[str, Any] = course[len(course) - 1 - number]
        return found

    def _fuel(self) -> int:
        """Boxes that can be driven on: the tank, an unused Reserve Tank with it, or a Fuel Cell that is never empty."""
        if "nuclear_fuel_cell" in self.upgrades:
            return int(self.car["tank"])
        has_reserve = self.upgrades.get("reserve_tank") is False
        return int(self.car["fuel"]) + (RESERVE if has_reserve else 0)

    @property
    def partner_has_room(self) -> bool:
        """Whether a team's partner can take a card (12.4)."""
        teams = self.view["teams"]
        if not teams:
            return False
        mine = (one for one in teams["players"] if one["car"] == self.car["seat"] and one["seat"] != teams["you"])
        return any(not one["is_gone"] and one["hand_count"] < self.limit for one in mine)

    def kind(self, key: str) -> components.Kind:
        """What the set says of a card."""
        return self.box.kinds[self.box.kind_index[key]]

    @property
    def value(self) -> int:
        """The value of the Section or Side Road that the car stands on."""
        if self.car["side_road"]:
            return next(int(road["value"]) for road in self.here["side_roads"] if road["car"] == self.car["seat"])
        return int(self.here["value"])

    @property
    def cost(self) -> int:
        """Fuel to leave it (7.2); there is none on the Beginner's Track."""
        if self.on_map or "nuclear_fuel_cell" in self.upgrades:
            return 0
        return self.value + ("fuel_leak" in self.car["problems"])

    @property
    def next_value(self) -> int:
        """The value of the Section after this one; 1 if it is not laid yet, 0 past the Finish Line."""
        if self.on_map and self.is_last:
            return 0
        if self.car["side_road"]:
            return int(self.here["value"])
        return 1 if self.lays else int(self.section(self.car["section"] + 1)["value"])

    def chance(self, extra: int, *, from_front: bool = False) -> float:
        """How likely an Exit draw succeeds with ``extra`` added (6.24): a column has equally likely values."""
        cars = [car for car in self.view["cars"] if not car["withdrawn"]]
        trailers = sum(1 for car in cars if not car["wreck"] and car["section"] < self.car["section"])
        needed = trailers - self.modifier - extra
        return min(1.0, max(0.0, (len(cars) - needed) / len(cars)))

    @property
    def modifier(self) -> int:
        """What is added to an Exit draw before anything is announced with it."""
        night = self.view["light"] == "night"
        total: int = self.car["log"] + self.view["red_lines"] + (0 if night else self.view["landmarks"])
        problems = self.car["problems"]
        if "broken_shocks" in problems:
            total -= 1
        if night and "headlights_out" in problems:
            total -= 3
        weather = self.here["weather"]
        if self.view["boosted"]:
            total += 1
        if weather == "fog" and "auto_pilot_radar" in self.upgrades:
            return total
        return total + WEATHER[weather] if weather and not self.car["side_road"] else total

    @property
    def allowance(self) -> int:
        """Cards that the Draw Phase gives if no other card is played (5.4)."""
        moving = self.car["moving"]
        most = 2 if moving and self.view["light"] == "night" else 3
        if moving and "coolant_leak" in self.car["problems"]:
            most -= 1
        return max(0, most - int(self.view["played"]))

    def price(self, count: int) -> float:
        """What playing so many cards costs: cards fewer in the hand after the Draw Phase."""
        kept = min(self.limit, self.size + self.allowance)
        left = min(self.limit, self.size - count + max(0, self.allowance - count))
        return (kept - left) * CARD

    def spending(self, *keys: str) -> float:
        """What playing these cards costs, good ones more than poor ones."""
        return self.price(len(keys)) + sum(worth(key) - CARD for key in keys)

    @property
    def fuel_to_go(self) -> int:
        """Fuel from here to the end if the Sections still to come have value 1."""
        if self.on_map or "nuclear_fuel_cell" in self.upgrades:
            return 0
        number: int = self.car["section"]
        last: int = self.view["sections_to_win"] - 1
        lead: int = self.view["course"][0]["number"]
        laid = sum(int(self.section(n)["value"]) for n in range(number, min(lead, last) + 1))
        leaks = last - number + 1 if "fuel_leak" in self.car["problems"] else 0
        return laid + max(0, last - lead) + leaks

    @property
    def need(self) -> float:
        """What a turn at a Rest Stop would be worth: fuel, Damage, problems."""
        fuel = self.fuel
        total = 0.06 * float(self.car["damage"] ** 1.5)
        total += 0.6 * max((MENDED[key] for key in self.car["problems"]), default=0.0)
        if fuel < self.fuel_to_go:
            if fuel < self.cost:
                total += 1.2
            elif fuel - self.cost < self.next_value:
                total += 0.5
            else:
                total += 0.1 * max(0, 5 - fuel)
        return total

    @property
    def moves(self) -> list[str]:
        """The Move/Road cards in the hand, each as often as it is held."""
        return [key for key, count in self.hand.items() if self.kind(key).road for _ in range(count)]

    @property
    def is_starved(self) -> bool:
        """Whether nothing in the hand takes the car on: no Move, or no card to start with."""
        if self.car["moving"]:
            return not self.moves
        return not any(self.kind(key).symbol == "driving" and key not in NO_STARTERS for key in self.hand)

    @property
    def has_company(self) -> bool:
        """Whether another car is on the same Section, the one before or the one after it."""
        here = self.car["section"]
        return any(
            abs(car["section"] - here) <= 1 and not car["wreck"] and not car["withdrawn"]
            for car in self.view["cars"]
            if car is not self.car
        )

    @property
    def is_resting(self) -> bool:
        """Whether ending the turn now would be a rest (6.62)."""
        return not self.car["moving"] and self.view["phase"] == "acts" and not self.view["played"]


def worth(key: str) -> float:
    """What a card in the hand is worth."""
    return WORTH.get(key, LEAST)


# A turn's acts


def _start(sight: Sight, act: a.Start) -> float:
    moves = len(sight.moves) - (act.card in sight.moves)
    if sight.fuel == 0 or sight.fuel < sight.cost:
        return 0.5 - sight.spending(act.card) if moves else -1.0
    if sight.car["at_rest_stop"] and sight.need > 0.15:
        return -1.0
    if not moves and sight.size < sight.limit - 1:
        return -0.2 - worth(act.card)
    risk = 0.3 if act.card == "red_line" else 0.0
    return 0.9 - sight.spending(act.card) - risk


def _exit(sight: Sight, act: a.Exit) -> float:
    keys = ("landmark",) * act.landmarks + ("red_line",) * act.red_lines
    cost = sight.spending(*keys, *(() if act.left else (act.card,))) + 0.25 * act.red_lines
    chance = sight.chance(act.landmarks + act.red_lines)
    if "cruise_control" in sight.upgrades:
        chance = 1.0 - (1.0 - chance) ** _draws(sight, act)
    return chance * _gain(sight, act.card) - cost


def _draws(sight: Sight, act: a.Exit) -> int:
    """How many Exit draws a Move card gives with Cruise Control (10.3 F)."""
    if act.left:
        return max(int(move["left"]) for move in sight.view["table"] if move["key"] == act.card)
    value = sight.kind(act.card).value * (2 if sight.view["red_lines"] else 1)
    value += bool(sight.view["boosted"]) - ("engine_wear" in sight.car["problems"])
    return max(1, value)


def _gain(sight: Sight, card: str) -> float:
    """What leaving here is worth with the fuel that is left, laying this card if a Section is laid ("" for none)."""
    if sight.is_last:
        return WINNING
    fuel = sight.fuel - sight.cost
    gain = 1.0
    value, rest = sight.next_value, False
    if sight.lays and card:
        kind = sight.kind(card)
        value, rest = kind.value, kind.rest_stop
        gain -= 0.06 * (value - 1)
    elif not sight.car["side_road"] and not sight.lays:
        rest = sight.section(sight.car["section"] + 1)["rest_stop"]
    if rest:
        gain += 0.4 * sight.need
    elif fuel == 0:
        gain -= 0.6
    elif fuel < value:
        gain -= 0.3
    return gain


def _passing(sight: Sight, *, units: int = 1) -> float:
    """What being past the next car is worth: a step to the front, where one may leave."""
    ahead = len(sight.ahead)
    target = sight.view["cars"][sight.ahead[-1] - 1]
    power = len(sight.moves) + sum(sight.hand.get(key, 0) for key in ("machine_gun", "hubcap_blades", "shortcut"))
    power += sum(move["left"] for move in sight.view["table"])
    gain = (WINNING if sight.is_last else 1.0) * sight.chance(0) * 0.7 / ahead if power > ahead else 0.15
    is_narrow = "narrow" in (target["road"], sight.car["road"]) and "rotor" not in sight.upgrades
    if target["moving"] and is_narrow:
        gain *= 0.6 if units == 1 else 1.0
    return gain if target["moving"] else gain * 0.7


def _pass(sight: Sight, act: a.Pass) -> float:
    cost = 0.0 if act.left else sight.spending(act.card)
    return _passing(sight, units=act.units) - cost


def _attack(sight: Sight, act: a.Attack) -> float:
    target = sight.view["cars"][act.target - 1]
    hit = 0.0 if target["camouflage"] else HIT[act.card] * (0.8 if target["moving"] else 0.5)
    step = _passing(sight) if sight.kind(act.card).passing else 0.0
    return hit + step - sight.spending(act.card)


def _shortcut(sight: Sight, act: a.Shortcut) -> float:
    passed = min(act.cars, len(sight.ahead))
    return passed * _passing(sight) - 0.25 - sight.spending("shortcut") if passed else -1.0


def _play(sight: Sight, act: a.Play) -> float:
    return PLAYS.get(act.card, _never)(sight, act) - sight.spending(act.card)


def _never(sight: Sight, act: a.Play) -> float:
    return -1.0


def _mend(sight: Sight, act: a.Play) -> float:
    job = "flat_tire" if act.card == "spare_tire" else act.job or "damage"
    if job == "flat_tire" and act.card == "spare_parts" and "spare_tire" in sight.hand:
        return -1.0
    return MENDED[job] + (0.05 * sight.car["damage"] if job == "damage" else 0.0)


def _siphon(sight: Sight, act: a.Play) -> float:
    gain: int = min(2, sight.car["tank"] - sight.car["fuel"])
    if act.target:
        gain = min(gain, sight.view["cars"][act.target - 1]["fuel"])
    stuck = 0.6 if sight.fuel < sight.cost <= sight.fuel + gain else 0.0
    wanted = 0.12 if sight.fuel < sight.fuel_to_go else 0.03
    return gain * wanted + stuck + (0.05 if act.target else 0.0)


def _theft(sight: Sight, act: a.Play) -> float:
    return 0.3 if sight.view["cars"][act.target - 1]["hand_count"] > 2 else 0.1


def _pills(sight: Sight, act: a.Play) -> float:
    return CARD * min(act.count, sight.limit - sight.size + 1)


PLAYS: dict[str, Callable[[Sight, a.Play], float]] = {
    "spare_tire": _mend,
    "spare_parts": _mend,
    "tool_kit": _mend,
    "siphon_gas": _siphon,
    "theft": _theft,
    "sabotage": lambda sight, act: 0.2,
    "no_doze_pills": _pills,
    "road_map": lambda sight, act: 0.8,
    "changed_road_sign": lambda sight, act: 0.2 if sight.ahead or sight.behind else 0.05,
}
"""What the effect of a card is worth."""


def _stop(sight: Sight, act: a.Stop) -> float:
    arrived = sight.car["log"] == -sight.value and sight.view["phase"] == "acts"
    at_stop = arrived and (sight.here["rest_stop"] or sight.car["side_road"])
    return sight.need - 0.45 if at_stop else -1.0


def _forage(sight: Sight, act: a.Forage) -> float:
    stranded = sight.fuel < sight.cost
    worn = sight.car["damage"] >= 4
    if not stranded and not worn:
        return -1.0
    value = sight.kind(act.card).value
    return (1.0 if stranded else sight.need - 0.5) - 0.1 * (value - 1) - sight.spending(act.card)


def _repair(sight: Sight, act: a.Repair) -> float:
    if act.job == "flat_tire":
        return 0.9
    if act.job == "damage" and sight.car["damage"] >= 4:
        return 0.4
    return -1.0


def _supercharge(sight: Sight, act: a.Supercharge) -> float:
    """A box of fuel for one more on every Exit draw of the turn: when there is a way out to be drawn for."""
    if sight.ahead or not (sight.moves or sight.view["table"]) or sight.fuel - 1 < sight.cost:
        return -1.0
    short = sight.fuel - 1 < sight.fuel_to_go
    return (sight.chance(1) - sight.chance(0)) * _gain(sight, "") - (0.12 if short else 0.03)


def _end(sight: Sight, act: a.End) -> float:
    """Ending a turn costs nothing; a rest or a Rest Stop gives something, and so does a partner with room (12.4)."""
    if act.share:
        return SHARED if sight.size + sight.allowance > sight.limit and sight.partner_has_room else -SHARED
    if sight.car["at_rest_stop"] and not act.rest:
        return sight.need + MENDED.get(act.job, 0.0)
    if sight.is_resting:
        return CARD * max(0, sight.limit - sight.size - 3)
    return 0.0


ACTS: dict[type, Callable[[Sight, Any], float]] = {
    a.Start: _start,
    a.Exit: _exit,
    a.Pass: _pass,
    a.Attack: _attack,
    a.Shortcut: _shortcut,
    a.Play: _play,
    a.Stop: _stop,
    a.Forage: _forage,
    a.Repair: _repair,
    a.Supercharge: _supercharge,
    a.ChangeDrivers: lambda sight, act: -1.0,
    a.End: _end,
}
"""What each kind of act is worth."""


def _best(menu: tuple[Any, ...], value: Callable[[Any], float]) -> Any:
    """The answer of the highest worth, the first of several equal ones."""
    return max(menu, key=value)


def _act(sight: Sight, decision: Decision) -> Any:
    best = _best(decision.menu, lambda act: ACTS[type(act)](sight, act))
    if not isinstance(best, a.End) or best.rest:
        return best
    thrown = _thrown(sight, decision)
    return msgspec.structs.replace(best, discard=thrown) if thrown else best


def _thrown(sight: Sight, decision: Decision) -> tuple[str, ...]:
    """Cards to throw away at the end of a turn: poor ones in whose place others are drawn (5.3)."""
    held = next((field.values for form in decision.forms for field in form.fields if field.name == "discard"), ())
    resting = sight.is_resting and not sight.car["at_rest_stop"]
    drawn = sight.limit if resting else sight.allowance
    kept: dict[str, int] = {}
    rated = []
    for key in held:
        rated.append((_keeping(sight, key, kept.get(key, 0)), key))
        kept[key] = kept.get(key, 0) + 1
    poor = [key for value, key in sorted(rated) if value < POOR]
    return tuple(poor[: max(0, drawn - (sight.limit - sight.size))])


def _keeping(sight: Sight, key: str, others: int) -> float:
    """What a card is worth in the hand as things stand, with so many of its kind kept already."""
    value = worth(key) * 0.7**others
    kind = sight.kind(key)
    if kind.symbol == "driving":
        return value
    if kind.symbol == "attack" and not sight.has_company:
        value *= 0.5
    if key == "shortcut" and not sight.ahead:
        value *= 0.5
    return value * 0.5 if sight.is_starved else value


# Other questions


def _auto_pass(sight: Sight, decision: Decision) -> Any:
    return a.GoOn()


def _auto_exit(sight: Sight, decision: Decision) -> Any:
    exits = tuple(act for act in decision.menu if isinstance(act, a.AutoExit))
    if not exits:
        return a.Decline()
    best = _best(exits, lambda act: _gain(sight, act.card) - worth(act.card))
    return best if _gain(sight, best.card) > 0 else a.Decline()


def _answer(sight: Sight, decision: Decision) -> Any:
    attacked = decision.about["announced"]["act"] == "attack"
    return _best(decision.menu, lambda answer: _answer_worth(sight, answer, attacked=attacked))


def _answer_worth(sight: Sight, answer: Any, *, attacked: bool) -> float:
    """What a red card is worth against a pass or an attack; in another's turn a card costs no draw."""
    if not isinstance(answer, a.Card):
        return 0.0
    key = answer.card
    if key in HIT:
        good = HIT[key]
    elif key == "smoke_screen":
        good = 0.45 if attacked else 0.2
    elif key == "red_move_1":
        good = 0.2 if sight.car["moving"] else 0.05
    elif key == "fate":
        good = 0.25 if attacked else 0.0
    else:
        good = 0.2 if attacked else 0.0
    full = sight.size >= sight.limit - 1
    return good - worth(key) * (0.5 if full else 0.9)


def _reaction(sight: Sight, decision: Decision) -> Any:
    return _best(decision.menu, lambda answer: 0.25 - worth(answer.card) if isinstance(answer, a.Card) else 0.0)


def _reflexes(sight: Sight, decision: Decision) -> Any:
    """One Great Reflexes is better kept for the result that it averts; a second one cancels the check."""
    spare = sight.hand.get("great_reflexes", 0) > 1 and sight.car["moving"]
    return _cheapest(decision) if spare else a.NoCard()


def _avert(sight: Sight, decision: Decision) -> Any:
    return _cheapest(decision)


def _cheapest(decision: Decision) -> Any:
    """The card of the lowest worth that the question takes, none if it takes none."""
    cards = [answer for answer in decision.menu if isinstance(answer, a.Card)]
    return min(cards, key=lambda answer: worth(answer.card)) if cards else a.NoCard()


def _evil(sight: Sight, decision: Decision) -> Any:
    return a.Stop()


def _offer(sight: Sight, decision: Decision) -> Any:
    """A shortcut always, fuel and repairs when they are worth a stop, a hiding place never."""
    event = decision.about["event"]
    accepts = tuple(answer for answer in decision.menu if isinstance(answer, a.Accept))
    best = _best(accepts, lambda answer: MENDED.get(answer.job, 0.0))
    short = sight.fuel < sight.fuel_to_go and sight.fuel <= 3
    wanted = {
        "shortcut": True,
        "abandoned_car": short,
        "repair_truck": sight.car["damage"] >= 3 or len(sight.car["problems"]) > 1,
    }
    return best if wanted.get(event, False) else a.Decline()


def _no_card(sight: Sight, decision: Decision) -> Any:
    return a.NoCard()


def _loot(sight: Sight, decision: Decision) -> Any:
    """One good card rather than supplies that cannot all be used."""
    return _best(decision.menu, lambda loot: worth(loot.card) if loot.card else 0.15)


def _excess(sight: Sight, decision: Decision) -> Any:
    field = decision.forms[0].fields[0]
    return a.Discard(tuple(sorted(field.values, key=worth)[: field.least]))


def _trade(sight: Sight, decision: Decision) -> Any:
    offer = decision.about["offer"]
    got = sum(worth(key) for key in offer["give"])
    given = sum(worth(key) for key in offer["want"]) + CARD * offer["any_cards"]
    accepts = [answer for answer in decision.menu if isinstance(answer, a.Accept)]
    return accepts[0] if accepts and got > given else a.Decline()


def _draft(sight: Sight, decision: Decision) -> Any:
    """The upgrade that helps most, alone or with the best that the points then leave for a second pick."""
    free = {one["letter"]: one for one in sight.view["draft"]["free"]}
    left, again = decision.about["points"], sight.view["draft"]["order"].count(decision.seat) > 1

    def value(pick: Any) -> float:
        if not isinstance(pick, a.Draft):
            return 0.0
        rest = left - free[pick.letter]["price"] if again else 0
        second = (_drafted(one) for letter, one in free.items() if letter != pick.letter and one["price"] <= rest)
        return _drafted(free[pick.letter]) + (max(second, default=0.0) if again else 0.0)

    return _best(decision.menu, value)


def _drafted(upgrade: JSON) -> float:
    return DRAFTED.get(upgrade["key"], 0.1)


def _draw_or_pass(sight: Sight, decision: Decision) -> Any:
    """Draw while there is room for all that is left, else pass the poorest card first."""
    left = decision.about["left"]
    passes = [answer for answer in decision.menu if isinstance(answer, a.PassCard)]
    if passes and sight.size + left > sight.limit:
        return _best(tuple(passes), lambda answer: -worth(answer.card))
    return decision.default if sight.size < sight.limit else a.NoMore()


def _keep(sight: Sight, decision: Decision) -> Any:
    """The best of both hands."""
    field = decision.forms[0].fields[0]
    return a.Keep(tuple(sorted(field.values, key=worth, reverse=True)[: field.most]))


ANSWERS: dict[str, Callable[[Sight, Decision], Any]] = {
    "act": _act,
    "auto_pass": _auto_pass,
    "auto_exit": _auto_exit,
    "answer": _answer,
    "fate": _no_card,
    "canyon": _avert,
    "reaction": _reaction,
    "reflexes": _reflexes,
    "avert": _avert,
    "dodge": _avert,
    "evil": _evil,
    "offer": _offer,
    "wrong_road": _avert,
    "loot": _loot,
    "excess": _excess,
    "trade": _trade,
    "draft": _draft,
    "draw_or_pass": _draw_or_pass,
    "keep": _keep,
}
"""How each question is answered."""


class Driver:
    """Plays to win, from what its seat may know; the same view and question always get the same answer."""

    def choose(self, view: JSON, decision: Decision) -> Any:
        """The offered answer that looks best."""
        return ANSWERS[decision.key](Sight(view), decision)


def make_bot(level: str, seed: int) -> Bot:
    """A player of this level; ``seed`` is for the random one. Raises ValueError for a level that there is not."""
    if level == "random":
        return RandomBot(seed)
    if level == "driver":
        return Driver()
    raise ValueError(f"there is no bot «{level}» for RoadKill; there are {' and '.join(LEVELS)}")
