"""The sentence of each kind of event, for log, mails and replay, ending in its row's number."""

from collections.abc import Callable, Mapping
from typing import Any

from games.rulesets.thunder_road.state import letter_of

Seen = Mapping[str, Any]
WORDS = {"F": "ahead", "FL": "ahead to the left", "FR": "ahead to the right"}
WORDS |= {"B": "back", "BL": "back to the left", "BR": "back to the right"}


def tell(seen: Seen) -> str:
    """The sentence for an event; "" for what is not worth a line. Raises KeyError for an unknown kind."""
    sentence = SENTENCES[seen["kind"]](seen)
    if not sentence:
        return ""
    return f"{sentence} ({seen['rule']})" if seen["rule"] else sentence


def _seat(seat: int) -> str:
    return letter_of(seat)


def _of(pattern: str) -> Callable[[Seen], str]:
    def sentence(s: Seen) -> str:
        values = dict(s)
        if s.get("seat"):
            values["seat"] = _seat(s["seat"])
        if "direction" in s:
            values["direction"] = WORDS[s["direction"]]
        for name in ("token", "card", "command"):
            if name in s:
                values[name] = str(s[name]).replace("_", " ")
        text = pattern.format(**values)
        return text[:1].upper() + text[1:]

    return sentence


def _wins(s: Seen) -> str:
    who = " and ".join(_seat(seat) for seat in s["seats"])
    return f"{who} {'have' if len(s['seats']) > 1 else 'has'} won"


def _shrapnel(s: Seen) -> str:
    hit = f"hits {s['target']}" if s["target"] else "hits nobody"
    return f"Shrapnel from {s['piece']} flies {WORDS[s['direction']]} and {hit}"


def _shoots(s: Seen) -> str:
    by = f"{_seat(s['seat'])}'s chopper" if s["by"] == "chopper" else s["by"]
    return f"{by} {'launches a missile at' if s['missile'] else 'shoots at'} {s['target']}"


def _minor(s: Seen) -> str:
    spot = f" on {s['spot'].replace('_', ' ')}" if s["spot"] else ""
    return f"{s['piece']} takes minor damage{spot}"


def _dice(s: Seen) -> str:
    steering = f", steering {s['steering']}" if s["steering"] else ""
    return f"{_seat(s['seat'])} rolls {', '.join(str(die) for die in s['dice'])}{steering}"


def _command(s: Seen) -> str:
    on = f" on {s['on']}" if s["on"] else ""
    return f"{_seat(s['seat'])} uses {s['command'].replace('_', ' ')} with {s['die']}{on}"


def _moves(s: Seen) -> str:
    return f"{_seat(s['seat'])} {'coasts with' if s['coasts'] else 'moves'} {s['vehicle']} with a {s['die']}"


def _slam_moves(s: Seen) -> str:
    return f"{s['piece']} is knocked {WORDS[s['direction']]}"


SENTENCES: dict[str, Callable[[Seen], str]] = {
    "round": _of("round {number} begins."),
    "rolls": lambda s: "",
    "road_die": _of("{seat} rolls the road die: {value}"),
    "dice": _dice,
    "starts": _of("{seat} has rolled least and begins"),
    "turn": _of("{seat} is to move"),
    "dice_aside": _of("{seat} cannot use the dice that are left"),
    "stands": _of("{seat} stands"),
    "concedes": _of("{seat} concedes"),
    "moves": _moves,
    "gives_up_command": _of("{seat} gives up the command of this round"),
    "command": _command,
    "enters": _of("{piece} comes to {space}"),
    "bonus": _of("{seat} takes the Road Bonus: {counts}"),
    "slams": _of("{piece} slams {target}"),
    "slam_moves": _slam_moves,
    "reveals": _of("{piece} turns up {token} on {space}"),
    "damaged": _of("{piece} takes damage: {token}"),
    "minor_damage": _minor,
    "ongoing": _of("{piece} has {card} from now on"),
    "shrapnel": _shrapnel,
    "on_fire": _of("{piece} is on fire"),
    "fire_out": _of("the fire of {piece} goes out"),
    "flies": _of("{piece} flies {spaces} over the ramp"),
    "quake": _of("the ground shakes: all are shifted {direction}"),
    "worm": lambda s: f"The sand worm takes {', '.join(s['pieces'])}",
    "shoots": _shoots,
    "hit": _of("{target} is hit"),
    "missed": _of("{target} is missed"),
    "inoperable": _of("{piece} is inoperable"),
    "eliminated": _of("{piece} is eliminated"),
    "wreck_removed": _of("{piece} is removed"),
    "repaired": _of("{piece} is repaired"),
    "respawns": _of("{piece} is back and waits to enter"),
    "chopper_returns": _of("{seat}'s chopper goes back"),
    "out": _of("{seat} is out of the race"),
    "tile_removed": _of("the rear of the road falls away, up to row {rows}"),
    "tile_laid": _of("the road goes on: {name} ({tile}), up to row {rows}"),
    "finish_set": _of("the finish lies behind row {row}"),
    "crosses": _of("{piece} crosses the finish"),
    "wins": _wins,
}
"""Every kind of event and its sentence."""
