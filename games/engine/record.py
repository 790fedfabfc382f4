"""A race as a record of acts and draws.

The export, its replay, and the proof that the draws come from the committed secret.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from games.engine import codec
from games.engine.chance import WORD, Chance, Draw, Recorded, Stream, commitment, stream_key
from games.engine.contract import JSON, Act, Event, Outcome, Ruleset
from games.engine.errors import ActionRefused, RecordBroken
from games.engine.play import Played, play, start

FORMAT = 1


class EntryAct(msgspec.Struct, frozen=True):
    """One act of an entry: the seat, the action as JSON, and who gave it ("player", "deadline", "bot", "order", …)."""

    seat: int
    action: dict[str, Any]
    origin: str = "player"


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the record. Entry 0 is the set-up and has no acts. ``digest`` is that of the state after it.

    ``back``: the race went back to the state after that earlier entry; then there are neither acts nor draws. ``by``:
    the seats that wanted it, one that took its own last act back, or all that agreed to go back further.
    """

    seq: int
    acts: tuple[EntryAct, ...]
    draws: tuple[Draw, ...]
    digest: str
    back: int | None = None
    by: tuple[int, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """A whole race.

    ``secret`` is hexadecimal and only there once the race is over; ``words`` are what the players added to it.

    ``seating``: the seat that each player drew, in the order in which they joined, as is the order of ``words``; the
    draw is the first of entry 0. () means that nobody drew: the seats were given. ``names`` are by seat. ``pairs``:
    players, by the order in which they joined, who were to sit at seats that share something; see draw_seating. It is
    left out of records of races without any.
    """

    ruleset: str
    version: int
    seats: int
    options: dict[str, JSON]
    commitment: str
    entries: tuple[Entry, ...]
    format: int = FORMAT
    words: tuple[str, ...] = ()
    secret: str | None = None
    outcome: Outcome | None = None
    names: tuple[str, ...] = ()
    seating: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] | UnsetType = UNSET


class Step(msgspec.Struct, frozen=True):
    """A replayed entry: the state after it and what happened."""

    seq: int
    state: Any
    events: tuple[Event, ...]


SEATING = "seating"
"""The label of the draw by which drivers get their cars."""


COUPLES = "couples"
"""The label of the draw by which couples get what they share, where some players are to sit together."""


def draw_seating(seats: int, chance: Chance, pairs: Sequence[Sequence[int]] = ()) -> tuple[int, ...]:
    """The seat of each player, in the order in which they joined: the race's first draw, before the set-up.

    ``pairs``: players, by the order in which they joined, counted from 1, each in one pair at most, who are to sit half
    of the seats apart: where two seats share something, seats n and n + half do. The others are put together as they
    are drawn; of two the one drawn first has the lower seat; and which couple gets what is drawn too. Raises
    RecordBroken for pairs that cannot be.
    """
    drawn = chance.shuffled(seats, SEATING)
    if not pairs:
        return tuple(place + 1 for place in drawn)
    together = _together(seats, pairs)
    order = sorted(range(seats), key=drawn.__getitem__)
    couples: list[tuple[int, int]] = []
    alone: list[int] = []
    for player in order:
        if player in together:
            if all(player not in couple for couple in couples):
                couples.append((player, together[player]))
        else:
            alone.append(player)
            if not len(alone) % 2:
                couples.append((alone[-2], alone[-1]))
    seating = [0] * seats
    for (first, second), place in zip(couples, chance.shuffled(len(couples), COUPLES), strict=True):
        seating[first], seating[second] = place + 1, place + 1 + seats // 2
    return tuple(seating)


def _together(seats: int, pairs: Sequence[Sequence[int]]) -> dict[int, int]:
    """Who sits with whom, counted from 0; raises RecordBroken for pairs that cannot be."""
    together: dict[int, int] = {}
    for pair in pairs:
        if len(pair) == 2:
            together |= {pair[0] - 1: pair[1] - 1, pair[1] - 1: pair[0] - 1}
    sound = len(together) == 2 * len(pairs) and all(0 <= player < seats for player in together) and not seats % 2
    if not sound or any(one == other for one, other in together.items()):
        raise RecordBroken("the pairs in the record are none of its players, each in one at most")
    return together


def load(data: bytes | str) -> Record:
    """A record from its JSON; raises RecordBroken with a sentence."""
    try:
        record: Record = codec.load(Record, data)
    except msgspec.DecodeError as error:
        raise RecordBroken(f"this is no race record: {error}") from error
    if record.format != FORMAT:
        raise RecordBroken(f"format {record.format} is not known here; this version reads format {FORMAT}")
    return record


