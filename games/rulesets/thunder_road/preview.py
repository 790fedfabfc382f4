"""What a path would do for all that can be seen: step by step, from the view alone, and what of it is to be feared.

Nothing is drawn and nothing is known that the view does not show: the rules look at a race that is set up from it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from games.engine.contract import JSON, Form
from games.rulesets.thunder_road import components
from games.rulesets.thunder_road.course import choppers_at, edge, is_face_down, is_fatal, standing, terrain
from games.rulesets.thunder_road.flow import move_form
from games.rulesets.thunder_road.hexes import Space, read, step, written
from games.rulesets.thunder_road.rules.t01_turns import counted, subjects, unmoved
from games.rulesets.thunder_road.rules.t14_driving import is_barred, next_space
from games.rulesets.thunder_road.rules.t22_edges import DIRECTION
from games.rulesets.thunder_road.rules.t26_rig_and_bikes import RIG_SUFFERS
from games.rulesets.thunder_road.state import (
    FACE_DOWN,
    NOWHERE,
    SECTIONS,
    SMALL,
    Driver,
    Hurt,
    Laid,
    Piece,
    State,
    Token,
    Turn,
    driver_of,
    letter_of,
    name_of,
)

LETTERS = "LFR"
LANES = "123456"
ENDS_THE_MOVE = ("goo", "ramp", "oil")
"""Terrain behind which nothing of a path is sure."""
FEARED = {
    "oil": "oil: a skid in a direction that is rolled",
    "goo": "goo: the move ends there",
    "fire": "fire: it catches fire",
    "ramp": "a ramp: a flight whose length is rolled, and the move ends",
}
TOLD = {
    "off_road": "off-road",
    "mud": "mud, two counts unless it is the last",
    "rock": "impassable",
    "pit": "a pit",
    "ramp": "a ramp",
}


def position_of(view: JSON) -> State:
    """A race that looks as this view does; what no view shows is empty."""
    box = components.named(view["components"])
    damage = {kind.key: n for n, kind in enumerate(box.damage)}
    cards = {kind.key: n for n, kind in enumerate(box.ongoing)}

    def spaces(words: Sequence[str | None]) -> list[Space]:
        return [NOWHERE if one is None else read(one) or NOWHERE for one in words]

    def piece(told: Mapping[str, Any]) -> Piece:
        at, middle, rear = (*spaces(told["sections"] or [told["at"]]), NOWHERE, NOWHERE)[:3]
        return Piece(
            told["seat"],
            told["key"],
            told["kind"],
            told["size"],
            at=at,
            middle=middle,
            rear=rear,
            damage=tuple(
                Hurt(damage[one["token"]], -1 if one["card"] is None else cards[one["card"]]) for one in told["damage"]
            ),
            minors=told["minors"],
            covered=tuple(told["covered"]),
            fire=told["fire"],
            moved=tuple(told["moved"]),
            coasts=told["coasts"],
        )

    def lost(name: str) -> Piece:
        letter, _, key = name.partition(".")
        kind = "bike" if key[0] == "B" else "rig" if key == "rig" else "car"
        return Piece(ord(letter) - ord("A") + 1, key, kind, SMALL, gone=True)

    return State(
        components=view["components"],
        carnage=view["carnage"],
        sides="mixed",
        last_stretch=view["last_stretch"],
        hard_stop=view["hard_stop"],
        drivers=tuple(
            Driver(
                one["seat"],
                one["crew"],
                dice=tuple(one["dice"]),
                steering=one["steering"],
                commanded=one["commanded"],
                chopper=spaces([one["chopper"]])[0],
                out=one["is_out"],
            )
            for one in view["seats"]
        ),
        pieces=(*(piece(one) for one in view["pieces"]), *(lost(one) for one in view["lost"])),
        tiles=tuple(Laid(tile["number"], tile["key"]) for tile in view["tiles"]),
        laid=0,
        pool=(),
        listed=(),
        tokens=tuple(
            Token(
                read(one["space"]) or NOWHERE,
                FACE_DOWN if one["kind"] == "face_down" else one["kind"],
            )
            for one in view["tokens"]
        ),
        # How many are left is all that is known of them.
        bag=(view["hazards_left"] + sum(one["kind"] == "face_down" for one in view["tokens"]),),
        hazards_out=(),
        damage_bag=(),
        ongoing_bag=(),
        turn=Turn(view["turn"], view["active"]),
        stack=(),
        round=view["round"],
        road=view["road"],
        finish=view["finish"] or 0,
    )


def piece_named(position: State, name: str) -> int:
    """The number of a piece by its name, "B.M", or of a Big Rig by a section's, "B.front"; -1 for none."""
    letter, _, key = name.partition(".")
    for n, piece in enumerate(position.pieces):
        if (
            piece.seat
            and not piece.gone
            and letter_of(piece.seat) == letter
            and (piece.key == key or _is_section(piece, key))
        ):
            return n
    return -1


