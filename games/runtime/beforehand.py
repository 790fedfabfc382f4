"""Standing orders and plans in a race: their words, what they answer now, and what they would have answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from games.engine import codec, plans, record, standing
from games.engine.contract import JSON, Ruleset
from games.engine.errors import ActionRefused, Ambiguous, Malformed, RecordBroken
from games.models import Entry, Plan, Race, Seat
from games.models import StandingOrder as StandingRow
from games.runtime.errors import RaceFaulty
from games.runtime.play import action_of
from games.runtime.position import faults_told, ruleset_of, turn_of
from games.runtime.present import names_of, seats_read
from games.runtime.reactions import standing_answer
from games.runtime.replay import record_of_rows
from games.runtime.rulesets import planning_of, standing_of
from games.runtime.words import stamp, with_names

LAST_WINDOWS: Final = 10
"""Windows of a race's past on which orders are tried before they are kept."""


class ViewWords:
    """games.engine.standing.Words in one seat's view."""

    def __init__(self, ruleset: Ruleset[Any], view: JSON) -> None:
        self._ruleset = ruleset
        self._view = view

    def say(self, action: Mapping[str, JSON]) -> str:
        """The words of an action given as JSON."""
        return self._ruleset.say(self._view, action_of(self._ruleset, action))

    def read(self, text: str) -> dict[str, JSON]:
        """The action as JSON that words mean; raises Malformed or Ambiguous."""
        plain: dict[str, JSON] = codec.to_json(self._ruleset.read(self._view, text))
        return plain


# Standing orders


def order_of(row: StandingRow) -> standing.StandingOrder:
    """The order that a row holds."""
    return msgspec.convert(row.order, standing.StandingOrder)


def orders_in_force(rows: Sequence[StandingRow], *, now: datetime, turn: int) -> list[standing.StandingOrder]:
    """The orders of one seat that have not run out, the first that counts first."""
    return [
        order_of(row)
        for row in rows
        if (row.until_at is None or row.until_at > now) and (row.turn is None or row.turn == turn)
    ]


def standing_read(race: Race, view: JSON, text: str, *, seats: int) -> standing.StandingOrder:
    """The order that words mean; raises Malformed, Ambiguous."""
    ruleset = ruleset_of(race)
    rules = standing_of(ruleset)
    if rules is None:
        raise ActionRefused(f"{ruleset.title} knows no standing orders.")
    with faults_told(race):
        return standing.read(text, rules.occasions(view), ViewWords(ruleset, view), seats=seats)


def standing_words(race: Race, view: JSON, order: standing.StandingOrder) -> str:
    """The order as its owner may write it."""
    ruleset = ruleset_of(race)
    rules = standing_of(ruleset)
    assert rules is not None
    with faults_told(race):
        return standing.say(order, rules.occasions(view), ViewWords(ruleset, view))


def wish_for(ruleset: Ruleset[Any], order: standing.StandingOrder) -> dict[str, JSON] | None:
    """The aside, as JSON, without which the order would never be asked for; None where none is needed."""
    rules = standing_of(ruleset)
    if rules is None or (not order.plays and order.otherwise == "pass"):
        return None
    wish = rules.wish(order.occasion)
    plain: dict[str, JSON] | None = None if wish is None else codec.to_json(wish)
    return plain


def only_passes_what_is_wished(ruleset: Ruleset[Any], order: standing.StandingOrder) -> bool:
    """Whether an order passes, and no more, where only who wishes it is asked: without the wish it never acts."""
    rules = standing_of(ruleset)
    is_pass = not order.plays and order.otherwise == "pass"
    return rules is not None and is_pass and rules.wish(order.occasion) is not None


def occasions_part(race: Race, view: JSON) -> list[dict[str, JSON]]:
    """What may be ordered: [{"key", "words", "answers": [words], "having": [words], "by_car": bool}]."""
    ruleset = ruleset_of(race)
    rules = standing_of(ruleset)
    if rules is None:
        return []
    with faults_told(race):
        return [
            {
                "key": one.key,
                "words": one.words,
                "answers": [ruleset.say(view, action) for action in one.answers],
                "having": list(one.having.values()),
                "by_car": one.by_car,
            }
            for one in rules.occasions(view)
        ]


def dry_run(race: Race, seat: Seat, orders: Sequence[standing.StandingOrder]) -> list[dict[str, JSON]]:
    """What these orders would have done in the seat's last windows, the newest first.

    [{"entry", "at", "text": the question, "did": words, "would": words or None (ask me)}]. Raises RaceFaulty.
    """
    ruleset = ruleset_of(race)
    rules = standing_of(ruleset)
    number = seat.number
    if rules is None or number is None:
        return []
    seats = seats_read(race)
    names = names_of(seats).cars
    entries = list(Entry.objects.filter(race=race).order_by("seq"))
    found: list[dict[str, JSON]] = []
    before: list[Any] = []

    def each(reached: record.Step) -> None:
        if before:
            row = entries[reached.seq]
            given = next((act["action"] for act in row.acts if act["seat"] == number), None)
            decision = next((d for d in ruleset.pending(before[0]) if d.seat == number), None)
            if given is not None and decision is not None and decision.sealed:
                view = ruleset.view(before[0], number)
                answer = standing_answer(ruleset, before[0], view, decision, orders)
                found.append(
                    {
                        "entry": reached.seq,
                        "at": stamp(row.created_at),
                        "text": with_names(ruleset.ask(view, decision), names),
                        "did": ruleset.say(view, action_of(ruleset, given)),
                        "would": None if answer is None else ruleset.say(view, answer),
                    }
                )
        before[:] = [reached.state]

    with faults_told(race):
        try:
            record.replay(ruleset, record_of_rows(race, seats, entries), each)
        except RecordBroken as broken:
            raise RaceFaulty(str(broken)) from broken
    return found[-LAST_WINDOWS:][::-1]


