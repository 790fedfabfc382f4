"""The sentence of each kind of event, for the log, the story in a mail and the replay. Each ends in its rule number."""

from collections.abc import Callable, Mapping
from typing import Any

from games.rulesets.roadkill.rules.r07_damage import MOVING_ONLY, RESULT_WORDS, UNHURT
from games.rulesets.roadkill.state import EXIT
from games.rulesets.roadkill.words import (
    A_RESULT,
    COLUMN_NAMES,
    JOBS,
    card,
    cards,
    count,
    event,
    listed,
    own,
    section,
    upgrade,
)

Seen = Mapping[str, Any]


def tell(seen: Seen) -> str:
    """The sentence for an event as its viewer sees it; "" for what is not worth a line.

    Raises KeyError for an unknown kind.
    """
    sentence = SENTENCES[seen["kind"]](seen)
    return f"{sentence} ({seen['rule']})" if sentence else ""


def _car(seat: int) -> str:
    return f"car {seat}"


def _who(s: Seen) -> str:
    return _car(s["seat"]).capitalize()


ROLES = {"driver": "the Driver", "assistant": "the Assistant Driver"}


def _player(s: Seen) -> str:
    """Who it was: the car, in a race of teams one of the two who drive it."""
    return f"{ROLES[s['role']]} of {_car(s['seat'])}" if "role" in s else _car(s["seat"])


def _begins(s: Seen) -> str:
    return f"{_capital(_player(s))} begins a turn." if "role" in s else f"{_who(s)} begins its turn."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _announces(s: Seen) -> str:
    what = cards(s["cards"])
    on = f" {_car(s['target'])}" if s["target"] else ""
    rest = "the rest of " if s["left"] else ""
    who = _who(s)
    act = s["act"]
    if act == "start":
        return f"{who} plays {what} to start."
    if act in ("exit", "auto_exit"):
        return f"{who} plays {rest}{what} to move on."
    if act == "pass":
        return f"{who} goes to pass{on} with {rest}{what}."
    if act == "attack":
        return f"{who} attacks{on} with {what}."
    if act == "forage":
        return f"{who} turns off to forage with {what}."
    return f"{who} plays {what}{' on' + on if on else ''}."


def _number(s: Seen) -> str:
    column = COLUMN_NAMES.get(s["column"], s["column"])
    from_card = f" on {card(s['card'])}" if s["card"] else ", from the race's random stream: both piles are empty"
    return f"Draw in column {column}: {s['value']}{from_card}."


def _new_deck(s: Seen) -> str:
    return f"The discards become deck {s['deck']}: {count(s['cards'], 'card')}."


def _dealt(s: Seen) -> str:
    own_cards = f": {cards(s['cards'])}" if "cards" in s else ""
    return f"{_capital(_player(s))} is dealt {count(s['count'], 'card')}{own_cards}."


def _draws(s: Seen) -> str:
    own_cards = f": {cards(s['cards'])}" if s.get("cards") else ""
    return f"{_capital(_player(s))} draws {count(s['count'], 'card')}{own_cards}."


def _exit(s: Seen) -> str:
    return f"Exit draw {_sum(s)}: more than {count(s['trailers'], 'Trailer')}, the way out is free."


def _exit_fails(s: Seen) -> str:
    return f"Exit draw {_sum(s)}: not more than {count(s['trailers'], 'Trailer')}, {_car(s['seat'])} stays where it is."


def _sum(s: Seen) -> str:
    """What was drawn, with what is added to it: "4", "4 - 1 = 3"."""
    drawn, modifier = s["drawn"], s["modifier"]
    if not modifier:
        return str(drawn)
    return f"{drawn} {'+' if modifier > 0 else '-'} {abs(modifier)} = {drawn + modifier}"


def _attack(s: Seen) -> str:
    what = listed([EFFECT_WORDS[effect] for effect in s["effects"]])
    by = f"The {card(s['card'])} of {_car(s['by'])}" if s["by"] else "The shot of the snipers"
    return f"{by} on {_car(s['target'])}: {_sum(s)}, {what}."


EFFECT_WORDS = {
    "none": "no effect",
    "target_check": "the target makes a Damage Check",
    "target_damage": "the target takes one Damage",
    "target_flat_tire": "the target has a Flat Tire",
    "target_loses_card": "the target loses a card",
    "both_check": "both cars make a Damage Check",
    "own_damage": "the rammer takes one Damage",
}