def _is_section(piece: Piece, key: str) -> bool:
    return piece.kind == "rig" and key in SECTIONS


def count_of(position: State, n: int, die: int, command: str = "", command_die: int = 0) -> int:
    """How many counts a die is worth to a piece before anything is rolled; 0 without a die."""
    if die <= 0:
        return 0
    return counted(position, n, die) + (command_die if command == "nitro" else 0)


def preview(
    view: JSON, piece: str, die: int, command: str, path: str, *, command_die: int = 0, count: int = -1
) -> list[dict[str, JSON]]:
    """What each step of a path does: [{"step", "space", "words", "fatal", "gamble", "ends"}], in order.

    ``piece``: by its name, "B.M". ``die``, ``command``, ``command_die``: what it drives with; ``count``: counts that
    are left instead of a die. "space": "3-14", or "" off the table. "gamble": what is feared, "" for nothing; "fatal":
    the vehicle is lost. After a step that "ends" nothing more is sure; steps behind it are not told.
    """
    position = position_of(view)
    n = piece_named(position, piece)
    if n < 0:
        return []
    left = count if count >= 0 else count_of(position, n, die, command, command_die)
    taken, _ = _walked(position, n, left, path, drift=command == "drift" or view["drift"])
    return taken


def _walked(position: State, n: int, left: int, path: str, *, drift: bool) -> tuple[list[dict[str, JSON]], "_Walk"]:
    walk = _Walk(position, n, left, drift=drift)
    taken = []
    for letter in path:
        if walk.is_over or not walk.may(letter):
            break
        taken.append(walk.take(letter))
    return taken, walk


def composed(view: JSON, piece: str, count: int, path: str, *, drift: bool = False) -> JSON:
    """A path as it is put together.

    {"piece", "from": space or "", "count", "left": counts that are left behind it, "taken": steps as preview() gives
    them, "next": steps that may follow}.
    """
    position = position_of(view)
    n = piece_named(position, piece)
    if n < 0:
        return None
    taken, walk = _walked(position, n, count, path, drift=drift or view["drift"])
    letters = "" if walk.is_over else LANES if walk.piece.at == NOWHERE else LETTERS
    following = [walk.copy().take(letter) for letter in letters if walk.may(letter)]
    at = position.pieces[n].at
    return {
        "piece": name_of(position, n),
        "from": "" if at == NOWHERE else written(at),
        "count": count,
        "left": max(0, walk.left),
        "taken": taken,
        "next": following,
    }


