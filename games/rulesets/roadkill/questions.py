"""The sentence of each question, and what stands beside an answer: its rule, what may follow, words for form values."""

from collections.abc import Callable
from typing import Any

from games.engine.contract import JSON, Decision, Follow
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.sheet import BEGINNER, on_the_sheet
from games.rulesets.roadkill.words import JOBS, card, cards, count, event, listed


def ask(view: JSON, decision: Decision) -> str:
    """The question in one sentence, with public facts and what its owner may know."""
    sentence = ASK[decision.key](view, decision.about)
    return sentence[:1].upper() + sentence[1:]


def _ask_act(view: JSON, about: JSON) -> str:
    viewer = view["viewer"]
    if viewer and view["cars"][viewer - 1]["moving"]:
        return "It is your turn and your car is moving. What do you do?"
    return "It is your turn and your car stands still. What do you do?"


def told(view: JSON, announced: JSON) -> str:
    """What was announced, as a clause: "Car 2 goes to pass you with Move 2"."""
    what = cards(announced["cards"]) if announced["cards"] else ""
    target = "you" if announced["target"] and announced["target"] == view["viewer"] else f"car {announced['target']}"
    who = f"Car {announced['seat']}"
    act = announced["act"]
    if act == "go_on":
        return f"{who} passes {target} where {'you stand' if target == 'you' else 'it stands'}"
    if act == "attack":
        return f"{who} attacks {target} with {what}"
    if act == "pass":
        return f"{who} goes to pass {target} with {what}"
    if act == "start":
        return f"{who} plays {what} to start"
    if act in ("exit", "auto_exit"):
        return f"{who} plays {what} to move on"
    if act == "forage":
        return f"{who} turns off to forage with {what}"
    return f"{who} plays {what}" + (f" on {target}" if announced["target"] else "")


def _ask_fate(view: JSON, about: JSON) -> str:
    if about.get("card") == "event":
        return f"The Event {event(about['event'])} has been drawn. Do you play Fate on it?"
    if about.get("card"):
        return f"{card(about['card'])} has been played. Do you play Fate on it?"
    if "announced" in about:
        return f"{told(view, about['announced'])}. Do you play Fate?"
    return "Do you play Fate?"


EVILS = {
    "drawbridge_up": "The drawbridge is up. Do you stop and go back one box, or risk the jump (a Damage Check at -2)?",
    "heat_wave": "A heat wave. Do you stop now, or risk it and take a Coolant Leak?",
    "level_crossing": "A train is coming. Do you stop and go back one box, or risk the race (a Damage Check at -1)?",
}
OFFERS = {
    "abandoned_car": "An abandoned car: do you stop now and siphon four boxes of fuel?",
    "hiding_place": "A hiding place: do you stop now and camouflage your car?",
    "repair_truck": "A repair truck: do you stop now and have one thing repaired?",
    "shortcut": "A shortcut: do you move to the front of your Section, unanswered?",
}

COMING = {"crash": "crashes", "ditched": "is Ditched", "spinout": "spins out"}

ASK: dict[str, Callable[[JSON, JSON], str]] = {
    "act": _ask_act,
    "auto_pass": lambda view, about: (
        f"Car {about['seat']} stands still directly ahead: you pass it unless you stop or attack. What do you do?"
    ),
    "auto_exit": lambda view, about: "Your Road Log says Exit: you may leave the Section without a draw. Do you?",
    "answer": lambda view, about: f"{told(view, about['announced'])}. What do you answer?",
    "fate": _ask_fate,
    "canyon": lambda view, about: f"Car {about['seat']} has laid a Section. Do you play Box Canyon?",
    "reaction": lambda view, about: (
        f"Car {about['announced']['target']} answers you with {card(about['card'])}. Do you react?"
    ),
    "reflexes": lambda view, about: "Your car must make a Damage Check. Do you cancel it with Great Reflexes?",
    "avert": lambda view, about: f"The Damage Table says that your car {COMING[about['event']]}. Do you avert it?",
    "dodge": lambda view, about: f"The Event {event(about['event'])} strikes you. Do you play a card against it?",
    "evil": lambda view, about: EVILS[about["event"]],
    "offer": lambda view, about: OFFERS[about["event"]],
    "wrong_road": lambda view, about: "A changed road sign leads you the wrong way. Do you play a Road Map?",
    "loot": lambda view, about: f"You see the hand of car {about['seat']}. What do you take?",
    "excess": lambda view, about: "You hold more cards than your limit. What do you discard?",
    "trade": lambda view, about: _ask_trade(about),
    "draft": lambda view, about: _ask_draft(about),
    "draw_or_pass": lambda view, about: (
        f"You may draw cards or pass them to your partner, {about['left']} in all. What do you do?"
    ),
    "keep": lambda view, about: (
        "Drivers have changed and you see both hands. Which cards do you keep, and leave the others to your partner?"
    ),
}