def dump(record: Record) -> bytes:
    """The record's JSON, indented, one stable text for one record."""
    return msgspec.json.format(codec.dump(record), indent=1)


def scrubbed(record: Record) -> Record:
    """The record without the drivers' names. What they added to the secret stays: the proof needs it."""
    return msgspec.structs.replace(record, names=())


NOBODYS = frozenset({"deadline", "rule", "resigned"})
"""Origins of acts that no driver has given."""


def replay(ruleset: Ruleset[Any], record: Record, each: Callable[[Step], None] | None = None) -> Any:
    """Play the record again from its draws; returns the last state.

    ``each`` is called after every entry. Raises RecordBroken with the number of the first entry that differs.
    """
    state: Any = None
    wanted = {entry.back for entry in record.entries}
    states: dict[int, Any] = {}
    for number, entry in enumerate(record.entries):
        if entry.seq != number:
            raise RecordBroken(f"expected entry {number}", entry=entry.seq)
        chance = Recorded(entry.draws)
        try:
            if entry.back is None:
                played = _apply(ruleset, record, state, entry, chance)
            else:
                _check_back(ruleset, record, state, entry)
                played = Played(states[entry.back], (), ())
        except RecordBroken as error:
            raise RecordBroken(str(error), entry=number) from error
        except ActionRefused as error:
            raise RecordBroken(f"an act is refused: {error}", entry=number) from error
        if chance.left:
            raise RecordBroken(f"{chance.left} recorded draws were not needed", entry=number)
        state = played.state
        if number in wanted:
            states[number] = state
        if codec.digest(state) != entry.digest:
            raise RecordBroken("the state differs from the recorded one", entry=number)
        if each is not None:
            each(Step(number, state, played.events))
    return state


def _check_back(ruleset: Ruleset[Any], record: Record, state: Any, entry: Entry) -> None:
    """Raise RecordBroken if the race cannot have gone back like this.

    One seat alone takes back its own last act, and no draw. For more, each driver who acted meanwhile is among those
    who agreed.
    """
    assert entry.back is not None
    if not 0 <= entry.back < entry.seq:
        raise RecordBroken(f"it goes back to entry {entry.back}, which is no earlier one")
    if entry.acts or entry.draws:
        raise RecordBroken("it goes back, and holds acts or draws all the same")
    if not entry.by or len(set(entry.by)) < len(entry.by) or not all(1 <= seat <= record.seats for seat in entry.by):
        raise RecordBroken("it goes back, and does not say by which seats")
    if ruleset.outcome(state) is not None:
        raise RecordBroken("it goes back after the end of the race")
    if len(entry.by) == 1:
        _check_taken_back(ruleset, record, entry)
        return
    gone = record.entries[entry.back + 1 : entry.seq]
    acted = {act.seat for one in gone for act in one.acts if act.origin not in NOBODYS}
    if acted - set(entry.by):
        raise RecordBroken(f"it goes back over an act of seat {min(acted - set(entry.by))}, which has not agreed")


def _check_taken_back(ruleset: Ruleset[Any], record: Record, entry: Entry) -> None:
    """One seat took back its last act: nobody else has answered anything in it, and nothing was drawn."""
    (seat,) = entry.by
    last = record.entries[in_force(record.entries, entry.seq - 1)]
    if entry.back != last.seq - 1:
        raise RecordBroken(f"seat {seat} alone can take back its last act and no more")
    answers = [
        act.seat for act in last.acts if not ruleset.is_aside(codec.action_from_json(ruleset.action_type, act.action))
    ]
    if answers != [seat] or last.draws:
        raise RecordBroken(f"entry {last.seq} is no act that seat {seat} alone can take back")


def in_force(entries: Sequence[Entry], seq: int) -> int:
    """The entry whose state is the one after ``seq``: itself, or what drivers came back to by taking acts back.

    A return that all agreed to is where this ends: everybody has learned something since.
    """
    while True:
        entry = entries[seq]
        if entry.back is None or len(entry.by) != 1:
            return seq
        seq = entry.back


def _apply(ruleset: Ruleset[Any], record: Record, state: Any, entry: Entry, chance: Recorded) -> Played:
    if entry.seq == 0:
        pairs = record.pairs or ()
        if record.seating and draw_seating(record.seats, chance, pairs) != record.seating:
            raise RecordBroken("the seats in the record are not those that were drawn")
        return start(ruleset, record.seats, record.options, chance)
    acts = [Act(a.seat, codec.action_from_json(ruleset.action_type, a.action)) for a in entry.acts]
    return play(ruleset, state, acts, chance)