class _Walk:
    """A piece on its way over what can be seen."""

    def __init__(self, position: State, n: int, left: int, *, drift: bool) -> None:
        self.position = position
        self.n = n
        self.left = left
        self.drift = drift
        self.is_over = left <= 0

    @property
    def piece(self) -> Piece:
        """The piece as it would stand there."""
        return self.position.pieces[self.n]

    def copy(self) -> "_Walk":
        """The same walk, to try a step."""
        made = _Walk(self.position, self.n, self.left, drift=self.drift)
        made.is_over = self.is_over
        return made

    def may(self, letter: str) -> bool:
        """Whether the rules let this step be taken from where the walk is."""
        return (letter in LETTERS or letter in LANES) and is_barred(self.position, self.n, letter) is None

    def take(self, letter: str) -> dict[str, JSON]:
        """Take the step; what it does."""
        position, piece, last = self.position, self.piece, self.left == 1
        direction = DIRECTION.get(letter, "F")
        space = next_space(position, piece, letter)
        told = _Step(letter, space)
        where = edge(position, space)
        others = [] if where else standing(position, space, but=self.n)
        passes = bool(others) and not last and (piece.kind == "bike" or self.drift)
        if where:
            self._off(told, where)
        elif piece.kind != "rig" and is_fatal(position, space, direction):
            told.lost("a ramp from the side" if terrain(position, space) == "ramp" else "impassable")
        elif others and not passes:
            told.fear(f"{name_of(position, others[0])} stands there: a slam", ends=True)
        elif last and piece.kind != "rig" and choppers_at(position, space):
            told.lost("a chopper, and the move ends under it")
        else:
            if others:
                told.say(f"past {name_of(position, others[0])}")
            self._arrive(told, space, direction)
        self.drift = self.drift and not passes
        self.left -= told.cost
        self.is_over = told.ends or self.left <= 0
        self._stand(told.beyond or space, letter)
        return told.json()

    def _stand(self, space: Space, letter: str) -> None:
        pieces = [*self.position.pieces]
        pieces[self.n] = replace(self.piece, at=space)
        drivers = self.position.drivers
        if self.piece.kind == "rig" and letter in "LR":
            drivers = tuple(
                replace(one, steering=one.steering - 1) if one.seat == self.piece.seat else one for one in drivers
            )
        self.position = replace(self.position, pieces=tuple(pieces), drivers=drivers)

    def _off(self, told: "_Step", where: str) -> None:
        told.space = None
        if where != "front":
            told.lost(f"off the {where} of the road")
        elif self.position.finish:
            told.say("over the finish: the race is won", ends=True)
        else:
            told.say("onto the next piece of road, which is not laid yet", ends=True)

    def _arrive(self, told: "_Step", space: Space, direction: str) -> None:
        there = terrain(self.position, space)
        if is_face_down(self.position, space):
            told.fear("a token face down: nobody knows what it is")
            return
        if self.piece.kind == "rig" and there in RIG_SUFFERS:
            told.fear(f"{TOLD.get(there, there)}: minor damage")
            return
        if there == "mud" and self.left > 1:
            told.cost = 2
        if there == "glass":
            self._slide(told, space, direction)
        elif there in FEARED:
            told.fear(FEARED[there], ends=there in ENDS_THE_MOVE)
        elif there != "road":
            told.say(TOLD.get(there, there))

    def _slide(self, told: "_Step", space: Space, direction: str) -> None:
        """T47: glass carries on in the direction of entry; what is there meets the vehicle as ever."""
        beyond = step(space, direction)
        if edge(self.position, beyond) not in ("", "front") or (
            not edge(self.position, beyond) and is_fatal(self.position, beyond, direction)
        ):
            told.lost(f"glass, and on to {written(beyond)}")
            return
        told.fear(f"glass: on to {written(beyond)}")
        if edge(self.position, beyond) or standing(self.position, beyond, but=self.n):
            told.ends = True
            return
        told.beyond = beyond
        told.ends = is_face_down(self.position, beyond) or terrain(self.position, beyond) in FEARED