def _check(s: Seen) -> str:
    number = s["result"]
    row = max(1, number)
    outcome = A_RESULT[RESULT_WORDS[row]] if number < UNHURT else "nothing happens"
    spared = ", which does nothing to a stopped car" if row in MOVING_ONLY and not s.get("moving", True) else ""
    return f"Damage Check of {_car(s['seat'])}: {_sum(s)}, {outcome}{spared}."


def _repaired(s: Seen) -> str:
    by = f" with {_sum(s)} (4 is needed)" if "drawn" in s else ""
    return f"{_who(s)} repairs {JOBS[s['job']]}{by}."


def _repair_fails(s: Seen) -> str:
    return f"The repair fails with {_sum(s)} (4 is needed); {_car(s['seat'])} has Repairs +{s['repairs']}."


def _strikes(s: Seen) -> str:
    struck = STRUCK.get(s["result"])
    return f"{_who(s)} {struck}." if struck else ""


STRUCK = {"crash": "crashes", "ditched": "is Ditched", "spinout": "spins out"}
"""A Flat Tire and a Mechanical Problem are told by the check before and by what comes of them."""
AVERTED = {"crash": "the Crash", "ditched": "being Ditched", "spinout": "the Spinout"}


def _averts(s: Seen) -> str:
    return f"{_who(s)} plays {card(s['card'])} against {AVERTED[s['result']]}."


def _averted(s: Seen) -> str:
    by = f" by throwing away {card(s['card'])}" if "card" in s else ""
    return f"{_who(s)} averts {AVERTED[s['result']]}{by}."


def _problem(s: Seen) -> str:
    if s["problem"] == "flat_tire":
        return f"{_who(s)} has a Flat Tire."
    return f"{_who(s)} has a Mechanical Problem: {JOBS[s['problem']]}."


def _inspects(s: Seen) -> str:
    seen = f": {cards(s['cards'])}" if "cards" in s else ""
    return f"{_who(s)} looks into the hand of {_car(s['target'])}{seen}."


def _takes(s: Seen) -> str:
    taken = f": {cards(s['cards'])}" if s.get("cards") else ""
    return f"{_who(s)} takes {count(s['count'], 'card')} from {_car(s['target'])}{taken}."


def _offers_trade(s: Seen) -> str:
    who, other = _who(s), _car(s["target"])
    if "give" not in s:
        return f"{who} offers {other} a trade: {count(s['gives'], 'card')} for {s['asks']}."
    more = s["asks"] - len(s["want"])
    asked = cards(s["want"]) if s["want"] else ""
    if more:
        free = f"{count(more, 'card')} of their choice"
        asked = f"{asked} and {free}" if asked else free
    words = f" «{s['words']}»" if s["words"] else ""
    return f"{who} offers {other} a trade: {cards(s['give'])} for {asked or 'nothing'}.{words}"


def _trade(s: Seen) -> str:
    who, other = _who(s), _car(s["target"])
    if "gave" in s and isinstance(s["gave"], list):
        return f"{who} and {other} trade: {cards(s['gave'])} for {cards(s['got'])}."
    return f"{who} and {other} trade: {count(s['gave'], 'card')} for {s['got']}."


def _stops(s: Seen) -> str:
    where = " at the Rest Stop" if s["at_stop"] else ""
    return f"{_who(s)} stops{where}."


def _lays(s: Seen) -> str:
    rest = " with a Rest Stop" if s["rest"] else ""
    return f"{_who(s)} lays {card(s['card'])} as {section(s['section'])}, value {s['value']}{rest}."


def _shortcut(s: Seen) -> str:
    return f"{_who(s)} passes {count(s['cars'], 'car')} by a Shortcut."


def _refuels(s: Seen) -> str:
    return f"{_who(s)} refuels to {count(s['fuel'], 'box', 'boxes')}."


def _siphons(s: Seen) -> str:
    source = f"from {_car(s['target'])}" if s["target"] else "from an abandoned car"
    return f"{_who(s)} siphons {count(s['gain'], 'box', 'boxes')} of fuel {source}."


def _enters(s: Seen) -> str:
    fuel = f", fuel {s['fuel']}" if "fuel" in s else ""
    return f"{_who(s)} enters {section(s['section'])}{fuel}."


