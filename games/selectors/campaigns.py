"""Campaigns for a viewer: one, those that gather or go on, one's own; the purchase that waits; the ledger."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db.models import Exists, Max, OuterRef, Q

from games.engine.campaigns import Ledger
from games.models import Campaign, CampaignDriver, CampaignRace, Posting, Purchase, Race, Seat
from games.models.people import Person
from games.runtime.campaigns import is_purchase, ledger_faults, ledger_of, purchase_question
from games.runtime.rulesets import RULESETS
from games.runtime.words import optional_stamp, stamp
from games.selectors.errors import CampaignUnknown, RaceUnknown
from games.selectors.league_access import league_of_campaign
from games.selectors.races import race_get

__all__ = [
    "campaign_for_invited",
    "campaign_get",
    "campaign_id_of_race",
    "campaign_ledger",
    "campaign_of_race",
    "campaign_shown",
    "campaign_told",
    "campaigns_listed",
    "campaigns_to_check",
    "drivers_missing",
    "is_drawn",
    "is_purchase",
    "last_race",
    "ledger_differences",
    "ledger_now",
    "purchase_ids_of",
    "purchases_of",
    "with_purchase",
]

LISTED_MOST: Final = 200
KIND_WORDS: Final = {
    "opening": "begins with",
    "earned": "earned in the race",
    "penalty": "less than nothing in the race",
    "clamp": "let off, since no total is below 0",
    "forced_return": "had to return",
    "lost": "lost in the race",
    "bought": "bought",
    "returned": "returned",
}
_OWN_KINDS: Final = frozenset({"earned", "penalty"})


def campaign_get(*, public_id: str, user: Person | None = None, invitation: str = "") -> Campaign:
    """The campaign, if this person drives or drove in it, or may see its last race; raises CampaignUnknown.

    ``invitation``: to a seat of its first race.
    """
    campaign = Campaign.objects.filter(public_id=public_id).first()
    if campaign is None:
        raise CampaignUnknown("There is no such campaign, or it is private.")
    if user is not None and campaign.drivers.filter(Q(player_id=user.pk) | Q(former_player_id=user.pk)).exists():
        return campaign
    try:
        race_get(public_id=last_race(campaign).race.public_id, user=user, invitation=invitation)
    except RaceUnknown as unseen:
        raise CampaignUnknown("There is no such campaign, or it is private.") from unseen
    return campaign


def campaign_for_invited(*, public_id: str) -> Campaign:
    """The campaign for whoever bears the link of one of its cars; raises CampaignUnknown."""
    campaign = Campaign.objects.filter(public_id=public_id).first()
    if campaign is None:
        raise CampaignUnknown("There is no such campaign.")
    return campaign


def campaign_of_race(*, race: Race) -> Campaign | None:
    """The campaign that a race belongs to, or None."""
    return Campaign.objects.filter(races__race=race).first()


def campaign_id_of_race(*, race: Race) -> str:
    """Its public id, or ""."""
    return Campaign.objects.filter(races__race=race).values_list("public_id", flat=True).first() or ""


def is_drawn(*, race: Race) -> bool:
    """Whether the cars of a race are drawn."""
    return Seat.objects.filter(race=race, number__isnull=False).exists()


def last_race(campaign: Campaign) -> CampaignRace:
    """The race that is gathering drivers, bought for or under way; at the end the last that was run."""
    return campaign.races.select_related("race__host").latest("number")


def ledger_now(campaign: Campaign) -> Ledger:
    """The ledger as its rows make it; raises RaceFaulty if they cannot be."""
    first = campaign.races.select_related("race").earliest("number")
    rows = list(Posting.objects.filter(campaign=campaign).select_related("driver").order_by("number"))
    return ledger_of(campaign, race=first.race, cars=campaign.drivers.count(), rows=rows)


# --- Lists ------------------------------------------------------------------------------


def campaigns_listed(*, user: Person | None = None) -> list[dict[str, Any]]:
    """Public campaigns and one's own, the newest first.

    Each: {"id", "name", "ruleset", "title", "status", "host", "is_public", "race": the number of the last, "drivers":
    how many, "seats_wanted", "you": one's car or None, "leader": {"car", "name", "points"} or None, "winner": name or
    ""}
    """
    last = CampaignRace.objects.filter(campaign=OuterRef("pk")).order_by("-number")
    seen = [last.filter(race__is_public=True)]
    if user is not None:
        own = Q(player_id=user.pk) | Q(state="invited", invited_email=user.email.lower())
        seen.append(last.filter(race__host_id=user.pk))
        seen.append(last.filter(pk__in=CampaignRace.objects.filter(race__seats__in=Seat.objects.filter(own))))
    found = Campaign.objects.filter(reduce(or_, (Q(Exists(one)) for one in seen)))
    rows = list(found.order_by("-created_at", "-pk")[:LISTED_MOST])
    return _lines(rows, user)


def _lines(rows: Sequence[Campaign], user: Person | None) -> list[dict[str, Any]]:
    races: dict[int, CampaignRace] = {}
    for race in CampaignRace.objects.filter(campaign__in=rows).select_related("race__host").order_by("number"):
        races[race.campaign_id] = race
    drivers: dict[int, list[CampaignDriver]] = defaultdict(list)
    for driver in CampaignDriver.objects.filter(campaign__in=rows).select_related("player").order_by("car"):
        drivers[driver.campaign_id].append(driver)
    totals = _totals(rows)
    return [_line(row, races[row.pk], drivers[row.pk], totals, user) for row in rows]


def _totals(rows: Sequence[Campaign]) -> dict[int, int]:
    """By driver: the balance of the last line."""
    last = Posting.objects.filter(campaign__in=rows).values("driver_id").annotate(last=Max("number"))
    wanted = {(row["driver_id"], row["last"]) for row in last}
    found = Posting.objects.filter(campaign__in=rows).values_list("driver_id", "number", "balance")
    return {driver: balance for driver, number, balance in found if (driver, number) in wanted}


def _line(
    row: Campaign,
    last: CampaignRace,
    drivers: Sequence[CampaignDriver],
    totals: dict[int, int],
    user: Person | None,
) -> dict[str, Any]:
    leader = max(drivers, key=lambda one: (totals.get(one.pk, 0), -one.car), default=None)
    return {
        "id": row.public_id,
        "name": row.name,
        "ruleset": row.ruleset,
        "title": RULESETS[row.ruleset].title if row.ruleset in RULESETS else row.ruleset,
        "status": row.status,
        "host": last.race.host.display_name,
        "is_public": last.race.is_public,
        "race": last.number,
        "drivers": len(drivers),
        "seats_wanted": last.race.seats_wanted,
        "you": next((one.car for one in drivers if user is not None and one.player_id == user.pk), None),
        "leader": None
        if leader is None
        else {"car": leader.car, "name": leader.shown_name, "points": totals.get(leader.pk, 0)},
        "winner": next((one.shown_name for one in drivers if one.car == row.winner), ""),
    }


# --- One campaign -----------------------------------------------------------------------


def campaign_shown(*, campaign: Campaign, user: Person | None = None) -> dict[str, Any]:
    """All that a viewer may know of a campaign; everything in it is open but the driver's own question.

    {"id", "name", "ruleset", "title", "status", "host", "is_host", "is_public", "goal", "starting_points", "options",
    "turn_hours", "winner": {"car", "name"} or None, "paused_at", "started_at", "ended_at", "you": car or None,
    "standings": [{"car", "name", "kind": player or bot, "you", "points", "upgrades": [letter], "scores": {race number:
    points}, "wins", "stands_in_for": who dropped out, "may_drive_on"}] with most points first, "races": [{"number",
    "id", "status", "winner": car or None}], "purchases": None or {"race": number, "order": [{"car", "name", "words":
    what was answered, or "", "is_asked"}], "due_at"}, "catalogue": [{"letter", "name", "price", "effect", "owner": car
    or None}], "question": as in a race's presentation, or None, "league": as in
    games.selectors.league_access.league_of_campaign}

    Raises RaceFaulty.
    """
    ledger = ledger_now(campaign)
    drivers = list(campaign.drivers.select_related("player", "former_player").order_by("car"))
    races = list(campaign.races.select_related("race__host").order_by("number"))
    last = races[-1].race
    names = {driver.car: driver.shown_name for driver in drivers}
    own = next((one for one in drivers if user is not None and one.player_id == user.pk), None)
    winner = None if campaign.winner is None else {"car": campaign.winner, "name": names[campaign.winner]}
    return {
        "id": campaign.public_id,
        "name": campaign.name,
        "ruleset": campaign.ruleset,
        "title": RULESETS[campaign.ruleset].title,
        "status": campaign.status,
        "host": last.host.display_name,
        "is_host": user is not None and last.host_id == user.pk,
        "is_public": last.is_public,
        "goal": ledger.campaign.goal,
        "starting_points": ledger.campaign.starting_points,
        "options": {name: value for name, value in last.options.items() if name != "upgrades"},
        "turn_hours": last.turn_hours,
        "winner": winner,
        "paused_at": optional_stamp(campaign.paused_at),
        "started_at": optional_stamp(campaign.started_at),
        "ended_at": optional_stamp(campaign.ended_at),
        "you": None if own is None else own.car,
        "standings": _standings(campaign, ledger, drivers, races, user),
        "races": [
            {"number": one.number, "id": one.race.public_id, "status": one.race.status, "winner": _winner(one.race)}
            for one in races
        ],
        "purchases": _purchases(campaign, names),
        "catalogue": [
            {
                "letter": one.letter,
                "name": one.name,
                "price": one.price,
                "effect": one.effect,
                "owner": ledger.owners.get(one.letter),
            }
            for one in ledger.catalogue.values()
        ],
        "question": None if own is None else _question(own, ledger, campaign),
        "league": league_of_campaign(campaign=campaign, user=user),
    }


def _standings(
    campaign: Campaign,
    ledger: Ledger,
    drivers: Sequence[CampaignDriver],
    races: Sequence[CampaignRace],
    user: Person | None,
) -> list[dict[str, Any]]:
    scores: dict[int, dict[int, int]] = defaultdict(dict)
    rows = Posting.objects.filter(campaign=campaign, kind__in=_OWN_KINDS)
    for car, number, points in rows.values_list("driver__car", "race__number", "points"):
        scores[car][number] = points
    wins = [_winner(one.race) for one in races if one.posted_at is not None]
    is_free = user is not None and all(one.player_id != user.pk for one in drivers)
    is_open = campaign.status in {"running", "paused"} and races[-1].race.is_public
    lines = [
        {
            "car": one.car,
            "name": one.shown_name,
            "kind": "bot" if one.bot else "player",
            "you": user is not None and one.player_id == user.pk,
            "points": ledger.balances[one.car],
            "upgrades": list(ledger.owned(one.car)),
            "scores": scores[one.car],
            "wins": wins.count(one.car),
            "stands_in_for": "" if one.former_player is None or not one.bot else one.former_player.display_name,
            "may_drive_on": is_free
            and bool(one.bot)
            and one.former_player_id is not None
            and (is_open or (user is not None and one.former_player_id == user.pk)),
        }
        for one in drivers
    ]
    return sorted(lines, key=lambda line: (-int(str(line["points"])), line["car"]))


def _winner(race: Race) -> int | None:
    """The car that came first in a race, or None."""
    return None if race.outcome is None else int(race.outcome["places"][0][0])


def _purchases(campaign: Campaign, names: dict[int, str]) -> dict[str, Any] | None:
    going = campaign.rounds.filter(closed_at=None).select_related("race").first()
    if going is None or campaign.status in {"finished", "closed"}:
        return None
    rows = {row.driver.car: row for row in going.purchases.select_related("driver")}
    asked = next((row for row in rows.values() if row.answered_at is None), None)
    return {
        "race": going.race.number,
        "order": [
            {
                "car": car,
                "name": names[car],
                "words": "; ".join(act["receipt"]["words"] for act in rows[car].acts) if car in rows else "",
                "is_asked": asked is not None and asked.driver.car == car,
            }
            for car in going.order
        ],
        "due_at": None if asked is None else stamp(asked.due_at),
    }


def _question(own: CampaignDriver, ledger: Ledger, campaign: Campaign) -> dict[str, Any] | None:
    row = Purchase.objects.filter(driver=own, answered_at=None).select_related("driver").first()
    if row is None or campaign.status in {"finished", "closed"}:
        return None
    return purchase_question(row, ledger, campaign=campaign)


def drivers_missing(*, campaign: Campaign) -> list[CampaignDriver]:
    """The cars that a bot drives for somebody who dropped out, while the campaign goes on."""
    if campaign.status not in {"running", "paused"}:
        return []
    return list(campaign.drivers.exclude(bot="").filter(former_player__isnull=False).order_by("car"))


def campaign_ledger(*, campaign: Campaign) -> list[dict[str, Any]]:
    """Every line of the ledger, the first first.

    Each: {"number", "at", "car", "name", "kind", "words", "points", "balance", "upgrade", "race": number or None,
    "rule"}
    """
    rows = Posting.objects.filter(campaign=campaign).select_related("driver__player", "race").order_by("number")
    return [
        {
            "number": row.number,
            "at": stamp(row.created_at),
            "car": row.driver.car,
            "name": row.driver.shown_name,
            "kind": row.kind,
            "words": f"{KIND_WORDS[row.kind]} {row.upgrade}".strip(),
            "points": row.points,
            "balance": row.balance,
            "upgrade": row.upgrade,
            "race": None if row.race is None else row.race.number,
            "rule": row.rule,
        }
        for row in rows
    ]


# --- What is asked ----------------------------------------------------------------------


def purchases_of(*, user: Person) -> list[dict[str, Any]]:
    """Open purchases of this person, soonest deadline first.

    Each: {"campaign": {"id", "name", "ruleset", "title"}, "car", "purchase", "text", "rule", "due_at"}
    """
    rows = _asked_of(user).select_related("driver", "round__campaign").order_by("due_at", "pk")
    told = []
    for row in rows:
        campaign = row.round.campaign
        asked = purchase_question(row, ledger_now(campaign), campaign=campaign)
        told.append(
            {
                "campaign": {
                    "id": campaign.public_id,
                    "name": campaign.name,
                    "ruleset": campaign.ruleset,
                    "title": RULESETS[campaign.ruleset].title,
                },
                "car": row.driver.car,
                "purchase": row.pk,
                "text": asked["text"],
                "rule": asked["rule"],
                "due_at": asked["due_at"],
            }
        )
    return told


def purchase_ids_of(*, user: Person) -> Any:
    """The row ids of these, as a query that others build on."""
    return _asked_of(user).order_by().values_list("pk", flat=True)


def _asked_of(user: Person) -> Any:
    return Purchase.objects.filter(
        driver__player_id=user.pk, answered_at=None, round__campaign__status__in=["running", "paused"]
    )


def with_purchase(presented: Mapping[str, Any], *, race: Race, seat: Seat | None) -> dict[str, Any]:
    """A race's presentation to one of its seats, with the purchase that is asked of its driver as the question.

    Before a race of a campaign begins, what is asked of a seat is asked by the campaign; links, letters and replies
    answer it like any other question. Everything else stays as it was.
    """
    row = None
    if race.status == "open" and seat is not None and seat.number is not None and seat.player_id is not None:
        asked = Purchase.objects.filter(round__race__race=race, driver__car=seat.number, answered_at=None)
        asked = asked.filter(driver__player_id=seat.player_id, round__campaign__status__in=["running", "paused"])
        row = asked.select_related("driver", "round__campaign").first() if seat.state == "joined" else None
    if row is None:
        return dict(presented)
    campaign = row.round.campaign
    return {**presented, "question": purchase_question(row, ledger_now(campaign), campaign=campaign)}


# --- What letters say -------------------------------------------------------------------

CAMPAIGN_KINDS: Final = frozenset(
    {
        "purchase",
        "purchase_lapsed",
        "campaign_started",
        "campaign_paused",
        "campaign_resumed",
        "campaign_closed",
        "campaign_over",
        "campaign_left",
        "campaign_lost",
    }
)
"""Kinds of rows of the outbox that a campaign writes."""


def campaign_told(*, race: Race) -> dict[str, Any] | None:
    """What a letter about a race says of the campaign that the race belongs to; None if it belongs to none.

    {"id", "name", "status", "race": the race's number in it, "is_posted": whether its points stand in the ledger,
    "goal", "starting_points", "table": [{"car", "name", "stands_in_for": who dropped out, or "", "points", "earned": in
    this race, or None, "upgrades"}] with most points first, "winner": {"car", "name"} or None, "next": the number of
    the race that is bought for, or None, "buyers": who buys before it, in order, "bought": what was answered to
    purchases before it so far, a sentence each}

    All of it is open to whoever may see the race. Raises RaceFaulty.
    """
    row = CampaignRace.objects.select_related("campaign").filter(race=race).first()
    if row is None:
        return None
    shown = campaign_shown(campaign=row.campaign)
    buys = shown["purchases"]
    order = [] if buys is None else buys["order"]
    return {
        "id": shown["id"],
        "name": shown["name"],
        "status": shown["status"],
        "race": row.number,
        "is_posted": row.posted_at is not None,
        "goal": shown["goal"],
        "starting_points": shown["starting_points"],
        "table": [
            {
                "car": line["car"],
                "name": line["name"],
                "stands_in_for": line["stands_in_for"],
                "points": line["points"],
                "earned": line["scores"].get(row.number),
                "upgrades": line["upgrades"],
            }
            for line in shown["standings"]
        ],
        "winner": shown["winner"],
        "next": None if buys is None else buys["race"],
        "buyers": [f"{one['name']} (car {one['car']})" for one in order],
        "bought": [f"{one['name']} (car {one['car']}): {one['words']}." for one in order if one["words"]],
    }


# --- The check --------------------------------------------------------------------------


def campaigns_to_check(*, public_ids: Sequence[str]) -> list[Campaign]:
    """These campaigns, or all; raises CampaignUnknown for an id that is none."""
    found = Campaign.objects.order_by("pk")
    if not public_ids:
        return list(found)
    rows = {row.public_id: row for row in found.filter(public_id__in=public_ids)}
    for public_id in public_ids:
        if public_id not in rows:
            raise CampaignUnknown(f"There is no campaign “{public_id}”.")
    return [rows[public_id] for public_id in public_ids]


def ledger_differences(*, campaign: Campaign) -> list[str]:
    """What differs between the ledger and the races' records, a sentence each."""
    return ledger_faults(campaign)
