"""What standing orders and plans may say in RoadKill: the moments they name, the outcomes they branch on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.engine.contract import JSON, Decision
from games.engine.plans import Condition
from games.engine.standing import Happening, Occasion
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.rules.r06_passing import COUNTERATTACKS, EDGE_ATTACKS, PASS_VOIDERS, ROBBERIES
from games.rulesets.roadkill.rules.r08_events import DODGES
from games.rulesets.roadkill.sheet import BEGINNER
from games.rulesets.roadkill.words import card, event

ATTACKS = tuple(dict.fromkeys((*COUNTERATTACKS, *EDGE_ATTACKS)))
CHOICES = ("drawbridge_up", "heat_wave", "level_crossing")
OFFERS = ("abandoned_car", "hiding_place", "repair_truck", "shortcut")
AVERTED = {"crash": "Crash", "ditched": "Ditched", "spinout": "Spinout"}
WISHED = frozenset(("any_card", "section_laid"))
"""Moments at which any driver may play: only who asked to be asked is asked (async play's default is not to be)."""

TAKEN = {
    "pass": "passed",
    "go_on": "passed",
    "shortcut": "passed",
    "attack": "attacked",
    "play": "robbed",
}
"""What an announced act is to the car it aims at."""
MOMENTS = {
    "reaction": "counterattacked",
    "reflexes": "check",
    "dodge": "event_strikes",
    "evil": "event_choice",
    "offer": "event_offer",
    "wrong_road": "road_sign",
    "fate": "any_card",
    "canyon": "section_laid",
    "trade": "trade_offered",
}
"""What each question but "answer" and "avert" is to standing orders."""


def _cards(*keys: str) -> tuple[a.Card, ...]:
    return tuple(a.Card(key) for key in dict.fromkeys(keys))


def _named(keys: Sequence[str]) -> dict[str, str]:
    return {key: card(key) for key in keys}


ON_THE_OPEN_ROAD = frozenset(("event_strikes", "event_choice", "event_offer", "trade_offered", "section_laid"))
"""Moments that there are not on the Beginner's Track (RBT3)."""


class Standing:
    """games.engine.standing.Standing for RoadKill."""

    def occasions(self, view: JSON) -> tuple[Occasion, ...]:
        """Reactions to others first, then checks, Events, and what any driver may answer."""
        found = self._occasions(view)
        if view["track"] == BEGINNER:
            return tuple(one for one in found if one.key not in ON_THE_OPEN_ROAD)
        return found

    def _occasions(self, view: JSON) -> tuple[Occasion, ...]:
        box = components.named(view["components"])
        driving = [kind.key for kind in box.kinds if kind.symbol == "driving"]
        everything = {
            **{kind.key: kind.short for kind in box.kinds},
            **{kind.key: kind.name for kind in box.events.values()},
        }
        dodging = dict.fromkeys(key for keys in DODGES.values() for key in keys)
        return (
            Occasion(
                "passed",
                "passed",
                _cards(*PASS_VOIDERS, *COUNTERATTACKS, "fate"),
                also=("a car passes me", "somebody passes me", "being passed"),
                by_car=True,
            ),
            Occasion(
                "attacked",
                "attacked",
                _cards("swerve", "firm_shoulders", *PASS_VOIDERS, *COUNTERATTACKS, "fate"),
                also=("a car attacks me", "somebody attacks me", "being attacked"),
                having=_named(ATTACKS),
                by_car=True,
            ),
            Occasion(
                "robbed",
                "robbed",
                _cards("assault_rifle", "fate"),
                also=("a car robs me", "somebody robs me", "being robbed"),
                having=_named(ROBBERIES),
                by_car=True,
            ),
            Occasion(
                "counterattacked",
                "counterattacked",
                _cards("swerve", "firm_shoulders", "fate"),
                also=("a car counterattacks me", "answered with an attack"),
                having=_named(COUNTERATTACKS),
                by_car=True,
            ),
            Occasion(
                "check",
                "a Damage Check comes",
                _cards("great_reflexes"),
                also=("a check comes", "it comes to a Damage Check", "I must make a Damage Check", "Damage Check"),
            ),
            *(
                Occasion(
                    key,
                    f"a check says {name}",
                    _cards("great_reflexes", *_averting(key, driving)),
                    also=(name, f"the Damage Table says {name}", f"a {name} comes"),
                )
                for key, name in AVERTED.items()
            ),
            Occasion(
                "event_strikes",
                "an Event strikes me",
                _cards(*dodging, *driving),
                also=("struck by an Event", "an Event strikes"),
                having={key: event(key) for key in (*DODGES, "spinout")},
            ),
            Occasion(
                "event_choice",
                "an Event leaves me a choice",
                (a.Stop(), a.Risk()),
                also=("an Event lets me choose",),
                having={key: event(key) for key in CHOICES},
            ),
            Occasion(
                "event_offer",
                "an Event offers me something",
                (a.Accept(),),
                also=("an Event makes an offer",),
                having={key: event(key) for key in OFFERS},
            ),
            Occasion("road_sign", "a changed road sign misleads me", _cards("road_map"), also=("a road sign",)),
            Occasion("trade_offered", "a trade is offered", (), also=("offered a trade",), by_car=True),
            Occasion(
                "any_card",
                "any card is played",
                _cards("fate"),
                also=("a card is played", "somebody plays a card", "any Event is drawn"),
                having=everything,
                by_car=True,
            ),
            Occasion(
                "section_laid",
                "a Section is laid",
                _cards("box_canyon"),
                also=("somebody lays a Section",),
                by_car=True,
            ),
        )

    def happening(self, view: JSON, decision: Decision) -> Happening | None:
        """The moment of an open reaction, from what everybody sees."""
        about = decision.about
        announced = about.get("announced", {})
        having: tuple[str, ...] = ()
        by = about["active"]
        if decision.key == "answer":
            moment = TAKEN.get(announced["act"], "")
            having = tuple(announced["cards"])
        elif decision.key == "avert":
            moment, by = about["event"], 0
        else:
            moment = MOMENTS.get(decision.key, "")
            if decision.key == "reaction":
                having, by = (about["card"],), announced["target"]
                # Against an answer that is no attack the Active car can only play Fate.
                moment = moment if about["card"] in COUNTERATTACKS else "any_card"
            elif "event" in about:
                having = (about["event"],)
            elif "card" in about:
                having = (about["card"],)
            elif announced:
                having = tuple(announced["cards"])
        if not moment:
            return None
        # In a team the partner's acts are the own car's too (12.1).
        by = by if by != view["viewer"] else 0
        return Happening(moment, by, bool(by) and by == view["leader"], having)

    def fit(self, action: Any, happening: Happening, order_having: Sequence[str]) -> Any:
        """Fate without a name strikes the card the order is about, else the first that was played."""
        if not isinstance(action, a.Card) or action.card != "fate" or action.on:
            return action
        struck = [key for key in happening.having if not order_having or key in order_having]
        if happening.occasion == "any_card" and len(happening.having) == 1:
            return action
        return a.Card("fate", struck[0]) if struck else action

    def wish(self, occasion: str) -> Any | None:
        """Fate and Box Canyon are asked of those who wish it."""
        return a.Wish(fate=True) if occasion in WISHED else None


def _averting(result: str, driving: Sequence[str]) -> tuple[str, ...]:
    if result == "spinout":
        return tuple(driving)
    return ("firm_shoulders",) if result == "ditched" else ()


Seen = Sequence[Mapping[str, JSON]]


def _happened(since: Seen, kinds: tuple[str, ...], **having: JSON) -> bool:
    return any(
        event["kind"] in kinds and all(event.get(name) == value for name, value in having.items()) for event in since
    )


OUT = ("lays", "enters", "returns_to_road", "crosses")
HALTED = ("stops", "out_of_gas", "wreck", "in_canyon")
WANTED: dict[type, Callable[[Any, int, Seen], bool]] = {
    a.Start: lambda act, car, since: _happened(since, ("starts",), seat=car),
    a.Exit: lambda act, car, since: _happened(since, OUT, seat=car),
    a.AutoExit: lambda act, car, since: _happened(since, OUT, seat=car),
    a.Pass: lambda act, car, since: _happened(since, ("passes", "half_passed"), seat=car),
    a.GoOn: lambda act, car, since: _happened(since, ("passes", "half_passed"), seat=car),
    a.Attack: lambda act, car, since: _happened(since, ("attack",), by=car, target=act.target),
    a.Shortcut: lambda act, car, since: _happened(since, ("shortcut",), seat=car),
    a.Stop: lambda act, car, since: _happened(since, ("stops",), seat=car),
    a.Forage: lambda act, car, since: _happened(since, ("forages",), seat=car),
    a.Repair: lambda act, car, since: _happened(since, ("repaired",), seat=car),
    a.Trade: lambda act, car, since: _happened(since, ("trade",), seat=car),
    a.Play: lambda act, car, since: not _happened(since, ("negated", "robbery_void"), card=act.card),
}
"""What each act wants; an act that is not here always gets it."""
ENDS_MOVING = (a.Stop, a.Forage, a.End)


class Planning:
    """games.engine.plans.Planning for RoadKill."""

    conditions: tuple[Condition, ...] = (
        Condition("passed", "passed", also=("the pass works", "past")),
        Condition("out", "out", also=("exited", "the exit works", "entered", "laid", "on the next section")),
        Condition("hit", "hit", also=("the attack hits",)),
        Condition("stopped", "stopped", also=("standing", "standing still")),
        Condition("moving", "moving", also=("still moving",)),
        Condition("damaged", "damaged", also=("took damage",)),
        Condition("negated", "negated", also=("fated", "fate is played")),
        Condition("leading", "leading", also=("in the lead", "the leader")),
        Condition("started", "started", also=("the start works",)),
        Condition("repaired", "repaired", also=("the repair works",)),
    )

    def on_turn(self, view: JSON) -> JSON:
        """What words mean depends on what is asked."""
        return {**view, "asking": "act"}

    def came_true(self, condition: str, *, seat: int, view: JSON, since: Seen) -> bool:
        """Outcomes are looked up among what has happened since, standing and leading on the table.

        Both speak of cars, and the view of its owner's; in a team that is not the number of the seat (12.1).
        """
        car = view["viewer"]
        match condition:
            case "passed":
                return _happened(since, ("passes",), seat=car)
            case "out":
                return _happened(since, OUT, seat=car)
            case "hit":
                return any(e["kind"] == "attack" and e["by"] == car and e["effects"] != ["none"] for e in since)
            case "stopped":
                return not view["cars"][car - 1]["moving"]
            case "moving":
                return bool(view["cars"][car - 1]["moving"])
            case "damaged":
                return _happened(since, ("damage",), seat=car)
            case "negated":
                return _happened(since, ("negated",))
            case "started":
                return _happened(since, ("starts",), seat=car)
            case "repaired":
                return _happened(since, ("repaired",), seat=car)
            case _:
                return bool(view["leader"] == car)

    def went_well(self, action: Any, *, seat: int, view: JSON, since: Seen) -> bool:
        """The act did what it is for, and its car was not brought to a halt."""
        car = view["viewer"]
        wanted = WANTED.get(type(action))
        if wanted is not None and not wanted(action, car, since):
            return False
        return isinstance(action, ENDS_MOVING) or not _happened(since, HALTED, seat=car)