def _exit_certain(s: Seen) -> str:
    return f"Against {count(s['trailers'], 'Trailer')} the exit of {_car(s['seat'])} cannot fail: no card is drawn."


def _fate(s: Seen) -> str:
    return f"{_capital(_player(s))} plays Fate on {'the Event' if s['on'] == 'event' else card(s['on'])}."


def _passes(s: Seen) -> str:
    gone = ", which is a wreck" if s.get("wrecked") else ""
    return f"{_who(s)} passes {_car(s['target'])}{gone}."


def _finish(s: Seen) -> str:
    order = listed([_car(seat) for seat in s["order"]])
    return f"{_who(s)} has won. In order: {order}."


def _log_back(s: Seen) -> str:
    return f"The Road Log of {_car(s['seat'])} goes back to {_log_box(s['log'])}."


def _log(s: Seen) -> str:
    return f"The Road Log of {_car(s['seat'])} advances to {_log_box(s['log'])}."


def _log_box(box: int) -> str:
    return "the Exit box" if box == EXIT else f"{box:+d}" if box else "0"


def _pawn(s: Seen) -> str:
    pawn = f"; {ROLES[s['role']]} has the pawn" if "role" in s else ""
    return f"{_who(s)} leads the race{pawn}."


def _gives_up(s: Seen) -> str:
    if "role" in s:
        return f"{_capital(_player(s))} gives up and plays no more once this turn ends."
    return f"{_who(s)} gives up; its car leaves the course when this turn ends."


def _hands_over(s: Seen) -> str:
    known = f": {cards(s['cards'])}" if "cards" in s else ""
    return f"{_capital(_player(s))} passes {count(s['count'], 'card')} to the partner{known}."


def _keeps(s: Seen) -> str:
    kept = f" ({cards(s['kept'])})" if s.get("kept") else ""
    returned = f" ({cards(s['returned'])})" if s.get("returned") else ""
    return (
        f"{_capital(_player(s))} keeps {count(s['keeps'], 'card')}{kept} of both hands, "
        f"the partner has {s['returns']}{returned}."
    )


WORDED: dict[str, Callable[[Any], str]] = {
    "seat": _car,
    "target": _car,
    "card": card,
    "job": own,
    "event": event,
    "cards": cards,
    "upgrade": upgrade,
    "upgrades": lambda keys: listed([f"the {upgrade(key)}" for key in keys]),
    "section": section,
    "weather": str.title,
    "road": str.title,
    "role": ROLES.__getitem__,
}
"""How the parts of an event are said in a simple sentence; the others as they are."""


def _simple(pattern: str) -> Callable[[Seen], str]:
    """A sentence with {seat}, {target}, {card}, {job}, … filled in."""

    def sentence(s: Seen) -> str:
        values = {name: WORDED[name](value) if name in WORDED else value for name, value in s.items()}
        if "seat" in s:
            values["player"] = _player(s)
        text = pattern.format(**values)
        return _capital(text)

    return sentence


