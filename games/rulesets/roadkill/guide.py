"""«What now?»: a word to a driver's first races on the Beginner's Track, for each question and situation.

The words are data below. What they say of the table comes from the driver's own view and the answers it is offered.
"""

from typing import Any

from games.engine.contract import JSON, Decision
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.sheet import BEGINNER
from games.rulesets.roadkill.words import count

TEXTS: dict[str, str] = {
    "act_first": (
        "{sections} lie ahead, and whoever first crosses the Finish Line behind the last of them wins (BT6.2). All cars"
        " wait at the Start line, and a Driving card gets yours going (BT6.1). Spend one you need least: a Landmark or"
        " a low Move card. Then play Move cards, one after the other; the first car in line may leave (BT6.21)."
    ),
    "act_start": (
        "Your car stands still, and a Driving card gets it going (BT6.1). Spend one you need least: a Landmark or"
        " a low Move card. Then play Move cards, one after the other, as long as your car is moving."
    ),
    "act_start_hurt": (
        "Your car stands still, and a Driving card gets it going (BT6.1). Or mend it first: a repair card does so at"
        " once; a repair attempt is all you do in a turn and needs 4 or more on the R column (BT7.3). Each Damage"
        " takes one card off your hand's limit, now {limit} (BT4.5)."
    ),
    "act_sabotaged": (
        "Your car has been sabotaged: if it starts like this, it draws a Mechanical Problem (C6b). A repair takes the "
        "marker off: an attempt is all you do in a turn and needs 4 or more on the R column (BT7.3). Or start all the "
        "same with a Driving card (BT6.1)."
    ),
    "act_no_starter": (
        "You hold no card that starts a car, so rest: end your turn without playing anything, throw away what you"
        " do not need, and your hand is filled to your limit of {limit} (BT6.62)."
    ),
    "act_mend": (
        "You hold no card that starts a car. Rest: end your turn without playing anything, throw away what you do not"
        " need, and your hand is filled to your limit of {limit} (BT6.62). Or try a repair: 4 or more on the R column"
        " mends one thing, but then you draw three cards at most (BT7.3). Each Damage takes one card off that limit"
        " (BT4.5)."
    ),
    "act_nothing": (
        "Your car stands still and you have nothing left to play. End your turn, and throw away what you do not need "
        "(BT5.2). If you have done nothing since your car stood still at the start of this turn, your hand is filled to"
        " your limit of {limit} (BT6.62); else you draw three cards at most (BT5.3)."
    ),
    "act_flat_tire": (
        "A Flat Tire keeps your car where it is (BT7.1). A Spare Tire mends it at once; else try a repair: 4 or "
        "more on the R column succeeds, and a failure helps the next attempt (BT7.3)."
    ),
    "act_rest_stop": (
        "You are at the Rest Stop. End your turn here and it repairs one thing of your choice (BT6.7); if you "
        "play nothing, your hand is filled as well (BT6.62). When your car is well, start again with a Driving "
        "card (BT6.1)."
    ),
    "act_certain": (
        "You lead your Section. The cars on Sections behind yours are Trailers, and against {trailers} a Move card "
        "takes you out for certain: no card is drawn (BT6.23). Keep a card to start with later. Each card you play now "
        "is one less to draw (BT5.3)."
    ),
    "act_exit": (
        "You lead your Section. Leaving takes a Move card and a number above {trailers} (cars on Sections behind "
        "yours): you draw from 1 to {cars}, and {modifier} is added (BT6.23). So you need a {needed} or more; each "
        "Landmark or Red Line named with the exit makes it one easier. If you wait, your Road Log adds one more each "
        "turn (BT6.22)."
    ),
    "act_hopeless": (
        "You lead your Section, but even the best draw does not beat {trailers} (cars on Sections behind yours) yet "
        "(BT6.23): you draw from 1 to {cars}, and {modifier} is added. Landmarks and Red Lines add one each. Else end "
        "your turn moving: your Road Log goes up by one (BT6.22)."
    ),
    "act_pass": (
        "Car {ahead} is ahead of you on this Section, and only the first car in line may leave it (BT6.21). A Move "
        "card passes as many cars as its value, one at a time (BT6.41); a passing Attack card attacks and passes "
        "(BT6.42). The car you pass may answer."
    ),
    "act_no_move": (
        "You lead your Section, and leaving it takes a Move card (BT6.21), of which you have none to play now. End your"
        " turn moving: your Road Log goes up by one, which counts at your next Exit draw (BT6.22), and you draw three "
        "cards less those you played (BT5.3).{discard} Stopping only pays if you need to repair or to fill your hand."
    ),
    "act_behind": (
        "Car {ahead} is ahead of you on this Section, and you have no card to pass it with now (BT6.4). End your turn "
        "moving: your Road Log goes up by one (BT6.22), and you draw three cards less those you played (BT5.3)."
        "{discard} Stopping only pays if you need to repair or to fill your hand."
    ),
    "act_over": (
        "Your car has stopped, so your acts are over for this turn (BT6.6). End your turn; next time you may "
        "rest, repair, or start again."
    ),
    "auto_pass": (
        "A moving car passes stopped ones at the start of its turn without a card (BT6.61). Go on; the car you "
        "pass may shoot at you. Stopping instead costs you the turn."
    ),
    "auto_exit": (
        "Your Road Log has reached Exit: you may leave this Section without a card and without a draw (BT6.24). "
        "There is hardly ever a reason not to."
    ),
    "answer": (
        "You may answer what another car does to you with one red card (BT5.1).{answers} You need not: a card kept may"
        " be worth more."
    ),
    "reaction": (
        "You are counterattacked, and one card may help against it (BT6.51).{answers} It counts as a card you played,"
        " so you draw one less (BT5.3)."
    ),
    "reflexes": (
        "Your car must make a Damage Check: 6 or more does nothing, less hurts (BT7.2). Great Reflexes cancels "
        "the check; it could also be kept, to void a Crash, Ditched or Spinout."
    ),
    "avert": (
        "The check went badly, and you can still avert it with a card (BT7.2): any Driving card thrown away "
        "averts a Spinout, Firm Shoulders a Ditched, Great Reflexes any of them. Standing still costs you a card "
        "to start again."
    ),
    "fate": "You asked to be asked. Fate cancels the card that was just played (9.3); it is gone afterwards.",
    "wrong_road": (
        "Somebody changed the road sign here: without a Road Map you stay and your Move card is lost (C6a)."
    ),
    "loot": "Your Theft worked: take all Supply cards, or one other card that you can use (R-theft).",
    "excess": "You hold more cards than your limit of {limit} (BT4.5): throw away what you need least.",
}
"""What is said, by question and situation."""

