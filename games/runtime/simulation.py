"""Whole races between bots, without rows: how races go, how good a bot is, how fast the engine is."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from random import Random
from time import perf_counter
from typing import Any, Final, Protocol, TypeVar

from games.engine import play
from games.engine.bots import random_answer
from games.engine.chance import Draw, Stream, stream_key
from games.engine.contract import JSON, Act, Decision, Event, Ruleset
from games.runtime.rulesets import RULESETS, bot_for, extras_of

T = TypeVar("T")
MOST_TURNS: Final = {"random": 20_000, "driver": 400}
"""Turns after which a race counts as unfinished, by the level of its bots."""
AHEAD: Final = 4
"""Races that lie ready for each process, so that none of them waits."""


@dataclass(frozen=True)
class Plan:
    """Which races: ``first`` to ``first + races - 1`` of a seed. ``levels`` are the bots by seat.

    Different ones change seats from race to race, so that none of them gains by its place.
    """

    ruleset: str
    levels: tuple[str, ...]
    options: dict[str, JSON]
    seed: int
    races: int
    most_turns: int
    first: int = 0


@dataclass(frozen=True)
class RaceRun:
    """How one race went. ``seconds``: spent in the engine and in answering, by the wall's clock.

    ``wrecks_by_rule``: what the ruleset counts as wrecks, by the rule that each came about by.
    """

    number: int
    turns: int
    answers: int
    ending: str
    winners: tuple[int, ...]
    winning_levels: tuple[str, ...]
    wrecks_by_rule: dict[str, int]
    draws: int
    engine_seconds: float
    bot_seconds: float


class Player(Protocol):
    """Answers in a simulation."""

    def answer(self, state: Any, decision: Decision) -> Any:
        """An answer that the decision offers."""
        ...


class RandomPlayer:
    """Any offered answer, linked forms too; it looks at no view, as the players of other engines' benches do not."""

    def __init__(self, ruleset: Ruleset[Any], seed: str) -> None:
        self._ruleset = ruleset
        self._rng = Random(seed)  # noqa: S311  (a race between bots has no secrets)

    def answer(self, state: Any, decision: Decision) -> Any:
        """An answer drawn at random."""
        return random_answer(
            decision, self._rng, lambda action: self._ruleset.verify(state, decision.seat, action) is None
        )


class BotPlayer:
    """A bot that is shown its view and nothing else."""

    def __init__(self, ruleset: Ruleset[Any], level: str, seed: str) -> None:
        self._ruleset = ruleset
        number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
        self._bot = bot_for(ruleset.key, level, number)

    def answer(self, state: Any, decision: Decision) -> Any:
        """The bot's answer."""
        return self._bot.choose(self._ruleset.view(state, decision.seat), decision)


class Course:
    """One race on its way, with everything that happened in it kept, as the server keeps it."""

    def __init__(self, ruleset: Ruleset[Any], *, seats: int, options: JSON, secret: bytes) -> None:
        self.ruleset = ruleset
        self.events: list[Event] = []
        self.draws: list[tuple[Draw, ...]] = []
        self._stream = Stream(stream_key(secret, ()))
        self.state: Any = None
        self._keep(play.start(ruleset, seats, ruleset.options(options), self._stream))

    def give(self, acts: Sequence[Act]) -> play.Played:
        """Take the answers to all open questions as one entry."""
        self._stream.taken = []
        return self._keep(play.play(self.ruleset, self.state, acts, self._stream))

    def _keep(self, played: play.Played) -> play.Played:
        self.state = played.state
        self.events.extend(played.events)
        self.draws.append(played.draws)
        return played


def run_race(plan: Plan, number: int) -> RaceRun:
    """One race of a plan from its deal to its end; the same plan and number give the same race."""
    ruleset = RULESETS[plan.ruleset]
    name = f"simulate/{plan.ruleset}/{plan.seed}/{number}"
    moved = number % len(plan.levels)
    levels = plan.levels[moved:] + plan.levels[:moved]
    players = [_player(ruleset, level, f"{name}/{seat}") for seat, level in enumerate(levels, 1)]
    begun = perf_counter()
    course = Course(ruleset, seats=len(players), options=plan.options, secret=name.encode())
    engine_seconds = perf_counter() - begun
    bot_seconds = 0.0
    answers = turns = 0
    while turns <= plan.most_turns:
        before = perf_counter()
        decisions = ruleset.pending(course.state)
        asked = perf_counter()
        acts = [Act(one.seat, players[one.seat - 1].answer(course.state, one)) for one in decisions]
        answered = perf_counter()
        if not acts:
            break
        played = course.give(acts)
        engine_seconds += perf_counter() - answered + asked - before
        bot_seconds += answered - asked
        answers += len(acts)
        turns += [event.kind for event in played.events].count("turn")
    outcome = ruleset.outcome(course.state)
    return RaceRun(
        number=number,
        turns=turns,
        answers=answers,
        ending=outcome.reason if outcome is not None else "",
        winners=outcome.places[0] if outcome is not None else (),
        winning_levels=tuple(levels[seat - 1] for seat in outcome.places[0]) if outcome is not None else (),
        wrecks_by_rule=dict(Counter(event.rule for event in course.events if is_wreck(ruleset, event))),
        draws=sum(map(len, course.draws)),
        engine_seconds=engine_seconds,
        bot_seconds=bot_seconds,
    )


