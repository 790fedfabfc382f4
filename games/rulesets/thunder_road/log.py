"""The sentence of each kind of event, for log, mails and replay, ending in its row's number.

Single steps of a driver's own move are not told, but for the last: "A.M drives to 3-6". What interrupts a move says
itself where that was.
"""

from collections.abc import Callable, Mapping
from typing import Any

from games.rulesets.thunder_road.state import letter_of
from games.rulesets.thunder_road.words import HAZARDS, WAYS, capital, count, crew, dice, listed

Seen = Mapping[str, Any]


def tell(seen: Seen) -> str:
    """The sentence for an event; "" for what is not worth a line. Raises KeyError for an unknown kind."""
    sentence = SENTENCES[seen["kind"]](seen)
    return f"{capital(sentence)} ({seen['rule']})" if sentence else ""


def _plain(key: str) -> str:
    return str(key).replace("_", " ")


COMMANDS = {
    "bikes_airstrike": "Airstrike",
    "rig_airstrike": "Airstrike",
    "bikes_repair": "Repair",
    "airstrike": "Airstrike",
    "nitro": "Nitro",
    "drift": "Drift",
    "repair": "Repair",
    "respawn": "Respawn",
    "cow_catcher": "Cow Catcher",
    "front_repair": "Front Repair",
    "missile": "Missile",
    "middle_repair": "Middle Repair",
    "traction": "Traction Drive",
    "targeting": "Targeting",
    "rear_repair": "Rear Repair",
    "dispenser": "Hazard Dispenser",
}
"""Commands by their names, whatever the set: an event says none."""

WORDED: dict[str, Callable[[Any], str]] = {
    "seat": crew,
    "direction": WAYS.__getitem__,
    "card": _plain,
    "spot": _plain,
    "command": COMMANDS.__getitem__,
}
"""How the parts of an event are said in a simple sentence; the others as they are."""


def _of(pattern: str) -> Callable[[Seen], str]:
    """A sentence with {seat}, {piece}, {direction}, … filled in."""

    def sentence(s: Seen) -> str:
        return pattern.format(
            **{name: WORDED[name](value) if name in WORDED and value else value for name, value in s.items()}
        )

    return sentence


def _wins(s: Seen) -> str:
    who = listed([crew(seat) for seat in s["seats"]])
    if len(s["seats"]) > 1:
        return f"{who} share the win{WON[s['ending']]}."
    return f"{who} has won{WON[s['ending']]}."


WON = {
    "finish": " by crossing the finish",
    "last_driver": ": nobody else is left in the race",
    "nobody_left": ": all that were left went out in one moment, and it was foremost",
    "distance": ": the last round is over, and it is foremost",
}


def _shrapnel(s: Seen) -> str:
    hit = f"hits {s['target']}" if s["target"] else "hits nobody"
    return f"Shrapnel from {s['piece']} flies {WAYS[s['direction']]} and {hit}."


def _shoots(s: Seen) -> str:
    by = f"the chopper of {crew(s['seat'])}" if s["by"] == "chopper" else s["by"]
    return f"{by} {'launches a missile at' if s['missile'] else 'shoots at'} {s['target']}."


def _minor(s: Seen) -> str:
    spot = f", which covers {COMMANDS.get(s['spot'], s['spot'])}" if s["spot"] else ""
    return f"{s['piece']} takes minor damage{spot}."


def _dice(s: Seen) -> str:
    steering = f", steering {s['steering']}" if s["steering"] else ""
    return f"{crew(s['seat'])} rolls {dice(s['dice'])}{steering}."


def _command(s: Seen) -> str:
    on = f" on {COMMANDS.get(s['on'], s['on'])}" if s["on"] else ""
    return f"{crew(s['seat'])} uses {COMMANDS[s['command']]} with a {s['die']}{on}."


def _moves(s: Seen) -> str:
    vehicle = f"{letter_of(s['seat'])}.{s['vehicle']}"
    if s["coasts"]:
        return f"{crew(s['seat'])} spends a {s['die']} and lets {vehicle} coast."
    return f"{crew(s['seat'])} puts a {s['die']} on {vehicle}."


def _enters(s: Seen) -> str:
    """A forced move always; of an own one only its end, "left" being the counts still to drive."""
    if s.get("left") is None:
        return f"{s['piece']} is moved to {s['space']}."
    return "" if s["left"] else f"{s['piece']} drives to {s['space']}."