def _ask_draft(about: JSON) -> str:
    points = about["points"]
    rich = "" if points is None else f", and you have {count(points, 'point')}"
    return f"Cars are fitted out before the race{rich}. Which upgrade do you draft?"


def _ask_trade(about: JSON) -> str:
    offer = about["offer"]
    wanted = [cards(offer["want"])] if offer["want"] else []
    if offer["any_cards"]:
        wanted.append(f"{count(offer['any_cards'], 'card')} of your choice")
    words = f" «{offer['words']}»" if offer["words"] else ""
    deal = f"{cards(offer['give'])} for {listed(wanted) or 'nothing'}"
    return f"Car {about['seat']} offers you {deal}.{words} Do you accept?"


CARD_RULES = {
    "camouflage": "9.1",
    "changed_road_sign": "C6a",
    "no_doze_pills": "R-pills",
    "red_line": "R-red",
    "road_map": "C6c",
    "sabotage": "C6b",
    "siphon_gas": "9.6",
    "theft": "R-theft",
}
MOVES = frozenset(("move_1", "move_2", "move_3", "move_4", "rest_move_1", "rest_move_2", "rest_move_3", "red_move_1"))
RULES: dict[type, Callable[[Any], str]] = {
    a.Start: lambda act: "6.1",
    a.Exit: lambda act: "6.24",
    a.Pass: lambda act: "6.41" if act.card in MOVES else "6.43",
    a.Attack: lambda act: "6.5",
    a.Shortcut: lambda act: "R-short",
    a.Play: lambda act: CARD_RULES.get(act.card, "9.5"),
    a.Stop: lambda act: "6.6",
    a.Forage: lambda act: "6.72",
    a.Repair: lambda act: "7.4",
    a.Trade: lambda act: "9.7",
    a.End: lambda act: "12.4" if act.share else "6.62" if act.rest else "6.7" if act.job else "5.4",
    a.GoOn: lambda act: "6.61",
    a.AutoExit: lambda act: "6.25",
    a.Supercharge: lambda act: "10.3",
    a.ChangeDrivers: lambda act: "12.5",
}


def rule_of(decision: Decision, action: Any) -> str:
    """The rule that an act of a turn is done by, under its number of the sheet on the Beginner's Track.

    "" where the question's own rule says it.
    """
    rule = RULES.get(type(action))
    if rule is None:
        return ""
    return on_the_sheet(rule(action)) if decision.about.get("track") == BEGINNER else rule(action)


FOLLOWED = frozenset(("act", "auto_pass", "answer", "reflexes", "reaction"))
"""Questions after which others may come in the same turn."""
AVERTING = (("crash", "a Crash"), ("ditched", "Ditched"), ("spinout", "a Spinout"))


def follows(view: JSON, decision: Decision) -> tuple[Follow, ...]:
    """What may be answered beforehand, as far as the own hand has a card: reactions, checks, their results."""
    if decision.key not in FOLLOWED:
        return ()
    held = [card["key"] for card in view["hand"]]
    out: list[Follow] = []
    if decision.key in ("act", "auto_pass"):
        reacting = [key for key in held if key in ("swerve", "firm_shoulders")]
        _follow(out, "reaction", "If you are counterattacked", reacting)
    if decision.key != "reflexes":
        _follow(out, "reflexes", "If it comes to a Damage Check", [key for key in held if key == "great_reflexes"])
    driving = [card["key"] for card in view["hand"] if card["symbol"] == "driving"]
    for result, name in AVERTING:
        if result == "spinout":
            cards_for = driving
        else:
            cards_for = [key for key in held if key == "great_reflexes"]
            cards_for += [key for key in held if key == "firm_shoulders" and result == "ditched"]
        _follow(out, f"avert_{result}", f"If the Damage Table says {name}", cards_for)
    return tuple(out)


def _follow(out: list[Follow], trigger: str, label: str, keys: list[str]) -> None:
    if keys:
        out.append(Follow(trigger, label, (a.NoCard(), *(a.Card(key) for key in keys))))


def value_words(field: str, value: JSON) -> str:
    """A form's value as a person reads it."""
    if field == "job":
        return JOBS[value] if value else "what is usual: Flat Tire, else Damage, else the first problem"
    return card(value) if isinstance(value, str) else str(value)


REASONS = {
    "exit_draw": "The race was won by an exit with a Move card.",
    "automatic_exit": "The race was won by an Automatic Exit.",
    "last_driver": "Everybody else has given up.",
    "nobody_left": "All drivers have given up.",
}
"""How a race can end, in a sentence."""
