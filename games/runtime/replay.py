"""A race's rows as a record, and the race after any of its entries."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec import UNSET

from games.engine import codec, record
from games.engine.contract import JSON, Outcome, Ruleset
from games.engine.errors import RecordBroken
from games.engine.record import SEATING, Record, Step
from games.models import Entry, Race, Seat
from games.runtime.errors import RaceFaulty
from games.runtime.play import Line, action_of, back_event, event_json
from games.runtime.position import drivers, faults_told, pairs_of, ruleset_of, turn_of, words_of
from games.runtime.present import names_of, race_part, seats_part, seats_read
from games.runtime.rulesets import board_words
from games.runtime.story import lines_of, notes_of
from games.runtime.words import stamp


class _Reached(Exception):
    """The wanted entry has been replayed."""


def record_of_rows(race: Race, seats: Sequence[Seat], entries: Sequence[Entry]) -> Record:
    """The record that these rows hold; the secret and the outcome are in it once the race is over."""
    seated = drivers(seats)
    return Record(
        ruleset=race.ruleset,
        version=race.rules_version or 0,
        seats=len(seated),
        options=race.options,
        commitment=race.commitment,
        entries=tuple(
            record.Entry(
                seq=entry.seq,
                acts=tuple(
                    record.EntryAct(act["seat"], act["action"], origin_shown(act["origin"])) for act in entry.acts
                ),
                draws=tuple(
                    (label, size, tuple(result) if isinstance(result, list) else result)
                    for label, size, result in entry.draws
                ),
                digest=entry.digest,
                back=entry.back,
                by=tuple(entry.by or ()),
            )
            for entry in entries
        ),
        words=words_of(seats),
        secret=bytes(race.secret).hex() if race.status == "finished" else None,
        outcome=None if race.outcome is None else outcome_of(race.outcome),
        names=tuple(seat.shown_name for seat in sorted(seated, key=lambda seat: seat.number or 0)),
        # A race that was taken in from a record without drawn seats has none either.
        seating=tuple(seat.number or 0 for seat in seated) if _has_seating(entries) else (),
        pairs=tuple(pairs_of(race, seats)) or UNSET,
    )


def _has_seating(entries: Sequence[Entry]) -> bool:
    return bool(entries) and bool(entries[0].draws) and entries[0].draws[0][0] == SEATING


BEFOREHAND = frozenset({"order", "standing", "plan"})
"""Origins of acts given beforehand: nobody but their owner is ever told that they were."""


def origin_shown(origin: str) -> str:
    """The origin of an act as all may know it."""
    return "player" if origin in BEFOREHAND else origin


def outcome_of(data: JSON) -> Outcome:
    """An outcome from the JSON of its row."""
    return Outcome(
        places=tuple(tuple(group) for group in data["places"]),
        reason=data["reason"],
        teams=tuple(tuple(team) for team in data.get("teams", ())),
        shared=data.get("shared"),
    )


def state_after(ruleset: Ruleset[Any], played: Record, entry: int) -> tuple[Any, Any]:
    """The states before (None: entry 0) and after an entry; raises RecordBroken at the first entry that differs."""
    states: list[Any] = [None, None]

    def each(step: Step) -> None:
        states[0], states[1] = states[1], step.state
        if step.seq == entry:
            raise _Reached

    with suppress(_Reached):
        record.replay(ruleset, played, each)
    return states[0], states[1]


def lines_of_record(ruleset: Ruleset[Any], played: Record) -> tuple[bytes, list[Line], Outcome]:
    """The last state as stored, all lines, and the outcome of a finished race's record; raises RecordBroken."""
    outcome = record.verify({ruleset.key: ruleset}, played)
    lines: list[Line] = []
    turns = [0]
    last: list[Any] = []

    def each(reached: Step) -> None:
        entry = played.entries[reached.seq]
        lines.append(
            Line(
                seq=reached.seq,
                turn=turns[-1],
                acts=[codec.to_json(act) for act in entry.acts],
                draws=[list(draw) for draw in entry.draws],
                events=_events(ruleset, played, reached),
                digest=entry.digest,
                back=entry.back,
                by=list(entry.by) or None,
            )
        )
        turns.append(turn_of(ruleset.view(reached.state, None)))
        last[:] = [reached.state]

    record.replay(ruleset, played, each)
    return codec.dump(last[0]), lines, outcome


