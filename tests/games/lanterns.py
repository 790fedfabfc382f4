"""Lanterns: a game made up for the tests of taking back and going back, with one act for each thing that counts there.

In turn a driver lights lanterns, which all see and by which nobody learns anything; peeks at a card, which draws;
shows a card of the hand; calls, which opens a sealed window for whoever wishes to be asked; waits for another driver's
nod, who is asked outside any window; or ends the turn.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from games.engine.chance import Chance
from games.engine.contract import JSON, Action, Decision, Event, Outcome, Seat, Transition, Viewer
from games.engine.errors import Malformed, Refusal
from games.engine.extras import Extras
from games.engine.plans import Planning

LANTERNS = 4
ROUNDS = 4


class Light(Action, frozen=True, tag="light"):
    """Light this lantern."""

    lantern: int


class Peek(Action, frozen=True, tag="peek"):
    """Draw a card."""


class Show(Action, frozen=True, tag="show"):
    """Lay a card of the hand open; it goes back under the pile."""


class Call(Action, frozen=True, tag="call"):
    """Ask the others for an answer in a window."""


class Nod(Action, frozen=True, tag="nod"):
    """Ask the next driver to nod, outside any window; or nod."""


class End(Action, frozen=True, tag="end"):
    """End the turn."""


class Wish(Action, frozen=True, tag="wish"):
    """Aside: whether to be asked when somebody calls."""

    call: bool


class Withdraw(Action, frozen=True, tag="withdraw"):
    """Aside: give up."""


AnyAct: TypeAlias = Light | Peek | Show | Call | Nod | End | Wish | Withdraw


class Lit(msgspec.Struct, frozen=True):
    """``turn`` counts from 1; ``stage``: act, call (``asked`` owe an answer) or nod; ``calls``: how many there were."""

    hands: tuple[tuple[int, ...], ...]
    pile: tuple[int, ...]
    wishes: tuple[bool, ...]
    lit: tuple[int, ...] = ()
    turn: int = 1
    active: int = 1
    stage: str = "act"
    asked: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    calls: int = 0


class Outcomes(Planning):
    """A plan goes on whatever happened."""

    conditions = ()

    def on_turn(self, view: JSON) -> JSON:
        """The same."""
        return view

    def went_well(self, action: Any, *, seat: int, view: JSON, since: Sequence[Mapping[str, JSON]]) -> bool:
        """Always."""
        return True

    def came_true(self, condition: str, *, seat: int, view: JSON, since: Sequence[Mapping[str, JSON]]) -> bool:
        """There are no conditions."""
        return False


class Lanterns(Extras):
    """The rules."""

    key = "lanterns"
    title = "Lanterns"
    version = 1
    seats: tuple[int, int] = (2, 4)
    endings: tuple[str, ...] = ("dawn", "last_one")
    answers_conceal = True
    action_type: Any = AnyAct
    state_type: type[Any] = Lit
    planning = Outcomes()

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """None."""
        return {}

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Lit]:
        """Two cards each."""
        cards = chance.shuffled(seats * 2 + 12, "cards")
        hands = tuple(cards[2 * n : 2 * n + 2] for n in range(seats))
        return Transition(Lit(hands, cards[2 * seats :], (False,) * seats), ())

    def waiting(self, state: Lit) -> Sequence[Seat]:
        """Who owes an answer."""
        if self.outcome(state) is not None:
            return ()
        if state.stage == "act":
            return () if state.active in state.out else (state.active,)
        return state.asked

    def pending(self, state: Lit) -> tuple[Decision, ...]:
        """The questions."""
        return tuple(self._decision(state, seat) for seat in self.waiting(state))

    def _decision(self, state: Lit, seat: Seat) -> Decision:
        if state.stage == "act":
            lights = tuple(Light(n) for n in range(1, LANTERNS + 1) if n not in state.lit)
            hand = (Show(),) if state.hands[seat - 1] else ()
            return Decision("act", seat, "1", (*lights, Peek(), *hand, Call(), Nod(), End()), End())
        menu = (End(), Show()) if state.hands[seat - 1] else (End(),)
        if state.stage == "call":
            more: dict[str, Any] = {"kind": "reaction", "clock": "reaction", "sealed": True}
            return Decision("call", seat, "2", menu, End(), **more)
        return Decision("nod", seat, "3", (Nod(),), Nod(), kind="choice", clock="reaction")

    def verify(self, state: Lit, seat: Seat, action: Any) -> Refusal | None:
        """What is offered."""
        decision = self._decision(state, seat)
        return None if action in decision.menu else Refusal(decision.rule, "That is not among the answers.")

    def is_aside(self, action: Any) -> bool:
        """Wishes and withdrawals."""
        return isinstance(action, Wish | Withdraw)

    def keeps_secrets(self, before: Lit, after: Lit) -> bool:
        """Hands and pile are as they were, and nobody has called: whether anybody answers tells of their wishes."""
        return (before.hands, before.pile, before.calls) == (after.hands, after.pile, after.calls)

    def answer(self, state: Lit, seat: Seat, action: Any, chance: Chance) -> Transition[Lit]:
        """Apply it."""
        if isinstance(action, Wish):
            wishes = tuple(action.call if n == seat else had for n, had in enumerate(state.wishes, 1))
            return Transition(replace(state, wishes=wishes), (Event("wish", "4", {}, {seat: {"call": action.call}}),))
        if isinstance(action, Withdraw):
            asked = tuple(one for one in state.asked if one != seat)
            return self._left(replace(state, out=(*state.out, seat), asked=asked), (Event("out", "5", {"car": seat}),))
        if state.stage != "act":
            event = Event("answers", "2", {"car": seat, "shows": isinstance(action, Show)})
            return self._left(replace(state, asked=tuple(one for one in state.asked if one != seat)), (event,))
        return self._act(state, seat, action, chance)

    def _left(self, state: Lit, events: tuple[Event, ...]) -> Transition[Lit]:
        return Transition(state if state.asked else replace(state, stage="act"), events)

    def _act(self, state: Lit, seat: Seat, action: Any, chance: Chance) -> Transition[Lit]:
        others = tuple(n for n in range(1, len(state.hands) + 1) if n != seat and n not in state.out)
        match action:
            case Light(lantern=lantern):
                lit = replace(state, lit=(*state.lit, lantern))
                return Transition(lit, (Event("lights", "1", {"car": seat, "lantern": lantern}),))
            case Peek():
                card = chance.pick(len(state.pile), "card")
                drawn = Event("peeks", "1", {"car": seat}, {seat: {"card": state.pile[card]}})
                return Transition(self._with(state, seat, state.pile[card], card), (drawn,))
            case Show():
                first, *rest = state.hands[seat - 1]
                hands = tuple(tuple(rest) if n == seat else hand for n, hand in enumerate(state.hands, 1))
                shown = Event("shows", "1", {"car": seat, "card": first})
                return Transition(replace(state, hands=hands, pile=(*state.pile, first)), (shown,))
            case Call():
                asked = tuple(n for n in (seat, *others) if state.wishes[n - 1])
                called = Event("calls", "1", {"car": seat})
                stage = "call" if asked else "act"
                return Transition(replace(state, stage=stage, asked=asked, calls=state.calls + 1), (called,))
            case Nod():
                return Transition(replace(state, stage="nod", asked=others[:1]), (Event("asks", "1", {"car": seat}),))
        return self._over(state)

    def _with(self, state: Lit, seat: Seat, card: int, place: int) -> Lit:
        hands = tuple((*hand, card) if n == seat else hand for n, hand in enumerate(state.hands, 1))
        return replace(state, hands=hands, pile=state.pile[:place] + state.pile[place + 1 :])

    def _over(self, state: Lit) -> Transition[Lit]:
        active = state.active % len(state.hands) + 1
        turn = state.turn + 1
        return Transition(
            replace(state, turn=turn, active=active, lit=()), (Event("turn", "1", {"car": active, "turn": turn}),)
        )

    def advance(self, state: Lit, chance: Chance) -> Transition[Lit]:
        """Skip a driver who is out."""
        return self._over(state)

    def outcome(self, state: Lit) -> Outcome | None:
        """When dawn comes, in the order of the seats."""
        left = [n for n in range(1, len(state.hands) + 1) if n not in state.out]
        if len(left) > 1 and state.turn <= ROUNDS * len(state.hands):
            return None
        places = (*((n,) for n in left), *((n,) for n in state.out))
        return Outcome(places, "dawn" if len(left) > 1 else "last_one")

    def view(self, state: Lit, viewer: Viewer) -> JSON:
        """What the viewer may know."""
        return {
            "ruleset": "lanterns",
            "viewer": viewer,
            "turn": state.turn,
            "active": state.active,
            "lit": list(state.lit),
            "pile": len(state.pile),
            "cars": [
                {"seat": n, "hand_count": len(hand), "wishes": state.wishes[n - 1] if n == viewer else None}
                for n, hand in enumerate(state.hands, 1)
            ],
            "hand": [] if viewer is None else list(state.hands[viewer - 1]),
            "outcome": None,
        }

    def say(self, view: JSON, action: Any) -> str:
        """Words that read() understands."""
        match action:
            case Light(lantern=lantern):
                return f"light {lantern}"
            case Wish(call=call):
                return "ask me" if call else "do not ask me"
        return str(action.__struct_config__.tag)

    def read(self, view: JSON, text: str) -> Any:
        """The action of these words."""
        words = text.strip().lower()
        if found := re.fullmatch(r"light (\d)", words):
            return Light(int(found[1]))
        plain = {
            "peek": Peek(),
            "show": Show(),
            "call": Call(),
            "nod": Nod(),
            "end": End(),
            "withdraw": Withdraw(),
            "ask me": Wish(True),
            "do not ask me": Wish(False),
        }
        if words not in plain:
            raise Malformed(f"“{text[:40]}” is no act of Lanterns.")
        return plain[words]

    def tell(self, seen: Mapping[str, JSON]) -> str:
        """A sentence, or "" for what is not told."""
        car = f"Car {seen.get('car')}"
        match seen["kind"]:
            case "lights":
                return f"{car} lights lantern {seen['lantern']}. (1)"
            case "peeks":
                return f"{car} peeks. (1)"
            case "shows":
                return f"{car} shows card {seen['card']}. (1)"
            case "calls":
                return f"{car} calls. (1)"
            case "out":
                return f"{car} gives up. (5)"
        return ""

    def ask(self, view: JSON, decision: Decision) -> str:
        """The question."""
        return f"{decision.key.capitalize()}?"


RULESET = Lanterns()
