"""What a finished race or campaign was worth to each of its seats, from its rows: the same whenever it is looked at."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from games.engine.contract import JSON
from games.models import Campaign, Entry, Lapse, Posting, Race, Seat, Snapshot
from games.runtime.position import faults_told, position_of, ruleset_of
from games.runtime.rulesets import extras_of


@dataclass(frozen=True)
class SeatResult:
    """``place``: 1 to ``cars``. ``victory_points``: None in a game that has none. ``on_time``: of ``turns``.

    ``races``: how many it took, one unless it is a campaign; ``races_won`` of them.
    """

    number: int
    place: int
    cars: int
    points: int
    victory_points: int | None
    races: int
    races_won: int
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
            races=1,
            races_won=int(place_of[number] == 1),
            wrecks=counted["wreck", number],
            turns=counted["turn", number],
            on_time=max(0, counted["turn", number] - lapsed[seat.pk]),
        )
        for seat in seats
        if (number := seat.number) is not None
    }


def campaign_results(campaign: Campaign) -> dict[int, SeatResult]:
    """By the row id of each car's seat in the last race, for a campaign that is won; raises RaceFaulty.

    The winner comes first, then whoever has more points in the ledger, then more races won, then the better place in
    the last race. A campaign is worth by place what a race is; Victory Points, wrecks and turns are those of its races
    together, so that what was spent on upgrades is not taken off.
    """
    assert campaign.winner is not None, "only campaigns that are won have results"
    races = [one.race for one in campaign.races.select_related("race").order_by("number")]
    by_car: dict[int, list[SeatResult]] = defaultdict(list)
    last: dict[int, int] = {}
    for race in races:
        for seat_id, result in seat_results(race).items():
            by_car[result.number].append(result)
            last[result.number] = seat_id
    lines = Posting.objects.filter(campaign=campaign).order_by("number").values_list("driver__car", "balance")
    balances = dict(lines)
    keys = {
        car: (car != campaign.winner, -balances[car], -sum(one.races_won for one in each), each[-1].place)
        for car, each in by_car.items()
    }
    place_of = _places([[car for car in sorted(keys) if keys[car] == key] for key in sorted(set(keys.values()))])
    ruleset = ruleset_of(races[-1])
    with faults_told(races[-1]):
        worth = extras_of(ruleset).place_points(len(by_car))
    return {
        last[car]: SeatResult(
            number=car,
            place=place_of[car],
            cars=len(by_car),
            points=worth[place_of[car] - 1],
            victory_points=None
            if any(one.victory_points is None for one in each)
            else sum(one.victory_points or 0 for one in each),
            races=len(each),
            races_won=sum(one.races_won for one in each),
            wrecks=sum(one.wrecks for one in each),
            turns=sum(one.turns for one in each),
            on_time=sum(one.on_time for one in each),
        )
        for car, each in by_car.items()
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
