"""Thunder Road: Vendetta as the engine sees it. This file wires the others together and contains no rule."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from games.engine.chance import Chance
from games.engine.contract import JSON, Decision, Form, Outcome, Transition, Viewer
from games.engine.errors import Malformed, Refusal
from games.engine.extras import Extras
from games.rulesets.thunder_road import actions as a
from games.rulesets.thunder_road import board, components, flow, log, orders, preview, questions, view
from games.rulesets.thunder_road.rules.t00_setup import set_up
from games.rulesets.thunder_road.rules.t71_out import ENDINGS
from games.rulesets.thunder_road.state import State, Table, letter_of

CREWS = ("cars", "rig", "bikes")
OPTIONS = ("components", "crews", "carnage", "sides", "track", "last_stretch", "hard_stop")
FEWEST_ROUNDS, MOST_ROUNDS = 6, 20
MOST_CARS = 4


class ThunderRoad(Extras):
    """The ruleset; see games.engine.contract.Ruleset for what each method promises."""

    key = "thunder_road"
    title = "Thunder Road: Vendetta"
    version = 1
    seats: tuple[int, int] = (2, 6)
    endings: tuple[str, ...] = ENDINGS
    answers_conceal = False
    action_type: Any = a.AnyAction
    state_type: type[Any] = State

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """What a host may set, all of it with a default.

        ``crews``: a list of "cars", "rig" or "bikes" for the first seats, the others drive cars; at most one seat has a
        Big Rig and one motorcycles. ``carnage``: more dice, tokens and tiles. ``sides``: "A", "B" or "mixed".
        ``track``: tile sides in the order in which they are laid. ``last_stretch``, ``hard_stop``: rounds, 6 to 20.
        """
        unknown = set(given) - set(OPTIONS)
        if unknown:
            raise Malformed(f"Thunder Road knows no option \u00ab{min(unknown)}\u00bb; it has {', '.join(OPTIONS)}.")
        name = given.get("components", "classic")
        if name not in components.names():
            raise Malformed(f"There is no component set \u00ab{name}\u00bb here.")
        made: dict[str, JSON] = {
            "components": name,
            "crews": _crews(given.get("crews", [])),
            "carnage": _yes_or_no("carnage", given.get("carnage", False)),
            "sides": _one_of("sides", given.get("sides", "mixed"), ("A", "B", "mixed")),
            "track": _track(components.named(name), given.get("track", [])),
            "last_stretch": _rounds("last_stretch", given.get("last_stretch", 12)),
            "hard_stop": _rounds("hard_stop", given.get("hard_stop", 20)),
        }
        return made

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[State]:
        """Lay three tiles, roll, and run on to the first question."""
        crews = [*options["crews"], *("cars",) * seats][: max(seats, len(options["crews"]))]
        if len(crews) != seats:
            raise Malformed(f"Crews are named for {len(options['crews'])} seats, and {seats} drive.")
        if crews.count("cars") > MOST_CARS:
            raise Malformed("Four seats at most drive cars: a fifth and sixth need the Big Rig or the motorcycles.")
        rules = {name: options[name] for name in ("carnage", "sides", "track", "last_stretch", "hard_stop")}
        table = set_up(options["components"], crews, chance, **rules)
        return self._run(table)

    sizes: tuple[Mapping[str, JSON], ...] = ({}, {"crews": ["rig"]}, {"crews": ["rig", "bikes"]})

    def drivers(self, options: Mapping[str, JSON]) -> Sequence[int]:
        """Four crews of cars at most, and one more each for the Big Rig and the motorcycles."""
        special = sum(crew != "cars" for crew in options["crews"])
        fewest, most = self.seats
        return range(max(fewest, len(options["crews"])), min(most, MOST_CARS + special) + 1)

    def waiting(self, state: State) -> Sequence[int]:
        """The one seat that owes an answer."""
        return () if state.asked is None else (state.asked.seat,)

    def pending(self, state: State) -> tuple[Decision, ...]:
        """The open decision with all that it offers."""
        return () if state.asked is None else (flow.decision(state, state.asked),)

    def verify(self, state: State, seat: int, action: Any) -> Refusal | None:
        """Why this answer is not allowed, or None."""
        return flow.refusal(state, action)

    def is_aside(self, action: Any) -> bool:
        """No act goes without a question."""
        return False

    def answer(self, state: State, seat: int, action: Any, chance: Chance) -> Transition[State]:
        """Take the answer and run on to the next question."""
        table = Table(state, chance)
        table.asked = None
        return self._run(table, action)

    def advance(self, state: State, chance: Chance) -> Transition[State]:
        """Run on to the next question."""
        return self._run(Table(state, chance))

    def _run(self, table: Table, heard: Any = None) -> Transition[State]:
        flow.run(table, heard)
        return Transition(table.state(), tuple(table.events))

    def outcome(self, state: State) -> Outcome | None:
        """The winner, or all who share the win, then the others by how far they came or how long they lasted."""
        if not state.winners:
            return None
        return Outcome(places=state.places, reason=state.ending)

    def view(self, state: State, viewer: Viewer) -> JSON:
        """What everybody sees."""
        return view.view(state, viewer)

    def say(self, view: JSON, action: Any) -> str:
        """The words of an answer."""
        return orders.say(view, action)

    def read(self, view: JSON, text: str) -> Any:
        """The action that words mean."""
        return orders.read(view, text)

    def tell(self, seen: Mapping[str, JSON]) -> str:
        """The sentence of an event."""
        return log.tell(seen)

    def ask(self, view: JSON, decision: Decision) -> str:
        """The question in one sentence."""
        return questions.ask(view, decision)

    def seat_sign(self, car: int) -> str:
        """The seat's letter."""
        return letter_of(car)

    def seat_words(self, car: int) -> str:
        """The crew by its seat's letter."""
        return f"crew {letter_of(car)}"

    def what_now(self, view: JSON, decision: Decision) -> str:
        """A word to a driver who is new to the game."""
        return questions.what_now(view, decision)

    def rule_of(self, decision: Decision, action: Any) -> str:
        """The row of an answer, "" for the question's own."""
        return questions.rule_of(decision, action)

    def value_words(self, view: JSON, field: str, value: JSON) -> str:
        """Commands by their names with the dice that they need, vehicles with where they are; nothing is "none"."""
        return questions.value_words(view, field, value)

    def reason_words(self, reason: str) -> str:
        """How a race ended, in a sentence."""
        return questions.REASONS[reason]

    def board_words(self, view: JSON) -> JSON:
        """Road, vehicles and crews in words."""
        return board.board_words(view)

    def may_be_asked(self, view: JSON) -> tuple[int, ...]:
        """Whoever is in the race: slams, advances of the road and shrapnel may ask anybody."""
        return tuple(seat["seat"] for seat in view["seats"] if not seat["is_out"])

    def keeps_secrets(self, before: State, after: State) -> bool:
        """Nothing is hidden in this game; what is turned up face down is drawn, and draws are looked for elsewhere."""
        return True

    def counts(self, kind: str, public: Mapping[str, JSON]) -> tuple[Literal["turn", "wreck"], int] | None:
        """Turns as they begin (T43), and vehicles that are eliminated."""
        if kind == "turn":
            return "turn", int(public["seat"])
        return ("wreck", int(public["seat"])) if kind == "eliminated" and public["seat"] else None

    def path(self, view: JSON, action: Mapping[str, JSON], field: str) -> JSON:
        """What the steps of a path lead to, for all that can be seen."""
        return preview.path_of(view, action, field)

    def turn_forms(self, view: JSON) -> tuple[Form, ...]:
        """A move of a vehicle that has had none in this round, with the dice that are left."""
        return preview.move_forms(view)

    def suggestions(self, view: JSON, action: Mapping[str, JSON], field: str) -> Sequence[JSON]:
        """What the command that is named may be used on."""
        return questions.suggestions(view, action) if field == "on" else ()

    def risks(self, view: JSON, action: Mapping[str, JSON]) -> tuple[str, ...]:
        """Steps that eliminate the vehicle, and those whose outcome is drawn (T14)."""
        return preview.risks_of(view, action)

    def component_hash(self, options: Mapping[str, JSON]) -> str:
        """The content hash of the component set that these options name."""
        return components.named(options["components"]).hash


