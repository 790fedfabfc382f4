"""Matches: a game made up for the server's tests, and the proof that the server knows no RoadKill.

Two to four drivers hold match cards, each numbered 1 to 6, "guard" cards among them. In turn a driver strikes another
with a card, or rests and draws one. The driver struck may answer with a guard, and whoever wished to be asked may
snuff the strike: both sealed. A die is thrown for a strike that stands; a struck driver flinches or stands firm,
which is a second window. Whoever has three marks is out; the last one in, or the one with most points after a number
of rounds, wins.

It has what the server must carry: announcements, sealed windows with several seats, wishes as asides, hidden hands
and piles, draws, withdrawal, follow-ups, and a question outside any window on the clock of reactions.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from games.engine.chance import Chance, d6
from games.engine.contract import (
    JSON,
    Action,
    Decision,
    Event,
    Field,
    Follow,
    Form,
    Outcome,
    Seat,
    Transition,
    Viewer,
)
from games.engine.errors import Malformed, Refusal
from games.engine.extras import Extras

GUARD = 0
SNUFF = 9
DECK = (1, 1, 2, 2, 3, 3, 4, 4, 5, 6, GUARD, GUARD, GUARD, GUARD, GUARD, SNUFF, SNUFF)
OUT_AT = 3


class Strike(Action, frozen=True, tag="strike"):
    """Strike another driver with a card."""

    card: int
    target: int
    words: str = ""


class Rest(Action, frozen=True, tag="rest"):
    """Draw a card, after throwing some away."""

    discard: tuple[int, ...] = ()


class Nothing(Action, frozen=True, tag="nothing"):
    """Play nothing in answer."""


class Guard(Action, frozen=True, tag="guard"):
    """Guard against a strike."""


class Snuff(Action, frozen=True, tag="snuff"):
    """Snuff a strike out, whoever is struck."""


class Firm(Action, frozen=True, tag="firm"):
    """Stand firm, throwing a guard away."""


class Take(Action, frozen=True, tag="take"):
    """Take the gift."""


class Wish(Action, frozen=True, tag="wish"):
    """Aside: whether to be asked about snuffing."""

    snuff: bool


class Withdraw(Action, frozen=True, tag="withdraw"):
    """Aside: give up."""


ToyAction: TypeAlias = Strike | Rest | Nothing | Guard | Snuff | Firm | Take | Wish | Withdraw


class Driver(msgspec.Struct, frozen=True):
    """A driver's hand and marks; ``wishes`` is secret."""

    hand: tuple[int, ...]
    marks: int = 0
    points: int = 0
    wishes: bool = False
    is_out: bool = False


class Toy(msgspec.Struct, frozen=True):
    """The state. ``stage``: act, answer (the window on a strike), flinch (the window on a hit), gift, over."""

    drivers: tuple[Driver, ...]
    pile: tuple[int, ...]
    rounds: int
    turn: int = 0
    active: int = 1
    stage: str = "act"
    strike: Strike | None = None
    asked: tuple[int, ...] = ()
    given: tuple[tuple[int, ToyAction], ...] = ()


