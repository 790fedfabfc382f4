"""How campaigns stand, many at a time: points, races won and upgrades of each car, for the pages of leagues."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from games.engine.campaigns import GIVES_BACK, TAKES
from games.models import Campaign, CampaignDriver, CampaignRace, Posting
from games.runtime.campaigns import rules_of


def cars_shown(*, campaigns: Sequence[Campaign]) -> dict[int, dict[str, Any]]:
    """How each of these campaigns stands, by row id; three statements, however many they are.

    {"id", "name", "status", "race": number of the last one, "races": [public ids], "winner": car or None, "is_stopped":
    whether its last race cannot go on, "cars": [{"car", "name", "bot", "points", "races_won", "upgrades": [{"letter",
    "name"}]}], the winner first, then with most points}. Nobody has a car before the cars are drawn.
    """
    if not campaigns:
        return {}
    races: dict[int, list[CampaignRace]] = defaultdict(list)
    for race in CampaignRace.objects.filter(campaign__in=campaigns).select_related("race").order_by("number"):
        races[race.campaign_id].append(race)
    drivers: dict[int, list[CampaignDriver]] = defaultdict(list)
    for driver in CampaignDriver.objects.filter(campaign__in=campaigns).select_related("player").order_by("car"):
        drivers[driver.campaign_id].append(driver)
    points: dict[int, int] = {}
    owned: dict[int, set[str]] = defaultdict(set)
    lines = Posting.objects.filter(campaign__in=campaigns).order_by("campaign", "number")
    for driver_id, kind, balance, letter in lines.values_list("driver_id", "kind", "balance", "upgrade"):
        points[driver_id] = balance
        if kind in TAKES:
            owned[driver_id].add(letter)
        elif kind in GIVES_BACK:
            owned[driver_id].discard(letter)
    return {
        row.pk: {
            "id": row.public_id,
            "name": row.name,
            "status": row.status,
            "race": len(races[row.pk]),
            "races": [one.race.public_id for one in races[row.pk]],
            "winner": row.winner,
            "is_stopped": bool(races[row.pk][-1].race.fault),
            "cars": _cars(row, drivers[row.pk], races[row.pk], points, owned),
        }
        for row in campaigns
    }


def _cars(
    row: Campaign,
    drivers: Sequence[CampaignDriver],
    races: Sequence[CampaignRace],
    points: dict[int, int],
    owned: dict[int, set[str]],
) -> list[dict[str, Any]]:
    rules = rules_of(row.ruleset)
    names = {} if rules is None else {key: one.name for key, one in rules.catalogue(races[0].race.options).items()}
    wins = [
        int(one.race.outcome["places"][0][0])
        for one in races
        if one.posted_at is not None and one.race.outcome is not None
    ]
    cars = [
        {
            "car": one.car,
            "name": one.shown_name,
            "bot": one.bot,
            "points": points.get(one.pk, 0),
            "races_won": wins.count(one.car),
            "upgrades": [{"letter": letter, "name": names.get(letter, letter)} for letter in sorted(owned[one.pk])],
        }
        for one in drivers
    ]
    return sorted(cars, key=lambda car: (car["car"] != row.winner, -int(str(car["points"])), car["car"]))
