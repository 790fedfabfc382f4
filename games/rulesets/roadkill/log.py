"""The sentence of each kind of event, for the log, the story in a mail and the replay. Each ends in its rule number."""

from collections.abc import Callable, Mapping
from typing import Any

from games.rulesets.roadkill.words import COLUMN_NAMES, JOBS, RESULTS, card, cards, count, event, listed

Seen = Mapping[str, Any]


def tell(seen: Seen) -> str:
    """The sentence for an event as its viewer sees it; "" for what is not worth a line.

    Raises KeyError for an unknown kind.
    """
    sentence = SENTENCES[seen["kind"]](seen)
    return f"{sentence} ({seen['rule']})" if sentence else ""


def _car(seat: int) -> str:
    return f"car {seat}"


def _announces(s: Seen) -> str:
    what = cards(s["cards"])
    on = f" {_car(s['target'])}" if s["target"] else ""
    rest = "the rest of " if s["left"] else ""
    who = _car(s["seat"]).capitalize()
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


def _dealt(s: Seen) -> str:
    own = f": {cards(s['cards'])}" if "cards" in s else ""
    return f"{_car(s['seat']).capitalize()} is dealt {count(s['count'], 'card')}{own}."


def _draws(s: Seen) -> str:
    own = f": {cards(s['cards'])}" if s.get("cards") else ""
    return f"{_car(s['seat']).capitalize()} draws {count(s['count'], 'card')}{own}."


def _exit(s: Seen) -> str:
    return f"{_exit_sum(s)}: more than {count(s['trailers'], 'Trailer')}, the way out is free."


def _exit_fails(s: Seen) -> str:
    return f"{_exit_sum(s)}: not more than {count(s['trailers'], 'Trailer')}, {_car(s['seat'])} stays on its Section."


def _exit_sum(s: Seen) -> str:
    return (
        f"Exit draw {s['drawn']}{_signed(s['modifier'])} = {s['total']}" if s["modifier"] else f"Exit draw {s['drawn']}"
    )


def _signed(number: int) -> str:
    return f" + {number}" if number > 0 else f" - {-number}"


def _attack(s: Seen) -> str:
    what = listed([EFFECT_WORDS[effect] for effect in s["effects"]])
    by = f"{_car(s['by']).capitalize()}'s {card(s['card'])}" if s["by"] else "The snipers' shot"
    total = f" ({_signed(s['modifier']).strip()})" if s["modifier"] else ""
    return f"{by} on {_car(s['target'])}: {s['drawn']}{total}, {what}."


EFFECT_WORDS = {
    "none": "no effect",
    "target_check": "the target makes a Damage Check",
    "target_damage": "the target takes one Damage",
    "target_flat_tire": "the target has a Flat Tire",
    "target_loses_card": "the target loses a card",
    "both_check": "both cars make a Damage Check",
    "own_damage": "the rammer takes one Damage",
}


def _inspects(s: Seen) -> str:
    own = f": {cards(s['cards'])}" if "cards" in s else ""
    return f"{_car(s['seat']).capitalize()} looks into the hand of {_car(s['target'])}{own}."


def _takes(s: Seen) -> str:
    own = f": {cards(s['cards'])}" if s.get("cards") else ""
    return f"{_car(s['seat']).capitalize()} takes {count(s['count'], 'card')} from {_car(s['target'])}{own}."


def _offers_trade(s: Seen) -> str:
    who, other = _car(s["seat"]).capitalize(), _car(s["target"])
    if "give" not in s:
        return f"{who} offers {other} a trade: {count(s['gives'], 'card')} for {s['asks']}."
    more = s["asks"] - len(s["want"])
    asked = cards(s["want"]) if s["want"] else ""
    if more:
        asked = f"{asked} and {count(more, 'card')} of its choice" if asked else f"{count(more, 'card')} of its choice"
    words = f" «{s['words']}»" if s["words"] else ""
    return f"{who} offers {other} a trade: {cards(s['give'])} for {asked or 'nothing'}.{words}"