def _events(ruleset: Ruleset[Any], played: Record, reached: Step) -> list[dict[str, JSON]]:
    """The events of a replayed entry, as an Entry row keeps them."""
    entry = played.entries[reached.seq]
    if entry.back is None:
        return [event_json(event) for event in reached.events]
    words = ""
    if len(entry.by) == 1:
        undone = played.entries[record.in_force(played.entries, entry.seq - 1)]
        act = next(act for act in reversed(undone.acts) if act.seat == entry.by[0])
        words = ruleset.say(ruleset.view(reached.state, act.seat), action_of(ruleset, act.action))
    return [back_event(to=entry.back, by=entry.by, words=words)]


def state_at(race: Race, entry: int) -> Any:
    """The state after this entry of a race, by playing its record again; raises RaceFaulty.

    Raises LookupError if there is no such entry.
    """
    ruleset = ruleset_of(race)
    entries = list(Entry.objects.filter(race=race, seq__lte=entry).order_by("seq"))
    if not 0 <= entry < len(entries):
        raise LookupError(f"there is no entry {entry}")
    with faults_told(race):
        try:
            return record.replay(ruleset, record_of_rows(race, seats_read(race), entries))
        except RecordBroken as broken:
            raise RaceFaulty(str(broken)) from broken


def step(race: Race, entry: int, viewer: Seat | None, *, eyes: int | None = None) -> dict[str, JSON]:
    """The race after this entry: see games.selectors.records.replay_step.

    Raises LookupError if there is no such entry, RaceFaulty.
    """
    ruleset = ruleset_of(race)
    seats = seats_read(race)
    entries = list(Entry.objects.filter(race=race).order_by("seq"))
    if not 0 <= entry < len(entries):
        raise LookupError(f"there is no entry {entry}; the last is {len(entries) - 1}")
    is_over = race.status == "finished"
    number = viewer.number if viewer is not None else None
    looking = eyes if is_over and eyes is not None else number
    with faults_told(race):
        try:
            before, state = state_after(ruleset, record_of_rows(race, seats, entries), entry)
        except RecordBroken as broken:
            raise RaceFaulty(str(broken)) from broken
        view = ruleset.view(state, looking)
        row = entries[entry]
        cars = {seat.number: seat.car for seat in seats}
        acts = [{**_act(ruleset, before, act, viewer=number), "car": cars[act["seat"]]} for act in row.acts if is_over]
    names = names_of(seats)
    return {
        "race": race_part(race, seats, title=ruleset.title),
        "seats": seats_part(race, seats, viewer),
        "names": names.cars,
        "drivers": names.drivers,
        "you": number,
        "car": None if viewer is None else viewer.car,
        "eyes": looking,
        "view": view,
        "board": board_words(ruleset, view),
        "entry": {
            "seq": row.seq,
            "at": stamp(row.created_at),
            "turn": row.turn,
            "acts": acts,
            "draws": [{"label": d[0], "size": d[1], "result": d[2]} for d in row.draws] if is_over else [],
            "back": row.back,
        },
        "log": lines_of(race, ruleset, [row], viewer=looking, names=names, notes=notes_of(race, since=row.seq)),
        "first": 0,
        "previous": entry - 1 if entry else None,
        "next": entry + 1 if entry + 1 < len(entries) else None,
        "last": len(entries) - 1,
        "turns": _turns(entries),
    }


def _act(ruleset: Ruleset[Any], before: Any, act: JSON, *, viewer: int | None) -> dict[str, JSON]:
    view = ruleset.view(before, act["seat"])
    return {
        "seat": act["seat"],
        "words": ruleset.say(view, action_of(ruleset, act["action"])),
        "action": act["action"],
        "origin": act["origin"] if act["seat"] == viewer else origin_shown(act["origin"]),
    }


def _turns(entries: Sequence[Entry]) -> list[dict[str, int]]:
    """Where each turn is first acted in: {"turn", "entry"}."""
    turns: list[dict[str, int]] = []
    for entry in entries[1:]:
        # A race that went back goes through a turn again.
        if entry.back is None and (not turns or turns[-1]["turn"] != entry.turn):
            turns.append({"turn": entry.turn, "entry": entry.seq})
    return turns
