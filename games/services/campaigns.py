"""Campaigns: made, started, paused, closed; purchases answered; drivers who drop out and those who drive on.

Before its start a campaign is its first race: seats of it are taken, kept and given back by games.services.races.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.core import signing
from django.db import transaction
from django.utils import timezone

from games.engine.campaigns import purchase_of
from games.engine.contract import JSON
from games.models import Campaign, CampaignDriver, CampaignRace, Purchase, Race, Seat
from games.models.people import Person
from games.runtime.campaigns import UPGRADES, purchase_question, rules_of
from games.runtime.present import is_gone
from games.services.agreements import one_line, refuse_teams, ruleset_named
from games.services.campaign_desk import CampaignDesk, campaign_attend, campaign_lock, race_name
from games.services.desk import announce, race_lock
from games.services.errors import (
    CampaignUnknown,
    FieldRefused,
    InvitationRefused,
    KeyMissing,
    NotHost,
    NotYourDecision,
    NotYourSeat,
    RaceNotOpen,
    RaceNotRunning,
    RuleViolation,
    SeatNotGone,
    StaleAnswer,
)
from games.services.incoming import unseen_letter
from games.services.notes import race_note
from games.services.outbox import person_tell
from games.services.pauses import race_pause, race_resume
from games.services.races import public_id_free, race_cancel, race_create, race_join, race_start
from games.services.seats import name_free
from games.services.substitutes import seat_hand_over, seat_to_bot
from games.signals import campaign_due

__all__ = [
    "campaign_attend",
    "campaign_close",
    "campaign_create",
    "campaign_drive_on",
    "campaign_drop_out",
    "campaign_found",
    "campaign_join",
    "campaign_pause",
    "campaign_relieve",
    "campaign_resume",
    "campaign_start",
    "car_invitation",
    "purchase_answer",
    "purchase_submit",
    "refuse_upgrades",
]

NAME_LENGTH: Final = 40
SALT: Final = "games.services.campaigns.car"
BOT: Final = "driver"
"""The kind of bot that drives on for who drops out."""
_OVER: Final = frozenset({"finished", "closed"})


@transaction.atomic
def campaign_create(*, by: Person, name: str, ruleset: str = "roadkill", **settings: Any) -> Campaign:
    """Make a campaign and its first race; ``by`` hosts it and takes the first seat.

    ``settings``: those of games.services.races.race_create but name and ruleset; each race of the campaign has them.
    Raises FieldRefused; its ``field`` names the argument at fault.
    """
    title = one_line("name", name, "A campaign", NAME_LENGTH)
    found = ruleset_named(ruleset)
    if rules_of(ruleset) is None:
        raise FieldRefused("ruleset", f"{found.title} has no campaign.")
    return campaign_found(race=race_create(by=by, name=race_name(title, 1), ruleset=ruleset, **settings), name=title)


def campaign_found(*, race: Race, name: str) -> Campaign:
    """Make a campaign of which this race is the first, just made and saved; whoever is seated in it drives.

    Raises FieldRefused for a race that lays upgrades down, or in which two drive one car.
    """
    refuse_upgrades(race)
    refuse_teams(race, "A campaign")
    campaign = Campaign.objects.create(
        public_id=public_id_free(Campaign), name=name, ruleset=race.ruleset, created_at=race.created_at
    )
    CampaignRace.objects.create(campaign=campaign, number=1, race=race)
    return campaign


def refuse_upgrades(race: Race) -> None:
    """Raise FieldRefused if a race that a campaign shall be made of lays upgrades down."""
    if race.options.get(UPGRADES):
        raise FieldRefused("options", "The upgrades of a campaign are bought between its races, not laid down before.")


def campaign_join(*, campaign_id: int, by: Person, invitation: str = "", words: str = "") -> None:
    """Take a seat before the start, as in any race; the last one may start the campaign.

    Raises what race_join raises, and CampaignUnknown.
    """
    race_join(race_id=_first_race_id(campaign_id), by=by, invitation=invitation, words=words)
    campaign_attend(campaign_id=campaign_id)


def campaign_start(*, campaign_id: int, by: Person) -> Campaign:
    """Draw the cars, once for the whole campaign, and ask the first purchase; host only.

    Starting twice is starting once. Raises NotHost, RaceNotOpen, CampaignUnknown.
    """
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None:
        raise CampaignUnknown("There is no such campaign.")
    race = Race.objects.get(pk=_first_race_id(campaign_id))
    is_drawn = Seat.objects.filter(race=race, number__isnull=False).exists()
    if not (is_drawn and race.host_id == by.pk):
        race_start(race_id=race.pk, by=by)
    campaign_attend(campaign_id=campaign_id)
    campaign.refresh_from_db()
    return campaign


@transaction.atomic
def campaign_pause(*, campaign_id: int, by: Person) -> Campaign:
    """Stop the clocks of the purchase that is asked, or of the race under way; no further race begins. Host only.

    Whoever wants to may answer meanwhile. Pausing twice is pausing once. Raises NotHost, RaceNotRunning.
    """
    desk = _desk(campaign_id, host=by)
    campaign = desk.campaign
    if campaign.status == "paused":
        return campaign
    _refuse_unless_running(campaign)
    purchase = desk.purchase
    if purchase is not None:
        desk.stop_clock(purchase)
        purchase.save(update_fields=["left_s", "counts_from"])
    if desk.race.status == "running":
        race_pause(race_id=desk.race.pk, by=by)
    campaign.status, campaign.paused_at = "paused", desk.now
    campaign.save(update_fields=["status", "paused_at"])
    desk.tell_drivers("campaign_paused", but=by.pk)
    return campaign


def campaign_resume(*, campaign_id: int, by: Person) -> Campaign:
    """Let the campaign go on, each clock with the time that it had; host only. Raises NotHost, RaceNotRunning."""
    campaign = _resume(campaign_id, by)
    campaign_attend(campaign_id=campaign_id)
    return campaign


@transaction.atomic
def _resume(campaign_id: int, by: Person) -> Campaign:
    desk = _desk(campaign_id, host=by)
    campaign = desk.campaign
    if campaign.status == "running":
        return campaign
    if campaign.status != "paused":
        raise RaceNotRunning("Only a campaign that is paused can go on.")
    purchase = desk.purchase
    if purchase is not None:
        purchase.counts_from = desk.now
        desk.set_due(purchase)
        purchase.save(update_fields=["counts_from", "due_at", "due_rule"])
    if desk.race.status == "running":
        race_resume(race_id=desk.race.pk, by=by)
    campaign.status, campaign.paused_at = "running", None
    campaign.save(update_fields=["status", "paused_at"])
    desk.tell_drivers("campaign_resumed", but=by.pk)
    return campaign


@transaction.atomic
def campaign_close(*, campaign_id: int, by: Person) -> Campaign:
    """End the campaign without a winner; host only. Closing twice is closing once.

    A race under way goes on to its end by itself; it does not count any more. Raises NotHost, RaceNotRunning.
    """
    desk = _desk(campaign_id, host=by)
    campaign = desk.campaign
    if campaign.status == "closed":
        return campaign
    if campaign.status == "finished":
        raise RaceNotRunning("The campaign is over; there is nothing left to close.")
    if campaign.status == "lobby" and not desk.race.seats.filter(number__isnull=False).exists():
        race_cancel(race_id=desk.race.pk, by=by)
    elif desk.race.status == "open":
        race = race_lock(desk.race.pk)
        assert race is not None
        race.status = "abandoned"
        race.save(update_fields=["status"])
    campaign.status, campaign.paused_at, campaign.ended_at = "closed", None, desk.now
    campaign.save(update_fields=["status", "paused_at", "ended_at"])
    desk.tell_drivers("campaign_closed", but=by.pk)
    return campaign


# --- Purchases --------------------------------------------------------------------------


def purchase_answer(
    *,
    campaign_id: int,
    by: Person,
    purchase_id: int,
    position: int,
    action: Mapping[str, JSON],
    idempotency_key: str,
    origin: str = "player",
    goes_on: bool = True,
) -> dict[str, JSON]:
    """Answer one's open purchase: return upgrades one by one, then buy one or nothing.

    ``position``: the question's, which is how many answers the purchase had when this one was composed. ``action``:
    {"do": "buy", "upgrade": "F"}, {"do": "return", "upgrade": "I"}, {"do": "nothing"}. The same key again gives the
    first answer again. ``goes_on``: carry the campaign on at once; whoever answers inside a transaction of its own says
    no, and the campaign is nudged when that is through. Returns {"words", "step", "posting": number of the ledger's
    line or None, "is_over": whether the purchase is over}.

    Raises NotYourDecision, NotYourSeat, StaleAnswer (with the present question), RuleViolation, Malformed, KeyMissing,
    RaceNotRunning, CampaignUnknown. After a refusal nothing has changed.
    """
    if not 1 <= len(idempotency_key) <= 100 or unseen_letter(idempotency_key):
        raise KeyMissing("A purchase needs a key of 1 to 100 characters that can be seen, made anew for each form.")
    answer = purchase_of(dict(action))
    with transaction.atomic():
        desk = _desk(campaign_id)
        purchase = _own_purchase(desk, purchase_id, by)
        first = next((act for act in purchase.acts if act["key"] == idempotency_key), None)
        if first is not None:
            receipt: dict[str, JSON] = first["receipt"]
            return receipt
        if desk.campaign.status in _OVER:
            raise RaceNotRunning("The campaign is over.")
        if purchase.answered_at is not None:
            bought = any(act["action"]["do"] == "buy" for act in purchase.acts)
            if bought and answer.do == "buy":
                raise RuleViolation(
                    "You may buy one upgrade before each race, and you have bought it.",
                    rule=desk.ledger.campaign.buying_rule,
                )
            raise NotYourDecision("Your purchase is over: it was answered, or its time has passed.")
        if position != len(purchase.acts):
            raise StaleAnswer(
                "You have answered meanwhile; this is what is asked of you now.",
                position=len(purchase.acts),
                question=purchase_question(purchase, desk.ledger, campaign=desk.campaign),
            )
        receipt = desk.answer(purchase, answer, origin=origin, key=idempotency_key)
    # In a transaction of its own: a race that cannot begin must not refuse the answer.
    if goes_on:
        campaign_attend(campaign_id=campaign_id)
    else:
        transaction.on_commit(lambda: campaign_due.send(sender=Race, race_id=desk.race.pk))
    return receipt


def purchase_submit(
    *,
    seat: Seat,
    purchase_id: int,
    expected_seq: int,
    idempotency_key: str,
    action: Mapping[str, JSON],
    origin: str,
    goes_on: bool = True,
) -> dict[str, Any]:
    """purchase_answer for whoever holds this seat of the race that is bought for: what links and replies answer by.

    Arguments and receipt are those of games.services.turns.action_submit as far as a purchase has them: the receipt
    says "status": "applied". Raises what purchase_answer raises.
    """
    campaign_id = CampaignRace.objects.filter(race_id=seat.race_id).values_list("campaign_id", flat=True).first()
    if campaign_id is None or seat.player is None or seat.state != "joined":
        raise NotYourDecision("There is no purchase for this seat.")
    receipt = purchase_answer(
        campaign_id=campaign_id,
        by=seat.player,
        purchase_id=purchase_id,
        position=expected_seq,
        action=action,
        idempotency_key=idempotency_key,
        origin=origin,
        goes_on=goes_on,
    )
    return {**receipt, "status": "applied"}


def _own_purchase(desk: CampaignDesk, purchase_id: int, by: Person) -> Purchase:
    rows = Purchase.objects.filter(pk=purchase_id, round__campaign=desk.campaign)
    purchase = rows.select_related("driver__player", "round").first()
    if purchase is None:
        raise NotYourDecision("There is no such purchase in this campaign.")
    if purchase.driver.player_id != by.pk:
        raise NotYourSeat("This is another driver's purchase.")
    return purchase


# --- Drivers who drop out, and who drives on --------------------------------------------


def campaign_drop_out(*, campaign_id: int, by: Person) -> CampaignDriver:
    """Give up one's car for the rest of the campaign. A bot drives it on at once, with its ledger, until somebody does.

    Dropping out twice is dropping out once. Raises NotYourSeat, RaceNotRunning.
    """
    driver = _drop_out(campaign_id, by)
    campaign_attend(campaign_id=campaign_id)
    return driver


@transaction.atomic
def _drop_out(campaign_id: int, by: Person) -> CampaignDriver:
    desk = _desk(campaign_id)
    driver = next((one for one in desk.drivers.values() if one.player_id == by.pk), None)
    if driver is None:
        former = next((one for one in desk.drivers.values() if one.former_player_id == by.pk), None)
        if former is not None:
            return former
    _refuse_unless_going(desk.campaign)
    if driver is None:
        raise NotYourSeat("You do not drive in this campaign.")
    _to_bot(desk, driver)
    if desk.race.host_id != by.pk:
        _tell_by_name(desk, driver, "campaign_left", player_id=desk.race.host_id)
    return driver


def campaign_relieve(*, campaign_id: int, by: Person, car: int) -> CampaignDriver:
    """Give the car of a driver who has gone to a bot, until somebody drives it on; host only. Twice is once.

    Gone is whoever let the last purchase lapse, or whose seat in the race under way is offered to others. Raises
    NotHost, NotYourSeat, SeatNotGone, RaceNotRunning.
    """
    driver = _relieve(campaign_id, by, car)
    campaign_attend(campaign_id=campaign_id)
    return driver


@transaction.atomic
def _relieve(campaign_id: int, by: Person, car: int) -> CampaignDriver:
    desk = _desk(campaign_id, host=by)
    _refuse_unless_going(desk.campaign)
    driver = _driver(desk, car)
    if driver.bot:
        return driver
    seat = Seat.objects.filter(race=desk.race, number=car).first()
    if not (_lapsed(driver) or (seat is not None and is_gone(desk.race, seat))):
        raise SeatNotGone(
            f"{driver.shown_name} is still there: a driver has gone after letting a purchase lapse, or when the seat "
            "in the race is offered to others."
        )
    _to_bot(desk, driver)
    assert driver.former_player_id is not None
    if driver.former_player_id != by.pk:
        _tell_by_name(desk, driver, "campaign_lost", player_id=driver.former_player_id)
    return driver


@transaction.atomic
def campaign_drive_on(*, campaign_id: int, by: Person, car: int, invitation: str = "") -> CampaignDriver:
    """Take over a car that a bot drives for somebody who dropped out: its number and its ledger stay.

    Open to whoever dropped out of it, to the bearer of its invitation (car_invitation), and in a public campaign to
    anybody who does not drive in it. Twice is once. Raises InvitationRefused, SeatNotGone, NotYourSeat, RaceNotRunning.
    """
    desk = _desk(campaign_id)
    driver = _driver(desk, car)
    if driver.player_id == by.pk:
        return driver
    _refuse_unless_going(desk.campaign)
    if not driver.bot or driver.former_player_id is None:
        raise SeatNotGone("This car has its driver; nobody dropped out of it.")
    if any(one.player_id == by.pk for one in desk.drivers.values()):
        raise NotYourSeat("You drive another car in this campaign.")
    is_asked = invitation and _invited_to(invitation) == [driver.campaign_id, driver.car, driver.former_player_id]
    if not (is_asked or desk.race.is_public or driver.former_player_id == by.pk):
        raise InvitationRefused("This campaign is private: ask its host for the link to this car.")
    seat = _seat_to_change(desk, driver)
    driver.player_id, driver.former_player = by.pk, None
    driver.bot, driver.bot_delay_s, driver.name = "", 0, ""
    driver.save()
    if seat is not None:
        seat_hand_over(desk.race, seat, player_id=by.pk, now=desk.now)
        if desk.race.started_at is not None:
            text = f"“{by.display_name}” drives car {car} on."
            race_note(desk.race, key=f"driver/{car}/{desk.now.isoformat()}", text=text, now=desk.now)
    purchase = desk.purchase
    if purchase is not None and purchase.driver_id == driver.pk:
        desk.tell(purchase)
    return driver


def car_invitation(driver: CampaignDriver) -> str:
    """What a host passes on to whoever shall drive a car on: good until somebody does. Signed, safe in an address."""
    return signing.dumps([driver.campaign_id, driver.car, driver.former_player_id], salt=SALT)


def _invited_to(invitation: str) -> list[int | None]:
    try:
        found = signing.loads(invitation, salt=SALT)
    except signing.BadSignature as broken:
        raise InvitationRefused("This link is not whole. Open it again, whole, or ask the host for it.") from broken
    return found if isinstance(found, list) else []


def _to_bot(desk: CampaignDesk, driver: CampaignDriver) -> None:
    """Let a bot drive on: the race under way, the purchase that is asked, and all that follows."""
    seat = _seat_to_change(desk, driver)
    taken = [Seat(name=one.name) for one in desk.drivers.values()]
    driver.former_player_id, driver.player = driver.player_id, None
    driver.bot, driver.bot_delay_s, driver.name = BOT, 0, name_free(taken)
    driver.save()
    if seat is not None:
        seat_to_bot(desk.race, seat, bot=driver.bot, name=driver.name, now=desk.now)
        if desk.race.started_at is not None:
            text = f"The driver of car {driver.car} has dropped out: a bot drives it on."
            race_note(desk.race, key=f"driver/{driver.car}/{desk.now.isoformat()}", text=text, now=desk.now)


def _tell_by_name(desk: CampaignDesk, driver: CampaignDriver, kind: str, *, player_id: int) -> None:
    """Have one person told that a car has another driver."""
    seat = Seat.objects.get(race=desk.race, number=driver.car)
    person_tell(kind=kind, race=desk.race, seat=seat, player_id=player_id, now=desk.now)
    announce(desk.race.pk, bots=False)


def _seat_to_change(desk: CampaignDesk, driver: CampaignDriver) -> Seat | None:
    """The car's seat in the race that is bought for or under way, its race locked; None if it is out of that race."""
    race = race_lock(desk.race.pk)
    assert race is not None
    desk.current.race = race
    if race.status not in {"open", "running"}:
        return None
    return Seat.objects.filter(race=race, number=driver.car).exclude(state__in=["resigned", "removed"]).first()