def _trade(s: Seen) -> str:
    who, other = _car(s["seat"]).capitalize(), _car(s["target"])
    if "gave" in s and isinstance(s["gave"], list):
        return f"{who} and {other} trade: {cards(s['gave'])} for {cards(s['got'])}."
    return f"{who} and {other} trade: {count(s['gave'], 'card')} for {s['got']}."


def _stops(s: Seen) -> str:
    where = " at the Rest Stop" if s["at_stop"] else ""
    return f"{_car(s['seat']).capitalize()} stops{where}."


def _lays(s: Seen) -> str:
    rest = " with a Rest Stop" if s["rest"] else ""
    return f"{_car(s['seat']).capitalize()} lays {card(s['card'])} as Section {s['section']}, value {s['value']}{rest}."


def _siphons(s: Seen) -> str:
    source = f"from {_car(s['target'])}" if s["target"] else "from an abandoned car"
    return f"{_car(s['seat']).capitalize()} siphons {count(s['gain'], 'box')} of fuel {source}.".replace(
        "boxs", "boxes"
    )


def _event_strikes(s: Seen) -> str:
    return f"{event(s['event'])} strikes {_car(s['seat'])}."


def _half_passed(s: Seen) -> str:
    return (
        f"{_car(s['seat']).capitalize()} is half past {_car(s['target'])} on the Narrow Road: one value more is needed."
    )


def _fate(s: Seen) -> str:
    return f"{_car(s['seat']).capitalize()} plays Fate on {'the Event' if s['on'] == 'event' else card(s['on'])}."


def _passes(s: Seen) -> str:
    gone = ", which is a wreck" if s.get("wrecked") else ""
    return f"{_car(s['seat']).capitalize()} passes {_car(s['target'])}{gone}."


def _averted(s: Seen) -> str:
    by = f" by throwing away {card(s['card'])}" if "card" in s else ""
    return f"{_car(s['seat']).capitalize()} averts the {RESULTS[s['result']]}{by}."


def _finish(s: Seen) -> str:
    order = listed([_car(seat) for seat in s["order"]])
    return f"{_car(s['seat']).capitalize()} has won. In order: {order}."


def _log_back(s: Seen) -> str:
    return (
        f"{_car(s['seat']).capitalize()}'s Road Log goes back to {s['log']:+d}."
        if s["log"]
        else (f"{_car(s['seat']).capitalize()}'s Road Log goes back to 0.")
    )


def _log(s: Seen) -> str:
    box = "the Exit box" if s["log"] == 4 else f"{s['log']:+d}" if s["log"] else "0"
    return f"{_car(s['seat']).capitalize()}'s Road Log advances to {box}."


def _simple(pattern: str) -> Callable[[Seen], str]:
    """A sentence with {seat}, {target}, {card}, {job}, … filled in."""

    def sentence(s: Seen) -> str:
        values = dict(s)
        for name in ("seat", "target"):
            if name in s:
                values[name] = _car(s[name])
        for name in ("card", "on"):
            if s.get(name):
                values[name] = card(s[name])
        for name in ("job", "problem"):
            if name in s:
                values[name] = JOBS[s[name]]
        if "result" in s and s["result"] in RESULTS:
            values["result"] = RESULTS[s["result"]]
        if "event" in s:
            values["event"] = event(s["event"])
        if isinstance(s.get("cards"), list):
            values["cards"] = cards(s["cards"])
        text = pattern.format(**values)
        return text[:1].upper() + text[1:]

    return sentence