def _slams(s: Seen) -> str:
    where = f" on {s['space']}" if s.get("space") else ""
    target = "the wreck" if s["target"].startswith("wreck") else s["target"]
    piece = capital(f"the {s['piece']}") if s["piece"].startswith("wreck") else s["piece"]
    return f"{piece} slams {target}{where}."


DAMAGE = {
    "plain": "it is plain damage",
    "skid_F": "it skids straight ahead",
    "skid_FR": "it skids ahead to the right",
    "skid_BR": "it skids back to the right",
    "skid_B": "it skids straight back",
    "skid_BL": "it skids back to the left",
    "skid_FL": "it skids ahead to the left",
    "shrapnel": "shrapnel",
    "dazed": "its driver is dazed",
    "blast_off": "it is blasted off",
    "fire": "fire",
    "ongoing": "it lasts",
}
"""What each damage token does, behind "takes damage: "."""

LOST = {
    "T13": "burns out",
    "T16": "stays under a chopper",
    "T22": "goes off the road",
    "T24": "is pushed over the finish, inoperable",
    "T50": "runs into something impassable",
    "T54": "falls into the pit",
    "T55": "is shaken off",
    "T59": "is swallowed by the sand worm",
    "T64": "is damaged once more than it can bear",
    "T65": "is damaged once more than it can bear",
    "T77": "is lost with the rear of the road",
    "T79": "leaves the race",
    "T85": "has no command left to cover",
}
"""How a vehicle is lost, by the row that eliminates it."""


def _eliminated(s: Seen) -> str:
    how = LOST.get(s["rule"])
    return f"{s['piece']} {how} and is eliminated." if how else f"{s['piece']} is eliminated."


SENTENCES: dict[str, Callable[[Seen], str]] = {
    "round": _of("round {number} begins."),
    "rolls": lambda s: "",
    "road_die": _of("{seat} rolls the road die: {value}."),
    "dice": _dice,
    "starts": _of("{seat} has rolled least and begins."),
    "turn": _of("{seat} begins a turn."),
    "dice_aside": _of("{seat} can do nothing with the dice that are left and sets them aside."),
    "stands": _of("{seat} stands and sets the dice that are left aside."),
    "concedes": _of("{seat} concedes."),
    "moves": _moves,
    "gives_up_command": _of("{seat} gives up this round's command by coasting."),
    "command": _command,
    "enters": _enters,
    "bonus": lambda s: f"{crew(s['seat'])} takes the Road Bonus, {count(s['counts'], 'count')} more.",
    "slams": _slams,
    "again": _of("{seat} has both dice rolled once more."),
    "slam_moves": _of("the dice knock {piece} {direction}."),
    "stuck": _of("{piece} is stuck in toxic goo on {space}."),
    "reveals": lambda s: f"{s['piece']} turns up {HAZARDS[s['token']]} on {s['space']}.",
    "damaged": lambda s: f"{s['piece']} takes damage: {DAMAGE[s['token']]}.",
    "minor_damage": _minor,
    "ongoing": _of("{piece} has «{card}» until that damage is repaired."),
    "shrapnel": _shrapnel,
    "on_fire": _of("{piece} is on fire."),
    "fire_out": _of("the fire of {piece} goes out."),
    "flies": lambda s: f"{s['piece']} rides a ramp and flies {count(s['spaces'], 'space')}.",
    "quake": _of("the ground shakes: all cars and motorcycles are shifted {direction}."),
    "worm": lambda s: f"The sand worm comes for {listed(s['pieces'])}.",
    "shoots": _shoots,
    "hit": _of("{target} is hit."),
    "missed": _of("{target} is missed."),
    "inoperable": _of("{piece} is inoperable and turns its back."),
    "eliminated": _eliminated,
    "wreck_removed": lambda s: f"The {s['piece']} is removed.",
    "repaired": _of("{piece} is repaired."),
    "respawns": _of("{piece} is back and waits to enter."),
    "chopper_returns": _of("the chopper of {seat} goes back to its owner."),
    "out": _of("{seat} has no operable vehicle left and is out of the race."),
    "tile_removed": _of("the rear of the road falls away, up to row {rows}."),
    "tile_laid": _of("the road goes on with {name} ({tile}), up to row {rows}."),
    "finish_set": _of("the finish lies behind row {row}."),
    "crosses": _of("{piece} crosses the finish."),
    "wins": _wins,
}
"""Every kind of event and its sentence."""