def _lapsed(driver: CampaignDriver) -> bool:
    last = Purchase.objects.filter(driver=driver, answered_at__isnull=False).order_by("-pk").first()
    return last is not None and bool(last.acts) and last.acts[-1]["origin"] == "deadline"


def _driver(desk: CampaignDesk, car: int) -> CampaignDriver:
    driver = desk.drivers.get(car)
    if driver is None:
        raise NotYourSeat(f"There is no car {car} in this campaign.")
    return driver


# --- What all of it needs ---------------------------------------------------------------


def _desk(campaign_id: int, *, host: Person | None = None, now: datetime | None = None) -> CampaignDesk:
    """The desk of a campaign, locked; with ``host`` only for its host. Raises CampaignUnknown, NotHost."""
    campaign = campaign_lock(campaign_id)
    if campaign is None:
        raise CampaignUnknown("There is no such campaign.")
    desk = CampaignDesk(campaign, timezone.now() if now is None else now)
    if host is not None and desk.race.host_id != host.pk:
        raise NotHost("Only the campaign's host may do this.")
    return desk


def _first_race_id(campaign_id: int) -> int:
    found = CampaignRace.objects.filter(campaign_id=campaign_id, number=1).values_list("race_id", flat=True).first()
    if found is None:
        raise CampaignUnknown("There is no such campaign.")
    return found


def _refuse_unless_running(campaign: Campaign) -> None:
    if campaign.status == "lobby":
        raise RaceNotRunning("The campaign has not started.")
    if campaign.status in _OVER:
        raise RaceNotRunning("The campaign is over.")


def _refuse_unless_going(campaign: Campaign) -> None:
    if campaign.status == "lobby":
        raise RaceNotOpen("The campaign has not started; a seat is given back on the page of its first race.")
    _refuse_unless_running(campaign)