SENTENCES: dict[str, Callable[[Seen], str]] = {
    "dealt": _dealt,
    "turn": _simple("{seat} is on turn."),
    "event": _simple("Event {letter}: {event}."),
    "event_strikes": _event_strikes,
    "event_nothing": _simple("{event}: nothing happens."),
    "event_negated": _simple("{event} is negated by Fate."),
    "all_decline": _simple("{event}: nobody takes it."),
    "accepts": _simple("{seat} takes the chance: {event}."),
    "declines": _simple("{seat} declines: {event}."),
    "dodges": _simple("{seat} plays {card} against {event}."),
    "risks": _simple("{seat} risks it."),
    "announces": _announces,
    "answers": _simple("{seat} answers with {card}."),
    "reacts": _simple("{seat} reacts with {card}."),
    "fate": _fate,
    "negated": _simple("{card} is negated."),
    "returns": _simple("{cards} return to the hand of {seat}."),
    "robbery_void": _simple("{card} on {target} is void."),
    "number": _number,
    "new_deck": _simple("The discards become deck {deck}: {cards} cards."),
    "nightfall": _simple("Night falls."),
    "daybreak": _simple("Day breaks."),
    "piles_empty": _simple("Both piles are empty: nothing is left to draw."),
    "draws": _draws,
    "discards": _simple("{seat} discards {cards}."),
    "loses_card": _simple("{seat} loses {card} at random."),
    "starts": _simple("{seat} starts."),
    "start_fails": _simple("{seat} does not get going."),
    "sabotaged": _simple("The sabotage on {seat} shows."),
    "exit": _exit,
    "exit_fails": _exit_fails,
    "exit_unpaid": _simple("The way out takes {cost} fuel now and {seat} has {fuel}: no attempt is made."),
    "lays": _lays,
    "enters": _simple("{seat} enters Section {section}, fuel {fuel}."),
    "returns_to_road": _simple("{seat} is back on Section {section}, fuel {fuel}."),
    "removed": _simple("Section {section} has been passed by all cars and is taken up."),
    "pawn": _simple("{seat} leads the race."),
    "log": _log,
    "log_back": _log_back,
    "passes": _passes,
    "half_passed": _half_passed,
    "to_front": _simple("{seat} takes the front of Section {section}."),
    "shortcut": _simple("{seat} passes {cars} cars by a Shortcut."),
    "attack": _attack,
    "stops": _stops,
    "out_of_gas": _simple("{seat} is out of gas."),
    "forages": _simple("{seat} is on a Side Road of Section {section}."),
    "refuels": _simple("{seat} refuels to {fuel}."),
    "repaired": _simple("{seat} repairs {job}."),
    "attempts_repair": _simple("{seat} attempts a repair of {job}."),
    "repair_fails": _simple("The repair of {job} fails with {total}; {seat} has Repairs +{repairs}."),
    "damage": _simple("{seat} takes Damage: {damage} of 7."),
    "check": _simple("Damage Check of {seat}: {result}."),
    "check_cancelled": _simple("The Damage Check of {seat} is cancelled."),
    "reflexes": _simple("{seat} plays {card} before the check."),
    "averts": _simple("{seat} plays {card} against {result}."),
    "averted": _averted,
    "strikes": _simple("{seat}: {result}."),
    "problem": _simple("{seat} has {problem}."),
    "wreck": _simple("{seat} is a wreck."),
    "new_car": _simple("{seat} starts over with a new car on Road 0."),
    "weather": _simple("{weather} settles on Section {section}."),
    "weather_ends": _simple("{weather} on Section {section} clears."),
    "road": _simple("{seat} is on a {road} road."),
    "road_normal": _simple("{seat} is back on a normal road."),
    "camouflaged": _simple("{seat} is camouflaged."),
    "camouflage_off": _simple("{seat} loses its camouflage."),
    "camouflage_protects": _simple("Camouflage protects {seat}."),
    "red_line": _simple("{seat} drives at the Red Line for the rest of the turn."),
    "road_map": _simple("{seat} plays {card}."),
    "road_sign": _simple("{seat} changes the road sign on Section {section}."),
    "wrong_road": _simple("{seat} follows the changed sign and stays on Section {section}."),
    "box_canyon": _simple("{seat} plays {card} against {target}."),
    "in_canyon": _simple("{seat} is in a Box Canyon off Section {section}."),
    "out_of_canyon": _simple("{seat} finds the way back to the front of Section {section}."),
    "inspects": _inspects,
    "takes": _takes,
    "sabotages": _simple("{seat} sabotages {target}."),
    "siphons": _siphons,
    "offers_trade": _offers_trade,
    "trade": _trade,
    "trade_off": _simple("{seat} refuses the trade of {target}."),
    "gives_up": _simple("{seat} gives up; its car leaves the course when this turn ends."),
    "withdraws": _simple("{seat} has left the race."),
    "finish": _finish,
}
"""Every kind of event and its sentence. The number of cards of a new deck is a count, all other ``cards`` are keys."""
