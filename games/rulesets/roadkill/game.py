"""RoadKill as the engine sees it. This file wires the others together and contains no rule."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from games.engine.chance import Chance
from games.engine.contract import JSON, Decision, Follow, Outcome, Transition, Viewer
from games.engine.errors import Malformed, Refusal
from games.engine.extras import Extras
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import beforehand, board, components, flow, guide, log, offers, orders, questions, view
from games.rulesets.roadkill.campaign import Circuit
from games.rulesets.roadkill.rules.bt_track import printed_map
from games.rulesets.roadkill.rules.r03_setup import set_up
from games.rulesets.roadkill.rules.r10_upgrades import NONE, carried, upgrades_option
from games.rulesets.roadkill.rules.r11_campaign import final_order, victory_points
from games.rulesets.roadkill.sheet import BEGINNER, OPEN, TRACKS
from games.rulesets.roadkill.state import Asked, State, Table

ASIDES = (a.Wish, a.Withdraw)
FEWEST_SECTIONS, MOST_SECTIONS = 3, 8


def _on_the_map(box: components.ComponentSet, given: Mapping[str, JSON]) -> dict[str, JSON]:
    """The number of Sections that the printed map has; raises Malformed if another is wanted, or there is no map."""
    track = printed_map(box)
    if track is None:
        raise Malformed(f"The component set «{box.name}» has no Beginner's Track.", rule="BT3")
    count = len(track.sections)
    if given.get("sections", count) != count:
        raise Malformed(
            f"The Beginner's Track has {count} Sections, as its map is printed: leave «sections» out.", rule="BT1"
        )
    return {"sections": count}


class RoadKill(Extras):
    """The ruleset; see games.engine.contract.Ruleset for what each method promises."""

    key = "roadkill"
    title = "RoadKill"
    version = 1
    seats: tuple[int, int] = (2, 10)
    endings: tuple[str, ...] = ("exit_draw", "automatic_exit", "last_driver", "nobody_left")
    answers_conceal = True
    action_type: Any = a.AnyAction
    state_type: type[Any] = State
    standing = beforehand.Standing()
    planning = beforehand.Planning()
    campaign = Circuit()

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """``sections`` (3 to 8, default 8), ``components`` (a set's name, default "classic"), ``upgrades``, ``track``.

        ``upgrades``: "draft" (10.1), "reverse_draft" (10.2), or what each car brings along, {"1": ["A", "D"]}; "none"
        is the default. ``track``: "beginner" for the Beginner's Track, whose printed map has its own number of
        Sections; "open" is the default. These defaults are left out, so that the options of a race without either are
        what they always were.
        """
        unknown = set(given) - {"sections", "components", "upgrades", "track"}
        if unknown:
            raise Malformed(
                f"RoadKill knows no option «{min(unknown)}»; it has «sections», «components», «upgrades» and «track».",
                rule="3",
            )
        track = given.get("track", OPEN)
        if track not in TRACKS:
            raise Malformed("«track» is «open», or «beginner» for the Beginner's Track.", rule="BT1")
        sections = given.get("sections", MOST_SECTIONS)
        if (
            not isinstance(sections, int)
            or isinstance(sections, bool)
            or not FEWEST_SECTIONS <= sections <= MOST_SECTIONS
        ):
            raise Malformed(f"A race has {FEWEST_SECTIONS} to {MOST_SECTIONS} Sections.", rule="R6.2")
        name = given.get("components", "classic")
        if name not in components.names():
            raise Malformed(f"There is no component set «{name}» here.", rule="2")
        upgrades = upgrades_option(components.named(name), given.get("upgrades", NONE))
        if track == BEGINNER:
            if upgrades != NONE:
                raise Malformed("There are no upgrades on the Beginner's Track: leave «upgrades» out.", rule="RBT3")
            return {**_on_the_map(components.named(name), given), "components": name, "track": BEGINNER}
        made: dict[str, JSON] = {"sections": sections, "components": name}
        return made if upgrades == NONE else {**made, "upgrades": upgrades}

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[State]:
        """Deal, and run on to the first question."""
        if not self.seats[0] <= seats <= self.seats[1]:
            raise Malformed(f"RoadKill is for {self.seats[0]} to {self.seats[1]} drivers.", rule="R3")
        upgrades, track = options.get("upgrades", NONE), options.get("track", OPEN)
        return self._run(set_up(options["components"], seats, options["sections"], chance, upgrades, track=track))

    def waiting(self, state: State) -> Sequence[int]:
        """Seats that owe an answer."""
        if state.winner or not state.stack:
            return ()
        top = state.stack[-1]
        return flow.missing(top) if type(top) is Asked else ()

    def pending(self, state: State) -> tuple[Decision, ...]:
        """The open decisions with all they offer."""
        waiting = self.waiting(state)
        if not waiting:
            return ()
        asked = state.stack[-1]
        assert isinstance(asked, Asked)
        return tuple([offers.decision(state, asked, seat) for seat in waiting])

    def verify(self, state: State, seat: int, action: Any) -> Refusal | None:
        """Why this answer is not allowed, or None."""
        return flow.refusal(state, seat, action)

    def is_aside(self, action: Any) -> bool:
        """Wishes and withdrawals need no question."""
        return isinstance(action, ASIDES)

    def answer(self, state: State, seat: int, action: Any, chance: Chance) -> Transition[State]:
        """Take the answer and run on to the next question."""
        table = Table(state, chance)
        if not isinstance(action, ASIDES):
            table.stack[-1] = flow.give(table.stack[-1], (seat, action))
        elif isinstance(action, a.Wish):
            table.change(seat, wishes=action.fate)
        elif not table.car(seat).leaving:
            table.change(seat, leaving=True)
            table.tell("gives_up", "R-withdraw", seat=seat)
        return self._run(table)

    def advance(self, state: State, chance: Chance) -> Transition[State]:
        """Run on to the next question."""
        return self._run(Table(state, chance))

    def _run(self, table: Table) -> Transition[State]:
        flow.run(table)
        return Transition(table.state(), tuple(table.events))

    def outcome(self, state: State) -> Outcome | None:
        """6.2: the winner, then everybody in race order."""
        if not state.winner:
            return None
        return Outcome(places=tuple((seat,) for seat in final_order(state)), reason=state.ending)

    def view(self, state: State, viewer: Viewer) -> JSON:
        """What this viewer may know."""
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

    # Extras: what the engine can do without, and pages and mails are better for.

    def component_hash(self, options: Mapping[str, JSON]) -> str:
        """The content hash of the component set that these options name."""
        return components.named(options["components"]).hash

    def counts(self, kind: str, public: Mapping[str, JSON]) -> tuple[Literal["turn", "wreck"], int] | None:
        """Turns as they begin (chapter 5), and wrecks (7.5)."""
        return (kind, int(public["seat"])) if kind in {"turn", "wreck"} else None  # type: ignore[return-value]

    def may_be_asked(self, view: JSON) -> tuple[int, ...]:
        """Whoever holds a card: how many cards a hand has is public."""
        return tuple(car["seat"] for car in view["cars"] if car["hand_count"])

    def follows(self, view: JSON, decision: Decision) -> tuple[Follow, ...]:
        """What may be answered beforehand."""
        return questions.follows(view, decision)

    def keeps_secrets(self, before: State, after: State) -> bool:
        """Whether hands and piles are what they were, and nobody has moved.

        A move may be answered by a card that is held, so that going and taking it back would be a way to ask.
        """
        hidden = [(state.pile, state.discards, [car.hand for car in state.cars]) for state in (before, after)]
        places = [(state.course, [(car.section, car.side) for car in state.cars]) for state in (before, after)]
        return hidden[0] == hidden[1] and places[0] == places[1]

    def carried(self, state: State) -> JSON:
        """The letters of the upgrades that each car has."""
        return carried(state)

    def scores(self, state: State) -> JSON:
        """Victory Points by car (11.1)."""
        return {str(seat): points for seat, points in sorted(victory_points(state).items())}

    def what_now(self, view: JSON, decision: Decision) -> str:
        """A word to a new driver on the Beginner's Track."""
        return guide.what_now(view, decision)

    def rule_of(self, decision: Decision, action: Any) -> str:
        """The rule of an act, "" for the question's own."""
        return questions.rule_of(decision, action)

    def value_words(self, view: JSON, field: str, value: JSON) -> str:
        """A form's value as a person reads it."""
        return questions.value_words(field, value)

    def reason_words(self, reason: str) -> str:
        """How a race ended, in a sentence."""
        return questions.REASONS[reason]

    def board_words(self, view: JSON) -> JSON:
        """Course, cars, hand and panel in words."""
        return board.board_words(view)


RULESET = RoadKill()
