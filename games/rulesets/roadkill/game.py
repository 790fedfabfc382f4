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
from games.rulesets.roadkill.rules.r11_campaign import places, victory_points
from games.rulesets.roadkill.rules.r12_teams import FEWEST, MOST, gives_up, hands, note_wish
from games.rulesets.roadkill.sheet import BEGINNER, OPEN, TRACKS
from games.rulesets.roadkill.state import Asked, Keeping, State, Table, car_of, role_of, seat_of, who_is

ASIDES = (a.Wish, a.Withdraw)
FEWEST_SECTIONS, MOST_SECTIONS = 3, 8
FEWEST_CARS, MOST_CARS = 2, 10
PARTS = {"driver": "Driver", "assistant": "Assistant Driver"}


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
    seats: tuple[int, int] = (FEWEST_CARS, MOST)
    endings: tuple[str, ...] = ("exit_draw", "automatic_exit", "last_driver", "nobody_left")
    answers_conceal = True
    action_type: Any = a.AnyAction
    state_type: type[Any] = State
    standing = beforehand.Standing()
    planning = beforehand.Planning()
    campaign = Circuit()
    sizes: tuple[Mapping[str, JSON], ...] = ({}, {"teams": True})

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """``sections`` (3 to 8, default 8), ``components`` (a set's name), ``upgrades``, ``track``, ``teams``.

        ``upgrades``: "draft" (10.1), "reverse_draft" (10.2), or what each car brings along, {"1": ["A", "D"]}; "none"
        is the default. ``track``: "beginner" for the Beginner's Track, whose printed map has its own number of
        Sections; "open" is the default. ``teams``: true for two drivers a car (chapter 12); false is the default. These
        defaults are left out, so that the options of a race without any are what they always were.
        """
        unknown = set(given) - {"sections", "components", "upgrades", "track", "teams"}
        if unknown:
            raise Malformed(
                f"RoadKill knows no option «{min(unknown)}»; it has «sections», «components», «upgrades», «track» and "
                "«teams».",
                rule="3",
            )
        teams = given.get("teams", False)
        if not isinstance(teams, bool):
            raise Malformed("«teams» is true, for two drivers a car, or false.", rule="12.1")
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
            if teams:
                raise Malformed("There are no teams on the Beginner's Track: leave «teams» out.", rule="BT1")
            if upgrades != NONE:
                raise Malformed("There are no upgrades on the Beginner's Track: leave «upgrades» out.", rule="RBT3")
            return {**_on_the_map(components.named(name), given), "components": name, "track": BEGINNER}
        made: dict[str, JSON] = {"sections": sections, "components": name}
        if teams:
            made["teams"] = True
        return made if upgrades == NONE else {**made, "upgrades": upgrades}

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[State]:
        """Deal, and run on to the first question."""
        teams = bool(options.get("teams"))
        if not teams and seats not in self.drivers(options):
            raise Malformed(f"RoadKill is for {FEWEST_CARS} to {MOST_CARS} drivers.", rule="R3")
        upgrades, track = options.get("upgrades", NONE), options.get("track", OPEN)
        return self._run(
            set_up(options["components"], seats, options["sections"], chance, upgrades, track=track, teams=teams)
        )

    def drivers(self, options: Mapping[str, JSON]) -> Sequence[int]:
        """Two to ten, or in teams twice as many (R3, R12)."""
        return range(FEWEST, MOST + 1, 2) if options.get("teams") else range(FEWEST_CARS, MOST_CARS + 1)

    def car_of(self, options: Mapping[str, JSON], drivers: int, seat: int) -> int:
        """The seat itself, or in teams the car that its two partners drive (12.2)."""
        return (seat - 1) % (drivers // 2) + 1 if options.get("teams") else seat

    def parts(self, state: State) -> dict[int, str]:
        """In teams: who is the Driver and who the Assistant Driver of its car (12.1)."""
        if not state.teams:
            return {}
        return {seat: PARTS[role_of(state, seat)] for seat in range(1, 2 * len(state.cars) + 1)}

    def waiting(self, state: State) -> Sequence[int]:
        """Seats that owe an answer."""
        if state.winner or not state.stack:
            return ()
        top = state.stack[-1]
        if type(top) is not Asked:
            return ()
        missing = flow.missing(top)
        return tuple([seat_of(state, who) for who in missing]) if state.teams else missing

    def pending(self, state: State) -> tuple[Decision, ...]:
        """The open decisions with all they offer."""
        asked = state.stack[-1] if state.stack and not state.winner else None
        if type(asked) is not Asked:
            return ()
        return tuple([offers.decision(state, asked, who) for who in flow.missing(asked)])

    def verify(self, state: State, seat: int, action: Any) -> Refusal | None:
        """Why this answer is not allowed, or None."""
        return flow.refusal(state, who_is(state, seat), action)

    def is_aside(self, action: Any) -> bool:
        """Wishes and withdrawals need no question."""
        return isinstance(action, ASIDES)

    def answer(self, state: State, seat: int, action: Any, chance: Chance) -> Transition[State]:
        """Take the answer and run on to the next question."""
        table = Table(state, chance)
        who = who_is(state, seat)
        if not isinstance(action, ASIDES):
            table.stack[-1] = flow.give(table.stack[-1], (who, action))
        elif isinstance(action, a.Wish):
            note_wish(table, who, wishes=action.fate)
        elif gives_up(table, who):
            table.tell("gives_up", "R-withdraw", seat=who)
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
        teams = tuple(sorted(places(state))) if state.teams else ()
        return Outcome(places=places(state), reason=state.ending, teams=teams)

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
        if kind not in {"turn", "wreck"}:
            return None
        return kind, int(public.get("player", public["seat"]))  # type: ignore[return-value]

    def may_be_asked(self, view: JSON) -> tuple[int, ...]:
        """Whoever holds a card: how many cards a hand has is public."""
        holders = view["teams"]["players"] if view["teams"] else view["cars"]
        return tuple(holder["seat"] for holder in holders if holder["hand_count"])

    def follows(self, view: JSON, decision: Decision) -> tuple[Follow, ...]:
        """What may be answered beforehand."""
        return questions.follows(view, decision)

    def keeps_secrets(self, before: State, after: State) -> bool:
        """Whether hands and piles are what they were, and nobody has moved.

        A move may be answered by a card that is held, so that going and taking it back would be a way to ask; and who
        changes drivers sees the partner's hand (12.5).
        """
        if any(type(frame) is Keeping for frame in after.stack):
            return False
        hidden = [(state.pile, state.discards, *hands(state)) for state in (before, after)]
        places = [(state.course, [(car.section, car.side) for car in state.cars]) for state in (before, after)]
        return hidden[0] == hidden[1] and places[0] == places[1]

    def carried(self, state: State) -> JSON:
        """The letters of the upgrades that each car has."""
        return carried(state)

    def scores(self, state: State) -> JSON:
        """Victory Points by car (11.1)."""
        points = victory_points(state)
        return {str(seat): points[car_of(state, seat)] for group in sorted(places(state)) for seat in group}

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
