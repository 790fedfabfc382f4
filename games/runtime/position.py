"""A race in memory: its state as the rows hold it, or a clear fault."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from games.engine import codec
from games.engine.chance import stream_key
from games.engine.contract import JSON, Decision, Ruleset
from games.engine.errors import ActionRefused
from games.models import Race, Seat, Snapshot
from games.runtime.errors import RaceFaulty
from games.runtime.rulesets import RULESETS, component_hash, shares_cars

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Position:
    """A race between two entries.

    ``data`` is the state as stored; ``chance_at`` how many words of the stream are used up.
    """

    ruleset: Ruleset[Any]
    seq: int
    state: Any
    data: bytes
    chance_at: int

    @property
    def turn(self) -> int:
        """The public number of the turn in progress; 0 in a game without turns."""
        return turn_of(self.ruleset.view(self.state, None))

    def pending(self) -> tuple[Decision, ...]:
        """The open questions, clockwise from the active seat; () when the race is over."""
        return () if self.ruleset.outcome(self.state) is not None else self.ruleset.pending(self.state)


def turn_of(view: JSON) -> int:
    """The turn's number in a view."""
    return int(view.get("turn", 0))


@contextmanager
def faults_told(race: Race) -> Iterator[None]:
    """Turn whatever goes wrong inside the rules into RaceFaulty, and log it: no player ever sees a stack trace.

    Refusals pass. Only calls of rulesets and decoding belong inside: a database that is down is no fault of the race.
    """
    try:
        yield
    except ActionRefused:
        raise
    except Exception as error:
        logger.exception("race %s is faulty", race.public_id)
        raise RaceFaulty(f"{type(error).__name__}: {error}") from error


def ruleset_of(race: Race) -> Ruleset[Any]:
    """The rules that a race is played by; raises RaceFaulty if they are not here or are not those it began with."""
    with faults_told(race):
        if race.ruleset not in RULESETS:
            raise RaceFaulty(f"the ruleset “{race.ruleset}” is not installed")
        ruleset = RULESETS[race.ruleset]
        if race.rules_version is not None and race.rules_version != ruleset.version:
            raise RaceFaulty(
                f"played under version {race.rules_version} of the rules; this is version {ruleset.version}"
            )
        if race.started_at is not None and component_hash(ruleset, race.options) != race.component_hash:
            raise RaceFaulty("the component set has changed since the race began")
        return ruleset


def position_of(race: Race, snapshot: Snapshot | None) -> Position:
    """The race where it stands; raises RaceFaulty if its snapshot is missing, out of step, or unfit for the rules."""
    ruleset = ruleset_of(race)
    if snapshot is None:
        raise RaceFaulty("the snapshot is missing")
    if snapshot.seq != race.seq:
        raise RaceFaulty(f"the snapshot is of entry {snapshot.seq}, the race is at entry {race.seq}")
    data = bytes(snapshot.state)
    with faults_told(race):
        return Position(ruleset, race.seq, codec.load(ruleset.state_type, data), data, race.chance_at)


def race_key(race: Race, seats: Sequence[Seat]) -> bytes:
    """The key of the race's stream of chance, from its secret and the words of its seats.

    ``seats``: all of the race.
    """
    return stream_key(bytes(race.secret), words_of(seats))


def words_of(seats: Sequence[Seat]) -> tuple[str, ...]:
    """What each seat of a race adds to its secret, in the order in which they joined."""
    return tuple(seat.words for seat in drivers(seats))


def pairs_of(race: Race, seats: Sequence[Seat]) -> list[tuple[int, int]]:
    """Who of these seats shall share a car, each by its number in the order of joining, counted from 1.

    Two who name each other; then, in the order of joining, who names somebody, as far as both have nobody yet. [] for a
    race in which each has a car of their own.
    """
    if not shares_cars(ruleset_of(race), race.options):
        return []
    joined = drivers(seats)
    place = {seat.pk: number for number, seat in enumerate(joined, start=1)}
    wanted = {place[seat.pk]: place.get(seat.partner_wish_id or 0, 0) for seat in joined}
    found: dict[int, int] = {}
    for mutual in (True, False):
        for one, other in wanted.items():
            if other and one not in found and other not in found and (wanted[other] == one or not mutual):
                found |= {one: other, other: one}
    return sorted((one, other) for one, other in found.items() if one < other)


def drivers(seats: Sequence[Seat]) -> list[Seat]:
    """The seats that take part, in the order of joining: before the start those taken, later those with a car."""
    taking_part = [s for s in seats if s.number is not None] or [s for s in seats if s.state == "joined"]
    return sorted(taking_part, key=lambda seat: seat.joined_order)
