"""Acts applied to a position: pure results, for services to write down."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.engine import codec, play
from games.engine.chance import Stream
from games.engine.contract import JSON, Act, Event, Ruleset
from games.engine.record import draw_seating
from games.models import Race
from games.runtime.position import Position, faults_told, turn_of


@dataclass(frozen=True)
class Given:
    """An answer as it reached us: the seat's number, the action as JSON, and where it came from."""

    seat: int
    action: Mapping[str, JSON]
    origin: str


@dataclass(frozen=True)
class Line:
    """What an Entry row holds: see games.models.Entry."""

    seq: int
    turn: int
    acts: list[dict[str, JSON]]
    draws: list[JSON]
    events: list[dict[str, JSON]]
    digest: str


@dataclass(frozen=True)
class Started:
    """A race just set up. ``seating``: the car of each driver, in the order in which they joined."""

    position: Position
    line: Line
    seating: tuple[int, ...]


def seating_of(*, seats: int, key: bytes) -> tuple[int, ...]:
    """The car of each driver as begin() will draw it: for a race whose cars are drawn before it is set up."""
    return draw_seating(seats, Stream(key))


def begin(
    race: Race, ruleset: Ruleset[Any], *, seats: int, key: bytes, given: tuple[int, ...] | None = None
) -> Started:
    """Draw the seats, unless they are ``given``, and set the race up.

    Raises Malformed if the rules do not take the options or so many seats.
    """
    stream = Stream(key)
    with faults_told(race):
        seating = draw_seating(seats, stream) if given is None else given
        played = play.start(ruleset, seats, race.options, stream)
        return Started(*_result(ruleset, 0, turn=0, given=(), played=played, stream=stream), seating)


def apply(race: Race, position: Position, given: Sequence[Given], *, key: bytes) -> tuple[Position, Line]:
    """The position after these answers, and the record's line of them.

    Raises what games.engine.play.play raises, and Malformed.
    """
    ruleset = position.ruleset
    stream = Stream(key, position.chance_at)
    with faults_told(race):
        acts = [Act(one.seat, action_of(ruleset, one.action)) for one in given]
        turn = turn_of(ruleset.view(position.state, None))
        played = play.play(ruleset, position.state, acts, stream)
        return _result(ruleset, position.seq + 1, turn=turn, given=given, played=played, stream=stream)


def check(race: Race, position: Position, seat: int, action: Any) -> None:
    """Raise what apply() would raise for this one answer."""
    with faults_told(race):
        play.check(position.ruleset, position.state, seat, action)


def action_of(ruleset: Ruleset[Any], data: Mapping[str, JSON]) -> Any:
    """An action of the ruleset from JSON; raises Malformed."""
    return codec.action_from_json(ruleset.action_type, dict(data))


def _result(
    ruleset: Ruleset[Any], seq: int, *, turn: int, given: Sequence[Given], played: play.Played, stream: Stream
) -> tuple[Position, Line]:
    data = codec.dump(played.state)
    line = Line(
        seq=seq,
        turn=turn,
        acts=[{"seat": one.seat, "action": dict(one.action), "origin": one.origin} for one in given],
        draws=[list(draw) for draw in played.draws],
        events=[event_json(event) for event in played.events],
        # The same bytes that codec.digest() would write once more.
        digest=hashlib.sha256(data).hexdigest(),
    )
    return Position(ruleset, seq, played.state, data, stream.at), line


def event_json(event: Event) -> dict[str, JSON]:
    """An event as an Entry row keeps it."""
    built: dict[str, JSON] = codec.to_json(event)
    # JSON has no numbers for keys.
    return {**built, "private": {str(seat): part for seat, part in built.get("private", {}).items()}}