class _Step:
    """One step and what is told of it. ``beyond``: where the vehicle is behind it, if glass has carried it on."""

    def __init__(self, letter: str, space: Space) -> None:
        self.letter = letter
        self.space: Space | None = space
        self.beyond: Space | None = None
        self.words: list[str] = []
        self.fatal = False
        self.gamble = ""
        self.ends = False
        self.cost = 1

    def say(self, words: str, *, ends: bool = False) -> None:
        """Add words of no harm."""
        self.words.append(words)
        self.ends = self.ends or ends

    def fear(self, words: str, *, ends: bool = False) -> None:
        """Add what may go wrong."""
        self.gamble = words
        self.say(words, ends=ends)

    def lost(self, words: str) -> None:
        """Say that the vehicle is eliminated."""
        self.fatal = True
        self.say(f"{words}: the vehicle is lost", ends=True)

    def json(self) -> dict[str, JSON]:
        """The step as preview() gives it."""
        return {
            "step": self.letter,
            "space": "" if self.space is None else written(self.space),
            "words": ", ".join(self.words) or "road",
            "fatal": self.fatal,
            "gamble": self.gamble,
            "ends": self.ends,
        }


# --- What actions say -------------------------------------------------------------------


def path_of(view: JSON, action: Mapping[str, JSON], field: str) -> JSON:
    """The path of an answer as composed() tells it; None if the answer has none under this field."""
    found = _leg(view, action, field)
    if found is None:
        return None
    piece, count, drift = found
    return composed(view, piece, count, str(action.get(field, "")), drift=drift)


def _leg(view: JSON, action: Mapping[str, JSON], field: str) -> tuple[str, int, bool] | None:
    """Which piece drives how many counts by this field of an answer, and whether it drifts."""
    do = action.get("do")
    if do == "drive" and field == "path":
        about = (view["waiting"] or {}).get("about", {})
        counts = view["road"] if view["asking"] == "bonus" else view["left"]
        return (about["piece"], counts, False) if "piece" in about else None
    if do not in ("move", "coast") or view["viewer"] is None:
        return None
    which = "second" if field == "second_path" else "vehicle" if field == "path" else ""
    vehicle = str(action.get(which, "")) if which else ""
    if not vehicle:
        return None
    name = f"{letter_of(view['viewer'])}.{vehicle}"
    if do == "coast":
        return name, 1, False
    position = position_of(view)
    n = piece_named(position, name)
    if n < 0:
        return None
    if which == "second":
        return name, count_of(position, n, int(action.get("second_die", 0))), False
    command = str(action.get("command", ""))
    count = count_of(position, n, int(action.get("die", 0)), command, int(action.get("command_die", 0)))
    return name, count, command == "drift"


def move_forms(view: JSON) -> tuple[Form, ...]:
    """The form of a move with what the viewer still has in this round; () if nothing is left to be moved."""
    seat = view["viewer"]
    position = position_of(view)
    dice = tuple(dict.fromkeys(driver_of(position, seat).dice)) if seat is not None else ()
    free = [name for _, name in unmoved(position, seat)] if dice else []
    return (move_form(position, seat, free, dice),) if free else ()


def subjects_of(view: JSON, action: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    """What the command of an answer may be used on: spaces, damage tokens, motorcycles, commands."""
    command = str(action.get("command", ""))
    box = components.named(view["components"])
    if command not in box.commands or view["viewer"] is None:
        return []
    position = position_of(view)
    found = subjects(position, view["viewer"], command)
    return [{"value": one, "words": box.commands[one].name if one in box.commands else one} for one in found if one]


def risks_of(view: JSON, action: Mapping[str, JSON]) -> tuple[str, ...]:
    """What the paths of an answer lead into, a sentence each; () for nothing to be feared."""
    found = []
    for field in ("path", "second_path"):
        told: JSON = path_of(view, action, field) if action.get(field) else None
        if told is None:
            continue
        for number, one in enumerate(told["taken"], 1):
            if one["fatal"] or one["gamble"]:
                place = f" to {one['space']}" if one["space"] else ""
                found.append(f"{told['piece']}, step {number}, {one['step']}{place}: {one['words']}.")
    return tuple(found)
