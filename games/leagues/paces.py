"""How long a race will still take, from how long races of its league have taken: public clocks and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles
from typing import Final

LEAST_RACES: Final = 3
"""With fewer finished races nothing is said."""


@dataclass(frozen=True)
class Done:
    """A finished race: cars, turns that were taken, seconds from start to end."""

    cars: int
    turns: int
    seconds: int


@dataclass(frozen=True)
class Pace:
    """What is to be expected of a race. ``likely``, and ``early`` to ``late``, between which eight in ten fall."""

    turn_seconds: int
    turns_left: int
    likely: datetime
    early: datetime
    late: datetime
    based_on: int


def pace_of(*, cars: int, turn: int, started_at: datetime, now: datetime, done: Sequence[Done]) -> Pace | None:
    """When a race of so many cars, now in this turn, will likely be over; None before LEAST_RACES have been finished.

    The league's time for a turn is the median over its finished races. The race's own tempo counts the more, the
    further it is: as much as the part of it that is over. Turns are counted by car, since more cars take more turns.
    """
    done = [race for race in done if race.turns and race.cars]
    if len(done) < LEAST_RACES:
        return None
    each = [race.turns / race.cars for race in done]
    turns = median(each) * cars
    part = min(1.0, turn / turns)
    league = median(race.seconds / race.turns for race in done)
    own = (now - started_at).total_seconds() / turn if turn else league
    a_turn = part * own + (1 - part) * league
    # However long it has taken, somebody has still to finish.
    left = max(turns - turn, 1.0)
    spread = quantiles([one / median(each) for one in each], n=10) if len(each) > 1 else [1.0] * 9
    early, late = (max(turns * factor - turn, 1.0) for factor in (spread[0], spread[-1]))
    return Pace(
        turn_seconds=round(a_turn),
        turns_left=round(left),
        likely=now + timedelta(seconds=round(left * a_turn)),
        early=now + timedelta(seconds=round(min(early, left) * a_turn)),
        late=now + timedelta(seconds=round(max(late, left) * a_turn)),
        based_on=len(done),
    )
