"""What a finished race was worth to each of its seats, from its rows: the same whenever it is looked at."""

from collections import Counter
from dataclasses import dataclass

from games.engine.contract import JSON
from games.models import Entry, Lapse, Race, Seat, Snapshot
from games.runtime.position import faults_told, position_of
from games.runtime.rulesets import extras_of


@dataclass(frozen=True)
class SeatResult:
    """``place``: 1 to ``cars``. ``victory_points``: None in a game that has none. ``on_time``: of ``turns``."""

    number: int
    place: int
    cars: int
    points: int
    victory_points: int | None
    wrecks: int
    turns: int
    on_time: int


def seat_results(race: Race) -> dict[int, SeatResult]:
    """By the seat's row id, for a race that is over; raises RaceFaulty.

    A turn is late if it lapsed, which all saw; what lapsed in a window is not counted, since who was asked is secret.
    """
    assert race.outcome is not None, "only finished races have results"
    seats = list(Seat.objects.filter(race=race, number__isnull=False).order_by("number"))
    position = position_of(race, Snapshot.objects.filter(race=race).first())
    extras = extras_of(position.ruleset)
    counted: Counter[tuple[str, int]] = Counter()
    with faults_told(race):
        for event in _events_that_stand(race):
            what = extras.counts(event["kind"], event["public"])
            if what is not None:
                counted[what] += 1
        worth = extras.place_points(len(seats))
        scores = extras.scores(position.state)
    lapsed = Counter(Lapse.objects.filter(seat__race=race).values_list("seat_id", flat=True))
    place_of = _places(race.outcome["places"])
    return {
        seat.pk: SeatResult(
            number=number,
            place=place_of[number],
            cars=len(seats),
            points=worth[place_of[number] - 1],
            victory_points=scores.get(str(number)),
            wrecks=counted["wreck", number],
            turns=counted["turn", number],
            on_time=max(0, counted["turn", number] - lapsed[seat.pk]),
        )
        for seat in seats
        if (number := seat.number) is not None
    }


def _events_that_stand(race: Race) -> list[JSON]:
    """What happened in a race, without the entries behind which it went back."""
    stand: list[tuple[int, list[JSON]]] = []
    for seq, back, events in Entry.objects.filter(race=race).order_by("seq").values_list("seq", "back", "events"):
        if back is None:
            stand.append((seq, events))
        else:
            stand = [one for one in stand if one[0] <= back]
    return [event for _, events in stand for event in events]


def _places(groups: list[list[int]]) -> dict[int, int]:
    """The place of each seat: after a place that two share comes the third."""
    places: dict[int, int] = {}
    for group in groups:
        place = len(places) + 1
        places.update(dict.fromkeys(group, place))
    return places
