"""A record goes through JSON, replays and proves its race; whatever is changed in it is found and named."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from games.engine import codec
from games.engine.bots import random_answer
from games.engine.chance import commitment
from games.engine.contract import Act, Ruleset
from games.engine.errors import NotYourDecision, RecordBroken, RuleViolation
from games.engine.record import Entry, EntryAct, Record, Recorder, Step, dump, load, replay, scrubbed, verify
from tests.engine.toys import chase, dice, draft, grid, signals

GAMES: dict[str, Ruleset[Any]] = {game.RULESET.key: game.RULESET for game in (chase, dice, draft, grid, signals)}
WORDS = ("", "north", "é")


def raced(key: str, number: int = 0) -> Recorder:
    """A whole race at random, all open questions answered in one entry."""
    ruleset = GAMES[key]
    race = Recorder(ruleset, 3, {}, secret=f"secret {number}".encode(), words=WORDS)
    rng = Random(number)
    while decisions := ruleset.pending(race.state):
        race.act([Act(one.seat, random_answer(one, rng)) for one in decisions], origin="bot")
    return race


@pytest.fixture(scope="module")
def record() -> Record:
    """Of a game with dice, cards and secrets."""
    return raced("dice").record()


@pytest.mark.parametrize("key", GAMES)
def test_a_record_goes_through_json_and_proves_its_race(key: str) -> None:
    for number in range(20):
        race = raced(key, number)
        record = race.record()
        read = load(dump(record))
        assert dump(read) == dump(record)
        assert replay(GAMES[key], read) == race.state
        assert verify(GAMES, read) == GAMES[key].outcome(race.state)


def test_a_replay_tells_every_step(record: Record) -> None:
    race = raced("dice")
    steps: list[Step] = []
    replay(GAMES["dice"], record, steps.append)
    assert [step.seq for step in steps] == list(range(len(record.entries)))
    assert [event for step in steps for event in step.events] == race.events
    assert [codec.digest(step.state) for step in steps] == [entry.digest for entry in record.entries]


def test_the_secret_is_kept_until_the_race_is_over() -> None:
    race = Recorder(GAMES["dice"], 2, {}, secret=b"still secret")
    assert (race.record().secret, race.record().outcome) == (None, None)
    assert b"still secret".hex().encode() not in dump(race.record())
    assert race.record().commitment == commitment(b"still secret")
    with pytest.raises(RecordBroken, match="the race is not over yet"):
        verify(GAMES, race.record())


def test_a_refused_act_leaves_race_and_stream_as_they_were() -> None:
    """What comes after it is what would have come without it, though an act before it had drawn."""
    plain, tried = (Recorder(GAMES["dice"], 2, {}, secret=b"x") for _ in range(2))
    before = tried.state
    with pytest.raises(NotYourDecision):
        tried.act([Act(1, dice.Throw()), Act(2, dice.Throw()), Act(2, dice.Throw()), Act(9, dice.Throw())])
    with pytest.raises(RuleViolation):
        tried.act([Act(1, dice.Throw(stake=99))])
    assert tried.state is before
    assert len(tried.entries) == 1
    for race in (plain, tried):
        race.act([Act(1, dice.Throw())])
    assert tried.record() == plain.record()


def test_a_record_without_names_still_proves_its_race(record: Record) -> None:
    named = replace(record, names=("Ann", "Bo", "Cy"))
    assert b"Ann" in dump(named)
    assert b"Ann" not in dump(scrubbed(named))
    assert verify(GAMES, scrubbed(named)) == record.outcome


Change = Callable[[Record], Record]


def entries_changed(record: Record, at: int, *new: Entry) -> Record:
    return replace(record, entries=(*record.entries[:at], *new, *record.entries[at + 1 :]))


def at_a_draw(record: Record) -> int:
    """An entry in the middle that has a draw."""
    return next(entry.seq for entry in record.entries[5:] if entry.draws)


def other_draw(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    label, size, result = entry.draws[0]
    assert isinstance(result, int)
    return entries_changed(record, entry.seq, replace(entry, draws=((label, size, (result + 1) % size),)))


def other_size(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    label, _, result = entry.draws[0]
    return entries_changed(record, entry.seq, replace(entry, draws=((label, 7, result),)))


def other_label(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    return entries_changed(record, entry.seq, replace(entry, draws=(("dice", *entry.draws[0][1:]),)))


def no_draw(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    return entries_changed(record, entry.seq, replace(entry, draws=()))


def one_draw_more(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    return entries_changed(record, entry.seq, replace(entry, draws=(*entry.draws, ("die", 6, 3))))


def other_act(record: Record) -> Record:
    """A throw with a stake in place of one without, or the other way round."""
    entry = record.entries[at_a_draw(record)]
    act = entry.acts[0]
    stake = 1 if act.action.get("stake", 0) != 1 else 2
    acts = (replace(act, action={**act.action, "stake": stake}),)
    safe = next(e for e in record.entries[5:] if e.draws and e.draws[0][2] != 0)
    return entries_changed(record, safe.seq, replace(safe, acts=acts))


def other_seat(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    seat = entry.acts[0].seat % 3 + 1
    return entries_changed(record, entry.seq, replace(entry, acts=(replace(entry.acts[0], seat=seat),)))


def no_act_of_the_game(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    acts = (replace(entry.acts[0], action={"do": "fly"}),)
    return entries_changed(record, entry.seq, replace(entry, acts=acts))


def forbidden_act(record: Record) -> Record:
    entry = record.entries[at_a_draw(record)]
    acts = (replace(entry.acts[0], action={"do": "throw", "stake": 50}),)
    return entries_changed(record, entry.seq, replace(entry, acts=acts))


def other_digest(record: Record) -> Record:
    entry = record.entries[4]
    return entries_changed(record, 4, replace(entry, digest=entry.digest[::-1]))


def entry_missing(record: Record) -> Record:
    return entries_changed(record, 4)


def entry_twice(record: Record) -> Record:
    return entries_changed(record, 4, record.entries[4], record.entries[4])


def entries_swapped(record: Record) -> Record:
    return replace(record, entries=(*record.entries[:4], record.entries[5], record.entries[4], *record.entries[6:]))


FOUND_IN_A_REPLAY: Sequence[tuple[Change, str]] = [
    (other_draw, "the state differs from the recorded one"),
    (other_size, "draw 0 is «die» of 7 in the record, but «die» of 6 is needed"),
    (other_label, "draw 0 is «dice» of 6 in the record, but «die» of 6 is needed"),
    (no_draw, "a draw «die» of 6 is needed, but the record has no more"),
    (one_draw_more, "1 recorded draws were not needed"),
    (other_act, "the state differs from the recorded one"),
    (other_seat, "an act is refused: Nothing is asked of you now"),
    (no_act_of_the_game, "an act is refused: This is no act of the game"),
    (forbidden_act, "an act is refused: A stake is 0 to 3 [(]2[)]"),
    (other_digest, "the state differs from the recorded one"),
    (entry_missing, "expected entry 4"),
    (entry_twice, "expected entry 5"),
    (entries_swapped, "expected entry 4"),
]


@pytest.mark.parametrize(("change", "says"), FOUND_IN_A_REPLAY, ids=lambda part: getattr(part, "__name__", None))
def test_what_was_changed_in_an_entry_is_found_and_the_entry_named(record: Record, change: Change, says: str) -> None:
    changed = change(record)
    first = next(
        place for place, (is_, was) in enumerate(zip(changed.entries, record.entries, strict=False)) if is_ != was
    )
    with pytest.raises(RecordBroken, match=says) as caught:
        replay(GAMES["dice"], changed)
    assert caught.value.entry in {first, changed.entries[first].seq}
    assert str(caught.value).startswith(f"entry {caught.value.entry}: ")
    with pytest.raises(RecordBroken):
        verify(GAMES, changed)


def test_a_draw_that_was_chosen_is_found_even_if_all_that_follows_fits_it() -> None:
    """A forger who replays his own draws and writes the digests anew cannot make the secret give them."""
    race = Recorder(GAMES["dice"], 3, {}, secret=b"honest", words=WORDS)
    forged = Recorder(GAMES["dice"], 3, {}, secret=b"forged", words=WORDS)
    rng = Random(5)
    while decisions := GAMES["dice"].pending(forged.state):
        forged.act([Act(one.seat, random_answer(one, rng)) for one in decisions])
    record = replace(forged.record(), secret=b"honest".hex(), commitment=race.record().commitment)
    assert replay(GAMES["dice"], record) == forged.state, "by itself it is sound"
    with pytest.raises(RecordBroken, match=r"entry 0: the draw «deck» was .*, but the secret gives"):
        verify(GAMES, record)


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"ruleset": "ludo"}, "the ruleset «ludo» is not known here"),
        ({"version": 7}, "played under version 7 of the rules; this is version 1"),
        ({"secret": None}, "the secret is not in the record"),
        ({"secret": "xyz"}, "the secret is not hexadecimal"),
        ({"secret": "00"}, "the secret does not fit the hash that was published at the start"),
        ({"commitment": "0" * 64}, "the secret does not fit the hash"),
        ({"words": ("", "north", "e")}, "entry 0: the draw «deck» was .* but the secret gives"),
        ({"words": ("north", "", "é")}, "entry 0: the draw «deck»"),
        ({"seats": 2}, "entry 0: the state differs"),
        ({"seats": 0}, "entry 0: an act is refused: Push your luck is for 2 to 3 drivers"),
        ({"options": {"laps": 3}}, "entry 0: an act is refused: Push your luck has no options"),
        ({"seating": (2, 1, 3)}, "entry 0: draw 0 is «deck» of 12 in the record, but «seating» of 3 is needed"),
        ({"seats": 10**15, "seating": (1,)}, "entry 0: draw 0 is «deck» of 12"),
    ],
    ids=str,
)
def test_what_was_changed_in_the_head_is_found(record: Record, part: dict[str, Any], says: str) -> None:
    with pytest.raises(RecordBroken, match=says):
        verify(GAMES, replace(record, **part))


# --- Going back -------------------------------------------------------------------------


def back_and_on(key: str, number: int, *, at: int = 2, to: int = 0) -> Recorder:
    """A race that all let go back once it has come to entry ``at``, and that then goes on to its end."""
    ruleset = GAMES[key]
    race = Recorder(ruleset, 3, {}, secret=f"secret {number}".encode(), words=WORDS)
    rng = Random(number)
    while decisions := ruleset.pending(race.state):
        race.act([Act(one.seat, random_answer(one, rng)) for one in decisions], origin="bot")
        if len(race.entries) == at + 1 and ruleset.pending(race.state):
            race.go_back(to, (1, 2, 3))
    return race


@pytest.mark.parametrize("key", GAMES)
def test_a_race_that_went_back_is_replayed_and_proved(key: str) -> None:
    went = 0
    for number in range(20):
        race = back_and_on(key, number)
        record = race.record()
        read = load(dump(record))
        assert dump(read) == dump(record)
        assert replay(GAMES[key], read) == race.state
        assert verify(GAMES, read) == GAMES[key].outcome(race.state)
        for entry in record.entries:
            if entry.back is not None:
                went += 1
                assert entry.digest == record.entries[entry.back].digest
    assert went > 5


def test_what_is_drawn_after_going_back_is_drawn_afresh() -> None:
    """The stream goes on where it was: the same throw at the same place shows another number sooner or later."""
    again = 0
    for number in range(20):
        entries = back_and_on("dice", number).record().entries
        words = [draw[2] for entry in entries for draw in entry.draws]
        plain = raced("dice", number).record()
        assert words[: len(entries[0].draws)] == [draw[2] for draw in plain.entries[0].draws]
        stream = Recorder(GAMES["dice"], 3, {}, secret=f"secret {number}".encode(), words=WORDS)._stream
        fresh = [
            stream.pick(draw[1], draw[0]) for entry in entries[1:] for draw in entry.draws if isinstance(draw[2], int)
        ]
        assert fresh == [draw[2] for entry in entries[1:] for draw in entry.draws if isinstance(draw[2], int)]
        again += any(entry.back is not None and later.draws for entry, later in pairwise(entries))
    assert again > 5


def test_a_record_of_before_that_has_not_gone_back_reads_as_it_did(record: Record) -> None:
    assert b"back" not in dump(record)
    assert b'"by"' not in dump(record)


def gone_back(to: int = 2, by: tuple[int, ...] = (1, 2, 3), **more: Any) -> Change:
    """Entry 4 claims to go back, with the digest that fits as far as there is one."""

    def change(record: Record) -> Record:
        entry = record.entries[4]
        digest = record.entries[to].digest if 0 <= to < 5 else entry.digest
        given = {"acts": (), "draws": (), "digest": digest, "back": to, "by": by, **more}
        return entries_changed(record, 4, replace(entry, **given))

    return change


HOSTILE: Sequence[tuple[Change, str]] = [
    (gone_back(4), "it goes back to entry 4, which is no earlier one"),
    (gone_back(5), "it goes back to entry 5, which is no earlier one"),
    (gone_back(-1), "it goes back to entry -1, which is no earlier one"),
    (gone_back(draws=(("die", 6, 3),)), "it goes back, and holds acts or draws all the same"),
    (gone_back(acts=(EntryAct(1, {"do": "throw"}),)), "it goes back, and holds acts or draws all the same"),
    (gone_back(by=()), "it goes back, and does not say by which seats"),
    (gone_back(by=(1, 1)), "it goes back, and does not say by which seats"),
    (gone_back(by=(1, 4)), "it goes back, and does not say by which seats"),
    (gone_back(0, by=(2, 3)), "it goes back over an act of seat 1, which has not agreed"),
    (gone_back(1, by=(1,)), "seat 1 alone can take back its last act and no more"),
    (gone_back(digest="0" * 64), "the state differs from the recorded one"),
]


@pytest.mark.parametrize(("change", "says"), HOSTILE, ids=[says for _, says in HOSTILE])
def test_going_back_otherwise_than_may_be_is_found(record: Record, change: Change, says: str) -> None:
    with pytest.raises(RecordBroken, match=says) as caught:
        replay(GAMES["dice"], change(record))
    assert caught.value.entry == 4


def test_nobody_goes_back_after_the_end(record: Record) -> None:
    last = record.entries[-1]
    claimed = Entry(last.seq + 1, (), (), record.entries[2].digest, back=2, by=(1, 2, 3))
    with pytest.raises(RecordBroken, match="it goes back after the end of the race"):
        replay(GAMES["dice"], replace(record, entries=(*record.entries, claimed)))


def picked(*seats: int) -> Recorder:
    """A draft of three in which these seats have picked, each in an entry of its own."""
    race = Recorder(GAMES["draft"], 3, {}, secret=b"x")
    for seat in seats:
        decision = next(one for one in GAMES["draft"].pending(race.state) if one.seat == seat)
        race.act([Act(seat, decision.menu[0])])
    return race


def test_one_seat_alone_takes_back_its_own_last_act() -> None:
    race = picked(1, 2)
    race.go_back(1, (2,))
    race.go_back(0, (1,))
    assert race.state == race._states[0]
    assert replay(GAMES["draft"], race.record()) == race.state


@pytest.mark.parametrize(
    ("seats", "to", "by", "says"),
    [
        ((1, 2), 1, (1,), "entry 2 is no act that seat 1 alone can take back"),
        ((1, 2), 0, (2,), "seat 2 alone can take back its last act and no more"),
        ((1, 2), 0, (1,), "seat 1 alone can take back its last act and no more"),
    ],
    ids=str,
)
def test_one_seat_alone_takes_back_nothing_else(
    seats: tuple[int, ...], to: int, by: tuple[int, ...], says: str
) -> None:
    race = picked(*seats)
    race.go_back(to, by)
    with pytest.raises(RecordBroken, match=says):
        replay(GAMES["draft"], race.record())


def test_one_seat_alone_takes_no_draw_back() -> None:
    """Else it could throw again until it likes what it sees."""
    race = Recorder(GAMES["dice"], 2, {}, secret=b"x")
    race.act([Act(1, dice.Throw())])
    race.go_back(0, (1,))
    with pytest.raises(RecordBroken, match="entry 2: entry 1 is no act that seat 1 alone can take back"):
        replay(GAMES["dice"], race.record())


def test_nobody_takes_back_what_all_have_gone_back_to() -> None:
    """Since then everybody has learned something."""
    race = picked(1, 2)
    race.go_back(1, (1, 2, 3))
    assert replay(GAMES["draft"], race.record()) == race.state
    race.go_back(0, (1,))
    with pytest.raises(RecordBroken, match="seat 1 alone can take back its last act and no more"):
        replay(GAMES["draft"], race.record())


def test_a_race_that_stops_early_is_not_proved(record: Record) -> None:
    with pytest.raises(RecordBroken, match="the record stops before the race is over"):
        verify(GAMES, replace(record, entries=record.entries[:-1]))


def test_another_winner_is_not_believed(record: Record) -> None:
    assert record.outcome is not None
    claimed = replace(record.outcome, places=record.outcome.places[::-1])
    with pytest.raises(RecordBroken, match=r"the record claims seats? \d[^()]*; the replay gives seats? \d[^()]*$"):
        verify(GAMES, replace(record, outcome=claimed))


@pytest.mark.parametrize(
    "draw",
    [
        ("die", 0, 0),
        ("die", -1, 0),
        ("die", 2**64 + 1, 0),
        ("die", 10**30, 1),
        ("deck", 10**15, (0, 1)),
        ("deck", 0, ()),
    ],
    ids=str,
)
def test_a_draw_whose_size_cannot_be_is_refused_at_once(record: Record, draw: Any) -> None:
    """A stranger's record says so; it must not keep the proof busy for ever, nor bring it down."""
    entry = record.entries[0]
    changed = entries_changed(record, 0, replace(entry, draws=(draw, *entry.draws)))
    with pytest.raises(RecordBroken, match=r"entry 0: the draw .* is none"):
        verify(GAMES, changed)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "this is no race record"),
        (b"[]", "this is no race record"),
        (b"{}", "this is no race record: .*ruleset"),
        (b"\xff\xfe", "this is no race record"),
    ],
)
def test_what_is_no_record_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(RecordBroken, match=says):
        load(data)


def test_a_record_of_a_later_format_is_refused_by_its_number(record: Record) -> None:
    with pytest.raises(RecordBroken, match="format 2 is not known here; this version reads format 1"):
        load(dump(replace(record, format=2)))


def test_whatever_byte_is_changed_the_record_is_proved_or_refused(record: Record) -> None:
    """Nothing but RecordBroken comes of a damaged file; what is still proved says the same as before."""
    whole = dump(record)
    rng = Random(1)
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        data[rng.randrange(len(data))] = rng.choice(b'0123456789abc"{}[],: ')
        try:
            assert verify(GAMES, load(bytes(data))) == record.outcome
        except RecordBroken:
            refused += 1
    assert refused > 200
