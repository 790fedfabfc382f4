"""Races among simulated people who look at their mail at human hours: how many days a race takes.

**The people.** Each lives in a time zone (ZONES), sleeps from SLEEP's first hour to its second, and looks at a question
some time after it was asked: log-normal round a median (an option), with SPREAD as the standard deviation of the
logarithm; on a Saturday or Sunday WEEKEND times as long. Whoever would look while asleep looks within MORNING after
getting up. Somebody who has just answered sits there for SITTING and answers what else comes in that time within a
minute or two. Decisions themselves are the heuristic bot's, so that both ways of asking play the same kind of race.

**The two ways.** ``everything``: everybody asks to be asked at every moment at which the rules let any driver answer,
each question waits for its person whether there is a choice or not, no orders are given beforehand. ``ours``: nobody
asks for what touches nobody (the default), an answer that is no choice is given by the server, and a ``share`` of the
people has standing orders for every reaction (the first card held in the order of the moment, else pass) and plans the
turn: after an own act that went well (Planning.went_well) the next order stands ready with probability FORESIGHT, since
a plan cannot foresee everything. One turn in two (AHEAD) they also plan the next one while they are still there; its
first order is carried out if nothing has happened to that seat when the turn comes: no event but the turn itself names
it. Whoever has no orders is asked.

Engine, standing orders, hold times, closing policies and deadlines (in each person's own hours, with the cap of the
tempo) are the real ones; what lapses gets its default. The seed makes all of it repeatable.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import partial
from random import Random
from statistics import NormalDist, median, quantiles
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from games.engine import codec
from games.engine.contract import JSON, Act, Decision, Event, Ruleset
from games.engine.standing import StandingOrder
from games.runtime.reactions import standing_answer
from games.runtime.rulesets import RULESETS, planning_of, standing_of
from games.runtime.simulation import BotPlayer, Course, in_order
from games.tempo.calendars import Calendar, counted, deadline
from games.tempo.holds import hold_seconds
from games.tempo.policies import Asked, closes_at
from games.tempo.tempos import Tempo

Way = Literal["everything", "ours"]
WAYS: Final[tuple[Way, ...]] = ("everything", "ours")

ZONES: Final = (
    "America/Los_Angeles",
    "America/New_York",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Berlin",
    "Europe/Helsinki",
    "Australia/Sydney",
)
"""Where people live, each as likely; a club that knows each other sits mostly on one continent."""
SLEEP: Final = (time(23), time(7))
QUIET: Final = (time(22), time(7))
"""The quiet hours of their profiles."""
SPREAD: Final = 1.0
WEEKEND: Final = 1.5
MORNING: Final = timedelta(hours=1)
SITTING: Final = timedelta(minutes=10)
AT_ONCE: Final = timedelta(minutes=2)
FORESIGHT: Final = 0.75
AHEAD: Final = 0.5
START: Final = datetime(2026, 1, 5, 18, tzinfo=UTC)
"""A Monday evening in Europe; both clock changes lie within a long race."""
MOST_TURNS: Final = 400


@dataclass(frozen=True)
class Club:
    """Which races, and the people in them.

    ``median_minutes``: of the delay before somebody looks. ``share``: the part of the people who are organised, 0 to 1.
    """

    ruleset: str
    seats: int
    options: dict[str, JSON]
    seed: int
    races: int
    policy: str
    tempo: Tempo
    median_minutes: int
    share: float
    way: Way


@dataclass(frozen=True)
class RaceTime:
    """How one race went: its length in days, how often it waited for people, what lapsed, and of how many turns."""

    number: int
    days: float
    turns: int
    answers: int
    waits: int
    waited_for: int
    lapses: int
    by_order: int
    by_plan: int
    is_finished: bool


@dataclass
class Human:
    """One simulated person. ``is_organised``: gives standing orders and plans."""

    calendar: Calendar
    zone: ZoneInfo
    rng: Random
    is_organised: bool
    sits_from: datetime = START

    def looks(self, asked_at: datetime, median_minutes: int) -> datetime:
        """When this person answers something that is asked now."""
        if self.sits_from <= asked_at <= self.sits_from + SITTING:
            return self._sat(asked_at + AT_ONCE * self.rng.random())
        delay = median_minutes * math.exp(SPREAD * NormalDist().inv_cdf(_inner(self.rng.random())))
        local = asked_at.astimezone(self.zone)
        if local.weekday() >= 5:
            delay *= WEEKEND
        return self._sat(self._awake(asked_at + timedelta(minutes=delay)))

    def _awake(self, at: datetime) -> datetime:
        local = at.astimezone(self.zone)
        asleep, awake = SLEEP
        if awake <= local.time() < asleep:
            return at
        day = local.date() if local.time() < awake else local.date() + timedelta(days=1)
        return datetime.combine(day, awake, self.zone).astimezone(UTC) + MORNING * self.rng.random()

    def _sat(self, at: datetime) -> datetime:
        self.sits_from = at
        return at


def _inner(part: float) -> float:
    return min(max(part, 1e-9), 1 - 1e-9)


@dataclass
class _Counts:
    turns: int = 0
    answers: int = 0
    waits: int = 0
    waited_for: int = 0
    lapses: int = 0
    by_order: int = 0
    by_plan: int = 0


@dataclass
class _Race:
    """One race on its way through the calendar."""

    club: Club
    ruleset: Ruleset[Any]
    course: Course
    people: dict[int, Human]
    players: dict[int, BotPlayer]
    orders: tuple[StandingOrder, ...]
    secret: bytes
    now: datetime = START
    turn: int = 0
    turn_left_s: dict[int, int] = field(default_factory=dict)
    counts: _Counts = field(default_factory=_Counts)
    ahead: dict[int, int] = field(default_factory=dict)
    """Who has planned the next turn, and how many events there were then."""
    last: tuple[int, Any, int] | None = None
    """The latest own act of the driver on turn: seat, action, and how many events there were before it."""

    def step(self, decisions: Sequence[Decision]) -> None:
        """Wait for what the open questions need, and answer them."""
        if any(one.sealed for one in decisions):
            self._window(decisions)
        else:
            self._question(decisions[0])

    # --- a question whose answer takes effect at once -----------------------------------

    def _question(self, asked: Decision) -> None:
        seat, human = asked.seat, self.people[asked.seat]
        minutes = self.club.tempo.turn if asked.clock == "turn" else self.club.tempo.reaction
        left_s = self.turn_left_s.get(seat, minutes * 60)
        cap = self.club.tempo.pause_cap
        due_at = deadline(
            start=self.now, minutes=0, seconds=left_s, calendar=human.calendar, pause_cap_minutes=cap
        ).due_at
        if self._stands_ready(seat):
            at = self.now
            self.counts.by_plan += 1
        else:
            at = human.looks(self.now, self.club.median_minutes)
            self._waited((at,), self.now)
        is_late = at > due_at
        self.counts.lapses += is_late
        at = min(at, due_at)
        used = counted(self.now, at, human.calendar, pause_cap_minutes=cap)
        self.turn_left_s = {seat: max(self.club.tempo.reaction * 60, left_s - used)}
        self.now = at
        action = asked.default if is_late else self.players[seat].answer(self.course.state, asked)
        self.last = (seat, action, len(self.course.events))
        self._give([Act(seat, action)])

    def _stands_ready(self, seat: int) -> bool:
        """Whether a plan goes on with the next order: the one before went well, and this one was foreseen."""
        human = self.people[seat]
        rules = planning_of(self.ruleset)
        if self.club.way != "ours" or rules is None or not human.is_organised:
            return False
        if self.last is None:
            planned = self.ahead.pop(seat, None)
            return planned is not None and not any(map(partial(_touches, seat), self.course.events[planned:]))
        whose, action, before = self.last
        if whose != seat:
            return False
        since = [event.seen_by(seat) for event in self.course.events[before:]]
        view = self.ruleset.view(self.course.state, seat)
        return rules.went_well(action, seat=seat, view=view, since=since) and human.rng.random() < FORESIGHT

    # --- a window -----------------------------------------------------------------------

    def _window(self, decisions: Sequence[Decision]) -> None:
        opened = self.now
        due_at = max(
            deadline(
                start=opened,
                minutes=self.club.tempo.reaction,
                calendar=self.people[one.seat].calendar,
                pause_cap_minutes=self.club.tempo.pause_cap,
            ).due_at
            for one in decisions
        )
        answers = {one.seat: self._sealed(one) for one in decisions}
        times = [at for at, _ in answers.values()]
        self._waited(times, opened)
        asked = [Asked(due_at, self._hold_until(one), is_answered=answers[one.seat][0] <= due_at) for one in decisions]
        closing = closes_at(self.club.policy, asked)
        last = max(times)
        self.now = min(due_at, last if closing is None else max(last, closing) if last <= due_at else closing)
        acts = []
        for one in decisions:
            at, action = answers[one.seat]
            self.counts.lapses += at > self.now
            acts.append(Act(one.seat, action if at <= self.now else one.default))
        self._give(acts)

    def _sealed(self, asked: Decision) -> tuple[datetime, Any]:
        """When one seat's answer is there, and which."""
        human, state = self.people[asked.seat], self.course.state
        if self.club.way == "ours":
            if not asked.is_real and asked.singled:
                return self.now, asked.default
            if human.is_organised:
                view = self.ruleset.view(state, asked.seat)
                answer = standing_answer(self.ruleset, state, view, asked, self.orders)
                if answer is not None:
                    self.counts.by_order += 1
                    return self.now, answer
        at = human.looks(self.now, self.club.median_minutes)
        return at, self.players[asked.seat].answer(state, asked)

    def _hold_until(self, asked: Decision) -> datetime | None:
        if self.club.policy != "paced" or not asked.singled or not self.ruleset.answers_conceal:
            return None
        length = hold_seconds(
            secret=self.secret, seat=asked.seat, turn=self.turn, reaction_seconds=self.club.tempo.reaction * 60
        )
        return self.now + timedelta(seconds=length)

    # --- both ---------------------------------------------------------------------------

    def _waited(self, times: Sequence[datetime], since: datetime) -> None:
        """Count a wait if the race could not go on at once, and for how many people it was."""
        people = sum(at > since + AT_ONCE for at in times)
        self.counts.waits += people > 0
        self.counts.waited_for += people

    def _give(self, acts: list[Act]) -> None:
        played = self.course.give(acts)
        self.counts.answers += len(acts)
        begun = sum(event.kind == "turn" for event in played.events)
        if begun:
            if self.last is not None and self.people[self.last[0]].is_organised:
                seat = self.last[0]
                if self.people[seat].rng.random() < AHEAD:
                    self.ahead[seat] = len(self.course.events)
            self.turn += begun
            self.counts.turns += begun
            self.turn_left_s.clear()
            self.last = None