def verify(rulesets: Mapping[str, Ruleset[Any]], record: Record) -> Outcome:
    """Prove a finished race offline: rules, draws and commitment. Returns its outcome; raises RecordBroken.

    When a race goes back, the stream of chance does not: what is drawn afterwards is drawn afresh, from where the
    stream was. A pile has no order, so no card is kept from anybody by that, and none that was seen comes again.
    """
    ruleset = rulesets.get(record.ruleset)
    if ruleset is None:
        raise RecordBroken(f"the ruleset «{record.ruleset}» is not known here")
    if ruleset.version != record.version:
        raise RecordBroken(f"played under version {record.version} of the rules; this is version {ruleset.version}")
    if record.secret is None:
        raise RecordBroken("the secret is not in the record: the race is not over yet")
    try:
        secret = bytes.fromhex(record.secret)
    except ValueError as error:
        raise RecordBroken("the secret is not hexadecimal") from error
    if commitment(secret) != record.commitment:
        raise RecordBroken("the secret does not fit the hash that was published at the start")
    stream = Stream(stream_key(secret, record.words))
    for entry in record.entries:
        for draw in entry.draws:
            _prove(draw, stream, entry.seq)
    state = replay(ruleset, record)
    ended = ruleset.outcome(state)
    if ended is None:
        raise RecordBroken("the record stops before the race is over")
    if record.outcome is not None and record.outcome != ended:
        claimed, found = _order_words(record.outcome), _order_words(ended)
        if claimed == found:
            raise RecordBroken("the record claims another end of the race than the replay gives")
        raise RecordBroken(f"the record claims {claimed}; the replay gives {found}")
    return ended


def _order_words(ended: Outcome) -> str:
    """The places in words, the first in front: "seat 2, then seats 1 and 3"."""
    return ", then ".join(
        f"seat{'s' if len(group) > 1 else ''} {' and '.join(str(seat) for seat in group)}" for group in ended.places
    )


def _prove(draw: Draw, stream: Stream, seq: int) -> None:
    """Whether a draw is what the stream gives next. Its size is the record's claim: none may keep the proof busy."""
    label, size, result = draw
    if not 1 <= size <= WORD or (not isinstance(result, int) and len(result) != size):
        raise RecordBroken(f"the draw «{label}» of {size} is none", entry=seq)
    fresh = stream.pick(size, label) if isinstance(result, int) else stream.shuffled(size, label)
    if fresh != result:
        raise RecordBroken(f"the draw «{label}» was {result}, but the secret gives {fresh}", entry=seq)


class Recorder:
    """Keeps a race and its record in memory: for simulations and tests. The server keeps rows instead."""

    def __init__(
        self,
        ruleset: Ruleset[Any],
        seats: int,
        options: Mapping[str, JSON],
        *,
        secret: bytes,
        words: tuple[str, ...] = (),
    ) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.options = ruleset.options(options)
        self.secret = secret
        self.words = words
        self._stream = Stream(stream_key(secret, words))
        self.entries: list[Entry] = []
        self.state: Any = None
        self.events: list[Event] = []
        self._states: list[Any] = []
        self._keep(start(ruleset, seats, self.options, self._stream), ())

    def act(self, acts: list[Act], origin: str = "player") -> Played:
        """Apply acts as one entry; a refused one leaves race and stream as they were."""
        at = self._stream.at
        self._stream.taken = []
        try:
            played = play(self.ruleset, self.state, acts, self._stream)
        except ActionRefused:
            self._stream.at = at
            raise
        self._keep(played, tuple(EntryAct(a.seat, codec.to_json(a.action), origin) for a in acts))
        return played

    def go_back(self, to: int, by: tuple[int, ...]) -> None:
        """Go back to the state after an entry, as an entry of its own; the stream of chance stays where it is."""
        self.state = self._states[to]
        self._states.append(self.state)
        self.entries.append(Entry(len(self.entries), (), (), codec.digest(self.state), back=to, by=by))

    def _keep(self, played: Played, acts: tuple[EntryAct, ...]) -> None:
        self.state = played.state
        self._states.append(played.state)
        self.events.extend(played.events)
        self.entries.append(Entry(len(self.entries), acts, played.draws, codec.digest(played.state)))

    def record(self) -> Record:
        """The record so far; with the secret once the race is over."""
        result = self.ruleset.outcome(self.state)
        return Record(
            ruleset=self.ruleset.key,
            version=self.ruleset.version,
            seats=self.seats,
            options=self.options,
            commitment=commitment(self.secret),
            entries=tuple(self.entries),
            words=self.words,
            secret=self.secret.hex() if result else None,
            outcome=result,
        )