DISCARD = " As you have played none in this turn, you may throw away what you do not need (BT5.2)."
ANSWERS: dict[str, str] = {
    "red_move_1": " Red 1 keeps the car from passing, though not from attacking (BT6.43).",
    "smoke_screen": " Smoke Screen cancels the card it passes with.",
    "swerve": " Swerve takes one off an attack.",
    "firm_shoulders": " Firm Shoulders takes two off Hubcap Blades or Tire Spikes.",
    "fate": " Fate cancels the card (9.3).",
}
"""What an answer does, by its card; any other is an Attack card."""
SHOOTS_BACK = " An Attack card shoots back, and both attacks count (BT6.5)."


def what_now(view: JSON, decision: Decision) -> str:
    """The words for this question as things stand; "" off the Beginner's Track."""
    if view["track"] != BEGINNER or view["viewer"] is None:
        return ""
    car = view["cars"][view["viewer"] - 1]
    cars = [one for one in view["cars"] if not one["withdrawn"]]
    behind = sum(1 for one in cars if not one["wreck"] and one["section"] < car["section"])
    modifier = _modifier(view, car)
    facts = {
        "sections": count(view["sections_to_win"], "Section"),
        "discard": "" if view["played"] or not view["hand"] else DISCARD,
        "answers": _answers(decision),
        "limit": count(car["hand_limit"], "card"),
        "trailers": count(behind, "Trailer"),
        "cars": len(cars),
        "modifier": f"{modifier:+d}" if modifier else "nothing",
        "needed": behind - modifier + 1,
        "ahead": _ahead(view, car),
    }
    key = _situation(view, decision, car, facts) if decision.key == "act" else decision.key
    return TEXTS[key].format(**facts)


def _answers(decision: Decision) -> str:
    """What the cards do with which a driver may answer."""
    played = [act.card for act in decision.menu if isinstance(act, a.Card)]
    said = [ANSWERS.get(card, SHOOTS_BACK) for card in played]
    return "".join(dict.fromkeys(said))


def _modifier(view: JSON, car: JSON) -> int:
    """What is added to the car's Exit draw as things stand (BT6.23)."""
    shocks = "broken_shocks" in car["problems"]
    return int(car["log"]) + int(view["landmarks"]) + int(view["red_lines"]) - shocks


def _ahead(view: JSON, car: JSON) -> int:
    """The car directly ahead in the same line, 0 for none."""
    line = next(section["cars"] for section in view["course"] if section["number"] == car["section"])
    place = line.index(car["seat"]) if car["seat"] in line else 0
    return int(line[place - 1]) if place else 0


def _situation(view: JSON, decision: Decision, car: JSON, facts: dict[str, Any]) -> str:
    """Which words fit one's own turn: what keeps the car from moving first, then what takes it on."""
    kinds = {type(act) for act in decision.menu}
    if not car["moving"]:
        return _standing_still(view, kinds, car)
    if a.Exit in kinds:
        if facts["needed"] <= 1:
            return "act_certain"
        return "act_exit" if facts["needed"] <= facts["cars"] else "act_hopeless"
    if not facts["ahead"]:
        return "act_no_move"
    passing = (act for act in decision.menu if isinstance(act, a.Attack | a.Pass))
    return "act_pass" if a.Shortcut in kinds or facts["ahead"] in {act.target for act in passing} else "act_behind"


def _standing_still(view: JSON, kinds: set[type], car: JSON) -> str:
    """Which words fit a car that stands still in its own turn."""
    if kinds == {a.End}:
        return "act_over" if view["played"] else "act_nothing"
    if car["at_rest_stop"] and (car["damage"] or car["problems"]):
        return "act_rest_stop"
    if "flat_tire" in car["problems"]:
        return "act_flat_tire"
    if a.Start in kinds:
        if car["sabotage"]:
            return "act_sabotaged"
        if a.Repair in kinds:
            return "act_start_hurt"
        return "act_first" if view["turn"] <= len(view["cars"]) else "act_start"
    return "act_mend" if a.Repair in kinds else "act_no_starter"