def _touches(seat: int, event: Event) -> bool:
    return event.kind != "turn" and seat in {event.public.get(name) for name in ("seat", "target", "by")}


def run_race(club: Club, number: int) -> RaceTime:
    """One race of a club from its deal to its end; the same club and number give the same race and the same days."""
    ruleset = RULESETS[club.ruleset]
    name = f"days-apart/{club.ruleset}/{club.seed}/{number}"
    secret = name.encode()
    people = {seat: _human(club, f"{name}/{seat}") for seat in range(1, club.seats + 1)}
    race = _Race(
        club=club,
        ruleset=ruleset,
        course=Course(ruleset, seats=club.seats, options=club.options, secret=secret),
        people=people,
        players={seat: BotPlayer(ruleset, "driver", f"{name}/{seat}") for seat in people},
        orders=(),
        secret=secret,
    )
    race.orders = _orders(ruleset, race.course.state)
    if club.way == "everything":
        _wish_everything(race)
    while race.counts.turns <= MOST_TURNS:
        decisions = ruleset.pending(race.course.state)
        if not decisions:
            break
        race.step(decisions)
    counts = race.counts
    return RaceTime(
        number=number,
        days=(race.now - START) / timedelta(days=1),
        turns=counts.turns,
        answers=counts.answers,
        waits=counts.waits,
        waited_for=counts.waited_for,
        lapses=counts.lapses,
        by_order=counts.by_order,
        by_plan=counts.by_plan,
        is_finished=ruleset.outcome(race.course.state) is not None,
    )