# Plans


@dataclass(frozen=True)
class Stopped:
    """A plan goes no further; ``why`` is a sentence for its owner."""

    why: str


@dataclass(frozen=True)
class Next:
    """A plan goes on with this action; ``at`` is the step after it."""

    action: Any
    at: int


def plan_read(race: Race, view: JSON, lines: Sequence[str], *, is_under_way: bool) -> tuple[plans.Step, ...]:
    """The steps that lines mean; raises Malformed where words are no order of the game at all.

    ``view``: the owner's. ``is_under_way``: an act of the owner is still being answered.
    """
    ruleset = ruleset_of(race)
    rules = planning_of(ruleset)
    if rules is None:
        raise ActionRefused(f"{ruleset.title} knows no plans.")
    steps = plans.read(lines, rules.conditions, is_under_way=is_under_way)
    for step in steps:
        _refuse_nonsense(race, ruleset, rules.on_turn(view), step)
    return steps


def _refuse_nonsense(race: Race, ruleset: Ruleset[Any], view: JSON, step: plans.Step) -> None:
    """Refuse words that no position could make an order; what they mean exactly shows when their turn comes."""
    with faults_told(race):
        try:
            action = ruleset.read(view, step.words)
        except Ambiguous:
            return
        except Malformed as refused:
            about = "" if step.words in refused.text else f"«{step.words}»: "
            raise Malformed(f"{about}{refused.text}", rule=refused.rule) from refused
        if ruleset.is_aside(action):
            raise Malformed(f"«{step.words}» is no order for a plan: it takes effect at once wherever you give it.")


def plan_lines(race: Race, plan: Plan) -> list[str]:
    """The plan's lines as its owner may write them."""
    rules = planning_of(ruleset_of(race))
    assert rules is not None
    return [plans.say(step, rules.conditions) for step in steps_of(plan)]


def conditions_part(race: Race) -> list[str]:
    """What a plan may branch on, in words."""
    rules = planning_of(ruleset_of(race))
    return [] if rules is None else [one.words for one in rules.conditions]


def steps_of(plan: Plan) -> tuple[plans.Step, ...]:
    """The steps that a row holds."""
    return msgspec.convert(plan.steps, tuple[plans.Step, ...])


def plan_next(
    ruleset: Ruleset[Any], state: Any, seat: int, plan: Plan, since: Sequence[Mapping[str, JSON]]
) -> Next | Stopped | None:
    """What a plan does with the question that its owner is asked now; None when it has no steps left.

    ``since``: the events since the plan's last order as its owner sees them.
    """
    rules = planning_of(ruleset)
    assert rules is not None
    steps = steps_of(plan)
    at = plan.at
    if at >= len(steps):
        return None
    view = ruleset.view(state, seat)
    if plan.turn is not None and turn_of(view) != plan.turn:
        return Stopped(f"Your turn was over before «{_words(steps[at], rules)}».")
    if steps[at].condition:
        end = next((i for i in range(at, len(steps)) if not steps[i].condition), len(steps))
        for index in range(at, end):
            step = steps[index]
            if rules.came_true(step.condition, seat=seat, view=view, since=since) != step.is_not:
                return _given(ruleset, state, seat, step, end)
        return Stopped(f"None of your conditions came true: «{_words(steps[at], rules)}».")
    before = None if plan.last is None else action_of(ruleset, plan.last)
    if before is not None and not rules.went_well(before, seat=seat, view=view, since=since):
        last = ruleset.say(view, before)
        return Stopped(f"«{last}» did not get what it wanted, so «{steps[at].words}» waits for you.")
    return _given(ruleset, state, seat, steps[at], at + 1)


def _words(step: plans.Step, rules: plans.Planning) -> str:
    return plans.say(step, rules.conditions)


def _given(ruleset: Ruleset[Any], state: Any, seat: int, step: plans.Step, at: int) -> Next | Stopped:
    try:
        action = ruleset.read(ruleset.view(state, seat), step.words)
    except ActionRefused as refused:
        return Stopped(f"«{step.words}»: {refused}")
    if ruleset.is_aside(action):
        return Stopped(f"«{step.words}» is no order for a plan.")
    refusal = ruleset.verify(state, seat, action)
    if refusal is not None:
        return Stopped(f"«{step.words}»: {refusal.text} ({refusal.rule}).")
    return Next(action, at)