SENTENCES: dict[str, Callable[[Seen], str]] = {
    "dealt": _dealt,
    "turn": _begins,
    "event": _simple("Event {letter}: {event}."),
    "event_strikes": _simple("The Event {event} strikes {seat}."),
    "event_nothing": _simple("{event}: nothing happens."),
    "event_negated": _simple("{event} is negated by Fate."),
    "all_decline": _simple("{event}: nobody takes it."),
    "accepts": _simple("{seat} takes the chance: {event}."),
    "declines": _simple("{seat} declines: {event}."),
    "dodges": _simple("{seat} plays {card} against {event}."),
    "risks": _simple("{seat} risks it."),
    "announces": _announces,
    "answers": _simple("{player} answers with {card}."),
    "reacts": _simple("{player} reacts with {card}."),
    "fate": _fate,
    "negated": _simple("{card} is negated by Fate."),
    "returns": _simple("{seat} takes {cards} back into its hand."),
    "robbery_void": _simple("{card} on {target} is void."),
    "number": _number,
    "new_deck": _new_deck,
    "nightfall": _simple("Night falls."),
    "daybreak": _simple("Day breaks."),
    "piles_empty": _simple("Both piles are empty: nothing is left to draw."),
    "draws": _draws,
    "discards": _simple("{player} discards {cards}."),
    "loses_card": _simple("{player} loses {card} at random."),
    "starts": _simple("{seat} starts."),
    "start_fails": _simple("{seat} does not get going."),
    "sabotaged": _simple("The sabotage on {seat} shows."),
    "exit": _exit,
    "exit_fails": _exit_fails,
    "exit_unpaid": _simple("The way out takes {cost} fuel now and {seat} has {fuel}: no attempt is made."),
    "lays": _lays,
    "exit_certain": _exit_certain,
    "enters": _enters,
    "crosses": _simple("{seat} crosses the Finish Line."),
    "returns_to_road": _simple("{seat} is back on {section}, fuel {fuel}."),
    "removed": _simple("{section} has been passed by all cars and is taken up."),
    "pawn": _pawn,
    "log": _log,
    "log_back": _log_back,
    "passes": _passes,
    "half_passed": _simple("{seat} is half past {target} on the Narrow Road: one value more is needed."),
    "to_front": _simple("{seat} takes the front of {section}."),
    "shortcut": _shortcut,
    "attack": _attack,
    "stops": _stops,
    "out_of_gas": _simple("{seat} is out of gas."),
    "forages": _simple("{seat} is on a Side Road of {section}."),
    "refuels": _refuels,
    "repaired": _repaired,
    "attempts_repair": _simple("{seat} tries to repair {job}."),
    "repair_fails": _repair_fails,
    "damage": _simple("{seat} takes Damage: {damage} of 7."),
    "check": _check,
    "check_cancelled": _simple("The Damage Check of {seat} is cancelled."),
    "reflexes": _simple("{seat} plays {card} before the check."),
    "averts": _averts,
    "averted": _averted,
    "strikes": _strikes,
    "problem": _problem,
    "wreck": _simple("{seat} is a wreck."),
    "new_car": _simple("{seat} starts over with a new car on Road 0."),
    "weather": _simple("{weather} settles on {section}."),
    "weather_ends": _simple("{weather} on {section} clears."),
    "road": _simple("{seat} is on a {road} Road."),
    "road_normal": _simple("{seat} is back on a normal road."),
    "camouflaged": _simple("{seat} is camouflaged."),
    "camouflage_off": _simple("{seat} loses its camouflage."),
    "camouflage_protects": _simple("Camouflage protects {seat}."),
    "red_line": _simple("{seat} drives at the Red Line for the rest of the turn."),
    "road_map": _simple("{seat} plays {card}."),
    "road_sign": _simple("{seat} changes the road sign on {section}."),
    "wrong_road": _simple("{seat} follows the changed sign and stays on {section}."),
    "box_canyon": _simple("{player} plays {card} against {target}."),
    "in_canyon": _simple("{seat} is in a Box Canyon off {section}."),
    "out_of_canyon": _simple("{seat} finds the way back to the front of {section}."),
    "inspects": _inspects,
    "takes": _takes,
    "sabotages": _simple("{seat} sabotages {target}."),
    "siphons": _siphons,
    "offers_trade": _offers_trade,
    "trade": _trade,
    "trade_off": _simple("{seat} refuses the trade of {target}."),
    "brings": _simple("{seat} brings along {upgrades}."),
    "drafts": _simple("{seat} drafts the {upgrade}."),
    "drafts_nothing": _simple("{seat} drafts nothing."),
    "cannot_draft": _simple("{seat} can afford none of the upgrades that are left."),
    "upgrade_lost": _simple("{seat} has this problem already: it loses the {upgrade} instead."),
    "upgrade_voids": _simple("With its {upgrade} {seat} has nothing to fear: {event} does nothing."),
    "ignores_sign": _simple("With its {upgrade} {seat} finds its way past the changed sign on {section}."),
    "reserve_opens": _simple("{seat} runs empty and goes on with its Reserve Tank, fuel {fuel}."),
    "supercharged": _simple("{seat} uses its Supercharger for the rest of the turn, fuel {fuel}."),
    "gives_up": _gives_up,
    "leaves_to_partner": _simple("{player} has left the race; the partner drives {seat} alone."),
    "hands_over": _hands_over,
    "changes_drivers": _simple("The partners of {seat} change roles; who plays it now is {role}."),
    "keeps": _keeps,
    "withdraws": _simple("{seat} has left the race."),
    "finish": _finish,
}
"""Every kind of event and its sentence."""