class ToyRuleset(Extras):
    """The rules of Matches."""

    key = "toy"
    title = "Matches"
    version = 1
    seats: tuple[int, int] = (2, 4)
    endings: tuple[str, ...] = ("last_one", "rounds")
    answers_conceal = True
    action_type: Any = ToyAction
    state_type: type[Any] = Toy

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """{"rounds": 1 to 50, "components": "matchbox"}."""
        options = {"rounds": 10, "components": "matchbox", **given}
        unknown = sorted(set(options) - {"rounds", "components"})
        if unknown:
            raise Malformed(f"Matches has no option “{unknown[0]}”.")
        if options["rounds"] not in range(1, 51):
            raise Malformed("Matches is played over 1 to 50 rounds.")
        if options["components"] != "matchbox":
            raise Malformed("Matches is played with the set “matchbox”.")
        return options

    def component_hash(self, options: Mapping[str, JSON]) -> str:
        """A stand-in for a hash."""
        return f"{options['components']}-1"

    def setup(self, seats: int, options: Mapping[str, JSON], chance: Chance) -> Transition[Toy]:
        """Deal three cards each."""
        order = chance.shuffled(len(DECK), "deck")
        pile = tuple(DECK[i] for i in order)
        drivers = tuple(Driver(hand=tuple(sorted(pile[3 * n : 3 * n + 3]))) for n in range(seats))
        state = Toy(drivers, pile[3 * seats :], rounds=options["rounds"])
        dealt = tuple(
            Event("dealt", "1.1", {"car": n}, {n: {"cards": list(driver.hand)}})
            for n, driver in enumerate(drivers, start=1)
        )
        return Transition(state, (*dealt, Event("turn", "2.1", {"car": 1, "turn": 0})))

    def waiting(self, state: Toy) -> Sequence[Seat]:
        """Whoever has not answered."""
        if self.outcome(state) is not None:
            return ()
        if state.stage in {"answer", "flinch"}:
            done = {seat for seat, _ in state.given}
            return tuple(seat for seat in state.asked if seat not in done)
        if state.stage in {"act", "gift"} and not state.drivers[state.active - 1].is_out:
            return (state.active,)
        return ()

    def pending(self, state: Toy) -> tuple[Decision, ...]:
        """The open questions."""
        return tuple(self._decision(state, seat) for seat in self.waiting(state))

    def _decision(self, state: Toy, seat: Seat) -> Decision:
        hand = state.drivers[seat - 1].hand
        if state.stage == "act":
            strikes = tuple(
                Strike(card, other)
                for card in sorted(set(hand) - {GUARD, SNUFF})
                for other in self._others(state, seat)
            )
            form = Form(
                Rest(),
                (Field("discard", "Throw away", "some", tuple(hand), 0, 2),),
                "Rest, throwing cards away",
            )
            return Decision("act", seat, "2.1", (*strikes, Rest()), Rest(), (form,), trigger="act")
        if state.stage == "gift":
            return Decision("gift", seat, "5.1", (Take(), Nothing()), Nothing(), kind="choice", clock="reaction")
        menu: list[ToyAction] = [Nothing()]
        strike = state.strike
        assert strike is not None
        if state.stage == "flinch":
            menu += [Firm()] if GUARD in hand else []
            return Decision(
                "flinch",
                seat,
                "4.1",
                tuple(menu),
                Nothing(),
                kind="reaction",
                clock="reaction",
                singled=seat != state.active,
                sealed=True,
                trigger="flinch",
            )
        menu += [Guard()] if seat == strike.target and GUARD in hand else []
        menu += [Snuff()] if state.drivers[seat - 1].wishes and SNUFF in hand else []
        return Decision(
            "answer",
            seat,
            "3.1",
            tuple(menu),
            Nothing(),
            kind="reaction",
            clock="reaction",
            singled=seat == strike.target,
            sealed=True,
            trigger="struck" if seat == strike.target else "snuff",
            about={"card": strike.card, "target": strike.target},
        )

    def verify(self, state: Toy, seat: Seat, action: Any) -> Refusal | None:
        """Whether the answer is offered, and a sentence if it is not."""
        decision = self._decision(state, seat)
        if action in decision.menu:
            return None
        hand = list(state.drivers[seat - 1].hand)
        if isinstance(action, Strike) and state.stage == "act":
            if msgspec.structs.replace(action, words="") in decision.menu:
                return None
            if action.card not in hand:
                return Refusal("2.2", f"You hold no match {action.card}.")
            return Refusal("2.3", "That driver cannot be struck.")
        if isinstance(action, Rest) and state.stage == "act":
            for card in action.discard:
                if card not in hand:
                    return Refusal("2.4", f"You hold no match {card} to throw away.")
                hand.remove(card)
            return None if len(action.discard) <= 2 else Refusal("2.4", "Two cards at most are thrown away.")
        if isinstance(action, Guard):
            return Refusal("3.2", "A guard answers a strike on you, and is played from the hand.")
        return Refusal(decision.rule, "That is no answer to what is asked of you.")

    def is_aside(self, action: Any) -> bool:
        """Wishes and withdrawals."""
        return isinstance(action, Wish | Withdraw)

    def answer(self, state: Toy, seat: Seat, action: Any, chance: Chance) -> Transition[Toy]:
        """Apply an answer."""
        match action:
            case Wish(snuff=snuff):
                return Transition(
                    _with(state, seat, wishes=snuff), (Event("wish", "3.3", {}, {seat: {"snuff": snuff}}),)
                )
            case Withdraw():
                return self._withdraw(state, seat)
            case Strike():
                return self._strike(state, seat, action)
            case Rest(discard=discard):
                return self._rest(state, seat, discard, chance)
            case Take():
                state = _with(state, seat, points=state.drivers[seat - 1].points + 1)
                return self._turn_over(state, (Event("took", "5.1", {"car": seat}),))
            case Nothing() if state.stage == "gift":
                return self._turn_over(state, ())
            case _:
                return Transition(msgspec.structs.replace(state, given=(*state.given, (seat, action))), ())

    def _withdraw(self, state: Toy, seat: Seat) -> Transition[Toy]:
        state = _with(state, seat, is_out=True)
        asked = tuple(one for one in state.asked if one != seat)
        given = tuple(one for one in state.given if one[0] != seat)
        return Transition(
            msgspec.structs.replace(state, asked=asked, given=given),
            (Event("withdrew", "6.1", {"car": seat}),),
        )

    def _strike(self, state: Toy, seat: Seat, action: Strike) -> Transition[Toy]:
        hand = list(state.drivers[seat - 1].hand)
        hand.remove(action.card)
        state = _with(state, seat, hand=tuple(hand))
        snuffers = tuple(n for n in self._others(state, seat) if state.drivers[n - 1].wishes and n != action.target)
        asked = (action.target, *snuffers) if state.drivers[action.target - 1].hand else snuffers
        public = {"car": seat, "card": action.card, "target": action.target, "words": action.words}
        return Transition(
            msgspec.structs.replace(state, stage="answer", strike=action, asked=asked, given=()),
            (Event("strikes", "2.1", public),),
        )

    def _rest(self, state: Toy, seat: Seat, discard: tuple[int, ...], chance: Chance) -> Transition[Toy]:
        hand = list(state.drivers[seat - 1].hand)
        for card in discard:
            hand.remove(card)
        events = [Event("rests", "2.4", {"car": seat, "discards": len(discard)})]
        pile = state.pile
        if pile:
            place = chance.pick(len(pile), "card")
            hand.append(pile[place])
            events.append(Event("draws", "2.4", {"car": seat}, {seat: {"card": pile[place]}}))
            pile = pile[:place] + pile[place + 1 :]
        state = _with(msgspec.structs.replace(state, pile=pile), seat, hand=tuple(sorted(hand)))
        if state.turn % 5 == 4:
            return Transition(msgspec.structs.replace(state, stage="gift"), tuple(events))
        return self._turn_over(state, tuple(events))

    def advance(self, state: Toy, chance: Chance) -> Transition[Toy]:
        """Close a window, or skip a driver who is out."""
        if state.drivers[state.active - 1].is_out and state.stage in {"act", "gift"}:
            return self._turn_over(state, ())
        strike = state.strike
        assert strike is not None
        events: list[Event] = []
        if state.stage == "answer":
            for seat, action in state.given:
                if isinstance(action, Guard | Snuff):
                    card = GUARD if isinstance(action, Guard) else SNUFF
                    state = _spend(state, seat, card)
                    events.append(Event("answers", "3.1", {"car": seat, "with": _card_name(card)}))
            target = state.drivers[strike.target - 1]
            if events or target.is_out:
                return self._turn_over(state, tuple(events))
            throw = d6(chance, "strike")
            is_hit = throw <= strike.card
            events.append(Event("throws", "2.5", {"car": state.active, "throw": throw, "hit": is_hit}))
            if not is_hit:
                return self._turn_over(state, tuple(events))
            asked = (strike.target,) if target.hand else ()
            return Transition(msgspec.structs.replace(state, stage="flinch", asked=asked, given=()), tuple(events))
        for seat, action in state.given:
            if isinstance(action, Firm):
                state = _spend(state, seat, GUARD)
                return self._turn_over(state, (Event("firm", "4.1", {"car": seat}),))
        marks = state.drivers[strike.target - 1].marks + 1
        state = _with(state, strike.target, marks=marks, is_out=marks >= OUT_AT)
        state = _with(state, state.active, points=state.drivers[state.active - 1].points + 2)
        return self._turn_over(state, (Event("hit", "4.2", {"car": strike.target, "marks": marks}),))

    def _turn_over(self, state: Toy, events: tuple[Event, ...]) -> Transition[Toy]:
        active = state.active % len(state.drivers) + 1
        turn = state.turn + 1
        state = msgspec.structs.replace(state, turn=turn, active=active, stage="act", strike=None, asked=(), given=())
        return Transition(state, (*events, Event("turn", "2.1", {"car": active, "turn": turn})))

    def outcome(self, state: Toy) -> Outcome | None:
        """The last one in, or the points after the rounds."""
        left = [n for n, driver in enumerate(state.drivers, start=1) if not driver.is_out]
        if len(left) > 1 and state.turn < state.rounds * len(state.drivers):
            return None
        ranks: dict[tuple[bool, int], list[int]] = {}
        for n, driver in enumerate(state.drivers, start=1):
            ranks.setdefault((driver.is_out, -driver.points), []).append(n)
        places = tuple(tuple(ranks[key]) for key in sorted(ranks))
        return Outcome(places, "last_one" if len(left) <= 1 else "rounds")

    def view(self, state: Toy, viewer: Viewer) -> JSON:
        """What the viewer may know."""
        own = state.drivers[viewer - 1] if viewer is not None else None
        return {
            "ruleset": "toy",
            "viewer": viewer,
            "turn": state.turn,
            "active": state.active,
            "pile": len(state.pile),
            "cars": [
                {
                    "seat": n,
                    "hand_count": len(driver.hand),
                    "marks": driver.marks,
                    "points": driver.points,
                    "out": driver.is_out,
                    "wishes": driver.wishes if n == viewer else None,
                }
                for n, driver in enumerate(state.drivers, start=1)
            ],
            "hand": list(own.hand) if own is not None else [],
            "window": None
            if state.strike is None
            else {"on": {"card": state.strike.card, "target": state.strike.target}},
            "outcome": None if self.outcome(state) is None else {"reason": "over"},
        }

    def may_be_asked(self, view: JSON) -> tuple[int, ...]:
        """Whoever holds a card."""
        return tuple(car["seat"] for car in view["cars"] if car["hand_count"])

    def say(self, view: JSON, action: Any) -> str:
        """Words that read() understands."""
        match action:
            case Strike(card=card, target=target, words=words):
                return f"strike {target} with {card}" + (f": {words}" if words else "")
            case Rest(discard=()):
                return "rest"
            case Rest(discard=discard):
                return "rest, discard " + " and ".join(_card_name(card) for card in discard)
            case Wish(snuff=snuff):
                return "ask me about snuffing" if snuff else "do not ask me about snuffing"
        return str(action.__struct_config__.tag)

    def read(self, view: JSON, text: str) -> Any:
        """The action that these words mean."""
        words = " ".join(text.lower().split()).rstrip(".!")
        if found := re.fullmatch(r"strike (\d) with (\d)(?:: (.*))?", words):
            return Strike(int(found[2]), int(found[1]), found[3] or "")
        if found := re.fullmatch(r"rest(?:, discard (.+))?", words):
            named = {_card_name(card): card for card in DECK}
            cards = found[1].split(" and ") if found[1] else []
            unknown = [card for card in cards if card not in named]
            if unknown:
                raise Malformed(f"There is no card “{unknown[0]}”.")
            return Rest(tuple(named[card] for card in cards))
        plain = {
            "nothing": Nothing(),
            "guard": Guard(),
            "snuff": Snuff(),
            "firm": Firm(),
            "take": Take(),
            "withdraw": Withdraw(),
            "ask me about snuffing": Wish(snuff=True),
            "do not ask me about snuffing": Wish(snuff=False),
        }
        if words not in plain:
            raise Malformed(f"“{text[:40]}” is no act of Matches.")
        return plain[words]

    def tell(self, seen: Mapping[str, JSON]) -> str:
        """A sentence, or "" for what is not told."""
        car = f"car {seen.get('car')}"
        match seen["kind"]:
            case "dealt" if "cards" in seen:
                return f"You are dealt {len(seen['cards'])} cards. (1.1)"
            case "strikes":
                return f"Car {seen['car']} strikes car {seen['target']} with {seen['card']}. (2.1)"
            case "rests":
                return f"Car {seen['car']} rests. (2.4)"
            case "draws" if "card" in seen:
                return f"You draw {_card_name(seen['card'])}. (2.4)"
            case "answers":
                return f"Car {seen['car']} answers with {seen['with']}. (3.1)"
            case "throws":
                return f"{seen['throw']} is thrown for {car}. (2.5)"
            case "firm":
                return f"Car {seen['car']} stands firm. (4.1)"
            case "hit":
                return f"Car {seen['car']} has mark {seen['marks']}. (4.2)"
            case "took":
                return f"Car {seen['car']} takes the gift. (5.1)"
            case "withdrew":
                return f"Car {seen['car']} withdraws. (6.1)"
        return ""

    def ask(self, view: JSON, decision: Decision) -> str:
        """The question."""
        return {
            "act": "What do you do?",
            "answer": f"Car {view['active']} strikes. Do you answer?",
            "flinch": "You are hit. Do you stand firm?",
            "gift": "Do you take the gift?",
        }[decision.key]

    def follows(self, view: JSON, decision: Decision) -> tuple[Follow, ...]:
        """After an answer to a strike on you there may be the question whether you stand firm."""
        if decision.trigger != "struck":
            return ()
        return (Follow("flinch", "If you are hit", (Nothing(), Firm())),)

    def value_words(self, view: JSON, field: str, value: JSON) -> str:
        """A card's name."""
        return _card_name(value)

    def _others(self, state: Toy, seat: Seat) -> list[Seat]:
        return [n for n, d in enumerate(state.drivers, start=1) if n != seat and not d.is_out]


def _card_name(card: int) -> str:
    return {GUARD: "a guard", SNUFF: "a snuffer"}.get(card, f"match {card}")


def _with(state: Toy, seat: Seat, **changes: Any) -> Toy:
    drivers = list(state.drivers)
    drivers[seat - 1] = msgspec.structs.replace(drivers[seat - 1], **changes)
    return msgspec.structs.replace(state, drivers=tuple(drivers))


def _spend(state: Toy, seat: Seat, card: int) -> Toy:
    hand = list(state.drivers[seat - 1].hand)
    hand.remove(card)
    return _with(state, seat, hand=tuple(hand))


RULESET = ToyRuleset()