def is_wreck(ruleset: Ruleset[Any], event: Event) -> bool:
    """Whether the ruleset counts an event as a wreck (games.engine.extras.Extras.counts)."""
    counted = extras_of(ruleset).counts(event.kind, event.public)
    return counted is not None and counted[0] == "wreck"


def _player(ruleset: Ruleset[Any], level: str, seed: str) -> Player:
    return RandomPlayer(ruleset, seed) if level == "random" else BotPlayer(ruleset, level, seed)


def runs(plan: Plan, *, jobs: int = 1) -> Iterator[RaceRun]:
    """The races of a plan in order, on one process or several."""
    yield from in_order(partial(run_race, plan), range(plan.first, plan.first + plan.races), jobs=jobs)


def in_order(one: Callable[[int], T], races: Iterable[int], *, jobs: int) -> Iterator[T]:
    """Each race by its number, in order, on this process or several; ``one`` can be sent to another process."""
    numbers = iter(races)
    if jobs == 1:
        yield from map(one, numbers)
        return
    with ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=get_context("spawn")))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        waiting = [pool.submit(one, number) for number in islice(numbers, jobs * AHEAD)]
        while waiting:
            yield waiting.pop(0).result()
            waiting.extend(pool.submit(one, number) for number in islice(numbers, 1))


def report(plan: Plan, done: Sequence[RaceRun], *, wall_seconds: float, jobs: int) -> dict[str, JSON]:
    """The figures of a simulation as plain JSON; see ``manage.py simulate --help`` for what they mean."""
    turns = sorted(run.turns for run in done)
    answers = sum(run.answers for run in done)
    engine = sum(run.engine_seconds for run in done)
    bots = sum(run.bot_seconds for run in done)
    finished = [run for run in done if run.ending]
    winners = Counter(seat for run in finished for seat in run.winners)
    return {
        "ruleset": plan.ruleset,
        "bot": "+".join(dict.fromkeys(plan.levels)),
        "seed": plan.seed,
        "seats": len(plan.levels),
        "options": plan.options,
        "races": len(done),
        "finished": len(finished),
        "unfinished": [run.number for run in done if not run.ending],
        "turn_limit": plan.most_turns,
        "turns": sum(turns),
        "turns_mean": round(sum(turns) / len(turns), 1),
        "turns_median": turns[len(turns) // 2],
        "turns_shortest": turns[0],
        "turns_longest": turns[-1],
        "answers": answers,
        "draws": sum(run.draws for run in done),
        "wrecks": sum(sum(run.wrecks_by_rule.values()) for run in done),
        "wrecks_by_rule": dict(sorted(sum((Counter(run.wrecks_by_rule) for run in done), Counter[str]()).items())),
        "endings": dict(sorted(Counter(run.ending for run in finished).items())),
        "winners_by_bot": dict(sorted(Counter(level for run in finished for level in run.winning_levels).items())),
        "winners_by_seat": {str(seat): winners[seat] for seat in range(1, len(plan.levels) + 1)},
        "seconds": round(engine, 3),
        "actions_per_second": round(answers / engine) if engine else 0,
        "bot_seconds": round(bots, 3),
        "actions_per_second_with_bots": round(answers / (engine + bots)) if engine + bots else 0,
        "wall_seconds": round(wall_seconds, 3),
        "jobs": jobs,
    }


def simulate(plan: Plan, *, jobs: int = 1, each: Callable[[], None] = lambda: None) -> dict[str, JSON]:
    """Run a plan and report it; ``each`` is called after every race."""
    begun = perf_counter()
    done: list[RaceRun] = []
    for run in runs(plan, jobs=jobs):
        done.append(run)
        each()
    return report(plan, done, wall_seconds=perf_counter() - begun, jobs=jobs)
