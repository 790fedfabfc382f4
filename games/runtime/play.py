"""Acts applied to a position: pure results, for services to write down."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from games.engine import codec, play
from games.engine.chance import Stream
from games.engine.contract import JSON, Act, Event, Ruleset
from games.engine.record import draw_seating
from games.models import Race
from games.runtime.position import Position, faults_told, turn_of
from games.runtime.rulesets import keeps_secrets

BY_HAND: Final = frozenset({"player", "link", "mail", "api"})
"""Origins of acts that a person gave at that moment."""


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
    back: int | None = None
    by: list[int] | None = None
    may_undo: bool | None = None


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
    race: Race,
    ruleset: Ruleset[Any],
    *,
    seats: int,
    key: bytes,
    given: tuple[int, ...] | None = None,
    pairs: Sequence[tuple[int, int]] = (),
) -> Started:
    """Draw the seats, unless they are ``given``, and set the race up. ``pairs``: as games.engine.record.draw_seating.

    Raises Malformed if the rules do not take the options or so many seats.
    """
    stream = Stream(key)
    with faults_told(race):
        seating = draw_seating(seats, stream, pairs) if given is None else given
        played = play.start(ruleset, seats, race.options, stream)
        return Started(*_result(ruleset, 0, turn=0, given=(), played=played, stream=stream), seating)


def apply(
    race: Race, position: Position, given: Sequence[Given], *, key: bytes, waiting: Sequence[Given] = ()
) -> tuple[Position, Line]:
    """The position after these answers, and the record's line of them.

    ``waiting``: what seats have said without a question since the last entry; it goes before. Raises what
    games.engine.play.play raises, and Malformed.
    """
    ruleset = position.ruleset
    stream = Stream(key, position.chance_at)
    with faults_told(race):
        turn = turn_of(ruleset.view(position.state, None))
        said = play.play(ruleset, position.state, _acts(ruleset, waiting), stream)
        played = play.play(ruleset, said.state, _acts(ruleset, given), stream)
        may_undo = _shows_nothing(ruleset, said.state, given, played) and turn == turn_of(
            ruleset.view(played.state, None)
        )
        whole = play.Played(played.state, (*said.events, *played.events), played.draws)
        position, line = _result(
            ruleset, position.seq + 1, turn=turn, given=(*waiting, *given), played=whole, stream=stream
        )
        return position, replace(line, may_undo=may_undo or None)


def _acts(ruleset: Ruleset[Any], given: Sequence[Given]) -> list[Act]:
    return [Act(one.seat, action_of(ruleset, one.action)) for one in given]


def _shows_nothing(ruleset: Ruleset[Any], before: Any, given: Sequence[Given], played: play.Played) -> bool:
    """Whether one driver has answered, is the only one to be asked again, and nobody has seen anything hidden.

    Neither question may be one of a window, where it is a secret who is asked. What others have said without a question
    beside it makes no difference: it would tell of their wishes.
    """
    if len(given) != 1 or given[0].origin not in BY_HAND or played.draws:
        return False
    if any(event.private for event in played.events) or not keeps_secrets(ruleset, before, played.state):
        return False
    if ruleset.outcome(played.state) is not None or tuple(ruleset.waiting(played.state)) != (given[0].seat,):
        return False
    if ruleset.is_aside(action_of(ruleset, given[0].action)):
        return False
    return not any(decision.sealed for state in (before, played.state) for decision in ruleset.pending(state))


def go_back(
    race: Race, position: Position, state: Any, *, to: int, by: Sequence[int], words: str = ""
) -> tuple[Position, Line]:
    """The position of a race that goes back to this state, the one after entry ``to``, and the record's line of it.

    ``by`` and ``words``: as back_event(). The stream of chance goes on from where it is.
    """
    with faults_told(race):
        data = codec.dump(state)
        line = Line(
            seq=position.seq + 1,
            turn=position.turn,
            acts=[],
            draws=[],
            events=[back_event(to=to, by=by, words=words)],
            digest=hashlib.sha256(data).hexdigest(),
            back=to,
            by=list(by),
        )
        return Position(position.ruleset, line.seq, state, data, position.chance_at), line


TAKEN_BACK: Final = "taken_back"
GONE_BACK: Final = "gone_back"
"""Kinds of events that no ruleset tells: one driver took an act back, or all went back to an earlier entry."""


def back_event(*, to: int, by: Sequence[int], words: str) -> dict[str, JSON]:
    """The event of a race that goes back. ``by``: one seat, whose act of these ``words`` is undone, or all."""
    kind = TAKEN_BACK if len(by) == 1 else GONE_BACK
    return {"kind": kind, "rule": "", "public": {"to": to, "seats": list(by), "words": words}, "private": {}}


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
