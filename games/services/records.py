"""Taking in the record of a race that was run elsewhere, or in memory."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from games.engine import codec
from games.engine.record import Record
from games.models import Entry, Race, Seat, Snapshot
from games.models.people import Person
from games.runtime.replay import lines_of_record
from games.runtime.rulesets import component_hash, parts
from games.services.agreements import one_line, ruleset_named
from games.services.races import public_id_free
from games.services.starting import number_seats
from games.tempo import policies, tempos


@transaction.atomic
def race_import(*, record: Record, by: Person, name: str) -> Race:
    """Make a finished race of a record, for its replay; ``by`` becomes its host and drives in it only as a name.

    The record is replayed on the way in, and proved against its secret. Raises RecordBroken, FieldRefused.
    """
    ruleset = ruleset_named(record.ruleset)
    data, lines, outcome = lines_of_record(ruleset, record)
    now = timezone.now()
    turn, reaction = tempos.tempo_minutes(tempo=tempos.DEFAULT)
    race = Race.objects.create(
        public_id=public_id_free(),
        name=one_line("name", name, "A race", 60),
        ruleset=record.ruleset,
        rules_version=record.version,
        component_hash=component_hash(ruleset, record.options),
        options=record.options,
        seats_wanted=record.seats,
        turn_minutes=turn,
        reaction_minutes=reaction,
        policy=policies.DEFAULT,
        host_id=by.pk,
        status="finished",
        seq=len(record.entries) - 1,
        secret=bytes.fromhex(record.secret or ""),
        commitment=record.commitment,
        outcome=codec.to_json(outcome),
        host_seen_at=now,
        created_at=now,
        started_at=now,
        finished_at=now,
    )
    seats = Seat.objects.bulk_create(_seats(race, record, codec.load(ruleset.state_type, data)))
    for one, other in record.pairs or ():
        seats[one - 1].partner_wish, seats[other - 1].partner_wish = seats[other - 1], seats[one - 1]
    Seat.objects.bulk_update(seats, ["partner_wish"])
    Entry.objects.bulk_create(Entry(race=race, created_at=now, **_fields(line)) for line in lines)
    Snapshot.objects.create(race=race, seq=race.seq, state=data)
    return race


def _fields(line: Any) -> dict[str, Any]:
    return {name: getattr(line, name) for name in ("seq", "turn", "acts", "draws", "events", "digest", "back", "by")}


def _seats(race: Race, record: Record, state: Any) -> list[Seat]:
    """The seats in the order of joining; who drove is known by name alone. ``state``: the last one."""
    order = record.seating or tuple(range(1, record.seats + 1))
    seats = [
        Seat(
            race=race,
            joined_order=place,
            state="joined",
            bot="record",
            name=record.names[number - 1] if record.names else f"Driver {number}",
            words=record.words[place - 1] if record.words else "",
        )
        for place, number in enumerate(order, start=1)
    ]
    number_seats(race, seats, order)
    told = parts(ruleset_named(record.ruleset), state)
    for seat in seats:
        seat.part = told.get(seat.number or 0, "")
    return seats