def _human(club: Club, name: str) -> Human:
    rng = Random(name)  # noqa: S311  (people's habits are no secret)
    zone = rng.choice(ZONES)
    return Human(Calendar(zone, quiet=QUIET), ZoneInfo(zone), rng, is_organised=rng.random() < club.share)


def _orders(ruleset: Ruleset[Any], state: Any) -> tuple[StandingOrder, ...]:
    """A standing order for every moment at which public facts alone say who is asked."""
    rules = standing_of(ruleset)
    if rules is None:
        return ()
    return tuple(
        StandingOrder(one.key, tuple(codec.to_json(action) for action in one.answers), "pass")
        for one in rules.occasions(ruleset.view(state, None))
        if rules.wish(one.key) is None
    )


def _wish_everything(race: _Race) -> None:
    rules = standing_of(race.ruleset)
    if rules is None:
        return
    view = race.ruleset.view(race.course.state, None)
    wishes = {type(wish): wish for one in rules.occasions(view) if (wish := rules.wish(one.key)) is not None}
    acts = [Act(seat, wish) for seat in race.people for wish in wishes.values()]
    if acts:
        race.course.give(acts)


def races(club: Club, *, jobs: int, each: Callable[[], None]) -> list[RaceTime]:
    """The races of a club in order; ``each`` is called after every one."""
    done = []
    for run in in_order(partial(run_race, club), range(club.races), jobs=jobs):
        done.append(run)
        each()
    return done


def figures(done: Sequence[RaceTime]) -> dict[str, JSON]:
    """What the races of one way took, as plain JSON: days as median and 90th percentile, waits a turn."""
    days = [run.days for run in done]
    turns = sum(run.turns for run in done)
    return {
        "races": len(done),
        "finished": sum(run.is_finished for run in done),
        "days_median": round(median(days), 2),
        "days_p90": round(quantiles(days, n=10)[-1], 2) if len(days) > 1 else round(days[0], 2),
        "turns_mean": round(turns / len(done), 1),
        "hours_a_turn": round(24 * sum(days) / turns, 2),
        "waits_a_turn": round(sum(run.waits for run in done) / turns, 2),
        "people_waited_for_a_turn": round(sum(run.waited_for for run in done) / turns, 2),
        "answers": sum(run.answers for run in done),
        "lapses": sum(run.lapses for run in done),
        "answered_by_standing_orders": sum(run.by_order for run in done),
        "answered_by_plans": sum(run.by_plan for run in done),
    }