def _yes_or_no(name: str, value: JSON) -> bool:
    if not isinstance(value, bool):
        raise Malformed(f"\u00ab{name}\u00bb is true or false.")
    return value


def _one_of(name: str, value: JSON, allowed: tuple[str, ...]) -> JSON:
    if value not in allowed:
        raise Malformed(f"\u00ab{name}\u00bb is one of {', '.join(allowed)}.")
    return value


def _rounds(name: str, value: JSON) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not FEWEST_ROUNDS <= value <= MOST_ROUNDS:
        raise Malformed(f"\u00ab{name}\u00bb is a round from {FEWEST_ROUNDS} to {MOST_ROUNDS}.")
    return value


def _crews(value: JSON) -> list[JSON]:
    if not isinstance(value, list) or any(crew not in CREWS for crew in value):
        raise Malformed(f"\u00abcrews\u00bb lists a crew for each seat: {', '.join(CREWS)}.")
    for crew in ("rig", "bikes"):
        if value.count(crew) > 1:
            raise Malformed(f"At most one seat has the crew \u00ab{crew}\u00bb.")
    return value


def _track(box: components.ComponentSet, value: JSON) -> list[JSON]:
    if not isinstance(value, list) or any(key not in box.tiles for key in value):
        raise Malformed("\u00abtrack\u00bb lists tile sides in the order in which they are laid, like 1A, 3B, 2A.")
    return value


RULESET = ThunderRoad()
