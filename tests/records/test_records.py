"""Whole races that were played once and must come out the same for ever: two at least for each way a race can end.

Of RoadKill also two for each way in which cars come by upgrades.

`scripts/record_races.py` wrote them; when the rules change on purpose, it writes them anew.
"""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from games.engine.errors import RecordBroken
from games.engine.record import Entry, Record, load, replay, verify
from games.runtime.rulesets import RULESETS

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*/*.json"))


def record_in(file: Path) -> Record:
    return load(file.read_bytes())


@pytest.fixture(params=FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def record(request: pytest.FixtureRequest) -> Record:
    return record_in(request.param)


def test_the_race_comes_out_as_it_did(record: Record) -> None:
    """Rules, draws and commitment: every state has the digest it had, and the secret gives every draw."""
    assert verify(RULESETS, record) == record.outcome


def test_nobody_is_named(record: Record) -> None:
    assert record.names == ()


@pytest.mark.parametrize("key", list(RULESETS))
def test_every_way_to_end_a_race_is_recorded_twice(key: str) -> None:
    ended = Counter(
        record.outcome.reason for file in FILES if (record := record_in(file)).ruleset == key and record.outcome
    )
    assert {ending: ended[ending] for ending in RULESETS[key].endings if ended[ending] < 2} == {}


def test_records_lie_in_the_folder_of_their_ruleset() -> None:
    assert FILES
    assert all(record_in(file).ruleset == file.parent.name for file in FILES)


def changed(record: Record, number: int, entry: Entry) -> Record:
    entries = list(record.entries)
    entries[number] = entry
    return msgspec.structs.replace(record, entries=tuple(entries))


def test_a_changed_draw_is_noticed_at_its_entry(record: Record) -> None:
    number, entry = next((n, e) for n, e in enumerate(record.entries) if n > 3 and e.draws)
    (label, size, result), *rest = entry.draws
    assert isinstance(result, int)
    other = msgspec.structs.replace(entry, draws=((label, size, (result + 1) % size), *rest))
    with pytest.raises(RecordBroken, match=rf"^entry {number}: the draw") as caught:
        verify(RULESETS, changed(record, number, other))
    assert caught.value.entry == number


def test_a_left_out_entry_is_noticed(record: Record) -> None:
    entries = (*record.entries[:4], *record.entries[5:])
    with pytest.raises(RecordBroken) as caught:
        replay(RULESETS[record.ruleset], msgspec.structs.replace(record, entries=entries))
    assert caught.value.entry == record.entries[5].seq
